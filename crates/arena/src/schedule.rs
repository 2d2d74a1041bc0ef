//! Who plays whom in which pair, from which seed. Nothing here depends on when a pair is played.

use serde::{Deserialize, Serialize};

use crate::records::{DrawRecord, GameRecord, Settings};
use crate::strength::pair::PairResult;

/// Seeds go into JSON, where numbers are safe up to 53 bits.
const SEED_BITS: u32 = 53;

/// An odd factor with bits everywhere, so that neighbouring numbers become seeds far apart.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The pairings of a match, by the agents' places: a round robin, or the first `gauntlet` agents
/// against all the others.
pub fn pairings(agents: usize, gauntlet: Option<usize>) -> Vec<(usize, usize)> {
    let all = (0..agents).flat_map(|first| (first + 1..agents).map(move |second| (first, second)));
    let is_played = |&(first, second): &(usize, usize)| {
        gauntlet.is_none_or(|challengers| first < challengers && second >= challengers)
    };
    all.filter(is_played).collect()
}

/// Two games that are still to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Its number in the match, from 1.
    pub number: u32,
    /// The agent that has the first role in the first game, by its place.
    pub first: usize,
    /// The agent that has the first role in the second game, by its place.
    pub second: usize,
    /// From it comes all that chance decides.
    pub seed: u64,
    /// Pairs that the same two have played before it.
    pub pairs_before: u32,
    /// In a tournament, which meeting it belongs to.
    pub meeting: Option<MeetingNumber>,
}

/// A meeting of two participants of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeetingNumber {
    /// The round, from 1.
    pub round: u32,
    /// How often the two have met before.
    pub repeat: u32,
}

/// What a worker without work is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Play both games of this pair.
    Pair(Pair),
    /// Ask again when a pair that is being played is over, or a moment later.
    Wait,
    /// The match is over: there is nothing more to play.
    Over,
}

/// Decides who meets whom, and hears how it went.
pub trait Schedule: Send {
    /// What is to be played next. It has been begun when this returns it.
    fn next(&mut self) -> Next;

    /// A pair is over, and in the log.
    fn take_in(&mut self, games: [&GameRecord; 2], result: PairResult);

    /// What has been drawn since this was asked last; it is in the log before its first pair is played.
    fn drawn(&mut self) -> Vec<DrawRecord> {
        Vec::new()
    }
}

/// A seed that a log can hold, by all bits of another number.
pub fn seed_of(number: u64) -> u64 {
    number.wrapping_mul(SPREAD | 1) >> (u64::BITS - SEED_BITS)
}

/// The pair with this number. The pairings take turns, so that a match broken off is even.
pub(crate) fn pair(settings: &Settings, pairings: &[(usize, usize)], number: u32) -> Pair {
    let (first, second) = pairings[(number as usize - 1) % pairings.len()];
    let mixed = (settings.seed ^ SPREAD.rotate_left(17))
        .wrapping_add(u64::from(number).wrapping_mul(SPREAD));
    Pair {
        number,
        first,
        second,
        seed: seed_of(mixed),
        pairs_before: (number - 1) / pairings.len() as u32,
        meeting: None,
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
