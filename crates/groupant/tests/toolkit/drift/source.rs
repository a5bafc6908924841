//! Changes of the code under audit, and of how it is checked out.

use super::{
    HEAD, HELPER, MANIFEST, SOURCE, audit, names, quick, stands_at, stands_on_source, told,
};
use crate::project::DEMO_TOML;
use crate::util::{Fixture, Output};
use std::process::Command;

#[test]
fn the_green_project_is_clean_and_nothing_is_run_again() {
    let fixture = Fixture::green();
    let output = audit(&fixture, 0, &[], &[]);
    assert_eq!(output.summary()["oracles"]["reused"], 2);
    assert_eq!(output.summary()["controls"]["reused"], 2);
    assert_eq!(fixture.status(), "");
}

#[test]
fn an_added_comment_is_cosmetic_and_its_receipts_stay_as_they_are() {
    let fixture = Fixture::green();
    fixture.edit(
        SOURCE,
        "    if n < 0 {\n",
        "    // Below.\n    if n < 0 {\n",
    );
    let output = audit(&fixture, 0, &[], &["cosmetic"]);
    assert_eq!(
        output.finding("cosmetic").about.as_deref(),
        Some("demo-lib")
    );
    names(&output, "cosmetic", SOURCE);
}

#[test]
fn a_changed_documentation_comment_is_cosmetic() {
    let fixture = Fixture::green();
    fixture.edit(
        SOURCE,
        "/// The sign of a number.",
        "/// On which side of zero a number lies.",
    );
    let output = quick(&fixture, 0, &[], &["cosmetic"]);
    names(&output, "cosmetic", SOURCE);
}

#[test]
fn another_format_of_rustfmt_is_cosmetic() {
    let fixture = Fixture::green();
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args([
        "--edition",
        "2024",
        "--config",
        "hard_tabs=true,max_width=40",
        SOURCE,
    ]);
    assert!(
        rustfmt
            .current_dir(fixture.path())
            .status()
            .unwrap()
            .success()
    );
    assert!(fixture.read(SOURCE).contains("\n\tif n < 0 {"));
    let output = audit(&fixture, 0, &[], &["cosmetic"]);
    names(&output, "cosmetic", SOURCE);
}

#[test]
fn an_item_moved_within_its_file_leaves_its_models_fresh() {
    let fixture = Fixture::green();
    let text = fixture.read(SOURCE);
    let (start, end) = (
        text.find("/// The sign of a number.\npub").unwrap(),
        text.find("/// No model").unwrap(),
    );
    let item = &text[start..end];
    let moved = text
        .replacen(item, "", 1)
        .replace("#[cfg(test)]", &format!("{item}#[cfg(test)]"));
    fixture.write(SOURCE, moved);
    let output = audit(
        &fixture,
        1,
        &["generated-outdated", "receipt-outdated"],
        &["elsewhere"],
    );
    assert_eq!(output.finding("generated-outdated").place().0, MANIFEST);
    assert!(stands_on_source(&output, SOURCE));
    // The way back needs no acceptance.
    told(fixture.run(&["refresh"]), 0, &[], &[]);
    audit(&fixture, 0, &[], &[]);
}

#[test]
fn an_item_moved_to_another_file_is_moved() {
    let fixture = Fixture::green();
    let text = fixture.read(SOURCE);
    let (start, end) = (
        text.find("/// The sign of a number.\npub").unwrap(),
        text.find("/// No model").unwrap(),
    );
    let item = &text[start..end];
    fixture.write(SOURCE, text.replacen(item, "pub use limit::sign;\n\n", 1));
    let moved = item.replace("limit::largest()", "largest()");
    fixture.write(HELPER, format!("{}\n{moved}", fixture.read(HELPER)));
    // Another path within the body is another item: here it is gone.
    let output = quick(&fixture, 1, &["gone", "receipt-outdated"], &[]);
    stands_at(&output, "gone", DEMO_TOML, "\"sign\"");
    // With the same tokens it is found again.
    fixture.write(HELPER, format!("{LIMIT_WITH_ITSELF}\n{item}"));
    let output = quick(&fixture, 1, &["moved", "receipt-outdated"], &[]);
    stands_at(&output, "moved", HELPER, HEAD);
    let help = output.finding("moved").help.clone().unwrap();
    assert!(help.contains("a sidecar of demo/src/limit.rs"), "{help}");
}

const LIMIT_WITH_ITSELF: &str = "//! The largest sign.\n\nuse crate::limit;\n\n/// One.\npub(crate) fn largest() -> i32 {\n    1\n}\n";

#[test]
fn a_changed_body_makes_the_models_that_speak_of_it_stale() {
    let fixture = Fixture::green();
    fixture.edit(SOURCE, "n < 0", "0 > n");
    let output = audit(&fixture, 1, &["body", "receipt-outdated"], &[]);
    stands_at(&output, "body", SOURCE, HEAD);
    let finding = output.finding("body");
    assert_eq!(
        (
            finding.spans[1].file.as_str(),
            finding.spans[1].text.as_str()
        ),
        (DEMO_TOML, "\"sign\"")
    );
    assert!(
        finding.notes.iter().any(|note| note.starts_with("tokens ")),
        "{finding:#?}"
    );
    // The help is the exact way back.
    let help = finding.help.clone().unwrap();
    assert!(
        help.ends_with(
            "cargo groupant bind --accept demo-lib/antecedents demo-lib/nonbehavior --because \"…\""
        ),
        "{help}"
    );
    told(fixture.run(&["refresh"]), 1, &["body"], &[]);
    let accept = [
        "bind",
        "--accept",
        "demo-lib",
        "--because",
        "The same comparison.",
    ];
    told(fixture.run(&accept), 1, &["review"], &[]);
}

#[test]
fn a_body_that_breaks_the_rule_fails_its_oracle() {
    let fixture = Fixture::green();
    fixture.edit(SOURCE, "n == 0", "n == 1");
    let output = audit(&fixture, 4, &["body", "oracle-failed"], &[]);
    stands_at(&output, "body", SOURCE, HEAD);
    stands_at(&output, "oracle-failed", DEMO_TOML, "\"demo::rule$signs\"");
    let finding = output.finding("oracle-failed");
    let words = format!("{} {:?}", finding.message, finding.notes);
    assert!(
        words.contains("sign(1) must give 1 back; the code gave 0"),
        "{words}"
    );
}

#[test]
fn a_changed_signature_is_told_as_one() {
    let fixture = Fixture::green();
    fixture.edit(SOURCE, HEAD, "pub fn sign(n: i64) -> i32");
    let output = quick(&fixture, 1, &["receipt-outdated", "signature"], &[]);
    stands_at(&output, "signature", SOURCE, "pub fn sign(n: i64) -> i32");
    assert!(
        output
            .finding("signature")
            .notes
            .iter()
            .any(|note| note.starts_with("signature "))
    );
}

#[test]
fn a_deleted_item_is_gone() {
    let fixture = Fixture::green();
    let text = fixture.read(SOURCE);
    let (start, end) = (
        text.find("/// The sign of a number.\npub").unwrap(),
        text.find("/// No model").unwrap(),
    );
    fixture.write(SOURCE, text.replacen(&text[start..end], "", 1));
    let output = quick(&fixture, 1, &["gone", "receipt-outdated"], &[]);
    stands_at(&output, "gone", DEMO_TOML, "\"sign\"");
}

#[test]
fn a_duplicated_item_is_ambiguous() {
    let fixture = Fixture::green();
    let copy = "/// Another one.\npub mod copy {\n    /// Of the same name.\n    pub fn sign() {}\n}\n\n#[cfg(test)]";
    fixture.edit(SOURCE, "#[cfg(test)]", copy);
    let output = quick(&fixture, 1, &["ambiguous", "receipt-outdated"], &[]);
    stands_at(&output, "ambiguous", DEMO_TOML, "\"sign\"");
    let others: Vec<&str> = output.finding("ambiguous").spans[1..]
        .iter()
        .map(|span| span.text.as_str())
        .collect();
    assert_eq!(others, [HEAD, "pub fn sign()"]);
}

#[test]
fn a_helper_changed_in_another_file_leaves_no_old_result_standing() {
    let fixture = Fixture::green();
    fixture.edit(HELPER, "    1\n", "    2 - 1\n");
    let output = quick(&fixture, 1, &["receipt-outdated"], &[]);
    assert!(stands_on_source(&output, HELPER));
    let output = audit(&fixture, 1, &["receipt-outdated"], &[]);
    assert!(stands_on_source(&output, HELPER));
    assert_eq!(
        output.summary()["oracles"]["reused"],
        1,
        "the other package's oracle alone is re-used"
    );
    told(fixture.run(&["refresh"]), 0, &[], &[]);
    audit(&fixture, 0, &[], &[]);
}

#[test]
fn a_source_with_a_syntax_error_is_unparsed_and_the_others_are_reported() {
    let fixture = Fixture::green();
    fixture.edit(SOURCE, "    if n < 0 {\n", "    if n < 0 0 {\n");
    let output = quick(&fixture, 1, &["unparsed"], &[]);
    stands_at(&output, "unparsed", SOURCE, "0");
    let output = audit(&fixture, 3, &["build-failed", "unparsed"], &[]);
    the_second_package_is_reported(&output);
}

#[test]
fn a_crate_that_does_not_compile_is_told_and_the_others_are_reported() {
    let fixture = Fixture::green();
    fixture.edit(HELPER, "    1\n", "    \"one\"\n");
    let output = audit(&fixture, 3, &["build-failed"], &[]);
    stands_at(&output, "build-failed", HELPER, "\"one\"");
    the_second_package_is_reported(&output);
}

#[track_caller]
fn the_second_package_is_reported(output: &Output) {
    let oracle = output
        .lines
        .iter()
        .find(|line| line["oracle"] == "second::rule$parities")
        .unwrap();
    assert_eq!(
        (&oracle["status"], &oracle["claims"]["universe"]),
        (&"passed".into(), &10.into())
    );
    assert!(
        output
            .lines
            .iter()
            .any(|line| line["control"] == "second-lib/third-for-half")
    );
    let failed = output
        .lines
        .iter()
        .find(|line| line["oracle"] == "demo::rule$signs")
        .unwrap();
    assert_eq!(failed["status"], "not built");
}

#[test]
fn a_checkout_with_crlf_is_one_finding() {
    let fixture = Fixture::green();
    for file in fixture.git(&["ls-files"]).lines() {
        fixture.write(file, fixture.read(file).replace('\n', "\r\n"));
    }
    let output = quick(&fixture, 1, &["crlf"], &[]);
    let (file, text) = output.finding("crlf").place();
    assert!(
        file.ends_with("/groupant.toml") && text.starts_with("id = "),
        "{file}: {text}"
    );
    audit(&fixture, 1, &["crlf"], &[]);
}
