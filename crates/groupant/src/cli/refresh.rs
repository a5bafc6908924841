//! `refresh`: the way back to green after an edit. Regenerates, runs what is no
//! longer current, writes receipts where all is green, checks figures, and says
//! what is left for a person. Never accepts; writes nothing for what fails.

use super::{RefreshArgs, Selection, Tree, audit, execute, tell_all};
use crate::finding::{Code, Exit, Finding, Report};
use crate::oracle::{self, level};
use crate::receipt::{self, Store};
use crate::report::{self, Format};
use crate::sidecar::{Sidecar, manifest};
use crate::workspace::{Workspace, WorkspaceError};
use std::collections::BTreeSet;

pub(super) fn run(workspace: &Workspace, args: &RefreshArgs) -> Exit {
    let selection = Selection {
        package: None,
        id: args.id.clone(),
    };
    let tree = Tree::load(workspace, false);
    let selected: Vec<&Sidecar> = tree.selected(workspace, &selection);
    let mut report = Report::default();
    if selected.is_empty() {
        report.merge(tree.report.clone());
        report.push(
            Finding::new(Code::NothingChecked, "there is no such sidecar")
                .help(format!("{} status lists the ids", workspace.command)),
        );
        let parts = execute::parts(None, &Store::load(workspace));
        return tell_all(workspace, &mut report, parts, args.format);
    }
    let executed = execute::execute(
        workspace,
        &tree.mentions(&selected),
        &selected,
        args.format,
        &mut report,
    );
    let written = match write(workspace, &tree, &executed, selection.is_all()) {
        Ok(written) => written,
        Err(error) => {
            crate::report::say!("error: {error}");
            return Exit::CouldNotRun;
        }
    };
    if args.format == Format::Human {
        for file in &written {
            report::print(&format!("  wrote  {file}\n"));
        }
        if written.is_empty() {
            report::print("nothing had to be written\n");
        }
    }
    // What is left is told as it stands after the writing.
    let after = Tree::load(workspace, false);
    let store = Store::load(workspace);
    report.merge(after.report.clone());
    receipt::figures(workspace, &after.sidecars, &store, &mut report);
    receipt::check(
        workspace,
        &store,
        &execute::known(&after, &store),
        &mut report,
    );
    let standings = level::standings(&after.sidecars, &after.bindings, &executed.evidence);
    let require = audit::required(workspace);
    level::check(workspace, &selected, &standings, require, &mut report);
    if args.format == Format::Json {
        execute::lines(&executed);
    }
    let parts = execute::parts(Some(&executed), &store);
    let exit = tell_all(workspace, &mut report, parts, args.format);
    if args.format == Format::Human {
        let left = super::bind::left(&report).len();
        let text = if left == 0 {
            format!(
                "green; {} receipts, digest {}\n",
                store.files.len(),
                store.digest()
            )
        } else {
            format!("left for a person: {}\n", report::plural(left, "finding"))
        };
        report::print(&text);
    }
    exit
}

/// Writes receipts, removes orphans, regenerates manifests, and the README's digest.
pub(super) fn write(
    workspace: &Workspace,
    tree: &Tree,
    executed: &execute::Executed,
    all: bool,
) -> Result<Vec<String>, WorkspaceError> {
    let mut written = Vec::new();
    let store = Store::load(workspace);
    let known = execute::known(tree, &store).known;
    let removes = all && !misnamed(&tree.report, executed);
    let stays = |path: &str| store.files.contains_key(path) && (known.contains(path) || !removes);
    let failing = failing(tree, executed);
    let closed = folders(tree, &failing);
    let produced = &executed.expected.produced;
    for (path, text) in produced {
        let (folder, name) = path.rsplit_once('/').unwrap_or_default();
        // A receipt is written only together with the inputs file that lists it.
        if closed.contains(folder) || !produced.contains_key(&format!("{folder}/inputs.json")) {
            continue;
        }
        let merged = if name == "inputs.json" {
            merged(&store, path, text, stays)
        } else {
            None
        };
        if workspace.write(path, merged.as_ref().unwrap_or(text).as_bytes())? {
            written.push(path.clone());
        }
    }
    if removes {
        for path in store.files.keys().filter(|path| !known.contains(*path)) {
            workspace.remove(path)?;
            written.push(format!("{path} (removed: it belonged to nothing)"));
        }
    }
    let kept = manifest::with_parents(&tree.sidecars, failing);
    written.extend(manifest::write(
        workspace,
        &tree.sidecars,
        &tree.bindings,
        &kept,
    )?);
    if receipt::update_readme(workspace)? {
        written.push("README.md".to_owned());
    }
    Ok(written)
}

/// The sidecars of which something that was run is not green.
fn failing(tree: &Tree, executed: &execute::Executed) -> BTreeSet<String> {
    let red = |sidecar: &&Sidecar| {
        let oracles = oracle::named(&[*sidecar]);
        let mut ran = oracles
            .keys()
            .filter_map(|name| executed.results.oracles.get(name));
        let mut controls = sidecar.controls.iter().filter(|control| {
            let path = receipt::control_path(&sidecar.id.text, &control.id.text);
            executed.expected.known.contains(&path)
        });
        ran.any(|ran| ran.receipt.is_none())
            || controls.any(|control| {
                let key = (sidecar.id.text.clone(), control.id.text.clone());
                !executed.caught.receipts.contains_key(&key)
            })
    };
    let red = tree.sidecars.iter().filter(red);
    red.map(|sidecar| sidecar.id.text.clone()).collect()
}

/// The folders of receipts that some of these sidecars stand on: nothing is
/// written there, the receipts of others in the same test target included.
fn folders(tree: &Tree, failing: &BTreeSet<String>) -> BTreeSet<String> {
    let red = tree
        .sidecars
        .iter()
        .filter(|sidecar| failing.contains(&sidecar.id.text));
    red.flat_map(|sidecar| {
        let targets = oracle::named(&[sidecar])
            .into_keys()
            .map(|oracle| receipt::inputs_path(&oracle.package, &oracle.target));
        targets.chain([receipt::control_inputs_path(&sidecar.id.text)])
    })
    .filter_map(|path| path.rsplit_once('/').map(|(folder, _)| folder.to_owned()))
    .collect()
}

/// While a name may be mistyped, a receipt that belongs to nothing may belong to
/// what was meant; it is told as an orphan and stays.
fn misnamed(report: &Report, executed: &execute::Executed) -> bool {
    let unknown = [Code::NameUnknown, Code::IdDoubled, Code::SidecarInvalid];
    let missing = executed
        .results
        .oracles
        .values()
        .any(|ran| matches!(ran.status, "missing" | "not built" | "not listed"));
    missing
        || report
            .findings
            .iter()
            .any(|finding| unknown.contains(&finding.code))
}

/// An inputs file as it is written over an older one: where the inputs are the
/// same, a receipt that stays without being produced (its sidecar can't be read,
/// or its name is mistyped) stays listed, and another toolchain alone is no
/// reason to write.
fn merged(store: &Store, path: &str, text: &str, stays: impl Fn(&str) -> bool) -> Option<String> {
    let old = store.value(path)?;
    let mut new: serde_json::Value = serde_json::from_str(text).ok()?;
    if !receipt::moved(&old, &new).is_empty() {
        return None;
    }
    let folder = path.rsplit_once('/')?.0;
    for (name, digest) in old["receipts"].as_object()? {
        if new["receipts"][name].is_null() && stays(&format!("{folder}/{name}")) {
            new["receipts"][name] = digest.clone();
        }
    }
    if old["receipts"] == new["receipts"] {
        new["toolchain"] = old["toolchain"].clone();
    }
    Some(crate::json::canonical(&new))
}
