//! Players to measure others by. They think to a fixed depth and keep nothing between turns.

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::player::{Choice, Player};
use super::rules::{Color, Move, Position};
use super::search::Watch;
use super::squares::{Square, Squares};

/// Plays any legal move.
pub struct RandomPlayer {
    random: Xoshiro256PlusPlus,
}

impl RandomPlayer {
    /// A player whose moves follow from the seed.
    pub fn new(seed: u64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }
}

impl Player for RandomPlayer {
    fn choose(&mut self, position: &Position, _: u64, _: &mut dyn Watch) -> Option<Choice> {
        let moves = legal(position);
        let &mv = moves.choose(&mut self.random)?;
        Some(Choice {
            mv,
            value: 0,
            depth: 0,
            nodes: 1,
        })
    }
}

/// Plain minimax without pruning, two plies deep: the stand-in for the course's reference agent. Equal
/// moves are chosen between at random.
pub struct Minimax {
    random: Xoshiro256PlusPlus,
}

impl Minimax {
    const DEPTH: u32 = 2;

    /// A player whose choices between equals follow from the seed.
    pub fn new(seed: u64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// The value for `player`: the difference of both armies' distances to their far corners.
    fn value(position: &Position, player: Color, depth: u32, nodes: &mut u64) -> f64 {
        *nodes += 1;
        if position.is_won() {
            return if position.to_move() == player {
                -WIN
            } else {
                WIN
            };
        }
        let moves = if depth == 0 {
            Vec::new()
        } else {
            legal(position)
        };
        let values = moves
            .into_iter()
            .map(|mv| Self::value(&position.after(mv), player, depth - 1, nodes));
        let best = if position.to_move() == player {
            values.reduce(f64::max)
        } else {
            values.reduce(f64::min)
        };
        best.unwrap_or_else(|| {
            army_distance(position, player.other()) - army_distance(position, player)
        })
    }
}

impl Player for Minimax {
    fn choose(&mut self, position: &Position, _: u64, _: &mut dyn Watch) -> Option<Choice> {
        let player = position.to_move();
        let mut nodes = 0;
        choose_best(legal(position), &mut self.random, |mv| {
            Self::value(&position.after(mv), player, Self::DEPTH - 1, &mut nodes)
        })
        .map(|mv| Choice {
            mv,
            value: 0,
            depth: Self::DEPTH,
            nodes,
        })
    }
}

/// The strongest public player known: alpha-beta three plies deep, own move, opponent's, own; its
/// evaluation is minus the sum of the Euclidean distances of the own pieces to the far corner. From 16
/// pieces at home on it looks one ply deep, at the distances from each piece outside the goal to each
/// square of the goal that is empty. Equal moves are chosen between at random.
pub struct Distance {
    random: Xoshiro256PlusPlus,
}

impl Distance {
    const DEPTH: u32 = 3;
    const END_GAME: u32 = 16;

    /// A player whose choices between equals follow from the seed.
    pub fn new(seed: u64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    fn value(
        position: &Position,
        player: Color,
        depth: u32,
        (mut alpha, mut beta): (f64, f64),
        nodes: &mut u64,
    ) -> f64 {
        *nodes += 1;
        if position.is_won() {
            let sooner = f64::from(depth);
            return if position.to_move() == player {
                -WIN - sooner
            } else {
                WIN + sooner
            };
        }
        let mut moves = if depth == 0 {
            Vec::new()
        } else {
            legal(position)
        };
        if moves.is_empty() {
            return -army_distance(position, player);
        }
        let mover = position.to_move();
        moves.sort_by(|a, b| advance(mover, *b).total_cmp(&advance(mover, *a)));
        let mut best = if mover == player {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        for mv in moves {
            let value = Self::value(&position.after(mv), player, depth - 1, (alpha, beta), nodes);
            if mover == player {
                best = best.max(value);
                alpha = alpha.max(best);
            } else {
                best = best.min(value);
                beta = beta.min(best);
            }
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

impl Player for Distance {
    fn choose(&mut self, position: &Position, _: u64, _: &mut dyn Watch) -> Option<Choice> {
        let player = position.to_move();
        let at_home = (position.pieces(player) & player.goal()).count();
        let mut nodes = 0;
        let moves = legal(position);
        let mv = if at_home >= Self::END_GAME {
            choose_best(moves, &mut self.random, |mv| {
                let after = position.after(mv);
                if after.is_won() {
                    WIN
                } else {
                    -distance_to_gaps(&after, player)
                }
            })
        } else {
            let mut moves = moves;
            moves.sort_by(|a, b| advance(player, *b).total_cmp(&advance(player, *a)));
            let mut best = f64::NEG_INFINITY;
            choose_best(moves, &mut self.random, |mv| {
                // A little below the best so far, so that equal moves keep exact values.
                let window = (best - 1e-9, f64::INFINITY);
                let after = position.after(mv);
                let value = Self::value(&after, player, Self::DEPTH - 1, window, &mut nodes);
                best = best.max(value);
                value
            })
        };
        mv.map(|mv| Choice {
            mv,
            value: 0,
            depth: if at_home >= Self::END_GAME {
                1
            } else {
                Self::DEPTH
            },
            nodes,
        })
    }
}

const WIN: f64 = 1e9;

fn legal(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves
}

/// The move of the highest value; one of them at random if several have it.
fn choose_best(
    moves: Vec<Move>,
    random: &mut impl Rng,
    mut value: impl FnMut(Move) -> f64,
) -> Option<Move> {
    let mut best = f64::NEG_INFINITY;
    let mut equals = Vec::new();
    for mv in moves {
        let value = value(mv);
        if value > best {
            best = value;
            equals.clear();
        }
        if value == best {
            equals.push(mv);
        }
    }
    equals.choose(random).copied()
}

fn euclidean(a: Square, b: Square) -> f64 {
    let dx = f64::from(a.x()) - f64::from(b.x());
    let dy = f64::from(a.y()) - f64::from(b.y());
    dx.hypot(dy)
}

/// How much closer to its far corner a move brings a piece.
fn advance(player: Color, mv: Move) -> f64 {
    let corner = far_corner(player);
    euclidean(mv.from, corner) - euclidean(mv.to, corner)
}

fn far_corner(player: Color) -> Square {
    player.view(Square::at(15, 15))
}

fn army_distance(position: &Position, player: Color) -> f64 {
    let corner = far_corner(player);
    let pieces = position.pieces(player).into_iter();
    pieces.map(|square| euclidean(square, corner)).sum()
}

/// The distances from each piece outside the goal to each empty square of the goal.
fn distance_to_gaps(position: &Position, player: Color) -> f64 {
    let gaps: Squares = player.goal() & !position.occupied();
    let outside = position.pieces(player) & !player.goal();
    outside
        .into_iter()
        .flat_map(|piece| gaps.into_iter().map(move |gap| euclidean(piece, gap)))
        .sum()
}
