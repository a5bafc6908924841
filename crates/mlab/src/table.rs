//! Tables of text: named columns and rows of cells, the one way to write them as
//! TSV and read them again, and the grouping of rows. What the cells mean is the
//! caller's.
//!
//! # The written form
//!
//! A table is a header line and one line for each row. Every line ends with a
//! newline, the last one too. A tab stands between two cells. In a cell, and in a
//! column's name, `\t`, `\n`, `\r` and `\\` stand for tab, newline, carriage return
//! and backslash; every other character stands for itself.
//!
//! Each table has exactly one such text. So [`Table::from_tsv`] refuses every other
//! spelling, and both ways round nothing is lost: `from_tsv(to_tsv(t)) == t`, and
//! `to_tsv(from_tsv(s)) == s` for each `s` that is read.
//!
//! A table of one column may hold an empty cell; its line is empty. A name may be
//! empty as well.
//!
//! ```
//! use mlab::table::{Table, groups};
//!
//! let table = Table::from_tsv("task\tresult\n1\tright\n1\twrong\n2\tright\n")?;
//! let results = groups(&table, &["result"])?;
//! assert_eq!(results[0].key, ["right"]);
//! assert_eq!(results[0].rows, [0, 2]);
//! assert_eq!(results[1].count(), 1);
//! # Ok::<(), mlab::table::Error>(())
//! ```

use std::collections::{HashMap, HashSet};

use thiserror::Error;

/// The characters that are written as a backslash and a mark.
const ESCAPES: [(char, char); 4] = [('\t', 't'), ('\n', 'n'), ('\r', 'r'), ('\\', '\\')];

/// Why a table can't be made, read or grouped.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// A table without columns.
    #[error("a table without columns holds nothing; name at least one column")]
    NoColumn,
    /// Two columns with one name.
    #[error("column {0:?} is there twice; give each column a name of its own")]
    SameName(String),
    /// A row that is too short or too long.
    #[error(
        "row {row} has width {found} where the header has {due}; give one cell for each column"
    )]
    Width {
        /// The number that the row would have, from 0.
        row: usize,
        /// How many cells it has.
        found: usize,
        /// How many columns the table has.
        due: usize,
    },
    /// A column is asked for that the table has not.
    #[error("there is no column {name:?}; choose among {known:?}")]
    UnknownColumn {
        /// The name that was asked for.
        name: String,
        /// The names that there are, in order.
        known: Vec<String>,
    },
    /// A column is chosen twice.
    #[error("column {0:?} is chosen twice; choose each column once")]
    ChosenTwice(String),
    /// A text that is no written table.
    #[error("line {line}, character {character}: {fault}")]
    Text {
        /// The line, from 1.
        line: usize,
        /// The place in the line, in characters from 1. One past the last
        /// character where something is missing or the whole line is wrong.
        character: usize,
        /// What is wrong there.
        fault: Fault,
    },
}

/// What is wrong at a place of a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The text is empty.
    #[error("there is no header; write the columns' names, with tabs between, into the first line")]
    NoHeader,
    /// The last line is not ended.
    #[error("the last line has no end; a newline must follow it, or the file was cut")]
    NoFinalNewline,
    /// A carriage return stands for itself.
    #[error(r"a bare carriage return; end lines with a newline alone, and write \r in a cell")]
    BareReturn,
    /// A backslash that begins no known pair.
    #[error(r"a backslash before neither t, n, r nor a backslash; write \\ where one is meant")]
    UnknownEscape,
    /// Two columns with one name.
    #[error("column {0:?} is there twice; give each column a name of its own")]
    SameName(String),
    /// A row that is too short or too long.
    #[error("width {found} where the header has {due}; give one cell for each column")]
    Width {
        /// How many cells the line has.
        found: usize,
        /// How many the header has.
        due: usize,
    },
}

/// Named columns, at least one, and rows with one cell for each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns and no row.
    ///
    /// Fails where there is no column, or two have one name.
    pub fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, Error> {
        let columns: Vec<String> = columns.into_iter().map(Into::into).collect();
        if columns.is_empty() {
            return Err(Error::NoColumn);
        }
        if let Some(at) = repeated(&columns) {
            return Err(Error::SameName(columns[at].clone()));
        }
        Ok(Self {
            columns,
            rows: Vec::new(),
        })
    }

    /// Adds a row after the others.
    ///
    /// Fails where it has not one cell for each column; the table is then as before.
    pub fn push(&mut self, row: impl IntoIterator<Item = impl Into<String>>) -> Result<(), Error> {
        let row: Vec<String> = row.into_iter().map(Into::into).collect();
        if row.len() != self.columns.len() {
            return Err(Error::Width {
                row: self.rows.len(),
                found: row.len(),
                due: self.columns.len(),
            });
        }
        self.rows.push(row);
        Ok(())
    }

    /// The names of the columns, in order.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows, in order; a row's number is its place here, from 0.
    #[must_use]
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Reads a written table.
    ///
    /// Fails with the first fault: an empty text, a text without a final newline,
    /// then line by line, and in a line first its characters in order and then its
    /// cells as a whole. Time and memory grow with the text.
    pub fn from_tsv(text: &str) -> Result<Self, Error> {
        if text.is_empty() {
            return Err(at(1, 1, Fault::NoHeader));
        }
        let Some(text) = text.strip_suffix('\n') else {
            let lines: Vec<&str> = text.split('\n').collect();
            let end = end(lines[lines.len() - 1]);
            return Err(at(lines.len(), end, Fault::NoFinalNewline));
        };
        let mut lines = (1..).zip(text.split('\n'));
        let header = lines.next().map_or("", |(_, header)| header);
        let columns = cells(1, header)?;
        if let Some(again) = repeated(&columns) {
            // Equal names are spelt equally, so the raw cells have the same places.
            let before = header.split('\t').take(again).map(end);
            let place = 1 + before.sum::<usize>();
            return Err(at(1, place, Fault::SameName(columns[again].clone())));
        }
        let mut rows = Vec::new();
        for (number, line) in lines {
            let row = cells(number, line)?;
            if row.len() != columns.len() {
                let fault = Fault::Width {
                    found: row.len(),
                    due: columns.len(),
                };
                return Err(at(number, end(line), fault));
            }
            rows.push(row);
        }
        Ok(Self { columns, rows })
    }

    /// Writes the table in its one form.
    #[must_use]
    pub fn to_tsv(&self) -> String {
        let mut text = String::new();
        for row in std::iter::once(&self.columns).chain(&self.rows) {
            for (place, cell) in row.iter().enumerate() {
                if place > 0 {
                    text.push('\t');
                }
                for character in cell.chars() {
                    match ESCAPES.iter().find(|(plain, _)| *plain == character) {
                        Some((_, mark)) => text.extend(['\\', *mark]),
                        None => text.push(character),
                    }
                }
            }
            text.push('\n');
        }
        text
    }
}

/// Rows that agree in the chosen columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The cells that they share, in the order in which the columns were chosen.
    pub key: Vec<String>,
    /// The numbers of the rows, ascending; at least one.
    pub rows: Vec<usize>,
}

impl Group {
    /// How many rows the group has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows.len()
    }
}

/// Groups the rows that have equal cells in all of `columns`.
///
/// Groups come in the order of their first rows. Each row is in exactly one group,
/// and no group is empty. Where no column is chosen nothing tells rows apart: all of
/// them are one group, and a table without rows has none.
///
/// Fails at the first name in `columns` that is no column or was chosen before.
pub fn groups(table: &Table, columns: &[&str]) -> Result<Vec<Group>, Error> {
    let mut chosen = Vec::new();
    for name in columns {
        let Some(place) = table.columns.iter().position(|column| column == name) else {
            return Err(Error::UnknownColumn {
                name: (*name).to_owned(),
                known: table.columns.clone(),
            });
        };
        if chosen.contains(&place) {
            return Err(Error::ChosenTwice((*name).to_owned()));
        }
        chosen.push(place);
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut places: HashMap<Vec<&str>, usize> = HashMap::new();
    for (number, row) in table.rows.iter().enumerate() {
        let key: Vec<&str> = chosen.iter().map(|&place| row[place].as_str()).collect();
        if let Some(&place) = places.get(&key) {
            groups[place].rows.push(number);
            continue;
        }
        groups.push(Group {
            key: key.iter().map(|&cell| cell.to_owned()).collect(),
            rows: vec![number],
        });
        places.insert(key, groups.len() - 1);
    }
    Ok(groups)
}

/// The place of the first name that stands before itself too.
fn repeated(names: &[String]) -> Option<usize> {
    let mut seen = HashSet::new();
    names.iter().position(|name| !seen.insert(name))
}

/// The cells of one line.
fn cells(line: usize, text: &str) -> Result<Vec<String>, Error> {
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut characters = (1..).zip(text.chars());
    while let Some((place, character)) = characters.next() {
        match character {
            '\t' => cells.push(std::mem::take(&mut cell)),
            '\r' => return Err(at(line, place, Fault::BareReturn)),
            '\\' => {
                let mark = characters.next().map(|(_, mark)| mark);
                let escape = ESCAPES.iter().find(|(_, known)| Some(*known) == mark);
                let Some((plain, _)) = escape else {
                    return Err(at(line, place, Fault::UnknownEscape));
                };
                cell.push(*plain);
            }
            other => cell.push(other),
        }
    }
    cells.push(cell);
    Ok(cells)
}

/// One past the last character.
fn end(text: &str) -> usize {
    text.chars().count() + 1
}

fn at(line: usize, character: usize, fault: Fault) -> Error {
    Error::Text {
        line,
        character,
        fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[&str], rows: &[&[&str]]) -> Table {
        let mut table = Table::new(columns.iter().copied()).expect("the names differ");
        for row in rows {
            table.push(row.iter().copied()).expect("the width agrees");
        }
        table
    }

    #[test]
    fn special_characters_are_written_as_pairs_and_come_back() {
        let cells = ["a\tb", "\r\n", r"c:\temp", "", "\u{2028}ä\0\u{1f600}"];
        let table = table(&["\t", "\\", "", "name", "ß"], &[&cells]);
        let text = table.to_tsv();
        assert_eq!(
            text,
            "\\t\t\\\\\t\tname\tß\na\\tb\t\\r\\n\tc:\\\\temp\t\t\u{2028}ä\0\u{1f600}\n"
        );
        assert_eq!(Table::from_tsv(&text), Ok(table));
    }

    #[test]
    fn one_column_may_hold_empty_cells_and_no_row() {
        let empty = table(&[""], &[&[""], &[""]]);
        assert_eq!(empty.to_tsv(), "\n\n\n");
        assert_eq!(Table::from_tsv("\n\n\n"), Ok(empty));
        assert_eq!(Table::from_tsv("only\n"), Ok(table(&["only"], &[])));
    }

    #[test]
    fn a_fault_is_told_with_its_place_and_what_to_do() {
        let told = |text: &str| {
            let error = Table::from_tsv(text).expect_err("it is no table");
            error.to_string()
        };
        assert_eq!(
            told(""),
            "line 1, character 1: there is no header; \
             write the columns' names, with tabs between, into the first line"
        );
        assert_eq!(
            told("a\nxy"),
            "line 2, character 3: the last line has no end; \
             a newline must follow it, or the file was cut"
        );
        assert_eq!(
            told("a\r\n"),
            r"line 1, character 2: a bare carriage return; end lines with a newline alone, and write \r in a cell"
        );
        assert_eq!(
            told("a\nä\\x\n"),
            r"line 2, character 2: a backslash before neither t, n, r nor a backslash; write \\ where one is meant"
        );
        assert_eq!(
            told("a\\\n"),
            r"line 1, character 2: a backslash before neither t, n, r nor a backslash; write \\ where one is meant"
        );
        assert_eq!(
            told("ä\tb\tä\n"),
            r#"line 1, character 5: column "ä" is there twice; give each column a name of its own"#
        );
        assert_eq!(
            told("a\tb\n1\t2\n1\n"),
            "line 3, character 2: width 1 where the header has 2; give one cell for each column"
        );
        // The text as a whole comes first, then the earlier line.
        assert_eq!(
            &told("a\r"),
            "line 1, character 3: the last line has no end; a newline must follow it, or the file was cut"
        );
        assert!(told("a\tb\n1\n\\x\n").starts_with("line 2, character 2: width 1"));
    }

    #[test]
    fn names_differ_and_rows_have_one_cell_for_each() {
        assert_eq!(Table::new([""; 0]), Err(Error::NoColumn));
        assert_eq!(
            Table::new(["a", "b", "a"]),
            Err(Error::SameName("a".into()))
        );
        let mut table = table(&["a", "b"], &[&["1", "2"]]);
        let before = table.clone();
        let refused = table.push(["3"]).expect_err("it is too short");
        assert_eq!(
            refused.to_string(),
            "row 1 has width 1 where the header has 2; give one cell for each column"
        );
        assert_eq!(table, before);
    }

    #[test]
    fn groups_keep_the_order_of_first_rows_and_of_the_choice() {
        let table = table(
            &["kind", "outcome", "id"],
            &[
                &["b", "no", "1"],
                &["a", "yes", "2"],
                &["b", "yes", "3"],
                &["b", "no", "4"],
            ],
        );
        let found = groups(&table, &["outcome", "kind"]).expect("the columns are there");
        let found: Vec<_> = found
            .iter()
            .map(|group| (group.key.join(" "), group.rows.clone(), group.count()))
            .collect();
        assert_eq!(
            found,
            [
                ("no b".to_owned(), vec![0, 3], 2),
                ("yes a".to_owned(), vec![1], 1),
                ("yes b".to_owned(), vec![2], 1),
            ]
        );
    }

    #[test]
    fn no_column_chosen_is_one_group_and_no_row_is_none() {
        let full = table(&["a"], &[&["1"], &["2"]]);
        let all = Group {
            key: Vec::new(),
            rows: vec![0, 1],
        };
        assert_eq!(groups(&full, &[]), Ok(vec![all]));
        assert_eq!(groups(&table(&["a"], &[]), &[]), Ok(Vec::new()));
    }

    #[test]
    fn a_wrong_choice_is_told_with_what_there_is() {
        let table = table(&["a", "b"], &[]);
        let told = |columns: &[&str]| {
            let error = groups(&table, columns).expect_err("it is refused");
            error.to_string()
        };
        assert_eq!(
            told(&["a", "c", "a"]),
            r#"there is no column "c"; choose among ["a", "b"]"#
        );
        assert_eq!(
            told(&["b", "a", "b"]),
            r#"column "b" is chosen twice; choose each column once"#
        );
    }
}
