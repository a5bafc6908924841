//! Possible worlds. A world says for each person a place, and for each thing who
//! holds it, where it lies, in which thing it is, or that it is no more. Told
//! nothing, every world is possible; an event keeps the worlds in which it is
//! possible, and moves them. What is so in all worlds that are left is entailed.
//!
//! Events are read as weakly as their words allow. Between two sentences nothing
//! happens. Nobody holds what no sentence named.

use super::event::{Event, Question, Scene};

/// For each person a place, then for each thing what has it; then the places where
/// somebody or something that is watched was, in their order. Four bits each, one
/// more than the number, so that nothing is where no bit is.
type World = u64;

const GONE: u8 = 14;

fn digit(world: World, at: usize) -> Option<u8> {
    u8::try_from(world >> (4 * at) & 15)
        .expect("four bits")
        .checked_sub(1)
}

fn with_digit(world: World, at: usize, value: u8) -> World {
    world & !(15 << (4 * at)) | (u64::from(value) + 1) << (4 * at)
}

/// The worlds that are possible after some events.
#[derive(Clone, Debug)]
pub struct Possible {
    people: usize,
    /// One more than have a name.
    places: usize,
    things: usize,
    worlds: Vec<World>,
    /// The things of which an event spoke, and for each person the things in the
    /// order in which they first came into these hands.
    named: Vec<usize>,
    taken: Vec<Vec<usize>>,
    watched: Option<Watched>,
}

/// Whose places a world remembers.
#[derive(Clone, Copy, Debug)]
pub enum Watched {
    /// Those of a person.
    Person(usize),
    /// Those of a thing.
    Thing(usize),
}

impl Possible {
    /// Every world is possible.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        let mut it = Self {
            people: scene.people.len(),
            places: scene.places.len() + 1,
            things: scene.things.len(),
            worlds: vec![0],
            named: Vec::new(),
            taken: vec![Vec::new(); scene.people.len()],
            watched: None,
        };
        let numbers: Vec<u8> = (0..GONE).collect();
        for p in 0..it.people {
            it.worlds = branched(&it.worlds, p, &numbers[..it.places]);
        }
        for o in 0..it.things {
            it.worlds = branched(&it.worlds, it.people + o, &numbers[..it.people + it.places]);
        }
        it
    }

    /// Each world remembers where this one was. Then a verb that is not understood and
    /// names places moves a person to one of these, to no other place that has a name,
    /// or not at all.
    #[must_use]
    pub fn watching(mut self, watched: Watched) -> Self {
        self.watched = Some(watched);
        for world in std::mem::take(&mut self.worlds) {
            let world = self.remembering(world);
            self.worlds.push(world);
        }
        self
    }

    fn remembering(&self, world: World) -> World {
        let place = match self.watched {
            None => return world,
            Some(Watched::Person(p)) => at(world, p),
            Some(Watched::Thing(o)) => self.place_of(world, o).unwrap_or(GONE),
        };
        let trail = self.trail(world);
        if trail.last() == Some(&place) {
            return world;
        }
        with_digit(world, self.people + self.things + trail.len(), place)
    }

    fn trail(&self, world: World) -> Vec<u8> {
        let start = self.people + self.things;
        (start..16).map_while(|at| digit(world, at)).collect()
    }

    /// Whether no world is possible.
    #[must_use]
    pub fn is_impossible(&self) -> bool {
        self.worlds.is_empty()
    }

    fn lying(&self, place: u8) -> u8 {
        u8::try_from(self.people).expect("few people") + place
    }

    fn inside(&self, thing: usize) -> u8 {
        u8::try_from(self.people + self.places + thing).expect("few things")
    }

    fn of(&self, world: World, thing: usize) -> u8 {
        at(world, self.people + thing)
    }

    /// Where a thing is; none where it is no more.
    fn place_of(&self, world: World, thing: usize) -> Option<u8> {
        let of = usize::from(self.of(world, thing));
        match of {
            _ if of < self.people => Some(at(world, of)),
            _ if of < self.people + self.places => u8::try_from(of - self.people).ok(),
            _ if of == usize::from(GONE) => None,
            _ => self.place_of(world, of - self.people - self.places),
        }
    }

    /// The worlds after one more event.
    #[must_use]
    pub fn after(&self, event: Event) -> Self {
        let mut next = self.clone();
        let (things, actors, hands) = involved(event);
        if let Event::PutInto(_, _, container) = event
            && !next.named.contains(&container)
        {
            next.named.push(container);
            next.worlds
                .retain(|it| usize::from(self.of(*it, container)) >= self.people);
        }
        for thing in things {
            if !next.named.contains(&thing) {
                next.named.push(thing);
                next.worlds.retain(|it| {
                    let of = usize::from(self.of(*it, thing));
                    of >= self.people || actors.contains(&of)
                });
            }
            if let Some(person) = hands
                && !next.taken[person].contains(&thing)
            {
                next.taken[person].push(thing);
            }
        }
        // One who exits a place where none of the alternatives is came there unheard.
        if let Event::Exit(p, l) | Event::LeavePlace(p, l) = event
            && !next.worlds.iter().any(|it| usize::from(at(*it, p)) == l)
            && next.agreed(|it| at(it, p)).is_none()
        {
            for world in &mut next.worlds {
                *world = with_digit(*world, p, u8::try_from(l).expect("a small world"));
            }
        }
        // What can't be so any more has changed.
        let event = match event {
            Event::IsNot(p, l) if !next.worlds.iter().any(|it| usize::from(at(*it, p)) != l) => {
                Event::NoLonger(p, l)
            }
            event => event,
        };
        if self.watched.is_none() {
            // Who may be anywhere afterwards may as well have been at one place before.
            for p in lost(event) {
                for world in &mut next.worlds {
                    *world = with_digit(*world, p, 0);
                }
            }
            next.worlds.sort_unstable();
            next.worlds.dedup();
        }
        let mut worlds = Vec::new();
        for world in &next.worlds {
            self.step(*world, event, &mut worlds);
        }
        let mut worlds: Vec<_> = worlds.into_iter().map(|it| self.remembering(it)).collect();
        worlds.sort_unstable();
        worlds.dedup();
        next.worlds = worlds;
        next
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each kind of event")]
    fn step(&self, world: World, event: Event, next: &mut Vec<World>) {
        let small = |it: usize| u8::try_from(it).expect("a small world");
        let anywhere = || (0..self.places).map(small);
        let with = |p: usize, place: u8| with_digit(world, p, place);
        let having = |world: World, o: usize, of: u8| with_digit(world, self.people + o, of);
        let of = |o: usize| self.of(world, o);
        // Whether it is in nobody's hands but these, and is at all.
        let free = |o: usize, p: usize| {
            of(o) != GONE && (usize::from(of(o)) >= self.people || usize::from(of(o)) == p)
        };
        // In these hands, where it was, or lying anywhere.
        let loose = |o: usize, hands: &[usize]| {
            let mut all: Vec<u8> = hands.iter().map(|&p| small(p)).collect();
            all.push(of(o));
            all.push(GONE);
            all.extend(anywhere().map(|l| self.lying(l)));
            all
        };
        let here = |p: usize| at(world, p);
        // Where the person was, at one of these, or where no name leads.
        let near = |p: usize, places: &[usize]| {
            let named = places.iter().map(|&l| small(l));
            let all: Vec<u8> = named.chain([here(p), small(self.places - 1)]).collect();
            branched(&[world], p, &all)
        };
        match event {
            Event::Go(p, l) | Event::Is(p, l) => next.push(with(p, small(l))),
            Event::Either(p, l, m) => next.extend([with(p, small(l)), with(p, small(m))]),
            Event::IsNot(p, l) => {
                if here(p) != small(l) {
                    next.push(world);
                }
            }
            Event::NoLonger(p, l) if here(p) != small(l) => next.push(world),
            Event::Exit(p, l) | Event::LeavePlace(p, l) if here(p) != small(l) => {}
            Event::NoLonger(p, l) | Event::Exit(p, l) | Event::LeavePlace(p, l) => {
                next.extend(
                    anywhere()
                        .filter(|it| *it != small(l))
                        .map(|it| with(p, it)),
                );
            }
            // These say nothing of what is so.
            Event::Wanted(..)
            | Event::DidNotTake(..)
            | Event::DidNotDrop(..)
            | Event::DidNotLeave(..) => next.push(world),
            Event::NeverWent(p, l)
                if self.trail(world).iter().skip(1).any(|it| *it == small(l)) =>
            {
                debug_assert!(p == 0, "the one who is watched");
            }
            Event::DidNotGo(p, l) | Event::NeverWent(p, l) => {
                // Who was known to be elsewhere stayed, and others may have gone anywhere.
                match self.agreed(|it| at(it, p)) {
                    Some(known) if known != small(l) => next.push(world),
                    _ => next.extend(anywhere().map(|it| with(p, it))),
                }
            }
            Event::NobodyWent(l) => {
                let mut all = vec![world];
                for p in 0..self.people {
                    if self
                        .agreed(|it| at(it, p))
                        .is_none_or(|known| known == small(l))
                    {
                        all = branched(&all, p, &anywhere().collect::<Vec<_>>());
                    }
                }
                next.extend(all);
            }
            Event::GapTo(p, l) if self.watched.is_some() => next.extend(near(p, &[l])),
            Event::Wander(p, _) | Event::GapTo(p, _) => {
                next.extend(anywhere().map(|it| with(p, it)));
            }
            Event::Earlier(p, l) => {
                next.push(world);
                let moves = match self.watched {
                    Some(Watched::Person(it)) => it == p,
                    Some(Watched::Thing(o)) => of(o) == small(p),
                    None => false,
                };
                if moves {
                    let trail = self.trail(world);
                    let start = self.people + self.things;
                    let told = world & ((1 << (4 * start)) - 1);
                    for place in 0..trail.len() {
                        let mut trail = trail.clone();
                        trail.insert(place, small(l));
                        trail.dedup();
                        let places = trail.iter().enumerate();
                        let all = places.fold(told, |it, (n, l)| with_digit(it, start + n, *l));
                        next.push(all);
                    }
                }
            }
            Event::Take(p, o) | Event::Own(p, o) | Event::Has(p, o) => {
                if free(o, p) && self.place_of(world, o) == Some(here(p)) {
                    next.push(having(world, o, small(p)));
                }
            }
            Event::Drop(p, o) | Event::LeaveThing(p, o) => {
                if of(o) == small(p) {
                    next.push(having(world, o, self.lying(here(p))));
                }
            }
            Event::Give(p, o, q) | Event::TakeFrom(q, o, p) => {
                if of(o) == small(p) && here(p) == here(q) {
                    next.push(having(world, o, small(q)));
                }
            }
            Event::Put(p, o, l) => {
                if of(o) == small(p) {
                    let lies = self.lying(small(l));
                    let stays = here(p) == small(l);
                    let goes = anywhere().filter(|it| !stays || *it == small(l));
                    next.extend(goes.map(|it| having(with(p, it), o, lies)));
                }
            }
            Event::PutInto(p, o, b) => {
                if of(o) == small(p) {
                    next.push(having(world, o, self.inside(b)));
                }
            }
            Event::Bring(p, o, l) | Event::Shift(p, o, l) => {
                if free(o, p) {
                    let lies = self.lying(small(l));
                    next.push(having(with(p, small(l)), o, lies));
                    if matches!(event, Event::Bring(..)) {
                        next.push(having(with(p, small(l)), o, small(p)));
                    } else if of(o) != small(p) {
                        // One moves what one does not carry from afar.
                        next.extend(anywhere().map(|it| having(with(p, it), o, lies)));
                    }
                }
            }
            Event::Consume(p, o) => {
                if free(o, p) {
                    next.push(having(world, o, GONE));
                }
            }
            Event::GapIn(p, l) if self.watched.is_some() => next.extend(near(p, &[l])),
            Event::GapEither(p, l, m) if self.watched.is_some() => next.extend(near(p, &[l, m])),
            Event::GapIn(p, _) | Event::GapEither(p, ..) => {
                let mut all = vec![world];
                for o in (0..self.things).filter(|&o| of(o) == small(p)) {
                    all = branched(&all, self.people + o, &loose(o, &[p]));
                }
                next.extend(branched(&all, p, &anywhere().collect::<Vec<_>>()));
            }
            Event::GapThing(p, o) | Event::GapShift(p, o, _) => {
                let mut all = branched(&[world], self.people + o, &loose(o, &[p]));
                for inner in (0..self.things).filter(|&it| of(it) == self.inside(o)) {
                    all = branched(&all, self.people + inner, &loose(inner, &[p]));
                }
                next.extend(branched(&all, p, &anywhere().collect::<Vec<_>>()));
            }
            Event::GapGift(p, o, q) => {
                let everywhere: Vec<u8> = anywhere().collect();
                let all = branched(&[world], self.people + o, &loose(o, &[p, q]));
                next.extend(branched(&branched(&all, p, &everywhere), q, &everywhere));
            }
            Event::GapPlace(p, l) => {
                let everywhere: Vec<u8> = anywhere().collect();
                let mut all = branched(&[world], p, &everywhere);
                for q in (0..self.people).filter(|&q| q != p && here(q) == small(l)) {
                    all = branched(&all, q, &everywhere);
                }
                for o in (0..self.things).filter(|&o| of(o) == self.lying(small(l))) {
                    all = branched(&all, self.people + o, &loose(o, &[p]));
                }
                next.extend(all);
            }
        }
    }

    /// What all worlds agree on.
    fn agreed<T: PartialEq>(&self, look: impl Fn(World) -> T) -> Option<T> {
        let mut all = self.worlds.iter().copied().map(look);
        let first = all.next()?;
        all.all(|it| it == first).then_some(first)
    }

    fn held(&self, world: World, person: usize) -> Vec<usize> {
        let mine = |&o: &usize| usize::from(self.of(world, o)) == person;
        self.named.iter().copied().filter(mine).collect()
    }

    /// The answer that is so in every world; none where the worlds do not agree, or
    /// where the answer has no word. `maybe` where a person is at one of two named
    /// places.
    #[must_use]
    pub fn entailed(&self, scene: &Scene, question: Question) -> Option<String> {
        let word = |place: u8| {
            scene
                .places
                .get(usize::from(place))
                .map(|it| (*it).to_owned())
        };
        let yes_no = |is: bool| if is { "yes" } else { "no" }.to_owned();
        match question {
            Question::Where(p) => word(self.agreed(|world| at(world, p))?),
            Question::WhereThing(o) => word(self.agreed(|world| self.place_of(world, o))??),
            Question::IsAt(p, l) => {
                if let Some(is) = self.agreed(|world| usize::from(at(world, p)) == l) {
                    return Some(yes_no(is));
                }
                let nowhere = |world: &World| word(at(*world, p)).is_none();
                let is_open = self.worlds.is_empty() || self.worlds.iter().any(nowhere);
                (!is_open).then(|| "maybe".to_owned())
            }
            Question::IsThingAt(o, l) => {
                let is = self.agreed(|world| self.place_of(world, o).map(usize::from) == Some(l));
                is.map(yes_no)
            }
            Question::Holder(o) => {
                let of = usize::from(self.agreed(|world| self.of(world, o))?);
                scene.people.get(of).map(|it| (*it).to_owned())
            }
            Question::Carrying(p) => {
                let things = self.agreed(|world| self.held(world, p))?;
                // In the order in which they came into these hands.
                let known = self.taken[p].iter().filter(|it| things.contains(it));
                let words: Vec<&str> = known.map(|&o| scene.things[o]).collect();
                let none = || "nothing".to_owned();
                Some(if words.is_empty() {
                    none()
                } else {
                    words.join(",")
                })
            }
            Question::Before(_, l) | Question::ThingBefore(_, l) => {
                let before = |world: World| {
                    let trail = self.trail(world);
                    let last = trail.iter().rposition(|it| usize::from(*it) == l)?;
                    Some(trail[last.checked_sub(1)?])
                };
                word(self.agreed(before)??)
            }
            Question::HowMany(p) => {
                let count = self.agreed(|world| self.held(world, p).len())?;
                Some(["none", "one", "two"][count].to_owned())
            }
        }
    }
}

/// A digit that every world has.
fn at(world: World, at: usize) -> u8 {
    digit(world, at).expect("people and things are in every world")
}

fn branched(worlds: &[World], at: usize, values: &[u8]) -> Vec<World> {
    let mut all = Vec::with_capacity(worlds.len() * values.len());
    for world in worlds {
        for value in values {
            all.push(with_digit(*world, at, *value));
        }
    }
    all
}

/// The things that an event names, the people in whose hands they may have been, and
/// in whose they are afterwards.
fn involved(event: Event) -> (Vec<usize>, Vec<usize>, Option<usize>) {
    match event {
        Event::Take(p, o) | Event::Own(p, o) | Event::Has(p, o) => (vec![o], vec![p], Some(p)),
        Event::Give(p, o, q) => (vec![o], vec![p], Some(q)),
        Event::TakeFrom(p, o, q) => (vec![o], vec![q], Some(p)),
        Event::GapGift(p, o, q) => (vec![o], vec![p, q], None),
        Event::Drop(p, o)
        | Event::PutInto(p, o, _)
        | Event::LeaveThing(p, o)
        | Event::Put(p, o, _)
        | Event::Bring(p, o, _)
        | Event::Shift(p, o, _)
        | Event::Consume(p, o)
        | Event::GapThing(p, o)
        | Event::GapShift(p, o, _) => (vec![o], vec![p], None),
        _ => (Vec::new(), Vec::new(), None),
    }
}

/// Who may be anywhere after an event, wherever they were.
fn lost(event: Event) -> Vec<usize> {
    match event {
        Event::GapGift(p, _, q) => vec![p, q],
        Event::GapTo(p, _)
        | Event::GapIn(p, _)
        | Event::GapEither(p, ..)
        | Event::GapThing(p, _)
        | Event::GapShift(p, ..)
        | Event::Wander(p, _) => vec![p],
        _ => Vec::new(),
    }
}
