//! TwentyOne: rules, table, exact values, memory, counting and the strong player.

mod twentyone {
    mod endless;
    pub mod memory;
    pub mod naive;
    mod player;
    mod table;
    mod values;
}
