//! The mathematics of a tournament: who plays whom, and what the results prove. Pure: no files, no clocks,
//! no randomness.
//!
//! | module | what it is for |
//! |---|---|
//! | [`pairing`] | the formats: which encounters are due |
//! | [`crosstable`] | the results between each two |
//! | [`bradley_terry`] | strength by games won and drawn, in Elo |
//! | [`points`] | strength by differences in points |
//! | [`rotations`] | both where more than two sit at a table |
//! | [`ratings`] | what both say: estimates, intervals, who is distinguishable from whom |
//! | `fit` | how sure estimates from paired comparisons are |
//! | `matrix` | inverses |

pub mod bradley_terry;
pub mod crosstable;
mod fit;
mod matrix;
pub mod pairing;
pub mod points;
pub mod ratings;
pub mod rotations;
