//! What is known of an opponent after some of its moves.

use std::time::Duration;

use crate::game::Score;

/// Counts over all moves an opponent has made on one connection.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OpponentMemory {
    /// Moves seen.
    pub moves: u32,
    /// Time from our reply to its move, ways and server included.
    pub time: Duration,
    /// Moves for which our search had expected one.
    pub predicted: u32,
    /// Those of them that were the expected one.
    pub expected: u32,
    /// Moves whose value was compared with the best one's.
    pub judged: u32,
    /// Points it gave away in these, by our shallow judgement.
    pub given_away: Score,
}

impl OpponentMemory {
    /// How often it played what we expected, from 0 to 1.
    pub fn expected_share(&self) -> Option<f64> {
        (self.predicted > 0).then(|| f64::from(self.expected) / f64::from(self.predicted))
    }

    /// Points that it gives away in a move on average.
    pub fn mean_given_away(&self) -> Option<Score> {
        (self.judged > 0).then(|| self.given_away / self.judged as Score)
    }
}
