//! From bytes to token trees: what the lexer doesn't see (a byte order mark, a
//! shebang line), the bounds on size and nesting, and the thread with a stack
//! large enough for everything within them.

use std::ops::Range;
use std::str::FromStr;
use std::thread;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

use super::SourceError;

/// Larger sources are refused.
const MAX_BYTES: usize = 8 << 20;
/// The largest bound on the depth of the syntax tree, in units of one token.
const MAX_WEIGHT: usize = 6_000;
/// What one level of delimiters costs, in the same units.
const GROUP_WEIGHT: usize = 12;
/// Only touched pages of it are ever taken from the machine.
const STACK_BYTES: usize = 512 << 20;

/// Runs `work` where it can recurse deeply.
pub(super) fn deep<T: Send>(
    work: impl FnOnce() -> Result<T, SourceError> + Send,
) -> Result<T, SourceError> {
    let failed = |message: &str| SourceError {
        message: message.to_owned(),
        range: 0..0,
    };
    thread::scope(|scope| {
        // Spans live in the thread's own table, so they are gone with it.
        let worker = thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .map_err(|error| failed(&format!("no thread for the parser: {error}")))?;
        worker
            .join()
            .unwrap_or_else(|_| Err(failed("the parser gave up on this text")))
    })
}

/// The file's text from its first token on, and where that begins.
pub(super) fn body(bytes: &[u8]) -> Result<(&str, usize), SourceError> {
    if bytes.len() > MAX_BYTES {
        return Err(SourceError {
            message: format!("the source is larger than {MAX_BYTES} bytes"),
            range: 0..0,
        });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let start = error.valid_up_to();
        let length = error.error_len().unwrap_or(bytes.len() - start);
        SourceError {
            message: "the source is not UTF-8".to_owned(),
            range: start..start + length,
        }
    })?;
    let start = preamble(text);
    Ok((&text[start..], start))
}

/// The length of the byte order mark and the shebang line.
pub(super) fn preamble(text: &str) -> usize {
    let mark = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let rest = &text[mark..];
    // `#![…]` is an attribute even when blanks or comments stand in between.
    if rest.starts_with("#!") && !attribute_follows(&rest[2..]) {
        mark + rest.find('\n').unwrap_or(rest.len())
    } else {
        mark
    }
}

fn attribute_follows(mut rest: &str) -> bool {
    loop {
        rest = rest.trim_start();
        rest = if let Some(comment) = rest.strip_prefix("//") {
            comment.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else {
            return rest.starts_with('[');
        };
    }
}

/// Lexes a text that begins `offset` bytes into its file, and checks that what
/// recurses over it will fit the stack.
pub(super) fn lex(text: &str, offset: usize) -> Result<TokenStream, SourceError> {
    // The lexer would drop a byte order mark and shift every range.
    if text.starts_with('\u{feff}') {
        return Err(SourceError {
            message: "a byte order mark within the text".to_owned(),
            range: offset..offset + 3,
        });
    }
    let stream = TokenStream::from_str(text).map_err(|error| SourceError {
        message: format!("not Rust: {error}"),
        range: range(error.span(), offset),
    })?;
    match too_deep(&stream) {
        None => Ok(stream),
        Some(span) => Err(SourceError {
            message: "nested too deeply".to_owned(),
            range: range(span, offset),
        }),
    }
}

/// A span as a byte range of the file.
pub(super) fn range(span: Span, offset: usize) -> Range<usize> {
    let range = span.byte_range();
    range.start + offset..range.end + offset
}

/// A place where the syntax tree may be deeper than the stack allows.
///
/// Within one run of tokens (up to a comma, a semicolon or the end of a block)
/// each token adds at most one level; a group adds several. So the sum of what
/// stands before a token, over all groups around it, bounds its depth.
fn too_deep(stream: &TokenStream) -> Option<Span> {
    struct Level {
        trees: std::vec::IntoIter<TokenTree>,
        before: usize,
        run: Run,
    }
    let level = |stream: TokenStream, before| Level {
        trees: stream.into_iter().collect::<Vec<_>>().into_iter(),
        before,
        run: Run::default(),
    };
    let mut levels = vec![level(stream.clone(), 0)];
    while let Some(top) = levels.last_mut() {
        let Some(tree) = top.trees.next() else {
            levels.pop();
            continue;
        };
        top.run.step(&tree, top.trees.as_slice().first());
        let weight = top.before + top.run.length;
        if weight > MAX_WEIGHT {
            return Some(tree.span());
        }
        if let TokenTree::Group(group) = &tree {
            let before = weight + GROUP_WEIGHT;
            levels.push(level(group.stream(), before));
        }
    }
    None
}

/// A run of tokens whose nodes may stand inside one another.
#[derive(Default)]
struct Run {
    length: usize,
    angles: usize,
    bar: bool,
    arrow: bool,
    ended: bool,
}

impl Run {
    fn step(&mut self, tree: &TokenTree, next: Option<&TokenTree>) {
        if self.ended {
            *self = Self::default();
        }
        self.length += 1;
        let mut arrow = false;
        match tree {
            TokenTree::Punct(punct) => match punct.as_char() {
                '<' => self.angles += 1,
                '>' if !self.arrow => self.angles = self.angles.saturating_sub(1),
                '|' => self.bar = !self.bar,
                '-' | '=' => arrow = true,
                ';' => self.ended = true,
                // A comma within `<…>` or `|…|` ends nothing.
                ',' => self.ended = self.angles == 0 && !self.bar,
                _ => {}
            },
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                self.ended = match next {
                    Some(TokenTree::Ident(word)) => word != "else" && word != "as",
                    Some(TokenTree::Punct(punct)) => punct.as_char() == '#',
                    Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
                    Some(TokenTree::Literal(_)) | None => true,
                };
            }
            _ => {}
        }
        self.arrow = arrow;
    }
}
