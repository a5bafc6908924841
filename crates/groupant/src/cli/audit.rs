//! `audit`: bound, executed, sensitive, recorded. Writes only under `target/`.
//! Here stands what it says; what it runs stands in `execute`.

use super::execute::{Executed, execute, known, lines, parts, recorded, stage};
use super::{AuditArgs, Tree, tell};
use crate::finding::{Code, Exit, Finding, Report, Severity};
use crate::oracle::level::{self, Level, Standing};
use crate::receipt::{self, Store};
use crate::report::{self, Format, plural, thousands};
use crate::sidecar::Sidecar;
use crate::workspace::Workspace;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::time::Instant;

pub(super) fn run(workspace: &Workspace, args: &AuditArgs) -> Exit {
    let begin = Instant::now();
    let human = args.format == Format::Human;
    let mut tree = Tree::load(workspace, false);
    let require = args.require.or_else(|| required(workspace));
    let mut report = std::mem::take(&mut tree.report);
    let selected = tree.selected(workspace, &args.selection);
    if selected.is_empty() && !tree.sidecars.is_empty() {
        report.push(
            Finding::new(Code::NothingChecked, "the selection takes no sidecar")
                .help(format!("{} status lists the ids", workspace.command)),
        );
    }
    let store = Store::load(workspace);
    if !tree.sidecars.is_empty() {
        receipt::figures(workspace, &tree.sidecars, &store, &mut report);
    }
    if human {
        quick_lines(&tree, &report, begin);
    }
    let mut executed = None;
    let mut standings = BTreeMap::new();
    if args.quick {
        let mut quick = Report::default();
        let evidence = recorded(workspace, &tree, &store, &mut quick);
        receipt::check(workspace, &store, &known(&tree, &store), &mut quick);
        if !tree.sidecars.is_empty() {
            report.merge(quick);
        }
        standings = level::standings(&tree.sidecars, &tree.bindings, &evidence);
        if report.exit() == Exit::Clean {
            level::check(workspace, &selected, &standings, require, &mut report);
        }
    } else if !selected.is_empty() {
        let mentions = tree.mentions(&selected);
        let ran = execute(workspace, &mentions, &selected, args.format, &mut report);
        let mut expected = ran.expected.clone();
        if args.selection.is_all() {
            expected.known.extend(known(&tree, &store).known);
        } else {
            // Receipts of others are neither missing nor orphans here.
            expected.known.extend(store.files.keys().cloned());
        }
        receipt::check(workspace, &store, &expected, &mut report);
        standings = level::standings(&tree.sidecars, &tree.bindings, &ran.evidence);
        level::check(workspace, &selected, &standings, require, &mut report);
        executed = Some(ran);
    }
    if args.format == Format::Json {
        if let Some(executed) = &executed {
            lines(executed);
        }
    } else {
        if let Some(executed) = &executed {
            told(&selected, executed);
        }
        not_shown(workspace, &selected, &standings, args.quick);
    }
    receipt::gather(&mut report);
    if !args.selection.is_all() {
        narrow(&selected, &tree.sidecars, &mut report);
    }
    report.sort();
    tell(workspace, &report, args.format);
    let exit = report.exit();
    finish(args, &report, executed.as_ref(), &store, begin, exit);
    exit
}

/// With a selection, what is wrong with other sidecars is not told.
fn narrow(selected: &[&Sidecar], all: &[Sidecar], report: &mut Report) {
    let owner = |finding: &Finding| {
        let about = finding.about.as_deref()?;
        let id = about.split('/').next()?;
        all.iter().find(|sidecar| {
            let files = format!("{}/", sidecar.folder);
            sidecar.id.text == id || about.starts_with(&files)
        })
    };
    report.findings.retain(|finding| {
        owner(finding).is_none_or(|owner| {
            selected
                .iter()
                .any(|sidecar| sidecar.id.text == owner.id.text)
        })
    });
}

/// The level that the configuration asks of every model.
pub(super) fn required(workspace: &Workspace) -> Option<Level> {
    workspace.config.as_ref().and_then(|config| config.require)
}

fn quick_lines(tree: &Tree, report: &Report, begin: Instant) {
    let count = |what: &str| report.counts.get(what).copied().unwrap_or_default();
    let models = tree.bindings.states.len();
    let fresh = tree
        .bindings
        .states
        .values()
        .filter(|state| state.verdict == crate::binding::Verdict::Fresh)
        .count();
    let sources = count("sources");
    stage(
        "bound",
        &format!(
            "{fresh} of {} fresh, {} covered, {} exempt",
            plural(models, "model"),
            plural(
                usize::try_from(sources.checked).unwrap_or_default(),
                "source"
            ),
            sources.skipped
        ),
        begin,
    );
}

/// What was executed and each caught fault, in words.
fn told(selected: &[&Sidecar], executed: &Executed) {
    let mut text = String::new();
    if !executed.results.oracles.is_empty() {
        text.push_str("\nExecuted (dev and release, each twice, equal claims)\n");
    }
    for (reference, ran) in &executed.results.oracles {
        let claims = &ran
            .receipt
            .as_ref()
            .map(|receipt| receipt["claims"].clone())
            .unwrap_or_default();
        let size = |key: &str| claims[key].as_u64().map(thousands);
        let mut facts = Vec::new();
        facts.extend(size("universe").map(|n| format!("{n} cases")));
        // Where every case is in a fiber, refusals may be fibers too.
        if claims["accepted"] != claims["universe"] {
            facts.extend(size("accepted").map(|n| format!("{n} accepted")));
        }
        if claims["closed"] == true {
            facts.push("closed for all lengths".to_owned());
        }
        let mark = if ran.receipt.is_some() { "ok" } else { "--" };
        let facts = if ran.receipt.is_some() {
            facts.join(", ")
        } else {
            ran.status.to_owned()
        };
        let line = format!("  {mark} {}: {facts}", reference.test);
        text.push_str(&report::fit(&line, 5));
        text.push('\n');
    }
    if !executed.caught.receipts.is_empty() {
        text.push_str("\nCaught\n");
    }
    for ((sidecar, control), receipt) in &executed.caught.receipts {
        if !selected.iter().any(|known| known.id.text == *sidecar) {
            continue;
        }
        let words = receipt["rejections"][0]["words"]
            .as_str()
            .unwrap_or_default();
        let line = format!("  ok {control}: {}", shorten(words));
        text.push_str(&report::fit(&line, 5));
        text.push('\n');
    }
    report::print(&text);
}

/// The first line of a counterexample; on a terminal so much of it as a person reads.
fn shorten(words: &str) -> String {
    const ROOM: usize = 200;
    let line = report::clean(words.lines().next().unwrap_or_default());
    if !std::io::stdout().is_terminal() || line.chars().count() <= ROOM {
        return line;
    }
    let cut: String = line.chars().take(ROOM - 1).collect();
    format!("{cut}…")
}

/// What is not shown: assumptions, levels below bounded, what was not executed.
fn not_shown(
    workspace: &Workspace,
    selected: &[&Sidecar],
    standings: &BTreeMap<String, Standing>,
    quick: bool,
) {
    let mut assumptions: BTreeMap<&str, usize> = BTreeMap::new();
    let mut low = Vec::new();
    let mut blunt = Vec::new();
    let mut waiting = 0;
    for sidecar in selected {
        for model in &sidecar.models {
            for assumption in &model.assumptions {
                *assumptions.entry(assumption).or_default() += 1;
            }
            let name = sidecar.name_of(model);
            let Some(standing) = standings.get(&name) else {
                continue;
            };
            if !standing.unexecuted.is_empty() {
                waiting += 1;
            } else if standing.level < Level::Bounded {
                low.push(format!("{name} ({})", standing.level.name()));
            } else if !standing.sensitive() {
                blunt.push(name);
            }
        }
    }
    let unasked = workspace
        .config
        .as_ref()
        .is_none_or(|config| config.subjects.is_empty());
    let mut text = String::new();
    for (assumption, models) in assumptions {
        let models = plural(models, "model");
        let line = format!("  assumed by {models}: {}", report::clean(assumption));
        text.push_str(&report::fit(&line, 4));
        text.push('\n');
    }
    for name in low {
        text.push_str(&format!("  below bounded: {name}\n"));
    }
    for name in blunt {
        text.push_str(&format!("  not sensitive: {name}\n"));
    }
    if waiting > 0 {
        let models = plural(waiting, "model");
        text.push_str(&format!(
            "  not executed on this code: oracles of {models}\n"
        ));
    }
    if unasked {
        text.push_str("  sources without a sidecar: no `subjects` are configured\n");
    }
    if quick {
        text.push_str("  nothing was built or run\n");
    }
    if !text.is_empty() {
        report::print(&format!("\nNot shown\n{text}\n"));
    }
}

fn finish(
    args: &AuditArgs,
    report: &Report,
    executed: Option<&Executed>,
    store: &Store,
    begin: Instant,
    exit: Exit,
) {
    if args.format == Format::Json {
        let summary: Value = report::summary(report, parts(executed, store), exit);
        report::line(&summary);
        return;
    }
    let total =
        |pick: fn(&crate::finding::Count) -> u64| report.counts.values().map(pick).sum::<u64>();
    let errors = report
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .count();
    let verdict = if exit == Exit::Clean {
        "clean"
    } else {
        "not clean"
    };
    report::print(&format!(
        "{verdict}: {} checked, {} skipped, {} missing, {}  [{:.2} s]\n{} receipts, digest {}\n",
        total(|count| count.checked),
        total(|count| count.skipped),
        total(|count| count.missing),
        plural(errors, "finding"),
        begin.elapsed().as_secs_f64(),
        store.files.len(),
        store.digest(),
    ));
}
