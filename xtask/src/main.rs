//! The tasks of this repository. Everything general is handed to `groupant`.

mod contract;
mod peers;
mod tool;

use std::process::ExitCode;
use xshell::{Shell, cmd};

/// Stands in the help of `cargo xtask`, since these are not of the toolkit.
const TASKS: &str = "\
Tasks of this repository; codex-contract alone takes options:
  lint     rustfmt, clippy and rustdoc as CI runs them, warnings denied
  bench    every benchmark; they print ratios
  codex-contract
           the real Codex client, run by `teacher ask` against a made-up server
  codex-peers
           other Codex transports on the recorded streams; installs them from
           their registries into the target folder and prints a table
  fuzz     each fuzz target for a minute, without sanitizer; needs cargo-fuzz

";

fn main() -> ExitCode {
    if contract::is_client() {
        return contract::client();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["lint"] => report(lint()),
        ["bench"] => report(bench()),
        ["fuzz"] => fuzz(),
        ["codex-contract", ref rest @ ..] => contract::main(rest),
        ["codex-peers"] => peers::main(),
        ["lint" | "bench" | "codex-peers" | "fuzz", "-h" | "--help"] => {
            print!("{TASKS}");
            ExitCode::SUCCESS
        }
        ["lint" | "bench" | "codex-peers" | "fuzz", ..] => {
            eprint!("error: no options are taken\n\n{TASKS}");
            ExitCode::from(2)
        }
        _ => groupant::cli::main("cargo xtask", TASKS),
    }
}

fn report(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// `cargo xtask lint`: formatting, clippy and rustdoc, warnings denied.
fn lint() -> anyhow::Result<()> {
    let shell = Shell::new()?;
    cmd!(shell, "cargo fmt --all --check").run()?;
    cmd!(
        shell,
        "cargo clippy --workspace --all-targets --quiet -- -D warnings"
    )
    .run()?;
    let _denied = shell.push_env("RUSTDOCFLAGS", "-D warnings");
    cmd!(
        shell,
        "cargo doc --workspace --no-deps --document-private-items --quiet"
    )
    .run()?;
    Ok(())
}

/// `cargo xtask bench`: every benchmark, each a program that prints ratios.
fn bench() -> anyhow::Result<()> {
    let shell = Shell::new()?;
    cmd!(shell, "cargo bench --workspace --bench * --quiet").run()?;
    Ok(())
}

/// `cargo xtask fuzz`: each target of `fuzz/` for a minute, on its corpus under
/// `target/`, which grows from run to run.
fn fuzz() -> ExitCode {
    let run = || -> anyhow::Result<bool> {
        let shell = Shell::new()?;
        let version = cmd!(shell, "cargo fuzz --version").quiet().ignore_stderr();
        if version.read().is_err() {
            return Ok(false);
        }
        let place = shell.current_dir().join("target/fuzz");
        // Beside its corpus each reads a folder that it never writes to.
        for (target, given) in [
            ("decode", "crates/teacher/tests/data/codex"),
            ("story", "crates/world/tests/data/stories"),
        ] {
            let corpus = place.join("corpus").join(target);
            shell.create_dir(&corpus)?;
            let artifacts = format!("-artifact_prefix={}/artifacts-", place.display());
            cmd!(
                shell,
                "cargo fuzz run {target} --sanitizer none --target-dir {place} {corpus} {given} -- -max_total_time=60 -max_len=4096 {artifacts}"
            )
            .run()?;
        }
        Ok(true)
    };
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            println!("skipped: cargo-fuzz not installed; cargo install cargo-fuzz brings it");
            ExitCode::from(3)
        }
        Err(error) => report(Err(error)),
    }
}
