//! Families of questions: every string of their words, and the readings that are due.

use std::collections::BTreeSet;

use obernant::{Product, Record, Table, Universe};
use world::babi::question;
use world::babi::text::tokens;

pub(crate) const NO_QUESTION: &str = "no question";

/// Questions that begin alike and are made of the same words.
pub(crate) struct Family<'a> {
    openings: &'a [&'a str],
    words: &'a [&'a str],
    /// Words of these that are open: one may stand for a person. Those with a capital
    /// are names, and those without that follow a noun are part of it.
    open: &'a [&'a str],
    /// So many words follow an opening at most.
    length: u64,
    /// Templates with their reading in the form of `Debug`. Slots are nouns (`N`,
    /// `M`), people (`P`) and names (`Q`, `R`).
    pub(crate) questions: &'a [(&'a str, &'a str)],
}

impl Family<'_> {
    /// The reading of a question by the only template that it fits.
    fn due(&self, question: &str) -> String {
        let words: Vec<&str> = question.split_whitespace().collect();
        let mut found = self.questions.iter().filter_map(|(template, reading)| {
            let slots = self.slots(template, &words)?;
            let filled = slots
                .iter()
                .fold((*reading).to_owned(), |reading, (slot, words)| {
                    reading.replace(&format!("{{{slot}}}"), &format!("{words:?}"))
                });
            Some(filled)
        });
        let due = found.next();
        assert!(found.next().is_none(), "two templates fit `{question}`");
        due.unwrap_or_else(|| NO_QUESTION.to_owned())
    }

    /// What stands in the slots of a template.
    fn slots<'q>(&self, template: &'q str, mut words: &[&str]) -> Option<Vec<(&'q str, String)>> {
        let is_open = |word: &&&str| self.open.contains(*word);
        let is_capital = |word: &&&str| word.starts_with(char::is_uppercase);
        let is_name = |word: &&&str| is_open(word) && is_capital(word);
        let is_noun = |word: &&&str| is_open(word) && !is_capital(word);
        let mut slots = Vec::new();
        for slot in template.split_whitespace() {
            let taken = match slot {
                "N" | "M" => match words {
                    ["the", _, rest @ ..] => 2 + rest.iter().take_while(is_noun).count(),
                    _ => return None,
                },
                "P" | "Q" | "R" => {
                    let names = words.iter().take_while(is_name).count();
                    let one = slot == "P" && words.first().is_some_and(|it| is_open(&it));
                    names.max(usize::from(one))
                }
                word => usize::from(words.first() == Some(&word)),
            };
            let (here, rest) = words.split_at(taken);
            words = rest;
            match (slot, here) {
                (_, []) => return None,
                ("N" | "M", [_, noun @ ..]) => slots.push((slot, noun.join(" ").to_lowercase())),
                ("P" | "Q" | "R", names) => slots.push((slot, names.join(" "))),
                _ => {}
            }
        }
        matches!(words, [] | ["?"]).then_some(slots)
    }

    /// Every string of the family has the reading that is due.
    pub(crate) fn check(&self, mut record: Record) {
        let length = record.bound("length", self.length);
        let words = [&["-"][..], self.words].concat();
        let mut universe = Product::new().with("opening", self.openings);
        for at in 1..=length {
            universe = universe.with(&format!("word {at}"), &words);
        }
        let input = |case: &[usize]| {
            let parts = case[1..].iter().filter(|at| **at > 0).map(|&at| words[at]);
            let all: Vec<&str> = std::iter::once(self.openings[case[0]])
                .chain(parts)
                .collect();
            all.join(" ")
        };
        let mut table = Table::new("the reader", &universe, input, |_, text| reading(text));
        let due: Vec<String> = (0..universe.len())
            .map(|at| self.due(&input(&universe.case(at))))
            .collect();
        let all: BTreeSet<&String> = due.iter().filter(|it| *it != NO_QUESTION).collect();
        let accepted: Vec<&String> = all.into_iter().collect();
        // A case's number, as the product counts.
        let number = |case: &[usize]| {
            case[1..]
                .iter()
                .fold(case[0], |at, it| at * words.len() + it)
        };
        let places: Vec<Option<usize>> = due
            .iter()
            .map(|it| accepted.binary_search(&it).ok())
            .collect();
        record.acceptance(
            &mut table,
            &accepted,
            &[NO_QUESTION],
            |case| places[number(case)],
            |case| format!("`{}` is read as: {}", input(case), due[number(case)]),
        );
        record.finish();
    }
}

pub(crate) fn reading(text: &str) -> String {
    let read = question::read(&tokens(text, 0), &|_| false);
    read.map_or(NO_QUESTION.to_owned(), |it| format!("{it:?}"))
}

pub(crate) const PLACES: Family<'static> = Family {
    openings: &["where is", "where was", "where will", "is", "why did"],
    words: &[
        "the hall", "in", "to", "Ann", "now", "before", "go", "take", "?",
    ],
    open: &["Ann", "go", "take"],
    length: 4,
    questions: &[
        ("where is N", "Where(Noun({N}))"),
        ("where is N now", "Where(Noun({N}))"),
        ("where is P", "Where(Person({P}))"),
        ("where is P now", "Where(Person({P}))"),
        ("where was N before M", "WhereBefore(Noun({N}), {M})"),
        ("where was P before M", "WhereBefore(Person({P}), {M})"),
        ("where will P go", "WhereNext({P})"),
        ("is N in M", "IsAt(Noun({N}), {M})"),
        ("is P in M", "IsAt(Person({P}), {M})"),
        ("why did P go to N", "WhyGo({P}, {N})"),
        ("why did P take N", "WhyTake({P}, {N})"),
    ],
};

pub(crate) const RELATIONS: Family<'static> = Family {
    openings: &["is", "does", "what is", "what color is", "how do you go"],
    words: &[
        "the box",
        "the hall",
        "above",
        "to the left of",
        "bigger than",
        "smaller than",
        "fit",
        "in the hall",
        "north of",
        "from the box",
        "to the hall",
        "carrying",
        "afraid of",
        "Ann",
    ],
    open: &["Ann"],
    length: 3,
    // The numbers are rows: north and south are the first two of the directions,
    // above and left of the first and the fourth of the positions.
    questions: &[
        ("is N above M", "Stands({N}, 0, {M})"),
        ("is N to the left of M", "Stands({N}, 3, {M})"),
        ("is N bigger than M", "Bigger({N}, {M})"),
        ("is N smaller than M", "Bigger({M}, {N})"),
        ("is N in M", "IsAt(Noun({N}), {M})"),
        ("is P in M", "IsAt(Person({P}), {M})"),
        ("does N fit in M", "Bigger({M}, {N})"),
        ("what is north of N", "Beyond(0, {N})"),
        ("what is N north of", "Beyond(1, {N})"),
        ("what is P carrying", "Carrying({P})"),
        ("what is P afraid of", "Fear({P})"),
        ("what color is P", "Color({P})"),
        ("how do you go from N to M", "Way({N}, {M})"),
    ],
};

pub(crate) const GIFTS: Family<'static> = Family {
    openings: &[
        "who did",
        "what did",
        "to whom did",
        "who gave",
        "who received",
        "who has",
        "who is",
        "what is",
        "how many objects is",
    ],
    words: &["give", "to", "carrying", "the milk", "Ann", "Bob"],
    open: &["give", "Ann", "Bob"],
    length: 4,
    questions: &[
        (
            "who did Q give N to",
            "Gift(Receiver, Gift { from: Some({Q}), thing: Some({N}), to: None })",
        ),
        (
            "to whom did Q give N",
            "Gift(Receiver, Gift { from: Some({Q}), thing: Some({N}), to: None })",
        ),
        (
            "who received N",
            "Gift(Receiver, Gift { from: None, thing: Some({N}), to: None })",
        ),
        (
            "what did Q give to R",
            "Gift(Thing, Gift { from: Some({Q}), thing: None, to: Some({R}) })",
        ),
        (
            "who gave N",
            "Gift(Giver, Gift { from: None, thing: Some({N}), to: None })",
        ),
        (
            "who gave N to Q",
            "Gift(Giver, Gift { from: None, thing: Some({N}), to: Some({Q}) })",
        ),
        ("who has N", "Holder({N})"),
        ("who is carrying N", "Holder({N})"),
        ("what is P carrying", "Carrying({P})"),
        ("how many objects is P carrying", "HowMany({P})"),
    ],
};
