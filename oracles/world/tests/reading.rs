//! Oracles of reading: text to sentences and tokens, words by the tables of English,
//! and questions. What they know of English stands in `english`, and the questions in
//! `questions`.

mod english;
mod questions;

use std::collections::BTreeSet;

use english::{FRAMES, PLURALS, SINGULARS, TABLES, UNREAL, VERB_FRAMES, VERBS};
use obernant::{Product, Record, Sequences, Table, Universe};
use questions::{GIFTS, NO_QUESTION, PLACES, RELATIONS, reading};
use world::babi::text::{sentences, tokens};
use world::babi::{Answer, Refusal, Story};

/// The text of a sequence of parts.
fn text(parts: &[&str], case: &[usize]) -> String {
    case.iter().map(|&at| parts[at]).collect()
}

/// Parts as a person reads them.
fn visible<'a>(parts: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    parts.iter().map(|it| format!("<{}>", it.escape_debug()))
}

#[test]
fn a_sentence_lies_between_its_ends() {
    let mut record = Record::start("a_sentence_lies_between_its_ends");
    let length = record.bound("length", 5);
    let parts = ["a", "\u{e9}", ".", "?", " ", "\n"];
    let universe = Sequences::new(visible(&parts), length);
    let run = |_: &[usize], text: &str| {
        let found = sentences(text).into_iter().map(|it| &text[it]);
        let words: Vec<String> = found.map(|it| format!("[{it}]")).collect();
        format!("{} {}", words.len(), words.concat())
    };
    // A sentence begins and ends with no white space. No end lies in it, and up to the
    // next end on both sides there is nothing but white space.
    let rule = |case: &[usize]| {
        let is_white = |at: usize| case[at] > 3;
        let is_end = |after: usize| {
            after == case.len()
                || after > 0
                    && match case[after - 1] {
                        2 | 3 => is_white(after),
                        last => last == 5,
                    }
        };
        let white = |mut range: std::ops::Range<usize>| range.all(is_white);
        let mut words = Vec::new();
        for start in 0..case.len() {
            for end in start + 1..=case.len() {
                let inside =
                    !is_white(start) && !is_white(end - 1) && !(start + 1..end).any(is_end);
                let before = (0..=start).any(|at| (at == 0 || is_end(at)) && white(at..start));
                let after = (end..=case.len()).any(|at| is_end(at) && white(end..at));
                if inside && before && after {
                    words.push(format!("[{}]", text(&parts, &case[start..end])));
                }
            }
        }
        format!("{} {}", words.len(), words.concat())
    };
    let input = |case: &[usize]| text(&parts, case);
    let mut table = Table::new("the splitter", &universe, input, run);
    record.literal(&mut table, rule);
    record.partition(&mut table, |outcome| outcome, rule);

    // How many sentences there are, on the same texts.
    let count = |words: String| words.split(' ').next().unwrap_or_default().to_owned();
    let mut counts = Table::new("the splitter", &universe, input, |case, text| {
        count(run(case, text))
    });
    let accepted = ["1", "2", "3"];
    let due = |case: &[usize]| {
        let due = count(rule(case));
        accepted.iter().position(|it| *it == due)
    };
    record.acceptance(&mut counts, &accepted, &["0"], due, |case| {
        format!("the sentences are: {}", rule(case))
    });
    record.finish();
}

#[test]
fn a_word_is_what_letters_and_joints_bind() {
    let mut record = Record::start("a_word_is_what_letters_and_joints_bind");
    let length = record.bound("length", 5);
    let parts = ["a", "Z", "7", "'", "\u{2019}", "-", ".", " ", "\u{a0}"];
    let universe = Sequences::new(visible(&parts), length);
    let run = |_: &[usize], text: &str| {
        let all: Vec<String> = tokens(text, 0)
            .into_iter()
            .map(|it| {
                let kind = match (it.is_word(), it.is_capital()) {
                    (true, true) => "name",
                    (true, false) => "word",
                    _ => "mark",
                };
                format!("{kind}:{}:{}", it.text, it.lower)
            })
            .collect();
        all.join(" ")
    };
    // Two neighbours are bound where both are letters or digits, or where one is a
    // joint between two of them.
    let rule = |case: &[usize]| {
        let inner = |at: usize| case.get(at).is_some_and(|it| *it < 3);
        let joint =
            |at: usize| (3..6).contains(&case[at]) && at > 0 && inner(at - 1) && inner(at + 1);
        let white = |at: usize| case[at] > 6;
        let bound =
            |at: usize| at > 0 && (inner(at - 1) || joint(at - 1)) && (inner(at) || joint(at));
        let mut all: Vec<String> = Vec::new();
        for start in (0..case.len()).filter(|&at| !white(at) && !bound(at)) {
            let end = (start + 1..case.len())
                .find(|&at| !bound(at))
                .unwrap_or(case.len());
            let word = text(&parts, &case[start..end]);
            let kind = match case[start] {
                1 => "name",
                0 | 2 => "word",
                _ => "mark",
            };
            let lower = word.replace('Z', "z").replace('\u{2019}', "'");
            all.push(format!("{kind}:{word}:{lower}"));
        }
        all.join(" ")
    };
    let mut table = Table::new("the splitter", &universe, |case| text(&parts, case), run);
    record.literal(&mut table, rule);
    record.partition(&mut table, |outcome| outcome, rule);
    record.finish();
}

#[test]
fn a_place_in_a_line_moves_spans_only() {
    let mut record = Record::start("a_place_in_a_line_moves_spans_only");
    let length = record.bound("length", 3);
    let parts = ["a", "\u{e9}", "-", ",", " "];
    let universe = Sequences::new(visible(&parts), length);
    let line = |case: &[usize]| format!("\u{e9}! {}", text(&parts, case));
    // Each token with its bytes in the line, counted from the sentence's start.
    let run = |_: &[usize], line: &str| {
        let base = line.find("! ").map_or(0, |at| at + 2);
        let all: Vec<String> = tokens(&line[base..], base)
            .into_iter()
            .map(|it| {
                let (start, end) = (it.span.start, it.span.end);
                let same = line.get(start..end) == Some(&it.text);
                format!(
                    "{}..{} {same}",
                    start - base.min(start),
                    end - base.min(end)
                )
            })
            .collect();
        all.join(", ")
    };
    let mut table = Table::new("the splitter", &universe, line, run);
    record.invariance(&mut table, |case| text(&parts, case));
    record.finish();
}

#[test]
fn questions_of_places_and_reasons_are_read() {
    PLACES.check(Record::start("questions_of_places_and_reasons_are_read"));
}

#[test]
fn questions_of_relations_are_read() {
    RELATIONS.check(Record::start("questions_of_relations_are_read"));
}

#[test]
fn questions_of_holding_and_gifts_are_read() {
    GIFTS.check(Record::start("questions_of_holding_and_gifts_are_read"));
}

#[test]
fn marks_and_capitals_do_not_change_a_question() {
    let mut record = Record::start("marks_and_capitals_do_not_change_a_question");
    let plain = |template: &str| {
        let fill = |word| match word {
            "N" => "the box",
            "M" => "the hall",
            "P" | "Q" => "Ann",
            "R" => "Bob",
            word => word,
        };
        template
            .split_whitespace()
            .map(fill)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let all = [PLACES, RELATIONS, GIFTS];
    let questions = all.iter().flat_map(|it| it.questions);
    let questions: Vec<String> = questions.map(|(template, _)| plain(template)).collect();
    let marks = ["", "?", ".", " ?", "?\n"];
    let universe = Product::new()
        .with("question", &questions)
        .with("mark", visible(&marks))
        .with("letters", ["small", "capital first", "capitals"]);
    let input = |case: &[usize]| {
        let (first, rest) = questions[case[0]].split_once(' ').unwrap_or_default();
        let first = match case[2] {
            0 => first.to_owned(),
            1 => first[..1].to_uppercase() + &first[1..],
            _ => first.to_uppercase(),
        };
        format!("{first} {rest}{}", marks[case[1]])
    };
    let mut table = Table::new("the reader", &universe, input, |_, text| reading(text));
    record.invariance(&mut table, |case| questions[case[0]].clone());
    record.equal("readings of none", &table.seen(NO_QUESTION), &0);
    record.finish();
}

// ---- words ----

const REFUSED: &str = "refused";
const REFUSED_AS_UNREAL: &str = "refused as unreal";

/// The answer to the question behind the bar, with its witness.
fn answer(text: &str) -> String {
    let (story, question) = text.split_once(" | ").unwrap_or_default();
    match Story::read(story).ask(question) {
        Answer::Known { text, witness } => {
            let ids: Vec<String> = witness.iter().map(ToString::to_string).collect();
            format!("{text} by {}", ids.join(", "))
        }
        Answer::Unknown(Refusal::Gap(gap)) if gap.reason.contains("out of what happened") => {
            REFUSED_AS_UNREAL.to_owned()
        }
        Answer::Unknown(_) => REFUSED.to_owned(),
    }
}

/// The outcomes that a rule gives on a universe, but for these.
fn outcomes(
    universe: &impl Universe,
    due: impl Fn(&[usize]) -> String,
    but: &[&str],
) -> Vec<String> {
    let all: BTreeSet<String> = (0..universe.len())
        .map(|at| due(&universe.case(at)))
        .collect();
    all.into_iter()
        .filter(|it| !but.contains(&it.as_str()))
        .collect()
}

#[test]
fn a_verb_does_what_its_class_does() {
    let mut record = Record::start("a_verb_does_what_its_class_does");
    let frames = VERB_FRAMES
        .iter()
        .map(|(story, question, _)| format!("{story} {question}"));
    let universe = Product::new()
        .with("verb", VERBS.iter().map(|(past, ..)| past))
        .with("story", frames);
    let input = |verb: usize, frame: usize| {
        let (past, base, _) = VERBS[verb];
        let (story, question, _) = VERB_FRAMES[frame];
        let story = story.replace(" V ", &format!(" {past} "));
        format!(
            "{} | {question}",
            story.replace(" B ", &format!(" {base} "))
        )
    };
    let due = |case: &[usize]| {
        let (classes, answers) = (VERBS[case[0]].2, VERB_FRAMES[case[1]].2);
        let mut found = answers.iter().filter(|(class, _)| classes.contains(class));
        found
            .next()
            .map_or(REFUSED, |(_, answer)| answer)
            .to_owned()
    };
    let mut table = Table::new(
        "the story",
        &universe,
        |case| input(case[0], case[1]),
        |_, text| answer(text),
    );
    let accepted = outcomes(&universe, due, &[REFUSED]);
    let place = |case: &[usize]| accepted.iter().position(|it| *it == due(case));
    record.acceptance(&mut table, &accepted, &[REFUSED], place, |case| {
        let (past, _, classes) = VERBS[case[0]];
        format!(
            "`{past}` is of the classes {classes:?}, so that the answer is: {}",
            due(case)
        )
    });
    // The first verb of the same classes says the same.
    record.invariance(&mut table, |case| {
        let like = VERBS.iter().position(|it| it.2 == VERBS[case[0]].2);
        input(like.unwrap_or(case[0]), case[1])
    });
    record.finish();
}

#[test]
fn a_word_is_understood_where_its_table_stands() {
    let mut record = Record::start("a_word_is_understood_where_its_table_stands");
    let rows = TABLES
        .iter()
        .flat_map(|(words, frames)| words.iter().map(move |it| (*it, *frames)));
    let words: Vec<(&str, Option<&[usize]>)> = rows
        .map(|(word, frames)| (word, Some(frames)))
        .chain(UNREAL.iter().map(|word| (*word, None)))
        .collect();
    // Frames that differ in their answer alone are one story.
    let mut stories: Vec<(&str, &str)> = FRAMES.iter().map(|it| (it.0, it.1)).collect();
    stories.dedup();
    let universe = Product::new()
        .with("word", words.iter().map(|(word, _)| word))
        .with(
            "story",
            stories
                .iter()
                .map(|(story, question)| format!("{story} {question}")),
        );
    let fill = |text: &str, word: &str| {
        let capital = word[..1].to_uppercase() + &word[1..];
        text.replace('X', word).replace('Y', &capital)
    };
    let input = |case: &[usize]| {
        let ((word, _), (story, question)) = (words[case[0]], stories[case[1]]);
        fill(&format!("{story} | {question}"), word)
    };
    let due = |case: &[usize]| {
        let (word, frames) = words[case[0]];
        let Some(frames) = frames else {
            // A question with such a word is no question, and that is seen first.
            let is_asked = stories[case[1]].1.contains(['X', 'Y']);
            return if is_asked { REFUSED } else { REFUSED_AS_UNREAL }.to_owned();
        };
        let here = |at: &&usize| (FRAMES[**at].0, FRAMES[**at].1) == stories[case[1]];
        let found = frames.iter().find(here);
        found.map_or(REFUSED.to_owned(), |&at| fill(FRAMES[at].2, word))
    };
    let mut table = Table::new("the story", &universe, input, |_, text| answer(text));
    let refused = [REFUSED, REFUSED_AS_UNREAL];
    let accepted = outcomes(&universe, due, &refused);
    let place = |case: &[usize]| accepted.iter().position(|it| *it == due(case));
    record.acceptance(&mut table, &accepted, &refused, place, |case| {
        format!("`{}`: the answer is: {}", input(case), due(case))
    });
    record.literal(&mut table, due);
    record.finish();
}

#[test]
fn a_plural_means_its_singular() {
    let mut record = Record::start("a_plural_means_its_singular");
    let all = || PLURALS.iter().chain(SINGULARS);
    let (many, one): (Vec<&str>, Vec<&str>) = all().copied().unzip();
    let universe = Product::new().with("kind", &many).with("of one", &one);
    let input = |case: &[usize]| {
        let (many, one) = (many[case[0]], one[case[1]]);
        format!("{many} are afraid of cats. Lily is a {one}. | What is Lily afraid of?")
    };
    let mut table = Table::new("the story", &universe, input, |_, text| answer(text));
    let due = |case: &[usize]| {
        PLURALS
            .contains(&(many[case[0]], one[case[1]]))
            .then_some(0)
    };
    record.acceptance(&mut table, &["cat by 1, 2"], &[REFUSED], due, |case| {
        let is = if due(case).is_some() { "is" } else { "is not" };
        format!("`{}` {is} the plural of `{}`", many[case[0]], one[case[1]])
    });
    record.finish();
}

#[test]
fn the_last_date_tells_where_one_is() {
    let mut record = Record::start("the_last_date_tells_where_one_is");
    // A day and the parts of the next, as they pass.
    let dates = [
        "yesterday",
        "this morning",
        "this afternoon",
        "this evening",
    ];
    let universe = Product::new()
        .with("said first", dates)
        .with("said then", dates);
    let input = |case: &[usize]| {
        let (one, other) = (dates[case[0]], dates[case[1]]);
        format!("{one} Ann went to the hall. {other} Ann went to the park. | Where is Ann?")
    };
    let mut table = Table::new("the story", &universe, input, |_, text| answer(text));
    let places = ["hall by 1", "park by 2"];
    let due = |case: &[usize]| usize::from(case[1] >= case[0]);
    record.acceptance(
        &mut table,
        &places,
        &[REFUSED],
        |case| Some(due(case)),
        |case| format!("the later one of the two is: {}", places[due(case)]),
    );
    record.finish();
}

#[test]
fn a_small_number_is_a_word() {
    let mut record = Record::start("a_small_number_is_a_word");
    let most = record.bound("things", 12);
    let universe = Product::new().with("things", 0..=most);
    let input = |case: &[usize]| {
        let takes = ('a'..)
            .take(case[0])
            .map(|it| format!("Ann took the zorb{it}. "));
        let takes: String = takes.collect();
        format!("{takes}Ann went to the hall. | How many objects is Ann carrying?")
    };
    let run = |_: &[usize], text: &str| {
        let answer = answer(text);
        answer.split(' ').next().unwrap_or_default().to_owned()
    };
    let mut table = Table::new("the story", &universe, input, run);
    let words = [
        "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "11", "12",
    ];
    let due = |case: &[usize]| Some(case[0]).filter(|at| *at < words.len());
    record.acceptance(&mut table, &words, &[REFUSED], due, |case| {
        format!("there are {} things", case[0])
    });
    record.finish();
}
