//! The form of a script, how it is read, and how it is put beside a client.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What the client does for each of its commands. A command without steps prints
/// nothing and exits with 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// For `--version`.
    pub version: Vec<Step>,
    /// For `features …`.
    pub features: Vec<Step>,
    /// For `login …`.
    pub login: Vec<Step>,
    /// For `exec …`.
    pub exec: Vec<Step>,
}

/// One deed of the client. Relative paths start at the client's working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Writes a [`Record`](crate::Record) to this path, which appears whole.
    Record(PathBuf),
    /// Reads standard input to its end; keeps the bytes at the path.
    ReadPrompt(Option<PathBuf>),
    /// Reads exactly so many bytes of standard input and none after them.
    ReadBytes(usize),
    /// Closes standard input, so that who writes to it gets a broken pipe.
    CloseInput,
    /// Closes standard output, so that who reads from it sees the end.
    CloseOutput,
    /// Closes standard error, so that who reads from it sees the end.
    CloseError,
    /// Writes the text as it is; no line feed is added.
    Write {
        /// Where to.
        stream: Stream,
        /// What.
        text: String,
    },
    /// Writes bytes, which need be no UTF-8.
    Bytes {
        /// Where to.
        stream: Stream,
        /// What.
        bytes: Vec<u8>,
    },
    /// Writes what a file holds.
    Copy {
        /// Where to.
        stream: Stream,
        /// The file.
        path: PathBuf,
    },
    /// Writes exactly `bytes` bytes as blank lines.
    Fill {
        /// Where to.
        stream: Stream,
        /// How many bytes in all.
        bytes: usize,
        /// The bytes of a line: spaces and a line feed. Where `bytes` is no
        /// multiple the last line is shorter. 0 counts as 1.
        line: usize,
    },
    /// Writes the text many times; no line feed is added.
    Lines {
        /// Where to.
        stream: Stream,
        /// How many times.
        count: usize,
        /// What.
        text: String,
    },
    /// Sleeps so many milliseconds.
    SleepMs(u64),
    /// Sleeps until it is killed.
    Forever,
    /// Creates an empty file in a folder that exists.
    Mark(PathBuf),
    /// Waits until the path exists, sixty seconds at most (exit code 71).
    Await(PathBuf),
    /// From now on SIGTERM, SIGINT and SIGHUP have no effect on this process.
    /// Processes that it starts need this step themselves.
    IgnoreTerminate,
    /// Moves this process out of its process group into another of its session, that
    /// holds nothing else.
    LeaveGroup,
    /// Starts this program again with other steps. They travel in one argument,
    /// which Linux limits to 128 KiB.
    Spawn {
        /// What the new process does.
        steps: Vec<Step>,
        /// Where it stands; holds before the next step.
        place: Place,
        /// Its standard streams.
        pipes: Pipes,
        /// Whether the next step waits for its end. Otherwise it is never
        /// reaped, and is a zombie from its end to the end of this process.
        wait: bool,
    },
    /// Sends itself a signal.
    SignalSelf(Signal),
    /// Ends with this exit code.
    Exit(u8),
}

/// An output of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Where a started process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In the process group of the client.
    Same,
    /// In a process group of its own.
    Group,
    /// In a session of its own, and so in a group of its own.
    Session,
}

impl Place {
    /// Its name in a script.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Group => "group",
            Self::Session => "session",
        }
    }
}

/// The standard streams of a started process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pipes {
    /// Those of the client, which it holds open.
    Inherit,
    /// None of them: all three are `/dev/null`.
    Closed,
}

/// A signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    /// SIGKILL.
    Kill,
    /// SIGSEGV.
    Segv,
    /// SIGTERM.
    Term,
    /// SIGINT.
    Int,
}

impl Script {
    /// A script for `exec` alone. With more commands:
    /// `Script { version: vec![…], ..Script::exec([…]) }`.
    #[must_use]
    pub fn exec(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            exec: steps.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Reads a script; the error names the file and the reason.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let text = fs::read(path).map_err(|error| {
            format!("cannot read the script {name}: {error}; fake_codex::install writes it")
        })?;
        serde_json::from_slice(&text).map_err(|error| format!("{name} is no script: {error}"))
    }
}

impl Step {
    /// Writes this text to standard output.
    #[must_use]
    pub fn out(text: impl Into<String>) -> Self {
        Self::Write {
            stream: Stream::Stdout,
            text: text.into(),
        }
    }

    /// Writes this text to standard error.
    #[must_use]
    pub fn err(text: impl Into<String>) -> Self {
        Self::Write {
            stream: Stream::Stderr,
            text: text.into(),
        }
    }

    /// Writes the stream of a turn that completes with this answer, as 0.171.0
    /// forms it: 10 input tokens, of them 4 cached, and 5 output tokens.
    #[must_use]
    pub fn answer(text: &str) -> Self {
        let text = serde_json::Value::from(text);
        Self::out(format!(
            concat!(
                r#"{{"type":"thread.started","thread_id":"00000000-0000-7000-8000-000000000001"}}"#,
                "\n",
                r#"{{"type":"turn.started"}}"#,
                "\n",
                r#"{{"type":"item.completed","item":{{"id":"item_0","type":"agent_message","text":{}}}}}"#,
                "\n",
                r#"{{"type":"turn.completed","usage":{{"input_tokens":10,"cached_input_tokens":4,"cache_write_input_tokens":0,"output_tokens":5,"reasoning_output_tokens":0}}}}"#,
                "\n",
            ),
            text
        ))
    }
}

/// Makes the link `codex` to `executable` (a program whose `main` is
/// [`main`](crate::main)) in `folder` and writes the script `codex.json` beside
/// it. Replaces what an earlier call left there. Gives the link's path, which is
/// absolute where `folder` is; call the client by it, since the script is found
/// beside this name. Fails where the folder cannot be written.
pub fn install(folder: &Path, executable: &Path, script: &Script) -> io::Result<PathBuf> {
    let text = serde_json::to_vec(script).map_err(io::Error::other)?;
    fs::write(folder.join("codex.json"), text)?;
    let link = folder.join("codex");
    match fs::remove_file(&link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    symlink(executable, &link)?;
    Ok(link)
}
