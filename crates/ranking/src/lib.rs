//! The mathematics of tournaments: the pairings, and the strengths that follow from the results. This crate uses no
//! files and no clocks, and its random numbers have a fixed seed.
//!
//! | module | purpose |
//! |---|---|
//! | [`pairing`] | the tournament formats, which determine the encounters to play next |
//! | [`crosstable`] | the results between all participants that have met |
//! | [`bradley_terry`] | strength in Elo, from games won, drawn and lost |
//! | [`points`] | strength in points, from differences of scores |
//! | [`rotations`] | strength in points and in Elo, from games of more than two participants |
//! | [`ratings`] | the resulting ratings with their intervals, and which participants are distinguishable |
//! | [`ties`] | places, and the tie-breaks between equal ratings |
//! | `fit` | estimates from paired comparisons, and their uncertainty |
//! | `sparse` | solutions and inverses of the sparse equations of a fit |

pub mod bradley_terry;
pub mod crosstable;
mod fit;
pub mod pairing;
pub mod points;
pub mod ratings;
pub mod rotations;
mod sparse;
pub mod ties;
