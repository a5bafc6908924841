//! `bind`: write or check the generated files, and accept models with a reason.

use super::{BindArgs, Tree, execute, tell_all};
use crate::binding::{self, Bindings};
use crate::finding::{Code, Exit, Finding, Report, Severity};
use crate::json::sha256;
use crate::oracle::level;
use crate::receipt::Store;
use crate::report;
use crate::sidecar::{Sidecar, epoch, manifest};
use crate::source::Source;
use crate::workspace::Workspace;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

/// So many commits of a file are searched for the accepted text.
const HISTORY: usize = 200;

pub(super) fn run(workspace: &Workspace, args: &BindArgs) -> Exit {
    if args.accept.is_empty() && args.because.is_some() {
        crate::report::say!("error: --because needs --accept ID/MODEL");
        return Exit::Usage;
    }
    if !args.accept.is_empty() && args.check {
        crate::report::say!("error: --check writes nothing, --accept writes; choose one");
        return Exit::Usage;
    }
    let mut tree = Tree::load(workspace, args.check);
    if tree.sidecars.is_empty() || args.check {
        let parts = execute::parts(None, &Store::load(workspace));
        let exit = tell_all(workspace, &mut tree.report, parts, args.format);
        if args.format == report::Format::Human && exit == Exit::Clean {
            report::print("every generated file is what the tree gives\n");
        }
        return exit;
    }
    if !args.accept.is_empty() {
        let names = match expand(&tree, &args.accept) {
            Ok(names) => names,
            Err(unknown) => {
                crate::report::say!(
                    "error: no model is called `{unknown}`; `{} status` lists them",
                    workspace.command
                );
                return Exit::Usage;
            }
        };
        let Some(reason) = args
            .because
            .as_deref()
            .filter(|reason| !reason.trim().is_empty())
        else {
            for name in &names {
                report::print(&shown(workspace, &tree, name));
            }
            report::print(&format!(
                "nothing was accepted; to accept: {} bind --accept {} --because \"…\"\n",
                workspace.command,
                args.accept.join(" ")
            ));
            return Exit::Findings;
        };
        if let Err(exit) = accept(workspace, &mut tree, &names, reason) {
            return exit;
        }
    }
    let written = match manifest::write(workspace, &tree.sidecars, &tree.bindings, &BTreeSet::new())
    {
        Ok(written) => written,
        Err(error) => {
            crate::report::say!("error: {error}");
            return Exit::CouldNotRun;
        }
    };
    if args.format == report::Format::Human {
        for file in written {
            report::print(&format!("wrote {file}\n"));
        }
    }
    // What is left for a person is told as it stands now.
    let mut after = Tree::load(workspace, false).report;
    let parts = execute::parts(None, &Store::load(workspace));
    tell_all(workspace, &mut after, parts, args.format)
}

/// `sidecar/model`, or a sidecar's id for all its models that are not fresh.
fn expand(tree: &Tree, names: &[String]) -> Result<Vec<String>, String> {
    let mut expanded = Vec::new();
    for name in names {
        if binding::find(&tree.sidecars, name).is_some() {
            expanded.push(name.clone());
            continue;
        }
        let Some(sidecar) = tree
            .sidecars
            .iter()
            .find(|sidecar| sidecar.id.text == *name)
        else {
            return Err(name.clone());
        };
        expanded.extend(
            sidecar
                .models
                .iter()
                .map(|model| sidecar.name_of(model))
                .filter(|model| {
                    tree.bindings.states[model].verdict != binding::Verdict::Fresh
                        || tree.report.findings.iter().any(|finding| {
                            finding.code == Code::Review && finding.about.as_deref() == Some(model)
                        })
                }),
        );
    }
    Ok(expanded)
}

fn accept(
    workspace: &Workspace,
    tree: &mut Tree,
    names: &[String],
    reason: &str,
) -> Result<(), Exit> {
    let store = Store::load(workspace);
    let evidence = execute::recorded(workspace, tree, &store, &mut Report::default());
    let standings = level::standings(&tree.sidecars, &tree.bindings, &evidence);
    let before: usize = tree
        .sidecars
        .iter()
        .map(|sidecar| sidecar.epochs.len())
        .sum();
    binding::accept(
        workspace,
        &mut tree.sidecars,
        &tree.bindings,
        &standings,
        names,
        reason,
    )
    .map_err(|error| {
        crate::report::say!("error: {error}");
        match error {
            binding::AcceptError::Unknown(_) => Exit::Usage,
            binding::AcceptError::Workspace(_) => Exit::CouldNotRun,
            _ => Exit::Findings,
        }
    })?;
    let after: usize = tree
        .sidecars
        .iter()
        .map(|sidecar| sidecar.epochs.len())
        .sum();
    tree.bindings = Bindings::of(workspace, &tree.sidecars);
    crate::report::say!("accepted {}", report::plural(after - before, "model"));
    Ok(())
}

/// What a person reads before accepting: the section, and how the items changed.
fn shown(workspace: &Workspace, tree: &Tree, name: &str) -> String {
    let Some((index, model)) = binding::find(&tree.sidecars, name) else {
        return String::new();
    };
    let sidecar = &tree.sidecars[index];
    let model = &sidecar.models[model];
    let state = &tree.bindings.states[name];
    let mut text = format!("== {name}: {}\n", state.verdict.name());
    if let Some((document, _)) = sidecar.heading(&model.id.text) {
        let _ = writeln!(text, "-- {}", sidecar.file(&document.name));
        text.push_str(document.section(&model.id.text).unwrap_or_default());
        text.push('\n');
    }
    for (item, accepted) in changed(sidecar, name, tree, &model.id.text) {
        let _ = writeln!(text, "-- {}: {}", item.file, item.path);
        let now = current_text(workspace, &item.file, &item.path);
        match accepted {
            None => text.push_str("   not accepted before\n"),
            Some(accepted) => match accepted_text(workspace, &accepted) {
                Some(before) => text.push_str(&difference(&before, &now)),
                None => text.push_str(
                    "   the accepted text is unavailable: it is not in git's history of the file\n",
                ),
            },
        }
    }
    report::clean(&text) + "\n"
}

type Change = (epoch::AcceptedItem, Option<epoch::AcceptedItem>);

fn changed(sidecar: &Sidecar, name: &str, tree: &Tree, model: &str) -> Vec<Change> {
    let accepted = epoch::last(&sidecar.epochs, model).map_or(&[][..], |epoch| &epoch.items);
    tree.bindings
        .items(name)
        .iter()
        .filter(|item| !accepted.contains(item))
        .map(|item| {
            let before = accepted
                .iter()
                .find(|old| old.path == item.path && old.file == item.file)
                .or_else(|| accepted.iter().find(|old| old.tokens == item.tokens));
            (item.clone(), before.cloned())
        })
        .collect()
}

fn current_text(workspace: &Workspace, file: &str, path: &str) -> String {
    workspace
        .source(file)
        .ok()
        .and_then(|parsed| {
            let source = parsed.source.as_ref().ok()?;
            let item = source.items.iter().find(|item| item.path == path)?;
            whole_lines(&parsed.text, item.span.clone())
        })
        .unwrap_or_default()
}

/// The text of a span, with the indentation of its first line.
fn whole_lines(text: &str, span: Range<usize>) -> Option<String> {
    let before = text.get(..span.start)?;
    let margin = before.len() - before.trim_end_matches([' ', '\t']).len();
    text.get(span.start - margin..span.end).map(str::to_owned)
}

/// The text of an accepted item, from git's history of its file.
fn accepted_text(workspace: &Workspace, accepted: &epoch::AcceptedItem) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut command = crate::exec::process::command("git");
        command.current_dir(&workspace.root).args(arguments);
        let limits = crate::exec::process::Limits {
            time: std::time::Duration::from_secs(20),
            output: 16 << 20,
        };
        crate::exec::process::run(command, limits)
            .ok()
            .filter(crate::exec::process::Ended::success)
    };
    let count = format!("-n{HISTORY}");
    let log = git(&["log", &count, "--format=%H", "--", &accepted.file])?;
    let mut seen = std::collections::BTreeSet::new();
    for commit in String::from_utf8_lossy(&log.stdout).lines() {
        let Some(show) = git(&["show", &format!("{commit}:./{}", accepted.file)]) else {
            continue;
        };
        if !seen.insert(sha256(&show.stdout)) {
            continue;
        }
        let Ok(source) = Source::parse(&show.stdout) else {
            continue;
        };
        if let Some(item) = source
            .items
            .iter()
            .find(|item| item.tokens == accepted.tokens)
        {
            let text = String::from_utf8_lossy(&show.stdout).into_owned();
            return whole_lines(&text, item.span.clone());
        }
    }
    None
}

/// The lines that differ, with `-` and `+`, and those around them.
fn difference(before: &str, now: &str) -> String {
    let diff = similar::TextDiff::from_lines(before, now);
    if diff.ratio() >= 1.0 {
        return "   same text\n".to_owned();
    }
    // Items end where their last token ends, which says nothing of the file's end.
    diff.unified_diff()
        .context_radius(2)
        .missing_newline_hint(false)
        .to_string()
}

/// Findings of error weight that are left, counted by what a person has to do.
pub(super) fn left(report: &Report) -> Vec<&Finding> {
    report
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .collect()
}
