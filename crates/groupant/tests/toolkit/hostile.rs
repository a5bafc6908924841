//! Hostile input: each gives a finding or an error with a documented exit code,
//! never a panic, an endless run, or a control character in the output.

use crate::findings::reset;
use crate::project::{DEMO_CATALOG, DEMO_TOML, README, SECOND_TOML};
use crate::util::{Fixture, Output};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

const DEMO: &str = "demo/src/lib.rs";
const FOLDER: &str = "sidecars/demo/src/lib.rs.groupant";
const INPUTS: &str = "receipts/oracles/demo/rule/inputs.json";
/// No run of this file may take longer; `timeout` then exits with 124.
const SECONDS: &str = "60";

/// Runs a quick audit in both forms, within the time and without a panic, and
/// gives the JSON one.
fn quick(fixture: &Fixture) -> Output {
    let human = limited(fixture, &["audit", "--quick"]);
    let json = limited(fixture, &["audit", "--quick", "--format", "json"]);
    assert_eq!(human.exit, json.exit, "{}{}", human.stdout, json.stdout);
    json.summary();
    json
}

fn limited(fixture: &Fixture, arguments: &[&str]) -> Output {
    let tool = fixture.command(arguments);
    let mut command = Command::new("timeout");
    command
        .arg(SECONDS)
        .arg(tool.get_program())
        .args(tool.get_args())
        .current_dir(fixture.path());
    for (key, value) in tool.get_envs() {
        match value {
            Some(value) => command.env(key, value),
            None => command.env_remove(key),
        };
    }
    let output = fixture.output(command);
    assert!(
        (0..=5).contains(&output.exit),
        "exit {}\n{}{}",
        output.exit,
        output.stdout,
        output.stderr
    );
    assert!(!output.stderr.contains("panicked at"), "{}", output.stderr);
    for text in [&output.stdout, &output.stderr] {
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(control, None, "{text:?}");
    }
    output
}

#[test]
fn a_source_that_is_absolute_or_leads_out_is_never_read() {
    let fixture = Fixture::green();
    for (path, reason) in [
        ("/etc/passwd", "not relative to the root"),
        ("../outside.rs", "leads out of the root"),
        ("second/../../outside.rs", "leads out of the root"),
        ("./second/src/lib.rs", "not normalised"),
        ("second//src/lib.rs", "not normalised"),
        (
            "second\\\\src\\\\lib.rs",
            "a path is written with `/` and without control characters",
        ),
        (
            "second/src/\\u001b[2Jlib.rs",
            "a path is written with `/` and without control characters",
        ),
        ("", "an empty path"),
    ] {
        reset(&fixture);
        fixture.edit(SECOND_TOML, "\"second/src/lib.rs\"", &format!("\"{path}\""));
        let output = quick(&fixture);
        assert_eq!(
            (output.exit, output.errors()),
            (1, vec!["path-outside"]),
            "{path}"
        );
        assert_eq!(
            output.finding("path-outside").spans[0].label,
            reason,
            "{path}"
        );
    }
}

#[test]
fn a_control_that_edits_a_source_outside_does_not_apply() {
    let fixture = Fixture::green();
    fixture.edit(
        SECOND_TOML,
        "item = \"parity\"",
        "item = \"parity\"\nsource = \"../outside.rs\"",
    );
    let output = limited(
        &fixture,
        &["audit", "--id", "second-lib", "--format", "json"],
    );
    assert_eq!(output.exit, 4);
    assert!(
        output
            .finding("control-not-applied")
            .message
            .contains("leads out of the root")
    );
}

#[test]
fn an_oracle_declares_data_within_the_root_alone() {
    let fixture = Fixture::green();
    for path in ["../outside.txt", "/etc/passwd", "second/none.txt"] {
        reset(&fixture);
        fixture.edit(
            "second/tests/rule.rs",
            "\"data\":[]",
            &format!("\"data\":[\"{path}\"]"),
        );
        let output = limited(
            &fixture,
            &["audit", "--id", "second-lib", "--format", "json"],
        );
        assert_eq!(
            (output.exit, output.errors()),
            (4, vec!["oracle-incomplete"]),
            "{path}"
        );
    }
}

#[test]
fn a_symbolic_link_is_not_followed_out_of_the_root() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("lib.rs"), "pub fn parity() {}\n").unwrap();
    let fixture = Fixture::green();
    fixture.remove("second/src/lib.rs");
    symlink(
        outside.path().join("lib.rs"),
        fixture.path().join("second/src/lib.rs"),
    )
    .unwrap();
    let output = quick(&fixture);
    assert_eq!(output.exit, 1);
    let finding = output.finding("path-outside");
    assert_eq!(finding.place(), (SECOND_TOML, "\"second/src/lib.rs\""));
    assert_eq!(finding.message, "second/src/lib.rs: leads out of the root");
}

#[test]
fn nothing_is_written_or_removed_through_a_symbolic_link_out_of_the_root() {
    let outside = tempfile::tempdir().unwrap();
    let fixture = Fixture::green();
    fs::rename(
        fixture.path().join("receipts"),
        outside.path().join("receipts"),
    )
    .unwrap();
    symlink(
        outside.path().join("receipts"),
        fixture.path().join("receipts"),
    )
    .unwrap();
    let temporary = outside.path().join("receipts/.groupant-old");
    let receipt = outside.path().join("receipts/oracles/demo/rule/signs.json");
    fs::write(&temporary, "").unwrap();
    fs::write(&receipt, "{}").unwrap();
    quick(&fixture);
    let refreshed = limited(&fixture, &["refresh"]);
    assert_eq!(
        refreshed.exit, 3,
        "{}{}",
        refreshed.stdout, refreshed.stderr
    );
    assert!(
        refreshed.stderr.contains("leads out of the root"),
        "{}",
        refreshed.stderr
    );
    assert!(temporary.exists());
    assert_eq!(fs::read_to_string(receipt).unwrap(), "{}");
}

#[test]
fn ids_are_plain_since_they_stand_in_file_names() {
    let fixture = Fixture::green();
    for id in [
        "../x",
        "a/b",
        "a b",
        "",
        "\\u001b[31m",
        "\\u009b31m",
        "é",
        &"a".repeat(101),
    ] {
        for old in [
            "\"demo-lib\"",
            "\"antecedents\"",
            "\"minus-dropped\"\nrejected",
        ] {
            reset(&fixture);
            let new = old.replace(&old[1..=old[1..].find('"').unwrap()], id);
            fixture.edit(DEMO_TOML, &format!("id = {old}"), &format!("id = {new}"));
            let output = quick(&fixture);
            assert_eq!(
                (output.exit, output.errors()),
                (1, vec!["sidecar-invalid"]),
                "{new}: {}",
                output.stdout
            );
        }
    }
}

#[test]
fn control_characters_of_any_text_stay_in_the_files() {
    let fixture = Fixture::green();
    let hostile = "\u{1b}[31m\u{9b}31m\u{7}\u{8}\r\u{7f}\u{85}";
    let escaped = "\\u001b[31m\\u009b31m\\u0007\\u0008\\r\\u007f\\u0085";
    fixture
        .edit(
            "Cargo.toml",
            "\"one number\"",
            &format!("\"one {escaped} number\""),
        )
        .edit(DEMO_TOML, "\"The sign\"", &format!("\"{escaped}\""))
        .edit(DEMO_TOML, "\"no overflow\"", &format!("\"{escaped}\""))
        .edit(DEMO_TOML, "behavior_complement", escaped)
        .edit(
            DEMO_TOML,
            "find = \"-1\"",
            &format!("find = \"-1 {escaped}\""),
        )
        .edit(DEMO_CATALOG, "## antecedents", &format!("## {hostile}"))
        .edit(DEMO_CATALOG, "(descriptant.md)", "(<descriptant\u{9b}.md>)")
        .edit(DEMO, "n == 0", &format!("n == /* {hostile} */ 1"));
    fixture.write(&format!("receipts/oracles/demo/rule/{hostile}.json"), "{");
    fixture.write(&format!("demo/src/{hostile}.rs"), "//! More.\n");
    quick(&fixture);
    for command in ["status", "audit", "refresh"] {
        limited(&fixture, &[command]);
        limited(&fixture, &[command, "--format", "json"]);
    }
    limited(&fixture, &["receipt", "list"]);
    limited(&fixture, &["receipt", "list", "--format", "json"]);
    limited(&fixture, &["bind", "--accept", "demo-lib"]);
    limited(&fixture, &["bind", "--accept", hostile]);
}

#[test]
fn words_of_an_oracle_are_cleaned_and_kept_short() {
    let fixture = Fixture::green();
    let words = "\\u{1b}[2J\\u{9b}2J\\u{7}";
    fixture.edit(
        "second/tests/rule.rs",
        "{n} is called",
        &format!("{words} {{n}} is called"),
    );
    fixture.edit("second/tests/rule.rs", "[0, 2,", "[2,");
    for format in ["human", "json"] {
        let output = limited(
            &fixture,
            &["audit", "--id", "second-lib", "--format", format],
        );
        assert_eq!(output.exit, 4);
    }
}

#[test]
fn a_document_that_is_too_large_is_not_read() {
    let fixture = Fixture::green();
    fixture.write(DEMO_CATALOG, vec![b'a'; 70 << 20]);
    let output = quick(&fixture);
    assert_eq!((output.exit, output.errors()), (1, vec!["sidecar-invalid"]));
    assert!(
        output
            .finding("sidecar-invalid")
            .message
            .contains("larger than")
    );
}

#[test]
fn a_source_that_is_nested_deeply_can_not_be_parsed() {
    let fixture = Fixture::green();
    let depth = 100_000;
    for (open, inner, close) in [
        ("(", "n", ")"),
        ("{", "n", "}"),
        ("-", "n", ""),
        ("[", "n", "]"),
        ("&", "n", ""),
    ] {
        reset(&fixture);
        let text = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
        fixture.edit(DEMO, "n + n", &text);
        let output = quick(&fixture);
        assert_eq!(
            (output.exit, output.finding("unparsed").place().0),
            (1, DEMO),
            "{open}"
        );
    }
}

#[test]
fn a_document_that_is_nested_deeply_is_read() {
    let fixture = Fixture::green();
    for (name, part) in [
        ("quotes", "> "),
        ("lists", "- "),
        ("brackets", "["),
        ("emphasis", "*a **b "),
        ("ticks", "`a"),
    ] {
        fixture.write(&format!("{FOLDER}/{name}.md"), part.repeat(50_000));
    }
    quick(&fixture);
}

#[test]
fn bytes_that_are_no_utf_8_are_told_in_every_kind_of_file() {
    let fixture = Fixture::green();
    let bytes = b"# \xff\xfe\n";
    for (file, codes, exit) in [
        ("Cargo.toml", &["config"][..], 2),
        (DEMO_TOML, &["sidecar-invalid"], 1),
        (DEMO_CATALOG, &["sidecar-invalid"], 1),
        (&format!("{FOLDER}/epochs.toml"), &["sidecar-invalid"], 1),
        (
            &format!("{FOLDER}/manifest.json"),
            &["generated-outdated"],
            1,
        ),
        (&format!("{FOLDER}/syntax.json"), &["generated-outdated"], 1),
        ("sidecars/registry.json", &["generated-outdated"], 1),
        (INPUTS, &["receipt-edited"], 1),
        (
            "receipts/oracles/demo/rule/signs.json",
            &["receipt-edited"],
            1,
        ),
        (
            "receipts/controls/demo-lib/minus-dropped.json",
            &["receipt-edited"],
            1,
        ),
        (DEMO, &["unparsed"], 1),
        ("demo/src/limit.rs", &["receipt-outdated"], 1),
        (README, &[], 0),
    ] {
        reset(&fixture);
        fixture.write(file, bytes);
        let output = quick(&fixture);
        assert_eq!(
            output.exit, exit,
            "{file}: {}{}",
            output.stdout, output.stderr
        );
        for code in codes {
            output.finding(code);
        }
    }
}

#[test]
fn json_that_is_deep_or_of_another_shape_is_no_receipt_and_no_manifest() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let wide = format!("[{}0]\n", "0,".repeat(200_000));
    let manifest = format!("{FOLDER}/manifest.json");
    let fixture = Fixture::green();
    for text in [
        deep.as_str(),
        &wide,
        "[]\n",
        "null\n",
        "{}\n",
        "\"a\"\n",
        "{\n  \"receipts\": [],\n  \"sources\": []\n}\n",
    ] {
        reset(&fixture);
        fixture.write(INPUTS, text);
        fixture.write("receipts/controls/demo-lib/inputs.json", text);
        fixture.write(&manifest, text);
        fixture.write("sidecars/registry.json", text);
        let output = quick(&fixture);
        assert_eq!(output.exit, 1);
        output.finding("receipt-edited");
        output.finding("generated-outdated");
        // And the way back is the usual one.
        assert_eq!(limited(&fixture, &["refresh"]).exit, 0);
        assert_eq!(fixture.status(), "");
    }
}

#[test]
fn a_folder_in_the_place_of_a_file_is_told() {
    let fixture = Fixture::green();
    for (file, code) in [
        (format!("{FOLDER}/manifest.json"), "generated-missing"),
        ("sidecars/registry.json".to_owned(), "generated-missing"),
        (format!("{FOLDER}/epochs.toml"), "sidecar-invalid"),
        (INPUTS.to_owned(), "receipt-missing"),
    ] {
        reset(&fixture);
        fixture.remove(&file);
        fs::create_dir(fixture.path().join(&file)).unwrap();
        let output = quick(&fixture);
        assert_eq!(output.exit, 1, "{file}");
        output.finding(code);
        let refreshed = limited(&fixture, &["refresh"]);
        assert!(
            [1, 3].contains(&refreshed.exit),
            "{file}: {}{}",
            refreshed.stdout,
            refreshed.stderr
        );
    }
}

#[test]
fn a_sidecar_below_itself_is_told_and_does_not_hold_the_run() {
    let fixture = Fixture::green();
    let names: Vec<String> = (0..30).map(|number| format!("group-{number}")).collect();
    let all = names.iter().fold(String::new(), |mut list, name| {
        write!(list, "{name:?}, ").unwrap();
        list
    });
    for name in &names {
        let folder = format!("sidecars/{name}.groupant");
        fixture.write(
            &format!("{folder}/groupant.toml"),
            format!("id = {name:?}\ntitle = \"x\"\nowner = \"demo\"\nchildren = [{all}]\n"),
        );
        fixture.write(&format!("{folder}/descriptant.md"), "# x\n");
        fixture.write(&format!("{folder}/composition.md"), "# x\n");
    }
    let output = quick(&fixture);
    assert_eq!(output.exit, 1);
    assert!(
        output
            .finding("sidecar-invalid")
            .message
            .ends_with("is below itself")
    );
    limited(&fixture, &["bind"]);
}

#[test]
fn a_sidecar_that_can_not_be_read_keeps_its_receipts() {
    let fixture = Fixture::green();
    fixture.write(DEMO_TOML, "id = [");
    let refreshed = limited(&fixture, &["refresh", "--format", "json"]);
    assert_eq!(
        (refreshed.exit, refreshed.errors()),
        (1, vec!["sidecar-invalid"])
    );
    assert!(
        !fixture.status().contains("receipts/"),
        "{}",
        fixture.status()
    );
}
