//! Halma for two players, who each move 19 pieces from corner to corner of a board of 16 x 16 squares.
//!
//! | module | content |
//! |---|---|
//! | [`squares`] | squares and sets of squares |
//! | [`jumps`] | where a piece can go: steps and chains of jumps |
//! | [`rules`] | positions, legal moves under both rule sets, the goal |
//! | [`breach`] | the clause of the rules that forbids a move |
//! | [`picture`] | formats a board as text |
//! | [`parse`] | reads a position from text |
//! | [`evaluation`] | the value of a position |
//! | [`search`] | principal variation search |
//! | [`race`] | plans one player's moves to the goal while the opponent does not move |
//! | `root` | the root of the search: moves with their values |
//! | [`analysis`] | the best few moves with their values |
//! | [`search_agent`] | the agent that chooses its moves by searching, and its memory of the game |
//! | [`baselines`] | agents for comparison |
//! | [`match_game`] | the interface to matches, logs and the command line |
//! | [`budget`] | computes the deadlines of a move from the remaining time |
//! | [`opponent`] | statistics about the opponent's moves |
//! | [`files`] | converts the files of the course's master to positions and moves, and back |
//! | [`playdata`] | the file that passes data from one process of a game to the next |
//! | [`calibration`] | measurements of the machine |
//! | [`service`] | the daemon, which answers the shim's questions |
//! | [`shim`] | the process that starts for each move, and asks the daemon or searches itself |
//!
//! A program that reads a position and finds a move needs this crate and the agents' interface:
//!
//! ```
//! use turnwise_engine::agent::Agent;
//! use turnwise_engine::search::{Control, Limits};
//! use turnwise_halma::parse::parse;
//! use turnwise_halma::picture::notation;
//! use turnwise_halma::rules::{Color, Move, Position, Rules};
//! use turnwise_halma::search_agent::SearchAgent;
//!
//! let start = Position::start(Color::White, Rules::Addendum);
//! let text = format!("to move: White\n{start}");
//! let position = parse(&text, Rules::Addendum)?.position;
//! let limits = Limits::of_nodes(1_000);
//! let found = SearchAgent::new(1 << 20).think(&position, limits, &Control::new());
//! let text = notation(&position, found.best);
//! assert_eq!(text.parse::<Move>(), Ok(found.best));
//! # Ok::<(), turnwise_halma::parse::ParseError>(())
//! ```

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
