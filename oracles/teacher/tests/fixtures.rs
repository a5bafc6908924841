//! Fixed examples: a realistic lifecycle, the combinations and assertions that
//! the seed counts, and recorded streams with their verdict under each contract.

use obernant::{Product, Record, Table};
use oracles_teacher::{both, data, decode, line, strict_reply, tolerant_reply};
use serde_json::{Value, json};
use teacher::{Contract, validate_model};

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

/// The outcome of these lines under both contracts.
fn stream(lines: &[&str]) -> String {
    both(&lines.join("\n"), named)
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
    let final_answer = "the final answer, 4 cached".to_owned();
    let literal: [(&str, Vec<&str>, &str); 7] = [
        ("the whole turn", turn.clone(), &final_answer),
        (
            "without the final message the one on the way is the answer",
            [&turn[..6], &turn[9..]].concat(),
            "looking into it, 4 cached",
        ),
        (
            "parts alone are no answer",
            [&turn[6..8], &turn[9..]].concat(),
            "error completion_before_answer",
        ),
        (
            "two turns in one stream",
            [turn.clone(), turn.clone()].concat(),
            "error header_order",
        ),
        (
            "two bodies in one stream",
            [&turn[..], &turn[2..]].concat(),
            "error late_item",
        ),
        (
            "a line that is no JSON at the end",
            [turn.clone(), vec!["{"]].concat(),
            "error malformed_json",
        ),
        (
            "a failure at the end",
            [turn.clone(), vec![line("turn failure")]].concat(),
            "error turn_failed",
        ),
    ];
    for (words, lines, expected) in literal {
        record.equal(words, &stream(&lines), &expected.to_owned());
    }
    let late = [turn, vec![line("error")]].concat();
    record.equal(
        "an error at the end",
        &stream(&late),
        &"strict error error, tolerant error late_error".to_owned(),
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
        &table.histogram()[fibers[0]],
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
    for usage in usages {
        let completion = format!(r#"{{"type":"turn.completed","usage":{usage}}}"#);
        let found = stream(&[line("answer A"), &completion]);
        record.equal(usage, &found, &"error invalid_usage".to_owned());
    }
    record.finish();
}

#[test]
fn nine_rejected_item_kinds_and_events() {
    let mut record = Record::start("nine_rejected_item_kinds_and_events");
    let universe = Product::new()
        .with("event", ["started", "updated", "completed"])
        .with(
            "item",
            [
                "without a kind",
                "of kind null",
                "of kind command_execution",
            ],
        );
    let items = [
        r#"{"text":"A"}"#,
        r#"{"type":null}"#,
        r#"{"type":"command_execution"}"#,
    ];
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| {
            let event = item(["started", "updated", "completed"][case[0]], items[case[1]]);
            [line("answer A"), &event, line("completion 10")].join("\n")
        },
        |_, text| both(text, named),
    );
    record.literal(&mut table, |_| "error item_kind".to_owned());
    record.finish();
}

/// The seed's thirteen assertions about streams and names, in its order.
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
    let assertions: [(&str, Vec<&str>, &str); 11] = [
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
    ];
    for (words, lines, expected) in assertions {
        record.equal(words, &stream(&lines), &expected.to_owned());
    }
    record.equal(
        "a cache count beyond the input stays",
        &stream(&[answer, &great_cache]),
        &"A, 999 cached".to_owned(),
    );
    record.equal(
        "the bare prefix is a name, and a no-break space is in none",
        &["gpt-", "gpt-x\u{a0}", "o3"].map(|name| validate_model(name).is_ok()),
        &[true, false, false],
    );
    record.finish();
}

macro_rules! recorded {
    ($($name:literal),* $(,)?) => {
        [$((
            $name,
            concat!("crates/teacher/tests/data/codex/", $name, ".jsonl"),
            include_str!(concat!("../../../crates/teacher/tests/data/codex/", $name, ".jsonl")),
        )),*]
    };
}

/// Recorded streams: name, path from the root, text.
const RECORDED: [(&str, &str, &str); 29] = recorded!(
    "01_normal",
    "02_reasoning_answer",
    "03_two_messages",
    "04_two_model_requests",
    "05_reconnect_once_success",
    "08_ws_fallback_success",
    "09_item_error_model_reroute",
    "11_item_error_unknown_model",
    "13_empty_answer",
    "16_usage_absent_upstream",
    "17_cached_gt_input",
    "18_unicode_separators",
    "19_capacity_sse",
    "21_high_demand_http500",
    "22_high_demand_no_retry",
    "23_http503_plain",
    "25_usage_limit_429",
    "27_context_window",
    "30_failed_after_answer",
    "31_incomplete_after_answer",
    "34_tool_command_execution",
    "36_tool_call_refused_silent",
    "38_js_exec_silent_gpt6",
    "40_killed_mid_turn",
    "42_bogus_feature",
    "43_forced_chatgpt_api_key_env",
    "44_v0165_normal",
    "45_v0165_reconnect",
    "51_v0104_usage3",
);

/// The verdict due on a recorded stream, read off the stream by hand.
#[derive(Clone, Copy)]
enum Due {
    /// The answer, and the counts of input, output, cached and reasoning tokens.
    Reply(&'static str, [u64; 4]),
    /// A category and its line; none where the end decides.
    Failure(&'static str, Option<usize>),
}

/// Both verdicts of a stream, and how many warnings and retries a tolerant reply
/// tells of.
struct Verdicts {
    name: &'static str,
    strict: Due,
    tolerant: Due,
    warnings: usize,
    retries: usize,
}

const USUAL: [u64; 4] = [120, 17, 40, 5];
const TWO_REQUESTS: [u64; 4] = [240, 34, 80, 10];
const FOUR: &str = "The answer is 4.";
const SEPARATORS: &str = "line\u{2028}sep\u{2029}para\u{85}nel \u{feff}bom \u{1b}[31mred\0nul \u{1f600} tab\t nl\n cr\r\nend";

const fn same(name: &'static str, due: Due) -> Verdicts {
    Verdicts {
        name,
        strict: due,
        tolerant: due,
        warnings: 0,
        retries: 0,
    }
}

const fn differ(
    name: &'static str,
    strict: Due,
    tolerant: Due,
    warnings: usize,
    retries: usize,
) -> Verdicts {
    Verdicts {
        name,
        strict,
        tolerant,
        warnings,
        retries,
    }
}

fn verdicts() -> [Verdicts; 29] {
    use Due::{Failure, Reply};
    let error = |line| Failure("error", Some(line));
    let failed = |line| Failure("turn_failed", Some(line));
    let kind = |line| Failure("item_kind", Some(line));
    [
        same("01_normal", Reply(FOUR, USUAL)),
        same("02_reasoning_answer", Reply("4", USUAL)),
        same("03_two_messages", Reply("Final: 4", USUAL)),
        same("04_two_model_requests", Reply("second", TWO_REQUESTS)),
        differ(
            "05_reconnect_once_success",
            error(3),
            Reply(FOUR, USUAL),
            1,
            1,
        ),
        differ("08_ws_fallback_success", error(3), Reply(FOUR, USUAL), 5, 4),
        differ(
            "09_item_error_model_reroute",
            kind(3),
            Reply("hi", USUAL),
            2,
            0,
        ),
        differ(
            "11_item_error_unknown_model",
            kind(2),
            Reply(FOUR, USUAL),
            1,
            0,
        ),
        same(
            "13_empty_answer",
            Failure("completion_before_answer", Some(3)),
        ),
        same("16_usage_absent_upstream", Reply("no usage", [0; 4])),
        same("17_cached_gt_input", Reply("hi", [5, 1, 9, 0])),
        same("18_unicode_separators", Reply(SEPARATORS, USUAL)),
        differ("19_capacity_sse", error(3), failed(4), 0, 0),
        differ("21_high_demand_http500", error(3), failed(9), 0, 0),
        differ("22_high_demand_no_retry", error(3), failed(4), 0, 0),
        differ("23_http503_plain", error(3), failed(9), 0, 0),
        differ("25_usage_limit_429", error(3), failed(4), 0, 0),
        differ("27_context_window", error(3), failed(4), 0, 0),
        differ("30_failed_after_answer", error(4), failed(15), 0, 0),
        differ("31_incomplete_after_answer", error(4), failed(5), 0, 0),
        same("34_tool_command_execution", kind(3)),
        same("36_tool_call_refused_silent", Reply("done", TWO_REQUESTS)),
        same("38_js_exec_silent_gpt6", Reply("done", TWO_REQUESTS)),
        same("40_killed_mid_turn", Failure("missing_answer", None)),
        same("42_bogus_feature", Failure("missing_answer", None)),
        same(
            "43_forced_chatgpt_api_key_env",
            Failure("missing_answer", None),
        ),
        same("44_v0165_normal", Reply(FOUR, USUAL)),
        differ("45_v0165_reconnect", error(3), Reply(FOUR, USUAL), 1, 1),
        same("51_v0104_usage3", Reply("4", [120, 17, 40, 5])),
    ]
}

impl Verdicts {
    fn strict(&self) -> Value {
        match self.strict {
            Due::Reply(answer, [input, output, cached, _]) => {
                strict_reply(answer, input, output, cached)
            }
            Due::Failure(category, line) => json!([category, line]),
        }
    }

    /// With the number of warnings in the place of their texts.
    fn tolerant(&self) -> Value {
        match self.tolerant {
            Due::Reply(answer, [input, output, cached, reasoning]) => {
                let strict = strict_reply(answer, input, output, cached);
                let mut reply = tolerant_reply(strict, &[], self.retries);
                reply["warnings"] = self.warnings.into();
                // Client 0.104.0 did not print these two counts yet.
                if self.name != "51_v0104_usage3" {
                    reply["usage"]["reasoning_output_tokens"] = reasoning.into();
                    reply["usage"]["cache_write_input_tokens"] = 0.into();
                }
                reply
            }
            Due::Failure(category, line) => json!([category, line]),
        }
    }
}

#[test]
fn recorded_streams_have_their_verdicts() {
    let mut record = Record::start("recorded_streams_have_their_verdicts");
    let mut replies = [0, 0];
    for ((name, path, text), verdicts) in RECORDED.into_iter().zip(verdicts()) {
        record.data(path);
        record.equal("the order of the streams", &name, &verdicts.name);
        let found = |contract| match decode(contract, text) {
            Ok(reply) => data(&reply),
            Err(error) => json!([error.error.as_str(), error.line]),
        };
        let strict = found(Contract::Strict);
        let mut tolerant = found(Contract::Tolerant);
        if let Some(warnings) = tolerant.get_mut("warnings") {
            *warnings = warnings.as_array().map_or(0, Vec::len).into();
        }
        replies[0] += u64::from(strict.is_object());
        replies[1] += u64::from(tolerant.is_object());
        record.equal(&format!("{name}, strict"), &strict, &verdicts.strict());
        record.equal(
            &format!("{name}, tolerant"),
            &tolerant,
            &verdicts.tolerant(),
        );
    }
    record.claim("streams", RECORDED.len());
    record.claim("strict_replies", replies[0]);
    record.claim("tolerant_replies", replies[1]);
    record.finish();
}
