//! Computes the Elo difference and its interval from counts of pairs won, drawn and lost.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use turnwise_engine::statistics::Estimate;
use turnwise_engine::statistics::bounded::bounded_mean;

/// The pentanomial counts: the numbers of pairs in which the first agent scored 0, 1/2, 1, 3/2 and 2 points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Pentanomial(pub [u64; 5]);

/// The number of pairs that is added both to the lost and to the won pairs to compute an Elo difference.
///
/// No agent is certain to win forever. The addition keeps the difference finite when all pairs were won, and
/// is negligible for many pairs. With a quarter of a pair, the interval still contains the true value in at least 94
/// of 100 matches, even in matches of only one pair (`tests/arena/arithmetic.rs`).
const DOUBT: f64 = 0.25;

/// The maximum number of cached intervals; when it is reached, all are dropped.
const MOST_KEPT: usize = 4096;

/// The intervals of the mean score that were computed for pentanomial counts.
type Intervals = HashMap<Pentanomial, Option<Estimate>>;

/// A cache of intervals. The first map contains those computed without the addition of [`DOUBT`], the second those
/// with it.
///
/// Computing an interval takes milliseconds, but the thousands of meetings of a tournament have only few different
/// counts.
static KEPT: LazyLock<Mutex<[Intervals; 2]>> = LazyLock::new(Mutex::default);

impl Pentanomial {
    /// Returns the total number of pairs, over all five categories.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the number of pairs won, drawn and lost.
    pub fn wins_draws_losses(&self) -> [u64; 3] {
        let [lost, almost, drawn, mostly, won] = self.0;
        [won + mostly, drawn, lost + almost]
    }

    /// Returns these pairs from the other agent's point of view.
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }

    /// Adds all pairs of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (sum, count) in self.0.iter_mut().zip(other.0) {
            *sum += count;
        }
    }

    /// Returns, for each category, the score from 0 to 1 and the number of pairs.
    pub fn weighted(&self) -> [(f64, f64); 5] {
        std::array::from_fn(|at| (at as f64 / 4.0, self.0[at] as f64))
    }

    /// Returns the mean score of a pair, from 0 to 1, with its 95 % interval; `None` without pairs.
    pub fn score(&self) -> Option<Estimate> {
        self.mean_score(false)
    }

    /// Returns the logistic Elo difference with its 95 % interval, both finite; `None` without pairs.
    ///
    /// The difference is computed from the mean score after a quarter of a pair was added to the lost and to the won
    /// pairs, and the interval by [`bounded_mean`]. For many pairs, it equals the interval of fastchess and OpenBench.
    /// For few pairs, theirs is too narrow: after a single drawn pair, their interval has no width.
    pub fn elo(&self) -> Option<Estimate> {
        (self.mean_score(true)).map(|score| score.map(elo_of_score))
    }

    fn mean_score(&self, is_doubted: bool) -> Option<Estimate> {
        let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let which = usize::from(is_doubted);
        if let Some(&known) = kept()[which].get(self) {
            return known;
        }
        // The lock is not held here, so that other threads need not wait for the computation.
        let score = bounded_mean(&self.weighted(), if is_doubted { DOUBT } else { 0.0 });
        let mut kept = kept();
        if kept[which].len() >= MOST_KEPT {
            kept[which].clear();
        }
        kept[which].insert(*self, score);
        score
    }
}

/// Returns the logistic Elo difference that corresponds to this expected score.
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Returns the expected score at this Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}
