//! Oracles of the words of a line, seen in what a mask of all verbs and new names
//! change: which words are finite verbs, how a new word is written, and that a
//! possessive ending is no part of a name.

use obernant::{Product, Record, Sequences, Table};
use world::measure::disturb::{Disturbance, Share};

use crate::rules::{Due, accept, disturbed, statement};

const SYMBOLS: [&str; 10] = [
    "went", "Left", "IS", "the", "To", "é", "'", "\u{2019}", " ", "-",
];
/// How the three verbs among them are written.
const VERBS: [(&str, &str); 3] = [("went", "small"), ("Left", "large"), ("IS", "capitals")];

fn masked(text: &str) -> String {
    let mask = Disturbance {
        mask: Share::new(100, 7),
        ..Disturbance::default()
    };
    disturbed(vec![statement(1, text)], mask).remove(0).text
}

/// How a word is written: small, with a large first letter, in capitals, or otherwise.
fn writing(word: &str) -> &'static str {
    let first = word.chars().next().is_some_and(char::is_uppercase);
    let rest = word.chars().skip(1);
    match (
        first,
        rest.clone().all(char::is_lowercase),
        rest.clone().all(char::is_uppercase),
    ) {
        (false, true, _) => "small",
        (true, true, _) => "large",
        (true, _, true) => "capitals",
        _ => "mixed",
    }
}

/// The text with a word in brackets for each masked verb: how the mask is written.
fn marked(case: &[usize], text: &str) -> Option<String> {
    let mut rest = text;
    let mut marked = String::new();
    for &symbol in case {
        if let Some(after) = rest.strip_prefix(SYMBOLS[symbol]) {
            rest = after;
            marked.push_str(SYMBOLS[symbol]);
        } else {
            let end = rest
                .find(|c: char| !c.is_alphabetic())
                .unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if !word.to_lowercase().ends_with("ed") {
                return None;
            }
            rest = after;
            marked.push_str(&format!("[{}]", writing(word)));
        }
    }
    rest.is_empty().then_some(marked)
}

/// A finite verb is a whole word, and the word before it is neither an article nor `to`.
/// An apostrophe with letters on both its sides counts as a letter.
pub(crate) fn verbs(record: &mut Record) {
    let length = record.bound("length", 4);
    let universe = Sequences::new(SYMBOLS.map(|symbol| format!("<{symbol}>")), length);
    let letters = |symbol: usize| SYMBOLS[symbol].chars().all(char::is_alphabetic);
    let joins = |case: &[usize], at: usize| {
        letters(case[at])
            || matches!(SYMBOLS[case[at]], "'" | "\u{2019}")
                && at > 0
                && at + 1 < case.len()
                && letters(case[at - 1])
                && letters(case[at + 1])
    };
    accept(
        record,
        "the mask of all verbs",
        &universe,
        |case| {
            let text: String = case.iter().map(|&symbol| SYMBOLS[symbol]).collect();
            let found = masked(&text);
            marked(case, &found).unwrap_or(found)
        },
        |case| {
            // The verb in a place, and how it is written.
            let verb = |at: usize| {
                let alone = letters(case[at])
                    && (at == 0 || !joins(case, at - 1))
                    && (at + 1 == case.len() || !joins(case, at + 1));
                // The word before: its last symbol, and that it has no other.
                let last = (0..at).rev().find(|&before| letters(case[before]));
                let bars = last.is_some_and(|last| {
                    matches!(SYMBOLS[case[last]], "the" | "To")
                        && (last == 0 || !joins(case, last - 1))
                });
                let verb = VERBS.iter().find(|(verb, _)| *verb == SYMBOLS[case[at]]);
                verb.filter(|_| alone && !bars).map(|(_, writing)| *writing)
            };
            let places = 0..case.len();
            let whole: String = places
                .clone()
                .map(|at| match verb(at) {
                    Some(writing) => format!("[{writing}]"),
                    None => SYMBOLS[case[at]].to_owned(),
                })
                .collect();
            let found: Vec<&str> = places.filter_map(verb).collect();
            let name = match found[..] {
                [] => "no verb".to_owned(),
                _ => found.join(", "),
            };
            Due::new(whole, name)
        },
    );
}

/// Each way to write six verbs in small and large letters: three ways to write the mask.
pub(crate) fn capitals(record: &mut Record) {
    let verbs = ["went", "took", "gave", "left", "held", "came"];
    let universe = Product::new().with("verb", verbs).with(
        "large letters",
        (0..16).map(|letters| format!("{letters:04b}")),
    );
    let written = |case: &[usize]| -> String {
        let large = |at: usize| case[1] >> (3 - at) & 1 == 1;
        let letters = verbs[case[0]].chars().enumerate();
        letters
            .map(|(at, letter)| {
                if large(at) {
                    letter.to_ascii_uppercase()
                } else {
                    letter
                }
            })
            .collect()
    };
    let due = |case: &[usize]| match case[1] {
        15 => "capitals",
        8.. => "large",
        _ => "small",
    };
    let mut table = Table::new(
        "the mask",
        &universe,
        |case| format!("Fred {} it.", written(case)),
        |_, text| {
            let found = masked(text);
            let word = found
                .strip_prefix("Fred ")
                .and_then(|rest| rest.strip_suffix(" it."));
            word.map_or(found.clone(), |word| writing(word).to_string())
        },
    );
    record.partition(&mut table, |outcome| outcome, due);
    record.literal(&mut table, |case| due(case).to_owned());
}

/// With and without possessive endings, in both forms of the apostrophe, the same words
/// get the same names, and each ending stays.
pub(crate) fn possessives(record: &mut Record) {
    const WORDS: [&str; 5] = ["Mary", "mary", "MARY", "milk", "Zoë"];
    const ENDINGS: [&str; 3] = ["", "'s", "\u{2019}s"];
    let length = record.bound("length", 3);
    let symbols = WORDS
        .iter()
        .flat_map(|word| ENDINGS.map(|ending| format!("{word}{ending}")));
    let symbols: Vec<String> = symbols.collect();
    let universe = Sequences::new(&symbols, length);
    let ending = |word: &str| {
        ENDINGS[1..]
            .iter()
            .copied()
            .find(|ending| word.ends_with(ending))
            .unwrap_or("")
    };
    let mut table = Table::new(
        "the renaming",
        &universe,
        |case| {
            case.iter()
                .map(|&at| symbols[at].as_str())
                .collect::<Vec<_>>()
                .join(" ")
        },
        |_, text| {
            let names = Disturbance {
                rename: Some(7),
                ..Disturbance::default()
            };
            let found = disturbed(vec![statement(1, text)], names).remove(0).text;
            let pairs = text.split(' ').zip(found.split(' '));
            let bare: Vec<&str> = pairs
                .map(|(old, new)| {
                    new.strip_suffix(ending(old))
                        .unwrap_or("(the ending is lost)")
                })
                .collect();
            bare.join(" ")
        },
    );
    record.invariance(&mut table, |case| {
        let bare = case.iter().map(|&at| WORDS[at / ENDINGS.len()]);
        bare.collect::<Vec<_>>().join(" ")
    });
}
