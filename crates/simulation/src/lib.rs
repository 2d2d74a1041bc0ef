//! A simulated world for daemons and their servers. One seed decides who joins, which messages are sent, how long
//! searches take, and where the network cuts, delays, freezes or resets. Time is virtual, so an hour of play takes
//! milliseconds, and a seed always gives an identical run, byte for byte.
//!
//! | module | purpose |
//! |---|---|
//! | [`network`] | connections that break |
//! | `stops` | processes that are suspended for a while |
//! | [`world`] | a process's world: this network, and searches whose durations come from the seed |
//! | [`bugs`] | bugs that are planted to verify that an invariant catches them |
//! | [`run`] | one seed: a scenario in virtual time, its panics, its log, its invariants |
//! | `daemons` | our daemons as players, and the fates of their processes |
//! | `wars` | a host, two daemons and strangers |
//! | `server` | a daemon, and a server that sends anything |
//! | `disk` | a file on a disk that fills up, or of a process that dies |
//! | `files` | files that are replaced atomically, on disks that fail |
//! | `questions` | a daemon that answers single questions, from shims and from strangers |
//! | `lobby` | a tournament whose participants are daemons that leave and return |
//! | `matches` | matches that are interrupted and resumed, between programs of all kinds |
//!
//! docs/simulation.md lists the invariants that are checked and the planted bugs that they find.

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
