//! Files in the form of the bAbI tasks, read story by story. A line is
//! `ID text`, or `ID question<TAB>answer[<TAB>supporting IDs]`. The number 1 begins
//! a new story; within a story the numbers grow, and question lines use one up.
//! Blank lines are skipped; lines may end in CR LF.

use std::io::{self, BufRead, Read};

use thiserror::Error;

/// The longest line in bytes, its end included.
pub const MAX_LINE: usize = 16 << 20;
/// The longest story, the bytes of its lines together, their ends left out.
pub const MAX_STORY: usize = 64 << 20;

/// A story with its questions, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskStory {
    /// The lines; their numbers grow.
    pub lines: Vec<Line>,
}

/// One numbered line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number in the story, from 1.
    pub id: usize,
    /// The statement or the question, without blanks around it.
    pub text: String,
    /// What the file expects, where the line is a question.
    pub gold: Option<Gold>,
}

/// What the file expects of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gold {
    /// The answer, as the file spells it.
    pub answer: String,
    /// The supporting numbers, as the file orders them; nothing where the file has
    /// no such field.
    pub support: Option<Vec<usize>>,
}

/// Why a task file could not be read.
#[derive(Debug, Error)]
pub enum TaskError {
    /// The file system said no.
    #[error("{file}: line {line} can't be read: {source}")]
    Read {
        /// The file, as it was named.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The line is not in the form of a task file.
    #[error("{file}:{line}: {reason}; {help}")]
    Malformed {
        /// The file, as it was named.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
        /// What to do.
        help: &'static str,
    },
}

/// The stories of a task file; it holds one story at a time. Ends after an error.
pub struct Stories<R> {
    input: R,
    file: String,
    /// The line that was read last, from 1.
    line: u64,
    fragment: bool,
    /// The line that began the story after this one, and its length.
    next: Option<(Line, usize)>,
    ended: bool,
}

impl<R: BufRead> Stories<R> {
    /// Reads from `input`; `file` is the name for errors. The first number is 1.
    pub fn new(file: impl Into<String>, input: R) -> Self {
        Self {
            input,
            file: file.into(),
            line: 0,
            fragment: false,
            next: None,
            ended: false,
        }
    }

    /// As [`Stories::new`], but the first number may be any: a piece of a story.
    pub fn fragment(file: impl Into<String>, input: R) -> Self {
        Self {
            fragment: true,
            ..Self::new(file, input)
        }
    }

    fn malformed(&self, reason: impl Into<String>, help: &'static str) -> TaskError {
        TaskError::Malformed {
            file: self.file.clone(),
            line: self.line,
            reason: reason.into(),
            help,
        }
    }

    /// The next line of the input that is not blank; nothing at the end.
    fn text(&mut self) -> Result<Option<String>, TaskError> {
        loop {
            self.line += 1;
            let mut bytes = Vec::new();
            // One byte more than allowed tells a line that is too long.
            let read = (&mut self.input)
                .take(MAX_LINE as u64 + 1)
                .read_until(b'\n', &mut bytes);
            if let Err(source) = read {
                return Err(TaskError::Read {
                    file: self.file.clone(),
                    line: self.line,
                    source,
                });
            }
            if bytes.is_empty() {
                return Ok(None);
            }
            if bytes.len() > MAX_LINE {
                return Err(self.malformed(
                    format!("the line is longer than {MAX_LINE} bytes"),
                    "is it a task file? break the line up",
                ));
            }
            let text = String::from_utf8(bytes).map_err(|error| {
                let at = error.utf8_error().valid_up_to() + 1;
                self.malformed(
                    format!("no UTF-8 at byte {at} of the line"),
                    "convert the file to UTF-8",
                )
            })?;
            // Some editors put a mark at the begin of a file.
            let text = match text.strip_prefix('\u{feff}') {
                Some(rest) if self.line == 1 => rest,
                _ => &text,
            };
            let text = text.trim_end_matches(['\n', '\r']);
            if !text.trim().is_empty() {
                return Ok(Some(text.to_owned()));
            }
        }
    }

    fn parse(&self, text: &str) -> Result<Line, TaskError> {
        let text = text.trim_start();
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        let Some(id) = number(first).filter(|id| *id > 0) else {
            return Err(self.malformed(
                "the line does not begin with a number from 1 and a blank",
                "write it as `ID text` or `ID question<TAB>answer<TAB>supporting IDs`",
            ));
        };
        let mut fields = rest.split('\t').map(str::trim);
        let text = fields.next().unwrap_or_default().to_owned();
        if text.is_empty() {
            return Err(self.malformed(
                format!("nothing stands after the number {id}"),
                "write a sentence or a question there, or take the line out",
            ));
        }
        let gold = match (fields.next(), fields.next(), fields.next()) {
            (None, ..) => None,
            (Some(""), ..) => {
                return Err(self.malformed(
                    "the question has no answer after its tab",
                    "write `ID question<TAB>answer<TAB>supporting IDs`; a statement has no tab",
                ));
            }
            (Some(answer), support, None) => Some(Gold {
                answer: answer.to_owned(),
                support: support
                    .map(|support| self.support(support, id))
                    .transpose()?,
            }),
            (_, _, Some(_)) => {
                return Err(self.malformed(
                    "the question has more than three fields",
                    "keep the question, its answer and its supporting numbers only",
                ));
            }
        };
        Ok(Line { id, text, gold })
    }

    fn support(&self, field: &str, id: usize) -> Result<Vec<usize>, TaskError> {
        field
            .split_whitespace()
            .map(|word| match number(word) {
                Some(support) if (1..id).contains(&support) => Ok(support),
                _ => Err(self.malformed(
                    format!("the supporting number `{word}` is none of a line before"),
                    "name lines of the same story that stand before the question",
                )),
            })
            .collect()
    }

    fn story(&mut self) -> Result<Option<TaskStory>, TaskError> {
        let mut story = TaskStory::default();
        let mut bytes = 0;
        if let Some((line, length)) = self.next.take() {
            story.lines.push(line);
            bytes = length;
        }
        while let Some(text) = self.text()? {
            let line = self.parse(&text)?;
            match story.lines.last().map(|last| last.id) {
                None if line.id != 1 && !self.fragment => {
                    return Err(self.malformed(
                        format!("the file begins with the number {}", line.id),
                        "begin it with a whole story, whose first number is 1",
                    ));
                }
                Some(_) if line.id == 1 => {
                    self.next = Some((line, text.len()));
                    return Ok(Some(story));
                }
                Some(last) if line.id <= last => {
                    return Err(self.malformed(
                        format!("the number {} follows on {last}", line.id),
                        "number the lines of a story upwards; 1 begins a new story",
                    ));
                }
                _ => {}
            }
            bytes += text.len();
            if bytes > MAX_STORY {
                return Err(self.malformed(
                    format!("the story is longer than {MAX_STORY} bytes"),
                    "begin a new story with the number 1",
                ));
            }
            story.lines.push(line);
        }
        self.ended = true;
        Ok((!story.lines.is_empty()).then_some(story))
    }
}

/// Digits alone; a sign, which `parse` would take, makes no number.
fn number(text: &str) -> Option<usize> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

impl<R: BufRead> Iterator for Stories<R> {
    type Item = Result<TaskStory, TaskError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let story = self.story();
        self.ended |= story.is_err();
        story.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Vec<TaskStory>, String> {
        Stories::new("f", text)
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())
    }

    fn statement(id: usize, text: &str) -> Line {
        Line {
            id,
            text: text.to_owned(),
            gold: None,
        }
    }

    fn question(id: usize, text: &str, answer: &str, support: Option<&[usize]>) -> Line {
        let gold = Gold {
            answer: answer.to_owned(),
            support: support.map(<[usize]>::to_vec),
        };
        Line {
            gold: Some(gold),
            ..statement(id, text)
        }
    }

    #[test]
    fn the_number_one_begins_a_story() {
        let text =
            "\u{feff}1 A went.\n3 Where? \tyes\t1\r\n\n1 B?\n2 Q?\tfootball,milk\n3 R?\tno\t\n";
        let stories = read(text.as_bytes()).unwrap();
        assert_eq!(
            stories[0].lines,
            [
                statement(1, "A went."),
                question(3, "Where?", "yes", Some(&[1])),
            ]
        );
        assert_eq!(
            stories[1].lines,
            [
                statement(1, "B?"),
                question(2, "Q?", "football,milk", None),
                question(3, "R?", "no", Some(&[])),
            ]
        );
        assert_eq!(stories.len(), 2);
        assert_eq!(read(b"").unwrap(), []);
    }

    #[test]
    fn a_bad_line_is_named_with_its_reason() {
        let cases: &[(&[u8], &str)] = &[
            (
                b"Mary went.\n",
                "f:1: the line does not begin with a number from 1 and a blank",
            ),
            (
                b"0 Mary went.\n",
                "f:1: the line does not begin with a number",
            ),
            (
                b"+1 Mary went.\n",
                "f:1: the line does not begin with a number",
            ),
            (
                b"99999999999999999999 M.\n",
                "f:1: the line does not begin with a number",
            ),
            (b"2 Mary went.\n", "f:1: the file begins with the number 2"),
            (b"1 A.\n2 B.\n2 C.\n", "f:3: the number 2 follows on 2"),
            (b"1 A.\n1\n", "f:2: nothing stands after the number 1"),
            (
                b"1 A.\n2 Q?\t \t1\n",
                "f:2: the question has no answer after its tab",
            ),
            (
                b"1 A.\n2 Q?\ta\t1\tb\n",
                "f:2: the question has more than three fields",
            ),
            (
                b"1 A.\n2 Q?\ta\tx\n",
                "f:2: the supporting number `x` is none of a line before",
            ),
            (
                b"1 A.\n2 Q?\ta\t2\n",
                "f:2: the supporting number `2` is none of a line before",
            ),
            (
                b"1 A.\n2 Q?\ta\t+1\n",
                "f:2: the supporting number `+1` is none of a line before",
            ),
            (b"1 A.\n\n2 B\xff.\n", "f:3: no UTF-8 at byte 4 of the line"),
        ];
        for (text, words) in cases {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(words), "{error}");
            assert!(error.contains("; "), "it says what to do: {error}");
        }
    }

    #[test]
    fn a_piece_of_a_story_may_begin_anywhere() {
        let stories: Vec<_> = Stories::fragment("f", &b"5 A.\n7 B.\n"[..])
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(stories[0].lines, [statement(5, "A."), statement(7, "B.")]);
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let endless = io::BufReader::new(io::repeat(b'1'));
        let outcome: Vec<_> = Stories::new("f", endless).collect();
        assert_eq!(outcome.len(), 1, "it ends after the error");
        let error = outcome[0].as_ref().unwrap_err().to_string();
        assert!(error.starts_with("f:1: the line is longer than"), "{error}");
    }
}
