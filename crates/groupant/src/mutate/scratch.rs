//! Scratch copies of the tree, each with its own target directory. They stay
//! under the target directory between runs, so that Cargo rebuilds little.

use crate::exec::{self, ExecError, Profile, TEST};
use crate::oracle::Reference;
use crate::workspace::{Workspace, write_atomically};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One scratch copy with its own target directory.
pub(super) struct Scratch {
    pub(super) tree: PathBuf,
    target: PathBuf,
    runs: PathBuf,
}

impl Scratch {
    /// Copies what differs, so that unchanged files keep their times and Cargo
    /// rebuilds only what changed; removes what is no longer in the tree.
    pub(super) fn prepare(workspace: &Workspace, number: usize) -> std::io::Result<Self> {
        let folder = workspace.state.join(format!("scratch/{number}"));
        let scratch = Self {
            tree: folder.join("tree"),
            target: folder.join("target"),
            runs: folder.join("runs"),
        };
        let files: BTreeSet<String> = workspace.files("", |_| true).into_iter().collect();
        for file in &files {
            let (from, to) = (workspace.root.join(file), scratch.tree.join(file));
            write_atomically(&to, &std::fs::read(&from)?)?;
            // A script that a test starts must be one here too.
            let permissions = std::fs::metadata(&from)?.permissions();
            if std::fs::metadata(&to)?.permissions() != permissions {
                std::fs::set_permissions(&to, permissions)?;
            }
        }
        let stale: Vec<PathBuf> = walk(&scratch.tree)
            .into_iter()
            .filter(|path| {
                let name = path
                    .strip_prefix(&scratch.tree)
                    .map(|path| path.to_string_lossy().replace('\\', "/"));
                name.is_ok_and(|name| !files.contains(&name))
            })
            .collect();
        for path in stale {
            std::fs::remove_file(path)?;
        }
        Ok(scratch)
    }

    pub(super) fn test(
        &self,
        workspace: &Workspace,
        binary: &Path,
        oracle: &Reference,
        time: Duration,
    ) -> Result<exec::Run, ExecError> {
        let folder = workspace.package(&oracle.package).map_or_else(
            || self.tree.clone(),
            |package| self.tree.join(workspace.package_folder(package)),
        );
        exec::test(&exec::Test {
            binary,
            name: &oracle.test,
            root: &self.tree,
            folder: &folder,
            runs: &self.runs,
            set: None,
            limits: exec::process::Limits { time, ..TEST },
        })
    }

    pub(super) fn build(
        &self,
        package: &str,
        targets: &BTreeSet<String>,
    ) -> Result<exec::Built, ExecError> {
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        exec::build(
            &self.tree,
            &self.target,
            package,
            &targets,
            Profile::Dev,
            false,
        )
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return files;
    };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(walk(&entry.path())),
            Ok(_) => files.push(entry.path()),
            Err(_) => {}
        }
    }
    files
}
