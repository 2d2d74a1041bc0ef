//! A simulated world for daemons and their servers: one seed decides who comes, what everybody says, how
//! long thinking takes, and where the network cuts, delays, freezes or resets. Time is virtual, so an
//! hour of play takes milliseconds, and a seed gives the same run, byte for byte.
//!
//! | module | what it is for |
//! |---|---|
//! | [`network`] | connections that break |
//! | `stops` | processes that are stopped for a while |
//! | [`world`] | a process's world: that network, and searches that end when the seed wants |
//! | [`bugs`] | what is planted to see that it is found |
//! | [`run`] | one seed: a scenario in virtual time, its panics, its log, its invariants |
//! | `daemons` | our daemons as players, and what becomes of their processes |
//! | `wars` | a host, two daemons and strangers |
//! | `server` | a daemon and a server that says anything |
//! | `disk` | a file on a disk that fills up, or of a process that dies |
//! | `files` | files that are written whole, on disks that break |
//! | `questions` | a daemon that is asked for moves, by shims and by strangers |
//! | `lobby` | a tournament whose participants are daemons that come and go |
//! | `matches` | matches that are broken off and resumed, between programs of all manners |
//!
//! docs/simulation.md tells which invariants are checked and which planted bugs they find.

pub mod bugs;
mod daemons;
mod disk;
mod files;
mod lobby;
mod matches;
pub mod network;
mod questions;
pub mod run;
mod server;
mod stops;
mod wars;
pub mod world;
