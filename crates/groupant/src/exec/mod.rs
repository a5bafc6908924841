//! Building test binaries and running named tests. Every process
//! but `cargo metadata` is started here (through [`process`]). What a test did is told apart: passed,
//! failed at an assertion, panicked elsewhere, failed without a panic, ran out
//! of time.

mod build;
pub mod process;

pub use build::{Built, Diagnostic, ExecError, Profile, build, clean, compiled_files};

use crate::json::sha256;
use crate::sidecar::Rejection;
use crate::source;
use process::{Limits, command, run};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::Path;
use std::time::Duration;

/// Listing the tests of a binary may take this long.
const LIST: Limits = Limits {
    time: Duration::from_mins(1),
    output: 16 << 20,
};
/// One run of one test, in either profile.
pub const TEST: Limits = Limits {
    time: Duration::from_mins(2),
    output: 1 << 20,
};

/// A record larger than this, in bytes, is none.
const MAX_RECORD: u64 = 16 << 20;
/// Characters kept of a counterexample.
const MAX_WORDS: usize = 2000;

/// The environment that a test sees, besides what the runner sets.
pub const ENVIRONMENT: &[&str] = &[
    "CARGO_HOME",
    "HOME",
    "LD_LIBRARY_PATH",
    "PATH",
    "RUSTUP_HOME",
    "TMPDIR",
];

/// The names of a binary's tests, and those that are marked to be ignored.
///
/// # Errors
///
/// Where the binary can't be started or does not list in time.
pub fn list(binary: &Path) -> Result<(Vec<String>, Vec<String>), ExecError> {
    let names = |arguments: &[&str]| -> Result<Vec<String>, ExecError> {
        let mut call = command(binary);
        call.args(arguments);
        let ended = run(call, LIST).map_err(|reason| ExecError::Start {
            program: binary.display().to_string(),
            reason,
        })?;
        if ended.timed_out {
            return Err(ExecError::Time(format!("listing {}", binary.display())));
        }
        Ok(String::from_utf8_lossy(&ended.stdout)
            .lines()
            .filter_map(|line| line.strip_suffix(": test").map(str::to_owned))
            .collect())
    };
    Ok((
        names(&["--list", "--format", "terse"])?,
        names(&["--list", "--format", "terse", "--ignored"])?,
    ))
}

/// The record that an oracle leaves; `obernant` writes this form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// `obernant-record/1`.
    pub format: String,
    /// That of this run.
    pub nonce: String,
    /// The test's name as the oracle says it.
    pub oracle: String,
    /// Named bounds.
    pub bounds: BTreeMap<String, u64>,
    /// Checks that ran to their end.
    pub checks: Vec<String>,
    /// What was found.
    pub claims: BTreeMap<String, Value>,
    /// Files that were read, relative to the workspace root.
    #[serde(default)]
    pub data: Vec<String>,
    /// The check that failed.
    #[serde(default)]
    pub failure: Option<Failure>,
    /// The completion mark.
    pub complete: bool,
}

/// A failed check, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The name of the check.
    pub check: String,
    /// The number of the case, by which it is replayed.
    #[serde(default)]
    pub case: Option<String>,
    /// The counterexample, for a person.
    pub words: String,
}

/// What one run of one test did.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// The record with this run's nonce, if there is one.
    pub record: Option<Record>,
    /// The end of standard error, for the log.
    pub log: String,
    /// How long it took.
    pub seconds: f64,
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Exit code 0.
    Passed,
    /// Anything else.
    Failed {
        /// The way in which it failed.
        rejection: Rejection,
        /// The item whose code panicked, and the macro or method.
        place: Option<(String, String)>,
        /// The first counterexample, in words.
        words: String,
    },
}

/// One test to be run.
pub struct Test<'a> {
    /// The binary.
    pub binary: &'a Path,
    /// The name within the binary.
    pub name: &'a str,
    /// The workspace, or the scratch copy.
    pub root: &'a Path,
    /// The package's folder, which becomes the working directory.
    pub folder: &'a Path,
    /// Where records and logs may be written.
    pub runs: &'a Path,
    /// `length=6,…`, if a bound is set.
    pub set: Option<&'a str>,
    /// The limits.
    pub limits: Limits,
}

/// Runs one test in a process of its own.
///
/// # Errors
///
/// Where the binary can't be started.
pub fn test(test: &Test<'_>) -> Result<Run, ExecError> {
    let nonce = nonce();
    let start_error = |reason| ExecError::Start {
        program: test.binary.display().to_string(),
        reason,
    };
    std::fs::create_dir_all(test.runs).map_err(start_error)?;
    let path = test.runs.join(format!("record-{nonce}.json"));
    let mut call = command(test.binary);
    call.current_dir(test.folder)
        .args([test.name, "--exact", "--nocapture", "--test-threads=1"])
        .env_clear();
    for key in ENVIRONMENT {
        if let Some(value) = std::env::var_os(key) {
            call.env(key, value);
        }
    }
    call.env("CARGO_MANIFEST_DIR", test.folder)
        .env("RUST_BACKTRACE", "0")
        .env("OBERNANT_RECORD", &path)
        .env("OBERNANT_NONCE", &nonce);
    if let Some(set) = test.set {
        call.env("OBERNANT_SET", set);
    }
    let begin = std::time::Instant::now();
    let ended = run(call, test.limits).map_err(start_error)?;
    let seconds = begin.elapsed().as_secs_f64();
    let record = std::fs::metadata(&path)
        .ok()
        .filter(|meta| meta.len() <= MAX_RECORD)
        .and_then(|_| std::fs::read(&path).ok())
        .and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok())
        .filter(|record| record.nonce == nonce && record.format == "obernant-record/1");
    let _ = std::fs::remove_file(&path);
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    let outcome = if ended.success() {
        Outcome::Passed
    } else if ended.timed_out {
        Outcome::Failed {
            rejection: Rejection::Timeout,
            place: None,
            words: format!("no end within {} seconds", test.limits.time.as_secs()),
        }
    } else {
        classify(
            test.root,
            test.folder,
            &stderr,
            record.as_ref(),
            ended.signal,
        )
    };
    Ok(Run {
        outcome,
        record,
        log: last_lines(&stderr, 40),
        seconds,
    })
}

/// Tells an assertion from any other panic, and a panic from an error, by the
/// place that the panic message names.
fn classify(
    root: &Path,
    folder: &Path,
    stderr: &str,
    record: Option<&Record>,
    signal: Option<i32>,
) -> Outcome {
    let panic = panic_of(stderr);
    let place = panic.as_ref().and_then(|panic| {
        // Rustc names paths relative to the workspace root, or absolute ones.
        [root, folder].iter().find_map(|base| {
            let text = std::fs::read_to_string(base.join(&panic.file)).ok()?;
            source::place(&text, panic.line, panic.column)
        })
    });
    if let Some(failure) = record.and_then(|record| record.failure.as_ref()) {
        return Outcome::Failed {
            rejection: Rejection::Assertion,
            place: Some(("obernant".to_owned(), failure.check.clone())),
            words: portable(&failure.words, root),
        };
    }
    match panic {
        Some(panic) => {
            let by = place
                .as_ref()
                .and_then(|place| place.macro_name.clone().or_else(|| place.method.clone()));
            let asserts = place
                .as_ref()
                .and_then(|place| place.macro_name.as_deref())
                .is_some_and(|name| name.contains("assert"));
            Outcome::Failed {
                rejection: if asserts {
                    Rejection::Assertion
                } else {
                    Rejection::Panic
                },
                place: place
                    .map(|place| (place.item, by.unwrap_or_else(|| "expression".to_owned()))),
                words: portable(&panic.message, root),
            }
        }
        None => Outcome::Failed {
            rejection: Rejection::Error,
            place: None,
            words: match signal {
                Some(signal) => format!("ended by signal {signal}"),
                None => stderr
                    .lines()
                    .find(|line| line.starts_with("Error: "))
                    .map_or_else(
                        || "a non-zero exit without a panic".to_owned(),
                        |line| portable(line, root),
                    ),
            },
        },
    }
}

/// Words that are the same on every machine and in every scratch copy: paths
/// below the root become relative to it. They stand in a receipt, so they are
/// short.
fn portable(words: &str, root: &Path) -> String {
    let root = root.display().to_string();
    let words = words.replace(&format!("{root}/"), "").replace(&root, ".");
    match words.char_indices().nth(MAX_WORDS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

struct Panic {
    file: String,
    line: usize,
    column: usize,
    message: String,
}

/// The first panic of a test's standard error.
fn panic_of(stderr: &str) -> Option<Panic> {
    let mut lines = stderr.lines();
    let place = lines.by_ref().find_map(|line| {
        line.starts_with("thread '")
            .then(|| line.split_once(" panicked at ").map(|(_, place)| place))
            .flatten()
    })?;
    let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    let file = parts.next()?.to_owned();
    let message: Vec<&str> = lines
        .take_while(|line| !line.starts_with("note: run with") && !line.starts_with("test result:"))
        .take(8)
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    Some(Panic {
        file,
        line,
        column,
        message: message.join("; "),
    })
}

/// The last lines of a text, on which a person would look first.
#[must_use]
pub fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

fn nonce() -> String {
    // Seeded by the system for every state; the counter keeps calls apart.
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    let random = hasher.finish();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    sha256(format!("{random} {now} {:?}", std::thread::current().id()).as_bytes())[..32].to_owned()
}

/// Digest of a file's bytes.
///
/// # Errors
///
/// Where it can't be read.
pub fn file_digest(path: &Path) -> std::io::Result<String> {
    std::fs::read(path).map(|bytes| sha256(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_panic_is_read_with_its_place_and_words() {
        let stderr = "\nthread 'a::b' (123) panicked at oracles/x/tests/a.rs:12:5:\nassertion `left == right` failed: why\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`\nthread 'c' panicked at z.rs:1:1:\nother\n";
        let panic = panic_of(stderr).unwrap();
        assert_eq!(
            (panic.file.as_str(), panic.line, panic.column),
            ("oracles/x/tests/a.rs", 12, 5)
        );
        assert_eq!(
            panic.message,
            "assertion `left == right` failed: why; left: 1; right: 2"
        );
    }

    #[test]
    fn words_hold_no_path_of_the_machine_and_are_short() {
        let root = Path::new("/somewhere/scratch/1/tree");
        let words = "no file /somewhere/scratch/1/tree/a/b.txt in /somewhere/scratch/1/tree";
        assert_eq!(portable(words, root), "no file a/b.txt in .");
        let long = portable(&"é".repeat(5000), root);
        assert_eq!(long.chars().count(), MAX_WORDS + 1);
    }

    #[test]
    fn dependency_files_are_read_with_escaped_blanks() {
        let text = "target/x.d: a.rs b\\ c.rs /d/e.txt\n\na.rs:\n";
        assert_eq!(compiled_files(text), ["a.rs", "b c.rs", "/d/e.txt"]);
    }

    #[test]
    fn nonces_differ() {
        assert_ne!(nonce(), nonce());
    }
}
