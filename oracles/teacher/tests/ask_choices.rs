//! Oracles of what a call takes from the caller, what from the environment, and
//! what from the defaults. Each call is made by a process of its own.

mod calls;

use std::fs;
use std::path::Path;
use std::process::Command;

use calls::{Place, alone, names, wrapper};
use fake_codex::Step;
use obernant::{Product, Record, Table, Universe};

/// Where a choice comes from.
const SOURCES: [&str; 3] = ["the caller", "the environment", "nobody"];

/// The choices in the order of the dimensions: the argument of the call, the variable,
/// and what each source says. The client is none of them: see [`CLIENTS`].
const CHOICES: [(&str, &str, [&str; 3]); 4] = [
    (
        "model",
        "MOVA_TEACHER_MODEL",
        ["gpt-said", "gpt-env", "gpt-5.5"],
    ),
    ("effort", "MOVA_TEACHER_EFFORT", ["low", "xhigh", "medium"]),
    (
        "scratch",
        "TMPDIR",
        ["said-scratch", "env-scratch", "env-scratch"],
    ),
    (
        "log",
        "MOVA_TEACHER_LOG",
        ["said-log", "env-log", "teacher-calls.jsonl"],
    ),
];

/// How the client is named: by the caller as a path, by the environment as a path, by
/// the caller as a name in PATH, by nobody.
const CLIENTS: [&str; 4] = [
    "a path of the caller",
    "a path of the environment",
    "a name",
    "nobody",
];

/// The call's choices as they were seen: in the client's arguments, in its working
/// directory, in the file that became the log.
fn chosen(case: &[usize]) -> String {
    let place = Place::new(|folder| {
        vec![
            Step::Record(folder.join("record")),
            Step::ReadPrompt(None),
            Step::answer("forty-two"),
        ]
    });
    let folder = place.scene.folder();
    let mut call = Command::new(env!("CARGO_BIN_EXE_plain-call"));
    for name in ["said-scratch", "env-scratch", "here", "programs"] {
        fs::create_dir(folder.join(name)).expect("a folder can be made");
    }
    wrapper(&folder.join("programs/codex"), folder);
    call.current_dir(folder.join("here"))
        .env("PATH", folder.join("programs"))
        .env("TMPDIR", folder.join("env-scratch"));
    for variable in ["MODEL", "EFFORT", "TIMEOUT", "CLIENT", "LOG"] {
        call.env_remove(format!("MOVA_TEACHER_{variable}"));
    }
    for ((argument, variable, values), &source) in CHOICES.iter().zip(case) {
        let value = |at: usize| match *argument {
            "scratch" | "log" => folder.join(values[at]).display().to_string(),
            _ => values[at].to_owned(),
        };
        // What the caller says hides the environment.
        if source < 2 {
            call.env(variable, value(1));
        }
        if source == 0 {
            call.arg(format!("{argument}={}", value(0)));
        }
    }
    let client = place.scene.client().display();
    match case[4] {
        0 => call
            .arg(format!("client={client}"))
            .env("MOVA_TEACHER_CLIENT", "nobody"),
        1 => call.env("MOVA_TEACHER_CLIENT", place.scene.client()),
        2 => call
            .arg("client=codex")
            .env("MOVA_TEACHER_CLIENT", "nobody"),
        _ => &mut call,
    };
    let output = call.output().expect("the call can be made");
    let told = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let Some(record) = place.scene.record("record") else {
        return format!("{told}, and no client");
    };
    let after = |option: &str| {
        let at = record
            .arguments
            .iter()
            .position(|argument| argument == option);
        at.map_or("no value", |at| record.arguments[at + 1].as_str())
    };
    let effort = record
        .arguments
        .iter()
        .find_map(|argument| argument.strip_prefix("model_reasoning_effort="));
    let scratch = record
        .directory
        .as_deref()
        .map(Path::new)
        .and_then(Path::parent);
    let scratch = scratch
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy());
    let logs: Vec<String> = [folder, &folder.join("here")]
        .into_iter()
        .flat_map(names)
        .filter(|name| CHOICES[3].2.contains(&name.as_str()))
        .collect();
    format!(
        "{told}: {}, {}, {}, {}",
        after("-m"),
        effort.unwrap_or_default().trim_matches('"'),
        scratch.unwrap_or_default(),
        logs.join(" and "),
    )
}

#[test]
fn what_the_caller_does_not_say_the_environment_says() {
    let _alone = alone();
    let mut record = Record::start("what_the_caller_does_not_say_the_environment_says");
    let universe = Product::new()
        .with("model", SOURCES)
        .with("effort", SOURCES)
        .with("scratch", &SOURCES[..2])
        .with("log", SOURCES)
        .with("client", CLIENTS);
    let mut table = Table::new(
        "the call",
        &universe,
        |case| universe.words(case),
        |case, _| chosen(case),
    );
    let due = |case: &[usize]| {
        let values = CHOICES
            .iter()
            .zip(case)
            .map(|((.., values), &source)| values[source]);
        format!("reply: {}", values.collect::<Vec<_>>().join(", "))
    };
    // The outcomes that the choices allow, each once.
    let mut outcomes: Vec<String> = (0..universe.len())
        .map(|at| due(&universe.case(at)))
        .collect();
    outcomes.sort();
    outcomes.dedup();
    record.reconstruction(&mut table, &outcomes, |case| {
        let due = due(case);
        let outcomes = &outcomes;
        move |outcome| outcomes[outcome] == due
    });
    record.finish();
}

/// One call of which one setting of the environment is bad.
fn judged(case: &[usize]) -> String {
    let place = Place::new(|_| vec![Step::ReadPrompt(None), Step::answer("forty-two")]);
    let mut call = Command::new(env!("CARGO_BIN_EXE_plain-call"));
    call.current_dir(place.scene.folder());
    for variable in ["MODEL", "EFFORT", "TIMEOUT", "LOG"] {
        call.env_remove(format!("MOVA_TEACHER_{variable}"));
    }
    call.arg(format!("client={}", place.scene.client().display()));
    call.arg(format!("scratch={}", place.scratch.display()));
    for (at, (name, bad, good)) in SETTINGS.iter().enumerate() {
        let variable = format!("MOVA_TEACHER_{}", name.to_uppercase());
        match case[at] {
            0 => &mut call,
            1 => call.env(variable, bad),
            _ => call.env(variable, bad).arg(format!("{name}={good}")),
        };
    }
    // A component's own model counts where nobody says another.
    match case[3] {
        0 => &mut call,
        1 => call
            .arg("component=COMPONENT_MODEL")
            .env("COMPONENT_MODEL", "o3"),
        _ => call
            .arg("component=COMPONENT_MODEL")
            .env("COMPONENT_MODEL", "gpt-own"),
    };
    let output = call.output().expect("the call can be made");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The settings that are judged: the name, a bad value, a good one.
const SETTINGS: [(&str, &str, &str); 3] = [
    ("model", "o3", "gpt-5.5"),
    ("effort", "minimal", "low"),
    ("timeout", "0", "60"),
];

#[test]
fn the_environment_is_judged_as_the_caller_is() {
    let _alone = alone();
    let mut record = Record::start("the_environment_is_judged_as_the_caller_is");
    let sources = [
        "not said",
        "bad in the environment",
        "bad there, good by the caller",
    ];
    let universe = Product::new()
        .with("model", sources)
        .with("effort", sources)
        .with("time limit", sources)
        .with("component's model", ["none", "bad", "good"]);
    let mut table = Table::new(
        "the call",
        &universe,
        |case| universe.words(case),
        |case, _| judged(case),
    );
    calls::steps(
        &mut record,
        &mut table,
        ["invalid_model", "invalid_effort", "invalid_timeout"],
        |case| {
            let own = case[0] == 0 && case[3] == 1;
            [case[0] == 1 || own, case[1] == 1, case[2] == 1]
        },
    );
    record.finish();
}
