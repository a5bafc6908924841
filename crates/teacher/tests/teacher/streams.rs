//! The recorded streams, each with its verdict under both contracts. The
//! expectations are literal; those that the manifest states are compared with it.

use std::path::PathBuf;

use serde_json::{Value, json};
use teacher::{
    Category, decode_events, decode_events_tolerant, provider_busy, provider_busy_tolerant,
};

use crate::verdict;

const CAPACITY: &str = "Selected model is at capacity. Please try a different model.";
const DEMAND: &str = "We’re currently experiencing high demand, which may cause temporary errors.";

type Refusal = Option<(Category, Option<u64>)>;

const OK: Refusal = None;

/// A recorded stream, the refusals under the strict and the tolerant contract,
/// and the number of warnings and of retries in the tolerant reply.
type Expected = (&'static str, Refusal, Refusal, (usize, u64));

const EXPECTED: [Expected; 29] = {
    use Category::{CompletionBeforeAnswer, Error, ItemKind, MissingAnswer, TurnFailed};
    let none = (0, 0);
    let error = Some((Error, Some(3)));
    let tool = Some((ItemKind, Some(3)));
    let empty = Some((CompletionBeforeAnswer, Some(3)));
    let nothing = Some((MissingAnswer, None));
    [
        ("01_normal", OK, OK, none),
        ("02_reasoning_answer", OK, OK, none),
        ("03_two_messages", OK, OK, none),
        ("04_two_model_requests", OK, OK, none),
        ("05_reconnect_once_success", error, OK, (1, 1)),
        ("08_ws_fallback_success", error, OK, (5, 4)),
        (
            "09_item_error_model_reroute",
            Some((ItemKind, Some(3))),
            OK,
            (2, 0),
        ),
        (
            "11_item_error_unknown_model",
            Some((ItemKind, Some(2))),
            OK,
            (1, 0),
        ),
        ("13_empty_answer", empty, empty, none),
        ("16_usage_absent_upstream", OK, OK, none),
        ("17_cached_gt_input", OK, OK, none),
        ("18_unicode_separators", OK, OK, none),
        ("19_capacity_sse", error, Some((TurnFailed, Some(4))), none),
        (
            "21_high_demand_http500",
            error,
            Some((TurnFailed, Some(9))),
            none,
        ),
        (
            "22_high_demand_no_retry",
            error,
            Some((TurnFailed, Some(4))),
            none,
        ),
        ("23_http503_plain", error, Some((TurnFailed, Some(9))), none),
        (
            "25_usage_limit_429",
            error,
            Some((TurnFailed, Some(4))),
            none,
        ),
        (
            "27_context_window",
            error,
            Some((TurnFailed, Some(4))),
            none,
        ),
        (
            "30_failed_after_answer",
            Some((Error, Some(4))),
            Some((TurnFailed, Some(15))),
            none,
        ),
        (
            "31_incomplete_after_answer",
            Some((Error, Some(4))),
            Some((TurnFailed, Some(5))),
            none,
        ),
        ("34_tool_command_execution", tool, tool, none),
        ("36_tool_call_refused_silent", OK, OK, none),
        ("38_js_exec_silent_gpt6", OK, OK, none),
        ("40_killed_mid_turn", nothing, nothing, none),
        ("42_bogus_feature", nothing, nothing, none),
        ("43_forced_chatgpt_api_key_env", nothing, nothing, none),
        ("44_v0165_normal", OK, OK, none),
        ("45_v0165_reconnect", error, OK, (1, 1)),
        ("51_v0104_usage3", OK, OK, none),
    ]
};

pub(crate) fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/codex")
        .join(name)
}

fn stream(name: &str) -> String {
    std::fs::read_to_string(path(&format!("{name}.jsonl"))).expect("the stream is in the folder")
}

fn manifest() -> Vec<Value> {
    let text = std::fs::read_to_string(path("manifest.json")).expect("the manifest is there");
    serde_json::from_str(&text).expect("the manifest is a JSON array")
}

#[test]
fn every_recorded_stream_has_its_verdict_under_both_contracts() {
    for (name, strict, tolerant, noise) in EXPECTED {
        let text = stream(name);
        let strict_outcome = decode_events(&text);
        let tolerant_outcome = decode_events_tolerant(&text);
        assert_eq!(verdict(&strict_outcome), strict, "{name}, strict");
        assert_eq!(verdict(&tolerant_outcome), tolerant, "{name}, tolerant");
        if let Ok(reply) = strict_outcome {
            assert_eq!(reply.evidence, None, "{name}");
        }
        if let Ok(reply) = tolerant_outcome {
            let evidence = reply.evidence.expect("the tolerant reply has evidence");
            assert_eq!((evidence.warnings.len(), evidence.retries), noise, "{name}");
        }
    }
}

#[test]
fn the_expected_verdicts_are_those_of_the_manifest_and_cover_it() {
    let manifest = manifest();
    let names: Vec<_> = manifest
        .iter()
        .map(|run| run["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, EXPECTED.map(|(name, ..)| name));
    for (run, (name, strict, tolerant, (warnings, _))) in manifest.iter().zip(EXPECTED) {
        let strict = match strict {
            None => "ok",
            Some((Category::Error, _)) => "reject: error",
            Some((Category::ItemKind, _)) if warnings > 0 => "reject: item error",
            Some((Category::ItemKind, _)) => "reject: item command_execution",
            Some((Category::CompletionBeforeAnswer, _)) => "reject: completed without answer",
            Some(_) => "reject: incomplete",
        };
        assert_eq!(run["strict"], strict, "{name}");
        assert_eq!(
            run["tolerant"],
            if tolerant.is_none() { "ok" } else { "reject" },
            "{name}"
        );
        assert_eq!(
            json!(provider_busy(&stream(name))),
            run["provider_busy"],
            "{name}"
        );
    }
}

#[test]
fn the_tolerant_busy_form_adds_the_run_that_gave_up_after_retries() {
    let busy = EXPECTED
        .iter()
        .filter_map(|(name, ..)| Some((*name, provider_busy_tolerant(&stream(name))?)))
        .collect::<Vec<_>>();
    assert_eq!(
        busy,
        [
            ("19_capacity_sse", CAPACITY),
            ("21_high_demand_http500", DEMAND),
            ("22_high_demand_no_retry", DEMAND),
        ]
    );
}

#[test]
fn the_strict_reply_has_exactly_the_documented_fields() {
    let reply = decode_events(&stream("01_normal")).unwrap();
    assert_eq!(
        serde_json::to_value(reply).unwrap(),
        json!({
            "result": "The answer is 4.", "provider": "codex", "is_error": false,
            "usage": {"input_tokens": 120, "output_tokens": 17,
                      "cache_read_input_tokens": 40, "cache_creation_input_tokens": 0},
            "total_cost_usd": 0, "cost_reported": false,
        })
    );
}

#[test]
fn the_tolerant_reply_adds_the_new_counts_and_the_evidence() {
    let reply = decode_events_tolerant(&stream("05_reconnect_once_success")).unwrap();
    assert_eq!(
        serde_json::to_value(reply).unwrap(),
        json!({
            "result": "The answer is 4.", "provider": "codex", "is_error": false,
            "usage": {"input_tokens": 120, "output_tokens": 17,
                      "cache_read_input_tokens": 40, "cache_creation_input_tokens": 0,
                      "reasoning_output_tokens": 5, "cache_write_input_tokens": 0},
            "total_cost_usd": 0, "cost_reported": false,
            "warnings": ["Reconnecting... 1/5 (stream disconnected before completion: \
                          Transport error: network error: error decoding response body)"],
            "retries": 1, "usage_known": true,
        })
    );
}

#[test]
fn counts_that_an_old_client_does_not_print_are_left_out() {
    let reply = decode_events_tolerant(&stream("51_v0104_usage3")).unwrap();
    assert_eq!(
        serde_json::to_value(reply.usage).unwrap(),
        json!({"input_tokens": 120, "output_tokens": 17,
               "cache_read_input_tokens": 40, "cache_creation_input_tokens": 0})
    );
}

#[test]
fn an_answer_with_zero_input_tokens_has_unknown_usage() {
    let reply = decode_events_tolerant(&stream("16_usage_absent_upstream")).unwrap();
    assert!(!reply.evidence.unwrap().usage_known);
    let reply = decode_events_tolerant(&stream("17_cached_gt_input")).unwrap();
    assert!(reply.evidence.unwrap().usage_known);
    assert_eq!(reply.usage.cache_read_input_tokens, 9);
}

#[test]
fn raw_separators_and_escapes_come_back_unchanged() {
    let reply = decode_events(&stream("18_unicode_separators")).unwrap();
    assert_eq!(
        reply.result,
        "line\u{2028}sep\u{2029}para\u{85}nel \u{feff}bom \u{1b}[31mred\0nul 😀 tab\t nl\n cr\r\nend"
    );
}

#[test]
fn a_failed_turn_gives_the_client_s_own_words() {
    let failure = decode_events_tolerant(&stream("30_failed_after_answer")).unwrap_err();
    assert_eq!(
        serde_json::to_value(&failure).unwrap(),
        json!({"error": "turn_failed", "line": 15,
               "message": "stream disconnected before completion: late failure"})
    );
    assert_eq!(
        failure.to_string(),
        "turn_failed (line 15): stream disconnected before completion: late failure"
    );
}
