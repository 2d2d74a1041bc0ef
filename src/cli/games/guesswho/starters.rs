//! The starter players for Guess Who.

use crate::cli::games::starters::{JAVA, PROGRAM, SCRIPT, Starter, starter};

pub(in crate::cli) const STARTERS: &[Starter] = &[
    starter! {"guesswho", "python", SCRIPT, "player.py"},
    starter! {"guesswho", "cpp", PROGRAM, "player.cpp"},
    starter! {"guesswho", "java", JAVA, "Player.java"},
    starter! {"guesswho", "rust", PROGRAM, "player.rs"},
];
