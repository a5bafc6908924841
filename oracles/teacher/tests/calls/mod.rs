//! What the oracles of `ask` share: a client that counts its starts, the call that
//! would succeed, and what became of both.
#![allow(dead_code, reason = "each target uses its own part")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fake_codex::{Script, Step};
use obernant::{Record, Table, Universe};
use oracles_teacher::Scene;
use teacher::{Answered, AskFailure, Call, ask};

/// Longer than any run that ends by itself.
pub(crate) const LONG: Duration = Duration::from_mins(1);

/// More than a pipe holds.
pub(crate) const LARGE: usize = 256 << 10;

/// The lines before the first item.
pub(crate) const HEADERS: &str = concat!(
    r#"{"type":"thread.started","thread_id":"t"}"#,
    "\n",
    r#"{"type":"turn.started"}"#,
    "\n",
);

/// A turn that fails with these words.
pub(crate) fn failed_turn(words: &str) -> String {
    format!("{HEADERS}{{\"type\":\"turn.failed\",\"error\":{{\"message\":\"{words}\"}}}}\n")
}

/// A turn that completes without an answer, as a refusal does.
pub(crate) fn silent_turn() -> String {
    let usage = r#"{"input_tokens":10,"cached_input_tokens":4,"output_tokens":5}"#;
    format!("{HEADERS}{{\"type\":\"turn.completed\",\"usage\":{usage}}}\n")
}

/// A folder with a client that does these steps, a folder for the calls' own
/// directories and a place for the log.
pub(crate) struct Place {
    pub(crate) scene: Scene,
    pub(crate) scratch: PathBuf,
    pub(crate) log: PathBuf,
}

impl Place {
    pub(crate) fn new(steps: impl FnOnce(&Path) -> Vec<Step>) -> Self {
        let scene = Scene::new(env!("CARGO_BIN_EXE_counted-client"), |folder| {
            Script::exec(steps(folder))
        });
        let scratch = scene.file("scratch");
        fs::create_dir(&scratch).expect("a folder can be made");
        let log = scene.file("log");
        Self {
            scene,
            scratch,
            log,
        }
    }

    /// A call of which every step is good, if the client does its part.
    pub(crate) fn call<'a>(&'a self, prompt: &'a str) -> Call<'a> {
        Call {
            prompt,
            model: Some("gpt-5.5"),
            effort: Some("low"),
            timeout: Some(LONG),
            client: Some(self.scene.client()),
            scratch: Some(&self.scratch),
            log: Some(&self.log),
            ..Call::default()
        }
    }

    /// The clients that were started, by their process ids.
    pub(crate) fn starts(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.scene.file("codex.starts")).unwrap_or_default();
        let number = |line: &str| line.parse().expect("a process id");
        text.lines().map(number).collect()
    }

    /// How many lines the log has; none where it is no file.
    pub(crate) fn lines(&self) -> usize {
        fs::read_to_string(&self.log).map_or(0, |text| text.lines().count())
    }
}

/// Held while programs are written: where another test of this process starts one at
/// the same time, it holds the file open for writing, and Linux refuses to start it.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a program that becomes the client of `folder`. Only under [`alone`].
pub(crate) fn wrapper(program: &Path, folder: &Path) {
    let text = format!("#!/bin/sh\nexec '{}/codex' \"$@\"\n", folder.display());
    fs::write(program, text).expect("a file can be written");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("and be executable");
}

/// The names in a folder, in order; none where there is no folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.flatten().map(name).collect();
    names.sort();
    names
}

/// Asks, and calls the outcome by its name.
pub(crate) fn asked(call: &Call<'_>) -> (&'static str, Result<Answered, AskFailure>) {
    let outcome = ask(call);
    let name = outcome
        .as_ref()
        .map_or_else(|failure| failure.error.as_str(), |_| "reply");
    (name, outcome)
}

/// The three statements on steps of which the first bad one decides. `names` are
/// what a bad step is called, in the order of the steps; `bad` says for a case which
/// of them are.
///
/// That no reply comes from a case with a bad step, and no failure is told of a good
/// one; that the cases of an outcome are those where this step is bad and none
/// before it; that the first bad step is told.
pub(crate) fn steps<U, I, F, const N: usize>(
    record: &mut Record,
    table: &mut Table<'_, U, I, F>,
    names: [&str; N],
    bad: impl Fn(&[usize]) -> [bool; N],
) where
    U: Universe,
    I: Fn(&[usize]) -> String,
    F: Fn(&[usize], &str) -> String,
{
    let outcomes: Vec<&str> = names.into_iter().chain(["reply"]).collect();
    record.complement(
        table,
        &outcomes,
        |case| {
            let bad = bad(case);
            move |outcome| match bad.get(outcome) {
                Some(bad) => !bad,
                None => bad.contains(&true),
            }
        },
        |case| {
            let bad = bad(case);
            let words: Vec<&str> = (0..N).filter(|&at| bad[at]).map(|at| names[at]).collect();
            match words.as_slice() {
                [] => "every step is good, so a reply is due".to_owned(),
                words => format!("only one of these may be told: {}", words.join(", ")),
            }
        },
    );
    record.reconstruction(table, &outcomes, |case| {
        let bad = bad(case);
        move |outcome| {
            let before = &bad[..outcome];
            !before.contains(&true) && bad.get(outcome) != Some(&false)
        }
    });
    record.gates(table, "reply", |case| {
        names.map(str::to_owned).into_iter().zip(bad(case))
    });
}
