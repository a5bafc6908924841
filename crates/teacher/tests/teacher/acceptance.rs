//! Which lines are JSON: exactly those that `serde_json` reads into a `Value`,
//! although the decoder builds none. And what it reads of them: the same as of
//! the line that such a `Value` writes, where every key stands once.

use proptest::prelude::*;
use serde_json::Value;
use teacher::{Category, Contract, Decoder, decode_events, decode_events_tolerant};

use crate::{ANSWER, COMPLETION, cases, verdict};

fn accepted(line: &str) -> bool {
    let mut decoder = Decoder::new(Contract::Strict);
    !matches!(decoder.push(line), Err(failure) if failure.error == Category::MalformedJson)
}

fn value(line: &str) -> Option<Value> {
    serde_json::from_str(line).ok()
}

/// Places where a value can stand: alone, under a key that is read, under one
/// that is not, and beside a later duplicate.
const PLACES: [&str; 8] = [
    "@",
    r#"{"type":@}"#,
    r#"{"type":"item.completed","item":{"type":"reasoning","text":@}}"#,
    r#"{"type":"error","message":@}"#,
    r#"{"usage":{"input_tokens":@}}"#,
    r#"{"unread":{"deep":[@]}}"#,
    r#"{"item":@,"item":null}"#,
    r#"{"@":1}"#,
];

const VALUES: [&str; 40] = [
    "1e400",
    "-1e400",
    "1e-400",
    "1e308",
    "0",
    "-0",
    "01",
    "1.",
    ".5",
    "1.0",
    "1e",
    "1e+",
    "+1",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "NaN",
    "Infinity",
    "null",
    "nul",
    "true",
    "True",
    "[]",
    "[,]",
    "[1,]",
    "{}",
    "{,}",
    r#"{"a"}"#,
    r#"{"a":1,}"#,
    "{1:2}",
    r#""""#,
    r#""\ud800""#,
    r#""\udc00""#,
    r#""\ud83d\ude00""#,
    r#""\ud800\ud800""#,
    r#""\ud800x""#,
    r#""\x""#,
    "\"\u{1}\"",
    "\"\u{2028}\u{85}\u{feff}\"",
    r#"""#,
];

#[test]
fn numbers_escapes_and_half_values_are_accepted_exactly_when_value_accepts_them() {
    let (mut yes, mut no) = (0, 0);
    for place in PLACES {
        for case in VALUES {
            let line = place.replace('@', case);
            assert_eq!(accepted(&line), value(&line).is_some(), "{line}");
            if accepted(&line) { yes += 1 } else { no += 1 }
        }
    }
    assert!(
        yes > 50 && no > 50,
        "both verdicts occur often: {yes} and {no}"
    );
    assert!(!accepted("1e400") && !accepted(r#""\ud800""#) && !accepted(r#"{"\ud800":1}"#));
}

#[test]
fn nesting_is_accepted_as_deep_as_value_accepts_it() {
    for (open, close) in [
        ("[", "]"),
        (r#"{"a":"#, "}"),
        (r#"{"item":"#, "}"),
        (r#"[{"usage":"#, "}]"),
    ] {
        let mut verdicts = Vec::new();
        for depth in 55..=130 {
            let line = format!("{}0{}", open.repeat(depth), close.repeat(depth));
            assert_eq!(
                accepted(&line),
                value(&line).is_some(),
                "{depth} times {open}"
            );
            verdicts.push(accepted(&line));
        }
        assert!(
            verdicts.contains(&true) && verdicts.contains(&false),
            "{open}"
        );
    }
    assert!(accepted(&format!("{}{}", "[".repeat(127), "]".repeat(127))));
    assert!(!accepted(&format!(
        "{}{}",
        "[".repeat(128),
        "]".repeat(128)
    )));
    assert!(!accepted(&"[".repeat(1_000_000)));
}

#[test]
fn the_last_of_two_equal_keys_wins_at_every_level() {
    let completion = r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":2}}"#;
    let answers = [
        r#"{"type":"unknown","type":"item.completed","item":{"type":"agent_message","text":"A"}}"#,
        r#"{"item":null,"type":"item.completed","item":{"type":"agent_message","text":"A"}}"#,
        r#"{"item":{"type":"web_search"},"item":{"text":"A","type":"agent_message"},"type":"item.completed"}"#,
        r#"{"type":"item.completed","item":{"type":"x","text":"B","type":"agent_message","text":"A"}}"#,
    ];
    for answer in answers {
        let reply = decode_events(&format!("{answer}\n{completion}")).unwrap();
        assert_eq!(reply.result, "A", "{answer}");
    }
    let cases = [
        (
            r#"{"type":"item.completed","item":{"type":"agent_message","text":"A"},"item":{"text":"A"}}"#,
            Category::ItemKind,
        ),
        (
            r#"{"type":"item.completed","item":{"type":"agent_message","text":"A"},"item":[]}"#,
            Category::ItemKind,
        ),
        (
            r#"{"type":"item.completed","item":{"type":"agent_message","type":7,"text":"A"}}"#,
            Category::ItemKind,
        ),
        (
            r#"{"type":"item.completed","item":{"type":"agent_message","text":"A","text":null}}"#,
            Category::CompletionBeforeAnswer,
        ),
        (
            r#"{"type":"item.completed","item":{"type":"agent_message","text":"A"},"type":null}"#,
            Category::CompletionBeforeAnswer,
        ),
    ];
    for (answer, category) in cases {
        let outcome = decode_events(&format!("{answer}\n{completion}"));
        assert_eq!(
            verdict(&outcome).map(|(category, _)| category),
            Some(category),
            "{answer}"
        );
    }
    for (usage, input) in [
        (
            r#""usage":{"input_tokens":1,"output_tokens":2,"input_tokens":9}"#,
            Some(9),
        ),
        (
            r#""usage":1,"usage":{"output_tokens":2,"input_tokens":9}"#,
            Some(9),
        ),
        (
            r#""usage":{"input_tokens":1,"output_tokens":2,"input_tokens":"9"}"#,
            None,
        ),
        (
            r#""usage":{"input_tokens":1,"output_tokens":2},"usage":{"input_tokens":9}"#,
            None,
        ),
        (
            r#""usage":{"input_tokens":1,"output_tokens":2},"usage":null"#,
            None,
        ),
    ] {
        let outcome = decode_events(&format!(
            "{ANSWER}\n{{\"type\":\"turn.completed\",{usage}}}"
        ));
        assert_eq!(
            outcome.ok().map(|reply| reply.usage.input_tokens),
            input,
            "{usage}"
        );
    }
    let failed =
        r#"{"type":"turn.failed","error":{"message":"a","message":"b"},"error":{"message":"c"}}"#;
    assert_eq!(decode_events(failed).unwrap_err().message, "c");
    let failed = r#"{"type":"turn.failed","error":{"message":"a"},"error":"c"}"#;
    assert_ne!(decode_events(failed).unwrap_err().message, "a");
}

#[test]
fn escaped_keys_and_values_are_read_as_what_they_spell() {
    let answer = r#"{"\u0074ype":"item.\u0063ompleted","it\u0065m":{"type":"agent\u005fmessage","text":"\u0041\ud83d\ude00"}}"#;
    assert_eq!(
        decode_events(&format!("{answer}\n{COMPLETION}"))
            .unwrap()
            .result,
        "A😀"
    );
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(VALUES.to_vec()).prop_map(str::to_owned),
        2 => prop::sample::select(vec![
            "item.completed", "item.started", "turn.completed", "turn.started", "thread.started",
            "turn.failed", "error", "agent_message", "reasoning", "B", " ",
        ]).prop_map(|text| format!("\"{text}\"")),
        1 => any::<u64>().prop_map(|number| number.to_string()),
        1 => any::<f64>().prop_map(|number| format!("{number:e}")),
        1 => any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ]
}

fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "type",
        "item",
        "text",
        "message",
        "error",
        "usage",
        "input_tokens",
        "output_tokens",
        "cached_input_tokens",
        "cache_write_input_tokens",
        "reasoning_output_tokens",
        "id",
        r"\u0074ype",
        r"\ud800",
    ])
}

/// JSON texts, mostly well-formed, with the keys that the decoder reads.
fn json_text() -> impl Strategy<Value = String> {
    scalar().prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            4 => prop::collection::vec((key(), inner), 0..6).prop_map(|fields| {
                let fields = fields.iter().map(|(key, value)| format!("\"{key}\":{value}"));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(" , "))
            }),
        ]
    })
}

/// Lines that are close to an event, so that duplicates meet what is read.
fn event_text() -> impl Strategy<Value = String> {
    let base = prop::sample::select(vec![
        ANSWER,
        COMPLETION,
        r#"{"type":"turn.failed","error":{"message":"m"}}"#,
        r#"{"type":"error","message":"m"}"#,
        r#"{"type":"item.updated","item":{"type":"error","message":"m"}}"#,
    ]);
    (base, key(), json_text(), any::<prop::sample::Index>()).prop_map(
        |(base, key, value, place)| {
            // One more field at the beginning or the end of some object.
            let places: Vec<_> = base.match_indices(['{', '}']).collect();
            let (at, brace) = places[place.index(places.len())];
            if brace == "{" {
                format!("{}\"{key}\":{value},{}", &base[..=at], &base[at + 1..])
            } else {
                format!("{},\"{key}\":{value}{}", &base[..at], &base[at..])
            }
        },
    )
}

/// One character taken out, put in or doubled.
fn mutated() -> impl Strategy<Value = String> {
    let text = prop_oneof![json_text(), event_text()];
    let put = prop::sample::select(
        "{}[]\",:\\u0e-.\u{1}\u{2028} \r"
            .chars()
            .collect::<Vec<_>>(),
    );
    (text, any::<prop::sample::Index>(), 0..4, put).prop_map(|(text, place, how, put)| {
        let mut characters: Vec<char> = text.chars().collect();
        let at = place.index(characters.len());
        match how {
            0 => drop(characters.remove(at)),
            1 => characters.insert(at, put),
            2 => characters[at] = put,
            _ => characters.truncate(at),
        }
        characters.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn a_line_is_accepted_exactly_when_value_accepts_it(
        line in prop_oneof![json_text(), event_text(), mutated(), mutated()],
    ) {
        let blank = line.chars().all(|character| " \t\r".contains(character));
        prop_assert_eq!(accepted(&line), blank || value(&line).is_some());
    }

    #[test]
    fn a_line_means_what_its_value_means(line in prop_oneof![json_text(), event_text()]) {
        let Some(value) = value(&line) else { return Ok(()) };
        let plain = value.to_string();
        for stream in [["@", COMPLETION, ""], [ANSWER, "@", COMPLETION], [ANSWER, "@", ""], [ANSWER, COMPLETION, "@"]] {
            let with = |line: &str| stream.join("\n").replace('@', line);
            prop_assert_eq!(decode_events(&with(&line)), decode_events(&with(&plain)));
            prop_assert_eq!(
                decode_events_tolerant(&with(&line)),
                decode_events_tolerant(&with(&plain))
            );
        }
    }
}
