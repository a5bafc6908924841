//! `babi ask` and `babi explain`: one story, read and shown.

use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::json;
use world::babi::{Answer, Extent, Gap, Refusal, Sentence, Story};
use world::measure::task_file::Stories;

use crate::out::{self, Paint, harmless};

/// The longest story in bytes.
const MAX_STORY: u64 = 64 << 20;
/// A line of this many characters still gets its marks below it.
const MAX_MARKED: usize = 110;
/// So many characters are shown of what is longer.
const MAX_SHOWN: usize = 400;

pub(crate) fn ask(json: bool, path: &Path, question: &str) -> anyhow::Result<ExitCode> {
    if question.trim().is_empty() {
        bail!("the question is blank; ask something like \"Where is Mary?\"");
    }
    let story = load(path)?;
    let answer = story.ask(question);
    if json {
        out::print_json(&as_json(&story, &answer))?;
    } else {
        out::print(&as_text(&story, &answer))?;
    }
    Ok(match answer {
        Answer::Known { .. } => ExitCode::SUCCESS,
        Answer::Unknown(_) => ExitCode::FAILURE,
    })
}

pub(crate) fn explain(path: &Path) -> anyhow::Result<ExitCode> {
    let story = load(path)?;
    let width = width(&story);
    let paint = Paint::new();
    let mut text = String::new();
    for sentence in story.sentences() {
        text += &shown(sentence, sentence.gap.as_ref(), width, paint);
        for statement in &sentence.statements {
            let statement = short(&statement.to_string());
            text += &format!("{:width$}    {}\n", "", paint.good(&statement));
        }
        if let Some(gap) = &sentence.gap {
            let words = format!("not understood: {}", short(gap.reason));
            text += &format!("{:width$}    {}\n", "", paint.bad(&words));
        }
        if sentence.gap.is_none() && sentence.statements.is_empty() {
            text += &format!("{:width$}    says nothing\n", "");
        }
    }
    out::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn load(path: &Path) -> anyhow::Result<Story> {
    let (name, mut input): (String, Box<dyn Read>) = if path == Path::new("-") {
        ("standard input".to_owned(), Box::new(io::stdin().lock()))
    } else {
        (path.display().to_string(), Box::new(out::open(path)?))
    };
    let mut bytes = Vec::new();
    (&mut input)
        .take(MAX_STORY + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("{name} can't be read"))?;
    if bytes.len() as u64 > MAX_STORY {
        bail!("{name} is longer than {MAX_STORY} bytes; give a shorter story");
    }
    let text = out::utf8(&name, bytes)?;
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        bail!("{name} is blank; write a story, one sentence after the other");
    }
    if !is_numbered(text) {
        return Ok(Story::read(text));
    }
    let mut stories = Stories::fragment(name.as_str(), text.as_bytes());
    let first = stories.next().transpose()?.unwrap_or_default();
    if stories.next().transpose()?.is_some() {
        bail!("{name} has more than one story; give one, a line with the number 1 begins the next");
    }
    let mut story = Story::new();
    let statements = first.lines.iter().filter(|line| line.gold.is_none());
    statements.for_each(|line| story.push(line.id, &line.text));
    Ok(story)
}

/// Whether the first line that is not blank begins with a number, a blank and no small
/// letter. "2 boys went home." is prose.
fn is_numbered(text: &str) -> bool {
    let text = text.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len()
        && rest.starts_with(' ')
        && !rest.trim_start().starts_with(char::is_lowercase)
}

/// The width of the numbers of a story.
fn width(story: &Story) -> usize {
    let last = story.sentences().iter().map(|sentence| sentence.id).max();
    last.unwrap_or(0).to_string().len()
}

/// The first sentence of this number; numbers grow.
fn sentence(story: &Story, id: usize) -> Option<&Sentence> {
    let all = story.sentences();
    let at = all.partition_point(|sentence| sentence.id < id);
    all.get(at).filter(|sentence| sentence.id == id)
}

fn as_text(story: &Story, answer: &Answer) -> String {
    let width = width(story);
    let paint = Paint::new();
    match answer {
        Answer::Known { text, witness } => {
            let mut shown_text = paint.good(&harmless(text)) + "\n";
            for id in witness {
                if let Some(sentence) = sentence(story, *id) {
                    shown_text += &shown(sentence, None, width, paint);
                }
            }
            shown_text
        }
        Answer::Unknown(refusal) => {
            let words = format!("not answered: {}", short(&refusal.to_string()));
            let mut text = paint.bad(&words) + "\n";
            if let Refusal::Gap(gap) = refusal
                && let Some(sentence) = sentence(story, gap.id)
            {
                text += &shown(sentence, Some(gap), width, paint);
            }
            text
        }
    }
}

fn as_json(story: &Story, answer: &Answer) -> serde_json::Value {
    match answer {
        Answer::Known { text, witness } => {
            let witness: Vec<_> = witness
                .iter()
                .map(|id| json!({ "id": id, "text": sentence(story, *id).map(|one| &one.text) }))
                .collect();
            json!({ "answer": text, "witness": witness })
        }
        Answer::Unknown(refusal) => {
            let gap = match refusal {
                Refusal::Gap(gap) => json!({
                    "id": gap.id,
                    "text": sentence(story, gap.id).map(|one| &one.text),
                    "words": gap.words,
                    "extent": if matches!(gap.extent, Extent::Frame) { "frame" } else { "story" },
                    "reason": gap.reason,
                }),
                _ => serde_json::Value::Null,
            };
            json!({ "answer": null, "refusal": refusal.to_string(), "gap": gap })
        }
    }
}

/// A sentence with its number; the words of the gap are marked.
fn shown(sentence: &Sentence, gap: Option<&Gap>, width: usize, paint: Paint) -> String {
    let id = sentence.id;
    let (line, marks) = marked(&sentence.text, gap.map(|gap| gap.words.as_str()));
    let mut text = format!("{id:>width$}  {line}\n");
    if let Some((before, length)) = marks {
        let carets = paint.bad(&"^".repeat(length));
        text += &format!("{:width$}  {:before$}{carets}\n", "", "");
    }
    text
}

/// The line of a text, and from where and how far it is to be marked below. A long
/// line, and one with letters that may be wider than one place, has the marks in it.
fn marked(text: &str, words: Option<&str>) -> (String, Option<(usize, usize)>) {
    let words = words.filter(|words| !words.is_empty());
    let Some((words, at)) = words.and_then(|words| Some((words, place(text, words)?))) else {
        return (short(text), None);
    };
    let (before, after) = (&text[..at], &text[at + words.len()..]);
    let whole = harmless(text);
    if whole.is_ascii() && whole.len() <= MAX_MARKED {
        let marks = (harmless(before).len(), harmless(words).len());
        return (whole, Some(marks));
    }
    let line = format!("{}[{}]{}", short_end(before), short(words), short(after));
    (line, None)
}

/// Where the words stand, best as whole words; the case of ASCII letters is no matter.
fn place(text: &str, words: &str) -> Option<usize> {
    let (text, words) = (&text.to_ascii_lowercase(), &words.to_ascii_lowercase());
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let whole = text
        .match_indices(words.as_str())
        .map(|(at, _)| at)
        .find(|at| {
            !letter(text[..*at].chars().next_back())
                && !letter(text[at + words.len()..].chars().next())
        });
    whole.or_else(|| text.find(words.as_str()))
}

/// The begin of a text, without control characters.
fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => harmless(&text[..end]) + " …",
        None => harmless(text),
    }
}

/// The end of a text, without control characters.
fn short_end(text: &str) -> String {
    match text.char_indices().nth_back(MAX_SHOWN / 4) {
        Some((begin, _)) if begin > 0 => format!("… {}", harmless(&text[begin..])),
        _ => harmless(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_tells_whether_lines_are_numbered() {
        for text in ["1 Mary went.", "\n 12 Mary went.", "3  \"No.\""] {
            assert!(is_numbered(text), "{text}");
        }
        for text in ["Mary went.", "2 boys went.", "2nd floor.", "1\tMary", "1"] {
            assert!(!is_numbered(text), "{text}");
        }
    }

    #[test]
    fn marks_stand_below_whole_words() {
        let text = "A\tclan of \u{1b}an.";
        let (line, marks) = marked(text, Some("an"));
        assert_eq!(line, "A\\tclan of \\u{1b}an.");
        assert_eq!(marks, Some((17, 2)));
        let (line, marks) = marked(text, Some("LAN"));
        assert_eq!((line.len(), marks), (20, Some((4, 3))));
    }

    #[test]
    fn marks_stand_in_a_line_that_is_long_or_wide() {
        let (line, marks) = marked("猫 blicked 犬.", Some("blicked"));
        assert_eq!((line.as_str(), marks), ("猫 [blicked] 犬.", None));
        let long = format!("{0} blicked {0}", "x".repeat(1_000_000));
        let (line, marks) = marked(&long, Some("blicked"));
        assert!(line.starts_with("… x") && line.contains(" [blicked] ") && line.ends_with(" …"));
        assert!(line.len() < 1_000 && marks.is_none());
    }

    #[test]
    fn words_that_stand_nowhere_mark_nothing() {
        for words in [None, Some(""), Some("blicked")] {
            assert_eq!(marked("Mary.", words), ("Mary.".to_owned(), None));
        }
    }
}
