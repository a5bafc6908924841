//! What several oracles of the measuring room share: acceptance by a rule that states
//! the whole outcome, lists of small texts, and the disturbing of a made-up story.

use std::collections::{BTreeSet, HashMap};

use obernant::{Record, Sequences, Table, Universe};
use world::measure::disturb::Disturbance;
use world::measure::score::Tally;
use world::measure::task_file::{Gold, Line, Stories, TaskStory};

/// What a rule says of a case: the whole outcome, and the short name under which it
/// is counted.
pub(crate) struct Due {
    pub(crate) whole: String,
    pub(crate) name: String,
}

impl Due {
    pub(crate) fn new(whole: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            whole: whole.into(),
            name: name.into(),
        }
    }

    /// An outcome that is its own short name.
    pub(crate) fn plain(whole: impl Into<String>) -> Self {
        let whole = whole.into();
        Self::new(whole.clone(), whole)
    }
}

/// Complement and reconstruction: what is observed is the whole outcome that is due.
/// An outcome has its short name only where it is that one to the letter.
pub(crate) fn accept<U: Universe>(
    record: &mut Record,
    subject: &'static str,
    universe: &U,
    observe: impl Fn(&[usize]) -> String,
    due: impl Fn(&[usize]) -> Due,
) {
    let dues: HashMap<Vec<usize>, Due> = (0..universe.len())
        .map(|index| universe.case(index))
        .map(|case| (case.clone(), due(&case)))
        .collect();
    let names: BTreeSet<&str> = dues.values().map(|due| due.name.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut table = Table::new(
        subject,
        universe,
        |case| universe.words(case),
        |case, _| {
            let found = observe(case);
            let due = &dues[case];
            if found == due.whole {
                due.name.clone()
            } else {
                found
            }
        },
    );
    record.acceptance(
        &mut table,
        &names,
        &[] as &[&str],
        |case| names.binary_search(&dues[case].name.as_str()).ok(),
        |case| format!("{} is due", dues[case].whole),
    );
}

/// All lists over `symbols` of at most `length` of them.
pub(crate) fn lists<'a>(symbols: &[&'a str], length: u64) -> Vec<Vec<&'a str>> {
    let all = Sequences::new(symbols, length);
    (0..all.len())
        .map(|index| all.case(index).iter().map(|&at| symbols[at]).collect())
        .collect()
}

pub(crate) fn statement(id: usize, text: &str) -> Line {
    Line {
        id,
        text: text.to_owned(),
        gold: None,
    }
}

pub(crate) fn question(id: usize, text: &str, answer: &str, support: Option<&[usize]>) -> Line {
    let gold = Gold {
        answer: answer.to_owned(),
        support: support.map(<[usize]>::to_vec),
    };
    Line {
        gold: Some(gold),
        ..statement(id, text)
    }
}

/// The lines of one story after it was disturbed.
pub(crate) fn disturbed(lines: Vec<Line>, disturbance: Disturbance) -> Vec<Line> {
    let mut stories = [TaskStory { lines }];
    disturbance.apply(&mut stories);
    let [story] = stories;
    story.lines
}

/// The stories of a text that must be in the form of a task file, or a piece of one.
pub(crate) fn read(text: &str) -> Vec<TaskStory> {
    Stories::fragment("text", text.as_bytes())
        .collect::<Result<_, _>>()
        .expect("the oracle writes task files")
}

/// A tally in words.
pub(crate) fn told(tally: Tally) -> String {
    format!(
        "{} asked: {} correct, {} wrong, {} refused, {} with exact support",
        tally.questions, tally.correct, tally.wrong, tally.refused, tally.support_exact
    )
}
