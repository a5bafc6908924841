//! Oracles of the decoder over finite sets of traces: every stream over an
//! alphabet up to a length, against constraints on whole traces.

use std::io::BufReader;

use obernant::{Product, Record, Sequences, Table, Universe};
use oracles_teacher::{
    Constraints, Decoding, GATES, Role, STRICT, Symbol, TOLERANT, Verdict, decode, gates,
    located_failure, outcome, roles, text, verdict, words,
};
use serde_json::json;
use teacher::{Category, Contract, Decoder, Failure, Reply, decode_reader};

/// The four replies that the alphabets allow.
const FIBERS: [&str; 4] = ["A/10", "A/20", "B/10", "B/20"];

/// Failures are one class; the gates oracle tells them apart.
fn joined(outcome: &str) -> &str {
    if FIBERS.contains(&outcome) {
        outcome
    } else {
        "a failure"
    }
}

/// The whole traces of an alphabet, in every way: complement, reconstruction,
/// partition, counts by transfer matrix, and closure over all lengths.
fn exhaust(mut record: Record, contract: Contract, alphabet: &'static [Symbol]) {
    let length = record.bound("length", 5);
    record.assume("no allocation fails");
    record.assume("the declared control state is all that a transition reads");
    record.assume("a wrong text shows at most one line later");
    let universe = Sequences::new(words(alphabet), length);
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| text(alphabet, case),
        |case, text| outcome(contract, &roles(alphabet, case), &decode(contract, text)),
    );
    let failures = Category::ALL.map(|category| format!("error {}", category.as_str()));
    let rule = |case: &[usize]| verdict(contract, &roles(alphabet, case));

    let place = |due: &Verdict| {
        let fiber = due.fiber()?;
        FIBERS.iter().position(|known| *known == fiber)
    };
    let due = |case: &[usize]| place(&rule(case));
    record.acceptance(&mut table, &FIBERS, &failures, due, |case| {
        rule(case).words()
    });
    record.partition(&mut table, joined, due);
    let symbols = words(alphabet);
    let automaton = Constraints::new(contract, alphabet);
    record.transfer_matrix(&table, symbols.len(), automaton.clone(), length, &FIBERS);
    record.closure(
        "the decoder",
        &symbols,
        Decoding::new(contract, alphabet),
        automaton,
        length,
    );
    record.finish();
}

#[test]
fn finite_trace_oracle_preserves_turn_identity() {
    let record = Record::start("finite_trace_oracle_preserves_turn_identity");
    exhaust(record, Contract::Strict, STRICT);
}

#[test]
fn finite_trace_oracle_tolerant() {
    let record = Record::start("finite_trace_oracle_tolerant");
    exhaust(record, Contract::Tolerant, &TOLERANT);
}

/// Where the first failure stands and what it is, on every stream over the
/// symbols that gates tell apart.
fn first_failure(mut record: Record, contract: Contract) {
    let length = record.bound("length", 4);
    record.assume("messages are compared where they are the stream's own");
    let universe = Sequences::new(words(&GATES), length);
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| text(&GATES, case),
        |_, text| match decode(contract, text) {
            Ok(_) => "a reply".to_owned(),
            Err(error) => located_failure(&error),
        },
    );
    record.gates(&mut table, "a reply", |case| {
        gates(contract, roles(&GATES, case))
    });
    // The positional rule is another derivation of the same boundary.
    let replies = |rule: &dyn Fn(&[usize]) -> bool| {
        (0..universe.len())
            .filter(|&index| rule(&universe.case(index)))
            .count()
    };
    let accepted = replies(&|case| verdict(contract, &roles(&GATES, case)).fiber().is_some());
    let found = table.seen("a reply");
    record.equal("replies by position", &found, &(accepted as u64));
    record.second(
        "constraints on whole traces",
        json!({ "universe": universe.len(), "accepted": accepted }),
    );
    record.claim("accepted", found);
    record.finish();
}

#[test]
fn the_first_failure_decides_category_and_line() {
    let record = Record::start("the_first_failure_decides_category_and_line");
    first_failure(record, Contract::Strict);
}

#[test]
fn the_first_failure_decides_category_and_line_tolerant() {
    let record = Record::start("the_first_failure_decides_category_and_line_tolerant");
    first_failure(record, Contract::Tolerant);
}

/// The ways to hand a stream to the decoder.
const WAYS: [&str; 4] = [
    "whole",
    "line by line to the end",
    "lines with their ends",
    "a reader",
];

/// Decodes lines in one of these ways. Pushing goes on after a refusal, since
/// the first failure must stay.
fn hand_in(way: usize, contract: Contract, text: &str, bad: &[u8]) -> Result<Reply, Failure> {
    let bytes = [text.as_bytes(), bad].concat();
    let mut decoder = Decoder::new(contract);
    match way {
        0 => return decode(contract, text),
        1 => text.lines().for_each(|line| drop(decoder.push(line))),
        2 => bytes
            .split_inclusive(|byte| *byte == b'\n')
            .for_each(|line| drop(decoder.push_bytes(line))),
        // A buffer of seven bytes tears every line.
        _ => {
            let reader = BufReader::with_capacity(7, bytes.as_slice());
            return decode_reader(contract, reader).expect("a slice can be read");
        }
    }
    decoder.finish()
}

#[test]
fn every_way_to_hand_in_a_stream_is_judged_alike() {
    let mut record = Record::start("every_way_to_hand_in_a_stream_is_judged_alike");
    let length = record.bound("length", 3);
    let streams = Sequences::new(words(&GATES), length);
    let names =
        (0..streams.len()).map(|index| format!("<{}>", streams.words(&streams.case(index))));
    let universe = Product::new()
        .with("way", WAYS)
        .with("contract", ["strict", "tolerant"])
        .with("last byte", ["as it is", "no UTF-8"])
        .with("stream", names);
    let contract = |case: &[usize]| [Contract::Strict, Contract::Tolerant][case[1]];
    let stream = |case: &[usize]| streams.case(case[3] as u64);
    // A text is UTF-8 by its type, so only the last two ways can meet the bad byte.
    let bad = |case: &[usize]| case[2] == 1 && case[0] > 1;
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| text(&GATES, &stream(case)),
        |case, text| {
            let bytes: &[u8] = if bad(case) { b"{\"\xff" } else { b"" };
            match hand_in(case[0], contract(case), text, bytes) {
                Ok(_) => "a reply".to_owned(),
                Err(error) => located_failure(&error),
            }
        },
    );
    record.gates(&mut table, "a reply", |case| {
        let mut roles = roles(&GATES, &stream(case));
        roles.extend(bad(case).then_some(Role::NotUtf8));
        gates(contract(case), roles)
    });
    record.finish();
}
