//! What the statements of a story do to its world, once it is settled whom they mean.
//! A statement that does not agree with what was told is a conflict.

use super::lexicon;
use super::relations;
use super::statement::{Deed, Id, Mood, Noun, Statement, Things, Time};
use super::story::{Focus, Story, UNSAID};
use super::world::{Conflict, Gift, Hold, Person, Place, Spot};

impl Story {
    pub(super) fn thing(
        &mut self,
        id: Id,
        noun: &Noun,
        deed: &Deed,
        here: &mut Focus,
    ) -> Result<(), Conflict> {
        let one = &noun.words;
        match deed {
            Deed::Lies(row, of) => {
                self.map
                    .link(one, relations::direction(*row), &of.words, id);
            }
            Deed::Stands(row, of) => {
                self.layout
                    .link(one, relations::position(*row), &of.words, id);
            }
            Deed::Bigger(than) => self.sizes.bigger(one, &than.words, id),
            Deed::Fits(into) => self.sizes.bigger(&into.words, one, id),
            Deed::Stay(place) => return self.seen(id, noun, place, here),
            _ => return Err(UNSAID),
        }
        Ok(())
    }

    /// "The milk is in the hall", of a thing that people handled.
    fn seen(&mut self, id: Id, noun: &Noun, at: &Noun, here: &mut Focus) -> Result<(), Conflict> {
        let thing = self.world.noun(&noun.words)?;
        let of = &self.world.nouns[thing];
        if of.is_place && !of.is_thing {
            return Err(Conflict("a place is handled like a thing"));
        }
        let place = self.place(at)?.ok_or(Conflict("a thing is in another"))?;
        let agrees = match self.world.whereabouts(thing) {
            Ok((known, _)) => known == place,
            Err(_) => !matches!(self.world.hold(thing).map(|it| &it.hold), Some(Hold::Gone)),
        };
        if !agrees {
            return Err(Conflict("it contradicts what was told before"));
        }
        let holds = matches!(self.world.hold(thing).map(|it| &it.hold), Some(Hold::By(_)));
        if !(holds && self.world.whereabouts(thing).is_ok()) {
            let maybe = self.world.candidates(thing).to_vec();
            self.world.see(thing, place, maybe, &[id]);
        }
        here.things.push(thing);
        Ok(())
    }

    pub(super) fn people(
        &mut self,
        people: &[Person],
        witness: &[Id],
        it: &Statement,
        here: &mut Focus,
    ) -> Result<(), Conflict> {
        match it.mood {
            Mood::Intended => Ok(()),
            Mood::Real => match it.time {
                Time::Next => self.happens(people, witness, &it.deed, here),
                Time::Earlier => self.happened(people, &it.deed),
                Time::Dated(date) => self.dated(people, witness, &it.deed, date),
            },
            Mood::Denied | Mood::Never => self.denied(people, &it.deed, it.mood == Mood::Never),
        }
    }

    /// The noun as a place; none where it is a thing that holds things.
    pub(super) fn place(&mut self, noun: &Noun) -> Result<Option<Place>, Conflict> {
        if noun.fresh && self.world.find_noun(&noun.words).is_some() {
            return Err(Conflict("there is one of these already"));
        }
        let place = self.world.noun(&noun.words)?;
        let of = &self.world.nouns[place];
        let is_thing = lexicon::is_no_place(&of.words) || (of.is_thing && !of.is_place);
        Ok((!is_thing).then_some(place))
    }

    /// The things of a clause.
    pub(super) fn nouns_of(
        &mut self,
        things: &Things,
        here: &mut Focus,
    ) -> Result<Vec<Place>, Conflict> {
        let nouns = match things {
            Things::Named(nouns) => nouns,
            Things::It => {
                let focus = if here.things.is_empty() {
                    &self.focus
                } else {
                    &*here
                };
                let [only] = focus.things[..] else {
                    return Err(Conflict("it is not clear what `it` means"));
                };
                here.things = vec![only];
                return Ok(vec![only]);
            }
        };
        let mut found = Vec::new();
        for noun in nouns {
            if noun.fresh && self.world.find_noun(&noun.words).is_some() {
                return Err(Conflict("there is one of these already"));
            }
            let thing = self.world.noun(&noun.words)?;
            if found.contains(&thing) {
                return Err(Conflict("one thing is named twice"));
            }
            found.push(thing);
        }
        here.things.extend(&found);
        here.things.dedup();
        Ok(found)
    }

    /// The things of a clause, which people can handle.
    pub(super) fn things(
        &mut self,
        things: &Things,
        here: &mut Focus,
    ) -> Result<Vec<Place>, Conflict> {
        let found = self.nouns_of(things, here)?;
        for &thing in &found {
            let of = &self.world.nouns[thing];
            if of.is_place && !of.is_thing {
                return Err(Conflict("a place is handled like a thing"));
            }
            if lexicon::is_intangible(&of.words) {
                return Err(Conflict("nobody holds such a thing"));
            }
        }
        Ok(found)
    }

    /// All of these people are at the place of the noun, or nobody knows where.
    fn arrive(&mut self, people: &[Person], at: &Noun, witness: &[Id]) -> Result<(), Conflict> {
        let place = self.place(at)?;
        for &person in people {
            if place.is_some_and(|it| self.world.never_at(person, it)) {
                return Err(Conflict("it contradicts what was told before"));
            }
            match place {
                Some(place) => self.world.arrive(person, place, witness),
                None => self.world.lose(person, None),
            }
        }
        Ok(())
    }

    fn happens(
        &mut self,
        people: &[Person],
        witness: &[Id],
        deed: &Deed,
        here: &mut Focus,
    ) -> Result<(), Conflict> {
        match deed {
            Deed::Go(to, from) => {
                if let Some(from) = from {
                    let from = self.place(from)?.ok_or(UNSAID)?;
                    for &person in people {
                        self.world.exit(person, from, witness)?;
                        self.world.arrive(person, from, witness);
                    }
                }
                self.arrive(people, to, witness)?;
            }
            Deed::Report => {}
            Deed::Wander => {
                for &person in people {
                    self.world.lose(person, None);
                }
            }
            Deed::Stay(place) => self.arrive(people, place, witness)?,
            // One who was there need not be there now.
            Deed::Was(place) => {
                if let Some(place) = self.place(place)? {
                    self.world.nouns[place].is_place = true;
                }
                for &person in people {
                    self.world.lose(person, None);
                }
            }
            Deed::Exit(place) => self.exit(people, place, witness)?,
            Deed::Leave(noun) => self.leave(people, noun, witness, here)?,
            Deed::Absent(noun) | Deed::NoLonger(noun) => {
                let place = self.place(noun)?.ok_or(UNSAID)?;
                for &person in people {
                    // Who was there and went may be anywhere else, also where one was
                    // denied to be before.
                    if matches!(deed, Deed::NoLonger(_)) && self.world.may_be_at(person, place) {
                        self.world.exit(person, place, witness)?;
                    } else {
                        self.world.absent(person, place, witness);
                    }
                }
            }
            Deed::Either(places) => {
                let mut found = Vec::new();
                for place in places {
                    found.push(self.place(place)?.ok_or(UNSAID)?);
                }
                for &person in people {
                    self.world.either(person, found.clone(), witness);
                }
            }
            Deed::IsA(kind) => {
                for &person in people {
                    self.kinds
                        .belongs(&self.world.key(person), kind, witness[0]);
                }
            }
            Deed::Color(color) => {
                for &person in people {
                    self.kinds
                        .colored(&self.world.key(person), color, witness[0]);
                }
            }
            Deed::Fears(kind) => {
                let kind = lexicon::singular(kind).unwrap_or_else(|| kind.clone());
                for &person in people {
                    self.kinds.fears(&self.world.key(person), &kind, witness[0]);
                }
            }
            Deed::State(state) => {
                for &person in people {
                    self.world.feel(person, state, witness);
                }
            }
            Deed::Unknown(frame) => self.unknown(people, witness, frame, None, here)?,
            Deed::Take(..)
            | Deed::Own(_)
            | Deed::Has(_)
            | Deed::Drop(..)
            | Deed::Give(..)
            | Deed::Put(..)
            | Deed::TakeFrom(..)
            | Deed::Bring(..)
            | Deed::Shift(..)
            | Deed::Consume(_) => {
                self.handle(people, witness, deed, here)?;
            }
            Deed::Lies(..) | Deed::Stands(..) | Deed::Bigger(_) | Deed::Fits(_) => {
                return Err(UNSAID);
            }
        }
        Ok(())
    }

    /// What people do to things.
    fn handle(
        &mut self,
        people: &[Person],
        witness: &[Id],
        deed: &Deed,
        here: &mut Focus,
    ) -> Result<(), Conflict> {
        let (Deed::Take(what, _)
        | Deed::Own(what)
        | Deed::Has(what)
        | Deed::Drop(what)
        | Deed::Give(what, _)
        | Deed::TakeFrom(what, _)
        | Deed::Put(what, _)
        | Deed::Bring(what, _)
        | Deed::Shift(what, _)
        | Deed::Consume(what)) = deed
        else {
            return Err(UNSAID);
        };
        if let Deed::Take(_, Some(place)) = deed {
            self.be_there(people, place, witness)?;
        }
        let things = self.things(what, here)?;
        // What several hold together, one of them holds, and nobody knows who.
        if let ([_, _, ..], Deed::Take(..) | Deed::Own(_)) = (people, deed) {
            for &thing in &things {
                self.world.taint(thing, people, None);
            }
            return Ok(());
        }
        match deed {
            Deed::Bring(_, to) | Deed::Shift(_, to) => {
                return self.carry(people, &things, to, deed, witness);
            }
            _ => {}
        }
        let &[person] = people else {
            return Err(Conflict("several people handle one thing"));
        };
        for thing in things {
            match deed {
                Deed::Has(_) if !self.world.nouns[thing].is_thing => {
                    return Err(Conflict("one may have what one does not carry"));
                }
                Deed::Own(_) | Deed::Has(_) if self.holds(person, thing) => {}
                Deed::Take(..) | Deed::Own(_) | Deed::Has(_) => {
                    self.world.take(person, thing, witness)?;
                }
                Deed::Drop(_) => self.world.drop(person, thing, witness)?,
                Deed::Give(_, to) => {
                    let to = self.recipient(to, here, None)?;
                    self.world.pass(person, to, thing, witness)?;
                    self.world.gifts.push(Gift {
                        from: person,
                        to,
                        thing,
                        witness: witness.to_vec(),
                        perhaps: false,
                    });
                }
                Deed::TakeFrom(_, from) => {
                    let from = self.recipient(from, here, None)?;
                    self.world.pass(from, person, thing, witness)?;
                    // Taken or received: perhaps a gift.
                    self.world.gifts.push(Gift {
                        from,
                        to: person,
                        thing,
                        witness: witness.to_vec(),
                        perhaps: true,
                    });
                }
                Deed::Put(_, into) => {
                    let is_container = self.place(into)?.is_none();
                    let into = self.world.noun(&into.words)?;
                    self.world.put(person, thing, into, is_container, witness)?;
                }
                Deed::Consume(_) => {
                    self.world.consume(person, thing, witness)?;
                    self.world.people[person].states.clear();
                }
                _ => return Err(UNSAID),
            }
        }
        Ok(())
    }

    /// People arrive with things at a place. Who moves a thing without carrying it need
    /// not go along: a meeting is moved to another room.
    fn carry(
        &mut self,
        people: &[Person],
        things: &[Place],
        to: &Noun,
        deed: &Deed,
        witness: &[Id],
    ) -> Result<(), Conflict> {
        let stays = matches!(deed, Deed::Shift(..));
        let mut held = true;
        for &thing in things {
            for &person in people {
                self.may_have(person, thing)?;
                held &= self.holds(person, thing);
            }
        }
        let place = self.place(to)?.ok_or(UNSAID)?;
        if stays && !held {
            self.world.nouns[place].is_place = true;
            for &person in people {
                self.world.lose(person, None);
            }
        } else {
            self.arrive(people, to, witness)?;
        }
        for &thing in things {
            let maybe = if stays { Vec::new() } else { people.to_vec() };
            self.world.see(thing, place, maybe, witness);
        }
        Ok(())
    }

    pub(super) fn holds(&self, person: Person, thing: Place) -> bool {
        let hold = self.world.hold(thing).map(|it| &it.hold);
        hold == Some(&Hold::By(person))
    }

    fn may_have(&self, person: Person, thing: Place) -> Result<(), Conflict> {
        match self.world.hold(thing).map(|it| &it.hold) {
            Some(Hold::By(holder)) if *holder != person => Err(Conflict("somebody else holds it")),
            Some(Hold::Gone) => Err(Conflict("it is no more")),
            _ => Ok(()),
        }
    }

    /// "in the hall" after taking tells where the people are.
    fn be_there(&mut self, people: &[Person], at: &Noun, witness: &[Id]) -> Result<(), Conflict> {
        let Some(place) = self.place(at)? else {
            return Err(Conflict(
                "it is not clear where one takes things out of others",
            ));
        };
        for &person in people {
            if self.world.never_at(person, place) {
                return Err(Conflict("it contradicts what was told before"));
            }
            match self.world.spot(person).map(|stay| &stay.spot) {
                Some(Spot::At(known)) if *known == place => {}
                Some(Spot::At(_)) => return Err(Conflict("it contradicts what was told before")),
                _ => self.world.arrive(person, place, witness),
            }
        }
        Ok(())
    }

    fn exit(&mut self, people: &[Person], from: &Noun, witness: &[Id]) -> Result<(), Conflict> {
        let place = self.place(from)?.ok_or(UNSAID)?;
        for &person in people {
            self.world.exit(person, place, witness)?;
        }
        Ok(())
    }

    /// One leaves a place by going, and a thing by laying it down.
    fn leave(
        &mut self,
        people: &[Person],
        noun: &Noun,
        witness: &[Id],
        here: &mut Focus,
    ) -> Result<(), Conflict> {
        let at = self.world.noun(&noun.words)?;
        let of = &self.world.nouns[at];
        match (of.is_place, of.is_thing) {
            (true, false) => self.exit(people, noun, witness),
            (false, true) => {
                let things = Things::Named(vec![noun.clone()]);
                self.handle(people, witness, &Deed::Drop(things), here)
            }
            _ => {
                let gap = witness.last().copied();
                for &person in people {
                    self.world.lose(person, gap);
                }
                let was_thing = self.world.nouns[at].is_thing;
                self.world.taint(at, people, gap);
                // What it is, is not known from this.
                self.world.nouns[at].is_thing = was_thing;
                here.things.push(at);
                Ok(())
            }
        }
    }

    /// At some earlier time: where they are now stays, and the order of their places
    /// is no longer known.
    fn happened(&mut self, people: &[Person], deed: &Deed) -> Result<(), Conflict> {
        let (Deed::Go(place, None) | Deed::Stay(place)) = deed else {
            return Err(UNSAID);
        };
        self.place(place)?.ok_or(UNSAID)?;
        for &person in people {
            self.world.people[person].unsure_past = true;
        }
        Ok(())
    }

    fn dated(
        &mut self,
        people: &[Person],
        witness: &[Id],
        deed: &Deed,
        date: usize,
    ) -> Result<(), Conflict> {
        match deed {
            Deed::Go(place, None) | Deed::Stay(place) => {
                let place = self.place(place)?.ok_or(UNSAID)?;
                for &person in people {
                    self.world
                        .stay_dated(person, Spot::At(place), date, witness);
                }
                Ok(())
            }
            Deed::Unknown(frame) => {
                let mut nowhere = Focus::default();
                self.unknown(people, witness, frame, Some(date), &mut nowhere)
            }
            _ => Err(UNSAID),
        }
    }
}
