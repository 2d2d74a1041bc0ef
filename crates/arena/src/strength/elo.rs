//! What pairs won, drawn and lost prove: Elo and its interval. Pure arithmetic over counts.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use turnwise_engine::statistics::Estimate;
use turnwise_engine::statistics::bounded::bounded_mean;

/// How many pairs ended with 0, 1/2, 1, 3/2 and 2 points for the first agent: the pentanomial counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Pentanomial(pub [u64; 5]);

/// What is added to the pairs lost and to the pairs won where an Elo difference is made of them. Nobody
/// is sure to win for ever: it keeps the difference finite when all pairs were won, and is too little to
/// be seen when there are many. With a quarter the interval still holds the truth in 94 matches of 100
/// or more, down to a match of one pair (`tests/arena/arithmetic.rs`).
const DOUBT: f64 = 0.25;

/// So many intervals are kept, then all are forgotten.
const MOST_KEPT: usize = 4096;

/// Intervals of the mean score, by the counts they are of.
type Intervals = HashMap<Pentanomial, Option<Estimate>>;

/// Those without doubt and with it. One takes milliseconds, and in the thousands of meetings of a tournament the
/// same few counts come again and again.
static KEPT: LazyLock<Mutex<[Intervals; 2]>> = LazyLock::new(Mutex::default);

impl Pentanomial {
    /// The number of pairs in all five categories.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Pairs won, drawn and lost.
    pub fn wins_draws_losses(&self) -> [u64; 3] {
        let [lost, almost, drawn, mostly, won] = self.0;
        [won + mostly, drawn, lost + almost]
    }

    /// The same pairs from the other agent's side.
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }

    /// Takes in all pairs of another.
    pub fn merge(&mut self, other: &Self) {
        for (sum, count) in self.0.iter_mut().zip(other.0) {
            *sum += count;
        }
    }

    /// Each category's score, from 0 to 1, with its count.
    pub fn weighted(&self) -> [(f64, f64); 5] {
        std::array::from_fn(|at| (at as f64 / 4.0, self.0[at] as f64))
    }

    /// The mean score of a pair, from 0 to 1, with its 95 % interval; `None` without pairs.
    pub fn score(&self) -> Option<Estimate> {
        self.mean_score(false)
    }

    /// The logistic Elo difference with its 95 % interval, both finite; `None` without pairs.
    ///
    /// It is the difference of the mean score with a quarter of a pair more at either end, and the
    /// interval is that of [`bounded_mean`]. For many pairs it is the one that fastchess and OpenBench
    /// show, which for few claims too much: they give a single drawn pair an interval of no width.
    pub fn elo(&self) -> Option<Estimate> {
        (self.mean_score(true)).map(|score| score.map(elo_of_score))
    }

    fn mean_score(&self, is_doubted: bool) -> Option<Estimate> {
        let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let which = usize::from(is_doubted);
        if let Some(&known) = kept()[which].get(self) {
            return known;
        }
        // Others do not wait while this is computed.
        let score = bounded_mean(&self.weighted(), if is_doubted { DOUBT } else { 0.0 });
        let mut kept = kept();
        if kept[which].len() >= MOST_KEPT {
            kept[which].clear();
        }
        kept[which].insert(*self, score);
        score
    }
}

/// The logistic Elo difference that makes this expected score.
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected score at this Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}
