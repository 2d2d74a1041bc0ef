//! Computes strength in points from differences of scores, using an additive model that complements Elo.
//!
//! In this model, the expected difference in points of a pair is the difference between the ratings of the two
//! participants. The ratings minimize the sum of squared residuals. Four or more participants are treated as a sample
//! (`fit`). This rating states how many points per pair a participant is worth, while
//! [`bradley_terry`](crate::bradley_terry) states how often it wins. The scatter of the pairs is measured. If all pairs
//! fit the model exactly, the scatter is unknown, and the ratings have no intervals.

use crate::crosstable::{Crosstable, Results};
use crate::fit::{self, Known, Look, Model};
use crate::ratings::Ratings;

/// Computes the ratings of all participants from their results, in points per pair.
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
