//! What moved since it was accepted: compare each model's items with its last
//! epoch, find relocated items, and accept with a reason.

mod accept;
mod judge;

pub use accept::{AcceptError, HEAD, accept, find, review, stand};

use crate::finding::{Code, Finding, Report};
use crate::sidecar::epoch::{self, AcceptedItem};
use crate::sidecar::{Model, Sidecar};
use crate::source::Item;
use crate::workspace::{Parsed, Workspace};
use judge::Judge;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How a model stands to what was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Every item is as accepted.
    Fresh,
    /// There is no epoch, or its list of items is another one.
    Unaccepted,
    /// An item stands elsewhere with the same tokens.
    Moved,
    /// An item's body changed.
    Body,
    /// An item's signature changed.
    Signature,
    /// A name fits several items.
    Ambiguous,
    /// An item is gone.
    Gone,
    /// A source can't be parsed.
    Unparsed,
}

impl Verdict {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.code() {
            Some(code) => code.name(),
            None => "fresh",
        }
    }

    fn code(self) -> Option<Code> {
        Some(match self {
            Self::Fresh => return None,
            Self::Unaccepted => Code::Unaccepted,
            Self::Moved => Code::Moved,
            Self::Body => Code::Body,
            Self::Signature => Code::Signature,
            Self::Ambiguous => Code::Ambiguous,
            Self::Gone => Code::Gone,
            Self::Unparsed => Code::Unparsed,
        })
    }
}

/// A model's items in the tree and its verdict.
#[derive(Clone, Debug)]
pub struct State {
    /// The id of its sidecar.
    pub sidecar: String,
    /// The worst of its items' verdicts.
    pub verdict: Verdict,
    /// The items that were found, sorted.
    pub items: Vec<AcceptedItem>,
    /// The findings behind the verdict, each with the item that is its cause.
    pub findings: Vec<(String, Finding)>,
}

/// The states of all models, by `sidecar/model`.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// By `sidecar/model`.
    pub states: BTreeMap<String, State>,
}

impl Bindings {
    /// Resolves and compares every model of every sidecar.
    #[must_use]
    pub fn of(workspace: &Workspace, sidecars: &[Sidecar]) -> Self {
        let mut states = BTreeMap::new();
        for sidecar in sidecars {
            let sources = Sources::of(workspace, sidecar, sidecars);
            for model in &sidecar.models {
                let state = state(workspace, sidecar, model, &sources);
                states.insert(sidecar.name_of(model), state);
            }
        }
        Self { states }
    }

    /// The items of a model.
    #[must_use]
    pub fn items(&self, model: &str) -> &[AcceptedItem] {
        self.states.get(model).map_or(&[], |state| &state.items)
    }

    /// Whether any model of a sidecar is not fresh.
    #[must_use]
    pub fn is_stale(&self, sidecar: &str) -> bool {
        self.states
            .values()
            .any(|state| state.sidecar == sidecar && state.verdict != Verdict::Fresh)
    }

    /// Puts the findings into a report, with the counts. Models of a sidecar
    /// that are stale through one and the same item are told together.
    pub fn tell(&self, command: &str, report: &mut Report) {
        let mut causes: BTreeMap<Cause<'_>, Vec<(&str, &Finding)>> = BTreeMap::new();
        for (model, state) in &self.states {
            report.checked("models", 1);
            for (item, finding) in &state.findings {
                // A source that can't be parsed is one cause for every sidecar.
                let sidecar = match finding.code {
                    Code::Unparsed => "",
                    _ => state.sidecar.as_str(),
                };
                let cause = (sidecar, finding.code, item.as_str());
                causes.entry(cause).or_default().push((model, finding));
            }
        }
        for ((sidecar, code, _), told) in causes {
            let models: BTreeSet<&str> = told.iter().map(|(model, _)| *model).collect();
            if models.len() > 1 && models.len() == told.len() {
                report.push(together(sidecar, code, &told, command));
            } else {
                report
                    .findings
                    .extend(told.iter().map(|(_, finding)| (*finding).clone()));
            }
        }
    }
}

/// The sidecar, the code and the item of a stale model.
type Cause<'a> = (&'a str, Code, &'a str);

/// One finding for several models with the same cause.
fn together(sidecar: &str, code: Code, told: &[(&str, &Finding)], command: &str) -> Finding {
    let mut finding = told[0].1.clone();
    finding.about = Some(sidecar.to_owned()).filter(|sidecar| !sidecar.is_empty());
    let models: Vec<&str> = told.iter().map(|(model, _)| *model).collect();
    let short = |model: &str| model.split_once('/').map_or(model, |(_, id)| id).to_owned();
    let one = format!("`{}` is ", short(models[0]));
    if let Some(rest) = finding.message.strip_prefix(&one) {
        finding.message = format!("{} models are {rest}", models.len());
    }
    if matches!(code, Code::Unparsed | Code::Ambiguous) {
        return finding;
    }
    finding.notes.push(format!(
        "models: {}",
        models
            .iter()
            .map(|model| short(model))
            .collect::<Vec<_>>()
            .join(", ")
    ));
    if finding
        .help
        .as_ref()
        .is_some_and(|help| help.contains(" bind --accept "))
    {
        finding.help = Some(format!(
            "read their sections, then: {command} bind --accept {} --because \"…\"",
            models.join(" ")
        ));
    }
    finding
}

/// The parsed sources in which a sidecar's items are looked for.
struct Sources {
    parsed: Vec<Arc<Parsed>>,
    broken: Vec<Finding>,
    /// Whether a source can't be read, which is a finding of the sidecar check.
    unread: bool,
}

impl Sources {
    fn of(workspace: &Workspace, sidecar: &Sidecar, sidecars: &[Sidecar]) -> Self {
        let mut files = BTreeSet::new();
        collect(sidecar, sidecars, &mut files, &mut BTreeSet::new());
        let mut sources = Self {
            parsed: Vec::new(),
            broken: Vec::new(),
            unread: false,
        };
        for file in files {
            let Ok(parsed) = workspace.source(&file) else {
                sources.unread = true;
                continue;
            };
            if let Err(error) = &parsed.source {
                sources.broken.push(
                    Finding::new(
                        Code::Unparsed,
                        format!("{file} can't be parsed: {}", error.message),
                    )
                    .at(&file, error.range.clone(), error.message.clone())
                    .help("mend the syntax; nothing can be said of its items before that"),
                );
            }
            sources.parsed.push(parsed);
        }
        sources
    }

    fn items<'a>(&'a self, reference: &str) -> Vec<(&'a Arc<Parsed>, &'a Item)> {
        self.parsed
            .iter()
            .filter_map(|parsed| parsed.source.as_ref().ok().map(|source| (parsed, source)))
            .flat_map(|(parsed, source)| {
                source
                    .resolve(reference)
                    .into_iter()
                    .map(move |item| (parsed, item))
            })
            .collect()
    }
}

/// The sources of a sidecar and of everything below it; each is visited once.
fn collect<'a>(
    sidecar: &'a Sidecar,
    sidecars: &'a [Sidecar],
    files: &mut BTreeSet<String>,
    seen: &mut BTreeSet<&'a str>,
) {
    if !seen.insert(&sidecar.folder) {
        return;
    }
    files.extend(sidecar.source.iter().map(|source| source.text.clone()));
    for child in &sidecar.children {
        for child in sidecars.iter().filter(|other| other.id.text == child.text) {
            collect(child, sidecars, files, seen);
        }
    }
}

fn accepted_item(parsed: &Parsed, item: &Item) -> AcceptedItem {
    AcceptedItem {
        file: parsed.file.clone(),
        path: item.path.clone(),
        tokens: item.tokens.clone(),
        signature: item.signature.clone(),
    }
}

fn state(workspace: &Workspace, sidecar: &Sidecar, model: &Model, sources: &Sources) -> State {
    let epoch = epoch::last(&sidecar.epochs, &model.id.text);
    let mut judge = Judge {
        workspace,
        sidecar,
        model,
        epoch,
        verdict: Verdict::Fresh,
        findings: Vec::new(),
    };
    let mut items = Vec::new();
    let mut unresolved = Vec::new();
    for reference in &model.items {
        match sources.items(&reference.text).as_slice() {
            [] => unresolved.push(reference),
            [(parsed, item)] => items.push((reference, *parsed, *item)),
            several => judge.ambiguous(reference, several),
        }
    }
    for finding in &sources.broken {
        judge.put(Verdict::Unparsed, &finding.message, finding.clone());
    }
    // Accepted items that no resolved item answers for, by exact place.
    let mut left: Vec<&AcceptedItem> =
        epoch.map_or(Vec::new(), |epoch| epoch.items.iter().collect());
    left.retain(|accepted| {
        !items
            .iter()
            .any(|(_, parsed, item)| parsed.file == accepted.file && item.path == accepted.path)
    });
    for (reference, parsed, item) in &items {
        judge.compare(reference, parsed, item, &mut left);
    }
    if sources.unread && !unresolved.is_empty() {
        judge.verdict = judge.verdict.max(Verdict::Gone);
    } else if sources.broken.is_empty() {
        for reference in unresolved {
            judge.unresolved(reference, sources, &mut left);
        }
        if !left.is_empty() && judge.verdict == Verdict::Fresh {
            let names: Vec<&str> = left.iter().map(|item| item.path.as_str()).collect();
            judge.unaccepted(
                &model.id,
                &format!("the accepted items also hold {}", names.join(", ")),
            );
        }
    }
    if epoch.is_none() && judge.verdict == Verdict::Fresh {
        judge.unaccepted(&model.id, "no epoch holds this model");
    }
    let mut found: Vec<AcceptedItem> = items
        .iter()
        .map(|(_, parsed, item)| accepted_item(parsed, item))
        .collect();
    found.sort();
    found.dedup();
    State {
        sidecar: sidecar.id.text.clone(),
        verdict: judge.verdict,
        items: found,
        findings: judge.findings,
    }
}
