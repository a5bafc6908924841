//! Each rule for canonical tokens: what it makes equal, and what it must not.

use groupant::source::{Item, Source, projection};

fn parse(text: &str) -> Source {
    Source::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn only(text: &str) -> Item {
    let mut items = parse(text).items;
    assert_eq!(items.len(), 1, "one item in {text}");
    items.remove(0)
}

/// The same tokens, in the item and in the file.
#[track_caller]
fn same(left: &str, right: &str) {
    assert_eq!(only(left).tokens, only(right).tokens, "{left} and {right}");
    assert_eq!(parse(left).whole, parse(right).whole, "{left} and {right}");
}

#[track_caller]
fn differ(left: &str, right: &str) {
    assert_ne!(only(left).tokens, only(right).tokens, "{left} and {right}");
    assert_ne!(parse(left).whole, parse(right).whole, "{left} and {right}");
}

/// The same within a function's body.
#[track_caller]
fn same_body(left: &str, right: &str) {
    same(
        &format!("fn f() {{ {left} }}"),
        &format!("fn f() {{ {right} }}"),
    );
}

#[track_caller]
fn differ_body(left: &str, right: &str) {
    differ(
        &format!("fn f() {{ {left} }}"),
        &format!("fn f() {{ {right} }}"),
    );
}

#[test]
fn comments_and_literal_documentation_do_not_count() {
    same(
        "fn f() { a(); }",
        "/// Says.\nfn f() { /* why */ a(); // because\n }",
    );
    same(
        "struct S { a: u8 }",
        "#[doc = \"Says.\"] struct S { /// Field.\n a: u8 }",
    );
    same("fn f() {}", "fn f() { //! Inner.\n}");
    differ("fn f() {}", "#[doc(hidden)] fn f() {}");
    differ("fn f() {}", "#[doc = include_str!(\"a.md\")] fn f() {}");
    differ(
        "macro_rules! m { ($x:expr) => { #[doc = $x] struct S; } }",
        "macro_rules! m { ($x:expr) => { struct S; } }",
    );
}

#[test]
fn operators_keep_their_gluing() {
    differ_body("a & &b", "a && b");
    differ_body("m!(a # & & b)", "m!(a # && b)");
    same_body("m!(a # , $ b)", "m!(a #,$b)");
    same("type T = Vec<Vec<u8>>;", "type T = Vec<Vec<u8> >;");
}

#[test]
fn trailing_separators_do_not_count_but_the_comma_of_a_one_tuple_does() {
    same(
        "fn f<T: A + B,>(a: T,) where T: C, {}",
        "fn f<T: A + B>(a: T) where T: C {}",
    );
    same("struct S { a: u8, }", "struct S { a: u8 }");
    same("enum E { A, B(u8,), }", "enum E { A, B(u8) }");
    same_body("g(a, b,); [a, b,]; S { a, };", "g(a, b); [a, b]; S { a };");
    same_body(
        "let (a, b,) = c; let [a, b,] = c;",
        "let (a, b) = c; let [a, b] = c;",
    );
    differ_body("let a = (b,);", "let a = (b);");
    differ("type T = (u8,);", "type T = (u8);");
    differ_body("let (a,) = b;", "let (a) = b;");
    differ_body("S { a: b, ..c };", "S { a: b..c };");
    same_body("match a { b => {} c => d }", "match a { b => {}, c => d, }");
}

#[test]
fn a_block_around_one_expression_does_not_count_as_the_body_of_an_arm_or_closure() {
    same_body("match a { b => { c } }", "match a { b => c }");
    same_body("match a { b => { m! { c } } }", "match a { b => m! { c } }");
    same_body("|a| { b }", "|a| b");
    differ_body("match a { b => { c; } }", "match a { b => c }");
    differ_body("match a { b => unsafe { c } }", "match a { b => c }");
    differ_body("match a { b => { #[cfg(x)] c } }", "match a { b => c }");
    differ_body("match a { b => 'x: { c } }", "match a { b => c }");
    differ_body("|a| { b; }", "|a| b");
    differ_body("let a = { b };", "let a = b;");
    differ_body("move |a| b", "|a| b");
}

#[test]
fn semicolons_after_final_jumps_and_loops_do_not_count() {
    same_body("return a;", "return a");
    same_body("loop { break; }", "loop { break }");
    same_body("while a {}; b", "while a {} b");
    same_body("for a in b {}; c", "for a in b {} c");
    same_body(";; a ;;", "a;");
    same_body(
        "match a { b => { return c; } }",
        "match a { b => return c }",
    );
    differ_body("a;", "a");
    differ_body("if a { b };", "if a { b }");
}

#[test]
fn leading_bars_and_doubled_parentheses_do_not_count_but_single_ones_do() {
    same_body("match a { | b | c => d }", "match a { b | c => d }");
    same_body("let a = ((b));", "let a = (b);");
    differ_body("let a = (b);", "let a = b;");
    differ_body("(a + b) * c", "a + b * c");
    differ_body("match a { b | c => d }", "match a { b => d }");
}

#[test]
fn imports_are_flattened_sorted_and_keep_their_attributes() {
    same_body(
        "use a::{c, b as b, d::*}; x()",
        "use a::b; use a::d::*; use a::c; x()",
    );
    same_body("use a::{self, b};", "use a::b; use a::{self};");
    differ_body("use a::{self};", "use a;");
    differ_body("use a::b as c;", "use a::b;");
    differ_body("#[cfg(x)] use a::{b, c};", "#[cfg(x)] use a::b; use a::c;");
    differ_body("use a::b; x(); use a::c;", "use a::b; use a::c; x();");
    differ_body("use ::a::b;", "use a::b;");
    let file = |text: &str| parse(text).whole;
    assert_eq!(
        file("use b; use a; mod d; mod c;"),
        file("use a; use b; mod c; mod d;")
    );
    assert_ne!(
        file("#[macro_use] mod d; mod c;"),
        file("mod c; #[macro_use] mod d;")
    );
    assert_ne!(file("pub use a;"), file("use a;"));
}

#[test]
fn spellings_of_one_meaning_are_one() {
    same(
        "#[derive(A)] #[derive(B,)] struct S;",
        "#[derive(A, B)] struct S;",
    );
    differ("#[derive(B, A)] struct S;", "#[derive(A, B)] struct S;");
    same("extern fn f() {}", "extern \"C\" fn f() {}");
    same("type T = extern fn();", "type T = extern \"C\" fn();");
    differ("extern \"system\" fn f() {}", "extern \"C\" fn f() {}");
    same("pub(in crate) fn f() {}", "pub(crate) fn f() {}");
    same("pub(in super) fn f() {}", "pub(super) fn f() {}");
    differ("pub(in crate::a) fn f() {}", "pub(crate) fn f() {}");
    same_body("S { x: x, y }", "S { x, y: y }");
    differ_body("S { x: y }", "S { x: x }");
    same_body("let a = \"b\\\n     c\";", "let a = \"bc\";");
    differ_body("let a = r\"b\\\n c\";", "let a = r\"bc\";");
    differ_body("let a = \"b\n c\";", "let a = \"bc\";");
    same(
        "#[cfg(all(a, b,))] fn f() {}",
        "#[cfg(all(a, b))] fn f() {}",
    );
}

#[test]
fn arguments_of_macros_are_read_where_they_parse() {
    same_body("m!(|a| { b }, c)", "m!(|a| b, c)");
    same_body("vec![a, b,]", "vec!(a, b)");
    same_body("vec![f(a,); 3]", "vec![f(a); 3]");
    same_body("m!(Vec<(u8, u8,)>)", "m!(Vec<(u8, u8)>)");
    differ_body("m!(a, b,)", "m!(a, b)");
    differ_body("m![a]", "m!(a)");
    differ_body("m! { |a| { b } }", "m! { |a| b }");
    differ_body("m!(a => { b })", "m!(a => b)");
    differ_body("m!(a; b)", "m!(a, b)");
}

#[test]
fn arms_of_macro_definitions_are_made_uniform() {
    same(
        "macro_rules! m { ($a:expr) => ( f($a,) ); }",
        "macro_rules! m { ($a:expr) => { f($a) } }",
    );
    same(
        "macro_rules! m ( (a) => [ fn f() { g(b,); } ]; );",
        "macro_rules! m { (a) => { fn f() { g(b) ; } } }",
    );
    differ(
        "macro_rules! m { ($a:expr) => { $a } }",
        "macro_rules! m { ($b:expr) => { $b } }",
    );
    differ(
        "macro_rules! m { ($a:expr) => { $a } }",
        "macro_rules! m { ($a:expr) => { a } }",
    );
    differ(
        "macro_rules! m { (a) => {} }",
        "macro_rules! m { [a] => {} }",
    );
    differ(
        "macro_rules! m { ($($a:expr),*) => { f($($a,)*,) } }",
        "macro_rules! m { ($($a:expr),*) => { f($($a,)*) } }",
    );
}

#[test]
fn changes_of_meaning_change_the_hash() {
    for (left, right) in [
        ("a + b", "a - b"),
        ("a == b", "a != b"),
        ("a..b", "a..=b"),
        ("1", "1u8"),
        ("\"a\"", "\"b\""),
        ("\"a\"", "b\"a\""),
        ("&a", "&mut a"),
        ("a?", "a"),
        ("a.await", "a"),
        ("!a", "a"),
        ("let a = b;", "let mut a = b;"),
        ("let ref a = b;", "let a = b;"),
        ("unsafe { a }", "{ a }"),
        ("'a: loop { break 'a }", "loop { break }"),
        ("a.0", "a.1"),
        ("a as u8", "a as u16"),
        ("f::<u8>()", "f()"),
        ("#[allow(x)] a();", "a();"),
    ] {
        differ_body(left, right);
    }
    differ("fn f<'a>(a: &'a u8) {}", "fn f<'b>(a: &'b u8) {}");
    differ("fn f() {}", "const fn f() {}");
    differ("struct S { a: u8 }", "struct S { pub a: u8 }");
    differ("unsafe impl Send for T {}", "impl Send for T {}");
    differ(
        "unsafe extern \"C\" { fn f(); }",
        "extern \"C\" { fn f(); }",
    );
    differ(
        "#[link(name = \"a\")] extern \"C\" { fn f(); }",
        "extern \"C\" { fn f(); }",
    );
}

#[test]
fn a_signature_moves_with_what_a_user_sees_and_only_with_that() {
    let signature = |text: &str| only(text).signature;
    assert_eq!(
        signature("fn f(a: u8) { b }"),
        signature("fn f(a: u8) { c }")
    );
    assert_ne!(
        signature("fn f(a: u8) { b }"),
        signature("fn f(a: u16) { b }")
    );
    assert_ne!(
        signature("fn f() { b }"),
        signature("#[must_use] fn f() { b }")
    );
    assert_eq!(signature("const A: u8 = 1;"), signature("const A: u8 = 2;"));
    assert_ne!(
        signature("const A: u8 = 1;"),
        signature("pub const A: u8 = 1;")
    );
    assert_eq!(
        signature("static A: u8 = 1;"),
        signature("static A: u8 = 2;")
    );
    assert_ne!(
        signature("struct S { a: u8 }"),
        signature("struct S { a: u16 }")
    );
    let of_trait = |text: &str| parse(text).items[0].clone();
    let (one, other) = (
        of_trait("trait A { fn f() { b } const C: u8 = 1; }"),
        of_trait("trait A { fn f() { c } const C: u8 = 2; }"),
    );
    assert_eq!(one.signature, other.signature);
    assert_ne!(one.tokens, other.tokens);
    assert_ne!(
        one.signature,
        of_trait("trait A { fn f(); const C: u8 = 1; }").signature
    );
}

#[test]
fn the_production_digest_leaves_tests_out_and_the_whole_one_does_not() {
    let plain = parse("use a; fn f() {}");
    for text in [
        "use a; fn f() {} #[cfg(test)] mod tests { fn g() {} }",
        "use a; #[cfg(all(unix, test))] use b; fn f() {}",
        "use a; fn f() {} #[test] fn g() {}",
        "use a; fn f() {} #[cfg(any(test))] impl A { fn g() {} }",
        "use a; fn f() {} #[cfg(test)] m! { b }",
        "use a; fn f() {} #[tokio::test] async fn g() {}",
    ] {
        let source = parse(text);
        assert_eq!(source.production, plain.production, "{text}");
        assert_ne!(source.whole, plain.whole, "{text}");
        assert!(
            source
                .items
                .iter()
                .all(|item| item.test != item.path.ends_with("fn f"))
        );
    }
    for text in [
        "use a; fn f() {} #[cfg(not(test))] fn g() {}",
        "use a; fn f() {} #[cfg(any(test, unix))] fn g() {}",
        "use a; fn f() {} m! { b }",
        "use b; fn f() {}",
        "#![no_std] use a; fn f() {}",
        "use a; mod b { fn f() {} }",
    ] {
        assert_ne!(parse(text).production, plain.production, "{text}");
    }
    assert!(parse("#![cfg(test)] fn f() {}").items[0].test);
}

#[test]
fn the_projection_holds_what_layout_leaves_unchanged() {
    let left = projection(&parse("/// A.\nfn f(a: u8,) { return a; }\n\nstruct S;"));
    let right = projection(&parse(
        "fn f(a: u8) {\r\n    return a\r\n}\r\nstruct S;\r\n",
    ));
    assert_eq!(left, right);
    assert_eq!(left["version"], "tokens/1");
    assert_eq!(left["items"][0]["path"], "fn f");
    assert_eq!(left["items"][0]["size"], 11);
    assert_eq!(left["items"][1]["kind"], "struct");
}
