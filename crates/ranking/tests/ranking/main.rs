//! Tests of pairings and ratings with whole tournaments.

mod dense;
mod pairing;
mod properties;
mod ratings;
mod simulation;
mod sparse;
mod ties;
mod tournament;

use turnwise_ranking::crosstable::Pair;

fn pair(first: usize, second: usize, category: usize, points: f64) -> Pair {
    Pair {
        first,
        second,
        category,
        points,
    }
}
