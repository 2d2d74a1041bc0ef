//! The parts that all games of turnwise share, such as time control and the interfaces for games and agents. The crate
//! contains no code for any particular game. It performs no I/O except for reading files and finding sockets
//! safely.
//!
//! | module | purpose |
//! |---|---|
//! | [`search`] | the crate of the search, whose limits and results all agents use |
//! | [`agent`] | agents, which choose moves and may learn about their opponent |
//! | [`thought`] | one turn of an agent's thinking, whose panics are caught |
//! | [`guest`] | participants that connect by themselves: their names, secrets and presence |
//! | [`service`] | a daemon that receives one move request at a time, without I/O |
//! | [`log_throttle`] | a limit on log messages about a peer's faults |
//! | [`plugin`] | the plug-in interface for games, in a typed and a type-erased form |
//! | [`table`] | a running game, as a referee sees it |
//! | [`view`] | a position as one viewer sees it |
//! | [`player`] | a referee's interface to a player, wherever that player runs |
//! | [`isolation`] | the limits and permissions of an untrusted program |
//! | [`outside`] | players outside this process: formats and channels |
//! | [`fields`] | game data that is stored without being interpreted |
//! | [`files`] | reading and writing whole files |
//! | [`schema`] | JSON Schemas of files, from their types |
//! | [`own_socket`] | sockets that only their user can reach |
//! | [`clock`] | the soft and hard deadlines of a move, computed from the time left |
//! | [`parallel`] | running numbered jobs on several threads |
//! | [`statistics`] | means and shares with their 95 % intervals |
//! | [`words`] | text for people: counted nouns, and text from outside made safe to display |
//!
//! An agent of any game can divide its time among its moves:
//!
//! ```
//! use std::time::Duration;
//!
//! use turnwise_engine::clock::{MovesLeft, TimeLeft};
//!
//! let minute = Duration::from_secs(60);
//! let moves = MovesLeft::Counted { moves: 20, of: 20 };
//! let (soft, hard) = TimeLeft::in_process(minute, minute, moves).divide();
//! assert!(soft < minute / 20 && soft < hard, "an early move gets less than its even share");
//! ```

pub mod agent;
pub mod clock;
pub mod fields;
pub mod files;
pub mod guest;
pub mod isolation;
pub mod log_throttle;
pub mod outside;
#[cfg(unix)]
pub mod own_socket;
pub mod parallel;
pub mod player;
pub mod plugin;
pub mod schema;
pub mod service;
pub mod statistics;
pub mod table;
pub mod thought;
pub mod view;
pub mod words;

pub use turnwise_search as search;
pub use turnwise_search::{cpu_time, game, instant};
