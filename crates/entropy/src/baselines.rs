//! Baseline players to measure other players against. Each plays deterministically for a given seed. Baselines are
//! never improved, so results against them are comparable between releases.

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

/// The search depth of `holes`, in plies: the moves of Order, Chaos and Order, or of Chaos, Order and Chaos. The draw
/// before a move of Chaos does not count as a ply.
const HOLES_DEPTH: u32 = 3;

/// The size of the transposition table of `holes`, in bytes.
const HOLES_TABLE_BYTES: usize = 8 << 20;

fn legal_moves(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves
}

/// Returns Order's score of the board right after a move.
fn score_after(position: &Position, mv: Move) -> Score {
    let mut after = position.clone();
    after.make(mv);
    board_score(&after) as Score
}

/// Returns an agent that plays every legal move with equal probability. Its choices are deterministic for a seed.
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

/// Returns an agent that passes as Order whenever the rules allow it, and otherwise plays random legal moves.
///
/// It tests whether opponents can handle a pass. Its choices are deterministic for a seed.
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

/// Returns an agent that plays the move with the highest board score as Order, and with the lowest as Chaos.
///
/// Ties are broken at random, deterministically for a seed.
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

/// An agent that searches full width by expectiminimax to depth 4, like the strongest public players.
///
/// The depth includes the draw. The value of a leaf is the sum over all runs that may still become palindromes: a run
/// without holes counts its length, and a run with holes counts 0.35 points for each tile. Pruning is sound and changes
/// no value. The agent ignores node limits; an expired clock stops it.
pub struct HolesAgent {
    table: Table<Move>,
}

/// The agent needs no seed: it plays the first of several equally good moves.
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
