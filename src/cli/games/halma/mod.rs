//! The commands for Halma: a process that plays one move, the daemon behind it, and a master that starts such
//! processes.

pub(in crate::cli) mod master;
pub(in crate::cli) mod serve;
pub(in crate::cli) mod shim;
pub(in crate::cli) mod starters;
