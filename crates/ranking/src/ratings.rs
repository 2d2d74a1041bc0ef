//! The ratings that a model yields: estimates, their intervals, and which participants are distinguishable.

use std::ops::Range;

use turnwise_engine::statistics::{Estimate, student_quantile};

use crate::sparse::Covariance;

/// The ratings of all participants. A rating is relative to the mean rating of all participants in the group; see
/// [`Ratings::group`].
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    values: Vec<f64>,
    groups: Vec<usize>,
    has_played: Vec<bool>,
    covariance: Option<Covariance>,
    quantile: f64,
}

impl Ratings {
    pub(crate) fn new(
        mut values: Vec<f64>,
        groups: Vec<usize>,
        has_played: Vec<bool>,
        covariance: Option<Covariance>,
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

    /// Returns the ratings with this covariance matrix, and with intervals for `freedom` degrees of freedom.
    pub(crate) fn with_covariance(self, covariance: Option<Covariance>, freedom: u64) -> Self {
        Self {
            covariance,
            quantile: student_quantile(freedom),
            ..self
        }
    }

    /// Returns the rating of a participant; `None` if the participant has not played.
    pub fn value(&self, one: usize) -> Option<f64> {
        self.has_played[one].then_some(self.values[one])
    }

    /// Returns the rating of a participant with its 95 % interval. Returns `None` if the participant has not played, or
    /// if the results are too few or too similar to measure their scatter.
    ///
    /// Even if the intervals of two participants overlap, one can be proved to be better: see
    /// [`difference`](Self::difference).
    pub fn estimate(&self, one: usize) -> Option<Estimate> {
        let half = self.quantile * self.covariance.as_ref()?.of_rating(one).sqrt();
        Some(Estimate::around(self.value(one)?, half))
    }

    /// Returns by how much `one` is better than `other`, with the 95 % interval. Returns `None` if no chain of
    /// opponents connects the two participants, or if the results are too few or too similar to measure their scatter.
    ///
    /// The two participants are distinguishable if the interval excludes 0. Among participants of equal strength, this
    /// happens by chance in 5 % of all cases.
    pub fn difference(&self, one: usize, other: usize) -> Option<Estimate> {
        let half = self.quantile * self.variance_of_difference(one, other)?.sqrt();
        Some(Estimate::around(
            self.values[one] - self.values[other],
            half,
        ))
    }

    /// Returns true if the results prove that either participant is better than the other.
    pub fn are_distinguishable(&self, one: usize, other: usize) -> bool {
        (self.difference(one, other))
            .is_some_and(|difference| difference.lower > 0.0 || difference.upper < 0.0)
    }

    /// Returns the range of indistinguishable participants for each participant.
    ///
    /// This is the smallest range in `order` that contains the participant and all others that the results do not
    /// distinguish from it. `order` must list participants best first.
    pub fn alike(&self, order: &[usize]) -> Vec<Range<usize>> {
        let half = |&one: &usize| {
            self.estimate(one)
                .map_or(f64::INFINITY, |it| it.upper - it.value)
        };
        let halves: Vec<f64> = order.iter().map(half).collect();
        let is_alike = |at: usize, other: usize| {
            let [one, its] = [at, other].map(|at| order[at]);
            // If even the two intervals do not overlap, the covariance does not matter.
            let is_near = (self.values[one] - self.values[its]).abs() <= halves[at] + halves[other];
            let is_comparable = self.groups[one] == self.groups[its];
            !is_comparable || is_near && !self.are_distinguishable(one, its)
        };
        let ranges = (0..order.len()).map(|at| {
            let first = (0..at).find(|&other| is_alike(at, other));
            let last = (at + 1..order.len())
                .rev()
                .find(|&other| is_alike(at, other));
            first.unwrap_or(at)..last.unwrap_or(at) + 1
        });
        ranges.collect()
    }

    /// Returns the rating difference from which two neighbors in the ranking differ significantly. This difference
    /// varies along the ranking, so the median is returned. Returns `None` if the difference of no two neighbors has an
    /// interval.
    pub fn smallest_difference(&self) -> Option<f64> {
        let order = self.order();
        let mut halves: Vec<f64> = (order.windows(2))
            .filter_map(|two| self.variance_of_difference(two[0], two[1]))
            .map(|variance| self.quantile * variance.sqrt())
            .collect();
        halves.sort_by(f64::total_cmp);
        halves.get(halves.len() / 2).copied()
    }

    /// Returns the participants that have played, best first. Participants with equal ratings are in the order of
    /// entry.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.values.len())
            .filter(|&one| self.has_played[one])
            .collect();
        order.sort_by(|&one, &other| self.values[other].total_cmp(&self.values[one]));
        order
    }

    /// Returns the group of a participant. A group consists of all participants that chains of opponents connect. The
    /// number of a group is the place, in the order of entry, of the member that entered first. Ratings in different
    /// groups must not be compared.
    pub fn group(&self, one: usize) -> usize {
        self.groups[one]
    }

    fn variance_of_difference(&self, one: usize, other: usize) -> Option<f64> {
        let is_comparable = one != other && self.groups[one] == self.groups[other];
        let covariance = self.covariance.as_ref().filter(|_| is_comparable)?;
        Some(covariance.of_difference(one, other))
    }
}
