//! Any byte string gives a reply or a category, in every way of decoding alike:
//! bytes without sense, and streams with bytes changed, added and taken out.

use oracles_teacher::any_bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::Config;

const LINES: [&str; 12] = [
    r#"{"type":"thread.started","thread_id":"0"}"#,
    r#"{"type":"turn.started"}"#,
    r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"A\u00e9"}}"#,
    r#"{"type":"item.completed","item":{"type":"agent_message","text":null}}"#,
    r#"{"type":"item.started","item":{"type":"reasoning","text":"é"}}"#,
    r#"{"type":"item.completed","item":{"type":"error","message":"rerouted"}}"#,
    r#"{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":2}}"#,
    r#"{"type":"turn.completed","usage":{"input_tokens":-1}}"#,
    r#"{"type":"error","message":"server overloaded"}"#,
    r#"{"type":"turn.failed","error":{"message":"server overloaded"}}"#,
    "null",
    "",
];

/// A byte string changed at one place.
#[derive(Clone, Debug)]
enum Change {
    Set(Index, u8),
    Insert(Index, u8),
    Remove(Index),
    Cut(Index),
}

fn changed(mut bytes: Vec<u8>, changes: Vec<Change>) -> Vec<u8> {
    for change in changes {
        if bytes.is_empty() {
            break;
        }
        let length = bytes.len();
        match change {
            Change::Set(at, byte) => bytes[at.index(length)] = byte,
            Change::Insert(at, byte) => bytes.insert(at.index(length + 1), byte),
            Change::Remove(at) => drop(bytes.remove(at.index(length))),
            Change::Cut(at) => bytes.truncate(at.index(length + 1)),
        }
    }
    bytes
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Insert(at, byte)),
        any::<Index>().prop_map(Change::Remove),
        any::<Index>().prop_map(Change::Cut),
    ]
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let lines = vec(select(LINES.to_vec()), 0..8).prop_map(|lines| lines.join("\n").into_bytes());
    (lines, vec(change(), 0..4)).prop_map(|(bytes, changes)| changed(bytes, changes))
}

proptest! {
    #![proptest_config(Config {
        cases: 4096,
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn bytes_without_sense_give_a_category(bytes in vec(any::<u8>(), 0..200)) {
        any_bytes(&bytes);
    }

    #[test]
    fn a_damaged_stream_gives_a_reply_or_a_category(bytes in stream()) {
        any_bytes(&bytes);
    }
}
