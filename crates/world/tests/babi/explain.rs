//! `babi explain`.

use crate::Folder;

#[test]
fn every_sentence_is_shown_with_what_was_understood() {
    let folder = Folder::new();
    let story = "Mary went to the kitchen. Mary blicked to the garden.";
    let run = folder.run_with(&["explain", "-"], story.as_bytes());
    assert_eq!((run.code, run.error.as_str()), (Some(0), ""));
    let lines: Vec<_> = run.out.lines().collect();
    assert_eq!(lines[0], "1  Mary went to the kitchen.");
    let second = lines
        .iter()
        .position(|line| *line == "2  Mary blicked to the garden.");
    let second = second.expect(&run.out);
    let understood = &lines[1..second];
    assert!(!understood.is_empty(), "{}", run.out);
    assert!(
        understood.iter().all(|line| line.starts_with("     ")),
        "{}",
        run.out
    );
    assert!(
        understood.iter().all(|line| !line.contains('^')),
        "{}",
        run.out
    );
    let marks = lines[second + 1].trim();
    assert!(
        !marks.is_empty() && marks.chars().all(|mark| mark == '^'),
        "{}",
        run.out
    );
    assert!(run.out.contains("     not understood: "), "{}", run.out);
    assert!(!run.out.contains('\u{1b}'), "colours are for a terminal");
}

#[test]
fn a_long_sentence_is_marked_inside() {
    let folder = Folder::new();
    let story = format!(
        "Mary blicked to the {}.",
        "very ".repeat(200) + "big garden"
    );
    let run = folder.run_with(&["explain", "-"], story.as_bytes());
    let first = run.out.lines().next().expect("one sentence");
    assert!(first.contains('[') && first.contains(']'), "{}", run.out);
    assert!(!run.out.contains('^'), "{}", run.out);
}

#[test]
fn a_story_cannot_steer_the_terminal() {
    let folder = Folder::new();
    let story = "Mary went to the \u{1b}[2J kitchen.\u{9b}\u{202e} John\tleft.";
    for arguments in [&["explain", "-"][..], &["ask", "-", "Where is Mary?"]] {
        let run = folder.run_with(arguments, story.as_bytes());
        let steers = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!run.out.contains(steers), "{:?}", run.out);
    }
}
