//! The command line: what was typed, the shared state of a command, and the
//! exit code, decided in one place. One file per command.

mod audit;
mod bind;
mod execute;
mod init;
mod receipts;
mod refresh;
mod run;
mod status;

use crate::binding::{self, Bindings};
use crate::exec::process;
use crate::finding::{Code, Exit, Finding, Report};
use crate::oracle::level::Level;
use crate::oracle::{self, Mention, Reference};
use crate::report::{self, Format, progress::Progress};
use crate::sidecar::{self, Sidecar};
use crate::workspace::{TEMPORARY, Workspace, WorkspaceError};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Shows that written claims about code are bound to the exact code, executed,
/// sensitive to planted faults, and recorded.
#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// The folder of the project; the current one where it is not said.
    #[arg(long, global = true, value_name = "DIR")]
    root: Option<PathBuf>,
}

const EXIT_CODES: &str = "Exit codes: 0 clean, 1 findings, 2 usage, configuration or nothing checked, \
3 could not run, 4 an oracle or control failed, 5 time limit.";

#[derive(Subcommand)]
enum Command {
    /// Check and execute everything; writes only under target/.
    Audit(AuditArgs),
    /// The way back to green after an edit: regenerate, run what is no longer
    /// current, write receipts where all is green, say what is left.
    Refresh(RefreshArgs),
    /// Scaffold sidecars for sources, green at once; writes new files only.
    Init(InitArgs),
    /// Write the generated files, check them, or accept stale models.
    Bind(BindArgs),
    /// One line per model: level, universe, sensitivity, and what is not shown.
    Status(StatusArgs),
    /// Run oracles and write their receipts.
    Oracle(OracleArgs),
    /// Run controls and write their receipts.
    Control(ControlArgs),
    /// List, show and verify receipts.
    #[command(subcommand)]
    Receipt(ReceiptCommand),
}

impl Command {
    /// Whether the command re-uses nothing of earlier runs.
    fn is_fresh(&self) -> bool {
        match self {
            Self::Audit(args) => args.fresh,
            Self::Refresh(args) => args.fresh,
            Self::Oracle(args) => args.fresh,
            Self::Control(args) => args.fresh,
            Self::Receipt(ReceiptCommand::Verify { replay, .. }) => *replay,
            _ => false,
        }
    }

    /// How the results of the command are printed.
    fn format(&self) -> Format {
        match self {
            Self::Audit(args) => args.format,
            Self::Refresh(args) => args.format,
            Self::Bind(args) => args.format,
            Self::Status(args) => args.format,
            Self::Oracle(args) => args.format,
            Self::Control(args) => args.format,
            Self::Receipt(
                ReceiptCommand::List { format } | ReceiptCommand::Verify { format, .. },
            ) => *format,
            Self::Init(_) | Self::Receipt(ReceiptCommand::Show { .. }) => Format::Human,
        }
    }
}

#[derive(Args, Clone, Default)]
struct Selection {
    /// Only sidecars whose owner, or whose source's package, is this one.
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
    /// Only the sidecar with this id.
    #[arg(long, value_name = "ID")]
    id: Option<String>,
}

impl Selection {
    fn is_all(&self) -> bool {
        self.package.is_none() && self.id.is_none()
    }

    fn takes(&self, workspace: &Workspace, sidecar: &Sidecar) -> bool {
        let by_id = self.id.as_ref().is_none_or(|id| *id == sidecar.id.text);
        let by_package = self.package.as_ref().is_none_or(|package| {
            *package == sidecar.owner
                || sidecar.source.as_ref().is_some_and(|source| {
                    workspace.package(package).is_some_and(|package| {
                        source
                            .text
                            .starts_with(&format!("{}/", workspace.package_folder(package)))
                    })
                })
        });
        by_id && by_package
    }
}

fn level(name: &str) -> Result<Level, String> {
    Level::try_from(name.to_owned())
}

#[derive(Args)]
struct AuditArgs {
    /// Only what can be said without building or running anything.
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    selection: Selection,
    /// Every model must have this level: witnessed, bounded or closed.
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    require: Option<Level>,
    /// Re-use nothing of earlier runs.
    #[arg(long)]
    fresh: bool,
    /// How results are printed.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Args)]
struct RefreshArgs {
    /// Only the sidecar with this id.
    id: Option<String>,
    /// Re-use nothing of earlier runs.
    #[arg(long)]
    fresh: bool,
    /// How results are printed.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Args)]
struct InitArgs {
    /// Sources that get a sidecar, seen from here or from the root; without any, the
    /// configuration is shown.
    paths: Vec<String>,
}

#[derive(Args)]
struct BindArgs {
    /// Write nothing; fail where a generated file is not byte for byte what the tree gives.
    #[arg(long)]
    check: bool,
    /// Accept models (`sidecar/model`); without a reason, show what would be accepted.
    #[arg(long, value_name = "ID/MODEL", num_args = 1..)]
    accept: Vec<String>,
    /// Why the models hold for the code as it is now.
    #[arg(long, value_name = "REASON")]
    because: Option<String>,
    /// How results are printed.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Args)]
struct StatusArgs {
    #[command(flatten)]
    selection: Selection,
    /// How results are printed.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Args)]
struct OracleArgs {
    /// Only oracles whose name holds this text.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Other bounds (`length=6,…`) for one release run that becomes no receipt.
    #[arg(long, value_name = "NAME=N")]
    set: Option<String>,
    /// Re-use nothing of earlier runs.
    #[arg(long)]
    fresh: bool,
    /// How results are printed.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Args)]
struct ControlArgs {
    /// Only controls whose `sidecar/control` holds this text.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Re-use nothing of earlier runs.
    #[arg(long)]
    fresh: bool,
    /// How results are printed.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Subcommand)]
enum ReceiptCommand {
    /// One line per receipt: digest and path.
    List {
        /// How results are printed.
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// A receipt in full, by path, oracle, `sidecar/control` or digest.
    Show {
        /// Which one.
        name: String,
    },
    /// Are the receipts intact, current, and (with --replay) reproduced?
    Verify {
        /// Run everything again, re-using nothing.
        #[arg(long)]
        replay: bool,
        /// How results are printed.
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

/// Runs the command line of this process. `invocation` is how a person calls
/// it: `cargo xtask` or `cargo groupant`. `more` stands in the help behind the
/// commands: what `invocation` does besides them.
#[must_use]
pub fn main(invocation: &str, more: &str) -> ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments
        .get(1)
        .is_some_and(|first| first == process::CHILD)
    {
        return process::become_child(&arguments[2..]).into();
    }
    // `cargo groupant …` hands the subcommand's own name on.
    if invocation == "cargo groupant" && arguments.get(1).is_some_and(|first| first == "groupant") {
        arguments.remove(1);
    }
    if let Ok(executable) = std::env::current_exe() {
        process::guard_with(executable);
    }
    on_interrupt();
    arguments[0] = invocation.into();
    let parsed = Cli::command()
        .after_help(format!("{more}{EXIT_CODES}"))
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Clean
            }
            .code()
            .into();
        }
    };
    run(cli, invocation).code().into()
}

/// An interrupt ends the children, then this process; nothing else is needed,
/// since the tree is written by renames alone.
fn on_interrupt() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) {
        std::thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                process::kill_all();
                crate::report::say!("interrupted; the tree is as it was");
                std::process::exit(128 + signal);
            }
        });
    }
}

fn run(cli: Cli, invocation: &str) -> Exit {
    let folder = cli.root.unwrap_or_else(|| PathBuf::from("."));
    if !folder.is_dir() {
        crate::report::say!("error: --root {}: no such folder", folder.display());
        return Exit::Usage;
    }
    let workspace = match Workspace::open(&folder, invocation) {
        Ok(mut workspace) => {
            workspace.fresh = cli.command.is_fresh();
            workspace
        }
        Err(error) => {
            let report = unopened(&error);
            let format = cli.command.format();
            tell(None, &report, format);
            let exit = report.exit();
            if format == Format::Json {
                let none = serde_json::json!({});
                report::line(&report::summary(
                    &report,
                    [none.clone(), none.clone(), none],
                    exit,
                ));
            }
            return exit;
        }
    };
    let writes = !matches!(
        cli.command,
        Command::Status(_)
            | Command::Receipt(ReceiptCommand::List { .. } | ReceiptCommand::Show { .. })
    );
    let _lock = if writes {
        match lock(&workspace) {
            Ok(lock) => Some(lock),
            Err(reason) => {
                crate::report::say!("error: {reason}");
                return Exit::CouldNotRun;
            }
        }
    } else {
        None
    };
    match cli.command {
        Command::Audit(args) => audit::run(&workspace, &args),
        Command::Refresh(args) => refresh::run(&workspace, &args),
        Command::Init(args) => init::run(&workspace, &folder, &args),
        Command::Bind(args) => bind::run(&workspace, &args),
        Command::Status(args) => status::run(&workspace, &args),
        Command::Oracle(args) => run::oracle(&workspace, &args),
        Command::Control(args) => run::control(&workspace, &args),
        Command::Receipt(command) => receipts::run(&workspace, &command),
    }
}

/// A workspace that can't be opened is one finding: there is nothing else to say.
fn unopened(error: &WorkspaceError) -> Report {
    let (code, help) = match error {
        WorkspaceError::Cargo(_) => (Code::ToolMissing, "put cargo on the PATH"),
        WorkspaceError::Metadata(_) => (Code::Config, "see: cargo metadata --format-version 1"),
        WorkspaceError::Config(_) | WorkspaceError::File { .. } => {
            (Code::Config, "correct it in the root Cargo.toml")
        }
    };
    let mut report = Report::default();
    report.push(Finding::new(code, error.to_string()).help(help));
    report
}

/// One run at a time, by a lock that dies with its owner.
fn lock(workspace: &Workspace) -> Result<std::fs::File, String> {
    let path = workspace.state.join("lock");
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    std::fs::create_dir_all(&workspace.state).map_err(fail)?;
    let file = std::fs::File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(fail)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            crate::report::say!("another run is under way in this workspace; waiting for it");
            file.lock().map_err(fail)?;
            Ok(file)
        }
        Err(std::fs::TryLockError::Error(error)) => Err(fail(error)),
    }
}

/// What every command looks at first.
struct Tree {
    sidecars: Vec<Sidecar>,
    bindings: Bindings,
    report: Report,
    /// Whether every sidecar could be read.
    complete: bool,
}

impl Tree {
    /// Loads and checks what can be said by reading, once what an interrupted run
    /// left behind is gone. Only for a command that holds the lock: a temporary
    /// file may be that of another run.
    fn load(workspace: &Workspace, strict: bool) -> Self {
        let mut report = Report::default();
        leftovers(workspace, &mut report);
        let mut tree = Self::read(workspace, strict);
        tree.report.findings.splice(0..0, report.findings);
        tree
    }

    /// As [`Tree::load`], and writes nothing at all.
    fn read(workspace: &Workspace, strict: bool) -> Self {
        let mut report = Report::default();
        let mut sidecars = sidecar::load(workspace, &mut report);
        sidecars.sort_by(|left, right| left.folder.cmp(&right.folder));
        if let Some(finding) = crlf(workspace, &sidecars) {
            // One finding that says so, not a hundred that follow from it.
            let mut report = Report::default();
            report.checked("sidecars", sidecars.len() as u64);
            report.push(finding);
            return Self {
                sidecars: Vec::new(),
                bindings: Bindings::default(),
                report,
                complete: false,
            };
        }
        sidecar::check::all(workspace, &sidecars, &mut report);
        let bindings = Bindings::of(workspace, &sidecars);
        bindings.tell(&workspace.command, &mut report);
        binding::review(workspace, &sidecars, &mut report);
        sidecar::manifest::check(workspace, &sidecars, &bindings, strict, &mut report);
        let complete = report
            .counts
            .get("sidecars")
            .is_none_or(|count| count.missing == 0);
        if !complete {
            // What follows from the absence of a sidecar is not told.
            report.findings.retain(|finding| {
                !matches!(
                    finding.code,
                    Code::Uncovered | Code::NameUnknown | Code::GeneratedOutdated | Code::Review
                )
            });
        }
        let configured = workspace
            .config
            .as_ref()
            .is_some_and(|config| !config.subjects.is_empty());
        if sidecars.is_empty() && report.exit() == Exit::Clean {
            let message = if configured {
                "there is no sidecar"
            } else {
                "nothing is configured and there is no sidecar"
            };
            report.push(Finding::new(Code::NothingChecked, message).help(format!(
                "begin with a source: {} init src/lib.rs",
                workspace.command
            )));
        }
        Self {
            sidecars,
            bindings,
            report,
            complete,
        }
    }

    /// The oracles that some sidecars name, with all others of the same test
    /// targets: what a target was run on is recorded in one piece.
    fn mentions(&self, selected: &[&Sidecar]) -> BTreeMap<Reference, Mention> {
        let named = oracle::named(selected);
        let mut mentions = self.of_targets(&oracle::targets(named.keys()));
        // A mention of the selection is told rather than one of another sidecar.
        mentions.extend(named);
        mentions
    }

    /// All oracles of some test targets.
    fn of_targets(
        &self,
        targets: &BTreeMap<String, BTreeSet<String>>,
    ) -> BTreeMap<Reference, Mention> {
        let mut mentions = oracle::named(&self.sidecars.iter().collect::<Vec<_>>());
        mentions.retain(|reference, _| {
            targets
                .get(&reference.package)
                .is_some_and(|targets| targets.contains(&reference.target))
        });
        mentions
    }

    fn selected(&self, workspace: &Workspace, selection: &Selection) -> Vec<&Sidecar> {
        self.sidecars
            .iter()
            .filter(|sidecar| selection.takes(workspace, sidecar))
            .collect()
    }
}

/// Temporary files of an interrupted run are removed, and that is told. The
/// README's stands in the root, where only the exact form is taken for one.
fn leftovers(workspace: &Workspace, report: &mut Report) {
    let rest = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or_default();
        name.strip_prefix(TEMPORARY).map(str::to_owned)
    };
    let entries = std::fs::read_dir(&workspace.root).into_iter().flatten();
    let mut files: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| {
            rest(name).is_some_and(|rest| {
                rest.len() == 6 && rest.chars().all(|c| c.is_ascii_alphanumeric())
            })
        })
        .collect();
    files.sort();
    for folder in [sidecar::FOLDER, crate::receipt::FOLDER] {
        files.extend(workspace.files(folder, |file| rest(file).is_some()));
    }
    for file in files {
        if workspace.remove(&file).is_ok() {
            report.push(Finding::new(
                Code::Leftover,
                format!("{file} of an interrupted run was removed"),
            ));
        }
    }
}

fn crlf(workspace: &Workspace, sidecars: &[Sidecar]) -> Option<Finding> {
    let definitions = sidecars.iter().map(Sidecar::toml);
    let sources = sidecars
        .iter()
        .filter_map(|sidecar| sidecar.source.as_ref().map(|source| source.text.clone()));
    let documents = sidecars.iter().flat_map(|sidecar| {
        sidecar
            .documents
            .iter()
            .map(|document| sidecar.file(&document.name))
    });
    let files: Vec<String> = definitions
        .chain(sources)
        .chain(documents)
        .filter(|file| {
            workspace
                .read(file)
                .is_ok_and(|bytes| bytes.windows(2).any(|pair| pair == b"\r\n"))
        })
        .collect();
    let first = files.first()?;
    let bytes = workspace.read(first).ok()?;
    let end = bytes.windows(2).position(|pair| pair == b"\r\n")?;
    let start = bytes[..end]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let have = match files.len() {
        1 => "1 file has".to_owned(),
        many => format!("{many} files have"),
    };
    Some(
        Finding::new(Code::Crlf, format!("{have} CRLF line ends"))
            .at(first, start..end, "this line ends in CR and LF")
            .help("put `* text=auto eol=lf` into .gitattributes, commit what is open, then: git rm --cached -r -q . && git reset --hard"),
    )
}

/// Prints findings in a format.
fn tell<'a>(workspace: impl Into<Option<&'a Workspace>>, report: &Report, format: Format) {
    let workspace = workspace.into();
    match format {
        Format::Human => report::print_drawn(&report::human(workspace, &report.findings)),
        Format::Json => {
            for finding in &report.findings {
                report::line(&report::json(workspace, finding));
            }
        }
    }
}

/// Prints findings, and in JSON the summary behind them; gives the exit code.
fn tell_all(workspace: &Workspace, report: &mut Report, parts: [Value; 3], format: Format) -> Exit {
    report.sort();
    tell(workspace, report, format);
    let exit = report.exit();
    if format == Format::Json {
        report::line(&report::summary(report, parts, exit));
    }
    exit
}

fn progress(format: Format) -> Progress {
    Progress::new(format == Format::Json && !std::io::IsTerminal::is_terminal(&std::io::stderr()))
}
