//! A story: sentence by sentence it takes in what the grammar gives, settles whom a
//! pronoun means, and changes the world. What can't be settled is a gap.

use std::collections::HashMap;
use std::ops::Range;

use super::grammar;
use super::lexicon::{self, Gender};
use super::relations::{Kinds, Layout, Sizes};
use super::statement::{
    Deed, Extent, Gap, Id, Mood, Pronoun, Recipient, Shape, Statement, Subject, Things, Time,
};
use super::text::{self, Token};
use super::world::{Conflict, Person, Place, Witness, World, joined};

/// A sentence with what was understood of it.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// The number under which it was added.
    pub id: Id,
    /// The words.
    pub text: String,
    /// Where it stands in what was added, in bytes.
    pub span: Range<usize>,
    /// What it says.
    pub statements: Vec<Statement>,
    /// What was not understood.
    pub gap: Option<Gap>,
}

/// Of what the sentences of a story speak. A sentence that speaks of something else
/// than the rest may stand for one that was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matter {
    /// People, places and things that are moved.
    Events,
    /// Kinds, fears and colours.
    Kinds,
    /// A map.
    Map,
    /// Things before the eye.
    Layout,
    /// Sizes.
    Sizes,
}

/// A story as far as it was told.
#[derive(Clone, Debug, Default)]
pub struct Story {
    sentences: Vec<Sentence>,
    pub(super) broken: Option<Gap>,
    pub(super) matters: Vec<(Matter, Id)>,
    pub(super) world: World,
    pub(super) kinds: Kinds,
    pub(super) sizes: Sizes,
    pub(super) map: Layout,
    pub(super) layout: Layout,
    /// For a sentence with a pronoun the one that tells whom it means.
    antecedents: HashMap<Id, Id>,
    /// A sentence told of an earlier time: what follows may go on there.
    went_back: bool,
    /// Of the sentence before.
    pub(super) focus: Focus,
}

/// Whom and what the last sentence named.
#[derive(Clone, Debug, Default)]
pub(super) struct Focus {
    pub(super) people: Vec<Person>,
    pub(super) subjects: Vec<Person>,
    pub(super) things: Vec<Place>,
    /// Its clauses have different subjects.
    several: bool,
    /// The sentence.
    id: Id,
}

const NOBODY: Conflict = Conflict("nobody in the sentence before can be meant");
const SEVERAL: Conflict = Conflict("more than one can be meant");
pub(super) const UNSAID: Conflict =
    Conflict("this is not understood where it is denied or only intended");

impl Story {
    /// A story without a sentence.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The sentences of a text, numbered from 1.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut story = Self::new();
        for (at, range) in text::sentences(text).into_iter().enumerate() {
            story.add(at + 1, &text[range.clone()], range.start);
        }
        story
    }

    /// Adds the sentences of a line, all under one number, which must not be smaller
    /// than the one before.
    pub fn push(&mut self, id: Id, line: &str) {
        for range in text::sentences(line) {
            self.add(id, &line[range.clone()], range.start);
        }
    }

    /// The sentences, in their order.
    #[must_use]
    pub fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    fn add(&mut self, id: Id, sentence: &str, base: usize) {
        let tokens = text::tokens(sentence, base);
        let span = base..base + sentence.len();
        let read = grammar::read(&tokens, &|word| self.world.is_name(word));
        let (statements, gap) = match read {
            Err(failure) => {
                let gap = gap_from(id, sentence, base, &tokens, failure);
                (Vec::new(), Some(gap))
            }
            Ok(statements) => {
                let taken = if self.broken.is_none() {
                    self.take_in(id, &statements)
                } else {
                    Ok(())
                };
                let gap = match taken {
                    Err(Conflict(reason)) => Some(Gap {
                        id,
                        words: sentence.to_owned(),
                        span: span.clone(),
                        extent: Extent::Story,
                        reason,
                    }),
                    Ok(()) => frame_gap(id, &tokens, &statements),
                };
                (statements, gap)
            }
        };
        if let Some(gap) = &gap
            && gap.extent == Extent::Story
            && self.broken.is_none()
        {
            self.broken = Some(gap.clone());
        }
        self.sentences.push(Sentence {
            id,
            text: sentence.to_owned(),
            span,
            statements,
            gap,
        });
    }

    /// The frame gap of a sentence.
    pub(super) fn gap_of(&self, id: Id) -> Option<&Gap> {
        let same = self.sentences.iter().filter(|sentence| sentence.id == id);
        let mut same = same.filter_map(|sentence| sentence.gap.as_ref());
        same.next()
    }

    fn take_in(&mut self, id: Id, statements: &[Statement]) -> Result<(), Conflict> {
        let mut here = Focus {
            id,
            ..Focus::default()
        };
        for statement in statements {
            let matter = matter(&statement.deed);
            if !self.matters.iter().any(|(it, _)| *it == matter) {
                self.matters.push((matter, id));
            }
        }
        if self.went_back {
            return Err(Conflict("it may go on with the earlier time"));
        }
        self.went_back = statements.iter().any(|it| it.time == Time::Earlier);
        if statements.iter().any(|statement| statement.late) {
            // Pronouns follow the words, and the world follows the time.
            if statements
                .iter()
                .any(|statement| names_more(&statement.deed))
            {
                return Err(UNSAID);
            }
            let mut due = Vec::new();
            for statement in statements {
                due.push((self.subject(id, statement, &mut here)?, statement));
            }
            due.sort_by_key(|(_, statement)| statement.late);
            for (people, statement) in due {
                self.world.tick();
                self.people(&people, &[id], statement, &mut here)?;
            }
        } else {
            for statement in statements {
                self.world.tick();
                self.take_in_one(id, statement, &mut here)?;
            }
        }
        // A name that is only spoken of may be meant by the next pronoun.
        let speaks = |it: &Statement| {
            it.deed == Deed::Report || (it.mood != Mood::Real && names_more(&it.deed))
        };
        if statements.iter().any(speaks) {
            here = Focus::default();
        }
        self.focus = here;
        Ok(())
    }

    fn take_in_one(&mut self, id: Id, it: &Statement, here: &mut Focus) -> Result<(), Conflict> {
        match &it.subject {
            Subject::Thing(noun) => self.thing(id, noun, &it.deed, here),
            Subject::Kind(kind) => {
                let Deed::Fears(whom) = &it.deed else {
                    return Err(UNSAID);
                };
                let one = |kind: &str| lexicon::singular(kind).unwrap_or_else(|| kind.to_owned());
                self.kinds.fears(&one(kind), &one(whom), id);
                Ok(())
            }
            Subject::Nobody => {
                let all: Vec<Person> = (0..self.world.people.len()).collect();
                if let Deed::Go(place, _) | Deed::Stay(place) = &it.deed {
                    let place = self.world.noun(&place.words)?;
                    self.world.empty.push(place);
                }
                self.denied(&all, &it.deed, true)
            }
            Subject::People(_) | Subject::Pronoun(_) => {
                let people = self.subject(id, it, here)?;
                self.people(&people, &[id], it, here)
            }
        }
    }

    /// The people of whom a statement speaks.
    fn subject(
        &mut self,
        id: Id,
        it: &Statement,
        here: &mut Focus,
    ) -> Result<Vec<Person>, Conflict> {
        let mut people = Vec::new();
        match &it.subject {
            Subject::People(names) => {
                for name in names {
                    let person = self.mention(name, id, matches!(it.deed, Deed::Unknown(_)))?;
                    if people.contains(&person) {
                        return Err(Conflict("one person is named twice"));
                    }
                    people.push(person);
                }
            }
            Subject::Pronoun(pronoun) => {
                let focus = if here.people.is_empty() {
                    &self.focus
                } else {
                    &*here
                };
                people = self.meant(*pronoun, focus)?;
                if focus.id < id {
                    self.antecedents.insert(id, focus.id);
                }
            }
            _ => return Err(UNSAID),
        }
        here.several |= !here.subjects.is_empty() && here.subjects != people;
        for &person in &people {
            if !here.people.contains(&person) {
                here.people.push(person);
            }
            if !here.subjects.contains(&person) {
                here.subjects.push(person);
            }
        }
        Ok(people)
    }

    /// The person of a name. A word with a capital that only a gap calls a person may
    /// be anything: "Thunder shook the hall".
    fn mention(&mut self, name: &str, id: Id, in_gap: bool) -> Result<Person, Conflict> {
        let known = self.world.people.len();
        let person = self.world.person(name)?;
        let someone = &mut self.world.people[person];
        if !in_gap {
            someone.doubt = None;
        } else if person == known && lexicon::gender(&name.to_lowercase()).is_none() {
            someone.doubt = Some(id);
        }
        Ok(person)
    }

    /// Whom a pronoun means: of the people of the sentence before, or of what came
    /// before in this one, the only one whom it fits. A name that tells no gender
    /// fits both.
    fn meant(&self, pronoun: Pronoun, focus: &Focus) -> Result<Vec<Person>, Conflict> {
        if pronoun == Pronoun::They {
            let is_plain = focus.subjects.len() > 1 && focus.subjects == focus.people;
            let is_plain = is_plain && !focus.several;
            return is_plain.then(|| focus.subjects.clone()).ok_or(NOBODY);
        }
        let fits = |person: &&Person| {
            let gender = lexicon::gender(&self.world.key(**person));
            match pronoun {
                Pronoun::He => gender != Some(Gender::Female),
                _ => gender != Some(Gender::Male),
            }
        };
        let mut fitting = focus.people.iter().filter(fits);
        match (fitting.next(), fitting.next()) {
            (None, _) => Err(NOBODY),
            (Some(_), Some(_)) => Err(SEVERAL),
            (Some(&only), None) => Ok(vec![only]),
        }
    }

    /// These sentences, and those that tell whom their pronouns mean.
    pub(super) fn with_antecedents(&self, witness: &[Id]) -> Witness {
        let mut all = witness.to_vec();
        for &id in witness {
            let mut at = id;
            while let Some(&before) = self.antecedents.get(&at) {
                all.push(before);
                at = before;
            }
        }
        joined(&all, &[])
    }

    pub(super) fn recipient(
        &mut self,
        to: &Recipient,
        here: &mut Focus,
        gap: Option<Id>,
    ) -> Result<Person, Conflict> {
        let person = match to {
            Recipient::Named(name) => self.mention(name, gap.unwrap_or_default(), gap.is_some())?,
            Recipient::Pronoun(pronoun) => {
                // Of the sentence before, and not who acts here.
                let mut others = self.focus.clone();
                others.people.retain(|it| !here.subjects.contains(it));
                let people = self.meant(*pronoun, &others)?;
                let [only] = people[..] else {
                    return Err(SEVERAL);
                };
                if here.subjects.contains(&only) {
                    return Err(NOBODY);
                }
                if self.focus.id < here.id {
                    self.antecedents.insert(here.id, self.focus.id);
                }
                only
            }
        };
        if !here.people.contains(&person) {
            here.people.push(person);
        }
        Ok(person)
    }
}

/// Whether a deed names, by a pronoun or as a receiver, more than its subject.
fn names_more(deed: &Deed) -> bool {
    match deed {
        Deed::Give(..) | Deed::TakeFrom(..) => true,
        Deed::Take(things, _)
        | Deed::Own(things)
        | Deed::Has(things)
        | Deed::Drop(things)
        | Deed::Put(things, _)
        | Deed::Bring(things, _)
        | Deed::Shift(things, _)
        | Deed::Consume(things) => *things == Things::It,
        Deed::Unknown(frame) => match &frame.shape {
            Shape::Gift(..) => true,
            Shape::Thing(things, _) | Shape::Shift(things, _) => *things == Things::It,
            Shape::To(_) | Shape::In(_) => false,
        },
        _ => false,
    }
}

fn matter(deed: &Deed) -> Matter {
    match deed {
        Deed::IsA(_) | Deed::Color(_) | Deed::Fears(_) => Matter::Kinds,
        Deed::Lies(..) => Matter::Map,
        Deed::Stands(..) => Matter::Layout,
        Deed::Bigger(_) | Deed::Fits(_) => Matter::Sizes,
        _ => Matter::Events,
    }
}

fn gap_from(
    id: Id,
    sentence: &str,
    base: usize,
    tokens: &[Token],
    failure: grammar::Failure,
) -> Gap {
    let start = tokens
        .get(failure.token)
        .map_or(base, |token| token.span.start);
    let end = base + sentence.len();
    Gap {
        id,
        words: sentence[start - base..].to_owned(),
        span: start..end,
        extent: Extent::Story,
        reason: failure.reason,
    }
}

fn frame_gap(id: Id, tokens: &[Token], statements: &[Statement]) -> Option<Gap> {
    let verb = statements
        .iter()
        .find_map(|statement| match &statement.deed {
            Deed::Unknown(frame) => Some(&frame.verb),
            _ => None,
        })?;
    let token = tokens.iter().find(|token| token.lower == *verb)?;
    Some(Gap {
        id,
        words: token.text.clone(),
        span: token.span.clone(),
        extent: Extent::Frame,
        reason: "this verb is not understood",
    })
}
