//! What is made of a client's two outputs while they arrive: standard output
//! becomes the outcome of the tolerant decoder, standard error becomes evidence.
//! Of both the line that is being read is kept; besides the last answer and the
//! warnings, and a bounded rest of standard error.

use std::collections::VecDeque;
use std::str::from_utf8;

use crate::decode::{Contract, Decoder};
use crate::reply::{Category, Failure, Reply};

/// Standard output in pieces of any size.
#[derive(Debug)]
pub struct EventStream {
    decoder: Decoder,
    line: Vec<u8>,
    lines: u64,
    /// The first line that is no UTF-8, and the byte of it.
    broken: Option<(u64, usize)>,
}

impl Default for EventStream {
    fn default() -> Self {
        Self {
            decoder: Decoder::new(Contract::Tolerant),
            line: Vec::new(),
            lines: 0,
            broken: None,
        }
    }
}

impl EventStream {
    /// Takes the next bytes, wherever they are cut.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = bytes.split_at(end + 1);
            bytes = rest;
            if self.line.is_empty() {
                self.take(line);
            } else {
                self.line.extend_from_slice(line);
                let line = std::mem::take(&mut self.line);
                self.take(&line);
            }
        }
        self.line.extend_from_slice(bytes);
    }

    /// Ends the stream.
    ///
    /// Fails first where any line is no UTF-8, then with the first failure of the
    /// stream under the tolerant contract.
    pub fn finish(mut self) -> Result<Reply, Failure> {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take(&line);
        }
        match self.broken {
            Some((line, byte)) => Err(Failure {
                error: Category::NotUtf8,
                line: Some(line),
                message: format!("the line is no UTF-8 at byte {byte}"),
            }),
            None => self.decoder.finish(),
        }
    }

    fn take(&mut self, line: &[u8]) {
        self.lines += 1;
        match from_utf8(line) {
            // After a failure no line changes it, and `push` would copy it for each.
            Ok(_) if self.decoder.control().failed.is_some() => {}
            Ok(line) => drop(self.decoder.push(line)),
            Err(error) => {
                let byte = error.valid_up_to() + 1;
                self.broken.get_or_insert((self.lines, byte));
            }
        }
    }
}

/// How the client's tool router begins a line about a tool call that it refused.
const REFUSED_TOOL: &str = "codex_core::tools::router: error=";

/// Bytes that are kept of one line of standard error.
const LINE: usize = 4 << 10;
/// Lines that are kept from the end of standard error.
const TAIL: usize = 20;
/// Refused tool calls whose text is kept; the rest is counted.
const REFUSED: usize = 100;

/// Standard error in pieces of any size.
#[derive(Debug, Default)]
pub struct Notes {
    line: Vec<u8>,
    tail: VecDeque<String>,
    refused_tools: Vec<String>,
    refused_count: u64,
}

impl Notes {
    /// Takes the next bytes, wherever they are cut.
    pub fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE.saturating_sub(self.line.len()).min(piece.len());
            self.line.extend_from_slice(&piece[..room]);
            if piece.ends_with(b"\n") {
                self.take();
            }
        }
    }

    /// Ends the stream.
    #[must_use]
    pub fn finish(mut self) -> Noted {
        self.take();
        Noted {
            tail: self.tail.into(),
            refused_tools: self.refused_tools,
            refused_count: self.refused_count,
        }
    }

    fn take(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            return;
        }
        if let Some((_, refusal)) = line.split_once(REFUSED_TOOL) {
            self.refused_count += 1;
            if self.refused_tools.len() < REFUSED {
                self.refused_tools.push(refusal.to_owned());
            }
        }
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        self.tail.push_back(line.to_owned());
    }
}

/// What standard error told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// The last lines that are not blank, at most twenty, of each the first 4 KiB as
    /// they were printed.
    pub tail: Vec<String>,
    /// What the tool router said of the calls that it refused, the first hundred.
    /// A client may run or refuse tools without a line here: an empty list is no
    /// proof that none ran.
    pub refused_tools: Vec<String>,
    /// How many refused calls there were.
    pub refused_count: u64,
}
