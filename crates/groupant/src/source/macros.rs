//! Invocations and definitions of macros.
//!
//! Arguments in parentheses or brackets are read as a list of expressions, types
//! or patterns where every one of them parses, and are then brought into the
//! canonical form; otherwise they stay the tokens that they are. The comma after
//! the last argument is kept (a macro may see it), except in `vec!`, which also
//! gets brackets. Arguments in braces stay as they are.
//!
//! The arms of `macro_rules` get braces around their bodies and no final `;`. A
//! body without repetition is read as items or statements, with `$name` as a
//! name. All this claims is to be no coarser than rustfmt.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::visit_mut::VisitMut;
use syn::{Block, Expr, File, ItemMacro, Macro, MacroDelimiter, Pat, Stmt, Token, Type, token};

use super::canon::Canon;
use super::uses;

/// Stands before the name of a macro variable while a body is parsed.
const VARIABLE: &str = "__macro_variable_";

/// Brings the arguments of an invocation into the canonical form.
pub(super) fn invocation(mac: &mut Macro) {
    let vec = mac.path.is_ident("vec");
    if matches!(mac.delimiter, MacroDelimiter::Brace(_)) && !vec {
        return;
    }
    if vec {
        mac.delimiter = MacroDelimiter::Bracket(token::Bracket::default());
    }
    let arguments = |input: ParseStream<'_>| arguments(input, vec);
    if let Ok(tokens) = arguments.parse2(mac.tokens.clone()) {
        mac.tokens = tokens;
    }
}

fn arguments(input: ParseStream<'_>, vec: bool) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() {
        tokens.extend(argument(input)?);
        if input.is_empty() {
            break;
        }
        if vec && input.peek(Token![;]) {
            tokens.append_all(input.parse::<Token![;]>());
            tokens.extend(argument(input)?);
            break;
        }
        let comma: Token![,] = input.parse()?;
        if !(vec && input.is_empty()) {
            comma.to_tokens(&mut tokens);
        }
    }
    Ok(tokens)
}

/// One argument: what parses up to the next separator.
fn argument(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let ended =
        |input: ParseStream<'_>| input.is_empty() || input.peek(Token![,]) || input.peek(Token![;]);
    let fork = input.fork();
    if let Ok(mut expr) = fork.parse::<Expr>()
        && ended(&fork)
    {
        input.advance_to(&fork);
        Canon.visit_expr_mut(&mut expr);
        return Ok(expr.into_token_stream());
    }
    let fork = input.fork();
    if let Ok(mut ty) = fork.parse::<Type>()
        && ended(&fork)
    {
        input.advance_to(&fork);
        Canon.visit_type_mut(&mut ty);
        return Ok(ty.into_token_stream());
    }
    let fork = input.fork();
    if let Ok(mut pat) = Pat::parse_multi(&fork)
        && ended(&fork)
    {
        input.advance_to(&fork);
        Canon.visit_pat_mut(&mut pat);
        return Ok(pat.into_token_stream());
    }
    // A lone keyword.
    let word = Ident::parse_any(input)?;
    if ended(input) {
        Ok(word.into_token_stream())
    } else {
        Err(input.error("no argument"))
    }
}

/// Brings a `macro_rules` definition into the canonical form.
pub(super) fn definition(item: &mut ItemMacro) {
    if let Some(arms) = arms(item.mac.tokens.clone()) {
        item.mac.tokens = arms;
        item.mac.delimiter = MacroDelimiter::Brace(token::Brace::default());
        item.semi_token = None;
    }
}

/// `matcher => body` with `;` in between, or `None` where it is something else.
fn arms(tokens: TokenStream) -> Option<TokenStream> {
    let mut trees = tokens.into_iter().peekable();
    let mut canonical = TokenStream::new();
    while trees.peek().is_some() {
        let (Some(TokenTree::Group(matcher)), Some(equals), Some(greater), Some(body)) =
            (trees.next(), trees.next(), trees.next(), trees.next())
        else {
            return None;
        };
        let TokenTree::Group(body) = body else {
            return None;
        };
        if !is_punct(&equals, '=') || !is_punct(&greater, '>') {
            return None;
        }
        let body = Group::new(Delimiter::Brace, definition_body(body.stream()));
        canonical.extend(quote!(#matcher => #body));
        match trees.next() {
            None => break,
            Some(semicolon) if is_punct(&semicolon, ';') => {
                if trees.peek().is_some() {
                    canonical.append(semicolon);
                }
            }
            Some(_) => return None,
        }
    }
    Some(canonical)
}

fn is_punct(tree: &TokenTree, wanted: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

fn definition_body(body: TokenStream) -> TokenStream {
    let Some(named) = name_variables(body.clone()) else {
        return body;
    };
    if let Ok(mut file) = syn::parse2::<File>(named.clone()) {
        Canon.visit_file_mut(&mut file);
        uses::settle(&mut file.items);
        return file.into_token_stream();
    }
    if let Ok(stmts) = Block::parse_within.parse2(named) {
        let mut block = Block {
            brace_token: token::Brace::default(),
            stmts,
        };
        Canon.visit_block_mut(&mut block);
        return block.stmts.iter().map(Stmt::to_token_stream).collect();
    }
    body
}

/// The tokens with every `$name` as one name; `None` where something repeats.
fn name_variables(tokens: TokenStream) -> Option<TokenStream> {
    let mut named = TokenStream::new();
    let mut trees = tokens.into_iter();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '$' => {
                let Some(TokenTree::Ident(name)) = trees.next() else {
                    return None;
                };
                let name = name.unraw();
                named.append(Ident::new(&format!("{VARIABLE}{name}"), name.span()));
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), name_variables(group.stream())?);
                inner.set_span(group.span());
                named.append(inner);
            }
            other => named.append(other),
        }
    }
    Some(named)
}
