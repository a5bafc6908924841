//! `babi score`: files in, one line of counts each out.

use std::io::{BufReader, IsTerminal};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use indicatif::{ProgressBar, ProgressStyle};
use mlab::table::Table;
use serde::Serialize;
use world::measure::disturb::Disturbance;
use world::measure::score::Tally;
use world::measure::task_file::{Stories, TaskStory};

use crate::{ScoreArguments, out};

/// A file that is disturbed is held in memory; this many bytes of its lines at most.
const MAX_HELD: usize = 256 << 20;

const COLUMNS: [&str; 6] = [
    "file",
    "questions",
    "correct",
    "wrong",
    "refused",
    "support exact",
];

/// One line of the result.
#[derive(Serialize)]
struct Row<'a> {
    file: &'a str,
    #[serde(flatten)]
    tally: Tally,
}

pub(crate) fn run(arguments: &ScoreArguments) -> anyhow::Result<ExitCode> {
    let disturbance = arguments.disturbance();
    let mut table = Table::new(COLUMNS)?;
    let mut total = Tally::default();
    let mut code = ExitCode::SUCCESS;
    for path in &arguments.files {
        let file = path.display().to_string();
        let tally = match measure(path, &file, &disturbance, arguments) {
            Ok(tally) => tally,
            Err(error) => {
                out::tell(&error);
                code = ExitCode::from(2);
                continue;
            }
        };
        total += tally;
        if arguments.json {
            out::print_json(&Row { file: &file, tally })?;
        } else {
            table.push(cells(&file, tally))?;
        }
    }
    if !arguments.json && !table.rows().is_empty() {
        out::print(&out::layout(&table, Some(&cells("total", total))))?;
    }
    Ok(code)
}

fn cells(name: &str, tally: Tally) -> [String; 6] {
    let Tally {
        questions,
        correct,
        wrong,
        refused,
        support_exact,
    } = tally;
    let numbers = [questions, correct, wrong, refused, support_exact];
    let [questions, correct, wrong, refused, exact] = numbers.map(|number| number.to_string());
    [name.to_owned(), questions, correct, wrong, refused, exact]
}

fn measure(
    path: &Path,
    file: &str,
    disturbance: &Disturbance,
    arguments: &ScoreArguments,
) -> anyhow::Result<Tally> {
    let stories = Stories::new(file, BufReader::new(out::open(path)?));
    let bar = progress(file);
    let mut tally = Tally::default();
    let mut ask = |story: &TaskStory| {
        tally.add(story, arguments.window);
        bar.set_position(tally.questions as u64);
    };
    if disturbance.is_none() {
        for story in stories {
            ask(&story?);
        }
    } else {
        let mut held = hold(file, stories)?;
        disturbance.apply(&mut held);
        held.iter().for_each(ask);
    }
    bar.finish_and_clear();
    if tally.questions == 0 {
        bail!("{file} has no question; a question line has a tab before its answer");
    }
    Ok(tally)
}

fn hold(file: &str, stories: Stories<BufReader<std::fs::File>>) -> anyhow::Result<Vec<TaskStory>> {
    let mut held = Vec::new();
    let mut bytes = 0;
    for story in stories {
        let story = story?;
        bytes += story
            .lines
            .iter()
            .map(|line| line.text.len())
            .sum::<usize>();
        if bytes > MAX_HELD {
            bail!(
                "{file} is longer than {MAX_HELD} bytes, too long to be disturbed; split it \
                 between two stories"
            );
        }
        held.push(story);
    }
    Ok(held)
}

/// The questions that were asked, on a terminal only.
fn progress(file: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    // The template is a constant; were it wrong, the spinner alone would show.
    if let Ok(style) =
        ProgressStyle::with_template("{spinner} {pos} questions, {elapsed}, {wide_msg}")
    {
        bar.set_style(style);
    }
    bar.set_message(out::harmless(file));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
