//! Text to sentences and tokens, each with its place in bytes. It knows no grammar.

use std::ops::Range;

/// A word or one character of punctuation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// As it is written.
    pub text: String,
    /// In lower case.
    pub lower: String,
    /// Bytes in the line that it was read from.
    pub span: Range<usize>,
}

impl Token {
    /// Whether this is a word and no punctuation.
    #[must_use]
    pub fn is_word(&self) -> bool {
        self.text.starts_with(is_inner)
    }

    /// Whether the first letter is a capital.
    #[must_use]
    pub fn is_capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }
}

fn is_inner(letter: char) -> bool {
    letter.is_alphanumeric()
}

/// An apostrophe or a hyphen joins what stands on both of its sides.
fn is_joint(letter: char) -> bool {
    matches!(letter, '\'' | '\u{2019}' | '-')
}

/// The sentences of a text, as ranges of bytes without the white space around them.
/// A sentence ends with `.`, `!` or `?` before white space or the end of the text,
/// and at a line break.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let after = at + letter.len_utf8();
        let ends = match letter {
            '\n' => true,
            '.' | '!' | '?' => letters.peek().is_none_or(|(_, next)| next.is_whitespace()),
            _ => false,
        };
        if ends {
            found.extend(trimmed(text, start..after));
            start = after;
        }
    }
    found.extend(trimmed(text, start..text.len()));
    found
}

fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    let end = start + part.trim().len();
    (start < end).then_some(start..end)
}

/// The tokens of one sentence that starts at byte `base` of its line.
#[must_use]
pub fn tokens(sentence: &str, base: usize) -> Vec<Token> {
    let mut found = Vec::new();
    let mut letters = sentence.char_indices().peekable();
    while let Some((start, letter)) = letters.next() {
        if letter.is_whitespace() {
            continue;
        }
        let mut end = start + letter.len_utf8();
        if is_inner(letter) {
            while let Some(&(at, next)) = letters.peek() {
                let after = at + next.len_utf8();
                let joins = is_joint(next) && sentence[after..].starts_with(is_inner);
                if !joins && !is_inner(next) {
                    break;
                }
                letters.next();
                end = after;
            }
        }
        let text = &sentence[start..end];
        found.push(Token {
            text: text.to_owned(),
            lower: text.to_lowercase().replace('\u{2019}', "'"),
            span: base + start..base + end,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sentence: &str) -> Vec<String> {
        tokens(sentence, 0).into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn a_sentence_ends_before_white_space_only() {
        let text = " Ann went. Bob\u{2019}s 3.5 m?  x\ny ";
        let found: Vec<_> = sentences(text).into_iter().map(|it| &text[it]).collect();
        assert_eq!(found, ["Ann went.", "Bob\u{2019}s 3.5 m?", "x", "y"]);
        assert!(sentences(" \n ").is_empty());
    }

    #[test]
    fn joints_stay_inside_of_words() {
        assert_eq!(
            words("Ann's to-do, 'so'."),
            ["Ann's", "to-do", ",", "'", "so", "'", "."]
        );
        assert_eq!(tokens("a b", 7)[1].span, 9..10);
    }
}
