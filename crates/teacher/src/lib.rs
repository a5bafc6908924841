//! The Codex transport: from a prompt to a reply through one isolated, read-only
//! run of the Codex command line, and the decoder of what such a run prints.
//!
//! This file only names the others. `ask` is the call and the order of its steps;
//! `settings` what may be chosen, `launch` the policy, `process` the run and its
//! bounds, `output` what is made of the two outputs as they arrive, `call_log` the
//! record of calls, `client` what the installed client says of itself. `event`
//! turns one line into one event, `decode` judges the order of the events, `reply`
//! holds what comes out, `busy` recognises a provider without capacity.
//!
//! ```no_run
//! use teacher::{Call, ask};
//!
//! let call = Call {
//!     prompt: "How many days has a leap year?",
//!     ..Call::default()
//! };
//! let answered = ask(&call)?;
//! println!("{}", answered.reply.result);
//! # Ok::<(), teacher::AskFailure>(())
//! ```

mod ask;
mod busy;
pub mod call_log;
pub mod cli;
pub mod client;
mod decode;
mod event;
pub mod launch;
pub mod output;
pub mod process;
mod reply;
pub mod settings;

pub use ask::{Answered, AskCategory, AskFailure, Call, ask};
pub use busy::{PROVIDER_BUSY_MESSAGES, provider_busy, provider_busy_tolerant};
pub use client::{Probe, ProbeError, probe};
pub use decode::{
    Answer, Contract, Control, Decoder, Phase, decode_events, decode_events_tolerant, decode_reader,
};
pub use launch::{CLEARED_ENV, FEATURES, Launch, command, exec_args};
pub use reply::{Category, Evidence, Failure, Reply, Usage};
pub use settings::{DEFAULT_MODEL, Effort, InvalidModel, model, timeout, validate_model};
