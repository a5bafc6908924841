//! Oracles of licences: which ones ask something of a derived work, what a licence of
//! several origins is, and where a derived work may be written.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use obernant::{Product, Record, Sequences, Table, Universe};
use world::dictstore::{Barrier, Module, Store, guard_derived_write, terms};

/// Those of the spellings below that are plain.
const PLAIN: [&str; 6] = [
    "ours",
    "MIT",
    "CC0-1.0",
    "CC-BY-1.0",
    "CC-BY-4.0",
    "ODC-By-1.0",
];
/// What others begin with, and what they ask; the longer beginnings stand first.
const FAMILIES: [(&str, &str); 7] = [
    ("CC-BY-NC-SA", "NonCommercialShareAlike"),
    ("CC-BY-NC", "NonCommercial"),
    ("CC-BY-SA", "ShareAlike"),
    ("GPL", "ShareAlike"),
    ("LGPL", "ShareAlike"),
    ("AGPL", "ShareAlike"),
    ("ODbL", "ShareAlike"),
];

#[test]
fn a_licence_is_plain_only_where_it_is_listed_letter_for_letter() {
    let mut record = Record::start("a_licence_is_plain_only_where_it_is_listed_letter_for_letter");
    let length = record.bound("pieces", 4);
    let pieces = [
        "CC", "-BY", "-SA", "-NC", "-4.0", "-1.0", "0", "GPL", "A", "L", "MIT", "mit", "ours",
        "ODbL", "ODC-By",
    ];
    let universe = Sequences::new(pieces, length);
    let text = |case: &[usize]| -> String { case.iter().map(|&at| pieces[at]).collect() };
    let mut table = Table::new("the table of licences", &universe, text, |_, text| {
        format!("{:?}", terms(text))
    });
    let due = |case: &[usize]| {
        let text = text(case);
        let family = FAMILIES.iter().find(|(family, _)| {
            let rest = text.strip_prefix(family);
            rest.is_some_and(|rest| rest.split('-').next() == Some(""))
        });
        match family {
            _ if PLAIN.contains(&text.as_str()) => "Plain",
            Some((_, terms)) => terms,
            None => "Unknown",
        }
    };
    let all = [
        "Plain",
        "ShareAlike",
        "NonCommercial",
        "NonCommercialShareAlike",
        "Unknown",
    ];
    record.acceptance(
        &mut table,
        &all,
        &[] as &[&str],
        |case| all.iter().position(|terms| *terms == due(case)),
        |case| format!("{:?} must be {}", text(case), due(case)),
    );
    record.finish();
}

/// An entry of a licence with several origins: its module and its licences, or nothing
/// where it is not well formed; and whether it is one identifier alone.
type Entry = (
    &'static str,
    Option<(&'static str, &'static [&'static str])>,
    bool,
);

const ENTRIES: [Entry; 9] = [
    ("a (GPL-3.0)", Some(("a", &["GPL-3.0"])), false),
    (
        "b (GPL-3.0 ODbL-1.0)",
        Some(("b", &["GPL-3.0", "ODbL-1.0"])),
        false,
    ),
    ("b (ODbL-1.0 GPL-3.0)", None, false),
    ("c (MIT)", Some(("c", &[])), false),
    ("c ()", None, false),
    ("a", None, true),
    ("GPL-3.0", None, true),
    ("a(GPL-3.0)", None, false),
    ("A (X Y-1)", Some(("A", &["X", "Y-1"])), false),
];
const BEGINNINGS: [&str; 3] = ["derived from ", "", "derived from"];
const SEPARATORS: [&str; 2] = [", ", ","];

#[test]
fn a_licence_is_one_name_or_origins_in_order() {
    let mut record = Record::start("a_licence_is_one_name_or_origins_in_order");
    let texts = ENTRIES.map(|(text, ..)| text);
    let more = || texts.iter().copied().chain(["none"]);
    let universe = Product::new()
        .with("beginning", BEGINNINGS.map(|text| format!("<{text}>")))
        .with("separator", SEPARATORS.map(|text| format!("<{text}>")))
        .with("first", texts)
        .with("second", more())
        .with("third", more());
    let entries = |case: &[usize]| -> Vec<Entry> {
        case[2..]
            .iter()
            .filter_map(|&at| ENTRIES.get(at).copied())
            .collect()
    };
    let mut table = Table::new(
        "the reader of licences",
        &universe,
        |case| {
            let texts: Vec<&str> = entries(case).iter().map(|(text, ..)| *text).collect();
            format!("{}{}", BEGINNINGS[case[0]], texts.join(SEPARATORS[case[1]]))
        },
        |_, text| {
            let Ok(module) = Module::new("m", text, Vec::new()) else {
                return "refused".to_owned();
            };
            let mut store = Store::new();
            store.insert(module).expect("one module");
            format!("marked <{}>", store.licence())
        },
    );
    // The marks are the union, each once and in order; a name alone stands for itself.
    let due = |case: &[usize]| -> Option<String> {
        let entries = entries(case);
        let marks: Vec<&str> = match case[0] {
            0 => {
                let well_formed: Option<Vec<_>> =
                    entries.iter().map(|(_, entry, _)| *entry).collect();
                let well_formed = well_formed?;
                let ascending = well_formed.windows(2).all(|pair| pair[0].0 < pair[1].0);
                if !ascending || case[1] != 0 && entries.len() > 1 {
                    return None;
                }
                let all: Vec<&str> = well_formed
                    .iter()
                    .flat_map(|(_, marks)| *marks)
                    .copied()
                    .collect();
                ["GPL-3.0", "ODbL-1.0", "X", "Y-1"]
                    .into_iter()
                    .filter(|mark| all.contains(mark))
                    .collect()
            }
            1 if entries.len() == 1 && entries[0].2 => vec![entries[0].0],
            // Without its blank the beginning is one word with the entry.
            _ => return None,
        };
        Some(format!("marked <{}>", marks.join(" ")))
    };
    let fibers = [
        "",
        "GPL-3.0",
        "GPL-3.0 ODbL-1.0",
        "GPL-3.0 X Y-1",
        "GPL-3.0 ODbL-1.0 X Y-1",
        "X Y-1",
        "a",
    ]
    .map(|marks| format!("marked <{marks}>"));
    record.acceptance(
        &mut table,
        &fibers,
        &["refused"],
        |case| due(case).and_then(|due| fibers.iter().position(|fiber| *fiber == due)),
        |case| match due(case) {
            Some(due) => format!("it must be {due}"),
            None => "it must be refused".to_owned(),
        },
    );
    record.finish();
}

/// What may be said of a destination.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Free,
    Unclear,
    BuiltIn,
    WorkTree,
}

/// The destinations: in words, below the scene's folder, and what they are.
const PLACES: [(&str, &str, Place); 26] = [
    ("a free folder", "free/x.dict", Place::Free),
    (
        "a new folder in a free one",
        "free/new/er/x.dict",
        Place::Free,
    ),
    ("beside a work tree", "x.dict", Place::Free),
    (
        "a free folder with a file of git's settings",
        "settings/x.dict",
        Place::Free,
    ),
    ("a work tree", "tree/x.dict", Place::WorkTree),
    (
        "deep in a work tree",
        "tree/deep/er/x.dict",
        Place::WorkTree,
    ),
    (
        "a new folder in a work tree",
        "tree/deep/new/er/x.dict",
        Place::WorkTree,
    ),
    (
        "a linked work tree, where .git is a file",
        "linked/x.dict",
        Place::WorkTree,
    ),
    ("the folder of a work tree", "tree", Place::WorkTree),
    ("inside .git", "tree/.git/x.dict", Place::WorkTree),
    (
        "out of a work tree by ..",
        "tree/../free/x.dict",
        Place::Free,
    ),
    (
        "into a work tree by ..",
        "free/../tree/x.dict",
        Place::WorkTree,
    ),
    (
        "into a work tree through a folder that is not there",
        "free/none/../../tree/x.dict",
        Place::WorkTree,
    ),
    (
        "into a work tree through a link",
        "free/into/x.dict",
        Place::WorkTree,
    ),
    (
        "up from behind a link into a work tree",
        "free/into/../x.dict",
        Place::WorkTree,
    ),
    (
        "out of a work tree through a link",
        "tree/out/x.dict",
        Place::Free,
    ),
    (
        "a link to a file in a work tree",
        "free/link.dict",
        Place::WorkTree,
    ),
    ("a link to nothing", "free/nothing.dict", Place::Unclear),
    ("a link to itself", "free/itself.dict", Place::Unclear),
    ("the built-in name", "free/basics.dict", Place::BuiltIn),
    (
        "the built-in name in capitals",
        "free/Basics.DICT",
        Place::BuiltIn,
    ),
    (
        "a link to a file with the built-in name",
        "free/other.dict",
        Place::BuiltIn,
    ),
    (
        "a link with the built-in name",
        "named/basics.dict",
        Place::BuiltIn,
    ),
    (
        "a folder with the built-in name",
        "folder/basics.dict/x.dict",
        Place::Free,
    ),
    (
        "a name that ends in the built-in one",
        "free/mybasics.dict",
        Place::Free,
    ),
    (
        "the built-in name in a work tree",
        "tree/basics.dict",
        Place::BuiltIn,
    ),
];

/// The marks, and whether one of them is restrictive.
const MARKS: [(&str, bool); 8] = [
    ("", false),
    (" ", false),
    ("ours", false),
    ("CC-BY-4.0 MIT", false),
    ("CC-BY-SA-4.0", true),
    ("CC-BY-NC-4.0", true),
    ("MIT GPL-3.0-only", true),
    ("an-unknown-one", true),
];

/// Folders, files and links below `root`.
fn scene(root: &Path) {
    for folder in [
        "free/sub",
        "settings",
        "tree/.git",
        "tree/deep/er",
        "linked",
        "named",
        "folder/basics.dict",
    ] {
        fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    for file in [
        "settings/.gitignore",
        "linked/.git",
        "tree/file.dict",
        "free/sub/basics.dict",
        "named/file.dict",
    ] {
        fs::write(root.join(file), "").expect("a file");
    }
    for (link, target) in [
        ("free/into", "tree/deep"),
        ("tree/out", "free"),
        ("free/link.dict", "tree/file.dict"),
        ("free/nothing.dict", "free/none"),
        ("free/itself.dict", "free/itself.dict"),
        ("free/other.dict", "free/sub/basics.dict"),
        ("named/basics.dict", "named/file.dict"),
    ] {
        symlink(root.join(target), root.join(link)).expect("a link");
    }
}

#[test]
fn a_marked_work_is_kept_out_of_work_trees_and_built_in_names() {
    let mut record = Record::start("a_marked_work_is_kept_out_of_work_trees_and_built_in_names");
    record.assume("the folder for temporary files stands in no Git work tree");
    let folder = tempfile::tempdir().expect("a folder");
    scene(folder.path());
    let universe = Product::new()
        .with("destination", PLACES.map(|(words, ..)| words))
        .with("marks", MARKS.map(|(marks, _)| format!("<{marks}>")))
        .with("path", ["absolute", "relative"]);
    let mut table = Table::new(
        "the guard",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let mut path = folder.path().join(PLACES[case[0]].1);
            if case[2] == 1 {
                // From any working folder up to the root, and down again.
                let down = path.strip_prefix("/").expect("it is absolute");
                path = PathBuf::from("../".repeat(64)).join(down);
            }
            match guard_derived_write(&path, MARKS[case[1]].0).map_err(|refused| refused.barrier) {
                Ok(()) => "allowed",
                Err(Barrier::Unclear(_)) => "unclear",
                Err(Barrier::BuiltIn) => "a built-in name",
                Err(Barrier::WorkTree(_)) => "a work tree",
            }
            .to_owned()
        },
    );
    let gates = |case: &[usize]| {
        let (place, marked) = (PLACES[case[0]].2, MARKS[case[1]].1);
        [
            ("allowed", !marked),
            ("unclear", place == Place::Unclear),
            ("a built-in name", place == Place::BuiltIn),
            ("a work tree", place == Place::WorkTree),
        ]
        .map(|(gate, stops)| (gate.to_owned(), stops))
    };
    record.gates(&mut table, "allowed", gates);
    record.acceptance(
        &mut table,
        &["allowed"],
        &["unclear", "a built-in name", "a work tree"],
        |case| (!MARKS[case[1]].1 || PLACES[case[0]].2 == Place::Free).then_some(0),
        |case| match (MARKS[case[1]].1, PLACES[case[0]].2) {
            (false, _) => "an unmarked work may be written anywhere".to_owned(),
            (true, Place::Free) => "this destination is free".to_owned(),
            (true, _) => "a marked work must not be written there".to_owned(),
        },
    );
    record.finish();
}
