//! Changes of documents, definitions, generated and appended files.

use super::{
    DESCRIPTANT, EPOCHS, HEAD, MANIFEST, SOURCE, SYNTAX, audit, names, quick, stands_at, told,
};
use crate::project::{DEMO_CATALOG, DEMO_TESTS, DEMO_TOML, GROUP_TOML, README};
use crate::util::Fixture;

#[test]
fn a_renamed_heading_leaves_its_model_without_one() {
    let fixture = Fixture::green();
    fixture.edit(DEMO_CATALOG, "## antecedents", "## preimages");
    let output = quick(&fixture, 1, &["heading-missing"], &[]);
    stands_at(&output, "heading-missing", DEMO_TOML, "\"antecedents\"");
    let second = &output.finding("heading-missing").spans[1];
    assert_eq!(
        (second.file.as_str(), second.text.as_str()),
        (DEMO_CATALOG, "## preimages")
    );
}

#[test]
fn a_model_without_a_heading_is_told_at_its_id() {
    let fixture = Fixture::green();
    fixture.edit(
        DEMO_CATALOG,
        "## antecedents\n\nThe sign times the magnitude is the number.\n",
        "",
    );
    let output = quick(&fixture, 1, &["heading-missing"], &[]);
    stands_at(&output, "heading-missing", DEMO_TOML, "\"antecedents\"");
}

#[test]
fn a_heading_without_a_model_is_told_at_the_heading() {
    let fixture = Fixture::green();
    fixture.edit(
        DEMO_CATALOG,
        "## antecedents",
        "## cost\n\nNone.\n\n## antecedents",
    );
    let output = quick(&fixture, 1, &["model-missing"], &["prose"]);
    stands_at(&output, "model-missing", DEMO_CATALOG, "## cost");
}

#[test]
fn types_in_another_order_are_told_at_the_first_wrong_one() {
    let fixture = Fixture::green();
    fixture
        .edit(DEMO_TOML, "behavior_complement", "first")
        .edit(DEMO_TOML, "reverse_reconstruction", "behavior_complement")
        .edit(DEMO_TOML, "\"first\"", "\"reverse_reconstruction\"");
    let output = quick(&fixture, 1, &["type-order"], &[]);
    stands_at(
        &output,
        "type-order",
        DEMO_TOML,
        "\"reverse_reconstruction\"",
    );
}

#[test]
fn an_unknown_type_is_led_to_the_nearest_known_one() {
    let fixture = Fixture::green();
    fixture.edit(
        DEMO_TOML,
        "reverse_reconstruction",
        "reverse_reconstructions",
    );
    let output = quick(&fixture, 1, &["type-unknown"], &[]);
    stands_at(
        &output,
        "type-unknown",
        DEMO_TOML,
        "\"reverse_reconstructions\"",
    );
    assert_eq!(
        output.finding("type-unknown").help.as_deref(),
        Some("did you mean `reverse_reconstruction`?")
    );
}

#[test]
fn a_required_document_that_is_missing_is_told_at_the_sidecars_id() {
    let fixture = Fixture::green();
    fixture.remove("sidecars/demo/src/lib.rs.groupant/approximant.md");
    let output = quick(&fixture, 1, &["document-missing"], &["prose"]);
    stands_at(&output, "document-missing", DEMO_TOML, "\"demo-lib\"");
}

#[test]
fn a_broken_link_is_told_at_the_link() {
    let fixture = Fixture::green();
    fixture.edit(DEMO_CATALOG, "(descriptant.md)", "(description.md)");
    let output = quick(&fixture, 1, &["link-broken"], &["prose"]);
    stands_at(
        &output,
        "link-broken",
        DEMO_CATALOG,
        "[what it is](description.md)",
    );
    fixture.edit(DEMO_CATALOG, "(description.md)", "(descriptant.md)");
    fixture.edit(DESCRIPTANT, "tests.md#evidence", "tests.md#proof");
    let output = quick(&fixture, 1, &["link-broken"], &["prose"]);
    stands_at(
        &output,
        "link-broken",
        DESCRIPTANT,
        "[the evidence](tests.md#proof)",
    );
}

#[test]
fn a_figure_changed_by_one_differs_from_its_claim() {
    let fixture = Fixture::green();
    fixture.edit(DEMO_TESTS, "signs.universe = 11", "signs.universe = 12");
    let output = quick(&fixture, 1, &["figure-mismatch"], &["prose"]);
    stands_at(
        &output,
        "figure-mismatch",
        DEMO_TESTS,
        "`claim:signs.universe = 12`",
    );
    audit(&fixture, 1, &["figure-mismatch"], &["prose"]);
}

#[test]
fn an_edited_manifest_is_outdated_at_the_first_difference() {
    let fixture = Fixture::green();
    fixture.edit(MANIFEST, "\"title\": \"The sign\"", "\"title\": \"A sign\"");
    let output = quick(&fixture, 1, &["generated-outdated"], &[]);
    stands_at(
        &output,
        "generated-outdated",
        MANIFEST,
        "  \"title\": \"A sign\",",
    );
}

#[test]
fn a_manifest_that_is_deleted_and_generated_again_leaves_a_stale_model_stale() {
    let fixture = Fixture::green();
    fixture
        .edit(SOURCE, "n < 0", "0 > n")
        .remove(MANIFEST)
        .remove(SYNTAX);
    let output = quick(
        &fixture,
        1,
        &["body", "generated-missing", "receipt-outdated"],
        &[],
    );
    assert_eq!(
        output.finding("generated-missing").about.as_deref(),
        Some("demo-lib")
    );
    told(fixture.run(&["bind"]), 1, &["body"], &[]);
    let output = quick(&fixture, 1, &["body", "receipt-outdated"], &[]);
    stands_at(&output, "body", SOURCE, HEAD);
}

#[test]
fn an_edited_epoch_breaks_the_chain_at_that_entry() {
    let fixture = Fixture::green();
    let text = fixture.read(EPOCHS);
    fixture.write(EPOCHS, text.replacen("The rule was run.", "Never run.", 1));
    let output = quick(&fixture, 1, &["epoch-edited"], &[]);
    stands_at(&output, "epoch-edited", EPOCHS, "[[epoch]]");
    // Nor may an entry be taken out.
    let second = text[text.find("[[epoch]]").unwrap() + 1..]
        .find("[[epoch]]")
        .unwrap();
    let head = &text[..text.find("[[epoch]]").unwrap()];
    fixture.write(
        EPOCHS,
        format!("{head}{}", &text[head.len() + 1 + second..]),
    );
    let removed = fixture.run(&["audit", "--quick"]);
    assert_eq!(removed.exit, 1);
    stands_at(&removed, "epoch-edited", EPOCHS, "[[epoch]]");
}

#[test]
fn a_registry_entry_that_stands_twice_is_told_once() {
    let fixture = Fixture::green();
    let registry = "sidecars/registry.json";
    let text = fixture.read(registry);
    let start = text.find("    {\n").unwrap();
    let end = start + text[start..].find("    },\n").unwrap() + "    },\n".len();
    fixture.write(registry, format!("{}{}", &text[..end], &text[start..]));
    let output = quick(&fixture, 1, &["id-doubled"], &[]);
    stands_at(&output, "id-doubled", registry, "\"id\": \"demo-crate\"");
    told(fixture.run(&["bind"]), 0, &[], &[]);
    assert_eq!(fixture.status(), "");
}

#[test]
fn edited_prose_makes_nothing_stale() {
    let fixture = Fixture::green();
    fixture.edit(DEMO_CATALOG, "A sign is never", "The sign is never");
    let output = audit(&fixture, 0, &[], &["prose"]);
    names(&output, "prose", DEMO_CATALOG);
}

#[test]
fn an_accepted_change_of_a_child_sends_the_composing_model_alone_to_review() {
    let fixture = Fixture::green();
    fixture.edit(SOURCE, "n < 0", "0 > n");
    told(fixture.run(&["refresh"]), 1, &["body"], &[]);
    fixture.run(&[
        "bind",
        "--accept",
        "demo-lib",
        "--because",
        "The same comparison.",
    ]);
    let output = quick(&fixture, 1, &["review"], &[]);
    assert_eq!(
        output.finding("review").about.as_deref(),
        Some("demo-crate/package-nonbehavior")
    );
    stands_at(&output, "review", GROUP_TOML, "\"demo-lib\"");
    let note = &output.finding("review").notes[0];
    assert!(
        note.starts_with("demo-crate → demo-lib: ")
            && note.ends_with("because: The same comparison."),
        "{note}"
    );
    let accept = [
        "bind",
        "--accept",
        "demo-crate/package-nonbehavior",
        "--because",
        "Read.",
    ];
    told(fixture.run(&accept), 0, &[], &[]);
    audit(&fixture, 0, &[], &[]);
}

#[test]
fn a_readme_with_another_digest_is_told_at_the_digest() {
    let fixture = Fixture::green();
    let text = fixture.read(README);
    let digest = text.split('`').nth(1).unwrap();
    fixture.edit(README, digest, "0123");
    let output = quick(&fixture, 1, &["digest-mismatch"], &[]);
    stands_at(&output, "digest-mismatch", README, "0123");
}
