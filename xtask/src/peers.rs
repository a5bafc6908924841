//! `cargo xtask codex-peers`: how other transports judge the recorded streams.
//! Each peer runs one prompt against a fake client that replays a recorded run,
//! and its verdict is compared with the one in the manifest of the streams. The
//! drivers and the pinned versions of the peers are in `xtask/peers`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use fake_codex::{Script, Signal, Step, Stream};
use groupant::exec::last_lines;
use groupant::exec::process::{Limits, command, guard_with, run};
use serde::Deserialize;
use serde_json::Value;

use crate::tool::{done, executable};

/// A peer that takes longer over one stream hangs.
const VERDICT: Limits = Limits {
    time: Duration::from_secs(20),
    output: 1 << 20,
};
/// Characters shown of an answer or a message.
const SHOWN: usize = 120;

/// Prints the table. Exit codes: 0 every peer ran and `teacher` was right on
/// every stream, 1 it was not, 3 a peer could not be installed or run.
pub(crate) fn main() -> ExitCode {
    table().unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(3)
    })
}

fn table() -> anyhow::Result<ExitCode> {
    guard_with(std::env::current_exe().context("this program has no path")?);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().context("the repository is gone")?;
    let mut build = command("cargo");
    build
        .current_dir(&root)
        .args(["build", "--package=fake-codex", "--package=teacher"]);
    let fake = executable(build, "fake-codex")?;
    let teacher = fake.with_file_name("teacher");
    // Programs stand in a folder of their profile, and that in the target folder.
    let folder = fake
        .ancestors()
        .nth(2)
        .context("the fake client stands in no target folder")?
        .join("peers");

    let recordings = recordings(&root.join("crates/teacher/tests/data/codex"))?;
    let clients: Vec<PathBuf> = recordings
        .iter()
        .map(|recording| recording.client(&folder.join("clients"), &fake))
        .collect::<anyhow::Result<_>>()?;
    let outcomes = recordings
        .iter()
        .map(|recording| decode(&teacher, recording));
    let mut columns = vec![Column {
        title: "teacher".to_owned(),
        outcomes: outcomes.collect::<anyhow::Result<_>>()?,
    }];
    let mut skipped = false;
    let peers: [(&str, &str, Install); 3] = [
        ("@openai/codex-sdk", "typescript/package.json", typescript),
        ("openai-codex-sdk", "python/requirements.txt", python),
        ("codex-client-sdk", "rust/Cargo.toml", rust),
    ];
    for (name, pins, install) in peers {
        let pins = root.join("xtask/peers").join(pins);
        match column(name, &pins, &folder, install, &clients) {
            Ok(column) => columns.push(column),
            Err(error) => {
                eprintln!("skipped: {name} {error:#}");
                skipped = true;
            }
        }
    }
    print!("{}", render(&recordings, &columns));
    let right = recordings
        .iter()
        .zip(&columns[0].outcomes)
        .all(|(recording, outcome)| judge(recording, outcome).is_right());
    Ok(match (skipped, right) {
        (true, _) => ExitCode::from(3),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    })
}

/// A recorded run and what is right for it.
struct Recording {
    name: String,
    /// The stream; its standard error stands beside it.
    path: PathBuf,
    /// The exit code, or the negative number of the signal.
    exit: i32,
    /// The answer, where the run is to be accepted.
    answer: Option<String>,
    /// What the completion counts.
    counts: Option<Counts>,
}

/// The three counts that every version of the client prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
struct Counts {
    #[serde(rename = "input_tokens")]
    input: u64,
    #[serde(rename = "cached_input_tokens", alias = "cache_read_input_tokens")]
    cached: u64,
    #[serde(rename = "output_tokens")]
    output: u64,
}

/// The recorded runs of the manifest in `data`, in its order.
fn recordings(data: &Path) -> anyhow::Result<Vec<Recording>> {
    #[derive(Deserialize)]
    struct Entry {
        name: String,
        exit: i32,
        tolerant: String,
    }
    let read =
        |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let manifest = data.join("manifest.json");
    let entries: Vec<Entry> = serde_json::from_slice(&read(&manifest)?)
        .with_context(|| format!("{} has another form", manifest.display()))?;
    ensure!(!entries.is_empty(), "{} is empty", manifest.display());
    let recording = |entry: Entry| {
        let path = data.join(format!("{}.jsonl", entry.name));
        let (answer, counts) = last_of(&read(&path)?);
        let accepted = entry.tolerant == "ok";
        ensure!(
            !accepted || answer.is_some(),
            "{} has no answer",
            entry.name
        );
        Ok(Recording {
            name: entry.name,
            path,
            exit: entry.exit,
            answer: answer.filter(|_| accepted),
            counts,
        })
    };
    entries.into_iter().map(recording).collect()
}

/// The text of the last completed answer and the counts of the last completion.
fn last_of(stream: &[u8]) -> (Option<String>, Option<Counts>) {
    let (mut answer, mut counts) = (None, None);
    for line in stream.split(|byte| *byte == b'\n') {
        let event: Value = serde_json::from_slice(line).unwrap_or_default();
        let item = &event["item"];
        match event["type"].as_str() {
            Some("item.completed") if item["type"] == "agent_message" => {
                answer = item["text"].as_str().map(str::to_owned);
            }
            Some("turn.completed") => counts = Counts::deserialize(&event["usage"]).ok(),
            _ => {}
        }
    }
    (answer, counts)
}

impl Recording {
    /// Installs a client that replays this run; gives its path.
    fn client(&self, folder: &Path, fake: &Path) -> anyhow::Result<PathBuf> {
        let copy = |stream, path| Step::Copy { stream, path };
        let mut steps = vec![
            Step::ReadPrompt(None),
            copy(Stream::Stdout, self.path.clone()),
        ];
        let errors = self.path.with_extension("stderr");
        if errors.exists() {
            steps.push(copy(Stream::Stderr, errors));
        }
        steps.push(match self.exit {
            -9 => Step::SignalSelf(Signal::Kill),
            code => Step::Exit(
                u8::try_from(code).with_context(|| format!("{}: exit {code}", self.name))?,
            ),
        });
        let folder = folder.join(&self.name);
        fs::create_dir_all(&folder)
            .and_then(|()| fake_codex::install(&folder, fake, &Script::exec(steps)))
            .with_context(|| format!("cannot install a client in {}", folder.display()))
    }
}

/// What a peer made of a run: the JSON object of its driver or of `teacher`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Outcome {
    Accepted {
        #[serde(alias = "result")]
        answer: String,
        usage: Option<Counts>,
    },
    Rejected {
        message: String,
    },
    /// It said nothing within the time limit.
    #[serde(skip)]
    Hung,
}

struct Column {
    title: String,
    /// In the order of the recordings.
    outcomes: Vec<Outcome>,
}

/// Installs the peer of the file `pins` in `folder`, gives the command that takes
/// a client.
type Install = fn(pins: &Path, folder: &Path) -> anyhow::Result<Vec<PathBuf>>;

/// Installs one peer and lets it judge all the clients.
fn column(
    name: &str,
    pins: &Path,
    folder: &Path,
    install: Install,
    clients: &[PathBuf],
) -> anyhow::Result<Column> {
    let text =
        fs::read_to_string(pins).with_context(|| format!("not installed: {}", pins.display()))?;
    let version = pinned(&text, name)
        .with_context(|| format!("not installed: {} pins no version", pins.display()))?;
    let driver = install(pins, folder).context("not installed")?;
    let outcomes = clients.iter().map(|client| {
        let mut call = command(&driver[0]);
        call.args(&driver[1..]).arg(client);
        told(call).with_context(|| format!("failed against {}", client.display()))
    });
    Ok(Column {
        title: format!("{name} {version}"),
        outcomes: outcomes.collect::<anyhow::Result<_>>()?,
    })
}

/// The version that stands behind the name.
fn pinned<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, behind) = text.split_once(name)?;
    let behind = behind.trim_start_matches(|it: char| !it.is_ascii_digit());
    let end = behind.find(|it: char| !it.is_ascii_digit() && it != '.');
    Some(&behind[..end.unwrap_or(behind.len())]).filter(|version| !version.is_empty())
}

fn typescript(pins: &Path, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let place = folder.join("typescript");
    fs::create_dir_all(&place)?;
    fs::copy(pins, place.join("package.json"))?;
    // A module is looked up from the folder of the file that imports it.
    let driver = place.join("drive.mjs");
    fs::copy(pins.with_file_name("drive.mjs"), &driver)?;
    // The real client, an optional dependency, is large and not needed.
    let mut npm = command("npm");
    npm.current_dir(&place).args([
        "install",
        "--ignore-scripts",
        "--omit=optional",
        "--no-audit",
        "--no-fund",
    ]);
    done("npm install", npm)?;
    Ok(vec!["node".into(), driver])
}

fn python(pins: &Path, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let place = folder.join("python");
    let python = place.join("bin/python");
    if !python.exists() {
        let mut environment = command("python3");
        environment.args(["-m", "venv"]).arg(&place);
        done("python3 -m venv", environment)?;
    }
    let mut pip = command(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--requirement"])
        .arg(pins);
    done("pip install", pip)?;
    Ok(vec![python, pins.with_file_name("drive.py")])
}

fn rust(pins: &Path, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut build = command("cargo");
    build
        .args(["build", "--locked", "--manifest-path"])
        .arg(pins)
        .arg("--target-dir")
        .arg(folder.join("rust"));
    Ok(vec![executable(build, "drive")?])
}

/// What a driver prints about one client.
fn told(call: Command) -> anyhow::Result<Outcome> {
    let ended = run(call, VERDICT).context("cannot start the driver")?;
    if ended.timed_out {
        return Ok(Outcome::Hung);
    }
    match serde_json::from_slice(&ended.stdout) {
        Ok(outcome) => Ok(outcome),
        Err(error) => bail!(
            "the driver gave no verdict ({error}): {}",
            last_lines(&String::from_utf8_lossy(&ended.stderr), 3)
        ),
    }
}

/// The verdict of this workspace: the stream is decoded, and a client that exits
/// with another code than 0 has failed whatever it printed.
fn decode(teacher: &Path, recording: &Recording) -> anyhow::Result<Outcome> {
    let mut call = command(teacher);
    call.args(["decode", "--contract=tolerant", "--json"])
        .arg(&recording.path);
    let outcome = told(call).with_context(|| format!("teacher on {}", recording.name))?;
    Ok(match (recording.exit, outcome) {
        (0, outcome) | (_, outcome @ Outcome::Rejected { .. }) => outcome,
        (code, _) => Outcome::Rejected {
            message: format!("the client exited with {code}"),
        },
    })
}

/// How an outcome stands to what is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    RightAccept,
    RightReject,
    WrongAccept,
    WrongReject,
    WrongAnswer,
    Hang,
}

impl Verdict {
    fn is_right(self) -> bool {
        matches!(self, Self::RightAccept | Self::RightReject)
    }

    fn text(self) -> &'static str {
        match self {
            Self::RightAccept => "right accept",
            Self::RightReject => "right reject",
            Self::WrongAccept => "WRONG accept",
            Self::WrongReject => "WRONG reject",
            Self::WrongAnswer => "WRONG answer",
            Self::Hang => "HANG",
        }
    }
}

fn judge(recording: &Recording, outcome: &Outcome) -> Verdict {
    match (&recording.answer, outcome) {
        (_, Outcome::Hung) => Verdict::Hang,
        (Some(_), Outcome::Rejected { .. }) => Verdict::WrongReject,
        (None, Outcome::Rejected { .. }) => Verdict::RightReject,
        (None, Outcome::Accepted { .. }) => Verdict::WrongAccept,
        (Some(wanted), Outcome::Accepted { answer, .. }) if wanted == answer => {
            Verdict::RightAccept
        }
        (Some(_), Outcome::Accepted { .. }) => Verdict::WrongAnswer,
    }
}

/// The table in Markdown, and under it what the wrong verdicts said.
fn render(recordings: &[Recording], columns: &[Column]) -> String {
    let mut text = String::new();
    let mut row = |first: &str, cells: Vec<String>| {
        text.push_str(&format!("| {first} | {} |\n", cells.join(" | ")));
    };
    let each = |cell: &dyn Fn(&Column) -> String| columns.iter().map(cell).collect();
    row("stream", each(&|column| column.title.clone()));
    row("---", each(&|_| "---".to_owned()));
    for (index, recording) in recordings.iter().enumerate() {
        let cell = |column: &Column| judge(recording, &column.outcomes[index]).text().to_owned();
        row(&recording.name, each(&cell));
    }
    let count = |column: &Column, holds: &dyn Fn(&Recording, &Outcome) -> bool| {
        let pairs = recordings.iter().zip(&column.outcomes);
        pairs.filter(|(recording, it)| holds(recording, it)).count()
    };
    let accepted =
        |recording: &Recording, it: &Outcome| judge(recording, it) == Verdict::RightAccept;
    row(
        "**right**",
        each(&|column| {
            let right = count(column, &|recording, it| judge(recording, it).is_right());
            format!("{right} of {}", recordings.len())
        }),
    );
    row(
        "**counts of right accepts as in the stream**",
        each(&|column| {
            let same = count(column, &|recording, it| {
                accepted(recording, it)
                    && matches!(it, Outcome::Accepted { usage, .. } if *usage == recording.counts)
            });
            format!("{same} of {}", count(column, &accepted))
        }),
    );
    let mut notes = String::new();
    for column in columns {
        for (recording, outcome) in recordings.iter().zip(&column.outcomes) {
            let verdict = judge(recording, outcome);
            if !verdict.is_right() {
                let said = match outcome {
                    Outcome::Accepted { answer, .. } => format!(", answer {}", shown(answer)),
                    Outcome::Rejected { message } => format!(": {}", shown(message)),
                    Outcome::Hung => String::new(),
                };
                let (title, name) = (&column.title, &recording.name);
                notes.push_str(&format!("- {title}, {name}: {}{said}\n", verdict.text()));
            }
        }
    }
    if !notes.is_empty() {
        text.push('\n');
        text.push_str(&notes);
    }
    text
}

/// The beginning of a text, in code marks and without control characters.
fn shown(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let plain = text.escape_debug().to_string().replace('`', "'");
    let mut short: String = plain.chars().take(SHOWN).collect();
    if short.len() < plain.len() {
        short.push('…');
    }
    format!("`{short}`")
}

#[cfg(test)]
mod tests {
    use super::Verdict::{Hang, RightAccept, RightReject, WrongAccept, WrongAnswer, WrongReject};
    use super::*;

    #[test]
    fn the_last_answer_and_the_last_counts_are_taken() {
        let stream = br#"{"type":"item.completed","item":{"type":"agent_message","text":"a"}}
{"type":"item.completed","item":{"type":"reasoning","text":"r"}}
{"type":"item.completed","item":{"type":"agent_message","text":"b"}}
no JSON
{"type":"turn.completed","usage":{"input_tokens":3,"cached_input_tokens":2,"output_tokens":1}}
"#;
        let counts = Counts {
            input: 3,
            cached: 2,
            output: 1,
        };
        assert_eq!(last_of(stream), (Some("b".to_owned()), Some(counts)));
        assert_eq!(last_of(b""), (None, None));
    }

    #[test]
    fn a_pinned_version_is_found_in_each_form() {
        assert_eq!(pinned(r#"{"@a/b": "1.2.3"}"#, "@a/b"), Some("1.2.3"));
        assert_eq!(pinned("a-b==0.1.11\nc==2\n", "a-b"), Some("0.1.11"));
        assert_eq!(pinned("a-b = \"=7.0\"\n", "a-b"), Some("7.0"));
        assert_eq!(pinned("a-b = \"*\"\n", "a-b"), None);
        assert_eq!(pinned("c==2\n", "a-b"), None);
    }

    #[test]
    fn each_outcome_has_its_verdict_and_wrong_ones_are_told() {
        let recording = |name: &str, answer: Option<&str>| Recording {
            name: name.to_owned(),
            path: PathBuf::new(),
            exit: 0,
            answer: answer.map(str::to_owned),
            counts: None,
        };
        let outcomes = || {
            vec![
                serde_json::from_str(r#"{"answer":"a","usage":null}"#).unwrap(),
                serde_json::from_str(r#"{"message":"no `x`\n"}"#).unwrap(),
                Outcome::Hung,
            ]
        };
        let verdicts = |answer: Option<&str>| {
            let recording = recording("it", answer);
            outcomes()
                .iter()
                .map(|it| judge(&recording, it))
                .collect::<Vec<_>>()
        };
        assert_eq!(verdicts(Some("a")), [RightAccept, WrongReject, Hang]);
        assert_eq!(verdicts(Some("b")), [WrongAnswer, WrongReject, Hang]);
        assert_eq!(verdicts(None), [WrongAccept, RightReject, Hang]);

        let recordings = [
            recording("one", Some("a")),
            recording("two", Some("a")),
            recording("three", None),
        ];
        let column = Column {
            title: "peer 1".to_owned(),
            outcomes: outcomes(),
        };
        assert_eq!(
            render(&recordings, &[column]),
            "\
| stream | peer 1 |
| --- | --- |
| one | right accept |
| two | WRONG reject |
| three | HANG |
| **right** | 1 of 3 |
| **counts of right accepts as in the stream** | 1 of 1 |

- peer 1, two: WRONG reject: `no 'x'\\n`
- peer 1, three: HANG
"
        );
    }
}
