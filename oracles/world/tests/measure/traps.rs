//! Oracles of the traps: the verdict on an answer, the question, the first fault of a
//! file, and that columns are found by name.

use obernant::{Product, Record, Table};
use world::measure::traps::{Outcome, Trap, TrapTally, judge, question, read};

use crate::rules::{Due, accept, lists};
use crate::small_world::{sentences, simulated};

fn trap(subject: &str, episode: &str, expected: Option<&str>) -> Trap {
    Trap {
        subject: subject.to_owned(),
        episode: episode.to_owned(),
        expected: expected.map(str::to_owned),
        construction: String::new(),
    }
}

/// All episodes of the small world, each subject, and what may be expected of it.
pub(crate) fn judged(record: &mut Record) {
    let length = record.bound("length", 3);
    let told_in = sentences();
    let episodes = lists(&told_in, length);
    let subjects = ["mary", "FRED", "milk"];
    let expected = [None, Some("kitchen"), Some("KITCHEN"), Some("garden")];
    let universe = Product::new()
        .with("subject", subjects)
        .with(
            "expected",
            expected.map(|place| place.unwrap_or("a refusal")),
        )
        .with("episode", episodes.iter().map(|episode| episode.join(" ")));
    accept(
        record,
        "the verdict",
        &universe,
        |case| {
            let trap = trap(
                subjects[case[0]],
                &episodes[case[2]].join(" "),
                expected[case[1]],
            );
            let outcome = judge(&trap);
            let mut tally = TrapTally::default();
            tally.add(&trap, &outcome);
            let verdict = match outcome {
                Outcome::Right => "right".to_owned(),
                Outcome::Refused(words) if words.is_empty() => "refused without a word".to_owned(),
                Outcome::Refused(_) => "refused".to_owned(),
                Outcome::Wrong(place) => format!("wrong: {place}"),
            };
            format!(
                "{verdict}; {} asked, {} answerable, {} right, {} refused, {} wrong",
                tally.episodes, tally.answerable, tally.right, tally.refused, tally.wrong
            )
        },
        |case| {
            let place = simulated(&episodes[case[2]])[case[0]];
            let wanted = expected[case[1]].map(str::to_lowercase);
            let counted = usize::from(wanted.is_some());
            let (verdict, name, counts) = match place {
                None => (
                    "refused".to_owned(),
                    "refused",
                    "0 right, 1 refused, 0 wrong",
                ),
                Some(place) if wanted.as_deref() == Some(place) => {
                    ("right".to_owned(), "right", "1 right, 0 refused, 0 wrong")
                }
                Some(place) => (
                    format!("wrong: {place}"),
                    "wrong",
                    "0 right, 0 refused, 1 wrong",
                ),
            };
            Due::new(
                format!("{verdict}; 1 asked, {counted} answerable, {counts}"),
                format!("{name}, {counted} answerable"),
            )
        },
    );
}

/// All episodes of at most four of eight words. Where the subject once stands there small
/// and after an article, it is asked for as a thing; else as it is written first.
pub(crate) fn questions(record: &mut Record) {
    let length = record.bound("length", 4);
    let words = ["Mary", "mary", "the", "A", "ball", "Ball", "red", ","];
    let episodes = lists(&words, length);
    let subjects = ["mary", "the ball", "red ball", "--"];
    let universe = Product::new().with("subject", subjects).with(
        "episode",
        episodes
            .iter()
            .map(|episode| format!("<{}>", episode.join(" "))),
    );
    accept(
        record,
        "the question",
        &universe,
        |case| question(&trap(subjects[case[0]], &episodes[case[1]].join(" "), None)),
        |case| {
            let wanted: &[&str] = [&["mary"][..], &["ball"], &["red", "ball"], &[]][case[0]];
            let episode = &episodes[case[1]];
            let words: Vec<usize> = (0..episode.len())
                .filter(|&at| episode[at] != ",")
                .collect();
            // Where the subject stands, from word to word; a comma may stand between.
            let runs = words.windows(wanted.len().max(1)).enumerate();
            let found: Vec<(bool, String)> = runs
                .filter(|(_, run)| {
                    let here: Vec<String> =
                        run.iter().map(|&at| episode[at].to_lowercase()).collect();
                    here == wanted
                })
                .map(|(at, run)| {
                    let text = episode[run[0]..=run[run.len() - 1]].join(" ");
                    let before = at.checked_sub(1).map(|before| episode[words[before]]);
                    let small = !text.starts_with(char::is_uppercase);
                    (small && matches!(before, Some("the" | "A")), text)
                })
                .collect();
            if let Some((_, text)) = found.iter().find(|(thing, _)| *thing) {
                Due::new(format!("Where is the {text}?"), "a thing")
            } else if let Some((_, text)) = found.first() {
                Due::new(
                    format!("Where is {text}?"),
                    "as the episode writes it first",
                )
            } else {
                Due::new(
                    format!("Where is {}?", subjects[case[0]]),
                    "as the trap says",
                )
            }
        },
    );
}

const COLUMNS: [&str; 4] = ["subject", "episode", "expected", "construction"];

/// Which columns are missing, and which cell of none, one or two rows is blank: a column,
/// then any row, then the first blank cell of the first three columns is told.
pub(crate) fn reading(record: &mut Record) {
    let rows = lists(
        &[
            "full", COLUMNS[0], COLUMNS[1], COLUMNS[2], COLUMNS[3], "all",
        ],
        2,
    );
    let universe = Product::new()
        .with("missing", (0..16).map(|columns| format!("{columns:04b}")))
        .with("blank", rows.iter().map(|rows| format!("{rows:?}")));
    let missing = |case: &[usize], at: usize| case[0] >> (3 - at) & 1 == 1;
    let blank = |row: &str, column: &str| row == column || row == "all";
    let mut table = Table::new(
        "the reading",
        &universe,
        |case| {
            let columns: Vec<&str> = (0..4)
                .filter(|&at| !missing(case, at))
                .map(|at| COLUMNS[at])
                .collect();
            let mut text = columns
                .iter()
                .map(|column| format!("{column}\t"))
                .collect::<String>()
                + "other\n";
            for row in &rows[case[1]] {
                for column in &columns {
                    text += if blank(row, column) { " " } else { "x" };
                    text += "\t";
                }
                text += "o\n";
            }
            text
        },
        |case, text| match read("f", text) {
            Ok(traps) if traps.len() == rows[case[1]].len() => "all traps".to_owned(),
            Ok(traps) => format!("{} traps", traps.len()),
            Err(error) => {
                let words = error.to_string();
                words.split("; ").next().unwrap_or_default().to_owned()
            }
        },
    );
    record.gates(&mut table, "all traps", |case| {
        let columns = COLUMNS.iter().enumerate();
        let mut gates: Vec<(String, bool)> = columns
            .map(|(at, column)| (format!("f: no column `{column}`"), missing(case, at)))
            .collect();
        let none = "f: no trap stands under the names of the columns";
        gates.push((none.to_owned(), rows[case[1]].is_empty()));
        for (line, row) in (2..).zip(&rows[case[1]]) {
            for column in &COLUMNS[..3] {
                let words = format!("f: line {line} has nothing under `{column}`");
                gates.push((words, blank(row, column)));
            }
        }
        gates
    });
}

/// Every order of the four columns, with a fifth one anywhere, both line ends, the last
/// line ended or not, with and without a mark at the begin.
pub(crate) fn columns(record: &mut Record) {
    let orders: Vec<Vec<&str>> = lists(&COLUMNS, 4)
        .into_iter()
        .filter(|order| COLUMNS.iter().all(|column| order.contains(column)))
        .collect();
    let expected = [
        ("REFUSE", None),
        ("Refuse", None),
        ("the kitchen", Some("kitchen")),
        ("An attic", Some("attic")),
        ("theatre", Some("theatre")),
    ];
    let universe = Product::new()
        .with("order", orders.iter().map(|order| format!("{order:?}")))
        .with("other column", 0..=4)
        .with("line end", ["LF", "CR LF"])
        .with("last line", ["ended", "open"])
        .with("mark", ["none", "U+FEFF"])
        .with("expected", expected.map(|(text, _)| text));
    let written = |order: &[&str], expected: &str| -> [String; 2] {
        let cell = |column: &str| match column {
            "subject" => "mary",
            "episode" => " Mary left. ",
            "expected" => expected,
            "construction" => "leaving",
            _ => "o",
        };
        let row: Vec<&str> = order.iter().map(|column| cell(column)).collect();
        [order.join("\t"), row.join("\t")]
    };
    let mut table = Table::new(
        "the reading",
        &universe,
        |case| {
            let mut order = orders[case[0]].clone();
            order.insert(case[1], "other");
            let end = ["\n", "\r\n"][case[2]];
            let text = written(&order, expected[case[5]].0).join(end);
            let mark = ["", "\u{feff}"][case[4]];
            format!("{mark}{text}{}", if case[3] == 0 { end } else { "" })
        },
        |_, text| format!("{:?}", read("f", text).map_err(|error| error.to_string())),
    );
    record.invariance(&mut table, |case| {
        written(&COLUMNS, expected[case[5]].0).join("\n") + "\n"
    });
    record.literal(&mut table, |case| {
        let due = Trap {
            construction: "leaving".to_owned(),
            ..trap("mary", "Mary left.", expected[case[5]].1)
        };
        format!("{:?}", Ok::<_, String>(vec![due]))
    });
}
