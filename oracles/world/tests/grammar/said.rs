//! What was read, in few words. Two lists of statements have the same words exactly
//! where they are equal.

use world::babi::grammar;
use world::babi::statement::{
    Deed, Mood, Noun, Pronoun, Recipient, Shape, Statement, Subject, Things, Time,
};
use world::babi::text;

/// Reads a sentence in which no name is known beforehand; `gap` where it can't be read.
pub(crate) fn read(sentence: &str) -> String {
    match grammar::read(&text::tokens(sentence, 0), &|_| false) {
        Ok(statements) => {
            let words: Vec<_> = statements.iter().map(statement).collect();
            words.join("; ")
        }
        Err(_) => "gap".to_owned(),
    }
}

pub(crate) fn statement(it: &Statement) -> String {
    let time = match it.time {
        Time::Next => String::new(),
        Time::Earlier => "earlier: ".to_owned(),
        Time::Dated(row) => format!("date {row}: "),
    };
    let late = if it.late { "late: " } else { "" };
    format!("{time}{late}{}", clause(it))
}

/// Subject, mood and deed.
pub(crate) fn clause(it: &Statement) -> String {
    let subject = match &it.subject {
        Subject::People(names) => names.join("+"),
        Subject::Pronoun(Pronoun::He) => "he".to_owned(),
        Subject::Pronoun(Pronoun::She) => "she".to_owned(),
        Subject::Pronoun(Pronoun::They) => "they".to_owned(),
        Subject::Nobody => "nobody".to_owned(),
        Subject::Thing(it) => format!("the {}", noun(it)),
        Subject::Kind(kind) => format!("all {kind}"),
    };
    let mood = match it.mood {
        Mood::Real => "",
        Mood::Denied => "not ",
        Mood::Never => "never ",
        Mood::Intended => "wants ",
    };
    format!("{subject} {mood}{}", deed(&it.deed))
}

fn deed(deed: &Deed) -> String {
    let at = |place: &Option<Noun>| place.as_ref().map(|it| format!(" at {}", noun(it)));
    match deed {
        Deed::Go(to, None) => format!("go {}", noun(to)),
        Deed::Go(to, Some(from)) => format!("go {} from {}", noun(to), noun(from)),
        Deed::Wander => "wander".to_owned(),
        Deed::Exit(from) => format!("exit {}", noun(from)),
        Deed::Leave(what) => format!("leave {}", noun(what)),
        Deed::Stay(place) => format!("stay {}", noun(place)),
        Deed::Was(place) => format!("was {}", noun(place)),
        Deed::Absent(place) => format!("absent {}", noun(place)),
        Deed::NoLonger(place) => format!("absent now {}", noun(place)),
        Deed::Either(places) => format!("either {}", nouns(places, "|")),
        Deed::Take(what, place) => {
            format!("take {}{}", things(what), at(place).unwrap_or_default())
        }
        Deed::Own(what) => format!("own {}", things(what)),
        Deed::Has(what) => format!("has {}", things(what)),
        Deed::Drop(what) => format!("drop {}", things(what)),
        Deed::Give(what, to) => format!("give {} to {}", things(what), recipient(to)),
        Deed::TakeFrom(what, from) => format!("take {} from {}", things(what), recipient(from)),
        Deed::Report => "report".to_owned(),
        Deed::Put(what, into) => format!("put {} in {}", things(what), noun(into)),
        Deed::Bring(what, to) => format!("bring {} to {}", things(what), noun(to)),
        Deed::Shift(what, to) => format!("shift {} to {}", things(what), noun(to)),
        Deed::Consume(what) => format!("consume {}", things(what)),
        Deed::IsA(kind) => format!("is-a {kind}"),
        Deed::Color(color) => format!("color {color}"),
        Deed::State(state) => format!("feel {state}"),
        Deed::Fears(kind) => format!("fear {kind}"),
        Deed::Lies(row, of) => format!("lie {row} {}", noun(of)),
        Deed::Stands(row, of) => format!("stand {row} {}", noun(of)),
        Deed::Bigger(than) => format!("bigger {}", noun(than)),
        Deed::Fits(into) => format!("fit {}", noun(into)),
        Deed::Unknown(frame) => format!("{} {}", frame.verb, shape(&frame.shape)),
    }
}

fn shape(shape: &Shape) -> String {
    match shape {
        Shape::To(place) => format!("toward {}", noun(place)),
        Shape::In(places) => format!("inside {}", nouns(places, "|")),
        Shape::Thing(what, false) => format!("what {}", things(what)),
        Shape::Thing(what, true) => format!("what {} there", things(what)),
        Shape::Gift(what, to) => format!("what {} for {}", things(what), recipient(to)),
        Shape::Shift(what, place) => format!("what {} where {}", things(what), noun(place)),
    }
}

fn things(things: &Things) -> String {
    match things {
        Things::Named(named) => nouns(named, "+"),
        Things::It => "it".to_owned(),
    }
}

fn nouns(all: &[Noun], joint: &str) -> String {
    let words: Vec<_> = all.iter().map(noun).collect();
    words.join(joint)
}

fn noun(it: &Noun) -> String {
    if it.fresh {
        format!("a {}", it.words)
    } else {
        it.words.clone()
    }
}

fn recipient(it: &Recipient) -> String {
    match it {
        Recipient::Named(name) => name.clone(),
        Recipient::Pronoun(Pronoun::He) => "him".to_owned(),
        Recipient::Pronoun(Pronoun::She) => "her".to_owned(),
        Recipient::Pronoun(Pronoun::They) => "them".to_owned(),
    }
}
