//! The referee's part of the rules: the order of the tiles, legal moves, and the final score.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use turnwise_protocol::entropy::Role;

use super::palindromes::board_score;
use super::rules::{Cell, Colour, EMPTY, Move, Phase, Position};

/// The role of each side, indexed by the side's number.
pub(crate) const ROLES: [Role; 2] = [Role::Order, Role::Chaos];
/// The side number of Order.
pub(crate) const ORDER: usize = 0;
/// The side number of Chaos.
pub(crate) const CHAOS: usize = 1;

/// Returns Order's score at the end of a game, or after a fault by `at_fault`.
pub fn score(position: &Position, at_fault: Option<Role>) -> u32 {
    match at_fault {
        None => board_score(position),
        Some(Role::Order) => 0,
        Some(Role::Chaos) => 100,
    }
}

/// The rules that decide which moves are legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleBook {
    /// The written rules; whether Order may pass is a setting of the match.
    Strict,
    /// The checks of the Python tournament server: a slide's destination is never checked, its path is checked only
    /// to the right and downward, and Order may pass.
    Server,
}

/// Shuffles tiles deterministically for a seed.
pub(crate) fn shuffle(tiles: &mut [Colour], seed: u64) {
    tiles.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
}

/// Returns all tiles of a game in drawing order, deterministically for a seed.
pub fn shuffled_tiles(size: u8, seed: u64) -> Vec<Colour> {
    let mut tiles: Vec<Colour> = (1..=size)
        .flat_map(|colour| std::iter::repeat_n(colour, usize::from(size)))
        .collect();
    shuffle(&mut tiles, seed);
    tiles
}

impl RuleBook {
    /// Makes a player's move on the referee's board if this rule book allows it. If it does not, the position is
    /// unchanged.
    pub fn judge(self, position: &mut Position, mv: Move) -> Result<(), IllegalMoveError> {
        let accepted = match self {
            RuleBook::Strict => position.is_legal(mv),
            RuleBook::Server => accepted_by_server(position, mv),
        };
        if !accepted {
            return Err(match (position.phase(), mv) {
                (Phase::Slide, Move::Pass) => IllegalMoveError::Pass,
                _ => IllegalMoveError::Move,
            });
        }
        let followed = position.follow(mv);
        followed
            .map(|_breach| ())
            .map_err(|_impossible| IllegalMoveError::Move)
    }
}

/// A move that the rules in force do not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMoveError {
    /// Order passed although it must move.
    #[error("this match does not allow passing; --pass does")]
    Pass,
    /// Any other illegal move.
    #[error("the move is illegal")]
    Move,
}

fn accepted_by_server(position: &Position, mv: Move) -> bool {
    let Move::Slide { from, to } = mv else {
        return mv == Move::Pass && position.phase() == Phase::Slide || position.is_legal(mv);
    };
    let cells = position.cells().len() as Cell;
    if from >= cells || to >= cells || position.at(from) == EMPTY {
        return false;
    }
    let Some(step) = position.step(from, to) else {
        return false;
    };
    // To the left or upward this range is empty: nothing is checked.
    (from + step..to)
        .step_by(usize::from(step))
        .all(|cell| position.at(cell) == EMPTY)
}
