//! Who plays whom in which pair, from which seed. Nothing here depends on when a pair is played.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::table::Table;
use crate::records::Settings;

/// Seeds go into JSON, where numbers are safe up to 53 bits.
const SEED_BITS: u32 = 53;

/// An odd factor with bits everywhere, so that neighbouring numbers become seeds far apart.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The pairings of a match, by the agents' places: a round robin, or the first `gauntlet` agents
/// against all the others.
pub fn pairings(agents: usize, gauntlet: Option<usize>) -> Vec<(usize, usize)> {
    let all = (0..agents).flat_map(|first| (first + 1..agents).map(move |second| (first, second)));
    match gauntlet {
        None => all.collect(),
        Some(challengers) => all
            .filter(|&(first, second)| first < challengers && second >= challengers)
            .collect(),
    }
}

/// Two games that are still to be described, not played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// Counted from 1 over the match.
    pub number: u32,
    /// The agent that has the first role in the first game, by its place.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// From the match's seed and the number alone.
    pub seed: u64,
}

/// The pair with this number. The pairings take turns, so that a match broken off is even.
pub fn pair(settings: &Settings, pairings: &[(usize, usize)], number: u32) -> Pair {
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
    }
}

/// The random legal plies that both games of a pair begin with; at least one is always left to the
/// players.
pub fn opening<T: Table>(settings: &Settings, seed: u64) -> Vec<T::Move> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(!seed);
    let mut table = T::new(settings, seed);
    let mut opening = Vec::new();
    while opening.len() < settings.opening_plies as usize && table.turn().is_some() {
        if table.plies_left() <= 1 {
            break;
        }
        let moves = table.legal_moves();
        let mv = *moves.choose(&mut random).expect("a player has a move");
        table.play(mv);
        opening.push(mv);
    }
    opening
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::entropy::EntropyTable;
    use crate::records::{Counts, FORMAT, GameSettings, TimeControl, Via};

    #[test]
    fn everybody_meets_everybody_once() {
        assert_eq!(pairings(3, None), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(pairings(4, Some(1)), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(pairings(4, Some(2)), [(0, 2), (0, 3), (1, 2), (1, 3)]);
    }

    fn settings(size: u8, opening_plies: u32) -> Settings {
        Settings {
            format: FORMAT,
            turnwise: "test".to_owned(),
            game: GameSettings::Entropy { size, pass: false },
            agents: Vec::new(),
            seed: 1,
            pairs: 1,
            opening_plies,
            time: TimeControl::Nodes { nodes: 1 },
            counts: Counts::Wall,
            via: Via::Process,
            jobs: 1,
            gauntlet: None,
            sprt: None,
        }
    }

    #[test]
    fn an_opening_leaves_a_ply_and_is_legal() {
        let opening = |plies, seed| opening::<EntropyTable>(&settings(3, plies), seed);
        assert_eq!(opening(1000, 4).len(), 16);
        assert_eq!(opening(5, 4).len(), 5);
        assert_ne!(opening(5, 4), opening(5, 5));
    }
}
