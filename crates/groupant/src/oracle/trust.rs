//! Builds that go by bytes. Cargo takes a source for unchanged by its time, and
//! a file that was put back by `cp -p`, `tar` or `rsync -a` may have other bytes
//! and an older time. So the binaries of oracles are built in a folder of their
//! own, with a list of the bytes that each build was made from; a package whose
//! bytes moved since then is built anew, whatever the times say.

use crate::exec::{self, Built, ExecError, Profile, compiled_files};
use crate::workspace::{Workspace, write_atomically};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Builds test targets of a package from what stands in the tree now.
///
/// # Errors
///
/// As [`exec::build`].
pub(super) fn build(
    workspace: &Workspace,
    package: &str,
    targets: &[&str],
    profile: Profile,
) -> Result<Built, ExecError> {
    let folder = workspace.state.join("build");
    let list = folder.join(format!("sources-{}.json", profile.name()));
    let known = read(&list);
    let mut moved = BTreeSet::new();
    if known.is_none() && folder.exists() {
        moved = every_package(workspace);
    }
    // Files of packages that are cleaned, and are not part of this build, may be
    // forgotten: nothing is left of those that could be taken for fresh.
    let mut known = known.unwrap_or_default();
    known.retain(|file, digest| {
        let stands = stands(workspace, file, digest);
        if !stands {
            moved.extend(owner(workspace, &workspace.root.join(file)));
        }
        stands
    });
    if !moved.is_empty() {
        exec::clean(&workspace.root, &folder, &moved, profile)?;
    }
    let built = exec::build(&workspace.root, &folder, package, targets, profile, true)?;
    for file in sources(workspace, &built) {
        if let Ok(digest) = exec::file_digest(&file) {
            known.insert(name(workspace, &file), digest);
        }
    }
    if let Ok(text) = serde_json::to_vec(&known) {
        // Without the list the next build cleans every package: slower, not wrong.
        let _ = write_atomically(&list, &text);
    }
    Ok(built)
}

/// A file's name in the list: relative to the root, so that a tree may be moved
/// with its target directory; absolute for what stands outside.
fn name(workspace: &Workspace, file: &Path) -> String {
    workspace
        .relative(file)
        .unwrap_or_else(|| file.to_string_lossy().into_owned())
}

/// Whether a file has the listed bytes.
fn stands(workspace: &Workspace, file: &str, digest: &str) -> bool {
    exec::file_digest(&workspace.root.join(file)).is_ok_and(|found| found == digest)
}

fn read(list: &Path) -> Option<BTreeMap<String, String>> {
    serde_json::from_slice(&std::fs::read(list).ok()?).ok()
}

/// The files that were compiled from paths, wherever they stand.
fn sources(workspace: &Workspace, built: &Built) -> BTreeSet<PathBuf> {
    built
        .dependency_files
        .keys()
        .filter_map(|list| std::fs::read_to_string(list).ok())
        .flat_map(|text| compiled_files(&text))
        .map(|file| workspace.root.join(file))
        .collect()
}

/// The path packages, as Cargo takes them on the command line.
fn every_package(workspace: &Workspace) -> BTreeSet<String> {
    let packages = workspace.metadata.packages.iter();
    packages
        .filter(|package| package.source.is_none())
        .map(|package| package.name.to_string())
        .collect()
}

/// The path package whose folder holds a file most closely.
fn owner(workspace: &Workspace, file: &Path) -> Option<String> {
    let packages = workspace.metadata.packages.iter();
    packages
        .filter(|package| package.source.is_none())
        .filter_map(|package| {
            let folder = package.manifest_path.parent()?.as_std_path();
            file.starts_with(folder)
                .then(|| (folder.as_os_str().len(), package.name.to_string()))
        })
        .max()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::sha256;

    #[test]
    fn a_list_that_can_t_be_read_is_no_list() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("sources-dev.json");
        assert_eq!(read(&list), None);
        std::fs::write(&list, b"{").unwrap();
        assert_eq!(read(&list), None);
        std::fs::write(&list, format!("{{\"a\":\"{}\"}}", sha256(b"x"))).unwrap();
        assert_eq!(read(&list).unwrap()["a"], sha256(b"x"));
    }
}
