//! Baseline players for measuring others. Each is deterministic for its seed and is never improved, so a match
//! against it means the same in every release.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::evaluated::Evaluated;
use crate::evaluation;
use crate::palindromes::board_score;
use crate::rules::{Move, Phase, Position};
use turnwise_engine::agent::{Agent, BoxedAgent, by_function};
use turnwise_engine::game::{Score, Side};
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Found, Limits, deepening};

/// The search depth of `holes`: Order, the draw, Chaos, Order; or Chaos, Order, the draw, Chaos. The draw costs no
/// ply.
const HOLES_DEPTH: u32 = 3;

/// The memory of the table of `holes`, in bytes.
const HOLES_TABLE_BYTES: usize = 8 << 20;

fn legal_moves(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves
}

/// Returns the score of the board right after a move.
fn score_after(position: &Position, mv: Move) -> Score {
    let mut after = position.clone();
    after.make(mv);
    board_score(&after) as Score
}

/// Plays any legal move with equal probability; deterministic for a seed.
pub fn random(seed: u64) -> BoxedAgent<Position, Move> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    by_function(move |position, control| any_move(position, &mut random, control))
}

fn any_move(
    position: &Position,
    random: &mut Xoshiro256PlusPlus,
    control: &Control<Move>,
) -> Found<Move> {
    let moves = legal_moves(position);
    let mv = moves[random.random_range(0..moves.len())];
    control.publish(mv);
    Found::without_answer(mv, score_after(position, mv), 0, 1)
}

/// Passes as Order whenever the rules allow it, and otherwise plays any legal move. It tests whether opponents can
/// handle a pass. Choices are deterministic for a seed.
pub fn passer(seed: u64) -> BoxedAgent<Position, Move> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    by_function(move |position: &Position, control| {
        if !position.is_legal(Move::Pass) {
            return any_move(position, &mut random, control);
        }
        control.publish(Move::Pass);
        Found::without_answer(Move::Pass, score_after(position, Move::Pass), 0, 1)
    })
}

/// Plays the move with the highest board score as Order, and the lowest as Chaos. Ties are broken at random,
/// deterministically for a seed.
pub fn greedy(seed: u64) -> BoxedAgent<Position, Move> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    by_function(move |position: &Position, control| {
        let side = match position.phase() {
            Phase::Place => Side::Min,
            _ => Side::Max,
        };
        let moves = legal_moves(position);
        control.publish(moves[0]);
        let scores: Vec<Score> = (moves.iter().map(|&mv| score_after(position, mv))).collect();
        let best = scores.iter().copied().reduce(match side {
            Side::Max => Score::max,
            Side::Min => Score::min,
        });
        let best = best.expect("a player to move has a move");
        let scored = moves.iter().zip(&scores);
        let equals: Vec<Move> = (scored.filter(|&(_, &score)| score == best))
            .map(|(&mv, _)| mv)
            .collect();
        let mv = *equals.choose(&mut random).expect("one scores best");
        control.publish(mv);
        Found::without_answer(mv, best, 1, moves.len() as u64)
    })
}

/// Full-width expectiminimax to depth 4, like the strongest public players.
///
/// The depth includes the draw. The leaf value counts every run that may still become a palindrome: its length if it
/// has no hole, otherwise 0.35 times its tiles. Pruning is sound and changes no value. The agent ignores node limits;
/// an expired clock stops it.
pub struct HolesAgent {
    table: Table<Move>,
}

/// Needs no seed: among equal moves, it plays the first that it searches.
impl Default for HolesAgent {
    fn default() -> Self {
        Self {
            table: Table::new(HOLES_TABLE_BYTES),
        }
    }
}

impl Agent for HolesAgent {
    type Position = Position;
    type Move = Move;

    fn think(
        &mut self,
        position: &Position,
        limits: Limits,
        control: &Control<Move>,
    ) -> Found<Move> {
        let mut game = Evaluated::new(position.clone(), evaluation::by_holes(position.size()));
        let limits = Limits {
            depth: HOLES_DEPTH,
            hard: limits.hard,
            cpu: limits.cpu,
            ..Limits::default()
        };
        deepening::search(&mut game, &mut self.table, limits, control)
    }

    fn recover(&mut self) {
        self.table.clear();
    }
}
