//! The referee's side of the rules: the order of the tiles, which moves count, and what a game ends
//! with.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::rules::{Cell, Colour, EMPTY, Move, Phase, Position};
use super::tracking::Breach;

/// Order's score when Order is at fault.
pub const SCORE_IF_ORDER_FAILS: u32 = 0;
/// Order's score when Chaos is at fault.
pub const SCORE_IF_CHAOS_FAILS: u32 = 100;

/// Which moves count as legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleBook {
    /// The written rules.
    Strict,
    /// The checks of the Python tournament server: a slide's destination is never looked at, its
    /// path only rightwards and downwards, and Order may pass.
    Server,
}

/// All tiles of a game in the order in which they are drawn; the same seed gives the same order.
pub fn shuffled_tiles(size: u8, seed: u64) -> Vec<Colour> {
    let mut tiles: Vec<Colour> = (1..=size)
        .flat_map(|colour| std::iter::repeat_n(colour, usize::from(size)))
        .collect();
    tiles.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
    tiles
}

impl RuleBook {
    /// Makes a player's move on the referee's board if it is legal by this book.
    ///
    /// # Errors
    ///
    /// If it is not; the position is unchanged then.
    pub fn judge(self, position: &mut Position, mv: Move) -> Result<Option<Breach>, Illegal> {
        let accepted = match self {
            RuleBook::Strict => position.is_legal(mv),
            RuleBook::Server => accepted_by_server(position, mv),
        };
        if !accepted {
            return Err(match (position.phase(), mv) {
                (Phase::Slide, Move::Pass) => Illegal::Pass,
                _ => Illegal::Move,
            });
        }
        position.follow(mv).map_err(|_impossible| Illegal::Move)
    }
}

/// What is against the rules in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// Order passed where it must move.
    #[error("this match does not allow passing; --pass does")]
    Pass,
    /// Any other move.
    #[error("the move is illegal")]
    Move,
}

fn accepted_by_server(position: &Position, mv: Move) -> bool {
    let Move::Slide { from, to } = mv else {
        return mv == Move::Pass && position.phase() == Phase::Slide || position.is_legal(mv);
    };
    let size = Cell::from(position.size());
    let cells = size * size;
    if from >= cells || to >= cells || position.at(from) == EMPTY {
        return false;
    }
    let step = match (from / size == to / size, from % size == to % size) {
        (true, _) => 1,
        (_, true) => size,
        _ => return false,
    };
    // Towards the left or the top this range is empty: nothing is checked.
    (from + step..to)
        .step_by(usize::from(step))
        .all(|cell| position.at(cell) == EMPTY)
}
