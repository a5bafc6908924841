//! How the commands behave beside their findings: interruption, locks, what is
//! written and what is not, and the form of the output.

use crate::project::{DEMO_CATALOG, DEMO_TOML};
use crate::util::{Fixture, Output};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

const SOURCE: &str = "demo/src/lib.rs";

/// Every receipt and generated file with its text.
fn recorded(fixture: &Fixture) -> Vec<(String, String)> {
    fixture
        .git(&["ls-files", "receipts/*.json", "sidecars/*.json"])
        .lines()
        .map(|file| (file.to_owned(), fixture.read(file)))
        .collect()
}

/// Processes whose working directory or executable lies in the project, apart
/// from those that have ended and wait to be collected.
fn processes_of(fixture: &Fixture) -> Vec<String> {
    let root = fixture.path().canonicalize().unwrap();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let at_work = ["cwd", "exe"].iter().any(|link| {
            std::fs::read_link(entry.path().join(link)).is_ok_and(|path| path.starts_with(&root))
        });
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        if at_work && !status.contains("\nState:\tZ") {
            found.push(status.lines().take(3).collect::<Vec<_>>().join(" "));
        }
    }
    found
}

/// Starts a fresh audit and kills it, and it alone, at the first line of its
/// progress that begins so, a little later.
fn killed_at(fixture: &Fixture, line: &str, later: u64) {
    let mut command = fixture.command(&["audit", "--fresh"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let seen = lines.any(|text| text.unwrap().starts_with(line));
    assert!(seen, "the audit ended without {line:?}");
    std::thread::sleep(Duration::from_millis(later));
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "it had ended before");
}

#[test]
fn an_audit_that_is_killed_leaves_nothing_behind_and_the_next_one_is_clean() {
    let fixture = Fixture::green();
    // So that there is something to build, to run and to plant faults into.
    fixture.edit(
        SOURCE,
        "    if n < 0 {\n",
        "    // Below.\n    if n < 0 {\n",
    );
    fixture.git(&["commit", "--quiet", "--all", "--message", "A comment"]);
    let slow =
        "    std::thread::sleep(std::time::Duration::from_millis(700));\n    record(\"signs\"";
    fixture.edit("demo/tests/rule.rs", "    record(\"signs\"", slow);
    assert_eq!(fixture.run(&["refresh"]).exit, 0);
    fixture.git(&["commit", "--quiet", "--all", "--message", "A slow oracle"]);
    for (line, later) in [
        ("building demo (dev)", 30),
        ("building second (release)", 10),
        ("running 2 oracles", 0),
        ("running 2 oracles", 300),
        ("running 2 controls", 50),
        ("running 2 controls", 900),
    ] {
        killed_at(&fixture, line, later);
        assert_eq!(fixture.status(), "", "killed at {line:?}");
        let gone = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            processes_of(&fixture).is_empty()
        });
        assert!(gone, "killed at {line:?}: {:#?}", processes_of(&fixture));
    }
    let output = fixture.run(&["audit"]);
    assert_eq!((output.exit, output.errors()), (0, vec![]), "{output:#?}");
    assert_eq!(fixture.status(), "");
}

#[test]
fn receipts_are_the_same_when_they_are_made_again_elsewhere_and_with_one_core() {
    let fixture = Fixture::green();
    let before = recorded(&fixture);
    assert!(
        before
            .iter()
            .any(|(file, _)| file.starts_with("receipts/controls/"))
    );
    let again = fixture.run(&["refresh", "--fresh"]);
    assert_eq!(
        (again.exit, fixture.status().as_str()),
        (0, ""),
        "{again:#?}"
    );
    // From nothing, in another folder, on one core.
    let elsewhere = Fixture::green();
    std::fs::remove_dir_all(elsewhere.path().join("target")).unwrap();
    std::fs::remove_dir_all(elsewhere.path().join("receipts")).unwrap();
    let mut one_core = Command::new("taskset");
    one_core.args(["-c", "0"]);
    let command = elsewhere.command_under(one_core, &["refresh", "--format", "json"]);
    let output = elsewhere.output(command);
    assert_eq!(output.exit, 0, "{output:#?}");
    assert_eq!(recorded(&elsewhere), before);
    assert_eq!(elsewhere.status(), "");
}

#[test]
fn a_bound_that_is_set_prints_claims_and_touches_nothing() {
    let fixture = Fixture::green();
    let bound = "    let set = std::env::var(\"OBERNANT_SET\").unwrap_or_default();\n    let cases: i32 = set.strip_prefix(\"cases=\").map_or(11, |n| n.parse().unwrap());\n    let width = cases / 2;\n    for n in -width..=width {";
    fixture.edit("demo/tests/rule.rs", "    for n in -5..=5 {", bound);
    assert_eq!(fixture.run(&["refresh"]).exit, 0);
    fixture.git(&["commit", "--quiet", "--all", "--message", "A bound"]);
    let output = fixture.run(&["oracle", "--filter", "signs", "--set", "cases=15"]);
    assert_eq!(output.exit, 0, "{output:#?}");
    let line = output
        .lines
        .iter()
        .find(|line| line["kind"] == "oracle")
        .unwrap();
    assert_eq!(line["oracle"], "demo::rule$signs");
    assert_eq!(line["claims"]["universe"], 15);
    assert_eq!(line["claims"]["fibers"]["-1"], 7);
    assert_eq!(fixture.status(), "");
    // Nor is it taken for the result of a later run.
    let audited = fixture.run(&["audit"]);
    assert_eq!(
        (audited.exit, audited.errors()),
        (0, vec![]),
        "{audited:#?}"
    );
    for set in ["cases", "cases=1,cases=3", "width=3"] {
        let wrong = fixture.run(&["oracle", "--set", set]);
        assert_eq!((wrong.exit, wrong.lines.len()), (2, 0), "{set}: {wrong:#?}");
    }
}

#[test]
fn a_second_run_says_that_it_waits_and_waits() {
    let fixture = Fixture::green();
    let lock = std::fs::File::options()
        .write(true)
        .open(fixture.path().join("target/groupant/lock"))
        .unwrap();
    lock.lock().unwrap();
    let mut command = fixture.command(&["audit", "--quick", "--format", "json"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut error = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    error.read_line(&mut line).unwrap();
    assert_eq!(
        line,
        "another run is under way in this workspace; waiting for it\n"
    );
    assert!(child.try_wait().unwrap().is_none());
    drop(lock);
    let mut stdout = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut stdout)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(stdout.contains("\"kind\":\"summary\""), "{stdout}");
}

#[test]
fn every_line_of_json_is_an_object_with_a_kind_and_the_summary_is_last() {
    let fixture = Fixture::green();
    fixture.edit(SOURCE, "n < 0", "0 > n");
    for arguments in [
        &["audit"][..],
        &["audit", "--quick"],
        &["status"],
        &["refresh"],
        &["bind"],
        &["bind", "--check"],
        &["receipt", "verify"],
        &["oracle"],
        &["control"],
    ] {
        let output = fixture.run(arguments);
        assert!(!output.lines.is_empty(), "{arguments:?}: {output:#?}");
        assert!(
            output.lines.iter().all(|line| line["kind"].is_string()),
            "{arguments:?}: {output:#?}"
        );
        let summaries = output
            .lines
            .iter()
            .filter(|line| line["kind"] == "summary")
            .count();
        let summary = output.summary();
        assert_eq!(summaries, 1, "{arguments:?}");
        for key in [
            "checked", "skipped", "missing", "findings", "oracles", "controls", "receipts", "exit",
        ] {
            assert!(
                summary.get(key).is_some(),
                "{arguments:?}: {key}: {summary}"
            );
        }
        assert_eq!(summary["exit"], output.exit, "{arguments:?}");
        if *arguments != ["status"] {
            assert_eq!(summary["findings"], output.errors().len(), "{arguments:?}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let fixture = Fixture::green();
    for arguments in [
        &["audit", "--quick"][..],
        &["audit"],
        &["status"],
        &["receipt", "list"],
        &["refresh", "--format", "json"],
    ] {
        let mut command = fixture.command(arguments);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_temporary_file_of_an_interrupted_run_is_told_and_removed() {
    let fixture = Fixture::green();
    fixture.write("receipts/oracles/demo/rule/.groupant-Ab12Cd", "{");
    let output = fixture.run(&["audit", "--quick"]);
    assert_eq!(
        (output.exit, output.errors(), output.notes()),
        (0, vec![], vec!["leftover"])
    );
    assert!(
        output
            .finding("leftover")
            .message
            .contains(".groupant-Ab12Cd")
    );
    assert_eq!(fixture.status(), "");
    assert_eq!(fixture.run(&["audit", "--quick"]).findings.len(), 0);
}

#[test]
fn init_on_a_fresh_project_is_green_with_everything_prospective() {
    let fixture = Fixture::empty();
    let manifest = "[package]\nname = \"fresh\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[workspace.metadata.groupant]\nsubjects = [\"src/**/*.rs\"]\n";
    fixture
        .write("Cargo.toml", manifest)
        .write("src/lib.rs", "/// One.\npub fn one() -> u8 {\n    1\n}\n");
    let before = fixture.run(&["audit", "--quick"]);
    assert_eq!(before.errors(), ["uncovered"]);
    let help = before.finding("uncovered").help.clone().unwrap();
    assert_eq!(help, "cargo groupant init src/lib.rs");
    let made = fixture.plain(&["init", "src/lib.rs"]);
    assert_eq!(made.exit, 0, "{made:#?}");
    for arguments in [&["audit"][..], &["audit", "--quick"], &["refresh"]] {
        let output = fixture.run(arguments);
        assert_eq!(
            (output.exit, output.findings.len()),
            (0, 0),
            "{arguments:?}: {output:#?}"
        );
    }
    let status = fixture.run(&["status"]);
    let levels: Vec<&Value> = status
        .lines
        .iter()
        .filter(|line| line["kind"] == "model")
        .map(|line| &line["level"])
        .collect();
    assert_eq!(levels, ["prospective", "prospective"]);
    // What is there is not written over.
    let sidecar = "sidecars/src/lib.rs.groupant/groupant.toml";
    let text = fixture.read(sidecar);
    assert_eq!(fixture.plain(&["init", "src/lib.rs"]).exit, 2);
    assert_eq!(fixture.read(sidecar), text);
}

#[test]
fn init_takes_a_path_as_it_is_seen_from_where_it_is_called() {
    let fixture = Fixture::empty();
    fixture
        .write(
            "Cargo.toml",
            "[workspace]\nresolver = \"3\"\nmembers = [\"one\", \"two\"]\n",
        )
        .write(
            "one/Cargo.toml",
            "[package]\nname = \"one\"\nedition = \"2024\"\n",
        )
        .write("one/src/lib.rs", "pub fn one() {}\n")
        .write(
            "two/Cargo.toml",
            "[package]\nname = \"two\"\nedition = \"2024\"\n",
        )
        .write("two/src/lib.rs", "pub fn two() {}\n");
    let within = |folder: &str, arguments: &[&str]| {
        let mut command = fixture.command(arguments);
        command.current_dir(fixture.path().join(folder));
        fixture.output(command)
    };
    let made = within("one/src", &["init", "lib.rs"]);
    assert_eq!(made.exit, 0, "{made:#?}");
    assert!(made.stdout.contains("subjects ="), "{}", made.stdout);
    assert!(
        fixture
            .read("sidecars/one/src/lib.rs.groupant/groupant.toml")
            .contains("source = \"one/src/lib.rs\"")
    );
    let made = within("one", &["init", "two/src/lib.rs"]);
    assert_eq!(made.exit, 0, "{made:#?}");
    assert!(
        fixture
            .read("sidecars/two/src/lib.rs.groupant/groupant.toml")
            .contains("source = \"two/src/lib.rs\"")
    );
    let audit = within("two", &["audit"]);
    assert_eq!(audit.exit, 0, "{audit:#?}");
    assert!(
        audit.stdout.contains("no `subjects` are configured"),
        "{}",
        audit.stdout
    );
    let missing = within("", &["init", "three.rs"]);
    assert_eq!((missing.exit, missing.stdout.as_str()), (2, ""));
    assert!(missing.stderr.starts_with("error: three.rs: "));
    let nowhere = within("", &["audit", "--root", "three"]);
    assert_eq!(nowhere.exit, 2, "{nowhere:#?}");
}

#[test]
fn accepting_without_a_reason_shows_section_and_difference_and_writes_nothing() {
    let fixture = Fixture::green();
    fixture.edit(SOURCE, "n < 0", "0 > n");
    let before = fixture.status();
    let output = fixture.plain(&["bind", "--accept", "demo-lib/nonbehavior"]);
    assert_eq!(output.exit, 1, "{output:#?}");
    for part in [
        "== demo-lib/nonbehavior: body",
        DEMO_CATALOG,
        "## nonbehavior",
        "A sign is never below -1 and never above 1.",
        "demo/src/lib.rs: fn sign",
        "-    if n < 0 {",
        "+    if 0 > n {",
        "cargo groupant bind --accept demo-lib/nonbehavior --because",
    ] {
        assert!(
            output.stdout.contains(part),
            "{part:?} is not in:\n{}",
            output.stdout
        );
    }
    for part in ["## antecedents", "No newline"] {
        assert!(!output.stdout.contains(part), "{}", output.stdout);
    }
    assert_eq!(fixture.status(), before);
    assert_eq!(
        fixture
            .plain(&["bind", "--accept", "demo-lib/nothing", "--because", "x"])
            .exit,
        2
    );
    assert_eq!(fixture.status(), before);
}

#[test]
fn an_interrupt_ends_the_run_with_its_children() {
    let fixture = Fixture::green();
    let endless =
        "    std::thread::sleep(std::time::Duration::from_secs(60));\n    record(\"signs\"";
    fixture.edit("demo/tests/rule.rs", "    record(\"signs\"", endless);
    let mut command = fixture.command(&["audit"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("running 2 oracles")));
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let last: Vec<String> = lines.map_while(Result::ok).collect();
    assert_eq!(
        last.last().map(String::as_str),
        Some("interrupted; the tree is as it was")
    );
    let gone = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        processes_of(&fixture).is_empty()
    });
    assert!(gone, "{:#?}", processes_of(&fixture));
}

#[test]
fn a_run_that_changes_nothing_writes_nothing() {
    let fixture = Fixture::green();
    let times = |fixture: &Fixture| -> Vec<_> {
        let files = recorded(fixture);
        files
            .iter()
            .map(|(file, _)| {
                std::fs::metadata(fixture.path().join(file))
                    .unwrap()
                    .modified()
                    .unwrap()
            })
            .collect()
    };
    let before = times(&fixture);
    let outputs: Vec<Output> = [&["refresh"][..], &["bind"], &["oracle"], &["control"]]
        .iter()
        .map(|arguments| fixture.run(arguments))
        .collect();
    assert!(
        outputs.iter().all(|output| output.exit == 0),
        "{outputs:#?}"
    );
    assert_eq!(times(&fixture), before);
    assert!(fixture.read(DEMO_TOML).contains("demo-lib"));
}
