//! A client that stands in for the Codex command line in tests. It is a test
//! tool: it talks to no server and does only what its script says.
//!
//! [`install`] puts a link named `codex` into a folder and the script
//! `codex.json` beside it. A test hands the link's path to the code under test as
//! the client. The first argument that is `--version` or begins with no `-` chooses
//! which [`Step`]s of the [`Script`] are done: `--version`, `features`, `login` or
//! `exec`. So an option with a value of its own can't precede it; what follows it is
//! only recorded.
//!
//! Exit codes: what [`Step::Exit`] says; 0 at the end of the steps; 2 another
//! command; 70 no usable script, or a step that could not be done; 71
//! [`Step::Await`] waited in vain; 101 an output that is closed, as the real
//! client ends there.
//!
//! This file holds the choice of the steps; `script` the form of a script and its
//! installation, `run` what each step does.

mod run;
mod script;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub use crate::run::Record;
pub use crate::script::{Pipes, Place, Script, Signal, Step, Stream, install};

/// The first argument of a process that [`Step::Spawn`] starts.
pub const STEPS: &str = "__steps";

/// Why a run ends before the end of its steps.
struct End {
    code: u8,
    /// For standard error; empty where the script wanted this end.
    message: String,
}

impl End {
    fn new(code: u8, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message }
    }
}

/// The whole program: finds the script beside the name under which it was called,
/// does the steps that the arguments choose, gives the exit code.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match chosen(&arguments).and_then(|steps| run::steps(&steps)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(end) => {
            if !end.message.is_empty() {
                // Standard error may be closed; there is nobody else to tell.
                let _ = writeln!(std::io::stderr(), "fake-codex: {}", end.message);
            }
            ExitCode::from(end.code)
        }
    }
}

/// The steps that the arguments choose.
fn chosen(arguments: &[OsString]) -> Result<Vec<Step>, End> {
    if let [_, first, place, steps] = arguments
        && first == STEPS
    {
        return run::handed(place, steps);
    }
    let name = arguments
        .first()
        .ok_or_else(|| End::new(70, "called without a name, so there is no script"))?;
    let mut path = name.clone();
    path.push(".json");
    let script = Script::read(Path::new(&path)).map_err(|error| End::new(70, error))?;
    let command = arguments[1..]
        .iter()
        .map(OsString::as_os_str)
        .find(|argument| *argument == "--version" || !is_option(argument));
    match command.and_then(OsStr::to_str) {
        Some("--version") => Ok(script.version),
        Some("features") => Ok(script.features),
        Some("login") => Ok(script.login),
        Some("exec") => Ok(script.exec),
        _ => Err(End::new(
            2,
            "the first argument must be --version, features, login or exec",
        )),
    }
}

fn is_option(argument: &OsStr) -> bool {
    argument.as_encoded_bytes().starts_with(b"-")
}
