//! Traps: short episodes, a subject, and the place where a careful reader finds it,
//! or `REFUSE`. The file is a TSV with the columns `subject`, `episode`, `expected`
//! and `construction`, in any order, others beside them.

use mlab::table::Table;
use serde::Serialize;
use thiserror::Error;

use super::score::same_answer;
use super::words::words;
use crate::babi::{Answer, Story};

const ARTICLES: &[&str] = &["the", "a", "an"];
const COLUMNS: [&str; 4] = ["subject", "episode", "expected", "construction"];

/// One trap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Who or what is asked for.
    pub subject: String,
    /// The story.
    pub episode: String,
    /// The place; nothing where only a refusal is right.
    pub expected: Option<String>,
    /// What is hard in it.
    pub construction: String,
}

/// What came of a trap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The expected place.
    Right,
    /// No answer, in the reader's own words. Never wrong.
    Refused(String),
    /// Another answer than the expected one.
    Wrong(String),
}

/// What came of all traps. `episodes` is `right` + `refused` + `wrong`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TrapTally {
    /// Traps asked.
    pub episodes: usize,
    /// Those with an expected place.
    pub answerable: usize,
    /// Those of them that got it.
    pub right: usize,
    /// Refusals, of those that should be refused too.
    pub refused: usize,
    /// Other answers.
    pub wrong: usize,
}

/// Why a file of traps could not be read.
#[derive(Debug, Error)]
#[error("{file}: {reason}")]
pub struct TrapError {
    file: String,
    reason: String,
}

/// Reads a file of traps; `file` is the name for errors. Lines may end in CR LF, and
/// the last one may lack its end.
pub fn read(file: &str, text: &str) -> Result<Vec<Trap>, TrapError> {
    let bad = |reason: String| TrapError {
        file: file.to_owned(),
        reason,
    };
    let mut text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let table = Table::from_tsv(&text).map_err(|error| bad(error.to_string()))?;
    let mut at = [0; 4];
    for (place, name) in at.iter_mut().zip(COLUMNS) {
        let found = table.columns().iter().position(|column| column == name);
        *place = found.ok_or_else(|| {
            bad(format!(
                "no column `{name}`; the first line names the columns, {}, with tabs between",
                COLUMNS.join(", ")
            ))
        })?;
    }
    if table.rows().is_empty() {
        return Err(bad(
            "no trap stands under the names of the columns".to_owned()
        ));
    }
    let rows = table.rows().iter().zip(2..);
    rows.map(|(row, line)| {
        let [subject, episode, expected, construction] = at.map(|place| row[place].trim());
        for (cell, name) in [subject, episode, expected].into_iter().zip(COLUMNS) {
            if cell.is_empty() {
                return Err(bad(format!(
                    "line {line} has nothing under `{name}`; fill it in, or take the line out"
                )));
            }
        }
        let refuse = expected.eq_ignore_ascii_case("refuse");
        Ok(Trap {
            subject: subject.to_owned(),
            episode: episode.to_owned(),
            expected: (!refuse).then(|| without_article(expected).to_owned()),
            construction: construction.to_owned(),
        })
    })
    .collect()
}

fn without_article(place: &str) -> &str {
    match place.split_once(' ') {
        Some((first, rest)) if ARTICLES.contains(&first.to_lowercase().as_str()) => rest.trim(),
        _ => place,
    }
}

/// The question of a trap. The subject is spelled as the episode first spells it,
/// and has `the` before it where the episode writes it small after an article.
#[must_use]
pub fn question(trap: &Trap) -> String {
    let subject = without_article(&trap.subject);
    let wanted: Vec<String> = words(subject)
        .into_iter()
        .map(|range| subject[range].to_lowercase())
        .collect();
    let found = words(&trap.episode);
    let mut spelled = None;
    for at in 0..(found.len() + 1).saturating_sub(wanted.len().max(1)) {
        let here = &found[at..at + wanted.len()];
        let same = here
            .iter()
            .zip(&wanted)
            .all(|(range, word)| trap.episode[range.clone()].to_lowercase() == *word);
        let (Some(first), Some(last)) = (here.first(), here.last()) else {
            break;
        };
        if !same {
            continue;
        }
        let text = &trap.episode[first.start..last.end];
        let article = at.checked_sub(1).is_some_and(|before| {
            let before = trap.episode[found[before].clone()].to_lowercase();
            ARTICLES.contains(&before.as_str())
        });
        if article && text.starts_with(char::is_lowercase) {
            return format!("Where is the {text}?");
        }
        spelled = spelled.or(Some(text));
    }
    format!("Where is {}?", spelled.unwrap_or(&trap.subject))
}

/// Lets the reader read the episode and asks it.
#[must_use]
pub fn judge(trap: &Trap) -> Outcome {
    match Story::read(&trap.episode).ask(&question(trap)) {
        Answer::Unknown(refusal) => Outcome::Refused(refusal.to_string()),
        Answer::Known { text, .. } => match &trap.expected {
            Some(expected) if same_answer(&text, expected) => Outcome::Right,
            _ => Outcome::Wrong(text),
        },
    }
}

impl TrapTally {
    /// Counts one trap.
    pub fn add(&mut self, trap: &Trap, outcome: &Outcome) {
        self.episodes += 1;
        self.answerable += usize::from(trap.expected.is_some());
        *match outcome {
            Outcome::Right => &mut self.right,
            Outcome::Refused(_) => &mut self.refused,
            Outcome::Wrong(_) => &mut self.wrong,
        } += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(subject: &str, episode: &str) -> String {
        question(&Trap {
            subject: subject.to_owned(),
            episode: episode.to_owned(),
            expected: None,
            construction: String::new(),
        })
    }

    #[test]
    fn the_question_follows_the_spelling_of_the_episode() {
        let cases = [
            ("mary", "Mary went to the garden.", "Where is Mary?"),
            ("apple", "Mary got the apple.", "Where is the apple?"),
            (
                "ball",
                "Fred bought a ball. Balls roll.",
                "Where is the ball?",
            ),
            ("milk", "The milk is in the kitchen.", "Where is the milk?"),
            (
                "Mary Smith",
                "Mary Jones met Mary Smith.",
                "Where is Mary Smith?",
            ),
            (
                "red ball",
                "The red ball is here.",
                "Where is the red ball?",
            ),
            ("mary", "Mary left. MARY RETURNED.", "Where is Mary?"),
            ("the girl", "The girl ran.", "Where is the girl?"),
            ("girl", "A girl ran.", "Where is the girl?"),
            ("john", "Everyone went to the garden.", "Where is john?"),
            ("--", "Mary left.", "Where is --?"),
            ("a b c", "a", "Where is a b c?"),
        ];
        for (subject, episode, question) in cases {
            assert_eq!(asked(subject, episode), question);
        }
    }

    #[test]
    fn columns_are_found_by_name_and_refuse_is_no_place() {
        let text = "construction\texpected\tepisode\tsubject\r\nx\tREFUSE\tMary left.\tmary\r\n\
                    y\tthe kitchen\tMary came.\tmary";
        let traps = read("f", text).unwrap();
        assert_eq!(traps[0].expected, None);
        assert_eq!(traps[1].expected.as_deref(), Some("kitchen"));
        assert_eq!(traps[1].episode, "Mary came.");
    }

    #[test]
    fn what_is_missing_is_named() {
        let cases = [
            ("subject\tepisode\n", "f: no column `expected`; "),
            (
                "subject\tepisode\texpected\tconstruction\n",
                "f: no trap stands",
            ),
            (
                "subject\tepisode\texpected\tconstruction\na\tb\tc\td\na\tb\t \td\n",
                "f: line 3 has nothing under `expected`; ",
            ),
        ];
        for (text, words) in cases {
            let error = read("f", text).unwrap_err().to_string();
            assert!(error.starts_with(words), "{error}");
        }
        read("f", "").unwrap_err();
    }

    #[test]
    fn an_answer_where_a_refusal_is_expected_is_wrong() {
        let trap = |expected: Option<&str>| Trap {
            subject: "mary".to_owned(),
            episode: "Mary went to the kitchen.".to_owned(),
            expected: expected.map(str::to_owned),
            construction: String::new(),
        };
        assert_eq!(judge(&trap(Some("Kitchen"))), Outcome::Right);
        let wrong = Outcome::Wrong("kitchen".to_owned());
        assert_eq!(judge(&trap(Some("garden"))), wrong);
        assert_eq!(judge(&trap(None)), wrong);
    }
}
