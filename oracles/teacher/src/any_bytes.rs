//! What holds for every byte string, as one plain function that a property test
//! and a fuzzer drive alike.

use std::str::from_utf8;

use teacher::output::EventStream;
use teacher::{
    Category, Contract, Failure, Reply, decode_events, decode_events_tolerant, decode_reader,
    provider_busy, provider_busy_tolerant,
};

/// Decodes `bytes` in every way there is, and compares.
///
/// # Panics
/// Where a way panics, a failure has no category or a line that is not there, two
/// ways differ, or a stream that strict accepts means something else to tolerant.
pub fn any_bytes(bytes: &[u8]) {
    let read = |contract| decode_reader(contract, bytes).expect("a slice can be read");
    let (strict, tolerant) = (read(Contract::Strict), read(Contract::Tolerant));
    for outcome in [&strict, &tolerant] {
        known(bytes, outcome);
    }
    if let Ok(reply) = &strict {
        let same = tolerant
            .as_ref()
            .expect("tolerant accepts what strict does");
        assert_eq!(reply.result, same.result);
        assert_eq!(reply.usage.input_tokens, same.usage.input_tokens);
        assert_eq!(reply.usage.output_tokens, same.usage.output_tokens);
    }
    let arrived = in_pieces(bytes);
    known(bytes, &arrived);
    let Ok(text) = from_utf8(bytes) else {
        let failure = arrived.expect_err("what is no UTF-8 is refused");
        assert_eq!(failure.error, Category::NotUtf8);
        return;
    };
    assert_eq!(arrived, tolerant);
    assert_eq!(decode_events(text), strict);
    assert_eq!(decode_events_tolerant(text), tolerant);
    if provider_busy(text).is_some() || provider_busy_tolerant(text).is_some() {
        assert!(
            strict.is_err() && tolerant.is_err(),
            "a busy provider answered"
        );
    }
}

/// As a pipe might bring them; the cuts depend on the bytes alone.
fn in_pieces(mut bytes: &[u8]) -> Result<Reply, Failure> {
    let mut stream = EventStream::default();
    let mut size = bytes.len();
    while !bytes.is_empty() {
        size = (size * 31 + usize::from(bytes[0])) % 97 + 1;
        let (piece, rest) = bytes.split_at(size.min(bytes.len()));
        stream.push(piece);
        bytes = rest;
    }
    stream.finish()
}

fn known(bytes: &[u8], outcome: &Result<Reply, Failure>) {
    match outcome {
        Ok(reply) => assert!(!reply.result.trim().is_empty(), "a blank answer"),
        Err(failure) => {
            assert!(Category::ALL.contains(&failure.error));
            let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
            assert!(failure.line.is_none_or(|line| (1..=lines).contains(&line)));
        }
    }
}
