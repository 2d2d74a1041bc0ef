//! A simulated world in which daemons, their servers and the arena are tested.
//!
//! A seed decides which programs join, which messages are sent, how long searches take, and where the network cuts,
//! delays, freezes or resets connections. Time is virtual, so an hour of play takes milliseconds, and a seed always
//! gives an identical run, byte for byte.
//!
//! | module | purpose |
//! |---|---|
//! | [`network`] | the simulated network, whose connections break |
//! | `stops` | processes that are suspended for a while |
//! | [`world`] | the world in which a process runs: the network, and searches whose durations come from the seed |
//! | [`bugs`] | bugs that are planted to verify that an invariant catches each bug |
//! | [`run`] | runs one seed: a scenario in virtual time, with checks for panics, log and invariants |
//! | `daemons` | runs our daemons as players, whose processes may be suspended or die |
//! | `wars` | a scenario: a host, two daemons and strangers |
//! | `server` | a scenario: a daemon, and a server that sends anything |
//! | `disk` | a file on a disk that fills up or fails, or whose process dies |
//! | `files` | a scenario: files that are replaced atomically, on disks that fail |
//! | `questions` | a scenario: a daemon that answers single questions from shims and strangers |
//! | `lobby` | a scenario: a tournament whose participants are daemons that leave and return |
//! | `matches` | a scenario: matches between programs of all kinds, interrupted and resumed |
//!
//! docs/explanation/simulation.md lists the invariants that are checked and the planted bugs that they find.

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
