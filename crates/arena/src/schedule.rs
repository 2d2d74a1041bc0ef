//! The participants and the seed of each pair. The results do not depend on when a pair is played.

use serde::{Deserialize, Serialize};
use turnwise_engine::plugin::MOST_SEATS;

use crate::records::{DrawRecord, GameRecord, Settings};
use crate::strength::pair::PairResult;

/// Seeds are stored in JSON, where numbers are safe up to 53 bits.
const SEED_BITS: u32 = 53;

/// An odd factor with bits at all positions, so that neighboring numbers become distant seeds.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the pairings of a match, by the agents' places.
///
/// They form a round robin, or a gauntlet in which the first `gauntlet` agents meet all other agents.
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

/// Games to play: two, or the games of a rotation with more than two agents at a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The pair's number in the match, from 1.
    pub number: u32,
    /// The place of the agent with the first role in the first game.
    pub first: usize,
    /// The place of the agent with the first role in the second game.
    pub second: usize,
    /// In a rotation, the places of the agents at the table in addition to the first two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<usize>,
    /// The seed of all chance in the pair.
    pub seed: u64,
    /// The number of earlier pairs between these two agents.
    pub pairs_before: u32,
    /// In a tournament, the number of the pair's meeting.
    pub meeting: Option<MeetingNumber>,
}

impl Pair {
    /// Creates the first pair between two agents, outside a tournament.
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

    /// Returns the places of the pair's agents.
    pub fn agents(&self) -> impl Iterator<Item = usize> + '_ {
        [self.first, self.second]
            .into_iter()
            .chain(self.others.iter().copied())
    }

    /// Returns the number of the pair's games.
    pub(crate) fn games(&self, settings: &Settings) -> u8 {
        games_of(settings, self.others.len())
    }
}

/// Returns the number of games that two agents and `others` more agents play from one beginning.
pub(crate) fn games_of(settings: &Settings, others: usize) -> u8 {
    match others {
        0 => 2,
        // A table has at most ten seats.
        _ => settings.game.0.seats().min(MOST_SEATS) as u8,
    }
}

/// A meeting of participants of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeetingNumber {
    /// The round, from 1.
    pub round: u32,
    /// The number of earlier meetings of the two; for a table, its number within its round, from 0.
    pub repeat: u32,
}

/// The next task of an idle worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Play the games of this pair.
    Pair(Pair),
    /// Ask again when a pair in progress ends, or a moment later.
    Wait,
    /// The match is over: nothing is left to play.
    Over,
}

/// Decides the meetings, and receives their results.
pub trait Schedule: Send {
    /// Returns the next task; a returned pair counts as begun.
    fn next(&mut self) -> Next;

    /// Receives a finished and logged pair. A rotation has no pair result.
    fn take_in(&mut self, games: &[GameRecord], result: Option<PairResult>);

    /// Returns the draws since the last call; they are logged before their first pair is played.
    fn drawn(&mut self) -> Vec<DrawRecord> {
        Vec::new()
    }

    /// Returns true once the results of pairs in progress are no longer needed.
    fn is_decided(&self) -> bool {
        false
    }
}

/// Converts a number into a seed that a log can store; all bits of the number count.
pub fn seed_of(number: u64) -> u64 {
    number.wrapping_mul(SPREAD | 1) >> (u64::BITS - SEED_BITS)
}

/// Returns the pair with this number. Pairings alternate, so that an interrupted match is balanced.
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
