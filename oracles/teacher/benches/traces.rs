//! Ratios of two ways to go over all traces, measured in one run: the oracle
//! against a plain loop over the same decoder, and prefix sharing against
//! decoding each trace anew. A program that prints; nothing fails on a time.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use obernant::Record;
use obernant::{Branch, Sequences, Table, Universe, count};
use oracles_teacher::{Constraints, STRICT, decode, outcome, roles, text, verdict, words};
use teacher::{Contract, Decoder};

const LENGTH: u64 = 5;
const SHARED: u64 = 7;

fn main() {
    // `cargo test` runs benches once with this argument: then only a small part.
    let (length, shared) = if std::env::args().any(|argument| argument == "--bench") {
        (LENGTH, SHARED)
    } else {
        (3, 4)
    };
    let (traces, plain) = timed(|| plain_loop(length));
    let ((), oracle) = timed(|| checked(length));
    println!("oracle, length {length}, {traces} traces");
    println!(
        "  plain loop   {:>12.0} traces per second",
        rate(traces, plain)
    );
    println!(
        "  oracle       {:>12.0} traces per second",
        rate(traces, oracle)
    );
    println!(
        "  ratio        {:>12.2} (oracle : plain loop)",
        plain.as_secs_f64() / oracle.as_secs_f64()
    );

    let (anew, each) = timed(|| decode_each(shared));
    let (walked, walk) = timed(|| share_prefixes(shared));
    let expected: BTreeMap<String, u64> = count(
        STRICT.len(),
        Constraints::new(Contract::Strict, STRICT),
        shared,
    )
    .into_iter()
    .map(|(name, cases)| (name, u64::try_from(cases).expect("fewer than 2^64 traces")))
    .collect();
    assert_eq!(
        anew, expected,
        "decoding each trace and the transfer matrix agree"
    );
    assert_eq!(walked, expected, "the walk and the transfer matrix agree");
    let traces: u64 = expected.values().sum();
    println!("prefix sharing, length {shared}, {traces} traces");
    println!(
        "  each anew    {:>12.0} traces per second",
        rate(traces, each)
    );
    println!(
        "  shared       {:>12.0} traces per second",
        rate(traces, walk)
    );
    println!(
        "  ratio        {:>12.2} (shared : each anew)",
        each.as_secs_f64() / walk.as_secs_f64()
    );
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a printed rate needs no last digit"
)]
fn rate(traces: u64, time: Duration) -> f64 {
    traces as f64 / time.as_secs_f64()
}

/// Builds each text and decodes it, and does nothing else.
fn plain_loop(length: u64) -> u64 {
    let universe = Sequences::new(words(STRICT), length);
    for index in 0..universe.len() {
        let _ = black_box(decode(
            Contract::Strict,
            &text(STRICT, &universe.case(index)),
        ));
    }
    universe.len()
}

/// The same with the oracle's observation, stream digest and reconstruction.
fn checked(length: u64) {
    let mut record = Record::start("traces");
    let universe = Sequences::new(words(STRICT), length);
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| text(STRICT, case),
        |case, text| {
            outcome(
                Contract::Strict,
                &roles(STRICT, case),
                &decode(Contract::Strict, text),
            )
        },
    );
    let fibers = ["A/10", "A/20", "B/10", "B/20"];
    record.reconstruction(&mut table, &fibers, |case| {
        let due = verdict(Contract::Strict, &roles(STRICT, case)).fiber();
        move |fiber| due.as_deref() == Some(fibers[fiber])
    });
}

/// How many traces have each outcome, each text decoded from its beginning.
fn decode_each(length: u64) -> BTreeMap<String, u64> {
    let universe = Sequences::new(words(STRICT), length);
    let mut counts = BTreeMap::new();
    for index in 0..universe.len() {
        let case = universe.case(index);
        let result = decode(Contract::Strict, &text(STRICT, &case));
        add(&mut counts, name(&result), 1);
    }
    counts
}

/// The same counts from a walk that pushes one line to a copy of the parent's
/// decoder, and counts everything below a failure at once.
fn share_prefixes(length: u64) -> BTreeMap<String, u64> {
    let universe = Sequences::new(words(STRICT), length);
    let mut counts = BTreeMap::new();
    universe.walk(
        &Decoder::new(Contract::Strict),
        &mut |decoder, symbol| {
            let mut next = decoder.clone();
            match next.push(STRICT[symbol].line) {
                Ok(()) => Branch::Live(next),
                Err(_) => Branch::Absorbed(next),
            }
        },
        &mut |decoder, cases| add(&mut counts, name(&decoder.clone().finish()), cases),
    );
    counts
}

fn name(result: &Result<teacher::Reply, teacher::Failure>) -> String {
    match result {
        Ok(reply) => format!("{}/{}", reply.result, reply.usage.input_tokens),
        Err(_) => "a failure".to_owned(),
    }
}

fn add(counts: &mut BTreeMap<String, u64>, name: String, cases: u64) {
    *counts.entry(name).or_insert(0) += cases;
}
