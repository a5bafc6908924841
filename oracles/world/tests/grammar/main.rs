//! Oracles of the room that reads one sentence: the grammar, its cursor, and what
//! statements show.

mod cursor;
mod gates;
mod language;
mod neutral;
mod said;
mod sentences;
mod statement;
mod times;
mod verbs;
