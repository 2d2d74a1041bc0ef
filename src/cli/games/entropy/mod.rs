//! The commands for Entropy: player, server, analysis and training.

pub(in crate::cli) mod analyse;
#[cfg(feature = "cluster")]
pub(in crate::cli) mod batches;
pub mod budget;
pub(in crate::cli) mod calibrate;
pub(in crate::cli) mod demo;
pub(in crate::cli) mod host;
pub(in crate::cli) mod play;
pub(in crate::cli) mod solve;
pub(in crate::cli) mod starters;
pub(in crate::cli) mod stdio;
pub(in crate::cli) mod train;
