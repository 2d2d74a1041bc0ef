//! turnwise: a persistent TCP game-agent daemon and its agents.
//!
//! # Map
//!
//! | module | what it is for |
//! |---|---|
//! | [`cli`] | one file per subcommand: arguments to validated configuration to one call |
//! | [`terminal`] | what the terminal can do: colours, redrawing, its width |
//! | [`budget`] | reads a player's log and sums up how its time was spent |
//! | [`venues`] | where matches are played beyond this process |

pub mod budget;
pub mod cli;
pub mod terminal;
pub mod venues;
