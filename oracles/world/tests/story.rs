//! Oracles of the story reader's heart: who and what is where after a story, whom a
//! pronoun means, and what is answered.

#[path = "story/conflicts.rs"]
mod conflicts;
#[path = "story/entailment.rs"]
mod entailment;
#[path = "story/gates.rs"]
mod gates;
#[path = "story/neutral.rs"]
mod neutral;
#[path = "story/reference.rs"]
mod reference;
