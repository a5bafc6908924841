//! What receipts were made on: everything that was compiled into a test binary,
//! and the data that its oracles declare.

use crate::exec::process::{Limits, command, run};
use crate::exec::{Built, compiled_files};
use crate::json::{canonical, sha256};
use crate::workspace::Workspace;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// The digest of one input: by tokens where it is Rust, by bytes otherwise. The
/// word before the colon says which.
fn input_digest(workspace: &Workspace, file: &str, word: &str) -> Option<String> {
    if word != "bytes"
        && let Ok(parsed) = workspace.source(file)
        && let Ok(source) = &parsed.source
    {
        let digest = if word == "tokens" {
            &source.whole
        } else {
            &source.production
        };
        return Some(format!("{word}:{digest}"));
    }
    workspace
        .read(file)
        .ok()
        .map(|bytes| format!("bytes:{}", sha256(&bytes)))
}

/// What the oracles of a test target were run on: everything that was compiled
/// into the binary, and the data that the oracles declare.
#[must_use]
pub fn inputs(
    workspace: &Workspace,
    package: &str,
    target: &str,
    built: &Built,
    data: &BTreeSet<String>,
) -> Value {
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for (file, is_test) in &built.dependency_files {
        // Other test targets of the package are not part of this one.
        let other_test = *is_test
            && built
                .tests
                .iter()
                .any(|(name, binary)| name != target && binary.with_extension("d") == *file);
        if other_test {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        for name in compiled_files(&text) {
            let path = workspace.root.join(&name);
            let Some(relative) = workspace.relative(&path) else {
                continue;
            };
            let word = match (
                Path::new(&name).extension().is_some_and(|end| end == "rs"),
                is_test,
            ) {
                (false, _) => "bytes",
                (true, true) => "tokens",
                (true, false) => "production",
            };
            let known = sources.get(&relative);
            if known.is_none_or(|known| known.starts_with("production:"))
                && let Some(digest) = input_digest(workspace, &relative, word)
            {
                sources.insert(relative, digest);
            }
        }
    }
    for file in data {
        if let Some(digest) = input_digest(workspace, file, "bytes") {
            sources.insert(file.clone(), digest);
        }
    }
    let dependencies = workspace.dependencies(package);
    json!({
        "dependencies": dependencies.external,
        "features": dependencies.features,
        "format": "groupant-inputs/1",
        "profiles": profiles(workspace),
        "sources": sources,
        "target": format!("{package}::{target}"),
        "tokens": crate::source::TOKENS_VERSION,
    })
}

/// Digest of the profile tables, which decide how everything is compiled.
fn profiles(workspace: &Workspace) -> String {
    let table = workspace
        .read_text("Cargo.toml")
        .ok()
        .and_then(|text| toml::from_str::<toml::Table>(&text).ok())
        .and_then(|mut table| table.remove("profile"));
    sha256(serde_json::to_string(&table).unwrap_or_default().as_bytes())
}

/// `rustc`'s version and host, for people: another toolchain is told and is not
/// staleness by itself.
#[must_use]
pub fn toolchain(workspace: &Workspace) -> String {
    let mut call = command("rustc");
    call.arg("-vV").current_dir(&workspace.root);
    let limits = Limits {
        time: Duration::from_mins(1),
        output: 1 << 16,
    };
    let text = run(call, limits)
        .map(|ended| String::from_utf8_lossy(&ended.stdout).into_owned())
        .unwrap_or_default();
    let mut lines = text.lines();
    let version = lines.next().unwrap_or("unknown");
    let host = lines
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap_or("unknown");
    format!("{version} {host}")
}

/// Adds what an inputs file lists besides the inputs: the toolchain and the
/// digests of the receipts beside it.
#[must_use]
pub fn with_receipts(
    inputs: &Value,
    toolchain: &str,
    receipts: &BTreeMap<String, String>,
) -> Value {
    let mut value = inputs.clone();
    value["receipts"] = json!(receipts);
    value["toolchain"] = json!(toolchain);
    value
}

/// The part of an inputs file that decides whether it is current.
fn substance(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(map) = value.as_object_mut() {
        map.remove("receipts");
        map.remove("toolchain");
    }
    value
}

/// Digest of the inputs without the receipts that were made on them.
#[must_use]
pub fn inputs_digest(inputs: &Value) -> String {
    sha256(canonical(&substance(inputs)).as_bytes())
}

/// What differs between the inputs that a receipt was made on and others, by name.
#[must_use]
pub fn moved(old: &Value, new: &Value) -> Vec<String> {
    let mut names = Vec::new();
    let empty = Map::new();
    let sources = |value: &Value| value["sources"].as_object().unwrap_or(&empty).clone();
    let (before, after) = (sources(old), sources(new));
    for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
        if before.get(name) != after.get(name) {
            names.push(name.clone());
        }
    }
    for key in [
        "dependencies",
        "features",
        "profiles",
        "tokens",
        "targets",
        "controls",
    ] {
        if old[key] != new[key] {
            names.push(key.to_owned());
        }
    }
    names
}

/// The inputs that an inputs file names, taken from the tree again: what can be
/// said without building.
#[must_use]
pub fn again(workspace: &Workspace, old: &Value) -> Value {
    let mut new = substance(old);
    if let Some(sources) = new["sources"].as_object_mut() {
        for (file, digest) in sources.iter_mut() {
            let word = digest
                .as_str()
                .and_then(|digest| digest.split_once(':'))
                .map_or("bytes", |(word, _)| word);
            *digest = json!(input_digest(workspace, file, word));
        }
    }
    let package = new["target"]
        .as_str()
        .and_then(|target| target.split_once("::"))
        .map(|(package, _)| package.to_owned());
    if let Some(package) = package {
        let dependencies = workspace.dependencies(&package);
        new["dependencies"] = json!(dependencies.external);
        new["features"] = json!(dependencies.features);
        new["profiles"] = json!(profiles(workspace));
    }
    new
}
