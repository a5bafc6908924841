//! Receipts: their form, digests, the store in the tree, and what they were
//! made on. A receipt holds claims only; nothing in it depends on the machine,
//! the folder, the time or the number of cores.

mod figures;
mod inputs;

pub use figures::{claim, figures, update_readme};
pub use inputs::{CONTROLS, again, inputs, inputs_digest, moved, toolchain, with_receipts};

use crate::finding::{Code, Finding, Report};
use crate::json::{parse_canonical, sha256, short};
use crate::oracle::Reference;
use crate::sidecar::manifest::first_difference;
use crate::workspace::Workspace;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

/// The folder of all receipts.
pub const FOLDER: &str = "receipts";
/// A README line with this mark holds the digest over all receipts.
pub const MARK: &str = "<!-- receipts-digest -->";

/// A test's or module's name as a file name.
fn file_name(name: &str) -> String {
    name.replace("::", ".")
}

/// Where the receipt of an oracle stands.
#[must_use]
pub fn oracle_path(reference: &Reference) -> String {
    format!(
        "{FOLDER}/oracles/{}/{}/{}.json",
        reference.package,
        reference.target,
        file_name(&reference.test)
    )
}

/// Where it stands what the oracles of a test target were run on.
#[must_use]
pub fn inputs_path(package: &str, target: &str) -> String {
    format!("{FOLDER}/oracles/{package}/{target}/inputs.json")
}

/// Where the receipt of a control stands.
#[must_use]
pub fn control_path(sidecar: &str, control: &str) -> String {
    format!("{FOLDER}/controls/{sidecar}/{control}.json")
}

/// Where it stands what the controls of a sidecar were run on.
#[must_use]
pub fn control_inputs_path(sidecar: &str) -> String {
    format!("{FOLDER}/controls/{sidecar}/inputs.json")
}

/// Every receipt file in the tree, by path.
#[derive(Clone, Debug, Default)]
pub struct Store {
    /// Bytes by path.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Store {
    /// Reads the receipts of the tree.
    #[must_use]
    pub fn load(workspace: &Workspace) -> Self {
        let files = workspace
            .files(FOLDER, |file| {
                Path::new(file).extension().is_some_and(|end| end == "json")
            })
            .into_iter()
            .filter_map(|file| workspace.read(&file).ok().map(|bytes| (file, bytes)))
            .collect();
        Self { files }
    }

    /// A receipt by path, where it is well-formed.
    #[must_use]
    pub fn value(&self, path: &str) -> Option<Value> {
        parse_canonical(self.files.get(path)?).ok()
    }

    /// A receipt by path, where its inputs file lists exactly these bytes.
    #[must_use]
    pub fn intact(&self, path: &str) -> Option<Value> {
        self.is_intact(path).then(|| self.value(path))?
    }

    /// SHA-256 over the lines that `sha256sum` prints for all receipts in order.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut lines = String::new();
        for (path, bytes) in &self.files {
            let _ = writeln!(lines, "{}  {path}", sha256(bytes));
        }
        sha256(lines.as_bytes())
    }

    /// The receipt of an oracle, named in full or by the test alone where that
    /// is unambiguous.
    #[must_use]
    pub fn oracle(&self, name: &str) -> Option<Value> {
        if let Some(reference) = Reference::parse(name) {
            return self.value(&oracle_path(&reference));
        }
        let end = format!("/{}.json", file_name(name));
        let mut paths = self
            .files
            .keys()
            .filter(|path| path.starts_with("receipts/oracles/") && path.ends_with(&end));
        let path = paths.next()?;
        paths.next().is_none().then(|| self.value(path))?
    }

    /// The digest that the inputs file beside a receipt lists for it.
    fn recorded(&self, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/')?;
        let inputs = self.value(&format!("{folder}/inputs.json"))?;
        inputs["receipts"][name].as_str().map(str::to_owned)
    }

    /// Whether a receipt is there and is the one that its inputs file lists.
    fn is_intact(&self, path: &str) -> bool {
        self.files
            .get(path)
            .is_some_and(|bytes| self.recorded(path) == Some(sha256(bytes)))
    }

    /// Whether some receipt has this digest (twelve digits are enough).
    #[must_use]
    pub fn has_digest(&self, digest: &str) -> bool {
        digest.len() >= 12
            && self
                .files
                .values()
                .any(|bytes| sha256(bytes).starts_with(digest))
    }
}

/// What a run says the receipts must be.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Receipts that the run produced, by path.
    pub produced: BTreeMap<String, String>,
    /// Paths that belong to an oracle or a control, produced or not.
    pub known: BTreeSet<String>,
}

/// Checks what is in the tree: form and digests (intact), and against a run
/// (`produced`): reproduced. Without a run only the former.
pub fn check(workspace: &Workspace, store: &Store, expected: &Expected, report: &mut Report) {
    let command = &workspace.command;
    for path in &expected.known {
        report.checked("receipts", 1);
        let Some(bytes) = store.files.get(path) else {
            report.missing("receipts", 1);
            let mut finding = Finding::new(Code::ReceiptMissing, format!("{path} is missing"))
                .about(path.clone())
                .help(format!("{command} refresh"));
            if let Some((folder, name)) = path.rsplit_once('/')
                && let Some((list, range)) =
                    listed(workspace, &format!("{folder}/inputs.json"), name)
            {
                finding = finding.at(&list, range, "listed here");
            }
            report.push(finding);
            continue;
        };
        if !intact(store, &expected.known, path, command, report) {
            continue;
        }
        if let Some(text) = expected.produced.get(path)
            && text.as_bytes() != bytes.as_slice()
        {
            differs(workspace, path, bytes, text, report);
        }
    }
    for path in store.files.keys() {
        if !expected.known.contains(path) {
            report.push(
                Finding::new(
                    Code::ReceiptOrphan,
                    format!("{path} belongs to no test and no control"),
                )
                .about(path.clone())
                .at(path, 0..1, "this receipt")
                .help(format!("remove it: {command} refresh")),
            );
        }
    }
    figures::readme(workspace, store, report);
}

fn intact(
    store: &Store,
    known: &BTreeSet<String>,
    path: &str,
    command: &str,
    report: &mut Report,
) -> bool {
    let bytes = store.files.get(path).map_or(&[][..], Vec::as_slice);
    let edited = |reason: String| {
        Finding::new(Code::ReceiptEdited, format!("{path}: {reason}"))
            .about(path.to_owned())
            .at(
                path,
                0..bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0),
                "this receipt",
            )
            .help(format!(
                "restore it (git checkout -- {path}), or run it again: {command} refresh"
            ))
    };
    if let Err(reason) = parse_canonical(bytes) {
        report.push(edited(reason));
        return false;
    }
    if path.ends_with("/inputs.json") {
        let value = store.value(path).unwrap_or_default();
        let gone = value["receipts"].as_object().and_then(|list| {
            let folder = path.trim_end_matches("inputs.json");
            let known = |name: &String| known.contains(&format!("{folder}{name}"));
            let there = |name: &String| store.files.contains_key(&format!("{folder}{name}"));
            list.keys().find(|name| !there(name) && !known(name))
        });
        let reason = match gone {
            Some(name) => Some(format!("it lists {name}, which is not there")),
            None => inputs::malformed(path, &value),
        };
        let is_well = reason.is_none();
        report.findings.extend(reason.map(edited));
        return is_well;
    }
    let recorded = store.recorded(path);
    let recorded = recorded.as_deref().unwrap_or("nothing");
    let digest = sha256(bytes);
    if recorded == digest {
        return true;
    }
    report.push(
        edited("its digest is not the one that inputs.json lists".to_owned()).note(format!(
            "listed {}, found {}",
            short(recorded),
            short(&digest)
        )),
    );
    false
}

/// Where an inputs file names something.
fn listed(workspace: &Workspace, list: &str, name: &str) -> Option<(String, Range<usize>)> {
    let quoted = format!("\"{name}\"");
    let at = workspace.read_text(list).ok()?.find(&quoted)?;
    Some((list.to_owned(), at..at + quoted.len()))
}

fn differs(workspace: &Workspace, path: &str, old: &[u8], new: &str, report: &mut Report) {
    let command = &workspace.command;
    let first = first_difference(old, new.as_bytes());
    let (Ok(old), Ok(new)) = (
        serde_json::from_slice::<Value>(old),
        serde_json::from_str::<Value>(new),
    ) else {
        return;
    };
    if path.ends_with("/inputs.json") {
        if old["toolchain"] != new["toolchain"] {
            report.push(
                Finding::new(
                    Code::Toolchain,
                    format!(
                        "the receipts beside {path} were made with {}",
                        text(&old["toolchain"])
                    ),
                )
                .about(path.to_owned())
                .note(format!("this run used {}", text(&new["toolchain"]))),
            );
        }
        outdated(workspace, path, &moved(&old, &new), report);
        return;
    }
    let mut finding = Finding::new(
        Code::ReceiptDiffers,
        format!("{path}: the run gives something else"),
    )
    .about(path.to_owned())
    .at(path, first, "recorded here");
    for line in differences(&old, &new).into_iter().take(5) {
        finding = finding.note(line);
    }
    report.push(finding.help(format!(
        "if the new result is right: {command} refresh, and review `git diff receipts/`"
    )));
}

/// Tells that receipts were made on other inputs.
pub fn outdated(workspace: &Workspace, path: &str, moved: &[String], report: &mut Report) {
    let Some(first) = moved.first() else {
        return;
    };
    let mut finding = Finding::new(
        Code::ReceiptOutdated,
        format!("the receipts beside {path} were made on other inputs"),
    )
    .about(path.to_owned())
    .note(format!("moved: {}", moved.join(", ")))
    .help(format!("{} refresh", workspace.command));
    if let Some((list, range)) = listed(workspace, path, first) {
        finding = finding.at(&list, range, "the tree has another one");
    }
    report.push(finding);
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The leaves at which two values differ, as `path: old → new`.
#[must_use]
pub fn differences(old: &Value, new: &Value) -> Vec<String> {
    fn walk(path: &str, old: &Value, new: &Value, lines: &mut Vec<String>) {
        match (old, new) {
            (Value::Object(left), Value::Object(right)) => {
                for key in left.keys().chain(right.keys()).collect::<BTreeSet<_>>() {
                    let name = if path.is_empty() {
                        key.clone()
                    } else {
                        format!("{path}.{key}")
                    };
                    walk(
                        &name,
                        left.get(key).unwrap_or(&Value::Null),
                        right.get(key).unwrap_or(&Value::Null),
                        lines,
                    );
                }
            }
            (left, right) if left != right => lines.push(format!("{path}: {left} → {right}")),
            _ => {}
        }
    }
    let mut lines = Vec::new();
    walk("", old, new, &mut lines);
    lines
}

/// One cause, one finding: receipts that are outdated through the same inputs
/// are told together, with the places of the first.
pub fn gather(report: &mut Report) {
    let (outdated, mut others): (Vec<Finding>, Vec<Finding>) = std::mem::take(&mut report.findings)
        .into_iter()
        .partition(|finding| finding.code == Code::ReceiptOutdated);
    let mut causes: BTreeMap<Vec<String>, Vec<Finding>> = BTreeMap::new();
    for finding in outdated {
        causes
            .entry(finding.notes.clone())
            .or_default()
            .push(finding);
    }
    for (_, mut findings) in causes {
        findings.sort_by(|left, right| left.about.cmp(&right.about));
        findings.dedup();
        let paths: Vec<String> = findings
            .iter()
            .filter_map(|finding| finding.about.clone())
            .collect();
        let mut first = findings.swap_remove(0);
        if paths.len() > 1 {
            first.message = format!(
                "the receipts beside {} inputs files were made on other inputs",
                paths.len()
            );
            first = first.note(format!("inputs files: {}", paths.join(", ")));
        }
        others.push(first);
    }
    report.findings = others;
}

/// Without building: are the inputs that the receipts name those of the tree?
/// Gives the paths of the inputs files that are current.
pub fn current(workspace: &Workspace, store: &Store, report: &mut Report) -> BTreeSet<String> {
    let mut good = BTreeSet::new();
    let exempt = workspace.config.iter().flat_map(|config| &config.exempt);
    let exempt: Vec<&String> = exempt.map(|exempt| &exempt.path).collect();
    let mut subjects = workspace.subjects();
    subjects.retain(|subject| !exempt.contains(&subject));
    for path in store
        .files
        .keys()
        .filter(|path| path.ends_with("/inputs.json"))
    {
        let Some(old) = store.value(path) else {
            continue;
        };
        if old["sources"].is_null() {
            continue; // those of controls follow their targets
        }
        report.checked("inputs", 1);
        let names = moved(&old, &again(workspace, &old));
        if names.is_empty() {
            good.insert(path.clone());
        }
        // A subject that can't be parsed is told by its own finding.
        let unparsed = |file: &&String| {
            subjects.contains(file)
                && workspace
                    .source(file)
                    .is_ok_and(|parsed| parsed.source.is_err())
        };
        let told: Vec<String> = names
            .iter()
            .filter(|name| !unparsed(name))
            .cloned()
            .collect();
        outdated(workspace, path, &told, report);
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_name_the_leaves() {
        let lines = differences(
            &json!({"a": {"b": 1, "c": 2}}),
            &json!({"a": {"b": 1, "c": 3}, "d": 4}),
        );
        assert_eq!(lines, ["a.c: 2 → 3", "d: null → 4"]);
    }
}
