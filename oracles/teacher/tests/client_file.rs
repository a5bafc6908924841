//! Oracles of what is known of a client without a start: which file stands behind
//! its name, and which version its package states.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use fake_codex::Script;
use obernant::{Product, Record, Table, Universe};
use oracles_teacher::Scene;
use teacher::client::packaged_version;

fn empty_scene() -> Scene {
    Scene::new(env!("CARGO_BIN_EXE_scripted-client"), |_| Script::default())
}

#[test]
fn a_packaged_version_is_that_of_the_package_of_the_script() {
    let mut record = Record::start("a_packaged_version_is_that_of_the_package_of_the_script");
    let manifests = [
        ("missing", None),
        ("half a file", Some(r#"{"name":"@openai/codex","#)),
        (
            "of another package",
            Some(r#"{"name":"@openai/codex2","version":"0.171.0"}"#),
        ),
        ("without a version", Some(r#"{"name":"@openai/codex"}"#)),
        (
            "with a number",
            Some(r#"{"name":"@openai/codex","version":171}"#),
        ),
        (
            "of 0.171.0",
            Some(r#"{"name":"@openai/codex","version":"0.171.0","bin":{}}"#),
        ),
        (
            "of 0.165.0",
            Some(r#"{"version":"0.165.0","name":"@openai/codex"}"#),
        ),
    ];
    let clients = [
        "the script",
        "a link",
        "a link to a link",
        "a copy outside",
        "a folder",
        "missing",
    ];
    let universe = Product::new()
        .with("manifest", manifests.map(|(words, _)| words))
        .with("client", clients);
    let mut table = Table::new(
        "the packaged version",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let scene = empty_scene();
            let place = |name: &str| scene.file(name);
            fs::create_dir_all(place("package/bin")).expect("a folder can be made");
            fs::create_dir(place("links")).expect("a folder can be made");
            let script = place("package/bin/codex.js");
            fs::write(&script, "").expect("a file can be written");
            fs::write(place("links/copy"), "").expect("a file can be written");
            symlink(&script, place("links/one")).expect("a link can be made");
            symlink("one", place("links/two")).expect("a link can be made");
            if let Some(text) = manifests[case[0]].1 {
                fs::write(place("package/package.json"), text).expect("a file can be written");
            }
            let client: PathBuf = match clients[case[1]] {
                "the script" => script,
                "a link" => place("links/one"),
                "a link to a link" => place("links/two"),
                "a copy outside" => place("links/copy"),
                "a folder" => place("package/bin"),
                _ => place("missing"),
            };
            packaged_version(&client).unwrap_or_else(|| "none".to_owned())
        },
    );
    let versions = ["0.171.0", "0.165.0"];
    let due = |case: &[usize]| match (manifests[case[0]].0, clients[case[1]]) {
        (_, "a copy outside" | "a folder" | "missing") => None,
        ("of 0.171.0", _) => Some(0),
        ("of 0.165.0", _) => Some(1),
        _ => None,
    };
    record.acceptance(&mut table, &versions, &["none"], due, |case| {
        match due(case) {
            Some(at) => format!("the version must be {}", versions[at]),
            None => "no version is packaged".to_owned(),
        }
    });
    record.finish();
}

#[test]
fn a_name_is_looked_up_in_path_and_a_path_is_not() {
    let mut record = Record::start("a_name_is_looked_up_in_path_and_a_path_is_not");
    let scene = empty_scene();
    // Under `first` the name is a folder, under `third` a file that can't be run.
    for folder in ["here/sub", "first/codex", "second", "third", "none"] {
        fs::create_dir_all(scene.file(folder)).expect("a folder can be made");
    }
    for file in [
        "here/codex",
        "here/sub/codex",
        "second/codex",
        "third/codex",
    ] {
        fs::write(scene.file(file), "").expect("a file can be written");
        let mode = if file == "third/codex" { 0o644 } else { 0o755 };
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(scene.file(file), mode).expect("the mode can be set");
    }
    let names = [
        "codex",
        "./codex",
        "sub/codex",
        "absolute",
        "absent",
        "./absent",
    ];
    let paths: [(&str, Option<&[&str]>); 9] = [
        ("absent", None),
        ("empty", Some(&[""])),
        ("second", Some(&["second"])),
        ("first, second", Some(&["first", "second"])),
        ("none, third, second", Some(&["none", "third", "second"])),
        ("second, third", Some(&["second", "third"])),
        ("none", Some(&["none"])),
        ("third", Some(&["third"])),
        ("first", Some(&["first"])),
    ];
    let universe = Product::new()
        .with("name", names)
        .with("PATH", paths.map(|(words, _)| words));
    let mut table = Table::new(
        "the search",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let mut searcher = Command::new(env!("CARGO_BIN_EXE_isolated"));
            searcher
                .env_clear()
                .current_dir(scene.file("here"))
                .arg("locate");
            match names[case[0]] {
                "absolute" => searcher.arg(scene.file("here/sub/codex")),
                name => searcher.arg(name),
            };
            if let Some(folders) = paths[case[1]].1 {
                let folders = folders.iter().map(|folder| match *folder {
                    "" => PathBuf::new(),
                    folder => scene.file(folder),
                });
                searcher.env("PATH", std::env::join_paths(folders).expect("no colon"));
            }
            let output = searcher.output().expect("the program can be started");
            assert!(output.status.success(), "it ended with {}", output.status);
            let text = String::from_utf8(output.stdout).expect("it prints text");
            text.trim()
                .replace(&format!("{}/", scene.folder().display()), "")
        },
    );
    let fibers = [
        r#"Some("codex")"#,
        r#"Some("./codex")"#,
        r#"Some("sub/codex")"#,
        r#"Some("here/sub/codex")"#,
        r#"Some("second/codex")"#,
    ];
    // A path is itself, whatever PATH is. Of a name the table is written out.
    let due = |case: &[usize]| match (names[case[0]], paths[case[1]].0) {
        ("./codex", _) => Some(1),
        ("sub/codex", _) => Some(2),
        ("absolute", _) => Some(3),
        ("codex", "empty") => Some(0),
        ("codex", "second" | "first, second" | "none, third, second" | "second, third") => Some(4),
        _ => None,
    };
    record.acceptance(&mut table, &fibers, &["None"], due, |case| {
        match due(case) {
            Some(at) => format!("{} must be found", fibers[at]),
            None => "there is no such file".to_owned(),
        }
    });
    record.finish();
}
