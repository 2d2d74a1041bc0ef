//! Places in a ranking. Participants with equal ratings share a place unless a tie-break separates them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::crosstable::{Crosstable, Results};
use crate::ratings::Ratings;

/// Ratings count as equal if they differ by at most this, because such a difference comes from rounding.
const EQUAL: f64 = 1e-6;

/// A rule that separates participants with equal ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// The mean score in the pairs of the tied participants against each other. It applies only if each of them has met
    /// all others.
    HeadToHead,
    /// The mean lead over the opponent in a pair, in points of the game.
    Points,
    /// The mean score of the opponents, each counted once for each pair.
    Buchholz,
}

impl TieBreak {
    /// Returns the name of the tie-break in a tournament file.
    pub fn name(self) -> &'static str {
        match self {
            Self::HeadToHead => "head-to-head",
            Self::Points => "points",
            Self::Buchholz => "buchholz",
        }
    }
}

/// Returns the participants in `field`, best first, each with its place.
///
/// Places start at 1. All participants in `field` must have ratings.
///
/// The tie-breaks apply in their order, each to the participants that the earlier ones did not separate. Participants
/// that share a place are in the order of entry.
pub fn places(
    field: &[usize],
    ratings: &Ratings,
    table: &Crosstable,
    tie_breaks: &[TieBreak],
) -> Vec<(usize, usize)> {
    let totals = table.totals();
    let value = |one: usize| ratings.value(one).unwrap_or(f64::NEG_INFINITY);
    let mut order = field.to_vec();
    order.sort_by(|&one, &other| value(other).total_cmp(&value(one)));
    let groups = order.chunk_by(|&one, &other| value(one) - value(other) <= EQUAL);
    let mut groups: Vec<Vec<usize>> = groups.map(<[usize]>::to_vec).collect();
    for &tie_break in tie_breaks {
        let opponents = match tie_break {
            TieBreak::Buchholz => mean_of_opponents(table, &totals),
            TieBreak::HeadToHead | TieBreak::Points => Vec::new(),
        };
        let split = |group: Vec<usize>| {
            let key = |one: usize| match tie_break {
                TieBreak::HeadToHead => head_to_head(table, &group, one),
                TieBreak::Points => Some(totals[one].points.mean()),
                TieBreak::Buchholz => Some(opponents[one]),
            };
            let keys: Option<Vec<(f64, usize)>> =
                group.iter().map(|&one| Some((key(one)?, one))).collect();
            let Some(mut keys) = keys.filter(|keys| keys.len() > 1) else {
                return vec![group];
            };
            keys.sort_by(|one, other| other.0.total_cmp(&one.0));
            let parts = keys.chunk_by(|one, other| one.0 - other.0 <= EQUAL);
            let members = |part: &[(f64, usize)]| part.iter().map(|&(_, one)| one).collect();
            parts.map(members).collect()
        };
        groups = groups.into_iter().flat_map(split).collect();
    }
    let mut placed = Vec::with_capacity(field.len());
    for mut group in groups {
        group.sort_unstable();
        let place = placed.len() + 1;
        placed.extend(group.into_iter().map(|one| (place, one)));
    }
    placed
}

/// Returns the mean score of `one` against the other members of `group`. Returns `None` if it has not met all of them.
fn head_to_head(table: &Crosstable, group: &[usize], one: usize) -> Option<f64> {
    let others = group.iter().filter(|&&other| other != one);
    let scores: Option<Vec<f64>> = others
        .map(|&other| table.between(one, other)?.score())
        .collect();
    let scores = scores.filter(|scores| !scores.is_empty())?;
    Some(scores.iter().sum::<f64>() / scores.len() as f64)
}

/// Returns for each participant the mean score of its opponents; 0 without opponents.
fn mean_of_opponents(table: &Crosstable, totals: &[Results]) -> Vec<f64> {
    let mut sums = vec![0.0; totals.len()];
    for (first, second, results) in table.encounters() {
        for (one, other) in [(first, second), (second, first)] {
            sums[one] += results.count() as f64 * totals[other].score().unwrap_or_default();
        }
    }
    let sums = sums.into_iter().zip(totals);
    sums.map(|(sum, total)| sum / (total.count() as f64).max(1.0))
        .collect()
}
