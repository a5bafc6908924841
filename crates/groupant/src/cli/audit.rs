//! `audit`: bound, executed, sensitive, recorded. Writes only under `target/`.

use super::{AuditArgs, Tree, progress, tell};
use crate::finding::{Code, Exit, Finding, Report, Severity};
use crate::mutate::{self, Caught};
use crate::oracle::level::{self, Evidence, Level, Standing};
use crate::oracle::{self, Reference, Results};
use crate::receipt::{self, Expected, Store};
use crate::report::{self, Format, plural, thousands};
use crate::sidecar::Sidecar;
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Everything that a run of oracles and controls gave.
pub(super) struct Executed {
    pub(super) results: Results,
    pub(super) caught: Caught,
    pub(super) evidence: Evidence,
    pub(super) expected: Expected,
}

pub(super) fn run(workspace: &Workspace, args: &AuditArgs) -> Exit {
    let begin = Instant::now();
    let human = args.format == Format::Human;
    let mut tree = Tree::load(workspace, false);
    let require = args.require.or_else(|| required(workspace));
    let selected: Vec<Sidecar> = tree
        .selected(workspace, &args.selection)
        .into_iter()
        .cloned()
        .collect();
    let selected: Vec<&Sidecar> = selected.iter().collect();
    if selected.is_empty() && !tree.sidecars.is_empty() {
        tree.report.push(
            Finding::new(Code::NothingChecked, "the selection takes no sidecar")
                .help(format!("{} status lists the ids", workspace.command)),
        );
    }
    let store = Store::load(workspace);
    let mut report = std::mem::take(&mut tree.report);
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
            let of_selected: Vec<Sidecar> =
                selected.iter().map(|sidecar| (*sidecar).clone()).collect();
            level::check(workspace, &of_selected, &standings, require, &mut report);
        }
    } else if !selected.is_empty() {
        let ran = execute(workspace, &selected, args.fresh, args.format, &mut report);
        let mut expected = ran.expected.clone();
        if args.selection.is_all() {
            expected.known.extend(known(&tree, &store).known);
        } else {
            // Receipts of others are neither missing nor orphans here.
            expected.known.extend(store.files.keys().cloned());
        }
        receipt::check(workspace, &store, &expected, &mut report);
        standings = level::standings(&tree.sidecars, &tree.bindings, &ran.evidence);
        let of_selected: Vec<Sidecar> = selected.iter().map(|sidecar| (*sidecar).clone()).collect();
        level::check(workspace, &of_selected, &standings, require, &mut report);
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
        not_shown(&selected, &standings, args.quick);
    }
    receipt::gather(&mut report);
    if !args.selection.is_all() {
        narrow(&selected, &tree.sidecars, &mut report);
    }
    report.sort();
    tell(workspace, &report, args.format);
    let exit = report.exit();
    finish(
        workspace,
        args,
        &report,
        executed.as_ref(),
        &store,
        begin,
        exit,
    );
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

/// Runs the oracles and controls of some sidecars and makes the receipts.
pub(super) fn execute(
    workspace: &Workspace,
    selected: &[&Sidecar],
    fresh: bool,
    format: Format,
    report: &mut Report,
) -> Executed {
    let progress = progress(format);
    let human = format == Format::Human;
    let begin = Instant::now();
    let mentions = oracle::named(selected);
    let results = oracle::run(workspace, &mentions, fresh, &progress, report);
    if human && !mentions.is_empty() {
        let passed = results
            .oracles
            .values()
            .filter(|ran| ran.receipt.is_some())
            .count();
        let reused = results.oracles.values().filter(|ran| ran.reused).count();
        stage(
            "executed",
            &format!(
                "{passed} of {}{}",
                plural(mentions.len(), "oracle"),
                again(reused)
            ),
            begin,
        );
    }
    let begin = Instant::now();
    let caught = mutate::run(workspace, selected, &results, fresh, &progress, report);
    let controls: usize = selected.iter().map(|sidecar| sidecar.controls.len()).sum();
    if human && controls > 0 {
        let text = format!(
            "{} of {} caught{}",
            caught.receipts.len(),
            plural(controls, "planted fault"),
            again(caught.reused)
        );
        stage("sensitive", &text, begin);
    }
    let evidence = Evidence {
        oracles: results
            .oracles
            .iter()
            .filter_map(|(reference, ran)| Some((reference.to_string(), ran.receipt.clone()?)))
            .collect(),
        controls: caught.receipts.clone(),
    };
    let expected = expect(workspace, selected, &results, &caught);
    Executed {
        results,
        caught,
        evidence,
        expected,
    }
}

fn again(reused: usize) -> String {
    if reused == 0 {
        String::new()
    } else {
        format!(" ({reused} known from the same binaries)")
    }
}

/// One line of a stage: its word, what it gave, how long it took.
fn stage(word: &str, text: &str, begin: Instant) {
    report::print(&format!(
        "{word:>10}  {text}  [{:.2} s]\n",
        begin.elapsed().as_secs_f64()
    ));
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

/// The receipts that a run must have left, by path: those of targets and
/// sidecars in which everything passed.
fn expect(
    workspace: &Workspace,
    selected: &[&Sidecar],
    results: &Results,
    caught: &Caught,
) -> Expected {
    let mut expected = known_of(selected);
    let mut digests: BTreeMap<String, String> = BTreeMap::new();
    let toolchain = receipt::toolchain(workspace);
    for (package, targets) in oracle::targets(results.oracles.keys()) {
        for target in targets {
            let of_target: Vec<&Reference> = results
                .oracles
                .keys()
                .filter(|reference| reference.package == package && reference.target == target)
                .collect();
            if !results.all_passed(of_target.iter().copied()) {
                continue;
            }
            let Some(built) = results
                .builds
                .get(&(package.clone(), crate::exec::Profile::Dev))
            else {
                continue;
            };
            let mut receipts = BTreeMap::new();
            for reference in of_target {
                if let Some(value) = &results.oracles[reference].receipt {
                    let path = receipt::oracle_path(reference);
                    let text = crate::json::canonical(value);
                    receipts.insert(name_of(&path), crate::json::sha256(text.as_bytes()));
                    expected.produced.insert(path, text);
                }
            }
            let inputs = receipt::inputs(
                workspace,
                &package,
                &target,
                built,
                &results.data(&package, &target),
            );
            digests.insert(
                format!("{package}::{target}"),
                receipt::inputs_digest(&inputs),
            );
            let text =
                crate::json::canonical(&receipt::with_receipts(&inputs, &toolchain, &receipts));
            expected
                .produced
                .insert(receipt::inputs_path(&package, &target), text);
        }
    }
    for sidecar in selected
        .iter()
        .filter(|sidecar| !sidecar.controls.is_empty())
    {
        let mut receipts = BTreeMap::new();
        let mut targets = BTreeMap::new();
        let mut controls = BTreeMap::new();
        let mut complete = true;
        for control in &sidecar.controls {
            controls.insert(control.id.text.clone(), mutate::text_digest(control));
            for reference in control
                .rejected_by
                .iter()
                .filter_map(|oracle| Reference::parse(&oracle.text))
            {
                let target = format!("{}::{}", reference.package, reference.target);
                match digests.get(&target) {
                    Some(digest) => drop(targets.insert(target, digest.clone())),
                    None => complete = false,
                }
            }
            let key = (sidecar.id.text.clone(), control.id.text.clone());
            let Some(value) = caught.receipts.get(&key) else {
                complete = false;
                continue;
            };
            let path = receipt::control_path(&sidecar.id.text, &control.id.text);
            let text = crate::json::canonical(value);
            receipts.insert(name_of(&path), crate::json::sha256(text.as_bytes()));
            expected.produced.insert(path, text);
        }
        if complete {
            let inputs = json!({
                "controls": controls,
                "format": "groupant-control-inputs/1",
                "sidecar": sidecar.id.text,
                "targets": targets,
            });
            let text =
                crate::json::canonical(&receipt::with_receipts(&inputs, &toolchain, &receipts));
            expected
                .produced
                .insert(receipt::control_inputs_path(&sidecar.id.text), text);
        }
    }
    expected
}

fn name_of(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

fn known_of(sidecars: &[&Sidecar]) -> Expected {
    let mut expected = Expected::default();
    for reference in oracle::named(sidecars).keys() {
        expected.known.insert(receipt::oracle_path(reference));
        expected
            .known
            .insert(receipt::inputs_path(&reference.package, &reference.target));
    }
    for sidecar in sidecars
        .iter()
        .filter(|sidecar| !sidecar.controls.is_empty())
    {
        expected
            .known
            .insert(receipt::control_inputs_path(&sidecar.id.text));
        for control in &sidecar.controls {
            expected
                .known
                .insert(receipt::control_path(&sidecar.id.text, &control.id.text));
        }
    }
    expected
}

/// Every path that belongs to an oracle or a control of the tree; those in the
/// store may belong to a sidecar that could not be read.
pub(super) fn known(tree: &Tree, store: &Store) -> Expected {
    let mut expected = known_of(&tree.sidecars.iter().collect::<Vec<_>>());
    if !tree.complete {
        expected.known.extend(store.files.keys().cloned());
    }
    expected
}

/// What the receipts of the tree show of the current code, without running.
pub(super) fn recorded(
    workspace: &Workspace,
    tree: &Tree,
    store: &Store,
    report: &mut Report,
) -> Evidence {
    let current = receipt::current(workspace, store, report);
    let mut evidence = Evidence::default();
    let all: Vec<&Sidecar> = tree.sidecars.iter().collect();
    for reference in oracle::named(&all).keys() {
        if current.contains(&receipt::inputs_path(&reference.package, &reference.target))
            && let Some(value) = store.value(&receipt::oracle_path(reference))
        {
            evidence.oracles.insert(reference.to_string(), value);
        }
    }
    for sidecar in &tree.sidecars {
        let inputs = store
            .value(&receipt::control_inputs_path(&sidecar.id.text))
            .unwrap_or_default();
        let mut changed = BTreeSet::new();
        for control in &sidecar.controls {
            if inputs["controls"][&control.id.text] != mutate::text_digest(control) {
                // One that was never run has no receipt, which is told instead.
                let path = receipt::control_path(&sidecar.id.text, &control.id.text);
                if store.files.contains_key(&path) {
                    changed.insert(control.id.text.clone());
                }
                continue;
            }
            let runs = control
                .rejected_by
                .iter()
                .all(|oracle| evidence.oracles.contains_key(&oracle.text));
            if runs
                && let Some(value) =
                    store.value(&receipt::control_path(&sidecar.id.text, &control.id.text))
            {
                evidence
                    .controls
                    .insert((sidecar.id.text.clone(), control.id.text.clone()), value);
            }
        }
        if !changed.is_empty() && !inputs.is_null() {
            let names: Vec<String> = changed.into_iter().collect();
            receipt::outdated(
                workspace,
                &receipt::control_inputs_path(&sidecar.id.text),
                &names,
                report,
            );
        }
    }
    evidence
}

/// The JSON lines of what was executed.
pub(super) fn lines(executed: &Executed) {
    for (reference, ran) in &executed.results.oracles {
        let receipt = ran.receipt.clone().unwrap_or_default();
        report::line(&json!({
            "bounds": receipt["bounds"],
            "checks": receipt["checks"],
            "claims": receipt["claims"],
            "kind": "oracle",
            "oracle": reference.to_string(),
            "reused": ran.reused,
            "status": ran.status,
        }));
    }
    for ((sidecar, control), receipt) in &executed.caught.receipts {
        report::line(&json!({
            "control": format!("{sidecar}/{control}"),
            "kind": "control",
            "rejections": receipt["rejections"],
        }));
    }
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
        text.push_str(&format!("  {mark} {}: {facts}\n", reference.test));
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
        let begin = format!("  ok {control}: ");
        let words = shorten(words, begin.chars().count());
        text.push_str(&format!("{begin}{words}\n"));
    }
    report::print(&text);
}

/// The first line of a counterexample, cut to what is left of a terminal's line.
fn shorten(words: &str, before: usize) -> String {
    let line = report::clean(words.lines().next().unwrap_or_default());
    let room =
        report::terminal_width().map_or(usize::MAX, |width| width.saturating_sub(before).max(40));
    if line.chars().count() <= room {
        return line;
    }
    let cut: String = line.chars().take(room - 1).collect();
    format!("{cut}…")
}

/// What is not shown: assumptions, levels below bounded, what was not executed.
fn not_shown(selected: &[&Sidecar], standings: &BTreeMap<String, Standing>, quick: bool) {
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
    if assumptions.is_empty() && low.is_empty() && blunt.is_empty() && waiting == 0 && !quick {
        return;
    }
    let mut text = "\nNot shown\n".to_owned();
    for (assumption, models) in assumptions {
        text.push_str(&format!(
            "  assumed by {}: {}\n",
            plural(models, "model"),
            report::clean(assumption)
        ));
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
    if quick {
        text.push_str("  nothing was built or run\n");
    }
    report::print(&format!("{text}\n"));
}

/// What the summary says of oracles, controls and receipts.
pub(super) fn parts(executed: Option<&Executed>, store: &Store) -> [Value; 3] {
    let oracles = executed.map_or_else(
        || json!({}),
        |executed| {
            let ran = &executed.results.oracles;
            json!({
                "named": ran.len(),
                "passed": ran.values().filter(|ran| ran.receipt.is_some()).count(),
                "reused": ran.values().filter(|ran| ran.reused).count(),
            })
        },
    );
    let controls = executed.map_or_else(
        || json!({}),
        |executed| json!({"caught": executed.caught.receipts.len(), "reused": executed.caught.reused}),
    );
    let receipts = json!({"count": store.files.len(), "digest": store.digest()});
    [oracles, controls, receipts]
}

fn finish(
    workspace: &Workspace,
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
    let _ = workspace;
}
