//! A warm `audit` with nothing to do, as a whole process: its time, and its
//! ratio to the two no-op builds that any runner needs before it may trust the
//! test binaries. A program that prints; it asserts no time.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 5;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let audit = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.arg("audit").current_dir(&root);
        command
    };
    let build = |release: bool| {
        let mut command = Command::new("cargo");
        command
            .args(["test", "--no-run", "--package", "oracles-teacher"])
            .current_dir(&root);
        if release {
            command.arg("--release");
        }
        command
    };
    // The first runs make everything warm.
    timed(audit());
    let builds = median(|| timed(build(false)) + timed(build(true)));
    let audit = median(|| timed(audit()));
    println!("two no-op builds      {:.3} s", builds.as_secs_f64());
    println!(
        "warm audit            {:.3} s (at most 2)",
        audit.as_secs_f64()
    );
    println!(
        "audit / no-op builds  {:.2}",
        audit.as_secs_f64() / builds.as_secs_f64()
    );
}

fn timed(mut command: Command) -> Duration {
    let begin = Instant::now();
    let status = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the command starts");
    assert!(
        status.success(),
        "{command:?} must succeed before it is measured"
    );
    begin.elapsed()
}

fn median(run: impl Fn() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS).map(|_| run()).collect();
    times.sort();
    times[RUNS / 2]
}
