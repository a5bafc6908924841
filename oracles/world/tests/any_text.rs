//! Any text gives a story, and every question an answer or a refusal: text without
//! sense, words of the reader's tables in any order, and sentences with words changed.

use oracles_world::any_text;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

const WORDS: [&str; 64] = [
    "Mary",
    "John",
    "Blick",
    "she",
    "he",
    "they",
    "her",
    "it",
    "the",
    "a",
    "kitchen",
    "garden",
    "milk",
    "box",
    "wolf",
    "wolves",
    "went",
    "took",
    "dropped",
    "gave",
    "put",
    "left",
    "moved",
    "ate",
    "followed",
    "blicked",
    "is",
    "are",
    "was",
    "did",
    "not",
    "never",
    "no",
    "longer",
    "either",
    "or",
    "and",
    "to",
    "in",
    "from",
    "up",
    "down",
    "there",
    "then",
    "before",
    "after",
    "while",
    "that",
    "yesterday",
    "this",
    "morning",
    "north",
    "of",
    "bigger",
    "than",
    "afraid",
    "hungry",
    "green",
    "wanted",
    "told",
    "who",
    "nobody",
    ",",
    ".",
];

const SENTENCES: [&str; 12] = [
    "Mary went to the kitchen.",
    "After that she picked up the milk.",
    "Mary gave the milk to John.",
    "John is either in the garden or the kitchen.",
    "John blicked the milk there.",
    "Mary put the milk in the box.",
    "They went back to the garden.",
    "The kitchen is north of the garden.",
    "Wolves are afraid of mice.",
    "Yesterday John went to the garden.",
    "The box is bigger than the chest.",
    "\"Mary went,\" he said.",
];

fn config() -> Config {
    Config {
        cases: 400,
        failure_persistence: None,
        ..Config::default()
    }
}

/// What a fuzzer found: a name that repeats a word was looked up among names that were
/// not there yet.
#[test]
fn a_name_of_one_word_twice() {
    any_text(b"Ann Ann went to the hall. Ann went to the park.");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn bytes_without_sense(bytes in vec(any::<u8>(), 0..200)) {
        any_text(&bytes);
    }

    #[test]
    fn words_in_any_order(words in vec(select(&WORDS[..]), 0..40)) {
        any_text(words.join(" ").as_bytes());
    }

    #[test]
    fn sentences_with_words_changed(
        sentences in vec((select(&SENTENCES[..]), any::<prop::sample::Index>(), select(&WORDS[..]), any::<bool>()), 1..12),
    ) {
        let mut text = Vec::new();
        for (sentence, at, word, changes) in sentences {
            let mut words: Vec<&str> = sentence.split(' ').collect();
            if changes {
                let at = at.index(words.len());
                words[at] = word;
            }
            text.push(words.join(" "));
        }
        any_text(text.join(" ").as_bytes());
    }
}
