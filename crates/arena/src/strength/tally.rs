//! The sums over pairs, and their evidence.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use turnwise_engine::plugin::Scoring;
use turnwise_engine::statistics::{Estimate, Sample};

use super::elo::Pentanomial;
use super::goals::Goals;
use super::pair::PairResult;

/// The results of some pairs for one side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// The difference in points of each pair, positive if this side was better.
    pub points: Sample,
    /// Pairs won, drawn and lost.
    pub pairs: Pentanomial,
}

impl Score {
    /// Adds a pair: its difference in points and its pentanomial category.
    pub fn add(&mut self, difference: f64, category: usize) {
        self.points.add(difference);
        self.pairs.0[category] += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.points.merge(&other.points);
        self.pairs.merge(&other.pairs);
    }

    /// Returns the pairs from the other side.
    pub(crate) fn reversed(self) -> Self {
        Self {
            points: self.points.negated(),
            pairs: self.pairs.reversed(),
        }
    }

    /// Orders a league: the highest mean difference first, agents without pairs last.
    pub fn best_first(&self, other: &Self) -> Ordering {
        let key = |score: &Self| match score.count() {
            0 => f64::NEG_INFINITY,
            _ => score.points.mean(),
        };
        key(other).total_cmp(&key(self))
    }

    /// Returns the number of pairs counted.
    pub fn count(&self) -> u64 {
        self.points.count()
    }

    /// Returns the mean difference in points with its 95 % interval, if the pairs suffice.
    ///
    /// For games that collect points, it is Student's t interval, which requires two pairs that differ:
    /// identical pairs give no information about the deviation of the next pair. For games that are won and
    /// lost, points are from -1 to 1, and [`Pentanomial::score`] provides the interval, from the first pair
    /// onward.
    pub fn estimate(&self, scoring: Scoring) -> Option<Estimate> {
        match scoring {
            Scoring::Win => {
                let score = self.pairs.score()?;
                Some(score.map(|score| 2.0 * score - 1.0))
            }
            Scoring::Points if self.points.variance() == 0.0 => None,
            Scoring::Points => self.points.estimate(),
        }
    }
}

impl FromIterator<(f64, usize)> for Score {
    fn from_iter<I: IntoIterator<Item = (f64, usize)>>(pairs: I) -> Self {
        let mut score = Self::default();
        let pairs = pairs.into_iter();
        pairs.for_each(|(difference, category)| score.add(difference, category));
        score
    }
}

/// The results of all pairs of two agents, for the first agent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// The pairs' differences in points and their results.
    pub score: Score,
    /// Games won, drawn and lost.
    pub games: [u64; 3],
    /// The first role's total scores: in games where the first agent had it, and where the second had it.
    pub role_points: [f64; 2],
    /// Games forfeited by the first and by the second agent.
    pub faults: [u32; 2],
    /// Games that each agent won on the board.
    pub goals: [Goals; 2],
    /// The number of pairs with known times: pairs played just now, and logged pairs with times.
    pub timed: u64,
    /// Wall seconds of both agents.
    pub wall_s: [f64; 2],
    /// CPU seconds of both agents.
    pub cpu_s: [f64; 2],
    /// CPU seconds that each agent used while its opponent was to move, if measured.
    pub pondered_s: [f64; 2],
    /// The number of games played a second time because the machine was busy.
    ///
    /// The second number counts the games among them that a busy machine ended again. These games count with the second
    /// result.
    pub busy: [u32; 2],
}

impl Tally {
    pub(crate) fn add(&mut self, pair: &PairResult) {
        self.score.add(pair.difference(), pair.category);
        for (sum, count) in self.games.iter_mut().zip(pair.games) {
            *sum += count;
        }
        for side in [0, 1] {
            self.role_points[side] += pair.scores[side];
            self.faults[side] += pair.faults[side];
            self.goals[side].merge(&pair.goals[side]);
            self.busy[side] += pair.busy[side];
        }
        if let Some([one, two]) = pair.times {
            self.timed += 1;
            // The first agent has the first role in the first game, the second agent in the second.
            for (sum, one, two) in [
                (&mut self.wall_s, one.wall, two.wall),
                (&mut self.cpu_s, one.cpu, two.cpu),
                (&mut self.pondered_s, one.pondered, two.pondered),
            ] {
                sum[0] += one[0] + two[1];
                sum[1] += one[1] + two[0];
            }
        }
    }
}

/// An agent's computation while its opponents were to move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pondered<'a> {
    /// The agent's name in the match.
    pub agent: &'a str,
    /// CPU seconds of the agent's programs while its opponents were to move.
    pub seconds: f64,
    /// Wall seconds for which the agent's opponents were to move in these games.
    pub opponents: f64,
}

/// Returns the agents that computed for more than 1 % of their opponents' time.
///
/// Based on the pairings' results.
pub fn pondered<'a>(
    pairings: impl Iterator<Item = (&'a str, &'a str, Tally)>,
) -> Vec<Pondered<'a>> {
    const WORTH_A_WORD: f64 = 0.01;
    let mut all: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    for (first, second, tally) in pairings {
        for (agent, side) in [(first, 0), (second, 1)] {
            let [seconds, opponents] = all.entry(agent).or_default();
            *seconds += tally.pondered_s[side];
            *opponents += tally.wall_s[1 - side];
        }
    }
    let all = all
        .into_iter()
        .map(|(agent, [seconds, opponents])| Pondered {
            agent,
            seconds,
            opponents,
        });
    all.filter(|it| it.seconds > it.opponents * WORTH_A_WORD)
        .collect()
}

impl<'a> FromIterator<&'a PairResult> for Tally {
    fn from_iter<I: IntoIterator<Item = &'a PairResult>>(pairs: I) -> Self {
        let mut tally = Self::default();
        pairs.into_iter().for_each(|pair| tally.add(pair));
        tally
    }
}
