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

/// Gives the `use` that a statement is, or the statement back.
pub(super) fn of_statement(statement: Stmt) -> Result<ItemUse, Stmt> {
    match statement {
        Stmt::Item(Item::Use(one)) => Ok(one),
        other => Err(other),
    }
}

fn of_item(item: Item) -> Result<ItemUse, Item> {
    match item {
        Item::Use(one) => Ok(one),
        other => Err(other),
    }
}

/// After `#[macro_use]` the order matters.
fn textual_scope(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("macro_use"))
}

/// Replaces every run of `use` in the list by its sorted leaves.
pub(super) fn flatten<T>(
    list: &mut Vec<T>,
    take: impl Fn(T) -> Result<ItemUse, T>,
    give: impl Fn(ItemUse) -> T,
) {
    let mut run: Vec<(String, ItemUse)> = Vec::new();
    let mut flat = Vec::with_capacity(list.len());
    let flush = |run: &mut Vec<(String, ItemUse)>, flat: &mut Vec<T>| {
        run.sort_by(|left, right| left.0.cmp(&right.0));
        flat.extend(run.drain(..).map(|(_, one)| give(one)));
    };
    for element in mem::take(list) {
        match take(element) {
            Ok(mut one) => {
                let tree = mem::replace(&mut one.tree, nothing());
                leaves(tree, &mut |tree| {
                    let mut leaf = one.clone();
                    leaf.tree = tree;
                    run.push((tokens::spell(leaf.to_token_stream()), leaf));
                });
            }
            Err(other) => {
                flush(&mut run, &mut flat);
                flat.push(other);
            }
        }
    }
    flush(&mut run, &mut flat);
    *list = flat;
}

fn nothing() -> UseTree {
    UseTree::Group(UseGroup {
        brace_token: Brace::default(),
        items: Punctuated::new(),
    })
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
