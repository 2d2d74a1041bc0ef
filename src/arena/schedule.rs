//! Who plays whom in which pair, and with which tiles. Nothing here depends on when a pair is played.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::games::entropy::referee::shuffled_tiles;
use crate::games::entropy::rules::{Colour, Move, Phase, Position, Rules};
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
    /// The agent that is Order in the first game, by its place.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// From the match's seed and the number alone.
    pub seed: u64,
    /// The tiles of both games, in the order of their draws.
    pub tiles: Vec<Colour>,
    /// The plies that both games begin with.
    pub opening: Vec<Move>,
}

/// The pair with this number. The pairings take turns, so that a match broken off is even.
pub fn pair(settings: &Settings, pairings: &[(usize, usize)], number: u32) -> Pair {
    let (first, second) = pairings[(number as usize - 1) % pairings.len()];
    let mixed = (settings.seed ^ SPREAD.rotate_left(17))
        .wrapping_add(u64::from(number).wrapping_mul(SPREAD))
        .wrapping_mul(SPREAD | 1);
    let seed = mixed >> (u64::BITS - SEED_BITS);
    let tiles = shuffled_tiles(settings.size, seed);
    let opening = opening(settings.rules(), &tiles, settings.opening_plies, seed);
    Pair {
        number,
        first,
        second,
        seed,
        tiles,
        opening,
    }
}

/// Random legal plies; at least one is always left to the players.
fn opening(rules: Rules, tiles: &[Colour], plies: u32, seed: u64) -> Vec<Move> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(!seed);
    let mut position = Position::new(rules);
    let mut tiles = tiles.iter();
    let mut opening = Vec::new();
    while opening.len() < plies as usize && position.plies_left() > 1 {
        let mut moves = Vec::new();
        match position.phase() {
            Phase::Draw => {
                let tile = tiles.next().expect("as many tiles as draws");
                position.make(Move::Draw(*tile));
                continue;
            }
            Phase::Place => position.placements(&mut moves),
            Phase::Slide => position.slides(&mut moves),
            Phase::Over => break,
        }
        let mv = *moves.choose(&mut random).expect("a player has a move");
        position.make(mv);
        opening.push(mv);
    }
    opening
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

    #[test]
    fn an_opening_leaves_a_ply_and_is_legal() {
        let rules = Rules {
            size: 3,
            pass: false,
        };
        let tiles = shuffled_tiles(3, 4);
        assert_eq!(opening(rules, &tiles, 1000, 4).len(), 16);
        assert_eq!(opening(rules, &tiles, 5, 4).len(), 5);
        assert_ne!(opening(rules, &tiles, 5, 4), opening(rules, &tiles, 5, 5));
    }
}
