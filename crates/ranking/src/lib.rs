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
//!
//! The pairings of a round robin, and the ratings after all its games:
//!
//! ```
//! use turnwise_ranking::bradley_terry::elo;
//! use turnwise_ranking::crosstable::{Crosstable, Pair};
//! use turnwise_ranking::pairing::{Format, due};
//!
//! let pairings = due(&Format::RoundRobin { times: 1 }, &[false; 3], &[]);
//! assert_eq!(pairings.len(), 3);
//! // The participant that entered earlier won both games of each pair, by three points.
//! let pairs = pairings.iter().filter_map(|pairing| {
//!     let second = pairing.second?;
//!     Some(Pair { first: pairing.first, second, category: 4, points: 3.0 })
//! });
//! let ratings = elo(&Crosstable::new(3, pairs)?);
//! assert_eq!(ratings.order(), [0, 1, 2]);
//! # Ok::<(), turnwise_ranking::crosstable::PairError>(())
//! ```

pub mod bradley_terry;
pub mod crosstable;
mod fit;
pub mod pairing;
pub mod points;
pub mod ratings;
pub mod rotations;
mod sparse;
pub mod ties;
