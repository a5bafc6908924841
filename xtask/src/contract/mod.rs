//! `cargo xtask codex-contract`: the real Codex command line, run by our own
//! transport against a made-up server on loopback, so that what the transport
//! takes for granted is seen to hold. Nothing else depends on it.
//!
//! This file holds the command and the order of its steps; `machine` what it needs
//! of the machine (the npm package, the binary `teacher`, a network namespace),
//! `server` the server, `stage` one private home with the client, `processes` what
//! runs there, `cases` the cases and what is expected of them.
//!
//! # How the client is led here
//!
//! The transport passes `--ignore-user-config` and removes the variables that
//! could name another server, so only an argument can. The transport gets a link
//! to this program as its client; under that name this program adds three
//! overrides before the final `-` of `exec`, which each case prints, and becomes
//! the real client. The built-in provider with its own number of retries stays.
//! The invented login is accepted: an unsigned token that ends in 2100, in a login
//! file whose last renewal lies in the future.
//!
//! # What the real client does
//!
//! Measured with 0.171.0 on Linux with node 20, under the transport's arguments;
//! the six cases come out the same with 0.165.0:
//!
//! - Two processes run in the group that the transport makes: node, which is its
//!   leader, and the client proper as its child. Killed together they leave none.
//! - One run asks the server five or six times before and beside the request for
//!   an answer: for the models (once or twice), the account (once or twice), the
//!   settings, and for a web socket. Where that is refused with 426, plain requests
//!   follow at once and standard error has one line; where it is refused with 404
//!   the client asks six times more, for twelve seconds, and the stream tells of it.
//! - A stream that breaks is asked for five times more, after pauses that grow from
//!   a quarter of a second to about four seconds: six requests, seven seconds, exit
//!   code 1. Messages of the broken streams stay in the event stream.
//! - `server_is_overloaded` is not tried again: one request, exit code 1, the text
//!   that the selected model is at capacity.
//! - Two tools are offered to the model although thirteen features are off:
//!   `apply_patch` and `request_user_input`. A call of the first is refused by the
//!   read-only sandbox, a call of the second as unavailable; both, like a call of
//!   an unknown tool, leave one line of the tool router on standard error and no
//!   item, and the turn goes on. With `--sandbox workspace-write` in its place the
//!   patch was written.
//! - With `CODEX_API_KEY` in its environment the client ends at once with code 1,
//!   asks nothing, and its login file is gone. With `RUST_LOG=off` the lines about
//!   refused tools are missing.
//! - Without `analytics.enabled=false` it sends two or three reports more, and a
//!   run takes five seconds longer where no other host can be reached.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

mod cases;
mod machine;
mod processes;
mod server;
mod stage;

use cases::{CASES, Case, Seen};
use server::Server;
use stage::Stage;
pub(crate) use stage::{client, is_client};

/// The version that is run where no other is named.
const VERSION: &str = "0.171.0";

const USAGE: &str = "\
Usage: cargo xtask codex-contract [--version VERSION] [--case NAME] [--keep]

Runs the real Codex client (npm package @openai/codex) through `teacher ask`
against a made-up server on loopback. No prompt leaves the machine.

  --version VERSION  the version of the package [default: 0.171.0]
  --case NAME        this case alone; may be given again
  --keep             keep the home of each case

Exit codes: 0 all cases as expected, 2 usage, 3 skipped or could not run, 4 a
case differs. Outputs are kept in runs/ beside the installed versions.

Cases:
";

/// What was chosen on the command line.
#[derive(Clone, Serialize, Deserialize)]
struct Choice {
    version: String,
    /// Names of [`CASES`]; all of them where it is empty.
    cases: Vec<String>,
    keep: bool,
}

/// What the cases run with; the argument of this program inside a namespace.
#[derive(Serialize, Deserialize)]
struct Plan {
    choice: Choice,
    /// The installed client.
    client: PathBuf,
    /// The binary `teacher`.
    teacher: PathBuf,
    /// Where homes and outputs are put.
    folder: PathBuf,
    /// Whether only loopback can be reached.
    isolated: bool,
}

/// Runs the command; gives its exit code.
pub(crate) fn main(arguments: &[&str]) -> ExitCode {
    let code = match arguments {
        [machine::NETWORK] => machine::enter().map(|()| 0),
        [machine::INSIDE, plan] => inside(plan),
        _ => match Choice::read(arguments) {
            Ok(Some(choice)) => outside(choice),
            Ok(None) => {
                print!("{}", usage());
                Ok(0)
            }
            Err(reason) => {
                eprint!("error: {reason}\n\n{}", usage());
                Ok(2)
            }
        },
    };
    ExitCode::from(code.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        3
    }))
}

fn usage() -> String {
    let cases = CASES.iter();
    let lines = cases.map(|case| format!("  {:<11}{}\n", case.name, case.told));
    format!("{USAGE}{}", lines.collect::<String>())
}

impl Choice {
    /// `None` where help is asked for; fails with what is wrong.
    fn read(arguments: &[&str]) -> Result<Option<Self>, String> {
        let mut choice = Self {
            version: VERSION.to_owned(),
            cases: Vec::new(),
            keep: false,
        };
        let mut rest = arguments.iter();
        while let Some(&argument) = rest.next() {
            let mut value = || rest.next().ok_or(format!("{argument} needs a value"));
            match argument {
                "-h" | "--help" => return Ok(None),
                "--keep" => choice.keep = true,
                "--version" => choice.version = version(value()?)?,
                "--case" => {
                    let name = *value()?;
                    if !CASES.iter().any(|case| case.name == name) {
                        return Err(format!("there is no case {name:?}"));
                    }
                    choice.cases.push(name.to_owned());
                }
                _ => return Err(format!("{argument:?} is no option")),
            }
        }
        Ok(Some(choice))
    }

    fn takes(&self, case: &Case) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|name| name == case.name)
    }
}

/// One exact version: it becomes a folder's name and an argument of npm.
fn version(text: &str) -> Result<String, String> {
    let (numbers, suffix) = text.split_once('-').unwrap_or((text, "0"));
    let word = |part: &str| !part.is_empty() && part.chars().all(|it| it.is_ascii_alphanumeric());
    let number = |part: &str| word(part) && part.chars().all(|it| it.is_ascii_digit());
    let parts: Vec<&str> = numbers.split('.').collect();
    if parts.len() == 3 && parts.into_iter().all(number) && suffix.split('.').all(word) {
        Ok(text.to_owned())
    } else {
        Err(format!("{text:?} is no exact version, as {VERSION}"))
    }
}

/// Prepares everything that needs the network, then runs the cases, without it
/// where the machine allows that.
fn outside(choice: Choice) -> anyhow::Result<u8> {
    let program = std::env::current_exe().context("this program has no path")?;
    let teacher = machine::teacher()?;
    // Programs stand in a folder of their profile, and that in the target folder.
    let folder = teacher
        .ancestors()
        .nth(2)
        .context("the binary teacher stands in no target folder")?
        .join("codex");
    let version = choice.version.clone();
    let client = match machine::install(&folder, &version) {
        Ok(client) => client,
        Err(reason) => {
            println!("skipped: @openai/codex {version} not installed ({reason:#})");
            return Ok(3);
        }
    };
    let namespace = machine::namespace(&program);
    let plan = Plan {
        choice,
        client,
        teacher,
        folder,
        isolated: namespace.is_ok(),
    };
    match namespace {
        Ok(flags) => {
            println!("network: namespace with loopback only");
            let status = Command::new("unshare")
                .args(flags)
                .arg(program)
                .args(["codex-contract", machine::INSIDE])
                .arg(serde_json::to_string(&plan)?)
                .status()
                .context("unshare can't be started")?;
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            code.with_context(|| format!("the run in the namespace ended by {status}"))
        }
        Err(reason) => {
            println!("network: not isolated ({reason:#})");
            run(&plan)
        }
    }
}

/// The same program inside of its namespace.
fn inside(plan: &str) -> anyhow::Result<u8> {
    let plan = serde_json::from_str(plan).context("the plan has another form")?;
    machine::enter()?;
    run(&plan)
}

/// Runs the chosen cases, tells each and gives the exit code.
fn run(plan: &Plan) -> anyhow::Result<u8> {
    println!("client: @openai/codex {}", plan.choice.version);
    let (mut all, mut well) = (0, 0);
    for case in CASES.iter().filter(|case| plan.choice.takes(case)) {
        let (seen, differences) = run_case(plan, case)?;
        all += 1;
        well += usize::from(differences.is_empty());
        tell(case, &seen, &differences)?;
    }
    println!("{well} of {all} cases as expected");
    Ok(if well == all { 0 } else { 4 })
}

fn run_case(plan: &Plan, case: &Case) -> anyhow::Result<(Seen, Vec<String>)> {
    let stage = Stage::new(&plan.folder, plan.choice.keep)?;
    let server = Server::start((case.answers)(), stage.token().to_owned())?;
    let outputs = Outputs::new(&plan.folder, case.name)?;
    let ran = stage.run(plan, case, server.address(), &outputs);
    // The server ends before an error is passed on, or its threads would stay.
    let requests = server.end();
    let ran = ran?;
    outputs.keep_requests(&requests)?;
    let seen = Seen::new(&plan.choice.version, &outputs, ran, requests)?;
    let differences = case.differences(&seen);
    Ok((seen, differences))
}

fn tell(case: &Case, seen: &Seen, differences: &[String]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let verdict = if differences.is_empty() {
        "passed"
    } else {
        "DIFFERS"
    };
    let turns = seen.turns().count();
    let all = seen.requests.len();
    writeln!(
        out,
        "{:<11}{verdict}, {all} requests, {turns} of them for an answer, {:.1} s",
        case.name, seen.ran.seconds
    )?;
    for difference in differences {
        writeln!(out, "  {difference}")?;
    }
    writeln!(out, "  added: {}", seen.ran.added.join(" "))?;
    if let Some(kept) = &seen.ran.kept {
        writeln!(out, "  kept: {}", kept.display())?;
    }
    Ok(())
}

/// The files that one case leaves.
struct Outputs {
    stdout: PathBuf,
    stderr: PathBuf,
    requests: PathBuf,
}

impl Outputs {
    fn new(folder: &Path, case: &str) -> anyhow::Result<Self> {
        let folder = folder.join("runs");
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("{} can't be made", folder.display()))?;
        let file = |kind| folder.join(format!("{case}.{kind}"));
        Ok(Self {
            stdout: file("stdout"),
            stderr: file("stderr"),
            requests: file("requests"),
        })
    }

    /// One request a line.
    fn keep_requests(&self, requests: &[server::Request]) -> anyhow::Result<()> {
        let mut lines = String::new();
        for request in requests {
            lines.push_str(&serde_json::to_string(request)?);
            lines.push('\n');
        }
        std::fs::write(&self.requests, lines)
            .with_context(|| format!("{} can't be written", self.requests.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_taken_or_refused_with_the_reason() {
        let choice = Choice::read(&["--case", "normal", "--keep", "--version", "0.1.2-a.1"]);
        let choice = choice.unwrap().unwrap();
        assert_eq!(
            (choice.version.as_str(), choice.keep, choice.cases.len()),
            ("0.1.2-a.1", true, 1)
        );
        assert!(choice.takes(&CASES[0]) && !choice.takes(&CASES[1]));
        assert!(Choice::read(&["--keep", "--help"]).unwrap().is_none());
        for wrong in [
            &["--case", "none"][..],
            &["--case"],
            &["--version", "../x"],
            &["--version", "1.2"],
            &["--version", "1.2.3-"],
            &["--version", "latest"],
            &["normal"],
        ] {
            assert!(Choice::read(wrong).is_err(), "{wrong:?}");
        }
    }
}
