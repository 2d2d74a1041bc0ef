//! turnwise: a persistent TCP game-agent daemon and its agents.
//!
//! # Map
//!
//! | module | what it is for |
//! |---|---|
//! | [`cli`] | one file per subcommand: arguments to validated configuration to one call |
//! | `console` | the program's terminal: printing, progress, tables, a person at the keyboard |
//! | [`venues`] | where matches are played beyond this process |

pub mod cli;
mod console;
pub mod venues;
