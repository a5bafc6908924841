//! Controls: declared faults that must compile and must make named tests fail
//! in a named way. The faults go into scratch copies under the target
//! directory; the user's checkout is never edited, and the copy's bytes are
//! restored and hashed after every fault.

mod fault;
mod locate;
mod scratch;

use crate::exec::{Outcome, Profile};
use crate::finding::{Code, Finding, Report};
use crate::json::{canonical, sha256};
use crate::oracle::{Reference, Results, cache_file, limits, targets};
use crate::report::progress::Progress;
use crate::sidecar::{Control, Rejection, Sidecar};
use crate::workspace::{Workspace, write_atomically};
use fault::Fault;
use locate::{Applied, locate};
use scratch::Scratch;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// From this many controls on, two scratch copies work at the same time.
const SHARED_FROM: usize = 6;

/// A control that is ready to run.
struct Prepared<'a> {
    sidecar: &'a Sidecar,
    control: &'a Control,
    edits: Vec<Applied>,
    oracles: Vec<Reference>,
    key: PathBuf,
}

impl Prepared<'_> {
    fn name(&self) -> String {
        format!("{}/{}", self.sidecar.id.text, self.control.id.text)
    }

    fn finding(&self, code: Code, message: String) -> Finding {
        let edit = &self.control.edits[0];
        let mut finding = Finding::new(code, message).about(self.name()).at(
            &self.sidecar.toml(),
            edit.find.range.clone(),
            "this edit",
        );
        if let Some(applied) = self.edits.first() {
            finding = finding.at(&applied.file, applied.range.clone(), "is put here");
        }
        finding
    }
}

/// What the run of a sidecar's controls gave.
#[derive(Clone, Debug, Default)]
pub struct Caught {
    /// Receipts by sidecar and control.
    pub receipts: BTreeMap<(String, String), Value>,
    /// Those that were taken from an earlier run.
    pub reused: usize,
}

/// The text of a control that decides about re-use and currency.
#[must_use]
pub fn text_digest(control: &Control) -> String {
    let edits: Vec<Value> = control
        .edits
        .iter()
        .map(|edit| json!([edit.source, edit.item.text, edit.find.text, edit.replace]))
        .collect();
    let oracles: Vec<&str> = control
        .rejected_by
        .iter()
        .map(|oracle| oracle.text.as_str())
        .collect();
    sha256(
        canonical(&json!([
            control.id.text,
            edits,
            oracles,
            control.rejection.name()
        ]))
        .as_bytes(),
    )
}

/// Runs the controls of some sidecars. A control whose tests do not all pass on
/// the honest code is skipped: its verdict would say nothing.
pub fn run(
    workspace: &Workspace,
    sidecars: &[&Sidecar],
    results: &Results,
    progress: &Progress,
    report: &mut Report,
) -> Caught {
    let mut caught = Caught::default();
    let mut open = Vec::new();
    for sidecar in sidecars {
        for control in &sidecar.controls {
            match prepare(workspace, sidecar, control, results) {
                Err(finding) => {
                    report.checked("controls", 1);
                    report.push(*finding);
                }
                Ok(None) => report.skipped("controls", 1),
                Ok(Some(prepared)) => {
                    report.checked("controls", 1);
                    let cached = std::fs::read(&prepared.key)
                        .ok()
                        .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
                    match cached.filter(|_| !workspace.fresh) {
                        Some(receipt) => {
                            caught.reused += 1;
                            caught.receipts.insert(key_of(&prepared), receipt);
                        }
                        None => open.push(prepared),
                    }
                }
            }
        }
    }
    if open.is_empty() {
        return caught;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = if open.len() >= SHARED_FROM {
        cores.min(2)
    } else {
        1
    };
    progress.begin("control", open.len() as u64);
    let next = AtomicUsize::new(0);
    let outcomes: Vec<(Vec<(usize, Value)>, Report)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|number| {
                let (open, next) = (&open, &next);
                scope.spawn(move || {
                    let mut own = Report::default();
                    let receipts = work(workspace, number, open, next, progress, &mut own);
                    (receipts, own)
                })
            })
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|_| (Vec::new(), broken_off())))
            .collect()
    });
    progress.end();
    for (receipts, own) in outcomes {
        report.merge(own);
        for (index, receipt) in receipts {
            let prepared = &open[index];
            if let Ok(text) = serde_json::to_vec(&receipt) {
                // The cache only saves time.
                let _ = write_atomically(&prepared.key, &text);
            }
            caught.receipts.insert(key_of(prepared), receipt);
        }
    }
    caught
}

/// A worker that panicked judged nothing; what it held back must not pass unseen.
fn broken_off() -> Report {
    let mut report = Report::default();
    report.push(
        Finding::new(
            Code::ToolMissing,
            "a run of controls broke off, and none of its verdicts counts",
        )
        .help("this is an error of the tool; its message stands on standard error"),
    );
    report
}

fn key_of(prepared: &Prepared<'_>) -> (String, String) {
    (
        prepared.sidecar.id.text.clone(),
        prepared.control.id.text.clone(),
    )
}

fn prepare<'a>(
    workspace: &Workspace,
    sidecar: &'a Sidecar,
    control: &'a Control,
    results: &Results,
) -> Result<Option<Prepared<'a>>, Box<Finding>> {
    // A source that can't be parsed is told by the models that speak of it.
    let own = sidecar.source.as_ref().map(|source| &source.text);
    let unparsed = |file: &String| {
        own == Some(file)
            && workspace
                .source(file)
                .is_ok_and(|parsed| parsed.source.is_err())
    };
    if control.edits.iter().any(|edit| unparsed(&edit.source)) {
        return Ok(None);
    }
    let mut edits = Vec::new();
    for edit in &control.edits {
        edits.push(locate(workspace, sidecar, control, edit)?);
    }
    let oracles: Vec<Reference> = control
        .rejected_by
        .iter()
        .filter_map(|oracle| Reference::parse(&oracle.text))
        .collect();
    if oracles.is_empty() || !results.all_passed(oracles.iter()) {
        return Ok(None);
    }
    let binaries: Vec<String> = oracles
        .iter()
        .map(|oracle| {
            results
                .binaries
                .get(&(oracle.package.clone(), oracle.target.clone(), Profile::Dev))
                .cloned()
                .unwrap_or_default()
        })
        .collect();
    // The oracles read their data when they run, and the receipt names the places.
    let data: BTreeSet<&String> = oracles
        .iter()
        .filter_map(|oracle| results.oracles.get(oracle))
        .flat_map(|ran| &ran.data)
        .collect();
    let data = data.into_iter().map(|file| {
        json!([
            file,
            workspace
                .read(file)
                .map_or(String::new(), |bytes| sha256(&bytes))
        ])
    });
    let places = edits
        .iter()
        .map(|edit| json!([edit.file, edit.item.path, edit.part]));
    let inputs = json!([data.collect::<Vec<_>>(), places.collect::<Vec<_>>()]);
    let key = cache_file(
        workspace,
        "controls",
        &[
            &sidecar.id.text,
            &text_digest(control),
            &binaries.concat(),
            &canonical(&inputs),
        ],
    );
    Ok(Some(Prepared {
        sidecar,
        control,
        edits,
        oracles,
        key,
    }))
}

/// One worker: baseline green, then its share of the controls, then green again.
fn work(
    workspace: &Workspace,
    number: usize,
    open: &[Prepared<'_>],
    next: &AtomicUsize,
    progress: &Progress,
    report: &mut Report,
) -> Vec<(usize, Value)> {
    let scratch = match Scratch::prepare(workspace, number) {
        Ok(scratch) => scratch,
        Err(error) => {
            report.push(
                Finding::new(
                    Code::ToolMissing,
                    format!("the scratch copy can't be made: {error}"),
                )
                .help("free some room under target/"),
            );
            return Vec::new();
        }
    };
    let oracles: BTreeSet<&Reference> =
        open.iter().flat_map(|prepared| &prepared.oracles).collect();
    let Some(times) = green(workspace, &scratch, &oracles, "before the faults", report) else {
        return Vec::new();
    };
    let mut receipts = Vec::new();
    let mut used: BTreeSet<&Reference> = BTreeSet::new();
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(prepared) = open.get(index) else {
            break;
        };
        used.extend(&prepared.oracles);
        match one(workspace, &scratch, prepared, &times) {
            Ok(receipt) => receipts.push((index, receipt)),
            Err(finding) => report.push(*finding),
        }
        progress.step(&prepared.control.id.text);
    }
    if green(workspace, &scratch, &used, "after the faults", report).is_none() {
        return Vec::new();
    }
    receipts
}

/// All oracles pass in the scratch copy; gives how long each took.
fn green(
    workspace: &Workspace,
    scratch: &Scratch,
    oracles: &BTreeSet<&Reference>,
    when: &str,
    report: &mut Report,
) -> Option<BTreeMap<Reference, f64>> {
    let mut times = BTreeMap::new();
    let fail = |words: String| {
        Finding::new(
            Code::ControlNotCompiled,
            format!("{when}, the scratch copy is not green: {words}"),
        )
    };
    for (package, targets) in targets(oracles.iter().copied()) {
        let built = match scratch.build(&package, &targets) {
            Ok(built) => built,
            Err(error) => {
                report.push(fail(error.to_string()));
                return None;
            }
        };
        if let Some(error) = built.errors.first() {
            report.push(
                fail(error.message.clone())
                    .help("path dependencies outside the workspace are not copied"),
            );
            return None;
        }
        for oracle in oracles.iter().filter(|oracle| oracle.package == package) {
            let Some(binary) = built.tests.get(&oracle.target) else {
                report.push(fail(format!("no binary for `{}`", oracle.target)));
                return None;
            };
            match scratch.test(workspace, binary, oracle, limits(workspace).time) {
                Ok(run) if run.outcome == Outcome::Passed => {
                    times.insert((*oracle).clone(), run.seconds);
                }
                Ok(run) => {
                    report.push(fail(format!("`{}`: {:?}", oracle.test, run.outcome)));
                    return None;
                }
                Err(error) => {
                    report.push(fail(error.to_string()));
                    return None;
                }
            }
        }
    }
    Some(times)
}

/// Puts the fault in, judges it, and restores the bytes whatever happened.
fn one(
    workspace: &Workspace,
    scratch: &Scratch,
    prepared: &Prepared<'_>,
    times: &BTreeMap<Reference, f64>,
) -> Result<Value, Box<Finding>> {
    let unusable = |reason: String| Box::new(prepared.finding(Code::ControlNotApplied, reason));
    let fault = Fault::of(&scratch.tree, &prepared.edits).map_err(unusable)?;
    let verdict = fault
        .put_in()
        .map_err(unusable)
        .and_then(|()| judge(workspace, scratch, prepared, times));
    fault.take_out().map_err(unusable)?;
    let rejections = verdict?;
    let edits: Vec<Value> = prepared
        .edits
        .iter()
        .zip(&prepared.control.edits)
        .map(|(applied, edit)| {
            json!({
                "file": applied.file,
                "find": edit.find.text,
                "item": applied.item.path,
                "part": if applied.part { "smaller than the body" } else { "the whole body" },
                "replace": edit.replace,
            })
        })
        .collect();
    Ok(json!({
        "control": prepared.control.id.text,
        "edits": edits,
        "format": "groupant-control/1",
        "rejections": rejections,
        "restored": true,
        "sidecar": prepared.sidecar.id.text,
    }))
}

fn judge(
    workspace: &Workspace,
    scratch: &Scratch,
    prepared: &Prepared<'_>,
    times: &BTreeMap<Reference, f64>,
) -> Result<Vec<Value>, Box<Finding>> {
    let id = &prepared.control.id.text;
    let broken = |code: Code, message: String| Box::new(prepared.finding(code, message));
    let mut rejections = Vec::new();
    for (package, targets) in targets(prepared.oracles.iter()) {
        let built = scratch
            .build(&package, &targets)
            .map_err(|error| broken(Code::ControlNotCompiled, error.to_string()))?;
        if let Some(error) = built.errors.first() {
            return Err(Box::new(
                prepared
                    .finding(
                        Code::ControlNotCompiled,
                        format!("`{id}` does not compile: {}", error.message),
                    )
                    .help("a compile error rejects nothing; write a fault that compiles"),
            ));
        }
        for oracle in prepared
            .oracles
            .iter()
            .filter(|oracle| oracle.package == package)
        {
            let binary = built.tests.get(&oracle.target).ok_or_else(|| {
                broken(
                    Code::ControlNotCompiled,
                    format!("no binary for `{}`", oracle.target),
                )
            })?;
            // A fault may be slow; an endless loop must not hold the run.
            let usual = times.get(oracle).copied().unwrap_or(1.0);
            let limit = Duration::from_secs_f64((10.0 * usual).max(10.0));
            let limit = limit.min(limits(workspace).time);
            let run = scratch
                .test(workspace, binary, oracle, limit)
                .map_err(|error| broken(Code::ControlNotCompiled, error.to_string()))?;
            match run.outcome {
                Outcome::Passed => {
                    return Err(Box::new(
                        prepared
                            .finding(
                                Code::ControlSurvived,
                                format!(
                                    "`{id}` survived: `{}` passes on the faulty code",
                                    oracle.test
                                ),
                            )
                            .help("strengthen the oracle, or name the one that tells the fault"),
                    ));
                }
                Outcome::Failed {
                    rejection,
                    place,
                    words,
                } => {
                    if rejection != prepared.control.rejection {
                        return Err(Box::new(
                            prepared
                                .finding(
                                    Code::ControlWrongRejection,
                                    format!(
                                        "`{id}` must be rejected by {}, `{}` ended by {}",
                                        article(prepared.control.rejection.name()),
                                        oracle.test,
                                        article(rejection.name())
                                    ),
                                )
                                .note(words)
                                .help("read the words; correct `rejection` only where this way of failing is the right one"),
                        ));
                    }
                    // The limit depends on how fast the machine is; a receipt does not.
                    let words = match rejection {
                        Rejection::Timeout => "no end within the time limit".to_owned(),
                        _ => words,
                    };
                    rejections.push(json!({
                        "by": rejection.name(),
                        "in": place.as_ref().map(|(item, _)| item),
                        "oracle": oracle.to_string(),
                        "through": place.as_ref().map(|(_, by)| by),
                        "words": words,
                    }));
                }
            }
        }
    }
    rejections.sort_by_key(|entry| entry["oracle"].as_str().unwrap_or_default().to_owned());
    Ok(rejections)
}

fn article(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {word}")
}
