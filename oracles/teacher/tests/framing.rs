//! Oracles of lines and JSON: what ends a line, which lines are neutral, which
//! are JSON, and which of two equal keys counts.

use obernant::{Product, Record, Sequences, Table};
use oracles_teacher::{both, decode, line, located_failure, strict_reply};
use serde_json::Value;
use teacher::Contract;

/// A reply named by its answer as JSON, where every other field is as due.
fn named(reply: &Value) -> String {
    let answer = reply["result"].as_str().unwrap_or_default();
    if *reply == strict_reply(answer, 10, 3, 4) {
        reply["result"].to_string()
    } else {
        reply.to_string()
    }
}

/// Streams that succeed and streams that fail, each in its own way.
const STREAMS: [&[&str]; 8] = [
    &["answer A", "completion 10"],
    &[
        "thread start",
        "turn start",
        "reasoning",
        "answer B",
        "answer A",
        "completion 10",
    ],
    &["answer A"],
    &["answer A", "answer null"],
    &["completion 10", "answer A"],
    &["answer A", "completion 10", "completion 10"],
    &["answer A", "completion 10", "reasoning"],
    &["answer A", "turn start", "completion 10"],
];

/// Lines that are no recognised event.
const NEUTRAL: [&str; 17] = [
    "null",
    "{}",
    "[]",
    "7",
    "\"error\"",
    r#"[{"type":"error","message":"E"}]"#,
    r#"{"type":null}"#,
    r#"{"type":7}"#,
    r#"{"type":["error"]}"#,
    r#"{"type":{"type":"error"}}"#,
    r#"{"type":"Error"}"#,
    r#"{"type":"error "}"#,
    r#"{"type":"item.paused","item":{"type":"command_execution"}}"#,
    r#"{"event":"turn.failed","item":{"type":"command_execution"}}"#,
    r#"{"type":"thread.resumed","error":{"message":"E"}}"#,
    "",
    " \t\r",
];

#[test]
fn neutral_lines_change_nothing_anywhere() {
    let mut record = Record::start("neutral_lines_change_nothing_anywhere");
    let mut places = Vec::new();
    for (stream, lines) in STREAMS.iter().enumerate() {
        places.extend((0..=lines.len()).map(|place| (stream, place)));
    }
    let universe = Product::new()
        .with(
            "stream and place",
            places
                .iter()
                .map(|&(stream, place)| format!("<{}> {place}", STREAMS[stream].join(", "))),
        )
        .with("first", NEUTRAL.map(|line| format!("<{line}>")))
        .with("second", NEUTRAL.map(|line| format!("<{line}>")));
    let lines = |case: &[usize]| -> Vec<&str> {
        STREAMS[places[case[0]].0]
            .iter()
            .map(|words| line(words))
            .collect()
    };
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| {
            let mut lines = lines(case);
            let place = places[case[0]].1;
            lines.splice(place..place, [NEUTRAL[case[1]], NEUTRAL[case[2]]]);
            lines.join("\n")
        },
        |_, text| both(text, named),
    );
    record.invariance(&mut table, |case| lines(case).join("\n"));
    record.claim("accepted", table.seen("\"A\""));
    record.finish();
}

/// Raw characters that other readers take for the end of a line or of a text.
const RAW: [&str; 6] = [
    "",
    "\u{2028}",
    "\u{2029}",
    "\u{85}",
    "\u{feff}",
    "\u{b}\u{c}",
];
const BLANK: [&[&str]; 4] = [&[], &[""], &["\t", " "], &["\r", "", "  "]];
const ENDS: [&str; 3] = ["\n", "\r\n", " \r\n"];

#[test]
fn framing_keeps_lines_and_refuses_what_is_no_json() {
    let mut record = Record::start("framing_keeps_lines_and_refuses_what_is_no_json");
    let raw: Vec<String> = RAW
        .iter()
        .map(|raw| raw.escape_unicode().to_string())
        .collect();
    let universe = Product::new()
        .with(
            "raw in the answer",
            raw.iter().map(|raw| format!("<{raw}>")),
        )
        .with("line end", ["LF", "CRLF", "space CRLF"])
        .with("blank lines between", ["none", "one", "two", "three"])
        .with("final line end", ["absent", "present", "doubled"])
        .with("byte order mark", ["no", "yes"])
        .with(
            "last line",
            [
                "whole",
                "cut in half",
                "cut before its brace",
                "with a second value",
            ],
        );
    // U+000B and U+000C must be escaped in JSON, so raw ones are refused.
    let control = RAW.len() - 1;
    let answer = |case: &[usize]| format!("A{}!", RAW[case[0]]);
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| {
            let first = line("answer A").replace(r#""A""#, &format!("\"{}\"", answer(case)));
            let last = line("completion 10");
            let last = match case[5] {
                0 => last.to_owned(),
                1 => last[..last.len() / 2].to_owned(),
                2 => last[..last.len() - 1].to_owned(),
                _ => format!("{last} {last}"),
            };
            let mut lines = vec![first.as_str()];
            lines.extend(BLANK[case[2]]);
            lines.push(&last);
            let mark = ["", "\u{feff}"][case[4]];
            let end = ["", ENDS[case[1]], "\n\n"][case[3]];
            format!("{mark}{}{end}", lines.join(ENDS[case[1]]))
        },
        |case, text| {
            let name = |contract| match decode(contract, text) {
                Ok(reply) if reply.result == answer(case) => "the whole answer".to_owned(),
                Ok(reply) => reply.result,
                Err(error) => located_failure(&error),
            };
            let (strict, tolerant) = (name(Contract::Strict), name(Contract::Tolerant));
            if strict == tolerant {
                strict
            } else {
                format!("strict {strict}, tolerant {tolerant}")
            }
        },
    );
    record.gates(&mut table, "the whole answer", |case| {
        let last = 2 + BLANK[case[2]].len();
        let malformed = |line| format!("error malformed_json at line {line}");
        [
            (malformed(1), case[4] == 1 || case[0] == control),
            (malformed(last), case[5] > 0),
        ]
    });
    record.finish();
}

/// Where a key is doubled: the line before it, its values, and the line after.
const DOUBLED: [(&str, &str, &str, &str); 8] = [
    (
        "type",
        "{",
        "\"type\":",
        r#","item":{"type":"agent_message","text":"A"}}"#,
    ),
    ("item", r#"{"type":"item.completed","#, "\"item\":", "}"),
    (
        "item.type",
        r#"{"type":"item.completed","item":{"text":"A","#,
        "\"type\":",
        "}}",
    ),
    (
        "item.text",
        r#"{"type":"item.completed","item":{"type":"agent_message","#,
        "\"text\":",
        "}}",
    ),
    ("usage", r#"{"type":"turn.completed","#, "\"usage\":", "}"),
    (
        "input_tokens",
        r#"{"type":"turn.completed","usage":{"output_tokens":3,"#,
        "\"input_tokens\":",
        "}}",
    ),
    (
        "cached_input_tokens",
        r#"{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":3,"#,
        "\"cached_input_tokens\":",
        "}}",
    ),
    (
        "an unread key",
        r#"{"type":"item.completed","item":{"type":"agent_message","text":"A"},"#,
        "\"id\":",
        "}",
    ),
];
const VALUES: [&str; 13] = [
    "null",
    "7",
    "0",
    "\"A\"",
    "\"item.completed\"",
    "\"turn.paused\"",
    "\"agent_message\"",
    "\"command_execution\"",
    r#"{"type":"agent_message","text":"B"}"#,
    r#"{"type":"reasoning"}"#,
    r#"{"input_tokens":10,"output_tokens":3}"#,
    "{}",
    "[1]",
];

#[test]
fn of_two_equal_keys_the_last_counts() {
    let mut record = Record::start("of_two_equal_keys_the_last_counts");
    let universe = Product::new()
        .with("doubled key", DOUBLED.map(|(words, ..)| words))
        .with("earlier value", VALUES)
        .with("later value", VALUES);
    let stream = |case: &[usize], values: &[usize]| {
        let (_, before, key, after) = DOUBLED[case[0]];
        let fields: Vec<String> = values
            .iter()
            .map(|&value| format!("{key}{}", VALUES[value]))
            .collect();
        let doubled = format!("{before}{}{after}", fields.join(","));
        // Before it an answer, so that a completion may come; after it a completion, where none came.
        let completion = line("completion 10");
        let rest = if before.contains("turn.completed") {
            ""
        } else {
            completion
        };
        format!("{}\n{doubled}\n{rest}\n", line("answer B"))
    };
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| stream(case, &[case[1], case[2]]),
        |_, text| both(text, ToString::to_string),
    );
    record.invariance(&mut table, |case| stream(case, &[case[2]]));
    record.finish();
}

/// Pieces of JSON texts, good and bad, which sequences put together.
const PIECES: [&str; 18] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\"a\"",
    "\"type\"",
    "\"error\"",
    "\"\\ud800\"",
    "\"\\ud83d\\ude00\"",
    "\"\t\"",
    "-",
    "0",
    "1e400",
    "1.5",
    "null",
];

#[test]
fn a_line_is_json_exactly_where_value_accepts_it() {
    let mut record = Record::start("a_line_is_json_exactly_where_value_accepts_it");
    let length = record.bound("length", 4);
    record.assume("serde_json::Value is the measure of JSON");
    let universe = Sequences::new(PIECES.map(|piece| format!("<{piece}>")), length);
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| case.iter().map(|&piece| PIECES[piece]).collect(),
        |_, text| {
            let named = |contract| match decode(contract, text) {
                Err(error) if error.error.as_str() == "malformed_json" => "no JSON",
                _ => "JSON",
            };
            let (strict, tolerant) = (named(Contract::Strict), named(Contract::Tolerant));
            if strict == tolerant {
                strict
            } else {
                "the contracts differ"
            }
            .to_owned()
        },
    );
    let accepts = |case: &[usize]| {
        let text: String = case.iter().map(|&piece| PIECES[piece]).collect();
        text.trim().is_empty() || serde_json::from_str::<Value>(&text).is_ok()
    };
    record.acceptance(
        &mut table,
        &["JSON"],
        &["no JSON"],
        |case| accepts(case).then_some(0),
        |case| as_value(accepts(case)),
    );
    record.finish();
}

/// What is due on a line, in words.
fn as_value(accepts: bool) -> String {
    let (value, line) = if accepts {
        ("accepts", "pass")
    } else {
        ("refuses", "fail")
    };
    format!("a line that Value {value} must {line}")
}

/// Lists and objects around a value, to depths about the parser's limit.
#[test]
fn nesting_is_refused_where_value_refuses_it() {
    let mut record = Record::start("nesting_is_refused_where_value_refuses_it");
    let universe = Product::new()
        .with("brackets", ["list", "object", "both"])
        .with("place", ["line", "unread key", "item text", "usage"])
        .with("depth", 120..136);
    let nested = |case: &[usize]| {
        let depth = 120 + case[2];
        let pair = |level: usize| match (case[0], level % 2) {
            (0, _) | (2, 0) => ("[", "]"),
            _ => ("{\"k\":", "}"),
        };
        let open: String = (0..depth).map(|level| pair(level).0).collect();
        let close: String = (0..depth).rev().map(|level| pair(level).1).collect();
        let value = format!("{open}1{close}");
        match case[1] {
            0 => value,
            1 => format!(r#"{{"type":"turn.paused","k":{value}}}"#),
            2 => format!(
                r#"{{"type":"item.completed","item":{{"type":"reasoning","text":{value}}}}}"#
            ),
            _ => format!(r#"{{"type":"turn.paused","usage":{value}}}"#),
        }
    };
    let mut table = Table::new("the decoder", &universe, nested, |_, text| {
        let end = format!("{text}\n{}\n{}", line("answer A"), line("completion 10"));
        both(&end, named)
    });
    let accepts = |case: &[usize]| serde_json::from_str::<Value>(&nested(case)).is_ok();
    record.acceptance(
        &mut table,
        &["\"A\""],
        &["error malformed_json"],
        |case| accepts(case).then_some(0),
        |case| as_value(accepts(case)),
    );
    record.finish();
}

/// One line of three megabytes, and a hundred thousand lines.
#[test]
fn long_lines_and_many_lines_are_read_whole() {
    let mut record = Record::start("long_lines_and_many_lines_are_read_whole");
    let universe = Product::new().with("stream", ["a long line", "many lines", "a late error"]);
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| {
            let (answer, completion) = (line("answer A"), line("completion 10"));
            let long = answer.replace(r#""A""#, &format!("\"{}\"", "x".repeat(3 << 20)));
            let many = format!("{}\n", line("reasoning")).repeat(99_998);
            match case[0] {
                0 => format!("{long}\n{completion}\n"),
                1 => format!("{many}{answer}\n{completion}"),
                _ => format!("{many}{answer}\n{}", line("error")),
            }
        },
        |_, text| match decode(Contract::Strict, text) {
            Ok(reply) => format!("an answer of {} bytes", reply.result.len()),
            Err(error) => located_failure(&error),
        },
    );
    let due = [
        "an answer of 3145728 bytes",
        "an answer of 1 bytes",
        "error error at line 100000: E",
    ];
    record.acceptance(
        &mut table,
        &due[..2],
        &due[2..],
        |case| (case[0] < 2).then_some(case[0]),
        |case| format!("{} is due", due[case[0]]),
    );
    record.finish();
}
