//! Communicates with the user's terminal: results, progress, questions and signals.
//!
//! | module | purpose |
//! |---|---|
//! | [`output`] | results on stdout, notes on stderr, and their write errors |
//! | [`progress`] | progress bars and status lines on stderr, one at a time |
//! | [`terminal`] | the terminal's features: colors, redrawing, size |
//! | [`table`] | tables for a terminal, which are also valid Markdown |
//! | [`keyboard`] | input from a person at the keyboard |
//! | [`lines`] | a program on stdin and stdout, with one answer per line |
//! | [`interrupt`] | SIGINT and SIGTERM during long work |

pub mod interrupt;
pub mod keyboard;
pub mod lines;
pub mod output;
pub mod progress;
pub mod table;
pub mod terminal;

/// Prints a line to stdout, formatted like [`println!`], for work that continues after a write error.
macro_rules! say {
    ($($text:tt)*) => { $crate::console::output::show(&format!("{}\n", format_args!($($text)*))) };
}

/// Prints a line to stderr, formatted like [`eprintln!`], above any progress bar.
macro_rules! note {
    ($($text:tt)*) => { $crate::console::output::note(&format!($($text)*)) };
}

pub(crate) use {note, say};
