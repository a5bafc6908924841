//! Where a snippet stands in a text, compared by tokens.

use std::ops::Range;

use super::tokens::Tag;
use super::{SourceError, text, tokens};

/// A token of a text and its place there.
pub(super) struct Token {
    pub(super) tag: Tag,
    pub(super) text: String,
    pub(super) range: Range<usize>,
}

/// The tokens of a text that begins `offset` bytes into its file.
pub(super) fn lexed(body: &str, offset: usize) -> Result<Vec<Token>, SourceError> {
    let stream = text::lex(body, offset)?;
    let mut list = Vec::new();
    tokens::each(stream, &mut |tag, spelled, first, last| {
        let range = text::range(first, offset).start..text::range(last, offset).end;
        list.push(Token {
            tag,
            text: spelled.to_owned(),
            range,
        });
    });
    Ok(list)
}

/// Where `pattern` stands within `text[range]`: byte ranges in `text`, in order,
/// without overlaps. Comments, documentation and layout don't count; everything
/// else does, a trailing comma too.
///
/// # Errors
///
/// Says where the pattern or the text is not Rust (its brackets must match), or
/// that the pattern has no token or the range is none of this text.
pub fn find_tokens(
    text: &str,
    range: Range<usize>,
    pattern: &str,
) -> Result<Vec<Range<usize>>, SourceError> {
    let Some(part) = text.get(range.clone()) else {
        return Err(SourceError {
            message: "the range is none of this text".to_owned(),
            range,
        });
    };
    text::deep(|| {
        let wanted = lexed(pattern, 0)?;
        let Some(first) = wanted.first() else {
            return Err(SourceError {
                message: "nothing to find".to_owned(),
                range: 0..0,
            });
        };
        let skipped = if range.start == 0 {
            text::preamble(part)
        } else {
            0
        };
        let given = lexed(&part[skipped..], range.start + skipped)?;
        let same = |left: &Token, right: &Token| left.tag == right.tag && left.text == right.text;
        let mut found = Vec::new();
        let mut at = 0;
        while at + wanted.len() <= given.len() {
            let window = &given[at..at + wanted.len()];
            if same(&window[0], first)
                && window
                    .iter()
                    .zip(&wanted)
                    .all(|(left, right)| same(left, right))
            {
                found.push(window[0].range.start..window[wanted.len() - 1].range.end);
                at += wanted.len();
            } else {
                at += 1;
            }
        }
        Ok(found)
    })
}

/// The number of tokens of a text, counted as in [`find_tokens`].
///
/// # Errors
///
/// Says where the text is not Rust.
pub fn count_tokens(text: &str) -> Result<usize, SourceError> {
    text::deep(|| Ok(lexed(text, 0)?.len()))
}
