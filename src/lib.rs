//! turnwise: a persistent daemon that plays games over TCP, the agents that choose the moves, and tools around them.
//!
//! # Map
//!
//! | module | purpose |
//! |---|---|
//! | [`cli`] | one file per subcommand, which validates the arguments and makes one library call |
//! | `console` | the program's terminal: printing, progress, tables, keyboard input |

// `println!` and similar macros panic if stdout or stderr cannot be written, so the program uses `console::output`
// instead.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod cli;
mod console;
