//! TwentyOne: rules, table, exact values, memory, counting and the strong player.

mod endless;
mod engine_bridge;
mod memory;
mod naive;
mod player;
mod table;
mod values;
