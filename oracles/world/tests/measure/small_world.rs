//! A world of two persons, two places and one thing: its sentences, and a simulator
//! that works on the events and never sees English.

/// An event of the small world.
#[derive(Clone, Copy)]
enum Event {
    /// A person arrives at a place.
    Goes(usize, usize),
    /// The first person takes the thing.
    Takes,
}

const PLACES: [&str; 2] = ["kitchen", "garden"];

const EVENTS: [(&str, Event); 5] = [
    ("Mary went to the kitchen.", Event::Goes(0, 0)),
    ("Mary went to the garden.", Event::Goes(0, 1)),
    ("Fred went to the kitchen.", Event::Goes(1, 0)),
    ("Fred went to the garden.", Event::Goes(1, 1)),
    ("Mary took the milk.", Event::Takes),
];

pub(crate) fn sentences() -> Vec<&'static str> {
    EVENTS.iter().map(|(sentence, _)| *sentence).collect()
}

/// Where the two persons and the thing are; nothing where no event tells it. The
/// thing is where its carrier is, once it was taken.
pub(crate) fn simulated(sentences: &[&str]) -> [Option<&'static str>; 3] {
    let mut at = [None; 2];
    let mut taken = false;
    for sentence in sentences {
        let event = EVENTS.iter().find(|(known, _)| known == sentence);
        match event.expect("only sentences of the small world").1 {
            Event::Goes(person, place) => at[person] = Some(PLACES[place]),
            Event::Takes => taken = true,
        }
    }
    [at[0], at[1], at[0].filter(|_| taken)]
}

/// A task file: the sentences from 1 on, then questions after each person and the thing.
/// One answer is expected throughout, and the support of the last sentence.
pub(crate) fn asked(sentences: &[&str], first: usize, answer: &str) -> String {
    let mut text = String::new();
    for (id, sentence) in (first..).zip(sentences) {
        text += &format!("{id} {sentence}\n");
    }
    let last = first + sentences.len();
    let support = if sentences.is_empty() {
        String::new()
    } else {
        format!("\t{}", last - 1)
    };
    for (at, subject) in ["Mary", "Fred", "the milk"].iter().enumerate() {
        text += &format!("{} Where is {subject}?\t{answer}{support}\n", last + at);
    }
    text
}
