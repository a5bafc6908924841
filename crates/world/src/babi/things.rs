//! What happens to the things of a world: who holds each, where it lies, and where it
//! was before.

use super::statement::Id;
use super::world::{
    AGAINST, Conflict, Event, Hold, Person, Place, Spot, Stay, Tick, Witness, World, joined, merged,
};

/// Things in things are followed so far, which ends where one is in itself.
const DEEPEST: usize = 8;

impl World {
    /// How a thing was left; none where nothing was told of it.
    #[must_use]
    pub fn hold(&self, thing: Place) -> Option<&Event> {
        self.nouns[thing].events.last()
    }

    fn happen(&mut self, thing: Place, hold: Hold, witness: &[Id]) {
        let event = Event {
            tick: self.now,
            hold,
            witness: witness.to_vec(),
        };
        let noun = &mut self.nouns[thing];
        noun.is_thing = true;
        noun.events.push(event);
    }

    fn deal(&mut self, person: Person, witness: &[Id]) {
        let now = self.now;
        let someone = &mut self.people[person];
        someone.dealings.extend(witness);
        someone.tied = now;
    }

    /// Fails where the person can't have the thing in hand.
    fn may_hold(&self, person: Person, thing: Place) -> Result<(), Conflict> {
        match self.hold(thing).map(|event| &event.hold) {
            Some(Hold::By(holder)) if *holder != person => Err(AGAINST),
            Some(Hold::Lying(_) | Hold::In(_) | Hold::Gone) => Err(AGAINST),
            _ => Ok(()),
        }
    }

    /// The person takes a thing, which must lie where the person is and in nobody
    /// else's hands. Where the place of the thing is known and that of the person is
    /// not, the person is at the thing's.
    pub fn take(&mut self, person: Person, thing: Place, at: &[Id]) -> Result<(), Conflict> {
        match self.hold(thing).map(|event| &event.hold) {
            Some(Hold::By(holder)) if *holder != person => return Err(AGAINST),
            Some(Hold::Gone) => return Err(AGAINST),
            Some(Hold::Lying(_) | Hold::In(_) | Hold::Seen(..)) => {
                if let Ok((place, witness)) = self.whereabouts(thing) {
                    match self.spot(person).map(|stay| &stay.spot) {
                        Some(Spot::At(known)) if *known == place => {}
                        Some(Spot::At(_)) => return Err(AGAINST),
                        _ if !self.people[person].dated.is_empty() => {}
                        _ => self.stay(person, Spot::At(place), &joined(&witness, at)),
                    }
                }
            }
            _ => {}
        }
        self.happen(thing, Hold::By(person), at);
        self.deal(person, at);
        Ok(())
    }

    /// The person lays a thing down where the person is.
    pub fn drop(&mut self, person: Person, thing: Place, at: &[Id]) -> Result<(), Conflict> {
        self.may_hold(person, thing)?;
        let here = self.is_at(person).zip(self.spot(person));
        let here = here.map(|(place, stay)| (place, stay.witness.clone()));
        self.happen(thing, Hold::Lying(here), at);
        self.deal(person, at);
        Ok(())
    }

    /// The person lays a thing at a place, or into another thing.
    pub fn put(
        &mut self,
        person: Person,
        thing: Place,
        into: Place,
        is_container: bool,
        at: &[Id],
    ) -> Result<(), Conflict> {
        self.may_hold(person, thing)?;
        if is_container {
            self.nouns[into].is_thing = true;
            self.nouns[into].contents.push(thing);
            self.happen(thing, Hold::In(into), at);
        } else {
            self.nouns[into].is_place = true;
            let told = match self.spot(person).map(|stay| &stay.spot) {
                Some(Spot::At(at)) => *at != into,
                Some(Spot::OneOf(_) | Spot::NotAt(_)) => true,
                Some(Spot::Unknown(_) | Spot::Perhaps(..)) | None => false,
            };
            if told {
                self.lose(person, None);
            }
            self.happen(thing, Hold::Lying(Some((into, Vec::new()))), at);
        }
        self.deal(person, at);
        Ok(())
    }

    /// A thing goes from one person's hands into another's. They are together: where
    /// one is, there is the other.
    pub fn pass(
        &mut self,
        from: Person,
        to: Person,
        thing: Place,
        at: &[Id],
    ) -> Result<(), Conflict> {
        self.may_hold(from, thing)?;
        match (self.is_at(from), self.is_at(to)) {
            (Some(one), Some(other)) if one != other => {
                return Err(Conflict("the two are at different places"));
            }
            (Some(_), None) => self.join(to, from, at),
            (None, Some(_)) => self.join(from, to, at),
            _ => {}
        }
        self.happen(thing, Hold::By(to), at);
        self.deal(from, at);
        self.deal(to, at);
        Ok(())
    }

    /// The thing is at a place, and perhaps in the hands of one of these.
    pub fn see(&mut self, thing: Place, place: Place, maybe: Vec<Person>, witness: &[Id]) {
        self.nouns[place].is_place = true;
        for &person in &maybe {
            self.deal(person, witness);
        }
        self.happen(thing, Hold::Seen(place, maybe), witness);
    }

    /// The thing is no more.
    pub fn consume(&mut self, person: Person, thing: Place, at: &[Id]) -> Result<(), Conflict> {
        if let Some(Hold::By(holder)) = self.hold(thing).map(|event| &event.hold)
            && *holder != person
        {
            return Err(AGAINST);
        }
        self.happen(thing, Hold::Gone, at);
        self.deal(person, at);
        Ok(())
    }

    /// Who may hold the thing, as far as is known.
    #[must_use]
    pub fn candidates(&self, thing: Place) -> &[Person] {
        match self.hold(thing).map(|event| &event.hold) {
            Some(Hold::By(person)) => std::slice::from_ref(person),
            Some(Hold::Seen(_, people) | Hold::Lost(people, _)) => people,
            _ => &[],
        }
    }

    /// Something unknown happened to a thing: any of these, or who had it before,
    /// may hold it, or nobody.
    pub fn taint(&mut self, thing: Place, people: &[Person], gap: Option<Id>) {
        let mut due = vec![thing];
        while let Some(thing) = due.pop() {
            let mut maybe = [people, self.candidates(thing)].concat();
            maybe.sort_unstable();
            maybe.dedup();
            let lost = Hold::Lost(maybe, gap);
            // What is lost already stays one event, however often it is.
            match self.nouns[thing].events.last_mut() {
                Some(event) if matches!(event.hold, Hold::Lost(..)) => event.hold = lost,
                _ => self.happen(thing, lost, &[]),
            }
            // What is in it is lost with it.
            for content in std::mem::take(&mut self.nouns[thing].contents) {
                if self
                    .hold(content)
                    .is_some_and(|event| event.hold == Hold::In(thing))
                {
                    due.push(content);
                }
            }
        }
    }

    /// Something unknown happened at a place, or to it.
    pub fn taint_place(&mut self, place: Place, people: &[Person], gap: Id) {
        for thing in 0..self.nouns.len() {
            let lies = match self.hold(thing).map(|event| &event.hold) {
                Some(Hold::Lying(Some((at, _))) | Hold::Seen(at, _) | Hold::In(at)) => *at == place,
                // Laid down at an unknown place or lost: perhaps at this one.
                Some(Hold::Lying(None) | Hold::Lost(..)) => true,
                _ => false,
            };
            if lies {
                self.taint(thing, people, Some(gap));
            }
        }
        for person in 0..self.people.len() {
            let may_be_there = match self.spot(person).map(|stay| &stay.spot) {
                Some(Spot::At(at)) => *at == place,
                Some(Spot::OneOf(places)) => places.contains(&place),
                _ => false,
            };
            if may_be_there {
                self.lose(person, Some(gap));
                self.taint_holdings(person, gap);
            }
        }
    }

    /// A gap may have changed what the person holds.
    pub fn taint_holdings(&mut self, person: Person, gap: Id) {
        self.people[person].unsure_holdings.get_or_insert(gap);
        for thing in 0..self.nouns.len() {
            let lost = matches!(
                self.hold(thing),
                Some(Event {
                    hold: Hold::Lost(..),
                    ..
                })
            );
            if !lost && self.candidates(thing).contains(&person) {
                self.taint(thing, &[person], Some(gap));
            }
        }
    }

    /// Where a thing is, with its witness; the gap that hides it, where one does. What
    /// is in another thing is where that is.
    pub fn whereabouts(&self, thing: Place) -> Result<(Place, Witness), Option<Id>> {
        self.whereabouts_in(thing, DEEPEST)
    }

    fn whereabouts_in(&self, thing: Place, depth: usize) -> Result<(Place, Witness), Option<Id>> {
        let event = self.hold(thing).ok_or(None)?;
        match &event.hold {
            // When a thing was taken is not known among dates.
            Hold::By(person) if !self.people[*person].dated.is_empty() => Err(None),
            Hold::By(person) => match self.spot(*person).map(|stay| (&stay.spot, &stay.witness)) {
                Some((Spot::At(place), witness)) => Ok((*place, joined(&event.witness, witness))),
                Some((Spot::Unknown(gap), _)) => Err(*gap),
                Some((Spot::Perhaps(_, gap), _)) => Err(Some(*gap)),
                _ => Err(None),
            },
            Hold::Lying(Some((place, witness))) => Ok((*place, joined(&event.witness, witness))),
            // As long as nobody of those who may hold it went on.
            Hold::Seen(place, maybe) => {
                let still = |person: &Person| {
                    let someone = &self.people[*person];
                    let last = someone.stays.last();
                    someone.dated.is_empty() && last.is_none_or(|stay| stay.since <= event.tick)
                };
                if maybe.iter().all(still) {
                    Ok((*place, event.witness.clone()))
                } else {
                    Err(None)
                }
            }
            Hold::In(other) if depth > 0 => {
                let (place, witness) = self.whereabouts_in(*other, depth - 1)?;
                Ok((place, joined(&event.witness, &witness)))
            }
            Hold::Lying(None) | Hold::In(_) | Hold::Gone => Err(None),
            Hold::Lost(_, gap) => Err(*gap),
        }
    }

    /// The places of a thing in their order, neighbours that agree made one.
    #[must_use]
    pub fn thing_trail(&self, thing: Place) -> Vec<Stay> {
        let events = &self.nouns[thing].events;
        let mut stays = Vec::new();
        for (at, event) in events.iter().enumerate() {
            let until = events.get(at + 1).map_or(Tick::MAX, |next| next.tick);
            let unknown = |gap| Stay {
                since: event.tick,
                spot: Spot::Unknown(gap),
                witness: Vec::new(),
            };
            match &event.hold {
                Hold::By(person) => {
                    let someone = &self.people[*person];
                    if someone.unsure_past || !someone.dated.is_empty() {
                        stays.push(unknown(None));
                        continue;
                    }
                    let own = &someone.stays;
                    let first = own.partition_point(|stay| stay.since <= event.tick);
                    if first == 0 {
                        stays.push(unknown(None));
                    }
                    let held = own[first.saturating_sub(1)..].iter();
                    stays.extend(held.take_while(|stay| stay.since < until).cloned());
                }
                Hold::Lying(Some((place, witness))) => stays.push(Stay {
                    since: event.tick,
                    spot: Spot::At(*place),
                    witness: joined(&event.witness, witness),
                }),
                Hold::Lost(_, gap) => stays.push(unknown(*gap)),
                _ => stays.push(unknown(None)),
            }
        }
        merged(stays)
    }
}
