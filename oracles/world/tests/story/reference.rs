//! Whom pronouns mean, against the rule stated on the people and things of the
//! sentence before.

use obernant::{Product, Record, Table, Universe as _};
use oracles_world::{REFUSED, answer_of};
use world::babi::{Answer, Story};

/// What a sentence names.
#[derive(Clone, Copy)]
struct Names {
    subjects: &'static [&'static str],
    receivers: &'static [&'static str],
    things: usize,
}

#[derive(Clone, Copy)]
enum Part {
    Nothing,
    /// A sentence with names only.
    Plain(&'static str, Names),
    /// "He went to …"
    Subject(&'static str, &'static str),
    /// "Daniel went … and he went …"
    Within(&'static str, &'static str),
    /// "Daniel gave … to him"
    Receiver(&'static str, &'static str),
    /// "Daniel took it"
    Thing(&'static str),
}

const fn plain(
    text: &'static str,
    subjects: &'static [&'static str],
    receivers: &'static [&'static str],
    things: usize,
) -> Part {
    Part::Plain(
        text,
        Names {
            subjects,
            receivers,
            things,
        },
    )
}

/// Two women, two men, and one whose name tells nothing.
const FIRST: [Part; 15] = [
    plain("Mary went to the kitchen.", &["Mary"], &[], 0),
    plain("John went to the kitchen.", &["John"], &[], 0),
    plain("Robin went to the kitchen.", &["Robin"], &[], 0),
    plain(
        "Mary and John went to the kitchen.",
        &["Mary", "John"],
        &[],
        0,
    ),
    plain(
        "Mary and Sandra went to the kitchen.",
        &["Mary", "Sandra"],
        &[],
        0,
    ),
    plain(
        "John and Robin went to the kitchen.",
        &["John", "Robin"],
        &[],
        0,
    ),
    plain(
        "Mary and Mary went to the kitchen.",
        &["Mary", "Mary"],
        &[],
        0,
    ),
    plain("Mary gave the milk to John.", &["Mary"], &["John"], 1),
    plain("John gave the milk to Robin.", &["John"], &["Robin"], 1),
    plain("Bill gave the milk to John.", &["Bill"], &["John"], 1),
    plain("Mary dropped the milk.", &["Mary"], &[], 1),
    plain("Mary dropped the milk and the bread.", &["Mary"], &[], 2),
    plain("John blicked the milk to Mary.", &["John"], &["Mary"], 1),
    plain(
        "Mary and Sandra blicked the milk to John.",
        &["Mary", "Sandra"],
        &["John"],
        1,
    ),
    plain(
        "Daniel and John blicked to the kitchen.",
        &["Daniel", "John"],
        &[],
        0,
    ),
];

const SECOND: [Part; 11] = [
    Part::Nothing,
    plain("John went to the hallway.", &["John"], &[], 0),
    plain(
        "Mary and Sandra went to the hallway.",
        &["Mary", "Sandra"],
        &[],
        0,
    ),
    plain("Robin dropped the football.", &["Robin"], &[], 1),
    plain(
        "Sandra gave the football to Bill.",
        &["Sandra"],
        &["Bill"],
        1,
    ),
    plain("John blicked to the hallway.", &["John"], &[], 0),
    Part::Subject("he", "went to the hallway."),
    Part::Subject("she", "went to the hallway."),
    Part::Subject("they", "went to the hallway."),
    Part::Receiver("him", "Emily gave the lamp to"),
    Part::Receiver("her", "Emily gave the lamp to"),
];

const LAST: [Part; 10] = [
    Part::Subject("he", "went to the garden."),
    Part::Subject("she", "went to the garden."),
    Part::Subject("they", "went to the garden."),
    Part::Within("he", "Daniel went to the office and"),
    Part::Within("she", "Daniel went to the office and"),
    Part::Within("they", "Daniel and Emily went to the office and"),
    Part::Receiver("him", "Daniel gave the apple to"),
    Part::Receiver("her", "Daniel gave the apple to"),
    Part::Receiver("them", "Daniel gave the apple to"),
    Part::Thing("Daniel blicked it."),
];

const ORDER: [&str; 2] = ["", "then "];

const EVERYBODY: [&str; 7] = ["Mary", "Sandra", "John", "Bill", "Robin", "Daniel", "Emily"];

fn sentence(part: Part, order: &str) -> Option<String> {
    let text = match part {
        Part::Nothing => return None,
        Part::Plain(text, _) | Part::Thing(text) => text.to_owned(),
        Part::Subject(pronoun, rest) => format!("{order}{pronoun} {rest}"),
        Part::Within(pronoun, start) => format!("{start} {pronoun} went to the garden."),
        Part::Receiver(pronoun, start) => format!("{start} {pronoun}."),
    };
    let (first, rest) = text.split_at(1);
    Some(first.to_uppercase() + rest)
}

/// The people and things of a sentence as the next one's pronouns see them, and the
/// sentences that tell whom its own pronoun means.
#[derive(Clone)]
struct Seen {
    subjects: Vec<&'static str>,
    receivers: Vec<&'static str>,
    things: usize,
    chain: Vec<usize>,
}

fn may_be(pronoun: &str, name: &str) -> bool {
    match pronoun {
        "he" | "him" => !matches!(name, "Mary" | "Sandra" | "Emily"),
        _ => !matches!(name, "John" | "Bill" | "Daniel"),
    }
}

/// The only one of these whom the pronoun fits.
fn only(pronoun: &str, names: &[&'static str]) -> Option<&'static str> {
    let fits: Vec<_> = names
        .iter()
        .copied()
        .filter(|it| may_be(pronoun, it))
        .collect();
    <[&str; 1]>::try_from(fits).ok().map(|[only]| only)
}

fn subjects_meant(pronoun: &str, before: &Seen) -> Option<Vec<&'static str>> {
    if pronoun == "they" {
        let is_plain = before.subjects.len() > 1 && before.receivers.is_empty();
        return is_plain.then(|| before.subjects.clone());
    }
    let all = [&before.subjects[..], &before.receivers].concat();
    only(pronoun, &all).map(|name| vec![name])
}

/// What a sentence leaves; none where it is not settled whom it means.
fn after(part: Part, id: usize, before: &Seen) -> Option<Seen> {
    let mut chain = before.chain.clone();
    chain.push(id);
    match part {
        Part::Nothing => Some(before.clone()),
        Part::Plain(_, names) => {
            let twice = names.subjects.len() == 2 && names.subjects[0] == names.subjects[1];
            (!twice).then(|| Seen {
                subjects: names.subjects.to_vec(),
                receivers: names.receivers.to_vec(),
                things: names.things,
                chain: vec![id],
            })
        }
        Part::Subject(pronoun, _) => {
            let subjects = subjects_meant(pronoun, before)?;
            Some(Seen {
                subjects,
                receivers: Vec::new(),
                things: 0,
                chain,
            })
        }
        Part::Within(pronoun, start) => {
            let named: Vec<_> = EVERYBODY
                .into_iter()
                .filter(|it| start.contains(it))
                .collect();
            let here = Seen {
                subjects: named,
                receivers: Vec::new(),
                things: 0,
                chain: vec![id],
            };
            let subjects = subjects_meant(pronoun, &here)?;
            Some(Seen { subjects, ..here })
        }
        Part::Receiver(pronoun, start) => {
            // One does not give to oneself.
            let giver = EVERYBODY.into_iter().find(|it| start.starts_with(it))?;
            let all = [&before.subjects[..], &before.receivers].concat();
            let others: Vec<_> = all.into_iter().filter(|it| *it != giver).collect();
            let receivers = vec![only(pronoun, &others).filter(|_| pronoun != "them")?];
            Some(Seen {
                subjects: vec![giver],
                receivers,
                things: 1,
                chain,
            })
        }
        Part::Thing(_) => (before.things == 1).then(|| Seen {
            subjects: vec!["Daniel"],
            receivers: Vec::new(),
            things: 1,
            chain: vec![id],
        }),
    }
}

fn words(names: &[&str], chain: &[usize]) -> String {
    let chain: Vec<_> = chain.iter().map(ToString::to_string).collect();
    format!("{}, told by {}", names.join(" and "), chain.join(" "))
}

/// Of whom or what the last sentence spoke, and the sentences that tell it.
fn observed(story: &Story, last: Part) -> String {
    if story
        .sentences()
        .iter()
        .any(|it| it.gap.as_ref().is_some_and(is_whole))
    {
        return REFUSED.to_owned();
    }
    if let Part::Thing(_) = last {
        return "the thing".to_owned();
    }
    let mut names = Vec::new();
    let mut told = Vec::new();
    for name in EVERYBODY {
        let (question, due) = match last {
            Part::Receiver(..) => ("Who received the apple?".to_owned(), name),
            _ => (format!("Where is {name}?"), "garden"),
        };
        if let Answer::Known { text, witness } = story.ask(&question)
            && text == due
        {
            names.push(name);
            told = witness;
        }
    }
    words(&names, &told)
}

fn is_whole(gap: &world::babi::Gap) -> bool {
    gap.extent == world::babi::Extent::Story
}

#[test]
fn a_pronoun_means_the_only_one_of_the_sentence_before_whom_it_fits() {
    let mut record =
        Record::start("a_pronoun_means_the_only_one_of_the_sentence_before_whom_it_fits");
    let shown = |parts: &[Part]| -> Vec<String> {
        let all = parts
            .iter()
            .map(|it| sentence(*it, "").unwrap_or_else(|| "nothing".to_owned()));
        all.collect()
    };
    let universe = Product::new()
        .with("first", shown(&FIRST))
        .with("second", shown(&SECOND))
        .with("order", ["without a word", "with `then`"])
        .with("last", shown(&LAST));
    let parts = |case: &[usize]| [FIRST[case[0]], SECOND[case[1]], LAST[case[3]]];
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| {
            let all = parts(case)
                .into_iter()
                .filter_map(|it| sentence(it, ORDER[case[2]]));
            all.collect::<Vec<_>>().join(" ")
        },
        |case, text| observed(&Story::read(text), LAST[case[3]]),
    );
    let due = |case: &[usize]| -> String {
        let mut seen = Seen {
            subjects: vec![],
            receivers: vec![],
            things: 0,
            chain: vec![],
        };
        let told = parts(case)
            .into_iter()
            .filter(|it| !matches!(it, Part::Nothing));
        for (at, part) in told.enumerate() {
            match after(part, at + 1, &seen) {
                Some(next) => seen = next,
                None => return REFUSED.to_owned(),
            }
        }
        let mut names = match LAST[case[3]] {
            Part::Thing(_) => return "the thing".to_owned(),
            Part::Receiver(..) => seen.receivers,
            _ => seen.subjects,
        };
        names.sort_by_key(|name| EVERYBODY.iter().position(|it| it == name));
        words(&names, &seen.chain)
    };
    let mut answers: Vec<String> = (0..universe.len())
        .map(|at| due(&universe.case(at)))
        .collect();
    answers.sort();
    answers.dedup();
    answers.retain(|it| it != REFUSED);
    record.acceptance(
        &mut table,
        &answers,
        &[REFUSED],
        |case| answers.iter().position(|it| *it == due(case)),
        |case| format!("the rule says {}", due(case)),
    );
    record.finish();
}

/// Pronouns of sentences that tell two things out of order.
#[test]
fn the_words_decide_whom_a_pronoun_means_and_the_time_what_was_last() {
    let mut record =
        Record::start("the_words_decide_whom_a_pronoun_means_and_the_time_what_was_last");
    // Where Mary is after it, or that it is not read.
    let forms = [
        (
            "Before Mary went to the kitchen, she went to the garden.",
            "kitchen",
        ),
        (
            "Mary went to the kitchen after she went to the garden.",
            "kitchen",
        ),
        (
            "After Mary went to the kitchen, she went to the garden.",
            "garden",
        ),
        (
            "Mary went to the kitchen before she went to the garden.",
            "garden",
        ),
        (
            "Mary went to the kitchen and she went to the garden.",
            "garden",
        ),
        (
            "Before Mary went to the kitchen, he went to the garden.",
            REFUSED,
        ),
        (
            "Before Mary gave the milk to Sandra, she went to the garden.",
            REFUSED,
        ),
        ("Before Mary took it, she went to the garden.", REFUSED),
        (
            "Mary took the milk from Sandra after she went to the garden.",
            REFUSED,
        ),
    ];
    let universe = Product::new()
        .with("story", forms.iter().map(|(text, _)| *text))
        .with(
            "question",
            ["Mary", "Mary before the garden", "Mary before the kitchen"],
        );
    let questions = [
        "Where is Mary?",
        "Where was Mary before the garden?",
        "Where was Mary before the kitchen?",
    ];
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| forms[case[0]].0.to_owned(),
        |case, text| answer_of(&Story::read(text), questions[case[1]]),
    );
    let due = |case: &[usize]| match (forms[case[0]].1, case[1]) {
        ("garden", 0 | 2) if case[1] == 0 => Some(1),
        ("garden", 1) | ("kitchen", 0) => Some(0),
        ("kitchen", 2) => Some(1),
        _ => None,
    };
    record.acceptance(
        &mut table,
        &["kitchen", "garden"],
        &[REFUSED],
        due,
        |case| format!("at the end Mary is in the {}", forms[case[0]].1),
    );
    record.finish();
}
