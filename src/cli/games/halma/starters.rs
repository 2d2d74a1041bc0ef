//! The starter players for Halma.

use crate::cli::games::starters::{JAVA_AT_ONCE, PROGRAM, SCRIPT, Starter, starter};

pub(in crate::cli) const STARTERS: &[Starter] = &[
    starter! {"halma", "python", SCRIPT, "player.py"},
    starter! {"halma", "cpp", PROGRAM, "player.cpp"},
    starter! {"halma", "java", JAVA_AT_ONCE, "Player.java"},
    starter! {"halma", "rust", PROGRAM, "player.rs"},
];
