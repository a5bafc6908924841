//! `babi score`.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::Folder;

/// Four questions: one as expected with its support, one with other support, one
/// with another answer, one about somebody unknown.
const FILE: &str = "\
1 Mary went to the kitchen.
2 John went to the garden.
3 Where is Mary? \tkitchen\t1
4 Mary went to the office.
5 Where is Mary? \tOffice\t1 4
6 Where is John? \toffice\t2
1 Mary went to the hallway.
2 Where is Fred?\tkitchen\t1
";

#[test]
fn the_counts_are_one_json_object_per_file() {
    let folder = Folder::new();
    folder.file("a.txt", FILE);
    folder.file(
        "b.txt",
        "1 John moved to the garden.\r\n2 Where is John?\tgarden\t1\r\n",
    );
    let run = folder.run(&["score", "--json", "a.txt", "b.txt"]);
    run.printed(
        0,
        "{\"file\":\"a.txt\",\"questions\":4,\"correct\":2,\"wrong\":1,\"refused\":1,\"support_exact\":1}\n\
         {\"file\":\"b.txt\",\"questions\":1,\"correct\":1,\"wrong\":0,\"refused\":0,\"support_exact\":1}\n",
    );
}

#[test]
fn a_person_sees_a_table_with_a_total() {
    let folder = Folder::new();
    folder.file("a.txt", FILE);
    folder.file(
        "other.txt",
        "1 John moved to the garden.\n2 Where is John?\tgarden\n",
    );
    folder.run(&["score", "a.txt", "other.txt"]).printed(
        0,
        "\
file       questions  correct  wrong  refused  support exact
a.txt              4        2      1        1              1
other.txt          1        1      0        0              0
------------------------------------------------------------
total              5        3      1        1              1
",
    );
}

#[test]
fn a_bad_file_is_told_and_the_others_are_measured() {
    let folder = Folder::new();
    folder.file("good.txt", FILE);
    folder.file("bad.txt", "1 Mary went to the kitchen.\n1x Mary went.\n");
    folder.file("plain.txt", "1 Mary went to the kitchen.\n");
    folder.file("empty.txt", "");
    folder.file("latin.txt", b"1 Zo\xeb went to the kitchen.\n");
    let cases = [
        (
            "bad.txt",
            "babi: bad.txt:2: the line does not begin with a number",
        ),
        ("plain.txt", "babi: plain.txt has no question; "),
        ("empty.txt", "babi: empty.txt has no question; "),
        (
            "latin.txt",
            "babi: latin.txt:1: no UTF-8 at byte 5 of the line; ",
        ),
        ("missing.txt", "babi: missing.txt can't be opened; "),
        (".", "babi: . is a folder; "),
    ];
    for (file, words) in cases {
        let run = folder.run(&["score", "--json", file, "good.txt"]);
        run.failed(words);
        let lines = run.json();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["file"], "good.txt");
    }
    // A table has no line for a file that was not measured.
    let run = folder.run(&["score", "bad.txt"]);
    run.failed("bad.txt:2");
    assert_eq!(run.out, "");
}

#[test]
fn a_name_of_a_file_cannot_steer_the_terminal() {
    let folder = Folder::new();
    folder.file("a\u{1b}[2J\u{9b}.txt", FILE);
    let plain = folder.run(&["score", "a\u{1b}[2J\u{9b}.txt"]);
    assert!(plain.out.contains("a\\u{1b}[2J\\u{9b}.txt"), "{plain:?}");
    let json = folder.run(&["score", "--json", "a\u{1b}[2J\u{9b}.txt"]);
    assert!(json.out.contains("a\\u001b[2J\\u009b.txt"), "{json:?}");
    assert_eq!(json.json()[0]["file"], "a\u{1b}[2J\u{9b}.txt");
    folder
        .run(&["score", "b\u{1b}"])
        .failed("b\\u{1b} can't be opened");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    folder.file("a.txt", FILE);
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_babi"))
        .args(["score", "a.txt"])
        .current_dir(folder.path(""))
        .stdout(Stdio::from(writer))
        .output()
        .expect("the binary starts");
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

#[test]
fn other_names_change_no_count() {
    let folder = Folder::new();
    folder.file("a.txt", FILE);
    let plain = folder.run(&["score", "--json", "a.txt"]);
    for seed in ["0", "1", "18446744073709551615"] {
        let renamed = folder.run(&["score", "--json", "--rename", seed, "a.txt"]);
        assert_eq!(renamed.out, plain.out);
    }
}

#[test]
fn what_is_not_understood_is_refused() {
    let folder = Folder::new();
    // Without its second sentence, the answer would be the kitchen.
    let story = "1 Mary went to the kitchen.\n2 Mary went to the garden.\n";
    folder.file("a.txt", format!("{story}3 Where is Mary?\tgarden\t2\n"));
    let kinds = ["--mask", "--replace", "--someone"];
    for kind in kinds {
        let run = folder.run(&["score", "--json", kind, "100", "7", "a.txt"]);
        assert_eq!(run.json()[0]["refused"], json!(1), "{kind}");
        let none = folder.run(&["score", "--json", kind, "0", "7", "a.txt"]);
        assert_eq!(none.json()[0]["support_exact"], json!(1), "{kind}");
        let again = folder.run(&["score", "--json", kind, "50", "7", "a.txt"]);
        let half = folder.run(&["score", "--json", kind, "50", "7", "a.txt"]);
        assert_eq!(again.out, half.out, "{kind}: a seed decides");
        assert_eq!(half.json()[0]["wrong"], json!(0), "{kind}");
    }
    let filled = folder.run(&["score", "--json", "--filler", "100", "7", "a.txt"]);
    assert_eq!(filled.json()[0]["wrong"], json!(0));
}

#[test]
fn a_window_hides_what_is_further_back() {
    let folder = Folder::new();
    folder.file(
        "a.txt",
        "1 Mary went to the kitchen.\n2 John went to the garden.\n3 Where is Mary?\tkitchen\t1\n\
         4 Where is John?\tgarden\t2\n5 Fred went to the garden.\n6 Where is John?\tgarden\t1 2\n",
    );
    let counts = |window: &str| {
        let run = folder.run(&["score", "--json", "--window", window, "a.txt"]);
        let line = run.json().remove(0);
        ["correct", "refused", "support_exact"].map(|key| line[key].as_u64())
    };
    // Mary is outside; then John, whose move is the last statement, is inside.
    assert_eq!(counts("1"), [Some(1), Some(2), Some(1)]);
    assert_eq!(counts("2"), [Some(3), Some(0), Some(2)]);
    assert_eq!(counts("99"), [Some(3), Some(0), Some(2)]);
}
