//! Findings and results in their two written forms: for people (annotated
//! source spans) and as JSON lines. One collector renders; no other room prints.
//!
//! JSON lines, form `groupant-lines/1`: one object per line, each with `kind`
//! (`finding`, `oracle`, `control`, `model`, `receipt`, `summary`), the summary
//! last. A finding's spans carry byte ranges; lines and columns count from 1.

pub mod progress;

use crate::finding::{Exit, Finding, Report, Severity};
use crate::workspace::Workspace;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};

/// The form in which results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// One JSON object per line.
    Json,
}

/// Prints lines to standard output, without control characters.
pub fn print(text: &str) {
    print_drawn(&clean(text));
}

/// Prints what was made for the terminal as it is; a reader that went away is
/// no error.
pub fn print_drawn(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a line to standard error, without control characters; a reader that
/// went away is no error.
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "{}", $crate::report::clean(&format!($($part)*)));
    }};
}
pub(crate) use say;

/// Text from outside without control characters, which never reach a terminal.
#[must_use]
pub fn clean(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() && c != '\n' && c != '\t' {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

/// Whether standard output takes colours: a terminal that is not dumb, and no
/// `NO_COLOR`.
fn colours() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::io::stdout().is_terminal() && !refused
}

/// The findings for people.
#[must_use]
pub fn human(workspace: Option<&Workspace>, findings: &[Finding]) -> String {
    let renderer = if colours() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let renderer = renderer
        .decor_style(DecorStyle::Ascii)
        .term_width(terminal_width().unwrap_or(100));
    let mut texts: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for span in findings.iter().flat_map(|finding| &finding.spans) {
        texts.entry(&span.file).or_insert_with(|| {
            let bytes = workspace?.read(&span.file).ok()?;
            String::from_utf8(bytes).ok().map(drawable)
        });
    }
    let mut text = String::new();
    for finding in findings {
        text.push_str(&render(&renderer, finding, &texts));
        text.push_str("\n\n");
    }
    text
}

fn render(
    renderer: &Renderer,
    finding: &Finding,
    texts: &BTreeMap<&str, Option<String>>,
) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Note => Level::NOTE,
    };
    let message = clean(&finding.message);
    let mut group = Group::with_title(level.primary_title(message).id(finding.code.name()));
    let mut files: Vec<&str> = finding
        .spans
        .iter()
        .map(|span| span.file.as_str())
        .collect();
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|file| seen.insert(*file));
    for file in files {
        let Some(Some(text)) = texts.get(file) else {
            group = group.element(Level::NOTE.message(format!("in {}", clean(file))));
            continue;
        };
        let mut snippet = Snippet::source(text.as_str()).path(clean(file)).fold(true);
        for (index, span) in finding
            .spans
            .iter()
            .enumerate()
            .filter(|(_, span)| span.file == file)
        {
            let (start, end) = char_bounds(text, span.range);
            let kind = if index == 0 {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            snippet = snippet.annotation(kind.span(start..end).label(clean(&span.label)));
        }
        group = group.element(snippet);
    }
    for note in &finding.notes {
        group = group.element(Level::NOTE.message(clean(note)));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(clean(help)));
    }
    renderer.render(&[group])
}

/// Control characters beyond ASCII, which the renderer would let through, each
/// replaced by one of the same length; it draws those of ASCII itself.
fn drawable(text: String) -> String {
    let wide = |c: char| matches!(c, '\u{80}'..='\u{9f}');
    if text.contains(wide) {
        text.replace(wide, "\u{bf}")
    } else {
        text
    }
}

/// A range within the text, on character boundaries.
fn char_bounds(text: &str, (start, end): (usize, usize)) -> (usize, usize) {
    let clamp = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = clamp(start);
    (start, clamp(end).max(start))
}

/// Columns of the terminal, or of `COLUMNS`; nothing where neither says.
#[must_use]
pub fn terminal_width() -> Option<usize> {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .or_else(|| {
            rustix::termios::tcgetwinsize(std::io::stdout())
                .ok()
                .map(|size| usize::from(size.ws_col))
        })
        .filter(|columns| *columns >= 40)
}

/// A line broken at spaces to the terminal's width; what continues stands
/// `indent` columns in. As it is where there is no terminal.
#[must_use]
pub fn fit(line: &str, indent: usize) -> String {
    match terminal_width().filter(|_| std::io::stdout().is_terminal()) {
        Some(width) => broken(line, width, indent),
        None => line.to_owned(),
    }
}

fn broken(line: &str, width: usize, indent: usize) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in line.split_inclusive(' ') {
        if column > indent && column + word.trim_end().chars().count() > width {
            text.truncate(text.trim_end().len());
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            column = indent;
        }
        text.push_str(word);
        column += word.chars().count();
    }
    text
}

/// One finding as a JSON object.
#[must_use]
pub fn json(workspace: Option<&Workspace>, finding: &Finding) -> Value {
    let spans: Vec<Value> = finding
        .spans
        .iter()
        .map(|span| {
            let text = workspace.and_then(|workspace| workspace.read_text(&span.file).ok());
            let text = text.unwrap_or_default();
            let (start, _) = char_bounds(&text, span.range);
            let before = &text[..start];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            json!({"bytes": [span.range.0, span.range.1], "column": column, "file": span.file, "label": span.label, "line": line})
        })
        .collect();
    json!({
        "about": finding.about,
        "code": finding.code,
        "help": finding.help,
        "kind": "finding",
        "message": finding.message,
        "notes": finding.notes,
        "severity": finding.severity,
        "spans": spans,
    })
}

/// The last line of JSON output. `parts` are what is said of oracles, controls
/// and receipts.
#[must_use]
pub fn summary(report: &Report, parts: [Value; 3], exit: Exit) -> Value {
    let total =
        |pick: fn(&crate::finding::Count) -> u64| report.counts.values().map(pick).sum::<u64>();
    let weighing = |severity| {
        let all = report.findings.iter();
        all.filter(|finding| finding.severity == severity).count()
    };
    let mut value = json!({
        "checked": total(|count| count.checked),
        "checks": report.counts,
        "exit": exit.code(),
        "findings": weighing(Severity::Error),
        "format": "groupant-lines/1",
        "kind": "summary",
        "missing": total(|count| count.missing),
        "notes": weighing(Severity::Note),
        "skipped": total(|count| count.skipped),
    });
    for (key, part) in ["oracles", "controls", "receipts"].into_iter().zip(parts) {
        value[key] = part;
    }
    value
}

/// Prints one object on a line.
pub fn line(value: &Value) {
    // serde_json escapes those below the blank alone.
    let mut text = String::new();
    for c in value.to_string().chars() {
        if c.is_control() {
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text.push('\n');
    print_drawn(&text);
}

/// A number with its thousands apart, for people.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 model`, `2 models`.
#[must_use]
pub fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_read_well_and_control_characters_are_gone() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(271_453), "271,453");
        assert_eq!(plural(1, "model"), "1 model");
        assert_eq!(plural(2, "model"), "2 models");
        assert_eq!(clean("a\u{1b}[31mb\nc"), "a\u{fffd}[31mb\nc");
    }

    #[test]
    fn a_long_line_breaks_at_spaces_and_keeps_its_words() {
        assert_eq!(broken("  ok a: b", 40, 4), "  ok a: b");
        assert_eq!(
            broken("  ok one: two three four", 14, 5),
            "  ok one: two\n     three\n     four"
        );
        assert_eq!(broken("  averylongword b", 6, 2), "  averylongword\n  b");
    }

    #[test]
    fn ranges_fall_on_characters() {
        assert_eq!(char_bounds("aé", (2, 99)), (1, 3));
    }
}
