//! The program's terminal: what is printed, shown meanwhile, asked and interrupted.
//!
//! | module | what it is for |
//! |---|---|
//! | [`output`] | results on stdout, notes on stderr, and what becomes of them if they cannot be written |
//! | [`progress`] | progress bars and status lines on stderr, one at a time |
//! | [`terminal`] | what the terminal can do: colours, redrawing, its size |
//! | [`table`] | tables for a terminal, which are Markdown when pasted |
//! | [`keyboard`] | a person at the keyboard |
//! | [`lines`] | a program on stdin and stdout, one answer a line |
//! | [`interrupt`] | SIGINT and SIGTERM during long work |

pub mod interrupt;
pub mod keyboard;
pub mod lines;
pub mod output;
pub mod progress;
pub mod table;
pub mod terminal;

/// A line on stdout, formatted as by [`println!`], for work that goes on whether it can be written or not.
macro_rules! say {
    ($($text:tt)*) => { $crate::console::output::show(&format!("{}\n", format_args!($($text)*))) };
}

/// A line on stderr, formatted as by [`eprintln!`], above a progress bar if one is shown.
macro_rules! note {
    ($($text:tt)*) => { $crate::console::output::note(&format!($($text)*)) };
}

pub(crate) use {note, say};
