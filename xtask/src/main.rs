//! The tasks of this repository. Everything general is handed to `groupant`.

use std::process::ExitCode;
use xshell::{Shell, cmd};

/// Stands in the help of `cargo xtask`, since these two are not of the toolkit.
const TASKS: &str = "\
Tasks of this repository, without options:
  lint     rustfmt, clippy and rustdoc as CI runs them, warnings denied
  bench    every benchmark; they print ratios

";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["lint"] => report(lint()),
        ["bench"] => report(bench()),
        ["lint" | "bench", "-h" | "--help"] => {
            print!("{TASKS}");
            ExitCode::SUCCESS
        }
        ["lint" | "bench", ..] => {
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
