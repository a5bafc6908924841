//! The command line: arguments, files, exit codes and what a person reads. No rule
//! of the transport stands here. It is part of the library so that another binary
//! can be this one, as the tests do.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Parser, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use crate::ask::start_help;
use crate::client::{Probe, ProbeError, inspect, locate, login};
use crate::settings;
use crate::{
    Answered, AskCategory, AskFailure, Call, Contract, FEATURES, ask, decode_reader, model, probe,
};

/// The Codex transport.
#[derive(Parser)]
#[command(name = "teacher", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
#[expect(
    clippy::doc_markdown,
    reason = "this is the help text as people see it"
)]
enum Command {
    /// Ask the model once, through one isolated and read-only run of the client.
    ///
    /// Prints the answer, or with --json the reply and its evidence as one JSON
    /// object. The run is paid by the subscription that the client is logged in
    /// with. Ctrl-C ends the client and its group.
    ///
    /// Exit codes: 0 a reply, 1 the call failed, 2 a usage error, 3 the client
    /// could not be started, 130 interrupted.
    ///
    /// Environment: MOVA_TEACHER_MODEL, MOVA_TEACHER_EFFORT and
    /// MOVA_TEACHER_CLIENT where no option says otherwise; MOVA_TEACHER_TIMEOUT,
    /// the time limit in seconds (1800); MOVA_TEACHER_LOG, the file to which a line
    /// is appended for each reply, without prompt and answer (teacher-calls.jsonl).
    Ask(AskArguments),
    /// Look at the client without sending a prompt: is it there, which version, is
    /// it logged in, which features would it refuse.
    ///
    /// Exit codes: 0 all is well, 1 something is not, 3 the client can't be started,
    /// 130 interrupted.
    Doctor {
        /// The client, a path or a name in PATH.
        #[arg(long, value_name = "PATH")]
        client: Option<PathBuf>,
    },
    /// Decode the event stream of one `codex exec --json` run.
    ///
    /// Prints the reply as one JSON object. Exit codes: 0 a reply, 1 a failure of
    /// the stream, 2 a usage error or an unreadable file.
    Decode {
        /// What the stream has to keep.
        #[arg(long, value_enum, default_value_t = ContractName::Tolerant)]
        contract: ContractName,
        /// Print a failure as one JSON object on standard output too.
        #[arg(long)]
        json: bool,
        /// The stream; `-` for standard input.
        file: PathBuf,
    },
}

#[derive(clap::Args)]
struct AskArguments {
    /// The prompt, UTF-8; `-` for standard input.
    #[arg(long, value_name = "FILE")]
    prompt_file: PathBuf,
    /// The model: `gpt-` and no white space [default: gpt-5.5].
    #[arg(long)]
    model: Option<String>,
    /// low, medium, high or xhigh [default: medium].
    #[arg(long)]
    effort: Option<String>,
    /// The client, a path or a name in PATH [default: codex].
    #[arg(long, value_name = "PATH")]
    client: Option<PathBuf>,
    /// Where the client works [default: an empty directory, removed afterwards].
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Ask the client first for its version and features, and refuse it where it
    /// lacks one. Free, and two more starts of the client.
    #[arg(long)]
    probe: bool,
    /// Print one JSON object, also where the call or the probe fails; a usage error
    /// is told in words.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ContractName {
    /// Any `error` and any item that is no answer and no reasoning fails.
    Strict,
    /// An `error` before the completion and an `error` item are warnings.
    Tolerant,
}

impl From<ContractName> for Contract {
    fn from(name: ContractName) -> Self {
        match name {
            ContractName::Strict => Self::Strict,
            ContractName::Tolerant => Self::Tolerant,
        }
    }
}

/// Runs the command that the process was called with.
#[must_use]
pub fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Ask(arguments) => run_ask(&arguments),
        Command::Doctor { client } => doctor(&client.unwrap_or_else(settings::client)),
        Command::Decode {
            contract,
            json,
            file,
        } => decode(contract.into(), json, &file),
    };
    done.unwrap_or_else(|error| {
        tell(&format!("teacher: {}", harmless(&format!("{error:#}"))));
        ExitCode::from(2)
    })
}

fn run_ask(arguments: &AskArguments) -> anyhow::Result<ExitCode> {
    let prompt = read_prompt(&arguments.prompt_file)?;
    let client = arguments.client.clone().unwrap_or_else(settings::client);
    let interrupt = interrupt()?;
    let interrupt = Some(interrupt.as_fd());
    let probed = if arguments.probe {
        match probe(&client, interrupt) {
            Ok(probed) => Some(probed),
            Err(error) => return refused(&error, arguments.json),
        }
    } else {
        None
    };
    let call = Call {
        prompt: &prompt,
        model: arguments.model.as_deref(),
        effort: arguments.effort.as_deref(),
        client: Some(&client),
        directory: arguments.cwd.as_deref(),
        probe: probed.as_ref(),
        interrupt,
        ..Call::default()
    };
    let progress = progress();
    let outcome = ask(&call);
    progress.finish_and_clear();
    match outcome {
        Ok(answered) => Ok(match show(&answered, arguments.json) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                tell(&format!("error: {error:#}"));
                tell("help: the answer was paid and is lost; is there room, and who reads?");
                ExitCode::FAILURE
            }
        }),
        Err(failure) => {
            explain(&failure, arguments.json)?;
            Ok(ExitCode::from(match failure.error {
                AskCategory::InvalidModel
                | AskCategory::InvalidEffort
                | AskCategory::InvalidTimeout => 2,
                // The caller's choice; otherwise the system has no room.
                AskCategory::Directory if arguments.cwd.is_some() => 2,
                AskCategory::Start => 3,
                AskCategory::Interrupted => 130,
                _ => 1,
            }))
        }
    }
}

/// A client that a probe refused.
fn refused(error: &ProbeError, json: bool) -> anyhow::Result<ExitCode> {
    let (message, help) = (error.to_string(), probe_help(error));
    if json {
        let error = "probe";
        print(&serde_json::json!({ "error": error, "message": message, "help": help }))?;
    } else {
        tell(&format!("error: {}", harmless(&message)));
        tell(&format!("help: {help}"));
    }
    Ok(ExitCode::from(match error {
        ProbeError::Start { .. } => 3,
        ProbeError::Interrupted => 130,
        _ => 1,
    }))
}

/// The prompt of a file, which the client would refuse blank or in another
/// encoding.
fn read_prompt(file: &Path) -> anyhow::Result<String> {
    let name = file.display();
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes)
    } else {
        File::open(file).and_then(|mut file| file.read_to_end(&mut bytes))
    }
    .with_context(|| format!("cannot read the prompt {name}"))?;
    let prompt = String::from_utf8(bytes)
        .map_err(|error| error.utf8_error())
        .with_context(|| format!("the prompt {name} is no UTF-8; convert it first"))?;
    if prompt.trim().is_empty() {
        bail!("the prompt {name} is blank; the client takes no blank prompt");
    }
    Ok(prompt)
}

/// A descriptor that becomes readable at the first signal that asks to end; a second
/// one ends this process. What the caller chose to ignore, as `nohup` does, stays
/// ignored, but for the end of children: without it no client could be waited for.
fn interrupt() -> anyhow::Result<OwnedFd> {
    let register = || -> io::Result<OwnedFd> {
        let (reader, writer) = io::pipe()?;
        let ignored = ignored_signals();
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            if ignored & (1 << (signal - 1)) != 0 {
                continue;
            }
            let seen = Arc::new(AtomicBool::new(false));
            flag::register_conditional_default(signal, Arc::clone(&seen))?;
            flag::register(signal, seen)?;
            pipe::register(signal, writer.try_clone()?)?;
        }
        flag::register(SIGCHLD, Arc::default())?;
        Ok(reader.into())
    };
    register().context("signals can't be received")
}

/// The signals that this process was started to ignore, as bits; none where the
/// system does not tell.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .unwrap_or(0)
}

/// The seconds that go by, on a terminal only.
fn progress() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    // The template is a constant; were it wrong, the spinner alone would show.
    if let Ok(style) =
        ProgressStyle::with_template("{spinner} asking, {elapsed}; Ctrl-C ends the client")
    {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn show(answered: &Answered, json: bool) -> anyhow::Result<()> {
    if json {
        return print(answered);
    }
    let mut text = answered.reply.result.clone();
    if io::stdout().is_terminal() {
        text = text
            .split_inclusive(['\n', '\t'])
            .map(harmless_line)
            .collect();
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    write_out(&text)?;
    for note in notes(answered) {
        tell(&format!("note: {}", harmless(&note)));
    }
    Ok(())
}

/// What a person should know of a run that gave an answer.
fn notes(answered: &Answered) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(evidence) = &answered.reply.evidence {
        let warnings = evidence.warnings.iter();
        notes.extend(warnings.map(|warning| format!("the client warned: {warning}")));
        if !evidence.usage_known {
            notes.push("the provider told no token counts; the zeros mean unknown".to_owned());
        }
    }
    let refused = answered.refused_tools.iter();
    notes.extend(refused.map(|refusal| format!("a tool call was refused: {refusal}")));
    if answered.descendant_left {
        notes.push(
            "a process that left the client's group held its output and may still run".to_owned(),
        );
    }
    notes
}

fn explain(failure: &AskFailure, json: bool) -> anyhow::Result<()> {
    if json {
        return print(failure);
    }
    tell(&format!("error: {}", short(&failure.message)));
    if let Some(stream) = &failure.stream {
        let words = stream.to_string();
        if !failure.message.contains(&words) {
            tell(&format!("  stream: {}", short(&words)));
        }
    }
    for line in &failure.stderr {
        tell(&format!("  client: {}", harmless(line)));
    }
    tell(&format!("help: {}", failure.help));
    // Told first, since the answer may find no reader.
    match &failure.reply {
        Some(answered) => show(answered, false),
        None => Ok(()),
    }
}

fn probe_help(error: &ProbeError) -> &'static str {
    match error {
        ProbeError::Start { client, source } => start_help(client, source),
        ProbeError::Interrupted => "nothing was asked",
        ProbeError::Answer { .. } => "is it a Codex client? try its --version in a terminal",
        ProbeError::UnknownFeatures { .. } => {
            "install a version that knows them (0.165.0 and 0.171.0 do), or take them out of \
             FEATURES in crates/teacher/src/launch.rs"
        }
    }
}

/// One line of the doctor: what was looked at, what was found, what to do.
struct Line {
    subject: &'static str,
    found: String,
    help: Option<String>,
}

fn doctor(client: &Path) -> anyhow::Result<ExitCode> {
    let line = |subject, found: String| Line {
        subject,
        found,
        help: None,
    };
    let bad = |subject, found: String, help: &str| Line {
        subject,
        found,
        help: Some(help.to_owned()),
    };
    let place = locate(client).map_or_else(
        || format!("{} is not found", client.display()),
        |place| place.display().to_string(),
    );
    let interrupt = interrupt()?;
    let interrupt = Some(interrupt.as_fd());
    let probed = inspect(client, interrupt);
    let started = !matches!(probed, Err(ProbeError::Start { .. }));
    if matches!(probed, Err(ProbeError::Interrupted)) {
        return Ok(ExitCode::from(130));
    }
    let mut lines = Vec::new();
    match &probed {
        Err(error) if !started => {
            lines.push(bad("client", error.to_string(), probe_help(error)));
        }
        Err(error) => {
            lines.push(line("client", place));
            lines.push(bad("version", error.to_string(), probe_help(error)));
        }
        Ok(probed) => {
            lines.push(line("client", place));
            lines.push(line("version", probed.version.clone()));
            lines.push(features(probed));
        }
    }
    // A client that answers nothing would keep the next question waiting too.
    if probed.is_ok() {
        lines.push(match login(client, interrupt) {
            Err(ProbeError::Interrupted) => return Ok(ExitCode::from(130)),
            Ok(Ok(words)) => line("login", words),
            Ok(Err(words)) => bad("login", words, "log in with ChatGPT: codex login"),
            Err(error) => bad("login", error.to_string(), "try: codex login status"),
        });
    }
    let model = model("");
    lines.push(match crate::validate_model(&model) {
        Ok(()) => line("model", model),
        Err(error) => bad("model", error.to_string(), "correct MOVA_TEACHER_MODEL"),
    });
    lines.push(match settings::effort() {
        Ok(effort) => line("effort", effort.to_string()),
        Err(error) => bad("effort", error.to_string(), "correct MOVA_TEACHER_EFFORT"),
    });
    lines.push(match settings::timeout() {
        Ok(time) => line("time limit", format!("{} seconds", time.as_secs())),
        Err(error) => bad(
            "time limit",
            error.to_string(),
            "correct MOVA_TEACHER_TIMEOUT",
        ),
    });
    let log = settings::log();
    let name = log.display().to_string();
    lines.push(match log_place(&log) {
        Ok(()) => line("call log", name),
        Err(error) => bad(
            "call log",
            format!("{name}: {error}"),
            "name a file that can be written with MOVA_TEACHER_LOG",
        ),
    });
    let mut text = String::new();
    for Line {
        subject,
        found,
        help,
    } in &lines
    {
        let mark = if help.is_some() { "BAD" } else { "ok " };
        text.push_str(&format!("{mark}  {subject:<11}{}\n", harmless(found)));
        if let Some(help) = help {
            text.push_str(&format!("     {:<11}help: {help}\n", ""));
        }
    }
    write_out(&text)?;
    let well = lines.iter().all(|line| line.help.is_none());
    Ok(ExitCode::from(match (started, well) {
        (false, _) => 3,
        (true, false) => 1,
        (true, true) => 0,
    }))
}

/// Whether the log can be appended to, or made; nothing is written.
fn log_place(log: &Path) -> io::Result<()> {
    match File::options().append(true).open(log) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = log.parent().filter(|folder| *folder != Path::new(""));
            let folder = folder.unwrap_or(Path::new("."));
            std::fs::metadata(folder).map(drop)
        }
        outcome => outcome.map(drop),
    }
}

fn features(probed: &Probe) -> Line {
    let unknown = probed.unknown_features();
    let known = FEATURES.len() - unknown.len();
    let mut found = format!(
        "{known} of {} that are switched off are known",
        FEATURES.len()
    );
    let help = (!unknown.is_empty()).then(|| {
        found.push_str(&format!("; it would refuse {}", unknown.join(", ")));
        let version = probed.version.clone();
        probe_help(&ProbeError::UnknownFeatures { version, unknown }).to_owned()
    });
    Line {
        subject: "features",
        found,
        help,
    }
}

/// Decodes `file` and prints the outcome; gives the exit code of the stream.
fn decode(contract: Contract, json: bool, file: &Path) -> anyhow::Result<ExitCode> {
    let name = file.display();
    let reader: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(
            File::open(file).with_context(|| format!("cannot open {name}"))?,
        ))
    };
    match decode_reader(contract, reader).with_context(|| format!("cannot read {name}"))? {
        Ok(reply) => {
            print(&reply)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(failure) => {
            if json {
                print(&failure)?;
            } else {
                tell(&harmless(&failure.to_string()));
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

fn print(object: &impl Serialize) -> anyhow::Result<()> {
    let mut line = serde_json::to_string(object)?;
    if io::stdout().is_terminal() {
        // serde_json escapes the control characters below the blank alone.
        let c1 = '\u{7f}'..='\u{9f}';
        line = line
            .chars()
            .map(|c| match c {
                c if c1.contains(&c) => format!("\\u{:04x}", u32::from(c)),
                c => c.to_string(),
            })
            .collect();
    }
    line.push('\n');
    write_out(&line)
}

/// A line on standard error. It may be closed, and there is nobody else to tell.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn write_out(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// As [`harmless`], for a piece that may end in a line feed or a tab.
fn harmless_line(piece: &str) -> String {
    let words = piece.trim_end_matches(['\n', '\t']);
    harmless(words) + &piece[words.len()..]
}

/// As [`harmless`], and cut where it is long beyond reading.
fn short(text: &str) -> String {
    match text.char_indices().nth(4096) {
        Some((end, _)) => harmless(&text[..end]) + " …",
        None => harmless(text),
    }
}

/// The text without control characters, those of writing direction too: a message
/// comes from outside and must not steer a terminal.
fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || is_direction(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

fn is_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
