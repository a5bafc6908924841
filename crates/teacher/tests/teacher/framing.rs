//! What a line is: LF alone ends it, blank lines count and say nothing, and the
//! way the bytes arrive makes no difference.

use proptest::prelude::*;
use teacher::{
    Category, Contract, Decoder, Failure, Reply, decode_events, decode_events_tolerant,
    decode_reader,
};

use crate::{ANSWER, COMPLETION, cases, verdict};

const TURN_STARTED: &str = r#"{"type":"turn.started"}"#;

fn from_bytes(contract: Contract, bytes: &[u8]) -> Result<Reply, Failure> {
    decode_reader(contract, bytes).expect("reading from memory never fails")
}

#[test]
fn blank_lines_crlf_and_a_missing_final_newline_change_nothing() {
    let plain = decode_events(&format!("{ANSWER}\n{COMPLETION}\n")).unwrap();
    for text in [
        format!("{ANSWER}\n{COMPLETION}"),
        format!("{ANSWER}\r\n{COMPLETION}\r\n"),
        format!("\n \t\r\n\r\n{ANSWER}\n\n{COMPLETION}\n\n\n"),
        format!("  {ANSWER}\t\n\r{COMPLETION} "),
    ] {
        assert_eq!(decode_events(&text).as_ref(), Ok(&plain), "{text:?}");
    }
}

#[test]
fn blank_lines_count_for_the_line_number() {
    let outcome = decode_events(&format!("\n\n{ANSWER}\n\nnot json\n{COMPLETION}"));
    assert_eq!(verdict(&outcome), Some((Category::MalformedJson, Some(5))));
}

#[test]
fn other_white_space_than_json_s_is_no_blank_line() {
    for line in ["\u{a0}", "\u{85}", "\u{2028}", "\u{b}", "\u{c}", "\u{feff}"] {
        let outcome = decode_events(&format!("{line}\n{ANSWER}\n{COMPLETION}"));
        assert_eq!(
            verdict(&outcome),
            Some((Category::MalformedJson, Some(1))),
            "{line:?}"
        );
    }
}

#[test]
fn half_a_last_line_is_malformed() {
    let half = &COMPLETION[..COMPLETION.len() / 2];
    let outcome = decode_events(&format!("{ANSWER}\n{half}"));
    assert_eq!(verdict(&outcome), Some((Category::MalformedJson, Some(2))));
}

#[test]
fn a_byte_order_mark_is_malformed() {
    let outcome = decode_events(&format!("\u{feff}{ANSWER}\n{COMPLETION}"));
    assert_eq!(verdict(&outcome), Some((Category::MalformedJson, Some(1))));
}

#[test]
fn two_texts_on_one_line_are_malformed_and_one_text_on_two_lines_too() {
    let outcome = decode_events(&format!("{ANSWER} {COMPLETION}"));
    assert_eq!(verdict(&outcome), Some((Category::MalformedJson, Some(1))));
    let outcome = decode_events(&format!("{ANSWER}\n{}", COMPLETION.replacen(',', ",\n", 1)));
    assert_eq!(verdict(&outcome), Some((Category::MalformedJson, Some(2))));
}

#[test]
fn raw_separators_inside_strings_do_not_end_a_line() {
    let answer = ANSWER.replace("\"A\"", "\"a\u{2028}b\u{2029}c\u{85}d\u{feff}e\"");
    let reply = decode_events(&format!("{answer}\n{COMPLETION}\n")).unwrap();
    assert_eq!(reply.result, "a\u{2028}b\u{2029}c\u{85}d\u{feff}e");
}

#[test]
fn a_line_of_three_megabytes_is_one_line() {
    let long = "long ".repeat(600_000);
    let answer = ANSWER.replace("\"A\"", &format!("\"{long}\\n\""));
    let reply = decode_events(&format!("{answer}\n{COMPLETION}\n")).unwrap();
    assert_eq!(reply.result.len(), 3_000_001);
    assert!(reply.result.ends_with("long \n"));
}

#[test]
fn a_hundred_thousand_lines_are_counted() {
    let lines = format!("{ANSWER}\n").repeat(99_999);
    let reply = decode_events(&format!("{lines}{COMPLETION}\n")).unwrap();
    assert_eq!(reply.result, "A");
    let outcome = decode_events(&format!("{lines}{COMPLETION}\n{ANSWER}"));
    assert_eq!(verdict(&outcome), Some((Category::LateItem, Some(100_001))));
}

#[test]
fn bytes_that_are_no_utf8_fail_with_their_line() {
    let mut bytes = format!("{ANSWER}\n").into_bytes();
    bytes.extend(b"{\"type\":\"x\xff\"}\n");
    bytes.extend(COMPLETION.as_bytes());
    for contract in [Contract::Strict, Contract::Tolerant] {
        let outcome = from_bytes(contract, &bytes);
        assert_eq!(verdict(&outcome), Some((Category::NotUtf8, Some(2))));
    }
}

#[test]
fn the_first_failure_stays_the_failure() {
    let mut decoder = Decoder::new(Contract::Strict);
    decoder.push(ANSWER).unwrap();
    let first = decoder.push("not json").unwrap_err();
    assert_eq!(decoder.push(TURN_STARTED), Err(first.clone()));
    assert_eq!(decoder.push_bytes(b"\xff"), Err(first.clone()));
    assert_eq!(decoder.push(""), Err(first.clone()));
    assert_eq!(decoder.control().failed, Some(Category::MalformedJson));
    assert_eq!(decoder.finish(), Err(first));
}

/// Whole lines that mean something, and some that do not.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(vec![
            ANSWER,
            COMPLETION,
            TURN_STARTED,
            r#"{"type":"thread.started"}"#,
            r#"{"type":"item.updated","item":{"type":"reasoning"}}"#,
            r#"{"type":"item.completed","item":{"type":"error","message":"w"}}"#,
            r#"{"type":"error","message":"e"}"#,
            r#"{"type":"unknown"}"#,
            "null",
            "",
            " \t",
        ]).prop_map(str::to_owned),
        1 => "[ -~\u{80}-\u{ff}]{0,12}",
    ]
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn lines_one_by_one_give_the_same_as_the_whole_text(
        lines in prop::collection::vec(line(), 0..8),
        carriage_return in any::<bool>(),
        last in any::<bool>(),
    ) {
        let mut lines = lines;
        if carriage_return {
            for line in &mut lines {
                line.push('\r');
            }
        }
        let mut text = lines.join("\n");
        if last {
            text.push('\n');
        }
        for contract in [Contract::Strict, Contract::Tolerant] {
            let mut decoder = Decoder::new(contract);
            for line in &lines {
                let _ = decoder.push(line);
            }
            let at_end = decoder.control().at_end();
            let one_by_one = decoder.finish();
            prop_assert_eq!(at_end, verdict(&one_by_one).map(|(category, _)| category));
            let whole = match contract {
                Contract::Strict => decode_events(&text),
                Contract::Tolerant => decode_events_tolerant(&text),
            };
            prop_assert_eq!(&one_by_one, &whole);
            prop_assert_eq!(&from_bytes(contract, text.as_bytes()), &whole);
        }
    }

    #[test]
    fn any_bytes_give_a_reply_or_the_failure_of_the_line_that_is_named(
        lines in prop::collection::vec(
            prop_oneof![
                4 => line().prop_map(String::into_bytes),
                1 => prop::collection::vec(any::<u8>(), 0..24),
            ],
            0..8,
        ),
    ) {
        let bytes = lines.join(&b'\n');
        for contract in [Contract::Strict, Contract::Tolerant] {
            let outcome = from_bytes(contract, &bytes);
            if let Some((category, Some(line))) = verdict(&outcome) {
                let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
                let line = usize::try_from(line).unwrap();
                let ends = ends.map(|(at, _)| at + 1).chain([bytes.len()]).collect::<Vec<_>>();
                // Up to and with that line the failure is there, before it none of a line is.
                let with = from_bytes(contract, &bytes[..ends[line - 1]]);
                prop_assert_eq!(&with, &outcome);
                let start = line.checked_sub(2).map_or(0, |before| ends[before]);
                let without = verdict(&from_bytes(contract, &bytes[..start]));
                prop_assert!(!matches!(without, Some((_, Some(_)))), "{:?} {:?}", category, without);
            }
        }
    }
}
