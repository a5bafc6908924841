//! Which parts of a file are items, how their paths are spelled, and what each
//! hash is taken over.
//!
//! Items are functions, methods, types, traits and their members, constants,
//! statics, `macro_rules` definitions, and the headers of `impl` blocks. Items
//! within a function's body belong to the function. Attributes of modules, calls
//! of macros at item level and `use` lines are outside every item; the two
//! digests of the file tell that something moved there.
//!
//! The grammar of a path:
//!
//! ```text
//! path      = [ "#![cfg(…)]::" ] { part "::" } part [ " [" tag "]" ]
//! part      = { "#[cfg(…)] " } ( "mod " name | impl | "trait " name | extern | kind " " name )
//! impl      = "impl" [ "<…>" ] " " [ [ "!" ] trait " for " ] type [ " where …" ]
//! extern    = "extern " literal
//! kind      = "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static" | "macro"
//! ```
//!
//! for example `mod inner::impl<T> Display for X<T>::fn fmt` or
//! `#[cfg(unix)] fn open`. The header of an `impl` is spelled in full, but
//! without `unsafe` and `default`, so that their loss shows as a changed header
//! and not as a lost item.
//!
//! Where several items share a path, they are told apart by their hash and then
//! by their order: if all have the same tokens, the second gets ` [2]`, the third
//! ` [3]`; otherwise each gets its hash, ` [1b2c3d4e]`, and items of equal tokens
//! among them ` [1b2c3d4e.2]`. A plain ordinal would name another item as soon
//! as one is inserted.

use std::collections::HashMap;
use std::mem;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use sha2::{Digest, Sha256};
use syn::visit_mut::VisitMut;
use syn::{Attribute, File, ForeignItem, ImplItem, ItemForeignMod, ItemImpl, ItemMod, ItemTrait};

use super::canon::Canon;
use super::shape::{self, Conditions, Reader, Shape};
use super::{Item, Kind, Source, SourceError, text, tokens, uses};

/// Reads a file into its items.
pub(super) fn parse(bytes: &[u8]) -> Result<Source, SourceError> {
    let (body, offset) = text::body(bytes)?;
    let (items, whole, production) = text::deep(|| {
        let stream = text::lex(body, offset)?;
        let mut file: File = syn::parse2(stream).map_err(|error| {
            let range = match error.span().byte_range() {
                // An error at the end of the text has no span.
                range if range.end == 0 => bytes.len()..bytes.len(),
                range => range.start + offset..range.end + offset,
            };
            SourceError {
                message: error.to_string(),
                range,
            }
        })?;
        let mut walk = Walk {
            reader: Reader { offset },
            items: Vec::new(),
            whole: Sha256::new(),
            production: Sha256::new(),
        };
        walk.file(&mut file);
        tell_apart(&mut walk.items);
        let [whole, production] =
            [walk.whole, walk.production].map(|hash| tokens::hex(&hash.finalize()));
        Ok((walk.items, whole, production))
    })?;
    Ok(Source {
        sha256: tokens::hex(&Sha256::digest(bytes)),
        crlf: bytes.windows(2).any(|pair| pair == b"\r\n"),
        production,
        whole,
        items,
    })
}

/// What encloses an item.
struct Context {
    /// The path up to and with the last `::`.
    prefix: String,
    test: bool,
    /// Tokens that every item in here depends on: the header of an `extern`.
    shared: TokenStream,
}

impl Context {
    /// What encloses the members of `part`, which stands in here.
    fn enter(&self, part: &str, conditions: &Conditions) -> Self {
        Self {
            prefix: format!("{}{}{part}::", self.prefix, conditions.spelled),
            test: self.test || conditions.test,
            shared: TokenStream::new(),
        }
    }
}

struct Walk {
    reader: Reader,
    items: Vec<Item>,
    whole: Sha256,
    production: Sha256,
}

impl Walk {
    /// Adds a part to the digests of the file. Each part is terminated, so that
    /// no two lists of parts give the same bytes.
    fn part(&mut self, test: bool, digest: &str) {
        self.whole.update(digest);
        self.whole.update(b"\n");
        if !test {
            self.production.update(digest);
            self.production.update(b"\n");
        }
    }

    /// Records an item, given its canonical tokens.
    fn record(
        &mut self,
        context: &Context,
        shape: Shape,
        tokens: &TokenStream,
        signature: Option<&TokenStream>,
    ) -> (String, bool) {
        let shared = &context.shared;
        let (digest, size) = tokens::digest(quote!(#shared #tokens));
        let signature = match signature {
            Some(signature) => tokens::digest(quote!(#shared #signature)).0,
            None => digest.clone(),
        };
        let Shape {
            kind,
            name,
            conditions,
            span,
            head,
            body,
        } = shape;
        let name = if kind == Kind::Impl {
            name
        } else {
            format!("{} {name}", kind.as_str())
        };
        let test = context.test || conditions.test;
        self.items.push(Item {
            path: format!("{}{}{name}", context.prefix, conditions.spelled),
            kind,
            tokens: digest.clone(),
            signature,
            size,
            span,
            head,
            body,
            test,
        });
        (digest, test)
    }

    /// Records an item that is a part of the file by itself.
    fn element(
        &mut self,
        context: &Context,
        shape: Shape,
        tokens: impl ToTokens,
        signature: Option<&TokenStream>,
    ) {
        let (digest, test) = self.record(context, shape, &tokens.into_token_stream(), signature);
        self.part(test, &digest);
    }

    /// Adds a part of the file that is no item.
    fn outside(&mut self, context: &Context, attributes: &[Attribute], tokens: impl ToTokens) {
        let test = context.test || Conditions::of(attributes).test;
        self.part(test, &tokens::digest(tokens.into_token_stream()).0);
    }

    fn file(&mut self, file: &mut File) {
        let conditions = Conditions::of(&file.attrs);
        let context = Context {
            prefix: conditions
                .spelled
                .replace("#[cfg", "#![cfg")
                .replace("] ", "]::"),
            test: conditions.test,
            shared: TokenStream::new(),
        };
        Canon.visit_attributes_mut(&mut file.attrs);
        let attributes = &file.attrs;
        self.outside(&context, &[], quote!(#(#attributes)*));
        self.items(&mut file.items, &context);
    }

    fn items(&mut self, items: &mut Vec<syn::Item>, context: &Context) {
        uses::settle(items);
        for item in items {
            match item {
                syn::Item::Mod(module) => self.module(module, context),
                syn::Item::Impl(block) => self.implementation(block, context),
                syn::Item::Trait(one) => self.interface(one, context),
                syn::Item::ForeignMod(block) => self.foreign(block, context),
                item => {
                    let shape = self.reader.item(item);
                    Canon.visit_item_mut(item);
                    match shape {
                        Some(shape) => {
                            let signature = shape::signature(item);
                            self.element(context, shape, item, signature.as_ref());
                        }
                        None => self.outside(context, attributes(item), &*item),
                    }
                }
            }
        }
    }

    fn module(&mut self, module: &mut ItemMod, context: &Context) {
        let conditions = Conditions::of(&module.attrs);
        Canon.visit_attributes_mut(&mut module.attrs);
        Canon.visit_visibility_mut(&mut module.vis);
        let inner = context.enter(&format!("mod {}", module.ident), &conditions);
        let (attrs, vis, unsafety, name) =
            (&module.attrs, &module.vis, &module.unsafety, &module.ident);
        let header = quote!(#(#attrs)* #vis #unsafety mod #name);
        let Some((_, items)) = &mut module.content else {
            return self.outside(&inner, &[], quote!(#header ;));
        };
        self.outside(&inner, &[], header);
        self.items(items, &inner);
        self.part(inner.test, "end");
    }

    fn implementation(&mut self, block: &mut ItemImpl, context: &Context) {
        let members = mem::take(&mut block.items);
        let mut shape = self.reader.header(block);
        Canon.visit_item_impl_mut(block);
        let rest = shape::header_tokens(block);
        shape.name = tokens::spell(quote!(impl #rest));
        let inner = context.enter(&shape.name, &shape.conditions);
        self.element(context, shape, block, None);
        for mut member in members {
            let shape = self.reader.impl_member(&member);
            Canon.visit_impl_item_mut(&mut member);
            match (shape, &member) {
                (Some(shape), _) => {
                    let signature = shape::impl_signature(&member);
                    self.element(&inner, shape, member, signature.as_ref());
                }
                (None, ImplItem::Macro(one)) => self.outside(&inner, &one.attrs, &member),
                (None, _) => self.outside(&inner, &[], member),
            }
        }
        self.part(inner.test, "end");
    }

    fn interface(&mut self, one: &mut ItemTrait, context: &Context) {
        let shape = self.reader.interface(one);
        let inner = context.enter(&format!("trait {}", one.ident), &shape.conditions);
        let shapes: Vec<Option<Shape>> = one
            .items
            .iter()
            .map(|member| self.reader.trait_member(member))
            .collect();
        Canon.visit_item_trait_mut(one);
        let tokens = one.to_token_stream();
        let members = mem::take(&mut one.items);
        let header = one.to_token_stream();
        let signatures: Vec<Option<TokenStream>> =
            members.iter().map(shape::trait_signature).collect();
        let listed: TokenStream = members
            .iter()
            .zip(&signatures)
            .map(|(member, signature)| {
                signature
                    .clone()
                    .unwrap_or_else(|| member.to_token_stream())
            })
            .collect();
        // The trait as one item holds its members; as a part of the file it is
        // its header, so that members for tests stay out of production.
        let (_, test) = self.record(context, shape, &tokens, Some(&quote!(#header #listed)));
        self.part(test, &tokens::digest(header).0);
        for ((member, shape), signature) in members.iter().zip(shapes).zip(signatures) {
            match shape {
                Some(shape) => self.element(&inner, shape, member, signature.as_ref()),
                None => self.outside(&inner, &[], member),
            }
        }
        self.part(test, "end");
    }

    fn foreign(&mut self, block: &mut ItemForeignMod, context: &Context) {
        let conditions = Conditions::of(&block.attrs);
        let members = mem::take(&mut block.items);
        Canon.visit_item_foreign_mod_mut(block);
        let abi = tokens::spell(block.abi.to_token_stream());
        let mut inner = context.enter(&abi, &conditions);
        self.outside(&inner, &[], &*block);
        inner.shared = block.to_token_stream();
        for mut member in members {
            let shape = self.reader.foreign_member(&member);
            Canon.visit_foreign_item_mut(&mut member);
            match (shape, &member) {
                (Some(shape), _) => self.element(&inner, shape, member, None),
                (None, ForeignItem::Macro(one)) => self.outside(&inner, &one.attrs, &member),
                (None, _) => self.outside(&inner, &[], member),
            }
        }
        self.part(inner.test, "end");
    }
}

/// The attributes of an item that is outside every item of ours.
fn attributes(item: &syn::Item) -> &[Attribute] {
    match item {
        syn::Item::Use(one) => &one.attrs,
        syn::Item::ExternCrate(one) => &one.attrs,
        syn::Item::Macro(one) => &one.attrs,
        _ => &[],
    }
}

/// Gives items of one path different paths.
fn tell_apart(items: &mut [Item]) {
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        groups.entry(&item.path).or_default().push(at);
    }
    let doubled: Vec<Vec<usize>> = groups
        .into_values()
        .filter(|group| group.len() > 1)
        .collect();
    for group in doubled {
        let same = group
            .iter()
            .all(|at| items[*at].tokens == items[group[0]].tokens);
        let mut seen: HashMap<String, usize> = HashMap::new();
        for at in group {
            let item = &mut items[at];
            let times = seen.entry(item.tokens.clone()).or_default();
            *times += 1;
            let hash = &item.tokens[..8];
            let tag = match (same, *times) {
                (true, 1) => continue,
                (true, times) => format!(" [{times}]"),
                (false, 1) => format!(" [{hash}]"),
                (false, times) => format!(" [{hash}.{times}]"),
            };
            item.path.push_str(&tag);
        }
    }
}
