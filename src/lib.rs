//! turnwise: a persistent TCP game-agent daemon and its agents.
//!
//! # Map
//!
//! | module | what it is for |
//! |---|---|
//! | [`cli`] | one file per subcommand: arguments to validated configuration to one call |
//! | `console` | the program's terminal: printing, progress, tables, a person at the keyboard |

// They panic where stdout or stderr cannot be written; `console::output` does not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod cli;
mod console;
