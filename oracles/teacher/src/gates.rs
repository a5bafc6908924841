//! The gates of a stream: at each line, in order, what may stop it there, and
//! then what may be missing at the end. Each gate is decided from sets of
//! positions before its line and looks at no other gate.

use teacher::Contract;

use crate::Role;
use crate::positional::blank;

/// One gate of a trace: the outcome where it is the first to stop the trace, and
/// whether it stops it.
pub type Gate = (String, bool);

/// The category of the first failure and its line, as an outcome.
#[must_use]
pub fn located(category: &str, line: Option<usize>, message: Option<&str>) -> String {
    let place = line.map_or("the end".to_owned(), |line| format!("line {line}"));
    let message = message.map_or(String::new(), |message| format!(": {message}"));
    format!("error {category} at {place}{message}")
}

/// All gates of a trace in the order in which they are judged.
pub fn gates(contract: Contract, trace: Vec<Role>) -> impl Iterator<Item = Gate> {
    let tolerant = matches!(contract, Contract::Tolerant);
    let end = end(tolerant, &trace);
    (0..trace.len())
        .flat_map(move |at| line(tolerant, &trace[..at], trace[at], at + 1))
        .chain(end)
}

/// The gates of one line: JSON, explicit failure, position, item kind.
fn line(tolerant: bool, before: &[Role], role: Role, number: usize) -> Vec<Gate> {
    let any = |test: fn(&Role) -> bool| before.iter().any(test);
    let completed = any(|role| matches!(role, Role::Completion(_)));
    let body = any(|role| matches!(role, Role::Answer(_) | Role::Item | Role::Completion(_)));
    let thread = before.contains(&Role::Thread);
    let turn = before.contains(&Role::Turn);
    let item = matches!(
        role,
        Role::Answer(_) | Role::Item | Role::Forbidden | Role::ErrorItem(_)
    );
    let kind = role == Role::Forbidden || !tolerant && matches!(role, Role::ErrorItem(_));
    let completion = matches!(role, Role::Completion(_));
    let error = match role {
        Role::Error(message) => Some(message),
        _ => None,
    };
    let gate = |category, stops| (located(category, Some(number), None), stops);
    let told = |category, stops, message| (located(category, Some(number), message), stops);
    vec![
        gate("not_utf8", role == Role::NotUtf8),
        gate("malformed_json", role == Role::Malformed),
        told("turn_failed", role == Role::TurnFailed, Some("F")),
        told("error", !tolerant && error.is_some(), error),
        gate("late_error", completed && error.is_some()),
        gate(
            "header_order",
            role == Role::Thread && (thread || turn || body),
        ),
        gate("header_order", role == Role::Turn && (turn || body)),
        gate("late_item", item && completed),
        gate("item_kind", kind),
        gate("repeated_completion", completion && completed),
        gate("completion_before_answer", completion && !answered(before)),
    ]
}

/// The gates of the end: an error that no completion cleared, the answer, the
/// completion, the counts.
fn end(tolerant: bool, trace: &[Role]) -> Vec<Gate> {
    let completion = trace
        .iter()
        .find(|role| matches!(role, Role::Completion(_)));
    let error = trace.iter().rev().find_map(|role| match role {
        Role::Error(message) => Some(*message),
        _ => None,
    });
    vec![
        (
            located("error", None, error),
            tolerant && error.is_some() && completion.is_none(),
        ),
        (located("missing_answer", None, None), !answered(trace)),
        (
            located("missing_completion", None, None),
            completion.is_none(),
        ),
        (
            located("invalid_usage", None, None),
            completion == Some(&Role::Completion(None)),
        ),
    ]
}

/// True where the last answer has something in it.
fn answered(trace: &[Role]) -> bool {
    let last = trace
        .iter()
        .rev()
        .find(|role| matches!(role, Role::Answer(_)));
    matches!(last, Some(Role::Answer(Some(text))) if !blank(text))
}
