//! Tournaments drawn, played and ranked.

mod pairing;
mod properties;
mod ratings;
mod simulation;
mod tournament;
