//! Matches that prove something: pairs of games between agents, timed, logged, and summed up.
//!
//! A pair is two games from the same beginning with swapped roles. The first role's score of the one
//! less that of the other is the pair's result; whoever scored more has won it. In Entropy that is what
//! one agent scored as Order less what the other did; a single game has no winner of its own, so both
//! games of a pair count as won by whoever won the pair. In Halma it is Black's: 1 for two games won, 0
//! for one each.
//!
//! | module | what it is for |
//! |---|---|
//! | [`spec`] | agents as they are named on the command line |
//! | [`settings`] | what is played, as the log's header keeps it |
//! | [`cast`] | the agents ready to play, with what they need from files |
//! | [`schedule`] | who plays whom in which pair, with which tiles |
//! | [`game`] | the referee: one game, clocks enforced, faults attributed |
//! | [`table`] | what the referee needs to know of a game |
//! | [`entropy`], [`halma`] | the games at that table, and the kinds of players they have |
//! | [`player`] | what the referee asks of a player |
//! | `process` | child processes: stderr, CPU time, the end |
//! | [`pairs`] | the workers that play the pairs |
//! | [`log`] | the log: whole pairs, torn ends cut off, one arena at a time |
//! | [`standings`] | the results so far, and the text that says what they prove |
//! | [`interrupt`] | Ctrl-C once and twice |

pub mod cast;
pub mod entropy;
pub mod game;
pub mod halma;
pub mod interrupt;
pub mod log;
pub mod pairs;
pub mod player;
mod process;
pub mod schedule;
pub mod settings;
pub mod spec;
pub mod standings;
pub mod table;
