//! Oracles of one client process: what may pass through its pipes, and what ends
//! it. The group and its descendants are judged by `process_group`.

use std::fs;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

use fake_codex::{Pipes, Place, Script, Step, Stream as Out};
use obernant::{Product, Record, Table, Universe};
use oracles_teacher::{
    Scene, appears, at_once, end, patiently, scripted, status_words, stays, stop_words, stops,
};
use teacher::process::{Limits, OUTPUT_LIMIT, Stop, Stream, run};

const CLIENT: &str = env!("CARGO_BIN_EXE_scripted-client");

/// The time limit of a run that must not meet it.
const AMPLE: Duration = Duration::from_secs(30);

/// As [`AMPLE`], for a client that a fault may keep from its end.
const ENOUGH: Duration = Duration::from_secs(10);

/// A run that is stopped by something else than its time needs no more than this.
const MOMENT: Duration = Duration::from_secs(1);

/// Bytes of which no two neighbours are alike, nor any two of 251 pages in a row.
fn pattern(size: usize) -> Vec<u8> {
    (0_u8..=250).cycle().take(size).collect()
}

fn index(stream: Stream) -> usize {
    match stream {
        Stream::Stdout => 0,
        Stream::Stderr => 1,
    }
}

const OUTS: [Out; 2] = [Out::Stdout, Out::Stderr];
const WITHIN: &str = "ended by itself, all passed on";
const BEYOND: [&str; 2] = [
    "stopped by stdout, passed on up to the bound",
    "stopped by stderr, passed on up to the bound",
];

/// What is due: the stream that is over, the first one where both are.
fn first_over(sizes: [u64; 2], order: [usize; 2], bound: u64) -> Option<usize> {
    order.into_iter().find(|&stream| sizes[stream] > bound)
}

/// What no rule expects. Where nothing is beyond a bound the client ends at once,
/// and how it ended under a fault is chance, so its status is not told.
fn otherwise(stop: &str, status: Option<String>, got: [u64; 2]) -> String {
    let status = status.map(|status| format!(", {status}"));
    let [stdout, stderr] = got;
    format!(
        "{stop}{}, {stdout} and {stderr} bytes passed on",
        status.unwrap_or_default()
    )
}

/// The checks of both oracles of the budget.
fn bounded(
    record: &mut Record,
    universe: &Product,
    observe: impl Fn(&[usize]) -> String + Sync,
    used: impl Fn(&[usize]) -> [u64; 2],
    order: impl Fn(&[usize]) -> [usize; 2],
    bound: u64,
) {
    let seen = at_once(universe, observe);
    let mut table = Table::new(
        "the run",
        universe,
        |case| universe.words(case),
        |_, words| seen[words].clone(),
    );
    let outcomes = [WITHIN, BEYOND[0], BEYOND[1]];
    let due =
        |case: &[usize]| first_over(used(case), order(case), bound).map_or(0, |over| over + 1);
    record.acceptance(
        &mut table,
        &outcomes,
        &[] as &[&str],
        |case| Some(due(case)),
        |case| format!("it must have {}", outcomes[due(case)]),
    );
    let limits = [("stdout", bound), ("stderr", bound)];
    record.budget(&mut table, &limits, &[WITHIN], |case| used(case).to_vec());
}

#[test]
fn each_output_is_bounded() {
    const BOUND: u64 = 1_000;
    const SIZES: [u64; 6] = [0, 1, BOUND - 1, BOUND, BOUND + 1, 3 * BOUND];
    let mut record = Record::start("each_output_is_bounded");
    let universe = Product::new()
        .with("bytes on stdout", SIZES)
        .with("bytes on stderr", SIZES)
        .with("first", ["stdout", "stderr"]);
    let sizes = |case: &[usize]| [SIZES[case[0]], SIZES[case[1]]];
    let order = |case: &[usize]| [case[2], 1 - case[2]];
    let observe = |case: &[usize]| {
        let ([first, second], sizes) = (order(case), sizes(case));
        let size = |stream: usize| usize::try_from(sizes[stream]).expect("a small size");
        let over = first_over(sizes, [first, second], BOUND).is_some();
        let scene = Scene::new(CLIENT, |folder| {
            let copy = |stream: usize| Step::Copy {
                stream: OUTS[stream],
                path: folder.join(format!("bytes-{stream}")),
            };
            let mut steps = vec![copy(first)];
            if size(first) > 0 {
                steps.push(Step::Await(folder.join("first-read")));
            }
            steps.extend([copy(second), Step::Mark(folder.join("written"))]);
            if over {
                steps.push(stays(4, MOMENT));
            }
            Script::exec(steps)
        });
        for stream in [first, second] {
            let path = scene.file(&format!("bytes-{stream}"));
            fs::write(path, pattern(size(stream))).expect("the folder can be written");
        }
        let mut got = [Vec::new(), Vec::new()];
        let ended = run(
            scripted(scene.client()),
            b"",
            Limits {
                time: AMPLE,
                output: BOUND,
            },
            None,
            |stream, bytes| {
                let stream = index(stream);
                got[stream].extend_from_slice(bytes);
                // The second output is written before the first is judged: so both
                // may be over, and the first reason must stay.
                if stream == first && !scene.file("written").exists() {
                    fs::write(scene.file("first-read"), "").expect("the folder can be written");
                    assert!(appears(&scene.file("written")), "nothing was written");
                }
            },
        );
        let ended = ended.expect("the client starts");
        let kept = |stream: usize| size(stream).min(1_000);
        let whole = [0, 1].map(|stream| got[stream] == pattern(kept(stream)));
        let stop = stop_words(ended.stop.as_ref());
        let status = status_words(ended.status);
        match (stop, status.as_str(), whole) {
            ("ended by itself", "exit 0", [true, true]) if !over => WITHIN.to_owned(),
            (_, "signal 9", [true, true]) if ended.stop.is_some() => {
                format!("{stop}, passed on up to the bound")
            }
            _ => {
                let got = got.map(|bytes| bytes.len() as u64);
                otherwise(stop, over.then_some(status), got)
            }
        }
    };
    bounded(&mut record, &universe, observe, sizes, order, BOUND);
    record.finish();
}

#[test]
fn the_real_bound_is_32_mib() {
    const BOUND: u64 = 33_554_432;
    let mut record = Record::start("the_real_bound_is_32_mib");
    record.equal("the bound", &OUTPUT_LIMIT, &BOUND);
    let sizes = [BOUND - 1, BOUND, BOUND + 1];
    let universe = Product::new()
        .with("bytes on stdout", sizes)
        .with("bytes on stderr", sizes);
    let used = |case: &[usize]| [sizes[case[0]], sizes[case[1]]];
    let order = |_: &[usize]| [0, 1];
    let observe = |case: &[usize]| {
        let used = used(case);
        let over = first_over(used, [0, 1], BOUND);
        let scene = Scene::new(CLIENT, |_| {
            let fill = |stream: usize| Step::Fill {
                stream: OUTS[stream],
                bytes: usize::try_from(used[stream]).expect("a size in memory"),
                line: 80,
            };
            let mut steps = vec![fill(0), fill(1)];
            steps.extend(over.map(|_| stays(4, MOMENT)));
            Script::exec(steps)
        });
        let mut got = [0_u64; 2];
        let limits = Limits {
            time: AMPLE,
            output: OUTPUT_LIMIT,
        };
        let ended = run(
            scripted(scene.client()),
            b"",
            limits,
            None,
            |stream, bytes| {
                got[index(stream)] += bytes.len() as u64;
            },
        );
        let ended = ended.expect("the client starts");
        let stop = stop_words(ended.stop.as_ref());
        let status = status_words(ended.status);
        match ended.stop {
            None if status == "exit 0" && got == used => WITHIN.to_owned(),
            // What else was on its way when the bound was met is no one's promise.
            Some(Stop::Output(stream)) if status == "signal 9" && got[index(stream)] == BOUND => {
                format!("{stop}, passed on up to the bound")
            }
            _ => otherwise(stop, over.map(|_| status), got),
        }
    };
    bounded(&mut record, &universe, observe, used, order, BOUND);
    record.finish();
}

/// What a pipe holds that nobody reads.
const CAPACITY: usize = 65_536;

/// What a client does with its input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    All,
    FirstByte,
    Closes,
    Never,
    LeavesItToAnother,
}

#[test]
fn the_prompt_arrives_whole_or_is_told_as_lost() {
    use Reader::{All, Closes, FirstByte, LeavesItToAnother, Never};
    let mut record = Record::start("the_prompt_arrives_whole_or_is_told_as_lost");
    record.assume("a pipe that nobody reads holds 65536 bytes");
    let sizes = [0, 1, CAPACITY - 1, CAPACITY, CAPACITY + 1, 1 << 20];
    let readers = [
        ("reads it all", All),
        ("reads one byte and ends", FirstByte),
        ("closes its input at once", Closes),
        ("never reads", Never),
        ("leaves it to a process that never reads", LeavesItToAnother),
    ];
    let universe = Product::new()
        .with("bytes of the prompt", sizes)
        .with("the client", readers.map(|(name, _)| name));
    let look = |case: &[usize]| {
        let (size, reader) = (sizes[case[0]], readers[case[1]].1);
        let prompt = pattern(size);
        patiently(|time| {
            let scene = Scene::new(CLIENT, |folder| {
                Script::exec(match reader {
                    All => vec![Step::ReadPrompt(Some(folder.join("prompt")))],
                    FirstByte => vec![Step::ReadBytes(1)],
                    Closes => vec![Step::CloseInput],
                    Never => vec![
                        Step::Mark(folder.join("ready")),
                        stays(4, time),
                        Step::Mark(folder.join("stayed")),
                    ],
                    LeavesItToAnother => vec![
                        Step::Spawn {
                            steps: vec![
                                Step::CloseOutput,
                                Step::CloseError,
                                Step::Record(folder.join("child")),
                                stays(4, time),
                            ],
                            place: Place::Session,
                            pipes: Pipes::Inherit,
                            wait: false,
                        },
                        Step::Await(folder.join("child")),
                    ],
                })
            });
            let limits = Limits {
                time: if reader == Never { time } else { ENOUGH },
                output: OUTPUT_LIMIT,
            };
            let ended = run(scripted(scene.client()), &prompt, limits, None, |_, _| {});
            let ended = ended.expect("the client starts");
            if let Some(child) = scene.record("child") {
                end(child.process);
            }
            if reader == Never && !scene.file("ready").exists() {
                return None;
            }
            let stop = stop_words(ended.stop.as_ref());
            let due = match reader {
                Never => "stopped by the time limit",
                _ => "ended by itself",
            };
            let arrived = fs::read(scene.file("prompt")).ok();
            Some(match (&ended.prompt, arrived) {
                _ if stop != due => stop.to_owned(),
                _ if scene.file("stayed").exists() => "only after the client's own end".to_owned(),
                // Whether the client or the writer comes first is chance.
                _ if reader == Closes && (1..=CAPACITY).contains(&size) => "not asked".to_owned(),
                (Ok(()), None) => "written".to_owned(),
                (Ok(()), Some(arrived)) if arrived == prompt => "arrived whole".to_owned(),
                (Ok(()), Some(_)) => "arrived as something else".to_owned(),
                (Err(_), _) => "lost".to_owned(),
            })
        })
    };
    // Not beside other cases: what they start holds, until it is its own program, the
    // pipe that this client reads, and how its prompt is lost would be chance.
    let first_byte = [4, 5].map(|size| look(&[size, 1]));
    let seen = at_once(&universe, |case| match case {
        [size @ (4 | 5), 1] => first_byte[size - 4].clone(),
        _ => look(case),
    });
    let mut table = Table::new(
        "the run",
        &universe,
        |case| universe.words(case),
        |_, words| seen[words].clone(),
    );
    let outcomes = ["arrived whole", "written", "lost", "not asked"];
    let due = |case: &[usize]| match (readers[case[1]].1, sizes[case[0]]) {
        (All, _) => 0,
        (_, 0) => 1,
        (Closes, 1..=CAPACITY) => 3,
        (_, 1..=CAPACITY) => 1,
        _ => 2,
    };
    record.acceptance(
        &mut table,
        &outcomes,
        &[] as &[&str],
        |case| Some(due(case)),
        |case| format!("the prompt must be {}", outcomes[due(case)]),
    );
    record.finish();
}

/// When the caller's descriptor becomes readable, and what the client would do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interrupt {
    NotGiven,
    Never,
    Before,
    AtOutput,
    AfterEnd,
}

/// The steps of the client: it prints one byte, then ends when it is let, stays,
/// or ends at once and leaves a child in its group with its outputs.
fn interruptible(folder: &Path, when: Interrupt, limited: bool, time: Duration) -> Vec<Step> {
    let file = |name: &str| folder.join(name);
    let mut steps = vec![Step::Record(file("client")), Step::ReadPrompt(None)];
    if when == Interrupt::AfterEnd {
        steps.extend([
            Step::Spawn {
                steps: vec![Step::Record(file("child")), stays(4, time)],
                place: Place::Same,
                pipes: Pipes::Inherit,
                wait: false,
            },
            Step::Await(file("child")),
        ]);
    }
    steps.extend([Step::Mark(file("ready")), Step::out("x")]);
    match (when, limited) {
        (Interrupt::AfterEnd, _) => {}
        (_, true) => steps.push(stays(4, time)),
        (_, false) => steps.push(Step::Await(file("go"))),
    }
    steps
}

/// What ends the run; more words where anything but that is not as it must be.
fn interrupted(when: Interrupt, long: bool, hang_up: bool) -> String {
    use Interrupt::{AfterEnd, AtOutput, Before, Never, NotGiven};
    let limited = matches!(when, NotGiven | Never) && long;
    patiently(|time| {
        let scene = Scene::new(CLIENT, |folder| {
            Script::exec(interruptible(folder, when, long, time))
        });
        let (reader, writer) = io::pipe().expect("a pipe can be made");
        let mut writer = Some(writer);
        let mut interrupt = || {
            if hang_up {
                writer = None;
            } else if let Some(writer) = &mut writer {
                writer.write_all(b"!").expect("the reader is there");
            }
        };
        if when == Before {
            interrupt();
        }
        let limits = Limits {
            time: if limited { time } else { AMPLE },
            output: OUTPUT_LIMIT,
        };
        let given = (when != NotGiven).then(|| reader.as_fd());
        let ended = run(
            scripted(scene.client()),
            b"?",
            limits,
            given,
            |_, _| match when {
                // The last only where the interrupt is overlooked.
                NotGiven | Never | Before => {
                    fs::write(scene.file("go"), "").expect("the folder can be written");
                }
                AtOutput => interrupt(),
                AfterEnd => {
                    let client = scene.record("client").expect("it wrote its record first");
                    assert!(stops(client.process), "the client ends by itself");
                    interrupt();
                }
            },
        );
        let ended = ended.expect("the client starts");
        if limited && !scene.file("ready").exists() {
            return None;
        }
        let stop = stop_words(ended.stop.as_ref());
        let status = status_words(ended.status);
        let due = match (&ended.stop, when) {
            (None, _) | (_, AfterEnd) => "exit 0",
            _ => "signal 9",
        };
        let left = ["client", "child"].into_iter().find(|name| {
            scene
                .record(name)
                .is_some_and(|found| !stops(found.process))
        });
        if let Some(child) = scene.record("child") {
            end(child.process);
        }
        Some(match left {
            Some(name) => format!("{stop}, the {name} runs on"),
            None if status != due => format!("{stop}, {status}"),
            None if ended.descendant_left => format!("{stop}, a descendant left"),
            None => stop.to_owned(),
        })
    })
}

#[test]
fn an_interrupt_ends_the_run() {
    use Interrupt::{AfterEnd, AtOutput, Before, Never, NotGiven};
    let mut record = Record::start("an_interrupt_ends_the_run");
    let scenes = [
        ("no descriptor, the client ends", NotGiven, false),
        ("no descriptor, the client stays", NotGiven, true),
        ("never readable, the client ends", Never, false),
        ("never readable, the client stays", Never, true),
        (
            "readable before the start, the client would end",
            Before,
            false,
        ),
        (
            "readable before the start, the client would stay",
            Before,
            true,
        ),
        (
            "readable at the first output, the client would stay",
            AtOutput,
            true,
        ),
        (
            "readable after the client's end, its child holds the outputs",
            AfterEnd,
            false,
        ),
    ];
    let universe = Product::new()
        .with("scene", scenes.map(|(name, ..)| name))
        .with("readable by", ["a byte", "a hang-up"]);
    let observe = |case: &[usize]| {
        let (_, when, long) = scenes[case[0]];
        interrupted(when, long, case[1] == 1)
    };
    let seen = at_once(&universe, observe);
    let mut table = Table::new(
        "the run",
        &universe,
        |case| universe.words(case),
        |_, words| seen[words].clone(),
    );
    record.gates(&mut table, "ended by itself", |case| {
        let (_, when, long) = scenes[case[0]];
        let interrupts = [Before, AtOutput, AfterEnd].contains(&when);
        [
            ("interrupted".to_owned(), interrupts),
            ("stopped by the time limit".to_owned(), long),
        ]
    });
    record.finish();
}
