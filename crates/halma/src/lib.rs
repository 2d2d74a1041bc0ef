//! Halma for two on 16 x 16 squares, as a course plays it: 19 pieces a side, corner to corner.
//!
//! | module | what it is for |
//! |---|---|
//! | [`squares`] | squares and sets of them |
//! | [`jumps`] | where a piece can go: steps and chains of jumps |
//! | [`rules`] | positions, legal moves under both rule sets, the goal |
//! | [`breach`] | which clause forbids a move |
//! | [`picture`] | a board as text |
//! | [`evaluation`] | what a position is worth |
//! | [`search`] | principal variation search |
//! | [`race`] | one player's way to the goal, the opponent standing still |
//! | [`player`] | the strong player |
//! | [`baselines`] | players to measure others by |
//! | [`match_game`] | the game as others see it: in matches, in logs, on the command line |
//! | [`agent`] | the player on a clock of CPU time, under a master agent |
//! | [`service`] | what the daemon behind the shim answers |
//! | [`shim`] | a master's move: asked for at the daemon, or searched for |

pub mod agent;
pub mod baselines;
pub mod breach;
pub mod evaluation;
pub mod jumps;
pub mod match_game;
pub mod picture;
pub mod player;
pub mod race;
pub mod rules;
pub mod search;
pub mod service;
pub mod shim;
pub mod squares;
