//! The toolkit behind `cargo xtask audit` and `cargo groupant audit`: it shows
//! that written claims about code are bound to the exact code, executed,
//! sensitive to planted faults, and recorded.
//!
//! One room per concern. The map with the invariants is `ARCHITECTURE.md` of the
//! repository.

pub mod binding;
pub mod cli;
pub mod exec;
pub mod finding;
pub mod mutate;
pub mod oracle;
pub mod receipt;
pub mod report;
pub mod sidecar;
pub mod source;
pub mod workspace;

mod json;
