//! Oracles of the disturbances: what each changes and leaves, what a subject is, how
//! great a share may be, and that the steps follow one another.

use obernant::{Product, Record, Sequences, Table};
use world::measure::disturb::{Disturbance, Share};
use world::measure::task_file::Line;

use crate::rules::{Due, accept, disturbed, lists, question, statement};

const TOLD: &str = "Fred went to the hall.";
const VERBLESS: &str = "Rain.";
/// It has a subject and a verb, so that a step that does not spare questions shows.
const ASKED: &str = "Fred went where?";

const STEPS: [&str; 4] = ["subjects", "verbs", "statements", "fillers"];

fn step(step: usize, percent: u64, seed: u64) -> Disturbance {
    let mut all = Disturbance::default();
    let share = Share::new(percent, seed);
    match STEPS[step] {
        "subjects" => all.someone = share,
        "verbs" => all.mask = share,
        "statements" => all.replace = share,
        _ => all.filler = share,
    }
    all
}

/// Lines numbered 1, 3, 5 …; a question names every line before it and one that is none.
fn lines(kinds: &[&str]) -> Vec<Line> {
    let numbered = kinds
        .iter()
        .enumerate()
        .map(|(at, kind)| (2 * at + 1, *kind));
    numbered
        .map(|(id, kind)| match kind {
            "question" => {
                let mut support: Vec<usize> = (1..id).step_by(2).collect();
                support.extend((id > 1).then(|| id - 1));
                question(id, ASKED, "hall", Some(&support))
            }
            "sentence" => statement(id, TOLD),
            _ => statement(id, VERBLESS),
        })
        .collect()
}

/// What a text is, as far as a step can change it.
fn kind(text: &str) -> &'static str {
    let known = [(TOLD, "told"), (VERBLESS, "verbless"), (ASKED, "asked")];
    if let Some((_, kind)) = known.iter().find(|(known, _)| *known == text) {
        kind
    } else if ["Someone went to the hall.", "The girl went to the hall."].contains(&text) {
        "hidden"
    } else if text.starts_with("Fred ") && text.ends_with("ed to the hall.") {
        "masked"
    } else if !text.is_empty() && !text.contains("hall") && !text.contains("Fred") {
        "unrelated"
    } else {
        "broken"
    }
}

fn shown(id: usize, kind: &str, support: Option<&[usize]>) -> String {
    match support {
        Some(support) => format!("{id} {kind} {support:?}"),
        None => format!("{id} {kind}"),
    }
}

/// All files of at most four lines of three kinds, each step for no statement and for
/// all of them.
pub(crate) fn changes(record: &mut Record) {
    let length = record.bound("lines", 4);
    let files = lists(&["sentence", "words", "question"], length);
    let universe = Product::new()
        .with("step", STEPS)
        .with("percent", [0, 100])
        .with(
            "file",
            files.iter().map(|file| format!("<{}>", file.join(", "))),
        );
    accept(
        record,
        "the step",
        &universe,
        |case| {
            let lines = disturbed(
                lines(&files[case[2]]),
                step(case[0], 100 * case[1] as u64, 3),
            );
            let shown: Vec<String> = lines
                .iter()
                .map(|line| {
                    let gold = line.gold.as_ref();
                    let answered = gold.is_none_or(|gold| gold.answer == "hall");
                    let kind = if answered {
                        kind(&line.text)
                    } else {
                        "another answer"
                    };
                    shown(line.id, kind, gold.and_then(|gold| gold.support.as_deref()))
                })
                .collect();
            shown.join(", ")
        },
        |case| {
            let all = case[1] == 1;
            let file = &files[case[2]];
            let adds = STEPS[case[0]] == "fillers";
            // The number that each old line gets.
            let place = |at: usize| {
                let added = file[..=at]
                    .iter()
                    .filter(|kind| **kind != "question")
                    .count();
                match (adds, all) {
                    (true, true) => at + 1 + added,
                    (true, false) => at + 1,
                    (false, _) => 2 * at + 1,
                }
            };
            let mut due = Vec::new();
            for (at, &kind) in file.iter().enumerate() {
                let id = place(at);
                if kind == "question" {
                    let mut support: Vec<usize> = (0..at).map(place).collect();
                    // Where lines move, what named no line names none: there is no line 0.
                    support.extend((at > 0).then_some(if adds { 0 } else { 2 * at }));
                    due.push(shown(id, "asked", Some(&support)));
                    continue;
                }
                let old = if kind == "sentence" {
                    "told"
                } else {
                    "verbless"
                };
                let new = match (STEPS[case[0]], kind) {
                    _ if !all => old,
                    ("subjects", "sentence") => "hidden",
                    ("verbs", "sentence") => "masked",
                    ("statements", _) => "unrelated",
                    _ => old,
                };
                if adds && all {
                    due.push(shown(id - 1, "unrelated", None));
                }
                due.push(shown(id, new, None));
            }
            let due = due.join(", ");
            let changes = ["hidden", "masked", "unrelated"];
            let change = changes.iter().find(|change| due.contains(**change));
            Due::new(due, *change.unwrap_or(&"no text is new"))
        },
    );
}

const SUBJECT_WORDS: [&str; 7] = ["Then", "this", "Fred", "Bill", "the", ",", "went"];

/// What stands before the first finite verb, after a comma and words of time and order.
pub(crate) fn subjects(record: &mut Record) {
    let length = record.bound("length", 5);
    let universe = Sequences::new(SUBJECT_WORDS, length);
    let words =
        |case: &[usize]| -> Vec<&str> { case.iter().map(|&at| SUBJECT_WORDS[at]).collect() };
    accept(
        record,
        "the step for subjects",
        &universe,
        |case| {
            let lines = vec![statement(1, &words(case).join(" "))];
            let text = disturbed(lines, step(0, 100, 3)).remove(0).text;
            text.replace("The girl", "Someone")
                .replace("the girl", "someone")
        },
        |case| {
            let words = words(case);
            let same = Due::new(words.join(" "), "no subject");
            // Commas are no words; `the went` is no verb.
            let verb = (0..words.len()).find(|&at| {
                let before = words[..at].iter().rfind(|word| **word != ",");
                words[at] == "went" && before != Some(&"the")
            });
            let Some(verb) = verb else { return same };
            let comma = words[..verb].iter().rposition(|word| *word == ",");
            let mut begin = comma.map_or(0, |at| at + 1);
            while ["Then", "this"].contains(&words[begin]) {
                begin += 1;
            }
            if begin == verb {
                return same;
            }
            let first = words[..begin].iter().all(|word| *word == ",");
            let hidden = if first { "Someone" } else { "someone" };
            let due = [&words[..begin], &[hidden], &words[verb..]].concat();
            let size = verb - begin;
            Due::new(due.join(" "), format!("{hidden} for {size}"))
        },
    );
}

/// Each percentage to 300, and what wraps around in eight, sixteen and 32 bits.
pub(crate) fn shares(record: &mut Record) {
    let wide = [65_536, 65_636, 65_637, (1 << 32) + 7, u64::MAX];
    let percents: Vec<u64> = (0..=300).chain([355, 356, 357]).chain(wide).collect();
    let universe = Product::new().with("percent", &percents);
    let mut table = Table::new(
        "the share",
        &universe,
        |case| percents[case[0]].to_string(),
        |case, _| {
            let share = Share::new(percents[case[0]], 1);
            share.map_or("refused", |_| "taken").to_owned()
        },
    );
    record.budget(&mut table, &[("percent", 100)], &["taken"], |case| {
        vec![percents[case[0]]]
    });
}

/// Each choice among the five steps: all at once, and one after the other in the order
/// of names, subjects, verbs, statements and fillers.
pub(crate) fn steps(record: &mut Record) {
    let seeds = record.bound("seeds", 6);
    let universe = Product::new()
        .with("steps", (0..32).map(|steps| format!("{steps:05b}")))
        .with("seed", 0..seeds);
    let mut table = Table::new(
        "the disturbance",
        &universe,
        |_| "at once".to_owned(),
        |case, way| {
            let seed = case[1] as u64;
            let has = |step: usize| case[0] >> (4 - step) & 1 == 1;
            let share = |step: usize| Share::new(50, seed).filter(|_| has(step));
            let all = Disturbance {
                rename: Some(seed).filter(|_| has(0)),
                someone: share(1),
                mask: share(2),
                replace: share(3),
                filler: share(4),
            };
            let none = Disturbance::default();
            let file = lines(&[
                "sentence", "words", "sentence", "question", "sentence", "question",
            ]);
            let found = if way == "at once" {
                disturbed(file, all)
            } else {
                let order = [
                    Disturbance {
                        rename: all.rename,
                        ..none
                    },
                    Disturbance {
                        someone: all.someone,
                        ..none
                    },
                    Disturbance {
                        mask: all.mask,
                        ..none
                    },
                    Disturbance {
                        replace: all.replace,
                        ..none
                    },
                    Disturbance {
                        filler: all.filler,
                        ..none
                    },
                ];
                order.into_iter().fold(file, disturbed)
            };
            let told: Vec<String> = found
                .iter()
                .map(|line| {
                    let gold = line.gold.as_ref();
                    let answer = gold.map_or(String::new(), |gold| format!("={}", gold.answer));
                    let support = gold.and_then(|gold| gold.support.as_deref());
                    shown(line.id, &format!("{}{answer}", line.text), support)
                })
                .collect();
            told.join(" ")
        },
    );
    record.invariance(&mut table, |_| "one by one".to_owned());
}
