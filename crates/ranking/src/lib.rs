//! The mathematics of tournaments: pairings, and the evidence in the results. Pure: no files, no clocks, no
//! randomness.
//!
//! | module | purpose |
//! |---|---|
//! | [`pairing`] | the tournament formats: which encounters are due |
//! | [`crosstable`] | the results between participants that have met |
//! | [`bradley_terry`] | strength in Elo from games won and drawn |
//! | [`points`] | strength in points from score differences |
//! | [`rotations`] | both kinds of strength if more than two sit at a table |
//! | [`ratings`] | the resulting ratings: estimates, intervals, distinguishable participants |
//! | `fit` | the uncertainty of estimates from paired comparisons |
//! | `matrix` | matrix inverses |

pub mod bradley_terry;
pub mod crosstable;
mod fit;
mod matrix;
pub mod pairing;
pub mod points;
pub mod ratings;
pub mod rotations;
