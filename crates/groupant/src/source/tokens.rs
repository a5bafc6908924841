//! Canonical tokens: a token stream as a flat list, its digest, and a readable
//! spelling of it.
//!
//! Here comments and literal documentation attributes disappear, operators are
//! glued by the lexer's longest match and nothing else, and a string literal
//! goes by its value where a line continuation or a CRLF stands in it.

use std::fmt::Write as _;

use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenStream, TokenTree};
use sha2::{Digest, Sha256};

/// Operators of more than one character, the longer ones first.
const OPERATORS: [&str; 25] = [
    "<<=", ">>=", "...", "..=", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=",
    "*=", "/=", "%=", "^=", "&=", "|=", "<<", ">>", "..", "<-",
];

/// What a token is; part of the digest, so that no two tokens share bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tag {
    Word,
    Literal,
    Lifetime,
    Operator,
    Open,
    Close,
}

impl Tag {
    fn byte(self) -> u8 {
        match self {
            Self::Word => b'w',
            Self::Literal => b'l',
            Self::Lifetime => b't',
            Self::Operator => b'o',
            Self::Open => b'(',
            Self::Close => b')',
        }
    }
}

/// Hands every canonical token of the stream to `sink`, with the spans of its
/// first and last character's token.
pub(super) fn each(stream: TokenStream, sink: &mut impl FnMut(Tag, &str, Span, Span)) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut text = String::new();
    let mut at = 0;
    while at < trees.len() {
        if let Some(length) = documentation(&trees[at..]) {
            at += length;
            continue;
        }
        text.clear();
        match &trees[at] {
            TokenTree::Group(group) => group_tokens(group, sink),
            TokenTree::Ident(ident) => {
                let _ = write!(text, "{ident}");
                sink(Tag::Word, &text, ident.span(), ident.span());
            }
            TokenTree::Literal(literal) => {
                let _ = write!(text, "{literal}");
                by_value(&mut text);
                sink(Tag::Literal, &text, literal.span(), literal.span());
            }
            TokenTree::Punct(punct) => {
                if let (true, Some(TokenTree::Ident(name))) =
                    (punct.as_char() == '\'', trees.get(at + 1))
                {
                    let _ = write!(text, "'{name}");
                    sink(Tag::Lifetime, &text, punct.span(), name.span());
                    at += 2;
                    continue;
                }
                let length = operator(&trees[at..], punct, &mut text);
                let last = trees[at + length - 1].span();
                sink(Tag::Operator, &text, punct.span(), last);
                at += length;
                continue;
            }
        }
        at += 1;
    }
}

fn group_tokens(group: &Group, sink: &mut impl FnMut(Tag, &str, Span, Span)) {
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    };
    sink(Tag::Open, open, group.span_open(), group.span_open());
    each(group.stream(), sink);
    sink(Tag::Close, close, group.span_close(), group.span_close());
}

/// The number of trees that a literal documentation attribute takes here:
/// `#[doc = "…"]`, which is also what the lexer makes of a doc comment.
fn documentation(trees: &[TokenTree]) -> Option<usize> {
    let punct = |at: usize, wanted: char| matches!(trees.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == wanted);
    if !punct(0, '#') {
        return None;
    }
    let at = if punct(1, '!') { 2 } else { 1 };
    let Some(TokenTree::Group(group)) = trees.get(at) else {
        return None;
    };
    if group.delimiter() != Delimiter::Bracket {
        return None;
    }
    let mut inner = group.stream().into_iter();
    let literal = matches!(inner.next(), Some(TokenTree::Ident(name)) if name == "doc")
        && matches!(inner.next(), Some(TokenTree::Punct(punct)) if punct.as_char() == '=')
        && matches!(inner.next(), Some(TokenTree::Literal(_)))
        && inner.next().is_none();
    literal.then_some(at + 1)
}

/// Writes the longest operator that begins here; gives its number of trees.
fn operator(trees: &[TokenTree], first: &Punct, text: &mut String) -> usize {
    let mut joined = [first.as_char(); 3];
    let mut length = 1;
    let mut spacing = first.spacing();
    while length < 3 && spacing == Spacing::Joint {
        let Some(TokenTree::Punct(next)) = trees.get(length) else {
            break;
        };
        joined[length] = next.as_char();
        spacing = next.spacing();
        length += 1;
    }
    for length in (2..=length).rev() {
        text.clear();
        text.extend(&joined[..length]);
        if OPERATORS.contains(&text.as_str()) {
            return length;
        }
    }
    text.clear();
    text.push(joined[0]);
    1
}

/// Makes a string literal independent of how it is broken into lines.
fn by_value(literal: &mut String) {
    if !literal.contains('\n') {
        return;
    }
    // The compiler itself reads CRLF as LF, raw strings included.
    *literal = literal.replace("\r\n", "\n");
    let raw = literal
        .split('"')
        .next()
        .is_some_and(|prefix| prefix.contains('r'));
    if raw {
        return;
    }
    let mut value = String::with_capacity(literal.len());
    let mut rest = literal.chars().peekable();
    while let Some(character) = rest.next() {
        if character == '\\' {
            if rest.peek() == Some(&'\n') {
                while rest
                    .next_if(|c| matches!(c, ' ' | '\t' | '\n' | '\r'))
                    .is_some()
                {}
            } else {
                value.push(character);
                value.extend(rest.next());
            }
        } else {
            value.push(character);
        }
    }
    *literal = value;
}

/// The digest of a stream and the number of tokens in it.
pub(super) fn digest(stream: TokenStream) -> (String, usize) {
    let mut bytes = Vec::new();
    let mut size = 0;
    each(stream, &mut |tag, text, _, _| {
        bytes.push(tag.byte());
        bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
        size += 1;
    });
    (hex(&Sha256::digest(&bytes)), size)
}

/// Bytes as lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The tokens in one line, spaced as rustfmt would, so that people can read and
/// write them in a path.
pub(super) fn spell(stream: TokenStream) -> String {
    let mut line = String::new();
    let mut before: Option<(Tag, String)> = None;
    each(stream, &mut |tag, text, _, _| {
        if let Some((last_tag, last)) = &before
            && spaced(*last_tag, last, tag, text)
        {
            line.push(' ');
        }
        line.push_str(text);
        before = Some((tag, text.to_owned()));
    });
    line
}

fn spaced(last_tag: Tag, last: &str, tag: Tag, text: &str) -> bool {
    let word = |tag| matches!(tag, Tag::Word | Tag::Literal | Tag::Lifetime);
    let tight_after = match last_tag {
        Tag::Operator => matches!(last, "::" | "<" | "&" | "!" | "#" | "?" | "*" | "." | "$"),
        Tag::Open => true,
        _ => false,
    };
    let tight_before = match tag {
        Tag::Operator => matches!(text, "," | ";" | ":" | "::" | ">" | ">>" | "?" | "." | "!"),
        Tag::Close => true,
        Tag::Open => {
            word(last_tag) && !matches!(last, "for" | "as" | "dyn" | "where" | "in" | "const")
        }
        _ => false,
    };
    if tag == Tag::Operator && text == "<" {
        // `impl<T>`, `X<T>`; but `as <T as Trait>::Out`.
        return last == "where" || !(tight_after || word(last_tag) && last != "as");
    }
    // `impl !Send`, `T: ?Sized` and `A + ::b` keep their space.
    if matches!(text, "!" | "?" | "::")
        && (word(last_tag) && is_keyword(last) || matches!(last, ":" | "+" | "," | "="))
    {
        return true;
    }
    !(tight_after || tight_before)
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "impl" | "for" | "dyn" | "where" | "as" | "mut" | "const"
    )
}
