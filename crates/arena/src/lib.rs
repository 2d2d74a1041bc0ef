//! Plays matches that give evidence: timed and logged pairs of games between agents, with summaries.
//!
//! This crate depends on no particular game.
//!
//! A pair is two games from one initial position with swapped roles. The result of a pair is the first agent's
//! score in the first role minus the second agent's score in that role. The agent with the higher score wins the pair.
//!
//! | module | purpose |
//! |---|---|
//! | [`agents`] | agents and how users name them on the command line |
//! | [`settings`] | checks whether a match can be played as requested |
//! | [`lineup`] | the participants, ready to play, with the data from their files |
//! | [`schedule`] | which agents play each pair, and with which seed |
//! | [`referee`] | plays one game, enforces clocks and attributes faults |
//! | [`pairs`] | the pairs to play, and the threads that play them |
//! | [`records`] | the lines of a log |
//! | [`log`] | the log file, to which one arena at a time writes whole pairs, and whose torn end is cut off |
//! | [`workers`] | which worker played each pair, in a file beside the log |
//! | [`strength`] | the evidence that pairs of games give: points, Elo, sequential tests |
//! | [`standings`] | the results so far, and a sentence that says what they prove |
//! | [`check`] | checks whether a program can take part in matches |
//! | `patience` | how long to wait for a program whose core other processes use |
//! | `answers` | the lines that a program writes to stdout |
//! | `delivery` | how lines and files reach a program |
//! | `child` | programs that communicate on stdin and stdout |
//! | [`command`] | programs that run once per move and communicate through files |
//! | `preparation` | programs that run once, before a command's first game |

pub mod agents;
mod answers;
pub mod check;
mod child;
pub mod command;
mod delivery;
pub mod lineup;
pub mod log;
pub mod pairs;
mod patience;
mod preparation;
pub mod records;
pub mod referee;
pub mod schedule;
pub mod settings;
pub mod standings;
pub mod strength;
pub mod transcript;
pub mod workers;
