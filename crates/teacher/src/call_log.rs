//! The call log: what each successful call used, one JSON object a line. It holds
//! neither prompt nor answer, and no text that a client printed.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use serde::Serialize;

use crate::reply::Usage;
use crate::settings::Effort;

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry<'a> {
    /// Always `codex`.
    pub provider: &'static str,
    /// The model that was asked for.
    pub model: &'a str,
    /// The effort that was asked for.
    pub effort: Effort,
    /// Seconds from the client's start until its outputs were closed or given up,
    /// to a thousandth.
    pub secs: f64,
    /// The counts of the completion.
    pub usage: Usage,
    /// Always false: the stream reports no cost.
    pub cost_reported: bool,
    /// How many warnings the stream held.
    pub warnings: usize,
    /// How many of them were provisional errors.
    pub retries: u64,
    /// Whether the counts are known; see [`Evidence`](crate::Evidence).
    pub usage_known: bool,
    /// How many refused tool calls standard error told of.
    pub refused_tools: u64,
    /// The version of the client, where it is known.
    pub client_version: Option<&'a str>,
    /// Whether a process that left the group was left behind.
    pub descendant_left: bool,
}

/// Appends an entry with one `write`. On a local file system the lines of several
/// callers do not mix, as long as each `write` is taken whole.
///
/// Fails where the file can't be opened for appending, or did not take the whole
/// line; the part that it took stays, and the next line follows it.
pub fn append(path: &Path, entry: &Entry<'_>) -> io::Result<()> {
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    loop {
        match file.write(&line) {
            Ok(written) if written == line.len() => return Ok(()),
            Ok(_) => return Err(ErrorKind::WriteZero.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
