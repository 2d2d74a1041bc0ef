//! Guess Who: the course's three players, the solver of fewest rounds, and the racer.
//!
//! | module | content |
//! |---|---|
//! | [`config`] | attributes, values and persons |
//! | [`parse`] | configuration and chosen person files |
//! | [`board`] | questions, answers and the remaining candidates |
//! | [`player`] | a player's knowledge, and the [`player::Strategy`] that chooses its guesses |
//! | [`game`] | the referee and the course framework's log |
//! | [`table`] | up to 64 candidates as bit masks |
//! | [`optimal`] | the fewest rounds on average, exactly |
//! | [`lookahead`] | nearly the fewest rounds on average, on boards of any size |
//! | [`race`] | the two-sided race: values and best guesses |
//! | [`strategies`] | `random`, `binary`, `optimal` |
//! | [`custom`] | the racer |
//! | [`worth`] | the values of guesses |
//! | [`conversation`] | a strategy that plays for another program: `protocol/guesswho.md` |
//! | [`match_game`] | the interface to matches, logs and the command line |
//! | [`tree`] | the optimal decision tree as text and SVG |

pub mod board;
pub mod config;
pub mod conversation;
pub mod custom;
pub mod game;
pub mod lookahead;
pub mod match_game;
pub mod optimal;
pub mod parse;
pub mod player;
pub mod race;
pub mod strategies;
pub mod table;
pub mod tree;
pub mod worth;
