//! Counts of games played.

use turnwise_engine::statistics::{Estimate, NORMAL_QUANTILE, share};

use super::game::Outcome;
use super::player::Seat;

/// Counts of games played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games that player 1 won.
    pub wins: u64,
    /// Games in which both players were right in the same round.
    pub ties: u64,
    /// Games that player 2 won.
    pub losses: u64,
    /// Games by number of rounds; index 0 is never used.
    pub rounds: Vec<u64>,
}

impl Tally {
    /// Adds one game that was played to its end.
    pub fn add(&mut self, outcome: Outcome) {
        match outcome.winner {
            Some(Seat::First) => self.wins += 1,
            None => self.ties += 1,
            Some(Seat::Second) => self.losses += 1,
        }
        let rounds = outcome.rounds as usize;
        if self.rounds.len() <= rounds {
            self.rounds.resize(rounds + 1, 0);
        }
        self.rounds[rounds] += 1;
    }

    /// The number of games counted so far.
    pub fn games(&self) -> u64 {
        self.wins + self.ties + self.losses
    }

    /// Share of `count` among the games.
    pub fn share(&self, count: u64) -> Estimate {
        share(count, self.games())
    }

    /// Player 1's mean score (a win counts 1, a tie 1/2) with the interval of the normal
    /// approximation.
    pub fn score(&self) -> Estimate {
        let games = self.games().max(1) as f64;
        let value = (self.wins as f64 + 0.5 * self.ties as f64) / games;
        let square = (self.wins as f64 + 0.25 * self.ties as f64) / games;
        let half = NORMAL_QUANTILE * ((square - value * value).max(0.0) / games).sqrt();
        Estimate {
            value,
            lower: (value - half).max(0.0),
            upper: (value + half).min(1.0),
        }
    }

    /// Mean number of rounds.
    pub fn mean_rounds(&self) -> f64 {
        let rounds = self.rounds.iter().zip(0..);
        let total: u64 = rounds.map(|(games, rounds)| games * rounds).sum();
        total as f64 / self.games().max(1) as f64
    }

    /// Most rounds of any game.
    pub fn most_rounds(&self) -> usize {
        self.rounds.len().saturating_sub(1)
    }
}
