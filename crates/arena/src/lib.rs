//! Plays matches that give evidence: timed and logged pairs of games between agents, with summaries.
//!
//! This crate depends on no particular game.
//!
//! A pair is two games from one initial position with swapped roles. The result of a pair is the first agent's
//! score in the first role minus the second agent's score in that role. The agent with the higher score wins the pair.
//!
//! Only [`records`], [`schedule`], [`standings`] and [`strength`] exist on systems other than Unix, where logs are only
//! read.
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
//!
//! Counts of pairs give an Elo difference with its interval:
//!
//! ```
//! use turnwise_arena::strength::elo::Pentanomial;
//!
//! // In 20 pairs, the first agent scored 0, 1/2, 1, 3/2 and 2 points this many times.
//! let pairs = Pentanomial([1, 2, 6, 8, 3]);
//! assert_eq!(pairs.wins_draws_losses(), [11, 6, 3]);
//! let elo = pairs.elo().expect("pairs were played");
//! assert!(elo.lower < elo.value && elo.value < elo.upper);
//! ```

// Only the modules that play matches use some functions of the others.
#![cfg_attr(not(unix), allow(dead_code))]

#[cfg(unix)]
pub mod agents;
#[cfg(unix)]
mod answers;
#[cfg(unix)]
pub mod check;
#[cfg(unix)]
mod child;
#[cfg(unix)]
pub mod command;
#[cfg(unix)]
mod delivery;
#[cfg(unix)]
pub mod lineup;
#[cfg(unix)]
pub mod log;
#[cfg(unix)]
pub mod pairs;
#[cfg(unix)]
mod patience;
#[cfg(unix)]
mod preparation;
pub mod records;
#[cfg(unix)]
pub mod referee;
pub mod schedule;
#[cfg(unix)]
pub mod settings;
pub mod standings;
pub mod strength;
#[cfg(unix)]
pub mod transcript;
#[cfg(unix)]
pub mod workers;
