//! Oracles of the accounting: which completion counts, which counts are
//! required, and what the projection of usage loses.

use obernant::{Product, Record, Sequences, Table, Universe};
use oracles_teacher::{both, data, decode, failure, line, strict_reply, tolerant_reply};
use serde_json::{Value, json};
use teacher::Contract;

/// Values of a count in JSON, and the count where it is a `u64`. The first is no
/// value at all.
const COUNTS: [(&str, Option<u64>); 14] = [
    ("", None),
    ("null", None),
    ("\"7\"", None),
    ("-1", None),
    ("-0", None),
    ("1.0", None),
    ("1e1", None),
    ("true", None),
    ("[7]", None),
    ("{\"count\":7}", None),
    ("18446744073709551616", None),
    ("0", Some(0)),
    ("7", Some(7)),
    ("18446744073709551615", Some(u64::MAX)),
];

/// The values as a dimension's words.
fn counts() -> [&'static str; 14] {
    COUNTS.map(|(json, _)| if json.is_empty() { "missing" } else { json })
}

/// A completion with these keys of usage, each by the number of its value.
fn completion(keys: &[(&str, usize)]) -> String {
    let fields: Vec<String> = keys
        .iter()
        .filter(|(_, value)| !COUNTS[*value].0.is_empty())
        .map(|(key, value)| format!(r#""{key}":{}"#, COUNTS[*value].0))
        .collect();
    format!(
        r#"{{"type":"turn.completed","usage":{{{}}}}}"#,
        fields.join(",")
    )
}

/// The number of `count` among the values.
fn value(count: u64) -> usize {
    COUNTS
        .iter()
        .position(|(_, known)| *known == Some(count))
        .expect("a listed count")
}

/// Every pair of values of the two required counts.
fn required() -> Product {
    Product::new()
        .with("input", counts())
        .with("output", counts())
}

/// The stream of one such pair.
fn with_required(case: &[usize]) -> String {
    answered(&[completion(&[
        ("input_tokens", case[0]),
        ("output_tokens", case[1]),
    ])])
}

/// A stream of one answer and these lines.
fn answered(lines: &[String]) -> String {
    let mut text = line("answer A").to_owned();
    for line in lines {
        text.push('\n');
        text.push_str(line);
    }
    text
}

/// A reply named `INPUT/OUTPUT/CACHED`, where every other field is as due.
fn named_by_counts(reply: &Value) -> String {
    let count = |key: &str| reply["usage"][key].as_u64().unwrap_or_default();
    let (input, output) = (count("input_tokens"), count("output_tokens"));
    let cached = count("cache_read_input_tokens");
    if *reply == strict_reply("A", input, output, cached) {
        format!("{input}/{output}/{cached}")
    } else {
        reply.to_string()
    }
}

#[test]
fn exactly_one_completion_accounts() {
    let mut record = Record::start("exactly_one_completion_accounts");
    let length = record.bound("length", 4);
    let usage = |text: &str| format!(r#"{{"type":"turn.completed","usage":{{{text}}}}}"#);
    let symbols = [
        (
            "10 in, 3 out",
            usage(r#""input_tokens":10,"output_tokens":3"#),
        ),
        (
            "10 in, 3 out, 4 cached",
            usage(r#""input_tokens":10,"output_tokens":3,"cached_input_tokens":4"#),
        ),
        (
            "20 in, 3 out, 4 cached",
            usage(r#""input_tokens":20,"output_tokens":3,"cached_input_tokens":4"#),
        ),
        (
            "10 in, 5 out, 4 cached",
            usage(r#""input_tokens":10,"output_tokens":5,"cached_input_tokens":4"#),
        ),
        (
            "0 in, 3 out",
            usage(r#""input_tokens":0,"output_tokens":3"#),
        ),
        (
            "counts as text",
            usage(r#""input_tokens":"10","output_tokens":"3""#),
        ),
        ("no usage", r#"{"type":"turn.completed"}"#.to_owned()),
        (
            "unknown event",
            r#"{"type":"turn.paused","usage":{"input_tokens":99,"output_tokens":9}}"#.to_owned(),
        ),
        ("blank line", "  ".to_owned()),
    ];
    let fibers = ["10/3/0", "10/3/4", "20/3/4", "10/5/4", "0/3/0"];
    let universe = Sequences::new(symbols.iter().map(|(words, _)| words), length);
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| {
            answered(
                &case
                    .iter()
                    .map(|&at| symbols[at].1.clone())
                    .collect::<Vec<_>>(),
            )
        },
        |_, text| both(text, named_by_counts),
    );
    // The last two symbols are no completions.
    record.reconstruction(&mut table, &fibers, |case| {
        let completions: Vec<usize> = case.iter().copied().filter(|&at| at < 7).collect();
        move |fiber| completions == [fiber]
    });
    // Closed formula: of n lines one is the fiber's own, the others are one of two.
    let size: u64 = (1..=length).map(|n| n * (1 << (n - 1))).sum();
    for fiber in fibers {
        record.equal(&format!("cases of {fiber}"), &table.seen(fiber), &size);
    }
    record.second(
        "sum of n 2^(n-1) for each fiber",
        json!({ "universe": universe.len(), "accepted": 5 * size }),
    );
    record.finish();
}

#[test]
fn required_counts_are_unsigned_integers() {
    let mut record = Record::start("required_counts_are_unsigned_integers");
    let universe = required();
    let mut table = Table::new("the decoder", &universe, with_required, |_, text| {
        both(text, named_by_counts)
    });
    let valid: Vec<u64> = COUNTS.iter().filter_map(|(_, count)| *count).collect();
    let mut accepted = Vec::new();
    for input in &valid {
        accepted.extend(valid.iter().map(|output| format!("{input}/{output}/0")));
    }
    let due = |case: &[usize]| {
        let name = format!("{}/{}/0", COUNTS[case[0]].1?, COUNTS[case[1]].1?);
        accepted.iter().position(|outcome| *outcome == name)
    };
    record.acceptance(
        &mut table,
        &accepted,
        &["error invalid_usage"],
        due,
        |case| match due(case) {
            Some(place) => format!("these counts must give {}", accepted[place]),
            None => "a required count that is no u64 must fail".to_owned(),
        },
    );
    record.finish();
}

#[test]
fn cached_counts_and_unread_fields_are_lost_as_declared() {
    let mut record = Record::start("cached_counts_and_unread_fields_are_lost_as_declared");
    let extra = [
        "",
        r#","reasoning_output_tokens":7"#,
        r#","cache_write_input_tokens":7"#,
        r#","cache_creation_input_tokens":7"#,
        r#","cache_read_input_tokens":7"#,
        r#","cost":{"input_tokens":7}"#,
        r#","total_cost_usd":7,"cost_reported":true"#,
    ];
    let universe = Product::new()
        .with("cached", counts())
        .with("extra", extra.map(|json| format!("<{json}>")));
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| {
            let keys = [
                ("input_tokens", value(7)),
                ("output_tokens", value(7)),
                ("cached_input_tokens", case[0]),
            ];
            let line = completion(&keys);
            let usage = line.strip_suffix("}}").expect("usage comes last");
            answered(&[format!("{usage}{}}}}}", extra[case[1]])])
        },
        |_, text| match decode(Contract::Strict, text) {
            Ok(reply) => named_by_counts(&data(&reply)),
            Err(error) => failure(&error),
        },
    );
    // A fiber: every form that is no u64 counts as 0, and what else is there counts nothing.
    let fibers = ["7/7/0", "7/7/7", "7/7/18446744073709551615"];
    let cached = [0, 7, u64::MAX];
    record.reconstruction(&mut table, &fibers, |case| {
        let count = COUNTS[case[0]].1.unwrap_or(0);
        move |fiber| cached[fiber] == count
    });
    record.finish();
}

#[test]
fn new_counts_pass_through_tolerant() {
    let mut record = Record::start("new_counts_pass_through_tolerant");
    let universe = Product::new()
        .with("cached", counts())
        .with("cache write", counts())
        .with("reasoning", counts());
    let mut table = Table::new(
        "the decoder",
        &universe,
        |case| {
            answered(&[completion(&[
                ("input_tokens", value(7)),
                ("output_tokens", value(7)),
                ("cached_input_tokens", case[0]),
                ("cache_write_input_tokens", case[1]),
                ("reasoning_output_tokens", case[2]),
            ])])
        },
        |_, text| match decode(Contract::Tolerant, text) {
            Ok(reply) => named_by_new_counts(&data(&reply)),
            Err(error) => failure(&error),
        },
    );
    let name = |count: Option<u64>| count.map_or("none".to_owned(), |count| count.to_string());
    let known = [None, Some(0), Some(7), Some(u64::MAX)];
    let mut fibers = Vec::new();
    let mut counts = Vec::new();
    for cached in &known[1..] {
        for write in known {
            for reasoning in known {
                fibers.push(format!(
                    "{}/{}/{}",
                    name(*cached),
                    name(write),
                    name(reasoning)
                ));
                counts.push((*cached, write, reasoning));
            }
        }
    }
    record.reconstruction(&mut table, &fibers, |case| {
        let count = |place: usize| COUNTS[case[place]].1;
        let own = (count(0).or(Some(0)), count(1), count(2));
        let counts = &counts;
        move |fiber| counts[fiber] == own
    });
    record.finish();
}

/// A reply named `CACHED/WRITE/REASONING`, where every other field is as due.
fn named_by_new_counts(reply: &Value) -> String {
    let usage = &reply["usage"];
    let cached = usage["cache_read_input_tokens"]
        .as_u64()
        .unwrap_or_default();
    let mut due = tolerant_reply(strict_reply("A", 7, 7, cached), &[], 0);
    let mut name = |key: &str, also: Option<&str>| match usage.get(key) {
        Some(count) => {
            for key in also.into_iter().chain([key]) {
                due["usage"][key] = count.clone();
            }
            count.to_string()
        }
        None => "none".to_owned(),
    };
    let write = name(
        "cache_write_input_tokens",
        Some("cache_creation_input_tokens"),
    );
    let reasoning = name("reasoning_output_tokens", None);
    if *reply == due {
        format!("{cached}/{write}/{reasoning}")
    } else {
        reply.to_string()
    }
}

/// A nonblank answer with zero input tokens is of unknown cost, not free.
#[test]
fn usage_is_known_where_input_was_counted_tolerant() {
    let mut record = Record::start("usage_is_known_where_input_was_counted_tolerant");
    let universe = required();
    let mut table = Table::new(
        "the decoder",
        &universe,
        with_required,
        |_, text| match decode(Contract::Tolerant, text) {
            Ok(reply) => data(&reply)["usage_known"].to_string(),
            Err(error) => failure(&error),
        },
    );
    let known = |case: &[usize]| {
        COUNTS[case[1]].1?;
        COUNTS[case[0]].1.map(|input| input > 0)
    };
    record.acceptance(
        &mut table,
        &["false", "true"],
        &["error invalid_usage"],
        |case| known(case).map(usize::from),
        |case| match known(case) {
            Some(known) => format!("whether these counts are known must be {known}"),
            None => "a required count that is no u64 must fail".to_owned(),
        },
    );
    record.partition(&mut table, |outcome| outcome, known);
    record.finish();
}
