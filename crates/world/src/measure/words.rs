//! The words of a line, as far as disturbing it needs them: where they stand, in
//! which letters they are written, which of them are finite verbs.

use std::ops::Range;

use crate::babi::lexicon;

/// What makes a following verb form no finite verb: "the left", "to go".
const NO_VERB_AFTER: &[&str] = &["the", "a", "an", "to"];

/// Where the words of `text` stand: runs of letters, apostrophes inside included.
pub(super) fn words(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        match found.last_mut() {
            Some(word) if word.end == at && character.is_alphabetic() => word.end = end,
            Some(word)
                if word.end == at
                    && is_apostrophe(character)
                    && characters.peek().is_some_and(|next| next.1.is_alphabetic()) =>
            {
                word.end = end;
            }
            _ if character.is_alphabetic() => found.push(at..end),
            _ => {}
        }
    }
    found
}

/// The word without a possessive ending.
pub(super) fn stem(word: &str) -> &str {
    word.strip_suffix("'s")
        .or_else(|| word.strip_suffix("’s"))
        .unwrap_or(word)
}

pub(super) fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’')
}

/// Where the finite verbs of `text` stand. A particle beside them is no part.
pub(super) fn verbs(text: &str) -> Vec<Range<usize>> {
    let words = words(text);
    let lower = |range: &Range<usize>| text[range.clone()].to_lowercase();
    let mut found = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| lower(&words[before]));
        if lexicon::is_verb(&lower(word))
            && !before.is_some_and(|before| NO_VERB_AFTER.contains(&before.as_str()))
        {
            found.push(word.clone());
        }
    }
    found
}

/// `new`, in capitals as `old` is: all of it, its first letter, or none.
pub(super) fn capitals_of(old: &str, new: &str) -> String {
    let mut letters = old.chars();
    let first = letters.next().is_some_and(char::is_uppercase);
    let mut rest = letters.filter(|letter| letter.is_alphabetic()).peekable();
    if first && rest.peek().is_some() && rest.all(char::is_uppercase) {
        new.to_uppercase()
    } else if first {
        let mut letters = new.chars();
        letters.next().map_or_else(String::new, |letter| {
            letter.to_uppercase().collect::<String>() + letters.as_str()
        })
    } else {
        new.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str, of: fn(&str) -> Vec<Range<usize>>) -> Vec<&str> {
        of(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn words_are_letters_with_apostrophes_inside() {
        let text = "\"Mary's 2 dogs,\" didn't 'Zoë' say—no.";
        assert_eq!(
            listed(text, words),
            ["Mary's", "dogs", "didn't", "Zoë", "say", "no"]
        );
        assert_eq!(listed("' '' -", words), [""; 0]);
        assert_eq!((stem("Mary's"), stem("Mary")), ("Mary", "Mary"));
    }

    #[test]
    fn a_direction_and_an_infinitive_are_no_finite_verb() {
        assert_eq!(listed("Mary left the milk.", verbs), ["left"]);
        assert_eq!(listed("It is to the left of the box.", verbs), ["is"]);
        assert_eq!(listed("MARY WENT back to the kitchen.", verbs), ["WENT"]);
    }

    #[test]
    fn capitals_are_kept() {
        let cases = [
            ("mary", "blick"),
            ("Mary", "Blick"),
            ("MARY", "BLICK"),
            ("M", "Blick"),
        ];
        for (old, new) in cases {
            assert_eq!(capitals_of(old, "blick"), new, "{old}");
        }
    }
}
