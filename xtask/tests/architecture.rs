//! `ARCHITECTURE.md` against the folders: every line of its map exists, and
//! nothing that belongs into the map is missing from it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The paths of the map.
fn map() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md"))
        .expect("ARCHITECTURE.md is readable");
    let map = text.split("## Map").nth(1).expect("there is a map");
    let map = map.split("```").nth(1).expect("the map is a fenced block");
    map.lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// The entries of a folder that are under version control by their nature:
/// hidden ones and build output aside. Folders end in `/`.
fn entries(folder: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root().join(folder))
        .expect("the folder is readable")
        .map(|entry| entry.expect("the entry is readable"))
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let end = if entry.path().is_dir() { "/" } else { "" };
            format!("{folder}{name}{end}")
        })
        .filter(|name| !name.starts_with('.') && name != "target/")
        .collect();
    names.sort();
    names
}

#[test]
fn every_line_of_the_map_exists() {
    let map = map();
    assert!(map.len() > 20, "the map was not read: {map:?}");
    for path in &map {
        let place = root().join(path);
        assert!(place.exists(), "{path} is in the map and not in the tree");
        assert_eq!(
            place.is_dir(),
            path.ends_with('/'),
            "{path}: folders end in `/`"
        );
    }
}

#[test]
fn every_folder_crate_and_room_is_in_the_map() {
    let map = map();
    let covered = |path: &str| {
        map.iter()
            .any(|known| known == path || (path.ends_with('/') && known.starts_with(path)))
    };
    let folders = entries("").into_iter().filter(|name| name.ends_with('/'));
    let members = ["crates/", "oracles/"].into_iter().flat_map(entries);
    let rooms = entries("crates/groupant/src/");
    for path in folders.chain(members).chain(rooms) {
        assert!(covered(&path), "{path} is in the tree and not in the map");
    }
}
