//! What oracles are written with: finite universes, checks against independent
//! rules, closure, counts, and the record of what was found.
//!
//! An oracle is a test. It declares a universe, observes the subject on every
//! case, compares with a rule that does not restate the code, and finishes a
//! [`Record`]. Under a runner the record becomes a file; outside one nothing is
//! written and everything else is the same.
//!
//! The checks, all methods of [`Record`] over a [`Table`] of observations:
//!
//! | check | states |
//! | --- | --- |
//! | `complement` | no excluded pair of case and outcome is produced |
//! | `reconstruction` | each fiber holds exactly the cases that the rule says |
//! | `acceptance` | both of these, for a rule that is a function |
//! | `partition` | two cases have equal outcomes exactly where their keys are equal |
//! | `gates` | the first gate that stops a case decides its outcome |
//! | `invariance` | a changed case has the outcome of its original |
//! | `budget` | a case is within exactly where it uses no more than the limits |
//! | `ordering` | each outcome is a trace of events that keeps every rule |
//! | `literal`, `equal` | literal expectations, beside one of the others |
//! | `closure`, `transfer_matrix` | all lengths; a second derivation of the counts |
//!
//! ```
//! use obernant::{Record, Sequences, Table, Universe};
//!
//! // The subject: does a text of parentheses balance?
//! fn balanced(text: &str) -> bool {
//!     let mut depth = 0_i32;
//!     for c in text.chars() {
//!         depth += if c == '(' { 1 } else { -1 };
//!         if depth < 0 {
//!             return false;
//!         }
//!     }
//!     depth == 0
//! }
//!
//! let mut record = Record::start("balanced_words_are_those_that_cancel_to_nothing");
//! let length = record.bound("length", 6);
//! let universe = Sequences::new(["open", "close"], length);
//! let mut table = Table::new(
//!     "the checker",
//!     &universe,
//!     |case| case.iter().map(|&s| ["(", ")"][s]).collect(),
//!     |_, text| if balanced(text) { "balanced" } else { "unbalanced" }.to_owned(),
//! );
//! // The rule, another way: taking "()" out again and again leaves nothing.
//! record.reconstruction(&mut table, &["balanced"], |case| {
//!     let mut text: String = case.iter().map(|&s| ["(", ")"][s]).collect();
//!     while text.contains("()") {
//!         text = text.replace("()", "");
//!     }
//!     move |_| text.is_empty()
//! });
//! assert_eq!(universe.len(), 127);
//! // One empty word, then the Catalan numbers.
//! assert_eq!(table.seen("balanced"), 1 + 1 + 2 + 5);
//! record.finish();
//! ```

mod checks;
mod machine;
mod record;
mod universe;

#[cfg(test)]
mod tests;

pub use checks::{Order, Table};
pub use machine::{Closed, Difference, Machine, Open, close, count};
pub use record::{Record, integer};
pub use universe::{Branch, Product, Sequences, Universe};
