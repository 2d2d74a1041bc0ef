//! Games played on from a position by a shallow search: what scores may come of it, and how widely
//! they spread.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::table::Table;
use super::{Control, Limits, deepening};
use crate::game::{Game, Score, Turn};

/// Memory of the table; searches are short.
const TABLE_BYTES: usize = 1 << 20;

/// How games are played from a position to their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Playouts {
    /// How many games are played from the position.
    pub count: u32,
    /// Plies that both sides search.
    pub depth: u32,
    /// Determines the chance events of every game.
    pub seed: u64,
}

/// The final scores of games that go on from `game` with the move `first`, both sides searching.
///
/// There are fewer of them than asked for if `limits` (nodes of all searches together, `hard`) or
/// `control` end it; a game that was not played to its end does not count. Those that there are do
/// not depend on how many were asked for.
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

/// One of the outcomes, each as often as its probability says.
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
    // Probabilities that sum up to a little less than 1 leave a little room here.
    outcomes.last().expect("chance has an outcome").0
}
