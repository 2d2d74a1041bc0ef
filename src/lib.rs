//! turnwise: a persistent TCP game-agent daemon and its agents.
//!
//! # Map
//!
//! | module | purpose |
//! |---|---|
//! | [`cli`] | one file per subcommand, which validates the arguments and makes one library call |
//! | `console` | the program's terminal: printing, progress, tables, keyboard input |

// These macros panic if stdout or stderr cannot be written; `console::output` does not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod cli;
mod console;
