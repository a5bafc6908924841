//! The order of events and of judgement, by literal streams: one word per event.

use proptest::prelude::*;
use serde_json::json;
use teacher::{
    Answer, Category, Contract, Control, DEFAULT_MODEL, Decoder, Phase, decode_events,
    decode_events_tolerant, validate_model,
};

use crate::{ANSWER, COMPLETION, cases, verdict};

/// A stream out of words, one line per word.
fn lines(words: &str) -> Vec<String> {
    let line = |word| match word {
        "thread" => r#"{"type":"thread.started"}"#,
        "turn" => r#"{"type":"turn.started"}"#,
        "A" => ANSWER,
        "null" => r#"{"type":"item.completed","item":{"type":"agent_message","text":null}}"#,
        "blank" => r#"{"type":"item.completed","item":{"type":"agent_message","text":"\u2003 "}}"#,
        "started" => r#"{"type":"item.started","item":{"type":"agent_message","text":"S"}}"#,
        "reasoning" => r#"{"type":"item.completed","item":{"type":"reasoning","text":"R"}}"#,
        "tool" => r#"{"type":"item.started","item":{"type":"command_execution"}}"#,
        "kindless" => r#"{"type":"item.updated","item":{"text":"A"}}"#,
        "warning" => r#"{"type":"item.completed","item":{"type":"error","message":"w"}}"#,
        "error" => r#"{"type":"error","message":"e"}"#,
        "last" => r#"{"type":"error","message":"the last one"}"#,
        "mute" => r#"{"type":"error","message":7}"#,
        "failed" => r#"{"type":"turn.failed","error":{"message":"f"}}"#,
        "done" => COMPLETION,
        "uncounted" => r#"{"type":"turn.completed","usage":{"input_tokens":-1,"output_tokens":2}}"#,
        "unknown" => r#"{"type":"unknown","item":{"type":"command_execution"}}"#,
        "half" => r#"{"type":"error""#,
        word => panic!("no line for {word}"),
    };
    words
        .split_whitespace()
        .map(line)
        .map(str::to_owned)
        .collect()
}

fn strict(words: &str) -> Option<(Category, Option<u64>)> {
    verdict(&decode_events(&lines(words).join("\n")))
}

fn tolerant(words: &str) -> Option<(Category, Option<u64>)> {
    verdict(&decode_events_tolerant(&lines(words).join("\n")))
}

#[test]
fn both_contracts_accept_one_completed_turn() {
    for words in [
        "A done",
        "thread A done",
        "turn A done",
        "thread turn reasoning started A A reasoning done",
        "null A done",
        "unknown thread unknown turn A unknown done unknown",
    ] {
        assert_eq!((strict(words), tolerant(words)), (None, None), "{words}");
    }
}

#[test]
fn both_contracts_refuse_the_same_positions() {
    use Category::{
        CompletionBeforeAnswer, HeaderOrder, InvalidUsage, ItemKind, LateItem, MalformedJson,
        MissingAnswer, MissingCompletion, RepeatedCompletion, TurnFailed,
    };
    for (words, category, line) in [
        ("", MissingAnswer, None),
        ("thread turn reasoning", MissingAnswer, None),
        ("started", MissingAnswer, None),
        ("A", MissingCompletion, None),
        ("A null", MissingAnswer, None),
        ("A blank", MissingAnswer, None),
        ("A uncounted", InvalidUsage, None),
        ("A uncounted half", MalformedJson, Some(3)),
        ("done A", CompletionBeforeAnswer, Some(1)),
        ("blank done", CompletionBeforeAnswer, Some(2)),
        ("A null done", CompletionBeforeAnswer, Some(3)),
        ("started done", CompletionBeforeAnswer, Some(2)),
        ("A done done", RepeatedCompletion, Some(3)),
        ("A done A done", LateItem, Some(3)),
        ("A done reasoning", LateItem, Some(3)),
        ("A done tool", LateItem, Some(3)),
        ("A done thread", HeaderOrder, Some(3)),
        ("A done turn", HeaderOrder, Some(3)),
        ("thread thread A done", HeaderOrder, Some(2)),
        ("turn thread A done", HeaderOrder, Some(2)),
        ("turn turn A done", HeaderOrder, Some(2)),
        ("A turn done", HeaderOrder, Some(2)),
        ("reasoning thread A done", HeaderOrder, Some(2)),
        ("tool A done", ItemKind, Some(1)),
        ("A kindless done", ItemKind, Some(2)),
        ("half", MalformedJson, Some(1)),
        ("tool half", ItemKind, Some(1)),
        ("A failed done", TurnFailed, Some(2)),
        ("A done failed", TurnFailed, Some(3)),
        ("failed tool", TurnFailed, Some(1)),
    ] {
        assert_eq!(strict(words), Some((category, line)), "{words}, strict");
        assert_eq!(tolerant(words), Some((category, line)), "{words}, tolerant");
    }
}

#[test]
fn the_contracts_differ_in_errors_and_error_items_alone() {
    use Category::{
        CompletionBeforeAnswer, Error, HeaderOrder, ItemKind, LateError, LateItem, TurnFailed,
    };
    for (words, strict_verdict, tolerant_verdict) in [
        ("error A done", Some((Error, Some(1))), None),
        ("A error done", Some((Error, Some(2))), None),
        ("A error", Some((Error, Some(2))), Some((Error, None))),
        ("error", Some((Error, Some(1))), Some((Error, None))),
        (
            "error done",
            Some((Error, Some(1))),
            Some((CompletionBeforeAnswer, Some(2))),
        ),
        (
            "error failed",
            Some((Error, Some(1))),
            Some((TurnFailed, Some(2))),
        ),
        (
            "A done error",
            Some((Error, Some(3))),
            Some((LateError, Some(3))),
        ),
        (
            "warning thread warning turn A warning done",
            Some((ItemKind, Some(1))),
            None,
        ),
        (
            "A turn warning",
            Some((HeaderOrder, Some(2))),
            Some((HeaderOrder, Some(2))),
        ),
        (
            "A done warning",
            Some((LateItem, Some(3))),
            Some((LateItem, Some(3))),
        ),
        (
            "error thread error turn error A done",
            Some((Error, Some(1))),
            None,
        ),
    ] {
        assert_eq!(strict(words), strict_verdict, "{words}, strict");
        assert_eq!(tolerant(words), tolerant_verdict, "{words}, tolerant");
    }
}

#[test]
fn an_uncleared_error_fails_with_the_last_error_s_text() {
    let outcome = decode_events_tolerant(&lines("error last warning A").join("\n"));
    let failure = outcome.unwrap_err();
    assert_eq!(
        serde_json::to_value(failure).unwrap(),
        json!({"error": "error", "line": null, "message": "the last one"})
    );
}

#[test]
fn warnings_keep_their_order_and_retries_count_errors_only() {
    let outcome = decode_events_tolerant(&lines("warning error last A mute done").join("\n"));
    let evidence = outcome.unwrap().evidence.unwrap();
    assert_eq!(
        evidence.warnings,
        ["w", "e", "the last one", "an error without a message"]
    );
    assert_eq!(evidence.retries, 3);
}

#[test]
fn an_answer_is_given_back_unchanged_and_blank_is_unicode_s_word() {
    let padded = ANSWER.replace("\"A\"", "\"\\n \u{a0}A\u{3000} \"");
    let reply = decode_events(&format!("{padded}\n{COMPLETION}")).unwrap();
    assert_eq!(reply.result, "\n \u{a0}A\u{3000} ");
    // A zero-width space is no white space.
    let narrow = ANSWER.replace("\"A\"", "\"\u{200b}\"");
    assert_eq!(
        verdict(&decode_events(&format!("{narrow}\n{COMPLETION}"))),
        None
    );
}

#[test]
fn counts_are_u64_or_nothing() {
    let usage = |input: &str, cached: &str| {
        format!(
            "{ANSWER}\n{{\"type\":\"turn.completed\",\"usage\":{{\"input_tokens\":{input},\
             \"cached_input_tokens\":{cached},\"output_tokens\":2}}}}"
        )
    };
    let cached = |cached| {
        decode_events(&usage("1", cached))
            .unwrap()
            .usage
            .cache_read_input_tokens
    };
    for (text, count) in [
        ("0", 0),
        ("7", 7),
        ("18446744073709551615", u64::MAX),
        ("18446744073709551616", 0),
        ("-1", 0),
        ("-0", 0),
        ("7.0", 0),
        ("7e0", 0),
        ("\"7\"", 0),
        ("null", 0),
        ("[7]", 0),
    ] {
        assert_eq!(cached(text), count, "{text}");
        let input = decode_events(&usage(text, "0"))
            .ok()
            .map(|reply| reply.usage.input_tokens);
        let valid = text == "0" || count != 0;
        assert_eq!(input, valid.then_some(count), "{text}");
    }
}

#[test]
fn usage_is_known_where_the_input_is_not_zero() {
    for (input, output, known) in [(0, 2, false), (1, 0, true), (0, 0, false), (1, 2, true)] {
        let usage = json!({"input_tokens": input, "output_tokens": output});
        let completion = json!({"type": "turn.completed", "usage": usage});
        let reply = decode_events_tolerant(&format!("{ANSWER}\n{completion}")).unwrap();
        assert_eq!(reply.evidence.unwrap().usage_known, known, "{usage}");
    }
}

#[test]
fn only_the_tolerant_contract_knows_the_later_counts() {
    let text = format!(
        "{ANSWER}\n{}",
        r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":2,"cache_write_input_tokens":3,"reasoning_output_tokens":"4","more":5}}"#
    );
    assert_eq!(
        serde_json::to_value(decode_events(&text).unwrap().usage).unwrap(),
        json!({"input_tokens": 1, "output_tokens": 2,
               "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0})
    );
    assert_eq!(
        serde_json::to_value(decode_events_tolerant(&text).unwrap().usage).unwrap(),
        json!({"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 0,
               "cache_creation_input_tokens": 3, "cache_write_input_tokens": 3})
    );
}

type Change = fn(&mut Control);

#[test]
fn the_control_state_follows_the_stream() {
    let mut decoder = Decoder::new(Contract::Tolerant);
    let start = Control {
        contract: Contract::Tolerant,
        phase: Phase::Start,
        answer: Answer::Missing,
        provisional: false,
        counted: false,
        failed: None,
    };
    let mut expected = start;
    assert_eq!(decoder.control(), expected);
    let steps: [(&str, Change); 9] = [
        ("warning", |_| {}),
        ("thread", |control| control.phase = Phase::Thread),
        ("error", |control| control.provisional = true),
        ("turn", |control| control.phase = Phase::Turn),
        ("started", |control| control.phase = Phase::Items),
        ("blank", |control| control.answer = Answer::Blank),
        ("A", |control| control.answer = Answer::Present),
        ("done", |control| {
            control.phase = Phase::Completed;
            control.provisional = false;
            control.counted = true;
        }),
        ("A", |control| control.failed = Some(Category::LateItem)),
    ];
    for (word, change) in steps {
        let _ = decoder.push(&lines(word)[0]);
        change(&mut expected);
        assert_eq!(decoder.control(), expected, "after {word}");
    }
}

#[test]
fn categories_have_one_name_each_in_both_forms() {
    for category in Category::ALL {
        assert_eq!(serde_json::to_value(category).unwrap(), category.as_str());
    }
    let names: std::collections::BTreeSet<_> = Category::ALL.map(Category::as_str).into();
    assert_eq!(names.len(), Category::ALL.len());
}

#[test]
fn a_model_name_begins_with_gpt_and_holds_no_white_space() {
    for name in [DEFAULT_MODEL, "gpt-", "gpt-x/é\u{200b}"] {
        assert!(validate_model(name).is_ok(), "{name:?}");
    }
    for name in [
        "",
        "gpt",
        "gpt5",
        "GPT-5",
        " gpt-5",
        "gpt-x\u{a0}",
        "gpt-\n",
        "gpt-a b",
        "o3",
    ] {
        let error = validate_model(name).expect_err(name).to_string();
        assert!(error.contains(&format!("{name:?}")), "{error}");
    }
}

const WORDS: [&str; 12] = [
    "thread",
    "turn",
    "A",
    "null",
    "started",
    "reasoning",
    "tool",
    "warning",
    "error",
    "failed",
    "done",
    "unknown",
];

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn no_transition_reads_texts_or_numbers(
        words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..10),
        text in "[a-z\u{e9}]{1,5}",
        count in 0..u64::MAX,
    ) {
        for contract in [Contract::Strict, Contract::Tolerant] {
            let (mut one, mut other) = (Decoder::new(contract), Decoder::new(contract));
            for line in lines(&words.join(" ")) {
                let changed = line
                    .replace("\"text\":\"A\"", &format!("\"text\":\"{text}\""))
                    .replace("message\":\"e\"", &format!("message\":\"{text}\""))
                    .replace(":10", &format!(":{count}"));
                let _ = (one.push(&line), other.push(&changed));
                prop_assert_eq!(one.control(), other.control());
            }
        }
    }
}
