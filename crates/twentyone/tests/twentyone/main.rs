//! Tests TwentyOne: rules, table, exact values, memory, counting and the strong player.

mod endless;
mod engine_bridge;
mod engine_lists;
#[path = "../../../engine/tests/support/judged_games.rs"]
mod judged_games;
mod match_game;
mod memory;
mod naive;
mod people;
mod player;
mod table;
mod values;
