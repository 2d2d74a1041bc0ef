//! TwentyOne: rules, table, exact values, memory, counting and the strong player.

mod twentyone {
    pub mod naive;
    mod player;
    mod table;
    mod values;
}
