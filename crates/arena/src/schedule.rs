//! Who plays whom in which pair, from which seed. Nothing here depends on when a pair is played.

use crate::records::Settings;

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

/// Two games that are still to be described, not played.
pub(crate) struct Pair {
    /// Counted from 1 over the match.
    pub number: u32,
    /// The agent that has the first role in the first game, by its place.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// From the match's seed and the number alone.
    pub seed: u64,
    /// Pairs of these two before it.
    pub meetings: u32,
}

/// The pair with this number. The pairings take turns, so that a match broken off is even.
pub(crate) fn pair(settings: &Settings, pairings: &[(usize, usize)], number: u32) -> Pair {
    let (first, second) = pairings[(number as usize - 1) % pairings.len()];
    let mixed = (settings.seed ^ SPREAD.rotate_left(17))
        .wrapping_add(u64::from(number).wrapping_mul(SPREAD))
        .wrapping_mul(SPREAD | 1);
    let seed = mixed >> (u64::BITS - SEED_BITS);
    Pair {
        number,
        first,
        second,
        seed,
        meetings: (number - 1) / pairings.len() as u32,
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
