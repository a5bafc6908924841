//! A question to what it asks. Names and nouns are as they are written; whether the
//! story has them is the answer's matter.

use super::cursor::Cursor;
use super::lexicon;
use super::text::Token;

/// Somebody or something that a question names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// Without an article.
    Person(String),
    /// After an article, in lower case.
    Noun(String),
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Where is it?
    Where(Named),
    /// Where was it before that place?
    WhereBefore(Named, String),
    /// Where will the person go?
    WhereNext(String),
    /// Is it at the place?
    IsAt(Named, String),
    /// What does the person hold?
    Carrying(String),
    /// How many things does the person hold?
    HowMany(String),
    /// Who holds the thing?
    Holder(String),
    /// Which gift: the giver, the thing, the receiver; one of them is asked.
    Gift(Asked, Gift),
    /// What lies a step in this direction from the place?
    Beyond(usize, String),
    /// What does the person fear?
    Fear(String),
    /// What colour has the person?
    Color(String),
    /// Does one stand above, below, left or right of the other?
    Stands(String, usize, String),
    /// Is one bigger than the other?
    Bigger(String, String),
    /// How does one go from the one to the other?
    Way(String, String),
    /// Why did the person go to the place?
    WhyGo(String, String),
    /// Why did the person take the thing?
    WhyTake(String, String),
}

/// Which part of a gift is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Who gave?
    Giver,
    /// What was given?
    Thing,
    /// Who received?
    Receiver,
}

/// The parts of a gift that the question names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gift {
    /// Who gave.
    pub from: Option<String>,
    /// What was given.
    pub thing: Option<String>,
    /// Who received.
    pub to: Option<String>,
}

/// Reads a question; none where it is of no known kind. `known` as in
/// [`grammar::read`](super::grammar::read).
pub fn read(tokens: &[Token], known: &dyn Fn(&str) -> bool) -> Option<Question> {
    if tokens.len() > super::grammar::LONGEST {
        return None;
    }
    let tokens = match tokens.split_last() {
        Some((last, rest)) if matches!(last.text.as_str(), "?" | ".") => rest,
        _ => tokens,
    };
    let mut cursor = Cursor::new(tokens, known);
    let question = question(&mut cursor)?;
    cursor.eat_end().then_some(question)
}

fn question(c: &mut Cursor<'_>) -> Option<Question> {
    let first = c.word()?.to_owned();
    c.step();
    match first.as_str() {
        "where" => where_is(c),
        "is" => is_it(c),
        "does" => {
            let one = noun(c)?;
            c.eat("fit").then_some(())?;
            let other = c.place_after(&["in", "inside", "into"])?.words;
            Some(Question::Bigger(other, one))
        }
        "what" => what(c),
        "how" => how(c),
        "who" | "whom" => who(c),
        "to" => {
            (c.eat("whom") && c.eat("did")).then_some(())?;
            let from = Some(c.name()?);
            c.eat("give").then_some(())?;
            let thing = Some(noun(c)?);
            Some(Question::Gift(
                Asked::Receiver,
                Gift {
                    from,
                    thing,
                    to: None,
                },
            ))
        }
        "why" => why(c),
        _ => None,
    }
}

fn noun(c: &mut Cursor<'_>) -> Option<String> {
    c.the_noun().map(|noun| noun.words)
}

fn named(c: &mut Cursor<'_>) -> Option<Named> {
    match noun(c) {
        Some(words) => Some(Named::Noun(words)),
        None => person(c).map(Named::Person),
    }
}

/// In a question a name may lack its capital.
fn person(c: &mut Cursor<'_>) -> Option<String> {
    c.name().or_else(|| c.open_word())
}

fn where_is(c: &mut Cursor<'_>) -> Option<Question> {
    if c.eat("is") {
        let who = named(c)?;
        c.eat("now");
        return Some(Question::Where(who));
    }
    if c.eat("was") {
        let who = named(c)?;
        c.eat("before").then_some(())?;
        return noun(c).map(|place| Question::WhereBefore(who, place));
    }
    c.eat("will").then_some(())?;
    let who = person(c)?;
    c.eat("go").then_some(Question::WhereNext(who))
}

fn is_it(c: &mut Cursor<'_>) -> Option<Question> {
    let who = named(c)?;
    if let Some(place) = c.place_after(&["in", "at", "inside"]) {
        return Some(Question::IsAt(who, place.words));
    }
    let Named::Noun(one) = who else { return None };
    for (row, (words, _)) in lexicon::POSITIONS.iter().enumerate() {
        if c.eat_phrase(words) {
            return noun(c).map(|other| Question::Stands(one, row, other));
        }
    }
    if c.eat("bigger") || c.eat("larger") {
        c.eat("than").then_some(())?;
        return noun(c).map(|other| Question::Bigger(one, other));
    }
    c.eat("smaller").then_some(())?;
    c.eat("than").then_some(())?;
    noun(c).map(|other| Question::Bigger(other, one))
}

fn what(c: &mut Cursor<'_>) -> Option<Question> {
    if c.eat("did") {
        let from = Some(c.name()?);
        c.eat("give").then_some(())?;
        c.eat("to").then_some(())?;
        let to = Some(c.name()?);
        return Some(Question::Gift(
            Asked::Thing,
            Gift {
                from,
                thing: None,
                to,
            },
        ));
    }
    if c.eat("color") || c.eat("colour") {
        c.eat("is").then_some(())?;
        return person(c).map(Question::Color);
    }
    c.eat("is").then_some(())?;
    for (row, (name, ..)) in lexicon::DIRECTIONS.iter().enumerate() {
        if c.eat(name) {
            return c
                .place_after(&["of"])
                .map(|of| Question::Beyond(row, of.words));
        }
    }
    if let Some(place) = noun(c) {
        // "What is the hall north of?" asks for what lies south of it.
        let rows = lexicon::DIRECTIONS;
        let row = rows.iter().position(|(name, ..)| c.eat(name))?;
        let (x, y) = rows[row].2;
        let back = rows.iter().position(|(.., step)| *step == (-x, -y))?;
        return c.eat("of").then_some(Question::Beyond(back, place));
    }
    let who = person(c)?;
    if c.eat("carrying") || c.eat("holding") {
        return Some(Question::Carrying(who));
    }
    (c.eat("afraid") && c.eat("of")).then_some(Question::Fear(who))
}

fn how(c: &mut Cursor<'_>) -> Option<Question> {
    if c.eat("many") {
        (c.eat("objects") || c.eat("things") || c.eat("items")).then_some(())?;
        c.eat("is").then_some(())?;
        let who = person(c)?;
        return (c.eat("carrying") || c.eat("holding")).then_some(Question::HowMany(who));
    }
    c.eat_phrase(&["do", "you"]).then_some(())?;
    (c.eat("go") || c.eat("get")).then_some(())?;
    let from = c.place_after(&["from"])?.words;
    let to = c.place_after(&["to"])?.words;
    Some(Question::Way(from, to))
}

fn who(c: &mut Cursor<'_>) -> Option<Question> {
    let gift = |asked, from, thing, to| Some(Question::Gift(asked, Gift { from, thing, to }));
    if c.eat("gave") {
        let thing = Some(noun(c)?);
        let to = if c.eat("to") { Some(c.name()?) } else { None };
        return gift(Asked::Giver, None, thing, to);
    }
    if c.eat("received") {
        return gift(Asked::Receiver, None, Some(noun(c)?), None);
    }
    if c.eat("did") {
        let from = Some(c.name()?);
        c.eat("give").then_some(())?;
        let thing = Some(noun(c)?);
        c.eat("to").then_some(())?;
        return gift(Asked::Receiver, from, thing, None);
    }
    let holds =
        c.eat("has") || c.eat("holds") || (c.eat("is") && (c.eat("carrying") || c.eat("holding")));
    (holds.then(|| noun(c))?).map(Question::Holder)
}

fn why(c: &mut Cursor<'_>) -> Option<Question> {
    c.eat("did").then_some(())?;
    let who = person(c)?;
    let verb = c.word()?.to_owned();
    c.step();
    let class = |wanted| lexicon::base(&verb).iter().any(|verb| verb.class == wanted);
    c.eat("back");
    if class(lexicon::Class::Go)
        && let Some(place) = c.place_after(&["to", "into"])
    {
        return Some(Question::WhyGo(who, place.words));
    }
    if class(lexicon::Class::Take) {
        c.eat("up");
        return noun(c).map(|thing| Question::WhyTake(who, thing));
    }
    None
}
