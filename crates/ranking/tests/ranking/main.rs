//! Tournaments drawn, played and ranked.

mod pairing;
mod simulation;
