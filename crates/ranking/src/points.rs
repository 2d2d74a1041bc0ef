//! Strength by differences in points: an additive model beside the one of games won.
//!
//! The difference in points of a pair is expected to be the difference of two ratings; the ratings are those
//! with the least sum of squared residuals, four participants and more taken for a sample (`fit`). It says
//! how many points a pair somebody is worth, where [`bradley_terry`](crate::bradley_terry) says how often
//! somebody wins. What pairs scatter is measured; where all of them fit exactly, nothing can be told.

use crate::crosstable::{Crosstable, Results};
use crate::fit::{self, Known, Look, Model};
use crate::ratings::Ratings;

/// The ratings of all participants, in points a pair.
pub fn additive(table: &Crosstable) -> Ratings {
    fit::ratings(
        table,
        &Model {
            look,
            known: Known {
                dispersion: 0.0,
                pairs: 0,
                weight: 1.0,
            },
            known_spread: (0.0, 0.0),
            longest_step: f64::INFINITY,
            scale: 1.0,
        },
    )
}

fn look(results: &Results, difference: f64, _variance: f64) -> Look {
    let pairs = results.count() as f64;
    Look {
        weight: 1.0,
        excess: pairs * (results.points.mean() - difference),
        squares: pairs * results.points.mean_square_about(difference),
    }
}
