//! `init`: scaffold sidecars; writes new files only, and leaves the tree green
//! with everything prospective. It shows the configuration and never writes it.

use super::{InitArgs, Tree};
use crate::binding::{self, Bindings};
use crate::finding::{Exit, Report};
use crate::report;
use crate::sidecar::{self, manifest, scaffold};
use crate::workspace::{Workspace, check_relative};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const CONFIGURATION: &str = "\
The sources that must be covered stand in the root Cargo.toml:

[workspace.metadata.groupant]
subjects = [\"src/**/*.rs\"]
";

pub(super) fn run(workspace: &Workspace, folder: &Path, args: &InitArgs) -> Exit {
    if args.paths.is_empty() {
        report::print(&format!(
            "Name the sources that get a sidecar: {} init src/lib.rs\n{CONFIGURATION}",
            workspace.command
        ));
        return Exit::Usage;
    }
    let mut plans = Vec::new();
    for path in &args.paths {
        match plan(workspace, &from_root(workspace, folder, path)) {
            Ok(plan) => plans.push(plan),
            Err(reason) => {
                crate::report::say!("error: {reason}");
                return Exit::Usage;
            }
        }
    }
    for (folder, files) in &plans {
        for (name, text) in files {
            let file = format!("{folder}/{name}");
            if let Err(error) = workspace.write(&file, text.as_bytes()) {
                crate::report::say!("error: {error}");
                return Exit::CouldNotRun;
            }
            report::print(&format!("wrote {file}\n"));
        }
    }
    let exit = accept_new(
        workspace,
        &plans
            .into_iter()
            .map(|(folder, _)| folder)
            .collect::<Vec<_>>(),
    );
    if workspace.config.is_none() {
        report::print(&format!("No source has to be covered yet. {CONFIGURATION}"));
    }
    exit
}

/// A path as it was typed, from the root: seen from where the command was
/// called, and where nothing stands there, from the root.
fn from_root(workspace: &Workspace, folder: &Path, path: &str) -> String {
    let here = folder.join(path).canonicalize().ok();
    let root = workspace.root.canonicalize().ok();
    here.zip(root)
        .and_then(|(here, root)| Some(here.strip_prefix(root).ok()?.to_str()?.to_owned()))
        .unwrap_or_else(|| path.to_owned())
}

type Plan = (String, BTreeMap<&'static str, String>);

fn plan(workspace: &Workspace, path: &str) -> Result<Plan, String> {
    check_relative(path).map_err(|reason| format!("{path}: {reason}"))?;
    let parsed = workspace.source(path).map_err(|error| error.to_string())?;
    let source = parsed
        .source
        .as_ref()
        .map_err(|error| format!("{path} can't be parsed: {}", error.message))?;
    let folder = format!("{}/{path}{}", sidecar::FOLDER, sidecar::SUFFIX);
    if workspace.exists(&format!("{folder}/groupant.toml")) {
        return Err(format!("{folder} is there already; nothing was written"));
    }
    let owner = workspace
        .metadata
        .workspace_packages()
        .into_iter()
        .filter_map(|package| {
            let home = workspace.package_folder(package);
            (home.is_empty() || path.starts_with(&format!("{home}/")))
                .then(|| (home.len(), package.name.to_string()))
        })
        .max()
        .map(|(_, name)| name)
        .ok_or_else(|| format!("{path}: no package of the workspace holds it"))?;
    let id = scaffold::id_of(&owner, path);
    Ok((folder, scaffold::files(path, &owner, &id, source)))
}

/// The first epoch of every model that was just scaffolded, and the generated files.
fn accept_new(workspace: &Workspace, folders: &[String]) -> Exit {
    let mut sidecars = sidecar::load(workspace, &mut Report::default());
    let bindings = Bindings::of(workspace, &sidecars);
    let models: Vec<String> = sidecars
        .iter()
        .filter(|sidecar| folders.contains(&sidecar.folder))
        .flat_map(|sidecar| sidecar.models.iter().map(|model| sidecar.name_of(model)))
        .collect();
    let accepted = binding::accept(
        workspace,
        &mut sidecars,
        &bindings,
        &BTreeMap::new(),
        &models,
        "scaffolded; nothing is claimed yet",
    );
    if let Err(error) = accepted {
        crate::report::say!("error: {error}");
        return Exit::CouldNotRun;
    }
    let bindings = Bindings::of(workspace, &sidecars);
    match manifest::write(workspace, &sidecars, &bindings, &BTreeSet::new()) {
        Ok(written) => {
            for file in written {
                report::print(&format!("wrote {file}\n"));
            }
        }
        Err(error) => {
            crate::report::say!("error: {error}");
            return Exit::CouldNotRun;
        }
    }
    let tree = Tree::load(workspace, false);
    super::tell(workspace, &tree.report, report::Format::Human);
    tree.report.exit()
}
