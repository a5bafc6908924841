//! Asks the questions of task files and counts what came of them.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::AddAssign;

use serde::Serialize;

use super::task_file::{Gold, Line, TaskStory};
use crate::babi::{Answer, Story};

/// What came of the questions. `questions` is the sum of the three after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Questions asked.
    pub questions: usize,
    /// Answered as the file expects; see [`same_answer`].
    pub correct: usize,
    /// Answered otherwise.
    pub wrong: usize,
    /// Not answered.
    pub refused: usize,
    /// Correct, and the witness is the expected set of supporting numbers.
    pub support_exact: usize,
}

impl Tally {
    /// Asks every question of a story of the statements before it, or of the last
    /// `window` of them. A question whose expected support reaches before the
    /// window, or that has none stated, never counts as `support_exact`.
    pub fn add(&mut self, story: &TaskStory, window: Option<NonZeroUsize>) {
        let mut told = Story::new();
        let mut statements: Vec<&Line> = Vec::new();
        for line in &story.lines {
            let Some(gold) = &line.gold else {
                match window {
                    None => told.push(line.id, &line.text),
                    Some(_) => statements.push(line),
                }
                continue;
            };
            let mut begin = 0;
            if let Some(window) = window {
                let first = statements.len().saturating_sub(window.get());
                begin = statements.get(first).map_or(0, |line| line.id);
                told = Story::new();
                for line in &statements[first..] {
                    told.push(line.id, &line.text);
                }
            }
            self.count(&told.ask(&line.text), gold, begin);
        }
    }

    fn count(&mut self, answer: &Answer, gold: &Gold, begin: usize) {
        self.questions += 1;
        match answer {
            Answer::Unknown(_) => self.refused += 1,
            Answer::Known { text, .. } if !same_answer(text, &gold.answer) => self.wrong += 1,
            Answer::Known { witness, .. } => {
                self.correct += 1;
                let exact = gold.support.as_ref().is_some_and(|support| {
                    let support: BTreeSet<_> = support.iter().collect();
                    support.iter().all(|id| **id >= begin) && support == witness.iter().collect()
                });
                self.support_exact += usize::from(exact);
            }
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.questions += other.questions;
        self.correct += other.correct;
        self.wrong += other.wrong;
        self.refused += other.refused;
        self.support_exact += other.support_exact;
    }
}

/// Whether two answers are the same text but for the case of ASCII letters: the
/// tasks spell a name in both ways. A list is a text; its order counts.
#[must_use]
pub fn same_answer(given: &str, expected: &str) -> bool {
    given.eq_ignore_ascii_case(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str, witness: &[usize]) -> Answer {
        Answer::Known {
            text: text.to_owned(),
            witness: witness.to_vec(),
        }
    }

    /// Correct, wrong and `support_exact` after one answer.
    fn counted(
        answer: &Answer,
        expected: &str,
        support: Option<&[usize]>,
    ) -> (usize, usize, usize) {
        let gold = Gold {
            answer: expected.to_owned(),
            support: support.map(<[usize]>::to_vec),
        };
        let mut tally = Tally::default();
        tally.count(answer, &gold, 3);
        (tally.correct, tally.wrong, tally.support_exact)
    }

    #[test]
    fn an_answer_is_compared_as_text() {
        let answer = known("Fred", &[4]);
        assert_eq!(counted(&answer, "fred", Some(&[4])), (1, 0, 1));
        assert_eq!(counted(&answer, "Freda", Some(&[4])), (0, 1, 0));
        let list = known("football,milk", &[4]);
        assert_eq!(counted(&list, "milk,football", Some(&[4])), (0, 1, 0));
    }

    #[test]
    fn support_is_compared_as_a_set_within_the_window() {
        let answer = known("yes", &[4, 7]);
        assert_eq!(counted(&answer, "yes", Some(&[7, 4, 7])), (1, 0, 1));
        assert_eq!(counted(&answer, "yes", Some(&[4])), (1, 0, 0));
        assert_eq!(counted(&answer, "yes", Some(&[4, 7, 8])), (1, 0, 0));
        assert_eq!(counted(&answer, "yes", None), (1, 0, 0));
        // The window of these tests begins at 3.
        assert_eq!(
            counted(&known("yes", &[2, 4]), "yes", Some(&[2, 4])),
            (1, 0, 0)
        );
    }
}
