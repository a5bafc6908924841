//! One-token edits that change meaning change the hash. Those that keep it must
//! fall into one of the documented classes; the classification looks at the
//! tokens around the edit alone and shares nothing with the code under test.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::str::FromStr;

use groupant::source::{Item, Kind, Source};
use proc_macro2::{TokenStream, TokenTree};
use rayon::prelude::*;

use crate::corpus::samples;

/// Where the tokens of a text stand; the two ends of a group are tokens of their
/// own. Documentation, which is outside of the hash by rule, is left out.
fn places(text: &str) -> Vec<Range<usize>> {
    fn walk(stream: TokenStream, list: &mut Vec<Range<usize>>) {
        let mut trees = stream.into_iter().peekable();
        while let Some(tree) = trees.next() {
            match (&tree, trees.peek()) {
                (TokenTree::Punct(punct), Some(TokenTree::Group(group)))
                    if punct.as_char() == '#'
                        && group.stream().to_string().starts_with("doc =") =>
                {
                    trees.next();
                }
                (TokenTree::Group(group), _) => {
                    list.push(group.span_open().byte_range());
                    walk(group.stream(), list);
                    list.push(group.span_close().byte_range());
                }
                _ => list.push(tree.span().byte_range()),
            }
        }
    }
    let mut list = Vec::new();
    walk(
        TokenStream::from_str(text).expect("the item was parsed before"),
        &mut list,
    );
    proc_macro2::extra::invalidate_current_thread_spans();
    list
}

/// An edit of one token: these bytes become that text.
struct Edit {
    at: usize,
    range: Range<usize>,
    with: String,
    name: &'static str,
}

const SWAPS: [(&str, &str); 16] = [
    ("+", "-"),
    ("-", "+"),
    ("*", "/"),
    ("/", "%"),
    ("%", "*"),
    ("<", ">"),
    (">", "<"),
    ("&", "|"),
    ("|", "&"),
    ("!", "-"),
    ("^", "&"),
    ("=", "-="),
    ("true", "false"),
    ("false", "true"),
    ("break", "continue"),
    ("mut", "ref"),
];

/// The edits of the token at `at`.
fn edits_of(text: &str, places: &[Range<usize>], at: usize) -> Vec<Edit> {
    let range = places[at].clone();
    let token = &text[range.clone()];
    let edit = |range: Range<usize>, with: String, name| Edit {
        at,
        range,
        with,
        name,
    };
    let mut edits = vec![edit(range.clone(), " ".to_owned(), "delete")];
    for (from, to) in SWAPS {
        if token == from {
            edits.push(edit(range.clone(), to.to_owned(), "swap"));
        }
    }
    let first = token.chars().next().unwrap_or(' ');
    if first.is_ascii_digit() {
        edits.push(edit(range.clone(), format!("1{token}"), "literal"));
    } else if first == '"' {
        edits.push(edit(
            range.clone(),
            format!("\"x{}", &token[1..]),
            "literal",
        ));
    } else if first.is_alphabetic() && !token.contains(['"', '\'', '#']) {
        edits.push(edit(range.clone(), format!("{token}_x"), "rename"));
    }
    for with in [
        ";", ",", "&", "|", "+", ":", "?", "{}", "<>", "mut", "where", "move", "(x)",
    ] {
        edits.push(edit(range.end..range.end, format!(" {with} "), "insert"));
    }
    edits
}

/// Why an edit may keep the hash, by the tokens around it.
fn explained(text: &str, places: &[Range<usize>], edit: &Edit) -> Option<&'static str> {
    let token = |at: Option<usize>| {
        at.and_then(|at| places.get(at))
            .map_or("", |p| &text[p.clone()])
    };
    let deleted = edit.name == "delete";
    // What was taken away or put in, and its neighbours.
    let (what, before, after) = if deleted {
        (
            &text[edit.range.clone()],
            token(edit.at.checked_sub(1)),
            token(Some(edit.at + 1)),
        )
    } else {
        (
            edit.with.trim(),
            token(Some(edit.at)),
            token(Some(edit.at + 1)),
        )
    };
    let ends = matches!(after, ")" | "]" | "}" | ">" | "");
    match what {
        "," if ends => Some("trailing comma"),
        // After the last condition of a `where`, and the last input of a closure.
        "," if matches!(after, "{" | ";" | "|" | "=") => Some("trailing comma"),
        "," if before == "}" => Some("comma after a block arm"),
        "+" if ends || matches!(after, "," | "{" | "=" | ";") => Some("trailing plus"),
        ";" if matches!(before, "{" | ";" | "}") || after == ";" => {
            Some("empty statement or after a loop")
        }
        ";" if after == "}" && jumps(text, places, edit.at + usize::from(!deleted)) => {
            Some("after a final jump")
        }
        // An empty statement at the beginning of a macro's body, or after an inner attribute.
        ";" if before == "(" || inner_attribute(text, places, edit.at) => {
            Some("empty statement or after a loop")
        }
        "|" if matches!(
            before,
            "{" | "," | "(" | "}" | ";" | "[" | ":" | "let" | "for"
        ) =>
        {
            Some("leading bar")
        }
        ":" if matches!(after, ">" | "," | "{" | "=" | ";" | "where") => Some("no bounds"),
        "{}" if before == "{" && after == "}" => Some("block around a body"),
        "<>" => Some("no parameters"),
        "where" => Some("no conditions"),
        "in" => Some("pub(in crate)"),
        "\"C\"" if before == "extern" => Some("extern \"C\""),
        _ => None,
    }
}

/// Whether an inner attribute ends with the token.
fn inner_attribute(text: &str, places: &[Range<usize>], end: usize) -> bool {
    let token = |at: usize| &text[places[at].clone()];
    let opening = (0..end).rev().find(|at| token(*at) == "[");
    opening.is_some_and(|at| at >= 2 && token(at - 1) == "!" && token(at - 2) == "#")
}

/// Whether the statement that ends before the token is a jump.
fn jumps(text: &str, places: &[Range<usize>], end: usize) -> bool {
    let mut depth = 0_usize;
    for at in (0..end).rev() {
        match &text[places[at].clone()] {
            "}" | ")" | "]" => depth += 1,
            "{" | "(" | "[" if depth > 0 => depth -= 1,
            "{" | ";" if depth == 0 => return false,
            "return" | "break" | "continue" if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// An item as a text of its own, and which item of that text it is.
fn alone(text: &str, item: &Item) -> Option<(String, usize)> {
    let part = text.get(item.span.clone())?;
    let member = |block: &str| item.path.contains(&format!("{block} ")) && item.kind != Kind::Trait;
    if item.kind == Kind::Impl {
        Some((format!("{part} {{}}"), 0))
    } else if item.path.contains("extern \"") {
        None
    } else if member("trait") {
        Some((format!("trait Around {{ {part} }}"), 1))
    } else if item.path.contains("impl") {
        Some((format!("impl Around {{ {part} }}"), 1))
    } else {
        Some((part.to_owned(), 0))
    }
}

/// The same for every run: which of several thousand edits are tried.
fn chosen(seed: &mut u64, one_in: u64) -> bool {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33).is_multiple_of(one_in)
}

#[derive(Default)]
struct Count {
    edits: BTreeMap<&'static str, usize>,
    kept: BTreeMap<&'static str, usize>,
    unexplained: Vec<String>,
}

impl Count {
    fn plus(mut self, other: Self) -> Self {
        for (name, times) in other.edits {
            *self.edits.entry(name).or_default() += times;
        }
        for (name, times) in other.kept {
            *self.kept.entry(name).or_default() += times;
        }
        self.unexplained.extend(other.unexplained);
        self
    }
}

fn try_edits(text: &str, item: &Item, seed: &mut u64, count: &mut Count) {
    let Some((text, index)) = alone(text, item) else {
        return;
    };
    let Ok(original) = Source::parse(text.as_bytes()) else {
        return;
    };
    let Some(hash) = original.items.get(index).map(|item| item.tokens.clone()) else {
        return;
    };
    let span = &original.items[index].span;
    let places = places(&text);
    for at in (0..places.len()).filter(|at| span.contains(&places[*at].start)) {
        for edit in edits_of(&text, &places, at) {
            if !chosen(seed, 32) {
                continue;
            }
            let mut edited = text.clone();
            edited.replace_range(edit.range.clone(), &edit.with);
            let Ok(after) = Source::parse(edited.as_bytes()) else {
                continue;
            };
            *count.edits.entry(edit.name).or_default() += 1;
            // An edit may cut the item in two or end it early: then it moved.
            let same =
                after.items.len() == original.items.len() && after.items[index].tokens == hash;
            if !same {
                continue;
            }
            if let Some(class) = explained(&text, &places, &edit) {
                *count.kept.entry(class).or_default() += 1;
            } else {
                let from = places[at.saturating_sub(12)].start;
                let to = places[(at + 8).min(places.len() - 1)].end;
                let around = format!(
                    "{}<here>{}",
                    &text[from..places[at].end],
                    &text[places[at].end..to]
                );
                count
                    .unexplained
                    .push(format!("{} {:?}: {around}", edit.name, edit.with));
            }
        }
    }
}

#[test]
fn one_token_edits_that_keep_the_hash_fall_into_the_documented_classes() {
    let count = samples(300)
        .par_iter()
        .enumerate()
        .map(|(number, sample)| {
            let mut count = Count::default();
            let mut seed = number as u64;
            let text = fs::read_to_string(&sample.place).unwrap_or_default();
            let Ok(source) = Source::parse(text.as_bytes()) else {
                return count;
            };
            let small = source.items.iter().filter(|item| item.size < 300);
            for item in small.step_by(source.items.len() / 8 + 1) {
                try_edits(&text, item, &mut seed, &mut count);
            }
            count
        })
        .reduce(Count::default, Count::plus);
    let tried: usize = count.edits.values().sum();
    println!("edits that parse: {tried} {:?}", count.edits);
    println!("kept the hash: {:?}", count.kept);
    assert!(tried >= 5_000, "too few edits: {tried}");
    assert_eq!(count.unexplained, Vec::<String>::new());
}
