//! The oracle of what a run leaves in the process that called it. It counts this
//! process's descriptors, threads and children, so it stands alone here: a test
//! beside it would change the counts.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use fake_codex::{Pipes, Place, Script, Step};
use obernant::{Product, Record, Table, Universe};
use oracles_teacher::{Scene, end, scripted, stop_words};
use rustix::process::{WaitId, WaitIdOptions, waitid};
use teacher::process::{Limits, OUTPUT_LIMIT, run};

const CLIENT: &str = env!("CARGO_BIN_EXE_scripted-client");

/// How a run comes to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Ends,
    DoesNotStart,
    LosesThePrompt,
    BeyondTheBound,
    TimeLimit,
    Interrupted,
    Panics,
    LeavesAHolder,
}

/// Each way with how often it is gone, and the end due.
const WAYS: [(&str, Way, usize, &str); 8] = [
    ("ends by itself", Way::Ends, 20, "ended by itself"),
    ("does not start", Way::DoesNotStart, 20, "not started"),
    (
        "loses its prompt",
        Way::LosesThePrompt,
        20,
        "ended by itself",
    ),
    (
        "prints too much",
        Way::BeyondTheBound,
        20,
        "stopped by stdout",
    ),
    (
        "meets the time limit",
        Way::TimeLimit,
        3,
        "stopped by the time limit",
    ),
    ("is interrupted", Way::Interrupted, 20, "interrupted"),
    ("has a sink that panics", Way::Panics, 20, "unwound"),
    (
        "leaves a holder of its outputs",
        Way::LeavesAHolder,
        1,
        "ended by itself",
    ),
];

fn steps(way: Way, folder: &Path) -> Vec<Step> {
    match way {
        Way::TimeLimit | Way::Interrupted => vec![Step::SleepMs(8_000)],
        Way::LosesThePrompt => vec![Step::CloseInput],
        Way::LeavesAHolder => vec![
            Step::Spawn {
                steps: vec![Step::Record(folder.join("holder")), Step::SleepMs(30_000)],
                place: Place::Session,
                pipes: Pipes::Inherit,
                wait: false,
            },
            Step::Await(folder.join("holder")),
        ],
        _ => vec![Step::out("xy")],
    }
}

/// One run; how it ended.
fn once(way: Way) -> &'static str {
    let scene = Scene::new(CLIENT, |folder| Script::exec(steps(way, folder)));
    let command = match way {
        Way::DoesNotStart => Command::new(scene.file("missing")),
        _ => scripted(scene.client()),
    };
    let prompt = match way {
        Way::LosesThePrompt => vec![b'?'; 1 << 20],
        _ => vec![],
    };
    let limits = Limits {
        time: match way {
            Way::TimeLimit => Duration::from_millis(50),
            _ => Duration::from_mins(1),
        },
        output: match way {
            Way::BeyondTheBound => 1,
            _ => OUTPUT_LIMIT,
        },
    };
    let (reader, writer) = io::pipe().expect("a pipe can be made");
    drop(writer);
    let interrupt = (way == Way::Interrupted).then(|| reader.as_fd());
    let result = catch_unwind(AssertUnwindSafe(|| {
        run(command, &prompt, limits, interrupt, |_, _| {
            if way == Way::Panics {
                resume_unwind(Box::new(()));
            }
        })
    }));
    if let Some(holder) = scene.record("holder") {
        end(holder.process);
    }
    match result {
        Err(_) => "unwound",
        Ok(Err(_)) => "not started",
        Ok(Ok(ended)) => stop_words(ended.stop.as_ref()),
    }
}

/// The descriptors and the threads of this process.
fn held() -> [usize; 2] {
    ["/proc/self/fd", "/proc/self/task"]
        .map(|path| fs::read_dir(path).expect("Linux tells").count())
}

/// Whether this process has a child, running or not reaped.
fn has_child() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, options).is_ok()
}

/// The ends of many runs, and what is left after them.
fn many(way: Way, times: usize) -> String {
    let before = held();
    let mut ends: Vec<&str> = (0..times).map(|_| once(way)).collect();
    ends.dedup();
    // The thread that waited for the client may still be on its way out.
    let limit = Instant::now() + Duration::from_secs(5);
    while held() != before && Instant::now() < limit {
        sleep(Duration::from_millis(1));
    }
    let after = held();
    let [descriptors, threads] = [0, 1].map(|at| after[at].saturating_sub(before[at]));
    let ends = ends.join(" or ");
    match (descriptors, threads, has_child()) {
        (0, 0, false) => format!("{ends}, nothing left"),
        (0, 0, true) => format!("{ends}, a child left"),
        _ => format!("{ends}, {descriptors} descriptors and {threads} threads left"),
    }
}

#[test]
fn many_runs_leave_nothing_in_the_caller() {
    let mut record = Record::start("many_runs_leave_nothing_in_the_caller");
    let runs: usize = WAYS.iter().map(|(_, _, times, _)| times).sum();
    record.claim("runs", runs);
    let universe = Product::new().with("the run", WAYS.map(|(name, ..)| name));
    // What the first run sets up once for all is none of its leavings.
    once(Way::Ends);
    let mut table = Table::new(
        "the caller",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let (_, way, times, _) = WAYS[case[0]];
            many(way, times)
        },
    );
    let mut outcomes: Vec<String> = WAYS
        .iter()
        .map(|(.., end)| format!("{end}, nothing left"))
        .collect();
    outcomes.sort();
    outcomes.dedup();
    let due = |case: &[usize]| {
        let due = format!("{}, nothing left", WAYS[case[0]].3);
        outcomes.iter().position(|outcome| *outcome == due)
    };
    record.acceptance(&mut table, &outcomes, &[] as &[&str], due, |case| {
        format!("it must be <{}, nothing left>", WAYS[case[0]].3)
    });
    record.finish();
}
