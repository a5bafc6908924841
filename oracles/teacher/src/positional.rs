//! The rule of one completed turn, stated over the positions of a whole trace.
//! Each constraint is a statement about sets of positions; none is a step.

use teacher::Contract;

use crate::Role;

/// What the rule says of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// One completed turn with this answer and this input count.
    Reply(&'static str, u64),
    /// No completed turn; the words name a constraint that is broken.
    Refused(&'static str),
}

impl Verdict {
    /// The outcome due, as [`outcome`](crate::outcome()) calls it; nothing for a failure.
    #[must_use]
    pub fn fiber(&self) -> Option<String> {
        match self {
            Self::Reply(answer, input) => Some(format!("{answer}/{input}")),
            Self::Refused(_) => None,
        }
    }

    /// What is due, in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Reply(answer, input) => format!("this turn must give {answer}/{input}"),
            Self::Refused(what) => format!("{what} must fail"),
        }
    }
}

/// The positions of the roles for which `test` holds.
fn positions(trace: &[Role], test: impl Fn(Role) -> bool) -> Vec<usize> {
    (0..trace.len()).filter(|&at| test(trace[at])).collect()
}

/// Judges a whole trace.
///
/// A trace is a reply exactly when: all lines are JSON; there is no explicit
/// failure and no forbidden item; there is exactly one completion; the last
/// answer before it is a text with something in it; nothing that the decoder
/// recognises follows it; there is at most one thread header, before everything
/// recognised; at most one turn header, before every item and the completion;
/// and the completion's count is valid. Under the tolerant contract an `error`
/// and an item of kind `error` are bound by one constraint only: not to follow
/// the completion.
#[must_use]
pub fn verdict(contract: Contract, trace: &[Role]) -> Verdict {
    let tolerant = matches!(contract, Contract::Tolerant);
    let refused = |what| Verdict::Refused(what);
    if trace.contains(&Role::Malformed) || trace.contains(&Role::NotUtf8) {
        return refused("a line that is no JSON");
    }
    if trace.contains(&Role::TurnFailed) {
        return refused("a failed turn");
    }
    if !tolerant && trace.iter().any(|role| matches!(role, Role::Error(_))) {
        return refused("an error");
    }
    let forbidden =
        |role| role == Role::Forbidden || !tolerant && matches!(role, Role::ErrorItem(_));
    if trace.iter().any(|&role| forbidden(role)) {
        return refused("a forbidden item");
    }

    let completions = positions(trace, |role| matches!(role, Role::Completion(_)));
    let Some(&completion) = completions.first() else {
        return refused("a turn without a completion");
    };
    let answers = positions(trace, |role| matches!(role, Role::Answer(_)));
    let before = answers.iter().filter(|&&at| at < completion).max();
    let last = match before.map(|&at| trace[at]) {
        Some(Role::Answer(Some(text))) if !blank(text) => text,
        Some(_) => return refused("a completion after a cleared or blank answer"),
        None if answers.is_empty() => return refused("a completion without an answer"),
        None => return refused("completion before the answer"),
    };
    if completions.len() > 1 {
        return refused("a second completion");
    }

    let items = positions(trace, |role| matches!(role, Role::Answer(_) | Role::Item));
    let warnings = positions(trace, |role| {
        matches!(role, Role::Error(_) | Role::ErrorItem(_))
    });
    let threads = positions(trace, |role| role == Role::Thread);
    let turns = positions(trace, |role| role == Role::Turn);
    if items.iter().any(|&at| at > completion) {
        return refused("an item after the completion");
    }
    if tolerant && warnings.iter().any(|&at| at > completion) {
        return refused("an error after the completion");
    }
    if threads.len() > 1 || turns.len() > 1 {
        return refused("a repeated header");
    }
    let body = || items.iter().chain(&completions);
    let late = |header: &usize| body().any(|at| at < header);
    if threads.iter().any(late) || turns.iter().any(late) {
        return refused("a late header");
    }
    if threads
        .iter()
        .any(|thread| turns.iter().any(|turn| turn < thread))
    {
        return refused("a thread header after the turn header");
    }
    match trace[completion] {
        Role::Completion(Some(input)) => Verdict::Reply(last, input),
        _ => refused("an invalid count"),
    }
}

/// The 25 characters of Unicode's `White_Space`, written out.
pub const WHITE_SPACE: [char; 25] = [
    '\u{9}', '\u{a}', '\u{b}', '\u{c}', '\u{d}', '\u{20}', '\u{85}', '\u{a0}', '\u{1680}',
    '\u{2000}', '\u{2001}', '\u{2002}', '\u{2003}', '\u{2004}', '\u{2005}', '\u{2006}', '\u{2007}',
    '\u{2008}', '\u{2009}', '\u{200a}', '\u{2028}', '\u{2029}', '\u{202f}', '\u{205f}', '\u{3000}',
];

/// True where every character is white space.
#[must_use]
pub fn blank(text: &str) -> bool {
    text.chars().all(|c| WHITE_SPACE.contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_white_space_is_unicode_s() {
        let all: Vec<char> = (char::MIN..=char::MAX)
            .filter(|c| c.is_whitespace())
            .collect();
        assert_eq!(all, WHITE_SPACE);
    }
}
