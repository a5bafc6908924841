//! What did not happen, and what is not understood: statements that are denied, and
//! gaps that change at most what they name.

use super::lexicon;
use super::statement::{Deed, Frame, Id, Noun, Shape};
use super::story::{Focus, Story, UNSAID};
use super::world::{Conflict, Gift, Person, Spot};

impl Story {
    /// What did not happen changes nothing where it agrees with what is known.
    pub(super) fn denied(
        &mut self,
        people: &[Person],
        deed: &Deed,
        never: bool,
    ) -> Result<(), Conflict> {
        match deed {
            Deed::Go(noun, None) | Deed::Stay(noun) => {
                let Some(place) = self.place(noun)? else {
                    return Err(UNSAID);
                };
                self.world.nouns[place].is_place = true;
                for &person in people {
                    let someone = &self.world.people[person];
                    let was = someone
                        .stays
                        .iter()
                        .chain(someone.dated.iter().map(|(_, it)| it));
                    if never && was.into_iter().any(|stay| stay.spot == Spot::At(place)) {
                        return Err(Conflict("it contradicts what was told before"));
                    }
                    let known = match self.world.spot(person).map(|stay| &stay.spot) {
                        Some(Spot::At(at)) => *at != place,
                        _ => false,
                    };
                    if never {
                        self.world.people[person].never.push(place);
                    }
                    if !known {
                        self.world.lose(person, None);
                    }
                }
                Ok(())
            }
            Deed::Take(things, _) | Deed::Own(things) | Deed::Has(things) => {
                let mut here = Focus::default();
                for thing in self.things(things, &mut here)? {
                    let held = self.world.candidates(thing);
                    let ever = never && !self.world.nouns[thing].events.is_empty();
                    if ever || people.iter().any(|it| held.contains(it)) {
                        return Err(Conflict("it contradicts what was told before"));
                    }
                }
                Ok(())
            }
            Deed::Drop(things) | Deed::Give(things, _) | Deed::Consume(things) => {
                let mut here = Focus::default();
                for thing in self.things(things, &mut here)? {
                    let &[person] = people else {
                        return Err(UNSAID);
                    };
                    if !self.holds(person, thing) {
                        return Err(Conflict("nobody knows who holds it"));
                    }
                }
                Ok(())
            }
            Deed::Leave(noun) | Deed::Exit(noun) => {
                let at = self.world.noun(&noun.words)?;
                let stays = |person: &Person| match self.world.spot(*person).map(|it| &it.spot) {
                    Some(Spot::At(place)) => *place == at,
                    _ => false,
                };
                let keeps = |person: &Person| self.holds(*person, at);
                if people.iter().all(keeps) || people.iter().all(stays) {
                    Ok(())
                } else {
                    Err(UNSAID)
                }
            }
            _ => Err(UNSAID),
        }
    }

    /// A verb that is not understood: it changes at most where the people are whom it
    /// names, and what becomes of the things that it names.
    pub(super) fn unknown(
        &mut self,
        people: &[Person],
        witness: &[Id],
        frame: &Frame,
        date: Option<usize>,
        here: &mut Focus,
    ) -> Result<(), Conflict> {
        let gap = witness.last().copied();
        let mut named = people.to_vec();
        let mut spot = Spot::Unknown(gap);
        match &frame.shape {
            Shape::To(place) => spot = self.perhaps(std::slice::from_ref(place), gap)?,
            Shape::In(places) => {
                spot = self.perhaps(places, gap)?;
                for &person in people {
                    self.world.taint_holdings(person, gap.unwrap_or_default());
                }
            }
            Shape::Thing(things, there) => {
                for thing in self.nouns_of(things, here)? {
                    // Whose it is may hold what was in it.
                    if lexicon::is_container(&self.world.nouns[thing].words) {
                        for &person in people {
                            self.world.taint_holdings(person, gap.unwrap_or_default());
                        }
                    }
                    let of = &self.world.nouns[thing];
                    if of.is_place && !there {
                        self.world
                            .taint_place(thing, people, gap.unwrap_or_default());
                    }
                    let of = &self.world.nouns[thing];
                    if *there || of.is_thing || !of.is_place {
                        let was_thing = of.is_thing;
                        self.world.taint(thing, people, gap);
                        // What it is, is not known from this.
                        self.world.nouns[thing].is_thing = was_thing || *there;
                    }
                }
            }
            Shape::Gift(things, to) => {
                let to = self.recipient(to, here, gap)?;
                if !named.contains(&to) {
                    named.push(to);
                }
                for thing in self.nouns_of(things, here)? {
                    self.world.taint(thing, &named, gap);
                    for &from in people {
                        self.world.gifts.push(Gift {
                            from,
                            to,
                            thing,
                            witness: witness.to_vec(),
                            perhaps: true,
                        });
                    }
                }
            }
            Shape::Shift(things, place) => {
                self.place(place)?;
                for thing in self.nouns_of(things, here)? {
                    self.world.taint(thing, people, gap);
                }
            }
        }
        for person in named {
            match date {
                Some(date) => self.world.stay_dated(person, spot.clone(), date, witness),
                None => self.world.stay(person, spot.clone(), &[]),
            }
        }
        Ok(())
    }

    /// Where a gap may have moved somebody who is named with these places alone.
    fn perhaps(&mut self, nouns: &[Noun], gap: Option<Id>) -> Result<Spot, Conflict> {
        let mut places = Vec::new();
        for noun in nouns {
            if let Some(place) = self.place(noun)? {
                self.world.nouns[place].is_place = true;
                places.push(place);
            }
        }
        Ok(Spot::Perhaps(places, gap.unwrap_or_default()))
    }
}
