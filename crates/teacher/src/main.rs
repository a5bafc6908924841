//! The binary `teacher`; its command line stands in `teacher::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    teacher::cli::main()
}
