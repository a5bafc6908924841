//! What receipts were made on: everything that was compiled into a test binary,
//! and the data that its oracles declare.

use crate::exec::process::{Limits, command, run};
use crate::exec::{Built, compiled_files};
use crate::json::{canonical, sha256};
use crate::workspace::Workspace;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// The form of what the oracles of a target were run on.
const ORACLES: &str = "groupant-inputs/1";
/// The form of what the controls of a sidecar were run on.
pub const CONTROLS: &str = "groupant-control-inputs/1";

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
/// into the binary, and the data that the oracles declare. What a build script
/// generates stands under the target directory and follows from the script's
/// sources and from the files that it says it reads.
#[must_use]
pub fn inputs(
    workspace: &Workspace,
    package: &str,
    target: &str,
    built: &Built,
    data: &BTreeSet<String>,
) -> Value {
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    let generated = workspace.metadata.target_directory.as_std_path();
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
            let path = normalised(&workspace.root.join(&name));
            if path.starts_with(generated) {
                continue;
            }
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
    for file in data.iter().chain(&script_files(workspace, built)) {
        if let Some(digest) = input_digest(workspace, file, "bytes") {
            sources.entry(file.clone()).or_insert(digest);
        }
    }
    let dependencies = workspace.dependencies(package);
    let mut value = json!({
        "dependencies": dependencies.external,
        "features": dependencies.features,
        "format": ORACLES,
        "profiles": profiles(workspace),
        "sources": sources,
        "target": format!("{package}::{target}"),
        "tokens": crate::source::TOKENS_VERSION,
    });
    if let Some(digest) = config(workspace) {
        value["config"] = json!(digest);
    }
    value
}

/// A path without `.` and `..`, as `include_str!("../x")` leaves them.
fn normalised(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The files of the tree that build scripts say they read; of a folder all that
/// stands below it.
fn script_files(workspace: &Workspace, built: &Built) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for (package, output) in &built.scripts {
        let known = workspace.metadata.packages.iter();
        let home = known
            .filter(|known| known.id.repr == *package)
            .find_map(|known| known.manifest_path.parent());
        let (Some(home), Ok(text)) = (home, std::fs::read_to_string(output)) else {
            continue;
        };
        for name in text.lines().filter_map(|line| {
            let line = line.strip_prefix("cargo:")?;
            let line = line.strip_prefix(':').unwrap_or(line);
            line.strip_prefix("rerun-if-changed=")
        }) {
            let path = normalised(&home.as_std_path().join(name.trim()));
            let Some(relative) = workspace.relative(&path) else {
                continue;
            };
            if path.is_dir() {
                files.extend(workspace.files(&relative, |_| true));
            } else {
                files.insert(relative);
            }
        }
    }
    files
}

/// Digest of what the tree's own Cargo configuration says of compiling, if it
/// says anything: aliases and the like compile nothing.
fn config(workspace: &Workspace) -> Option<String> {
    let texts = [".cargo/config.toml", ".cargo/config"];
    let text = texts
        .iter()
        .find_map(|file| workspace.read_text(file).ok())?;
    let mut table = toml::from_str::<toml::Table>(&text).ok()?;
    table.retain(|key, _| matches!(key, "build" | "env" | "patch" | "profile" | "target"));
    if let Some(build) = table.get_mut("build").and_then(toml::Value::as_table_mut) {
        build.retain(|key, _| matches!(key, "rustc" | "rustflags" | "target"));
    }
    table.retain(|_, value| value.as_table().is_none_or(|table| !table.is_empty()));
    (!table.is_empty())
        .then(|| sha256(serde_json::to_string(&table).unwrap_or_default().as_bytes()))
}

/// What is wrong with the form of an inputs file, if anything: its keys are
/// known, and it stands where it says.
pub(super) fn malformed(path: &str, value: &Value) -> Option<String> {
    let text = |key: &str| value[key].as_str().unwrap_or_default();
    let of_controls = path.starts_with("receipts/controls/");
    let (format, keys): (_, &[&str]) = if of_controls {
        (CONTROLS, &["controls", "sidecar", "targets"])
    } else {
        let keys = &[
            "config",
            "dependencies",
            "features",
            "profiles",
            "sources",
            "target",
            "tokens",
        ];
        (ORACLES, keys)
    };
    let content = if of_controls { "targets" } else { "sources" };
    if value["format"] != format || !value[content].is_object() {
        return Some(format!("not of the form {format}"));
    }
    let common = ["format", "receipts", "toolchain"];
    let mut found = value.as_object().into_iter().flat_map(Map::keys);
    if let Some(key) =
        found.find(|key| !keys.contains(&key.as_str()) && !common.contains(&key.as_str()))
    {
        return Some(format!("the key `{key}` is unknown"));
    }
    let place = if of_controls {
        Some(super::control_inputs_path(text("sidecar")))
    } else {
        text("target")
            .split_once("::")
            .map(|(package, target)| super::inputs_path(package, target))
    };
    (place.as_deref() != Some(path)).then(|| "it stands in another place than it says".to_owned())
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
        "config",
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
        match config(workspace) {
            Some(digest) => new["config"] = json!(digest),
            None => drop(new.as_object_mut().and_then(|new| new.remove("config"))),
        }
    }
    new["tokens"] = json!(crate::source::TOKENS_VERSION);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_their_steps_up_and_back() {
        let path = normalised(Path::new("/base/a/src/../data/./x.txt"));
        assert_eq!(path, Path::new("/base/a/data/x.txt"));
    }

    #[test]
    fn an_inputs_file_has_known_keys_and_stands_where_it_says() {
        let good = json!({
            "dependencies": [], "features": {}, "format": ORACLES, "profiles": "", "receipts": {},
            "sources": {}, "target": "p::t", "tokens": "", "toolchain": "",
        });
        let path = "receipts/oracles/p/t/inputs.json";
        assert_eq!(malformed(path, &good), None);
        let changed = |key: &str, value: &str| {
            let mut changed = good.clone();
            changed[key] = json!(value);
            malformed(path, &changed)
        };
        assert_eq!(changed("more", "").unwrap(), "the key `more` is unknown");
        for (key, value) in [("target", "p::u"), ("format", CONTROLS), ("sources", "")] {
            assert!(changed(key, value).is_some(), "{key}");
        }
    }
}
