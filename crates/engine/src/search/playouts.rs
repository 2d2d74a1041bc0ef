//! Games played out by a shallow search: the possible final scores and their spread.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::table::Table;
use super::{Control, Limits, deepening};
use crate::game::{Game, Score, Turn};

/// The size of the table, in bytes; searches are short.
const TABLE_BYTES: usize = 1 << 20;

/// The settings for playing a position out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Playouts {
    /// The number of games.
    pub count: u32,
    /// The search depth of both sides, in plies.
    pub depth: u32,
    /// The seed for the chance events of every game.
    pub seed: u64,
}

/// Returns the final scores of games that start with `first`, both sides searching.
///
/// Returns fewer scores than requested if `limits` (`nodes` for all searches together, `hard`) or `control` ends
/// the playouts; an unfinished game does not count. The returned scores do not depend on the number requested.
pub fn final_scores<G: Game + Clone>(
    game: &G,
    first: G::Move,
    how: Playouts,
    limits: Limits,
    control: &Control<G::Move>,
) -> Vec<Score> {
    let mut table = Table::new(TABLE_BYTES);
    let mut nodes_left = limits.nodes;
    (0..u64::from(how.count))
        .map_while(|number| {
            let mut game = game.clone();
            game.make(first);
            let seed = how.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number;
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            loop {
                if nodes_left == 0 || control.stopped() || limits.is_hard_over() {
                    return None;
                }
                let mv = match game.turn() {
                    Turn::Over => return Some(game.evaluate()),
                    Turn::Chance => outcome(&game, &mut random),
                    Turn::Player(_) => {
                        let limits = Limits {
                            depth: how.depth,
                            nodes: nodes_left,
                            ..limits
                        };
                        let found = deepening::search(&mut game, &mut table, limits, control);
                        nodes_left = nodes_left.saturating_sub(found.nodes);
                        found.best
                    }
                };
                game.make(mv);
            }
        })
        .collect()
}

/// Draws an outcome according to the probabilities.
pub fn outcome<G: Game>(game: &G, random: &mut Xoshiro256PlusPlus) -> G::Move {
    let mut outcomes = Vec::new();
    game.outcomes(&mut outcomes);
    let mut at: Score = random.random();
    for &(outcome, probability) in &outcomes {
        if at < probability {
            return outcome;
        }
        at -= probability;
    }
    // Reached only if rounding makes the probabilities add up to slightly less than 1.
    outcomes.last().expect("chance has an outcome").0
}
