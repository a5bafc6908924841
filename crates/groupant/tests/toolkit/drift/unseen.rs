//! What must not pass unseen: inputs that are easily missed, results of other
//! code, and records that say more than was shown.

use super::{EPOCHS, HELPER, INPUTS, ORACLE, RECEIPT, SOURCE, audit, quick, told};
use crate::project::SECOND_TOML;
use crate::util::Fixture;

/// The oracle reads its width from a file, which it declares.
fn reads_its_width(fixture: &Fixture) {
    fixture.write("demo/width.txt", "5").edit(
        ORACLE,
        "    for n in -5..=5 {",
        "    let width: i32 = std::fs::read_to_string(\"width.txt\").unwrap().trim().parse().unwrap();\n    for n in -width..=width {",
    );
    fixture.edit(ORACLE, r#""data":[],"#, r#""data":["demo/width.txt"],"#);
}

#[test]
fn a_verdict_on_a_control_holds_for_the_data_that_its_oracle_read() {
    let fixture = Fixture::green();
    reads_its_width(&fixture);
    told(fixture.run(&["refresh"]), 0, &[], &[]);
    // Zero alone does not tell the fault; the binary is the same.
    fixture.write("demo/width.txt", "0");
    let output = fixture.run(&["audit"]);
    assert!(output.errors().contains(&"control-survived"), "{output:#?}");
}

#[test]
#[cfg(unix)]
fn a_script_that_a_test_starts_is_one_in_the_scratch_copy_too() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::green();
    fixture.write("demo/tests/run.sh", "#!/bin/sh\nexit 0\n");
    let script = fixture.path().join("demo/tests/run.sh");
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
    fixture.edit(
        ORACLE,
        "    let mut universe",
        "    assert!(std::process::Command::new(\"tests/run.sh\").status().unwrap().success());\n    let mut universe",
    );
    told(fixture.run(&["refresh"]), 0, &[], &[]);
}

#[test]
fn controls_that_were_caught_on_other_code_are_outdated_by_reading_alone() {
    let fixture = Fixture::green();
    let line = "        assert_eq!(found * n.abs(), n, \"sign({n}) must give {n} back; the code gave {found}\");\n";
    fixture.edit(ORACLE, line, "");
    // Oracles alone are run and recorded; no control was run on this code.
    assert_eq!(fixture.run(&["oracle"]).exit, 0);
    let output = quick(&fixture, 1, &["receipt-outdated"], &[]);
    let finding = output.finding("receipt-outdated");
    assert_eq!(
        finding.about.as_deref(),
        Some("receipts/controls/demo-lib/inputs.json")
    );
    assert_eq!(finding.notes, ["moved: targets"]);
    let status = fixture.run(&["status"]);
    let model = |line: &&serde_json::Value| line["model"] == "demo-lib/nonbehavior";
    let line = status.lines.iter().find(model).unwrap();
    assert_eq!(line["sensitive"], false, "{line}");
}

#[test]
fn a_target_that_two_sidecars_use_is_recorded_in_one_piece() {
    let fixture = Fixture::green();
    let text = fixture.read(ORACLE);
    let other = text.replacen("fn signs()", "fn signs_again()", 1);
    let other = other.replacen("record(\"signs\"", "record(\"signs_again\"", 1);
    let added = &other[other.find("#[test]").unwrap()..other.find("fn record").unwrap()];
    fixture.write(ORACLE, format!("{text}\n{added}"));
    let toml = fixture.read(SECOND_TOML).replace(
        "[\"second::rule$parities\"]\ncontrols",
        "[\"second::rule$parities\", \"demo::rule$signs_again\"]\ncontrols",
    );
    fixture.write(SECOND_TOML, toml);
    // It tells no fault of the second package, which is not the matter here.
    fixture.edit("Cargo.toml", "sensitive = true", "sensitive = false");
    told(fixture.run(&["refresh"]), 0, &[], &[]);
    assert!(fixture.read(INPUTS).contains("signs_again.json"));
    fixture.git(&["add", "."]);
    fixture.git(&["commit", "--quiet", "--message", "Two"]);
    for id in ["demo-lib", "second-lib"] {
        told(fixture.run(&["refresh", id]), 0, &[], &[]);
        assert_eq!(fixture.status(), "", "{id}");
        told(fixture.run(&["audit", "--id", id]), 0, &[], &[]);
    }
    told(fixture.run(&["control", "--filter", "minus"]), 0, &[], &[]);
    assert_eq!(fixture.status(), "");
}

/// The first note of `receipt-outdated`, by reading alone.
fn moved(fixture: &Fixture) -> String {
    let output = fixture.run(&["audit", "--quick"]);
    output.finding("receipt-outdated").notes[0].clone()
}

#[test]
fn a_file_that_is_included_from_above_is_an_input() {
    let fixture = Fixture::green();
    fixture.write("demo/largest.txt", "1").edit(
        HELPER,
        "    1\n",
        "    if include_str!(\"../largest.txt\").is_empty() { 2 } else { 1 }\n",
    );
    told(fixture.run(&["refresh"]), 0, &[], &[]);
    fixture.write("demo/largest.txt", "11");
    assert_eq!(moved(&fixture), "moved: demo/largest.txt");
}

#[test]
fn a_build_script_and_what_it_reads_are_inputs_and_what_it_writes_is_none() {
    let fixture = Fixture::green();
    fixture.write("demo/seed.txt", "1");
    let script = "fn main() {\n    println!(\"cargo::rerun-if-changed=seed.txt\");\n    let folder = std::env::var(\"OUT_DIR\").unwrap();\n    std::fs::copy(\"seed.txt\", folder + \"/seed.rs\").unwrap();\n}\n";
    fixture.write("demo/build.rs", script).edit(
        HELPER,
        "    1\n",
        "    include!(concat!(env!(\"OUT_DIR\"), \"/seed.rs\"))\n",
    );
    told(fixture.run(&["refresh"]), 0, &[], &[]);
    let inputs = fixture.read(INPUTS);
    assert!(!inputs.contains("target/"), "{inputs}");
    fixture.write("demo/seed.txt", "1 ");
    assert_eq!(moved(&fixture), "moved: demo/seed.txt");
    fixture.write("demo/seed.txt", "1");
    quick(&fixture, 0, &[], &[]);
    fixture.edit("demo/build.rs", "/seed.rs", "/seed.rs\".trim_end() + \"");
    assert_eq!(moved(&fixture), "moved: demo/build.rs");
}

#[test]
fn flags_of_the_compiler_are_inputs_and_aliases_are_none() {
    let fixture = Fixture::green();
    fixture.write(".cargo/config.toml", "[alias]\nb = \"build\"\n");
    quick(&fixture, 0, &[], &[]);
    fixture.write(
        ".cargo/config.toml",
        "[build]\nrustflags = [\"--cfg\", \"other\"]\n",
    );
    assert_eq!(moved(&fixture), "moved: config");
}

#[test]
fn accepting_before_a_run_keeps_what_was_accepted_as_the_bar() {
    let fixture = Fixture::green();
    fixture.edit(SOURCE, "n < 0", "0 > n");
    let accept = ["bind", "--accept", "demo-lib", "--because", "The same."];
    fixture.run(&accept);
    let epochs = fixture.read(EPOCHS);
    let last = &epochs[epochs.rfind("[[epoch]]").unwrap()..];
    assert!(last.contains("level = \"bounded\""), "{last}");
    assert!(last.contains("\"demo::rule$signs\" = 11"), "{last}");
    fixture.edit(ORACLE, "-5..=5", "-4..=4");
    let output = fixture.run(&["refresh"]);
    assert!(output.errors().contains(&"weakened"), "{output:#?}");
}

#[test]
fn a_fault_that_stands_outside_the_items_as_well_makes_no_model_sensitive() {
    let fixture = Fixture::green();
    let source = "second/src/lib.rs";
    fixture.edit(source, "n % 2 == 0", "rest(n) == 0");
    let text =
        fixture.read(source) + "\nfn rest(n: u32) -> u32 {\n    let by = 2;\n    n % by\n}\n";
    fixture.write(source, text);
    fixture.edit(
        SECOND_TOML,
        "item = \"parity\"\nfind = \"n % 2\"\nreplace = \"n % 3\"",
        "item = \"parity\"\nfind = \"0\"\nreplace = \"0_u32\"\n[[control.edit]]\nitem = \"rest\"\nfind = \"2\"\nreplace = \"3\"",
    );
    let output = fixture.run(&["audit", "--id", "second-lib"]);
    assert!(output.errors().contains(&"insufficient"), "{output:#?}");
}

#[test]
fn a_fault_in_the_place_of_a_whole_body_makes_no_model_sensitive() {
    let fixture = Fixture::green();
    fixture.edit(
        SECOND_TOML,
        "find = \"n % 2\"\nreplace = \"n % 3\"",
        "find = 'if n % 2 == 0 { \"even\" } else { \"odd\" }'\nreplace = 'if n > 4 { \"even\" } else { \"odd\" }'",
    );
    let output = fixture.run(&["audit", "--id", "second-lib"]);
    assert!(output.errors().contains(&"insufficient"), "{output:#?}");
}

#[test]
fn a_control_without_an_edit_or_a_test_is_told() {
    for (old, new, code) in [
        (
            "[[control.edit]]\nitem = \"parity\"\nfind = \"n % 2\"\nreplace = \"n % 3\"\n",
            "edit = []\n",
            "sidecar-invalid",
        ),
        (
            "rejected_by = [\"second::rule$parities\"]",
            "rejected_by = []",
            "sidecar-invalid",
        ),
        (
            "rejected_by = [\"second::rule$parities\"]",
            "rejected_by = [\"second::rule$parities\", \"parities\"]",
            "name-unknown",
        ),
    ] {
        let fixture = Fixture::green();
        fixture.edit(SECOND_TOML, old, new);
        let output = fixture.run(&["audit", "--quick"]);
        assert!(output.errors().contains(&code), "{new}: {output:#?}");
    }
}

#[test]
fn an_inputs_file_with_more_than_its_form_is_edited() {
    for (old, new) in [
        (
            "\"receipts\": {\n",
            "\"receipts\": {\n    \"ghost.json\": \"00\",\n",
        ),
        ("  \"sources\": {", "  \"shown\": true,\n  \"sources\": {"),
        ("\"target\": \"demo::rule\"", "\"target\": \"second::rule\""),
    ] {
        let fixture = Fixture::green();
        fixture.edit(INPUTS, old, new);
        let output = fixture.run(&["audit", "--quick"]);
        let finding = output.finding("receipt-edited");
        assert_eq!(finding.place().0, INPUTS, "{new}");
    }
}

#[test]
fn an_edited_receipt_shows_nothing_of_a_model() {
    let fixture = Fixture::green();
    fixture.edit(RECEIPT, "\"universe\": 11", "\"universe\": 12");
    let status = fixture.run(&["status"]);
    let model = |line: &&serde_json::Value| line["model"] == "demo-lib/nonbehavior";
    let line = status.lines.iter().find(model).unwrap();
    assert_eq!(line["level"], "prospective", "{line}");
}

#[test]
fn a_fresh_run_parses_again() {
    let fixture = Fixture::green();
    let room = fixture.path().join("target/groupant/cache/syntax");
    let tokens = "\"tokens\":\"";
    let mut folders = std::fs::read_dir(room).unwrap().flatten();
    let folder = folders.next().unwrap().path();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let digit = |at: usize| &text[at + tokens.len()..=at + tokens.len()];
        let mut spoiled = String::new();
        let mut last = 0;
        for (at, _) in text.match_indices(tokens) {
            let end = at + tokens.len();
            spoiled.push_str(&text[last..end]);
            spoiled.push(if digit(at) == "0" { '1' } else { '0' });
            last = end + 1;
        }
        spoiled.push_str(&text[last..]);
        std::fs::write(entry.path(), spoiled).unwrap();
    }
    assert_eq!(fixture.run(&["audit", "--quick"]).exit, 1);
    let fresh = fixture.run(&["audit", "--quick", "--fresh"]);
    assert_eq!((fresh.exit, fresh.errors()), (0, vec![]), "{fresh:#?}");
}

#[test]
fn a_temporary_file_stays_while_another_run_may_be_writing_it() {
    let fixture = Fixture::green();
    for file in ["receipts/.groupant-Ab12Cd", ".groupant-Ab12Cd"] {
        fixture.write(file, "{");
        fixture.run(&["status"]);
        assert_eq!(fixture.read(file), "{");
        quick(&fixture, 0, &[], &["leftover"]);
        assert_eq!(fixture.status(), "");
    }
    // Something of a person's own is none.
    fixture.write(".groupant-notes", "mine");
    audit(&fixture, 0, &[], &[]);
    assert_eq!(fixture.read(".groupant-notes"), "mine");
}

#[test]
fn other_bytes_with_an_older_time_are_built_anew() {
    use std::time::{Duration, SystemTime};
    let fixture = Fixture::green();
    told(fixture.run(&["audit"]), 0, &[], &[]);
    // As `cp -p` and `tar` do: Cargo alone would take the file for unchanged.
    let aged = || {
        let source = std::fs::File::options()
            .write(true)
            .open(fixture.path().join(SOURCE))
            .unwrap();
        let before = SystemTime::now() - Duration::from_hours(48);
        source.set_modified(before).unwrap();
    };
    fixture.edit(SOURCE, "        -1\n", "        1\n");
    aged();
    let output = fixture.run(&["oracle"]);
    assert_eq!(output.exit, 4, "{output:#?}");
    assert_eq!(output.errors(), ["oracle-failed"]);
    // Nothing was written for what fails. And the way back: the right bytes.
    fixture.edit(SOURCE, "        1\n", "        -1\n");
    aged();
    told(fixture.run(&["audit"]), 0, &[], &[]);
}

#[test]
fn a_refresh_writes_nothing_for_a_sidecar_of_which_something_fails() {
    let fixture = Fixture::green();
    fixture.edit(SOURCE, "        -1\n", "        1\n");
    fixture.edit("second/src/lib.rs", "n % 2 == 0", "0 == n % 2");
    assert_eq!(fixture.run(&["refresh"]).exit, 4);
    let written = fixture.git(&["status", "--porcelain"]);
    let mut changed: Vec<&str> = written.lines().map(|line| line[3..].trim()).collect();
    changed.retain(|path| path.starts_with("receipts/") || path.starts_with("sidecars/"));
    assert!(!changed.is_empty(), "the other sidecar is refreshed");
    let red = ["/demo", "demo-lib", "workspace.groupant"];
    assert!(
        !changed
            .iter()
            .any(|path| red.iter().any(|part| path.contains(part))),
        "{changed:?}"
    );
}
