//! The binary `babi`: its arguments, its commands and its exit codes. What is read,
//! asked and counted stands in the library `world`.

mod out;
mod score;
mod story;
mod traps;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use world::measure::disturb::{Disturbance, Share};

/// Reads short stories and answers questions about them, or refuses.
#[derive(Parser)]
#[command(name = "babi", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Ask the questions of task files and count the answers.
    ///
    /// A line of a task file is `ID text`, or `ID question<TAB>answer<TAB>supporting
    /// IDs`; the number 1 begins a new story. Per file it prints questions, correct,
    /// wrong, refused, and support exact: correct answers whose witness is the set of
    /// supporting IDs. Answers are compared as text, but for the case of ASCII letters.
    ///
    /// The files can be disturbed first, in this order: --rename, --someone, --mask,
    /// --replace, --filler. PERCENT is a whole number from 0 to 100, a share of the
    /// whole file; SEED decides which places, the same on every machine. A file that is
    /// disturbed is held in memory; any other is read story by story.
    ///
    /// Exit codes: 0 every file was measured, whatever came out; 2 a usage error, or a
    /// file that can't be read or is no task file. The other files are measured then
    /// too.
    Score(ScoreArguments),
    /// Ask where the subjects of traps are and count the answers.
    ///
    /// FILE is a TSV with the columns subject, episode, expected, construction; expected
    /// is a place or REFUSE. It prints the episodes, those answerable, how many of them
    /// were answered right, how many episodes were refused, and how many got another
    /// answer; then the wrong ones and the answerable ones that were refused.
    ///
    /// Exit codes: 0 it was measured, whatever came out; 2 a usage error, or a file that
    /// can't be read or is no such table.
    Traps {
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
        /// The traps.
        file: PathBuf,
    },
    /// Ask one question of a story; prints the answer and the sentences it rests on.
    ///
    /// STORY is prose or numbered lines, `ID text`. It is numbered where its first line
    /// begins with a number, a blank and no small letter; question lines of a task file
    /// are passed over then. Sentences of prose are numbered from 1.
    ///
    /// Exit codes: 0 answered, 1 refused, 2 a usage error or an unreadable story.
    Ask {
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
        /// The story; `-` for standard input.
        story: PathBuf,
        /// The question, such as "Where is Mary?".
        question: String,
    },
    /// Print each sentence of a story with what was understood; what was not is
    /// marked with ^^^ below it, or by square brackets where the line is long.
    ///
    /// STORY is as for `ask`. Exit codes: 0 it was read, 2 a usage error or an
    /// unreadable story.
    Explain {
        /// The story; `-` for standard input.
        story: PathBuf,
    },
}

#[derive(clap::Args)]
struct ScoreArguments {
    /// Print one JSON object per file and line.
    #[arg(long)]
    json: bool,
    /// Give every open word another one first: names, places, things.
    #[arg(long, value_name = "SEED")]
    rename: Option<u64>,
    /// Make the subjects of that share of the statements `Someone` or `The girl`.
    #[arg(long, num_args = 2, value_names = ["PERCENT", "SEED"])]
    someone: Option<Vec<u64>>,
    /// Replace that share of all verbs in statements by nonce words such as `blicked`.
    #[arg(long, num_args = 2, value_names = ["PERCENT", "SEED"])]
    mask: Option<Vec<u64>>,
    /// Replace that share of the statements by unrelated sentences.
    #[arg(long, num_args = 2, value_names = ["PERCENT", "SEED"])]
    replace: Option<Vec<u64>>,
    /// Insert an unrelated sentence before that share of the statements.
    #[arg(long, num_args = 2, value_names = ["PERCENT", "SEED"])]
    filler: Option<Vec<u64>>,
    /// Ask each question of the last N statements before it alone. An answer whose
    /// supporting IDs reach further back is never counted as exact.
    #[arg(long, value_name = "N")]
    window: Option<NonZeroUsize>,
    /// The task files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl ScoreArguments {
    /// What the files are disturbed with. A percentage above a hundred is a usage error
    /// and ends the process.
    fn disturbance(&self) -> Disturbance {
        let share = |name: &str, values: &Option<Vec<u64>>| {
            let [percent, seed] = values.as_deref()? else {
                return None;
            };
            let share = Share::new(*percent, *seed);
            if share.is_none() {
                let words = format!(
                    "--{name} {percent}: PERCENT is more than 100; give a whole number from 0 to 100"
                );
                Arguments::command()
                    .error(ErrorKind::ValueValidation, words)
                    .exit();
            }
            share
        };
        Disturbance {
            rename: self.rename,
            someone: share("someone", &self.someone),
            mask: share("mask", &self.mask),
            replace: share("replace", &self.replace),
            filler: share("filler", &self.filler),
        }
    }
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Score(arguments) => score::run(&arguments),
        Command::Traps { json, file } => traps::run(json, &file),
        Command::Ask {
            json,
            story,
            question,
        } => story::ask(json, &story, &question),
        Command::Explain { story } => story::explain(&story),
    };
    done.unwrap_or_else(|error| {
        out::tell(&error);
        ExitCode::from(2)
    })
}
