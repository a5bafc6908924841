//! The symbols of streams: a line of JSON, its words, and the part it plays in
//! the rules of a turn.

/// The part that a line plays in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `thread.started`.
    Thread,
    /// `turn.started`.
    Turn,
    /// A completed `agent_message` with this text; nothing where it is no string.
    Answer(Option<&'static str>),
    /// Any other allowed item event.
    Item,
    /// An item event whose kind is not allowed.
    Forbidden,
    /// An item event of kind `error` with this message.
    ErrorItem(&'static str),
    /// `turn.completed` with this input count; nothing where it is invalid.
    Completion(Option<u64>),
    /// The event `error` with this message.
    Error(&'static str),
    /// `turn.failed`.
    TurnFailed,
    /// Valid JSON that is no recognised event, or a blank line.
    Neutral,
    /// Not JSON.
    Malformed,
    /// No text at all.
    NotUtf8,
}

/// One symbol of an alphabet.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// What a person calls it.
    pub words: &'static str,
    /// Its line, without the line end.
    pub line: &'static str,
    /// The part it plays.
    pub role: Role,
}

const fn symbol(words: &'static str, role: Role, line: &'static str) -> Symbol {
    Symbol { words, line, role }
}

/// Twelve symbols for the strict contract, and two more that the tolerant one
/// tells apart.
pub const TOLERANT: [Symbol; 14] = [
    symbol(
        "thread start",
        Role::Thread,
        r#"{"type":"thread.started","thread_id":"t"}"#,
    ),
    symbol("turn start", Role::Turn, r#"{"type":"turn.started"}"#),
    symbol(
        "answer A",
        Role::Answer(Some("A")),
        r#"{"type":"item.completed","item":{"type":"agent_message","text":"A"}}"#,
    ),
    symbol(
        "answer B",
        Role::Answer(Some("B")),
        r#"{"type":"item.completed","item":{"type":"agent_message","text":"B"}}"#,
    ),
    symbol(
        "answer null",
        Role::Answer(None),
        r#"{"type":"item.completed","item":{"type":"agent_message","text":null}}"#,
    ),
    symbol(
        "reasoning",
        Role::Item,
        r#"{"type":"item.completed","item":{"type":"reasoning","text":"R"}}"#,
    ),
    symbol(
        "completion 10",
        Role::Completion(Some(10)),
        r#"{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":3,"x":1}}"#,
    ),
    symbol(
        "completion 20",
        Role::Completion(Some(20)),
        r#"{"type":"turn.completed","usage":{"input_tokens":20,"cached_input_tokens":4,"output_tokens":3,"x":1}}"#,
    ),
    symbol(
        "unknown event",
        Role::Neutral,
        r#"{"type":"turn.paused","text":"U"}"#,
    ),
    symbol(
        "error",
        Role::Error("E"),
        r#"{"type":"error","message":"E"}"#,
    ),
    symbol(
        "forbidden tool update",
        Role::Forbidden,
        r#"{"type":"item.updated","item":{"type":"command_execution","text":"C"}}"#,
    ),
    symbol("JSON null", Role::Neutral, "null"),
    symbol(
        "error item",
        Role::ErrorItem("W"),
        r#"{"type":"item.completed","item":{"type":"error","message":"W","text":"T"}}"#,
    ),
    symbol(
        "turn failure",
        Role::TurnFailed,
        r#"{"type":"turn.failed","error":{"message":"F"}}"#,
    ),
];

/// The twelve symbols of the strict contract.
pub const STRICT: &[Symbol] = TOLERANT.split_at(12).0;

/// The symbols that gates tell apart: every way to stop a stream, and blank
/// lines, invalid counts, a second message.
pub const GATES: [Symbol; 16] = [
    TOLERANT[0],
    TOLERANT[1],
    TOLERANT[2],
    symbol(
        "blank answer",
        Role::Answer(Some(" \u{a0}")),
        r#"{"type":"item.completed","item":{"type":"agent_message","text":" \u00a0"}}"#,
    ),
    symbol(
        "reasoning start",
        Role::Item,
        r#"{"type":"item.started","item":{"type":"reasoning"}}"#,
    ),
    TOLERANT[6],
    symbol(
        "completion without counts",
        Role::Completion(None),
        r#"{"type":"turn.completed"}"#,
    ),
    TOLERANT[8],
    TOLERANT[9],
    symbol(
        "second error",
        Role::Error("E2"),
        r#"{"type":"error","message":"E2"}"#,
    ),
    TOLERANT[10],
    TOLERANT[12],
    TOLERANT[13],
    symbol("half a line", Role::Malformed, r#"{"type":"turn.comp"#),
    symbol("blank line", Role::Neutral, " \t\r"),
    symbol(
        "answer start",
        Role::Item,
        r#"{"type":"item.started","item":{"type":"agent_message","text":"S"}}"#,
    ),
];

/// The stream of a case over an alphabet: its lines, each with its LF.
#[must_use]
pub fn text(alphabet: &[Symbol], case: &[usize]) -> String {
    let mut text = String::with_capacity(case.len() * 96);
    for &symbol in case {
        text.push_str(alphabet[symbol].line);
        text.push('\n');
    }
    text
}

/// The parts that the lines of a case play.
#[must_use]
pub fn roles(alphabet: &[Symbol], case: &[usize]) -> Vec<Role> {
    case.iter().map(|&symbol| alphabet[symbol].role).collect()
}

/// The words of an alphabet, in its order.
#[must_use]
pub fn words(alphabet: &[Symbol]) -> Vec<&'static str> {
    alphabet.iter().map(|symbol| symbol.words).collect()
}

/// The line of a symbol of [`TOLERANT`], by its words.
///
/// # Panics
/// When there is no such symbol.
#[must_use]
pub fn line(words: &str) -> &'static str {
    let symbol = TOLERANT.iter().find(|symbol| symbol.words == words);
    symbol.expect("the words name a symbol").line
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// The part that a line plays, read from its JSON.
    fn part(line: &str) -> Role {
        if line.trim().is_empty() {
            return Role::Neutral;
        }
        let Ok(event) = serde_json::from_str::<Value>(line) else {
            return Role::Malformed;
        };
        let texts = ["A", "B", " \u{a0}"];
        let errors = ["E", "E2"];
        match (event["type"].as_str(), event["item"]["type"].as_str()) {
            (Some("thread.started"), _) => Role::Thread,
            (Some("turn.started"), _) => Role::Turn,
            (Some("turn.failed"), _) => Role::TurnFailed,
            (Some("turn.completed"), _) => {
                Role::Completion(event["usage"]["input_tokens"].as_u64())
            }
            (Some("error"), _) => {
                let own = errors.into_iter().find(|text| event["message"] == *text);
                Role::Error(own.expect("a message of the alphabet"))
            }
            (Some("item.completed"), Some("agent_message")) => Role::Answer(
                texts
                    .into_iter()
                    .find(|text| event["item"]["text"] == *text),
            ),
            (Some("item.completed"), Some("error")) => Role::ErrorItem("W"),
            (Some(event), Some("agent_message" | "reasoning")) if event.starts_with("item.") => {
                Role::Item
            }
            (Some(event), _) if event.starts_with("item.") => Role::Forbidden,
            _ => Role::Neutral,
        }
    }

    #[test]
    fn every_symbol_plays_the_part_that_it_declares() {
        for symbol in TOLERANT.iter().chain(&GATES) {
            assert_eq!(part(symbol.line), symbol.role, "{}", symbol.words);
        }
    }

    #[test]
    fn the_strict_alphabet_is_the_seed_s_twelve_symbols() {
        assert_eq!(words(STRICT), words(&TOLERANT)[..12]);
        assert_eq!(words(&TOLERANT)[12..], ["error item", "turn failure"]);
    }
}
