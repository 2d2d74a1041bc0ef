//! The evidence of pairs won, drawn and lost: Elo and its interval. Pure arithmetic over counts.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use turnwise_engine::statistics::Estimate;
use turnwise_engine::statistics::bounded::bounded_mean;

/// The pentanomial counts: pairs with 0, 1/2, 1, 3/2 and 2 points for the first agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Pentanomial(pub [u64; 5]);

/// The number of pairs added to the lost and to the won pairs for an Elo difference.
///
/// No agent is certain to win forever. The addition keeps the difference finite when all pairs were won, and
/// is negligible for many pairs. With a quarter, the interval still contains the true value in at least 94 of
/// 100 matches, down to a match of one pair (`tests/arena/arithmetic.rs`).
const DOUBT: f64 = 0.25;

/// The maximum number of stored intervals; beyond it, all are dropped.
const MOST_KEPT: usize = 4096;

/// Intervals of the mean score, by counts.
type Intervals = HashMap<Pentanomial, Option<Estimate>>;

/// Stored intervals without and with the addition.
///
/// Computing an interval takes milliseconds, and a few counts recur in the thousands of meetings of a
/// tournament.
static KEPT: LazyLock<Mutex<[Intervals; 2]>> = LazyLock::new(Mutex::default);

impl Pentanomial {
    /// Returns the number of pairs in all five categories.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the number of pairs won, drawn and lost.
    pub fn wins_draws_losses(&self) -> [u64; 3] {
        let [lost, almost, drawn, mostly, won] = self.0;
        [won + mostly, drawn, lost + almost]
    }

    /// Returns the pairs from the other agent's side.
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

    /// Returns each category's score, from 0 to 1, with its count.
    pub fn weighted(&self) -> [(f64, f64); 5] {
        std::array::from_fn(|at| (at as f64 / 4.0, self.0[at] as f64))
    }

    /// Returns the mean score of a pair, from 0 to 1, with its 95 % interval; `None` without pairs.
    pub fn score(&self) -> Option<Estimate> {
        self.mean_score(false)
    }

    /// Returns the logistic Elo difference with its 95 % interval, both finite; `None` without pairs.
    ///
    /// The difference is computed from the mean score with a quarter of a pair added at either end, and the
    /// interval from [`bounded_mean`]. For many pairs, the interval equals the interval of fastchess and
    /// OpenBench. For few pairs, theirs is too narrow: a single drawn pair has an interval of no width.
    pub fn elo(&self) -> Option<Estimate> {
        (self.mean_score(true)).map(|score| score.map(elo_of_score))
    }

    fn mean_score(&self, is_doubted: bool) -> Option<Estimate> {
        let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let which = usize::from(is_doubted);
        if let Some(&known) = kept()[which].get(self) {
            return known;
        }
        // The lock is released during the computation.
        let score = bounded_mean(&self.weighted(), if is_doubted { DOUBT } else { 0.0 });
        let mut kept = kept();
        if kept[which].len() >= MOST_KEPT {
            kept[which].clear();
        }
        kept[which].insert(*self, score);
        score
    }
}

/// Returns the logistic Elo difference with this expected score.
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Returns the expected score at this Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}
