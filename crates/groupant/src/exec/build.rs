//! Building test binaries with Cargo, and the compiler's own lists of what went
//! into them.

use super::last_lines;
use super::process::{Ended, Limits, command, run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A build may take this long.
const BUILD: Limits = Limits {
    time: Duration::from_mins(30),
    output: 256 << 20,
};

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
    /// Build scripts of the tree that ran: the id of the package, and the file
    /// with what the script printed.
    pub scripts: Vec<(String, PathBuf)>,
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

/// Builds the named test targets of one package. Without debug information a build
/// takes a third less, and what it does is the same.
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
    debug_info: bool,
) -> Result<Built, ExecError> {
    let mut call = cargo("test", root, target_folder, profile);
    if !debug_info {
        call.env("CARGO_PROFILE_DEV_DEBUG", "false");
    }
    call.args(["--no-run", "--message-format=json", "--package", package]);
    for target in targets {
        match *target {
            "lib" => call.arg("--lib"),
            name => call.args(["--test", name]),
        };
    }
    let ended = finish(call, &format!("the build of {package}"))?;
    let mut built = Built::default();
    for line in ended.stdout.split(|byte| *byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        match message["reason"].as_str() {
            Some("compiler-artifact") => artifact(&message, &mut built),
            Some("build-script-executed") => script(&message, &mut built),
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

/// A call of Cargo on a tree, with a target directory and a profile.
fn cargo(verb: &str, root: &Path, target_folder: &Path, profile: Profile) -> Command {
    let mut call = command(program());
    call.current_dir(root)
        .arg(verb)
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
    call
}

fn program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs a call of Cargo to its end.
fn finish(call: Command, what: &str) -> Result<Ended, ExecError> {
    let ended = run(call, BUILD).map_err(|reason| ExecError::Start {
        program: program().to_string_lossy().into_owned(),
        reason,
    })?;
    if ended.timed_out {
        return Err(ExecError::Time(what.to_owned()));
    }
    Ok(ended)
}

/// Takes away what was built of some packages in one profile, so that the next
/// build can't take it for fresh.
///
/// # Errors
///
/// Where Cargo can't be started or runs out of time.
pub fn clean(
    root: &Path,
    target_folder: &Path,
    packages: &BTreeSet<String>,
    profile: Profile,
) -> Result<(), ExecError> {
    let mut call = cargo("clean", root, target_folder, profile);
    for package in packages {
        call.args(["--package", package]);
    }
    finish(call, "cargo clean").map(drop)
}

fn is_of_tree(message: &Value) -> bool {
    message["package_id"]
        .as_str()
        .is_some_and(|id| id.starts_with("path+"))
}

fn script(message: &Value, built: &mut Built) {
    // Cargo keeps what the script printed beside the folder into which it wrote.
    if let (true, Some(id), Some(folder)) = (
        is_of_tree(message),
        message["package_id"].as_str(),
        message["out_dir"].as_str(),
    ) {
        let output = Path::new(folder).with_file_name("output");
        built.scripts.push((id.to_owned(), output));
    }
}

fn artifact(message: &Value, built: &mut Built) {
    let is_test = message["profile"]["test"] == true;
    // Sources of the tree come by path; what comes from a registry is bound by
    // its checksum.
    if is_of_tree(message) {
        let script = message["target"]["kind"][0] == "custom-build";
        let files = message["filenames"].as_array().into_iter().flatten();
        for file in files
            .filter_map(|file| file.as_str())
            .filter(|file| Path::new(file).extension().is_none_or(|end| end != "rmeta"))
        {
            let file = Path::new(file);
            let list = if script {
                script_dependency_file(file)
            } else {
                Some(dependency_file(file))
            };
            built
                .dependency_files
                .extend(list.map(|list| (list, is_test)));
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

/// The same for a build script, whose artifact has another name than its
/// dependency file: it is the only one of its folder.
fn script_dependency_file(artifact: &Path) -> Option<PathBuf> {
    let mut lists: Vec<PathBuf> = std::fs::read_dir(artifact.parent()?)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "d"))
        .collect();
    lists.sort();
    lists.pop()
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
