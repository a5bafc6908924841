//! Oracles of the store: which marks and which header a set of modules gives, what its
//! fingerprint follows, which modules go together, and what look-ups give.

use std::collections::{BTreeMap, BTreeSet};

use obernant::{Product, Record, Sequences, Table, Universe};
use world::dictstore::{Error, Module, Store, derived_header};

/// Modules by name, with their licences and the restrictive ones among these; in the
/// order of names.
const LICENSED: [(&str, &str, &[&str]); 7] = [
    ("Zoo", "GPL-3.0-only", &["GPL-3.0-only"]),
    ("a", "ours", &[]),
    (
        "b",
        "derived from x (CC-BY-SA-4.0 MIT), y (ODbL-1.0)",
        &["CC-BY-SA-4.0", "ODbL-1.0"],
    ),
    ("c", "CC-BY-SA-4.0", &["CC-BY-SA-4.0"]),
    ("d", "MIT", &[]),
    ("e", "an-unknown-one", &["an-unknown-one"]),
    ("f", "CC-BY-NC-4.0", &["CC-BY-NC-4.0"]),
];

/// The marks and the header that the chosen modules must give.
fn due(chosen: &[usize]) -> String {
    let restrictive: Vec<_> = LICENSED
        .iter()
        .zip(chosen)
        .filter(|((.., marks), chosen)| **chosen == 1 && !marks.is_empty())
        .map(|(licensed, _)| licensed)
        .collect();
    let marks: BTreeSet<&str> = restrictive
        .iter()
        .flat_map(|(.., marks)| *marks)
        .copied()
        .collect();
    let marks: Vec<&str> = marks.into_iter().collect();
    let origins: Vec<String> = restrictive
        .iter()
        .map(|(name, _, marks)| format!("{name} ({})", marks.join(" ")))
        .collect();
    if origins.is_empty() {
        "<>, header ours".to_owned()
    } else {
        format!(
            "<{}>, header derived from {}",
            marks.join(" "),
            origins.join(", ")
        )
    }
}

#[test]
fn marks_are_the_restrictive_licences_of_what_is_loaded() {
    let mut record = Record::start("marks_are_the_restrictive_licences_of_what_is_loaded");
    let mut universe = Product::new();
    for (name, licence, _) in LICENSED {
        universe = universe.with(&format!("{name} under {licence}"), ["no", "yes"]);
    }
    let mut table = Table::new(
        "the store",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let mut store = Store::new();
            for ((name, licence, _), chosen) in LICENSED.iter().zip(case) {
                if *chosen == 1 {
                    let module = Module::new(name, licence, Vec::new()).expect("a module");
                    store.insert(module).expect("the names differ");
                }
            }
            let (marks, header) = (store.licence(), derived_header(store.modules()));
            // A written layer under that header carries the same marks.
            let mut again = Store::new();
            let layer = Module::new("layer", &header, Vec::new()).map(|layer| layer.to_text());
            let loaded = layer.map(|text| again.add_text("the layer", &text));
            if matches!(loaded, Ok(Ok(()))) && again.licence() == marks {
                format!("<{marks}>, header {header}")
            } else {
                format!("<{marks}>, lost under the header {header}")
            }
        },
    );
    let fibers: BTreeSet<String> = (0..universe.len())
        .map(|index| due(&universe.case(index)))
        .collect();
    let fibers: Vec<String> = fibers.into_iter().collect();
    // Two of the seven modules leave no mark.
    record.equal("different sets of marked modules", &fibers.len(), &32);
    record.acceptance(
        &mut table,
        &fibers,
        &[] as &[&str],
        |case| fibers.iter().position(|fiber| *fiber == due(case)),
        |case| format!("these modules give {}", due(case)),
    );
    record.finish();
}

/// Texts of modules, some of one name.
const TEXTS: [(&str, &str, &str); 8] = [
    (
        "a",
        "a with two lines",
        "dictionary\ta\tours\nisa\tx\ty\nisa\tx\tz\n",
    ),
    (
        "a",
        "a with its lines exchanged",
        "dictionary\ta\tours\nisa\tx\tz\nisa\tx\ty\n",
    ),
    (
        "a",
        "a with a source",
        "dictionary\ta\tours\nisa\tx\ty\tpage 1\nisa\tx\tz\n",
    ),
    (
        "a",
        "a under another licence",
        "dictionary\ta\tMIT\nisa\tx\ty\nisa\tx\tz\n",
    ),
    (
        "b",
        "b with the lines of a",
        "dictionary\tb\tours\nisa\tx\ty\nisa\tx\tz\n",
    ),
    ("b", "b with one line", "dictionary\tb\tours\nisa\tx\ty\n"),
    (
        "c",
        "c with the other line",
        "dictionary\tc\tours\nisa\tx\tz\n",
    ),
    (
        "c",
        "c with a note",
        "dictionary\tc\tours\nisa\tx\tz\nnote\tx\n",
    ),
];

/// The fingerprint of the texts with these digits, loaded in this order.
fn fingerprint(digits: &str) -> String {
    let mut store = Store::new();
    for digit in digits.bytes() {
        let text = TEXTS[usize::from(digit - b'0')].2;
        match store.add_text("a text", text) {
            Ok(()) => {}
            Err(Error::SameName(_)) => return "a name again".to_owned(),
            Err(other) => return format!("another refusal: {other}"),
        }
    }
    store.fingerprint()
}

#[test]
fn a_fingerprint_follows_what_is_loaded_and_not_when() {
    let mut record = Record::start("a_fingerprint_follows_what_is_loaded_and_not_when");
    let length = record.bound("modules", 4);
    let universe = Sequences::new(TEXTS.map(|(_, words, _)| words), length);
    let digits = |case: &[usize]| -> String { case.iter().map(ToString::to_string).collect() };
    let mut table = Table::new("the fingerprint", &universe, digits, |_, digits| {
        fingerprint(digits)
    });
    record.invariance(&mut table, |case| {
        let mut sorted = case.to_vec();
        sorted.sort_unstable();
        digits(&sorted)
    });
    record.partition(
        &mut table,
        |outcome| outcome,
        |case| {
            let names: BTreeSet<&str> = case.iter().map(|&at| TEXTS[at].0).collect();
            let texts: BTreeSet<&str> = case.iter().map(|&at| TEXTS[at].1).collect();
            (names.len() == case.len()).then_some(texts)
        },
    );
    record.finish();
}

/// Lines, one in each module.
const LINES: [[&str; 3]; 9] = [
    ["isa", "a", "b"],
    ["isa", "a", "c"],
    ["isa", "b", "c"],
    ["part", "a", "b"],
    ["part", "c", "b"],
    ["alias", "a", "b"],
    ["alias", "a", "c"],
    ["alias", "b", "c"],
    ["alias", "c", "a"],
];

fn lines(length: u64) -> Sequences {
    Sequences::new(LINES.map(|line| format!("<{}>", line.join(" "))), length)
}

/// A store of modules `m0`, `m1` and so on with these lines.
fn loaded(case: &[usize]) -> Result<Store, Error> {
    let mut store = Store::new();
    for (number, &at) in case.iter().enumerate() {
        let text = format!("dictionary\tm{number}\tours\n{}\n", LINES[at].join("\t"));
        store.add_text("a text", &text)?;
    }
    Ok(store)
}

/// The gates of modules in order: for each what the aliases of those before say.
fn gates(case: &[usize]) -> Vec<(String, bool)> {
    let mut gates = Vec::new();
    for (new, &at) in case.iter().enumerate() {
        let [relation, alias, name] = LINES[at];
        // The first module with such an alias, or with this word in an alias at all.
        let first = |test: &dyn Fn(&str, &str) -> bool| {
            case[..new]
                .iter()
                .position(|&at| LINES[at][0] == "alias" && test(LINES[at][1], LINES[at][2]))
        };
        let mut gate = |word: &str, reason: &str, stops: bool| {
            let loaded = first(&|alias, name| alias == word || name == word).unwrap_or(new);
            gates.push((
                format!("{word}: {reason}; m{loaded} and m{new}"),
                stops && relation == "alias",
            ));
        };
        let two = first(&|other, its| other == alias && its != name).is_some();
        let before = first(&|_, its| its == alias).is_some();
        let behind = first(&|other, _| other == name).is_some();
        gate(alias, "an alias with two names", two);
        gate(
            alias,
            "an alias in one of them, and the name of an alias in the other",
            before,
        );
        gate(
            name,
            "an alias in one of them, and the name of an alias in the other",
            behind,
        );
    }
    gates
}

#[test]
fn the_first_module_that_does_not_agree_is_refused() {
    let mut record = Record::start("the_first_module_that_does_not_agree_is_refused");
    let universe = lines(record.bound("modules", 4));
    let mut table = Table::new(
        "the store",
        &universe,
        |case| universe.words(case),
        |case, _| match loaded(case) {
            Ok(_) => "taken in".to_owned(),
            Err(Error::Alias {
                word,
                loaded,
                new,
                reason,
            }) => format!("{word}: {reason}; {loaded} and {new}"),
            Err(other) => format!("another refusal: {other}"),
        },
    );
    record.gates(&mut table, "taken in", gates);
    record.finish();
}

#[test]
fn look_ups_give_what_the_lines_say_and_nothing_else() {
    let mut record = Record::start("look_ups_give_what_the_lines_say_and_nothing_else");
    let universe = lines(record.bound("modules", 4));
    let words = ["a", "b", "c", "d"];
    let mut table = Table::new(
        "the store",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let Ok(store) = loaded(case) else {
                return "refused".to_owned();
            };
            let mut said = Vec::new();
            for word in words {
                said.extend(
                    store
                        .parents(word)
                        .map(|parent| format!("{word} is {parent}")),
                );
                said.extend(store.parts(word).map(|part| format!("{word} has {part}")));
                said.extend(
                    store
                        .canonical(word)
                        .map(|name| format!("{word} means {name}")),
                );
            }
            format!("said: {}", said.join(", "))
        },
    );
    // Who says what of whom, as a set; the whole comes first where parts are meant.
    let class = |case: &[usize]| {
        if gates(case).iter().any(|(_, stops)| *stops) {
            return None;
        }
        let said = case.iter().map(|&at| match LINES[at] {
            ["isa", word, of] => (word, "is", of),
            ["part", word, of] => (of, "has", word),
            [_, word, of] => (word, "means", of),
        });
        Some(said.collect::<BTreeSet<_>>())
    };
    record.partition(&mut table, |outcome| outcome, class);
    record.literal(&mut table, |case| {
        let Some(said) = class(case) else {
            return "refused".to_owned();
        };
        // Word by word: kinds, then parts, then the name.
        let order = BTreeMap::from([("is", 0), ("has", 1), ("means", 2)]);
        let mut said: Vec<_> = said.into_iter().collect();
        said.sort_by_key(|(word, verb, other)| (*word, order[verb], *other));
        let said: Vec<String> = said
            .iter()
            .map(|(word, verb, other)| format!("{word} {verb} {other}"))
            .collect();
        format!("said: {}", said.join(", "))
    });
    record.finish();
}

const WORDS: [&str; 3] = ["a", "b", "c"];
const VERBS: [&str; 3] = ["is", "has", "means"];

/// Modules of one line each, and a question: a word, a verb and another word.
struct Asked(Sequences);

impl Universe for Asked {
    fn len(&self) -> u64 {
        self.0.len() * 27
    }

    fn case(&self, index: u64) -> Vec<usize> {
        let mut case = self.0.case(index / 27);
        let question = usize::try_from(index % 27).expect("it is small");
        case.splice(0..0, [question / 9, question / 3 % 3, question % 3]);
        case
    }

    fn words(&self, case: &[usize]) -> String {
        let [word, verb, other] = [WORDS[case[0]], VERBS[case[1]], WORDS[case[2]]];
        format!(
            "does it say that {word} {verb} {other}; {}",
            self.0.words(&case[3..])
        )
    }
}

#[test]
fn a_look_up_says_exactly_what_a_line_says() {
    let mut record = Record::start("a_look_up_says_exactly_what_a_line_says");
    let universe = Asked(lines(record.bound("modules", 3)));
    let mut table = Table::new(
        "the store",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let (word, other) = (WORDS[case[0]], WORDS[case[2]]);
            let Ok(store) = loaded(&case[3..]) else {
                return "no store".to_owned();
            };
            let said = match VERBS[case[1]] {
                "is" => store.parents(word).any(|it| it == other),
                "has" => store.parts(word).any(|it| it == other),
                _ => store.canonical(word) == Some(other),
            };
            if said { "said" } else { "not said" }.to_owned()
        },
    );
    // The lines that say it: a whole has the part that its line begins with.
    let says = |case: &[usize]| {
        let (word, other) = (WORDS[case[0]], WORDS[case[2]]);
        let line = [
            ["isa", word, other],
            ["part", other, word],
            ["alias", word, other],
        ][case[1]];
        case[3..].iter().any(|&at| LINES[at] == line)
    };
    let refused = |case: &[usize]| gates(&case[3..]).iter().any(|(_, stops)| *stops);
    record.acceptance(
        &mut table,
        &["said"],
        &["not said", "no store"],
        |case| (says(case) && !refused(case)).then_some(0),
        |case| match (refused(case), says(case)) {
            (true, _) => "these modules don't go together, so nothing is said".to_owned(),
            (false, true) => "a line says so".to_owned(),
            (false, false) => "no line says so".to_owned(),
        },
    );
    record.partition(
        &mut table,
        |outcome| outcome,
        |case| (refused(case), says(case) && !refused(case)),
    );
    record.finish();
}
