//! What moved since it was accepted: compare each model's items with its last
//! epoch, find relocated items, and accept with a reason.

use crate::finding::{Code, Finding, Report};
use crate::oracle::level::Standing;
use crate::sidecar::check::short;
use crate::sidecar::epoch::{self, AcceptedItem, Epoch};
use crate::sidecar::{Model, Placed, Sidecar};
use crate::source::Item;
use crate::workspace::{Parsed, Workspace, WorkspaceError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Above this many canonical tokens a single match of the digest is trusted
/// when an item is looked for elsewhere; copies of smaller items are common
/// (measured: 0.7% at 81 to 100 tokens within a file, 45% at most five tokens).
const TRUSTED_SIZE: usize = 80;

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
    /// The findings behind the verdict.
    pub findings: Vec<Finding>,
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

    /// Puts the findings into a report, with the counts.
    pub fn tell(&self, report: &mut Report) {
        for state in self.states.values() {
            report.checked("models", 1);
            report.findings.extend(state.findings.iter().cloned());
        }
    }
}

/// The parsed sources in which a sidecar's items are looked for.
struct Sources {
    parsed: Vec<Arc<Parsed>>,
    broken: Vec<Finding>,
}

impl Sources {
    fn of(workspace: &Workspace, sidecar: &Sidecar, sidecars: &[Sidecar]) -> Self {
        let mut files = BTreeSet::new();
        collect(sidecar, sidecars, &mut files, 0);
        let mut sources = Self {
            parsed: Vec::new(),
            broken: Vec::new(),
        };
        for file in files {
            let Ok(parsed) = workspace.source(&file) else {
                continue; // a missing source is a finding of the sidecar check
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

fn collect(sidecar: &Sidecar, sidecars: &[Sidecar], files: &mut BTreeSet<String>, depth: usize) {
    files.extend(sidecar.source.iter().map(|source| source.text.clone()));
    if depth > sidecars.len() {
        return;
    }
    for child in &sidecar.children {
        for child in sidecars.iter().filter(|other| other.id.text == child.text) {
            collect(child, sidecars, files, depth + 1);
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
        let finding = finding.clone();
        judge.put(Verdict::Unparsed, finding);
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
    if sources.broken.is_empty() {
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

/// Collects what is wrong with one model.
struct Judge<'a> {
    workspace: &'a Workspace,
    sidecar: &'a Sidecar,
    model: &'a Model,
    epoch: Option<&'a Epoch>,
    verdict: Verdict,
    findings: Vec<Finding>,
}

impl Judge<'_> {
    fn put(&mut self, verdict: Verdict, finding: Finding) {
        self.verdict = self.verdict.max(verdict);
        let about = self.sidecar.name_of(self.model);
        self.findings.push(finding.about(about));
    }

    fn new(&self, verdict: Verdict, message: String) -> Finding {
        Finding::new(verdict.code().unwrap_or(Code::Unaccepted), message)
    }

    /// The command that accepts, after the section that is to be read.
    fn accept_help(&self) -> String {
        let name = self.sidecar.name_of(self.model);
        let read =
            self.sidecar
                .heading(&self.model.id.text)
                .map_or(String::new(), |(document, _)| {
                    format!(
                        "read `{}` in {}, then: ",
                        self.model.id.text,
                        self.sidecar.file(&document.name)
                    )
                });
        format!(
            "{read}{} bind --accept {name} --because \"…\"",
            self.workspace.command
        )
    }

    fn since(&self) -> String {
        self.epoch
            .map_or(String::new(), |epoch| format!(" since {}", epoch.date))
    }

    fn ambiguous(&mut self, reference: &Placed, several: &[(&Arc<Parsed>, &Item)]) {
        let toml = self.sidecar.toml();
        let mut finding = self
            .new(
                Verdict::Ambiguous,
                format!("`{}` fits {} items", reference.text, several.len()),
            )
            .at(
                &toml,
                reference.range.clone(),
                "write a longer end of the item's path",
            );
        for (parsed, item) in several {
            finding = finding.at(&parsed.file, item.head.clone(), item.path.clone());
        }
        let help = format!("for example `{}`", longer(&several[0].1.path));
        self.put(Verdict::Ambiguous, finding.help(help));
    }

    fn unaccepted(&mut self, place: &Placed, why: &str) {
        let toml = self.sidecar.toml();
        let finding = self
            .new(
                Verdict::Unaccepted,
                format!("`{}` is not accepted: {why}", self.model.id.text),
            )
            .at(&toml, place.range.clone(), "not accepted yet")
            .help(self.accept_help());
        self.put(Verdict::Unaccepted, finding);
    }

    fn compare(
        &mut self,
        reference: &Placed,
        parsed: &Parsed,
        item: &Item,
        left: &mut Vec<&AcceptedItem>,
    ) {
        let Some(epoch) = self.epoch else {
            return;
        };
        let same_place = epoch
            .items
            .iter()
            .find(|accepted| accepted.file == parsed.file && accepted.path == item.path);
        if let Some(accepted) = same_place {
            if accepted.tokens != item.tokens {
                self.changed(reference, parsed, item, accepted);
            }
            return;
        }
        if let Some(at) = left
            .iter()
            .position(|accepted| accepted.tokens == item.tokens)
        {
            let accepted = left.remove(at);
            self.moved(reference, accepted, &parsed.file, item);
        } else if let Some(at) = left
            .iter()
            .position(|accepted| last_name(&accepted.path) == last_name(&item.path))
        {
            let accepted = left.remove(at);
            self.changed(reference, parsed, item, accepted);
        } else {
            self.unaccepted(
                reference,
                &format!("`{}` is not among the accepted items", item.path),
            );
        }
    }

    fn changed(
        &mut self,
        reference: &Placed,
        parsed: &Parsed,
        item: &Item,
        accepted: &AcceptedItem,
    ) {
        let (verdict, what) = if accepted.signature == item.signature && accepted.path == item.path
        {
            (Verdict::Body, "body")
        } else {
            (Verdict::Signature, "signature")
        };
        let mut finding = self
            .new(
                verdict,
                format!(
                    "`{}` is stale: the {what} of `{}` changed{}",
                    self.model.id.text,
                    item.path,
                    self.since()
                ),
            )
            .at(
                &parsed.file,
                item.head.clone(),
                format!("its {what} changed"),
            )
            .at(
                &self.sidecar.toml(),
                reference.range.clone(),
                "the model speaks of it here",
            )
            .note(format!(
                "tokens {} → {}",
                short(&accepted.tokens),
                short(&item.tokens)
            ));
        if accepted.signature != item.signature {
            finding = finding.note(format!(
                "signature {} → {}",
                short(&accepted.signature),
                short(&item.signature)
            ));
        }
        if accepted.path != item.path {
            finding = finding.note(format!("path `{}` → `{}`", accepted.path, item.path));
        }
        let help = self.accept_help();
        self.put(verdict, finding.help(help));
    }

    fn moved(&mut self, reference: &Placed, accepted: &AcceptedItem, file: &str, item: &Item) {
        let finding = self
            .new(
                Verdict::Moved,
                format!(
                    "`{}` is stale: `{}` moved",
                    self.model.id.text,
                    last_name(&accepted.path)
                ),
            )
            .at(
                file,
                item.head.clone(),
                "it stands here now, with the same tokens",
            )
            .at(
                &self.sidecar.toml(),
                reference.range.clone(),
                "the model speaks of it here",
            )
            .note(format!(
                "accepted as `{}` in {}",
                accepted.path, accepted.file
            ));
        let help = if self
            .sidecar
            .source
            .as_ref()
            .is_some_and(|source| source.text != file)
        {
            format!("let a sidecar of {file} speak of it, or move it back")
        } else {
            self.accept_help()
        };
        self.put(Verdict::Moved, finding.help(help));
    }

    /// An item that its name no longer finds: relocated, or gone.
    fn unresolved(&mut self, reference: &Placed, sources: &Sources, left: &mut Vec<&AcceptedItem>) {
        let toml = self.sidecar.toml();
        let name = reference.text.rsplit("::").next().unwrap_or_default();
        let at = left
            .iter()
            .position(|accepted| last_name(&accepted.path) == name)
            .or((left.len() == 1).then_some(0));
        let Some(at) = at else {
            let finding = self
                .new(Verdict::Gone, format!("`{}` names no item", reference.text))
                .at(
                    &toml,
                    reference.range.clone(),
                    "no production item has this name",
                )
                .help("correct the name, or remove it from `items`");
            self.put(Verdict::Gone, finding);
            return;
        };
        let accepted = left.remove(at);
        let mut candidates = candidates(&sources.parsed, &accepted.tokens);
        if candidates.is_empty() {
            let all: Vec<Arc<Parsed>> = self
                .workspace
                .rust_files()
                .iter()
                .filter_map(|file| self.workspace.source(file).ok())
                .collect();
            candidates = self::candidates(&all, &accepted.tokens);
        }
        let trusted: Vec<_> = candidates
            .iter()
            .filter(|(_, item)| {
                item.size > TRUSTED_SIZE || last_name(&item.path) == last_name(&accepted.path)
            })
            .collect();
        if let [(file, item)] = trusted.as_slice() {
            self.moved(reference, accepted, file, item);
            return;
        }
        let mut finding = self
            .new(
                Verdict::Gone,
                format!(
                    "`{}` is stale: `{}` is gone{}",
                    self.model.id.text,
                    accepted.path,
                    self.since()
                ),
            )
            .at(
                &toml,
                reference.range.clone(),
                "the model speaks of it here",
            )
            .note(format!(
                "it stood in {} with tokens {}",
                accepted.file,
                short(&accepted.tokens)
            ));
        for (file, item) in candidates.iter().take(3) {
            finding = finding.at(
                file,
                item.head.clone(),
                "has the same tokens; perhaps a copy",
            );
        }
        self.put(
            Verdict::Gone,
            finding
                .help("bring it back, or change what the model says and its `items`, then accept"),
        );
    }
}

fn candidates(parsed: &[Arc<Parsed>], tokens: &str) -> Vec<(String, Item)> {
    parsed
        .iter()
        .filter_map(|parsed| parsed.source.as_ref().ok().map(|source| (parsed, source)))
        .flat_map(|(parsed, source)| {
            source
                .items
                .iter()
                .filter(|item| !item.test && item.tokens == tokens)
                .map(|item| (parsed.file.clone(), item.clone()))
        })
        .collect()
}

/// The plain name at the end of an item path.
fn last_name(path: &str) -> &str {
    // A tag tells doubled paths apart: `fn f [2]`.
    let path = path
        .strip_suffix(']')
        .and_then(|path| path.rsplit_once(" ["))
        .map_or(path, |(path, _)| path);
    let end = path.rsplit("::").next().unwrap_or(path);
    end.rsplit(' ').next().unwrap_or(end)
}

/// The names of the last two steps of a path, as a reference.
fn longer(path: &str) -> String {
    let steps: Vec<&str> = path
        .rsplit("::")
        .take(2)
        .map(|step| step.rsplit(' ').next().unwrap_or(step))
        .collect();
    steps.into_iter().rev().collect::<Vec<_>>().join("::")
}

/// What a composing model's child stands at: its chain's head and that of all
/// below it.
#[must_use]
pub fn stand(sidecars: &[Sidecar], id: &str) -> String {
    fn digest(sidecars: &[Sidecar], id: &str, depth: usize) -> String {
        let Some(sidecar) = sidecars.iter().find(|sidecar| sidecar.id.text == id) else {
            return String::new();
        };
        let mut text = sidecar
            .epochs
            .last()
            .map_or(String::new(), |epoch| epoch.digest.clone());
        if depth <= sidecars.len() {
            for child in &sidecar.children {
                text.push('\n');
                text.push_str(&digest(sidecars, &child.text, depth + 1));
            }
        }
        crate::json::sha256(text.as_bytes())
    }
    digest(sidecars, id, 0)
}

/// A composing model is to be read again when an accepted change reached a
/// child; the shortest path tells why.
pub fn review(workspace: &Workspace, sidecars: &[Sidecar], report: &mut Report) {
    for sidecar in sidecars {
        for model in sidecar
            .models
            .iter()
            .filter(|model| !model.children.is_empty())
        {
            report.checked("compositions", 1);
            let Some(epoch) = epoch::last(&sidecar.epochs, &model.id.text) else {
                continue;
            };
            for child in &model.children {
                let now = stand(sidecars, &child.text);
                let then = epoch.children.get(&child.text).map_or("", String::as_str);
                if now == then {
                    continue;
                }
                let why = latest_change(sidecars, &child.text, epoch).map_or_else(
                    String::new,
                    |(path, change)| {
                        format!(
                            "{} → {}: {} accepted {} because: {}",
                            sidecar.id.text,
                            path.join(" → "),
                            change.model,
                            change.date,
                            change.reason
                        )
                    },
                );
                let mut finding = Finding::new(
                    Code::Review,
                    format!(
                        "`{}` composes `{}`, which changed since {}",
                        model.id.text, child.text, epoch.date
                    ),
                )
                .about(sidecar.name_of(model))
                .at(&sidecar.toml(), child.range.clone(), "this child changed");
                if !why.is_empty() {
                    finding = finding.note(why);
                }
                report.push(finding.help(format!(
                    "read both, then: {} bind --accept {} --because \"…\"",
                    workspace.command,
                    sidecar.name_of(model)
                )));
            }
        }
    }
}

/// The nearest descendant (breadth first) with its last accepted change.
fn latest_change<'a>(
    sidecars: &'a [Sidecar],
    id: &str,
    _since: &Epoch,
) -> Option<(Vec<String>, &'a Epoch)> {
    let mut queue = std::collections::VecDeque::from([vec![id.to_owned()]]);
    let mut seen = BTreeSet::new();
    while let Some(path) = queue.pop_front() {
        let id = path.last()?.clone();
        if !seen.insert(id.clone()) {
            continue;
        }
        let Some(sidecar) = sidecars.iter().find(|sidecar| sidecar.id.text == id) else {
            continue;
        };
        if let Some(epoch) = sidecar.epochs.last() {
            return Some((path, epoch));
        }
        for child in &sidecar.children {
            let mut longer = path.clone();
            longer.push(child.text.clone());
            queue.push_back(longer);
        }
    }
    None
}

/// Why an acceptance was refused.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The name fits no model.
    #[error("no model is called `{0}`; `status` lists them")]
    Unknown(String),
    /// An item is gone, ambiguous or can't be parsed.
    #[error("`{0}` can't be accepted: {1}")]
    Unbound(String, String),
    /// A child has to be accepted first.
    #[error("`{0}` composes `{1}`, which has models that are not accepted; accept those first")]
    ChildFirst(String, String),
    /// The file system refused.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// Appends an epoch for each named model. All are checked before any is
/// written; the entries of one sidecar are written at once.
///
/// # Errors
///
/// See [`AcceptError`].
pub fn accept(
    workspace: &Workspace,
    sidecars: &mut [Sidecar],
    bindings: &Bindings,
    standings: &BTreeMap<String, Standing>,
    models: &[String],
    reason: &str,
) -> Result<(), AcceptError> {
    for name in models {
        let (sidecar, model) =
            find(sidecars, name).ok_or_else(|| AcceptError::Unknown(name.clone()))?;
        let state = &bindings.states[name];
        if state.verdict >= Verdict::Ambiguous {
            let why = state
                .findings
                .first()
                .map_or(String::new(), |finding| finding.message.clone());
            return Err(AcceptError::Unbound(name.clone(), why));
        }
        for child in &sidecars[sidecar].models[model].children {
            let stale = bindings.states.iter().any(|(other, state)| {
                state.sidecar == child.text
                    && state.verdict != Verdict::Fresh
                    && !models.contains(other)
            });
            if stale {
                return Err(AcceptError::ChildFirst(name.clone(), child.text.clone()));
            }
        }
    }
    // Children first: what a parent records is what its children stand at afterwards.
    let mut names: Vec<&String> = models.iter().collect();
    names.sort_by_key(|name| {
        find(sidecars, name).map_or(0, |(sidecar, _)| {
            height(sidecars, &sidecars[sidecar].id.text, 0)
        })
    });
    let mut touched = BTreeSet::new();
    for name in names {
        let Some((index, model)) = find(sidecars, name) else {
            continue;
        };
        let standing = standings.get(name).cloned().unwrap_or_default();
        let children = sidecars[index].models[model]
            .children
            .iter()
            .map(|child| (child.text.clone(), stand(sidecars, &child.text)))
            .collect();
        let sidecar = &mut sidecars[index];
        let mut epoch = Epoch {
            model: sidecar.models[model].id.text.clone(),
            date: epoch::today(),
            reason: reason.to_owned(),
            level: standing.level.name().to_owned(),
            previous: sidecar
                .epochs
                .last()
                .map_or(String::new(), |epoch| epoch.digest.clone()),
            digest: String::new(),
            universes: standing.universes,
            children,
            items: bindings.items(name).to_vec(),
        };
        epoch.digest = epoch.seal();
        sidecar.epochs.push(epoch);
        touched.insert(index);
    }
    for index in touched {
        let sidecar = &sidecars[index];
        let file = sidecar.file("epochs.toml");
        let mut text = if workspace.exists(&file) {
            workspace.read_text(&file)?
        } else {
            HEAD.to_owned()
        };
        let known = epoch::parse(&text).map_or(0, |epochs| epochs.len());
        for epoch in &sidecar.epochs[known..] {
            text.push('\n');
            text.push_str(&epoch::render(epoch));
        }
        workspace.write(&file, text.as_bytes())?;
    }
    Ok(())
}

/// The head of a new `epochs.toml`.
pub const HEAD: &str =
    "# What was accepted, when and why. Appended by `bind --accept`, never rewritten.\n";

fn height(sidecars: &[Sidecar], id: &str, depth: usize) -> usize {
    if depth > sidecars.len() {
        return 0;
    }
    sidecars
        .iter()
        .find(|sidecar| sidecar.id.text == id)
        .map_or(0, |sidecar| {
            sidecar
                .children
                .iter()
                .map(|child| 1 + height(sidecars, &child.text, depth + 1))
                .max()
                .unwrap_or(0)
        })
}

/// A model by `sidecar/model`.
#[must_use]
pub fn find(sidecars: &[Sidecar], name: &str) -> Option<(usize, usize)> {
    let (id, model_id) = name.split_once('/')?;
    let sidecar = sidecars.iter().position(|sidecar| sidecar.id.text == id)?;
    let model = sidecars[sidecar]
        .models
        .iter()
        .position(|model| model.id.text == model_id)?;
    Some((sidecar, model))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_the_end_of_a_path_are_found_whatever_stands_before() {
        assert_eq!(last_name("impl Decoder::fn push"), "push");
        assert_eq!(last_name("fn decode"), "decode");
        assert_eq!(last_name("mod a::fn decode [2]"), "decode");
        assert_eq!(longer("impl Decoder::fn push"), "Decoder::push");
    }
}
