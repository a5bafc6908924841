//! Oracles of the reading of task files: stories and the line of the first fault, which
//! fault of a line is told, and the two bounds.

use std::io::{BufReader, Read};

use obernant::{Product, Record, Sequences, Table};
use world::measure::task_file::{Line, Stories, TaskError};

use crate::rules::{Due, accept, lists};

/// A line in words: its number, text, answer and support.
fn shown(line: &Line) -> String {
    let gold = line.gold.as_ref();
    let gold = gold.map_or(String::new(), |gold| {
        let support = gold.support.as_ref();
        let support = support.map_or("-".to_owned(), |support| format!("{support:?}"));
        format!("={}{support}", gold.answer)
    });
    format!("{}:{}{gold}", line.id, line.text)
}

const LINES: [(&str, &str); 7] = [
    ("1 A.", "1:A."),
    ("2 \t A?", ""),
    ("2 A.", "2:A."),
    ("3 B?\tb\t1", "3:B?=b[1]"),
    ("7 B? \t b", "7:B?=b-"),
    (" ", ""),
    ("\u{feff}1 A.", "1:A."),
];

/// All texts of at most four lines of seven kinds: stories are told as they end, then
/// the line of the first fault, then nothing more.
pub(crate) fn stories(record: &mut Record) {
    let length = record.bound("lines", 4);
    let texts = lists(&LINES.map(|(line, _)| line), length);
    let ends = ["\n", "\r\n"];
    let universe = Product::new()
        .with("form", ["file", "piece"])
        .with("line end", ["LF", "CR LF"])
        .with("last line", ["ended", "open"])
        .with("lines", texts.iter().map(|lines| format!("{lines:?}")));
    accept(
        record,
        "the reading",
        &universe,
        |case| {
            let mut text = texts[case[3]].join(ends[case[1]]);
            if case[2] == 0 {
                text += ends[case[1]];
            }
            let stories = match case[0] {
                0 => Stories::new("f", text.as_bytes()),
                _ => Stories::fragment("f", text.as_bytes()),
            };
            let told: Vec<String> = stories
                .map(|story| match story {
                    Ok(story) => story.lines.iter().map(shown).collect::<Vec<_>>().join(" "),
                    Err(TaskError::Malformed { file, line, .. }) => {
                        format!("fault in {file} at {line}")
                    }
                    Err(other) => other.to_string(),
                })
                .collect();
            told.join(" | ")
        },
        |case| {
            let lines = &texts[case[3]];
            // The lines that count, each with its place and what is due for it.
            let mut good: Vec<(usize, &str)> = Vec::new();
            let mut fault = None;
            for (at, line) in (1..).zip(lines) {
                if *line == " " {
                    continue;
                }
                let (_, due) = LINES
                    .iter()
                    .find(|(known, _)| known == line)
                    .expect("a known line");
                let number = |due: &str| due.as_bytes().first().copied();
                let last = good.last().and_then(|(_, last)| number(last));
                let fits = match (number(due), last) {
                    (None, _) => false,
                    (Some(b'1'), _) => !line.starts_with('\u{feff}') || at == 1,
                    (Some(_), None) => case[0] == 1,
                    (Some(number), Some(last)) => number > last,
                };
                if !fits {
                    fault = Some(format!("fault in f at {at}"));
                    break;
                }
                good.push((at, due));
            }
            let mut whole: Vec<String> = Vec::new();
            for (_, due) in good {
                match whole.last_mut() {
                    Some(story) if !due.starts_with("1:") => *story += &format!(" {due}"),
                    _ => whole.push(due.to_owned()),
                }
            }
            let ends_badly = fault.is_some();
            if let Some(fault) = fault {
                // The story that the fault stands in is not told.
                whole.pop();
                whole.push(fault);
            }
            let number = whole.len() - usize::from(ends_badly);
            let name = if ends_badly {
                "stories and a fault"
            } else {
                "stories"
            };
            Due::new(whole.join(" | "), format!("{number} {name}"))
        },
    );
}

const PARTS: [&str; 7] = ["2 ", "1", "A", "A\t", "\t", " ", "+"];

/// All lines of at most five of seven parts: a blank line is none; else the first fault
/// is told, and a line without one is read as it stands there.
pub(crate) fn lines(record: &mut Record) {
    let length = record.bound("length", 5);
    let universe = Sequences::new(
        PARTS.map(|part| format!("<{}>", part.escape_debug())),
        length,
    );
    let text = |case: &[usize]| -> String { case.iter().map(|&at| PARTS[at]).collect() };
    // What is due where no gate stops the line: its fields, cut at tabs.
    let due = |text: &str| {
        let text = text.trim_start_matches([' ', '\t']);
        let (id, fields) = text.split_once(' ').unwrap_or((text, ""));
        let fields: Vec<&str> = fields
            .split('\t')
            .map(|field| field.trim_matches(' '))
            .collect();
        let support = fields.get(2).map(|field| {
            let numbers: Vec<&str> = field
                .split(' ')
                .filter(|number| !number.is_empty())
                .collect();
            format!("[{}]", numbers.join(", "))
        });
        let answer = fields
            .get(1)
            .map(|answer| format!("={answer}{}", support.as_deref().unwrap_or("-")));
        format!("{id}:{}{}", fields[0], answer.unwrap_or_default())
    };
    let mut table =
        Table::new(
            "the reading of a line",
            &universe,
            text,
            |_, text| match Stories::fragment("f", format!("{text}\n").as_bytes()).next() {
                None => "no line".to_owned(),
                Some(Ok(story))
                    if story.lines.len() == 1 && shown(&story.lines[0]) == due(text) =>
                {
                    "a line as written".to_owned()
                }
                Some(Ok(story)) => story.lines.iter().map(shown).collect(),
                Some(Err(TaskError::Malformed { reason, .. })) => {
                    let begins = reason.split(['`', '1', '2']).next();
                    begins.unwrap_or_default().trim_end().to_owned()
                }
                Some(Err(other)) => other.to_string(),
            },
        );
    record.gates(&mut table, "a line as written", |case| {
        let text = text(case);
        let blank = text.trim().is_empty();
        let text = text.trim_start();
        let (number, rest) = text.split_once(' ').unwrap_or((text, ""));
        let number_is_bad = number.is_empty() || number.chars().any(|c| c != '1' && c != '2');
        let fields: Vec<&str> = rest.split('\t').map(str::trim).collect();
        let supports = fields.get(2).copied().unwrap_or_default();
        // Only 1 and numbers of ones and twos occur, so the shorter and smaller is before.
        let before = |support: &str| {
            support.chars().all(|c| c == '1' || c == '2')
                && (support.len(), support) < (number.len(), number)
        };
        let far = supports
            .split(' ')
            .filter(|word| !word.is_empty())
            .any(|word| !before(word));
        [
            ("no line", blank),
            ("the line does not begin with a number from", number_is_bad),
            ("nothing stands after the number", fields[0].is_empty()),
            (
                "the question has no answer after its tab",
                fields.get(1) == Some(&""),
            ),
            ("the question has more than three fields", fields.len() > 3),
            ("the supporting number", far),
        ]
        .map(|(gate, stops)| (gate.to_owned(), stops))
    });
}

const LINE_LIMIT: u64 = 16 * 1024 * 1024;
const STORY_LIMIT: u64 = 64 * 1024 * 1024;

/// Lines of these lengths with their ends, and whether a small story stands behind.
const SIZES: [(&str, &[u64], bool); 6] = [
    ("a short story", &[100], false),
    ("the longest line", &[LINE_LIMIT], false),
    ("a line one byte longer", &[LINE_LIMIT + 1], false),
    (
        "the longest story before another",
        &[LINE_LIMIT, LINE_LIMIT, LINE_LIMIT, LINE_LIMIT, 5],
        true,
    ),
    (
        "a story one byte longer",
        &[LINE_LIMIT, LINE_LIMIT, LINE_LIMIT, LINE_LIMIT, 6],
        false,
    ),
    ("two stories", &[LINE_LIMIT], true),
];

/// The bounds of a line and of a story, met and passed by one byte. A small story stands
/// before each, so that the first line of a later story is seen to count.
pub(crate) fn limits(record: &mut Record) {
    let universe = Product::new().with("text", SIZES.map(|(words, ..)| words));
    let mut table = Table::new(
        "the reading",
        &universe,
        |case| SIZES[case[0]].0.to_owned(),
        |case, _| {
            let (_, lengths, more) = SIZES[case[0]];
            let mut input: Box<dyn Read> = Box::new(&b"1 A.\n"[..]);
            for (id, &length) in (1..).zip(lengths) {
                let number = std::io::Cursor::new(format!("{id} "));
                let letters = std::io::repeat(b'a').take(length - 3);
                input = Box::new(input.chain(number).chain(letters).chain(&b"\n"[..]));
            }
            if more {
                input = Box::new(input.chain(&b"1 A.\n"[..]));
            }
            let stories = Stories::new("f", BufReader::with_capacity(1 << 20, input));
            let whole = 2 + usize::from(more);
            match stories.collect::<Result<Vec<_>, _>>() {
                Ok(stories) if stories.len() == whole => "read".to_owned(),
                Ok(stories) => format!("{} stories", stories.len()),
                Err(error) => error.to_string(),
            }
        },
    );
    let limits = [
        ("bytes of a line", LINE_LIMIT),
        ("bytes of a story", STORY_LIMIT),
    ];
    record.budget(&mut table, &limits, &["read"], |case| {
        let (_, lengths, _) = SIZES[case[0]];
        // Of a story the ends of its lines do not count.
        let story = lengths.iter().map(|length| length - 1).sum();
        vec![lengths.iter().copied().max().unwrap_or_default(), story]
    });
}
