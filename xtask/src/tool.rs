//! Outside programs that a task needs: run to their end within a limit, or built by
//! cargo.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use groupant::exec::last_lines;
use groupant::exec::process::{Limits, run};
use serde_json::Value;

/// Builds and installations.
const LIMITS: Limits = Limits {
    time: Duration::from_mins(15),
    output: 16 << 20,
};

/// Runs a command to its end; gives its standard output. Fails with `name` and the
/// last lines of its standard error.
pub(crate) fn done(name: &str, call: Command) -> anyhow::Result<Vec<u8>> {
    let ended = run(call, LIMITS).with_context(|| format!("cannot start {name}"))?;
    ensure!(
        ended.success(),
        "{name} failed: {}",
        last_lines(&String::from_utf8_lossy(&ended.stderr), 3)
    );
    Ok(ended.stdout)
}

/// Builds, and gives the path of the program `name` by cargo's own account.
pub(crate) fn executable(mut build: Command, name: &str) -> anyhow::Result<PathBuf> {
    build.arg("--message-format=json");
    let told = done("cargo build", build)?;
    let messages = told.split(|byte| *byte == b'\n');
    messages
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == name)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .with_context(|| format!("cargo built no program {name}"))
}
