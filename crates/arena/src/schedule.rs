//! Who plays whom in which pair, from which seed. Nothing here depends on when a pair is played.

use serde::{Deserialize, Serialize};
use turnwise_engine::plugin::MOST_SEATS;

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

/// The pairings of a match; none of a tournament, in which anybody may meet anybody.
pub(crate) fn pairings_of(settings: &Settings) -> Vec<(usize, usize)> {
    match settings.tournament.is_some() {
        true => Vec::new(),
        false => pairings(settings.agents.len(), settings.gauntlet),
    }
}

/// Games that are still to be played: two, or those of a rotation, in which more than two sit at a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// Its number in the match, from 1.
    pub number: u32,
    /// The agent that has the first role in the first game, by its place.
    pub first: usize,
    /// The agent that has the first role in the second game, by its place.
    pub second: usize,
    /// Of a rotation, the agents that sit at the table besides these two, by their places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<usize>,
    /// Seed of all that chance decides in the pair.
    pub seed: u64,
    /// Pairs that the same two have played before it.
    pub pairs_before: u32,
    /// In a tournament, which meeting it belongs to.
    pub meeting: Option<MeetingNumber>,
}

impl Pair {
    /// The first that these two play, in no tournament.
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

    /// The agents that play it, by their places.
    pub fn agents(&self) -> impl Iterator<Item = usize> + '_ {
        [self.first, self.second]
            .into_iter()
            .chain(self.others.iter().copied())
    }

    /// How many games it takes.
    pub(crate) fn games(&self, settings: &Settings) -> u8 {
        games_of(settings, self.others.len())
    }
}

/// How many games two agents and so many others play from the same beginning.
pub(crate) fn games_of(settings: &Settings, others: usize) -> u8 {
    match others {
        0 => 2,
        // A table has ten seats at most.
        _ => settings.game.0.seats().min(MOST_SEATS) as u8,
    }
}

/// A meeting of participants of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeetingNumber {
    /// The round, from 1.
    pub round: u32,
    /// How often the two have met before; of a table, how many others were drawn before it in its round.
    pub repeat: u32,
}

/// What a worker without work is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Play the games of this pair.
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

    /// A pair is over, and in the log. A rotation has no result of a pair.
    fn take_in(&mut self, games: &[GameRecord], result: Option<PairResult>);

    /// What has been drawn since this was asked last; it is in the log before its first pair is played.
    fn drawn(&mut self) -> Vec<DrawRecord> {
        Vec::new()
    }

    /// True once nobody needs the results of pairs that are still being played.
    fn is_decided(&self) -> bool {
        false
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
