//! The decoder's own tests, through its public interface: recorded streams,
//! framing, what counts as JSON, order, the busy provider, and the binary.

mod acceptance;
mod binary;
mod busy;
mod framing;
mod order;
mod streams;

use proptest::test_runner::Config;
use teacher::{Category, Failure, Reply};

const ANSWER: &str = r#"{"type":"item.completed","item":{"type":"agent_message","text":"A"}}"#;
const COMPLETION: &str =
    r#"{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":2}}"#;

/// The category and the line of a failure, or nothing for a success.
fn verdict(outcome: &Result<Reply, Failure>) -> Option<(Category, Option<u64>)> {
    outcome
        .as_ref()
        .err()
        .map(|failure| (failure.error, failure.line))
}

/// So many cases, and no file of past failures: a run leaves the tree as it was.
fn cases(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    }
}
