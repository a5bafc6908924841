//! Oracles of tables: which texts are one, where the first fault of a text is,
//! that every small table comes back, and what groups are.

use std::collections::BTreeSet;

use mlab::table::{Error, Fault, Group, Table as Sheet, groups};
use obernant::{Product, Record, Sequences, Table, Universe};

/// The characters that texts are made of, in words and as they are. The letter that
/// is no mark has two bytes.
const CHARACTERS: [(&str, &str); 7] = [
    ("ä", "ä"),
    ("tab", "\t"),
    ("newline", "\n"),
    ("carriage return", "\r"),
    ("backslash", "\\"),
    ("t", "t"),
    ("n", "n"),
];

fn texts(length: u64) -> Sequences {
    Sequences::new(CHARACTERS.map(|(words, _)| words), length)
}

fn text(case: &[usize]) -> String {
    case.iter().map(|&at| CHARACTERS[at].1).collect()
}

/// The text without its pairs, each taken out as a whole: what is left is plain.
/// Pairs of backslashes go first, from the left, so that none is torn.
fn without_pairs(text: &str) -> String {
    [r"\\", r"\t", r"\n", r"\r"]
        .iter()
        .fold(text.to_owned(), |text, pair| text.replace(pair, "pair"))
}

/// No piece occurs twice.
fn distinct(line: &str) -> bool {
    let pieces: Vec<&str> = line.split('\t').collect();
    pieces.iter().collect::<BTreeSet<_>>().len() == pieces.len()
}

/// What a canonical table is: there is a header, every line is ended, nothing bare
/// is left beside the pairs, all lines have equally many tabs, and the pieces of
/// the first line differ.
fn canonical(text: &str) -> bool {
    let plain = without_pairs(text);
    let tabs: BTreeSet<usize> = text
        .lines()
        .map(|line| line.matches('\t').count())
        .collect();
    text.ends_with('\n')
        && !plain.contains(['\r', '\\'])
        && tabs.len() == 1
        && text.lines().next().is_some_and(distinct)
}

#[test]
fn a_text_is_a_table_exactly_where_it_is_canonical() {
    let mut record = Record::start("a_text_is_a_table_exactly_where_it_is_canonical");
    let universe = texts(record.bound("length", 6));
    let mut table = Table::new("the reader of tables", &universe, text, |_, text| {
        match Sheet::from_tsv(text) {
            Ok(sheet) if sheet.to_tsv() == text => "a table",
            Ok(_) => "a table that is written otherwise",
            Err(_) => "refused",
        }
        .to_owned()
    });
    record.acceptance(
        &mut table,
        &["a table"],
        &["refused"],
        |case| canonical(&text(case)).then_some(0),
        |case| {
            let verb = if canonical(&text(case)) {
                "be read, and written as it was"
            } else {
                "be refused"
            };
            format!("the text {:?} must {verb}", text(case))
        },
    );
    record.finish();
}

/// A fault in words, its place included.
fn told(error: &Error) -> String {
    let Error::Text {
        line,
        character,
        fault,
    } = error
    else {
        return format!("no fault of a text: {error}");
    };
    let fault = match fault {
        Fault::NoHeader => "no header",
        Fault::NoFinalNewline => "no final newline",
        Fault::BareReturn => "a bare return",
        Fault::UnknownEscape => "an unknown pair",
        Fault::SameName(_) => "a name again",
        Fault::Width { .. } => "another width",
    };
    place(*line, *character, fault)
}

fn place(line: usize, character: usize, fault: &str) -> String {
    format!("{fault} in line {line} at {character}")
}

/// The gates of a text in order: the text as a whole, then each line: each of its
/// characters, then its cells.
fn gates(text: &str) -> Vec<(String, bool)> {
    let lines: Vec<&str> = text
        .strip_suffix('\n')
        .unwrap_or(text)
        .split('\n')
        .collect();
    let last = lines.len();
    let mut gates = vec![
        (place(1, 1, "no header"), text.is_empty()),
        (
            place(
                last,
                lines[last - 1].chars().count() + 1,
                "no final newline",
            ),
            !text.ends_with('\n'),
        ),
    ];
    for (line, number) in lines.iter().zip(1..) {
        let count = line.chars().count();
        for at in 0..count {
            let before: String = line.chars().take(at).collect();
            let from: String = line.chars().skip(at).take(2).collect();
            // A backslash is the second of a pair where an odd number stands before it.
            let run = before.len() - before.trim_end_matches('\\').len();
            let begins = from.starts_with('\\') && run.is_multiple_of(2);
            let known = [r"\t", r"\n", r"\r", r"\\"].contains(&from.as_str());
            gates.push((
                place(number, at + 1, "a bare return"),
                from.starts_with('\r'),
            ));
            gates.push((place(number, at + 1, "an unknown pair"), begins && !known));
        }
        let pieces: Vec<&str> = line.split('\t').collect();
        let due = lines[0].split('\t').count();
        if number == 1 {
            // Where the second of two equal names begins, for each second one in order.
            let mut start = 1;
            for (at, piece) in pieces.iter().enumerate() {
                let again = pieces[..at].contains(piece);
                gates.push((place(1, start, "a name again"), again));
                start += piece.chars().count() + 1;
            }
        }
        gates.push((
            place(number, count + 1, "another width"),
            pieces.len() != due,
        ));
    }
    gates
}

#[test]
fn the_first_fault_of_a_text_is_told_with_its_place() {
    let mut record = Record::start("the_first_fault_of_a_text_is_told_with_its_place");
    let universe = texts(record.bound("length", 5));
    let mut table =
        Table::new(
            "the reader of tables",
            &universe,
            text,
            |_, text| match Sheet::from_tsv(text) {
                Ok(_) => "a table".to_owned(),
                Err(error) => told(&error),
            },
        );
    record.gates(&mut table, "a table", |case| gates(&text(case)));
    record.finish();
}

/// What cells hold, and how each is written.
const CELLS: [(&str, &str); 7] = [
    ("", ""),
    ("a", "a"),
    ("\t", r"\t"),
    ("\n", r"\n"),
    ("\r", r"\r"),
    ("\\", r"\\"),
    (r"\t", r"\\t"),
];

/// Widths from none, and cells that fill a header and then rows of that width.
struct Sheets {
    widths: u64,
    cells: Sequences,
}

impl Universe for Sheets {
    fn len(&self) -> u64 {
        self.widths * self.cells.len()
    }

    fn case(&self, index: u64) -> Vec<usize> {
        let mut case = self.cells.case(index / self.widths);
        case.insert(
            0,
            usize::try_from(index % self.widths).expect("it is small"),
        );
        case
    }

    fn words(&self, case: &[usize]) -> String {
        format!("width {}, cells {}", case[0], self.cells.words(&case[1..]))
    }
}

/// The cells of a case, line by line, the header first.
fn lines(case: &[usize]) -> Vec<Vec<usize>> {
    let (header, rest) = case[1..].split_at(case[0].min(case.len() - 1));
    let rows = rest.chunks(case[0].max(1)).map(<[usize]>::to_vec);
    [header.to_vec()].into_iter().chain(rows).collect()
}

fn built(lines: &[Vec<usize>]) -> Result<Sheet, Error> {
    let cells = |line: &[usize]| -> Vec<&str> { line.iter().map(|&at| CELLS[at].0).collect() };
    let mut sheet = Sheet::new(cells(&lines[0]))?;
    for line in &lines[1..] {
        sheet.push(cells(line))?;
    }
    Ok(sheet)
}

#[test]
fn every_small_table_has_a_text_of_its_own_and_comes_back() {
    let mut record = Record::start("every_small_table_has_a_text_of_its_own_and_comes_back");
    let length = record.bound("cells", 5);
    let universe = Sheets {
        widths: 4,
        cells: Sequences::new(
            CELLS.map(|(cell, _)| format!("<{}>", cell.escape_debug())),
            length,
        ),
    };
    let mut table = Table::new(
        "the writer of tables",
        &universe,
        |case| universe.words(case),
        |case, _| match built(&lines(case)) {
            Err(Error::NoColumn) => "no column".to_owned(),
            Err(Error::SameName(_)) => "a name again".to_owned(),
            Err(Error::Width { .. }) => "another width".to_owned(),
            Err(other) => format!("another refusal: {other}"),
            Ok(sheet) => {
                let text = sheet.to_tsv();
                if Sheet::from_tsv(&text).as_ref() == Ok(&sheet) {
                    format!("{text:?}")
                } else {
                    format!("{text:?}, read as another table")
                }
            }
        },
    );
    // The first thing that keeps a case from being a table; otherwise its cells.
    let class = |case: &[usize]| {
        let lines = lines(case);
        let names: BTreeSet<usize> = lines[0].iter().copied().collect();
        if lines[0].is_empty() {
            Err("no column")
        } else if names.len() != lines[0].len() {
            Err("a name again")
        } else if lines.iter().any(|line| line.len() != lines[0].len()) {
            Err("another width")
        } else {
            let cells = |line: &Vec<usize>| line.iter().map(|&at| CELLS[at]).collect();
            Ok(lines.iter().map(cells).collect::<Vec<Vec<_>>>())
        }
    };
    record.partition(&mut table, |outcome| outcome, class);
    // Each text, put together from the written cells.
    record.literal(&mut table, |case| match class(case) {
        Err(refusal) => refusal.to_owned(),
        Ok(lines) => {
            let written = |line: &Vec<(&str, &'static str)>| {
                let cells: Vec<&str> = line.iter().map(|(_, written)| *written).collect();
                cells.join("\t") + "\n"
            };
            format!("{:?}", lines.iter().map(written).collect::<String>())
        }
    });
    record.finish();
}

/// The cells of a row of two columns, `kind` and `outcome`.
const ROWS: [[&str; 2]; 5] = [["a", "a"], ["a", "b"], ["b", "a"], ["a", ""], ["", "a"]];

/// A choice of columns, in words, and the places that it stands for or what it is
/// refused for.
type Choice = (
    &'static [&'static str],
    &'static str,
    Result<&'static [usize], &'static str>,
);

const CHOICES: [Choice; 9] = [
    (&[], "nothing", Ok(&[])),
    (&["kind"], "the kind", Ok(&[0])),
    (&["outcome"], "the outcome", Ok(&[1])),
    (&["kind", "outcome"], "kind and outcome", Ok(&[0, 1])),
    (&["outcome", "kind"], "outcome and kind", Ok(&[1, 0])),
    (&["kind", "kind"], "the kind twice", Err("kind again")),
    (&["Kind"], "a name in another case", Err("no column Kind")),
    (
        &["kind", "", "kind"],
        "no column, then the kind twice",
        Err("no column "),
    ),
    (
        &["outcome", "outcome", ""],
        "the outcome twice, then no column",
        Err("outcome again"),
    ),
];

fn row_words() -> [String; 5] {
    ROWS.map(|[kind, outcome]| format!("<{kind}|{outcome}>"))
}

/// For each group its key and its rows.
type Classes = Vec<(Vec<&'static str>, Vec<usize>)>;

/// Groups in words.
fn described(found: Result<Vec<Group>, Error>) -> String {
    match found {
        Err(Error::UnknownColumn { name, .. }) => format!("no column {name}"),
        Err(Error::ChosenTwice(name)) => format!("{name} again"),
        Err(other) => format!("another refusal: {other}"),
        Ok(groups) if groups.is_empty() => "no groups".to_owned(),
        Ok(groups) => {
            let groups: Vec<String> = groups
                .iter()
                .map(|group| format!("{:?} {} {:?}", group.key, group.count(), group.rows))
                .collect();
            groups.join(", ")
        }
    }
}

/// Up to so many rows, beside each choice of columns.
struct Chosen(Sequences);

impl Universe for Chosen {
    fn len(&self) -> u64 {
        self.0.len() * CHOICES.len() as u64
    }

    fn case(&self, index: u64) -> Vec<usize> {
        let choices = CHOICES.len() as u64;
        let mut case = self.0.case(index / choices);
        case.insert(0, usize::try_from(index % choices).expect("it is small"));
        case
    }

    fn words(&self, case: &[usize]) -> String {
        format!(
            "{} of rows {}",
            CHOICES[case[0]].1,
            self.0.words(&case[1..])
        )
    }
}

#[test]
fn groups_are_the_classes_of_equal_cells_in_order_of_first_rows() {
    let mut record = Record::start("groups_are_the_classes_of_equal_cells_in_order_of_first_rows");
    let length = record.bound("rows", 5);
    let universe = Chosen(Sequences::new(row_words(), length));
    let mut table = Table::new(
        "the grouping",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let mut sheet = Sheet::new(["kind", "outcome"]).expect("the names differ");
            for &row in &case[1..] {
                sheet.push(ROWS[row]).expect("two cells");
            }
            described(groups(&sheet, CHOICES[case[0]].0))
        },
    );
    // The rows that agree with a row are its group; it stands where its least member is.
    let due = |case: &[usize]| -> Result<Classes, &str> {
        let places = CHOICES[case[0]].2?;
        let rows = &case[1..];
        let agree = |one: usize, other: usize| {
            places
                .iter()
                .all(|&place| ROWS[rows[one]][place] == ROWS[rows[other]][place])
        };
        let first = (0..rows.len()).filter(|&row| !(0..row).any(|before| agree(before, row)));
        Ok(first
            .map(|row| {
                let key = places.iter().map(|&place| ROWS[rows[row]][place]);
                let members = (0..rows.len()).filter(|&member| agree(row, member));
                (key.collect(), members.collect())
            })
            .collect())
    };
    record.partition(&mut table, |outcome| outcome, due);
    record.literal(&mut table, |case| match due(case) {
        Err(refusal) => refusal.to_owned(),
        Ok(groups) if groups.is_empty() => "no groups".to_owned(),
        Ok(groups) => {
            let groups: Vec<String> = groups
                .iter()
                .map(|(key, rows)| format!("{key:?} {} {rows:?}", rows.len()))
                .collect();
            groups.join(", ")
        }
    });
    record.finish();
}

/// A sheet's text: two columns and the name of each row, rows in this order.
fn named(rows: &[usize], order: &[usize]) -> String {
    let lines: String = order
        .iter()
        .map(|&at| format!("{}\t{}\t{at}\n", ROWS[rows[at]][0], ROWS[rows[at]][1]))
        .collect();
    format!("kind\toutcome\tname\n{lines}")
}

/// The orders of three rows.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

fn three_rows() -> Product {
    let words = row_words();
    Product::new()
        .with("first", &words)
        .with("second", &words)
        .with("third", &words)
}

#[test]
fn the_order_of_the_rows_moves_nothing_from_group_to_group() {
    let mut record = Record::start("the_order_of_the_rows_moves_nothing_from_group_to_group");
    let universe = three_rows()
        .with("order", ORDERS.map(|order| format!("{order:?}")))
        .with("chosen", CHOICES.map(|(_, words, _)| words));
    let mut table = Table::new(
        "the grouping",
        &universe,
        |case| named(&case[..3], &ORDERS[case[3]]),
        |case, text| {
            let sheet = Sheet::from_tsv(text).expect("a table");
            let found = match groups(&sheet, CHOICES[case[4]].0) {
                Err(error) => return described(Err(error)),
                Ok(found) => found,
            };
            // Rows by their names, and groups as a set.
            let found: BTreeSet<String> = found
                .iter()
                .map(|group| {
                    let names = group.rows.iter().map(|&row| sheet.rows()[row][2].as_str());
                    format!("{:?} {:?}", group.key, names.collect::<BTreeSet<_>>())
                })
                .collect();
            found.into_iter().collect::<Vec<_>>().join(", ")
        },
    );
    record.invariance(&mut table, |case| named(&case[..3], &ORDERS[0]));
    record.finish();
}

#[test]
fn a_column_that_is_not_chosen_changes_no_group() {
    let mut record = Record::start("a_column_that_is_not_chosen_changes_no_group");
    let universe = three_rows()
        .with("names", ["numbers", "one for all", "none", "tabs"])
        .with("chosen", CHOICES.map(|(_, words, _)| words));
    let written = |case: &[usize], names: usize| {
        let lines: String = case[..3]
            .iter()
            .enumerate()
            .map(|(at, &row)| {
                let name = [["0", "1", "2"][at], "same", "", r"\t"][names];
                format!("{name}\t{}\t{}\n", ROWS[row][0], ROWS[row][1])
            })
            .collect();
        format!("name\tkind\toutcome\n{lines}")
    };
    let mut table = Table::new(
        "the grouping",
        &universe,
        |case| written(case, case[3]),
        |case, text| {
            let sheet = Sheet::from_tsv(text).expect("a table");
            described(groups(&sheet, CHOICES[case[4]].0))
        },
    );
    // The original has no other column at all.
    record.invariance(&mut table, |case| {
        let lines: String = case[..3]
            .iter()
            .map(|&row| format!("{}\t{}\n", ROWS[row][0], ROWS[row][1]))
            .collect();
        format!("kind\toutcome\n{lines}")
    });
    record.finish();
}
