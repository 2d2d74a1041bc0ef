//! What a model says of the participants: estimates, intervals, and who is distinguishable from whom.

use turnwise_engine::statistics::{Estimate, student_quantile};

use crate::matrix::Matrix;

/// Ratings of the participants, each relative to the mean of all it is connected with by opponents.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    values: Vec<f64>,
    groups: Vec<usize>,
    has_played: Vec<bool>,
    covariance: Option<Matrix>,
    quantile: f64,
}

impl Ratings {
    pub(crate) fn new(
        mut values: Vec<f64>,
        groups: Vec<usize>,
        has_played: Vec<bool>,
        covariance: Option<Matrix>,
        quantile: f64,
    ) -> Self {
        let mut sums = vec![(0.0, 0.0); values.len()];
        for (value, &group) in values.iter().zip(&groups) {
            sums[group].0 += value;
            sums[group].1 += 1.0;
        }
        for (value, &group) in values.iter_mut().zip(&groups) {
            let (sum, count) = sums[group];
            *value -= sum / count;
        }
        Self {
            values,
            groups,
            has_played,
            covariance,
            quantile,
        }
    }

    /// The same ratings with another covariance, that so many degrees of freedom stand behind.
    pub(crate) fn with_covariance(self, covariance: Option<Matrix>, freedom: u64) -> Self {
        Self {
            covariance,
            quantile: student_quantile(freedom),
            ..self
        }
    }

    /// A participant's rating; `None` if it has played nothing.
    pub fn value(&self, one: usize) -> Option<f64> {
        self.has_played[one].then_some(self.values[one])
    }

    /// A participant's rating with its 95 % interval; `None` if it has played nothing, or if the pairs are
    /// too few or too much alike to tell how they scatter.
    ///
    /// Two intervals that overlap do not mean that the two are alike: see [`difference`](Self::difference).
    pub fn estimate(&self, one: usize) -> Option<Estimate> {
        let half = self.quantile * self.covariance(one, one)?.sqrt();
        Some(Estimate::around(self.value(one)?, half))
    }

    /// By how much `one` is better than `other`, with the 95 % interval of the difference. `None` if
    /// no chain of opponents connects them, or if the pairs are too few or too much alike.
    ///
    /// They are distinguishable if the interval leaves out 0. Of many differences that are none, one in
    /// twenty seems to be one.
    pub fn difference(&self, one: usize, other: usize) -> Option<Estimate> {
        let half = self.quantile * self.variance_of_difference(one, other)?.sqrt();
        Some(Estimate::around(
            self.values[one] - self.values[other],
            half,
        ))
    }

    /// True if one of the two is proved to be better than the other.
    pub fn are_distinguishable(&self, one: usize, other: usize) -> bool {
        (self.difference(one, other))
            .is_some_and(|difference| difference.lower > 0.0 || difference.upper < 0.0)
    }

    /// The smallest difference that the pairs played can show: how far apart neighbours in the order
    /// of the ratings have to be to be distinguishable. It is the median over all neighbours; `None` if there
    /// are none whose difference has an interval.
    pub fn smallest_difference(&self) -> Option<f64> {
        let order = self.order();
        let mut halves: Vec<f64> = (order.windows(2))
            .filter_map(|two| self.variance_of_difference(two[0], two[1]))
            .map(|variance| self.quantile * variance.sqrt())
            .collect();
        halves.sort_by(f64::total_cmp);
        halves.get(halves.len() / 2).copied()
    }

    /// The covariance of two ratings, in their units squared; `None` if the pairs are too few or too much
    /// alike to tell how they scatter, or if one of the two has played nothing.
    pub fn covariance(&self, one: usize, other: usize) -> Option<f64> {
        let have_played = self.has_played[one] && self.has_played[other];
        self.covariance
            .as_ref()
            .filter(|_| have_played)
            .map(|all| all.at(one, other))
    }

    /// The participants that have played, best first; equals by the order of entry.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.values.len())
            .filter(|&one| self.has_played[one])
            .collect();
        order.sort_by(|&one, &other| self.values[other].total_cmp(&self.values[one]));
        order
    }

    /// The first entry of all that a participant is connected with by a chain of opponents, itself among
    /// them. Ratings of participants with different ones must not be compared.
    pub fn group(&self, one: usize) -> usize {
        self.groups[one]
    }

    fn variance_of_difference(&self, one: usize, other: usize) -> Option<f64> {
        let is_comparable = one != other && self.groups[one] == self.groups[other];
        let covariance = self.covariance.as_ref().filter(|_| is_comparable)?;
        Some(covariance.of_difference(one, other).max(0.0))
    }
}
