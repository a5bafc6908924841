//! The Codex event decoder: what one `codex exec --json` run answered, what it
//! cost, or why it gave nothing.
//!
//! Only re-exports stand here. `event` turns one line into one event, `decode`
//! judges the order of the events, `reply` holds what comes out, `busy`
//! recognises a provider that refuses for lack of capacity, `model` the lexical
//! rule for model names.

mod busy;
mod decode;
mod event;
mod model;
mod reply;

pub use busy::{PROVIDER_BUSY_MESSAGES, provider_busy, provider_busy_tolerant};
pub use decode::{
    Answer, Contract, Control, Decoder, Phase, decode_events, decode_events_tolerant, decode_reader,
};
pub use model::{DEFAULT_MODEL, InvalidModel, validate_model};
pub use reply::{Category, Evidence, Failure, Reply, Usage};
