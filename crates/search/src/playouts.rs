//! Plays games out with a shallow search, to show the possible final scores and their spread.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::table::Table;
use super::{Control, Limits, deepening};
use crate::game::{Game, Score, Turn};

/// The size of the transposition table, in bytes. It is small because the searches are short.
const TABLE_BYTES: usize = 1 << 20;

/// The settings for playing games out from a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Playouts {
    /// The number of games to play out.
    pub count: u32,
    /// The depth of the search for both sides, in plies.
    pub depth: u32,
    /// The seed for the random outcomes of the chance events in all games.
    pub seed: u64,
}

/// Plays games out after the move `first` and returns their final scores. Both sides choose their moves with a search.
///
/// Returns fewer scores than requested if a limit or `control` stops the playouts. The limits are `nodes`, which
/// applies to all searches together, and the hard deadlines. An unfinished game does not count. The score of each game
/// is independent of the number of games requested.
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

/// Returns a random outcome of the chance event, according to the probabilities of the outcomes.
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
    // This line is reached only if rounding makes the probabilities add up to slightly less than 1.
    outcomes.last().expect("chance has an outcome").0
}
