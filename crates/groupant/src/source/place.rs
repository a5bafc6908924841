//! What stands at a line and column: the place of a panic, read off its message.

use super::find::{Token, lexed};
use super::tokens::Tag;
use super::{Source, text};

/// What stands at a place in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path of the innermost item around the place; where a macro hides it,
    /// the innermost `fn name` by its tokens; empty where there is neither.
    pub item: String,
    /// The name of the macro whose invocation begins there.
    pub macro_name: Option<String>,
    /// The name of the method that is called there.
    pub method: Option<String>,
}

/// What stands at a place as the compiler prints it: a line and a column, both
/// from 1, the column in characters. `None` where the text is not Rust or no
/// token begins there.
#[must_use]
pub fn place(text: &str, line: usize, column: usize) -> Option<Place> {
    let at = offset(text, line, column)?;
    let skipped = text::preamble(text);
    let source = Source::parse(text.as_bytes()).ok()?;
    let tokens = text::deep(|| lexed(&text[skipped..], skipped)).ok()?;
    let first = tokens.iter().position(|token| token.range.start == at)?;
    let item = source
        .items
        .iter()
        .filter(|item| item.span.contains(&at))
        .min_by_key(|item| item.span.len())
        .map(|item| item.path.clone());
    Some(Place {
        item: item
            .or_else(|| function(&tokens, first))
            .unwrap_or_default(),
        macro_name: macro_name(&tokens[first..]),
        method: method(&tokens, first),
    })
}

/// The byte at a line and column.
fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    // The compiler doesn't count a byte order mark.
    let mark = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut start = mark;
    let mut lines = text[mark..].split_inclusive('\n');
    for _ in 0..line.checked_sub(1)? {
        start += lines.next()?.len();
    }
    let (at, _) = lines.next()?.char_indices().nth(column.checked_sub(1)?)?;
    Some(start + at)
}

/// `name` out of `path::name!`.
fn macro_name(tokens: &[Token]) -> Option<String> {
    let mut rest = tokens;
    loop {
        if let [first, after @ ..] = rest
            && first.text == "::"
        {
            rest = after;
        }
        let [name, next, ..] = rest else { return None };
        if name.tag != Tag::Word {
            return None;
        }
        match next.text.as_str() {
            "!" => return Some(name.text.clone()),
            "::" => rest = &rest[1..],
            _ => return None,
        }
    }
}

/// `name` out of `.name(` and `.name::<…>(`.
fn method(tokens: &[Token], first: usize) -> Option<String> {
    let dot = tokens.get(first.checked_sub(1)?)?;
    let (name, next) = (tokens.get(first)?, tokens.get(first + 1)?);
    let called = next.text == "::" || next.text == "(";
    (dot.text == "." && name.tag == Tag::Word && called).then(|| name.text.clone())
}

/// The innermost `fn name` whose body is still open before a token.
fn function(tokens: &[Token], before: usize) -> Option<String> {
    let mut open: Vec<Option<&str>> = Vec::new();
    let mut named = None;
    for (at, token) in tokens[..before].iter().enumerate() {
        match (token.tag, token.text.as_str()) {
            (Tag::Word, "fn") => named = tokens.get(at + 1).map(|name| name.text.as_str()),
            (Tag::Operator, ";") => named = None,
            (Tag::Open, "{") => open.push(named.take()),
            (Tag::Open, _) => open.push(None),
            (Tag::Close, _) => {
                open.pop();
            }
            _ => {}
        }
    }
    open.into_iter()
        .flatten()
        .next_back()
        .map(|name| format!("fn {name}"))
}
