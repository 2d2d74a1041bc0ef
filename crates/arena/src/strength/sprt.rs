//! The sequential probability ratio test: play until one of two hypotheses is accepted.
//!
//! The bounds are Wald's ("Sequential tests of statistical hypotheses", 1945). The test uses the generalized
//! log-likelihood ratio: each hypothesis is represented by the distribution that explains the results best
//! among all distributions with the hypothesis's mean. For Elo this is the pentanomial test of fishtest,
//! fastchess and OpenBench (Van den Bergh, "A practical introduction to the GSPRT"), in its logistic form;
//! for points it is the test for a normal distribution with unknown variance.

use super::elo::{Pentanomial, score_of_elo};
use crate::records::{Sprt, Unit};
use turnwise_engine::statistics::Sample;

/// The count that stands for an empty category, so that its likelihood is not zero (as in OpenBench).
const EMPTY_CATEGORY: f64 = 1e-3;

/// The minimum number of pairs for a verdict. The variance of fewer pairs is little more than a guess.
const FEWEST_PAIRS: u64 = 16;

/// The verdict of a sequential test: the hypothesis that it has accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// H0 is accepted: the difference is assumed to be [`Sprt::lower`].
    Lower,
    /// H1 is accepted: the difference is assumed to be [`Sprt::upper`].
    Upper,
}

/// A test in progress. It receives pairs in order and stops at the first pair that decides it.
#[derive(Debug, Clone, Copy)]
pub struct Running {
    /// The hypotheses and the permitted error rates.
    pub test: Sprt,
    points: Sample,
    pairs: Pentanomial,
    verdict: Option<(Verdict, u64)>,
}

impl Running {
    /// Creates a test without results.
    pub fn new(test: Sprt) -> Self {
        Self {
            test,
            points: Sample::default(),
            pairs: Pentanomial::default(),
            verdict: None,
        }
    }

    /// Adds the next pair, given its difference in points and its pentanomial category.
    ///
    /// Once the test has a verdict, further pairs do not change it.
    pub fn add(&mut self, difference: f64, category: usize) {
        if self.verdict.is_some() {
            return;
        }
        self.points.add(difference);
        self.pairs.0[category] += 1;
        let pairs = self.points.count();
        if pairs < FEWEST_PAIRS {
            return;
        }
        let (accept_lower, accept_upper) = self.test.bounds();
        let ratio = self.ratio();
        if ratio >= accept_upper {
            self.verdict = Some((Verdict::Upper, pairs));
        } else if ratio <= accept_lower {
            self.verdict = Some((Verdict::Lower, pairs));
        }
    }

    /// Returns the log-likelihood ratio of H1 to H0.
    pub fn ratio(&self) -> f64 {
        match self.test.unit {
            Unit::Elo => elo_ratio(&self.pairs.weighted(), self.test.lower, self.test.upper),
            Unit::Points => points_ratio(&self.points, self.test.lower, self.test.upper),
        }
    }

    /// Returns the verdict and the number of pairs that it took, once the test has a verdict.
    pub fn verdict(&self) -> Option<(Verdict, u64)> {
        self.verdict
    }
}

impl Sprt {
    /// Returns the log-likelihood ratios at which the test accepts H0 and H1.
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }
}

/// Returns the generalized log-likelihood ratio of the Elo difference `elo1` to `elo0`.
///
/// `results` contains, for each category, the score between 0 and 1 and the number of pairs.
pub fn elo_ratio(results: &[(f64, f64)], elo0: f64, elo1: f64) -> f64 {
    let counts: Vec<(f64, f64)> = results
        .iter()
        .map(|&(score, count)| (score, count.max(EMPTY_CATEGORY)))
        .collect();
    let [theta0, theta1] = [elo0, elo1].map(|elo| {
        let mean = score_of_elo(elo);
        (mean, tilt(&counts, mean))
    });
    // In the most likely distribution with a given mean, a score has the probability p / (1 + theta (score - mean)),
    // where p is the observed share of the score.
    let denominator = |(mean, theta): (f64, f64), score: f64| 1.0 + theta * (score - mean);
    counts
        .iter()
        .map(|&(score, count)| {
            count * (denominator(theta0, score).ln() - denominator(theta1, score).ln())
        })
        .sum()
}

/// Finds, by bisection, the theta for which the most likely distribution has this mean.
///
/// The bisection works because the sum below falls from plus to minus infinity between its two poles.
fn tilt(counts: &[(f64, f64)], mean: f64) -> f64 {
    let lowest = counts[0].0 - mean;
    let highest = counts[counts.len() - 1].0 - mean;
    let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
    for _ in 0..64 {
        let theta = (low + high) / 2.0;
        let sum: f64 = counts
            .iter()
            .map(|&(score, count)| count * (score - mean) / (1.0 + theta * (score - mean)))
            .sum();
        if sum > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
    }
    (low + high) / 2.0
}

/// Returns the generalized log-likelihood ratio of the mean `mean1` to `mean0`.
///
/// The differences of pairs are assumed to be normally distributed with unknown variance.
fn points_ratio(points: &Sample, mean0: f64, mean1: f64) -> f64 {
    let [spread0, spread1] = [mean0, mean1].map(|mean| points.mean_square_about(mean));
    if spread0 == spread1 {
        return 0.0;
    }
    points.count() as f64 / 2.0 * (spread0 / spread1).ln()
}
