//! Oracles of texts alone: whether a provider is busy, and which names a model
//! may have.

use obernant::{Record, Sequences, Table};
use oracles_teacher::WHITE_SPACE;
use teacher::{DEFAULT_MODEL, provider_busy, provider_busy_tolerant, validate_model};

/// The listed messages, written out.
const CAPACITY: &str = "Selected model is at capacity. Please try a different model.";
const LISTED: [&str; 4] = [
    CAPACITY,
    "Flex capacity unavailable.",
    "server overloaded",
    "We\u{2019}re currently experiencing high demand, which may cause temporary errors.",
];

/// A line of a run that may have been refused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Header,
    Error(Option<&'static str>),
    Failed(Option<&'static str>),
    /// Blank, and so no part at all.
    Blank,
    /// An event or a line that rules a refusal out.
    Other,
}

fn runs() -> Vec<(&'static str, String, Part)> {
    let error = |text: &str| format!(r#"{{"type":"error","message":"{text}"}}"#);
    let failed = |text: &str| format!(r#"{{"type":"turn.failed","error":{{"message":"{text}"}}}}"#);
    let listed = |at: usize| Some(LISTED[at]);
    let wrapped = "Reconnecting... 1/5 (server overloaded)";
    let paraphrase = "Selected model is at capacity. Please try a different model";
    let limit = "You've hit your usage limit.";
    vec![
        (
            "thread start",
            r#"{"type":"thread.started"}"#.into(),
            Part::Header,
        ),
        (
            "turn start",
            r#"{"type":"turn.started"}"#.into(),
            Part::Header,
        ),
        ("capacity error", error(LISTED[0]), Part::Error(listed(0))),
        ("flex error", error(LISTED[1]), Part::Error(listed(1))),
        ("overload error", error(LISTED[2]), Part::Error(listed(2))),
        ("demand error", error(LISTED[3]), Part::Error(listed(3))),
        (
            "reconnect error",
            error(wrapped),
            Part::Error(Some(wrapped)),
        ),
        (
            "paraphrased error",
            error(paraphrase),
            Part::Error(Some(paraphrase)),
        ),
        (
            "error without message",
            r#"{"type":"error","message":7}"#.into(),
            Part::Error(None),
        ),
        (
            "capacity failure",
            failed(LISTED[0]),
            Part::Failed(listed(0)),
        ),
        ("flex failure", failed(LISTED[1]), Part::Failed(listed(1))),
        (
            "overload failure",
            failed(LISTED[2]),
            Part::Failed(listed(2)),
        ),
        ("demand failure", failed(LISTED[3]), Part::Failed(listed(3))),
        (
            "usage limit failure",
            failed(limit),
            Part::Failed(Some(limit)),
        ),
        (
            "failure without message",
            format!(r#"{{"type":"turn.failed","message":"{}"}}"#, LISTED[2]),
            Part::Failed(None),
        ),
        (
            "item",
            r#"{"type":"item.completed","item":{"type":"error","message":"server overloaded"}}"#
                .into(),
            Part::Other,
        ),
        (
            "completion",
            r#"{"type":"turn.completed"}"#.into(),
            Part::Other,
        ),
        ("JSON null", "null".into(), Part::Other),
        ("half a line", r#"{"type":"error""#.into(), Part::Other),
        ("blank line", " \t\r".into(), Part::Blank),
    ]
}

type Busy = fn(&str) -> Option<&'static str>;
type Rule = fn(&[Part]) -> Option<&'static str>;

/// Strict: there is a failure, and every failure is one with a listed message.
/// The last message is told.
fn all_failures_are_listed(run: &[Part]) -> Option<&'static str> {
    let told = |part: Part, text| matches!(part, Part::Error(found) | Part::Failed(found) if found == Some(text));
    let listed = |part: Part| LISTED.into_iter().find(|text| told(part, *text));
    let failures: Vec<Part> = run
        .iter()
        .copied()
        .filter(|part| matches!(part, Part::Error(_) | Part::Failed(_)))
        .collect();
    let all = !run.contains(&Part::Other) && failures.iter().all(|part| listed(*part).is_some());
    failures
        .last()
        .filter(|_| all)
        .and_then(|part| listed(*part))
}

/// Tolerant: the last `error` and the last `turn.failed` are there and have the
/// same listed message.
fn last_failures_agree(run: &[Part]) -> Option<&'static str> {
    let last = |wanted: fn(&Part) -> bool| run.iter().rev().copied().find(wanted);
    let error = last(|part| matches!(part, Part::Error(_)))?;
    let failed = last(|part| matches!(part, Part::Failed(_)))?;
    let agreed = |text: &&'static str| {
        error == Part::Error(Some(*text)) && failed == Part::Failed(Some(*text))
    };
    let ruled_out = run.contains(&Part::Other);
    LISTED
        .into_iter()
        .filter(|_| !ruled_out)
        .find(|text| agreed(text))
}

fn busy(mut record: Record, subject: Busy, rule: Rule) {
    let length = record.bound("length", 4);
    let runs = runs();
    let universe = Sequences::new(runs.iter().map(|(words, ..)| words), length);
    let mut table = Table::new(
        "the recogniser",
        &universe,
        |case| {
            let lines: Vec<&str> = case.iter().map(|&at| runs[at].1.as_str()).collect();
            lines.join("\n")
        },
        |_, text| subject(text).unwrap_or("not busy").to_owned(),
    );
    let due = |case: &[usize]| {
        let parts: Vec<Part> = case.iter().map(|&at| runs[at].2).collect();
        rule(&parts)
    };
    record.acceptance(
        &mut table,
        &LISTED,
        &["not busy"],
        |case| due(case).and_then(|due| LISTED.iter().position(|text| *text == due)),
        |case| match due(case) {
            Some(text) => format!("a refusal must be told as {text:?}"),
            None => "a run that was not refused for capacity is not busy".to_owned(),
        },
    );
    record.partition(&mut table, |outcome| outcome, due);
    record.finish();
}

#[test]
fn a_busy_provider_is_told_by_every_failure() {
    let record = Record::start("a_busy_provider_is_told_by_every_failure");
    busy(record, provider_busy, all_failures_are_listed);
}

#[test]
fn a_busy_provider_is_told_by_the_last_failures_tolerant() {
    let record = Record::start("a_busy_provider_is_told_by_the_last_failures_tolerant");
    busy(record, provider_busy_tolerant, last_failures_agree);
}

#[test]
fn a_model_name_has_its_prefix_and_no_white_space() {
    let mut record = Record::start("a_model_name_has_its_prefix_and_no_white_space");
    let length = record.bound("length", 4);
    let letters = [
        "gpt-", "g", "pt-", "GPT-", "gpt", "-", "5.5", "o3", "\u{200b}", "\u{feff}",
    ];
    let space = [" ", "\n", "\u{a0}", "\u{2003}", "\u{3000}"];
    let alphabet = [&letters[..], &space].concat();
    let universe = Sequences::new(
        alphabet
            .iter()
            .map(|text| format!("<{}>", text.escape_debug())),
        length,
    );
    let name = |case: &[usize]| -> String { case.iter().map(|&at| alphabet[at]).collect() };
    let mut table = Table::new("the rule for names", &universe, name, |_, name| {
        if validate_model(name).is_ok() {
            "accepted"
        } else {
            "refused"
        }
        .to_owned()
    });
    // Accepted are exactly the names whose first four bytes are the prefix, and none of whose
    // characters is one of the 25 of white space.
    let accepted = |case: &[usize]| {
        let name = name(case);
        name.get(..4) == Some("gpt-") && WHITE_SPACE.iter().all(|space| !name.contains(*space))
    };
    record.acceptance(
        &mut table,
        &["accepted"],
        &["refused"],
        |case| accepted(case).then_some(0),
        |case| {
            let verb = if accepted(case) { "pass" } else { "fail" };
            format!("the name {:?} must {verb}", name(case))
        },
    );
    record.equal(
        "the default model",
        &validate_model(DEFAULT_MODEL).is_ok(),
        &true,
    );
    record.finish();
}
