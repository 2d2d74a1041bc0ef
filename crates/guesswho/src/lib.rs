//! The game Guess Who: the three players of the course, exact solvers, and the interface to matches.
//!
//! | module | content |
//! |---|---|
//! | [`config`] | attributes, values and persons |
//! | [`parse`] | configuration and chosen person files |
//! | [`board`] | questions, answers and the remaining candidates |
//! | [`player`] | a player's knowledge, and the [`player::Strategy`] that chooses its guesses |
//! | [`game`] | the referee and the course framework's log |
//! | [`table`] | sets of up to 64 candidates as bit masks |
//! | [`optimal`] | an exact solver that minimizes the average number of rounds |
//! | [`lookahead`] | a bounded look-ahead that approximates this minimum on boards of any size |
//! | [`race`] | the race between two players: exact values and best guesses |
//! | [`strategies`] | the strategies `random`, `binary`, `optimal` and `lookahead` |
//! | [`custom`] | the strategy `custom`, the strongest one, which plays to win the race |
//! | [`worth`] | the values of guesses: player 1's expected scores |
//! | [`conversation`] | a strategy that plays on behalf of another program (`protocol/guesswho.md`) |
//! | [`match_game`] | the interface to matches, logs and the command line |
//! | [`tree`] | the optimal decision tree as text and SVG |
//!
//! The best decision tree for a board of three persons:
//!
//! ```
//! use turnwise_guesswho::board::Board;
//! use turnwise_guesswho::parse::{Strictness, configuration};
//! use turnwise_guesswho::tree::Tree;
//!
//! let file = "hat red blue green\n\nP1\nhat red\n\nP2\nhat blue\n\nP3\nhat green\n";
//! let board = Board::new(configuration(file, Strictness::Strict)?.configuration);
//! let tree = Tree::optimal(&board).expect("it has few persons");
//! println!("{}", tree.to_text(&board));
//! # assert_eq!(tree.rounds().len(), 3);
//! # Ok::<(), turnwise_guesswho::parse::ParseError>(())
//! ```

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
