//! turnwise: a persistent TCP game-agent daemon and its agents.
//!
//! # Map
//!
//! | module | what it is for |
//! |---|---|
//! | [`cli`] | one file per subcommand: arguments to validated configuration to one call |
//! | [`games`] | rules, evaluation and notation of each game |
//! | [`search`] | iterative deepening over max, min and mean nodes; the unpruned reference |
//! | [`game`] | what a search needs to know of a game |

pub mod cli;
pub mod game;
pub mod games;
pub mod search;
