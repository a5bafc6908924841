//! Small tables for measuring: what a run printed, grouped and written down.
//!
//! This file only names the others. `table` holds named columns and rows of text,
//! their form as a file, and the grouping of rows.

pub mod table;
