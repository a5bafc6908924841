//! Recorded streams of real clients, each with its verdict under both contracts.

use std::collections::BTreeSet;

use obernant::{Product, Record, Table, Universe};
use oracles_teacher::{data, decode, located, strict_reply, tolerant_reply};
use serde_json::Value;
use teacher::Contract;

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
    /// The outcome due under a contract, and for a reply its whole data, with the
    /// number of warnings in the place of their texts.
    fn due(&self, contract: Contract) -> (String, Value) {
        let tolerant = matches!(contract, Contract::Tolerant);
        let (answer, counts) = match if tolerant { self.tolerant } else { self.strict } {
            Due::Failure(category, line) => return (located(category, line, None), Value::Null),
            Due::Reply(answer, counts) => (answer, counts),
        };
        let [input, output, cached, reasoning] = counts;
        let mut reply = strict_reply(answer, input, output, cached);
        if tolerant {
            reply = tolerant_reply(reply, &[], self.retries);
            reply["warnings"] = self.warnings.into();
            // Client 0.104.0 did not print these two counts yet.
            if self.name != "51_v0104_usage3" {
                reply["usage"]["reasoning_output_tokens"] = reasoning.into();
                reply["usage"]["cache_write_input_tokens"] = 0.into();
            }
        }
        (format!("the reply {answer:?}"), reply)
    }
}

#[test]
fn recorded_streams_have_their_verdicts() {
    let mut record = Record::start("recorded_streams_have_their_verdicts");
    let verdicts = verdicts();
    for ((name, path, _), verdicts) in RECORDED.iter().zip(&verdicts) {
        record.equal("the order of the streams", name, &verdicts.name);
        record.data(path);
    }
    let universe = Product::new()
        .with("stream", RECORDED.map(|(name, ..)| name))
        .with("contract", ["strict", "tolerant"]);
    let contract = |case: &[usize]| [Contract::Strict, Contract::Tolerant][case[1]];
    let due = |case: &[usize]| verdicts[case[0]].due(contract(case));
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| RECORDED[case[0]].2.to_owned(),
        |case, text| match decode(contract(case), text) {
            Err(error) => {
                let line = error
                    .line
                    .map(|line| usize::try_from(line).expect("a short stream"));
                located(error.error.as_str(), line, None)
            }
            Ok(reply) => {
                let mut reply = data(&reply);
                if let Some(warnings) = reply.get_mut("warnings") {
                    *warnings = warnings.as_array().map_or(0, Vec::len).into();
                }
                let (name, due) = due(case);
                if reply == due {
                    name
                } else {
                    reply.to_string()
                }
            }
        },
    );
    let all = (0..universe.len()).map(|index| due(&universe.case(index)).0);
    let outcomes: Vec<String> = all.collect::<BTreeSet<String>>().into_iter().collect();
    let place = |case: &[usize]| outcomes.iter().position(|name| *name == due(case).0);
    // Every outcome is one of the fibers; none is refused without a name.
    let refused: [&str; 0] = [];
    record.acceptance(&mut table, &outcomes, &refused, place, |case| {
        format!("{} is due", due(case).0)
    });
    record.finish();
}
