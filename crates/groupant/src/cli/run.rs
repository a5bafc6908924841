//! `oracle` and `control`: run some of them, print what they gave, and write
//! their receipts where everything of a target or sidecar passed.

use super::{ControlArgs, OracleArgs, Tree, execute, progress, refresh, tell};
use crate::finding::{Code, Exit, Finding, Report};
use crate::oracle::{self, Reference};
use crate::receipt::{self, Store};
use crate::report::{self, Format};
use crate::sidecar::Sidecar;
use crate::workspace::Workspace;
use serde_json::json;
use std::collections::BTreeSet;

pub(super) fn oracle(workspace: &Workspace, args: &OracleArgs) -> Exit {
    let tree = Tree::load(workspace, false);
    let all: Vec<&Sidecar> = tree.sidecars.iter().collect();
    let filter = args.filter.as_deref().unwrap_or_default();
    let mentions = oracle::named(&all);
    let chosen: Vec<&Reference> = mentions
        .keys()
        .filter(|reference| reference.to_string().contains(filter))
        .collect();
    let mut report = Report::default();
    if chosen.is_empty() {
        report.push(
            Finding::new(
                Code::NothingChecked,
                match &args.filter {
                    Some(filter) => format!("no oracle's name holds `{filter}`"),
                    None => "no model names an oracle".to_owned(),
                },
            )
            .help(format!(
                "{} status --format json lists the oracles of each model",
                workspace.command
            )),
        );
    }
    if let Some(set) = &args.set {
        return with_bounds(workspace, &chosen, set, args.format, report);
    }
    // Whole targets run, so that their inputs and receipts stay one piece.
    let targets = oracle::targets(chosen.iter().copied());
    let executed = execute::execute(
        workspace,
        &tree.of_targets(&targets),
        &[],
        args.format,
        &mut report,
    );
    conclude(
        workspace,
        &tree,
        &executed,
        args.format,
        report,
        |name| name.contains(filter),
        |_| false,
    )
}

fn with_bounds(
    workspace: &Workspace,
    chosen: &[&Reference],
    set: &str,
    format: Format,
    mut report: Report,
) -> Exit {
    if let Err(reason) = settable(set, chosen, &Store::load(workspace)) {
        crate::report::say!("error: {reason}");
        return Exit::Usage;
    }
    let progress = progress(format);
    for reference in chosen {
        progress.note(&format!("running {} with {set} (release)", reference.test));
        let result = oracle::run_with(workspace, reference, set);
        progress.end();
        match result {
            Ok(line) => {
                report.checked("oracles", 1);
                match format {
                    Format::Json => report::line(&line),
                    Format::Human => report::print(&format!(
                        "{} with {set}: {}\n",
                        reference,
                        serde_json::to_string_pretty(&line["claims"]).unwrap_or_default()
                    )),
                }
            }
            Err(finding) => report.push(*finding),
        }
    }
    report.sort();
    tell(workspace, &report, format);
    let exit = report.exit();
    if format == Format::Json {
        let oracles = json!({"named": chosen.len(), "passed": report.counts.get("oracles").map_or(0, |count| count.checked)});
        report::line(&report::summary(
            &report,
            [oracles, json!({}), json!({})],
            exit,
        ));
    }
    exit
}

/// Whether it is `name=number` with commas between, no name twice, and each name
/// a bound in the receipts of the chosen oracles. One without a receipt judges by
/// itself.
fn settable(set: &str, chosen: &[&Reference], store: &Store) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for part in set.split(',') {
        let name = part
            .split_once('=')
            .filter(|(name, number)| {
                !name.is_empty()
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                    && number.parse::<u64>().is_ok()
            })
            .map(|(name, _)| name)
            .ok_or("--set takes NAME=N, several with commas between them")?;
        if !names.insert(name) {
            return Err(format!("--set names {name} twice"));
        }
    }
    for reference in chosen {
        let receipt = store.value(&receipt::oracle_path(reference));
        let Some(bounds) = receipt.as_ref().and_then(|all| all["bounds"].as_object()) else {
            continue;
        };
        if let Some(name) = names.iter().find(|name| !bounds.contains_key(**name)) {
            let known: Vec<&str> = bounds.keys().map(String::as_str).collect();
            return Err(format!(
                "{} has no bound {name}; it has: {}",
                reference.test,
                known.join(", ")
            ));
        }
    }
    Ok(())
}

pub(super) fn control(workspace: &Workspace, args: &ControlArgs) -> Exit {
    let tree = Tree::load(workspace, false);
    let filter = args.filter.as_deref().unwrap_or_default();
    let holds = |sidecar: &Sidecar| {
        sidecar
            .controls
            .iter()
            .any(|control| format!("{}/{}", sidecar.id.text, control.id.text).contains(filter))
    };
    let selected: Vec<&Sidecar> = tree
        .sidecars
        .iter()
        .filter(|sidecar| holds(sidecar))
        .collect();
    let mut report = Report::default();
    if selected.is_empty() {
        report.push(
            Finding::new(
                Code::NothingChecked,
                match &args.filter {
                    Some(filter) => format!("no control's name holds `{filter}`"),
                    None => "no sidecar has a control".to_owned(),
                },
            )
            .help("controls are declared in the groupant.toml of a sidecar"),
        );
    }
    let executed = execute::execute(
        workspace,
        &tree.mentions(&selected),
        &selected,
        args.format,
        &mut report,
    );
    conclude(
        workspace,
        &tree,
        &executed,
        args.format,
        report,
        |_| false,
        |name| name.contains(filter),
    )
}

fn conclude(
    workspace: &Workspace,
    tree: &Tree,
    executed: &execute::Executed,
    format: Format,
    mut report: Report,
    shows_oracle: impl Fn(&str) -> bool,
    shows_control: impl Fn(&str) -> bool,
) -> Exit {
    let written = match refresh::write(workspace, tree, executed, false) {
        Ok(written) => written,
        Err(error) => {
            crate::report::say!("error: {error}");
            return Exit::CouldNotRun;
        }
    };
    for (reference, ran) in &executed.results.oracles {
        if !shows_oracle(&reference.to_string()) {
            continue;
        }
        match format {
            Format::Json => report::line(&execute::oracle_line(reference, ran)),
            Format::Human => report::print(&format!("{reference}: {}\n", ran.status)),
        }
    }
    for ((sidecar, control), receipt) in &executed.caught.receipts {
        let name = format!("{sidecar}/{control}");
        if !shows_control(&name) {
            continue;
        }
        match format {
            Format::Json => report::line(&execute::control_line(&name, receipt)),
            Format::Human => {
                for rejection in receipt["rejections"].as_array().into_iter().flatten() {
                    let words = rejection["words"].as_str().unwrap_or_default();
                    report::print(&format!("{name}: {}\n", report::clean(words)));
                }
            }
        }
    }
    if format == Format::Human {
        for file in &written {
            report::print(&format!("  wrote  {file}\n"));
        }
    }
    report.sort();
    tell(workspace, &report, format);
    let exit = report.exit();
    if format == Format::Json {
        let oracles = json!({"named": executed.results.oracles.len()});
        let controls = json!({"caught": executed.caught.receipts.len()});
        report::line(&report::summary(
            &report,
            [oracles, controls, json!({"written": written.len()})],
            exit,
        ));
    }
    exit
}
