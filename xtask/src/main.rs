//! The tasks of this repository. Everything general is handed to `groupant`.

use std::process::ExitCode;
use xshell::{Shell, cmd};

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("lint") => report(lint()),
        Some("bench") => report(bench()),
        _ => groupant::cli::main("cargo xtask"),
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
    cmd!(shell, "cargo bench --workspace --quiet").run()?;
    Ok(())
}
