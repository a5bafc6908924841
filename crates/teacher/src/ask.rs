//! One call: from a prompt to a reply through one run of the client. The order of
//! the steps stands in [`ask`]; each step's own rule stands in the file that its
//! name comes from.

use std::fmt;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf, absolute};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use serde::Serialize;
use tempfile::TempDir;

use crate::busy::PROVIDER_BUSY_MESSAGES;
use crate::call_log::{self, Entry};
use crate::client::{Probe, locate, packaged_version};
use crate::launch::command;
use crate::output::{EventStream, Noted, Notes};
use crate::process::{Ended, Limits, OUTPUT_LIMIT, Stop, Stream, run};
use crate::reply::{Category, Failure, Reply};
use crate::settings::{self, Effort, validate_model};

/// What is asked, and how. `None` leaves the choice to the environment and the
/// defaults of [`settings`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Call<'a> {
    /// What the client gets on standard input, and nowhere else.
    pub prompt: &'a str,
    /// The variable that names the component's own model.
    pub component: Option<&'a str>,
    /// The model.
    pub model: Option<&'a str>,
    /// The effort: `low`, `medium`, `high` or `xhigh`.
    pub effort: Option<&'a str>,
    /// From the client's start to its end; not zero.
    pub timeout: Option<Duration>,
    /// The client: a path, or a name in `PATH`.
    pub client: Option<&'a Path>,
    /// Where the client works. By default an empty directory of the call's own,
    /// which is removed afterwards.
    pub directory: Option<&'a Path>,
    /// Where the call's own directory is made; by default the system's place for
    /// temporary files.
    pub scratch: Option<&'a Path>,
    /// The call log.
    pub log: Option<&'a Path>,
    /// What [`probe`](crate::probe) found of the same client, for the version in the
    /// reply.
    pub probe: Option<&'a Probe>,
    /// Ends the call as soon as it becomes readable.
    pub interrupt: Option<BorrowedFd<'a>>,
}

/// A reply and the evidence of the run it came from. Serialises as one JSON
/// object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answered {
    /// What the tolerant decoder made of standard output.
    #[serde(flatten)]
    pub reply: Reply,
    /// The model that was asked for. The stream does not tell which one answered.
    pub model: String,
    /// The effort that was asked for.
    pub effort: Effort,
    /// Seconds from the client's start until its outputs were closed or given up,
    /// to a thousandth.
    pub secs: f64,
    /// The client's version, from the probe or from its package; null where it is
    /// not known.
    pub client_version: Option<String>,
    /// What the client's tool router said of tool calls that it refused; see
    /// [`Noted::refused_tools`].
    pub refused_tools: Vec<String>,
    /// A process that had left the client's group still held an output when the
    /// call gave it up, and may still run.
    pub descendant_left: bool,
}

/// Why a call gave no reply. Serialises as one JSON object.
#[derive(Clone, Debug, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct AskFailure {
    /// The step that failed.
    pub error: AskCategory,
    /// What happened, for a person; it may hold the client's own words.
    pub message: String,
    /// What to do.
    pub help: &'static str,
    /// What the event stream said, where it says why.
    pub stream: Option<Box<Failure>>,
    /// The last lines of standard error.
    pub stderr: Vec<String>,
    /// As in [`Answered::descendant_left`].
    pub descendant_left: bool,
    /// The reply that was paid for, where only the call log failed.
    pub reply: Option<Box<Answered>>,
}

/// The steps at which a call can fail, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AskCategory {
    /// The model's name breaks the rule; nothing was started.
    InvalidModel,
    /// The effort is none of the four; nothing was started.
    InvalidEffort,
    /// The time limit is no positive number; nothing was started.
    InvalidTimeout,
    /// A directory is missing or can't be made; nothing was started.
    Directory,
    /// The client could not be started, or not be watched from its start.
    Start,
    /// The time limit ended the client.
    Timeout,
    /// The caller ended it.
    Interrupted,
    /// A pipe failed, or the client's end could not be learnt.
    Status,
    /// Standard output had more bytes than its bound.
    StdoutLimit,
    /// Standard error had more bytes than its bound.
    StderrLimit,
    /// The client ended without success.
    Exit,
    /// The client did not take the whole prompt.
    PromptWrite,
    /// Standard output is no UTF-8.
    NotUtf8,
    /// Standard output is no completed turn.
    Stream,
    /// The call log could not be written; the failure carries the reply.
    Log,
}

impl AskCategory {
    /// The name in snake case, as in the JSON form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidModel => "invalid_model",
            Self::InvalidEffort => "invalid_effort",
            Self::InvalidTimeout => "invalid_timeout",
            Self::Directory => "directory",
            Self::Start => "start",
            Self::Timeout => "timeout",
            Self::Interrupted => "interrupted",
            Self::Status => "status",
            Self::StdoutLimit => "stdout_limit",
            Self::StderrLimit => "stderr_limit",
            Self::Exit => "exit",
            Self::PromptWrite => "prompt_write",
            Self::NotUtf8 => "not_utf8",
            Self::Stream => "stream",
            Self::Log => "log",
        }
    }
}

/// Asks once: at most one start of the client, and no retry.
///
/// The steps, of which the first that fails decides: model, effort, time limit;
/// directories; start, with the prompt on standard input; the run, until the
/// client's end or the time limit; its status; the bounds of its output; its
/// success; the prompt's way; UTF-8; the event stream; the call log.
///
/// Waits at most the time limit and twice [`GRACE`](crate::process::GRACE); the start, the
/// decoding and the file system come on top. When it returns or unwinds, the client's group has been
/// killed and the call's own directory removed, as far as that was possible.
pub fn ask(call: &Call<'_>) -> Result<Answered, AskFailure> {
    let model = call.model.map_or_else(
        || settings::model(call.component.unwrap_or_default()),
        str::to_owned,
    );
    validate_model(&model).map_err(|error| {
        let help = "name a model with --model or MOVA_TEACHER_MODEL, as gpt-5.5";
        AskFailure::new(AskCategory::InvalidModel, &error, help)
    })?;
    let effort = call.effort.map_or_else(settings::effort, str::parse);
    let effort = effort.map_err(|error| {
        let help = "give one of them with --effort or MOVA_TEACHER_EFFORT";
        AskFailure::new(AskCategory::InvalidEffort, &error, help)
    })?;
    let time = match call.timeout {
        Some(time) if time.is_zero() => Err("the time limit must not be zero".to_owned()),
        Some(time) => Ok(time),
        None => settings::timeout().map_err(|error| error.to_string()),
    };
    let time = time.map_err(|words| {
        let help = "set MOVA_TEACHER_TIMEOUT to seconds, or unset it for half an hour";
        AskFailure::new(AskCategory::InvalidTimeout, words, help)
    })?;
    let directory = CallDir::new(call)?;
    let client = call.client.map_or_else(settings::client, Path::to_owned);
    let started = Instant::now();
    let ran = Ran::start(call, &client, directory.path(), &model, effort, time)?;
    // To a thousandth: more digits than that say nothing of a call.
    let secs = (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    let (reply, noted, descendant_left) = ran.judge(time)?;
    let client_version = match call.probe {
        Some(probe) => Some(probe.version.clone()),
        None => packaged_version(&client),
    };
    let refused_count = noted.refused_count;
    let answered = Answered {
        reply,
        model,
        effort,
        secs,
        client_version,
        refused_tools: noted.refused_tools,
        descendant_left,
    };
    let log = call.log.map_or_else(settings::log, Path::to_owned);
    match call_log::append(&log, &answered.entry(refused_count)) {
        Ok(()) => Ok(answered),
        Err(error) => Err(AskFailure {
            descendant_left,
            reply: Some(Box::new(answered)),
            ..AskFailure::new(
                AskCategory::Log,
                format_args!("the call log {} can't be written: {error}", log.display()),
                "the answer is kept in this failure; name a writable file with MOVA_TEACHER_LOG",
            )
        }
        .with_descendant()),
    }
}

impl Answered {
    fn entry(&self, refused_tools: u64) -> Entry<'_> {
        let evidence = self.reply.evidence.as_ref();
        Entry {
            provider: self.reply.provider,
            model: &self.model,
            effort: self.effort,
            secs: self.secs,
            usage: self.reply.usage,
            cost_reported: self.reply.cost_reported,
            warnings: evidence.map_or(0, |evidence| evidence.warnings.len()),
            retries: evidence.map_or(0, |evidence| evidence.retries),
            usage_known: evidence.is_some_and(|evidence| evidence.usage_known),
            refused_tools,
            client_version: self.client_version.as_deref(),
            descendant_left: self.descendant_left,
        }
    }
}

/// Where the client works.
enum CallDir {
    /// The caller's; it stays.
    Given(PathBuf),
    /// The call's own; removed when dropped, and a failure of that is not told.
    Own(TempDir),
}

impl CallDir {
    fn new(call: &Call<'_>) -> Result<Self, AskFailure> {
        if let Some(given) = call.directory {
            let failed = |reason: &dyn fmt::Display| {
                let words = format!("{} is no working directory: {reason}", given.display());
                AskFailure::new(
                    AskCategory::Directory,
                    words,
                    "name a directory that exists",
                )
            };
            return match given.metadata() {
                Ok(found) if found.is_dir() => Ok(Self::Given(given.to_owned())),
                Ok(_) => Err(failed(&"it is a file")),
                Err(error) => Err(failed(&error)),
            };
        }
        let parent = call.scratch.map_or_else(std::env::temp_dir, Path::to_owned);
        std::fs::create_dir_all(&parent)
            .and_then(|()| {
                tempfile::Builder::new()
                    .prefix("teacher-")
                    .tempdir_in(&parent)
            })
            .map(Self::Own)
            .map_err(|error| {
                let parent = parent.display();
                let words = format!("no directory can be made in {parent}: {error}");
                let help = "make room there, or name another place with TMPDIR";
                AskFailure::new(AskCategory::Directory, words, help)
            })
    }

    fn path(&self) -> &Path {
        match self {
            Self::Given(path) => path,
            Self::Own(directory) => directory.path(),
        }
    }
}

/// A client that has run: its end and what its outputs told.
struct Ran {
    ended: Ended,
    stream: Result<Reply, Failure>,
    noted: Noted,
}

impl Ran {
    fn start(
        call: &Call<'_>,
        client: &Path,
        directory: &Path,
        model: &str,
        effort: Effort,
        time: Duration,
    ) -> Result<Self, AskFailure> {
        // A relative path, in `PATH` too, means the caller's directory and not the
        // client's. What is not found is left to the start, which tells why.
        let found = locate(client).unwrap_or_else(|| client.to_owned());
        let program = match found.components().count() {
            0 | 1 => found,
            _ => absolute(&found).unwrap_or(found),
        };
        let launch = command(&program, directory, model, effort);
        let (mut stdout, mut stderr) = (EventStream::default(), Notes::default());
        let limits = Limits {
            time,
            output: OUTPUT_LIMIT,
        };
        let prompt = call.prompt.as_bytes();
        let ended = run(
            launch.to_command(),
            prompt,
            limits,
            call.interrupt,
            |stream, bytes| match stream {
                Stream::Stdout => stdout.push(bytes),
                Stream::Stderr => stderr.push(bytes),
            },
        )
        .map_err(|error| {
            let words = format!("the client {} can't be started: {error}", client.display());
            let help = start_help(client, &error);
            AskFailure::new(AskCategory::Start, words, help)
        })?;
        Ok(Self {
            ended,
            stream: stdout.finish(),
            noted: stderr.finish(),
        })
    }

    /// The steps after the run, in their order.
    fn judge(self, time: Duration) -> Result<(Reply, Noted, bool), AskFailure> {
        let Self {
            ended,
            stream,
            noted,
        } = self;
        let descendant_left = ended.descendant_left;
        let judged = judge_end(&ended, time)
            .and_then(|()| judge_success(ended.status, stream.as_ref().err()))
            .and_then(|()| ended.prompt.map_err(|error| prompt_write(&error)));
        let (failure, stream) = match (judged, stream) {
            (Ok(()), Ok(reply)) => return Ok((reply, noted, descendant_left)),
            (Ok(()), Err(failure)) => (bad_stream(&failure), Some(failure)),
            (Err(failure), stream) => (failure, stream.err()),
        };
        Err(AskFailure {
            stream: stream.map(Box::new),
            stderr: noted.tail,
            descendant_left,
            ..failure
        }
        .with_descendant())
    }
}

/// What to do where a client does not start.
pub(crate) fn start_help(client: &Path, error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound if client.exists() => {
            "the file is there, so what its first line names is missing: install that"
        }
        io::ErrorKind::NotFound => {
            "install it (npm install -g @openai/codex), or name it with --client or \
             MOVA_TEACHER_CLIENT; `teacher doctor` looks for it"
        }
        io::ErrorKind::PermissionDenied => {
            "make it a program that you may run (chmod +x), or name another client"
        }
        _ => "is it a program for this machine? if so, try again: memory or descriptors are short",
    }
}

/// The status, then the bounds of the output.
fn judge_end(ended: &Ended, time: Duration) -> Result<(), AskFailure> {
    let (category, mut words, help) = match &ended.stop {
        Some(Stop::Timeout) => (
            AskCategory::Timeout,
            format!("the client did not end within {time:?} and was killed"),
            "ask for less, raise MOVA_TEACHER_TIMEOUT, or mend what the stream and standard \
             error say it waited for",
        ),
        Some(Stop::Interrupted) => (
            AskCategory::Interrupted,
            "the call was interrupted and the client killed".to_owned(),
            "what the turn had cost until then is not known",
        ),
        Some(Stop::Failed(error)) => (
            AskCategory::Status,
            format!("the client's pipes or its end can't be watched: {error}"),
            "try again; if it stays, descriptors or memory are short, or the caller ignores SIGCHLD",
        ),
        Some(Stop::Output(stream)) => {
            let (category, name) = match stream {
                Stream::Stdout => (AskCategory::StdoutLimit, "standard output"),
                Stream::Stderr => (AskCategory::StderrLimit, "standard error"),
            };
            (
                category,
                format!(
                    "the client printed more than {OUTPUT_LIMIT} bytes on {name} and was killed"
                ),
                "a client that works prints far less: look at what it repeats",
            )
        }
        None => return Ok(()),
    };
    if ended.status.is_none() && category != AskCategory::Status {
        words.push_str("; it did not end when it was killed: look with ps");
    }
    Err(AskFailure::new(category, words, help))
}

fn judge_success(status: Option<ExitStatus>, stream: Option<&Failure>) -> Result<(), AskFailure> {
    let mut words = match status {
        Some(status) if status.success() => return Ok(()),
        Some(status) => format!("the client failed ({status})"),
        None => "the client's end is not known".to_owned(),
    };
    if let Some(failure) = stream {
        words.push_str(&format!(": {failure}"));
    }
    let help = match stream {
        _ if status.and_then(|status| status.code()) == Some(127) => {
            "a program that the client needs is missing, as node for the client of npm"
        }
        Some(failure) if is_busy(failure) => BUSY,
        Some(Failure {
            error: Category::TurnFailed | Category::Error,
            ..
        }) => "the message is the provider's: do what it says, or ask again later",
        _ => "read its standard error; `teacher doctor` checks login, version and features",
    };
    Err(AskFailure::new(AskCategory::Exit, words, help))
}

fn prompt_write(error: &io::Error) -> AskFailure {
    AskFailure::new(
        AskCategory::PromptWrite,
        format!("the client did not read the whole prompt: {error}"),
        "its answer is not an answer to the prompt; try again, and check the client with \
         `teacher doctor`",
    )
}

fn bad_stream(failure: &Failure) -> AskFailure {
    let (category, help) = match failure.error {
        Category::NotUtf8 => (
            AskCategory::NotUtf8,
            "the client's output is damaged; try again, and check the client with `teacher doctor`",
        ),
        // A refusal completes the turn without an item.
        Category::MissingAnswer | Category::CompletionBeforeAnswer => (
            AskCategory::Stream,
            "the model gave no answer, or refused; change the prompt or ask again",
        ),
        _ if is_busy(failure) => (AskCategory::Stream, BUSY),
        Category::Error | Category::TurnFailed => (
            AskCategory::Stream,
            "the message is the provider's: do what it says, or ask again later",
        ),
        _ => (
            AskCategory::Stream,
            "the stream is not one completed turn; is the client of a version that `teacher doctor` \
             finds good?",
        ),
    };
    let words = format!("the client ended well, and its stream gives no reply: {failure}");
    AskFailure::new(category, words, help)
}

const BUSY: &str = "the provider has no capacity at the moment: ask again later";

fn is_busy(failure: &Failure) -> bool {
    PROVIDER_BUSY_MESSAGES.contains(&failure.message.as_str())
}

impl AskFailure {
    fn new(error: AskCategory, words: impl fmt::Display, help: &'static str) -> Self {
        Self {
            error,
            message: words.to_string(),
            help,
            stream: None,
            stderr: Vec::new(),
            descendant_left: false,
            reply: None,
        }
    }

    /// Says in words what the field says.
    fn with_descendant(mut self) -> Self {
        if self.descendant_left {
            self.message.push_str(DESCENDANT);
        }
        self
    }
}

const DESCENDANT: &str =
    "; a process that left the client's group held its output and may still run: look with ps";

#[cfg(test)]
mod tests {
    use std::fs;
    use std::panic::catch_unwind;

    use super::*;

    /// No input makes [`ask`] panic, so this stands here and not with the oracles.
    #[test]
    fn a_panic_takes_the_own_directory_with_it() {
        let scratch = tempfile::tempdir().unwrap();
        let call = Call {
            scratch: Some(scratch.path()),
            ..Call::default()
        };
        let unwound = catch_unwind(|| {
            let directory = CallDir::new(&call).unwrap();
            fs::write(directory.path().join("a-file"), "left").unwrap();
            panic!("on the way");
        });
        assert!(unwound.is_err());
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    }
}
