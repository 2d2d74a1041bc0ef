//! Matches that prove something: timed and logged pairs of games between agents, with summaries.
//!
//! This crate names no game.
//!
//! A pair is two games from one beginning with swapped roles. The result of a pair is the first agent's score in the
//! first role minus the second agent's score in that role. The agent with the higher score wins the pair.
//!
//! | module | purpose |
//! |---|---|
//! | [`agents`] | agents and their command-line names |
//! | [`settings`] | whether a match can be played as requested |
//! | [`lineup`] | the participants, ready to play, with the data from their files |
//! | [`schedule`] | the participants and the seed of each pair |
//! | [`referee`] | plays one game, enforces clocks, attributes faults |
//! | [`pairs`] | the pairs to play, and the threads that play them |
//! | [`records`] | the lines of a log |
//! | [`log`] | the log: whole pairs, torn ends cut off, one arena at a time |
//! | [`workers`] | the worker that played each pair, in a file beside the log |
//! | [`strength`] | the evidence from pairs of games: points, Elo, sequential tests |
//! | [`standings`] | the results so far, and the text that states the evidence |
//! | [`check`] | whether a program can take part |
//! | `patience` | the time limit for a program whose core others use |
//! | `answers` | the lines that a program writes |
//! | `delivery` | how lines and files reach a program |
//! | [`child`], [`command`], `preparation` | programs on stdin and stdout, with files, and run once before |

pub mod agents;
mod answers;
pub mod check;
pub mod child;
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
pub mod workers;
