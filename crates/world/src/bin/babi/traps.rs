//! `babi traps`: the counts, and what a person wants to see of the rest.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use mlab::table::{Table, groups};
use world::measure::traps::{Outcome, TrapTally, judge, read};

use crate::out;

/// The longest file of traps.
const MAX_FILE: u64 = 64 << 20;

pub(crate) fn run(json: bool, path: &Path) -> anyhow::Result<ExitCode> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    out::open(path)?
        .take(MAX_FILE + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("{name} can't be read"))?;
    if bytes.len() as u64 > MAX_FILE {
        bail!("{name} is longer than {MAX_FILE} bytes; split it");
    }
    let text = out::utf8(&name, bytes)?;
    let mut tally = TrapTally::default();
    let mut rest = Table::new(["outcome", "subject", "expected", "construction", "result"])?;
    for trap in read(&name, &text)? {
        let outcome = judge(&trap);
        tally.add(&trap, &outcome);
        let (kind, result) = match outcome {
            Outcome::Wrong(answer) => ("wrong", answer),
            Outcome::Refused(reason) if trap.expected.is_some() => {
                ("answerable but refused", reason)
            }
            _ => continue,
        };
        let expected = trap.expected.unwrap_or_else(|| "REFUSE".to_owned());
        rest.push([kind, &trap.subject, &expected, &trap.construction, &result])?;
    }
    if json {
        out::print_json(&tally)?;
        return Ok(ExitCode::SUCCESS);
    }
    let TrapTally {
        episodes,
        answerable,
        right,
        refused,
        wrong,
    } = tally;
    let mut counts = Table::new(["episodes", "answerable", "right", "refused", "wrong"])?;
    counts.push([episodes, answerable, right, refused, wrong].map(|count| count.to_string()))?;
    let mut text = out::layout(&counts, None);
    for group in groups(&rest, &["outcome"])? {
        text += &format!("\n{}: {}\n", group.key.join(" "), group.count());
        let mut list = Table::new(&rest.columns()[1..])?;
        for row in group.rows {
            list.push(&rest.rows()[row][1..])?;
        }
        text += &out::layout(&list, None);
    }
    out::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
