//! Why a sentence is not read: the first token that rules it out decides, and the
//! greatest length.

use obernant::{Product, Record, Sequences, Table};
use world::babi::{grammar, text};

const UNREAL: &str = "the word may take the sentence out of what happened";
const QUESTION: &str = "a question states nothing";
const MARK: &str = "quotes and such marks are not read";
const PATTERN: &str = "no known pattern has a place for these words";

/// `read`, or the reason; where a single token decides, with its number.
fn outcome(sentence: &str) -> String {
    match grammar::read(&text::tokens(sentence, 0), &|_| false) {
        Ok(_) => "read".to_owned(),
        Err(failure) if failure.reason == PATTERN => PATTERN.to_owned(),
        Err(failure) => format!("token {}: {}", failure.token, failure.reason),
    }
}

#[test]
fn the_first_token_that_rules_a_sentence_out_is_told() {
    let mut record = Record::start("the_first_token_that_rules_a_sentence_out_is_told");
    let length = record.bound("length", 4);
    let chunks = [
        "Ann", "entered", "hall", "the", "Maybe", "?", "\"", ",", ".", "!",
    ];
    let universe = Sequences::new(chunks, length);
    let mut table = Table::new(
        "the grammar",
        &universe,
        |case| {
            let words: Vec<&str> = case.iter().map(|&at| chunks[at]).collect();
            words.join(" ")
        },
        |_, text| outcome(text),
    );
    record.gates(&mut table, "read", |case| {
        let mut gates: Vec<(String, bool)> = Vec::new();
        for (at, &chunk) in case.iter().enumerate() {
            let inside = at + 1 < case.len();
            gates.push((format!("token {at}: {UNREAL}"), chunks[chunk] == "Maybe"));
            gates.push((format!("token {at}: {QUESTION}"), chunks[chunk] == "?"));
            let stop = [".", "!"].contains(&chunks[chunk]) && inside;
            gates.push((format!("token {at}: {MARK}"), chunks[chunk] == "\"" || stop));
        }
        // "Ann V the N": four tokens hold no other sentence. An open word may be a verb
        // that is not known, and what follows the article is a noun, whatever else it is.
        let is_sentence =
            matches!(case, [0, verb, 3, noun] if [1, 2].contains(verb) && [0, 1, 2].contains(noun));
        gates.push((PATTERN.to_owned(), !is_sentence));
        gates
    });
    record.finish();
}

/// Words that take a sentence out of what happened, by what they are.
const WORDS: &[&str] = &[
    // how sure
    "almost nearly allegedly apparently reportedly supposedly seemingly maybe perhaps possibly \
     probably likely presumably actually really",
    // how seldom
    "hardly barely scarcely rarely seldom",
    // on which condition, and against what
    "if unless whether until till lest otherwise rather without instead except however \
     although though because since",
    // what could be
    "would could should might've must can cannot can't couldn't wouldn't shouldn't ought used",
    // what is thought
    "dream dreams dreamed dreamt imagine imagines imagined think thinks believe believes suppose \
     supposed guess guessed remember remembered forget forgot know knew doubt doubted wonder \
     wondered expect expected mean meant need needed decide decided",
    // what is said
    "pretend pretended say says tell tells hear hears heard claim claims lie lied joke joked deny \
     denied promise promised read write wrote ask asked answer answered refuse refused agree \
     agreed offer offered threaten threatened",
    // what did not end, or did not come about
    "fail failed try tried attempt attempted seem seemed appear appeared keep kept begin began \
     start started stop stopped wake woke undo undid",
];

#[test]
fn a_sentence_with_an_unreal_word_is_never_read() {
    let mut record = Record::start("a_sentence_with_an_unreal_word_is_never_read");
    let words: Vec<&str> = WORDS
        .iter()
        .flat_map(|list| list.split_whitespace())
        .collect();
    let templates = [
        "Ann entered the hall and took the milk .",
        "Yesterday Bob blicked Eve the milk .",
        "The milk is in the hall .",
        "He did not go to the hall !",
    ];
    let places = 10;
    let universe = Product::new()
        .with("sentence", templates)
        .with("word", &words)
        .with("form", ["small", "capital"])
        .with("before token", 0..places);
    let place = |case: &[usize]| {
        let tokens = templates[case[0]].split(' ').count();
        case[3].min(tokens - 1)
    };
    let mut table = Table::new(
        "the grammar",
        &universe,
        |case| {
            let mut tokens: Vec<String> =
                templates[case[0]].split(' ').map(str::to_owned).collect();
            let word = words[case[1]];
            let word = match case[2] {
                0 => word.to_owned(),
                _ => word[..1].to_uppercase() + &word[1..],
            };
            tokens.insert(place(case), word);
            tokens.join(" ")
        },
        |_, text| outcome(text),
    );
    record.gates(&mut table, "read", |case| {
        [(format!("token {}: {UNREAL}", place(case)), true)]
    });
    for template in templates {
        record.equal(template, &outcome(template), &"read".to_owned());
    }
    record.finish();
}

#[test]
fn a_sentence_has_at_most_two_hundred_tokens() {
    let mut record = Record::start("a_sentence_has_at_most_two_hundred_tokens");
    let universe = Product::new()
        .with("end", [" .", ""])
        .with("adverbs", 190..200);
    let adverbs = |case: &[usize]| 190 + case[1];
    let mut table = Table::new(
        "the grammar",
        &universe,
        |case| {
            let adverbs = "quickly ".repeat(adverbs(case));
            format!("{adverbs}Ann entered the hall{}", [" .", ""][case[0]])
        },
        |_, text| outcome(text),
    );
    record.budget(&mut table, &[("tokens", 200)], &["read"], |case| {
        vec![adverbs(case) as u64 + 5 - case[0] as u64]
    });
    record.finish();
}
