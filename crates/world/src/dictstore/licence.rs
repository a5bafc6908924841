//! Licences of dictionary modules: which of them ask something of a derived work,
//! which ones a module's licence names, and where a work under such licences may be
//! written. No module is read here.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use thiserror::Error;

/// The licence of what this project wrote itself.
pub const OURS: &str = "ours";
/// A name and an identifier have no more bytes than this.
pub const NAME_BYTES: usize = 64;

/// The files of the built-in modules. A derived work never has one of these names,
/// in any case of letters: it would be taken for ours.
pub const BUILT_IN_FILES: &[&str] = &["basics.dict"];

/// What the licence of a derived work begins with.
pub(super) const DERIVED: &str = "derived from ";

/// What a licence asks of a derived work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// Nothing beyond naming the source.
    Plain,
    /// The same licence.
    ShareAlike,
    /// No commercial use.
    NonCommercial,
    /// Both.
    NonCommercialShareAlike,
    /// The licence is not in the table, and so it may ask anything.
    Unknown,
}

/// The known licences. A plain one is known by its whole identifier; of the others
/// any version and ending counts, since a mark too many does no harm.
const LICENCES: &[(&str, Terms)] = &[
    (OURS, Terms::Plain),
    ("0BSD", Terms::Plain),
    ("Apache-2.0", Terms::Plain),
    ("BSD-2-Clause", Terms::Plain),
    ("BSD-3-Clause", Terms::Plain),
    ("CC-BY-1.0", Terms::Plain),
    ("CC-BY-2.0", Terms::Plain),
    ("CC-BY-2.5", Terms::Plain),
    ("CC-BY-3.0", Terms::Plain),
    ("CC-BY-4.0", Terms::Plain),
    ("CC-PDDC", Terms::Plain),
    ("CC0-1.0", Terms::Plain),
    ("ISC", Terms::Plain),
    ("MIT", Terms::Plain),
    ("ODC-By-1.0", Terms::Plain),
    ("PDDL-1.0", Terms::Plain),
    ("Unlicense", Terms::Plain),
    ("public-domain", Terms::Plain),
    ("CC-BY-NC-SA", Terms::NonCommercialShareAlike),
    ("CC-BY-NC", Terms::NonCommercial),
    ("CC-BY-SA", Terms::ShareAlike),
    // Made for programs, documents or databases; a derived list of words must keep them.
    ("AGPL", Terms::ShareAlike),
    ("GFDL", Terms::ShareAlike),
    ("GPL", Terms::ShareAlike),
    ("LGPL", Terms::ShareAlike),
    ("ODbL", Terms::ShareAlike),
];

/// What a licence asks, by its identifier, letter for letter.
#[must_use]
pub fn terms(licence: &str) -> Terms {
    let fits = |(known, terms): &&(&str, Terms)| {
        let rest = licence.strip_prefix(known);
        rest.is_some_and(|rest| rest.is_empty() || *terms != Terms::Plain && rest.starts_with('-'))
    };
    LICENCES
        .iter()
        .find(fits)
        .map_or(Terms::Unknown, |(_, terms)| *terms)
}

/// Those of some licences that are not plain, each once, in order.
pub(super) fn restrictive<'l>(licences: impl IntoIterator<Item = &'l str>) -> BTreeSet<&'l str> {
    let licences = licences.into_iter();
    licences.filter(|it| terms(it) != Terms::Plain).collect()
}

/// The identifiers that a module's licence names; nothing where it is no licence.
pub(super) fn identifiers(licence: &str) -> Option<BTreeSet<&str>> {
    let Some(entries) = licence.strip_prefix(DERIVED) else {
        return is_name(licence).then(|| BTreeSet::from([licence]));
    };
    let mut found = BTreeSet::new();
    let mut last = "";
    for entry in entries.split(", ") {
        let (module, licences) = entry.strip_suffix(')')?.split_once(" (")?;
        let licences: Vec<&str> = licences.split(' ').collect();
        let sorted = licences.is_sorted_by(|one, next| one < next);
        if module <= last || !is_name(module) || !sorted || !licences.iter().all(|it| is_name(it)) {
            return None;
        }
        last = module;
        found.extend(licences);
    }
    Some(found)
}

/// Letters, digits, `.`, `_`, `+` and `-`, with a letter or digit first.
pub(super) fn is_name(text: &str) -> bool {
    text.len() <= NAME_BYTES
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|one| one.is_ascii_alphanumeric() || "._+-".contains(one))
}

/// Why a work under restrictive licences may not be written to a place.
#[derive(Debug, Error)]
#[error("{path:?} may not hold what is under {marks}: {barrier}")]
pub struct Guarded {
    /// The destination as it was given.
    pub path: PathBuf,
    /// The restrictive licences.
    pub marks: String,
    /// What stands against it.
    pub barrier: Barrier,
}

/// What stands against a destination.
#[derive(Debug, Error)]
pub enum Barrier {
    /// It has the name of a built-in file.
    #[error("a built-in file has this name; choose another name")]
    BuiltIn,
    /// It stands in a Git work tree.
    #[error("it is in the Git work tree {0:?}; choose a folder outside of every work tree")]
    WorkTree(PathBuf),
    /// Where it leads can't be told.
    #[error("where it leads can't be told ({0}); choose a file in a folder that can be read")]
    Unclear(io::Error),
}

/// Lets a derived work be written to `path`, or refuses.
///
/// `marks` are those of [`Store::licence`](super::Store::licence). Where none of them is
/// restrictive every destination passes. Otherwise a destination is refused that has, as given or where
/// it leads, the name of a built-in file; that leads into a folder at or above which
/// there is a `.git`, file or folder; or of which this can't be told. Links are
/// followed as far as the path exists; beyond, `..` leads to the folder above.
///
/// The file system is looked at once: what changes before the writing is not seen. A
/// bare repository has no `.git` and is no work tree.
pub fn guard_derived_write(path: &Path, marks: &str) -> Result<(), Guarded> {
    let marks: Vec<&str> = restrictive(marks.split_whitespace()).into_iter().collect();
    if marks.is_empty() {
        return Ok(());
    }
    barred(path).map_err(|barrier| Guarded {
        path: path.to_owned(),
        marks: marks.join(" "),
        barrier,
    })
}

fn barred(path: &Path) -> Result<(), Barrier> {
    let destination = resolved(path).map_err(Barrier::Unclear)?;
    let names = [path.file_name(), destination.file_name()];
    for name in names.into_iter().flatten() {
        let name = name.to_string_lossy().to_lowercase();
        if BUILT_IN_FILES.contains(&name.as_str()) {
            return Err(Barrier::BuiltIn);
        }
    }
    // The destination itself too: it may be a folder, or `.git`.
    for folder in destination.ancestors() {
        match fs::symlink_metadata(folder.join(".git")) {
            Ok(_) => return Err(Barrier::WorkTree(folder.to_owned())),
            Err(error) if absent(&error) => {}
            Err(error) => return Err(Barrier::Unclear(error)),
        }
    }
    Ok(())
}

/// Where a path leads: links followed, `.` and `..` taken away.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let mut place = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            Component::ParentDir => {
                place.pop();
            }
            other => place.push(other),
        }
        match fs::symlink_metadata(&place) {
            // A link that leads nowhere fails here: a writer would follow it.
            Ok(_) => place = fs::canonicalize(&place)?,
            Err(error) if absent(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(place)
}

/// There is nothing at that place, or a file where a folder should be.
fn absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_that_ask_something_are_told_apart() {
        for (licence, due) in [
            ("ours", Terms::Plain),
            ("CC0-1.0", Terms::Plain),
            ("CC-BY-4.0", Terms::Plain),
            ("MIT", Terms::Plain),
            ("Apache-2.0", Terms::Plain),
            ("public-domain", Terms::Plain),
            ("CC-BY-SA-3.0", Terms::ShareAlike),
            ("CC-BY-SA-4.0", Terms::ShareAlike),
            ("GPL-2.0-or-later", Terms::ShareAlike),
            ("ODbL-1.0", Terms::ShareAlike),
            ("CC-BY-NC-4.0", Terms::NonCommercial),
            ("CC-BY-NC-SA-4.0", Terms::NonCommercialShareAlike),
            // Unknown ones are taken for restrictive.
            ("cc0-1.0", Terms::Unknown),
            ("MIT-extra", Terms::Unknown),
            ("CC-BY-4.0-NC", Terms::Unknown),
            ("GPLv3", Terms::Unknown),
            ("", Terms::Unknown),
        ] {
            assert_eq!(terms(licence), due, "{licence}");
        }
    }

    #[test]
    fn a_licence_is_one_identifier_or_a_sorted_list_of_origins() {
        let found = |licence| identifiers(licence).map(|it| it.into_iter().collect::<Vec<_>>());
        assert_eq!(found("MIT"), Some(vec!["MIT"]));
        assert_eq!(
            found("derived from a (B-2 C-1), b (A-1)"),
            Some(vec!["A-1", "B-2", "C-1"])
        );
        for wrong in [
            "",
            "no licence",
            "derived from ",
            "derived from a",
            "derived from a ()",
            "derived from a (A-1) ",
            "derived from a (A-1),b (A-1)",
            "derived from b (A-1), a (A-1)",
            "derived from a (A-1), a (A-2)",
            "derived from a (A-2 A-1)",
            "derived from a (A-1  A-2)",
            &"x".repeat(NAME_BYTES + 1),
        ] {
            assert_eq!(found(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_refusal_says_what_stands_against_the_place_and_what_to_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let tree = fs::canonicalize(folder.path()).expect("it is there");
        fs::create_dir_all(tree.join(".git")).expect("a folder");
        fs::create_dir_all(tree.join("deep/er")).expect("a folder");
        let told = |path: &Path| {
            let refused = guard_derived_write(path, "MIT GPL-3.0-only ODbL-1.0 ODbL-1.0");
            refused.expect_err("it is refused").to_string()
        };
        let path = tree.join("deep/er/new/layer.dict");
        assert_eq!(
            told(&path),
            format!(
                "{path:?} may not hold what is under GPL-3.0-only ODbL-1.0: it is in the Git \
                 work tree {tree:?}; choose a folder outside of every work tree"
            )
        );
        assert!(
            told(&tree.join("Basics.DICT"))
                .ends_with("a built-in file has this name; choose another name")
        );
        assert!(told(Path::new("")).contains("where it leads can't be told"));
        for unmarked in ["", " ", "ours", "MIT CC-BY-4.0"] {
            assert!(guard_derived_write(&path, unmarked).is_ok());
        }
    }
}
