//! Halma for two on 16 x 16 squares, as a course plays it: 19 pieces a side, corner to corner.
//!
//! | module | what it is for |
//! |---|---|
//! | [`squares`] | squares and sets of them |
//! | [`jumps`] | where a piece can go: steps and chains of jumps |
//! | [`rules`] | positions, legal moves under both rule sets, the goal |
//! | [`breach`] | which clause forbids a move |
//! | [`picture`] | a board as text |
//! | [`parse`] | a position from text |
//! | [`evaluation`] | what a position is worth |
//! | [`search`] | principal variation search |
//! | [`race`] | one player's way to the goal, the opponent standing still |
//! | `root` | the root of the search: moves with their values |
//! | [`analysis`] | the best few moves with their values |
//! | [`search_agent`] | the agent that searches, and what it knows of its game |
//! | [`baselines`] | agents to measure others by |
//! | [`match_game`] | the game as others see it: in matches, in logs, on the command line |
//! | [`budget`] | from the time left to the deadlines of a move |
//! | [`opponent`] | what the moves of a game tell of the opponent |
//! | [`files`] | between a master's files and positions and moves |
//! | [`playdata`] | what is kept between the processes of one game |
//! | [`calibration`] | what was measured of this machine |
//! | [`service`] | what the daemon behind the shim answers |
//! | [`shim`] | a master's move: asked for at the daemon, or searched for |

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
