//! What is known of small worlds: a story reader, how well it reads, and
//! dictionaries. This file only names the rooms.

pub mod babi;
pub mod dictstore;
pub mod measure;
