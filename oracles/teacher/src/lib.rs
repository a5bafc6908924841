//! What the oracles of `teacher` share: alphabets of stream lines, the rules of
//! a turn as constraints on whole traces, and what an observation is called.
//!
//! No rule here is a register machine that reads line by line as the decoder
//! does. `positional` states sets of positions in a whole trace, `gates` what may
//! stop a line from the set of lines before it, `automaton` the constraints as
//! small separate automata for counts and closure. `scene` is where a scripted
//! client is run, `staged` runs many of them as the cases of a table, `any_bytes`
//! holds for every byte string.

mod alphabet;
mod any_bytes;
mod automaton;
mod gates;
mod outcome;
mod positional;
mod scene;
mod staged;

pub use alphabet::{GATES, Role, STRICT, Symbol, TOLERANT, line, roles, text, words};
pub use any_bytes::any_bytes;
pub use automaton::Constraints;
pub use gates::{Gate, gates, located};
pub use outcome::{
    Decoding, both, data, decode, failure, located_failure, outcome, strict_reply, tolerant_reply,
};
pub use positional::{Verdict, WHITE_SPACE, blank, verdict};
pub use scene::{Scene, runs, stops};
pub use staged::{appears, at_once, end, patiently, scripted, status_words, stays, stop_words};
