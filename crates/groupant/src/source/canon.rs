//! The canonical form of a syntax tree: of all ways to write the same thing
//! that rustfmt may choose from, one is taken.
//!
//! - Literal documentation attributes go, adjacent derives are merged in order.
//! - A trailing separator goes wherever it separates nothing; printing puts back
//!   the comma of a one-tuple. Every match arm gets its comma. Printing also
//!   leaves out empty `<>` of parameters, an empty `where`, `:` without bounds.
//! - A block around one expression without attributes goes where it is an arm's
//!   body, or the body of a closure without return type.
//! - `;` goes after a final `return`, `break` or `continue` and after `while`,
//!   `for` and `loop`; empty statements go.
//! - A leading `|` and doubled parentheses go; single parentheses stay.
//! - `extern` is `extern "C"`, `pub(in crate)` is `pub(crate)`, `S { x: x }` is
//!   `S { x }`.
//! - Runs of `use` are flattened (`uses`), arguments of macros parsed (`macros`).

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Abi, AngleBracketedGenericArguments, Arm, Attribute, Block, BoundLifetimes, Constraint, Expr,
    ExprArray, ExprCall, ExprClosure, ExprMacro, ExprMethodCall, ExprStruct, ExprTuple, FieldValue,
    FieldsNamed, FieldsUnnamed, ForeignItemFn, Generics, Item, ItemEnum, ItemMacro, ItemTrait,
    ItemTraitAlias, LifetimeParam, Lit, LitStr, Macro, Member, Meta, MetaList,
    ParenthesizedGenericArguments, PatOr, PatSlice, PatStruct, PatTuple, PatTupleStruct,
    PreciseCapture, PredicateLifetime, PredicateType, ReturnType, Signature, Stmt, Token,
    TraitItemType, TypeFnPtr, TypeImplTrait, TypeParam, TypeTraitObject, TypeTuple, VisRestricted,
    WhereClause,
};

use super::{macros, uses};

/// Brings every node that it visits into the canonical form.
pub(super) struct Canon;

/// The attributes of an expression.
fn attributes(expr: &Expr) -> &[Attribute] {
    macro_rules! each {
        ($($variant:ident)*) => {
            match expr {
                $(Expr::$variant(node) => &node.attrs,)*
                _ => &[],
            }
        };
    }
    each!(
        Array Assign Async Await Binary Block Break Call Cast Closure Const Continue Field ForLoop
        Group If Index Infer Let Lit Loop Macro Match MethodCall Paren Path Range RawAddr Reference
        Repeat Return Struct Try TryBlock Tuple Unary Unsafe While Yield
    )
}

/// Replaces a plain block around one expression by that expression. A call of a
/// macro with braces counts as one.
fn unwrap_block(body: &mut Expr) {
    while let Expr::Block(block) = body
        && block.attrs.is_empty()
        && block.label.is_none()
        && let [only] = block.block.stmts.as_slice()
        && match only {
            Stmt::Expr(only, None) => attributes(only).is_empty(),
            Stmt::Macro(only) => only.attrs.is_empty() && only.semi_token.is_none(),
            _ => false,
        }
    {
        *body = match block.block.stmts.pop() {
            Some(Stmt::Expr(only, None)) => only,
            Some(Stmt::Macro(only)) => Expr::Macro(ExprMacro {
                attrs: Vec::new(),
                mac: only.mac,
            }),
            _ => return,
        };
    }
}

/// Drops the separator after the last element.
fn trim<T, P>(list: &mut Punctuated<T, P>) {
    list.pop_punct();
}

fn is_documentation(attribute: &Attribute) -> bool {
    matches!(
        &attribute.meta,
        Meta::NameValue(meta) if meta.path.is_ident("doc") && matches!(meta.value, Expr::Lit(_))
    )
}

/// The arguments of a `derive`, or `None` for another attribute.
fn derives(attribute: &mut Attribute) -> Option<&mut MetaList> {
    match &mut attribute.meta {
        Meta::List(list) if list.path.is_ident("derive") => Some(list),
        _ => None,
    }
}

/// What may stand in an attribute's list.
enum Nested {
    Lit(Lit),
    Meta(Box<Meta>),
}

impl Parse for Nested {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Lit) {
            input.parse().map(Self::Lit)
        } else {
            input.parse().map(|meta| Self::Meta(Box::new(meta)))
        }
    }
}

impl ToTokens for Nested {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Lit(lit) => lit.to_tokens(tokens),
            Self::Meta(meta) => meta.to_tokens(tokens),
        }
    }
}

/// An attribute's list without trailing commas, where it is a list of the usual form.
fn nested(tokens: TokenStream) -> Option<TokenStream> {
    let mut list = Punctuated::<Nested, Token![,]>::parse_terminated
        .parse2(tokens)
        .ok()?;
    trim(&mut list);
    for entry in &mut list {
        if let Nested::Meta(meta) = entry {
            Canon.visit_meta_mut(meta);
        }
    }
    Some(list.into_token_stream())
}

/// A hook that trims one list of the node and goes on below it.
macro_rules! trimmed {
    ($($hook:ident: $node:ident . $list:ident,)*) => {
        $(fn $hook(&mut self, node: &mut $node) {
            trim(&mut node.$list);
            visit_mut::$hook(self, node);
        })*
    };
}

impl VisitMut for Canon {
    trimmed! {
        visit_angle_bracketed_generic_arguments_mut: AngleBracketedGenericArguments.args,
        visit_bound_lifetimes_mut: BoundLifetimes.lifetimes,
        visit_constraint_mut: Constraint.bounds,
        visit_expr_array_mut: ExprArray.elems,
        visit_expr_call_mut: ExprCall.args,
        visit_expr_method_call_mut: ExprMethodCall.args,
        visit_expr_tuple_mut: ExprTuple.elems,
        visit_fields_named_mut: FieldsNamed.named,
        visit_fields_unnamed_mut: FieldsUnnamed.unnamed,
        visit_generics_mut: Generics.params,
        visit_item_enum_mut: ItemEnum.variants,
        visit_item_trait_mut: ItemTrait.supertraits,
        visit_item_trait_alias_mut: ItemTraitAlias.bounds,
        visit_lifetime_param_mut: LifetimeParam.bounds,
        visit_parenthesized_generic_arguments_mut: ParenthesizedGenericArguments.inputs,
        visit_pat_slice_mut: PatSlice.elems,
        visit_pat_struct_mut: PatStruct.fields,
        visit_pat_tuple_mut: PatTuple.elems,
        visit_pat_tuple_struct_mut: PatTupleStruct.elems,
        visit_precise_capture_mut: PreciseCapture.params,
        visit_predicate_lifetime_mut: PredicateLifetime.bounds,
        visit_predicate_type_mut: PredicateType.bounds,
        visit_trait_item_type_mut: TraitItemType.bounds,
        visit_type_impl_trait_mut: TypeImplTrait.bounds,
        visit_type_param_mut: TypeParam.bounds,
        visit_type_tuple_mut: TypeTuple.elems,
        visit_where_clause_mut: WhereClause.predicates,
    }

    fn visit_signature_mut(&mut self, node: &mut Signature) {
        trim(&mut node.inputs);
        if let Some(variadic) = &mut node.variadic {
            variadic.comma = None;
        }
        visit_mut::visit_signature_mut(self, node);
    }

    fn visit_type_fn_ptr_mut(&mut self, node: &mut TypeFnPtr) {
        trim(&mut node.inputs);
        if let Some(variadic) = &mut node.variadic {
            variadic.comma = None;
        }
        visit_mut::visit_type_fn_ptr_mut(self, node);
    }

    fn visit_type_trait_object_mut(&mut self, node: &mut TypeTraitObject) {
        // Without `dyn` the `+` alone tells a trait from a type.
        if node.dyn_token.is_some() {
            trim(&mut node.bounds);
        }
        visit_mut::visit_type_trait_object_mut(self, node);
    }

    fn visit_expr_struct_mut(&mut self, node: &mut ExprStruct) {
        trim(&mut node.fields);
        // `S { a: b, ..c }` is not `S { a: b..c }`.
        if node.dot2_token.is_some() && !node.fields.is_empty() {
            node.fields.push_punct(<Token![,]>::default());
        }
        visit_mut::visit_expr_struct_mut(self, node);
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !is_documentation(attribute));
        for attribute in attributes.iter_mut() {
            self.visit_attribute_mut(attribute);
        }
        let mut at = 1;
        while at < attributes.len() {
            let (head, tail) = attributes.split_at_mut(at);
            if let (Some(first), Some(second)) = (derives(&mut head[at - 1]), derives(&mut tail[0]))
            {
                let (left, right) = (&first.tokens, &second.tokens);
                first.tokens = match (left.is_empty(), right.is_empty()) {
                    (_, true) => quote!(#left),
                    (true, false) => quote!(#right),
                    (false, false) => quote!(#left, #right),
                };
                attributes.remove(at);
            } else {
                at += 1;
            }
        }
    }

    fn visit_meta_list_mut(&mut self, node: &mut MetaList) {
        if let Some(tokens) = nested(node.tokens.clone()) {
            node.tokens = tokens;
        }
    }

    fn visit_vis_restricted_mut(&mut self, node: &mut VisRestricted) {
        if ["crate", "self", "super"]
            .iter()
            .any(|word| node.path.is_ident(word))
        {
            node.in_token = None;
        }
        visit_mut::visit_vis_restricted_mut(self, node);
    }

    fn visit_abi_mut(&mut self, node: &mut Abi) {
        node.name
            .get_or_insert_with(|| LitStr::new("C", Span::call_site()));
    }

    fn visit_pat_or_mut(&mut self, node: &mut PatOr) {
        node.leading_vert = None;
        visit_mut::visit_pat_or_mut(self, node);
    }

    fn visit_arm_mut(&mut self, node: &mut Arm) {
        visit_mut::visit_arm_mut(self, node);
        unwrap_block(&mut node.body);
        node.comma = Some(<Token![,]>::default());
    }

    fn visit_expr_closure_mut(&mut self, node: &mut ExprClosure) {
        trim(&mut node.inputs);
        visit_mut::visit_expr_closure_mut(self, node);
        if matches!(node.output, ReturnType::Default) {
            unwrap_block(&mut node.body);
        }
    }

    fn visit_expr_mut(&mut self, node: &mut Expr) {
        while let Expr::Paren(outer) = node
            && outer.attrs.is_empty()
            && matches!(&*outer.expr, Expr::Paren(inner) if inner.attrs.is_empty())
        {
            *node = std::mem::replace(&mut *outer.expr, Expr::Verbatim(TokenStream::new()));
        }
        visit_mut::visit_expr_mut(self, node);
    }

    fn visit_field_value_mut(&mut self, node: &mut FieldValue) {
        visit_mut::visit_field_value_mut(self, node);
        if let (Member::Named(name), Expr::Path(value)) = (&node.member, &node.expr)
            && value.attrs.is_empty()
            && value.qself.is_none()
            && value.path.is_ident(name)
        {
            node.colon_token = None;
        }
    }

    fn visit_block_mut(&mut self, node: &mut Block) {
        visit_mut::visit_block_mut(self, node);
        node.stmts.retain(|statement| {
            !matches!(statement, Stmt::Expr(Expr::Verbatim(tokens), _) if tokens.is_empty())
        });
        for statement in &mut node.stmts {
            if let Stmt::Expr(Expr::While(_) | Expr::ForLoop(_) | Expr::Loop(_), semi) = statement {
                *semi = None;
            }
        }
        if let Some(Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), semi)) =
            node.stmts.last_mut()
        {
            *semi = None;
        }
        let runs = node
            .stmts
            .iter()
            .any(|statement| matches!(statement, Stmt::Item(Item::Use(_))));
        if runs {
            uses::settle_statements(&mut node.stmts);
        }
    }

    fn visit_item_mut(&mut self, node: &mut Item) {
        // A function without body, which only a macro can hold, is a trait's or
        // a foreign one.
        if let Item::Verbatim(tokens) = node
            && let Ok(mut one) = syn::parse2::<ForeignItemFn>(tokens.clone())
        {
            self.visit_foreign_item_fn_mut(&mut one);
            *tokens = one.into_token_stream();
        }
        visit_mut::visit_item_mut(self, node);
        if let Item::Mod(module) = node
            && let Some((_, items)) = &mut module.content
        {
            uses::settle(items);
        }
    }

    fn visit_item_macro_mut(&mut self, node: &mut ItemMacro) {
        if node.ident.is_some() && node.mac.path.is_ident("macro_rules") {
            self.visit_attributes_mut(&mut node.attrs);
            macros::definition(node);
        } else {
            visit_mut::visit_item_macro_mut(self, node);
        }
    }

    fn visit_macro_mut(&mut self, node: &mut Macro) {
        macros::invocation(node);
    }
}
