//! What changes no answer: other names, sentences about others, the order in which
//! dated sentences are told, sentences that no witness names. And which names may be
//! one.

use std::collections::BTreeMap;

use obernant::{Product, Record, Sequences, Table, Universe as _};
use oracles_world::{Asked, Event, REFUSED, Scene, answer_of};
use world::babi::{Answer, Extent, Story};

fn scene() -> Scene {
    Scene {
        people: vec!["Mary", "John"],
        places: vec!["kitchen", "garden"],
        things: vec!["milk"],
    }
}

const EVENTS: [Event; 9] = [
    Event::Go(0, 0),
    Event::Go(0, 1),
    Event::Go(1, 0),
    Event::Take(0, 0),
    Event::Drop(0, 0),
    Event::Give(0, 0, 1),
    Event::Either(0, 0, 1),
    Event::GapTo(0, 1),
    Event::GapThing(1, 0),
];

const QUESTIONS: [&str; 8] = [
    "Where is Mary?",
    "Where is the milk?",
    "Is Mary in the garden?",
    "Who has the milk?",
    "What is Mary carrying?",
    "How many objects is John carrying?",
    "Where was Mary before the garden?",
    "Who gave the milk to John?",
];

fn sentences() -> Vec<String> {
    EVENTS.iter().map(|it| scene().sentence(*it)).collect()
}

fn answers(story: &Story, questions: &[String]) -> String {
    let all: Vec<_> = questions.iter().map(|it| answer_of(story, it)).collect();
    all.join(", ")
}

/// New words for the names of the small world. Those of one gender stay of it.
const RENAMINGS: [(&str, [(&str, &str); 5]); 3] = [
    (
        "other names",
        [
            ("Mary", "Sandra"),
            ("John", "Bill"),
            ("kitchen", "attic"),
            ("garden", "harbour"),
            ("milk", "lantern"),
        ],
    ),
    (
        "words that no table has",
        [
            ("Mary", "Wilhelmina"),
            ("John", "Zachary"),
            ("kitchen", "frimp"),
            ("garden", "old mill"),
            ("milk", "red vorb"),
        ],
    ),
    (
        "names exchanged",
        [
            ("Mary", "John"),
            ("John", "Mary"),
            ("kitchen", "garden"),
            ("garden", "kitchen"),
            ("milk", "apple"),
        ],
    ),
];

fn renamed(text: &str, words: &[(&str, &str)], back: bool) -> String {
    let mut text = text.to_owned();
    for (at, (old, new)) in words.iter().enumerate() {
        text = text.replace(if back { new } else { old }, &format!("<{at}>"));
    }
    for (at, (old, new)) in words.iter().enumerate() {
        text = text.replace(&format!("<{at}>"), if back { old } else { new });
    }
    text
}

#[test]
fn other_names_give_the_same_answers() {
    let mut record = Record::start("other_names_give_the_same_answers");
    let length = record.bound("length", 3);
    let sentences = sentences();
    let renamings = RENAMINGS.map(|(words, _)| words.to_owned()).to_vec();
    let universe = Asked::new(&sentences, length, renamings);
    let plain = |case: &[usize]| {
        let (_, story) = case.split_last().expect("a renaming");
        story
            .iter()
            .map(|it| sentences[*it].as_str())
            .collect::<Vec<_>>()
            .join(" ")
    };
    // The story's first word tells whether it is renamed; so it is given with it.
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| {
            format!(
                "renamed {}",
                renamed(&plain(case), &RENAMINGS[case[case.len() - 1]].1, false)
            )
        },
        |case, text| {
            let words = &RENAMINGS[case[case.len() - 1]].1;
            let (is_new, text) = match text.strip_prefix("renamed ") {
                Some(text) => (true, text),
                None => (false, text),
            };
            let asked = QUESTIONS.map(|it| {
                if is_new {
                    renamed(it, words, false)
                } else {
                    it.to_owned()
                }
            });
            let all = answers(&Story::read(text), &asked);
            if is_new {
                renamed(&all, words, true)
            } else {
                all
            }
        },
    );
    record.invariance(&mut table, plain);
    record.finish();
}

/// Sentences about others, and about things that nobody else has.
const OTHERS: [&str; 4] = [
    "Daniel went to the kitchen.",
    "Daniel took the apple.",
    "Emily blicked the apple.",
    "Emily blicked to the garden.",
];

#[test]
fn a_sentence_about_others_changes_no_answer() {
    let mut record = Record::start("a_sentence_about_others_changes_no_answer");
    let length = record.bound("length", 3);
    let sentences = sentences()[1..8].to_vec();
    let mut places = Vec::new();
    for at in ["first", "second"] {
        places.extend(OTHERS.map(|it| format!("with, as the {at} sentence, {it}")));
    }
    let universe = Asked::new(&sentences, length, places);
    let told = |case: &[usize], other: bool| {
        let (place, story) = case.split_last().expect("a place");
        let mut all: Vec<&str> = story.iter().map(|it| sentences[*it].as_str()).collect();
        if other {
            let at = all.len().min(place / OTHERS.len());
            all.insert(at, OTHERS[place % OTHERS.len()]);
        }
        all.join(" ")
    };
    let questions = QUESTIONS.map(str::to_owned);
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| told(case, true),
        |_, text| answers(&Story::read(text), &questions[..6]),
    );
    record.invariance(&mut table, |case| told(case, false));
    record.finish();
}

const DAYS: [&str; 3] = ["yesterday", "this morning", "this evening"];
const PLACES: [&str; 2] = ["kitchen", "garden"];

/// A dated move or a dated gap.
fn dated(symbol: usize) -> (usize, Option<usize>, String) {
    let (date, what) = (symbol / 3, symbol % 3);
    let day = DAYS[date];
    match what {
        2 => (date, None, format!("Mary blicked to the kitchen {day}.")),
        place => (
            date,
            Some(place),
            format!("Mary went to the {} {day}.", PLACES[place]),
        ),
    }
}

#[test]
fn the_date_decides_and_not_the_place_in_the_text() {
    let mut record = Record::start("the_date_decides_and_not_the_place_in_the_text");
    let length = record.bound("length", 3);
    let symbols: Vec<String> = (0..9).map(|it| dated(it).2).collect();
    let universe = Sequences::new(&symbols, length);
    let joined = |case: &[usize]| {
        case.iter()
            .map(|it| symbols[*it].as_str())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let sorted = |case: &[usize]| {
        let mut case = case.to_vec();
        case.sort_by_key(|it| dated(*it).0);
        case
    };
    let questions = ["Where is Mary?", "Where was Mary before the garden?"].map(str::to_owned);
    let mut table = Table::new("the reader", &universe, joined, |_, text| {
        answers(&Story::read(text), &questions)
    });
    record.invariance(&mut table, |case| joined(&sorted(case)));
    // The last by the date is where she is; the one before the garden is known where
    // no gap stands between.
    record.literal(&mut table, |case| {
        let mut stays: Vec<Option<usize>> = sorted(case).iter().map(|it| dated(*it).1).collect();
        let place = |it: Option<usize>| it.map_or(REFUSED, |place| PLACES[place]);
        let now = place(stays.last().copied().flatten());
        stays.dedup_by(|next, last| next.is_some() && next == last);
        let garden = stays.iter().rposition(|it| *it == Some(1));
        let before = garden
            .and_then(|at| at.checked_sub(1))
            .and_then(|at| stays[at]);
        format!("{now}, {}", place(before))
    });
    record.finish();
}

#[test]
fn a_name_that_may_be_another_one_is_not_taken_in() {
    let mut record = Record::start("a_name_that_may_be_another_one_is_not_taken_in");
    let names = [
        "Ann",
        "ann",
        "Ann Eve",
        "Eve",
        "Eve Ann",
        "Bob",
        "Bob Eve",
        "Ann Bob Eve",
    ];
    let nouns = [
        "bag",
        "red bag",
        "old red bag",
        "blue bag",
        "crate",
        "old crate",
        "bag crate",
        "lamp",
    ];
    let shown = (0..8).map(|at| format!("{} or {}", names[at], nouns[at]));
    let universe = Product::new()
        .with("of", ["people", "things"])
        .with("first", shown.clone())
        .with("second", shown);
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| {
            let (one, other) = (case[1], case[2]);
            match case[0] {
                0 => format!(
                    "{} went to the kitchen. {} went to the garden.",
                    title(names[one]),
                    title(names[other])
                ),
                _ => format!(
                    "Mary took the {}. Mary took the {}.",
                    nouns[one], nouns[other]
                ),
            }
        },
        |case, text| {
            let story = Story::read(text);
            match case[0] {
                0 => format!(
                    "the first is in the {}",
                    answer_of(&story, &format!("Where is {}?", title(names[case[1]])))
                ),
                _ => format!(
                    "Mary has {}",
                    answer_of(&story, "How many objects is Mary carrying?")
                ),
            }
        },
    );
    record.partition(
        &mut table,
        |outcome| outcome,
        |case| {
            let (one, other) = match case[0] {
                0 => (names[case[1]].to_lowercase(), names[case[2]].to_lowercase()),
                _ => (nouns[case[1]].to_owned(), nouns[case[2]].to_owned()),
            };
            let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
            let (one, other) = (words(&one), words(&other));
            let all_in = |some: &[String], all: &[String]| some.iter().all(|it| all.contains(it));
            let may_be_one = match case[0] {
                // All words of the one are words of the other.
                0 => all_in(&one, &other) || all_in(&other, &one),
                // The one begins or ends with the other.
                _ => {
                    one.ends_with(&other)
                        || other.ends_with(&one)
                        || one.starts_with(&other)
                        || other.starts_with(&one)
                }
            };
            let class = match (one == other, may_be_one) {
                (true, _) => "one",
                (false, true) => "perhaps one",
                (false, false) => "two",
            };
            (case[0], class)
        },
    );
    record.finish();
}

fn title(name: &str) -> String {
    let words = name
        .split(' ')
        .map(|word| word[..1].to_uppercase() + &word[1..]);
    words.collect::<Vec<_>>().join(" ")
}

/// Reads sentences with their own numbers.
fn numbered(lines: &[(usize, &str)]) -> Story {
    let mut story = Story::new();
    for (id, line) in lines {
        story.push(*id, line);
    }
    story
}

#[test]
fn the_witness_alone_gives_the_answer_and_none_of_it_is_spare() {
    let mut record = Record::start("the_witness_alone_gives_the_answer_and_none_of_it_is_spare");
    let length = record.bound("length", 3);
    let mut sentences = sentences();
    sentences.drain(6..8);
    let questions = QUESTIONS.map(str::to_owned);
    let universe = Asked::new(&sentences, length, questions.to_vec());
    let whole = |case: &[usize]| -> Vec<(usize, &str)> {
        let (_, story) = case.split_last().expect("a question");
        let lines = story.iter().map(|it| sentences[*it].as_str());
        lines.enumerate().map(|(at, line)| (at + 1, line)).collect()
    };
    let question = |case: &[usize]| questions[case[case.len() - 1]].as_str();
    // The sentences of the witness, and all gaps.
    let kept = |case: &[usize]| {
        let all = whole(case);
        let story = numbered(&all);
        let Answer::Known { text, witness } = story.ask(question(case)) else {
            return (all, Vec::new());
        };
        // Of nobody's hands no sentence says that they are empty.
        if witness.is_empty() && matches!(text.as_str(), "nothing" | "none") {
            return (all, witness);
        }
        let gaps: Vec<usize> = story
            .sentences()
            .iter()
            .filter(|it| {
                it.gap
                    .as_ref()
                    .is_some_and(|gap| gap.extent == Extent::Frame)
            })
            .map(|it| it.id)
            .collect();
        let rest = all
            .into_iter()
            .filter(|(id, _)| witness.contains(id) || gaps.contains(id));
        (rest.collect(), witness)
    };
    let text = |lines: &[(usize, &str)]| {
        lines
            .iter()
            .map(|(id, line)| format!("{id} {line}"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let read = |text: &str| {
        let mut story = Story::new();
        for line in text.lines() {
            let (id, line) = line.split_once(' ').expect("a number");
            story.push(id.parse().expect("a number"), line);
        }
        story
    };
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| text(&kept(case).0),
        |case, text| answer_of(&read(text), question(case)),
    );
    record.invariance(&mut table, |case| text(&whole(case)));
    // Of the questions for one fact, no sentence of the witness can be missed.
    let single = [0, 1, 2, 3, 6, 7];
    let mut needed = BTreeMap::<&str, u64>::new();
    for index in 0..universe.len() {
        let case = universe.case(index);
        let (lines, witness) = kept(&case);
        let asked = question(&case);
        let due = answer_of(&numbered(&lines), asked);
        for id in witness {
            let fewer: Vec<_> = lines.iter().copied().filter(|(it, _)| *it != id).collect();
            let is_spare = answer_of(&numbered(&fewer), asked) == due;
            if single.contains(&case[case.len() - 1]) {
                record.equal(
                    &format!("{}: sentence {id} is spare", universe.words(&case)),
                    &is_spare,
                    &false,
                );
            }
            *needed
                .entry(if is_spare { "spare" } else { "needed" })
                .or_default() += 1;
        }
    }
    record.claim("sentences_of_witnesses", serde_json::json!(needed));
    record.finish();
}
