//! Halma for two on 16 x 16 squares, corner to corner, with 19 pieces a side.
//!
//! | module | content |
//! |---|---|
//! | [`squares`] | squares and sets of squares |
//! | [`jumps`] | where a piece can go: steps and chains of jumps |
//! | [`rules`] | positions, legal moves under both rule sets, the goal |
//! | [`breach`] | the clause that forbids a move |
//! | [`picture`] | a board as text |
//! | [`parse`] | a position from text |
//! | [`evaluation`] | the value of a position |
//! | [`search`] | principal variation search |
//! | [`race`] | one player's way to the goal while the opponent does not move |
//! | `root` | the root of the search: moves with their values |
//! | [`analysis`] | the best few moves with their values |
//! | [`search_agent`] | the agent that searches, and its memory of the game |
//! | [`baselines`] | agents for comparison |
//! | [`match_game`] | the interface to matches, logs and the command line |
//! | [`budget`] | the deadlines of a move, from the remaining time |
//! | [`opponent`] | statistics about the opponent's moves |
//! | [`files`] | conversion between a master's files and positions and moves |
//! | [`playdata`] | data kept between the processes of one game |
//! | [`calibration`] | measurements of the machine |
//! | [`service`] | the answers of the daemon behind the shim |
//! | [`shim`] | a process for each move, which asks the daemon or searches |

pub mod analysis;
pub mod baselines;
pub mod breach;
pub mod budget;
pub mod calibration;
pub mod evaluation;
pub mod files;
pub mod jumps;
pub mod match_game;
pub mod opponent;
pub mod parse;
pub mod picture;
pub mod playdata;
pub mod race;
mod root;
pub mod rules;
pub mod search;
pub mod search_agent;
pub mod service;
#[cfg(unix)]
pub mod shim;
pub mod squares;
