//! The decoder: which streams of events are one completed turn, under the strict
//! and the tolerant contract. It judges order and presence; reading a line is
//! `event`'s business, the form of the result `reply`'s.
//!
//! On a line the order of judgement is: UTF-8, JSON, explicit failure, position,
//! item kind. At the end of the stream it is: an error that no completion cleared
//! (tolerant), the answer, the completion, the counts. Counts are judged only
//! there, so a later line that fails hides counts that are invalid.

use std::io::{self, BufRead};

use crate::event::{self, Event, Item, Kind};
use crate::reply::{Category, Evidence, Failure, Reply, Usage};

/// What a stream has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contract {
    /// `error` ends the run anywhere, and only `agent_message` and `reasoning`
    /// items are allowed.
    Strict,
    /// What real clients print in runs that succeed: an `error` before the
    /// completion is provisional and an item of kind `error` is a warning.
    /// Position decides, never wording: a reconnect notice has the same shape as
    /// a fatal error, and its text changed from version to version.
    Tolerant,
}

/// How far the turn has come. Each recognised event needs a phase and leads to
/// the same or a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Nothing recognised yet.
    Start,
    /// After `thread.started`.
    Thread,
    /// After `turn.started`.
    Turn,
    /// After the first item.
    Items,
    /// After `turn.completed`; every recognised event is refused.
    Completed,
}

/// What the last completed `agent_message` left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// There was none, or its text was no string.
    Missing,
    /// A text of Unicode white space only.
    Blank,
    /// A text with something in it.
    Present,
}

/// The finite control state: all that a transition reads. Texts, warnings and
/// counters live in the decoder, and no transition looks at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Control {
    /// The contract, which never changes.
    pub contract: Contract,
    /// How far the turn has come.
    pub phase: Phase,
    /// The register of the answer.
    pub answer: Answer,
    /// An `error` was seen that no completion has cleared (tolerant only).
    pub provisional: bool,
    /// The completion's input and output counts are valid.
    pub counted: bool,
    /// The failure that ended the run; no later line changes it.
    pub failed: Option<Category>,
}

impl Control {
    /// What the end of the stream would say now: nothing for a success.
    #[must_use]
    pub fn at_end(self) -> Option<Category> {
        if self.failed.is_some() {
            self.failed
        } else if self.provisional {
            Some(Category::Error)
        } else if self.answer != Answer::Present {
            Some(Category::MissingAnswer)
        } else if self.phase != Phase::Completed {
            Some(Category::MissingCompletion)
        } else if !self.counted {
            Some(Category::InvalidUsage)
        } else {
            None
        }
    }
}

/// Decodes one stream, a line at a time. It keeps the latest answer, the counts
/// and the warnings, and nothing else of the lines.
///
/// ```
/// use teacher::{Contract, Decoder};
///
/// let mut decoder = Decoder::new(Contract::Tolerant);
/// decoder.push(r#"{"type":"error","message":"Reconnecting... 1/5"}"#)?;
/// decoder.push(r#"{"type":"item.completed","item":{"type":"agent_message","text":"4"}}"#)?;
/// decoder.push(r#"{"type":"turn.completed","usage":{"input_tokens":9,"output_tokens":1}}"#)?;
/// let reply = decoder.finish()?;
/// assert_eq!(reply.result, "4");
/// assert_eq!(reply.evidence.map(|evidence| evidence.retries), Some(1));
/// # Ok::<(), teacher::Failure>(())
/// ```
#[derive(Clone, Debug)]
pub struct Decoder {
    control: Control,
    line: u64,
    answer: String,
    usage: Usage,
    warnings: Vec<String>,
    retries: u64,
    /// Where in `warnings` the last provisional error stands.
    last_error: usize,
    failure: Option<Failure>,
}

/// What a line is refused for: the category and the words.
type Refusal = (Category, String);

impl Decoder {
    /// A decoder at the beginning of a stream.
    #[must_use]
    pub fn new(contract: Contract) -> Self {
        Self {
            control: Control {
                contract,
                phase: Phase::Start,
                answer: Answer::Missing,
                provisional: false,
                counted: false,
                failed: None,
            },
            line: 0,
            answer: String::new(),
            usage: Usage {
                input_tokens: 0,
                output_tokens: 0,
                cache_read_input_tokens: 0,
                cache_creation_input_tokens: 0,
                reasoning_output_tokens: None,
                cache_write_input_tokens: None,
            },
            warnings: Vec::new(),
            retries: 0,
            last_error: 0,
            failure: None,
        }
    }

    /// The control state.
    #[must_use]
    pub fn control(&self) -> Control {
        self.control
    }

    /// Takes the next line, with or without its LF; a blank one only counts.
    ///
    /// Fails with the first failure of the stream. From then on every call gives
    /// that same failure and reads nothing.
    pub fn push(&mut self, line: &str) -> Result<(), Failure> {
        self.judge(|decoder| match event::read(line) {
            Ok(Some(event)) => decoder.step(event),
            Ok(None) => Ok(()),
            Err(words) => Err((Category::MalformedJson, words)),
        })
    }

    /// As [`Decoder::push`], for a line that may be no UTF-8, which is a failure
    /// of its own.
    pub fn push_bytes(&mut self, line: &[u8]) -> Result<(), Failure> {
        match std::str::from_utf8(line) {
            Ok(line) => self.push(line),
            Err(error) => self.judge(|_| {
                let byte = error.valid_up_to() + 1;
                Err((
                    Category::NotUtf8,
                    format!("the line is no UTF-8 at byte {byte}"),
                ))
            }),
        }
    }

    /// Ends the stream.
    ///
    /// Fails with the failure that a line already had, or with what is missing.
    pub fn finish(mut self) -> Result<Reply, Failure> {
        let Some(error) = self.control.at_end() else {
            return Ok(self.reply());
        };
        Err(self.failure.take().unwrap_or_else(|| Failure {
            error,
            line: None,
            message: match error {
                Category::Error => self.warnings.swap_remove(self.last_error),
                Category::MissingAnswer => "the stream ended without an answer".to_owned(),
                Category::MissingCompletion => "the stream ended without a completion".to_owned(),
                _ => "the completion lacks a valid input or output count".to_owned(),
            },
        }))
    }

    /// Counts a line, judges it, and makes the first refusal final.
    fn judge(
        &mut self,
        judgement: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Failure> {
        if self.failure.is_none() {
            self.line += 1;
            if let Err((error, message)) = judgement(self) {
                self.control.failed = Some(error);
                self.failure = Some(Failure {
                    error,
                    line: Some(self.line),
                    message,
                });
            }
        }
        self.failure.clone().map_or(Ok(()), Err)
    }

    fn step(&mut self, event: Event<'_>) -> Result<(), Refusal> {
        match event.kind {
            Kind::Error => self.error(event.message.as_deref()),
            Kind::TurnFailed => Err((
                Category::TurnFailed,
                event.error_message.map_or_else(
                    || "the turn failed without a message".to_owned(),
                    Into::into,
                ),
            )),
            Kind::ThreadStarted => self.thread_started(),
            Kind::TurnStarted => self.turn_started(),
            Kind::ItemStarted | Kind::ItemUpdated => self.item(&event.item),
            Kind::ItemCompleted => {
                self.item(&event.item)?;
                self.assign(event.item);
                Ok(())
            }
            Kind::TurnCompleted => self.turn_completed(event.usage),
            Kind::Unknown => Ok(()),
        }
    }

    /// Strict: a failure anywhere. Tolerant: provisional before the completion.
    fn error(&mut self, message: Option<&str>) -> Result<(), Refusal> {
        let message = message.unwrap_or("an error without a message").to_owned();
        if self.control.contract == Contract::Strict {
            return Err((Category::Error, message));
        }
        if self.control.phase == Phase::Completed {
            return Err((
                Category::LateError,
                format!("an error after the completion: {message}"),
            ));
        }
        self.control.provisional = true;
        self.last_error = self.warnings.len();
        self.warnings.push(message);
        self.retries += 1;
        Ok(())
    }

    /// `thread.started` is optional, and nothing recognised may precede it.
    fn thread_started(&mut self) -> Result<(), Refusal> {
        if self.control.phase != Phase::Start {
            return Err((
                Category::HeaderOrder,
                "thread.started is repeated or late".to_owned(),
            ));
        }
        self.control.phase = Phase::Thread;
        Ok(())
    }

    /// `turn.started` is optional, and only `thread.started` may precede it.
    fn turn_started(&mut self) -> Result<(), Refusal> {
        if self.control.phase > Phase::Thread {
            return Err((
                Category::HeaderOrder,
                "turn.started is repeated or late".to_owned(),
            ));
        }
        self.control.phase = Phase::Turn;
        Ok(())
    }

    /// The guards of every `item.*` event. An item of kind `error` under the
    /// tolerant contract is a warning and no item: the phase stays, so that it
    /// may precede `turn.started`, as it does in real streams.
    fn item(&mut self, item: &Item<'_>) -> Result<(), Refusal> {
        if self.control.phase == Phase::Completed {
            return Err((
                Category::LateItem,
                "an item after the completion".to_owned(),
            ));
        }
        match item.kind.as_deref() {
            Some("agent_message" | "reasoning") => self.control.phase = Phase::Items,
            Some("error") if self.control.contract == Contract::Tolerant => {
                let message = item
                    .message
                    .as_deref()
                    .unwrap_or("an error item without a message");
                self.warnings.push(message.to_owned());
            }
            Some(kind) => {
                return Err((
                    Category::ItemKind,
                    format!("item kind {kind:?} is not allowed"),
                ));
            }
            None => return Err((Category::ItemKind, "the item has no kind".to_owned())),
        }
        Ok(())
    }

    /// A completed `agent_message` assigns the answer: the last one wins, and a
    /// text that is no string clears it.
    fn assign(&mut self, item: Item<'_>) {
        if item.kind.as_deref() != Some("agent_message") {
            return;
        }
        self.control.answer = match &item.text {
            None => Answer::Missing,
            Some(text) if text.trim().is_empty() => Answer::Blank,
            Some(_) => Answer::Present,
        };
        self.answer = item.text.map_or_else(String::new, Into::into);
    }

    /// The one completion: it follows a nonblank answer, clears provisional
    /// errors and brings the counts, which are judged at the end of the stream.
    fn turn_completed(&mut self, counts: event::Counts) -> Result<(), Refusal> {
        if self.control.phase == Phase::Completed {
            return Err((
                Category::RepeatedCompletion,
                "a second completion".to_owned(),
            ));
        }
        if self.control.answer != Answer::Present {
            return Err((
                Category::CompletionBeforeAnswer,
                "the turn completed without an answer before it".to_owned(),
            ));
        }
        self.control.phase = Phase::Completed;
        self.control.provisional = false;
        self.control.counted = counts.input.is_some() && counts.output.is_some();
        self.usage = project(self.control.contract, counts);
        Ok(())
    }

    fn reply(self) -> Reply {
        let usage_known = self.usage.input_tokens != 0;
        Reply {
            result: self.answer,
            provider: "codex",
            is_error: false,
            usage: self.usage,
            total_cost_usd: 0,
            cost_reported: false,
            evidence: (self.control.contract == Contract::Tolerant).then_some(Evidence {
                warnings: self.warnings,
                retries: self.retries,
                usage_known,
            }),
        }
    }
}

/// The stream's counts under the callers' names. Strict knows nothing of the
/// counts that clients added later.
fn project(contract: Contract, counts: event::Counts) -> Usage {
    let (reasoning, cache_write) = match contract {
        Contract::Strict => (None, None),
        Contract::Tolerant => (counts.reasoning, counts.cache_write),
    };
    Usage {
        input_tokens: counts.input.unwrap_or(0),
        output_tokens: counts.output.unwrap_or(0),
        cache_read_input_tokens: counts.cached.unwrap_or(0),
        cache_creation_input_tokens: cache_write.unwrap_or(0),
        reasoning_output_tokens: reasoning,
        cache_write_input_tokens: cache_write,
    }
}

/// Decodes a whole stream under the strict contract.
///
/// Fails with the first failure of the stream.
pub fn decode_events(text: &str) -> Result<Reply, Failure> {
    decode_text(Contract::Strict, text)
}

/// Decodes a whole stream under the tolerant contract.
///
/// Fails with the first failure of the stream.
pub fn decode_events_tolerant(text: &str) -> Result<Reply, Failure> {
    decode_text(Contract::Tolerant, text)
}

fn decode_text(contract: Contract, text: &str) -> Result<Reply, Failure> {
    let mut decoder = Decoder::new(contract);
    for line in event::lines(text) {
        decoder.push(line)?;
    }
    decoder.finish()
}

/// Decodes a stream from a reader, one line in memory at a time, and stops
/// reading at the first failure.
///
/// The outer error is the reader's own.
pub fn decode_reader(
    contract: Contract,
    mut reader: impl BufRead,
) -> io::Result<Result<Reply, Failure>> {
    let mut decoder = Decoder::new(contract);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        if let Err(failure) = decoder.push_bytes(&line) {
            return Ok(Err(failure));
        }
        line.clear();
    }
    Ok(decoder.finish())
}
