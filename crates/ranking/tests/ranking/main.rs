//! Tournaments drawn, played and ranked.

mod pairing;
mod ratings;
mod simulation;
