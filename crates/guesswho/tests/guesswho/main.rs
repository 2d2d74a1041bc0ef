//! Guess Who: rules, parsers, exactness, the race, and the game at the arena's table.

mod at_the_table;
mod boards;
mod exactness;
mod expectation;
mod lookahead;
mod parsing;
mod people;
mod players;
mod race;
mod reference;
mod wire;
