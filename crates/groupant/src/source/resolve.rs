//! From a reference in a document to items: the reference must be the end of a
//! path, spelled by names.
//!
//! A path is taken apart again here instead of keeping its parts beside it; the
//! keywords that begin its parts make that unambiguous.

use std::str::FromStr;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{ItemImpl, Path, PathArguments, Type};

use super::{Item, tokens};

/// The production items that a reference names.
pub(super) fn resolve<'items>(items: &'items [Item], reference: &str) -> Vec<&'items Item> {
    let production = || items.iter().filter(|item| !item.test);
    let exact: Vec<&Item> = production().filter(|item| item.path == reference).collect();
    if !exact.is_empty() {
        return exact;
    }
    // Blanks within the reference don't count.
    let reference =
        TokenStream::from_str(reference).map_or_else(|_| reference.to_owned(), tokens::spell);
    if reference.is_empty() {
        return Vec::new();
    }
    production()
        .filter(|item| names(&item.path, &reference))
        .collect()
}

/// Whether the reference is the end of the path.
fn names(path: &str, reference: &str) -> bool {
    let parts = parts(path);
    // All ways to have matched the end of the reference down to some byte.
    let mut open = vec![reference];
    for (at, part) in parts.iter().rev().enumerate() {
        let spellings = spellings(part, at == 0);
        let mut left = Vec::new();
        for rest in open {
            for spelling in &spellings {
                match rest.strip_suffix(spelling.as_str()) {
                    Some("") => return true,
                    Some(before) => left.extend(before.strip_suffix("::")),
                    None => {}
                }
            }
        }
        if left.is_empty() {
            return false;
        }
        open = left;
    }
    false
}

/// The parts of a path, without conditions and without a tag.
fn parts(path: &str) -> Vec<&str> {
    let mut rest = path;
    // A tag stands at the end, after a blank.
    if let Some((before, tag)) = rest.rsplit_once(" [")
        && let Some(tag) = tag.strip_suffix(']')
        && tag
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'.')
    {
        rest = before;
    }
    let mut parts = Vec::new();
    while !rest.is_empty() {
        rest = without_conditions(rest);
        let end = part_end(rest);
        parts.push(&rest[..end]);
        rest = rest[end..].strip_prefix("::").unwrap_or("");
    }
    parts
}

fn without_conditions(mut rest: &str) -> &str {
    while rest.starts_with('#') {
        let end = closing(rest).unwrap_or(rest.len());
        rest = &rest[end..];
        rest = rest.strip_prefix("::").unwrap_or(rest).trim_start();
    }
    rest
}

/// Where the first bracket closes.
fn closing(text: &str) -> Option<usize> {
    let mut quoted = false;
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' if !quoted => depth += 1,
            b']' if !quoted => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Where the first part ends. The header of an `impl` may hold `::` itself; its
/// members begin with a keyword that can't stand after `::` in a type.
fn part_end(rest: &str) -> usize {
    if !rest.starts_with("impl") {
        return rest.find("::").unwrap_or(rest.len());
    }
    let member = ["::fn ", "::const ", "::type ", "::#["];
    member
        .iter()
        .filter_map(|keyword| rest.rfind(keyword))
        .min()
        .unwrap_or(rest.len())
}

/// How a part may be spelled in a reference; `last` says that it is the item.
fn spellings(part: &str, last: bool) -> Vec<String> {
    if let Ok(header) = syn::parse_str::<ItemImpl>(&format!("{part} {{}}"))
        && part.starts_with("impl")
    {
        return header_spellings(part, &header, last);
    }
    let mut spellings = vec![part.to_owned()];
    if let Some((_, name)) = part.split_once(' ') {
        spellings.push(name.to_owned());
    }
    spellings
}

fn header_spellings(part: &str, header: &ItemImpl, last: bool) -> Vec<String> {
    let traits: Vec<Option<String>> = match &header.trait_ {
        None => vec![None],
        Some((path, _)) => {
            let not = if header.modifiers.polarity.is_some() {
                "!"
            } else {
                ""
            };
            path_spellings(path)
                .into_iter()
                .map(|path| Some(format!("{not}{path}")))
                .collect()
        }
    };
    let types = match &*header.self_ty {
        Type::Path(ty) if ty.qself.is_none() => path_spellings(&ty.path),
        other => vec![tokens::spell(other.to_token_stream())],
    };
    let generics = tokens::spell(header.generics.to_token_stream());
    let condition = &header.generics.where_clause;
    let condition = tokens::spell(quote!(#condition));
    let mut spellings = vec![part.to_owned()];
    for ty in &types {
        for name in &traits {
            let core = name
                .as_ref()
                .map_or_else(|| ty.clone(), |name| format!("{name} for {ty}"));
            for core in [core.clone(), format!("{core} {condition}")] {
                spellings.push(format!("impl {core}"));
                spellings.push(format!("impl{generics} {core}"));
                if !last {
                    spellings.push(core);
                }
            }
        }
        if !last {
            spellings.push(ty.clone());
        }
    }
    spellings.sort();
    spellings.dedup();
    spellings
}

/// A path in full, by its last name with arguments, and by its last name.
fn path_spellings(path: &Path) -> Vec<String> {
    let mut spellings = vec![tokens::spell(path.to_token_stream())];
    if let Some(last) = path.segments.last() {
        spellings.push(tokens::spell(last.to_token_stream()));
        spellings.push(last.ident.to_string());
        let mut bare = path.clone();
        if let Some(last) = bare.segments.last_mut() {
            last.arguments = PathArguments::None;
        }
        spellings.push(tokens::spell(bare.to_token_stream()));
    }
    spellings.sort();
    spellings.dedup();
    spellings
}
