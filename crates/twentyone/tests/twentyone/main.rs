//! TwentyOne: rules, table, exact values, memory, counting and the strong player.

mod endless;
mod engine_bridge;
mod match_game;
mod memory;
mod naive;
mod people;
mod player;
mod table;
mod values;
