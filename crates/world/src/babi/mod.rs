//! The story reader: short narratives in English to what they tell, question by
//! question, without a model that was trained. It answers what follows from the
//! sentences, names them, and refuses the rest.
//!
//! A line goes through [`text`] (tokens), [`grammar`] (statements, or a gap) and
//! [`story`] (whom pronouns mean) into [`world`] and [`relations`] (what is known);
//! [`question`] and [`answer`] read from there. What is knowledge of English stands
//! in the tables of [`lexicon`].

pub mod answer;
mod cursor;
mod deeds;
mod doubts;
pub mod grammar;
pub mod lexicon;
mod names;
mod predicate;
pub mod question;
pub mod relations;
pub mod statement;
pub mod story;
pub mod text;
mod things;
pub mod world;

pub use answer::{Answer, Refusal};
pub use statement::{Extent, Gap, Id};
pub use story::{Sentence, Story};
