//! Tournaments: decides which participants play each other, and when a participant is withdrawn.
//!
//! | module | contents |
//! |---|---|
//! | [`class_file`] | the TOML file with the participants, the game and the settings |
//! | [`conductor`] | the schedule, which follows from the format and the results so far, and the withdrawals |
//! | [`held`] | the rules of a tournament, their consequences, and the reasons for withdrawing a participant |
//! | `seating` | code that the next two modules share: the participants, and the trait `Seating` |
//! | `meetings` | the choice of opponents in meetings of two |
//! | `tables` | the choice of participants for tables of more than two |
//! | [`one_table`] | a match of more than two players, run as a tournament |
//! | [`version`](mod@version) | the SHA-256 that shows whether a program has changed |
//!
//! Games are written to an arena's log pair by pair, so every reader of arena logs can read the log of a tournament.
//! The pairs of a tournament, their numbers and their seeds follow from the tournament's file and from earlier results.
//! They do not depend on when a pair is played, nor on how many pairs are played in parallel.
//!
//! A file in TOML describes a tournament:
//!
//! ```
//! use std::path::Path;
//! use turnwise_games::GAMES;
//! use turnwise_tournament::class_file::{ClassFile, in_words};
//!
//! let file = ClassFile::parse(&format!(
//!     r#"
//!     game = "{}"
//!     format = {{ kind = "swiss", rounds = 4 }}
//!     participant = [{{ name = "ada", agent = "turnwise" }}, {{ name = "bob", agent = "random" }}]
//!     "#,
//!     GAMES[0].about().name,
//! ))?;
//! let class = file.settle(Path::new("."), GAMES)?;
//! assert_eq!(in_words(&class.held.format), "Swiss, 4 rounds");
//! assert_eq!(class.settings.agents[0].name, "ada");
//! # Ok::<(), turnwise_tournament::class_file::ClassError>(())
//! ```

pub mod class_file;
pub mod conductor;
pub mod held;
mod meetings;
pub mod one_table;
mod seating;
mod tables;
pub mod version;
