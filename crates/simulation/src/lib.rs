//! A simulated world for daemons and their servers: one seed decides who comes, what everybody says, how
//! long thinking takes, and where the network cuts, delays, freezes or resets. Time is virtual, so an
//! hour of play takes milliseconds, and a seed gives the same run, byte for byte.
//!
//! | module | what it is for |
//! |---|---|
//! | [`network`] | connections that break |
//! | [`world`] | a player's world: that network, and searches that end when the seed wants |
//! | [`run`] | one seed: a scenario in virtual time, its panics, its log, its invariants |
//! | `wars` | a host, two daemons and strangers |
//! | `server` | a daemon and a server that says anything |
//!
//! docs/simulation.md tells which invariants are checked and which planted bugs they find.

pub mod network;
pub mod run;
mod server;
mod wars;
pub mod world;
