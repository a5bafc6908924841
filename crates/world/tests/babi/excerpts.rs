//! The reader on stories of the bAbI tasks and on traps, as a gate against going back:
//! every answer and every support, renamed too, and nothing wrong when verbs are
//! masked, subjects replaced and sentences put in.

use std::path::PathBuf;

use serde_json::Value;

use crate::Folder;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// The excerpts in the order of their names, and what `babi score` counts for each.
fn score(options: &[&str]) -> Vec<Value> {
    let mut files: Vec<String> = std::fs::read_dir(data("babi"))
        .expect("the excerpts are there")
        .map(|entry| entry.expect("the entry can be read").path())
        .filter(|path| path.extension().is_some_and(|it| it == "txt"))
        .map(|path| path.to_str().expect("the path is UTF-8").to_owned())
        .collect();
    files.sort();
    assert_eq!(files.len(), 20);
    let mut arguments = vec!["score", "--json"];
    arguments.extend(options);
    arguments.extend(files.iter().map(String::as_str));
    let run = Folder::new().run(&arguments);
    assert_eq!((run.code, run.error.as_str()), (Some(0), ""));
    let lines = run.out.lines();
    lines
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

/// Two labels of task 5 name a gift before the last one of the same two people.
fn mistaken(row: &Value) -> u64 {
    if task(row) == 5 { 2 } else { 0 }
}

fn task(row: &Value) -> u32 {
    let file = row["file"].as_str().expect("it names the file");
    let name = file.rsplit('/').next().expect("the path has a name");
    let number = name.trim_start_matches("qa").split('_').next();
    number
        .and_then(|it| it.parse().ok())
        .expect("the name has a number")
}

#[test]
fn every_question_is_answered_and_supported_renamed_too() {
    for options in [&[][..], &["--rename", "1"], &["--rename", "2"]] {
        for row in score(options) {
            let questions = row["questions"].as_u64().expect("a number");
            assert!(questions >= 40, "{row}");
            let correct = row["correct"].as_u64().expect("a number");
            assert_eq!(correct + mistaken(&row), questions, "{options:?} {row}");
            if matches!(task(&row), 1 | 2 | 3 | 6 | 9..=14) {
                assert_eq!(row["support_exact"], row["questions"], "{options:?} {row}");
            }
        }
    }
}

#[test]
fn what_is_not_understood_makes_no_answer_wrong() {
    for options in [
        &["--mask", "10", "1"][..],
        &["--mask", "30", "2"],
        &["--rename", "3", "--mask", "20", "4"],
        &["--filler", "10", "1"],
        &["--replace", "20", "1"],
        &["--someone", "20", "1"],
        &["--window", "16"],
    ] {
        let rows = score(options);
        for row in &rows {
            let wrong = row["wrong"].as_u64().expect("a number");
            assert!(wrong <= mistaken(row), "{options:?} {row}");
        }
        let answered: u64 = rows.iter().filter_map(|row| row["correct"].as_u64()).sum();
        assert!(answered > 100, "{options:?}: {answered} answers");
    }
}

#[test]
fn no_trap_gets_another_answer() {
    let traps = data("traps.tsv");
    let run = Folder::new().run(&["traps", "--json", traps.to_str().expect("UTF-8")]);
    let counts: Value = serde_json::from_str(&run.out).expect(&run.out);
    assert_eq!(counts["wrong"], 0, "{counts}");
    let [right, answerable] = ["right", "answerable"].map(|key| counts[key].as_u64());
    assert!(right > answerable.map(|it| it / 2), "{counts}");
}
