//! turnwise: a persistent TCP game-agent daemon and its agents.
//!
//! # Map
//!
//! | module | what it is for |
//! |---|---|
//! | [`cli`] | one file per subcommand: arguments to validated configuration to one call |
//! | [`games`] | rules, evaluation and notation of each game |

pub mod cli;
pub mod games;
