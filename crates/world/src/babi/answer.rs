//! From what is asked to what the story tells of it, with the sentences that tell it;
//! or to why it does not tell.

use std::fmt;

use super::lexicon;
use super::question::{Asked, Gift, Named, Question, read};
use super::relations::{Ambiguous, Found, direction, position};
use super::statement::{Gap, Id};
use super::story::{Matter, Story};
use super::text;
use super::world::{Event, Hold, Person, Place, Spot, Stay, Tick, Witness, joined};

/// What a story answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The story tells it.
    Known {
        /// As it is asked: a place, a name, a list, `yes`, `no`, `maybe`.
        text: String,
        /// The numbers of the sentences that it rests on, ascending.
        witness: Witness,
    },
    /// The story does not tell it.
    Unknown(Refusal),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A sentence was not understood, and may matter.
    Gap(Gap),
    /// Nothing in the story tells it.
    NotStated,
    /// The story allows more than one answer.
    Ambiguous,
    /// A sentence speaks of something else than the question: it may stand where one
    /// was lost.
    OtherMatter(Id),
    /// The question is of no known kind.
    Question,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gap(gap) => write!(f, "{gap}; say the sentence in other words"),
            Self::NotStated => f.write_str("no sentence tells it; add one that does"),
            Self::Ambiguous => f.write_str(
                "the sentences allow more than one answer; add one that decides",
            ),
            Self::OtherMatter(id) => write!(
                f,
                "sentence {id} is about something else than the question; leave it out"
            ),
            Self::Question => f.write_str(
                "this kind of question is not understood; ask where, what, who, how many, why, or is",
            ),
        }
    }
}

type Reply = Result<(String, Witness), Refusal>;

impl Story {
    /// Answers a question about the story as far as it was told.
    #[must_use]
    pub fn ask(&self, question: &str) -> Answer {
        match self.reply(question) {
            Ok((text, witness)) => Answer::Known {
                text,
                witness: self.with_antecedents(&witness),
            },
            Err(refusal) => Answer::Unknown(refusal),
        }
    }

    fn reply(&self, question: &str) -> Reply {
        let tokens = text::tokens(question, 0);
        let question = read(&tokens, &|word| self.world.is_name(word)).ok_or(Refusal::Question)?;
        if let Some(gap) = &self.broken {
            return Err(Refusal::Gap(gap.clone()));
        }
        if let Some(gap) = self.world.people.iter().find_map(|someone| someone.doubt) {
            return Err(self.hidden(Some(gap)));
        }
        let asked = matter(&question);
        if let Some((_, id)) = self.matters.iter().find(|(it, _)| *it != asked) {
            return Err(Refusal::OtherMatter(*id));
        }
        match &question {
            Question::Where(Named::Person(name)) => self.where_person(self.person(name)?),
            Question::Where(Named::Noun(words)) => self.where_thing(self.named(words)?),
            Question::WhereBefore(who, place) => self.before(who, place),
            Question::WhereNext(name) => {
                let (state, _, witness) = self.state(self.person(name)?)?;
                let place = lexicon::motive_place(state).ok_or(Refusal::NotStated)?;
                Ok((place.to_owned(), witness.clone()))
            }
            Question::IsAt(who, place) => self.is_at(who, place),
            Question::Carrying(name) => {
                let person = self.person(name)?;
                let (things, witness) = self.carried(person)?;
                if things.len() > 1 {
                    self.order_is_known(person, &things)?;
                }
                let words: Vec<_> = things.iter().map(|&it| self.noun(it)).collect();
                let text = if words.is_empty() {
                    "nothing".to_owned()
                } else {
                    words.join(",")
                };
                Ok((text, witness))
            }
            Question::HowMany(name) => {
                let (things, witness) = self.carried(self.person(name)?)?;
                let is_one =
                    |it: &&Place| lexicon::singular(&self.world.nouns[**it].words).is_none();
                if !things.iter().all(|it| is_one(&it)) {
                    return Err(Refusal::Ambiguous);
                }
                Ok((lexicon::number(things.len()), witness))
            }
            Question::Holder(words) => self.holder(self.named(words)?),
            Question::Gift(asked, gift) => self.gift(*asked, gift),
            Question::Beyond(row, place) => found(self.map.beyond(place, direction(*row))),
            Question::Fear(name) => found(self.kinds.fear(&name.to_lowercase())),
            Question::Color(name) => found(self.kinds.color(&name.to_lowercase())),
            Question::Stands(one, row, other) => {
                let (is, witness) = found(self.layout.is_towards(one, position(*row), other))?;
                Ok((yes_or_no(is), witness))
            }
            Question::Bigger(one, other) => {
                let (is, witness) = found(self.sizes.is_bigger(one, other))?;
                Ok((yes_or_no(is), witness))
            }
            Question::Way(from, to) => found(self.map.way(from, to)),
            Question::WhyGo(name, place) => {
                let person = self.person(name)?;
                let (state, since, witness) = self.state(person)?;
                let place = self.named(place)?;
                let stays = &self.world.people[person].stays;
                let went = |stay: &Stay| stay.since > *since && stay.spot == Spot::At(place);
                if lexicon::motive_place(state) != Some(self.noun(place).as_str())
                    || !stays.iter().any(went)
                {
                    return Err(Refusal::NotStated);
                }
                Ok((state.clone(), witness.clone()))
            }
            Question::WhyTake(name, thing) => {
                let person = self.person(name)?;
                let (state, since, witness) = self.state(person)?;
                let events = &self.world.nouns[self.named(thing)?].events;
                let took = |it: &Event| it.tick > *since && it.hold == Hold::By(person);
                if !events.iter().any(took) {
                    return Err(Refusal::NotStated);
                }
                Ok((state.clone(), witness.clone()))
            }
        }
    }

    fn person(&self, name: &str) -> Result<Person, Refusal> {
        self.world.find_person(name).ok_or(Refusal::NotStated)
    }

    fn named(&self, words: &str) -> Result<Place, Refusal> {
        self.world.find_noun(words).ok_or(Refusal::NotStated)
    }

    fn noun(&self, place: Place) -> String {
        self.world.nouns[place].words.clone()
    }

    /// The one thing that a person feels.
    fn state(&self, person: Person) -> Result<&(String, Tick, Witness), Refusal> {
        match &self.world.people[person].states[..] {
            [] => Err(Refusal::NotStated),
            [state] => Ok(state),
            _ => Err(Refusal::Ambiguous),
        }
    }

    /// What hides an answer: the gap of a sentence, or the silence of the story.
    fn hidden(&self, gap: Option<Id>) -> Refusal {
        match gap.and_then(|id| self.gap_of(id)) {
            Some(gap) => Refusal::Gap(gap.clone()),
            None => Refusal::NotStated,
        }
    }

    fn where_person(&self, person: Person) -> Reply {
        match self.world.spot(person) {
            None => Err(Refusal::NotStated),
            Some(Stay { spot, witness, .. }) => match spot {
                Spot::At(place) => Ok((self.noun(*place), witness.clone())),
                Spot::OneOf(_) => Err(Refusal::Ambiguous),
                Spot::NotAt(_) => Err(Refusal::NotStated),
                Spot::Unknown(gap) => Err(self.hidden(*gap)),
                Spot::Perhaps(_, gap) => Err(self.hidden(Some(*gap))),
            },
        }
    }

    fn where_thing(&self, thing: Place) -> Reply {
        match self.world.whereabouts(thing) {
            Ok((place, witness)) => Ok((self.noun(place), witness)),
            Err(gap) => Err(self.hidden(gap)),
        }
    }

    fn is_at(&self, who: &Named, place: &str) -> Reply {
        if lexicon::is_no_place(place) {
            return self.is_in(who, place);
        }
        let place = self.world.find_noun(place);
        let at = |known: &Place, witness: &Witness| {
            Ok((yes_or_no(Some(*known) == place), witness.clone()))
        };
        let person = match who {
            Named::Noun(words) => {
                let thing = self.named(words)?;
                return match self.world.whereabouts(thing) {
                    Ok((known, witness)) => at(&known, &witness),
                    Err(gap) => Err(self.hidden(gap)),
                };
            }
            Named::Person(name) => self.person(name)?,
        };
        let stay = self.world.spot(person).ok_or(Refusal::NotStated)?;
        let witness = stay.witness.clone();
        let is_among = |places: &[Place]| place.is_some_and(|place| places.contains(&place));
        match &stay.spot {
            Spot::At(known) => at(known, &witness),
            // What happened since may decide it.
            Spot::OneOf(places) if is_among(places) && !self.world.is_loose(person, stay.since) => {
                Err(Refusal::Ambiguous)
            }
            Spot::OneOf(places) if is_among(places) => Ok(("maybe".to_owned(), witness)),
            Spot::OneOf(_) => Ok(("no".to_owned(), witness)),
            Spot::NotAt(places) => {
                let denied = places.iter().find(|(it, _)| Some(*it) == place);
                let (_, witness) = denied.ok_or(Refusal::NotStated)?;
                Ok((yes_or_no(false), witness.clone()))
            }
            Spot::Unknown(gap) => Err(self.hidden(*gap)),
            Spot::Perhaps(_, gap) => Err(self.hidden(Some(*gap))),
        }
    }

    /// Whether a thing is in another, where it was put.
    fn is_in(&self, who: &Named, other: &str) -> Reply {
        let (Named::Noun(words), Some(other)) = (who, self.world.find_noun(other)) else {
            return Err(Refusal::NotStated);
        };
        match self.world.hold(self.named(words)?) {
            Some(event) if event.hold == Hold::In(other) => {
                Ok((yes_or_no(true), event.witness.clone()))
            }
            _ => Err(Refusal::NotStated),
        }
    }

    /// The place before the last stay at `place`. Nothing may follow that stay that
    /// can be another one there, and nothing unknown come between the two.
    fn before(&self, who: &Named, place: &str) -> Reply {
        let place = self.named(place)?;
        let (trail, base) = match who {
            Named::Person(name) => (self.world.person_trail(self.person(name)?), Vec::new()),
            Named::Noun(words) => {
                let thing = self.named(words)?;
                let last = self.world.hold(thing).map(|event| event.witness.clone());
                (self.world.thing_trail(thing), last.unwrap_or_default())
            }
        };
        let mut back = trail.iter().rev().peekable();
        while let Some(stay) = back.next() {
            match &stay.spot {
                Spot::At(at) if *at == place => {
                    return match back.next() {
                        Some(Stay {
                            spot: Spot::At(before),
                            witness,
                            ..
                        }) => {
                            let both = joined(&stay.witness, witness);
                            Ok((self.noun(*before), joined(&base, &both)))
                        }
                        Some(Stay {
                            spot: Spot::Unknown(gap),
                            ..
                        }) => Err(self.hidden(*gap)),
                        Some(Stay {
                            spot: Spot::Perhaps(_, gap),
                            ..
                        }) => Err(self.hidden(Some(*gap))),
                        _ => Err(Refusal::NotStated),
                    };
                }
                Spot::At(_) => {}
                Spot::Perhaps(places, _) if !places.contains(&place) => {}
                Spot::Perhaps(_, gap) => return Err(self.hidden(Some(*gap))),
                Spot::Unknown(gap) => return Err(self.hidden(*gap)),
                _ => return Err(Refusal::NotStated),
            }
        }
        Err(Refusal::NotStated)
    }

    /// What the person holds, in the order in which it first came into these hands.
    fn carried(&self, person: Person) -> Result<(Vec<Place>, Witness), Refusal> {
        let someone = &self.world.people[person];
        if let Some(gap) = someone.unsure_holdings {
            return Err(self.hidden(Some(gap)));
        }
        let mut things = Vec::new();
        let mut witness = someone.dealings.clone();
        for thing in 0..self.world.nouns.len() {
            let Some(event) = self.world.hold(thing) else {
                continue;
            };
            // What once may have been in these hands was found elsewhere.
            let mut events = self.world.nouns[thing].events.iter();
            if events.any(|it| matches!(&it.hold, Hold::Lost(maybe, _) if maybe.contains(&person)))
            {
                witness.extend(&event.witness);
            }
            match &event.hold {
                Hold::By(holder) if *holder == person => {
                    let events = &self.world.nouns[thing].events;
                    let first = events.iter().find(|it| it.hold == Hold::By(person));
                    things.push((first.map(|it| it.tick), thing));
                }
                Hold::Lost(maybe, gap) if maybe.contains(&person) => {
                    return Err(self.hidden(*gap));
                }
                Hold::Seen(_, maybe) if maybe.contains(&person) => return Err(Refusal::NotStated),
                // What is in a thing that one may hold is carried, and not in the hands.
                Hold::In(other) => match self.world.hold(*other).map(|it| &it.hold) {
                    Some(Hold::Lying(_) | Hold::Gone) => {}
                    Some(Hold::By(holder)) if *holder != person => {}
                    _ => return Err(Refusal::Ambiguous),
                },
                _ => {}
            }
        }
        things.sort_unstable();
        let things = things.into_iter().map(|(_, thing)| thing).collect();
        Ok((things, witness))
    }

    /// The order of a list is that in which the things came into these hands. A gap
    /// that may have put one there earlier hides it.
    fn order_is_known(&self, person: Person, things: &[Place]) -> Result<(), Refusal> {
        for &thing in things {
            let events = &self.world.nouns[thing].events;
            let earlier = events.iter().take_while(|it| it.hold != Hold::By(person));
            for event in earlier {
                if let Hold::Lost(maybe, gap) = &event.hold
                    && maybe.contains(&person)
                {
                    return Err(self.hidden(*gap));
                }
            }
        }
        Ok(())
    }

    fn holder(&self, thing: Place) -> Reply {
        let event = self.world.hold(thing).ok_or(Refusal::NotStated)?;
        match &event.hold {
            Hold::By(person) => Ok((
                self.world.people[*person].name.clone(),
                event.witness.clone(),
            )),
            Hold::Lost(_, gap) => Err(self.hidden(*gap)),
            _ => Err(Refusal::NotStated),
        }
    }

    /// The last gift that has the named parts. What may have been a later one hides it.
    fn gift(&self, asked: Asked, wanted: &Gift) -> Reply {
        let person = |name: &Option<String>| match name {
            Some(name) => self.person(name).map(Some),
            None => Ok(None),
        };
        let (from, to) = (person(&wanted.from)?, person(&wanted.to)?);
        let thing = match &wanted.thing {
            Some(words) => Some(self.named(words)?),
            None => None,
        };
        let last = self.world.gifts.iter().rev().find(|gift| {
            from.is_none_or(|it| it == gift.from)
                && to.is_none_or(|it| it == gift.to)
                && thing.is_none_or(|it| it == gift.thing)
        });
        let gift = last.ok_or(Refusal::NotStated)?;
        let with = |it: &&super::world::Gift| it.witness == gift.witness && it.thing != gift.thing;
        if thing.is_none() && self.world.gifts.iter().any(|it| with(&it)) {
            return Err(Refusal::Ambiguous);
        }
        if gift.perhaps {
            return Err(self.hidden(gift.witness.last().copied()));
        }
        let text = match asked {
            Asked::Giver => self.world.people[gift.from].name.clone(),
            Asked::Thing => self.noun(gift.thing),
            Asked::Receiver => self.world.people[gift.to].name.clone(),
        };
        Ok((text, gift.witness.clone()))
    }
}

fn yes_or_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

fn found<T>(found: Found<T>) -> Result<(T, Witness), Refusal> {
    match found {
        Ok(Some(found)) => Ok(found),
        Ok(None) => Err(Refusal::NotStated),
        Err(Ambiguous) => Err(Refusal::Ambiguous),
    }
}

fn matter(question: &Question) -> Matter {
    match question {
        Question::Beyond(..) | Question::Way(..) => Matter::Map,
        Question::Fear(_) | Question::Color(_) => Matter::Kinds,
        Question::Stands(..) => Matter::Layout,
        Question::Bigger(..) => Matter::Sizes,
        _ => Matter::Events,
    }
}
