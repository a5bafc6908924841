//! Changes of oracles, controls and receipts.

use super::{
    HEAD, INPUTS, ORACLE, RECEIPT, SOURCE, audit, quick, stands_at, stands_on_source, told,
};
use crate::project::{DEMO_TESTS, DEMO_TOML};
use crate::util::Fixture;

#[test]
fn an_edited_receipt_is_told_whether_something_is_run_or_not() {
    let fixture = Fixture::green();
    fixture.edit(RECEIPT, "\"universe\": 11", "\"universe\": 12");
    let output = quick(&fixture, 1, &["receipt-edited"], &[]);
    assert_eq!(output.finding("receipt-edited").place().0, RECEIPT);
    audit(&fixture, 1, &["receipt-edited"], &[]);
    told(fixture.run(&["refresh"]), 0, &[], &[]);
    assert_eq!(fixture.status(), "");
}

#[test]
fn a_deleted_receipt_is_missing() {
    let fixture = Fixture::green();
    fixture.remove(RECEIPT);
    let output = quick(&fixture, 1, &["receipt-missing"], &[]);
    assert_eq!(
        output.finding("receipt-missing").about.as_deref(),
        Some(RECEIPT)
    );
    stands_at(&output, "receipt-missing", INPUTS, "\"signs.json\"");
    audit(&fixture, 1, &["receipt-missing"], &[]);
    told(fixture.run(&["refresh"]), 0, &[], &[]);
    assert_eq!(fixture.status(), "");
}

#[test]
fn inputs_that_name_no_source_are_edited_too() {
    let fixture = Fixture::green();
    let text = fixture.read(INPUTS);
    let (start, end) = (
        text.find("  \"sources\"").unwrap(),
        text.find("  \"target\"").unwrap(),
    );
    fixture.write(INPUTS, text.replacen(&text[start..end], "", 1));
    let output = quick(&fixture, 1, &["receipt-edited"], &[]);
    assert_eq!(output.finding("receipt-edited").place().0, INPUTS);
}

#[test]
fn a_weakened_oracle_lets_its_control_survive() {
    let fixture = Fixture::green();
    let line = "        assert_eq!(found * n.abs(), n, \"sign({n}) must give {n} back; the code gave {found}\");\n";
    fixture.edit(ORACLE, line, "");
    let output = audit(&fixture, 4, &["control-survived", "receipt-outdated"], &[]);
    stands_at(&output, "control-survived", DEMO_TOML, "\"-1\"");
    let second = &output.finding("control-survived").spans[1];
    assert_eq!((second.file.as_str(), second.text.as_str()), (SOURCE, "-1"));
    assert!(stands_on_source(&output, ORACLE));
    // Nothing is recorded of what failed.
    let refreshed = fixture.run(&["refresh"]);
    assert_eq!(refreshed.exit, 4);
    assert!(
        !fixture.status().contains("receipts/controls"),
        "{}",
        fixture.status()
    );
}

#[test]
fn a_renamed_oracle_is_missing_and_the_new_name_is_shown() {
    let fixture = Fixture::green();
    fixture.edit(ORACLE, "fn signs()", "fn signs_of_all()");
    let output = audit(&fixture, 1, &["oracle-missing"], &[]);
    stands_at(&output, "oracle-missing", DEMO_TOML, "\"demo::rule$signs\"");
    let notes = &output.finding("oracle-missing").notes;
    assert!(
        notes.iter().any(|note| note.contains("signs_of_all")),
        "{notes:?}"
    );
}

#[test]
fn an_ignored_oracle_shows_nothing() {
    let fixture = Fixture::green();
    fixture.edit(ORACLE, "#[test]", "#[test]\n#[ignore = \"slow\"]");
    let output = audit(&fixture, 1, &["oracle-ignored"], &[]);
    stands_at(&output, "oracle-ignored", DEMO_TOML, "\"demo::rule$signs\"");
}

#[test]
fn an_oracle_that_exits_early_has_no_completion_mark() {
    let fixture = Fixture::green();
    fixture.edit(
        ORACLE,
        "    let mut universe = 0;\n",
        "    let mut universe = 0;\n    std::process::exit(0);\n",
    );
    let output = audit(&fixture, 4, &["oracle-incomplete"], &[]);
    stands_at(
        &output,
        "oracle-incomplete",
        DEMO_TOML,
        "\"demo::rule$signs\"",
    );
}

#[test]
fn a_universe_of_one_case_shows_less_and_is_not_what_was_recorded() {
    let fixture = Fixture::green();
    fixture.edit(ORACLE, "-5..=5", "-5..=-5");
    let output = audit(
        &fixture,
        1,
        &["receipt-differs", "weakened", "weakened"],
        &[],
    );
    assert_eq!(output.finding("receipt-differs").place().0, RECEIPT);
    stands_at(&output, "weakened", DEMO_TOML, "\"antecedents\"");
    let notes = &output.finding("weakened").notes;
    assert_eq!(
        notes,
        &[
            "level bounded → witnessed",
            "universe of demo::rule$signs: 11 → 1"
        ]
    );
}

#[test]
fn a_universe_smaller_than_accepted_is_weakened_until_it_is_accepted() {
    let fixture = Fixture::green();
    fixture.edit(ORACLE, "-5..=5", "-4..=4");
    fixture
        .edit(DEMO_TESTS, "universe = 11", "universe = 9")
        .edit(DEMO_TESTS, "-1 = 5", "-1 = 4");
    told(fixture.run(&["refresh"]), 1, &["weakened", "weakened"], &[]);
    let output = audit(&fixture, 1, &["weakened", "weakened"], &[]);
    stands_at(&output, "weakened", DEMO_TOML, "\"antecedents\"");
    assert_eq!(
        output.finding("weakened").notes,
        ["universe of demo::rule$signs: 11 → 9"]
    );
    quick(&fixture, 1, &["weakened", "weakened"], &[]);
    let names = [
        "demo-lib/nonbehavior",
        "demo-lib/antecedents",
        "demo-crate/package-nonbehavior",
    ];
    let accept = [
        &["bind", "--accept"],
        &names[..],
        &["--because", "Nine are enough."],
    ]
    .concat();
    told(fixture.run(&accept), 0, &[], &[]);
    audit(&fixture, 0, &[], &[]);
}

#[test]
fn a_receipt_that_belongs_to_nothing_is_an_orphan_and_refresh_removes_it() {
    let fixture = Fixture::green();
    let orphan = "receipts/oracles/demo/rule/gone.json";
    fixture.write(orphan, fixture.read(RECEIPT));
    let output = quick(&fixture, 1, &["receipt-orphan"], &[]);
    assert_eq!(output.finding("receipt-orphan").place().0, orphan);
    audit(&fixture, 1, &["receipt-orphan"], &[]);
    told(fixture.run(&["refresh"]), 0, &[], &[]);
    assert_eq!(fixture.status(), "");
}

#[test]
fn a_control_whose_text_is_gone_from_the_item_does_not_apply() {
    let fixture = Fixture::green();
    fixture.edit(SOURCE, "        -1\n", "        !0\n");
    let output = audit(
        &fixture,
        4,
        &["body", "control-not-applied", "receipt-outdated"],
        &[],
    );
    stands_at(&output, "control-not-applied", DEMO_TOML, "\"-1\"");
    assert_eq!(output.finding("control-not-applied").spans[1].text, HEAD);
}

#[test]
fn a_control_whose_text_stands_twice_in_the_item_does_not_apply() {
    let fixture = Fixture::green();
    fixture.edit(SOURCE, "n < 0", "n <= -1");
    let output = audit(
        &fixture,
        4,
        &["body", "control-twice", "receipt-outdated"],
        &[],
    );
    stands_at(&output, "control-twice", DEMO_TOML, "\"-1\"");
    let places: Vec<&str> = output.finding("control-twice").spans[1..]
        .iter()
        .map(|span| span.text.as_str())
        .collect();
    assert_eq!(places, ["-1", "-1"]);
}

/// The fault of the demo's control is replaced, and the manifest follows.
fn other_fault(replace: &str) -> Fixture {
    let fixture = Fixture::green();
    fixture.edit(
        DEMO_TOML,
        "replace = \"1\"",
        &format!("replace = '{replace}'"),
    );
    told(fixture.run(&["bind"]), 0, &[], &[]);
    fixture
}

#[test]
fn a_control_that_does_not_compile_rejects_nothing() {
    let output = audit(&other_fault("\"one\""), 4, &["control-not-compiled"], &[]);
    stands_at(&output, "control-not-compiled", DEMO_TOML, "\"-1\"");
    assert!(
        output
            .finding("control-not-compiled")
            .message
            .contains("mismatched types")
    );
}

#[test]
fn a_control_that_changes_nothing_survives() {
    let output = audit(&other_fault("0 - 1"), 4, &["control-survived"], &[]);
    stands_at(&output, "control-survived", DEMO_TOML, "\"-1\"");
}

#[test]
fn a_control_that_fails_in_another_way_than_named_is_told() {
    let output = audit(
        &other_fault("panic!(\"no sign\")"),
        4,
        &["control-wrong-rejection"],
        &[],
    );
    stands_at(&output, "control-wrong-rejection", DEMO_TOML, "\"-1\"");
    let finding = output.finding("control-wrong-rejection");
    assert!(
        finding.notes.iter().any(|note| note.contains("no sign")),
        "{finding:#?}"
    );
}

#[test]
fn a_control_inside_a_test_is_refused() {
    let fixture = Fixture::green();
    fixture.edit(
        DEMO_TOML,
        "item = \"sign\"\nfind = \"-1\"",
        "item = \"tests::zero\"\nfind = \"0\"",
    );
    told(fixture.run(&["bind"]), 0, &[], &[]);
    let output = audit(&fixture, 1, &["control-in-test"], &[]);
    stands_at(&output, "control-in-test", DEMO_TOML, "\"tests::zero\"");
    assert_eq!(
        output.finding("control-in-test").spans[1].text,
        "fn zero() -> i32"
    );
}

#[test]
fn a_control_that_edits_its_oracle_is_refused() {
    let fixture = Fixture::green();
    let old = "item = \"sign\"\nfind = \"-1\"";
    fixture.edit(
        DEMO_TOML,
        old,
        &format!("source = \"{ORACLE}\"\nitem = \"record\"\nfind = \"fibers.len()\""),
    );
    told(fixture.run(&["bind"]), 0, &[], &[]);
    let output = audit(&fixture, 1, &["control-in-test"], &[]);
    stands_at(&output, "control-in-test", DEMO_TOML, "\"record\"");
}
