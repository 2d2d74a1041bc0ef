//! The starter players for MasterChef.

use crate::cli::games::starters::{JAVA_AT_ONCE, PROGRAM, SCRIPT, Starter, starter};

pub(in crate::cli) const STARTERS: &[Starter] = &[
    starter! {"masterchef", "python", SCRIPT, "player.py"},
    starter! {"masterchef", "cpp", PROGRAM, "player.cpp"},
    starter! {"masterchef", "java", JAVA_AT_ONCE, "Player.java"},
    starter! {"masterchef", "rust", PROGRAM, "player.rs"},
];
