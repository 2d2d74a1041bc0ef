//! Drawing, playing and ranking tournaments.

mod pairing;
mod properties;
mod ratings;
mod simulation;
mod tournament;
