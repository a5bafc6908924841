//! Oracles of what may be chosen: the order of the variables, what each value
//! means, and which texts are an effort or a time limit. Each environment is that
//! of a process of its own, which has no other variable.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use obernant::{Product, Record, Sequences, Table, Universe};
use teacher::Effort;

/// A variable's value; nothing where it is not set.
type Value = Option<&'static [u8]>;

/// What a process with these variables alone says of each setting.
fn said(component: &str, variables: &[(&str, Value)]) -> BTreeMap<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_settings"));
    command.env_clear().arg(component);
    for (name, value) in variables {
        if let Some(value) = value {
            command.env(name, OsStr::from_bytes(value));
        }
    }
    let output = command.output().expect("the program can be started");
    assert!(output.status.success(), "it ended with {}", output.status);
    let text = String::from_utf8(output.stdout).expect("it prints text");
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

const BYTES: Value = Some(b"gpt-\xff");
/// The four kinds of a value of a name.
const KINDS: [&str; 4] = ["absent", "empty", "set", "no Unicode"];

const MODEL: &str = "MOVA_TEACHER_MODEL";
const EFFORT: &str = "MOVA_TEACHER_EFFORT";
const TIMEOUT: &str = "MOVA_TEACHER_TIMEOUT";
const CLIENT: &str = "MOVA_TEACHER_CLIENT";
const LOG: &str = "MOVA_TEACHER_LOG";
const COMPONENT: &str = "MOVA_ATTIC_MODEL";

const DEFAULT: usize = 0;
const EMPTY: usize = 1;
const GLOBAL: usize = 2;
const OWN: usize = 3;
/// The value that counts for each pair of kinds, written out: rows are the global
/// variable's kinds, columns those of the variable that is asked for.
const DUE: [[usize; 4]; 4] = [
    [DEFAULT, EMPTY, OWN, DEFAULT],
    [EMPTY; 4],
    [GLOBAL; 4],
    [DEFAULT, EMPTY, OWN, DEFAULT],
];

#[test]
fn a_model_is_named_globally_then_by_the_component_then_by_default() {
    let mut record =
        Record::start("a_model_is_named_globally_then_by_the_component_then_by_default");
    let names = [
        r#""gpt-5.5""#,
        r#""""#,
        r#""gpt-global""#,
        r#""gpt-component""#,
    ];
    let global: [Value; 4] = [None, Some(b""), Some(b"gpt-global"), BYTES];
    let own: [Value; 4] = [None, Some(b""), Some(b"gpt-component"), BYTES];
    let asked = [COMPONENT, "MOVA_CELLAR_MODEL", MODEL, ""];
    let universe = Product::new()
        .with("global", KINDS)
        .with("component", KINDS)
        .with(
            "asked for",
            [
                "the component's variable",
                "a variable that is not set",
                "the global variable",
                "no name",
            ],
        )
        .with("the other settings", ["absent", "set"]);
    let mut table = Table::new(
        "the choice of a model",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let other = |value: &'static [u8]| Some(value).filter(|_| case[3] == 1);
            let variables = [
                (MODEL, global[case[0]]),
                (COMPONENT, own[case[1]]),
                (EFFORT, other(b"high")),
                (TIMEOUT, other(b"7")),
                (CLIENT, other(b"gpt-client")),
                (LOG, other(b"gpt-log")),
            ];
            said(asked[case[2]], &variables)
                .remove("model")
                .expect("a model")
        },
    );
    let due = |case: &[usize]| match case[2] {
        0 => DUE[case[0]][case[1]],
        // The same variable is asked twice, so the second time it adds nothing; and a
        // variable that is not set counts as the column of absent ones.
        _ => DUE[case[0]][0],
    };
    record.acceptance(
        &mut table,
        &names,
        &[] as &[&str],
        |case| Some(due(case)),
        |case| format!("the model must be {}", names[due(case)]),
    );
    record.finish();
}

/// The efforts that are tried, each with what it must give; `-` is refused.
const EFFORTS: [(&str, Value, &str); 16] = [
    ("absent", None, "medium"),
    ("empty", Some(b""), "-"),
    ("low", Some(b"low"), "low"),
    ("medium", Some(b"medium"), "medium"),
    ("high", Some(b"high"), "high"),
    ("xhigh", Some(b"xhigh"), "xhigh"),
    ("Low", Some(b"Low"), "-"),
    ("XHIGH", Some(b"XHIGH"), "-"),
    ("a blank and low", Some(b" low"), "-"),
    ("low and a blank", Some(b"low "), "-"),
    ("high and a line feed", Some(b"high\n"), "-"),
    ("extreme", Some(b"extreme"), "-"),
    ("minimal", Some(b"minimal"), "-"),
    ("low,high", Some(b"low,high"), "-"),
    ("high and no Unicode", Some(b"high\xff"), "medium"),
    ("no Unicode alone", Some(b"\xff"), "medium"),
];

/// The time limits that are tried, each with what it must give; `-` is refused.
const TIMES: [(&str, Value, &str); 24] = [
    ("absent", None, "1800"),
    ("empty", Some(b""), "-"),
    ("0", Some(b"0"), "-"),
    ("1", Some(b"1"), "1"),
    ("007", Some(b"007"), "7"),
    ("+5", Some(b"+5"), "5"),
    ("-1", Some(b"-1"), "-"),
    ("a blank and 5", Some(b" 5"), "-"),
    ("5 and a blank", Some(b"5 "), "-"),
    ("5 and a line feed", Some(b"5\n"), "-"),
    (
        "2^64 - 1",
        Some(b"18446744073709551615"),
        "18446744073709551615",
    ),
    ("2^64", Some(b"18446744073709551616"), "-"),
    ("2^63", Some(b"9223372036854775808"), "9223372036854775808"),
    ("2^32", Some(b"4294967296"), "4294967296"),
    ("1.5", Some(b"1.5"), "-"),
    ("5s", Some(b"5s"), "-"),
    ("five", Some(b"five"), "-"),
    ("1_000", Some(b"1_000"), "-"),
    ("1e3", Some(b"1e3"), "-"),
    ("0x10", Some(b"0x10"), "-"),
    ("an Arabic three", Some("\u{663}".as_bytes()), "-"),
    ("1800", Some(b"1800"), "1800"),
    ("5 and no Unicode", Some(b"5\xff"), "1800"),
    ("no Unicode alone", Some(b"\xff"), "1800"),
];

/// Everything that a table of values may give, once each, without refusals.
fn fibers(table: &[(&str, Value, &'static str)]) -> Vec<&'static str> {
    let mut fibers: Vec<&str> = table.iter().map(|(.., due)| *due).collect();
    fibers.retain(|due| *due != "-");
    fibers.sort_unstable();
    fibers.dedup();
    fibers
}

/// One setting over its whole table, beside others of all classes: `others` are
/// values of another variable, and the model is set or not.
fn table_of_values(
    mut record: Record,
    setting: (&'static str, &str, &[(&str, Value, &'static str)]),
    other: (&str, &[(&str, Value)]),
) {
    let (name, variable, values) = setting;
    let universe = Product::new()
        .with(name, values.iter().map(|(words, ..)| words))
        .with("the other setting", other.1.iter().map(|(words, _)| words))
        .with("the model", ["absent", "set"]);
    let mut table = Table::new(
        "the setting",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let model = Some(&b"gpt-global"[..]).filter(|_| case[2] == 1);
            let variables = [
                (variable, values[case[0]].1),
                (other.0, other.1[case[1]].1),
                (MODEL, model),
            ];
            said(COMPONENT, &variables)
                .remove(name)
                .expect("the setting")
        },
    );
    let fibers = fibers(values);
    record.acceptance(
        &mut table,
        &fibers,
        &["refused"],
        |case| fibers.iter().position(|fiber| *fiber == values[case[0]].2),
        |case| match values[case[0]].2 {
            "-" => "this value must be refused".to_owned(),
            due => format!("the {name} must be {due}"),
        },
    );
    record.finish();
}

#[test]
fn only_four_efforts_leave_the_environment() {
    table_of_values(
        Record::start("only_four_efforts_leave_the_environment"),
        ("effort", EFFORT, &EFFORTS),
        (
            TIMEOUT,
            &[
                ("absent", None),
                ("valid", Some(b"5")),
                ("invalid", Some(b"0")),
                ("no Unicode", BYTES),
            ],
        ),
    );
}

#[test]
fn only_positive_seconds_leave_the_environment() {
    table_of_values(
        Record::start("only_positive_seconds_leave_the_environment"),
        ("timeout", TIMEOUT, &TIMES),
        (
            EFFORT,
            &[
                ("absent", None),
                ("valid", Some(b"high")),
                ("invalid", Some(b"extreme")),
                ("no Unicode", BYTES),
            ],
        ),
    );
}

#[test]
fn an_effort_is_one_of_four_texts() {
    let mut record = Record::start("an_effort_is_one_of_four_texts");
    let length = record.bound("length", 4);
    let alphabet = [
        "low", "medium", "high", "x", "l", "ow", "med", "ium", "LOW", "X", " ", "\n", "\u{a0}",
        "\0",
    ];
    let universe = Sequences::new(
        alphabet
            .iter()
            .map(|text| format!("<{}>", text.escape_debug())),
        length,
    );
    let text = |case: &[usize]| -> String { case.iter().map(|&at| alphabet[at]).collect() };
    let mut table = Table::new("the reader of efforts", &universe, text, |_, text| {
        let Ok(effort) = text.parse::<Effort>() else {
            return "refused".to_owned();
        };
        // One name in every form: what the client is given, what a person and a log read.
        let written = serde_json::to_value(effort).expect("an effort is plain data");
        let name = effort.as_str();
        if effort.to_string() == name && written == name {
            name.to_owned()
        } else {
            format!("{name} as an argument, {effort} in words, {written} as data")
        }
    });
    let names = ["low", "medium", "high", "xhigh"];
    record.acceptance(
        &mut table,
        &names,
        &["refused"],
        |case| names.iter().position(|name| *name == text(case)),
        |case| {
            let verb = if names.contains(&text(case).as_str()) {
                "be the effort of that name"
            } else {
                "be refused"
            };
            format!("the text {:?} must {verb}", text(case))
        },
    );
    record.equal("the default effort", &Effort::default().as_str(), &"medium");
    record.finish();
}

#[test]
fn a_time_limit_is_digits_that_are_not_all_zero() {
    let mut record = Record::start("a_time_limit_is_digits_that_are_not_all_zero");
    let length = record.bound("length", 3);
    let alphabet = ["0", "5", "+", "-", " ", "x"];
    let universe = Sequences::new(alphabet.map(|text| format!("<{text}>")), length);
    let text = |case: &[usize]| -> String { case.iter().map(|&at| alphabet[at]).collect() };
    let mut table = Table::new("the time limit", &universe, text, |_, text| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_settings"));
        let output = command.env_clear().env(TIMEOUT, text).output();
        let output = output.expect("the program can be started").stdout;
        let output = String::from_utf8(output).expect("it prints text");
        let line = output
            .lines()
            .find_map(|line| line.strip_prefix("timeout "));
        line.expect("a time limit").to_owned()
    });
    // One plus may precede; the rest is digits, and without its leading zeros the number
    // as it is printed.
    let seconds = ["5", "50", "55", "500", "505", "550", "555"];
    let due = |case: &[usize]| {
        let text = text(case);
        let digits = text.strip_prefix('+').unwrap_or(&text);
        let number = digits.trim_start_matches('0');
        seconds.iter().position(|seconds| *seconds == number)
    };
    record.acceptance(&mut table, &seconds, &["refused"], due, |case| {
        let text = text(case);
        match due(case) {
            Some(at) => format!("the text {text:?} must be {} seconds", seconds[at]),
            None => format!("the text {text:?} must be refused"),
        }
    });
    record.finish();
}

#[test]
fn client_and_log_are_taken_as_they_are() {
    let mut record = Record::start("client_and_log_are_taken_as_they_are");
    let values: [Value; 4] = [None, Some(b""), Some(b"/opt/a place"), BYTES];
    let paths = |default| [default, "nothing", "/opt/a place", r"gpt-\xff"];
    let (clients, logs) = (paths("codex"), paths("teacher-calls.jsonl"));
    let universe = Product::new()
        .with("client", KINDS)
        .with("log", KINDS)
        .with("the other settings", ["absent", "set"]);
    let mut table = Table::new(
        "the choice of client and log",
        &universe,
        |case| universe.words(case),
        |case, _| {
            let other = |value: &'static [u8]| Some(value).filter(|_| case[2] == 1);
            let variables = [
                (CLIENT, values[case[0]]),
                (LOG, values[case[1]]),
                (MODEL, other(b"gpt-global")),
                (COMPONENT, other(b"gpt-component")),
                (EFFORT, other(b"extreme")),
                (TIMEOUT, other(b"0")),
            ];
            let said = said(COMPONENT, &variables);
            let path = |name: &str| Some(&said[name]).filter(|it| !it.is_empty());
            let [client, log] =
                ["client", "log"].map(|name| path(name).map_or("nothing", String::as_str));
            format!("client {client}, log {log}")
        },
    );
    let pairs: Vec<String> = clients
        .iter()
        .flat_map(|client| logs.map(|log| format!("client {client}, log {log}")))
        .collect();
    let due = |case: &[usize]| case[0] * 4 + case[1];
    record.acceptance(
        &mut table,
        &pairs,
        &[] as &[&str],
        |case| Some(due(case)),
        |case| format!("{} must be chosen", pairs[due(case)]),
    );
    record.finish();
}
