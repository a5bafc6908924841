//! Oracles of the call log: the bytes of its lines, which replies share a line, what
//! stood there before, and many writers at once.

mod calls;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread;

use calls::{HEADERS, Place, alone, asked, wrapper};
use fake_codex::Step;
use obernant::{Product, Record, Table, Universe};
use teacher::call_log::{Entry, append};
use teacher::{Call, Effort, Usage};

/// The counts of the completions: what the stream says of them, and what the log says.
const COUNTS: [(&str, &str, &str); 4] = [
    (
        "three counts",
        r#"{"input_tokens":10,"cached_input_tokens":4,"output_tokens":5}"#,
        r#"{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":4,"cache_creation_input_tokens":0}"#,
    ),
    (
        "five counts",
        r#"{"input_tokens":10,"cached_input_tokens":4,"cache_write_input_tokens":3,"output_tokens":5,"reasoning_output_tokens":2}"#,
        r#"{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":4,"cache_creation_input_tokens":3,"reasoning_output_tokens":2,"cache_write_input_tokens":3}"#,
    ),
    (
        "no input",
        r#"{"input_tokens":0,"output_tokens":0}"#,
        r#"{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}"#,
    ),
    (
        "the greatest counts",
        r#"{"input_tokens":18446744073709551615,"cached_input_tokens":18446744073709551615,"output_tokens":18446744073709551615}"#,
        r#"{"input_tokens":18446744073709551615,"output_tokens":18446744073709551615,"cache_read_input_tokens":18446744073709551615,"cache_creation_input_tokens":0}"#,
    ),
];

/// What a line of the log holds, and nothing else of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Projection {
    retries: usize,
    items: usize,
    refused: usize,
    counts: usize,
    packaged: bool,
}

impl Projection {
    fn words(self) -> String {
        format!(
            "{} retries, {} error items, {} refused tools, {}, {}",
            self.retries,
            self.items,
            self.refused,
            COUNTS[self.counts].0,
            if self.packaged {
                "a version"
            } else {
                "no version"
            },
        )
    }

    /// The line, literally; the seconds are taken out.
    fn line(self) -> String {
        let warnings = self.retries + self.items;
        let known = self.counts != 2;
        let version = if self.packaged { "\"0.171.0\"" } else { "null" };
        format!(
            concat!(
                r#"{{"provider":"codex","model":"gpt-5.5","effort":"high","secs":SECS,"usage":{},"#,
                r#""cost_reported":false,"warnings":{},"retries":{},"usage_known":{},"#,
                r#""refused_tools":{},"client_version":{},"descendant_left":false}}"#,
                "\n",
            ),
            COUNTS[self.counts].2, warnings, self.retries, known, self.refused, version,
        )
    }
}

/// How often a tool is refused: none, once, and more often than texts are kept.
const REFUSALS: [usize; 3] = [0, 1, 120];

fn projection(case: &[usize]) -> Projection {
    Projection {
        retries: case[2] * 2,
        items: case[3],
        refused: REFUSALS[case[4]],
        counts: case[5],
        packaged: case[6] == 1,
    }
}

/// The run of a case: its stream and its standard error. The answer and the texts are
/// what the log leaves out.
fn run(case: &[usize]) -> (String, String) {
    let told = projection(case);
    let (answer, text) = (
        ["Walrus", "Penguin"][case[0]],
        ["lost", "gone\\nfar"][case[1]],
    );
    let item = |kind: &str, key: &str, text: &str| {
        format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"i\",\"type\":\"{kind}\",\"{key}\":\"{text}\"}}}}\n"
        )
    };
    let mut stream = HEADERS.to_owned();
    stream += &item("error", "message", text).repeat(told.items);
    stream += &format!("{{\"type\":\"error\",\"message\":\"{text}\"}}\n").repeat(told.retries);
    stream += &item("agent_message", "text", answer);
    stream += &format!(
        "{{\"type\":\"turn.completed\",\"usage\":{}}}\n",
        COUNTS[told.counts].1
    );
    let noise = format!("ERROR codex_core::tools::router: error={text}\n").repeat(told.refused);
    (stream, noise)
}

/// The log of one call, its seconds taken out where they are a number with at most
/// three digits after the point.
fn logged(case: &[usize]) -> String {
    let (stream, noise) = run(case);
    let place = Place::new(|_| vec![Step::ReadPrompt(None), Step::out(stream), Step::err(noise)]);
    let package = place.scene.file("package");
    fs::create_dir_all(package.join("bin")).expect("folders can be made");
    let script = package.join("bin/codex.js");
    if case[6] == 1 {
        wrapper(&script, place.scene.folder());
        let manifest = r#"{"name":"@openai/codex","version":"0.171.0"}"#;
        fs::write(package.join("package.json"), manifest).expect("a file can be written");
    }
    let (name, outcome) = asked(&Call {
        effort: Some("high"),
        client: Some(if case[6] == 1 {
            &script
        } else {
            place.scene.client()
        }),
        ..place.call("What is six times seven?")
    });
    let text = fs::read_to_string(&place.log).unwrap_or_default();
    if let Err(failure) = outcome {
        return format!("{name}, {}: {text}", failure.message);
    }
    let Some((before, after)) = text.split_once("\"secs\":") else {
        return text;
    };
    let (secs, after) = after.split_at(after.find(',').unwrap_or(0));
    let (whole, parts) = secs.split_once('.').unwrap_or((secs, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let form = !whole.is_empty() && digits(whole) && digits(parts) && parts.len() <= 3;
    let secs = if form { "SECS" } else { "of another form" };
    let text = format!("{before}\"secs\":{secs}{after}");
    // A short name for a line that is one of the literal ones.
    let told = projection(case);
    if text == told.line() {
        told.words()
    } else {
        text
    }
}

#[test]
fn a_reply_leaves_one_line_of_counts() {
    let _alone = alone();
    let mut record = Record::start("a_reply_leaves_one_line_of_counts");
    let universe = Product::new()
        .with("answer", ["Walrus", "Penguin"])
        .with("texts", ["short", "of two lines"])
        .with("error lines", [0, 2])
        .with("error items", [0, 1])
        .with("refused tools", REFUSALS)
        .with("counts", COUNTS.map(|(words, ..)| words))
        .with("client", ["of no package", "of the package"]);
    let mut table = Table::new(
        "the log",
        &universe,
        |case| universe.words(case),
        |case, _| logged(case),
    );
    let mut projections: Vec<Projection> = (0..universe.len())
        .map(|index| projection(&universe.case(index)))
        .collect();
    projections.sort_unstable();
    projections.dedup();
    let fibers: Vec<String> = projections.iter().map(|told| told.words()).collect();
    // Not the answer, not a text: the counts alone say which line it is.
    record.complement(
        &mut table,
        &fibers,
        |case| {
            let due = projection(case);
            let projections = &projections;
            move |line| projections[line] != due
        },
        |case| {
            format!(
                "the line {} and its end are due",
                projection(case).line().trim_end()
            )
        },
    );
    record.reconstruction(&mut table, &fibers, |case| {
        let due = projection(case);
        let projections = &projections;
        move |line| projections[line] == due
    });
    record.claim("lines", fibers.len());
    record.finish();
}

/// What stands at the log's path before.
const BEFORE: [(&str, Option<&str>); 4] = [
    ("nothing", None),
    ("an empty file", Some("")),
    ("two lines", Some("{\"old\":1}\n{\"old\":2}\n")),
    ("half a line", Some("{\"old\":")),
];

/// Where a log can't be written, and the errors for it.
const WRONG: [(&str, &str); 3] = [
    ("a folder", "IsADirectory"),
    ("a missing folder", "NotFound"),
    ("a full device", "StorageFull"),
];

/// What becomes of a log that can be written.
const MORE: [&str; 3] = ["one line more", "two lines more", "three lines more"];

fn entry(model: &str) -> Entry<'_> {
    Entry {
        provider: "codex",
        model,
        effort: Effort::Xhigh,
        secs: 1.25,
        usage: Usage {
            input_tokens: 7,
            output_tokens: 6,
            cache_read_input_tokens: 5,
            cache_creation_input_tokens: 4,
            reasoning_output_tokens: Some(3),
            cache_write_input_tokens: None,
        },
        cost_reported: false,
        warnings: 2,
        retries: 1,
        usage_known: true,
        refused_tools: 8,
        client_version: Some("0.171.0"),
        descendant_left: true,
    }
}

/// The line of [`entry`], written out.
fn line(model: &str) -> String {
    format!(
        concat!(
            r#"{{"provider":"codex","model":"{}","effort":"xhigh","secs":1.25,"usage":{{"#,
            r#""input_tokens":7,"output_tokens":6,"cache_read_input_tokens":5,"#,
            r#""cache_creation_input_tokens":4,"reasoning_output_tokens":3}},"#,
            r#""cost_reported":false,"warnings":2,"retries":1,"usage_known":true,"#,
            r#""refused_tools":8,"client_version":"0.171.0","descendant_left":true}}"#,
            "\n",
        ),
        model
    )
}

/// How many times this thread asked the system to write so far.
fn write_calls() -> u64 {
    let told = fs::read_to_string("/proc/thread-self/io").expect("the system counts writes");
    let count = told.lines().find_map(|line| line.strip_prefix("syscw: "));
    let count = count.and_then(|count| count.parse().ok());
    count.expect("the system tells the number of writes")
}

/// So many entries written one after the other, and what became of the file.
fn appended(before: usize, writes: usize) -> String {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("log");
    let path = match before {
        4 => folder.path().to_owned(),
        5 => folder.path().join("missing/log"),
        6 => PathBuf::from("/dev/full"),
        _ => file.clone(),
    };
    let old = BEFORE.get(before).and_then(|(_, text)| *text);
    if let Some(text) = old {
        fs::write(&path, text).expect("a file can be written");
    }
    let models = ["gpt-a", "gpt-b", "gpt-c"];
    for model in &models[..writes] {
        let calls = write_calls();
        if let Err(error) = append(&path, &entry(model)) {
            return format!("{:?}", error.kind());
        }
        let calls = write_calls() - calls;
        if calls != 1 {
            return format!("an entry in {calls} writes");
        }
    }
    let new: String = models[..writes].iter().map(|model| line(model)).collect();
    let due = old.unwrap_or_default().to_owned() + &new;
    match fs::read_to_string(&file) {
        Ok(text) if text == due => MORE[writes - 1].to_owned(),
        Ok(text) => format!("the file {text:?}"),
        Err(_) => "no file".to_owned(),
    }
}

#[test]
fn an_entry_is_one_line_more() {
    let mut record = Record::start("an_entry_is_one_line_more");
    let places = BEFORE.map(|(words, _)| words);
    let wrong = WRONG.map(|(words, _)| words);
    let universe = Product::new()
        .with("before", places.into_iter().chain(wrong))
        .with("entries", 1..4);
    let mut table = Table::new(
        "the log",
        &universe,
        |case| universe.words(case),
        |case, _| appended(case[0], case[1] + 1),
    );
    let outcomes = MORE.into_iter().chain(WRONG.map(|(_, error)| error));
    let outcomes: Vec<&str> = outcomes.collect();
    let due = |case: &[usize]| match case[0].checked_sub(BEFORE.len()) {
        None => case[1],
        Some(wrong) => MORE.len() + wrong,
    };
    record.complement(
        &mut table,
        &outcomes,
        |case| {
            let due = due(case);
            move |outcome| outcome != due
        },
        |case| format!("{} is due", outcomes[due(case)]),
    );
    record.reconstruction(&mut table, &outcomes, |case| {
        let due = due(case);
        move |outcome| outcome == due
    });
    record.finish();
}

/// Entries by many threads, each with models of its own; how many lines are whole and
/// there as often as they were written.
fn crowded(threads: usize, each: usize) -> String {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("log");
    let model = |thread: usize| format!("gpt-{}", "m".repeat(100 * thread));
    thread::scope(|scope| {
        for thread in 0..threads {
            let (path, model) = (&path, model(thread));
            scope.spawn(move || {
                for _ in 0..each {
                    append(path, &entry(&model)).expect("the log can be written");
                }
            });
        }
    });
    let text = fs::read_to_string(&path).expect("the log can be read");
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.split_inclusive('\n') {
        *lines.entry(line).or_default() += 1;
    }
    let whole = (0..threads).all(|thread| lines.get(line(&model(thread)).as_str()) == Some(&each));
    if whole && lines.len() == threads {
        format!("{} whole lines", threads * each)
    } else {
        format!("mixed lines of {threads} threads")
    }
}

#[test]
fn entries_of_many_threads_do_not_mix() {
    let mut record = Record::start("entries_of_many_threads_do_not_mix");
    let (threads, each) = ([1, 16], [2000, 100]);
    let universe = Product::new()
        .with("threads", threads)
        .with("entries of each", each);
    let mut table = Table::new(
        "the log",
        &universe,
        |case| universe.words(case),
        |case, _| crowded(threads[case[0]], each[case[1]]),
    );
    let count = |case: &[usize]| threads[case[0]] * each[case[1]];
    let mut counts: Vec<usize> = (0..universe.len())
        .map(|index| count(&universe.case(index)))
        .collect();
    counts.sort_unstable();
    let outcomes: Vec<String> = counts
        .iter()
        .map(|count| format!("{count} whole lines"))
        .collect();
    record.complement(
        &mut table,
        &outcomes,
        |case| {
            let due = count(case);
            let counts = &counts;
            move |outcome| counts[outcome] != due
        },
        |case| format!("{} whole lines are due", count(case)),
    );
    record.reconstruction(&mut table, &outcomes, |case| {
        let due = count(case);
        let counts = &counts;
        move |outcome| counts[outcome] == due
    });
    record.assume("the file system is a local one");
    record.finish();
}
