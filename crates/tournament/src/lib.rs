//!
//! | module | what it is for |
//! |---|---|
//! | [`class_file`] | the TOML file that says who takes part, in what, and how |
//! | [`conductor`] | what is played next, from the format and the results so far, and who does not play on |
//! | [`held`] | how a tournament is held, what follows from that alone, and why somebody leaves it |
//! | `seating` | what the two below share: who takes part, and what a way to seat them must do |
//! | `meetings` | who meets whom, where two meet |
//! | `tables` | who sits where, where more than two sit at a table |
//! | [`one_table`] | a match of more than two as a tournament |
//!
//! What is played goes into an arena's log, pair by pair, so whatever reads those reads a tournament.
//! Nothing depends on when a pair is played or on how many are played at the same time: the pairs of a
//! tournament, their numbers and seeds follow from its file and from results.

pub mod class_file;
pub mod conductor;
pub mod held;
mod meetings;
pub mod one_table;
mod seating;
mod tables;
