//! A universe of stories that are each asked some questions, and the reader at it:
//! stories with a common beginning are read from there on.

use std::cell::RefCell;

use obernant::{Sequences, Universe};
use world::babi::{Answer, Story};

/// The outcome of a question that the reader does not answer.
pub const REFUSED: &str = "refused";

/// Every sequence of events up to a length with every question; the question is the
/// last place of a case.
pub struct Asked {
    stories: Sequences,
    questions: Vec<String>,
}

impl Asked {
    /// All stories over these sentences up to `length`, each with all questions.
    #[must_use]
    pub fn new(sentences: &[String], length: u64, questions: Vec<String>) -> Self {
        Self {
            stories: Sequences::new(sentences, length),
            questions,
        }
    }
}

impl Universe for Asked {
    fn len(&self) -> u64 {
        self.stories.len() * self.questions.len() as u64
    }

    fn case(&self, index: u64) -> Vec<usize> {
        let width = self.questions.len() as u64;
        let mut case = self.stories.case(index / width);
        case.push(usize::try_from(index % width).expect("few questions"));
        case
    }

    fn words(&self, case: &[usize]) -> String {
        let (question, story) = case.split_last().expect("a case ends with its question");
        format!(
            "{} / {}",
            self.stories.words(story),
            self.questions[*question]
        )
    }
}

/// What one state per prefix of a sequence leads to, kept for the next sequence.
pub struct Reader<S> {
    start: S,
    kept: RefCell<Vec<(usize, S)>>,
}

impl<S> Reader<S> {
    /// Begins at this state.
    pub fn new(start: S) -> Self {
        Self {
            start,
            kept: RefCell::default(),
        }
    }

    /// What `look` sees in the state after these symbols.
    ///
    /// # Panics
    /// When `look` or `step` asks this reader again.
    pub fn at<T>(
        &self,
        symbols: &[usize],
        step: impl Fn(&S, usize, usize) -> S,
        look: impl FnOnce(&S) -> T,
    ) -> T {
        let mut kept = self.kept.borrow_mut();
        let mut pairs = kept.iter().zip(symbols);
        let same = pairs.position(|((old, _), new)| old != new);
        let same = same.unwrap_or_else(|| kept.len().min(symbols.len()));
        kept.truncate(same);
        for (at, &symbol) in symbols.iter().enumerate().skip(same) {
            let before = kept.last().map_or(&self.start, |(_, state)| state);
            let next = step(before, at, symbol);
            kept.push((symbol, next));
        }
        look(kept.last().map_or(&self.start, |(_, state)| state))
    }
}

/// The reader's answer as an outcome.
#[must_use]
pub fn answer_of(story: &Story, question: &str) -> String {
    match story.ask(question) {
        Answer::Known { text, .. } => text,
        Answer::Unknown(_) => REFUSED.to_owned(),
    }
}

/// A story with one more sentence, numbered by its place.
#[must_use]
pub fn told(story: &Story, at: usize, sentence: &str) -> Story {
    let mut story = story.clone();
    story.push(at + super::ID_OF_FIRST, sentence);
    story
}
