//! Clauses in time: `before`, `after` and `while`, dates and flashbacks.

use std::collections::HashMap;

use obernant::{Order, Product, Record, Sequences, Table};
use world::babi::grammar;
use world::babi::statement::Time;
use world::babi::text;

use crate::language::{Language, compare, text_of};
use crate::said;

/// The time of the sentence, then for each clause in the order of its telling whether
/// it was late, and what it says.
fn trace(sentence: &str) -> String {
    let Ok(statements) = grammar::read(&text::tokens(sentence, 0), &|_| false) else {
        return "gap".to_owned();
    };
    let times = statements.iter().map(|it| match it.time {
        Time::Next => "next",
        Time::Earlier => "earlier",
        Time::Dated(0) => "yesterday",
        Time::Dated(_) => "another date",
    });
    let mut events: Vec<String> = times.map(str::to_owned).collect();
    events.dedup();
    for it in &statements {
        events.push(if it.late { "late" } else { "prompt" }.to_owned());
        events.push(said::clause(it));
    }
    events.join(" > ")
}

/// The strings that are sentences, with their traces.
fn language(limit: usize) -> HashMap<Vec<usize>, String> {
    let word = |chunk| Language::chunk(limit, chunk, "");
    let nothing = Language::nothing(limit);
    let [before, after, during, comma, and, date, earlier] = [2, 3, 4, 5, 6, 7, 8].map(word);
    let joint = nothing.or(&comma).then(&and).or(&comma);
    let comma = &nothing.or(&comma);
    let named = Language::chunk(limit, 0, "Ann go hall");
    let clause = named.or(&Language::chunk(limit, 1, "she go park"));
    let clauses = clause.followed(&joint.then(&clause));
    let with = |word: &'static str| {
        move |says: &[String]| says.iter().map(|it| format!("{word} > {it}")).collect()
    };
    let (late, prompt) = (with("late"), with("prompt"));
    let main = &clause.saying(prompt);
    // A pronoun may mean somebody who is named after it: it stands in no first clause.
    let bodies = [
        clauses.saying(prompt),
        before.then(&named.saying(late)).then(comma).then(main),
        after.then(&named.saying(prompt)).then(comma).then(main),
        main.then(comma).then(&during.or(&before)).then(main),
        clause.saying(late).then(comma).then(&after).then(main),
    ];
    let first = bodies[0].clone();
    let body = bodies[1..].iter().fold(first, |all, it| all.or(it));
    let timed = |time: &'static str| {
        move |says: &[String]| {
            let mut trace = vec![time.to_owned()];
            trace.extend_from_slice(says);
            trace
        }
    };
    let dated = date
        .then(comma)
        .then(&body)
        .or(&body.then(comma).then(&date));
    let mut back = earlier.then(comma).then(&body);
    back.phrases.retain(|it| it.says.len() == 1);
    let all = body
        .saying(timed("next"))
        .or(&dated.saying(timed("yesterday")))
        .or(&back.saying(timed("earlier")));
    all.table(" > ")
}

#[test]
fn what_is_told_first_and_was_later_is_marked() {
    let mut record = Record::start("what_is_told_first_and_was_later_is_marked");
    let length = record.bound("length", 5);
    let chunks = [
        "Ann entered the hall",
        "she entered the park",
        "before",
        "after",
        "while",
        ",",
        "and",
        "yesterday",
        "earlier",
    ];
    let due = language(usize::try_from(length).expect("a bound is small"));
    let universe = Sequences::new(chunks, length);
    let mut table = Table::new(
        "the grammar",
        &universe,
        |case| text_of(&chunks, case),
        |_, text| trace(text),
    );
    record.literal(&mut table, |case| {
        due.get(case).map_or("gap", String::as_str).to_owned()
    });
    record.ordering(
        &mut table,
        &[
            Order::Leads("late", "prompt"),
            Order::Leads("yesterday", "prompt"),
            Order::Leads("earlier", "prompt"),
        ],
    );
    record.finish();
}

/// What a clause tells: a motion, an unknown motion, another deed, a deed that did not
/// happen, or a report.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Motion,
    Unknown,
    Deed,
    Denied,
    Report,
}

const FIRST: [(&str, &[Kind], &str); 8] = [
    ("Ann entered the hall", &[Kind::Motion], "go hall"),
    (
        "Ann blicked to the hall",
        &[Kind::Unknown],
        "blicked toward hall",
    ),
    ("Ann took the milk", &[Kind::Deed], "take milk"),
    (
        "Ann entered the hall and took the milk",
        &[Kind::Motion, Kind::Deed],
        "go hall; take milk",
    ),
    ("Ann did not go to the hall", &[Kind::Denied], "not go hall"),
    (
        "Ann never went to the hall",
        &[Kind::Denied],
        "never go hall",
    ),
    (
        "Ann wanted to go to the hall",
        &[Kind::Denied],
        "wants go hall",
    ),
    (
        "Ann said that he went to the hall",
        &[Kind::Report],
        "report",
    ),
];

/// With `Bob` where it has a subject of its own.
const SECOND: [(&str, bool, Kind, &str); 6] = [
    ("Bob entered the park", true, Kind::Motion, "go park"),
    ("Bob dropped the ball", true, Kind::Deed, "drop ball"),
    (
        "Bob did not go to the park",
        true,
        Kind::Denied,
        "not go park",
    ),
    ("entered the park", false, Kind::Motion, "go park"),
    ("dropped the ball", false, Kind::Deed, "drop ball"),
    ("did not go to the park", false, Kind::Denied, "not go park"),
];

/// Joints, and whether two clauses stand beside one another with them.
const JOINTS: [(&str, bool); 8] = [
    ("and", true),
    (", and", true),
    (",", true),
    ("and then", true),
    ("while", false),
    (", while", false),
    ("before", false),
    ("after", false),
];

const TIMES: [(&str, &str); 3] = [
    ("", ""),
    ("Yesterday,", "date 0: "),
    ("Earlier,", "earlier: "),
];

#[test]
fn nothing_follows_what_did_not_happen() {
    let mut record = Record::start("nothing_follows_what_did_not_happen");
    let universe = Product::new()
        .with("time", ["now", "yesterday", "earlier"])
        .with("first", FIRST.map(|it| it.0))
        .with("joint", JOINTS.map(|it| it.0))
        .with("second", SECOND.map(|it| it.0));
    let input = |case: &[usize]| {
        let (time, first) = (TIMES[case[0]].0, FIRST[case[1]].0);
        format!(
            "{time} {first} {} {}.",
            JOINTS[case[2]].0, SECOND[case[3]].0
        )
    };
    let due = |case: &[usize]| {
        let (_, kinds, first) = FIRST[case[1]];
        let (joint, beside) = JOINTS[case[2]];
        let (_, own, kind, second) = SECOND[case[3]];
        let happened = |kind: Kind| kind != Kind::Denied && kind != Kind::Report;
        let mut said: Vec<String> = first.split("; ").map(|it| format!("Ann {it}")).collect();
        let mut kinds = kinds.to_vec();
        if kinds == [Kind::Report] && beside && !own {
            // It goes on with what is reported.
        } else {
            kinds.push(kind);
            said.push(format!("{} {second}", if own { "Bob" } else { "Ann" }));
            let before = &kinds[..kinds.len() - 1];
            before.iter().all(|it| happened(*it)).then_some(())?;
            // Of several deeds nobody knows which was before or after.
            (beside || (own && kinds.len() == 2 && happened(kind))).then_some(())?;
        }
        if joint == "after" {
            said[0].insert_str(0, "late: ");
        }
        let in_time = match case[0] {
            0 => true,
            // Which deeds are denied makes no difference; a motion is one.
            1 => kinds
                .iter()
                .all(|it| matches!(it, Kind::Motion | Kind::Unknown | Kind::Denied)),
            _ => false,
        };
        let time = TIMES[case[0]].1;
        let said: Vec<String> = said.iter().map(|it| format!("{time}{it}")).collect();
        in_time.then(|| said.join("; "))
    };
    compare(&mut record, &universe, input, said::read, due);
    record.finish();
}
