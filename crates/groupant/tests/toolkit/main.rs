//! The toolkit from outside: the real binary on small projects, as a user runs
//! it. Only the modules are named here.

mod behaviour;
mod drift;
mod findings;
mod hostile;
mod project;
mod util;
