//! What the oracles of the story reader share: a simulator that works on events and
//! never sees English, a renderer that turns events into sentences, and universes of
//! stories that are asked questions; and what holds for any text. The oracles stand in
//! `tests/`.

mod any_text;
mod asked;
mod event;
mod possible;

pub use any_text::any_text;
pub use asked::{Asked, REFUSED, Reader, answer_of, told};
pub use event::{Event, ID_OF_FIRST, Question, Scene};
pub use possible::{Possible, Watched};
