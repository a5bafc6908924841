//! The measuring room: how often the story reader is right, wrong and silent. It
//! reads task files and traps, disturbs task files on purpose, asks, and counts.
//! Nothing here reads English; that is the reader's work.

mod chance;
pub mod disturb;
mod material;
mod rename;
pub mod score;
pub mod task_file;
pub mod traps;
mod words;
