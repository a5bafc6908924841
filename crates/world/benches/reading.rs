//! Reading and asking against the length of the story, up to 10,000 sentences: how
//! reading a sentence and asking a question grow, as ratios to the shortest, and
//! reading against splitting the same text at blanks; with the memory that a story
//! takes per byte of its text.

use std::hint::black_box;
use std::time::{Duration, Instant};

use world::babi::{Answer, Story};

const LENGTHS: [usize; 4] = [10, 100, 1_000, 10_000];
const QUESTIONS: [&str; 5] = [
    "Where is Ann?",
    "Where is the milk?",
    "Where was Bob before the hall?",
    "Where was the milk before the hall?",
    "What is Cleo carrying?",
];
/// Each time is the least of so many.
const ROUNDS: usize = 7;

/// Three people, three places and two things in a fixed disorder; everything that is
/// asked is told.
fn story(length: usize) -> String {
    const PEOPLE: [&str; 3] = ["Ann", "Bob", "Cleo"];
    const PLACES: [&str; 3] = ["hall", "park", "shop"];
    let mut text =
        String::from("Ann went to the park. Ann took the milk there. Ann went to the hall. ");
    text += "Bob went to the park. Bob went to the hall. Cleo got the rope. ";
    for at in 6..length {
        let (person, place) = (PEOPLE[at % 3], PLACES[(at / 3 + at / 7) % 3]);
        text += &match at % 11 {
            3 => format!("After that {} went back to the {place}. ", PEOPLE[at % 2]),
            _ => format!("{person} went to the {place}. "),
        };
    }
    text
}

/// Counts here are far below what an f64 holds exactly.
fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

fn least<T>(mut work: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..ROUNDS).map(time).min().unwrap_or_default()
}

/// Bytes of this process in memory, where the system tells them.
fn memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

fn main() {
    println!(
        "per sentence and per question, as ratios to a story of {} sentences",
        LENGTHS[0]
    );
    println!(
        "{:>10} {:>10} {:>10} {:>22}",
        "sentences", "reading", "asking", "asking, per sentence"
    );
    let mut first: Option<(f64, f64)> = None;
    for length in LENGTHS {
        let text = story(length);
        let told = Story::read(&text);
        assert_eq!(told.sentences().len(), length);
        for question in QUESTIONS {
            let answer = told.ask(question);
            assert!(
                matches!(answer, Answer::Known { .. }),
                "{question}: {answer:?}"
            );
        }
        let read = least(|| Story::read(&text)).as_secs_f64() / float(length);
        let ask = least(|| QUESTIONS.map(|question| told.ask(question))).as_secs_f64();
        let (first_read, first_ask) = *first.get_or_insert((read, ask));
        let (read, ask) = (read / first_read, ask / first_ask);
        let share = ask / (float(length) / float(LENGTHS[0]));
        println!("{length:>10} {read:>10.2} {ask:>10.2} {share:>22.3}");
    }
    let text = story(100_000);
    let split = least(|| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    let before = memory();
    let start = Instant::now();
    let told = Story::read(&text);
    let read = start.elapsed().as_secs_f64() / split.as_secs_f64();
    println!("reading 100,000 sentences against copying their words: {read:.1} times the time");
    if let (Some(before), Some(after)) = (before, memory()) {
        let share = float(after.saturating_sub(before)) / float(text.len());
        println!("memory of that story: {share:.1} bytes per byte of its text");
    }
    drop(told);
}
