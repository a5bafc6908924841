//! Receipts: their form, digests, the store in the tree, and what they were
//! made on. A receipt holds claims only; nothing in it depends on the machine,
//! the folder, the time or the number of cores.

use crate::exec::{Built, compiled_files};
use crate::finding::{Code, Finding, Report};
use crate::json::{canonical, parse_canonical, sha256};
use crate::oracle::Reference;
use crate::sidecar::check::short;
use crate::workspace::{Workspace, WorkspaceError};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
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

    /// SHA-256 over the lines that `sha256sum` prints for all receipts in order.
    #[must_use]
    pub fn digest(&self) -> String {
        let lines: String = self
            .files
            .iter()
            .map(|(path, bytes)| format!("{}  {path}\n", sha256(bytes)))
            .collect();
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
    let mut command = crate::exec::process::command("rustc");
    command.arg("-vV").current_dir(&workspace.root);
    let limits = crate::exec::process::Limits {
        time: std::time::Duration::from_secs(60),
        output: 1 << 16,
    };
    let text = crate::exec::process::run(command, limits)
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
            report.push(
                Finding::new(Code::ReceiptMissing, format!("{path} is missing"))
                    .about(path.clone())
                    .help(format!("{command} refresh")),
            );
            continue;
        };
        if !intact(store, path, bytes, command, report) {
            continue;
        }
        if let Some(text) = expected.produced.get(path)
            && text.as_bytes() != bytes.as_slice()
        {
            differs(path, bytes, text, command, report);
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
                .help(format!("{command} refresh removes it")),
            );
        }
    }
    readme(workspace, store, report);
}

fn intact(store: &Store, path: &str, bytes: &[u8], command: &str, report: &mut Report) -> bool {
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
        return true;
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let name = path.rsplit('/').next().unwrap_or_default();
    let inputs = store.value(&format!("{folder}/inputs.json"));
    let recorded = inputs
        .as_ref()
        .and_then(|inputs| inputs["receipts"][name].as_str())
        .unwrap_or("nothing");
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

fn differs(path: &str, old: &[u8], new: &str, command: &str, report: &mut Report) {
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
        outdated(path, &moved(&old, &new), command, report);
        return;
    }
    let mut finding = Finding::new(
        Code::ReceiptDiffers,
        format!("{path}: the run gives something else"),
    )
    .about(path.to_owned());
    for line in differences(&old, &new).into_iter().take(5) {
        finding = finding.note(line);
    }
    report.push(finding.help(format!(
        "if the new result is right: {command} refresh, and review `git diff receipts/`"
    )));
}

/// Tells that receipts were made on other inputs.
pub fn outdated(path: &str, moved: &[String], command: &str, report: &mut Report) {
    if moved.is_empty() {
        return;
    }
    report.push(
        Finding::new(
            Code::ReceiptOutdated,
            format!("the receipts beside {path} were made on other inputs"),
        )
        .about(path.to_owned())
        .note(format!("moved: {}", moved.join(", ")))
        .help(format!("{command} refresh")),
    );
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

/// Without building: are the inputs that the receipts name those of the tree?
/// Gives the paths of the inputs files that are current.
pub fn current(workspace: &Workspace, store: &Store, report: &mut Report) -> BTreeSet<String> {
    let mut good = BTreeSet::new();
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
        outdated(path, &names, &workspace.command, report);
    }
    good
}

/// The digest in the README is that of the receipts.
fn readme(workspace: &Workspace, store: &Store, report: &mut Report) {
    let Ok(text) = workspace.read_text("README.md") else {
        return;
    };
    let Some((range, found)) = marked(&text) else {
        return;
    };
    report.checked("readme digest", 1);
    let digest = store.digest();
    if found != digest {
        report.push(
            Finding::new(
                Code::DigestMismatch,
                "the digest over all receipts is another one",
            )
            .about("README.md")
            .at(
                "README.md",
                range,
                format!("the tree gives {}…", short(&digest)),
            )
            .help(format!("{} refresh", workspace.command)),
        );
    }
}

/// The digest on the marked line of a README, with its bytes.
fn marked(text: &str) -> Option<(std::ops::Range<usize>, &str)> {
    let mark = text.find(MARK)?;
    let line = text[..mark].rfind('\n').map_or(0, |at| at + 1);
    let open = line + text[line..mark].find('`')? + 1;
    let close = open + text[open..mark].find('`')?;
    Some((open..close, &text[open..close]))
}

/// Writes the digest over all receipts into the README's marked line.
///
/// # Errors
///
/// Where the file system refuses.
pub fn update_readme(workspace: &Workspace) -> Result<bool, WorkspaceError> {
    let Ok(mut text) = workspace.read_text("README.md") else {
        return Ok(false);
    };
    let Some((range, _)) = marked(&text) else {
        return Ok(false);
    };
    text.replace_range(range, &Store::load(workspace).digest());
    workspace.write("README.md", text.as_bytes())
}

/// A claim by its dotted path, as a document writes it.
#[must_use]
pub fn claim(receipt: &Value, path: &str) -> Option<String> {
    fn get<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
        let map = value.as_object()?;
        if let Some(found) = map.get(path) {
            return Some(found);
        }
        // Keys may hold dots themselves: try every split.
        path.match_indices('.')
            .find_map(|(at, _)| get(map.get(&path[..at])?, &path[at + 1..]))
    }
    let found = get(&receipt["claims"], path)?;
    (!found.is_object() && !found.is_array()).then(|| text(found))
}

/// Checks every figure and every cited digest of every document.
pub fn figures(
    workspace: &Workspace,
    sidecars: &[crate::sidecar::Sidecar],
    store: &Store,
    report: &mut Report,
) {
    for sidecar in sidecars {
        for document in &sidecar.documents {
            let file = sidecar.file(&document.name);
            for figure in &document.figures {
                report.checked("figures", 1);
                let found = store
                    .oracle(&figure.test)
                    .and_then(|receipt| claim(&receipt, &figure.path));
                match found {
                    Some(found) if found == figure.value => {}
                    Some(found) => report.push(
                        Finding::new(
                            Code::FigureMismatch,
                            format!(
                                "`{}.{}` is {found}, not {}",
                                figure.test, figure.path, figure.value
                            ),
                        )
                        .about(sidecar.id.text.clone())
                        .at(
                            &file,
                            figure.range.clone(),
                            format!("the receipt says {found}"),
                        )
                        .help("correct the number, and read what the sentence says of it"),
                    ),
                    None => {
                        report.missing("figures", 1);
                        report.push(
                            Finding::new(
                                Code::FigureUnknown,
                                format!(
                                    "no receipt has the claim `{}.{}`",
                                    figure.test, figure.path
                                ),
                            )
                            .about(sidecar.id.text.clone())
                            .at(&file, figure.range.clone(), "nothing to compare with")
                            .help(format!(
                                "{} receipt show {} lists the claims",
                                workspace.command, figure.test
                            )),
                        );
                    }
                }
            }
            for (digest, range) in &document.citations {
                report.checked("citations", 1);
                if !store.has_digest(digest) {
                    report.push(
                        Finding::new(
                            Code::FigureUnknown,
                            format!("no receipt has the digest {digest}"),
                        )
                        .about(sidecar.id.text.clone())
                        .at(&file, range.clone(), "cited here")
                        .help("cite a receipt of the tree"),
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_found_by_dotted_paths_even_where_keys_hold_dots() {
        let receipt = json!({"claims": {"universe": 5, "fibers": {"A/10": 938, "a.b": 2}, "big": "9007199254740993", "list": [1]}});
        assert_eq!(claim(&receipt, "universe").unwrap(), "5");
        assert_eq!(claim(&receipt, "fibers.A/10").unwrap(), "938");
        assert_eq!(claim(&receipt, "fibers.a.b").unwrap(), "2");
        assert_eq!(claim(&receipt, "big").unwrap(), "9007199254740993");
        assert_eq!(claim(&receipt, "list"), None);
        assert_eq!(claim(&receipt, "nothing"), None);
    }

    #[test]
    fn the_marked_readme_line_gives_the_digest_and_its_bytes() {
        let text = "x `y`\nDigest: `abc` <!-- receipts-digest -->\n";
        let (range, digest) = marked(text).unwrap();
        assert_eq!((digest, &text[range]), ("abc", "abc"));
        assert_eq!(marked("no mark"), None);
    }

    #[test]
    fn differences_name_the_leaves() {
        let lines = differences(
            &json!({"a": {"b": 1, "c": 2}}),
            &json!({"a": {"b": 1, "c": 3}, "d": 4}),
        );
        assert_eq!(lines, ["a.c: 2 → 3", "d: null → 4"]);
    }
}
