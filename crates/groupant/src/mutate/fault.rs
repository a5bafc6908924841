//! A fault in a scratch copy: all of its edits are put in together, and the
//! bytes of every file come back, whatever happened in between.

use super::locate::Applied;
use crate::json::sha256;
use crate::workspace::write_atomically;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One file of the copy before and with the fault.
struct Changed {
    name: String,
    path: PathBuf,
    honest: Vec<u8>,
    faulty: Vec<u8>,
}

/// The files that a control changes. Nothing is written before [`Fault::put_in`].
pub(super) struct Fault(Vec<Changed>);

impl Fault {
    /// The faulty text of every file that is edited.
    ///
    /// # Errors
    ///
    /// Where two edits overlap, or a file of the copy is not the one in which
    /// the edits were looked up.
    pub(super) fn of(tree: &Path, edits: &[Applied]) -> Result<Self, String> {
        let mut by_file: BTreeMap<&str, Vec<&Applied>> = BTreeMap::new();
        for edit in edits {
            by_file.entry(&edit.file).or_default().push(edit);
        }
        let mut files = Vec::new();
        for (name, mut edits) in by_file {
            // From the end, so that the places of the others stay.
            edits.sort_by_key(|edit| Reverse(edit.range.start));
            if edits
                .windows(2)
                .any(|pair| pair[1].range.end > pair[0].range.start)
            {
                return Err(format!("two edits of {name} overlap"));
            }
            let path = tree.join(name);
            let honest = std::fs::read(&path).map_err(|error| format!("{name}: {error}"))?;
            let digest = sha256(&honest);
            if edits.iter().any(|edit| edit.sha256 != digest) {
                return Err(format!("{name} was edited while the run was under way"));
            }
            let mut faulty = honest.clone();
            for edit in edits {
                faulty.splice(edit.range.clone(), edit.replace.bytes());
            }
            files.push(Changed {
                name: name.to_owned(),
                path,
                honest,
                faulty,
            });
        }
        Ok(Self(files))
    }

    /// Writes the faulty texts.
    ///
    /// # Errors
    ///
    /// Where the file system refuses; [`Fault::take_out`] is due all the same.
    pub(super) fn put_in(&self) -> Result<(), String> {
        for file in &self.0 {
            write_atomically(&file.path, &file.faulty)
                .map_err(|error| format!("{}: {error}", file.name))?;
        }
        Ok(())
    }

    /// Restores every file, and hashes what stands there then.
    ///
    /// # Errors
    ///
    /// Names the files that could not be restored.
    pub(super) fn take_out(&self) -> Result<(), String> {
        let lost: Vec<&str> = self
            .0
            .iter()
            .filter(|file| {
                let restored = write_atomically(&file.path, &file.honest)
                    .and_then(|_| crate::exec::file_digest(&file.path));
                restored.ok().as_deref() != Some(sha256(&file.honest).as_str())
            })
            .map(|file| file.name.as_str())
            .collect();
        if lost.is_empty() {
            Ok(())
        } else {
            Err(format!(
                "{} could not be restored in the scratch copy",
                lost.join(" and ")
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use std::fs;

    const TEXT: &str = "fn f() -> u8 {\n    1 + 2\n}\n";

    fn edit(file: &str, find: &str, replace: &str) -> Applied {
        let start = TEXT.find(find).unwrap();
        let source = Source::parse(TEXT.as_bytes()).unwrap();
        Applied {
            file: file.to_owned(),
            sha256: source.sha256.clone(),
            item: source.items[0].clone(),
            range: start..start + find.len(),
            replace: replace.to_owned(),
            part: true,
        }
    }

    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.rs", "b.rs"] {
            fs::write(folder.path().join(name), TEXT).unwrap();
        }
        folder
    }

    #[test]
    fn edits_of_several_files_go_in_together_and_come_out_together() {
        let tree = tree();
        let edits = [
            edit("b.rs", "1", "10"),
            edit("a.rs", "2", "20"),
            edit("a.rs", "1", "9"),
        ];
        let fault = Fault::of(tree.path(), &edits).unwrap();
        fault.put_in().unwrap();
        let read = |name: &str| fs::read_to_string(tree.path().join(name)).unwrap();
        assert!(read("a.rs").contains("9 + 20"));
        assert!(read("b.rs").contains("10 + 2"));
        fault.take_out().unwrap();
        assert_eq!((read("a.rs").as_str(), read("b.rs").as_str()), (TEXT, TEXT));
    }

    #[test]
    fn edits_that_overlap_in_one_file_leave_the_others_alone() {
        let tree = tree();
        let edits = [
            edit("a.rs", "1", "9"),
            edit("b.rs", "1 + 2", "3"),
            edit("b.rs", "2", "4"),
        ];
        assert!(Fault::of(tree.path(), &edits).is_err());
        for name in ["a.rs", "b.rs"] {
            assert_eq!(fs::read_to_string(tree.path().join(name)).unwrap(), TEXT);
        }
    }

    #[test]
    fn a_file_that_was_edited_meanwhile_is_refused() {
        let tree = tree();
        fs::write(tree.path().join("a.rs"), "//").unwrap();
        let error = Fault::of(tree.path(), &[edit("a.rs", "1 + 2", "3")]).err();
        assert_eq!(
            error.unwrap(),
            "a.rs was edited while the run was under way"
        );
    }
}
