//! The binary `teacher`: reads a stream of events and prints what the library
//! makes of it. No rule stands here.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Parser, Subcommand, ValueEnum};
use serde::Serialize;
use teacher::{Contract, decode_reader};

/// The Codex transport.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Decode the event stream of one `codex exec --json` run.
    ///
    /// Prints the reply as one JSON object. Exit codes: 0 a reply, 1 a failure of
    /// the stream, 2 a usage error or an unreadable file.
    Decode {
        /// What the stream has to keep.
        #[arg(long, value_enum, default_value_t = ContractName::Tolerant)]
        contract: ContractName,
        /// Print a failure as one JSON object on standard output too.
        #[arg(long)]
        json: bool,
        /// The stream; `-` for standard input.
        file: PathBuf,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum ContractName {
    /// Any `error` and any item that is no answer and no reasoning fails.
    Strict,
    /// An `error` before the completion and an `error` item are warnings.
    Tolerant,
}

impl From<ContractName> for Contract {
    fn from(name: ContractName) -> Self {
        match name {
            ContractName::Strict => Self::Strict,
            ContractName::Tolerant => Self::Tolerant,
        }
    }
}

fn main() -> ExitCode {
    let Command::Decode {
        contract,
        json,
        file,
    } = Arguments::parse().command;
    decode(contract.into(), json, &file).unwrap_or_else(|error| {
        eprintln!("teacher: {error:#}");
        ExitCode::from(2)
    })
}

/// Decodes `file` and prints the outcome; gives the exit code of the stream.
fn decode(contract: Contract, json: bool, file: &Path) -> anyhow::Result<ExitCode> {
    let name = file.display();
    let reader: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(
            File::open(file).with_context(|| format!("cannot open {name}"))?,
        ))
    };
    match decode_reader(contract, reader).with_context(|| format!("cannot read {name}"))? {
        Ok(reply) => {
            print(&reply)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(failure) => {
            if json {
                print(&failure)?;
            } else {
                eprintln!("{}", harmless(&failure.to_string()));
            }
            Ok(ExitCode::FAILURE)
        }
    }
}

fn print(object: &impl Serialize) -> anyhow::Result<()> {
    let mut line = serde_json::to_string(object)?;
    line.push('\n');
    io::stdout()
        .write_all(line.as_bytes())
        .context("cannot write to standard output")
}

/// The text without control characters: a message comes from outside and must
/// not steer a terminal.
fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}
