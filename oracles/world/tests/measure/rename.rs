//! Oracles of the renaming: which words get a name, which of them share one, and that a
//! reader scores the same under other names.

use obernant::{Product, Record, Sequences, Table, Universe};
use world::measure::disturb::Disturbance;
use world::measure::score::Tally;

use crate::rules::{Due, accept, disturbed, lists, question, read, statement, told};
use crate::small_world::{asked, sentences};

const NAMES: Disturbance = Disturbance {
    rename: Some(7),
    someone: None,
    mask: None,
    replace: None,
    filler: None,
};

const WORDS: [&str; 15] = [
    "Mary", "the", "are", "of", "cats", "cat", "sheep", "mice", "mouse", "thirsty", "kitchen",
    "hands", "hand", "B", "went",
];
/// Words of the language, a letter, and a verb.
const CLOSED: [&str; 7] = ["the", "are", "of", "thirsty", "went", "hand", "B"];
const PLURALS: [(&str, &str); 3] = [("cats", "cat"), ("mice", "mouse"), ("hands", "hand")];

/// Names as letters in the order in which they come, `s` after a plural.
struct Letters(Vec<String>);

impl Letters {
    fn of(&mut self, name: &str) -> char {
        let place = self.0.iter().position(|known| known == name);
        let place = place.unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        });
        char::from(b'A' + u8::try_from(place).expect("a few names"))
    }
}

/// The names that are due for the words of a statement and of an answer.
fn due(statement: &[&str], answer: Option<&str>) -> String {
    let in_file = |word: &str| statement.contains(&word) || answer == Some(word);
    let before_are = |word: &str| statement.windows(2).any(|pair| pair == [word, "are"]);
    // The noun of a plural that the file shows to be one.
    let noun = |word: &str| {
        let (_, noun) = PLURALS.iter().find(|(plural, _)| *plural == word)?;
        (in_file(noun) || before_are(word)).then_some(*noun)
    };
    let stays = |word: &str| {
        CLOSED.contains(&word)
            || noun(word).is_some_and(|noun| CLOSED.contains(&noun))
            || word == "kitchen" && in_file("thirsty")
    };
    let mut letters = Letters(Vec::new());
    let mut marks = Vec::new();
    for (at, &word) in statement.iter().enumerate() {
        let many = noun(word).is_some()
            || word == "sheep"
                && (statement.get(at + 1) == Some(&"are") || at > 0 && statement[at - 1] == "of");
        marks.push(if stays(word) {
            "kept".to_owned()
        } else {
            let letter = letters.of(noun(word).unwrap_or(word));
            format!("{letter}{}", if many { "s" } else { "" })
        });
    }
    if let Some(word) = answer {
        // The statement has the word, or shows it by its plural.
        let there = statement.contains(&word) || statement.iter().any(|it| noun(it) == Some(word));
        marks.push(if stays(word) || !there {
            "kept".to_owned()
        } else {
            let letter = letters.of(noun(word).unwrap_or(word));
            format!("{letter}{}", if noun(word).is_some() { "s" } else { "" })
        });
    }
    marks.join(" ")
}

/// All statements of at most three words, and those with the last word as an answer.
pub(crate) fn names(record: &mut Record) {
    let length = record.bound("length", 3);
    let all = lists(&WORDS, length);
    let universe = Product::new()
        .with("last word", ["in the statement", "as an answer"])
        .with(
            "words",
            all.iter().map(|words| format!("<{}>", words.join(" "))),
        );
    let parts = |case: &[usize]| -> (&[&str], Option<&str>) {
        match (case[0], all[case[1]].split_last()) {
            (1, Some((last, rest))) => (rest, Some(*last)),
            _ => (&all[case[1]], None),
        }
    };
    accept(
        record,
        "the renaming",
        &universe,
        |case| {
            let (words, answer) = parts(case);
            let mut lines = vec![statement(1, &words.join(" "))];
            lines.extend(answer.map(|answer| question(2, "where", answer, None)));
            let lines = disturbed(lines, NAMES);
            let answers = lines.iter().filter_map(|line| line.gold.as_ref());
            let statement = lines[0].text.split(' ').filter(|word| !word.is_empty());
            let found = statement.chain(answers.map(|gold| gold.answer.as_str()));
            let mut letters = Letters(Vec::new());
            let marks: Vec<String> = found
                .zip(words.iter().chain(&answer))
                .map(|(new, old)| {
                    let small = new.to_lowercase();
                    match small.strip_suffix('s') {
                        _ if new == *old => "kept".to_owned(),
                        Some(one) => format!("{}s", letters.of(one)),
                        None => letters.of(&small).to_string(),
                    }
                })
                .collect();
            marks.join(" ")
        },
        |case| {
            let (words, answer) = parts(case);
            let whole = due(words, answer);
            let name = if whole.is_empty() { "nothing" } else { &whole };
            Due::new(&whole, name)
        },
    );
}

/// A story of the small world with three questions, asked as it is and renamed.
pub(crate) fn scores(record: &mut Record) {
    let length = record.bound("length", 4);
    let sentences = sentences();
    let universe = Sequences::new(&sentences, length);
    let story = |case: &[usize]| {
        let told: Vec<&str> = case.iter().map(|&at| sentences[at]).collect();
        asked(&told, 1, "kitchen")
    };
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| format!("renamed\n{}", story(case)),
        |_, text| {
            let (how, text) = text.split_once('\n').expect("the oracle writes two parts");
            let mut stories = read(text);
            if how == "renamed" {
                NAMES.apply(&mut stories);
            }
            let mut tally = Tally::default();
            for story in &stories {
                tally.add(story, None);
            }
            told(tally)
        },
    );
    record.invariance(&mut table, |case| format!("as it is\n{}", story(case)));
    record.claim("stories", universe.len());
}
