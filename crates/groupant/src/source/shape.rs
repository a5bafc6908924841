//! What is read off an item before its tree is brought into canonical form
//! (which loses places and documentation), and which of its canonical tokens
//! make up the signature.

use std::fmt::Write as _;
use std::ops::Range;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{
    AttrStyle, Attribute, Fields, ForeignItem, ImplItem, Item, ItemImpl, ItemTrait, Meta, Token,
    TraitItem,
};

use super::canon::Canon;
use super::{Kind, text, tokens};

/// Name, condition and places of an item.
pub(super) struct Shape {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) conditions: Conditions,
    pub(super) span: Range<usize>,
    pub(super) head: Range<usize>,
    pub(super) body: Option<Range<usize>>,
}

/// What the attributes of a node say about when it exists.
pub(super) struct Conditions {
    /// `#[cfg(…)] ` for each of them, in order.
    pub(super) spelled: String,
    pub(super) test: bool,
}

impl Conditions {
    pub(super) fn of(attributes: &[Attribute]) -> Self {
        let mut conditions = Self {
            spelled: String::new(),
            test: false,
        };
        for attribute in attributes {
            let last = attribute.path().segments.last();
            if last.is_some_and(|last| last.ident == "test" || last.ident == "bench") {
                conditions.test = true;
            }
            if !attribute.path().is_ident("cfg") {
                continue;
            }
            if let Meta::List(list) = &attribute.meta {
                let mut condition = attribute.meta.clone();
                Canon.visit_meta_mut(&mut condition);
                let spelled = tokens::spell(condition.into_token_stream());
                let _ = write!(conditions.spelled, "#[{spelled}] ");
                conditions.test |= list.parse_args().is_ok_and(|meta| implies_test(&meta));
            }
        }
        conditions
    }
}

/// Whether a condition holds in test builds only.
fn implies_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => {
            let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
            let Ok(parts) = list.parse_args_with(parser) else {
                return false;
            };
            if list.path.is_ident("all") {
                parts.iter().any(implies_test)
            } else {
                list.path.is_ident("any") && !parts.is_empty() && parts.iter().all(implies_test)
            }
        }
        Meta::NameValue(_) => false,
    }
}

/// Reads shapes off a text that begins some bytes into its file.
pub(super) struct Reader {
    pub(super) offset: usize,
}

impl Reader {
    /// `head` are the tokens to underline, `end` is the item's last token.
    fn shape(
        &self,
        kind: Kind,
        name: &impl ToString,
        attributes: &[Attribute],
        head: TokenStream,
        end: Span,
    ) -> Shape {
        let range = |span| text::range(span, self.offset);
        let mut trees = head.into_iter();
        let first = trees.next().map_or(end, |tree| tree.span());
        let last = trees.last().map_or(first, |tree| tree.span());
        let start = attributes
            .iter()
            .find(|attribute| matches!(attribute.style, AttrStyle::Outer))
            .map_or(first, |attribute| attribute.pound_token.span);
        Shape {
            kind,
            name: name.to_string(),
            conditions: Conditions::of(attributes),
            span: range(start).start..range(end).end,
            head: range(first).start..range(last).end,
            body: None,
        }
    }

    fn with_body(&self, mut shape: Shape, body: Span) -> Shape {
        shape.body = Some(text::range(body, self.offset));
        shape
    }

    /// The shape of an item that has no members of its own.
    pub(super) fn item(&self, item: &Item) -> Option<Shape> {
        // Those of the form `vis keyword name<…> … end`.
        macro_rules! plain {
            ($kind:ident, $one:ident . $keyword:ident, $end:expr) => {{
                let (vis, keyword) = (&$one.vis, &$one.$keyword);
                let (name, generics) = (&$one.ident, &$one.generics);
                let head = quote!(#vis #keyword #name #generics);
                self.shape(Kind::$kind, name, &$one.attrs, head, $end)
            }};
        }
        Some(match item {
            Item::Fn(one) => {
                let (vis, modifier, sig) = (&one.vis, &one.modifiers.defaultness, &one.sig);
                let brace = one.block.brace_token.span;
                let head = quote!(#vis #modifier #sig);
                let shape = self.shape(Kind::Fn, &sig.ident, &one.attrs, head, brace.close());
                self.with_body(shape, brace.join())
            }
            Item::Struct(one) => {
                let end = match (&one.semi_token, &one.fields) {
                    (Some(semicolon), _) => semicolon.span,
                    (None, Fields::Named(fields)) => fields.brace_token.span.close(),
                    (None, _) => one.ident.span(),
                };
                plain!(Struct, one.struct_token, end)
            }
            Item::Enum(one) => plain!(Enum, one.enum_token, one.brace_token.span.close()),
            Item::Union(one) => plain!(Union, one.union_token, one.fields.brace_token.span.close()),
            Item::Type(one) => plain!(Type, one.type_token, one.semi_token.span),
            Item::TraitAlias(one) => plain!(Trait, one.trait_token, one.semi_token.span),
            Item::Const(one) => {
                let (vis, keyword, name, ty) = (&one.vis, &one.const_token, &one.ident, &one.ty);
                let head = quote!(#vis #keyword #name: #ty);
                self.shape(Kind::Const, name, &one.attrs, head, one.semi_token.span)
            }
            Item::Static(one) => {
                let (vis, keyword, mutability) = (&one.vis, &one.static_token, &one.mutability);
                let (name, ty) = (&one.ident, &one.ty);
                let head = quote!(#vis #keyword #mutability #name: #ty);
                self.shape(Kind::Static, name, &one.attrs, head, one.semi_token.span)
            }
            Item::Macro(one) => {
                let name = one.ident.as_ref()?;
                let (path, bang) = (&one.mac.path, &one.mac.bang_token);
                let body = one.mac.delimiter.span();
                let end = one
                    .semi_token
                    .map_or(body.close(), |semicolon| semicolon.span);
                let head = quote!(#path #bang #name);
                self.with_body(
                    self.shape(Kind::Macro, name, &one.attrs, head, end),
                    body.join(),
                )
            }
            _ => return None,
        })
    }

    /// The shape of a method, a constant or a type within an `impl`.
    pub(super) fn impl_member(&self, member: &ImplItem) -> Option<Shape> {
        Some(match member {
            ImplItem::Fn(one) => {
                let (vis, modifier, sig) = (&one.vis, &one.modifiers.defaultness, &one.sig);
                let brace = one.block.brace_token.span;
                let head = quote!(#vis #modifier #sig);
                let shape = self.shape(Kind::Fn, &sig.ident, &one.attrs, head, brace.close());
                self.with_body(shape, brace.join())
            }
            ImplItem::Const(one) => {
                let (vis, modifier, keyword) =
                    (&one.vis, &one.modifiers.defaultness, &one.const_token);
                let (name, ty) = (&one.ident, &one.ty);
                let head = quote!(#vis #modifier #keyword #name: #ty);
                self.shape(Kind::Const, name, &one.attrs, head, one.semi_token.span)
            }
            ImplItem::Type(one) => {
                let (vis, modifier, keyword) =
                    (&one.vis, &one.modifiers.defaultness, &one.type_token);
                let (name, generics) = (&one.ident, &one.generics);
                let head = quote!(#vis #modifier #keyword #name #generics);
                self.shape(Kind::Type, name, &one.attrs, head, one.semi_token.span)
            }
            _ => return None,
        })
    }

    /// The shape of a trait's member.
    pub(super) fn trait_member(&self, member: &TraitItem) -> Option<Shape> {
        Some(match member {
            TraitItem::Fn(one) => {
                let (modifier, sig) = (&one.modifiers.defaultness, &one.sig);
                let body = one.default.as_ref().map(|block| block.brace_token.span);
                let end = match (&body, &one.semi_token) {
                    (Some(brace), _) => brace.close(),
                    (None, Some(semicolon)) => semicolon.span,
                    (None, None) => sig.ident.span(),
                };
                let head = quote!(#modifier #sig);
                let shape = self.shape(Kind::Fn, &sig.ident, &one.attrs, head, end);
                match body {
                    Some(brace) => self.with_body(shape, brace.join()),
                    None => shape,
                }
            }
            TraitItem::Const(one) => {
                let (keyword, name, ty) = (&one.const_token, &one.ident, &one.ty);
                let head = quote!(#keyword #name: #ty);
                self.shape(Kind::Const, name, &one.attrs, head, one.semi_token.span)
            }
            TraitItem::Type(one) => {
                let (keyword, name, generics) = (&one.type_token, &one.ident, &one.generics);
                let head = quote!(#keyword #name #generics);
                self.shape(Kind::Type, name, &one.attrs, head, one.semi_token.span)
            }
            _ => return None,
        })
    }

    /// The shape of an item of an `extern` block.
    pub(super) fn foreign_member(&self, member: &ForeignItem) -> Option<Shape> {
        Some(match member {
            ForeignItem::Fn(one) => {
                let (vis, sig) = (&one.vis, &one.sig);
                let head = quote!(#vis #sig);
                self.shape(Kind::Fn, &sig.ident, &one.attrs, head, one.semi_token.span)
            }
            ForeignItem::Static(one) => {
                let (vis, safety, keyword) = (&one.vis, &one.safety, &one.static_token);
                let (mutability, name, ty) = (&one.mutability, &one.ident, &one.ty);
                let head = quote!(#vis #safety #keyword #mutability #name: #ty);
                self.shape(Kind::Static, name, &one.attrs, head, one.semi_token.span)
            }
            ForeignItem::Type(one) => {
                let (vis, keyword, name) = (&one.vis, &one.type_token, &one.ident);
                let head = quote!(#vis #keyword #name);
                self.shape(Kind::Type, name, &one.attrs, head, one.semi_token.span)
            }
            _ => return None,
        })
    }

    /// The shape of a trait.
    pub(super) fn interface(&self, one: &ItemTrait) -> Shape {
        let (vis, unsafety, auto) = (&one.vis, &one.unsafety, &one.modifiers.auto_token);
        let (keyword, name, generics) = (&one.trait_token, &one.ident, &one.generics);
        let (colon, supertraits) = (&one.colon_token, &one.supertraits);
        let head = quote!(#vis #unsafety #auto #keyword #name #generics #colon #supertraits);
        let brace = one.brace_token.span;
        let shape = self.shape(Kind::Trait, name, &one.attrs, head, brace.close());
        self.with_body(shape, brace.join())
    }

    /// The shape of an `impl` without members; its name is still missing, since
    /// that is spelled from the canonical tokens.
    pub(super) fn header(&self, block: &ItemImpl) -> Shape {
        let (modifier, unsafety, keyword) = (
            &block.modifiers.defaultness,
            &block.unsafety,
            &block.impl_token,
        );
        let rest = header_tokens(block);
        let head = quote!(#modifier #unsafety #keyword #rest);
        let end = head
            .clone()
            .into_iter()
            .last()
            .map_or(keyword.span, |tree| tree.span());
        self.shape(Kind::Impl, &"", &block.attrs, head, end)
    }
}

/// An `impl` between its keyword and the opening brace.
pub(super) fn header_tokens(block: &ItemImpl) -> TokenStream {
    let (generics, polarity, ty) = (&block.generics, &block.modifiers.polarity, &block.self_ty);
    let (path, keyword_for) = block
        .trait_
        .as_ref()
        .map(|(path, word)| (path, word))
        .unzip();
    let condition = &generics.where_clause;
    quote!(#generics #polarity #path #keyword_for #ty #condition)
}

/// What a user of an item depends on, where that is less than all of it.
pub(super) fn signature(item: &Item) -> Option<TokenStream> {
    match item {
        Item::Fn(one) => {
            let (attrs, vis, modifier) = (&one.attrs, &one.vis, &one.modifiers.defaultness);
            let sig = &one.sig;
            Some(quote!(#(#attrs)* #vis #modifier #sig))
        }
        Item::Const(one) => {
            let (attrs, vis, name, ty) = (&one.attrs, &one.vis, &one.ident, &one.ty);
            Some(quote!(#(#attrs)* #vis const #name: #ty))
        }
        Item::Static(one) => {
            let (attrs, vis, mutability) = (&one.attrs, &one.vis, &one.mutability);
            let (name, ty) = (&one.ident, &one.ty);
            Some(quote!(#(#attrs)* #vis static #mutability #name: #ty))
        }
        _ => None,
    }
}

/// The same for a member of an `impl`.
pub(super) fn impl_signature(member: &ImplItem) -> Option<TokenStream> {
    match member {
        ImplItem::Fn(one) => {
            let (attrs, vis, modifier) = (&one.attrs, &one.vis, &one.modifiers.defaultness);
            let sig = &one.sig;
            Some(quote!(#(#attrs)* #vis #modifier #sig))
        }
        ImplItem::Const(one) => {
            let (attrs, vis, modifier) = (&one.attrs, &one.vis, &one.modifiers.defaultness);
            let (name, ty) = (&one.ident, &one.ty);
            Some(quote!(#(#attrs)* #vis #modifier const #name: #ty))
        }
        _ => None,
    }
}

/// The same for a trait's member. Whether there is a default belongs to it, what
/// it does or is doesn't.
pub(super) fn trait_signature(member: &TraitItem) -> Option<TokenStream> {
    match member {
        TraitItem::Fn(one) => {
            let (attrs, modifier, sig) = (&one.attrs, &one.modifiers.defaultness, &one.sig);
            let default = one.default.as_ref().map(|_| quote!({}));
            Some(quote!(#(#attrs)* #modifier #sig #default;))
        }
        TraitItem::Const(one) => {
            let (attrs, name, ty) = (&one.attrs, &one.ident, &one.ty);
            let default = one.default.as_ref().map(|_| quote!(=));
            Some(quote!(#(#attrs)* const #name: #ty #default;))
        }
        _ => None,
    }
}
