//! Fixed examples: a realistic lifecycle, and combinations and assertions, as many
//! as the seed counts. It names their subjects; what stands here was chosen for them.

use obernant::{Product, Record, Table};
use oracles_teacher::{both, line, strict_reply};
use serde_json::{Value, json};
use teacher::validate_model;

/// A reply named by its answer and cached count, where every other field is as due.
fn named(reply: &Value) -> String {
    let answer = reply["result"].as_str().unwrap_or_default();
    let cached = reply["usage"]["cache_read_input_tokens"]
        .as_u64()
        .unwrap_or_default();
    if *reply == strict_reply(answer, 10, 3, cached) {
        format!("{answer}, {cached} cached")
    } else {
        reply.to_string()
    }
}

/// Checks named examples, each a text with the outcome due, as complement and as
/// reconstruction over the finite universe of these examples.
fn examples(
    record: &mut Record,
    subject: &'static str,
    examples: &[(String, String, String)],
    run: impl Fn(usize, &str) -> String,
) {
    let universe = Product::new().with("example:", examples.iter().map(|(words, ..)| words));
    let mut outcomes: Vec<&str> = examples.iter().map(|(.., due)| due.as_str()).collect();
    outcomes.sort_unstable();
    outcomes.dedup();
    let due = |case: &[usize]| {
        outcomes
            .iter()
            .position(|name| *name == examples[case[0]].2)
    };
    let mut table = Table::new(
        subject,
        &universe,
        |case| examples[case[0]].1.clone(),
        |case, text| run(case[0], text),
    );
    // Every outcome is one of the fibers; none is refused without a name.
    let refused: [&str; 0] = [];
    record.acceptance(&mut table, &outcomes, &refused, due, |case| {
        format!("{} is due", examples[case[0]].2)
    });
}

/// The examples that are streams of these lines, decoded under both contracts.
fn streams(record: &mut Record, given: &[(&str, Vec<&str>, &str)]) {
    let given: Vec<(String, String, String)> = given
        .iter()
        .map(|(words, lines, due)| ((*words).to_owned(), lines.join("\n"), (*due).to_owned()))
        .collect();
    examples(record, "the decoder", &given, |_, text| both(text, named));
}

/// An event about an item.
fn item(event: &str, item: &str) -> String {
    format!(r#"{{"type":"item.{event}","item":{item}}}"#)
}

/// A made-up turn in the form of real ones: headers, reasoning and the answer in
/// parts, messages on the way, the final one, one completion.
fn lifecycle() -> Vec<String> {
    let reasoning = |event| {
        item(
            event,
            r#"{"id":"item_0","type":"reasoning","text":"weighing"}"#,
        )
    };
    let answer = |event, text| {
        item(
            event,
            &format!(r#"{{"id":"item_2","type":"agent_message","text":"{text}"}}"#),
        )
    };
    vec![
        line("thread start").to_owned(),
        line("turn start").to_owned(),
        reasoning("started"),
        reasoning("updated"),
        reasoning("completed"),
        item(
            "completed",
            r#"{"id":"item_1","type":"agent_message","text":"looking into it"}"#,
        ),
        answer("started", ""),
        answer("updated", "the final"),
        answer("completed", "the final answer"),
        line("completion 10").to_owned(),
    ]
}

#[test]
fn realistic_lifecycle_and_partial_messages() {
    let mut record = Record::start("realistic_lifecycle_and_partial_messages");
    let lines = lifecycle();
    let turn: Vec<&str> = lines.iter().map(String::as_str).collect();
    let late = |line| [&turn[..], &[line]].concat();
    streams(
        &mut record,
        &[
            ("the whole turn", turn.clone(), "the final answer, 4 cached"),
            (
                "without the final message",
                [&turn[..6], &turn[9..]].concat(),
                "looking into it, 4 cached",
            ),
            (
                "parts of a message alone",
                [&turn[6..8], &turn[9..]].concat(),
                "error completion_before_answer",
            ),
            ("two turns", turn.repeat(2), "error header_order"),
            (
                "a second turn without headers",
                [&turn[..], &turn[2..]].concat(),
                "error late_item",
            ),
            ("half a line at the end", late("{"), "error malformed_json"),
            (
                "a failed turn at the end",
                late(line("turn failure")),
                "error turn_failed",
            ),
            (
                "an error at the end",
                late(line("error")),
                "strict error error, tolerant error late_error",
            ),
        ],
    );
    record.finish();
}

#[test]
fn eighteen_cache_and_ignored_event_combinations() {
    let mut record = Record::start("eighteen_cache_and_ignored_event_combinations");
    let cached = [
        "",
        r#","cached_input_tokens":null"#,
        r#","cached_input_tokens":-1"#,
        r#","cached_input_tokens":"7""#,
        r#","cached_input_tokens":7"#,
        r#","cached_input_tokens":99"#,
    ];
    let ignored = ["null", r#"{"type":"turn.paused"}"#, ""];
    let universe = Product::new()
        .with("cached", cached.map(|json| format!("<{json}>")))
        .with("ignored", ignored.map(|line| format!("<{line}>")));
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| {
            let usage = format!(
                r#"{{"input_tokens":10,"output_tokens":3{}}}"#,
                cached[case[0]]
            );
            let completion = format!(r#"{{"type":"turn.completed","usage":{usage}}}"#);
            [line("answer A"), ignored[case[1]], &completion].join("\n")
        },
        |_, text| both(text, named),
    );
    // Twelve antecedents of a zero cache count, three each of the others.
    let fibers = ["A, 0 cached", "A, 7 cached", "A, 99 cached"];
    record.reconstruction(&mut table, &fibers, |case| {
        let form = case[0];
        move |fiber| [form < 4, form == 4, form == 5][fiber]
    });
    record.equal(
        "antecedents of a zero cache count",
        &table.seen(fibers[0]),
        &12,
    );
    record.second(
        "products of forms",
        json!({ "universe": 6 * 3, "accepted": (4 + 1 + 1) * 3 }),
    );
    record.finish();
}

#[test]
fn eight_invalid_required_counts() {
    let mut record = Record::start("eight_invalid_required_counts");
    let answer = line("answer A");
    let usages = [
        r"{}",
        r"null",
        r#"{"input_tokens":10}"#,
        r#"{"output_tokens":3}"#,
        r#"{"input_tokens":-1,"output_tokens":3}"#,
        r#"{"input_tokens":10,"output_tokens":"3"}"#,
        r#"{"input_tokens":10.5,"output_tokens":3}"#,
        r#"{"input_tokens":10,"output_tokens":18446744073709551616}"#,
    ];
    let valid = r#"{"input_tokens":10,"output_tokens":3}"#;
    let completions = [&usages[..], &[valid]].concat().into_iter().map(|usage| {
        (
            usage,
            format!(r#"{{"type":"turn.completed","usage":{usage}}}"#),
        )
    });
    let completions: Vec<(&str, String)> = completions.collect();
    let due = |usage| {
        if usage == valid {
            "A, 0 cached"
        } else {
            "error invalid_usage"
        }
    };
    let given: Vec<(&str, Vec<&str>, &str)> = completions
        .iter()
        .map(|(usage, line)| (*usage, vec![answer, line.as_str()], due(*usage)))
        .collect();
    streams(&mut record, &given);
    record.claim("rejected", usages.len());
    record.finish();
}

#[test]
fn nine_rejected_item_kinds_and_events() {
    let mut record = Record::start("nine_rejected_item_kinds_and_events");
    let items = [
        ("without a kind", r#"{"text":"A"}"#),
        ("of kind null", r#"{"type":null}"#),
        (
            "of kind command_execution",
            r#"{"type":"command_execution"}"#,
        ),
        ("of an allowed kind", r#"{"type":"reasoning"}"#),
    ];
    let mut given = Vec::new();
    for event in ["started", "updated", "completed"] {
        for (words, json) in items {
            let allowed = words == "of an allowed kind";
            let due = if allowed {
                "A, 4 cached"
            } else {
                "error item_kind"
            };
            let lines = [line("answer A"), &item(event, json), line("completion 10")].join("\n");
            given.push((format!("an item {words}, {event}"), lines, due.to_owned()));
        }
    }
    examples(&mut record, "the decoder", &given, |_, text| {
        both(text, named)
    });
    record.claim(
        "rejected",
        given
            .iter()
            .filter(|(.., due)| due == "error item_kind")
            .count(),
    );
    record.finish();
}

/// Thirteen assertions on the subjects of the seed's probe: twelve about streams,
/// and one about names.
#[test]
fn thirteen_probe_assertions() {
    let mut record = Record::start("thirteen_probe_assertions");
    let (answer, cleared, done) = (line("answer A"), line("answer null"), line("completion 10"));
    let usage = |usage: &str| format!(r#"{{"type":"turn.completed","usage":{usage}}}"#);
    let message = |text: &str| {
        item(
            "completed",
            &format!(r#"{{"type":"agent_message","text":"{text}"}}"#),
        )
    };
    let blank = message(r"\u2003\u00a0");
    let padded = message("  A ");
    let tool = item("completed", r#"{"type":"command_execution"}"#);
    let ignored_tool = r#"{"type":"turn.paused","item":{"type":"command_execution"}}"#;
    let text_cache = usage(r#"{"input_tokens":10,"output_tokens":3,"cached_input_tokens":"7"}"#);
    let great_cache = usage(r#"{"input_tokens":10,"output_tokens":3,"cached_input_tokens":999}"#);
    let no_usage = usage("null");
    let assertions = [
        (
            "a completion before the answer fails",
            vec![done, answer],
            "error completion_before_answer",
        ),
        (
            "neutral lines change nothing",
            vec!["null", answer, "{}", "", done, r#"{"type":"x"}"#],
            "A, 4 cached",
        ),
        (
            "a line that is no JSON fails after the turn too",
            vec![answer, done, "{"],
            "error malformed_json",
        ),
        (
            "a failed turn fails after the turn too",
            vec![answer, done, line("turn failure")],
            "error turn_failed",
        ),
        (
            "a text that is no string clears the answer",
            vec![answer, cleared, done],
            "error completion_before_answer",
        ),
        (
            "a completion without usage has no valid counts",
            vec![answer, &no_usage],
            "error invalid_usage",
        ),
        (
            "a tool's item fails",
            vec![answer, &tool, done],
            "error item_kind",
        ),
        (
            "an unknown event with a tool's item is neutral",
            vec![answer, ignored_tool, done],
            "A, 4 cached",
        ),
        (
            "an answer of white space is none",
            vec![&blank, done],
            "error completion_before_answer",
        ),
        (
            "white space around an answer stays",
            vec![&padded, done],
            "  A , 4 cached",
        ),
        (
            "a cache count that is text counts as none",
            vec![answer, &text_cache],
            "A, 0 cached",
        ),
        (
            "a cache count beyond the input stays",
            vec![answer, &great_cache],
            "A, 999 cached",
        ),
    ];
    streams(&mut record, &assertions);
    record.equal(
        "the bare prefix is a name, and a no-break space is in none",
        &["gpt-", "gpt-x\u{a0}", "o3"].map(|name| validate_model(name).is_ok()),
        &[true, false, false],
    );
    record.finish();
}
