//! What pairs won, drawn and lost prove: Elo and its interval. Pure arithmetic over counts.

use crate::statistics::{Estimate, NORMAL_QUANTILE};

/// How many pairs ended with 0, 1/2, 1, 3/2 and 2 points for the first agent: the pentanomial counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Pairs in all.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Pairs won, drawn and lost.
    pub fn wins_draws_losses(&self) -> [u64; 3] {
        let [lost, almost, drawn, mostly, won] = self.0;
        [won + mostly, drawn, lost + almost]
    }

    /// Each category's score, from 0 to 1, with its count.
    pub fn weighted(&self) -> [(f64, f64); 5] {
        std::array::from_fn(|at| (at as f64 / 4.0, self.0[at] as f64))
    }

    /// The Elo difference with its 95 % interval; `None` without pairs. An end that no finite Elo
    /// difference explains is infinite.
    pub fn elo(&self) -> Option<Estimate> {
        elo(&self.weighted())
    }
}

/// The logistic Elo difference that makes this expected score.
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// The expected score at this Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference from scores with their counts, its interval by the normal distribution of the
/// mean score (as OpenBench and fastchess define it).
pub fn elo(results: &[(f64, f64)]) -> Option<Estimate> {
    let count: f64 = results.iter().map(|(_, count)| count).sum();
    if count < 1.0 {
        return None;
    }
    let mean = results
        .iter()
        .map(|(score, count)| score * count)
        .sum::<f64>()
        / count;
    let variance = results
        .iter()
        .map(|(score, count)| (score - mean).powi(2) * count)
        .sum::<f64>()
        / count;
    let error = NORMAL_QUANTILE * (variance / count).sqrt();
    Some(Estimate {
        value: elo_of_score(mean),
        lower: elo_of_score(mean - error),
        upper: elo_of_score(mean + error),
    })
}
