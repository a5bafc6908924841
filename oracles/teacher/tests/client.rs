//! Oracles of what the installed client is asked free of charge: the order in
//! which answers are judged, what is read from them, and what the questions send.
//! The client is a scripted one.

mod policy;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use fake_codex::{Script, Signal, Step, Stream, install};
use obernant::{Product, Record, Sequences, Table, Universe};
use oracles_teacher::{Scene, runs};
use policy::{DISABLED, REMOVED, inherited, require_inheritance};
use teacher::client::{inspect, login};
use teacher::{Probe, ProbeError, probe};

const VERSION: &str = "codex-cli 0.171.0\n";

/// A list of features in the columns of the real client; the middle one may be
/// two words.
fn list(names: &[&str]) -> String {
    let stages = ["stable", "under development"];
    let lines = names.iter().zip(stages.iter().cycle());
    lines
        .map(|(name, stage)| format!("{name:<26}{stage:<19}true\n"))
        .collect()
}

/// How a question ends.
const ENDS: [&str; 3] = ["exit 0", "exit 3", "killed"];

fn end(at: usize) -> Step {
    match at {
        0 => Step::Exit(0),
        1 => Step::Exit(3),
        _ => Step::SignalSelf(Signal::Term),
    }
}

fn ended(steps: &[Step], at: usize) -> Vec<Step> {
    [steps, &[end(at)]].concat()
}

/// A client that can be given another script again and again.
fn rescript(scene: &Scene, script: &Script) {
    let executable = Path::new(env!("CARGO_BIN_EXE_scripted-client"));
    install(scene.folder(), executable, script).expect("the client can be installed");
}

fn empty_scene() -> Scene {
    Scene::new(env!("CARGO_BIN_EXE_scripted-client"), |_| Script::default())
}

/// What a probe found, without paths and without texts of the system.
fn judged(found: Result<Probe, ProbeError>) -> String {
    match found {
        Ok(_) => "usable".to_owned(),
        Err(ProbeError::Start { .. }) => "does not start".to_owned(),
        Err(ProbeError::Answer {
            question, reason, ..
        }) if reason.starts_with("more than") => format!("{question}: too much output"),
        Err(ProbeError::Answer { question, .. }) => format!("{question}: unreadable"),
        Err(ProbeError::UnknownFeatures { unknown, .. }) => {
            format!("unknown: {}", unknown.join(", "))
        }
        Err(ProbeError::Interrupted) => "interrupted".to_owned(),
    }
}

#[test]
fn the_first_question_that_fails_decides() {
    let mut record = Record::start("the_first_question_that_fails_decides");
    let scene = empty_scene();
    let plain = scene.file("plain");
    fs::write(&plain, "#!/bin/sh\n").expect("a file can be written");
    let folder = scene.file("folder");
    fs::create_dir(&folder).expect("a folder can be made");
    let clients = [
        ("there", scene.client().to_owned()),
        ("missing", scene.file("missing")),
        ("no program", plain),
        ("a folder", folder),
    ];
    let fill = |bytes| Step::Fill {
        stream: Stream::Stdout,
        bytes,
        line: 80,
    };
    let mebibyte = 1 << 20;
    let all = list(&DISABLED);
    let rest = fill(mebibyte - all.len());
    // Each with whether it is readable; a flood is neither.
    let versions = [
        ("as the real client", vec![Step::out(VERSION)], true),
        ("a number alone", vec![Step::out("7")], true),
        ("a word", vec![Step::out("codex-cli\n")], false),
        ("nothing", vec![Step::out("")], false),
        ("on standard error", vec![Step::err(VERSION)], false),
        ("a flood", vec![fill(mebibyte + 1)], false),
    ];
    let lacking = &DISABLED[..12];
    let lists = [
        ("all thirteen", vec![Step::out(all.clone())], true),
        ("one is missing", vec![Step::out(list(lacking))], true),
        (
            "all thirteen and 1 MiB in all",
            vec![Step::out(all.clone()), rest],
            true,
        ),
        ("blank lines", vec![fill(20)], false),
        ("on standard error", vec![Step::err(all.clone())], false),
        ("a flood", vec![fill(mebibyte + 1)], false),
    ];
    let universe = Product::new()
        .with("client", clients.iter().map(|(words, _)| words))
        .with("version", versions.iter().map(|(words, ..)| words))
        .with("its end", ENDS)
        .with("features", lists.iter().map(|(words, ..)| words))
        .with("their end", ENDS);
    let mut table = Table::new(
        "the probe",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let script = Script {
                version: ended(&versions[case[1]].1, case[2]),
                features: ended(&lists[case[3]].1, case[4]),
                ..Script::default()
            };
            if case[0] == 0 {
                rescript(&scene, &script);
            }
            judged(probe(&clients[case[0]].1, None))
        },
    );
    record.gates(&mut table, "usable", |case| {
        let readable =
            |(_, _, readable): &(&str, Vec<Step>, bool), end: usize| *readable && end == 0;
        let gate = |words: &str, stops: bool| (words.to_owned(), stops);
        [
            gate("does not start", case[0] != 0),
            gate(
                "--version: too much output",
                versions[case[1]].0 == "a flood",
            ),
            gate(
                "--version: unreadable",
                !readable(&versions[case[1]], case[2]),
            ),
            gate(
                "features list: too much output",
                lists[case[3]].0 == "a flood",
            ),
            gate(
                "features list: unreadable",
                !readable(&lists[case[3]], case[4]),
            ),
            gate(
                "unknown: tool_suggest",
                lists[case[3]].0 == "one is missing",
            ),
        ]
    });
    record.finish();
}

#[test]
fn a_feature_is_unknown_exactly_where_no_line_names_it() {
    let mut record = Record::start("a_feature_is_unknown_exactly_where_no_line_names_it");
    // Every subset of the thirteen, beside names that are near to them.
    let near = ["", "app", "apps2", "Goals", "goals_", "a_new_one"];
    let universe = DISABLED
        .iter()
        .fold(Product::new(), |product, name| {
            product.with(name, ["listed", "not listed"])
        })
        .with("asked for", DISABLED);
    let mut table = Table::new(
        "the comparison",
        &universe,
        |case| {
            let listed = DISABLED.iter().zip(case).filter(|(_, digit)| **digit == 0);
            let names = listed.map(|(name, _)| *name).chain(near);
            names.collect::<Vec<_>>().join(" ")
        },
        |case, names| {
            let probe = Probe {
                version: "0.171.0".to_owned(),
                features: names.split(' ').map(str::to_owned).collect(),
            };
            let unknown = probe.unknown_features();
            match unknown
                .iter()
                .filter(|name| **name == DISABLED[case[13]])
                .count()
            {
                0 => "known".to_owned(),
                1 => "unknown".to_owned(),
                count => format!("named {count} times"),
            }
        },
    );
    record.acceptance(
        &mut table,
        &["known", "unknown"],
        &[] as &[&str],
        |case| Some(case[case[13]]),
        |case| {
            let verb = ["known", "unknown"][case[case[13]]];
            format!("{} must be {verb}", DISABLED[case[13]])
        },
    );
    record.finish();
}

#[test]
fn a_version_is_the_last_word_where_it_begins_with_a_digit() {
    let mut record = Record::start("a_version_is_the_last_word_where_it_begins_with_a_digit");
    let length = record.bound("length", 3);
    let pieces = ["codex-cli", "0.171.0", "v", " ", "\n", "\u{663}"];
    let universe = Sequences::new(pieces.map(|it| format!("<{}>", it.escape_debug())), length);
    let scene = empty_scene();
    let text = |case: &[usize]| -> String { case.iter().map(|&at| pieces[at]).collect() };
    let mut table = Table::new("the probe", &universe, text, |_, text| {
        let script = Script {
            version: vec![Step::out(text)],
            features: vec![Step::out("apps\n")],
            ..Script::default()
        };
        rescript(&scene, &script);
        match inspect(scene.client(), None) {
            Ok(probe) => format!("version {}", probe.version),
            Err(error) => judged(Err(error)),
        }
    });
    // In pieces: what stands behind the last blank that something follows. Of the pieces
    // only the second begins with an ASCII digit.
    let due = |case: &[usize]| -> Option<String> {
        let blank = |at: &usize| matches!(pieces[*at], " " | "\n");
        let end = case.iter().rposition(|at| !blank(at))? + 1;
        let start = case[..end].iter().rposition(blank).map_or(0, |at| at + 1);
        let word = &case[start..end];
        (pieces[word[0]] == "0.171.0").then(|| format!("version {}", text(word)))
    };
    let fibers: BTreeSet<String> = (0..universe.len())
        .filter_map(|index| due(&universe.case(index)))
        .collect();
    let fibers: Vec<String> = fibers.into_iter().collect();
    record.acceptance(
        &mut table,
        &fibers,
        &["--version: unreadable"],
        |case| due(case).and_then(|due| fibers.iter().position(|fiber| *fiber == due)),
        |case| match due(case) {
            Some(due) => format!("{:?} must give {due}", text(case)),
            None => format!("{:?} gives no version", text(case)),
        },
    );
    record.finish();
}

#[test]
fn a_feature_is_the_first_word_of_its_line() {
    let mut record = Record::start("a_feature_is_the_first_word_of_its_line");
    let length = record.bound("length", 3);
    // Each line with the name that it gives.
    let lines = [
        (
            "apps                      stable             true\n",
            "apps",
        ),
        (
            "hooks                     under development  false\n",
            "hooks",
        ),
        ("goals\r\n", "goals"),
        ("\tapps2 removed\n", "apps2"),
        (" \n", ""),
    ];
    let universe = Sequences::new(lines.map(|(line, _)| format!("{line:?}")), length);
    let scene = empty_scene();
    let mut table = Table::new(
        "the probe",
        &universe,
        |case| case.iter().map(|&at| lines[at].0).collect(),
        |_, text| {
            let script = Script {
                version: vec![Step::out(VERSION)],
                features: vec![Step::out(text)],
                ..Script::default()
            };
            rescript(&scene, &script);
            match inspect(scene.client(), None) {
                Ok(probe) => format!("features {}", probe.features.join(", ")),
                Err(error) => judged(Err(error)),
            }
        },
    );
    let due = |case: &[usize]| -> Option<String> {
        let names = case
            .iter()
            .map(|&at| lines[at].1)
            .filter(|name| !name.is_empty());
        let names: Vec<&str> = names.collect();
        (!names.is_empty()).then(|| format!("features {}", names.join(", ")))
    };
    let fibers: BTreeSet<String> = (0..universe.len())
        .filter_map(|index| due(&universe.case(index)))
        .collect();
    let fibers: Vec<String> = fibers.into_iter().collect();
    record.acceptance(
        &mut table,
        &fibers,
        &["features list: unreadable"],
        |case| due(case).and_then(|due| fibers.iter().position(|fiber| *fiber == due)),
        |case| {
            due(case).map_or_else(
                || "no line names a feature".to_owned(),
                |due| format!("{due} must be read"),
            )
        },
    );
    record.finish();
}

/// The questions, each with its arguments.
const QUESTIONS: [(&str, &[&str]); 3] = [
    ("--version", &["--version"]),
    ("features list", &["features", "list"]),
    (
        "login status",
        &["login", "status", "-c", "forced_login_method=\"chatgpt\""],
    ),
];

/// A client that records each question and what it gets on standard input, and
/// leaves a mark where it is asked for a run.
fn recording_scene() -> Scene {
    Scene::new(env!("CARGO_BIN_EXE_scripted-client"), |folder| {
        let steps = |at: usize, text: &str| {
            vec![
                Step::Record(folder.join(format!("seen-{at}"))),
                Step::ReadPrompt(Some(folder.join(format!("input-{at}")))),
                Step::out(text),
            ]
        };
        Script {
            version: steps(0, VERSION),
            features: steps(1, &list(&DISABLED)),
            login: steps(2, "Logged in using ChatGPT\n"),
            exec: vec![Step::Mark(folder.join("exec"))],
        }
    })
}

#[test]
fn a_question_sends_nothing_and_hands_no_removed_variable_on() {
    let mut record = Record::start("a_question_sends_nothing_and_hands_no_removed_variable_on");
    let scene = recording_scene();
    let kept = ["HOME", "CODEX_HOME", "OPENAI_ORGANIZATION"];
    let variables = [&REMOVED[..], &kept].concat();
    let values: [Option<&[u8]>; 4] = [None, Some(b""), Some(b"value"), Some(b"val\xff")];
    let texts = [None, Some(""), Some("value"), Some("val\u{fffd}")];
    // One process asks all three questions, once for each value.
    let mut seen: Vec<Vec<BTreeMap<String, String>>> = Vec::new();
    for value in values {
        let mut parent = Command::new(env!("CARGO_BIN_EXE_isolated"));
        parent.env_clear().arg("questions").arg(scene.client());
        parent.current_dir(scene.folder());
        if let Some(value) = value {
            let value = OsStr::from_bytes(value);
            parent.envs(variables.iter().map(|name| (name, value)));
        }
        assert!(
            parent.status().is_ok_and(|status| status.success()),
            "it asked"
        );
        let mut environments = Vec::new();
        for (at, (words, arguments)) in QUESTIONS.into_iter().enumerate() {
            let client = scene.record(&format!("seen-{at}"));
            let client = client.expect("the client recorded itself");
            record.equal(&format!("the arguments of {words}"), &client.arguments, &{
                arguments
                    .iter()
                    .map(|&it| it.to_owned())
                    .collect::<Vec<_>>()
            });
            let here = fs::canonicalize(scene.folder()).expect("the folder is there");
            record.equal(
                &format!("whether {words} ran in the caller's directory"),
                &(client.directory.as_deref() == here.to_str()),
                &true,
            );
            let input = fs::read(scene.file(&format!("input-{at}"))).expect("it read");
            record.equal(&format!("the input of {words}"), &input, &Vec::new());
            environments.push(client.environment);
        }
        seen.push(environments);
    }
    record.equal(
        "whether a prompt was asked",
        &scene.file("exec").exists(),
        &false,
    );
    let universe = Product::new()
        .with("question", QUESTIONS.map(|(words, _)| words))
        .with("variable", &variables)
        .with("in the parent", ["absent", "empty", "set", "no Unicode"]);
    let mut table = Table::new(
        "the question",
        &universe,
        |case| universe.words(case),
        |case, _| {
            inherited(
                seen[case[2]][case[0]].get(variables[case[1]]),
                texts[case[2]],
            )
        },
    );
    let reaches = |case: &[usize]| case[1] >= REMOVED.len() && case[2] > 0;
    require_inheritance(&mut record, &mut table, |case| variables[case[1]], reaches);
    record.finish();
}

#[test]
fn the_login_is_the_exit_code_and_the_words_beside_it() {
    let mut record = Record::start("the_login_is_the_exit_code_and_the_words_beside_it");
    let scene = empty_scene();
    // Each with the words that it can give; of standard output all, of standard error the
    // last line that is not blank.
    let outputs = [
        ("nothing", "", ""),
        ("blank", " \n", ""),
        ("one line", "Logged in on output\n", "Logged in on output"),
        ("two lines", "\nfirst\nsecond \n", "first\nsecond"),
    ];
    let errors = [
        ("nothing", "", ""),
        (
            "logged in",
            "Logged in using ChatGPT\n",
            "Logged in using ChatGPT",
        ),
        ("not logged in", "Not logged in\n", "Not logged in"),
        (
            "two lines and a blank",
            "warning\nNot logged in\n \n",
            "Not logged in",
        ),
        ("half a line", "warning\nhalf", "half"),
    ];
    let universe = Product::new()
        .with("output", outputs.map(|(words, ..)| words))
        .with("error", errors.map(|(words, ..)| words))
        .with("end", ENDS);
    let mut table = Table::new(
        "the question for the login",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let script = Script {
                login: vec![
                    Step::out(outputs[case[0]].1),
                    Step::err(errors[case[1]].1),
                    end(case[2]),
                ],
                ..Script::default()
            };
            rescript(&scene, &script);
            match login(scene.client(), None) {
                Ok(Ok(words)) => format!("in: {words:?}"),
                Ok(Err(words)) => format!("out: {words:?}"),
                Err(error) => judged(Err(error)),
            }
        },
    );
    let due = |case: &[usize]| {
        let (output, error) = (outputs[case[0]].2, errors[case[1]].2);
        let words = [output, error][usize::from(case[0] < 2)];
        let state = ["in", "out"][usize::from(case[2] != 0)];
        format!("{state}: {words:?}")
    };
    let all = [
        "",
        "Logged in on output",
        "first\nsecond",
        "Logged in using ChatGPT",
        "Not logged in",
        "half",
    ];
    let fibers: Vec<String> = ["in", "out"]
        .iter()
        .flat_map(|state| all.map(|words| format!("{state}: {words:?}")))
        .collect();
    record.acceptance(
        &mut table,
        &fibers,
        &[] as &[&str],
        |case| fibers.iter().position(|fiber| *fiber == due(case)),
        |case| format!("{} is due", due(case)),
    );
    record.finish();
}

/// The limit of ten seconds is the code's own, so this test takes as long.
#[test]
fn a_client_that_does_not_answer_is_given_up() {
    let scene = Scene::new(env!("CARGO_BIN_EXE_scripted-client"), |folder| Script {
        login: vec![Step::Record(folder.join("seen")), Step::Forever],
        ..Script::default()
    });
    let error = login(scene.client(), None).expect_err("it never answers");
    let text = error.to_string();
    assert!(
        text.contains("login status -c") && text.ends_with("no answer within 10 seconds"),
        "{text}"
    );
    let seen = scene.record("seen").expect("the client recorded itself");
    assert!(!runs(seen.process), "the client was ended");
}
