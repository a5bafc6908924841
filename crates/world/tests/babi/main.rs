//! The binary `babi` as a process: outputs and exit codes, on files that are made
//! here. The stories are plain enough for any reader of the task files; what the
//! reader understands beyond is tested where it stands.

mod ask;
mod excerpts;
mod explain;
mod score;
mod traps;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder for the files of one test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder for tests can be made"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file with this text; gives its name in the folder.
    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), text).expect("the test's own file can be written");
        name.to_owned()
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, b"")
    }

    /// Runs `babi` in the folder with the bytes on standard input.
    fn run_with(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = Command::new(env!("CARGO_BIN_EXE_babi"))
            .args(arguments)
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        // The child may not read it all, so a closed pipe is fine.
        let _ = child
            .stdin
            .take()
            .expect("the pipe was asked for")
            .write_all(input);
        Run::new(child.wait_with_output().expect("the binary ends"))
    }
}

/// What a run left behind.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    error: String,
}

impl Run {
    fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the binary writes UTF-8");
        Self {
            code: output.status.code(),
            out: text(output.stdout),
            error: text(output.stderr),
        }
    }

    /// The run printed this, said nothing else and ended with this code.
    #[track_caller]
    fn printed(&self, code: i32, out: &str) {
        assert_eq!((self.out.as_str(), self.error.as_str()), (out, ""));
        assert_eq!(self.code, Some(code));
    }

    /// The run failed with exit code 2, one line and no panic; the line has these words.
    #[track_caller]
    fn failed(&self, words: &str) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert!(self.error.contains(words), "{self:?}");
        assert!(self.error.starts_with("babi: "), "{self:?}");
        assert_eq!(self.error.matches('\n').count(), 1, "{self:?}");
    }

    fn json(&self) -> Vec<serde_json::Value> {
        let lines = self.out.lines();
        lines
            .map(|line| serde_json::from_str(line).expect("each line is a JSON object"))
            .collect()
    }
}

#[test]
fn usage_errors_are_exit_2() {
    let folder = Folder::new();
    folder.file(
        "f",
        "1 Mary went to the kitchen.\n2 Where is Mary?\tkitchen\t1\n",
    );
    for arguments in [
        &[][..],
        &["answer"],
        &["score"],
        &["score", "--mask", "10", "f"],
        &["score", "--mask", "101", "1", "f"],
        &["score", "--mask", "1.5", "1", "f"],
        &["score", "--filler", "-1", "1", "f"],
        &["score", "--rename", "x", "f"],
        &["score", "--window", "0", "f"],
        &["traps"],
        &["ask", "f"],
        &["explain"],
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert_eq!(run.out, "", "{arguments:?}");
        let usage = ["Usage: babi", "try '--help'"];
        assert!(
            usage.iter().any(|words| run.error.contains(words)),
            "{run:?}"
        );
    }
}

#[test]
fn help_tells_the_exit_codes() {
    let folder = Folder::new();
    for command in ["score", "traps", "ask", "explain"] {
        let run = folder.run(&[command, "--help"]);
        assert_eq!(run.code, Some(0));
        assert!(run.out.contains("Exit codes: 0 "), "{}", run.out);
    }
}
