//! Oracles of a client's process group: what of it runs after the return, and how
//! long a descendant that left the group can hold the run. They ask Linux for the
//! state of each process.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::Duration;

use fake_codex::{Pipes, Place, Script, Signal, Step, Stream as Out};
use obernant::{Product, Record, Table, Universe};
use oracles_teacher::{
    Scene, at_once, end, patiently, runs, scripted, status_words, stays, stop_words, stops,
};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use teacher::process::{Limits, OUTPUT_LIMIT, Stream, run};

const CLIENT: &str = env!("CARGO_BIN_EXE_scripted-client");

/// The time limit of a run that must not meet it.
const AMPLE: Duration = Duration::from_mins(1);

/// As in [`stays`], where no time limit is met.
const MOMENT: Duration = Duration::from_secs(1);

/// A prompt that no pipe holds.
static PROMPT: [u8; 1 << 20] = [b'?'; 1 << 20];

/// What a client does before it ends or meets its limit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Nothing,
    IgnoresTerminate,
    LeavesGroup,
    Child(Place, Pipes),
    DoubleFork,
    Zombie,
    ClosesInput,
    ClosesOutputs,
    PrintsBeforeItReads,
    LeavesOutputPending,
    FloodsStderr,
    HalfALine,
}

const DEEDS: [(&str, Deed); 17] = [
    ("does nothing", Deed::Nothing),
    ("ignores SIGTERM", Deed::IgnoresTerminate),
    (
        "has a child in its group with its pipes",
        Deed::Child(Place::Same, Pipes::Inherit),
    ),
    (
        "has a child in its group without its pipes",
        Deed::Child(Place::Same, Pipes::Closed),
    ),
    (
        "has a child in another group with its pipes",
        Deed::Child(Place::Group, Pipes::Inherit),
    ),
    (
        "has a child in another group without its pipes",
        Deed::Child(Place::Group, Pipes::Closed),
    ),
    (
        "has a child in another session with its pipes",
        Deed::Child(Place::Session, Pipes::Inherit),
    ),
    (
        "has a child in another session without its pipes",
        Deed::Child(Place::Session, Pipes::Closed),
    ),
    (
        "has a grandchild in its group whose parent ended",
        Deed::DoubleFork,
    ),
    ("has a child that ended and was not reaped", Deed::Zombie),
    ("closes its input", Deed::ClosesInput),
    ("closes its outputs and goes on", Deed::ClosesOutputs),
    (
        "prints a megabyte before it reads",
        Deed::PrintsBeforeItReads,
    ),
    ("leaves output in its pipe", Deed::LeavesOutputPending),
    ("prints eight megabytes on stderr", Deed::FloodsStderr),
    ("prints half a line", Deed::HalfALine),
    ("moves to the group of its caller", Deed::LeavesGroup),
];

impl Deed {
    fn steps(self, folder: &Path, stay: &Step) -> Vec<Step> {
        let file = |name: &str| folder.join(name);
        let child = |steps, place, pipes, wait| Step::Spawn {
            steps,
            place,
            pipes,
            wait,
        };
        let stays = || {
            let (record, stayed) = (file("child"), file("child-stayed"));
            vec![Step::Record(record), stay.clone(), Step::Mark(stayed)]
        };
        let lines = |stream, bytes| Step::Fill {
            stream,
            bytes,
            line: 80,
        };
        match self {
            Self::Nothing | Self::ClosesInput => vec![],
            Self::IgnoresTerminate => vec![Step::IgnoreTerminate],
            Self::LeavesGroup => vec![Step::LeaveGroup],
            Self::Child(place, pipes) => vec![
                child(stays(), place, pipes, false),
                Step::Await(file("child")),
            ],
            Self::DoubleFork => {
                let parent = vec![
                    child(stays(), Place::Same, Pipes::Inherit, false),
                    Step::Await(file("child")),
                ];
                vec![child(parent, Place::Same, Pipes::Inherit, true)]
            }
            Self::Zombie => vec![
                child(
                    vec![Step::Record(file("child"))],
                    Place::Same,
                    Pipes::Inherit,
                    false,
                ),
                Step::Await(file("child")),
            ],
            Self::ClosesOutputs => vec![Step::CloseOutput, Step::CloseError, Step::SleepMs(20)],
            Self::PrintsBeforeItReads => vec![lines(Out::Stdout, 1 << 20)],
            Self::LeavesOutputPending => vec![
                Step::out("x"),
                Step::Await(file("first-read")),
                lines(Out::Stdout, 50_000),
            ],
            Self::FloodsStderr => vec![lines(Out::Stderr, 8 << 20)],
            Self::HalfALine => vec![Step::out(r#"{"type":"turn.comp"#)],
        }
    }

    /// The bytes that are due on both outputs.
    fn prints(self) -> [usize; 2] {
        match self {
            Self::PrintsBeforeItReads => [1 << 20, 0],
            Self::LeavesOutputPending => [50_001, 0],
            Self::FloodsStderr => [0, 8 << 20],
            Self::HalfALine => [18, 0],
            _ => [0, 0],
        }
    }

    /// Whether its descendant stands outside of the group.
    fn escapes(self) -> bool {
        matches!(self, Self::Child(Place::Group | Place::Session, _))
    }
}

/// How a client ends after its deed: the words, the step, and the status due.
const ENDINGS: [(&str, &str); 4] = [
    ("ends with 0", "exit 0, ended by itself"),
    ("ends with 7", "exit 7, ended by itself"),
    ("kills itself", "signal 9, ended by itself"),
    (
        "meets the time limit",
        "signal 9, stopped by the time limit",
    ),
];
const LIMITED: usize = 3;

/// How the run ended, and what is left; more words where something else is wrong.
fn observe(deed: Deed, ending: usize) -> String {
    patiently(|time| {
        let scene = Scene::new(CLIENT, |folder| {
            let mut steps = vec![Step::Record(folder.join("client"))];
            let late = deed == Deed::PrintsBeforeItReads;
            let read = if deed == Deed::ClosesInput {
                Step::CloseInput
            } else {
                Step::ReadPrompt(None)
            };
            if !late {
                steps.push(read.clone());
            }
            steps.extend(deed.steps(folder, &stays(30, time)));
            steps.extend(late.then_some(read));
            steps.push(Step::Mark(folder.join("ready")));
            steps.push(match ending {
                0 => Step::Exit(0),
                1 => Step::Exit(7),
                2 => Step::SignalSelf(Signal::Kill),
                _ => stays(30, time),
            });
            Script::exec(steps)
        });
        let mut got = [0, 0];
        let limits = Limits {
            time: if ending == LIMITED { time } else { AMPLE },
            output: OUTPUT_LIMIT,
        };
        let ended = run(
            scripted(scene.client()),
            &PROMPT,
            limits,
            None,
            |stream, bytes| {
                got[usize::from(stream == Stream::Stderr)] += bytes.len();
                if deed == Deed::LeavesOutputPending && !scene.file("first-read").exists() {
                    fs::write(scene.file("first-read"), "").expect("the folder can be written");
                    // What the client prints now is read after its end.
                    if ending != LIMITED {
                        let client = scene.record("client").expect("its first step");
                        assert!(stops(client.process), "the client ends by itself");
                    }
                }
            },
        );
        let ended = ended.expect("the client starts");
        if ending == LIMITED && !scene.file("ready").exists() {
            return None;
        }
        let client = scene.record("client").expect("its first step").process;
        let child = scene.record("child").map(|child| child.process);
        let mut words = vec![
            status_words(ended.status),
            stop_words(ended.stop.as_ref()).to_owned(),
        ];
        if ended.prompt.is_err() {
            words.push("prompt lost".to_owned());
        }
        if got != deed.prints() {
            words.push(format!("{} and {} bytes passed on", got[0], got[1]));
        }
        if !stops(client) {
            words.push("the client runs on".to_owned());
        }
        // A killed process needs a moment; one that was left alone runs for long.
        let goes_on = |child| {
            if deed.escapes() {
                runs(child)
            } else {
                !stops(child)
            }
        };
        if child.is_some_and(goes_on) {
            words.push("the descendant runs on".to_owned());
        }
        if ended.descendant_left {
            words.push("told as left".to_owned());
        }
        child.into_iter().for_each(end);
        Some(words.join(", "))
    })
}

/// What may follow the end in an outcome.
const LEFT: [&str; 4] = [
    "",
    ", prompt lost",
    ", the descendant runs on",
    ", the descendant runs on, told as left",
];

#[test]
fn nothing_of_the_group_runs_after_the_return() {
    let mut record = Record::start("nothing_of_the_group_runs_after_the_return");
    let universe = Product::new()
        .with("the client", DEEDS.map(|(name, _)| name))
        .with("and then it", ENDINGS.map(|(name, _)| name));
    let seen = at_once(&universe, |case| observe(DEEDS[case[0]].1, case[1]));
    let mut table = Table::new(
        "the run",
        &universe,
        |case| universe.words(case),
        |_, words| seen[words].clone(),
    );
    let outcomes: Vec<String> = ENDINGS
        .iter()
        .flat_map(|(_, end)| LEFT.map(|left| format!("{end}{left}")))
        .collect();
    let due = |case: &[usize]| {
        let left = match DEEDS[case[0]].1 {
            Deed::ClosesInput => 1,
            Deed::Child(Place::Group | Place::Session, Pipes::Closed) => 2,
            Deed::Child(Place::Group | Place::Session, Pipes::Inherit) => 3,
            _ => 0,
        };
        case[1] * LEFT.len() + left
    };
    record.acceptance(
        &mut table,
        &outcomes,
        &[] as &[&str],
        |case| Some(due(case)),
        |case| format!("it must be <{}>", outcomes[due(case)]),
    );
    record.finish();
}

/// Which of the client's outputs a holder keeps open.
const HELD: [&str; 3] = ["both outputs", "stdout", "stderr"];

/// Whether the run waited for the holder of an output to end.
fn boundary(place: Place, held: usize, limited: bool) -> String {
    patiently(|time| {
        let scene = Scene::new(CLIENT, |folder| {
            let file = |name: &str| folder.join(name);
            let mut holder = match held {
                0 => vec![],
                1 => vec![Step::CloseError],
                _ => vec![Step::CloseOutput],
            };
            holder.extend([
                Step::Record(file("holder")),
                stays(8, time),
                Step::Mark(file("holder-ended")),
            ]);
            let mut steps = vec![
                Step::Spawn {
                    steps: holder,
                    place,
                    pipes: Pipes::Inherit,
                    wait: false,
                },
                Step::Await(file("holder")),
                Step::Mark(file("ready")),
            ];
            steps.extend(limited.then(|| stays(30, time)));
            Script::exec(steps)
        });
        let limits = Limits {
            time: if limited { time } else { AMPLE },
            output: OUTPUT_LIMIT,
        };
        let ended = run(scripted(scene.client()), b"", limits, None, |_, _| {});
        let late = scene.file("holder-ended").exists();
        let ended = ended.expect("the client starts");
        if limited && !scene.file("ready").exists() {
            return None;
        }
        let holder = scene
            .record("holder")
            .expect("the client awaits it")
            .process;
        let escaped = place != Place::Same;
        let runs = if escaped {
            runs(holder)
        } else {
            !stops(holder)
        };
        end(holder);
        let words = match (late, runs, ended.descendant_left) {
            (true, ..) => "returns only after the holder's end",
            (false, true, true) => "returns, the holder is left and told",
            (false, false, false) => "returns, the holder is gone",
            (false, true, false) => "returns, the holder is left and not told",
            (false, false, true) => "returns, the holder is gone and told as left",
        };
        Some(words.to_owned())
    })
}

#[test]
fn an_escaped_holder_does_not_hold_the_run() {
    let mut record = Record::start("an_escaped_holder_does_not_hold_the_run");
    let places = [
        ("the client's group", Place::Same),
        ("another group", Place::Group),
        ("another session", Place::Session),
    ];
    let universe = Product::new()
        .with("a holder in", places.map(|(name, _)| name))
        .with("keeps", HELD)
        .with("the client", ["ends by itself", "meets the time limit"]);
    let seen = at_once(&universe, |case| {
        boundary(places[case[0]].1, case[1], case[2] == 1)
    });
    let mut table = Table::new(
        "the run",
        &universe,
        |case| universe.words(case),
        |_, words| seen[words].clone(),
    );
    let outcomes = [
        "returns, the holder is gone",
        "returns, the holder is left and told",
        "returns only after the holder's end",
    ];
    record.complement(
        &mut table,
        &outcomes,
        |case| {
            let escaped = case[0] > 0;
            move |outcome| match outcome {
                0 => escaped,
                1 => !escaped,
                _ => true,
            }
        },
        |case| match case[0] {
            0 => "the group must be killed with its holder".to_owned(),
            _ => "the run must return while the holder runs on".to_owned(),
        },
    );
    record.finish();
}

/// A sink that panics at the first bytes; what is left after the unwinding.
fn unwound(deed: Deed, stream: Out, gone: bool) -> String {
    let scene = Scene::new(CLIENT, |folder| {
        let mut steps = vec![Step::Record(folder.join("client"))];
        // What must be left alone stays longer than anybody looks for the others.
        let child = stays(if deed.escapes() { 30 } else { 4 }, MOMENT);
        steps.extend(deed.steps(folder, &child));
        steps.push(Step::Write {
            stream,
            text: "x".to_owned(),
        });
        if !gone {
            steps.extend([stays(4, MOMENT), Step::Mark(folder.join("stayed"))]);
        }
        Script::exec(steps)
    });
    let limits = Limits {
        time: AMPLE,
        output: OUTPUT_LIMIT,
    };
    let client = || scene.record("client").expect("its first step").process;
    let result = catch_unwind(AssertUnwindSafe(|| {
        run(scripted(scene.client()), b"", limits, None, |_, _| {
            if gone {
                assert!(stops(client()), "the client ends by itself");
            }
            // As a panic, without words on the test's standard error.
            resume_unwind(Box::new("the sink's own"));
        })
    }));
    let mut words = match result {
        Err(payload) if payload.is::<&str>() => vec!["unwinds"],
        _ => vec!["does not unwind"],
    };
    if !stops(client()) {
        words.push("the client runs on");
    } else if scene.file("stayed").exists() {
        words.push("only after the client's own end");
    }
    // Only a child that is not reaped can be waited for.
    let client = Pid::from_raw(client()).expect("a process id");
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if waitid(WaitId::Pid(client), options).is_ok() {
        words.push("the client is not reaped");
    }
    if let Some(child) = scene.record("child") {
        let child = child.process;
        let goes_on = if deed.escapes() {
            runs(child)
        } else {
            !stops(child) || scene.file("child-stayed").exists()
        };
        if goes_on {
            words.push("the descendant runs on");
        }
        end(child);
    }
    words.join(", ")
}

#[test]
fn a_panic_in_the_sink_leaves_no_group() {
    let mut record = Record::start("a_panic_in_the_sink_leaves_no_group");
    let deeds = [0, 2, 3, 8, 4, 7].map(|at| DEEDS[at]);
    let universe = Product::new()
        .with("the client", deeds.map(|(name, _)| name))
        .with("prints on", ["stdout", "stderr"])
        .with("and then it", ["stays", "has ended before the panic"]);
    let seen = at_once(&universe, |case| {
        let stream = [Out::Stdout, Out::Stderr][case[1]];
        unwound(deeds[case[0]].1, stream, case[2] == 1)
    });
    let mut table = Table::new(
        "the run",
        &universe,
        |case| universe.words(case),
        |_, words| seen[words].clone(),
    );
    let outcomes = ["unwinds", "unwinds, the descendant runs on"];
    let due = |case: &[usize]| usize::from(case[0] >= 4);
    record.acceptance(
        &mut table,
        &outcomes,
        &[] as &[&str],
        |case| Some(due(case)),
        |case| format!("it must be <{}>", outcomes[due(case)]),
    );
    record.finish();
}
