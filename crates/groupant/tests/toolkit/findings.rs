//! Every finding code with a fixture that raises it and the nearest change that
//! does not: the form of such a pair, how it is run, and the check that no code
//! is without one. The pairs stand in the tables of this folder.

mod execution;
mod reading;
mod recorded;

use crate::util::{Fixture, Output};
use groupant::finding::{Code, Severity};
use std::collections::BTreeSet;
use std::path::Path;

/// A change that raises a code, and the nearest one that must not.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) code: Code,
    /// What is run after either change.
    pub(crate) command: &'static [&'static str],
    /// Variables for the run after the bad change.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    pub(crate) bad: fn(&Fixture),
    pub(crate) good: fn(&Fixture),
}

/// A table of pairs: a list of all of them, and a test for each.
macro_rules! pairs {
    ($($name:ident: $code:ident, $command:expr,
        bad: |$bad_fixture:pat_param| $bad:expr,
        good: |$good_fixture:pat_param| $good:expr
        $(, environment: $environment:expr)?;)*) => {
        pub(crate) const ALL: &[crate::findings::Pair] = &[$(
            crate::findings::Pair {
                code: groupant::finding::Code::$code,
                command: &$command,
                environment: pairs!(@environment $($environment)?),
                bad: |$bad_fixture: &crate::util::Fixture| { $bad; },
                good: |$good_fixture: &crate::util::Fixture| { $good; },
            },
        )*];
        $(
            #[test]
            fn $name() {
                let pair = ALL.iter().find(|pair| pair.code == groupant::finding::Code::$code);
                crate::findings::judge(pair.unwrap());
            }
        )*
    };
    (@environment) => { &[] };
    (@environment $environment:expr) => { $environment };
}
pub(crate) use pairs;

/// The bad change raises the code, with its weight and the exit code that all
/// findings ask for; what a person reads is snapshotted. The good one does not.
pub(crate) fn judge(pair: &Pair) {
    let name = pair.code.name();
    let fixture = Fixture::green();
    (pair.bad)(&fixture);
    let run = |json: bool| {
        let mut command = fixture.command(pair.command);
        if json {
            command.args(["--format", "json"]);
        }
        command.envs(pair.environment.iter().copied());
        fixture.output(command)
    };
    let bad = run(true);
    for finding in &bad.findings {
        let code = known(&finding.code);
        assert_eq!(finding.severity, word(code.severity()), "{}", finding.code);
        let helps = finding.severity == "note" || finding.help.is_some();
        assert!(helps, "{} has no help", finding.code);
    }
    bad.finding(name);
    let asked = bad
        .findings
        .iter()
        .map(|finding| known(&finding.code).exit());
    let asked = asked.fold(
        groupant::finding::Exit::Clean,
        groupant::finding::Exit::worse,
    );
    assert_eq!(bad.exit, i32::from(asked.code()), "{name}: {}", bad.stdout);
    assert_eq!(bad.summary()["exit"], asked.code());
    if pair.code == Code::Leftover {
        (pair.bad)(&fixture); // the run removed it
    }
    let human = run(false);
    assert_eq!(human.exit, bad.exit, "{name}");
    snapshot(&fixture, pair, &bad, &human);

    reset(&fixture);
    (pair.good)(&fixture);
    let good = fixture.run(pair.command);
    assert!(good.summary()["exit"].is_number());
    let raised = good.findings.iter().any(|finding| finding.code == name);
    assert!(
        !raised,
        "the good change raises {name} too:\n{}",
        good.stdout
    );
}

/// Puts the green project back.
pub(crate) fn reset(fixture: &Fixture) {
    fixture.git(&["reset", "--quiet", "--hard"]);
    fixture.git(&["clean", "--quiet", "--force", "-d"]);
}

fn known(name: &str) -> Code {
    *Code::ALL.iter().find(|code| code.name() == name).unwrap()
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Error => "error",
    }
}

/// The list of codes, and the findings as a person reads them.
fn snapshot(fixture: &Fixture, pair: &Pair, bad: &Output, human: &Output) {
    let codes: Vec<String> = bad
        .findings
        .iter()
        .map(|finding| format!("{} {}", finding.severity, finding.code))
        .collect();
    let starts = |line: &&str| {
        ["error[", "note["]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let rendered: Vec<&str> = human
        .stdout
        .lines()
        .skip_while(|line| !starts(line))
        .take_while(|line| !line.starts_with("not clean: ") && !line.starts_with("clean: "))
        .collect();
    let text = format!(
        "{}\nexit {}: {}\n\n{}\n",
        pair.command.join(" "),
        bad.exit,
        codes.join(", "),
        rendered.join("\n").trim_end()
    );
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(pair.code.name(), redacted(&fixture.path(), &text)));
}

/// Without what differs between days, machines and folders: digests, dates, the
/// toolchain and the folder of the project.
fn redacted(root: &Path, text: &str) -> String {
    let text = text.replace(&root.display().to_string(), "<root>");
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = match line.find("rustc ") {
            Some(at) => format!("{}<toolchain>", &line[..at]),
            None => line.to_owned(),
        };
        let mut words = String::new();
        let mut word = String::new();
        for c in line.chars().chain(['\n']) {
            if c.is_alphanumeric() || c == '-' {
                word.push(c);
                continue;
            }
            words.push_str(if is_digest(&word) {
                "<digest>"
            } else if is_date(&word) {
                "<date>"
            } else {
                &word
            });
            word.clear();
            words.push(c);
        }
        lines.push(words.trim_end().to_owned());
    }
    lines.join("\n")
}

fn is_digest(word: &str) -> bool {
    word.len() >= 8
        && word
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_date(word: &str) -> bool {
    let shape: String = word
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    shape == "0000-00-00"
}

#[test]
fn every_code_has_a_pair_of_fixtures_and_none_has_two() {
    let tables = [reading::ALL, execution::ALL, recorded::ALL].concat();
    let named: BTreeSet<&str> = tables.iter().map(|pair| pair.code.name()).collect();
    assert_eq!(named.len(), tables.len(), "a code has two pairs");
    let all: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(named, all);
}
