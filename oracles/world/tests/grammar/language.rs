//! Languages by generation: sets of strings over a few chunks of text, each with what
//! it says. Nothing here takes a string apart.

use std::collections::{BTreeSet, HashMap};

use obernant::{Record, Sequences, Table, Universe};

use crate::said;

/// A string of chunks, by number, and what it says.
#[derive(Clone)]
pub(crate) struct Phrase {
    pub(crate) chunks: Vec<usize>,
    pub(crate) says: Vec<String>,
}

/// A finite set of phrases, none longer than its limit.
#[derive(Clone)]
pub(crate) struct Language {
    limit: usize,
    pub(crate) phrases: Vec<Phrase>,
}

impl Language {
    /// One chunk. What says nothing has an empty `says`.
    pub(crate) fn chunk(limit: usize, chunk: usize, says: &str) -> Self {
        let says = (!says.is_empty()).then(|| says.to_owned());
        let phrase = Phrase {
            chunks: vec![chunk],
            says: says.into_iter().collect(),
        };
        Self {
            limit,
            phrases: vec![phrase],
        }
    }

    /// The string of no chunk.
    pub(crate) fn nothing(limit: usize) -> Self {
        let phrase = Phrase {
            chunks: Vec::new(),
            says: Vec::new(),
        };
        Self {
            limit,
            phrases: vec![phrase],
        }
    }

    /// Each of the one before each of the other; what both say, in order.
    pub(crate) fn then(&self, other: &Self) -> Self {
        let mut phrases = Vec::new();
        for one in &self.phrases {
            for two in &other.phrases {
                if one.chunks.len() + two.chunks.len() <= self.limit {
                    phrases.push(Phrase {
                        chunks: [&one.chunks[..], &two.chunks].concat(),
                        says: [&one.says[..], &two.says].concat(),
                    });
                }
            }
        }
        Self { phrases, ..*self }
    }

    /// What is in one of them.
    pub(crate) fn or(&self, other: &Self) -> Self {
        let phrases = [&self.phrases[..], &other.phrases].concat();
        Self { phrases, ..*self }
    }

    /// This, and after it as often as the limit allows one of `more`.
    pub(crate) fn followed(&self, more: &Self) -> Self {
        let mut all = self.clone();
        let mut last = self.clone();
        while !last.phrases.is_empty() {
            last = last.then(more);
            all = all.or(&last);
        }
        all
    }

    /// The same strings; `say` makes of what each says something else.
    pub(crate) fn saying(&self, say: impl Fn(&[String]) -> Vec<String>) -> Self {
        let phrases = self.phrases.iter().map(|it| Phrase {
            chunks: it.chunks.clone(),
            says: say(&it.says),
        });
        Self {
            limit: self.limit,
            phrases: phrases.collect(),
        }
    }

    /// The same strings, what each says joined to one by `joint`.
    pub(crate) fn joined(&self, joint: &str) -> Self {
        self.saying(|says| vec![says.join(joint)])
    }

    /// The same strings; each saying is one of the first, which is a subject.
    pub(crate) fn of_a_subject(&self) -> Self {
        self.saying(|says| {
            let deeds = says[1..].iter();
            deeds.map(|deed| format!("{} {deed}", says[0])).collect()
        })
    }

    /// The strings with what each says as one text.
    ///
    /// # Panics
    /// Where a string was generated twice with different sayings.
    pub(crate) fn table(&self, joint: &str) -> HashMap<Vec<usize>, String> {
        let mut table = HashMap::new();
        for Phrase { chunks, says } in &self.phrases {
            let says = says.join(joint);
            let old = table.insert(chunks.clone(), says.clone());
            assert!(
                old.is_none_or(|old| old == says),
                "{chunks:?} says two things"
            );
        }
        table
    }
}

/// Reads all strings of at most `length` chunks, each after `before`, and wants what
/// `language` says for those that it has and a gap for every other one.
pub(crate) fn exhaust(
    record: &mut Record,
    chunks: &[&str],
    length: u64,
    before: &str,
    language: &Language,
) {
    let universe = Sequences::new(chunks, length);
    let sayings = language.table("; ");
    let input = |case: &[usize]| format!("{before} {}", text_of(chunks, case));
    compare(record, &universe, input, said::read, |case| {
        sayings.get(case).cloned()
    });
}

/// Chunks by number as text.
pub(crate) fn text_of(chunks: &[&str], case: &[usize]) -> String {
    let words: Vec<&str> = case.iter().map(|&at| chunks[at]).collect();
    words.join(" ")
}

/// Reads the text of each case by `read`, and wants what `due` says; a gap where that
/// is nothing.
pub(crate) fn compare<U: Universe>(
    record: &mut Record,
    universe: &U,
    input: impl Fn(&[usize]) -> String,
    read: impl Fn(&str) -> String,
    due: impl Fn(&[usize]) -> Option<String>,
) {
    let cases = (0..universe.len()).map(|at| universe.case(at));
    let sayings: HashMap<Vec<usize>, String> = cases
        .filter_map(|case| due(&case).map(|says| (case, says)))
        .collect();
    let fibers: BTreeSet<&str> = sayings.values().map(String::as_str).collect();
    let fibers: Vec<&str> = fibers.into_iter().collect();
    let places: HashMap<&[usize], usize> = sayings
        .iter()
        .filter_map(|(case, says)| Some((&case[..], fibers.binary_search(&&says[..]).ok()?)))
        .collect();
    let place = |case: &[usize]| places.get(case).copied();
    let mut table = Table::new("the reader", universe, input, |_, text| read(text));
    record.acceptance(&mut table, &fibers, &["gap"], place, |case| {
        match place(case) {
            Some(says) => format!("it says <{}>", fibers[says]),
            None => "nothing is said so".to_owned(),
        }
    });
}
