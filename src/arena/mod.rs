//! Matches that prove something: pairs of games between agents, timed, logged, and summed up.
//!
//! A pair is two games with the same tiles and swapped roles. What one agent scored as Order less what
//! the other scored is the pair's result; whoever scored more has won it. A single game of Entropy has
//! no winner of its own, so both games of a pair count as won by whoever won the pair.
//!
//! | module | what it is for |
//! |---|---|
//! | [`spec`] | agents as they are named on the command line |
//! | [`settings`] | what is played, as the log's header keeps it |
//! | [`schedule`] | who plays whom in which pair, with which tiles |
//! | [`game`] | the referee: one game, clocks enforced, faults attributed |
//! | [`player`] | what the referee asks of a player |
//! | `in_process`, `child`, `daemon` | the three kinds of players |
//! | `process` | child processes: stderr, CPU time, the end |
//! | [`pairs`] | the workers that play the pairs |
//! | [`log`] | the log: whole pairs, torn ends cut off, one arena at a time |
//! | [`standings`] | the results so far, and the text that says what they prove |
//! | [`statistics`], [`sprt`] | the arithmetic |
//! | [`interrupt`] | Ctrl-C once and twice |

mod child;
mod daemon;
pub mod game;
mod in_process;
pub mod interrupt;
pub mod log;
pub mod pairs;
pub mod player;
mod process;
pub mod schedule;
pub mod settings;
pub mod spec;
pub mod sprt;
pub mod standings;
pub mod statistics;
