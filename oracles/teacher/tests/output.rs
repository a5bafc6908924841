//! Oracles of what is made of a client's two outputs, wherever their bytes are cut.

use std::collections::BTreeSet;

use obernant::{Product, Record, Sequences, Table};
use oracles_teacher::{data, located_failure, strict_reply, tolerant_reply};
use teacher::output::{EventStream, Noted, Notes};
use teacher::{Category, Failure, Reply, decode_events_tolerant};

/// Stands between two pieces of an input text. The text has one character for
/// each byte, so that it can hold bytes that are no UTF-8.
const CUT: char = '\u{100}';

fn text_of(pieces: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
    let mut text = String::new();
    for (at, piece) in pieces.into_iter().enumerate() {
        text.extend((at > 0).then_some(CUT));
        text.extend(piece.as_ref().iter().map(|byte| char::from(*byte)));
    }
    text
}

fn pieces_of(text: &str) -> impl Iterator<Item = Vec<u8>> {
    text.split(CUT).map(|piece| {
        let byte = |c| u8::try_from(c).expect("a character for a byte");
        piece.chars().map(byte).collect()
    })
}

/// The text in one piece.
fn uncut(text: &str) -> String {
    text.replace(CUT, "")
}

fn events(text: &str) -> Result<Reply, Failure> {
    let mut stream = EventStream::default();
    pieces_of(text).for_each(|piece| stream.push(&piece));
    stream.finish()
}

fn notes(text: &str) -> Noted {
    let mut notes = Notes::default();
    pieces_of(text).for_each(|piece| notes.push(&piece));
    notes.finish()
}

const BEGINNING: &[u8] = br#"{"type":"item.completed","item":{"type":"agent_message","text":""#;
const ANSWER: &[u8] =
    b"{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"b\"}}\n";
const COMPLETION: &[u8] =
    br#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":2}}"#;

/// A part of a stream, none of which is a line of its own but the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Beginning,
    Lead,
    Trail,
    End,
    Answer,
    Completion,
    Feed,
    Bad,
}

const PARTS: [(&str, &[u8], Part); 8] = [
    ("an answer's beginning", BEGINNING, Part::Beginning),
    ("the first byte of a letter", b"\xc3", Part::Lead),
    ("its second byte", b"\xa9", Part::Trail),
    ("an answer's end and a line feed", b"\"}}\n", Part::End),
    ("an answer's line", ANSWER, Part::Answer),
    ("a completion", COMPLETION, Part::Completion),
    ("a line feed", b"\n", Part::Feed),
    ("a byte that is never UTF-8", b"\xff", Part::Bad),
];

fn parts(record: &mut Record) -> Sequences {
    let length = record.bound("length", 5);
    Sequences::new(PARTS.map(|(words, ..)| words), length)
}

fn in_parts(case: &[usize]) -> String {
    text_of(case.iter().map(|&at| PARTS[at].1))
}

/// The lines of a case, each as its parts. Two parts bring their line feed.
fn lines(case: &[usize]) -> Vec<Vec<Part>> {
    let mut lines = vec![vec![]];
    for &at in case {
        let part = PARTS[at].2;
        let line = lines.last_mut().expect("there is always a line");
        if part != Part::Feed {
            line.push(part);
        }
        if matches!(part, Part::Feed | Part::End | Part::Answer) {
            lines.push(vec![]);
        }
    }
    lines
}

/// A stream is a reply exactly where each of its lines is blank, a completion or
/// an answer; one is a completion; all answers stand before it; and the last of
/// them has a letter.
fn reply_due(case: &[usize]) -> Option<usize> {
    let lines = lines(case);
    let lines: Vec<&[Part]> = lines
        .iter()
        .map(Vec::as_slice)
        .filter(|line| !line.is_empty())
        .collect();
    let (last, answers) = lines.split_last()?;
    let text = |line: &&[Part]| match line {
        [Part::Answer] => Some("b".to_owned()),
        [Part::Beginning, letters @ .., Part::End] => letters
            .chunks(2)
            .map(|pair| (pair == [Part::Lead, Part::Trail]).then_some("é"))
            .collect(),
        _ => None,
    };
    let texts: Option<Vec<String>> = answers.iter().map(text).collect();
    let answer = texts?.pop()?;
    let due = ["b", "é"].iter().position(|due| *due == answer);
    due.filter(|_| **last == [Part::Completion])
}

#[test]
fn a_stream_in_parts_is_judged_by_its_lines() {
    let mut record = Record::start("a_stream_in_parts_is_judged_by_its_lines");
    let universe = parts(&mut record);
    let mut table = Table::new("the stream", &universe, in_parts, |_, text| {
        match events(text) {
            Err(error) => error.error.as_str().to_owned(),
            Ok(reply) => {
                let due = strict_reply(&reply.result, 1, 2, 0);
                if data(&reply) == tolerant_reply(due, &[], 0) {
                    format!("the reply {}", reply.result)
                } else {
                    data(&reply).to_string()
                }
            }
        }
    });
    record.acceptance(
        &mut table,
        &["the reply b", "the reply é"],
        &Category::ALL.map(Category::as_str),
        reply_due,
        |case| match reply_due(case) {
            Some(due) => format!("the reply {} is due", ["b", "é"][due]),
            None => "it must fail".to_owned(),
        },
    );
    record.invariance(&mut table, |case| uncut(&in_parts(case)));
    record.finish();
}

/// The first byte that is no UTF-8: a first byte without its second, a second one
/// without its first, and the byte that is never one. Gives the line and the
/// byte, both counted from one.
fn first_bad_byte(case: &[usize]) -> Option<(usize, usize)> {
    lines(case).iter().enumerate().find_map(|(number, line)| {
        let bad = (0..line.len()).find(|&at| match line[at] {
            Part::Bad => true,
            Part::Lead => line.get(at + 1) != Some(&Part::Trail),
            Part::Trail => at == 0 || line[at - 1] != Part::Lead,
            _ => false,
        })?;
        let size = |part: &Part| {
            let found = PARTS.iter().find(|(.., known)| known == part);
            found.map_or(0, |(_, bytes, _)| bytes.len())
        };
        let before: usize = line[..bad].iter().map(size).sum();
        Some((number + 1, before + 1))
    })
}

/// A result as an outcome, with every word of it.
fn whole(result: Result<Reply, Failure>) -> String {
    match result {
        Ok(reply) => data(&reply).to_string(),
        Err(error) if error.error == Category::NotUtf8 => error.to_string(),
        Err(error) => located_failure(&error),
    }
}

#[test]
fn bytes_that_are_no_utf8_come_before_the_stream() {
    let mut record = Record::start("bytes_that_are_no_utf8_come_before_the_stream");
    let universe = parts(&mut record);
    let mut table = Table::new("the stream", &universe, in_parts, |_, text| {
        whole(events(text))
    });
    record.gates(&mut table, "", |case| {
        let bad = first_bad_byte(case);
        let (line, byte) = bad.unwrap_or_default();
        let named = format!("not_utf8 (line {line}): the line is no UTF-8 at byte {byte}");
        let bytes: Vec<u8> = case.iter().flat_map(|&at| PARTS[at].1).copied().collect();
        // Where all bytes are UTF-8, the decoder of whole texts judges.
        let text = String::from_utf8(bytes).map(|text| whole(decode_events_tolerant(&text)));
        [(named, bad.is_some()), (text.unwrap_or_default(), true)]
    });
    record.finish();
}

/// The texts that are cut anywhere: an output, and what is due.
fn cut_texts() -> [(&'static str, Vec<u8>, String); 5] {
    let reply = |answer: &str| {
        let reply = tolerant_reply(strict_reply(answer, 1, 2, 0), &[], 0);
        format!("stdout {reply}")
    };
    let line = |text: &[u8]| [BEGINNING, text, b"\"}}\r\n"].concat();
    let noted = |tail: &[&str], refused: &[&str]| {
        let noted = Noted {
            tail: tail.iter().map(|&line| line.to_owned()).collect(),
            refused_tools: refused.iter().map(|&line| line.to_owned()).collect(),
            refused_count: refused.len() as u64,
        };
        format!("stderr {noted:?}")
    };
    [
        (
            "a turn whose last line is not ended",
            [&line("é\u{2028}".as_bytes())[..], COMPLETION].concat(),
            reply("é\u{2028}"),
        ),
        (
            "a turn whose last line is ended, after a blank one",
            [&line(b"4")[..], b"\n", COMPLETION, b"\n"].concat(),
            reply("4"),
        ),
        (
            "a turn with half of a letter",
            [&line(b"\xe2\x80")[..], COMPLETION].concat(),
            "stdout not_utf8 (line 1): the line is no UTF-8 at byte 65".to_owned(),
        ),
        (
            "half a turn",
            [&line(b"4")[..], &COMPLETION[..9]].concat(),
            "stdout error malformed_json at line 2".to_owned(),
        ),
        (
            "standard error with a refused call",
            "b é\n\r\nWARN codex_core::tools::router: error=unsupported call: é \r\nhalf".into(),
            noted(
                &[
                    "b é",
                    "WARN codex_core::tools::router: error=unsupported call: é",
                    "half",
                ],
                &["unsupported call: é"],
            ),
        ),
    ]
}

#[test]
fn every_cut_into_three_gives_the_same() {
    let mut record = Record::start("every_cut_into_three_gives_the_same");
    let texts = cut_texts();
    let longest = texts.iter().map(|(_, bytes, _)| bytes.len()).max();
    let longest = longest.expect("there are texts");
    let cuts: Vec<(usize, usize)> = (0..=longest)
        .flat_map(|first| (first..=longest).map(move |second| (first, second)))
        .collect();
    let words = |(first, second)| format!("byte {first} and before byte {second}");
    let universe = Product::new()
        .with("the output", texts.each_ref().map(|(name, ..)| *name))
        .with("cut before", cuts.iter().copied().map(words));
    // A cut behind the end of a shorter text leaves an empty piece there.
    let cut = |case: &[usize]| {
        let (bytes, (first, second)) = (&texts[case[0]].1, cuts[case[1]]);
        let (rest, last) = bytes.split_at(second.min(bytes.len()));
        let (first, middle) = rest.split_at(first.min(rest.len()));
        text_of([first, middle, last])
    };
    let stderr = |case: &[usize]| case[0] == texts.len() - 1;
    let mut table = Table::new("the output", &universe, cut, |case, text| {
        if stderr(case) {
            format!("stderr {:?}", notes(text))
        } else {
            format!("stdout {}", whole(events(text)))
        }
    });
    let due: Vec<&str> = texts.iter().map(|(.., due)| due.as_str()).collect();
    record.acceptance(
        &mut table,
        &due,
        &[] as &[&str],
        |case| Some(case[0]),
        |case| format!("it must be <{}>", due[case[0]]),
    );
    record.invariance(&mut table, |case| uncut(&cut(case)));
    record.finish();
}

macro_rules! recorded {
    ($($name:literal),* $(,)?) => {
        [$((
            $name,
            concat!("crates/teacher/tests/data/codex/", $name),
            include_str!(concat!("../../../crates/teacher/tests/data/codex/", $name)),
        )),*]
    };
}

/// Recorded outputs: name, path from the root, text.
const STREAMS: [(&str, &str, &str); 29] = recorded!(
    "01_normal.jsonl",
    "02_reasoning_answer.jsonl",
    "03_two_messages.jsonl",
    "04_two_model_requests.jsonl",
    "05_reconnect_once_success.jsonl",
    "08_ws_fallback_success.jsonl",
    "09_item_error_model_reroute.jsonl",
    "11_item_error_unknown_model.jsonl",
    "13_empty_answer.jsonl",
    "16_usage_absent_upstream.jsonl",
    "17_cached_gt_input.jsonl",
    "18_unicode_separators.jsonl",
    "19_capacity_sse.jsonl",
    "21_high_demand_http500.jsonl",
    "22_high_demand_no_retry.jsonl",
    "23_http503_plain.jsonl",
    "25_usage_limit_429.jsonl",
    "27_context_window.jsonl",
    "30_failed_after_answer.jsonl",
    "31_incomplete_after_answer.jsonl",
    "34_tool_command_execution.jsonl",
    "36_tool_call_refused_silent.jsonl",
    "38_js_exec_silent_gpt6.jsonl",
    "40_killed_mid_turn.jsonl",
    "42_bogus_feature.jsonl",
    "43_forced_chatgpt_api_key_env.jsonl",
    "44_v0165_normal.jsonl",
    "45_v0165_reconnect.jsonl",
    "51_v0104_usage3.jsonl",
);
const REFUSED: [(&str, &str, &str); 1] = recorded!("36_tool_call_refused_silent.stderr");

#[test]
fn recorded_streams_survive_every_size_of_pieces() {
    let mut record = Record::start("recorded_streams_survive_every_size_of_pieces");
    for (_, path, _) in STREAMS.iter().chain(&REFUSED) {
        record.data(path);
    }
    let sizes = [1, 2, 3, 7, 64, 255, 512, 4096];
    let universe = Product::new()
        .with("stream", STREAMS.map(|(name, ..)| name))
        .with("bytes of a piece", sizes);
    let cut = |case: &[usize]| text_of(STREAMS[case[0]].2.as_bytes().chunks(sizes[case[1]]));
    let mut table = Table::new("the stream", &universe, cut, |_, text| whole(events(text)));
    let verdicts = STREAMS.map(|(.., text)| whole(decode_events_tolerant(text)));
    let outcomes: Vec<&str> = verdicts
        .iter()
        .map(String::as_str)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    record.complement(
        &mut table,
        &outcomes,
        |case| {
            let due = verdicts[case[0]].as_str();
            let outcomes = &outcomes;
            move |outcome: usize| outcomes[outcome] != due
        },
        |case| format!("the decoder of whole texts says {}", verdicts[case[0]]),
    );
    record.invariance(&mut table, |case| uncut(&cut(case)));
    for size in sizes {
        let noted = notes(&text_of(REFUSED[0].2.as_bytes().chunks(size)));
        record.equal(
            "the call that a real client refused",
            &noted.refused_tools,
            &vec!["unsupported call: exec_command".to_owned()],
        );
    }
    record.finish();
}

/// A line of standard error: its bytes, what is kept of it, and the text of the
/// refused call in it.
type Line = (
    &'static str,
    &'static [u8],
    Option<&'static str>,
    Option<&'static str>,
);

const LINES: [Line; 9] = [
    ("a plain line", b"plain \n", Some("plain"), None),
    ("a blank line", b" \t\r\n", None, None),
    (
        "a refused call",
        b"12:09 ERROR codex_core::tools::router: error=unsupported call: x\n",
        Some("12:09 ERROR codex_core::tools::router: error=unsupported call: x"),
        Some("unsupported call: x"),
    ),
    (
        "a refused call without words",
        b"codex_core::tools::router: error=\r\n",
        Some("codex_core::tools::router: error="),
        Some(""),
    ),
    (
        "a refused call that quotes another",
        b"codex_core::tools::router: error=a codex_core::tools::router: error=b\n",
        Some("codex_core::tools::router: error=a codex_core::tools::router: error=b"),
        Some("a codex_core::tools::router: error=b"),
    ),
    (
        "another error of the router",
        b"codex_core::tools::router: lost=x\n",
        Some("codex_core::tools::router: lost=x"),
        None,
    ),
    (
        "an error of another part",
        b"codex_core::tools: error=x\n",
        Some("codex_core::tools: error=x"),
        None,
    ),
    (
        "a refused call that is no UTF-8",
        b"\xffcodex_core::tools::router: error=y\xe9\n",
        Some("\u{fffd}codex_core::tools::router: error=y\u{fffd}"),
        Some("y\u{fffd}"),
    ),
    ("a line's beginning", b"x", Some("x"), None),
];
const BEGUN: usize = LINES.len() - 1;

/// What is due of a case's lines. A beginning stands before the line after it.
fn noted_due(case: &[usize]) -> Noted {
    let mut due = Noted::default();
    let mut begun = String::new();
    for &at in case {
        let (_, _, kept, refused) = LINES[at];
        begun += kept.unwrap_or_default();
        due.refused_tools.extend(refused.map(str::to_owned));
        if at != BEGUN && !begun.is_empty() {
            due.tail.push(std::mem::take(&mut begun));
        }
    }
    due.tail
        .extend(Some(begun).filter(|begun| !begun.is_empty()));
    due.refused_count = due.refused_tools.len() as u64;
    due
}

fn noted_words(noted: &Noted) -> String {
    let lines = noted.tail.len();
    format!("{} refused in {lines} lines", noted.refused_count)
}

#[test]
fn refused_tool_calls_are_told_in_their_words() {
    let mut record = Record::start("refused_tool_calls_are_told_in_their_words");
    let length = record.bound("length", 4);
    let universe = Sequences::new(LINES.map(|(words, ..)| words), length);
    let mut table = Table::new(
        "the notes",
        &universe,
        |case| text_of(case.iter().map(|&at| LINES[at].1)),
        |case, text| {
            let noted = notes(text);
            if noted == noted_due(case) {
                noted_words(&noted)
            } else {
                format!("{noted:?}")
            }
        },
    );
    let numbers = 0..=usize::try_from(length).expect("a short list");
    let outcomes: Vec<String> = numbers
        .flat_map(|lines| {
            (0..=lines).map(move |refused| format!("{refused} refused in {lines} lines"))
        })
        .collect();
    let due = |case: &[usize]| noted_words(&noted_due(case));
    record.acceptance(
        &mut table,
        &outcomes,
        &[] as &[&str],
        |case| outcomes.iter().position(|outcome| *outcome == due(case)),
        |case| format!("it must be {:?}", noted_due(case)),
    );
    record.partition(
        &mut table,
        |outcome| outcome,
        |case| {
            let due = noted_due(case);
            (due.refused_count, due.tail.len())
        },
    );
    record.finish();
}

const KEPT: [&str; 4] = [
    "all kept whole",
    "lines cut",
    "older lines dropped",
    "lines cut and older ones dropped",
];

#[test]
fn the_tail_of_standard_error_is_bounded() {
    let mut record = Record::start("the_tail_of_standard_error_is_bounded");
    let lengths = [1, 4_095, 4_096, 4_097, 9_000];
    let counts = [0, 1, 19, 20, 21, 45];
    let sizes = [1, 4_096, 1 << 20];
    let universe = Product::new()
        .with("bytes of a line", lengths)
        .with("lines", counts)
        .with("bytes of a piece", sizes);
    // Each line is one letter, another than those of its neighbours.
    let lines = |case: &[usize]| -> Vec<String> {
        let letters = (b'0'..=b'z').map(char::from).take(counts[case[1]]);
        letters
            .map(|letter| letter.to_string().repeat(lengths[case[0]]))
            .collect()
    };
    let bytes = |case: &[usize]| -> Vec<u8> {
        let lines = lines(case);
        lines
            .iter()
            .flat_map(|line| [line, "\n"].concat().into_bytes())
            .collect()
    };
    let cut = |case: &[usize]| text_of(bytes(case).chunks(sizes[case[2]]));
    let mut table = Table::new("the notes", &universe, cut, |case, text| {
        let tail = notes(text).tail;
        let all = lines(case);
        let short = |lines: &[String]| -> Vec<String> {
            lines
                .iter()
                .map(|line| line.chars().take(4_096).collect())
                .collect()
        };
        let last = &all[all.len().saturating_sub(20)..];
        let kept = [all.clone(), short(&all), last.to_vec(), short(last)];
        kept.iter().position(|kept| *kept == tail).map_or_else(
            || {
                let lengths: Vec<usize> = tail.iter().map(String::len).collect();
                format!("lines of {lengths:?} bytes")
            },
            |kept| KEPT[kept].to_owned(),
        )
    });
    let due = |case: &[usize]| {
        // No line, no cut.
        let cut = lengths[case[0]] > 4_096 && counts[case[1]] > 0;
        usize::from(cut) + 2 * usize::from(counts[case[1]] > 20)
    };
    record.acceptance(
        &mut table,
        &KEPT,
        &[] as &[&str],
        |case| Some(due(case)),
        |case| format!("due is: {}", KEPT[due(case)]),
    );
    let limits = [("bytes of a line", 4_096), ("lines", 20)];
    record.budget(&mut table, &limits, &KEPT[..1], |case| {
        let (length, count) = (lengths[case[0]] as u64, counts[case[1]] as u64);
        vec![if count == 0 { 0 } else { length }, count]
    });
    record.invariance(&mut table, |case| uncut(&cut(case)));
    let half = notes(&text_of([format!("x{}", "é".repeat(2_048)).as_bytes()]));
    record.equal(
        "a line whose bound falls into a letter",
        &half.tail,
        &vec![format!("x{}\u{fffd}", "é".repeat(2_047))],
    );
    record.finish();
}

#[test]
fn a_hundred_refusals_keep_their_words() {
    let mut record = Record::start("a_hundred_refusals_keep_their_words");
    let counts = [0, 1, 99, 100, 101, 250];
    let universe = Product::new()
        .with("refused calls", counts)
        .with("plain lines after each", 0..=2);
    let input = |case: &[usize]| {
        let line = |number| {
            let plain = "plain\n".repeat(case[1]);
            format!("codex_core::tools::router: error=call {number}\n{plain}")
        };
        text_of([(0..counts[case[0]])
            .map(line)
            .collect::<String>()
            .as_bytes()])
    };
    let outcomes = [
        "all words kept",
        "the first hundred kept, the others counted",
    ];
    let mut table = Table::new("the notes", &universe, input, |case, text| {
        let noted = notes(text);
        let all = counts[case[0]];
        let calls = |count: usize| -> Vec<String> {
            (0..count).map(|number| format!("call {number}")).collect()
        };
        let kept = &noted.refused_tools;
        let words = if *kept == calls(all) {
            outcomes[0].to_owned()
        } else if *kept == calls(100) {
            outcomes[1].to_owned()
        } else {
            format!("{} texts kept", kept.len())
        };
        if noted.refused_count == all as u64 {
            words
        } else {
            format!("{words}, {} counted", noted.refused_count)
        }
    });
    let due = |case: &[usize]| usize::from(counts[case[0]] > 100);
    record.acceptance(
        &mut table,
        &outcomes,
        &[] as &[&str],
        |case| Some(due(case)),
        |case| format!("due is: {}", outcomes[due(case)]),
    );
    let limits = [("refused calls", 100)];
    record.budget(&mut table, &limits, &outcomes[..1], |case| {
        vec![counts[case[0]] as u64]
    });
    record.finish();
}
