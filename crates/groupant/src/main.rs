//! `cargo groupant`: the toolkit for any Cargo project.

use std::process::ExitCode;

fn main() -> ExitCode {
    groupant::cli::main("cargo groupant", "")
}
