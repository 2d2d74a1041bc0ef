//! Decides which agents play each pair, and with which seed. The results do not depend on when a pair is played.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use turnwise_engine::plugin::MOST_SEATS;

use crate::records::{DrawRecord, GameRecord, Settings};
use crate::strength::pair::PairResult;

/// The number of bits of a seed: the log is JSON, where integers are exact up to 53 bits.
const SEED_BITS: u32 = 53;

/// An odd factor, whose set bits are spread over the whole word. It turns neighboring numbers into distant seeds.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the pairings of a match, each as the indexes of its two agents.
///
/// They form a round robin, or a gauntlet in which the first `gauntlet` agents play against all other agents.
pub fn pairings(agents: usize, gauntlet: Option<usize>) -> Vec<(usize, usize)> {
    let all = (0..agents).flat_map(|first| (first + 1..agents).map(move |second| (first, second)));
    let is_played = |&(first, second): &(usize, usize)| {
        gauntlet.is_none_or(|challengers| first < challengers && second >= challengers)
    };
    all.filter(is_played).collect()
}

/// Returns the pairings of a match; empty for a tournament, where any two agents may meet.
pub(crate) fn pairings_of(settings: &Settings) -> Vec<(usize, usize)> {
    match settings.tournament.is_some() {
        true => Vec::new(),
        false => pairings(settings.agents.len(), settings.gauntlet),
    }
}

/// A pair of games to be played, or a rotation: the games of more than two agents at a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The number of the pair in the match, starting at 1.
    pub number: u32,
    /// The index of the agent that has the first role in the first game.
    pub first: usize,
    /// The index of the agent that has the first role in the second game.
    pub second: usize,
    /// In a rotation, the indexes of the other agents at the table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<usize>,
    /// The seed that determines everything random in the pair's games.
    pub seed: u64,
    /// The number of earlier pairs between these two agents.
    pub pairs_before: u32,
    /// In a tournament, the number of the meeting to which the pair belongs.
    pub meeting: Option<MeetingNumber>,
}

impl Pair {
    /// Creates a pair that is the first between its two agents, and that belongs to no tournament.
    pub fn between(number: u32, first: usize, second: usize, seed: u64) -> Self {
        Self {
            number,
            first,
            second,
            others: Vec::new(),
            seed,
            pairs_before: 0,
            meeting: None,
        }
    }

    /// Returns the indexes of the agents that play the pair.
    pub fn agents(&self) -> impl Iterator<Item = usize> + '_ {
        [self.first, self.second]
            .into_iter()
            .chain(self.others.iter().copied())
    }

    /// Returns the number of games of which the pair consists.
    pub(crate) fn games(&self, settings: &Settings) -> u8 {
        games_of(settings, self.others.len())
    }
}

/// Returns the number of games that two agents and `others` more agents play from one initial position.
pub(crate) fn games_of(settings: &Settings, others: usize) -> u8 {
    match others {
        0 => 2,
        // The number is at most `MOST_SEATS`, so it fits into a `u8`.
        _ => settings.game.0.seats().min(MOST_SEATS) as u8,
    }
}

/// Identifies a meeting of participants of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MeetingNumber {
    /// The number of the round, starting at 1.
    pub round: u32,
    /// The number of earlier meetings of these two participants.
    ///
    /// For a table of more than two, the number of the table within its round, starting at 0.
    pub repeat: u32,
}

/// The next task of an idle worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The worker should play this pair's games.
    Pair(Pair),
    /// No pair can be played yet: the worker should ask again when a pair in progress ends, or after a moment.
    Wait,
    /// The match is over; no task remains.
    Over,
}

/// Decides which pairs are played, and receives their results.
pub trait Schedule: Send {
    /// Returns the next task of a worker. If the task is a pair, the schedule marks the pair as started.
    fn next(&mut self) -> Next;

    /// Receives a pair that is finished and logged. For a rotation, `result` is `None`.
    fn take_in(&mut self, games: &[GameRecord], result: Option<PairResult>);

    /// Returns the meetings drawn since the last call; they are logged before their first pair is played.
    fn drawn(&mut self) -> Vec<DrawRecord> {
        Vec::new()
    }

    /// Returns true once the results of pairs in progress are no longer needed.
    fn is_decided(&self) -> bool {
        false
    }
}

/// Converts a number into a seed that a log can store exactly. The seed depends on all bits of the number.
pub fn seed_of(number: u64) -> u64 {
    // The low bits of a product depend only on the low bits of its factors, so the shift keeps the high bits.
    number.wrapping_mul(SPREAD) >> (u64::BITS - SEED_BITS)
}

/// Returns the pair with this number.
///
/// Consecutive numbers cycle through the pairings, so that all pairings have played nearly the same number of pairs if
/// the match is interrupted.
pub(crate) fn pair(settings: &Settings, pairings: &[(usize, usize)], number: u32) -> Pair {
    let (first, second) = pairings[(number as usize - 1) % pairings.len()];
    let mixed = (settings.seed ^ SPREAD.rotate_left(17))
        .wrapping_add(u64::from(number).wrapping_mul(SPREAD));
    Pair {
        pairs_before: (number - 1) / pairings.len() as u32,
        ..Pair::between(number, first, second, seed_of(mixed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_meets_everybody_once() {
        assert_eq!(pairings(3, None), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(pairings(4, Some(1)), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(pairings(4, Some(2)), [(0, 2), (0, 3), (1, 2), (1, 3)]);
    }
}
