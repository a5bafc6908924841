//! `babi ask`.

use serde_json::json;

use crate::Folder;

const STORY: &str = "Mary went to the kitchen. John went to the garden.";
const QUESTION: &str = "Where is Mary?";

#[test]
fn an_answer_comes_with_its_witness() {
    let folder = Folder::new();
    folder.file("story", STORY);
    let expected = "kitchen\n1  Mary went to the kitchen.\n";
    folder.run(&["ask", "story", QUESTION]).printed(0, expected);
    let piped = folder.run_with(&["ask", "-", QUESTION], STORY.as_bytes());
    piped.printed(0, expected);
    let run = folder.run(&["ask", "--json", "story", QUESTION]);
    assert_eq!((run.code, run.error.as_str()), (Some(0), ""));
    assert_eq!(
        run.json(),
        [json!({
            "answer": "kitchen",
            "witness": [{ "id": 1, "text": "Mary went to the kitchen." }],
        })]
    );
}

#[test]
fn numbered_lines_keep_their_numbers() {
    let folder = Folder::new();
    folder.file(
        "story",
        "8 John went to the garden.\n9 Mary went to the garden.\n\
         10 Where is Mary?\tgarden\t9\n12 Mary went to the kitchen.\n",
    );
    let run = folder.run(&["ask", "story", QUESTION]);
    run.printed(0, "kitchen\n12  Mary went to the kitchen.\n");
}

#[test]
fn a_refusal_is_exit_1_and_shows_the_sentence() {
    let folder = Folder::new();
    folder.file(
        "story",
        "Mary went to the kitchen.\nMary blicked to the garden.",
    );
    let run = folder.run(&["ask", "story", QUESTION]);
    assert_eq!((run.code, run.error.as_str()), (Some(1), ""));
    let lines: Vec<_> = run.out.lines().collect();
    assert!(lines[0].starts_with("not answered: "), "{run:?}");
    assert_eq!(lines[1], "2  Mary blicked to the garden.");
    let marks = lines[2].trim();
    assert!(
        !marks.is_empty() && marks.chars().all(|mark| mark == '^'),
        "{run:?}"
    );
    let begin = lines[2].len() - marks.len();
    assert!(
        lines[1][begin..lines[2].len()].contains("blicked"),
        "{run:?}"
    );

    let run = folder.run(&["ask", "--json", "story", QUESTION]);
    assert_eq!(run.code, Some(1));
    let [line] = &run.json()[..] else {
        panic!("one line: {run:?}");
    };
    assert_eq!(line["answer"], json!(null));
    assert_eq!(line["gap"]["id"], 2);
    assert_eq!(line["gap"]["text"], "Mary blicked to the garden.");
    assert!(
        line["gap"]["words"]
            .as_str()
            .is_some_and(|words| words.contains("blicked"))
    );
    assert!(line["gap"]["reason"].is_string() && line["refusal"].is_string());
}

#[test]
fn what_the_story_does_not_say_is_refused_without_a_gap() {
    let folder = Folder::new();
    folder.file("story", STORY);
    let run = folder.run(&["ask", "--json", "story", "Where is Fred?"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.json()[0]["gap"], json!(null));
    let run = folder.run(&["ask", "story", "Mary?"]);
    assert_eq!((run.code, run.error.as_str()), (Some(1), ""));
}

#[test]
fn a_story_that_cannot_be_read_is_exit_2() {
    let folder = Folder::new();
    folder.file("blank", "\n \n");
    folder.file("latin", b"Mary went.\nZo\xeb went.");
    folder.file(
        "two",
        "1 Mary went to the kitchen.\n1 Mary went to the garden.\n",
    );
    folder.file(
        "mixed",
        "1 Mary went to the kitchen.\nMary went to the garden.\n",
    );
    folder.file(
        "back",
        "2 Mary went to the kitchen.\n2 Mary went to the garden.\n",
    );
    let cases = [
        ("blank", "blank is blank; "),
        ("latin", "latin:2: no UTF-8; "),
        ("two", "two has more than one story; "),
        ("mixed", "mixed:2: the line does not begin with a number"),
        ("back", "back:2: the number 2 follows on 2; "),
        ("missing", "missing can't be opened; "),
        (".", ". is a folder; "),
    ];
    for (story, words) in cases {
        for arguments in [&["ask", story, QUESTION][..], &["explain", story]] {
            let run = folder.run(arguments);
            run.failed(words);
            assert_eq!(run.out, "");
        }
    }
    folder
        .run_with(&["ask", "-", QUESTION], b"\xff")
        .failed("standard input:1: no UTF-8");
    folder.file("story", STORY);
    folder
        .run(&["ask", "story", " "])
        .failed("the question is blank; ");
}

#[test]
fn a_megabyte_is_answered_or_refused() {
    let folder = Folder::new();
    let sentence = "Mary went to the kitchen. ";
    folder.file("story", sentence.repeat(1_000_000 / sentence.len()));
    let run = folder.run(&["ask", "story", QUESTION]);
    assert_eq!((run.code, run.error.as_str()), (Some(0), ""));
    assert!(run.out.starts_with("kitchen\n"));
    folder.file("word", "a".repeat(1_000_000));
    let run = folder.run(&["ask", "word", QUESTION]);
    assert_eq!((run.code, run.error.as_str()), (Some(1), ""));
    assert!(
        run.out.len() < 10_000,
        "a long sentence is cut: {}",
        run.out.len()
    );
}
