//! Tests of pairings and ratings with whole tournaments.

mod dense;
mod pairing;
mod properties;
mod ratings;
mod simulation;
mod sparse;
mod ties;
mod tournament;
