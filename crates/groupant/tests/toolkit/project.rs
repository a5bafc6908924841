//! The authored files of the fixture project: two packages, each with a source,
//! a sidecar, an oracle in a test target and a control; a group with a
//! composing model, and a plain group. No dependencies.

/// Every authored file with its text. The generated and appended ones are made
/// by the tool itself.
pub(crate) fn files() -> Vec<(&'static str, String)> {
    let text = |text: &str| text.trim_start().to_owned();
    vec![
        ("Cargo.toml", text(WORKSPACE)),
        (".gitignore", text("target\n")),
        (".gitattributes", text("* text=auto eol=lf\n")),
        (README, text(README_TEXT)),
        ("demo/Cargo.toml", package("demo")),
        ("demo/src/lib.rs", text(DEMO)),
        ("demo/src/limit.rs", text(LIMIT)),
        ("demo/tests/rule.rs", format!("{}{RECORD}", text(SIGNS))),
        ("second/Cargo.toml", package("second")),
        ("second/src/lib.rs", text(SECOND)),
        (
            "second/tests/rule.rs",
            format!("{}{RECORD}", text(PARITIES)),
        ),
        (DEMO_TOML, text(DEMO_DEFINITION)),
        (DEMO_CATALOG, text(CATALOG)),
        (
            "sidecars/demo/src/lib.rs.groupant/descriptant.md",
            text(DESCRIPTANT),
        ),
        (
            "sidecars/demo/src/lib.rs.groupant/approximant.md",
            text(APPROXIMANT),
        ),
        (DEMO_TESTS, text(EVIDENCE)),
        (SECOND_TOML, text(SECOND_DEFINITION)),
        (
            "sidecars/second/src/lib.rs.groupant/catalog.md",
            text(SECOND_CATALOG),
        ),
        (
            "sidecars/second/src/lib.rs.groupant/descriptant.md",
            text("# Parity\n\nTells even numbers from odd ones.\n"),
        ),
        (
            "sidecars/second/src/lib.rs.groupant/approximant.md",
            text("# Forward model\n\nThe remainder by two.\n"),
        ),
        (
            "sidecars/second/src/lib.rs.groupant/tests.md",
            text("# Evidence\n\n`claim:parities.universe = 10` numbers.\n"),
        ),
        (GROUP_TOML, text(GROUP_DEFINITION)),
        (
            "sidecars/demo.groupant/descriptant.md",
            text("# The package demo\n\nOne source and its helper.\n"),
        ),
        ("sidecars/demo.groupant/composition.md", text(COMPOSITION)),
        (
            "sidecars/workspace.groupant/groupant.toml",
            text(ROOT_DEFINITION),
        ),
        (
            "sidecars/workspace.groupant/descriptant.md",
            text("# The workspace\n\nTwo packages that know nothing of each other.\n"),
        ),
        (
            "sidecars/workspace.groupant/composition.md",
            text("# Composition\n\nNothing is composed here.\n"),
        ),
    ]
}

/// The definition of the first package's sidecar.
pub(crate) const DEMO_TOML: &str = "sidecars/demo/src/lib.rs.groupant/groupant.toml";
/// Its models in prose.
pub(crate) const DEMO_CATALOG: &str = "sidecars/demo/src/lib.rs.groupant/catalog.md";
/// Its evidence, with a figure.
pub(crate) const DEMO_TESTS: &str = "sidecars/demo/src/lib.rs.groupant/tests.md";
/// The definition of the second package's sidecar.
pub(crate) const SECOND_TOML: &str = "sidecars/second/src/lib.rs.groupant/groupant.toml";
/// The group with a composing model.
pub(crate) const GROUP_TOML: &str = "sidecars/demo.groupant/groupant.toml";
/// With the digest over all receipts.
pub(crate) const README: &str = "README.md";

fn package(name: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
}

// Without debug information, so that a copy of the target directory is small.
const WORKSPACE: &str = r#"
[workspace]
resolver = "3"
members = ["demo", "second"]

[workspace.metadata.groupant]
subjects = ["*/src/**/*.rs"]
exempt = [{ path = "demo/src/limit.rs", reason = "one number" }]
sensitive = true

[profile.dev]
debug = 0
incremental = false
"#;

const README_TEXT: &str = "
# Fixture

Digest over all receipts: `none yet` <!-- receipts-digest -->
";

const DEMO: &str = r"
//! The sign of a number.

mod limit;

/// The sign of a number.
pub fn sign(n: i32) -> i32 {
    if n < 0 {
        -1
    } else if n == 0 {
        0
    } else {
        limit::largest()
    }
}

/// No model speaks of this one.
pub fn twice(n: i32) -> i32 {
    n + n
}

#[cfg(test)]
mod tests {
    fn zero() -> i32 {
        0
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(super::sign(zero()), 0);
    }
}
";

const LIMIT: &str = r"
//! The largest sign.

/// One.
pub(crate) fn largest() -> i32 {
    1
}
";

const SECOND: &str = r#"
//! Even and odd.

/// The parity of a number, in a word.
pub fn parity(n: u32) -> &'static str {
    if n % 2 == 0 { "even" } else { "odd" }
}
"#;

const SIGNS: &str = r#"
//! The oracle of `sign`.

use std::collections::BTreeMap;

#[test]
fn signs() {
    let mut fibers = BTreeMap::new();
    let mut universe = 0;
    for n in -5..=5 {
        let found = demo::sign(n);
        assert!((-1..=1).contains(&found), "sign({n}) must lie between -1 and 1; the code gave {found}");
        assert_eq!(found * n.abs(), n, "sign({n}) must give {n} back; the code gave {found}");
        *fibers.entry(found).or_insert(0) += 1;
        universe += 1;
    }
    record("signs", universe, &fibers);
}
"#;

const PARITIES: &str = r#"
//! The oracle of `parity`.

use std::collections::BTreeMap;

#[test]
fn parities() {
    let mut fibers = BTreeMap::new();
    let mut universe = 0;
    for n in 0..10 {
        let found = second::parity(n);
        let even = [0, 2, 4, 6, 8].contains(&n);
        assert_eq!(found == "even", even, "{n} is called {found}");
        *fibers.entry(found).or_insert(0) += 1;
        universe += 1;
    }
    record("parities", universe, &fibers);
}
"#;

/// What `obernant` does, with the standard library alone.
const RECORD: &str = r##"
fn record<K: std::fmt::Display>(oracle: &str, universe: usize, fibers: &BTreeMap<K, usize>) {
    let (Ok(path), Ok(nonce)) = (std::env::var("OBERNANT_RECORD"), std::env::var("OBERNANT_NONCE")) else {
        return;
    };
    let outcomes = fibers.len();
    let fibers: Vec<String> = fibers.iter().map(|(key, n)| format!("\"{key}\":{n}")).collect();
    let claims = format!(
        r#""universe":{universe},"exhausted":{universe},"outcomes":{outcomes},"fibers":{{{}}}"#,
        fibers.join(",")
    );
    let text = format!(
        r#"{{"format":"obernant-record/1","nonce":"{nonce}","oracle":"{oracle}","bounds":{{"cases":{universe}}},"checks":["complement","reconstruction"],"claims":{{{claims}}},"data":[],"failure":null,"complete":true}}"#
    );
    std::fs::write(path, text).unwrap();
}
"##;

const DEMO_DEFINITION: &str = r#"
id = "demo-lib"
title = "The sign"
owner = "demo"
source = "demo/src/lib.rs"

[[model]]
id = "nonbehavior"
type = "behavior_complement"
domain = "numbers from -5 to 5"
observation = "the sign"
approximation = "exact"
assumptions = ["no overflow"]
items = ["sign"]
oracles = ["demo::rule$signs"]
controls = ["minus-dropped"]

[[model]]
id = "antecedents"
type = "reverse_reconstruction"
domain = "numbers from -5 to 5"
observation = "the sign"
approximation = "exact"
items = ["sign"]
oracles = ["demo::rule$signs"]
controls = ["minus-dropped"]

[[control]]
id = "minus-dropped"
rejected_by = ["demo::rule$signs"]
rejection = "assertion"
[[control.edit]]
item = "sign"
find = "-1"
replace = "1"
"#;

const CATALOG: &str = "
# Models

## nonbehavior

A sign is never below -1 and never above 1. See [what it is](descriptant.md).

## antecedents

The sign times the magnitude is the number.
";

const DESCRIPTANT: &str = "
# The sign

Tells on which side of zero a number lies; see [the evidence](tests.md#evidence).
";

const APPROXIMANT: &str = "
# Forward model

Two comparisons with zero.
";

const EVIDENCE: &str = "
# Evidence

`claim:signs.universe = 11` numbers were tried, `claim:signs.fibers.-1 = 5` of them negative.
";

const SECOND_DEFINITION: &str = r#"
id = "second-lib"
title = "Parity"
owner = "second"
source = "second/src/lib.rs"

[[model]]
id = "nonbehavior"
type = "behavior_complement"
domain = "numbers below 10"
observation = "the word"
approximation = "exact"
items = ["parity"]
oracles = ["second::rule$parities"]
controls = ["third-for-half"]

[[model]]
id = "antecedents"
type = "reverse_reconstruction"
domain = "numbers below 10"
observation = "the word"
approximation = "exact"
items = ["parity"]
oracles = ["second::rule$parities"]
controls = ["third-for-half"]

[[control]]
id = "third-for-half"
rejected_by = ["second::rule$parities"]
rejection = "assertion"
[[control.edit]]
item = "parity"
find = "n % 2"
replace = "n % 3"
"#;

const SECOND_CATALOG: &str = "
# Models

## nonbehavior

There is no third word.

## antecedents

Every number with the same remainder has the same word.
";

const GROUP_DEFINITION: &str = r#"
id = "demo-crate"
title = "The package demo"
owner = "demo"
children = ["demo-lib"]

[[model]]
id = "package-nonbehavior"
type = "behavior_complement"
domain = "all numbers"
observation = "the sign"
approximation = "outer"
children = ["demo-lib"]

[[model]]
id = "package-antecedents"
type = "reverse_reconstruction"
domain = "all numbers"
observation = "the sign"
approximation = "outer"
"#;

const COMPOSITION: &str = "
# Composition

## package-nonbehavior

What the sign never is, the package never gives.

## package-antecedents

Not shown.
";

const ROOT_DEFINITION: &str = r#"
id = "workspace"
title = "The workspace"
owner = "demo"
children = ["demo-crate", "second-lib"]
"#;
