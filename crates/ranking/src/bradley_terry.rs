//! Computes strength in Elo from games won, drawn and lost, using the model of Bradley and Terry ("Rank analysis of
//! incomplete block designs: the method of paired comparisons", Biometrika 39, 1952).
//!
//! If two participants differ by d Elo, the expected score of a game between them is 1 / (1 + 10^(-d/400)). A draw
//! counts as half a win and half a loss.
//!
//! The tie models of Rao and Kupper (1967) and of Davidson (1970) are not used. They assume a fixed form of the
//! probability of draws, and their strengths do not state expected scores, although in Davidson's model a strength also
//! depends only on wins plus half the draws. Here only the mean score must follow the model. If many games are drawn,
//! pairs with extreme results are rarer; how much rarer they are is measured (`fit`) instead of assumed. So the ratings
//! mean what the Elo difference between two agents means in the arena.
//!
//! The ratings are maximum likelihood estimates that treat the participants as a sample of normally distributed
//! strengths (`fit`). For this reason, even a participant that won all games has a finite
//! rating.

use std::f64::consts::PI;

use crate::crosstable::{Crosstable, Results};
use crate::fit::{self, Known, Look, Model};
use crate::ratings::Ratings;

/// The number of Elo points per unit of log odds.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The prior knowledge of the dispersion (how widely results scatter), which counts as much as two pairs. It is the
/// dispersion of pairs of independent games between equal participants without draws. It is needed because future pairs
/// may differ even if all observed pairs have equal results.
const KNOWN: Known = Known {
    dispersion: 0.5,
    pairs: 2,
    weight: 0.25,
};

/// The prior knowledge of the spread of the strengths: a standard deviation of 200 Elo, which counts as much as two
/// participants. This is Elo's own definition of a class of players. With the prior knowledge, even two participants
/// can be treated as a sample.
const KNOWN_SPREAD: (f64, f64) = (200.0 / ELO * (200.0 / ELO), 2.0);

/// The maximum change of an estimate in one iteration of the fit, in log odds.
const LONGEST_STEP: f64 = 1.0;

/// Computes the ratings of all participants from their results, in Elo.
pub fn elo(table: &Crosstable) -> Ratings {
    of_sample(table, KNOWN_SPREAD)
}

fn of_sample(table: &Crosstable, known_spread: (f64, f64)) -> Ratings {
    fit::ratings(
        table,
        &Model {
            look,
            known: KNOWN,
            known_spread,
            longest_step: LONGEST_STEP,
            scale: ELO,
        },
    )
}

/// Compares the results of two participants with the score that is expected if their strengths differ by `difference`.
/// The difference is uncertain, with the variance `variance`, so the logistic curve must be averaged over a normal
/// distribution. A flatter logistic curve approximates the average closely (D. J. C. MacKay, "The evidence framework
/// applied to classification networks", Neural Computation 4, 1992).
fn look(results: &Results, difference: f64, variance: f64) -> Look {
    let flatter = 1.0 / (1.0 + PI / 8.0 * variance).sqrt();
    let expected = 1.0 / (1.0 + (-flatter * difference).exp());
    let (mut excess, mut squares) = (0.0, 0.0);
    for (category, count) in (0..).zip(results.pairs) {
        let residual = f64::from(category) / 4.0 - expected;
        excess += count as f64 * residual;
        squares += count as f64 * residual * residual;
    }
    Look {
        weight: flatter * expected * (1.0 - expected),
        excess,
        squares,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crosstable::Pair;

    /// A spread with which the participants are not treated as a sample, so that the ratings are plain maximum
    /// likelihood estimates.
    const ANY_SPREAD: (f64, f64) = (f64::INFINITY, 2.0);

    /// Returns ratings from a table of games: each entry is the number of games that the row's participant won against
    /// the column's participant. Each game counts as a pair.
    fn plain<const N: usize>(won: [[u64; N]; N]) -> Ratings {
        let mut pairs = Vec::new();
        for (first, row) in won.iter().enumerate() {
            for (second, &games) in row.iter().enumerate() {
                let game = Pair {
                    first,
                    second,
                    category: 4,
                    points: 1.0,
                };
                pairs.extend((0..games).map(|_| game));
            }
        }
        of_sample(&Crosstable::new(N, pairs).expect("a table"), ANY_SPREAD)
    }

    #[test]
    fn estimates_and_errors_are_those_published_for_citations_between_journals() {
        // Stigler 1994, fitted in Turner and Firth, "Bradley-Terry models in R: the BradleyTerry2 package", Journal of
        // Statistical Software 48(9), 2012, section 2.1. The journals are Biometrika, Communications in Statistics,
        // JASA and JRSS-B. A citation counts as a win for the cited journal.
        let ratings = plain([
            [0, 730, 498, 221],
            [33, 0, 68, 17],
            [320, 813, 0, 142],
            [284, 276, 325, 0],
        ]);
        for (journal, expected, error) in [
            (1, -2.9491, 0.10255),
            (2, -0.4796, 0.06059),
            (3, 0.2690, 0.07083),
        ] {
            let found = ratings.difference(journal, 0).expect("they have met");
            assert!((found.value / ELO - expected).abs() < 1e-4, "{found:?}");
            // Their standard error follows from the model, while ours is measured from the scatter of the results.
            let ours = (found.upper - found.value) / ELO / 1.96;
            assert!((ours / error - 1.0).abs() < 0.04, "{ours} {error}");
        }
    }

    #[test]
    fn estimates_are_those_published_for_baseball_teams() {
        // The data are from the American League 1987 (Agresti, "Categorical Data Analysis", 2nd edition 2002, table
        // 10.11). The teams are Milwaukee, Detroit, Toronto, New York, Boston, Cleveland and Baltimore. The standard
        // errors are about 0.3.
        let ratings = plain([
            [0, 7, 9, 7, 7, 9, 11],
            [6, 0, 7, 5, 11, 9, 9],
            [4, 6, 0, 7, 7, 8, 12],
            [6, 8, 6, 0, 6, 7, 10],
            [6, 2, 6, 7, 0, 7, 12],
            [4, 4, 5, 6, 6, 0, 6],
            [2, 4, 1, 3, 1, 7, 0],
        ]);
        for (team, expected) in [
            (0, 1.58),
            (1, 1.44),
            (2, 1.29),
            (3, 1.25),
            (4, 1.11),
            (5, 0.68),
        ] {
            let found = ratings.difference(team, 6).expect("they have met");
            assert!((found.value / ELO - expected).abs() < 0.005_1, "{found:?}");
            let error = (found.upper - found.value) / ELO / 1.98;
            assert!((error - 0.3).abs() < 0.06, "{error}");
        }
    }
}
