//! Building test binaries and running named tests. Sole user of process
//! spawning (through [`process`]). What a test did is told apart: passed,
//! failed at an assertion, panicked elsewhere, failed without a panic, ran out
//! of time.

pub mod process;

use crate::json::sha256;
use crate::sidecar::Rejection;
use crate::source;
use process::{Limits, command, run};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A build may take this long.
const BUILD: Limits = Limits {
    time: Duration::from_secs(1800),
    output: 256 << 20,
};
/// Listing the tests of a binary may take this long.
const LIST: Limits = Limits {
    time: Duration::from_secs(60),
    output: 16 << 20,
};
/// One run of one test, in either profile.
pub const TEST: Limits = Limits {
    time: Duration::from_secs(120),
    output: 1 << 20,
};

/// The environment that a test sees, besides what the runner sets.
pub const ENVIRONMENT: &[&str] = &[
    "CARGO_HOME",
    "HOME",
    "LD_LIBRARY_PATH",
    "PATH",
    "RUSTUP_HOME",
    "TMPDIR",
];

/// A build profile in which oracles run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// `cargo test`.
    Dev,
    /// `cargo test --release`.
    Release,
}

impl Profile {
    /// Its name in Cargo.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Release => "release",
        }
    }
}

/// A compiler's error.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The sentence.
    pub message: String,
    /// File as the compiler names it, with bytes.
    pub place: Option<(String, std::ops::Range<usize>)>,
}

/// What a build gave.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// Test binaries by target (`lib` for unit tests).
    pub tests: BTreeMap<String, PathBuf>,
    /// Dependency files of what was compiled from sources of the tree, by
    /// artifact; `true` for the test targets themselves.
    pub dependency_files: BTreeMap<PathBuf, bool>,
    /// Errors; where there are any, nothing may be concluded.
    pub errors: Vec<Diagnostic>,
}

/// Why a tool could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The program did not start.
    #[error("{program} could not be started: {reason}")]
    Start {
        /// Its name.
        program: String,
        /// Why.
        reason: std::io::Error,
    },
    /// The time limit.
    #[error("{0} ran into its time limit")]
    Time(String),
}

/// Builds the named test targets of one package.
///
/// # Errors
///
/// Where Cargo can't be started or runs out of time; compile errors are values.
pub fn build(
    root: &Path,
    target_folder: &Path,
    package: &str,
    targets: &[&str],
    profile: Profile,
) -> Result<Built, ExecError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut call = command(&cargo);
    call.current_dir(root)
        .args([
            "test",
            "--no-run",
            "--message-format=json",
            "--package",
            package,
        ])
        .env("CARGO_TARGET_DIR", target_folder)
        .env("CARGO_TERM_COLOR", "never");
    // Variables that Cargo sets for `cargo run` belong to the tool, not to what it builds.
    for (key, _) in std::env::vars_os() {
        let name = key.to_string_lossy();
        if name.starts_with("CARGO_PKG_")
            || name.starts_with("CARGO_MANIFEST_")
            || name.starts_with("OBERNANT_")
        {
            call.env_remove(&key);
        }
    }
    if profile == Profile::Release {
        call.arg("--release");
    }
    for target in targets {
        match *target {
            "lib" => call.arg("--lib"),
            name => call.args(["--test", name]),
        };
    }
    let ended = run(call, BUILD).map_err(|reason| ExecError::Start {
        program: cargo.to_string_lossy().into_owned(),
        reason,
    })?;
    if ended.timed_out {
        return Err(ExecError::Time(format!("the build of {package}")));
    }
    let mut built = Built::default();
    for line in ended.stdout.split(|byte| *byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        match message["reason"].as_str() {
            Some("compiler-artifact") => artifact(&message, &mut built),
            Some("compiler-message") => built.errors.extend(diagnostic(&message["message"])),
            _ => {}
        }
    }
    if !ended.success() && built.errors.is_empty() {
        built.errors.push(Diagnostic {
            message: last_lines(&String::from_utf8_lossy(&ended.stderr), 6),
            place: None,
        });
    } else if ended.success() {
        built.errors.clear();
    }
    Ok(built)
}

fn artifact(message: &Value, built: &mut Built) {
    let is_test = message["profile"]["test"] == true;
    // Sources of the tree come by path; what comes from a registry is bound by
    // its checksum.
    if message["package_id"]
        .as_str()
        .is_some_and(|id| id.starts_with("path+"))
    {
        let files = message["filenames"].as_array().into_iter().flatten();
        for file in files
            .filter_map(|file| file.as_str())
            .filter(|file| !file.ends_with(".rmeta"))
        {
            built
                .dependency_files
                .insert(dependency_file(Path::new(file)), is_test);
        }
    }
    let (Some(executable), true) = (message["executable"].as_str(), is_test) else {
        return;
    };
    let kinds = message["target"]["kind"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let name = if kinds.iter().any(|kind| kind == "test") {
        message["target"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    } else if kinds
        .iter()
        .any(|kind| kind == "lib" || kind == "rlib" || kind == "proc-macro")
    {
        "lib".to_owned()
    } else {
        return;
    };
    built.tests.insert(name, PathBuf::from(executable));
}

/// Where rustc or Cargo wrote the dependency file of an artifact.
fn dependency_file(artifact: &Path) -> PathBuf {
    let stem = artifact
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let is_library = artifact
        .extension()
        .is_some_and(|end| end == "rlib" || end == "so");
    let name = if is_library {
        stem.strip_prefix("lib").unwrap_or(&stem)
    } else {
        &stem
    };
    artifact.with_file_name(format!("{name}.d"))
}

fn diagnostic(message: &Value) -> Option<Diagnostic> {
    if message["level"] != "error" {
        return None;
    }
    let text = message["message"].as_str()?.to_owned();
    if text.starts_with("aborting due to") {
        return None;
    }
    let place = message["spans"]
        .as_array()
        .and_then(|spans| spans.iter().find(|span| span["is_primary"] == true))
        .and_then(|span| {
            let start = usize::try_from(span["byte_start"].as_u64()?).ok()?;
            let end = usize::try_from(span["byte_end"].as_u64()?).ok()?;
            Some((span["file_name"].as_str()?.to_owned(), start..end))
        });
    Some(Diagnostic {
        message: text,
        place,
    })
}

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
    let record = std::fs::read(&path)
        .ok()
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
            words: failure.words.clone(),
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
                words: panic.message,
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
                    .unwrap_or("a non-zero exit without a panic")
                    .to_owned(),
            },
        },
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

/// The files that were compiled into an artifact, from the dependency file that
/// rustc writes beside it; absolute or relative to the workspace root.
#[must_use]
pub fn compiled_files(dep_info: &str) -> Vec<String> {
    // The first rule is `artifact: files…`; blanks in names are escaped.
    let Some(line) = dep_info
        .lines()
        .find(|line| !line.starts_with('#') && line.contains(": "))
    else {
        return Vec::new();
    };
    let files = line.split_once(": ").map_or("", |(_, files)| files);
    let mut names = vec![String::new()];
    let mut escaped = false;
    for c in files.chars() {
        match c {
            '\\' if !escaped => escaped = true,
            ' ' if !escaped => names.push(String::new()),
            c => {
                if let Some(name) = names.last_mut() {
                    name.push(c);
                }
                escaped = false;
            }
        }
    }
    names.retain(|name| !name.is_empty());
    names
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
    fn dependency_files_are_read_with_escaped_blanks() {
        let text = "target/x.d: a.rs b\\ c.rs /d/e.txt\n\na.rs:\n";
        assert_eq!(compiled_files(text), ["a.rs", "b c.rs", "/d/e.txt"]);
    }

    #[test]
    fn nonces_differ() {
        assert_ne!(nonce(), nonce());
    }
}
