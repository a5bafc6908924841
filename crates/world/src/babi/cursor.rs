//! A place in the tokens of one sentence, and the small phrases that are read there:
//! names, noun phrases, places. What is not there leaves the place as it was.

use super::lexicon;
use super::statement::Noun;
use super::text::Token;

/// A noun phrase has at most so many words, and a list so many members.
const LONGEST_PHRASE: usize = 5;

/// A place in a sentence.
pub(super) struct Cursor<'a> {
    tokens: &'a [Token],
    known: &'a dyn Fn(&str) -> bool,
    at: usize,
    farthest: usize,
}

impl<'a> Cursor<'a> {
    /// Before the first token. `known` tells whether a word is part of a name.
    pub(super) fn new(tokens: &'a [Token], known: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            tokens,
            known,
            at: 0,
            farthest: 0,
        }
    }

    pub(super) fn mark(&self) -> usize {
        self.at
    }

    pub(super) fn back_to(&mut self, mark: usize) {
        self.at = mark;
    }

    /// The first token that no attempt got beyond.
    pub(super) fn farthest(&self) -> usize {
        self.farthest
    }

    pub(super) fn step(&mut self) {
        self.at += 1;
        self.farthest = self.farthest.max(self.at);
    }

    fn token(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    /// The next token in lower case.
    pub(super) fn word(&self) -> Option<&'a str> {
        self.token().map(|token| token.lower.as_str())
    }

    pub(super) fn sees(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    pub(super) fn sees_verb(&self) -> bool {
        self.word().is_some_and(lexicon::is_verb)
    }

    pub(super) fn eat(&mut self, word: &str) -> bool {
        self.eat_if(|next| next == word)
    }

    pub(super) fn eat_if(&mut self, wanted: impl Fn(&str) -> bool) -> bool {
        self.eat_word_if(wanted).is_some()
    }

    pub(super) fn eat_word_if(&mut self, wanted: impl Fn(&str) -> bool) -> Option<String> {
        let word = self.word().filter(|word| wanted(word))?;
        self.step();
        Some(word.to_owned())
    }

    pub(super) fn eat_phrase(&mut self, words: &[&str]) -> bool {
        let start = self.at;
        let all = words.iter().all(|word| self.eat(word));
        if !all {
            self.at = start;
        }
        all
    }

    /// The longest of these phrases that stands here, as its row.
    pub(super) fn eat_phrase_row(&mut self, rows: &[&[&str]]) -> Option<usize> {
        let start = self.at;
        let mut best = None;
        for (row, words) in rows.iter().enumerate() {
            if self.eat_phrase(words) && best.is_none_or(|(end, _)| end < self.at) {
                best = Some((self.at, row));
            }
            self.at = start;
        }
        let (end, row) = best?;
        self.at = end;
        Some(row)
    }

    /// The end of the sentence, with or without its mark.
    pub(super) fn eat_end(&mut self) -> bool {
        let _ = self.eat(".") || self.eat("!");
        self.at == self.tokens.len()
    }

    /// A word that is in no table.
    pub(super) fn open_word(&mut self) -> Option<String> {
        let token = self.token()?;
        let is_open = token.is_word() && !lexicon::is_closed(&token.lower);
        is_open.then(|| {
            self.step();
            token.lower.clone()
        })
    }

    /// A word in no table, without a capital, where a verb stands.
    pub(super) fn open_verb(&mut self) -> Option<String> {
        let token = self.token()?;
        let is_open = token.is_word()
            && !token.is_capital()
            && token.text.chars().all(char::is_alphabetic)
            && !lexicon::is_known(&token.lower)
            && !(self.known)(&token.lower);
        is_open.then(|| {
            self.step();
            token.lower.clone()
        })
    }

    /// The words of a noun phrase after its article, in lower case.
    pub(super) fn noun_words(&mut self) -> Option<String> {
        let start = self.at;
        let mut words: Vec<&str> = Vec::new();
        while let Some(token) = self.token() {
            let word = token.lower.as_str();
            let is_noun = lexicon::is_color(word) || !lexicon::is_closed(word);
            let is_name = words.is_empty() && (self.known)(word);
            let fits = token.is_word() && !word.contains('\'') && is_noun && !is_name;
            // "the box of chocolates"
            let joins = word == "of"
                && !words.is_empty()
                && self.tokens.get(self.at + 1).is_some_and(|next| {
                    next.is_word() && !next.is_capital() && !lexicon::is_closed(&next.lower)
                });
            // "the hall barefooted": what follows a noun may be no part of it.
            let ends = !words.is_empty()
                && (lexicon::is_verb(word) || looks_like_no_noun(word) || self.is_odd_capital());
            if ends || !(fits || joins) || words.len() == LONGEST_PHRASE {
                break;
            }
            words.push(word);
            self.step();
        }
        let is_phrase = words.last().is_some_and(|last| !lexicon::is_color(last));
        if !is_phrase {
            self.at = start;
            return None;
        }
        Some(words.join(" "))
    }

    /// A capital in a sentence that has small letters: a name, and no part of a noun.
    fn is_odd_capital(&self) -> bool {
        let is_small = |token: &Token| token.text.starts_with(char::is_lowercase);
        self.token().is_some_and(Token::is_capital) && self.tokens.iter().any(is_small)
    }

    /// `the` and a noun.
    pub(super) fn the_noun(&mut self) -> Option<Noun> {
        self.noun_after(&["the"])
    }

    /// `the`, `a` or `an` and a noun.
    pub(super) fn article_noun(&mut self) -> Option<Noun> {
        self.noun_after(&["the", "a", "an"])
    }

    fn noun_after(&mut self, articles: &[&str]) -> Option<Noun> {
        let start = self.at;
        let article = self.eat_word_if(|word| articles.contains(&word))?;
        let Some(words) = self.noun_words() else {
            self.at = start;
            return None;
        };
        Some(Noun {
            words,
            fresh: article != "the",
        })
    }

    /// One of these words, `the` and a noun: what has another article is rarely a place
    /// ("in a hurry").
    pub(super) fn place_after(&mut self, words: &[&str]) -> Option<Noun> {
        let start = self.at;
        if self.eat_if(|word| words.contains(&word))
            && let Some(noun) = self.the_noun()
        {
            return Some(noun);
        }
        self.at = start;
        None
    }

    /// `the L` or `the L or [to] the M`, after a preposition.
    pub(super) fn alternatives(&mut self) -> Option<Vec<Noun>> {
        self.eat("either");
        let mut places = vec![self.the_noun()?];
        while places.len() < LONGEST_PHRASE {
            let start = self.at;
            let or = self.eat("or");
            self.eat_if(|word| matches!(word, "in" | "at" | "to"));
            match self.the_noun() {
                Some(noun) if or => places.push(noun),
                _ => {
                    self.at = start;
                    break;
                }
            }
        }
        Some(places)
    }

    /// `in the L`, `in the L or [in] the M`.
    pub(super) fn places(&mut self) -> Option<Vec<Noun>> {
        let start = self.at;
        if self.eat_if(|word| matches!(word, "in" | "at" | "inside"))
            && let Some(places) = self.alternatives()
        {
            return Some(places);
        }
        self.at = start;
        None
    }

    /// One person: a word with a capital that is in no table, or part of a name of
    /// the story; more such words may follow.
    pub(super) fn name(&mut self) -> Option<String> {
        let start = self.at;
        let mut words: Vec<&str> = Vec::new();
        while let Some(token) = self.token() {
            let is_name = token.is_word()
                && token.text.chars().all(|it| it.is_alphabetic() || it == '-')
                && !lexicon::is_closed(&token.lower)
                && (token.is_capital() || (self.known)(&token.lower))
                && !lexicon::is_verb(&token.lower)
                && words.len() < LONGEST_PHRASE;
            if !is_name {
                break;
            }
            words.push(&token.text);
            self.step();
        }
        // "Assuming Ann went": the capital of a sentence's first word says nothing.
        let first = words.first()?.to_lowercase();
        let is_known = lexicon::gender(&first).is_some() || (self.known)(&first);
        if !is_known && (words.len() > 1 || first.ends_with("ly")) {
            self.at = start;
            return None;
        }
        Some(words.join(" "))
    }

    /// People that `and` joins, and commas before it.
    pub(super) fn names(&mut self) -> Option<Vec<String>> {
        let mut names = vec![self.name()?];
        let first = self.at;
        loop {
            let comma = self.eat(",");
            let and = self.eat("and");
            match self.name() {
                Some(name) if and => {
                    names.push(name);
                    // "Frankly, Ann and Bob went": more than two are known as names.
                    let is_known = |name: &String| {
                        let name = name.to_lowercase();
                        lexicon::gender(&name).is_some() || name.split(' ').all(self.known)
                    };
                    if names.len() > 2 && !names.iter().all(is_known) {
                        self.at = first;
                        names.truncate(1);
                    }
                    return Some(names);
                }
                Some(name) if comma => names.push(name),
                // "Ann, Bob went": a list has an `and`.
                _ => {
                    self.at = first;
                    names.truncate(1);
                    return Some(names);
                }
            }
        }
    }
}

/// Adverbs and participles, by their endings.
fn looks_like_no_noun(word: &str) -> bool {
    word.len() > 4
        && ["ly", "ed", "ing", "ward", "wards", "wise"]
            .iter()
            .any(|end| word.ends_with(end))
}
