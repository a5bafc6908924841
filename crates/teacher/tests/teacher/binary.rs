//! The binary: exit codes, and what goes to which output.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::streams::path;
use crate::{ANSWER, COMPLETION};

/// Runs `teacher decode` with the arguments and the text on standard input.
fn decode(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_teacher"))
        .arg("decode")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // The child may stop reading at the first failure, so a closed pipe is fine.
    let _ = child
        .stdin
        .take()
        .expect("the pipe was asked for")
        .write_all(input);
    child.wait_with_output().expect("the binary ends")
}

fn json_line(bytes: &[u8]) -> Value {
    let text = std::str::from_utf8(bytes).unwrap();
    assert_eq!(text.matches('\n').count(), 1, "one line: {text:?}");
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_reply_is_one_json_object_and_exit_0() {
    let input = format!("{ANSWER}\n{COMPLETION}\n");
    for arguments in [&["-"][..], &["--json", "-"]] {
        let output = decode(arguments, input.as_bytes());
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(output.stderr, b"");
        let reply = json_line(&output.stdout);
        assert_eq!(reply["result"], "A");
        assert_eq!(reply["warnings"], json!([]), "tolerant is the default");
    }
}

#[test]
fn the_contract_can_be_chosen_and_a_file_read() {
    let file = path("05_reconnect_once_success.jsonl");
    let file = file.to_str().unwrap();
    let tolerant = decode(&["--contract", "tolerant", file], b"");
    assert_eq!(tolerant.status.code(), Some(0));
    assert_eq!(json_line(&tolerant.stdout)["retries"], 1);
    let strict = decode(&["--contract", "strict", "--json", file], b"");
    assert_eq!(strict.status.code(), Some(1));
    assert_eq!(strict.stderr, b"");
    let failure = json_line(&strict.stdout);
    assert_eq!(
        (&failure["error"], &failure["line"]),
        (&json!("error"), &json!(3))
    );
}

#[test]
fn a_failure_without_json_is_a_line_on_standard_error_and_exit_1() {
    let output = decode(&["-"], format!("{ANSWER}\n[").as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"");
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(words.starts_with("malformed_json (line 2): "), "{words}");
    let output = decode(&["-"], b"");
    assert_eq!(
        output.stderr,
        b"missing_answer: the stream ended without an answer\n"
    );
}

#[test]
fn a_failure_at_the_end_of_the_stream_has_no_line() {
    let output = decode(&["--json", "-"], ANSWER.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        json_line(&output.stdout),
        json!({"error": "missing_completion", "line": null,
               "message": "the stream ended without a completion"})
    );
}

#[test]
fn bytes_that_are_no_utf8_are_a_failure_of_their_line() {
    let output = decode(&["--json", "-"], b"\n\"\xc3\x28\"\n");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        json_line(&output.stdout),
        json!({"error": "not_utf8", "line": 2, "message": "the line is no UTF-8 at byte 2"})
    );
}

#[test]
fn a_message_cannot_steer_the_terminal() {
    let output = decode(
        &["-"],
        br#"{"type":"turn.failed","error":{"message":"\u001b[2J\n\u009bx"}}"#,
    );
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(words, "turn_failed (line 1): \\u{1b}[2J\\n\\u{9b}x\n");
}

#[test]
fn a_usage_error_and_an_unreadable_file_are_exit_2() {
    let missing = path("no such stream.jsonl");
    let folder = path("");
    for arguments in [
        &[][..],
        &["--contract", "lenient", "-"],
        &["--unknown", "-"],
        &[missing.to_str().unwrap()],
        &[folder.to_str().unwrap()],
    ] {
        let output = decode(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(output.stdout, b"", "{arguments:?}");
        assert_ne!(output.stderr, b"", "{arguments:?}");
    }
}
