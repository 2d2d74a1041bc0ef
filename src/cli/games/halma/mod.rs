//! The commands for Halma: a process that plays a single move, a daemon that chooses the moves for such processes, and
//! a master that starts the processes of both players.

pub(in crate::cli) mod master;
pub(in crate::cli) mod serve;
pub(in crate::cli) mod shim;
pub(in crate::cli) mod starters;
