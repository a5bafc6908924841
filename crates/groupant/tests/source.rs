//! Tests of the room `source`: paths, places and hashes of items.

#[path = "source/corpus.rs"]
mod corpus;
#[path = "source/edits.rs"]
mod edits;
#[path = "source/paths.rs"]
mod paths;
#[path = "source/rules.rs"]
mod rules;
