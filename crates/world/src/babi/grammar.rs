//! One sentence to its statements. Every word must have its place: a sentence that
//! leaves a word over is a gap, and so is one with a word that takes its sense out
//! of what happened. Nobody here knows the story.

use super::cursor::Cursor;
use super::lexicon;
use super::predicate::predicate;
use super::statement::{Deed, Mood, Noun, Pronoun, Statement, Subject, Time};
use super::text::Token;

/// Sentences with more tokens are not read.
pub const LONGEST: usize = 200;

/// Why a sentence was not understood, and from which token on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The first token that found no place.
    pub token: usize,
    /// Why.
    pub reason: &'static str,
}

/// Reads one sentence. `known` tells whether a word (in lower case) is part of a
/// name of the story, so that it is one without a capital too.
pub fn read(tokens: &[Token], known: &dyn Fn(&str) -> bool) -> Result<Vec<Statement>, Failure> {
    if let Some(failure) = unreadable(tokens) {
        return Err(failure);
    }
    let mut cursor = Cursor::new(tokens, known);
    match sentence(&mut cursor) {
        Some(statements) => Ok(statements),
        None => Err(Failure {
            token: cursor.farthest().min(tokens.len().saturating_sub(1)),
            reason: "no known pattern has a place for these words",
        }),
    }
}

fn unreadable(tokens: &[Token]) -> Option<Failure> {
    let failure = |token, reason| Some(Failure { token, reason });
    if tokens.len() > LONGEST {
        return failure(LONGEST, "the sentence is too long");
    }
    let last = tokens.len().saturating_sub(1);
    for (at, token) in tokens.iter().enumerate() {
        match token.lower.as_str() {
            "." | "!" if at == last => {}
            "," => {}
            "?" => return failure(at, "a question states nothing"),
            word if lexicon::is_unreal(word) => {
                return failure(at, "the word may take the sentence out of what happened");
            }
            _ if token.is_word() => {}
            _ => return failure(at, "quotes and such marks are not read"),
        }
    }
    None
}

fn sentence(c: &mut Cursor<'_>) -> Option<Vec<Statement>> {
    let time = leads(c)?;
    let mut statements = if c.eat("before") {
        let later = late(subordinate(c)?);
        c.eat(",");
        then(later, vec![single(c)?])
    } else if c.eat("after") {
        let first = subordinate(c)?;
        c.eat(",");
        then(vec![first], vec![single(c)?])
    } else {
        let start = c.mark();
        if let Some(both) = around(c) {
            both
        } else {
            c.back_to(start);
            clauses(c)?
        }
    };
    let end = trail(c);
    c.eat_end().then_some(())?;
    let time = match (time, end) {
        (Time::Next, end) => end,
        (time, Time::Next) => time,
        _ => return None,
    };
    for statement in &mut statements {
        statement.time = time;
    }
    let is_plain = |it: &Statement| matches!(it.deed, Deed::Go(..) | Deed::Stay(_));
    let is_frame = |it: &Statement| matches!(it.deed, Deed::Unknown(_));
    // Things are not followed through times that are out of order.
    let may = match time {
        Time::Next => true,
        Time::Earlier => statements.iter().all(is_plain) && statements.len() == 1,
        Time::Dated(_) => statements.iter().all(|it| is_plain(it) || is_frame(it)),
    };
    may.then_some(statements)
}

/// A clause, `before`, `after` or `while`, and another.
fn around(c: &mut Cursor<'_>) -> Option<Vec<Statement>> {
    let main = single(c)?;
    c.eat(",");
    if c.eat("while") || c.eat("before") {
        return Some(vec![main, single(c)?]);
    }
    c.eat("after").then_some(())?;
    Some(then(late(main), vec![single(c)?]))
}

/// A clause with one statement that happened: of several nobody knows which are before
/// or after.
fn single(c: &mut Cursor<'_>) -> Option<Statement> {
    let mut all = clause(c)?;
    let only = all.pop().filter(|it| all.is_empty() && is_told(it))?;
    Some(only)
}

/// As [`single`]; a pronoun may mean somebody who is named after it.
fn subordinate(c: &mut Cursor<'_>) -> Option<Statement> {
    single(c).filter(|it| !matches!(it.subject, Subject::Pronoun(_)))
}

fn late(statement: Statement) -> Vec<Statement> {
    vec![Statement {
        late: true,
        ..statement
    }]
}

/// Whether a statement tells what happened. What follows one that does not with `and`
/// may belong to what was wanted, denied or reported.
fn is_told(statement: &Statement) -> bool {
    statement.mood == Mood::Real && statement.deed != Deed::Report
}

fn then(mut first: Vec<Statement>, second: Vec<Statement>) -> Vec<Statement> {
    first.extend(second);
    first
}

/// What stands before the first clause.
fn leads(c: &mut Cursor<'_>) -> Option<Time> {
    let mut time = Time::Next;
    loop {
        if let Some(date) = c.eat_phrase_row(lexicon::DATES) {
            (time == Time::Next).then_some(())?;
            time = Time::Dated(date);
        } else if c.eat_phrase_row(lexicon::FLASHBACKS).is_some() {
            (time == Time::Next).then_some(())?;
            time = Time::Earlier;
        } else if c.eat_phrase_row(lexicon::SEQUENCERS).is_none() && !c.eat_if(lexicon::is_manner) {
            return Some(time);
        }
        c.eat(",");
    }
}

/// What stands after the last clause.
fn trail(c: &mut Cursor<'_>) -> Time {
    let mut time = Time::Next;
    loop {
        let start = c.mark();
        c.eat(",");
        if time == Time::Next
            && let Some(date) = c.eat_phrase_row(lexicon::DATES)
        {
            time = Time::Dated(date);
        } else if c.eat_phrase_row(lexicon::SEQUENCERS).is_none()
            && !(c.eat("again") || c.eat("too") || c.eat_if(lexicon::is_manner))
        {
            c.back_to(start);
            return time;
        }
    }
}

/// Clauses that `and` or a comma joins, with one subject or several.
fn clauses(c: &mut Cursor<'_>) -> Option<Vec<Statement>> {
    let mut statements = clause(c)?;
    loop {
        let start = c.mark();
        let joined = c.eat(",") | (c.eat("and") || c.eat("but"));
        if !joined || !statements.iter().all(is_told) {
            c.back_to(start);
            return Some(statements);
        }
        c.eat_phrase_row(lexicon::SEQUENCERS);
        if let Some(more) = clause(c) {
            statements.extend(more);
            continue;
        }
        c.back_to(start);
        let Some(more) = gapping(c, &statements) else {
            c.back_to(start);
            return Some(statements);
        };
        statements.push(more);
    }
}

/// "Ann went to the hall, and Bob to the park": the verb is the one before.
fn gapping(c: &mut Cursor<'_>, before: &[Statement]) -> Option<Statement> {
    let last = before.last()?;
    (matches!(last.deed, Deed::Go(_, None)) && last.mood == Mood::Real).then_some(())?;
    c.eat(",");
    c.eat("and").then_some(())?;
    let subject = Subject::People(c.names()?);
    let place = c.place_after(&["to"])?;
    Some(Statement {
        subject,
        deed: Deed::Go(place, None),
        ..last.clone()
    })
}

/// A subject and all that it does.
pub(super) fn clause(c: &mut Cursor<'_>) -> Option<Vec<Statement>> {
    let subject = subject(c)?;
    let mut statements = Vec::new();
    let said = |deed, mood| Statement {
        subject: subject.clone(),
        deed,
        mood,
        time: Time::Next,
        late: false,
    };
    let start = c.mark();
    // ", who was in the kitchen,"
    if c.eat(",") {
        if c.eat("who")
            && (c.eat("was") || c.eat("were"))
            && let Some(place) = c.place_after(&["in", "at", "inside"])
            && c.eat(",")
        {
            statements.push(said(Deed::Was(place), Mood::Real));
        } else {
            c.back_to(start);
        }
    }
    c.eat_phrase_row(lexicon::SEQUENCERS);
    while c.eat_if(lexicon::is_manner) {}
    let mut next = predicate(c, &subject)?;
    loop {
        let (deed, mood) = next;
        let goes = matches!(deed, Deed::Go(..)) && mood == Mood::Real;
        statements.push(said(deed, mood));
        // ", and then to the garden": the motion goes on.
        while goes && let Some(place) = further(c) {
            statements.push(said(Deed::Go(place, None), Mood::Real));
        }
        let start = c.mark();
        let joined = c.eat(",") | (c.eat("and") || c.eat("but"));
        if joined {
            c.eat_phrase_row(lexicon::SEQUENCERS);
            while c.eat_if(lexicon::is_manner) {}
        }
        let told = statements.iter().all(is_told);
        let more = (joined && told).then(|| predicate(c, &subject)).flatten();
        let Some(more) = more else {
            c.back_to(start);
            return Some(statements);
        };
        next = more;
    }
}

fn further(c: &mut Cursor<'_>) -> Option<Noun> {
    let start = c.mark();
    c.eat(",");
    let and = c.eat("and");
    let then = c.eat_phrase_row(lexicon::SEQUENCERS).is_some();
    let place = (and || then)
        .then(|| c.place_after(&["to", "into"]))
        .flatten();
    if place.is_none() {
        c.back_to(start);
    }
    place
}

fn subject(c: &mut Cursor<'_>) -> Option<Subject> {
    for (word, pronoun) in [
        ("he", Pronoun::He),
        ("she", Pronoun::She),
        ("they", Pronoun::They),
    ] {
        if c.eat(word) {
            return Some(Subject::Pronoun(pronoun));
        }
    }
    if c.eat("nobody") || c.eat_phrase(&["no", "one"]) {
        return Some(Subject::Nobody);
    }
    let start = c.mark();
    if c.eat("the") {
        return c.noun_words().map(|words| {
            Subject::Thing(Noun {
                words,
                fresh: false,
            })
        });
    }
    // "Wolves are afraid of cats": a bare plural.
    if let Some(kind) = c.open_word()
        && c.sees("are")
        && lexicon::singular(&kind).is_some()
    {
        return Some(Subject::Kind(kind));
    }
    c.back_to(start);
    if c.eat("both") {
        return c
            .names()
            .filter(|names| names.len() == 2)
            .map(Subject::People);
    }
    c.names().map(Subject::People)
}
