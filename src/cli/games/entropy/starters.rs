//! The starter players for Entropy.

use crate::cli::games::starters::{JAVA, PROGRAM, SCRIPT, Starter, starter};

pub(in crate::cli) const STARTERS: &[Starter] = &[
    starter! {"entropy", "python", SCRIPT, "player.py"},
    starter! {"entropy", "cpp", PROGRAM, "player.cpp"},
    starter! {"entropy", "java", JAVA, "Player.java"},
    starter! {"entropy", "rust", PROGRAM, "player.rs"},
];
