//! The fake client, which first adds its process id as a line to the file of its
//! own name and `.starts`: so a test sees how often it was started.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::process::{self, ExitCode};

fn main() -> ExitCode {
    match count() {
        Ok(()) => fake_codex::main(),
        Err(error) => {
            eprintln!("counted-client: the start can't be counted: {error}");
            ExitCode::from(70)
        }
    }
}

/// One write a start, so that clients that run at once do not mix. What the fake
/// client itself starts does not count.
fn count() -> io::Result<()> {
    let mut arguments = env::args_os();
    let mut path = arguments.next().unwrap_or_default();
    if arguments
        .next()
        .is_some_and(|first| first == fake_codex::STEPS)
    {
        return Ok(());
    }
    path.push(".starts");
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(format!("{}\n", process::id()).as_bytes())
}
