//! Tests that draw, play and rank tournaments.

mod pairing;
mod properties;
mod ratings;
mod simulation;
mod tournament;
