//! What a person reads: writing without control characters, aligned tables, colours
//! on a terminal, errors.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, bail};
use mlab::table::Table;
use serde::Serialize;

/// Opens a file that can be read.
pub(crate) fn open(path: &Path) -> anyhow::Result<File> {
    let name = path.display();
    let open = || -> io::Result<(File, bool)> {
        let file = File::open(path)?;
        let folder = file.metadata()?.is_dir();
        Ok((file, folder))
    };
    let (file, folder) =
        open().with_context(|| format!("{name} can't be opened; name a file that is there"))?;
    if folder {
        bail!("{name} is a folder; name a file in it");
    }
    Ok(file)
}

/// The bytes of a file as text; `name` is the file in the error.
pub(crate) fn utf8(name: &str, bytes: Vec<u8>) -> anyhow::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.split(|byte| *byte == b'\n').count();
        anyhow::anyhow!("{name}:{line}: no UTF-8; convert the file to UTF-8")
    })
}

/// Writes to standard output. A reader that went away has read enough.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output can't be written")
        }
        _ => Ok(()),
    }
}

/// Writes one JSON object as a line.
pub(crate) fn print_json(object: &impl Serialize) -> anyhow::Result<()> {
    let line = serde_json::to_string(object).context("the result has no JSON form")?;
    // serde_json escapes the control characters below the blank alone. The others
    // stand in strings only, and outside the first plane there is none of them.
    let line: String = line
        .chars()
        .map(|c| {
            if steers(c) {
                format!("\\u{:04x}", u32::from(c))
            } else {
                c.to_string()
            }
        })
        .collect();
    print(&(line + "\n"))
}

/// An error as a line on standard error. It may be closed, and there is nobody else
/// to tell.
pub(crate) fn tell(error: &anyhow::Error) {
    let _ = writeln!(io::stderr(), "babi: {}", harmless(&format!("{error:#}")));
}

/// The text with control characters written out, those of writing direction and
/// line ends too: a story comes from outside and must not steer a terminal.
pub(crate) fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The table as aligned lines, numbers to the right; `foot` is parted by a rule.
pub(crate) fn layout(table: &Table, foot: Option<&[String]>) -> String {
    let shown = |cells: &[String]| cells.iter().map(|cell| harmless(cell)).collect::<Vec<_>>();
    let head = shown(table.columns());
    let body: Vec<_> = table.rows().iter().map(|row| shown(row)).collect();
    let foot = foot.map(shown);
    let column = |at: usize| body.iter().chain(&foot).map(move |row| row[at].as_str());
    let shape: Vec<(usize, bool)> = head
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let width = |cell: &str| cell.chars().count();
            let widest = column(at).map(width).max().unwrap_or(0);
            let number = column(at).all(|cell| cell.bytes().all(|byte| byte.is_ascii_digit()));
            (widest.max(width(name)), number)
        })
        .collect();
    let line = |cells: &[String]| {
        let mut text = String::new();
        for (cell, (width, number)) in cells.iter().zip(&shape) {
            if *number {
                text += &format!("{cell:>width$}  ");
            } else {
                text += &format!("{cell:<width$}  ");
            }
        }
        text.trim_end().to_owned() + "\n"
    };
    let mut text = line(&head);
    for row in &body {
        text += &line(row);
    }
    if let Some(foot) = foot {
        let widths: usize = shape.iter().map(|(width, _)| width).sum();
        text += &"-".repeat(widths + 2 * (shape.len() - 1));
        text += "\n";
        text += &line(&foot);
    }
    text
}

/// Colours, on a terminal that wants them.
#[derive(Clone, Copy)]
pub(crate) struct Paint(bool);

impl Paint {
    /// For standard output.
    pub(crate) fn new() -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self(io::stdout().is_terminal() && !unwanted)
    }

    /// What was not understood.
    pub(crate) fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// What was understood.
    pub(crate) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    fn paint(self, colour: &str, text: &str) -> String {
        if self.0 {
            format!("\u{1b}[{colour}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        assert_eq!(
            harmless("a\u{1b}[2J\u{9b}\u{202e}\u{2028}\té"),
            "a\\u{1b}[2J\\u{9b}\\u{202e}\\u{2028}\\té"
        );
    }

    #[test]
    fn a_table_is_aligned() {
        let mut table = Table::new(["file", "right"]).unwrap();
        table.push(["a", "10"]).unwrap();
        table.push(["long\nname", "7"]).unwrap();
        let foot = ["total".to_owned(), "17".to_owned()];
        let expected = "\
file        right
a              10
long\\nname      7
-----------------
total          17
";
        assert_eq!(layout(&table, Some(&foot)), expected);
    }
}
