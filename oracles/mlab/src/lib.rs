//! The oracles of `mlab`, through its public API; they stand in `tests/`.
