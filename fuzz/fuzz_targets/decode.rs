//! The event decoder on any bytes: no panic, and every way of decoding agrees.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| oracles_teacher::any_bytes(bytes));
