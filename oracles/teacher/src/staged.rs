//! Runs of `teacher::process` as cases of a table: many at once, since most of
//! their time is waiting, with their ends in words.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fake_codex::Step;
use obernant::Universe;
use rustix::process::{Pid, Signal, kill_process};
use teacher::process::{Stop, Stream};

use crate::scene::runs;

/// At most so many cases are observed at a time.
const GREATEST_CROWD: u64 = 96;

/// Observes every case of a universe, many at a time. Gives the outcomes by the
/// words of their cases.
///
/// # Panics
/// Where `observe` does.
pub fn at_once<U: Universe + Sync>(
    universe: &U,
    observe: impl Fn(&[usize]) -> String + Sync,
) -> HashMap<String, String> {
    let next = AtomicU64::new(0);
    let seen = Mutex::new(HashMap::new());
    thread::scope(|scope| {
        for _ in 0..universe.len().min(GREATEST_CROWD) {
            scope.spawn(|| {
                while let index = next.fetch_add(1, Ordering::Relaxed)
                    && index < universe.len()
                {
                    let case = universe.case(index);
                    let outcome = observe(&case);
                    let mut seen = seen.lock().expect("no other observer panicked");
                    seen.insert(universe.words(&case), outcome);
                }
            });
        }
    });
    seen.into_inner().expect("no observer panicked")
}

/// Observes a run that is to meet its time limit. A run whose client was not yet
/// where the case wants it says nothing: `observe` gives none, and is asked again
/// with twice the time. What has to outlast the limit stays for a multiple of it;
/// see [`stays`].
///
/// # Panics
/// Where half a minute was too short.
pub fn patiently<T>(mut observe: impl FnMut(Duration) -> Option<T>) -> T {
    let mut time = Duration::from_secs(1);
    loop {
        if let Some(seen) = observe(time) {
            return seen;
        }
        time *= 2;
        assert!(
            time < Duration::from_mins(1),
            "the client is not ready after {time:?}"
        );
    }
}

/// So many times as long as `time`: how long a process stays that is to be stopped, or
/// left alone. It ends by itself then, so that no fault leaves it behind, and a run
/// that fails to stop it is told apart.
#[must_use]
pub fn stays(times: u32, time: Duration) -> Step {
    Step::SleepMs(u64::try_from((time * times).as_millis()).unwrap_or(u64::MAX))
}

/// The command that runs a scripted client's steps for `exec`.
#[must_use]
pub fn scripted(client: &Path) -> Command {
    let mut command = Command::new(client);
    command.arg("exec");
    command
}

/// A client's end in words.
#[must_use]
pub fn status_words(status: Option<ExitStatus>) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.map(|status| (status.code(), status.signal())) {
        None => "no end".to_owned(),
        Some((Some(code), _)) => format!("exit {code}"),
        Some((None, signal)) => format!("signal {}", signal.unwrap_or_default()),
    }
}

/// The reason of a stop in words.
#[must_use]
pub fn stop_words(stop: Option<&Stop>) -> &'static str {
    match stop {
        None => "ended by itself",
        Some(Stop::Timeout) => "stopped by the time limit",
        Some(Stop::Output(Stream::Stdout)) => "stopped by stdout",
        Some(Stop::Output(Stream::Stderr)) => "stopped by stderr",
        Some(Stop::Interrupted) => "interrupted",
        Some(Stop::Failed(_)) => "stopped by a failure",
    }
}

/// Waits until a path exists, ten seconds at most. Says whether it does.
#[must_use]
pub fn appears(path: &Path) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while !path.exists() {
        if Instant::now() > end {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Ends a process that a scripted client started, where it still runs.
pub fn end(process: i32) {
    if runs(process)
        && let Some(process) = Pid::from_raw(process)
    {
        // It may end by itself before.
        let _ = kill_process(process, Signal::KILL);
    }
}
