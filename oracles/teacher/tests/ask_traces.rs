//! Oracles of what a call leaves and lets through: the life of its directory and of
//! its client, and the one way of the prompt.

mod calls;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::thread;
use std::time::Duration;

use calls::{LARGE, LONG, Place, asked, failed_turn, names};
use fake_codex::Step;
use obernant::{Order, Product, Record, Table, Universe};
use oracles_teacher::{patiently, stops};
use teacher::{AskFailure, CLEARED_ENV, Call};

/// How a call can end, and what it is called then.
const ENDS: [(&str, &str); 8] = [
    ("with a reply", "reply"),
    ("with exit code 1", "exit"),
    ("with a failed turn", "stream"),
    ("with the prompt unread", "prompt_write"),
    ("at the time limit", "timeout"),
    ("by the caller's interrupt", "interrupted"),
    ("without a log", "log"),
    ("without a client", "start"),
];

/// One call, told as a trace of what was observed. The client tells of its directory
/// at its start and, where it ends by itself, at its end.
fn life(case: &[usize]) -> String {
    patiently(|time| life_within(case, time))
}

/// As [`life`]; nothing where `time` was too short for the client to come to its wait.
fn life_within(case: &[usize], time: Duration) -> Option<String> {
    let &[end, directory] = case else {
        unreachable!("two dimensions")
    };
    let killed = matches!(ENDS[end].1, "timeout" | "interrupted");
    let mut place = Place::new(|folder| {
        let mut steps = vec![
            Step::Record(folder.join("start")),
            Step::Mark("its-file".into()),
        ];
        steps.push(match ENDS[end].1 {
            "prompt_write" => Step::CloseInput,
            _ => Step::ReadPrompt(Some("its-prompt".into())),
        });
        steps.push(match ENDS[end].1 {
            "stream" => Step::out(failed_turn("no")),
            _ => Step::answer("forty-two"),
        });
        if killed {
            steps.extend([Step::Mark(folder.join("waits")), Step::Forever]);
        }
        steps.push(Step::Record(folder.join("end")));
        steps.push(Step::Exit(u8::from(ENDS[end].1 == "exit")));
        steps
    });
    let given = place.scene.file("given");
    fs::create_dir(&given).expect("a folder can be made");
    fs::write(given.join("callers-file"), "kept").expect("a file can be written");
    // Made by the call, so that it tells that a directory was asked for.
    let scratch = place.scene.file("made/for/own");
    if ENDS[end].1 == "log" {
        place.log = place.scene.file("missing/log");
    }
    let client = place
        .scene
        .file(["codex", "nobody"][usize::from(ENDS[end].1 == "start")]);
    let (reader, mut writer) = io::pipe().expect("a pipe can be made");
    let prompt = "p".repeat(LARGE);
    let call = Call {
        timeout: Some(match ENDS[end].1 {
            "timeout" => time,
            "interrupted" => Duration::from_secs(10),
            _ => LONG,
        }),
        interrupt: Some(reader.as_fd()),
        scratch: Some(&scratch),
        directory: (directory == 1).then_some(given.as_path()),
        client: Some(&client),
        ..place.call(&prompt)
    };
    let (name, _) = thread::scope(|scope| {
        let asking = scope.spawn(|| asked(&call));
        if ENDS[end].1 == "interrupted" {
            while !place.scene.file("waits").exists() && !asking.is_finished() {
                thread::sleep(Duration::from_millis(1));
            }
            writer.write_all(b"!").expect("a byte fits into a pipe");
        }
        asking.join().expect("the call does not panic")
    });
    if ENDS[end].1 == "timeout" && !place.scene.file("waits").exists() {
        return None;
    }
    let mut trace = Vec::new();
    let mut see = |seen: bool, event: &'static str| {
        if seen {
            trace.push(event);
        }
    };
    let (start, last) = (place.scene.record("start"), place.scene.record("end"));
    let at = |record: &Option<fake_codex::Record>, folder: &Path| {
        let inside = |record: &fake_codex::Record| {
            let stood = record.directory.as_deref().map(Path::new);
            record.directory_exists && stood.is_some_and(|stood| stood.starts_with(folder))
        };
        record.as_ref().is_some_and(inside)
    };
    let folder = fs::canonicalize(place.scene.folder()).expect("the scene is there");
    let (own, callers) = (folder.join("made/for/own"), folder.join("given"));
    see(scratch.is_dir(), "a directory is made");
    see(at(&start, &own), "the client starts in it");
    see(at(&start, &callers), "the client starts in the given one");
    see(at(&last, &own), "the client ends in it");
    see(at(&last, &callers), "the client ends in the given one");
    see(true, name);
    let gone = place.starts().into_iter().all(stops);
    see(!place.starts().is_empty() && gone, "the client is gone");
    see(!gone, "the client runs on");
    see(
        scratch.is_dir() && names(&scratch).is_empty(),
        "the directory is gone",
    );
    see(!names(&scratch).is_empty(), "the directory is left");
    let kept = fs::read(given.join("callers-file")).is_ok_and(|bytes| bytes == b"kept");
    see(kept, "the caller's file is there");
    see(
        given.join("its-file").exists(),
        "the client's file is there",
    );
    Some(trace.join(" > "))
}

#[test]
fn a_directory_is_made_before_the_client_and_gone_after_it() {
    let mut record = Record::start("a_directory_is_made_before_the_client_and_gone_after_it");
    let universe = Product::new()
        .with("the call ends", ENDS.map(|(words, _)| words))
        .with("directory", ["own", "given"]);
    // The clients that wait for their end wait at once.
    let outcomes: Vec<String> = thread::scope(|scope| {
        let universe = &universe;
        let lives = (0..universe.len())
            .map(|index| scope.spawn(move || life(&universe.case(index))))
            .collect::<Vec<_>>();
        lives
            .into_iter()
            .map(|life| life.join().expect("a life ends"))
            .collect()
    });
    let mut table = Table::new(
        "the call",
        &universe,
        |case| universe.words(case),
        |case, _| outcomes[case[0] * 2 + case[1]].clone(),
    );
    record.ordering(
        &mut table,
        &[
            Order::Needs("the client starts in it", "a directory is made"),
            Order::Needs("the client ends in it", "the client starts in it"),
            Order::Leads("a directory is made", "the directory is gone"),
            Order::Leads("the client ends in it", "the directory is gone"),
            Order::Leads("the client starts in it", "the client is gone"),
            Order::Leads("the client starts in the given one", "the client is gone"),
            Order::Leads(
                "the client starts in the given one",
                "the client's file is there",
            ),
            Order::Leads("reply", "the client is gone"),
        ],
    );
    record.literal(&mut table, |case| {
        let name = ENDS[case[0]].1;
        let (starts, ends) = (
            name != "start",
            !matches!(name, "timeout" | "interrupted" | "start"),
        );
        let own = case[1] == 0;
        let events = [
            (own, "a directory is made"),
            (own && starts, "the client starts in it"),
            (!own && starts, "the client starts in the given one"),
            (own && ends, "the client ends in it"),
            (!own && ends, "the client ends in the given one"),
            (true, name),
            (starts, "the client is gone"),
            (own, "the directory is gone"),
            (true, "the caller's file is there"),
            (!own && starts, "the client's file is there"),
        ];
        let events = events
            .iter()
            .filter(|(due, _)| *due)
            .map(|(_, event)| *event);
        events.collect::<Vec<_>>().join(" > ")
    });
    record.assume("of a client that is killed, whether it or its directory went first is not seen");
    record.finish();
}

/// Words that stand in every prompt of a case and nowhere else.
const MARKER: &str = "Walrus-4711";
/// Those of the prompt that it is compared with.
const OTHER: &str = "Penguin-0815";

/// The forms of a prompt around its marker.
fn prompts(marker: &str) -> [(&'static str, String); 6] {
    [
        ("plain", format!("What is {marker}?")),
        ("of several lines", format!("What\nis\r\n{marker}\n\n?\n")),
        (
            "of shell characters",
            format!("$(echo '{marker}') `{marker}` \"{marker}\"; & | > * -c \\"),
        ),
        ("like an option", format!("--model={marker}")),
        (
            "of other scripts",
            format!("\u{1f9ad} {marker} \u{2028}\u{feff}\u{0}\u{e9}"),
        ),
        ("long", format!("{marker} {}", "p".repeat(LARGE))),
    ]
}

/// The files and folders below, with their paths and bytes; links, as the client
/// itself, without bytes.
fn below(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for name in names(folder) {
        let path = folder.join(name);
        let bytes = if path.is_symlink() {
            None
        } else {
            fs::read(&path).ok()
        };
        found.push((path.display().to_string(), bytes.unwrap_or_default()));
        below(&path, found);
    }
}

fn holds(bytes: &[u8], marker: &str) -> bool {
    bytes
        .windows(marker.len())
        .any(|window| window == marker.as_bytes())
}

/// How the calls of the prompt's oracle end; the second word is the outcome's name.
const WAYS: [(&str, &str); 5] = [
    ("with a reply", "reply"),
    ("with exit code 1", "exit"),
    ("with a failed turn", "stream"),
    ("by the caller's interrupt", "interrupted"),
    ("without a log", "log"),
];

/// Everything that was observed of a call, except for standard input. Paths and
/// seconds are taken out.
fn observed(way: usize, prompt: &str) -> String {
    let name = WAYS[way].1;
    let mut place = Place::new(|folder| {
        vec![
            Step::ReadPrompt(Some(folder.join("input"))),
            Step::Record(folder.join("record")),
            Step::Await(folder.join("go")),
            match name {
                "stream" => Step::out(failed_turn("no")),
                "interrupted" => Step::Forever,
                _ => Step::answer("forty-two"),
            },
            Step::err("a word\n"),
            Step::Exit(u8::from(name == "exit")),
        ]
    });
    if name == "log" {
        place.log = place.scene.file("missing/log");
    }
    let (reader, mut writer) = io::pipe().expect("a pipe can be made");
    let call = Call {
        interrupt: Some(reader.as_fd()),
        ..place.call(prompt)
    };
    // While the client waits for "go" the test looks around.
    let mut files = Vec::new();
    let (told, outcome) = thread::scope(|scope| {
        let asking = scope.spawn(|| asked(&call));
        while !place.scene.file("record").exists() && !asking.is_finished() {
            thread::sleep(Duration::from_millis(1));
        }
        below(place.scene.folder(), &mut files);
        fs::write(place.scene.file("go"), "").expect("a file can be written");
        if name == "interrupted" {
            writer.write_all(b"!").expect("a byte fits into a pipe");
        }
        asking.join().expect("the call does not panic")
    });
    below(place.scene.folder(), &mut files);
    let input = place.scene.file("input").display().to_string();
    files.retain(|(path, _)| *path != input);
    let mut seen = vec![told.to_owned()];
    if fs::read(&input).ok().as_deref() != Some(prompt.as_bytes()) {
        seen.push("standard input is not the prompt".to_owned());
    }
    let json = match &outcome {
        Ok(answered) => serde_json::to_string(answered),
        Err(failure) => serde_json::to_string::<AskFailure>(failure),
    };
    let json = json.expect("an outcome has a JSON form");
    let log = fs::read_to_string(&place.log).unwrap_or_default();
    for text in [&json, &log] {
        seen.push(neutral(text, place.scene.folder()));
    }
    let record = place.scene.record("record");
    if let Some(record) = &record {
        seen.push(record.arguments.join(" "));
        seen.push(format!(
            "environment as the caller's but for {:?}",
            changed(record)
        ));
        let own = record.directory.as_deref().map(Path::new);
        let name = own.and_then(Path::file_name).and_then(|name| name.to_str());
        let plain = name.and_then(|name| name.strip_prefix("teacher-"));
        let plain = plain.is_some_and(|rest| rest.len() == 6 && rest.is_ascii());
        seen.push(format!("directory of its own form: {plain}"));
        seen.push(format!(
            "in the scratch folder: {}",
            names(&place.scratch).len()
        ));
    }
    let mut leaks = Vec::new();
    let everywhere = [
        ("the outcome", json.into_bytes()),
        ("the log", log.into_bytes()),
    ]
    .map(|(place, bytes)| (place.to_owned(), bytes))
    .into_iter()
    .chain(files);
    for (place, bytes) in everywhere {
        for marker in [MARKER, OTHER] {
            if holds(&bytes, marker) || holds(place.as_bytes(), marker) {
                let place = place.rsplit('/').next().unwrap_or_default();
                leaks.push(format!("{marker} stands in {place}"));
            }
        }
    }
    // What should not be comes first, where a person looks.
    seen.splice(1..1, leaks);
    seen.join("; ")
}

/// The text without the folder's path and without the seconds.
fn neutral(text: &str, folder: &Path) -> String {
    let text = text.replace(&folder.display().to_string(), "FOLDER");
    match text.split_once("\"secs\":") {
        Some((before, after)) => {
            let rest = after.find(',').map_or("", |end| &after[end..]);
            format!("{before}\"secs\":SECS{rest}")
        }
        None => text,
    }
}

/// The variables by which the client's environment differs from the caller's, beside
/// those that are never passed on.
fn changed(record: &fake_codex::Record) -> BTreeSet<String> {
    let ours = env::vars_os().map(|(name, value)| {
        let text = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
        (text(&name), text(&value))
    });
    let ours: BTreeSet<_> = ours
        .filter(|(name, _)| !CLEARED_ENV.contains(&name.as_str()))
        .collect();
    let theirs: BTreeSet<_> = record.environment.clone().into_iter().collect();
    ours.symmetric_difference(&theirs)
        .map(|(name, _)| name.clone())
        .collect()
}

#[test]
fn the_prompt_goes_to_standard_input_and_nowhere_else() {
    let mut record = Record::start("the_prompt_goes_to_standard_input_and_nowhere_else");
    let (marked, other) = (prompts(MARKER), prompts(OTHER));
    let universe = Product::new()
        .with("the call ends", WAYS.map(|(words, _)| words))
        .with("prompt", marked.each_ref().map(|(words, _)| *words));
    let mut table = Table::new(
        "the call",
        &universe,
        |case| marked[case[1]].1.clone(),
        |case, prompt| observed(case[0], prompt),
    );
    // Another prompt of another form.
    record.invariance(&mut table, |case| {
        other[(case[1] + 1) % other.len()].1.clone()
    });
    for (seen, _) in table.histogram() {
        let leaked = [MARKER, OTHER].iter().any(|marker| seen.contains(marker));
        record.equal(
            &format!("a marker in what was seen: {seen}"),
            &leaked,
            &false,
        );
        let kept = !seen.contains("standard input is not the prompt");
        record.equal(
            &format!("the prompt on standard input: {seen}"),
            &kept,
            &true,
        );
        let own = seen.contains("directory of its own form: true");
        record.equal(&format!("the directory's name: {seen}"), &own, &true);
        let passed = seen.contains("environment as the caller's but for {}");
        record.equal(&format!("the environment: {seen}"), &passed, &true);
        let told = WAYS
            .iter()
            .any(|(_, name)| seen.starts_with(&format!("{name};")));
        record.equal(&format!("an outcome of the table: {seen}"), &told, &true);
    }
    record.claim("ends", WAYS.len());
    record.assume("a client that repeats the prompt is not in the universe");
    record.finish();
}
