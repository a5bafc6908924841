//! Runs of `use`: flattened to one leaf each and sorted, with their attributes
//! and their visibility. `y as y` is `y`; `self` stays, since `a::{self}` takes
//! less into scope than `a`. Runs of `mod x;` and of `extern crate` are sorted.

use std::mem;

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::token::Brace;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Item, ItemUse, Stmt, UseGroup, UseName, UsePath, UseTree};

use super::canon::Canon;
use super::tokens;

/// Brings the order within a list of items into its canonical form. Only what is
/// no item of ours moves.
pub(super) fn settle(items: &mut Vec<Item>) {
    for item in items.iter_mut() {
        if let Item::Use(one) = item {
            Canon.visit_item_use_mut(one);
        }
    }
    flatten(items, of_item, Item::Use);
    sort_runs(items, |item| match item {
        Item::Mod(module) => module.content.is_none() && !textual_scope(&module.attrs),
        _ => false,
    });
    sort_runs(items, |item| match item {
        Item::ExternCrate(one) => !textual_scope(&one.attrs),
        _ => false,
    });
}

/// The `use` that an item is.
fn of_item(item: &mut Item) -> Option<&mut ItemUse> {
    match item {
        Item::Use(one) => Some(one),
        _ => None,
    }
}

/// Brings the order within a list of statements into its canonical form.
pub(super) fn settle_statements(statements: &mut Vec<Stmt>) {
    fn of_statement(statement: &mut Stmt) -> Option<&mut ItemUse> {
        match statement {
            Stmt::Item(item) => of_item(item),
            _ => None,
        }
    }
    flatten(statements, of_statement, |one| Stmt::Item(Item::Use(one)));
}

/// After `#[macro_use]` the order matters.
fn textual_scope(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("macro_use"))
}

/// Replaces every run of `use` in the list by its sorted leaves.
fn flatten<T>(
    list: &mut Vec<T>,
    of: impl Fn(&mut T) -> Option<&mut ItemUse>,
    give: impl Fn(ItemUse) -> T,
) {
    let mut run: Vec<(String, ItemUse)> = Vec::new();
    let mut flat = Vec::with_capacity(list.len());
    let flush = |run: &mut Vec<(String, ItemUse)>, flat: &mut Vec<T>| {
        run.sort_by(|left, right| left.0.cmp(&right.0));
        flat.extend(run.drain(..).map(|(_, one)| give(one)));
    };
    for mut element in mem::take(list) {
        if let Some(one) = of(&mut element) {
            let nothing = UseTree::Group(UseGroup {
                brace_token: Brace::default(),
                items: Punctuated::new(),
            });
            let tree = mem::replace(&mut one.tree, nothing);
            leaves(tree, &mut |tree| {
                let mut leaf = one.clone();
                leaf.tree = tree;
                run.push((tokens::spell(leaf.to_token_stream()), leaf));
            });
        } else {
            flush(&mut run, &mut flat);
            flat.push(element);
        }
    }
    flush(&mut run, &mut flat);
    *list = flat;
}

/// Hands every leaf of a tree to `sink`, with the path that leads to it.
fn leaves(tree: UseTree, sink: &mut dyn FnMut(UseTree)) {
    match tree {
        UseTree::Path(UsePath {
            ident,
            colon2_token,
            tree,
        }) => leaves(*tree, &mut |leaf| {
            sink(UseTree::Path(UsePath {
                ident: ident.clone(),
                colon2_token,
                tree: Box::new(leaf),
            }));
        }),
        UseTree::Group(group) => {
            for tree in group.items {
                leaves(tree, sink);
            }
        }
        UseTree::Rename(rename) if rename.ident == rename.rename => {
            sink(UseTree::Name(UseName {
                ident: rename.ident,
            }));
        }
        leaf => sink(leaf),
    }
}

/// Sorts each run of elements that `wanted` picks by their tokens.
fn sort_runs(items: &mut [Item], wanted: impl Fn(&Item) -> bool) {
    for run in items.chunk_by_mut(|left, right| wanted(left) && wanted(right)) {
        if run.len() > 1 {
            run.sort_by_cached_key(|item| tokens::spell(item.to_token_stream()));
        }
    }
}
