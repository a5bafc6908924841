//! What a clause says of its subject: negation and intention, `is`, a verb of the table
//! with what belongs to it, or a pattern around a verb that is not understood.

use super::cursor::Cursor;
use super::grammar::clause;
use super::lexicon::{self, Class, Verb};
use super::statement::{Deed, Frame, Mood, Noun, Pronoun, Recipient, Shape, Subject, Things};

/// What a subject does: negation and intention, then a verb with what belongs to it.
pub(super) fn predicate(c: &mut Cursor<'_>, subject: &Subject) -> Option<(Deed, Mood)> {
    let start = c.mark();
    match subject {
        Subject::Thing(_) => return thing_is(c).map(|deed| (deed, Mood::Real)),
        Subject::Kind(_) => {
            let is = c.eat("are") && c.eat("afraid") && c.eat("of");
            return (is.then(|| c.open_word())?).map(|kind| (Deed::Fears(kind), Mood::Real));
        }
        Subject::Nobody => return deed(c, lexicon::past).map(|deed| (deed, Mood::Never)),
        Subject::People(_) | Subject::Pronoun(_) => {}
    }
    if c.eat_if(|word| lexicon::REPORTS.contains(&word)) {
        c.eat("to");
        let _ = recipient(c);
        c.eat("that").then_some(())?;
        // What is reported must be understood, lest it be more than a report.
        let _ = clause(c)?;
        return Some((Deed::Report, Mood::Real));
    }
    if c.eat("was") || c.eat("were") {
        c.eat("still");
        let mut places = c.places()?;
        let was = if places.len() == 1 {
            Deed::Was(places.pop()?)
        } else {
            Deed::Wander
        };
        return Some((was, Mood::Real));
    }
    if c.eat("is") || c.eat("are") {
        return person_is(c).map(|deed| (deed, Mood::Real));
    }
    if c.eat("isn't") || c.eat("aren't") {
        return c
            .place_after(&["in", "at", "inside"])
            .map(|it| (Deed::Absent(it), Mood::Real));
    }
    if (c.eat("did") && c.eat("not")) || c.eat("didn't") {
        return deed(c, lexicon::base).map(|deed| (deed, Mood::Denied));
    }
    c.back_to(start);
    if c.eat("never") {
        return deed(c, lexicon::past).map(|deed| (deed, Mood::Never));
    }
    if c.eat_if(|word| lexicon::INTENTIONS.contains(&word)) && c.eat("to") {
        return deed(c, lexicon::base).map(|deed| (deed, Mood::Intended));
    }
    c.back_to(start);
    if c.eat("will") {
        return deed(c, lexicon::base).map(|deed| (deed, Mood::Intended));
    }
    if (c.eat("may") || c.eat("might")) && c.eat("be") {
        c.place_after(&["in", "at", "inside"])?;
        return Some((Deed::Wander, Mood::Real));
    }
    c.back_to(start);
    if let Some(deed) = deed(c, lexicon::past) {
        return Some((deed, Mood::Real));
    }
    c.back_to(start);
    frame(c).map(|frame| (Deed::Unknown(frame), Mood::Real))
}

/// After `is`, of people.
fn person_is(c: &mut Cursor<'_>) -> Option<Deed> {
    let start = c.mark();
    if c.eat("no") && c.eat("longer") {
        return c.place_after(&["in", "at", "inside"]).map(Deed::NoLonger);
    }
    c.back_to(start);
    if c.eat("not") {
        return c.place_after(&["in", "at", "inside"]).map(Deed::Absent);
    }
    c.back_to(start);
    if c.eat("still") || c.eat("now") || c.sees("in") || c.sees("at") || c.sees("inside") {
        let places = c.places()?;
        return Some(match <[Noun; 1]>::try_from(places) {
            Ok([place]) => Deed::Stay(place),
            Err(places) => Deed::Either(places),
        });
    }
    if c.eat("either") {
        return c.places().filter(|it| it.len() > 1).map(Deed::Either);
    }
    c.back_to(start);
    if c.eat("carrying") || c.eat("holding") {
        return things(c).map(Deed::Own);
    }
    if c.eat("afraid") {
        return (c.eat("of").then(|| c.open_word())?).map(Deed::Fears);
    }
    if c.eat("a") || c.eat("an") {
        return c.noun_words().map(Deed::IsA);
    }
    if let Some(color) = c.eat_word_if(lexicon::is_color) {
        return Some(Deed::Color(color));
    }
    c.eat_word_if(|word| lexicon::motive_place(word).is_some())
        .map(Deed::State)
}

/// What is said of a thing or a place.
fn thing_is(c: &mut Cursor<'_>) -> Option<Deed> {
    if c.eat("fits") {
        return c.place_after(&["in", "inside", "into"]).map(Deed::Fits);
    }
    c.eat("is").then_some(())?;
    for (row, (name, ..)) in lexicon::DIRECTIONS.iter().enumerate() {
        if c.eat(name) {
            return c.place_after(&["of"]).map(|of| Deed::Lies(row, of));
        }
    }
    for (row, (words, _)) in lexicon::POSITIONS.iter().enumerate() {
        if c.eat_phrase(words) {
            return c.the_noun().map(|of| Deed::Stands(row, of));
        }
    }
    if c.eat("bigger") || c.eat("larger") {
        return c.place_after(&["than"]).map(Deed::Bigger);
    }
    c.place_after(&["in", "at", "inside"]).map(Deed::Stay)
}

type Forms = fn(&str) -> &'static [&'static Verb];

/// A verb of the table with what belongs to it, in the form that `forms` looks up.
fn deed(c: &mut Cursor<'_>, forms: Forms) -> Option<Deed> {
    let verbs = forms(c.word()?);
    if verbs.is_empty() {
        return None;
    }
    c.step();
    let start = c.mark();
    // Of the readings of a verb the one that takes the most words is meant: "took
    // the milk to the hall" is more than "took the milk".
    let mut best = None;
    for verb in verbs {
        c.back_to(start);
        if let Some(deed) = complement(c, verb)
            && best.as_ref().is_none_or(|(end, _)| *end < c.mark())
        {
            best = Some((c.mark(), deed));
        }
    }
    let (end, deed) = best?;
    c.back_to(end);
    Some(deed)
}

fn complement(c: &mut Cursor<'_>, verb: &Verb) -> Option<Deed> {
    match verb.class {
        Class::Go if c.eat_phrase(&["out", "of"]) => c.the_noun().map(Deed::Exit),
        Class::Go => {
            while c.eat_if(|word| lexicon::BY_THE_WAY.contains(&word)) {}
            let mut from = c.place_after(&["from"]);
            if c.eat("through") {
                c.the_noun()?;
            }
            if c.eat("toward") || c.eat("towards") {
                c.the_noun()?;
                return Some(Deed::Wander);
            }
            if !(c.eat("to") || c.eat("into")) {
                return None;
            }
            let mut places = c.alternatives()?;
            if from.is_none() {
                from = c.place_after(&["from"]);
            }
            match (places.len(), from) {
                (1, from) => Some(Deed::Go(places.pop()?, from)),
                (_, None) => Some(Deed::Either(places)),
                _ => None,
            }
        }
        Class::Reach => c.the_noun().map(|place| Deed::Go(place, None)),
        Class::Arrive => c
            .place_after(&["at", "in"])
            .map(|place| Deed::Go(place, None)),
        Class::Exit => c.the_noun().map(Deed::Exit),
        Class::Leave => {
            let things = things(c)?;
            match (things, laid(c)) {
                (Things::Named(mut nouns), Laid::Unsaid) if nouns.len() == 1 => {
                    nouns.pop().map(Deed::Leave)
                }
                (things, laid) => Some(laid.deed(things)),
            }
        }
        Class::Stay => c.place_after(&["in", "at", "inside"]).map(Deed::Stay),
        Class::Drop => {
            let things = with_particle(c, verb)?;
            let laid = laid(c);
            Some(laid.deed(things))
        }
        Class::Take => {
            let things = with_particle(c, verb)?;
            let here = c.mark();
            if verb.base != "get" && c.eat("from") {
                if let Some(from) = recipient(c) {
                    return Some(Deed::TakeFrom(things, from));
                }
                c.back_to(here);
            }
            let place = c.place_after(&["in", "at", "inside"]);
            c.eat("there");
            Some(Deed::Take(things, place))
        }
        Class::Give => {
            if let Some(to) = recipient(c) {
                return things(c).map(|things| Deed::Give(things, to));
            }
            let things = things(c)?;
            let _ = c.eat("over") || c.eat("back");
            c.eat("to").then_some(())?;
            recipient(c).map(|to| Deed::Give(things, to))
        }
        Class::Put => {
            let things = things(c)?;
            let into = c.place_after(&["in", "into", "inside", "on", "onto", "at"])?;
            Some(Deed::Put(things, into))
        }
        Class::Bring | Class::Shift => {
            let things = things(c)?;
            while c.eat_if(|word| lexicon::BY_THE_WAY.contains(&word)) {}
            let to = c.place_after(&["to", "into"])?;
            Some(match verb.class {
                Class::Bring => Deed::Bring(things, to),
                _ => Deed::Shift(things, to),
            })
        }
        Class::Consume => things(c).map(Deed::Consume),
        Class::Own if verb.base == "have" => things(c).map(Deed::Has),
        Class::Own => things(c).map(Deed::Own),
    }
}

/// Things with the particle of their verb, before or after them.
fn with_particle(c: &mut Cursor<'_>, verb: &Verb) -> Option<Things> {
    let early = verb.particle.is_none_or(|particle| c.eat(particle));
    let things = things(c)?;
    let has = early || verb.particle.is_some_and(|particle| c.eat(particle));
    has.then_some(things)
}

/// Where something is laid down.
enum Laid {
    There,
    At(Noun),
    Unsaid,
}

impl Laid {
    /// One may drop a thing into a place without being there.
    fn deed(self, things: Things) -> Deed {
        match self {
            Self::There | Self::Unsaid => Deed::Drop(things),
            Self::At(place) => Deed::Put(things, place),
        }
    }
}

fn laid(c: &mut Cursor<'_>) -> Laid {
    if c.eat("there") {
        return Laid::There;
    }
    let place = c.place_after(&["in", "into", "inside", "on", "onto", "at"]);
    place.map_or(Laid::Unsaid, Laid::At)
}

/// One or more things, or `it`.
fn things(c: &mut Cursor<'_>) -> Option<Things> {
    if c.eat("it") {
        return Some(Things::It);
    }
    let mut nouns = vec![c.article_noun()?];
    loop {
        let start = c.mark();
        let joined = c.eat(",") | c.eat("and");
        match c.article_noun().filter(|_| joined) {
            // "took the milk and the cat went": the next is a subject.
            Some(noun) if !c.sees_verb() => nouns.push(noun),
            _ => {
                c.back_to(start);
                return Some(Things::Named(nouns));
            }
        }
    }
}

fn recipient(c: &mut Cursor<'_>) -> Option<Recipient> {
    for (word, pronoun) in [
        ("him", Pronoun::He),
        ("her", Pronoun::She),
        ("them", Pronoun::They),
    ] {
        if c.eat(word) {
            return Some(Recipient::Pronoun(pronoun));
        }
    }
    c.name().map(Recipient::Named)
}

/// A pattern with one open word where the verb stands.
fn frame(c: &mut Cursor<'_>) -> Option<Frame> {
    let verb = c.open_verb()?;
    let start = c.mark();
    let mut shape = shape(c);
    if shape.is_none() {
        c.back_to(start);
        // "blicked back to the hall", "blicked up the milk"
        if c.eat_if(|word| lexicon::BY_THE_WAY.contains(&word) || word == "away") && c.sees("to") {
            shape = self::shape(c);
        } else {
            c.back_to(start);
            if c.eat("up") || c.eat("down") {
                shape = self::shape(c);
            }
        }
    }
    let shape = shape?;
    Some(Frame { verb, shape })
}

fn shape(c: &mut Cursor<'_>) -> Option<Shape> {
    if let Some(place) = c.place_after(&["to", "into"]) {
        return Some(Shape::To(place));
    }
    let start = c.mark();
    if c.eat("not") || (c.eat("no") && c.eat("longer")) || c.eat("either") || c.sees("in") {
        return c.places().map(Shape::In);
    }
    c.back_to(start);
    if let Some(to) = recipient(c) {
        return things(c).map(|things| Shape::Gift(things, to));
    }
    let things = things(c)?;
    for particle in ["up", "down"] {
        c.eat(particle);
    }
    let start = c.mark();
    if c.eat("to") {
        if let Some(to) = recipient(c) {
            return Some(Shape::Gift(things, to));
        }
        c.back_to(start);
    }
    if let Some(place) = c.place_after(&["to", "into", "in", "inside", "on", "at", "from"]) {
        return Some(Shape::Shift(things, place));
    }
    let there = c.eat("there");
    Some(Shape::Thing(things, there))
}
