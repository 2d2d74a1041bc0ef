//! Halma at its course: a process for every move, the daemon that it asks, and the master that starts it.

pub(in crate::cli) mod master;
pub(in crate::cli) mod serve;
pub(in crate::cli) mod shim;
pub(in crate::cli) mod starters;
