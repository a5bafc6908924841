//! The generated files: `manifest.json` and `syntax.json` of each sidecar and
//! `sidecars/registry.json` over all. They are a pure function of sources,
//! authored and appended files: delete them and generate them again, and
//! nothing has become fresh that was not.

use super::{Kind, Sidecar, epoch};
use crate::binding::Bindings;
use crate::finding::{Code, Finding, Report};
use crate::json::{canonical, sha256};
use crate::source::{TOKENS_VERSION, projection};
use crate::workspace::{Workspace, WorkspaceError};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The registry, relative to the root.
pub const REGISTRY: &str = "sidecars/registry.json";

/// Every generated file with its text, by path. `bytes` in a manifest holds
/// digests of whole files; everything else is its substance, and `digest` is
/// taken of the substance alone, so that a comment moves no parent.
#[must_use]
pub fn generate(
    workspace: &Workspace,
    sidecars: &[Sidecar],
    bindings: &Bindings,
) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut digests = BTreeMap::new();
    for sidecar in sidecars {
        digest_of(workspace, sidecars, bindings, sidecar, &mut digests);
    }
    for sidecar in sidecars {
        let manifest = manifest(workspace, sidecar, bindings, &digests);
        files.insert(sidecar.file("manifest.json"), canonical(&manifest));
        if sidecar.kind == Kind::File
            && let Some(source) = &sidecar.source
            && let Ok(parsed) = workspace.source(&source.text)
            && let Ok(items) = &parsed.source
        {
            files.insert(sidecar.file("syntax.json"), canonical(&projection(items)));
        }
    }
    if !sidecars.is_empty() {
        files.insert(REGISTRY.to_owned(), canonical(&registry(sidecars)));
    }
    files
}

/// Children first; a cycle is a finding of its own.
fn digest_of(
    workspace: &Workspace,
    sidecars: &[Sidecar],
    bindings: &Bindings,
    sidecar: &Sidecar,
    digests: &mut BTreeMap<String, String>,
) {
    if digests.contains_key(&sidecar.id.text) {
        return;
    }
    // One that is below itself meets this.
    digests.insert(sidecar.id.text.clone(), String::new());
    for child in &sidecar.children {
        if let Some(child) = sidecars.iter().find(|other| other.id.text == child.text) {
            digest_of(workspace, sidecars, bindings, child, digests);
        }
    }
    let digest = manifest(workspace, sidecar, bindings, digests)["digest"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    digests.insert(sidecar.id.text.clone(), digest);
}

fn manifest(
    workspace: &Workspace,
    sidecar: &Sidecar,
    bindings: &Bindings,
    digests: &BTreeMap<String, String>,
) -> Value {
    let models: Vec<Value> = sidecar
        .models
        .iter()
        .map(|model| {
            let items: Vec<Value> = bindings
                .items(&sidecar.name_of(model))
                .iter()
                .map(|item| json!({"file": item.file, "path": item.path, "signature": item.signature, "tokens": item.tokens}))
                .collect();
            json!({
                "accepted": epoch::last(&sidecar.epochs, &model.id.text).map(|epoch| &epoch.digest),
                "approximation": model.approximation.name(),
                "assumptions": model.assumptions,
                "children": texts(&model.children),
                "controls": texts(&model.controls),
                "document": sidecar.heading(&model.id.text).map(|(document, _)| &document.name),
                "domain": model.domain,
                "id": model.id.text,
                "items": items,
                "observation": model.observation,
                "oracles": texts(&model.oracles),
                "type": model.kind.text,
            })
        })
        .collect();
    let children: Map<String, Value> = sidecar
        .children
        .iter()
        .map(|child| (child.text.clone(), json!(digests.get(&child.text))))
        .collect();
    let parsed = sidecar
        .source
        .as_ref()
        .and_then(|source| workspace.source(&source.text).ok());
    let production = parsed.as_ref().and_then(|parsed| {
        parsed
            .source
            .as_ref()
            .ok()
            .map(|source| source.production.clone())
    });
    let mut value = json!({
        "children": children,
        "controls": sidecar.controls.iter().map(control).collect::<Vec<_>>(),
        "epochs": {"count": sidecar.epochs.len(), "head": sidecar.epochs.last().map(|epoch| &epoch.digest)},
        "format": "groupant-manifest/1",
        "id": sidecar.id.text,
        "items": texts(&sidecar.items),
        "kind": sidecar.kind.name(),
        "models": models,
        "owner": sidecar.owner,
        "production": production,
        "source": sidecar.source.as_ref().map(|source| &source.text),
        "title": sidecar.title,
        "tokens": TOKENS_VERSION,
    });
    let digest = sha256(canonical(&value).as_bytes());
    let documents: Map<String, Value> = sidecar
        .documents
        .iter()
        .map(|document| (document.name.clone(), json!(document.sha256)))
        .collect();
    value["digest"] = json!(digest);
    value["bytes"] = json!({
        "definition": sidecar.definition,
        "documents": documents,
        "source": parsed.map(|parsed| parsed.sha256.clone()),
    });
    value
}

fn control(control: &super::Control) -> Value {
    let edits: Vec<Value> = control
        .edits
        .iter()
        .map(|edit| {
            json!({"find": edit.find.text, "item": edit.item.text, "replace": edit.replace, "source": edit.source})
        })
        .collect();
    json!({
        "edits": sha256(canonical(&json!(edits)).as_bytes()),
        "id": control.id.text,
        "rejected_by": texts(&control.rejected_by),
        "rejection": control.rejection.name(),
    })
}

fn texts(list: &[super::Placed]) -> Vec<&str> {
    list.iter().map(|placed| placed.text.as_str()).collect()
}

fn registry(sidecars: &[Sidecar]) -> Value {
    let mut entries: Vec<Value> = sidecars
        .iter()
        .map(|sidecar| {
            json!({
                "id": sidecar.id.text,
                "kind": sidecar.kind.name(),
                "models": sidecar.models.iter().map(|model| &model.id.text).collect::<Vec<_>>(),
                "owner": sidecar.owner,
                "place": sidecar.folder,
                "source": sidecar.source.as_ref().map(|source| &source.text),
            })
        })
        .collect();
    entries.sort_by_key(|entry| entry["id"].as_str().unwrap_or_default().to_owned());
    json!({"entries": entries, "format": "groupant-registry/1"})
}

/// A generated file that is not what the tree gives.
struct Off {
    file: String,
    /// The first line that differs.
    range: std::ops::Range<usize>,
    /// The keys that differ, where the file has the form.
    keys: Vec<String>,
}

impl Off {
    /// Whether only the digests of children moved.
    fn is_roll_up(&self) -> bool {
        !self.keys.is_empty()
            && self
                .keys
                .iter()
                .all(|key| key == "children" || key == "digest")
    }
}

/// Compares the generated files with those in the tree. Where only `bytes`
/// moved that is a note (or, with `strict`, a finding). Without `strict` one
/// cause is told once: a sidecar with a stale model as stale alone, since
/// acceptance regenerates; a parent not at all where only a child's digest
/// moved; the registry not where the definition of a sidecar moved.
pub fn check(
    workspace: &Workspace,
    sidecars: &[Sidecar],
    bindings: &Bindings,
    strict: bool,
    report: &mut Report,
) {
    let generated = generate(workspace, sidecars, bindings);
    let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut outdated: BTreeMap<&str, Vec<Off>> = BTreeMap::new();
    for (file, text) in &generated {
        report.checked("generated files", 1);
        let owner = sidecars.iter().find(|sidecar| {
            file.strip_prefix(sidecar.folder.as_str())
                .is_some_and(|rest| rest.starts_with('/') && !rest[1..].contains('/'))
        });
        let about = owner.map_or("registry", |sidecar| sidecar.id.text.as_str());
        let Ok(old) = workspace.read(file) else {
            report.missing("generated files", 1);
            missing.entry(about).or_default().push(file.clone());
            continue;
        };
        if old == text.as_bytes() || (file == REGISTRY && doubled_entries(&old, workspace, report))
        {
            continue;
        }
        let difference = compare(&old, text);
        if let (Difference::Bytes { source, documents }, false) = (&difference, strict) {
            notes(owner, *source, documents, report);
            continue;
        }
        if owner.is_some_and(|sidecar| bindings.is_stale(&sidecar.id.text)) && !strict {
            continue;
        }
        if let Some(sidecar) = owner.filter(|_| file.ends_with("/manifest.json")) {
            elsewhere(sidecar, &old, text, bindings, report);
        }
        outdated.entry(about).or_default().push(Off {
            file: file.clone(),
            range: first_difference(&old, text.as_bytes()),
            keys: match difference {
                Difference::Keys(keys) => keys,
                Difference::Bytes { .. } => vec!["bytes".to_owned()],
                Difference::Form => Vec::new(),
            },
        });
    }
    for (about, files) in missing {
        let are = if files.len() == 1 { "is" } else { "are" };
        report.push(
            Finding::new(
                Code::GeneratedMissing,
                format!("{} {are} missing", files.join(" and ")),
            )
            .about(about)
            .help(format!("generate it: {} bind", workspace.command)),
        );
    }
    let moved = |id: &str| outdated.contains_key(id) || bindings.is_stale(id);
    let definition_moved = sidecars.iter().any(|sidecar| moved(&sidecar.id.text));
    for (about, off) in &outdated {
        let children = sidecars
            .iter()
            .filter(|sidecar| sidecar.id.text == *about)
            .flat_map(|sidecar| &sidecar.children);
        let follows = if off[0].file == REGISTRY {
            definition_moved
        } else {
            off.iter().all(Off::is_roll_up) && children.into_iter().any(|child| moved(&child.text))
        };
        if strict || !follows {
            report.push(told(workspace, about, off));
        }
    }
    unowned(workspace, sidecars, &generated, report);
}

fn told(workspace: &Workspace, about: &str, off: &[Off]) -> Finding {
    let files: Vec<&str> = off.iter().map(|off| off.file.as_str()).collect();
    let are = if files.len() == 1 { "is" } else { "are" };
    let mut finding = Finding::new(
        Code::GeneratedOutdated,
        format!("{} {are} not what the tree gives", files.join(" and ")),
    )
    .about(about)
    .at(&off[0].file, off[0].range.clone(), "first difference")
    .help(format!("generate it again: {} bind", workspace.command));
    if !off[0].keys.is_empty() {
        finding = finding.note(format!("differs in: {}", off[0].keys.join(", ")));
    }
    finding
}

/// Generated files that stand beside no sidecar.
fn unowned(
    workspace: &Workspace,
    sidecars: &[Sidecar],
    generated: &BTreeMap<String, String>,
    report: &mut Report,
) {
    for file in workspace.files(super::FOLDER, |file| {
        file.ends_with("/manifest.json") || file.ends_with("/syntax.json")
    }) {
        // A source that can't be parsed has no projection; that is told by its own finding.
        let unparsed = sidecars
            .iter()
            .any(|sidecar| sidecar.kind == Kind::File && sidecar.file("syntax.json") == file);
        if !generated.contains_key(&file) && !unparsed {
            report.push(
                Finding::new(
                    Code::GeneratedOutdated,
                    format!("{file} belongs to no sidecar"),
                )
                .help(format!("remove it: git rm {file}")),
            );
        }
    }
}

/// Some sidecars and all that roll them up, directly or not.
#[must_use]
pub fn with_parents(sidecars: &[Sidecar], mut ids: BTreeSet<String>) -> BTreeSet<String> {
    loop {
        let before = ids.len();
        for sidecar in sidecars {
            if sidecar
                .children
                .iter()
                .any(|child| ids.contains(&child.text))
            {
                ids.insert(sidecar.id.text.clone());
            }
        }
        if ids.len() == before {
            return ids;
        }
    }
}

/// Writes what differs, except for the sidecars that are `kept` as they are.
/// Gives the files that were written.
///
/// # Errors
///
/// Where the file system refuses.
pub fn write(
    workspace: &Workspace,
    sidecars: &[Sidecar],
    bindings: &Bindings,
    kept: &BTreeSet<String>,
) -> Result<Vec<String>, WorkspaceError> {
    let mut written = Vec::new();
    let kept: Vec<String> = sidecars
        .iter()
        .filter(|sidecar| kept.contains(&sidecar.id.text))
        .flat_map(|sidecar| ["manifest.json", "syntax.json"].map(|name| sidecar.file(name)))
        .collect();
    for (file, text) in generate(workspace, sidecars, bindings) {
        if !kept.contains(&file) && workspace.write(&file, text.as_bytes())? {
            written.push(file);
        }
    }
    Ok(written)
}

enum Difference {
    /// Only digests of whole files moved.
    Bytes {
        source: bool,
        documents: Vec<String>,
    },
    /// Some of the substance moved.
    Keys(Vec<String>),
    /// Not a file of this form.
    Form,
}

fn compare(old: &[u8], new: &str) -> Difference {
    let (Ok(Value::Object(old)), Ok(Value::Object(new))) = (
        crate::json::parse_canonical(old),
        serde_json::from_str::<Value>(new),
    ) else {
        return Difference::Form;
    };
    let keys: Vec<String> = new
        .keys()
        .chain(old.keys())
        .filter(|key| old.get(*key) != new.get(*key))
        .cloned()
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    if keys != ["bytes"] {
        return Difference::Keys(keys);
    }
    let (old, new) = (&old["bytes"], &new["bytes"]);
    let empty = Map::new();
    let documents = |value: &Value| value["documents"].as_object().unwrap_or(&empty).clone();
    let (old_documents, new_documents) = (documents(old), documents(new));
    Difference::Bytes {
        source: old["source"] != new["source"],
        documents: new_documents
            .keys()
            .chain(old_documents.keys())
            .filter(|name| old_documents.get(*name) != new_documents.get(*name))
            .cloned()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect(),
    }
}

fn notes(owner: Option<&Sidecar>, source: bool, documents: &[String], report: &mut Report) {
    let Some(sidecar) = owner else {
        return;
    };
    if let Some(path) = sidecar.source.as_ref().filter(|_| source) {
        report.push(
            Finding::new(
                Code::Cosmetic,
                format!("{}: bytes moved, tokens did not", path.text),
            )
            .about(sidecar.id.text.clone()),
        );
    }
    for name in documents {
        let here = sidecar
            .documents
            .iter()
            .any(|document| document.name == *name);
        let what = if here { "edited" } else { "removed" };
        report.push(
            Finding::new(Code::Prose, format!("{} was {what}", sidecar.file(name)))
                .about(sidecar.id.text.clone()),
        );
    }
}

/// Tells that a source changed outside the items of its models.
fn elsewhere(sidecar: &Sidecar, old: &[u8], new: &str, bindings: &Bindings, report: &mut Report) {
    let (Ok(old), Ok(new)) = (
        serde_json::from_slice::<Value>(old),
        serde_json::from_str::<Value>(new),
    ) else {
        return;
    };
    if old["production"] != new["production"] && !bindings.is_stale(&sidecar.id.text) {
        let source = sidecar
            .source
            .as_ref()
            .map_or("", |source| source.text.as_str());
        report.push(
            Finding::new(
                Code::Elsewhere,
                format!("{source} changed outside the items of its models, or in their order"),
            )
            .about(sidecar.id.text.clone()),
        );
    }
}

/// Tells an id that has two entries; whether there is one.
fn doubled_entries(bytes: &[u8], workspace: &Workspace, report: &mut Report) -> bool {
    let Ok(registry) = serde_json::from_slice::<Value>(bytes) else {
        return false;
    };
    let mut seen = std::collections::BTreeSet::new();
    let entries = registry["entries"].as_array().into_iter().flatten();
    let doubled = entries
        .filter_map(|entry| entry["id"].as_str())
        .find(|id| !seen.insert(*id));
    let Some(id) = doubled else {
        return false;
    };
    let text = String::from_utf8_lossy(bytes);
    let entry = format!("\"id\": \"{id}\"");
    let mut finding = Finding::new(
        Code::IdDoubled,
        format!("{REGISTRY} has the entry `{id}` twice"),
    )
    .about("registry");
    let labels = ["again here", "first here"];
    let places: Vec<usize> = text
        .match_indices(&entry)
        .map(|(at, _)| at)
        .take(2)
        .collect();
    for (at, label) in places.iter().rev().zip(labels) {
        finding = finding.at(REGISTRY, *at..at + entry.len(), label);
    }
    report.push(finding.help(format!("generate it again: {} bind", workspace.command)));
    true
}

/// The first line of the old text that is not in the new one at that place.
pub(crate) fn first_difference(old: &[u8], new: &[u8]) -> std::ops::Range<usize> {
    let at = old
        .iter()
        .zip(new)
        .take_while(|(left, right)| left == right)
        .count();
    let start = old[..at]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let end = old[at..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(old.len(), |newline| at + newline);
    start..end
}
