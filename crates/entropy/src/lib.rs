//! Entropy: Order slides tiles to make palindromes, and Chaos places tiles to prevent palindromes.
//!
//! | module | purpose |
//! |---|---|
//! | [`rules`] | board, bag, legal moves, making and unmaking moves |
//! | [`palindromes`] | the score of lines and boards |
//! | [`line_values`] | the value of a line with holes |
//! | [`patterns`] | lines up to renaming of colors and reversal |
//! | [`crossings`] | the row and the column that cross in a cell |
//! | `crossing_sums` | the sum of the crossings' values, updated after each move |
//! | [`blocks`] | two by three cells, in neighboring lines or split |
//! | `block_sums` | the sum of the blocks' values, updated after each move |
//! | [`gaps`] | empty cells, and the tiles that can slide into them |
//! | `gap_sums` | the sum of the gaps' values, updated after each slide |
//! | [`local`] | the blocks and gaps in the evaluation of a board size |
//! | [`evaluation`] | the value of every pattern in every phase of the game |
//! | [`evaluated`] | a position with its running evaluation, for the search |
//! | [`weights`] | learned values as data |
//! | [`forecast`] | the expected final score for a value of the search |
//! | [`solution`] | the exact solution of boards with up to four rows |
//! | [`tracking`] | following a game that a server reports, rule breaches included |
//! | [`referee`] | the order of the tiles, the legality of moves, the cost of a fault |
//! | [`wire_cells`] | conversion of cells and slides between the wires and the board |
//! | [`search_agent`] | the agent that searches |
//! | [`baselines`] | simple agents to measure others against |
//! | [`agents`] | the named agents |
//! | [`match_game`] | the interface of the game to matches, logs and the command line |
//! | [`train`] | learning weights from self-play |
//! | [`picture`] | prints a board as text |
//! | [`parse`] | parses a board from text |
//!
//! A program that reads a board and prints the best move needs this crate alone:
//!
//! ```
//! use turnwise_entropy::picture::notation;
//! use turnwise_entropy::rules::Position;
//! use turnwise_entropy::search_agent::SearchAgent;
//! use turnwise_entropy::{Agent, Control, Limits};
//!
//! let board = "A..B.\n.C...\nB..AD\n..E..\nA...B\n";
//! let position: Position = board.parse()?;
//! let limits = Limits { nodes: 10_000, ..Limits::default() };
//! let found = SearchAgent::default().think(&position, limits, &Control::new());
//! println!("{position}Order plays {}", notation(found.best, position.size()));
//! # assert!(position.is_legal(found.best));
//! # Ok::<(), turnwise_entropy::parse::ParseError>(())
//! ```

pub mod agents;
pub mod baselines;
mod block_sums;
pub mod blocks;
mod crossing_sums;
pub mod crossings;
pub mod evaluated;
pub mod evaluation;
pub mod forecast;
mod gap_sums;
pub mod gaps;
pub mod line_values;
pub mod local;
pub mod match_game;
pub mod palindromes;
pub mod parse;
pub mod patterns;
pub mod picture;
pub mod referee;
pub mod rules;
pub mod search_agent;
pub mod solution;
pub mod tracking;
pub mod train;
pub mod weights;
pub mod wire_cells;

pub use turnwise_engine::agent::Agent;
pub use turnwise_engine::search::{Control, Limits};
