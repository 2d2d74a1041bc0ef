//! Matches that prove something: pairs of games between agents, timed, logged, and summed up. Names no
//! game.
//!
//! A pair is two games from the same beginning with swapped roles. Its result is what the first agent
//! scored in the first role less what the second agent scored in it; whoever scored more has won the pair.
//!
//! | module | what it is for |
//! |---|---|
//! | [`agents`] | agents as they are named on the command line |
//! | [`settings`] | whether a match can be played as asked |
//! | [`lineup`] | the participants ready to play, with what they need from files |
//! | [`schedule`] | who plays whom in which pair, from which seed |
//! | [`referee`] | one game, clocks enforced, faults attributed |
//! | [`pairs`] | the pairs to be played, and the threads that play them |
//! | [`records`] | the lines of a log |
//! | [`log`] | the log: whole pairs, torn ends cut off, one arena at a time |
//! | [`workers`] | which worker played which pair, beside a log |
//! | [`strength`] | what pairs of games prove: points, Elo, sequential tests |
//! | [`standings`] | the results so far, and the text that says what they prove |
//! | [`check`] | whether a program can take part |
//! | `patience` | how long a program is waited for whose core others have |
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
