//! Acceptance: an epoch with a reason for each model, children before parents;
//! and the review of models that compose children.

use super::{Bindings, Verdict};
use crate::finding::{Code, Finding, Report};
use crate::oracle::level::{Level, Standing};
use crate::sidecar::Sidecar;
use crate::sidecar::epoch::{self, Epoch};
use crate::workspace::{Workspace, WorkspaceError};
use std::collections::{BTreeMap, BTreeSet};

/// What a composing model's child stands at: its chain's head and that of all
/// below it.
#[must_use]
pub fn stand(sidecars: &[Sidecar], id: &str) -> String {
    fn digest(sidecars: &[Sidecar], id: &str, known: &mut BTreeMap<String, String>) -> String {
        if let Some(digest) = known.get(id) {
            return digest.clone();
        }
        // One that is below itself meets this, and is a finding of its own.
        known.insert(id.to_owned(), String::new());
        let Some(sidecar) = sidecars.iter().find(|sidecar| sidecar.id.text == id) else {
            return String::new();
        };
        let mut text = sidecar
            .epochs
            .last()
            .map_or(String::new(), |epoch| epoch.digest.clone());
        for child in &sidecar.children {
            text.push('\n');
            text.push_str(&digest(sidecars, &child.text, known));
        }
        let digest = crate::json::sha256(text.as_bytes());
        known.insert(id.to_owned(), digest.clone());
        digest
    }
    digest(sidecars, id, &mut BTreeMap::new())
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
                let why = latest_change(sidecars, &child.text).map_or_else(
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
fn latest_change<'a>(sidecars: &'a [Sidecar], id: &str) -> Option<(Vec<String>, &'a Epoch)> {
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
                .map_or(String::new(), |(_, finding)| finding.message.clone());
            return Err(AcceptError::Unbound(name.clone(), why));
        }
        for child in &sidecars[sidecar].models[model].children {
            let waiting = bindings.states.iter().any(|(other, state)| {
                state.sidecar == child.text
                    && state.verdict != Verdict::Fresh
                    && !models.contains(other)
            });
            if waiting {
                return Err(AcceptError::ChildFirst(name.clone(), child.text.clone()));
            }
        }
    }
    // Children first: what a parent records is what its children stand at afterwards.
    let mut names: Vec<&String> = models.iter().collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names.sort_by_key(|name| {
        find(sidecars, name).map_or(0, |(sidecar, _)| {
            height(sidecars, &sidecars[sidecar].id.text, &mut BTreeMap::new())
        })
    });
    let mut touched = BTreeSet::new();
    for name in names {
        let Some((index, model)) = find(sidecars, name) else {
            continue;
        };
        let standing = bar(
            &sidecars[index],
            &sidecars[index].models[model].id.text,
            standings.get(name).cloned().unwrap_or_default(),
        );
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

/// What the epoch says was shown. An oracle that was not executed on the current
/// code shows nothing now; what was accepted of it before stays the bar, so that
/// accepting before a run lets no later weakening pass.
fn bar(sidecar: &Sidecar, model: &str, mut standing: Standing) -> Standing {
    let before = epoch::last(&sidecar.epochs, model).filter(|_| !standing.unexecuted.is_empty());
    if let Some(before) = before {
        let level = Level::parse(&before.level).unwrap_or_default();
        standing.level = standing.level.max(level);
        for (oracle, size) in &before.universes {
            if standing.unexecuted.contains(oracle) {
                standing.universes.insert(oracle.clone(), *size);
            }
        }
    }
    standing
}

/// The head of a new `epochs.toml`.
pub const HEAD: &str =
    "# What was accepted, when and why. Appended by `bind --accept`, never rewritten.\n";

fn height(sidecars: &[Sidecar], id: &str, known: &mut BTreeMap<String, usize>) -> usize {
    if let Some(height) = known.get(id) {
        return *height;
    }
    known.insert(id.to_owned(), 0);
    let sidecar = sidecars.iter().find(|sidecar| sidecar.id.text == id);
    let children = sidecar.into_iter().flat_map(|sidecar| &sidecar.children);
    let height = children
        .map(|child| 1 + height(sidecars, &child.text, known))
        .max()
        .unwrap_or(0);
    known.insert(id.to_owned(), height);
    height
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
