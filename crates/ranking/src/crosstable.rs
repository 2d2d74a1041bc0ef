//! The results between each two participants.

use std::collections::BTreeMap;

use thiserror::Error;
use turnwise_engine::statistics::Sample;

/// The result of two games of the same two with roles swapped, for the first of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// A participant by its place in the order of entry, from 0.
    pub first: usize,
    /// The opponent, by its place in the order of entry.
    pub second: usize,
    /// The pentanomial category: half points won in both games, from 0 to 4.
    pub category: usize,
    /// By how many points the first was better.
    pub points: f64,
}

/// A pair that cannot be counted.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error(
    "expected two different participants below {participants}, a category from 0 to 4 and a finite \
     difference, got {pair:?}; check the log it comes from"
)]
pub struct PairError {
    participants: usize,
    pair: Pair,
}

/// All pairs of one participant against another, or against all it met.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Results {
    /// Pairs by their pentanomial category.
    pub pairs: [u64; 5],
    /// The difference in points of each pair, positive where the first was better.
    pub points: Sample,
}

impl Results {
    /// The number of pairs counted.
    pub fn count(&self) -> u64 {
        self.points.count()
    }

    /// The mean score of a pair, from 0 to 1; `None` without pairs.
    pub fn score(&self) -> Option<f64> {
        let sum: u64 = (0..)
            .zip(self.pairs)
            .map(|(category, count)| category * count)
            .sum();
        (self.count() > 0).then(|| sum as f64 / (4 * self.count()) as f64)
    }

    /// True if every game was won or every game was lost: how much better or worse than its opponents
    /// somebody is, such results bound on one side only.
    pub fn is_one_sided(&self) -> bool {
        self.count() > 0
            && [0, 4]
                .into_iter()
                .any(|all| self.pairs[all] == self.count())
    }

    /// The same pairs from the other side.
    pub fn reversed(mut self) -> Self {
        self.pairs.reverse();
        Self {
            points: self.points.negated(),
            ..self
        }
    }

    fn add(&mut self, pair: &Pair) {
        self.pairs[pair.category] += 1;
        self.points.add(pair.points);
    }

    fn merge(&mut self, other: &Self) {
        for (sum, count) in self.pairs.iter_mut().zip(other.pairs) {
            *sum += count;
        }
        self.points.merge(&other.points);
    }
}

/// The results between each two participants of a tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct Crosstable {
    participants: usize,
    /// Of each two who have met, the earlier entry first.
    results: BTreeMap<(usize, usize), Results>,
}

impl Crosstable {
    /// Sums up pairs. Neither their order nor which of the two is named first changes any figure.
    pub fn new(
        participants: usize,
        pairs: impl IntoIterator<Item = Pair>,
    ) -> Result<Self, PairError> {
        let in_order = |pair: Pair| {
            let is_right = pair.first.max(pair.second) < participants
                && pair.first != pair.second
                && pair.category <= 4
                && pair.points.is_finite();
            match is_right {
                false => Err(PairError { participants, pair }),
                true if pair.first < pair.second => Ok(pair),
                true => Ok(Pair {
                    first: pair.second,
                    second: pair.first,
                    category: 4 - pair.category,
                    points: -pair.points,
                }),
            }
        };
        let mut pairs: Vec<Pair> = (pairs.into_iter().map(in_order)).collect::<Result<_, _>>()?;
        // Sums of fractions depend on the order of their terms.
        pairs.sort_by(|one, other| {
            (one.first.cmp(&other.first))
                .then(one.second.cmp(&other.second))
                .then(one.points.total_cmp(&other.points))
        });
        let mut results: BTreeMap<(usize, usize), Results> = BTreeMap::new();
        for pair in &pairs {
            let of_both = results.entry((pair.first, pair.second)).or_default();
            of_both.add(pair);
        }
        Ok(Self {
            participants,
            results,
        })
    }

    /// The number of participants, those without results included.
    pub fn participants(&self) -> usize {
        self.participants
    }

    /// Each two who have met, the earlier entry first, and the results of that one.
    pub fn encounters(&self) -> impl Iterator<Item = (usize, usize, &Results)> {
        (self.results.iter()).map(|(&(first, second), results)| (first, second, results))
    }

    /// The results of `one` against `other`; `None` if they have not met.
    pub fn between(&self, one: usize, other: usize) -> Option<Results> {
        let results = self.results.get(&(one.min(other), one.max(other)))?;
        Some(if one < other {
            *results
        } else {
            results.reversed()
        })
    }

    /// Each participant's results against all it met.
    pub fn totals(&self) -> Vec<Results> {
        let mut totals = vec![Results::default(); self.participants];
        for (first, second, results) in self.encounters() {
            totals[first].merge(results);
            totals[second].merge(&results.reversed());
        }
        totals
    }

    /// Of each participant the first entry of all that it is connected with by a chain of opponents.
    /// Between two with different ones nothing can be said.
    pub fn groups(&self) -> Vec<usize> {
        let mut groups: Vec<usize> = (0..self.participants).collect();
        fn root(groups: &mut [usize], mut one: usize) -> usize {
            while groups[one] != one {
                groups[one] = groups[groups[one]];
                one = groups[one];
            }
            one
        }
        for (first, second, _) in self.encounters() {
            let [one, other] = [first, second].map(|it| root(&mut groups, it));
            groups[one.max(other)] = one.min(other);
        }
        (0..self.participants)
            .map(|one| root(&mut groups, one))
            .collect()
    }
}
