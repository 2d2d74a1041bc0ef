//!
//! | module | contents |
//! |---|---|
//! | [`class_file`] | the TOML file with the participants, the game and the settings |
//! | [`conductor`] | the schedule, which follows from the format and the results so far, and the withdrawals |
//! | [`held`] | the rules of a tournament, their consequences, and the reasons to withdraw |
//! | `seating` | shared by the next two: the participants, and the trait of a way to seat them |
//! | `meetings` | opponents in meetings of two |
//! | `tables` | seats at tables of more than two |
//! | [`one_table`] | a match of more than two as a tournament |
//!
//! Games are written to an arena's log pair by pair, so every reader of such logs can read a tournament. The pairs of
//! a tournament, their numbers and their seeds follow from its file and from results. They do not depend on when a
//! pair is played or on how many are played at once.

pub mod class_file;
pub mod conductor;
pub mod held;
mod meetings;
pub mod one_table;
mod seating;
mod tables;
