//! Sums of results over many pairs, and estimates based on them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use turnwise_engine::plugin::Scoring;
use turnwise_engine::statistics::{Estimate, Sample};

use super::elo::Pentanomial;
use super::goals::Goals;
use super::pair::PairResult;

/// The results of a set of pairs, from one agent's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// The difference in points of each pair, positive if this agent was better.
    pub points: Sample,
    /// The numbers of pairs in the five pentanomial categories.
    pub pairs: Pentanomial,
}

impl Score {
    /// Adds a pair, given its difference in points and its pentanomial category.
    pub fn add(&mut self, difference: f64, category: usize) {
        self.points.add(difference);
        self.pairs.0[category] += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.points.merge(&other.points);
        self.pairs.merge(&other.pairs);
    }

    /// Returns these pairs from the other agent's point of view.
    pub(crate) fn reversed(self) -> Self {
        Self {
            points: self.points.negated(),
            pairs: self.pairs.reversed(),
        }
    }

    /// Compares two agents of a league: the higher mean difference comes first, an agent without pairs last.
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

    /// Returns the mean difference in points with its 95 % interval, if there are enough pairs.
    ///
    /// For games in which players collect points, it is Student's t interval. It requires two pairs that differ,
    /// because identical pairs give no information about the deviation of the next pair. For games that are won or
    /// lost, points are from -1 to 1, and [`Pentanomial::score`] provides the interval, which exists from the first
    /// pair onward.
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

    /// Returns the value and both ends of the [estimate](Self::estimate). Without an interval, only the mean difference
    /// of the pairs is known. Returns `None` without pairs.
    pub fn mean_and_ends(&self, scoring: Scoring) -> Option<[Option<f64>; 3]> {
        match self.estimate(scoring) {
            Some(of) => Some([of.value, of.lower, of.upper].map(Some)),
            None => (self.count() > 0).then(|| [Some(self.points.mean()), None, None]),
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

/// The results of all pairs between two agents, from the first agent's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// The differences in points of the pairs, and the numbers of pairs won, drawn and lost.
    pub score: Score,
    /// The numbers of games that the first agent won, drew and lost.
    pub games: [u64; 3],
    /// The first role's total score in the games in which the first agent had this role, and its total score in the
    /// games in which the second agent had it.
    pub role_points: [f64; 2],
    /// The numbers of games that the first agent and the second agent forfeited.
    pub faults: [u32; 2],
    /// The games that each agent won on the board by a known margin.
    pub goals: [Goals; 2],
    /// The number of pairs whose times are known: pairs played just now, and logged pairs with times.
    pub timed: u64,
    /// The wall time that each agent used in all timed pairs, in seconds.
    pub wall_s: [f64; 2],
    /// The CPU time that each agent used in all timed pairs, in seconds.
    pub cpu_s: [f64; 2],
    /// The CPU time that each agent used while its opponent was to move, in seconds; 0 if it was not measured.
    pub pondered_s: [f64; 2],
    /// How many games were played a second time because the machine was busy, and how many ended early again.
    ///
    /// The second number counts games that a busy machine ended both times. They count with the result of the second
    /// try.
    pub busy: [u32; 2],
    /// How many games left at most one move to the agents after their random opening.
    pub unplayed: u32,
}

impl Tally {
    /// Adds the result of a pair.
    pub fn add(&mut self, pair: &PairResult) {
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
        self.unplayed += pair.unplayed;
        if let Some([one, two]) = pair.times {
            self.timed += 1;
            // The first agent has the first role in the first game; the second agent has it in the second game.
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

/// How much an agent computed while its opponents were to move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pondered<'a> {
    /// The agent's name in the match.
    pub agent: &'a str,
    /// The CPU time that the agent's programs used while its opponents were to move, in seconds.
    pub seconds: f64,
    /// The wall time for which the agent's opponents were to move, in seconds.
    pub opponents: f64,
}

/// Returns the agents that computed for more than 1 % of the time in which their opponents were to move, and for more
/// than 20 ms.
///
/// `pairings` contains, for each pairing, the names of both agents and their results.
pub fn pondered<'a>(
    pairings: impl Iterator<Item = (&'a str, &'a str, Tally)>,
) -> Vec<Pondered<'a>> {
    // Every program needs a little time to write its answer and to wait for the next question.
    const LEAST_SECONDS: f64 = 0.02;
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
    all.filter(|it| it.seconds > LEAST_SECONDS.max(it.opponents * WORTH_A_WORD))
        .collect()
}
