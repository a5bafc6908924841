//! Oracles of what an item says: its kind and the answer's text. Each holds the
//! rest of the stream fixed.

use obernant::{Product, Record, Sequences, Table, Universe};
use oracles_teacher::{Role, WHITE_SPACE, both, decode, line, outcome, strict_reply};
use serde_json::{Value, json};
use teacher::Contract;

/// A completed answer whose text is this JSON.
fn answer(text: &str) -> String {
    format!(r#"{{"type":"item.completed","item":{{"type":"agent_message","text":{text}}}}}"#)
}

/// The values of `item` in an event, in JSON, and what the kind is: allowed,
/// `error`, or refused.
const ITEMS: [(&str, Kind); 22] = [
    ("", Kind::Refused),
    (r#","item":null"#, Kind::Refused),
    (r#","item":7"#, Kind::Refused),
    (r#","item":"agent_message""#, Kind::Refused),
    (r#","item":["agent_message"]"#, Kind::Refused),
    (r#","item":{}"#, Kind::Refused),
    (r#","item":{"type":null}"#, Kind::Refused),
    (r#","item":{"type":7}"#, Kind::Refused),
    (r#","item":{"type":true}"#, Kind::Refused),
    (r#","item":{"type":["agent_message"]}"#, Kind::Refused),
    (r#","item":{"type":{"type":"reasoning"}}"#, Kind::Refused),
    (r#","item":{"type":""}"#, Kind::Refused),
    (r#","item":{"type":"Agent_Message"}"#, Kind::Refused),
    (r#","item":{"type":"agent_message "}"#, Kind::Refused),
    (r#","item":{"type":"command_execution"}"#, Kind::Refused),
    (r#","item":{"type":"file_change"}"#, Kind::Refused),
    (r#","item":{"type":"mcp_tool_call"}"#, Kind::Refused),
    (r#","item":{"type":"web_search"}"#, Kind::Refused),
    (r#","item":{"type":"todo_list"}"#, Kind::Refused),
    (r#","item":{"type":"error","message":"W"}"#, Kind::Error),
    (r#","item":{"type":"reasoning","text":"R"}"#, Kind::Allowed),
    (
        r#","item":{"type":"agent_message","text":"A"}"#,
        Kind::Allowed,
    ),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Allowed,
    Error,
    Refused,
}

const ITEM_EVENTS: [&str; 3] = ["item.started", "item.updated", "item.completed"];
const OTHER_EVENTS: [&str; 3] = ["item.paused", "item", "turn.paused"];

/// Every form of an event with every form of an item, at every place of a turn.
fn item_kinds(mut record: Record, contract: Contract) {
    let events = [ITEM_EVENTS, OTHER_EVENTS].concat();
    let universe = Product::new()
        .with("event", &events)
        .with("item", ITEMS.map(|(json, _)| format!("<{json}>")))
        .with(
            "place",
            ["first", "before the completion", "after the completion"],
        );
    let kind = |case: &[usize]| ITEMS[case[1]].1;
    let tolerated = |case: &[usize]| {
        kind(case) == Kind::Allowed
            || kind(case) == Kind::Error && matches!(contract, Contract::Tolerant)
    };
    let warns = |case: &[usize]| kind(case) == Kind::Error && case[0] < ITEM_EVENTS.len();
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| {
            let inserted = format!(r#"{{"type":"{}"{}}}"#, events[case[0]], ITEMS[case[1]].0);
            let mut lines = vec![line("answer A"), line("completion 10")];
            lines.insert(case[2], &inserted);
            lines.join("\n")
        },
        |case, text| {
            let trace = if warns(case) {
                vec![Role::ErrorItem("W")]
            } else {
                vec![]
            };
            outcome(contract, &trace, &decode(contract, text))
        },
    );
    // Only item events are looked into; after the completion not even an allowed one may come.
    let outcomes = ["A/10", "error item_kind", "error late_item"];
    let due = |case: &[usize]| match (case[0] < ITEM_EVENTS.len(), case[2], tolerated(case)) {
        (false, ..) | (true, 0 | 1, true) => 0,
        (true, 0 | 1, false) => 1,
        (true, ..) => 2,
    };
    record.complement(
        &mut table,
        &outcomes,
        |case| {
            let due = due(case);
            move |outcome| outcome != due
        },
        |case| match due(case) {
            0 => "this item or event must pass".to_owned(),
            1 => "an item of this kind must fail".to_owned(),
            _ => "an item after the completion must fail".to_owned(),
        },
    );
    record.finish();
}

#[test]
fn only_allowed_item_kinds_pass() {
    item_kinds(
        Record::start("only_allowed_item_kinds_pass"),
        Contract::Strict,
    );
}

#[test]
fn only_allowed_item_kinds_pass_tolerant() {
    item_kinds(
        Record::start("only_allowed_item_kinds_pass_tolerant"),
        Contract::Tolerant,
    );
}

/// What an item event does to the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Assigns(&'static str),
    Clears,
    Nothing,
}

/// Item events in words, with their lines.
fn messages() -> [(&'static str, String, Effect); 10] {
    let event = |event: &str, kind: &str, text: &str| {
        format!(r#"{{"type":"{event}","item":{{"type":"{kind}"{text}}}}}"#)
    };
    let completed = |text| event("item.completed", "agent_message", text);
    let (started, updated) = ("item.started", "item.updated");
    let (a, b) = (r#","text":"A""#, r#","text":"B""#);
    [
        ("answer A", completed(a), Effect::Assigns("A")),
        ("answer B", completed(b), Effect::Assigns("B")),
        (
            "padded answer",
            completed(r#","text":" A\n""#),
            Effect::Assigns(" A\n"),
        ),
        (
            "blank answer",
            completed(r#","text":"\u2003\t""#),
            Effect::Clears,
        ),
        ("null answer", completed(r#","text":null"#), Effect::Clears),
        ("number answer", completed(r#","text":7"#), Effect::Clears),
        ("answer without text", completed(""), Effect::Clears),
        (
            "started answer",
            event(started, "agent_message", a),
            Effect::Nothing,
        ),
        (
            "updated answer",
            event(updated, "agent_message", b),
            Effect::Nothing,
        ),
        (
            "reasoning",
            event("item.completed", "reasoning", b),
            Effect::Nothing,
        ),
    ]
}

#[test]
fn the_last_completed_answer_is_the_reply() {
    let mut record = Record::start("the_last_completed_answer_is_the_reply");
    let length = record.bound("length", 4);
    let messages = messages();
    let universe = Sequences::new(messages.iter().map(|(words, ..)| words), length);
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| {
            let mut lines: Vec<&str> = case.iter().map(|&at| messages[at].1.as_str()).collect();
            lines.push(line("completion 10"));
            lines.join("\n")
        },
        |_, text| both(text, named_by_answer),
    );
    // A fiber's traces: some completed answer assigns the text, and none after it assigns.
    let fibers = ["\"A\"", "\"B\"", "\" A\\n\""];
    let texts = ["A", "B", " A\n"];
    record.reconstruction(&mut table, &fibers, |case| {
        let mut effects = case.iter().rev().map(|&at| messages[at].2);
        let last = effects.find(|effect| *effect != Effect::Nothing);
        move |fiber| last == Some(Effect::Assigns(texts[fiber]))
    });
    // Closed formula: before the text anything (ten messages), after it only the three that assign
    // nothing. Over all places in a trace of n messages that is (10^n - 3^n) / 7.
    let power = |base: u64, n| (0..n).fold(1, |product, _| product * base);
    let size: u64 = (0..=length).map(|n| (power(10, n) - power(3, n)) / 7).sum();
    for fiber in fibers {
        record.equal(&format!("cases of {fiber}"), &table.seen(fiber), &size);
    }
    record.second(
        "sum of (10^n - 3^n) / 7 for each fiber",
        json!({ "universe": universe.len(), "accepted": 3 * size }),
    );
    record.finish();
}

/// A reply named by its answer as JSON, where every other field is as due.
fn named_by_answer(reply: &Value) -> String {
    let answer = reply["result"].as_str().unwrap_or_default();
    if *reply == strict_reply(answer, 10, 3, 4) {
        reply["result"].to_string()
    } else {
        reply.to_string()
    }
}

#[test]
fn blank_answers_fail_and_others_stay_as_they_are() {
    let mut record = Record::start("blank_answers_fail_and_others_stay_as_they_are");
    let length = record.bound("length", 3);
    // The white space of Unicode, and characters that only look like it.
    let others = ['a', '\u{200b}', '\u{feff}', '\u{180e}'];
    let alphabet: Vec<char> = WHITE_SPACE.into_iter().chain(others).collect();
    let universe = Sequences::new(alphabet.iter().map(|c| c.escape_unicode()), length);
    let string = |case: &[usize]| -> String { case.iter().map(|&at| alphabet[at]).collect() };
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| {
            [
                &answer(&json!(string(case)).to_string()),
                line("completion 10"),
            ]
            .join("\n")
        },
        |_, text| both(text, named_by_answer),
    );
    let key = |case: &[usize]| {
        let solid = case.iter().any(|&at| at >= WHITE_SPACE.len());
        solid.then(|| string(case))
    };
    record.partition(&mut table, |outcome| outcome, key);
    record.literal(&mut table, |case| match key(case) {
        Some(string) => json!(string).to_string(),
        None => "error completion_before_answer".to_owned(),
    });
    // Closed formula: one class for each string that is not white space throughout.
    let (all, white) = (alphabet.len() as u64, WHITE_SPACE.len() as u64);
    let power = |base: u64, n| (0..n).fold(1, |product, _| product * base);
    let solid: u64 = (0..=length).map(|n| power(all, n) - power(white, n)).sum();
    record.equal("outcomes", &(table.histogram().len() as u64), &(solid + 1));
    record.second(
        "sum of 29^n - 25^n",
        json!({ "universe": universe.len(), "accepted": solid }),
    );
    record.claim("accepted", solid);
    record.finish();
}
