//! The tasks of this repository. Everything general is handed to `groupant`.

use std::process::ExitCode;

fn main() -> ExitCode {
    groupant::cli::main("cargo xtask")
}
