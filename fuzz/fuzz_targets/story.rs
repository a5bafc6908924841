//! The story reader on any text: no panic, and answers that name their sentences.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| oracles_world::any_text(bytes));
