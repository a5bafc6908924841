//! All stories of small worlds against the worlds that their events leave possible.

use std::cell::RefCell;
use std::collections::BTreeMap;

use obernant::{Record, Table, Universe as _};
use oracles_world::{
    Asked, Event, Possible, Question, REFUSED, Reader, Scene, Watched, answer_of, told,
};
use serde_json::json;
use world::babi::Story;

/// What an oracle asks of how many stories.
struct Small {
    scene: Scene,
    /// Told before.
    start: Vec<Event>,
    watched: Option<Watched>,
    events: Vec<Event>,
    questions: Vec<Question>,
    length: u64,
}

/// Whether all that is entailed must be answered.
#[derive(PartialEq, Eq)]
enum Exact {
    Yes,
    No,
}

impl Small {
    fn answers(&self) -> Vec<String> {
        let scene = &self.scene;
        let mut all: Vec<String> = Vec::new();
        let mut add = |words: &[&str]| all.extend(words.iter().map(|it| (*it).to_owned()));
        for question in &self.questions {
            match question {
                Question::Where(_)
                | Question::WhereThing(_)
                | Question::Before(..)
                | Question::ThingBefore(..) => add(&scene.places),
                Question::IsAt(..) => add(&["yes", "no", "maybe"]),
                Question::IsThingAt(..) => add(&["yes", "no"]),
                Question::Holder(_) => add(&scene.people),
                Question::Carrying(_) => {
                    add(&["nothing"]);
                    add(&scene.things);
                    if let [one, other] = scene.things[..] {
                        add(&[&format!("{one},{other}"), &format!("{other},{one}")]);
                    }
                }
                Question::HowMany(_) => add(&["none", "one", "two"][..=scene.things.len()]),
            }
        }
        all.sort();
        all.dedup();
        all
    }

    fn check(self, name: &str, exact: &Exact) {
        let mut record = Record::start(name);
        let length = record.bound("length", self.length);
        let sentences: Vec<String> = self
            .events
            .iter()
            .map(|it| self.scene.sentence(*it))
            .collect();
        let questions: Vec<String> = self
            .questions
            .iter()
            .map(|it| self.scene.question(*it))
            .collect();
        let universe = Asked::new(&sentences, length, questions.clone());
        let answers = self.answers();
        let mut outcomes = answers.clone();
        let refused = outcomes.len();
        outcomes.push(REFUSED.to_owned());
        let mut story = Story::new();
        let mut possible = Possible::new(&self.scene);
        if let Some(watched) = self.watched {
            possible = possible.watching(watched);
        }
        for (at, event) in self.start.iter().enumerate() {
            story = told(&story, at, &self.scene.sentence(*event));
            possible = possible.after(*event);
        }
        let started = self.start.len();
        let stories = Reader::new(story);
        let seen = RefCell::new(Vec::new());
        let mut table = Table::new(
            "the reader",
            &universe,
            |case| universe.words(case),
            |case, _| {
                let (question, story) = case.split_last().expect("a question");
                let answer = stories.at(
                    story,
                    |story, at, event| told(story, started + at, &sentences[event]),
                    |story| answer_of(story, &questions[*question]),
                );
                seen.borrow_mut().push(answer != REFUSED);
                answer
            },
        );
        let worlds = Reader::new(possible);
        let due = |case: &[usize]| {
            let (question, story) = case.split_last().expect("a question");
            worlds.at(
                story,
                |worlds, _, event| worlds.after(self.events[event]),
                |worlds| {
                    let impossible = worlds.is_impossible();
                    (
                        impossible,
                        worlds.entailed(&self.scene, self.questions[*question]),
                    )
                },
            )
        };
        // Of the cases with an entailed answer and of those without a possible world: how
        // many there are, and how many are answered.
        let counts = RefCell::new(BTreeMap::<&str, [u64; 2]>::new());
        record.complement(
            &mut table,
            &outcomes,
            |case| {
                let (impossible, due) = due(case);
                let key = match (&due, impossible) {
                    (_, true) => "without_a_world",
                    (Some(_), _) => "entailed",
                    (None, _) => "open",
                };
                let is_answered = seen.borrow().last() == Some(&true);
                let mut counts = counts.borrow_mut();
                let count = counts.entry(key).or_default();
                *count = [count[0] + 1, count[1] + u64::from(is_answered)];
                let place = due.map_or(outcomes.len(), |due| {
                    outcomes
                        .iter()
                        .position(|it| *it == due)
                        .unwrap_or(outcomes.len())
                });
                let free = impossible && *exact == Exact::No;
                move |outcome| !free && outcome != place && outcome != refused
            },
            |case| match due(case) {
                (true, _) => "no world is possible, so nothing is due".to_owned(),
                (_, Some(due)) => format!("in every possible world it is {due}"),
                (_, None) => "the possible worlds do not agree".to_owned(),
            },
        );
        if *exact == Exact::Yes {
            record.reconstruction(&mut table, &answers, |case| {
                let (_, due) = due(case);
                let place = due.and_then(|due| answers.iter().position(|it| *it == due));
                move |fiber| Some(fiber) == place
            });
        }
        for (key, [all, answered]) in counts.into_inner() {
            record.claim(key, json!({ "all": all, "answered": answered }));
        }
        record.finish();
    }
}

fn scene(people: usize, places: usize, things: usize) -> Scene {
    Scene {
        people: ["Mary", "John", "Sandra"][..people].to_vec(),
        places: ["kitchen", "garden", "hallway"][..places].to_vec(),
        things: ["milk", "football"][..things].to_vec(),
    }
}

/// One person, three places, and all that is told of a place.
#[test]
fn people_are_where_every_possible_world_has_them() {
    let mut events = Vec::new();
    for l in 0..3 {
        events.extend([Event::Go(0, l), Event::IsNot(0, l), Event::NoLonger(0, l)]);
    }
    events.extend([
        Event::Either(0, 0, 1),
        Event::Either(0, 1, 2),
        Event::Is(0, 0),
        Event::Wander(0, 1),
        Event::Exit(0, 0),
    ]);
    let mut questions = vec![Question::Where(0)];
    questions.extend((0..3).map(|l| Question::IsAt(0, l)));
    Small {
        scene: scene(1, 3, 0),
        start: vec![],
        watched: None,
        events,
        questions,
        length: 3,
    }
    .check(
        "people_are_where_every_possible_world_has_them",
        &Exact::Yes,
    );
}

/// Two people, two places, two things.
#[test]
fn things_are_where_every_possible_world_has_them() {
    let mut events = Vec::new();
    for p in 0..2 {
        for l in 0..2 {
            events.push(Event::Go(p, l));
        }
    }
    events.extend([
        Event::Take(0, 0),
        Event::Take(1, 0),
        Event::Drop(0, 0),
        Event::Drop(1, 0),
        Event::Give(0, 0, 1),
        Event::Take(0, 1),
        Event::Give(0, 1, 1),
    ]);
    let questions = vec![
        Question::Where(0),
        Question::Where(1),
        Question::WhereThing(0),
        Question::Holder(0),
        Question::Carrying(0),
        Question::Carrying(1),
        Question::HowMany(1),
    ];
    Small {
        scene: scene(2, 2, 2),
        start: vec![],
        watched: None,
        events,
        questions,
        length: 3,
    }
    .check("things_are_where_every_possible_world_has_them", &Exact::No);
}

/// Verbs that are not understood.
#[test]
fn a_verb_that_is_not_understood_hides_what_it_may_have_changed() {
    let mut events = vec![];
    for p in 0..2 {
        events.extend([
            Event::Go(p, 0),
            Event::Go(p, 1),
            Event::Take(p, 0),
            Event::GapThing(p, 0),
        ]);
    }
    events.extend([
        Event::Drop(0, 0),
        Event::GapTo(0, 0),
        Event::GapIn(0, 1),
        Event::GapEither(0, 0, 1),
        Event::GapGift(0, 0, 1),
        Event::GapGift(1, 0, 0),
        Event::GapShift(0, 0, 0),
        Event::IsNot(0, 0),
        Event::GapPlace(1, 0),
    ]);
    let questions = vec![
        Question::Where(0),
        Question::Where(1),
        Question::IsAt(0, 0),
        Question::WhereThing(0),
        Question::Holder(0),
        Question::Carrying(1),
    ];
    Small {
        scene: scene(2, 2, 1),
        start: vec![],
        watched: None,
        events,
        questions,
        length: 3,
    }
    .check(
        "a_verb_that_is_not_understood_hides_what_it_may_have_changed",
        &Exact::No,
    );
}

/// What people do to one thing and with each other.
#[test]
fn a_verb_changes_what_its_class_says() {
    let events = vec![
        Event::Go(0, 0),
        Event::Go(1, 1),
        Event::Take(0, 0),
        Event::Own(1, 0),
        Event::Drop(0, 0),
        Event::Give(0, 0, 1),
        Event::TakeFrom(0, 0, 1),
        Event::Has(0, 0),
        Event::Consume(0, 0),
        Event::Exit(0, 0),
        Event::Either(0, 0, 1),
        Event::Either(1, 0, 1),
        Event::IsNot(1, 0),
    ];
    let questions = vec![
        Question::Where(0),
        Question::Where(1),
        Question::IsAt(0, 1),
        Question::WhereThing(0),
        Question::Holder(0),
        Question::Carrying(0),
        Question::HowMany(1),
    ];
    Small {
        scene: scene(2, 2, 1),
        start: vec![],
        watched: None,
        events,
        questions,
        length: 3,
    }
    .check("a_verb_changes_what_its_class_says", &Exact::No);
}

/// Where people put and carry things, one of which holds the other.
#[test]
fn a_thing_is_where_it_was_put_or_what_holds_it_is() {
    let events = vec![
        Event::Go(0, 0),
        Event::Go(1, 1),
        Event::Take(0, 1),
        Event::Take(0, 0),
        Event::Take(1, 0),
        Event::Drop(0, 1),
        Event::Put(0, 0, 1),
        Event::PutInto(0, 0, 1),
        Event::Bring(0, 0, 1),
        Event::Bring(1, 1, 0),
        Event::Shift(0, 0, 0),
        Event::GapThing(0, 1),
        Event::Either(0, 0, 1),
        Event::IsNot(0, 1),
    ];
    let questions = vec![
        Question::Where(0),
        Question::IsAt(0, 1),
        Question::WhereThing(0),
        Question::WhereThing(1),
        Question::Holder(1),
        Question::Carrying(0),
    ];
    let mut scene = scene(2, 2, 2);
    scene.things[1] = "box";
    Small {
        scene,
        start: vec![],
        watched: None,
        events,
        questions,
        length: 3,
    }
    .check(
        "a_thing_is_where_it_was_put_or_what_holds_it_is",
        &Exact::No,
    );
}

/// With places told first, all that follows is answered.
#[test]
fn things_of_people_at_known_places_are_found() {
    let mut events = Vec::new();
    for p in 0..2 {
        for l in 0..2 {
            events.push(Event::Go(p, l));
        }
        events.extend([
            Event::Take(p, 0),
            Event::Drop(p, 0),
            Event::Give(p, 0, 1 - p),
        ]);
    }
    let questions = vec![
        Question::Where(1),
        Question::WhereThing(0),
        Question::IsThingAt(0, 1),
        Question::Holder(0),
        Question::Carrying(0),
        Question::HowMany(1),
    ];
    Small {
        scene: scene(2, 2, 1),
        start: vec![Event::Go(0, 0), Event::Go(1, 1)],
        watched: None,
        events,
        questions,
        length: 3,
    }
    .check("things_of_people_at_known_places_are_found", &Exact::Yes);
}

/// Where one person was who began in the kitchen.
#[test]
fn a_place_before_another_is_that_of_every_possible_world() {
    let mut events = Vec::new();
    for l in 0..3 {
        events.extend([Event::Go(0, l), Event::GapTo(0, l)]);
    }
    events.extend([
        Event::IsNot(0, 0),
        Event::NoLonger(0, 1),
        Event::Either(0, 0, 1),
        Event::GapIn(0, 1),
        Event::GapEither(0, 0, 1),
        Event::Wander(0, 0),
        Event::Earlier(0, 1),
    ]);
    let questions = (0..3).map(|l| Question::Before(0, l)).collect();
    Small {
        scene: scene(1, 3, 0),
        start: vec![Event::Go(0, 0)],
        watched: Some(Watched::Person(0)),
        events,
        questions,
        length: 3,
    }
    .check(
        "a_place_before_another_is_that_of_every_possible_world",
        &Exact::No,
    );
}

/// Where one of two people was who only move.
#[test]
fn a_place_before_another_is_found_among_moves() {
    let events = (0..2)
        .flat_map(|p| (0..3).map(move |l| Event::Go(p, l)))
        .collect();
    let questions = (0..3).map(|l| Question::Before(0, l)).collect();
    Small {
        scene: scene(2, 3, 0),
        start: vec![],
        watched: Some(Watched::Person(0)),
        events,
        questions,
        length: 4,
    }
    .check("a_place_before_another_is_found_among_moves", &Exact::Yes);
}

/// Where a thing was that one took who began in the kitchen.
#[test]
fn a_thing_was_before_where_every_possible_world_had_it() {
    let mut events = Vec::new();
    for p in 0..2 {
        events.extend([Event::Go(p, 0), Event::Go(p, 1), Event::Take(p, 0)]);
    }
    events.extend([
        Event::Drop(0, 0),
        Event::Give(0, 0, 1),
        Event::GapThing(1, 0),
        Event::GapTo(0, 1),
        Event::Earlier(0, 2),
        Event::Shift(0, 0, 1),
    ]);
    let questions = (0..2).map(|l| Question::ThingBefore(0, l)).collect();
    Small {
        scene: scene(2, 3, 1),
        start: vec![Event::Go(0, 0), Event::Take(0, 0)],
        watched: Some(Watched::Thing(0)),
        events,
        questions,
        length: 3,
    }
    .check(
        "a_thing_was_before_where_every_possible_world_had_it",
        &Exact::No,
    );
}

/// What did not happen, or is only wanted.
#[test]
fn what_did_not_happen_moves_nobody() {
    let events = vec![
        Event::Go(0, 0),
        Event::Go(0, 1),
        Event::Either(0, 0, 1),
        Event::Take(0, 0),
        Event::Take(1, 0),
        Event::DidNotGo(0, 0),
        Event::NeverWent(0, 0),
        Event::NobodyWent(0),
        Event::Wanted(0, 0),
        Event::DidNotTake(0, 0),
        Event::DidNotDrop(0, 0),
        Event::DidNotLeave(0, 1),
    ];
    let mut questions = vec![
        Question::Where(0),
        Question::Holder(0),
        Question::Carrying(0),
    ];
    questions.extend([
        Question::IsAt(0, 0),
        Question::IsAt(0, 1),
        Question::Before(0, 1),
    ]);
    Small {
        scene: scene(2, 2, 1),
        start: vec![],
        watched: Some(Watched::Person(0)),
        events,
        questions,
        length: 3,
    }
    .check("what_did_not_happen_moves_nobody", &Exact::No);
}
