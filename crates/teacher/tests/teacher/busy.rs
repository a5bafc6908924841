//! A provider without capacity: which streams say so, in both forms.

use serde_json::{Value, json};
use teacher::{PROVIDER_BUSY_MESSAGES, provider_busy, provider_busy_tolerant};

const CAPACITY: &str = PROVIDER_BUSY_MESSAGES[0];
const FLEX: &str = PROVIDER_BUSY_MESSAGES[1];

fn error(message: &str) -> Value {
    json!({"type": "error", "message": message})
}

fn failed(message: &str) -> Value {
    json!({"type": "turn.failed", "error": {"message": message}})
}

fn stream(events: &[Value]) -> String {
    events
        .iter()
        .flat_map(|event| [event.to_string(), "\n".to_owned()])
        .collect()
}

fn both(events: &[Value]) -> (Option<&'static str>, Option<&'static str>) {
    let text = stream(events);
    (provider_busy(&text), provider_busy_tolerant(&text))
}

#[test]
fn each_listed_text_is_recognised_in_both_forms() {
    for message in PROVIDER_BUSY_MESSAGES {
        let events = [
            json!({"type": "thread.started"}),
            json!({"type": "turn.started"}),
            error(message),
            failed(message),
        ];
        assert_eq!(both(&events), (Some(message), Some(message)));
    }
}

#[test]
fn the_two_forms_differ_where_failures_differ() {
    let around = format!("Reconnecting... 1/5 ({CAPACITY})");
    for (events, strict, tolerant) in [
        (
            vec![error(&around), error(CAPACITY), failed(CAPACITY)],
            None,
            Some(CAPACITY),
        ),
        (
            vec![error("something else"), error(FLEX), failed(FLEX)],
            None,
            Some(FLEX),
        ),
        (
            vec![json!({"type": "error"}), error(FLEX), failed(FLEX)],
            None,
            Some(FLEX),
        ),
        (vec![error(CAPACITY)], Some(CAPACITY), None),
        (vec![failed(CAPACITY)], Some(CAPACITY), None),
        (vec![error(CAPACITY), failed(FLEX)], Some(FLEX), None),
        (
            vec![error(CAPACITY), error(FLEX), failed(FLEX)],
            Some(FLEX),
            Some(FLEX),
        ),
    ] {
        assert_eq!(both(&events), (strict, tolerant), "{events:?}");
    }
}

#[test]
fn anything_else_in_the_stream_says_no_in_both_forms() {
    for other in [
        json!({"type": "item.completed", "item": {"type": "agent_message", "text": "A"}}),
        json!({"type": "item.started", "item": {"type": "reasoning"}}),
        json!({"type": "item.completed", "item": {"type": "error", "message": CAPACITY}}),
        json!({"type": "turn.completed"}),
        json!({"type": "unknown"}),
        json!({"message": CAPACITY}),
        json!(null),
    ] {
        for place in 0..=2 {
            let mut events = vec![error(CAPACITY), failed(CAPACITY)];
            events.insert(place, other.clone());
            assert_eq!(both(&events), (None, None), "{other}");
        }
    }
    for line in ["{\"type\":", "\u{feff}", "busy"] {
        let text = format!("{}{line}", stream(&[error(CAPACITY), failed(CAPACITY)]));
        assert_eq!(
            (provider_busy(&text), provider_busy_tolerant(&text)),
            (None, None)
        );
    }
}

#[test]
fn a_text_must_be_listed_to_the_letter() {
    for message in [
        "",
        "Selected model is at capacity.",
        "selected model is at capacity. Please try a different model.",
        "Selected model is at capacity. Please try a different model. ",
        "We're currently experiencing high demand, which may cause temporary errors.",
        "Quota exceeded. Check your plan and billing details.",
        "You’ve hit your usage limit.",
    ] {
        assert_eq!(
            both(&[error(message), failed(message)]),
            (None, None),
            "{message:?}"
        );
    }
    for mute in [
        [json!({"type": "error"}), failed(CAPACITY)],
        [
            json!({"type": "error", "message": [CAPACITY]}),
            failed(CAPACITY),
        ],
        [
            error(CAPACITY),
            json!({"type": "turn.failed", "message": CAPACITY}),
        ],
        [
            error(CAPACITY),
            json!({"type": "turn.failed", "error": CAPACITY}),
        ],
    ] {
        assert_eq!(both(&mute), (None, None), "{mute:?}");
    }
}

#[test]
fn without_a_failure_nobody_is_busy_and_blank_lines_do_not_matter() {
    assert_eq!(both(&[]), (None, None));
    assert_eq!(both(&[json!({"type": "thread.started"})]), (None, None));
    let text = format!("\r\n{}\n \t\n{}", error(FLEX), failed(FLEX));
    assert_eq!(
        (provider_busy(&text), provider_busy_tolerant(&text)),
        (Some(FLEX), Some(FLEX))
    );
}
