//! The fake client, as a binary of this package so that its tests know its path.

use std::process::ExitCode;

fn main() -> ExitCode {
    fake_codex::main()
}
