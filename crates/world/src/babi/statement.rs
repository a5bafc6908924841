//! What a sentence says: clauses as the grammar gives them, before anybody knows
//! whom a pronoun means, and gaps, where it was not understood.

use std::fmt;

/// The number of a sentence, as the caller gave it.
pub type Id = usize;

/// One clause: who, what, whether it happened, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Of whom or what it speaks.
    pub subject: Subject,
    /// What it says of the subject.
    pub deed: Deed,
    /// Whether that happened.
    pub mood: Mood,
    /// When.
    pub time: Time,
    /// It is told before the rest of its sentence and was after it: "before she went".
    pub late: bool,
}

/// Of whom or what a clause speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// People, by name as written.
    People(Vec<String>),
    /// A pronoun.
    Pronoun(Pronoun),
    /// Nobody.
    Nobody,
    /// A thing or a place.
    Thing(Noun),
    /// All of a kind, in the plural.
    Kind(String),
}

/// A pronoun that stands for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pronoun {
    /// He or him.
    He,
    /// She or her.
    She,
    /// They.
    They,
}

/// A noun phrase in lower case, without its article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noun {
    /// The words.
    pub words: String,
    /// It had the article `a`, which brings in something new.
    pub fresh: bool,
}

/// The person who receives something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipient {
    /// By name as written.
    Named(String),
    /// By him or her.
    Pronoun(Pronoun),
}

/// The things of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Things {
    /// By name.
    Named(Vec<Noun>),
    /// The one thing of the sentence before.
    It,
}

/// Whether what a clause says happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// It did.
    Real,
    /// It did not, now.
    Denied,
    /// It did not, ever.
    Never,
    /// Somebody wanted it to, or it is to come.
    Intended,
}

/// When it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// After what was told before.
    Next,
    /// At some time before what was told before.
    Earlier,
    /// In a part of a day: a row of [`lexicon::DATES`](super::lexicon::DATES).
    Dated(usize),
}

/// What a clause says of its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Arrived at a place, from another where that is said.
    Go(Noun, Option<Noun>),
    /// Is on the way: is where nobody knows.
    Wander,
    /// Is no longer at the place.
    Exit(Noun),
    /// Departed from a place, or laid down a thing: the story tells which.
    Leave(Noun),
    /// Is at a place.
    Stay(Noun),
    /// Was at a place before now.
    Was(Noun),
    /// Is not at a place.
    Absent(Noun),
    /// Is not at a place any more, having been there.
    NoLonger(Noun),
    /// Is at one of some places.
    Either(Vec<Noun>),
    /// Took things, at a place where that is said.
    Take(Things, Option<Noun>),
    /// Holds things.
    Own(Things),
    /// Has things, which may be elsewhere unless they are known to be carried.
    Has(Things),
    /// Laid things down where the subject is.
    Drop(Things),
    /// Gave things to somebody.
    Give(Things, Recipient),
    /// Took things out of somebody's hands.
    TakeFrom(Things, Recipient),
    /// Said or thought something that need not be so.
    Report,
    /// Laid things into or onto something.
    Put(Things, Noun),
    /// Arrived with things at a place.
    Bring(Things, Noun),
    /// Arrived with things at a place, and left them there.
    Shift(Things, Noun),
    /// Made an end of things.
    Consume(Things),
    /// Is one of a kind.
    IsA(String),
    /// Has a colour.
    Color(String),
    /// Feels so.
    State(String),
    /// Is afraid of a kind, in the plural.
    Fears(String),
    /// Is north, south, east or west of a place: a row of
    /// [`lexicon::DIRECTIONS`](super::lexicon::DIRECTIONS).
    Lies(usize, Noun),
    /// Stands above, below, left or right of a thing: a row of
    /// [`lexicon::POSITIONS`](super::lexicon::POSITIONS).
    Stands(usize, Noun),
    /// Is bigger than a thing.
    Bigger(Noun),
    /// Fits inside a thing.
    Fits(Noun),
    /// A verb that is not understood, in a pattern that is.
    Unknown(Frame),
}

/// Around a verb that is not understood, what the pattern names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The verb.
    pub verb: String,
    /// The pattern.
    pub shape: Shape,
}

/// A pattern around a verb that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `NP V to the L`.
    To(Noun),
    /// `NP V in the L`, or `either in the L or the M`.
    In(Vec<Noun>),
    /// `NP V the O`, and perhaps `there`, which a place has not.
    Thing(Things, bool),
    /// `NP V the O to NAME` or `NP V NAME the O`.
    Gift(Things, Recipient),
    /// `NP V the O to the L` or `in the L`.
    Shift(Things, Noun),
}

/// How far a gap reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Only what the sentence names, what its pronouns mean, and what these carry.
    Frame,
    /// The whole story.
    Story,
}

/// A sentence that was not understood, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The sentence.
    pub id: Id,
    /// The words.
    pub words: String,
    /// Where they stand in the sentence's line, in bytes.
    pub span: std::ops::Range<usize>,
    /// What can't be answered for it.
    pub extent: Extent,
    /// Why.
    pub reason: &'static str,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sentence {}: `{}`: {}", self.id, self.words, self.reason)
    }
}

impl fmt::Display for Noun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.time {
            Time::Next => {}
            Time::Earlier => f.write_str("earlier, ")?,
            Time::Dated(date) => write!(f, "{}, ", super::lexicon::DATES[date].join(" "))?,
        }
        if self.late {
            f.write_str("afterwards, ")?;
        }
        match &self.subject {
            Subject::People(names) => f.write_str(&names.join(" and "))?,
            Subject::Pronoun(Pronoun::He) => f.write_str("he")?,
            Subject::Pronoun(Pronoun::She) => f.write_str("she")?,
            Subject::Pronoun(Pronoun::They) => f.write_str("they")?,
            Subject::Nobody => f.write_str("nobody")?,
            Subject::Thing(noun) => write!(f, "the {noun}")?,
            Subject::Kind(kind) => write!(f, "every one of the {kind}")?,
        }
        match self.mood {
            Mood::Real => f.write_str(": ")?,
            Mood::Denied => f.write_str(": not: ")?,
            Mood::Never => f.write_str(": never: ")?,
            Mood::Intended => f.write_str(": intended: ")?,
        }
        self.deed.fmt(f)
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |place: &Option<Noun>| place.as_ref().map(|it| format!(" at {it}"));
        match self {
            Self::Go(to, None) => write!(f, "is at {to}"),
            Self::Go(to, Some(from)) => write!(f, "was at {from} and is at {to}"),
            Self::Wander => f.write_str("is on the way"),
            Self::Exit(place) => write!(f, "departs from {place}"),
            Self::Leave(noun) => write!(f, "departs from the place {noun}, or lays it down"),
            Self::Stay(place) => write!(f, "is at {place}"),
            Self::Was(place) => write!(f, "was at {place}"),
            Self::Absent(place) => write!(f, "is not at {place}"),
            Self::NoLonger(place) => write!(f, "is no longer at {place}"),
            Self::Either(places) => write!(f, "is at one of: {}", list(places)),
            Self::Take(things, place) => {
                write!(f, "takes {things}{}", at(place).unwrap_or_default())
            }
            Self::Own(things) => write!(f, "holds {things}"),
            Self::Has(things) => write!(f, "has {things}"),
            Self::Drop(things) => write!(f, "lays down {things}"),
            Self::Give(things, to) => write!(f, "gives {things} to {to}"),
            Self::TakeFrom(things, from) => write!(f, "takes {things} from {from}"),
            Self::Report => f.write_str("says or thinks something"),
            Self::Put(things, into) => write!(f, "puts {things} into {into}"),
            Self::Bring(things, to) => write!(f, "is with {things} at {to}"),
            Self::Shift(things, to) => write!(f, "is at {to} and leaves {things} there"),
            Self::Consume(things) => write!(f, "makes an end of {things}"),
            Self::IsA(kind) => write!(f, "is one of the kind {kind}"),
            Self::Color(color) => write!(f, "is {color}"),
            Self::State(state) => write!(f, "feels {state}"),
            Self::Fears(kind) => write!(f, "is afraid of {kind}"),
            Self::Lies(row, of) => {
                write!(f, "lies {} of {of}", super::lexicon::DIRECTIONS[*row].0)
            }
            Self::Stands(row, of) => {
                write!(
                    f,
                    "stands {} {of}",
                    super::lexicon::POSITIONS[*row].0.join(" ")
                )
            }
            Self::Bigger(than) => write!(f, "is bigger than {than}"),
            Self::Fits(into) => write!(f, "fits into {into}"),
            Self::Unknown(frame) => {
                write!(f, "`{}`, not understood, ", frame.verb)?;
                match &frame.shape {
                    Shape::To(place) => write!(f, "to {place}"),
                    Shape::In(places) => write!(f, "in {}", list(places)),
                    Shape::Thing(things, false) => write!(f, "{things}"),
                    Shape::Thing(things, true) => write!(f, "{things} there"),
                    Shape::Gift(things, to) => write!(f, "{things} to {to}"),
                    Shape::Shift(things, place) => write!(f, "{things} to {place}"),
                }
            }
        }
    }
}

fn list(nouns: &[Noun]) -> String {
    let words: Vec<_> = nouns.iter().map(|it| it.words.as_str()).collect();
    words.join(", ")
}

impl fmt::Display for Things {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(nouns) => f.write_str(&list(nouns)),
            Self::It => f.write_str("it"),
        }
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Pronoun(Pronoun::He) => f.write_str("him"),
            Self::Pronoun(Pronoun::She) => f.write_str("her"),
            Self::Pronoun(Pronoun::They) => f.write_str("them"),
        }
    }
}
