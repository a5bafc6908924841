//! Oracles of the score: where a question is counted, which answers are the same, and
//! what a window shows.

use std::num::NonZeroUsize;

use obernant::{Product, Record, Sequences, Table};
use world::measure::score::{Tally, same_answer};
use world::measure::task_file::TaskStory;

use crate::rules::{Due, accept, lists, question, read, statement, told};
use crate::small_world::{asked, sentences};

const ANSWERS: [&str; 3] = ["kitchen", "KITCHEN", "garden"];
const SUPPORTS: [Option<&[usize]>; 8] = [
    None,
    Some(&[]),
    Some(&[3, 4]),
    Some(&[4, 3]),
    Some(&[4, 3, 4]),
    Some(&[3]),
    Some(&[1, 3, 4]),
    Some(&[1, 3]),
];
/// A story with one answer that is right, one that is wrong, and one that is none.
const FIXED: &str = "1 Fred went to the hall.\n2 Where is Fred?\tgarden\t1\n\
    3 Where is Mary?\thall\n4 Where is Fred?\thall\t1\n";

/// Mary brings the milk to the kitchen, which the sentences 3 and 4 tell; the last one of
/// them alone does not. The sum with a story of known counts is told.
pub(crate) fn tallies(record: &mut Record) {
    let windows = ["none", "1", "2", "3", "9"];
    let universe = Product::new()
        .with("expected", ANSWERS)
        .with("support", SUPPORTS.map(|support| format!("{support:?}")))
        .with("window", windows);
    let fixed = read(FIXED);
    accept(
        record,
        "the score",
        &universe,
        |case| {
            let story = TaskStory {
                lines: vec![
                    statement(1, "Sandra went to the garden."),
                    question(2, "Where is Sandra?", "garden", Some(&[1])),
                    statement(3, "Mary went to the kitchen."),
                    statement(4, "Mary took the milk."),
                    question(5, "Where is Sandra?", "office", None),
                    question(6, "Where is the milk?", ANSWERS[case[0]], SUPPORTS[case[1]]),
                ],
            };
            let window: Option<NonZeroUsize> = windows[case[2]].parse().ok();
            let mut sum = Tally::default();
            for (story, window) in [(&story, window), (&fixed[0], None)] {
                let mut tally = Tally::default();
                tally.add(story, window);
                sum += tally;
            }
            told(sum)
        },
        |case| {
            // Who left the window is not known: Sandra is in three statements or more.
            let sandra = !["1", "2"].contains(&windows[case[2]]);
            let milk = windows[case[2]] != "1";
            let right = ANSWERS[case[0]] != "garden";
            let exact = [2, 3, 4].contains(&case[1]);
            let correct = 2 + usize::from(milk && right);
            let wrong = 1 + usize::from(milk && !right) + usize::from(sandra);
            let refused = 1 + usize::from(!milk) + usize::from(!sandra);
            let support = 2 + usize::from(milk && right && exact);
            Due::plain(format!(
                "6 asked: {correct} correct, {wrong} wrong, {refused} refused, {support} with exact support"
            ))
        },
    );
}

/// All pairs of texts of at most two of six letters: they are the same answer where they
/// differ in the case of `a` at most.
pub(crate) fn answers(record: &mut Record) {
    let length = record.bound("length", 2);
    let texts: Vec<String> = lists(&["a", "A", "b", ",", "é", "É"], length)
        .iter()
        .map(|letters| letters.concat())
        .collect();
    let universe = Product::new()
        .with("given", texts.iter().map(|text| format!("<{text}>")))
        .with("expected", texts.iter().map(|text| format!("<{text}>")));
    let same =
        |case: &[usize]| texts[case[0]].replace('A', "a") == texts[case[1]].replace('A', "a");
    let name = |same: bool| if same { "the same" } else { "another" }.to_owned();
    let mut table = Table::new(
        "the comparison",
        &universe,
        |case| format!("{} {}", texts[case[0]], texts[case[1]]),
        |case, _| name(same_answer(&texts[case[0]], &texts[case[1]])),
    );
    record.partition(&mut table, |outcome| outcome, same);
    record.literal(&mut table, |case| name(same(case)));
}

/// A story of the small world, asked of its last statements through a window, and the
/// same statements alone, asked without one.
pub(crate) fn windows(record: &mut Record) {
    let length = record.bound("length", 4);
    let told_in = sentences();
    let universe = Sequences::new(&told_in, length);
    let story = |case: &[usize]| -> Vec<&str> { case.iter().map(|&at| told_in[at]).collect() };
    let mut table = Table::new(
        "the score",
        &universe,
        |case| format!("a window\n{}", asked(&story(case), 1, "kitchen")),
        |case, text| {
            let (way, text) = text.split_once('\n').expect("the oracle writes two parts");
            let file = read(text);
            let scores = (1..=3).map(|size| {
                let mut tally = Tally::default();
                if way == "a window" {
                    tally.add(&file[0], NonZeroUsize::new(size));
                } else {
                    let first = case.len().saturating_sub(size);
                    let lines = file[0].lines[first..].to_vec();
                    tally.add(&TaskStory { lines }, None);
                }
                told(tally)
            });
            scores.collect::<Vec<_>>().join("; ")
        },
    );
    record.invariance(&mut table, |case| {
        format!(
            "the statements alone\n{}",
            asked(&story(case), 1, "kitchen")
        )
    });
}
