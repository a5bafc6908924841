//! The binary `fake-codex`. Everything is in the library, so that another package
//! can have such a binary of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    fake_codex::main()
}
