//! The installed client, asked free of charge: where it is, which version, which
//! features it knows, whether somebody is logged in. No prompt is sent from here.

use std::env;
use std::fs;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;

use crate::launch::{FEATURES, FORCED_LOGIN, isolated};
use crate::output::Notes;
use crate::process::{Limits, Stop, Stream, run};

/// What each question may use. An answer takes well under a second.
const QUESTION: Limits = Limits {
    time: Duration::from_secs(10),
    output: 1 << 20,
};

/// What the client said of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// The version, as `0.171.0`.
    pub version: String,
    /// Every feature that it knows.
    pub features: Vec<String>,
}

impl Probe {
    /// Those of [`FEATURES`] that this client does not know, and would refuse.
    #[must_use]
    pub fn unknown_features(&self) -> Vec<&'static str> {
        let known = |name: &&str| self.features.iter().any(|feature| feature == name);
        FEATURES.into_iter().filter(|name| !known(name)).collect()
    }
}

/// Why a client can't be used.
#[derive(Debug, Error)]
pub enum ProbeError {
    /// It does not start.
    #[error("{} can't be started: {source}", client.display())]
    Start {
        /// The client as it was named.
        client: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It gave no answer, or none that can be read.
    #[error("{} {question}: {reason}", client.display())]
    Answer {
        /// The client as it was named.
        client: PathBuf,
        /// Its arguments.
        question: String,
        /// What was wrong; where it ended by itself, with the last line of its
        /// standard error.
        reason: String,
    },
    /// The caller ended the question.
    #[error("interrupted")]
    Interrupted,
    /// It lacks features that every launch names.
    #[error("version {version} does not know the features {}", unknown.join(", "))]
    UnknownFeatures {
        /// Its version.
        version: String,
        /// The names that it would refuse.
        unknown: Vec<&'static str>,
    },
}

/// Asks the client once for its version and once for its features. `interrupt`
/// ends a question when it becomes readable.
///
/// Fails where it does not start, gives no readable answer within ten seconds, or
/// does not know one of [`FEATURES`]: it would refuse that name at every launch.
pub fn probe(client: &Path, interrupt: Option<BorrowedFd<'_>>) -> Result<Probe, ProbeError> {
    let probe = inspect(client, interrupt)?;
    let unknown = probe.unknown_features();
    if unknown.is_empty() {
        Ok(probe)
    } else {
        Err(ProbeError::UnknownFeatures {
            version: probe.version,
            unknown,
        })
    }
}

/// As [`probe`], and leaves the judgement on the features to the caller.
pub fn inspect(client: &Path, interrupt: Option<BorrowedFd<'_>>) -> Result<Probe, ProbeError> {
    let said = ask_client(client, &["--version"], interrupt)?;
    // `codex-cli 0.171.0`
    let version = said.text.split_whitespace().last();
    let version = version.filter(|version| version.starts_with(|c: char| c.is_ascii_digit()));
    let Some(version) = version.filter(|_| said.success) else {
        return Err(said.unreadable(client, "no version"));
    };
    let version = version.to_owned();
    let said = ask_client(client, &["features", "list"], interrupt)?;
    // One line a feature; the name comes first, and no name holds a blank.
    let names = said
        .text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let features: Vec<String> = names.map(str::to_owned).collect();
    if features.is_empty() || !said.success {
        return Err(said.unreadable(client, "no list of features"));
    }
    Ok(Probe { version, features })
}

/// Whether the client says that somebody is logged in by the subscription; otherwise
/// its own words. A login by key would count without the forced login, and a launch
/// would end with it.
///
/// Fails as [`probe`] does where there is no answer at all.
pub fn login(
    client: &Path,
    interrupt: Option<BorrowedFd<'_>>,
) -> Result<Result<String, String>, ProbeError> {
    let said = ask_client(client, &["login", "status", "-c", FORCED_LOGIN], interrupt)?;
    let text = said.text.trim();
    let words = if text.is_empty() {
        said.last.as_str()
    } else {
        text
    };
    Ok(if said.success {
        Ok(words.to_owned())
    } else {
        Err(words.to_owned())
    })
}

struct Said {
    question: String,
    text: String,
    last: String,
    success: bool,
}

impl Said {
    fn unreadable(&self, client: &Path, what: &str) -> ProbeError {
        let last = &self.last;
        let reason = if last.is_empty() {
            format!("{what} in its output")
        } else {
            format!("{what} in its output; it said: {last}")
        };
        ProbeError::Answer {
            client: client.to_owned(),
            question: self.question.clone(),
            reason,
        }
    }
}

/// Runs one question in the caller's working directory.
fn ask_client(
    client: &Path,
    question: &[&str],
    interrupt: Option<BorrowedFd<'_>>,
) -> Result<Said, ProbeError> {
    let arguments = question.iter().map(|&word| word.to_owned()).collect();
    let launch = isolated(client, Path::new("."), arguments);
    let (mut text, mut notes) = (Vec::new(), Notes::default());
    let ended = run(
        launch.to_command(),
        b"",
        QUESTION,
        interrupt,
        |stream, bytes| match stream {
            Stream::Stdout => text.extend_from_slice(bytes),
            Stream::Stderr => notes.push(bytes),
        },
    )
    .map_err(|source| ProbeError::Start {
        client: client.to_owned(),
        source,
    })?;
    let question = question.join(" ");
    if let Some(stop) = ended.stop {
        let reason = match stop {
            Stop::Timeout => format!("no answer within {} seconds", QUESTION.time.as_secs()),
            Stop::Interrupted => return Err(ProbeError::Interrupted),
            Stop::Output(Stream::Stdout) => {
                format!("more than {} bytes on standard output", QUESTION.output)
            }
            Stop::Output(Stream::Stderr) => {
                format!("more than {} bytes on standard error", QUESTION.output)
            }
            Stop::Failed(error) => format!("it can't be watched: {error}"),
        };
        return Err(ProbeError::Answer {
            client: client.to_owned(),
            question,
            reason,
        });
    }
    Ok(Said {
        question,
        text: String::from_utf8_lossy(&text).into_owned(),
        last: notes.finish().tail.pop().unwrap_or_default(),
        success: ended.status.is_some_and(|status| status.success()),
    })
}

/// The file behind a client's name: the first in `PATH` that may be run where the
/// name has no separator, else the file of that path.
#[must_use]
pub fn locate(client: &Path) -> Option<PathBuf> {
    if client.components().count() > 1 {
        return Some(client.to_owned()).filter(|path| path.is_file());
    }
    // A start passes over a file that nobody may run, and so does this.
    let runs = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    };
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(client))
        .find(runs)
}

/// The version that the npm package of a client states, read without a start.
/// `None` where the client is no file of such a package.
#[must_use]
pub fn packaged_version(client: &Path) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Manifest {
        name: String,
        version: String,
    }
    // The client is a link to `bin/codex.js` of its package.
    let script = fs::canonicalize(locate(client)?).ok()?;
    let manifest = fs::read(script.parent()?.parent()?.join("package.json")).ok()?;
    let manifest: Manifest = serde_json::from_slice(&manifest).ok()?;
    (manifest.name == "@openai/codex").then_some(manifest.version)
}
