//! A fixture project that the real binary brought to green, a copy of it for
//! every test, and what a run of the binary gave.

use crate::project;
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_cargo-groupant");
/// Where projects stand: on one file system, and gone with `cargo clean`.
const ROOM: &str = env!("CARGO_TARGET_TMPDIR");
/// Names of the folders of this file.
const PREFIX: &str = "toolkit-";
/// Locked as long as the process that made the folder lives.
const OWNER: &str = "owner";

/// A small Cargo workspace in a folder of its own.
pub(crate) struct Fixture {
    folder: TempDir,
}

impl Fixture {
    /// A copy of the green project, with its target directory: everything is
    /// accepted, executed and recorded, and nothing has to be built.
    pub(crate) fn green() -> Self {
        let fixture = Self { folder: folder() };
        copy(&green().project, &fixture.path());
        fixture
    }

    /// An empty folder for a project.
    pub(crate) fn empty() -> Self {
        let fixture = Self { folder: folder() };
        fs::create_dir(fixture.path()).unwrap();
        fixture
    }

    /// The root of the project.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// A file's text.
    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// Writes a file, and the folders that it needs.
    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Puts `new` in the place of `old`, which must stand there exactly once.
    pub(crate) fn edit(&self, file: &str, old: &str, new: &str) -> &Self {
        let text = self.read(file);
        assert_eq!(
            text.matches(old).count(),
            1,
            "{old:?} must stand once in {file}:\n{text}"
        );
        self.write(file, text.replacen(old, new, 1))
    }

    /// Removes a file.
    pub(crate) fn remove(&self, file: &str) -> &Self {
        fs::remove_file(self.path().join(file)).unwrap();
        self
    }

    /// Runs a command of the tool with `--format json`.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let mut arguments = arguments.to_vec();
        arguments.extend(["--format", "json"]);
        self.plain(&arguments)
    }

    /// Runs a command of the tool as it is written.
    pub(crate) fn plain(&self, arguments: &[&str]) -> Output {
        self.output(self.command(arguments))
    }

    /// A command of the tool, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command.args(arguments);
        self.here(&mut command);
        command
    }

    /// A command of the tool as the argument of another program.
    pub(crate) fn command_under(&self, mut program: Command, arguments: &[&str]) -> Command {
        program.arg(BINARY).args(arguments);
        self.here(&mut program);
        program
    }

    /// Runs a prepared command to its end.
    pub(crate) fn output(&self, mut command: Command) -> Output {
        let output = command.stdin(Stdio::null()).output().unwrap();
        Output::of(&self.path(), &output)
    }

    /// Runs git in the project and gives what it printed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command
            .args([
                "-c",
                "user.name=A Person",
                "-c",
                "user.email=person@example.org",
            ])
            .args([
                "-c",
                "commit.gpgsign=false",
                "-c",
                "core.autocrlf=false",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(arguments);
        self.here(&mut command);
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What git says has changed; empty where nothing has.
    pub(crate) fn status(&self) -> String {
        self.git(&["status", "--porcelain"])
    }

    /// In the project's folder, and with nothing of what Cargo set for this test.
    fn here(&self, command: &mut Command) {
        for (key, _) in std::env::vars_os() {
            let name = key.to_string_lossy();
            let of_cargo = name.starts_with("CARGO") && name != "CARGO_HOME";
            if of_cargo || name.starts_with("GIT_") || name == "RUSTFLAGS" {
                command.env_remove(&key);
            }
        }
        command
            .current_dir(self.path())
            .env("CARGO_NET_OFFLINE", "true")
            .env("COLUMNS", "100");
    }
}

/// What a run of the tool gave.
#[derive(Debug)]
pub(crate) struct Output {
    /// The exit code; -1 where a signal ended it.
    pub(crate) exit: i32,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
    /// The JSON lines, where every line is one.
    pub(crate) lines: Vec<Value>,
    /// The findings among them.
    pub(crate) findings: Vec<Finding>,
}

impl Output {
    fn of(root: &Path, output: &std::process::Output) -> Self {
        let stdout = String::from_utf8(output.stdout.clone()).unwrap();
        let lines: Vec<Value> = stdout
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()
            .unwrap_or_default();
        Self {
            exit: output.status.code().unwrap_or(-1),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            findings: lines
                .iter()
                .filter(|line| line["kind"] == "finding")
                .map(|line| Finding::of(root, line))
                .collect(),
            lines,
            stdout,
        }
    }

    /// The codes of error weight, sorted; one for each finding.
    pub(crate) fn errors(&self) -> Vec<&str> {
        self.codes("error")
    }

    /// The codes of notes, sorted; one for each finding.
    pub(crate) fn notes(&self) -> Vec<&str> {
        self.codes("note")
    }

    fn codes(&self, severity: &str) -> Vec<&str> {
        let of_it = self
            .findings
            .iter()
            .filter(|finding| finding.severity == severity);
        let mut codes: Vec<&str> = of_it.map(|finding| finding.code.as_str()).collect();
        codes.sort_unstable();
        codes
    }

    /// The first finding with a code.
    pub(crate) fn finding(&self, code: &str) -> &Finding {
        self.findings
            .iter()
            .find(|finding| finding.code == code)
            .unwrap_or_else(|| panic!("no finding {code} in:\n{}{}", self.stdout, self.stderr))
    }

    /// The last line, which is the summary.
    pub(crate) fn summary(&self) -> &Value {
        let last = self.lines.last().unwrap_or(&Value::Null);
        assert_eq!(last["kind"], "summary", "{}{}", self.stdout, self.stderr);
        last
    }
}

/// One finding as a user of the JSON lines sees it.
#[derive(Debug)]
pub(crate) struct Finding {
    /// The stable name.
    pub(crate) code: String,
    /// `error` or `note`.
    pub(crate) severity: String,
    /// The sidecar, model or oracle, if any.
    pub(crate) about: Option<String>,
    /// The sentence.
    pub(crate) message: String,
    /// The places; the first is the main one.
    pub(crate) spans: Vec<Span>,
    /// Further facts.
    pub(crate) notes: Vec<String>,
    /// What to do.
    pub(crate) help: Option<String>,
}

/// A place with the text that it covers.
#[derive(Debug)]
pub(crate) struct Span {
    /// Relative to the root.
    pub(crate) file: String,
    /// What stands there.
    pub(crate) text: String,
    /// What is to be seen there.
    pub(crate) label: String,
}

impl Finding {
    fn of(root: &Path, line: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        Self {
            code: text(&line["code"]).unwrap(),
            severity: text(&line["severity"]).unwrap(),
            about: text(&line["about"]),
            message: text(&line["message"]).unwrap(),
            spans: list(&line["spans"])
                .iter()
                .map(|span| Span::of(root, span))
                .collect(),
            notes: list(&line["notes"]).iter().filter_map(text).collect(),
            help: text(&line["help"]),
        }
    }

    /// File and covered text of the main place.
    pub(crate) fn place(&self) -> (&str, &str) {
        self.spans
            .first()
            .map_or(("", ""), |span| (span.file.as_str(), span.text.as_str()))
    }
}

impl Span {
    fn of(root: &Path, span: &Value) -> Self {
        let file = span["file"].as_str().unwrap().to_owned();
        let bytes = fs::read(root.join(&file)).unwrap_or_default();
        let at = |index: usize| usize::try_from(span["bytes"][index].as_u64().unwrap()).unwrap();
        Self {
            text: String::from_utf8_lossy(bytes.get(at(0)..at(1)).unwrap_or_default()).into_owned(),
            label: span["label"].as_str().unwrap().to_owned(),
            file,
        }
    }
}

/// The green project, made once for this process.
struct Green {
    project: PathBuf,
    _owner: File,
}

fn green() -> &'static Green {
    static GREEN: OnceLock<Green> = OnceLock::new();
    GREEN.get_or_init(|| {
        remove_abandoned();
        // A static is never dropped: the folder stays, and the next process removes it.
        let folder = folder().keep();
        let owner = File::create(folder.join(OWNER)).unwrap();
        owner.lock().unwrap();
        let fixture = Fixture {
            folder: tempfile::Builder::new()
                .prefix("x")
                .tempdir_in(&folder)
                .unwrap(),
        };
        fs::create_dir(fixture.path()).unwrap();
        for (file, text) in project::files() {
            fixture.write(file, text);
        }
        fixture.git(&["init", "--quiet"]);
        let refreshed = fixture.run(&["refresh"]);
        assert!(
            refreshed.errors().iter().all(|code| *code == "unaccepted"),
            "{refreshed:#?}"
        );
        let sidecars = ["demo-lib", "second-lib", "demo-crate"];
        let accepted = fixture.run(
            &[
                &["bind", "--accept"],
                &sidecars[..],
                &["--because", "The rule was run."],
            ]
            .concat(),
        );
        assert_eq!(
            (accepted.exit, accepted.errors()),
            (0, vec![]),
            "{accepted:#?}"
        );
        let audited = fixture.run(&["audit"]);
        assert_eq!(
            (audited.exit, audited.findings.len()),
            (0, 0),
            "{audited:#?}"
        );
        fixture.git(&["add", "."]);
        fixture.git(&["commit", "--quiet", "--message", "Green"]);
        let project = folder.join("green");
        fs::rename(fixture.path(), &project).unwrap();
        Green {
            project,
            _owner: owner,
        }
    })
}

fn folder() -> TempDir {
    tempfile::Builder::new()
        .prefix(PREFIX)
        .tempdir_in(ROOM)
        .unwrap()
}

/// Folders whose process is gone.
fn remove_abandoned() {
    for entry in fs::read_dir(ROOM).unwrap().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let free = File::open(entry.path().join(OWNER)).is_ok_and(|owner| owner.try_lock().is_ok());
        if ours && free {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Copies a tree with its times, so that Cargo finds nothing to be rebuilt.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_dir() {
            copy(&source, &target);
        } else {
            fs::copy(&source, &target).unwrap();
            let modified = fs::metadata(&source).unwrap().modified().unwrap();
            File::options()
                .append(true)
                .open(&target)
                .unwrap()
                .set_modified(modified)
                .unwrap();
        }
    }
}
