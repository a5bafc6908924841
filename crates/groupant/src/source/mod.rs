//! One Rust source: its bytes, its items, their paths, places and hashes. The
//! sole user of `syn`.
//!
//! An item's hash is taken over the *canonical tokens* of its syntax tree:
//! comments and rustfmt leave it alone, a change of meaning moves it. The rules
//! stand in `canon`, `macros`, `uses` and `tokens`; what an item is and
//! how its path is spelled stands in `items`.

mod canon;
mod find;
mod items;
mod macros;
mod place;
mod resolve;
mod shape;
mod text;
mod tokens;
mod uses;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use find::{count_tokens, find_tokens};
pub use place::{Place, place};

/// The version of the rules for canonical tokens, paths and digests. Hashes
/// taken under different versions can't be compared.
pub const TOKENS_VERSION: &str = "tokens/1";

/// A parsed source.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// SHA-256 of the file's bytes, in hex.
    pub sha256: String,
    /// Whether the file holds a line that ends with CRLF.
    pub crlf: bool,
    /// Digest of the file's canonical tokens without what only tests see.
    pub production: String,
    /// Digest of all canonical tokens of the file.
    pub whole: String,
    /// The items in the order of the file.
    pub items: Vec<Item>,
}

/// A named part of a source, or the header of an `impl`.
///
/// Ranges are byte ranges in the file as it lies on the disk, a byte order mark
/// and a shebang line included.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The complete path, different for every item of a file; its grammar is
    /// documented in the sources of this room (`items.rs`).
    pub path: String,
    /// What the item is.
    pub kind: Kind,
    /// SHA-256 of the canonical tokens, in hex. For an `impl` these are the
    /// tokens of its header, for a trait its members are included.
    pub tokens: String,
    /// SHA-256 of the canonical tokens that a user of the item depends on: for a
    /// function all but its body, for a constant or static all but its value,
    /// for a trait its header and its members' signatures; for everything else
    /// the same tokens as in `tokens`.
    pub signature: String,
    /// The number of canonical tokens.
    pub size: usize,
    /// The item with its attributes and doc comments. The span of an `impl`
    /// header ends before the opening brace.
    pub span: Range<usize>,
    /// The place to underline: from visibility or keyword to the end of the
    /// signature.
    pub head: Range<usize>,
    /// The body with its braces: of a function, a trait, a `macro_rules`.
    pub body: Option<Range<usize>>,
    /// Whether only tests see the item: it, or something that encloses it, is a
    /// test function or stands under a condition that implies `cfg(test)`.
    pub test: bool,
}

/// What an item is.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// A function or method, with or without a body.
    Fn,
    /// A `struct`.
    Struct,
    /// An `enum`.
    Enum,
    /// A `union`.
    Union,
    /// A trait, with its members.
    Trait,
    /// A type alias or an associated type.
    Type,
    /// A constant.
    Const,
    /// A static.
    Static,
    /// A `macro_rules` definition.
    Macro,
    /// The header of an `impl`, without its members.
    Impl,
}

impl Kind {
    /// The keyword that stands before the item's name in its path.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fn => "fn",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Union => "union",
            Self::Trait => "trait",
            Self::Type => "type",
            Self::Const => "const",
            Self::Static => "static",
            Self::Macro => "macro",
            Self::Impl => "impl",
        }
    }
}

/// Why a text could not be read as Rust, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SourceError {
    /// What is wrong.
    pub message: String,
    /// The bytes that it is about, in the text as given.
    pub range: Range<usize>,
}

impl Source {
    /// Reads a whole source file.
    ///
    /// The parser runs on a thread of its own with a large stack; a file that is
    /// too large or nested too deeply for it is an error. This never panics.
    ///
    /// # Errors
    ///
    /// Says where the text is not UTF-8, is not Rust, or goes beyond a bound.
    pub fn parse(bytes: &[u8]) -> Result<Source, SourceError> {
        items::parse(bytes)
    }

    /// The production items that a reference names: none, one or several.
    ///
    /// A reference is the end of an item's path, spelled by names:
    /// `decode_events`, `Decoder::push`, `Display for X::fmt`,
    /// `inner::Decoder::push`. A kind may stand before a name (`fn push`), an
    /// `impl` may be spelled with or without its generic parameters, `where`
    /// clause, qualifying path and arguments, or by its type alone. The header
    /// of an `impl` is only named by a reference whose last part begins with
    /// `impl`. A complete path always names its item.
    #[must_use]
    pub fn resolve(&self, reference: &str) -> Vec<&Item> {
        resolve::resolve(&self.items, reference)
    }
}

/// The list of a source's items that stands in `syntax.json`: everything that
/// comments and rustfmt leave unchanged, and nothing else.
#[must_use]
pub fn projection(source: &Source) -> Value {
    let items: Vec<Value> = source
        .items
        .iter()
        .map(|item| {
            json!({
                "kind": item.kind,
                "path": item.path,
                "signature": item.signature,
                "size": item.size,
                "test": item.test,
                "tokens": item.tokens,
            })
        })
        .collect();
    json!({
        "items": items,
        "production": source.production,
        "version": TOKENS_VERSION,
        "whole": source.whole,
    })
}
