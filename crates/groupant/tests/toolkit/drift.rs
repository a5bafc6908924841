//! The drift table: what a change of the tree raises, row by row. Each row is
//! one change of the green project, with the codes, the main place and the exit
//! code. Rows in which building or running decides run the whole `audit`.

mod documents;
mod evidence;
mod source;
mod unseen;

use crate::util::{Fixture, Output};

const SOURCE: &str = "demo/src/lib.rs";
const HELPER: &str = "demo/src/limit.rs";
const ORACLE: &str = "demo/tests/rule.rs";
const MANIFEST: &str = "sidecars/demo/src/lib.rs.groupant/manifest.json";
const SYNTAX: &str = "sidecars/demo/src/lib.rs.groupant/syntax.json";
const EPOCHS: &str = "sidecars/demo/src/lib.rs.groupant/epochs.toml";
const DESCRIPTANT: &str = "sidecars/demo/src/lib.rs.groupant/descriptant.md";
const RECEIPT: &str = "receipts/oracles/demo/rule/signs.json";
const INPUTS: &str = "receipts/oracles/demo/rule/inputs.json";
const HEAD: &str = "pub fn sign(n: i32) -> i32";

/// Runs the whole audit and compares the exit code and every code.
#[track_caller]
fn audit(fixture: &Fixture, exit: i32, errors: &[&str], notes: &[&str]) -> Output {
    told(fixture.run(&["audit"]), exit, errors, notes)
}

/// The same by reading alone.
#[track_caller]
fn quick(fixture: &Fixture, exit: i32, errors: &[&str], notes: &[&str]) -> Output {
    told(fixture.run(&["audit", "--quick"]), exit, errors, notes)
}

#[track_caller]
fn told(output: Output, exit: i32, errors: &[&str], notes: &[&str]) -> Output {
    let found = (output.exit, output.errors(), output.notes());
    assert_eq!(
        found,
        (exit, errors.to_vec(), notes.to_vec()),
        "{}{}",
        output.stdout,
        output.stderr
    );
    output
}

/// Compares the main place of a finding: its file, and the text that it covers.
#[track_caller]
fn stands_at(output: &Output, code: &str, file: &str, text: &str) {
    assert_eq!(
        output.finding(code).place(),
        (file, text),
        "{:#?}",
        output.finding(code)
    );
}

/// A note names its file and has no place in it.
#[track_caller]
fn names(output: &Output, code: &str, file: &str) {
    let finding = output.finding(code);
    assert!(
        finding.spans.is_empty() && finding.message.contains(file),
        "{finding:#?}"
    );
}

/// Whether `receipt-outdated` stands where the inputs name this source.
fn stands_on_source(output: &Output, source: &str) -> bool {
    let (file, text) = output.finding("receipt-outdated").place();
    (file, text) == (INPUTS, format!("\"{source}\"").as_str())
}
