//! What stops an answer, in order: the question, the first sentence that hides the
//! whole story, a word that may be no name, a sentence about other matters.

use obernant::{Record, Table};
use oracles_world::{Asked, Event, Possible, REFUSED, Reader, Scene, answer_of, told};
use world::babi::{Answer, Refusal, Story};

const KITCHEN: usize = 0;
const TAKES: usize = 1;
const CONTRADICTS: usize = 2;
const STRANGE: usize = 3;
const PERHAPS_NAME: usize = 4;
const NAME: usize = 5;
const MAP: usize = 6;

const SENTENCES: [&str; 7] = [
    "Mary went to the kitchen.",
    "Mary took the milk.",
    "John took the milk.",
    "Rain fell on everything and nobody cared.",
    "Thunder blicked to the garden.",
    "Thunder went to the garden.",
    "The garden is north of the kitchen.",
];

const QUESTIONS: [&str; 3] = [
    "Where is Mary?",
    "What is north of the kitchen?",
    "Whither did Mary go?",
];

fn observed(story: &Story, question: &str) -> String {
    match story.ask(question) {
        Answer::Known { text, .. } => text,
        Answer::Unknown(Refusal::Question) => "the question".to_owned(),
        Answer::Unknown(Refusal::Gap(gap)) => format!("sentence {}", gap.id),
        Answer::Unknown(Refusal::OtherMatter(id)) => format!("another matter in {id}"),
        Answer::Unknown(_) => "silence".to_owned(),
    }
}

/// The number of the first sentence that can't be taken in.
fn first_break(story: &[usize]) -> Option<usize> {
    let mut holder = None;
    for (at, sentence) in story.iter().enumerate() {
        match *sentence {
            STRANGE => return Some(at + 1),
            TAKES | CONTRADICTS if holder.is_some_and(|it| it != *sentence) => return Some(at + 1),
            TAKES | CONTRADICTS => holder = Some(*sentence),
            _ => {}
        }
    }
    None
}

fn doubt(story: &[usize]) -> Option<usize> {
    let first = story
        .iter()
        .position(|it| matches!(*it, PERHAPS_NAME | NAME))?;
    (!story.contains(&NAME)).then_some(first + 1)
}

fn other(story: &[usize], question: usize) -> Option<usize> {
    let wrong = |sentence: &usize| (*sentence == MAP) != (question == 1);
    story.iter().position(wrong).map(|at| at + 1)
}

#[test]
fn the_first_gate_that_stops_an_answer_is_told() {
    let mut record = Record::start("the_first_gate_that_stops_an_answer_is_told");
    let length = record.bound("length", 4);
    let sentences = SENTENCES.map(str::to_owned);
    let universe = Asked::new(&sentences, length, QUESTIONS.map(str::to_owned).to_vec());
    let stories = Reader::new(Story::new());
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| obernant::Universe::words(&universe, case),
        |case, _| {
            let (question, story) = case.split_last().expect("a question");
            stories.at(
                story,
                |story, at, it| told(story, at, SENTENCES[it]),
                |story| observed(story, QUESTIONS[*question]),
            )
        },
    );
    record.gates(&mut table, "silence", |case| {
        let (&question, story) = case.split_last().expect("a question");
        let gap = first_break(story);
        let doubt = doubt(story);
        let other = other(story, question);
        let number = |words: &str, id: Option<usize>| format!("{words} {}", id.unwrap_or_default());
        let told = match question {
            0 => story.contains(&KITCHEN).then_some("kitchen"),
            _ => story.contains(&MAP).then_some("garden"),
        };
        [
            ("the question".to_owned(), question == 2),
            (number("sentence", gap), gap.is_some()),
            (number("sentence", doubt), doubt.is_some()),
            (number("another matter in", other), other.is_some()),
            (told.unwrap_or_default().to_owned(), told.is_some()),
        ]
    });
    record.finish();
}

/// A sentence of each matter, a question that it answers, and the answer.
const MATTERS: [(&str, &str, &str); 5] = [
    ("Mary went to the hallway.", "Where is Mary?", "hallway"),
    (
        "Mary is afraid of wolves.",
        "What is Mary afraid of?",
        "wolf",
    ),
    (
        "The garden is north of the kitchen.",
        "What is north of the kitchen?",
        "garden",
    ),
    (
        "The triangle is above the square.",
        "Is the triangle above the square?",
        "yes",
    ),
    (
        "The crate is bigger than the parcel.",
        "Is the crate bigger than the parcel?",
        "yes",
    ),
];

#[test]
fn a_story_answers_questions_of_its_only_matter() {
    let mut record = Record::start("a_story_answers_questions_of_its_only_matter");
    let length = record.bound("length", 3);
    let universe = Asked::new(
        &MATTERS.map(|(sentence, ..)| sentence.to_owned()),
        length,
        MATTERS.map(|(_, question, _)| question.to_owned()).to_vec(),
    );
    let stories = Reader::new(Story::new());
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| obernant::Universe::words(&universe, case),
        |case, _| {
            let (question, story) = case.split_last().expect("a question");
            stories.at(
                story,
                |story, at, it| told(story, at, MATTERS[it].0),
                |story| observed(story, MATTERS[*question].1),
            )
        },
    );
    let mut answers = MATTERS.map(|(_, _, answer)| answer).to_vec();
    answers.dedup();
    let refused = [
        "silence",
        "another matter in 1",
        "another matter in 2",
        "another matter in 3",
    ];
    record.acceptance(
        &mut table,
        &answers,
        &refused,
        |case| {
            let (question, story) = case.split_last().expect("a question");
            let all = !story.is_empty() && story.iter().all(|it| it == question);
            let answer = answers.iter().position(|it| *it == MATTERS[*question].2);
            answer.filter(|_| all)
        },
        |case| {
            let question = case.last().expect("a question");
            format!(
                "only a story of nothing else answers {}",
                MATTERS[*question].1
            )
        },
    );
    record.finish();
}

/// What people feel, where they go for it, and why they went.
#[test]
fn a_motive_explains_what_followed_it() {
    let mut record = Record::start("a_motive_explains_what_followed_it");
    let length = record.bound("length", 3);
    let sentences = [
        "Mary is thirsty.",
        "Mary is tired.",
        "Mary is bored.",
        "John is tired.",
        "Mary went to the kitchen.",
        "Mary took the milk.",
        "Mary drank the juice.",
    ];
    let questions = [
        "Where will Mary go?",
        "Why did Mary go to the kitchen?",
        "Why did Mary go to the attic?",
        "Why did Mary take the milk?",
    ];
    let universe = Asked::new(
        &sentences.map(str::to_owned),
        length,
        questions.map(str::to_owned).to_vec(),
    );
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| {
            let (_, story) = case.split_last().expect("a question");
            story
                .iter()
                .map(|&it| sentences[it])
                .collect::<Vec<_>>()
                .join(" ")
        },
        |case, text| {
            let question = *case.last().expect("a question");
            answer_of(&Story::read(text), questions[question])
        },
    );
    let answers = ["kitchen", "bedroom", "garden", "thirsty", "tired", "bored"];
    record.acceptance(
        &mut table,
        &answers,
        &["refused"],
        |case| {
            let (&question, story) = case.split_last().expect("a question");
            // Who drank or ate may feel so no more.
            let since = story.iter().rposition(|it| *it == 6).map_or(0, |at| at + 1);
            let mut felt = story[since..].iter().copied().filter(|it| *it < 3);
            let state = felt.next().filter(|state| felt.all(|it| it == *state))?;
            let last = story.iter().rposition(|it| *it == state)?;
            let follows = |sentence| story[last..].contains(&sentence);
            match question {
                0 => Some([0, 1, 2][state]),
                1 => (state == 0 && follows(4)).then_some(3),
                2 => None,
                _ => follows(5).then_some(3 + state),
            }
        },
        |_| "only the one state that was told explains what followed".to_owned(),
    );
    record.finish();
}

/// Gifts, and what may have been one.
#[test]
fn a_gift_is_the_last_one_with_the_parts_that_are_named() {
    let mut record = Record::start("a_gift_is_the_last_one_with_the_parts_that_are_named");
    let length = record.bound("length", 4);
    let scene = Scene {
        people: vec!["Mary", "John"],
        places: vec!["kitchen", "garden"],
        things: vec!["milk", "football"],
    };
    let events = [
        Event::Give(0, 0, 1),
        Event::Give(1, 0, 0),
        Event::Give(0, 1, 1),
        Event::GapGift(0, 0, 1),
        Event::GapGift(1, 1, 0),
        Event::Take(0, 0),
    ];
    // With the parts that each names: the giver, the thing, the receiver; the first
    // number says which of them is asked.
    let questions = [
        ("Who gave the milk?", 0, [None, Some(0), None]),
        ("Who gave the milk to John?", 0, [None, Some(0), Some(1)]),
        ("What did Mary give to John?", 1, [Some(0), None, Some(1)]),
        ("Who received the milk?", 2, [None, Some(0), None]),
        (
            "Who did Mary give the football to?",
            2,
            [Some(0), Some(1), None],
        ),
    ];
    let sentences = events.map(|it| scene.sentence(it));
    let asked = questions.map(|(words, ..)| words.to_owned()).to_vec();
    let universe = Asked::new(&sentences, length, asked);
    let stories = Reader::new(Story::new());
    let mut table = Table::new(
        "the reader",
        &universe,
        |case| obernant::Universe::words(&universe, case),
        |case, _| {
            let (question, story) = case.split_last().expect("a question");
            stories.at(
                story,
                |story, at, event| told(story, at, &sentences[event]),
                |story| answer_of(story, questions[*question].0),
            )
        },
    );
    let worlds = Reader::new(Possible::new(&scene));
    let answers = ["Mary", "John", "milk", "football"];
    let due = |case: &[usize]| {
        let (question, story) = case.split_last().expect("a question");
        let after = |it: &Possible, _, event: usize| it.after(events[event]);
        if worlds.at(story, after, Possible::is_impossible) {
            return None;
        }
        let (_, wanted, parts) = questions[*question];
        let gift = story.iter().rev().find_map(|it| {
            match events[*it] {
                Event::Give(p, o, q) => Some(([p, o, q], true)),
                Event::GapGift(p, o, q) => Some(([p, o, q], false)),
                _ => None,
            }
            .filter(|(gift, _)| {
                parts
                    .iter()
                    .zip(gift)
                    .all(|(part, it)| part.is_none_or(|part| part == *it))
            })
        });
        let (gift, is_one) = gift?;
        let place = if wanted == 1 {
            2 + gift[1]
        } else {
            gift[wanted]
        };
        is_one.then_some(place)
    };
    record.acceptance(&mut table, &answers, &[REFUSED], due, |case| {
        due(case).map_or("no gift is told".to_owned(), |at| {
            format!("{} is due", answers[at])
        })
    });
    record.finish();
}
