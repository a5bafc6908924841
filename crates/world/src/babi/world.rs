//! The state that statements about people, places and things build up: who was where
//! and when, who holds what, where it lies. It keeps what it does not know apart from
//! what is so: a place or a holder is known with the sentences that say so, or is
//! unknown with the gap that made it so. It knows no English.

use std::collections::{HashMap, HashSet};

use super::statement::Id;

/// A person, by the order of first mention.
pub type Person = usize;
/// A noun: a thing or a place, by the order of first mention.
pub type Place = usize;
/// A moment: statements are counted.
pub type Tick = usize;

/// The sentences that a fact rests on, ascending.
pub type Witness = Vec<Id>;

/// Where somebody is, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// There.
    At(Place),
    /// At one of these.
    OneOf(Vec<Place>),
    /// At none of these, each with its sentences.
    NotAt(Vec<(Place, Witness)>),
    /// The gap of this sentence may have moved the person; without one the story
    /// does not tell.
    Unknown(Option<Id>),
    /// The gap of this sentence may have moved the person to one of these, and to no
    /// other place of the story.
    Perhaps(Vec<Place>, Id),
}

/// A spot, since when, and the sentences that say so.
#[derive(Clone, Debug)]
pub struct Stay {
    /// Since this statement.
    pub since: Tick,
    /// Where.
    pub spot: Spot,
    /// The sentences.
    pub witness: Witness,
}

/// Where a thing is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// A person holds it.
    By(Person),
    /// It lies at a place, with the sentences that tell the place; none where the
    /// person who laid it down was at an unknown place.
    Lying(Option<(Place, Witness)>),
    /// It is in or on another thing.
    In(Place),
    /// It is at the place at that moment, and perhaps in the hands of one of these.
    Seen(Place, Vec<Person>),
    /// It is no more.
    Gone,
    /// Nobody knows; perhaps one of these holds it.
    Lost(Vec<Person>, Option<Id>),
}

/// What happened to a thing.
#[derive(Clone, Debug)]
pub struct Event {
    /// At this statement.
    pub tick: Tick,
    /// How it was left.
    pub hold: Hold,
    /// The sentences.
    pub witness: Witness,
}

/// Somebody of the story.
#[derive(Clone, Debug, Default)]
pub struct Someone {
    /// As first written.
    pub name: String,
    /// Only this gap names the person: perhaps it is none.
    pub doubt: Option<Id>,
    /// Undated stays in the order of the story.
    pub stays: Vec<Stay>,
    /// Stays with a row of the table of dates.
    pub dated: Vec<(usize, Stay)>,
    /// Something was told of an earlier time, at no known place in the order.
    pub unsure_past: bool,
    /// A gap may have changed what this person holds.
    pub unsure_holdings: Option<Id>,
    /// Sentences in which things came into or left these hands.
    pub dealings: Witness,
    /// When the person last handled a thing or met another one. Where the person may
    /// be hangs together with more since then.
    pub tied: Tick,
    /// What the person feels, since when, and the sentences.
    pub states: Vec<(String, Tick, Witness)>,
    /// Where the person never was and never is.
    pub never: Vec<Place>,
}

/// A thing or a place of the story.
#[derive(Clone, Debug, Default)]
pub struct Something {
    /// In lower case, without an article.
    pub words: String,
    /// People went there.
    pub is_place: bool,
    /// People handled it.
    pub is_thing: bool,
    /// What happened to it.
    pub events: Vec<Event>,
    /// What was put into it.
    pub contents: Vec<Place>,
}

/// Somebody gave something to somebody.
#[derive(Clone, Debug)]
pub struct Gift {
    /// The giver.
    pub from: Person,
    /// The receiver.
    pub to: Person,
    /// The thing.
    pub thing: Place,
    /// The sentences.
    pub witness: Witness,
    /// The sentence's verb was not understood, so perhaps it was no gift.
    pub perhaps: bool,
}

/// Why a statement can't be taken into the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict(pub &'static str);

/// A story has at most so many people, and as many nouns.
const MOST: usize = 4096;

/// "Ball" is long enough to be the other word for "football".
const SHORTEST_COMPOUND: usize = 4;

const TOO_MANY: Conflict = Conflict("the story has too many names");

pub(super) const AGAINST: Conflict = Conflict("it contradicts what was told before");

/// People, places and things, and what is known of them.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// By their number.
    pub people: Vec<Someone>,
    /// By their number.
    pub nouns: Vec<Something>,
    /// In the order of the story.
    pub gifts: Vec<Gift>,
    /// Where nobody ever was.
    pub empty: Vec<Place>,
    pub(super) now: Tick,
    people_by_name: HashMap<String, Person>,
    name_words: HashMap<String, Vec<Person>>,
    nouns_by_words: HashMap<String, Place>,
    /// What nouns of several words begin and end with: "box" for "red box" and for "box
    /// of tea".
    noun_parts: HashSet<String>,
}

/// The union of two witnesses.
#[must_use]
pub fn joined(one: &[Id], other: &[Id]) -> Witness {
    let mut all = [one, other].concat();
    all.sort_unstable();
    all.dedup();
    all
}

impl World {
    /// The name of a person in lower case.
    #[must_use]
    pub fn key(&self, person: Person) -> String {
        self.people[person].name.to_lowercase()
    }

    /// The next moment.
    pub fn tick(&mut self) {
        self.now += 1;
    }

    /// Whether it was told that the person never was at the place.
    pub(super) fn never_at(&self, person: Person, place: Place) -> bool {
        self.people[person].never.contains(&place) || self.empty.contains(&place)
    }

    /// The person of this name. A new name must not be part of another, nor have one
    /// as a part: nobody knows whether they are two.
    pub fn person(&mut self, name: &str) -> Result<Person, Conflict> {
        let key = name.to_lowercase();
        if let Some(&person) = self.people_by_name.get(&key) {
            return Ok(person);
        }
        let words: Vec<&str> = key.split(' ').collect();
        let person = self.people.len();
        if person == MOST {
            return Err(TOO_MANY);
        }
        let sharing = words.iter().filter_map(|word| self.name_words.get(*word));
        for &other in sharing.flatten() {
            let other = self.key(other);
            let others: Vec<&str> = other.split(' ').collect();
            let is_part = words.iter().all(|it| others.contains(it))
                || others.iter().all(|it| words.contains(it));
            if is_part {
                return Err(Conflict("the name may mean another one of the story"));
            }
        }
        for word in words {
            let sharing = self.name_words.entry(word.to_owned()).or_default();
            sharing.push(person);
        }
        self.people.push(Someone {
            name: name.to_owned(),
            ..Someone::default()
        });
        self.people_by_name.insert(key, person);
        Ok(person)
    }

    /// Whether a word is part of a name.
    #[must_use]
    pub fn is_name(&self, word: &str) -> bool {
        self.name_words.contains_key(word)
    }

    /// The person of this name, if the story has one.
    #[must_use]
    pub fn find_person(&self, name: &str) -> Option<Person> {
        self.people_by_name.get(&name.to_lowercase()).copied()
    }

    /// The noun of these words. A new one must not be the beginning or the end of
    /// another, nor have one there: "the box" may be "the red box", and "the ball" "the
    /// football".
    pub fn noun(&mut self, words: &str) -> Result<Place, Conflict> {
        if let Some(&noun) = self.nouns_by_words.get(words) {
            return Ok(noun);
        }
        let blanks = words.match_indices(' ');
        let parts = blanks.flat_map(|(at, _)| [&words[..at], &words[at + 1..]]);
        let part = |part: &str| self.nouns_by_words.contains_key(part);
        let compound = |other: &Something| {
            let (one, other) = (last_word(words), last_word(&other.words));
            let (short, long) = if one.len() < other.len() {
                (one, other)
            } else {
                (other, one)
            };
            short.len() >= SHORTEST_COMPOUND && short != long && long.ends_with(short)
        };
        let is_ambiguous = self.noun_parts.contains(words)
            || parts.clone().any(part)
            || self.nouns.iter().any(compound);
        if is_ambiguous {
            return Err(Conflict("the noun may mean another one of the story"));
        }
        self.noun_parts.extend(parts.map(str::to_owned));
        let noun = self.nouns.len();
        if noun == MOST {
            return Err(TOO_MANY);
        }
        self.nouns.push(Something {
            words: words.to_owned(),
            ..Something::default()
        });
        self.nouns_by_words.insert(words.to_owned(), noun);
        Ok(noun)
    }

    /// The noun of these words, if the story has it.
    #[must_use]
    pub fn find_noun(&self, words: &str) -> Option<Place> {
        self.nouns_by_words.get(words).copied()
    }

    /// The place where a person is now, as undated statements tell it.
    pub(super) fn is_at(&self, person: Person) -> Option<Place> {
        if !self.people[person].dated.is_empty() {
            return None;
        }
        match self.spot(person) {
            Some(Stay {
                spot: Spot::At(place),
                ..
            }) => Some(*place),
            _ => None,
        }
    }

    /// The person feels so now.
    pub fn feel(&mut self, person: Person, state: &str, witness: &[Id]) {
        let states = &mut self.people[person].states;
        states.retain(|(known, ..)| known != state);
        states.push((state.to_owned(), self.now, witness.to_vec()));
    }

    /// Where a person is at the end of the story; none where nothing was told, or
    /// where dated and undated stays can't be ordered.
    #[must_use]
    pub fn spot(&self, person: Person) -> Option<&Stay> {
        let someone = &self.people[person];
        if someone.dated.is_empty() {
            return someone.stays.last();
        }
        if !someone.stays.is_empty() {
            return None;
        }
        let last = someone.dated.iter().map(|(date, _)| *date).max()?;
        let mut stays = someone.dated.iter().filter(|(date, _)| *date == last);
        stays.next_back().map(|(_, stay)| stay)
    }

    /// The person is there now.
    pub fn stay(&mut self, person: Person, spot: Spot, witness: &[Id]) {
        let stay = Stay {
            since: self.now,
            spot,
            witness: witness.to_vec(),
        };
        self.people[person].stays.push(stay);
    }

    /// The person came to be at a place.
    pub fn arrive(&mut self, person: Person, place: Place, witness: &[Id]) {
        self.nouns[place].is_place = true;
        self.stay(person, Spot::At(place), witness);
    }

    /// The person was there on a date.
    pub fn stay_dated(&mut self, person: Person, spot: Spot, date: usize, witness: &[Id]) {
        if let Spot::At(place) = spot {
            self.nouns[place].is_place = true;
        }
        let stay = Stay {
            since: self.now,
            spot,
            witness: witness.to_vec(),
        };
        self.people[person].dated.push((date, stay));
    }

    /// The person is somewhere: the story does not tell where, or a gap hides it.
    pub fn lose(&mut self, person: Person, gap: Option<Id>) {
        self.stay(person, Spot::Unknown(gap), &[]);
    }

    /// The person is at one of these places.
    pub fn either(&mut self, person: Person, places: Vec<Place>, witness: &[Id]) {
        for &place in &places {
            self.nouns[place].is_place = true;
        }
        self.stay(person, Spot::OneOf(places), witness);
    }

    /// The person departs from a place.
    pub fn exit(&mut self, person: Person, place: Place, at: &[Id]) -> Result<(), Conflict> {
        if self.is_at(person).is_some_and(|it| it != place) {
            return Err(AGAINST);
        }
        self.nouns[place].is_place = true;
        self.stay(person, Spot::NotAt(vec![(place, at.to_vec())]), at);
        Ok(())
    }

    /// Whether the person may be at the place, as far as is known.
    pub(super) fn may_be_at(&self, person: Person, place: Place) -> bool {
        match self.spot(person).map(|stay| &stay.spot) {
            Some(Spot::At(at)) => *at == place,
            Some(Spot::OneOf(places)) => places.contains(&place),
            Some(Spot::NotAt(places)) => places.iter().all(|(it, _)| *it != place),
            Some(Spot::Unknown(_) | Spot::Perhaps(..)) | None => true,
        }
    }

    /// The person is not at a place. Of known alternatives one less remains.
    pub fn absent(&mut self, person: Person, place: Place, witness: &[Id]) {
        self.nouns[place].is_place = true;
        let not_here = (place, witness.to_vec());
        if let Some(Stay {
            spot: Spot::NotAt(places),
            ..
        }) = self.people[person].stays.last_mut()
        {
            places.retain(|(at, _)| *at != place);
            places.push(not_here);
            return;
        }
        let (spot, witness) = match self.spot(person).cloned() {
            Some(Stay {
                spot: Spot::At(at), ..
            }) if at != place => return,
            Some(Stay {
                spot: Spot::OneOf(places),
                witness: before,
                since,
            }) => {
                let rest: Vec<_> = places.into_iter().filter(|it| *it != place).collect();
                let both = joined(&before, witness);
                match rest[..] {
                    [] => (Spot::NotAt(vec![not_here]), witness.to_vec()),
                    [only] => (Spot::At(only), both),
                    _ => {
                        self.retie(person, since);
                        (Spot::OneOf(rest), both)
                    }
                }
            }
            _ => (Spot::NotAt(vec![not_here]), witness.to_vec()),
        };
        self.stay(person, spot, &witness);
    }

    /// One person is where another is.
    pub fn join(&mut self, one: Person, other: Person, witness: &[Id]) {
        let is_dated = |it: Person| !self.people[it].dated.is_empty();
        if is_dated(one) || is_dated(other) {
            self.lose(one, None);
            return;
        }
        let (spot, known) = match self.people[other].stays.last() {
            Some(stay) => (stay.spot.clone(), stay.witness.clone()),
            None => (Spot::Unknown(None), Vec::new()),
        };
        self.stay(one, spot, &joined(&known, witness));
        for person in [one, other] {
            self.people[person].tied = self.now;
        }
    }

    /// Whether all that is told of where a person may be is told of it alone.
    pub(super) fn is_loose(&self, person: Person, since: Tick) -> bool {
        self.people[person].tied < since
    }

    fn retie(&mut self, person: Person, since: Tick) {
        if !self.is_loose(person, since) {
            self.people[person].tied = self.now;
        }
    }

    /// The places of a person in their order, neighbours that agree made one.
    #[must_use]
    pub fn person_trail(&self, person: Person) -> Vec<Stay> {
        let someone = &self.people[person];
        let mut dated = someone.dated.clone();
        dated.sort_by_key(|(date, _)| *date);
        let stays = match (dated.is_empty(), someone.stays.is_empty()) {
            (true, _) => someone.stays.clone(),
            (false, true) => dated.into_iter().map(|(_, stay)| stay).collect(),
            (false, false) => Vec::new(),
        };
        if someone.unsure_past {
            Vec::new()
        } else {
            merged(stays)
        }
    }
}

fn last_word(noun: &str) -> &str {
    noun.rsplit(' ').next().unwrap_or(noun)
}

pub(super) fn merged(stays: Vec<Stay>) -> Vec<Stay> {
    let mut all: Vec<Stay> = Vec::with_capacity(stays.len());
    for stay in stays {
        let same = |last: &Stay| matches!(stay.spot, Spot::At(_)) && last.spot == stay.spot;
        if !all.last().is_some_and(same) {
            all.push(stay);
        }
    }
    all
}
