//! The command line of `teacher`, as a binary of this package so that its tests
//! know its path.

use std::process::ExitCode;

fn main() -> ExitCode {
    teacher::cli::main()
}
