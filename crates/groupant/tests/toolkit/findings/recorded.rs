//! Codes of what was recorded: receipts, the digest over them, and levels.

use crate::findings::pairs;
use crate::project::DEMO_TESTS;
use crate::util::Fixture;
use sha2::{Digest as _, Sha256};

const QUICK: [&str; 2] = ["audit", "--quick"];
const RECEIPT: &str = "receipts/oracles/demo/rule/signs.json";
const INPUTS: &str = "receipts/oracles/demo/rule/inputs.json";
const RULE: &str = "demo/tests/rule.rs";

pairs! {
    a_universe_below_the_accepted_one_is_weakened: Weakened, QUICK,
        bad: |fixture| range(fixture, 4),
        good: |fixture| range(fixture, 6);
    a_composing_model_is_read_again_when_its_child_changed: Review, QUICK,
        bad: |fixture| accepted(fixture, "demo/src/lib.rs", "n < 0", "0 > n", "demo-lib"),
        good: |fixture| accepted(fixture, "second/src/lib.rs", "n % 2 == 0", "n % 2 != 1", "second-lib");
    a_model_below_the_required_level_is_told: Insufficient, ["audit", "--quick", "--id", "demo-lib"],
        bad: |fixture| fixture.edit("Cargo.toml", "sensitive = true", "require = \"closed\""),
        good: |fixture| fixture.edit("Cargo.toml", "sensitive = true", "require = \"bounded\"");
    a_receipt_that_was_deleted_is_missing: ReceiptMissing, QUICK,
        bad: |fixture| fixture.remove(RECEIPT),
        good: |_| {};
    a_receipt_that_was_edited_disagrees_with_its_digest: ReceiptEdited, QUICK,
        bad: |fixture| fixture.edit(RECEIPT, "\"universe\": 11", "\"universe\": 12"),
        good: |fixture| forge(fixture, "\"universe\": 11", "\"universe\": 12");
    a_forged_receipt_differs_from_the_run: ReceiptDiffers, ["audit"],
        bad: |fixture| forge(fixture, "\"1\": 5", "\"1\": 6"),
        good: |fixture| fixture.edit(RECEIPT, "\"1\": 5", "\"1\": 6");
    a_receipt_made_on_other_code_is_outdated: ReceiptOutdated, QUICK,
        bad: |fixture| fixture.edit("demo/src/limit.rs", "    1", "    2 - 1"),
        good: |fixture| fixture.edit("demo/src/limit.rs", "    1", "    1 // one");
    a_receipt_of_no_test_is_an_orphan: ReceiptOrphan, QUICK,
        bad: |fixture| fixture.write("receipts/oracles/demo/rule/old.json", fixture.read(RECEIPT)),
        good: |fixture| fixture.write("receipts/README.md", "# Receipts\n");
    the_digest_in_the_readme_is_that_of_the_receipts: DigestMismatch, QUICK,
        bad: |fixture| {
            let digest = digest(fixture);
            fixture.edit("README.md", &digest, &"0".repeat(64));
        },
        good: |fixture| fixture.edit("README.md", "Digest over all receipts", "The digest");
    another_toolchain_is_told: Toolchain, ["audit"],
        bad: |fixture| {
            let text = fixture.read(INPUTS);
            let line = text.lines().find(|line| line.contains("\"toolchain\"")).unwrap();
            let old = digest(fixture);
            fixture.edit(INPUTS, line, "  \"toolchain\": \"rustc 1.0.0 elsewhere\"");
            fixture.edit("README.md", &old, &digest(fixture));
        },
        good: |_| {};
}

/// The oracle tries another range, and everything but acceptance follows.
fn range(fixture: &Fixture, largest: usize) {
    fixture.edit(RULE, "-5..=5", &format!("-{largest}..={largest}"));
    fixture.edit(
        DEMO_TESTS,
        "universe = 11",
        &format!("universe = {}", 2 * largest + 1),
    );
    fixture.edit(
        DEMO_TESTS,
        "fibers.-1 = 5",
        &format!("fibers.-1 = {largest}"),
    );
    fixture.run(&["refresh"]);
}

/// An item changes, is executed again and accepted.
fn accepted(fixture: &Fixture, file: &str, old: &str, new: &str, id: &str) {
    fixture.edit(file, old, new);
    fixture.run(&["refresh"]);
    fixture.run(&["bind", "--accept", id, "--because", "The same rule."]);
}

/// Edits a receipt, and everything that holds its digest.
fn forge(fixture: &Fixture, old: &str, new: &str) {
    let before = digest(fixture);
    let honest = sha256(&fixture.read(RECEIPT));
    fixture.edit(RECEIPT, old, new);
    fixture.edit(INPUTS, &honest, &sha256(&fixture.read(RECEIPT)));
    fixture.edit("README.md", &before, &digest(fixture));
}

/// The digest over all receipts.
fn digest(fixture: &Fixture) -> String {
    let output = fixture.plain(&["receipt", "list"]);
    let last = output.stdout.lines().last().unwrap();
    last.split_whitespace().next().unwrap().to_owned()
}

fn sha256(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
