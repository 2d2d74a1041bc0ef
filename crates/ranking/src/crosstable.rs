//! The results between participants that have met.

use std::collections::BTreeMap;

use thiserror::Error;
use turnwise_engine::statistics::Sample;

/// The result of two games with roles swapped, for the first participant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// A participant, by its place in the order of entry, from 0.
    pub first: usize,
    /// The opponent, by its place in the order of entry.
    pub second: usize,
    /// The pentanomial category: half points won in both games, from 0 to 4.
    pub category: usize,
    /// By how many points the first participant was better.
    pub points: f64,
}

/// The error for a pair that cannot be counted.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error(
    "expected two different participants below {participants}, a category from 0 to 4 and a finite \
     difference, got {pair:?}; check the log it comes from"
)]
pub struct PairError {
    participants: usize,
    pair: Pair,
}

/// All pairs of a participant against one opponent or all opponents.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Results {
    /// Pairs by their pentanomial category.
    pub pairs: [u64; 5],
    /// The difference in points of each pair, positive if the first participant was better.
    pub points: Sample,
}

impl Results {
    /// Returns the number of pairs.
    pub fn count(&self) -> u64 {
        self.points.count()
    }

    /// Returns the mean score of a pair, from 0 to 1; `None` without pairs.
    pub fn score(&self) -> Option<f64> {
        let sum: u64 = (0..)
            .zip(self.pairs)
            .map(|(category, count)| category * count)
            .sum();
        (self.count() > 0).then(|| sum as f64 / (4 * self.count()) as f64)
    }

    /// Returns true if every game was won or every game was lost. Such results bound a participant's difference
    /// from its opponents on one side only.
    pub fn is_one_sided(&self) -> bool {
        self.count() > 0
            && [0, 4]
                .into_iter()
                .any(|all| self.pairs[all] == self.count())
    }

    /// Returns the results from the opponent's view.
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

/// The results between all participants of a tournament that have met.
#[derive(Debug, Clone, PartialEq)]
pub struct Crosstable {
    participants: usize,
    /// The results of the earlier entry against the later entry.
    results: BTreeMap<(usize, usize), Results>,
}

impl Crosstable {
    /// Adds up pairs. The result does not depend on the order of pairs or of the two participants in a pair.
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

    /// Returns the number of participants, including those without results.
    pub fn participants(&self) -> usize {
        self.participants
    }

    /// Iterates over all encounters: earlier entry, later entry, results of the earlier entry.
    pub fn encounters(&self) -> impl Iterator<Item = (usize, usize, &Results)> {
        (self.results.iter()).map(|(&(first, second), results)| (first, second, results))
    }

    /// Returns the results of `one` against `other`; `None` if they have not met.
    pub fn between(&self, one: usize, other: usize) -> Option<Results> {
        let results = self.results.get(&(one.min(other), one.max(other)))?;
        Some(if one < other {
            *results
        } else {
            results.reversed()
        })
    }

    /// Returns each participant's results against all opponents.
    pub fn totals(&self) -> Vec<Results> {
        let mut totals = vec![Results::default(); self.participants];
        for (first, second, results) in self.encounters() {
            totals[first].merge(results);
            totals[second].merge(&results.reversed());
        }
        totals
    }

    /// Returns a group for each participant. The group is the earliest entry connected with
    /// it by a chain of opponents. Participants in different groups cannot be compared.
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
