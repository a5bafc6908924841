//! Oracles of chance: how many places a share takes, which ones, and that the draws are
//! those of the published generator. All is seen in what a disturbance changes.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use obernant::{Product, Record, Table};
use world::measure::disturb::{Disturbance, Share};

use crate::rules::{Due, accept, disturbed, statement};

const SENTENCE: &str = "Fred went to the hall.";
const USES: [&str; 4] = ["subjects", "verbs", "statements", "fillers"];

/// Which of the places a share takes, a cross for each one taken.
fn taken(used: usize, percent: u64, places: usize, seed: u64) -> String {
    let share = Share::new(percent, seed);
    let mut disturbance = Disturbance::default();
    *[
        &mut disturbance.someone,
        &mut disturbance.mask,
        &mut disturbance.replace,
        &mut disturbance.filler,
    ][used] = share;
    let lines = (1..=places).map(|id| statement(id, SENTENCE)).collect();
    let lines = disturbed(lines, disturbance);
    let changed: Vec<bool> = lines.iter().map(|line| line.text != SENTENCE).collect();
    let marks: Vec<bool> = match USES[used] {
        // A filler is a line more, before the one that got it.
        "fillers" => (0..lines.len())
            .filter(|&at| !changed[at])
            .map(|at| at > 0 && changed[at - 1])
            .collect(),
        _ => changed,
    };
    marks
        .iter()
        .map(|&mark| if mark { 'x' } else { '.' })
        .collect()
}

/// The nearest number, and of two as near the greater one.
pub(crate) fn sizes(record: &mut Record) {
    let most = usize::try_from(record.bound("places", 8)).expect("a small bound");
    let seeds = [0, 1, 2, u64::MAX];
    let universe = Product::new()
        .with("percent", 0..=100)
        .with("places", 0..=most)
        .with("seed", seeds);
    accept(
        record,
        "the draw of a share",
        &universe,
        |case| {
            let marks = taken(2, case[0] as u64, case[1], seeds[case[2]]);
            format!("{} of {} taken", marks.matches('x').count(), marks.len())
        },
        |case| {
            let exact = case[0] * case[1];
            let nearest =
                (0..=case[1]).min_by_key(|size| ((100 * size).abs_diff(exact), Reverse(*size)));
            let nearest = nearest.expect("there is zero at least");
            Due::new(
                format!("{nearest} of {} taken", case[1]),
                format!("{nearest} taken"),
            )
        },
    );
}

/// Five places and shares that are whole numbers of them: what some seed draws.
pub(crate) fn choices(record: &mut Record) {
    let seeds = record.bound("seeds", 300);
    let drawn: Vec<BTreeSet<String>> = (0..=5)
        .map(|size| {
            (0..seeds)
                .map(|seed| taken(2, 20 * size, 5, seed))
                .collect()
        })
        .collect();
    let choice = |number: usize| -> String {
        (0..5)
            .map(|place| if number >> place & 1 == 1 { 'x' } else { '.' })
            .collect()
    };
    let universe = Product::new()
        .with("percent", (0..=5).map(|size| 20 * size))
        .with("choice", (0..32).map(choice));
    let name = |drawn: bool| if drawn { "drawn" } else { "never drawn" };
    accept(
        record,
        "the draw of a share",
        &universe,
        |case| name(drawn[case[0]].contains(&choice(case[1]))).to_owned(),
        |case| Due::plain(name(choice(case[1]).matches('x').count() == case[0])),
    );
}

const PUBLISHED_SEED: u64 = 1_234_567;
/// What the published generator gives for it, one after another.
const PUBLISHED: [u64; 5] = [
    6_457_827_717_110_365_317,
    3_203_168_211_198_807_973,
    9_817_491_932_198_370_423,
    4_593_380_528_125_082_431,
    16_408_922_859_458_223_821,
];
/// The numbers that keep the four uses of one seed apart.
const KINDS: [u64; 4] = [2, 3, 4, 5];

/// Where each use gets the seed that makes its stream the published one, all four take
/// the same places: with `wanted` of `left` places to take, the next one is taken where
/// the drawn number is below that part of all numbers.
pub(crate) fn stream(record: &mut Record) {
    let percents: Vec<u64> = (0..=10).map(|tenth| 10 * tenth).collect();
    let universe = Product::new()
        .with("use", USES)
        .with("percent", &percents)
        .with("places", 1..=5);
    let due = |case: &[usize]| -> String {
        let places = case[2] + 1;
        let mut wanted = (case[1] * places + 5) / 10;
        (0..places)
            .map(|place| {
                let left = (places - place) as u128;
                let hit = u128::from(PUBLISHED[place]) * left < (wanted as u128) << 64;
                wanted -= usize::from(hit);
                if hit { 'x' } else { '.' }
            })
            .collect()
    };
    let mut table = Table::new(
        "the draw of a share",
        &universe,
        |case| format!("{case:?}"),
        |case, _| {
            let seed = PUBLISHED_SEED ^ KINDS[case[0]] << 56;
            taken(case[0], percents[case[1]], case[2] + 1, seed)
        },
    );
    record.partition(&mut table, |outcome| outcome, due);
    record.literal(&mut table, due);
}
