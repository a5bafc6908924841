//! What the commands have in common that run something: the run itself, the
//! receipts that it must leave, and what the receipts of the tree already show.

use super::{Tree, progress};
use crate::finding::Report;
use crate::mutate::{self, Caught};
use crate::oracle::level::Evidence;
use crate::oracle::{self, Mention, Ran, Reference, Results};
use crate::receipt::{self, Expected, Store};
use crate::report::{self, Format, plural};
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

/// Runs oracles and the controls of some sidecars, and makes the receipts.
pub(super) fn execute(
    workspace: &Workspace,
    mentions: &BTreeMap<Reference, Mention>,
    selected: &[&Sidecar],
    format: Format,
    report: &mut Report,
) -> Executed {
    let progress = progress(format);
    let human = format == Format::Human;
    let begin = Instant::now();
    let results = oracle::run(workspace, mentions, &progress, report);
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
    let caught = mutate::run(workspace, selected, &results, &progress, report);
    let controls: usize = selected.iter().map(|sidecar| sidecar.controls.len()).sum();
    if human && controls > 0 {
        let text = format!(
            "{} of {} caught{}{}",
            caught.receipts.len(),
            plural(controls, "planted fault"),
            again(caught.reused),
            unasked(report)
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

/// Controls that were not run, since an oracle that would judge them fails
/// without a fault.
fn unasked(report: &Report) -> String {
    match report
        .counts
        .get("controls")
        .map_or(0, |count| count.skipped)
    {
        0 => String::new(),
        skipped => format!(", {skipped} not run: their oracles failed"),
    }
}

/// One line of a stage: its word, what it gave, how long it took.
pub(super) fn stage(word: &str, text: &str, begin: Instant) {
    let line = format!(
        "{word:>10}  {text}  [{:.2} s]",
        begin.elapsed().as_secs_f64()
    );
    report::print(&(report::fit(&line, 12) + "\n"));
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
    for reference in results.oracles.keys() {
        known_oracle(&mut expected, reference);
    }
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
                "format": receipt::CONTROLS,
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

fn known_oracle(expected: &mut Expected, reference: &Reference) {
    expected.known.insert(receipt::oracle_path(reference));
    expected
        .known
        .insert(receipt::inputs_path(&reference.package, &reference.target));
}

fn known_of(sidecars: &[&Sidecar]) -> Expected {
    let mut expected = Expected::default();
    for reference in oracle::named(sidecars).keys() {
        known_oracle(&mut expected, reference);
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
            && let Some(value) = store.intact(&receipt::oracle_path(reference))
        {
            evidence.oracles.insert(reference.to_string(), value);
        }
    }
    for sidecar in &tree.sidecars {
        recorded_controls(workspace, sidecar, store, &mut evidence, report);
    }
    evidence
}

/// The same for the controls of one sidecar. They count where neither their text
/// nor what their tests were run on has moved since.
fn recorded_controls(
    workspace: &Workspace,
    sidecar: &Sidecar,
    store: &Store,
    evidence: &mut Evidence,
    report: &mut Report,
) {
    let list = receipt::control_inputs_path(&sidecar.id.text);
    let Some(inputs) = store.value(&list) else {
        return;
    };
    let mut moved = BTreeSet::new();
    for control in &sidecar.controls {
        let path = receipt::control_path(&sidecar.id.text, &control.id.text);
        let Some(value) = store.intact(&path) else {
            continue; // one without a receipt is missing, and told so
        };
        if inputs["controls"][&control.id.text] != mutate::text_digest(control) {
            moved.insert(control.id.text.clone());
            continue;
        }
        let oracles = control.rejected_by.iter();
        let mut references = oracles.filter_map(|oracle| Reference::parse(&oracle.text));
        let same = references.all(|reference| {
            let target = format!("{}::{}", reference.package, reference.target);
            let run_on = receipt::inputs_path(&reference.package, &reference.target);
            store
                .value(&run_on)
                .is_some_and(|now| inputs["targets"][target] == receipt::inputs_digest(&now))
        });
        if !same {
            moved.insert("targets".to_owned());
        } else if control
            .rejected_by
            .iter()
            .all(|oracle| evidence.oracles.contains_key(&oracle.text))
        {
            evidence
                .controls
                .insert((sidecar.id.text.clone(), control.id.text.clone()), value);
        }
    }
    let moved: Vec<String> = moved.into_iter().collect();
    receipt::outdated(workspace, &list, &moved, report);
}

/// The JSON lines of what was executed.
pub(super) fn lines(executed: &Executed) {
    for (reference, ran) in &executed.results.oracles {
        report::line(&oracle_line(reference, ran));
    }
    for ((sidecar, control), receipt) in &executed.caught.receipts {
        report::line(&control_line(&format!("{sidecar}/{control}"), receipt));
    }
}

/// The JSON line of an oracle that was run.
pub(super) fn oracle_line(reference: &Reference, ran: &Ran) -> Value {
    let receipt = ran.receipt.clone().unwrap_or_default();
    json!({
        "bounds": receipt["bounds"],
        "checks": receipt["checks"],
        "claims": receipt["claims"],
        "kind": "oracle",
        "oracle": reference.to_string(),
        "reused": ran.reused,
        "status": ran.status,
    })
}

/// The JSON line of a control (`sidecar/control`) that was caught.
pub(super) fn control_line(name: &str, receipt: &Value) -> Value {
    json!({"control": name, "kind": "control", "rejections": receipt["rejections"]})
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
