//! Oracles of the steps of one call: the first bad one decides, nothing is made or
//! started before its turn, the client is started once, and the advice fits.

mod calls;

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use calls::{HEADERS, LARGE, LONG, Place, alone, asked, failed_turn, names, silent_turn, steps};
use fake_codex::{Signal, Step, Stream};
use obernant::{Product, Record, Table, Universe};
use teacher::{Call, PROVIDER_BUSY_MESSAGES, ask};

/// Ends an outcome's name with what should not be.
fn noted(name: &str, notes: &[(bool, String)]) -> String {
    let notes = notes.iter().filter(|(wrong, _)| *wrong);
    notes.fold(name.to_owned(), |name, (_, note)| format!("{name}, {note}"))
}

/// The same file, by a path that starts at this process's working directory.
fn relative(path: &Path) -> PathBuf {
    let here = std::env::current_dir().expect("the test has a working directory");
    let up = here.components().skip(1).map(|_| Path::new(".."));
    let path = fs::canonicalize(path.parent().expect("a client stands in a folder"))
        .expect("the folder is there")
        .join(path.file_name().expect("a client has a name"));
    up.collect::<PathBuf>()
        .join(path.strip_prefix("/").expect("an absolute path"))
}

fn before_the_start(case: &[usize]) -> String {
    let &[model, effort, time, directory, client] = case else {
        unreachable!("five dimensions")
    };
    let place = Place::new(|_| vec![Step::ReadPrompt(None), Step::answer("forty-two")]);
    // Deep below, so that the relative path of the client leads nowhere from here.
    let depth = std::env::current_dir()
        .expect("a directory")
        .components()
        .count();
    let deep = place.scene.folder().join("d/".repeat(depth));
    fs::create_dir_all(&deep).expect("folders can be made");
    let (scratch, given) = (deep.join("scratch"), deep.join("given"));
    match directory {
        0 => fs::create_dir(&scratch),
        2 => fs::write(&scratch, ""),
        3 => fs::create_dir(&given),
        5 => fs::write(&given, ""),
        _ => Ok(()),
    }
    .expect("the scene can be set");
    let plain = place.scene.file("plain");
    fs::write(&plain, "no program").expect("a file can be written");
    let before = names(&deep);
    let client = match client {
        0 => place.scene.client().to_owned(),
        1 => relative(place.scene.client()),
        2 => place.scene.file("nobody"),
        _ => plain,
    };
    let (name, _) = asked(&Call {
        model: Some(["gpt-5.5", "o3"][model]),
        effort: Some(["xhigh", "minimal"][effort]),
        timeout: Some([LONG, Duration::ZERO][time]),
        directory: (directory > 2).then_some(given.as_path()),
        scratch: Some(&scratch),
        client: Some(&client),
        ..place.call("What is six times seven?")
    });
    let starts = place.starts().len();
    let due = usize::from(name == "reply");
    // A client that is killed at once may or may not have come to counting itself.
    let killed = name == "timeout";
    // A folder for own directories may be made where one is needed, and stays.
    let needed = directory == 1 && matches!(name, "start" | "reply");
    let made = names(&deep) != before;
    let left = [&scratch, &given].map(|folder| names(folder)).concat();
    noted(
        name,
        &[
            (starts != due && !killed, format!("and {starts} starts")),
            (
                made != needed,
                "and made a folder too early or none".to_owned(),
            ),
            (!left.is_empty(), "and left a directory".to_owned()),
        ],
    )
}

#[test]
fn a_call_is_refused_at_its_first_bad_step() {
    let mut record = Record::start("a_call_is_refused_at_its_first_bad_step");
    let universe = Product::new()
        .with("model", ["gpt-5.5", "o3"])
        .with("effort", ["xhigh", "minimal"])
        .with("time limit", ["a minute", "zero"])
        .with(
            "directory",
            [
                "own",
                "own in a folder to be made",
                "own in a file",
                "given",
                "given and missing",
                "given and a file",
            ],
        )
        .with(
            "client",
            [
                "there",
                "there by a relative path",
                "missing",
                "not executable",
            ],
        );
    let mut table = Table::new(
        "the call",
        &universe,
        |case| universe.words(case),
        |case, _| before_the_start(case),
    );
    let names = [
        "invalid_model",
        "invalid_effort",
        "invalid_timeout",
        "directory",
        "start",
    ];
    steps(&mut record, &mut table, names, |case| {
        let bad_directory = [2, 4, 5].contains(&case[3]);
        [
            case[0] > 0,
            case[1] > 0,
            case[2] > 0,
            bad_directory,
            case[4] > 1,
        ]
    });
    record.finish();
}

/// What the client prints: without and with a byte that is no UTF-8 at the end.
fn printed(kind: usize) -> Vec<Step> {
    let text = match kind / 2 {
        0 => Step::answer("forty-two"),
        1 => Step::out(failed_turn("no")),
        _ => Step::out(silent_turn()),
    };
    let damage = Step::Bytes {
        stream: Stream::Stdout,
        bytes: vec![0xff, b'\n'],
    };
    [text]
        .into_iter()
        .chain((kind % 2 == 1).then_some(damage))
        .collect()
}

fn after_the_start(case: &[usize]) -> String {
    let &[end, prompt, kind, log] = case else {
        unreachable!("four dimensions")
    };
    let mut place = Place::new(|_| {
        let mut steps = match prompt {
            0 => vec![Step::ReadPrompt(None)],
            1 => vec![Step::ReadBytes(1000), Step::CloseInput],
            _ => Vec::new(),
        };
        steps.extend(printed(kind));
        steps.push(
            [
                Step::Exit(0),
                Step::Exit(1),
                Step::SignalSelf(Signal::Kill),
                Step::Forever,
                Step::Forever,
            ][end]
                .clone(),
        );
        steps
    });
    match log {
        0 => {}
        1 => fs::create_dir(&place.log).expect("a folder can be made"),
        _ => place.log = place.scene.file("missing/log"),
    }
    let text = "p".repeat(if prompt == 3 { 0 } else { LARGE });
    let (reader, mut writer) = io::pipe().expect("a pipe can be made");
    if end == 4 {
        writer.write_all(b"!").expect("a byte fits into a pipe");
    }
    let (name, outcome) = asked(&Call {
        timeout: Some(if end == 3 {
            Duration::from_millis(10)
        } else {
            LONG
        }),
        interrupt: Some(reader.as_fd()),
        ..place.call(&text)
    });
    let starts = place.starts().len();
    // A client that is killed early may not have come to counting itself.
    let stopped = end > 2;
    let kept = outcome
        .as_ref()
        .err()
        .and_then(|failure| failure.reply.as_deref());
    let answer = outcome
        .as_ref()
        .ok()
        .or(kept)
        .map(|reply| reply.reply.result.as_str());
    let paid = matches!(name, "reply" | "log");
    noted(
        name,
        &[
            (
                starts > 1 || (starts == 0 && !stopped),
                format!("and {starts} starts"),
            ),
            (
                answer != paid.then_some("forty-two"),
                format!("and the answer {answer:?}"),
            ),
            (
                place.lines() != usize::from(name == "reply"),
                format!("and {} lines in the log", place.lines()),
            ),
            (
                !names(&place.scratch).is_empty(),
                "and left a directory".to_owned(),
            ),
        ],
    )
}

#[test]
fn a_started_call_fails_at_its_first_bad_step() {
    let mut record = Record::start("a_started_call_fails_at_its_first_bad_step");
    let universe = Product::new()
        .with(
            "client ends",
            [
                "well",
                "with code 1",
                "by a signal",
                "never",
                "never and the caller interrupts",
            ],
        )
        .with(
            "prompt",
            [
                "read",
                "refused on the way",
                "large and not read",
                "empty and not read",
            ],
        )
        .with(
            "output",
            [
                "an answer",
                "an answer and a bad byte",
                "a failed turn",
                "a failed turn and a bad byte",
                "no answer",
                "no answer and a bad byte",
            ],
        )
        .with(
            "log",
            ["can be written", "is a folder", "in a missing folder"],
        );
    let mut table = Table::new(
        "the call",
        &universe,
        |case| universe.words(case),
        |case, _| after_the_start(case),
    );
    let names = [
        "timeout",
        "interrupted",
        "exit",
        "prompt_write",
        "not_utf8",
        "stream",
        "log",
    ];
    steps(&mut record, &mut table, names, |case| {
        let unread = [1, 2].contains(&case[1]);
        let failed = [1, 2].contains(&case[0]);
        [
            case[0] == 3,
            case[0] == 4,
            failed,
            unread,
            case[2] % 2 == 1,
            case[2] > 1,
            case[3] > 0,
        ]
    });
    record.finish();
}

fn flooded(case: &[usize]) -> String {
    let &[flood, end, prompt] = case else {
        unreachable!("three dimensions")
    };
    let place = Place::new(|_| {
        let mut steps = match prompt {
            0 => vec![Step::ReadPrompt(None)],
            _ => vec![Step::CloseInput],
        };
        steps.push(Step::answer("forty-two"));
        if flood > 0 {
            steps.push(Step::Fill {
                stream: [Stream::Stdout, Stream::Stderr][flood - 1],
                // So much more that the client is still writing when the bound is met.
                bytes: 33 << 20,
                line: 1 << 16,
            });
        }
        steps.push(Step::Exit([0, 1][end]));
        steps
    });
    let text = "p".repeat(LARGE);
    let (name, _) = asked(&place.call(&text));
    let starts = place.starts().len();
    noted(
        name,
        &[
            (starts != 1, format!("and {starts} starts")),
            (
                place.lines() != usize::from(name == "reply"),
                format!("and {} lines in the log", place.lines()),
            ),
            (
                !names(&place.scratch).is_empty(),
                "and left a directory".to_owned(),
            ),
        ],
    )
}

#[test]
fn a_flood_is_told_before_the_end_of_the_client() {
    let mut record = Record::start("a_flood_is_told_before_the_end_of_the_client");
    let universe = Product::new()
        .with("flood", ["none", "on standard output", "on standard error"])
        .with("client ends", ["well", "with code 1"])
        .with("prompt", ["read", "refused"]);
    // Two at a time, since a flood takes a while.
    let outcomes: Vec<String> = thread::scope(|scope| {
        let workers = [0, 1].map(|rest| {
            let universe = &universe;
            let cases = (0..universe.len()).filter(move |index| index % 2 == rest);
            scope.spawn(move || cases.map(|index| flooded(&universe.case(index))).collect())
        });
        let halves: [Vec<String>; 2] = workers.map(|worker| worker.join().expect("a worker ends"));
        let [even, odd] = halves;
        even.into_iter()
            .zip(odd)
            .flat_map(|(even, odd)| [even, odd])
            .collect()
    });
    let mut table = Table::new(
        "the call",
        &universe,
        |case| universe.words(case),
        |case, _| outcomes[case[0] * 4 + case[1] * 2 + case[2]].clone(),
    );
    let names = ["stdout_limit", "stderr_limit", "exit", "prompt_write"];
    steps(&mut record, &mut table, names, |case| {
        [case[0] == 1, case[0] == 2, case[1] > 0, case[2] > 0]
    });
    record.finish();
}

/// What a failure advises, by words that stand in one advice only.
fn advice(help: &str) -> &'static str {
    let advices = [
        ("no capacity", "wait for the provider"),
        ("the message is the provider's", "do what the provider says"),
        ("read its standard error", "read standard error"),
        ("change the prompt", "change the prompt"),
        ("output is damaged", "try again"),
        ("not one completed turn", "look at the version"),
        ("install it", "install the client"),
        ("first line names", "mend its first line"),
        ("chmod +x", "make it a program"),
        ("a program that the client needs", "install what it needs"),
    ];
    let known = advices
        .into_iter()
        .filter(|(words, _)| help.contains(words));
    match known.collect::<Vec<_>>().as_slice() {
        [(_, advice)] => advice,
        _ => "another advice",
    }
}

/// Streams that give no reply: what each is called, its bytes, its category, and the
/// advice where the client ended well.
fn streams() -> Vec<(&'static str, Vec<u8>, &'static str, &'static str)> {
    let busy = PROVIDER_BUSY_MESSAGES[0];
    let alone = format!("{HEADERS}{{\"type\":\"error\",\"message\":\"lost\"}}\n");
    vec![
        (
            "a busy provider",
            failed_turn(busy).into(),
            "turn_failed",
            "wait for the provider",
        ),
        (
            "a failed turn",
            failed_turn("usage limit").into(),
            "turn_failed",
            "do what the provider says",
        ),
        (
            "an error and no more",
            alone.into(),
            "error",
            "do what the provider says",
        ),
        (
            "a turn without answer",
            silent_turn().into(),
            "completion_before_answer",
            "change the prompt",
        ),
        (
            "headers alone",
            HEADERS.into(),
            "missing_answer",
            "change the prompt",
        ),
        ("nothing", Vec::new(), "missing_answer", "change the prompt"),
        (
            "a header twice",
            HEADERS.repeat(2).into(),
            "header_order",
            "look at the version",
        ),
        (
            "half a line",
            b"{".into(),
            "malformed_json",
            "look at the version",
        ),
        ("a bad byte", vec![0xff], "not_utf8", "try again"),
    ]
}

fn advised(case: &[usize]) -> String {
    let &[end, stream] = case else {
        unreachable!("two dimensions")
    };
    let place = Place::new(|_| {
        vec![
            Step::ReadPrompt(None),
            Step::Bytes {
                stream: Stream::Stdout,
                bytes: streams()[stream].1.clone(),
            },
            Step::err("a word\nthe last word\n"),
            Step::Exit([0, 1, 0, 0, 0, 127][end]),
        ]
    });
    let plain = place.scene.file("plain");
    fs::write(&plain, "no program").expect("a file can be written");
    let missing = place.scene.file("nobody");
    let script = place.scene.file("script");
    fs::write(&script, "#!/nowhere/at-all\n").expect("a file can be written");
    fs::set_permissions(&script, Permissions::from_mode(0o755)).expect("and be executable");
    let there = place.scene.client();
    let (name, outcome) = asked(&Call {
        client: Some([there, there, &missing, &plain, &script, there][end]),
        ..place.call("What is six times seven?")
    });
    let Err(failure) = outcome else {
        return name.to_owned();
    };
    let told = failure.stream.as_deref();
    let category = told.map_or("no stream", |told| told.error.as_str());
    let words = told.is_none_or(|told| failure.message.contains(&told.message));
    let last: &[&str] = if matches!(end, 0 | 1 | 5) {
        &["a word", "the last word"]
    } else {
        &[]
    };
    noted(
        &format!("{name}, {category}: {}", advice(failure.help)),
        &[
            (!words, "without the words of the stream".to_owned()),
            (
                failure.stderr != last,
                "without the last lines of standard error".to_owned(),
            ),
        ],
    )
}

#[test]
fn the_advice_fits_the_end_and_the_stream() {
    let _alone = alone();
    let mut record = Record::start("the_advice_fits_the_end_and_the_stream");
    let streams = streams();
    let universe = Product::new()
        .with(
            "client",
            [
                "ends well",
                "ends with code 1",
                "is missing",
                "is not executable",
                "has no interpreter",
                "ends with code 127",
            ],
        )
        .with("stream", streams.iter().map(|stream| stream.0));
    let mut table = Table::new(
        "the call",
        &universe,
        |case| universe.words(case),
        |case, _| advised(case),
    );
    let due = |case: &[usize]| {
        let (_, _, category, advice) = streams[case[1]];
        // A client that failed: only the provider's own words tell why.
        let own = matches!(category, "turn_failed" | "error");
        match case[0] {
            0 if category == "not_utf8" => ("not_utf8", category, advice),
            0 => ("stream", category, advice),
            1 if own => ("exit", category, advice),
            1 => ("exit", category, "read standard error"),
            2 => ("start", "no stream", "install the client"),
            3 => ("start", "no stream", "make it a program"),
            4 => ("start", "no stream", "mend its first line"),
            _ => ("exit", category, "install what it needs"),
        }
    };
    record.partition(&mut table, |outcome| outcome, due);
    record.literal(&mut table, |case| {
        let (name, category, advice) = due(case);
        format!("{name}, {category}: {advice}")
    });
    record.finish();
}

/// The one test with the installed client. It needs a login and is paid, so nothing
/// runs it unasked.
#[test]
#[ignore = "asks the installed client, which must be logged in and is paid"]
fn authenticated_live_smoke() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let log = folder.path().join("log");
    let answered = ask(&Call {
        prompt: "How much is two and two? Answer with one word.",
        log: Some(&log),
        ..Call::default()
    })
    .unwrap_or_else(|failure| panic!("{failure}\nhelp: {}", failure.help));
    let answer = answered.reply.result.to_lowercase();
    assert!(answer.contains("four") || answer.contains('4'), "{answer}");
    let log = fs::read_to_string(log).expect("the call was logged");
    assert_eq!(log.lines().count(), 1);
}
