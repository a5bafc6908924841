//! Oracles of the forms: what a reply and a failure look like as JSON text.

use obernant::{Product, Record, Table};
use teacher::{Category, Evidence, Failure, Reply, Usage};

/// The categories with their names, written out.
const CATEGORIES: [(Category, &str); 13] = [
    (Category::NotUtf8, "not_utf8"),
    (Category::MalformedJson, "malformed_json"),
    (Category::Error, "error"),
    (Category::TurnFailed, "turn_failed"),
    (Category::HeaderOrder, "header_order"),
    (Category::LateItem, "late_item"),
    (Category::LateError, "late_error"),
    (Category::RepeatedCompletion, "repeated_completion"),
    (Category::CompletionBeforeAnswer, "completion_before_answer"),
    (Category::ItemKind, "item_kind"),
    (Category::MissingAnswer, "missing_answer"),
    (Category::MissingCompletion, "missing_completion"),
    (Category::InvalidUsage, "invalid_usage"),
];

/// Runs a table whose every case has one text, written out by `due`.
fn texts(
    record: &mut Record,
    subject: &'static str,
    universe: &Product,
    due: impl Fn(&[usize]) -> String,
    run: impl Fn(&[usize]) -> String,
) {
    use obernant::Universe;
    let all: Vec<String> = (0..universe.len())
        .map(|index| due(&universe.case(index)))
        .collect();
    let mut table = Table::new(
        subject,
        universe,
        |case| format!("{case:?}"),
        |case, _| run(case),
    );
    // Each case is the whole fiber of its text.
    let refused: [&str; 0] = [];
    record.acceptance(
        &mut table,
        &all,
        &refused,
        |case| all.iter().position(|text| *text == due(case)),
        |case| format!("the text {} is due", due(case)),
    );
}

#[test]
fn a_failure_has_its_name_in_both_forms() {
    let mut record = Record::start("a_failure_has_its_name_in_both_forms");
    record.equal(
        "the list of categories",
        &Category::ALL,
        &CATEGORIES.map(|(category, _)| category),
    );
    let lines = [None, Some(1), Some(u64::MAX)];
    let messages = ["", "a \"b\"\n"];
    let universe = Product::new()
        .with("category", CATEGORIES.map(|(_, name)| name))
        .with("line", ["none", "1", "the greatest"])
        .with("message", ["empty", "with quotes"]);
    texts(
        &mut record,
        "a failure",
        &universe,
        |case| {
            let name = CATEGORIES[case[0]].1;
            let line = ["null", "1", "18446744073709551615"][case[1]];
            let place = ["", " (line 1)", " (line 18446744073709551615)"][case[1]];
            let message = ["\"\"", r#""a \"b\"\n""#][case[2]];
            let words = messages[case[2]];
            format!(
                r#"{{"error":"{name}","line":{line},"message":{message}}} or {name}{place}: {words}"#
            )
        },
        |case| {
            let error = CATEGORIES[case[0]].0;
            let failure = Failure {
                error,
                line: lines[case[1]],
                message: messages[case[2]].into(),
            };
            let json = serde_json::to_string(&failure).expect("a failure is plain data");
            format!("{json} or {failure}")
        },
    );
    record.finish();
}

#[test]
fn a_reply_has_its_form_under_each_contract() {
    let mut record = Record::start("a_reply_has_its_form_under_each_contract");
    let universe = Product::new()
        .with("reasoning", ["none", "given"])
        .with("cache write", ["none", "given"])
        .with("evidence", ["none", "without warnings", "with a warning"]);
    texts(
        &mut record,
        "a reply",
        &universe,
        |case| {
            let reasoning = ["", r#","reasoning_output_tokens":5"#][case[0]];
            let write = ["", r#","cache_write_input_tokens":4"#][case[1]];
            let evidence = [
                "",
                r#","warnings":[],"retries":0,"usage_known":true"#,
                r#","warnings":["w"],"retries":1,"usage_known":false"#,
            ][case[2]];
            let head = r#"{"result":"A","provider":"codex","is_error":false"#;
            let cache = r#""cache_read_input_tokens":2,"cache_creation_input_tokens":4"#;
            let usage =
                format!(r#"{{"input_tokens":1,"output_tokens":3,{cache}{reasoning}{write}}}"#);
            let cost = r#""total_cost_usd":0,"cost_reported":false"#;
            format!(r#"{head},"usage":{usage},{cost}{evidence}}}"#)
        },
        |case| {
            let evidence = |warnings: &[&str], usage_known| Evidence {
                warnings: warnings.iter().map(ToString::to_string).collect(),
                retries: warnings.len() as u64,
                usage_known,
            };
            let reply = Reply {
                result: "A".to_owned(),
                provider: "codex",
                is_error: false,
                usage: Usage {
                    input_tokens: 1,
                    output_tokens: 3,
                    cache_read_input_tokens: 2,
                    cache_creation_input_tokens: 4,
                    reasoning_output_tokens: [None, Some(5)][case[0]],
                    cache_write_input_tokens: [None, Some(4)][case[1]],
                },
                total_cost_usd: 0,
                cost_reported: false,
                evidence: [
                    None,
                    Some(evidence(&[], true)),
                    Some(evidence(&["w"], false)),
                ][case[2]]
                    .clone(),
            };
            serde_json::to_string(&reply).expect("a reply is plain data")
        },
    );
    record.finish();
}
