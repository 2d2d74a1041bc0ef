//! Tests of pairings and ratings with whole tournaments.

mod pairing;
mod properties;
mod ratings;
mod simulation;
mod tournament;
