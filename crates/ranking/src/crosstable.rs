//! The crosstable of a tournament: the results between all participants that have met.

use std::collections::BTreeMap;

use thiserror::Error;
use turnwise_engine::statistics::Sample;

/// The result of a pair of games with roles swapped, from the first participant's point of view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The first participant, given as its place in the order of entry, starting at 0.
    pub first: usize,
    /// The opponent, given as its place in the order of entry, starting at 0.
    pub second: usize,
    /// The pentanomial category: the number of half points that the first participant won in both games together, from
    /// 0 to 4.
    pub category: usize,
    /// The difference in points: the points of the first participant in both games together, minus the opponent's
    /// points.
    pub points: f64,
}

/// The error for a pair with impossible participants, category or points, which cannot be counted.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error(
    "expected two different participants below {participants}, a category from 0 to 4 and a finite \
     difference, got {pair:?}; check the log it comes from"
)]
pub struct PairError {
    participants: usize,
    pair: Pair,
}

/// The results of all pairs of a participant against one opponent, or against all opponents.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Results {
    /// The number of pairs in each pentanomial category; see [`Pair::category`].
    pub pairs: [u64; 5],
    /// The differences in points of the pairs. A difference is positive if the participant scored more points than its
    /// opponent.
    pub points: Sample,
}

impl Results {
    /// Returns the number of pairs.
    pub fn count(&self) -> u64 {
        self.points.count()
    }

    /// Returns the participant's mean score, from 0 (all games lost) to 1 (all games won); `None` without pairs.
    pub fn score(&self) -> Option<f64> {
        let sum: u64 = (0..)
            .zip(self.pairs)
            .map(|(category, count)| category * count)
            .sum();
        (self.count() > 0).then(|| sum as f64 / (4 * self.count()) as f64)
    }

    /// Returns the results from the opponent's point of view.
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

/// A table with the results between every two participants of a tournament that have met.
#[derive(Debug, Clone, PartialEq)]
pub struct Crosstable {
    participants: usize,
    /// The results of each encounter, from the point of view of the participant that entered earlier. The key consists
    /// of the participant that entered earlier and the participant that entered later.
    results: BTreeMap<(usize, usize), Results>,
}

impl Crosstable {
    /// Creates the table from pairs. Neither the order of the pairs nor the order of the two participants in a pair
    /// matters.
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
        // The pairs are sorted because rounding makes a sum depend on the order of the terms.
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

    /// Returns the number of participants, including participants without results.
    pub fn participants(&self) -> usize {
        self.participants
    }

    /// Iterates over all encounters. Each item consists of the participant that entered earlier, the participant that
    /// entered later, and the results from the former's point of view.
    pub fn encounters(&self) -> impl Iterator<Item = (usize, usize, &Results)> {
        (self.results.iter()).map(|(&(first, second), results)| (first, second, results))
    }

    /// Returns the results of `one` against `other`, from the point of view of `one`; `None` if they have not met.
    pub fn between(&self, one: usize, other: usize) -> Option<Results> {
        let results = self.results.get(&(one.min(other), one.max(other)))?;
        Some(if one < other {
            *results
        } else {
            results.reversed()
        })
    }

    /// Returns the results of each participant against all opponents together.
    pub fn totals(&self) -> Vec<Results> {
        let mut totals = vec![Results::default(); self.participants];
        for (first, second, results) in self.encounters() {
            totals[first].merge(results);
            totals[second].merge(&results.reversed());
        }
        totals
    }

    /// Returns the group of each participant. Participants are in one group if a chain of opponents connects them; only
    /// then can they be compared. The number of a group is the place, in the order of entry, of the member that entered
    /// first.
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
