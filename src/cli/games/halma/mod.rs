//! Runs Halma for its course: a process for every move, its daemon, and the master that starts the process.

pub(in crate::cli) mod master;
pub(in crate::cli) mod serve;
pub(in crate::cli) mod shim;
pub(in crate::cli) mod starters;
