//! The starter players for TwentyOne.

use crate::cli::games::starters::{JAVA, PROGRAM, SCRIPT, Starter, starter};

pub(in crate::cli) const STARTERS: &[Starter] = &[
    starter! {"twentyone", "python", SCRIPT, "player.py"},
    starter! {"twentyone", "cpp", PROGRAM, "player.cpp"; "json.hpp"},
    starter! {"twentyone", "java", JAVA, "Player.java"; "Json.java"},
    starter! {"twentyone", "rust", PROGRAM, "player.rs"; "json.rs"},
];
