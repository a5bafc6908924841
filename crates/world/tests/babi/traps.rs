//! `babi traps`.

use crate::Folder;

const HEAD: &str = "subject\tepisode\texpected\tconstruction\n";
const ROWS: &str = "\
mary\tMary went to the kitchen.\tkitchen\tplain
mary\tMary went to the kitchen.\tgarden\twrong on purpose
fred\tMary went to the kitchen.\tkitchen\tsomebody else
fred\tMary went to the kitchen.\tREFUSE\tnobody
";

#[test]
fn the_counts_are_one_json_object() {
    let folder = Folder::new();
    folder.file("traps.tsv", format!("{HEAD}{ROWS}"));
    folder.run(&["traps", "--json", "traps.tsv"]).printed(
        0,
        "{\"episodes\":4,\"answerable\":3,\"right\":1,\"refused\":2,\"wrong\":1}\n",
    );
}

#[test]
fn a_person_sees_what_was_wrong_and_what_was_refused() {
    let folder = Folder::new();
    folder.file("traps.tsv", format!("{HEAD}{ROWS}"));
    let run = folder.run(&["traps", "traps.tsv"]);
    assert_eq!((run.code, run.error.as_str()), (Some(0), ""));
    let begin = "\
episodes  answerable  right  refused  wrong
       4           3      1        2      1

wrong: 1
subject  expected  construction      result
mary     garden    wrong on purpose  kitchen

answerable but refused: 1
subject  expected  construction   result
fred     kitchen   somebody else  ";
    let reason = run.out.strip_prefix(begin).expect(&run.out);
    assert!(reason.trim().len() > 3, "it gives the reason: {reason}");
}

#[test]
fn a_file_that_is_no_table_of_traps_is_refused() {
    let folder = Folder::new();
    folder.file("head.tsv", HEAD);
    folder.file("names.tsv", "subject\tstory\na\tb\n");
    folder.file("ragged.tsv", format!("{HEAD}mary\tMary went.\n"));
    folder.file("latin.tsv", b"subject\n\xe9\n");
    folder.file("empty.tsv", "");
    let cases = [
        ("head.tsv", "head.tsv: no trap stands under"),
        ("names.tsv", "names.tsv: no column `episode`"),
        ("ragged.tsv", "ragged.tsv: "),
        ("latin.tsv", "latin.tsv:2: no UTF-8"),
        ("empty.tsv", "empty.tsv: "),
        ("missing.tsv", "missing.tsv can't be opened"),
        (".", ". is a folder"),
    ];
    for (file, words) in cases {
        let run = folder.run(&["traps", file]);
        run.failed(words);
        assert_eq!(run.out, "");
    }
}
