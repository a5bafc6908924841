//! The small phrases, through the grammar and through questions: names, noun phrases,
//! and how far the reader came.

use obernant::{Product, Record, Sequences, Table};
use world::babi::question::{self, Named, Question};
use world::babi::statement::{Deed, Subject, Things};
use world::babi::{grammar, text};

use crate::language::{Language, compare, text_of};

/// Only Bob is a name of the story.
fn known(word: &str) -> bool {
    word == "bob"
}

/// The names of the subject, joined by `+`; `gap` where there is none.
fn names(subject: &str) -> String {
    let tokens = text::tokens(&format!("{subject} entered the hall."), 0);
    match grammar::read(&tokens, &known).as_deref() {
        Ok([one]) => match &one.subject {
            Subject::People(names) => names.join("+"),
            other => format!("{other:?}"),
        },
        Ok(_) => "several statements".to_owned(),
        Err(_) => "gap".to_owned(),
    }
}

#[test]
fn names_are_words_with_capitals_or_known_ones() {
    let mut record = Record::start("names_are_words_with_capitals_or_known_ones");
    let length = record.bound("length", 4);
    let limit = usize::try_from(length).expect("a bound is small");
    let chunks = ["Ann", "bob", "Xu-Li", "O'Neil", "cat", "and", ","];
    let words = [(0, "Ann"), (1, "bob"), (2, "Xu-Li")]
        .map(|(chunk, word)| Language::chunk(limit, chunk, word));
    let word = words[0].or(&words[1]).or(&words[2]);
    // Of several words the first is a name that one knows.
    let known = words[0].or(&words[1]);
    let long = known.then(&word.followed(&word)).joined(" ");
    let (name, sure) = (word.or(&long), known.or(&long));
    let (and, comma) = (Language::chunk(limit, 5, ""), Language::chunk(limit, 6, ""));
    // The last name has an `and` before it, the others have commas; of more than two
    // one knows all.
    let and = and.or(&comma.then(&and));
    let more = comma.then(&sure);
    let many = sure.then(&more).followed(&more).then(&and).then(&sure);
    let lists = name.or(&name.then(&and).then(&name)).or(&many);
    let lists = lists.table("+");
    let universe = Sequences::new(chunks, length);
    let input = |case: &[usize]| text_of(&chunks, case);
    compare(&mut record, &universe, input, names, |case| {
        lists.get(case).cloned()
    });
    record.finish();
}

/// The thing that was taken; `gap` where there is none.
fn thing(words: &str) -> String {
    let tokens = text::tokens(&format!("Ann took the {words}."), 0);
    match grammar::read(&tokens, &known).as_deref() {
        Ok([one]) => match &one.deed {
            Deed::Take(Things::Named(nouns), None) if nouns.len() == 1 => nouns[0].words.clone(),
            other => format!("{other:?}"),
        },
        Ok(_) => "several statements".to_owned(),
        Err(_) => "gap".to_owned(),
    }
}

/// The noun phrase that a question asks for; `gap` where there is none.
fn asked(words: &str) -> String {
    let tokens = text::tokens(&format!("Where is the {words}?"), 0);
    match question::read(&tokens, &known) {
        Some(Question::Where(Named::Noun(words))) => words,
        Some(other) => format!("{other:?}"),
        None => "gap".to_owned(),
    }
}

#[test]
fn a_noun_phrase_has_its_words_where_they_may_stand() {
    let mut record = Record::start("a_noun_phrase_has_its_words_where_they_may_stand");
    let length = record.bound("length", 4);
    let chunks = [
        "milk", "bob", "of", "red", "Zoe", "took", "unloved", "Bob", "cat's",
    ];
    let universe = Sequences::new(chunks, length);
    let text = |case: &[usize]| text_of(&chunks, case);
    // A name of the story is no first word, and with a capital none. Verbs, participles
    // and capitals are first words only. A colour is not the last one, and `of` joins.
    let is_noun = |case: &[usize]| {
        let last = case.len().saturating_sub(1);
        let fits = |at: usize| match chunks[case[at]] {
            "milk" => true,
            "bob" => at > 0,
            "of" => at > 0 && at < last && ["milk", "bob"].contains(&chunks[case[at + 1]]),
            "red" => at < last,
            "Zoe" | "took" | "unloved" => at == 0,
            _ => false,
        };
        !case.is_empty() && (0..case.len()).all(fits)
    };
    let read = |words: &str| {
        let (thing, asked) = (thing(words), asked(words));
        if thing == asked {
            thing
        } else {
            format!("a thing {thing}, asked {asked}")
        }
    };
    compare(&mut record, &universe, text, read, |case| {
        is_noun(case).then(|| text(case).to_lowercase())
    });
    record.finish();
}

#[test]
fn a_name_and_a_noun_have_at_most_five_words() {
    let mut record = Record::start("a_name_and_a_noun_have_at_most_five_words");
    let universe = Product::new()
        .with("words of the name", 1..8)
        .with("words of the noun", 1..8);
    let mut table = Table::new(
        "the grammar",
        &universe,
        |case| {
            let name = "Ann ".repeat(case[0] + 1);
            let noun = "milk ".repeat(case[1] + 1);
            format!("{name}took the {noun}.")
        },
        |_, text| {
            let is_read = grammar::read(&text::tokens(text, 0), &known).is_ok();
            if is_read { "read" } else { "gap" }.to_owned()
        },
    );
    let limits = [("words of a name", 5), ("words of a noun", 5)];
    record.budget(&mut table, &limits, &["read"], |case| {
        vec![case[0] as u64 + 1, case[1] as u64 + 1]
    });
    record.finish();
}

const SENTENCES: [&str; 12] = [
    "Ann went back to the hall and took the milk .",
    "Ann , Bob and Eve entered the hall .",
    "After that , he gave the milk and the ball to Bob .",
    "Yesterday she did not go to the hall again .",
    "The red box is to the left of the hall .",
    "Ann is either in the hall or in the park .",
    "Ann blicked the milk to Bob .",
    "Ann picked the milk up in the hall .",
    "Ann , who was in the park , left the milk there .",
    "Eve told him that Ann went to the hall .",
    "Before Ann went to the hall , she took it from him .",
    "Wolves are afraid of mice .",
];

#[test]
fn the_first_word_without_a_place_is_told() {
    let mut record = Record::start("the_first_word_without_a_place_is_told");
    let strays = ["whose", "myself", "everywhere"];
    let universe = Product::new()
        .with("sentence", SENTENCES)
        .with("stray word", strays)
        .with("before token", 0..13)
        .with("another before token", ["none", "the next", "the last"]);
    let tokens = |case: &[usize]| SENTENCES[case[0]].split(' ').count();
    let place = |case: &[usize]| case[2].min(tokens(case) - 1);
    let mut table = Table::new(
        "the grammar",
        &universe,
        |case| {
            let mut words: Vec<&str> = SENTENCES[case[0]].split(' ').collect();
            match case[3] {
                0 => {}
                1 => words.insert((place(case) + 1).min(words.len() - 1), strays[case[1]]),
                _ => words.insert(words.len() - 1, strays[case[1]]),
            }
            words.insert(place(case), strays[case[1]]);
            words.join(" ")
        },
        |_, text| match grammar::read(&text::tokens(text, 0), &known) {
            Ok(_) => "read".to_owned(),
            Err(failure) => format!("token {}", failure.token),
        },
    );
    record.gates(&mut table, "read", |case| {
        let second = match case[3] {
            0 => place(case),
            1 => place(case) + 1,
            _ => tokens(case),
        };
        [
            (format!("token {}", place(case)), true),
            (format!("token {second}"), true),
        ]
    });
    record.finish();
}
