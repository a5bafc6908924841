//! Strict decoding against the plainest thing one could do with the same stream:
//! parse each line into a `serde_json::Value` and drop it. Prints the ratio of
//! the two (below 1 the decoder is faster) and the peak memory of the decoder.
//!
//! The stream is made while it is read, so that memory shows the decoder alone.

use std::hint::black_box;
use std::io::{self, BufRead, Read};
use std::time::{Duration, Instant};

use serde_json::Value;
use teacher::{Contract, decode_reader};

const STREAM_BYTES: usize = 100_000_000;
const ROUNDS: usize = 5;

const HEAD: &str = concat!(
    r#"{"type":"thread.started","thread_id":"01a22c55-17e8-72b1-8fe5-30801913d9d4"}"#,
    "\n",
    r#"{"type":"turn.started"}"#,
    "\n",
);
const TAIL: &str = concat!(
    r#"{"type":"turn.completed","usage":{"input_tokens":120,"cached_input_tokens":40,"#,
    r#""cache_write_input_tokens":0,"output_tokens":17,"reasoning_output_tokens":5}}"#,
    "\n",
);

/// The lines between the headers and the completion: answers, reasoning with
/// escapes, and an event that later versions might add.
fn block() -> String {
    let plain = "Two and two is four, and nobody has found a counterexample. ".repeat(8);
    let escaped = r"**Adding**\n\n\u201cTwo\u201d and two.\t".repeat(12);
    [
        format!(
            r#"{{"type":"item.started","item":{{"id":"item_0","type":"reasoning","text":"{escaped}"}}}}"#
        ),
        format!(
            r#"{{"type":"item.completed","item":{{"id":"item_0","type":"reasoning","text":"{escaped}"}}}}"#
        ),
        r#"{"type":"progress.reported","steps":[{"name":"read","done":true,"share":0.25},{"name":"add","done":false,"share":0.75}],"left":null}"#.to_owned(),
        format!(
            r#"{{"type":"item.completed","item":{{"id":"item_1","type":"agent_message","text":"{plain}"}}}}"#
        ),
        String::new(),
    ]
    .join("\n")
}

/// A block of bytes, over and over.
struct Repeated<'a> {
    block: &'a [u8],
    place: usize,
    left: usize,
}

impl Read for Repeated<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Repeated<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(if self.left == 0 {
            &[]
        } else {
            &self.block[self.place..]
        })
    }

    fn consume(&mut self, count: usize) {
        self.place += count;
        if self.place == self.block.len() {
            self.place = 0;
            self.left -= 1;
        }
    }
}

fn stream(block: &str) -> impl BufRead {
    let body = Repeated {
        block: block.as_bytes(),
        place: 0,
        left: STREAM_BYTES / block.len(),
    };
    HEAD.as_bytes().chain(body).chain(TAIL.as_bytes())
}

fn decode(block: &str) -> Duration {
    let start = Instant::now();
    let outcome = decode_reader(Contract::Strict, stream(block)).expect("the stream is memory");
    let time = start.elapsed();
    assert!(
        outcome.is_ok(),
        "the stream is one completed turn: {outcome:?}"
    );
    time
}

fn parse(block: &str) -> Duration {
    let start = Instant::now();
    let mut reader = stream(block);
    let mut line = Vec::new();
    while reader
        .read_until(b'\n', &mut line)
        .expect("the stream is memory")
        > 0
    {
        let line_text = std::str::from_utf8(&line).expect("every line is UTF-8");
        black_box(serde_json::from_str::<Value>(line_text).expect("every line is JSON"));
        line.clear();
    }
    start.elapsed()
}

/// Peak resident memory in KiB, where the system tells it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

fn main() {
    let block = block();
    // Taken first: the peak never falls again.
    let mut decoding = vec![decode(&block)];
    let peak = peak_memory();
    let mut parsing = vec![parse(&block)];
    for _ in 1..ROUNDS {
        decoding.push(decode(&block));
        parsing.push(parse(&block));
    }
    decoding.sort_unstable();
    parsing.sort_unstable();
    let (decoding, parsing) = (decoding[ROUNDS / 2], parsing[ROUNDS / 2]);
    println!(
        "strict decoding against parsing into Value, {STREAM_BYTES} bytes, median of {ROUNDS}: \
         ratio {:.2} ({decoding:.2?} against {parsing:.2?})",
        decoding.as_secs_f64() / parsing.as_secs_f64(),
    );
    match peak {
        Some(peak) => println!("peak memory after the first decoding: {peak} KiB"),
        None => println!("peak memory: this system does not tell"),
    }
}
