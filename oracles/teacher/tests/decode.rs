//! Oracles of the decoder over finite sets of traces: every stream over an
//! alphabet up to a length, against constraints on whole traces.

use obernant::{Record, Sequences, Table, Universe};
use oracles_teacher::{
    Constraints, Decoding, GATES, STRICT, Symbol, TOLERANT, Verdict, decode, gates,
    located_failure, outcome, roles, text, verdict, words,
};
use serde_json::json;
use teacher::{Category, Contract};

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
    let universe = Sequences::new(words(alphabet), length);
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| text(alphabet, case),
        |case, text| outcome(contract, &roles(alphabet, case), &decode(contract, text)),
    );
    let failures = Category::ALL.map(|category| format!("error {}", category.as_str()));
    let outcomes: Vec<&str> = FIBERS
        .into_iter()
        .chain(failures.iter().map(String::as_str))
        .collect();
    let rule = |case: &[usize]| verdict(contract, &roles(alphabet, case));

    let place = |due: &Verdict| {
        let fiber = due.fiber()?;
        FIBERS.iter().position(|known| *known == fiber)
    };
    record.complement(
        &mut table,
        &outcomes,
        |case| {
            let due = place(&rule(case));
            move |outcome| match due {
                Some(fiber) => outcome != fiber,
                None => outcome < FIBERS.len(),
            }
        },
        |case| rule(case).words(),
    );
    record.reconstruction(&mut table, &FIBERS, |case| {
        let due = place(&rule(case));
        move |fiber| due == Some(fiber)
    });
    record.partition(&mut table, joined, |case| place(&rule(case)));
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
    let found = table.histogram()["a reply"];
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
