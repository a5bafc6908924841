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
use std::collections::BTreeMap;

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
        digest_of(workspace, sidecars, bindings, sidecar, &mut digests, 0);
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

/// Children first; a cycle ends at the depth limit and is a finding of its own.
fn digest_of(
    workspace: &Workspace,
    sidecars: &[Sidecar],
    bindings: &Bindings,
    sidecar: &Sidecar,
    digests: &mut BTreeMap<String, String>,
    depth: usize,
) {
    if digests.contains_key(&sidecar.id.text) || depth > sidecars.len() {
        return;
    }
    for child in &sidecar.children {
        if let Some(child) = sidecars.iter().find(|other| other.id.text == child.text) {
            digest_of(workspace, sidecars, bindings, child, digests, depth + 1);
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

/// Compares the generated files with those in the tree. Where only `bytes`
/// moved that is a note (or, with `strict`, a finding); a sidecar with a stale
/// model is told as stale alone, since acceptance regenerates.
pub fn check(
    workspace: &Workspace,
    sidecars: &[Sidecar],
    bindings: &Bindings,
    strict: bool,
    report: &mut Report,
) {
    let generated = generate(workspace, sidecars, bindings);
    for (file, text) in &generated {
        report.checked("generated files", 1);
        let owner = sidecars.iter().find(|sidecar| {
            file.strip_prefix(sidecar.folder.as_str())
                .is_some_and(|rest| rest.starts_with('/') && !rest[1..].contains('/'))
        });
        let about = owner.map_or("registry", |sidecar| sidecar.id.text.as_str());
        let Ok(old) = workspace.read(file) else {
            report.missing("generated files", 1);
            report.push(
                Finding::new(Code::GeneratedMissing, format!("{file} is missing"))
                    .about(about)
                    .help(format!("generate it: {} bind", workspace.command)),
            );
            continue;
        };
        if old == text.as_bytes() {
            continue;
        }
        if file == REGISTRY {
            doubled_entries(&old, report);
        }
        match compare(&old, text) {
            Difference::Bytes { source, documents } if !strict => {
                notes(owner, source, &documents, report);
            }
            difference => {
                if owner.is_some_and(|sidecar| bindings.is_stale(&sidecar.id.text)) && !strict {
                    continue;
                }
                let mut finding = Finding::new(
                    Code::GeneratedOutdated,
                    format!("{file} is not what the tree gives"),
                )
                .about(about)
                .at(
                    file,
                    first_difference(&old, text.as_bytes()),
                    "first difference",
                )
                .help(format!("generate it again: {} bind", workspace.command));
                if let Difference::Keys(keys) = difference {
                    finding = finding.note(format!("differs in: {}", keys.join(", ")));
                }
                report.push(finding);
                if let Some(sidecar) = owner.filter(|_| file.ends_with("/manifest.json")) {
                    elsewhere(sidecar, &old, text, bindings, report);
                }
            }
        }
    }
    for file in workspace.files(super::FOLDER, |file| {
        file.ends_with("/manifest.json") || file.ends_with("/syntax.json")
    }) {
        if !generated.contains_key(&file) {
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

/// Writes what differs. Gives the files that were written.
///
/// # Errors
///
/// Where the file system refuses.
pub fn write(
    workspace: &Workspace,
    sidecars: &[Sidecar],
    bindings: &Bindings,
) -> Result<Vec<String>, WorkspaceError> {
    let mut written = Vec::new();
    for (file, text) in generate(workspace, sidecars, bindings) {
        if workspace.write(&file, text.as_bytes())? {
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
        report.push(
            Finding::new(Code::Prose, format!("{} was edited", sidecar.file(name)))
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

fn doubled_entries(registry: &[u8], report: &mut Report) {
    let Ok(registry) = serde_json::from_slice::<Value>(registry) else {
        return;
    };
    let mut seen = std::collections::BTreeSet::new();
    for entry in registry["entries"].as_array().into_iter().flatten() {
        let id = entry["id"].as_str().unwrap_or_default();
        if !seen.insert(id) {
            report.push(
                Finding::new(
                    Code::IdDoubled,
                    format!("{REGISTRY} has the entry `{id}` twice"),
                )
                .about("registry"),
            );
        }
    }
}

fn first_difference(old: &[u8], new: &[u8]) -> std::ops::Range<usize> {
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
