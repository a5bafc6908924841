//! Paths of items, references to them, and places in the file.

use std::fmt::Write as _;

use groupant::source::{Kind, Source, count_tokens, find_tokens, place};

fn parse(text: &str) -> Source {
    Source::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn paths(text: &str) -> Vec<String> {
    parse(text)
        .items
        .into_iter()
        .map(|item| item.path)
        .collect()
}

const EXAMPLE: &str = "
pub fn decode_events() {}
struct Decoder<T>(T);
impl<T> Decoder<T> { pub fn push(&mut self) {} const LIMIT: u8 = 1; }
mod inner {
    pub struct Decoder;
    impl Decoder { fn push(&self) {} }
    impl fmt::Display for Decoder { fn fmt(&self) {} }
    impl fmt::Debug for Decoder { fn fmt(&self) {} }
    unsafe impl Send for Decoder {}
}
impl<'a, T: Clone> From<std::io::Error> for X<'a, T> where T: Copy { type Out = u8; fn from() {} }
trait Reader { fn read(&self); fn all(&self) { self.read() } }
#[cfg(unix)] fn open() {}
#[cfg(not(unix))] fn open() {}
extern \"C\" { fn close(); }
macro_rules! check { () => {} }
#[cfg(test)] mod tests { fn decode_events() {} }
";

#[test]
fn a_path_spells_kind_modules_headers_and_conditions() {
    assert_eq!(
        paths(EXAMPLE),
        [
            "fn decode_events",
            "struct Decoder",
            "impl<T> Decoder<T>",
            "impl<T> Decoder<T>::fn push",
            "impl<T> Decoder<T>::const LIMIT",
            "mod inner::struct Decoder",
            "mod inner::impl Decoder",
            "mod inner::impl Decoder::fn push",
            "mod inner::impl fmt::Display for Decoder",
            "mod inner::impl fmt::Display for Decoder::fn fmt",
            "mod inner::impl fmt::Debug for Decoder",
            "mod inner::impl fmt::Debug for Decoder::fn fmt",
            "mod inner::impl Send for Decoder",
            "impl<'a, T: Clone> From<std::io::Error> for X<'a, T> where T: Copy",
            "impl<'a, T: Clone> From<std::io::Error> for X<'a, T> where T: Copy::type Out",
            "impl<'a, T: Clone> From<std::io::Error> for X<'a, T> where T: Copy::fn from",
            "trait Reader",
            "trait Reader::fn read",
            "trait Reader::fn all",
            "#[cfg(unix)] fn open",
            "#[cfg(not(unix))] fn open",
            "extern \"C\"::fn close",
            "macro check",
            "#[cfg(test)] mod tests::fn decode_events",
        ]
    );
    assert_eq!(
        paths("#![cfg(unix)] #[cfg(a)] mod b { #[cfg(c)] #[cfg(d)] const E: u8 = 1; }"),
        ["#![cfg(unix)]::#[cfg(a)] mod b::#[cfg(c)] #[cfg(d)] const E"]
    );
    assert_eq!(paths("impl !Send for A {}"), ["impl !Send for A"]);
    assert_eq!(
        paths("impl<T: ?Sized + Fn(u8) -> A> B for &'a mut T {}").len(),
        1
    );
}

#[test]
fn a_reference_is_the_end_of_a_path_by_names() {
    let source = parse(EXAMPLE);
    let named = |reference: &str| -> Vec<&str> {
        source
            .resolve(reference)
            .into_iter()
            .map(|item| item.path.as_str())
            .collect()
    };
    let from = "impl<'a, T: Clone> From<std::io::Error> for X<'a, T> where T: Copy";
    for (reference, path) in [
        ("decode_events", "fn decode_events"),
        ("fn decode_events", "fn decode_events"),
        ("Decoder::LIMIT", "impl<T> Decoder<T>::const LIMIT"),
        ("Decoder<T>::push", "impl<T> Decoder<T>::fn push"),
        ("inner::Decoder::push", "mod inner::impl Decoder::fn push"),
        ("inner::Decoder", "mod inner::struct Decoder"),
        (
            "Display for Decoder::fmt",
            "mod inner::impl fmt::Display for Decoder::fn fmt",
        ),
        (
            "fmt::Display for Decoder::fmt",
            "mod inner::impl fmt::Display for Decoder::fn fmt",
        ),
        (
            "impl Display for Decoder",
            "mod inner::impl fmt::Display for Decoder",
        ),
        ("impl Send for Decoder", "mod inner::impl Send for Decoder"),
        ("From for X::from", &format!("{from}::fn from")),
        ("X::Out", &format!("{from}::type Out")),
        (
            "From < std::io::Error > for X::from",
            &format!("{from}::fn from"),
        ),
        ("Reader", "trait Reader"),
        ("Reader::read", "trait Reader::fn read"),
        ("#[cfg(unix)] fn open", "#[cfg(unix)] fn open"),
        ("close", "extern \"C\"::fn close"),
        ("check", "macro check"),
        ("macro check", "macro check"),
    ] {
        assert_eq!(named(reference), [path], "{reference}");
    }
    assert_eq!(named("Decoder::push").len(), 2);
    assert_eq!(named("open").len(), 2);
    assert_eq!(named("Decoder::fmt").len(), 2);
    for nothing in [
        "",
        "push_all",
        "ecode_events",
        "tests::decode_events",
        "for X",
        "::",
        "X",
    ] {
        assert_eq!(named(nothing), Vec::<&str>::new(), "{nothing}");
    }
}

#[test]
fn every_complete_path_names_its_item() {
    let source = parse(EXAMPLE);
    for item in source.items.iter().filter(|item| !item.test) {
        assert_eq!(source.resolve(&item.path), [item]);
    }
}

#[test]
fn doubled_items_are_told_apart_by_hash_and_then_by_order() {
    assert_eq!(
        paths("impl A {} impl A {} impl A {}"),
        ["impl A", "impl A [2]", "impl A [3]"]
    );
    let text = "const _: u8 = 1; const _: u8 = 2; const _: u8 = 1;";
    let source = parse(text);
    let tag = |at: usize| source.items[at].tokens[..8].to_owned();
    assert_eq!(
        paths(text),
        [
            format!("const _ [{}]", tag(0)),
            format!("const _ [{}]", tag(1)),
            format!("const _ [{}.2]", tag(0)),
        ]
    );
    let mut grown = paths(&format!("const _: u8 = 3; {text}"));
    grown.remove(0);
    assert_eq!(
        grown,
        paths(text),
        "what is inserted before leaves the others their paths"
    );
    assert_eq!(source.resolve("_").len(), 3);
}

#[test]
fn ranges_count_the_byte_order_mark_and_the_shebang() {
    let body = "/// Sagt „ü“.\n#[inline]\npub fn größe(a: u8) -> u8 { a }\nconst B: u8 = 1;";
    for before in [
        "",
        "\u{feff}",
        "#!/usr/bin/env run\n",
        "\u{feff}#!/usr/bin/env run\r\n",
    ] {
        let text = format!("{before}{body}");
        let source = parse(&text);
        let item = &source.items[0];
        assert_eq!(item.path, "fn größe");
        assert!(text[item.span.clone()].starts_with("/// Sagt"), "{text}");
        assert!(text[item.span.clone()].ends_with("{ a }"));
        assert_eq!(&text[item.head.clone()], "pub fn größe(a: u8) -> u8");
        assert_eq!(item.body.clone().map(|body| &text[body]), Some("{ a }"));
        assert_eq!(&text[source.items[1].span.clone()], "const B: u8 = 1;");
        assert_eq!(source.crlf, before.contains('\r'));
        let found = find_tokens(&text, 0..text.len(), "B: u8").expect("a snippet");
        assert_eq!(
            found.into_iter().map(|at| &text[at]).collect::<Vec<_>>(),
            ["B: u8"]
        );
    }
    let attribute = "#![allow(a)]\nfn f() {}";
    assert_eq!(
        &attribute[parse(attribute).items[0].span.clone()],
        "fn f() {}"
    );
}

#[test]
fn every_kind_has_its_places() {
    let expected = [
        ("pub struct S(u8);", "pub struct S"),
        ("struct S<T> { a: T }", "struct S<T>"),
        ("struct S;", "struct S"),
        ("enum E { A }", "enum E"),
        ("union U { a: u8 }", "union U"),
        ("type T<A> = Vec<A>;", "type T<A>"),
        ("const A: [u8; 2] = [1, 2];", "const A: [u8; 2]"),
        ("static mut A: u8 = 1;", "static mut A: u8"),
        ("pub unsafe trait T: A + B { }", "pub unsafe trait T: A + B"),
        ("macro_rules! m { () => {} }", "macro_rules! m"),
        (
            "async fn f<T>() where T: A { }",
            "async fn f<T>() where T: A",
        ),
    ];
    for (text, head) in expected {
        let text = format!("#[a]\n{text}\n");
        let item = &parse(&text).items[0];
        assert_eq!(&text[item.span.clone()], text.trim());
        assert_eq!(&text[item.head.clone()], head);
    }
    let text = "#[a] unsafe impl<T> A for B<T> where T: C { fn f() {} }";
    let items = parse(text).items;
    assert_eq!(items[0].kind, Kind::Impl);
    assert_eq!(
        &text[items[0].span.clone()],
        "#[a] unsafe impl<T> A for B<T> where T: C"
    );
    assert_eq!(
        &text[items[0].head.clone()],
        "unsafe impl<T> A for B<T> where T: C"
    );
    assert_eq!(items[0].body, None);
    assert_eq!(items[1].body.clone().map(|body| &text[body]), Some("{}"));
}

#[test]
fn a_crlf_checkout_has_the_same_tokens_and_says_so() {
    let unix = "/// A.\nfn f() -> &'static str {\n    \"a\n b \\\n  c\"\n}\n";
    let windows = unix.replace('\n', "\r\n");
    let (left, right) = (parse(unix), parse(&windows));
    assert_eq!((left.crlf, right.crlf), (false, true));
    assert_eq!(left.whole, right.whole);
    assert_eq!(left.items[0].tokens, right.items[0].tokens);
    assert_ne!(left.sha256, right.sha256);
}

#[test]
fn nonsense_gives_an_error_with_a_place() {
    for text in [
        "fn",
        "fn f( {",
        "}",
        "fn f() { 'a }",
        "\"",
        "fn f() {} fn 1() {}",
        "/*",
        "🦀",
    ] {
        let error = Source::parse(text.as_bytes()).expect_err(text);
        assert!(!error.message.is_empty());
        assert!(error.range.end <= text.len(), "{text}: {error:?}");
    }
    let text = "\u{feff}fn f() {}\nfn 1() {}";
    let error = Source::parse(text.as_bytes()).expect_err("1 is no name");
    assert_eq!(&text[error.range], "1");
    let error = Source::parse(b"fn f() {} // \xff").expect_err("not UTF-8");
    assert_eq!(error.range, 13..14);
    assert!(Source::parse(&vec![b' '; 9 << 20]).is_err());
    assert!(Source::parse(b"").expect("an empty file").items.is_empty());
}

#[test]
fn deep_nesting_works_or_is_refused() {
    for depth in [50, 100_000] {
        let repeat = |text: &str| text.repeat(depth);
        let bodies = [
            format!("{}a{}", repeat("("), repeat(")")),
            format!("{}a{}", repeat("if a {} else { "), repeat("}")),
            format!("if a {{}} {}", repeat("else if a {} ")),
            format!("{}a", repeat("!")),
            format!("{}a", repeat("a + ")),
            format!("{}a", repeat("|a, b| ")),
            format!("a{}", repeat(".f::<A, B>()")),
            format!("m!({}a{})", repeat("m!("), repeat(")")),
            format!("let a: {}u8{} = b;", repeat("A<u8, "), repeat(">")),
            format!("let a: {}u8 = b;", repeat("&")),
            format!("let {}a = b;", repeat("&")),
        ];
        for body in bodies {
            let result = Source::parse(format!("fn f() {{ {body} }}").as_bytes());
            assert_eq!(result.is_ok(), depth == 50, "{result:?}");
        }
    }
    let mut long = String::from("const A: &[u8] = &[");
    for number in 0..50_000 {
        let _ = write!(long, "{number} + 1 < 2, ");
    }
    long.push_str("];");
    assert!(Source::parse(long.as_bytes()).is_err() || !parse(&long).items.is_empty());
    let flat = format!("const A: &[u8] = &[{}];", "1, ".repeat(100_000));
    assert_eq!(parse(&flat).items.len(), 1);
}

#[test]
fn a_snippet_is_found_by_tokens_within_its_range() {
    let text = "fn a() { x  +=1; }\nfn b() { x += /* one */\n 1; x += 1; x && y; x & &y }";
    let at = |pattern: &str| -> Vec<&str> {
        let found = find_tokens(text, 19..text.len(), pattern).expect(pattern);
        found.into_iter().map(|range| &text[range]).collect()
    };
    assert_eq!(at("x+=1"), ["x += /* one */\n 1", "x += 1"]);
    assert_eq!(at("x && y"), ["x && y"]);
    assert_eq!(at("x & & y"), ["x & &y"]);
    assert_eq!(at("fn a"), Vec::<&str>::new());
    assert_eq!(at("{ x += 1; x += 1; x && y; x & &y }").len(), 1);
    assert!(find_tokens(text, 0..text.len(), "").is_err());
    assert!(find_tokens(text, 0..text.len(), "(").is_err());
    assert!(find_tokens(text, 0..1000, "x").is_err());
    let (end, start) = (1, 2);
    assert!(find_tokens(text, start..end, "x").is_err());
    assert_eq!(count_tokens("x  += 1; // one").expect("tokens"), 4);
    assert_eq!(count_tokens("f(a)").expect("tokens"), 4);
}

#[test]
fn the_place_of_a_panic_is_named() {
    let text = "mod tests {\n    #[test]\n    fn holds() {\n        assert_eq!(a, b);\n        \
                let „ = 1;\n    }\n}\n";
    assert_eq!(place(text, 4, 9), None, "not Rust");
    let text = "mod tests {\n    #[test]\n    fn holds() {\n        assert_eq!(a, b);\n        \
                std::panic!(\"ü {}\", a.b().expect(\"c\"));\n        d[1];\n    }\n}\n\
                m! { fn hidden() { x.unwrap(); } }\n";
    let named = |line, column| {
        let found = place(text, line, column)?;
        Some((found.item, found.macro_name, found.method))
    };
    let holds = || "mod tests::fn holds".to_owned();
    let name = |name: &str| Some(name.to_owned());
    assert_eq!(named(4, 9), Some((holds(), name("assert_eq"), None)));
    assert_eq!(named(5, 9), Some((holds(), name("panic"), None)));
    assert_eq!(named(5, 35), Some((holds(), None, name("expect"))));
    assert_eq!(named(6, 9), Some((holds(), None, None)));
    assert_eq!(
        named(9, 22),
        Some(("fn hidden".to_owned(), None, name("unwrap")))
    );
    for (line, column) in [(0, 1), (1, 0), (4, 10), (100, 1), (4, 100)] {
        assert_eq!(named(line, column), None);
    }
}
