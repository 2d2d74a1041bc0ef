//! Baselines: agents against which other agents are measured. Their search depth is fixed, and they do not remember the
//! game.

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::evaluation::Values;
use crate::jumps::progress_of_jumps;
use crate::rules::{Color, Move, Position};
use crate::search::{Searcher, Selectivity, WON};
use crate::squares::{Square, Squares};
use turnwise_engine::agent::{Agent, BoxedAgent, by_function};
use turnwise_engine::game::Score;
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Found, Limits};

/// Creates an agent that plays random legal moves, determined by the seed.
pub fn random(seed: u64) -> BoxedAgent<Position, Move> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    by_function(move |position: &Position, control| {
        let moves = position.moves();
        control.publish(moves[0]);
        let &mv = moves.choose(&mut random).expect("there is a legal move");
        Found::without_answer(mv, 0.0, 0, 1)
    })
}

/// Creates a substitute for the course's reference agent: plain minimax without pruning, two plies deep.
///
/// The seed determines the choice among equal moves.
pub fn minimax(seed: u64) -> BoxedAgent<Position, Move> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    by_function(move |position: &Position, control| {
        let player = position.to_move();
        // The difference between the two armies' distances to their far corners.
        let evaluate = |position: &Position| {
            army_distance(position, player.other()) - army_distance(position, player)
        };
        let mut nodes = 0;
        let mv = choose_best(position.moves(), &mut random, control, |mv| {
            let after = position.after(mv);
            nodes += 1;
            if after.is_won() {
                return WIN;
            }
            let replies = after.moves().into_iter().map(|reply| after.after(reply));
            let values = replies.map(|end| {
                nodes += 1;
                if end.is_won() { -WIN } else { evaluate(&end) }
            });
            values.reduce(f64::min).unwrap_or_else(|| evaluate(&after))
        });
        Found::without_answer(mv, 0.0, 2, nodes)
    })
}

/// The search depth of [`distance`], in plies.
const DISTANCE_DEPTH: u32 = 3;

/// With at least this many pieces in the goal, [`distance`] only fills the gaps that remain there.
const END_GAME: u32 = 16;

/// Creates an agent that plays like the strongest known public player: alpha-beta, three plies deep.
///
/// The evaluation is minus the sum of the Euclidean distances from the agent's pieces to the far corner. With 16 or
/// more pieces in the goal, it searches one ply deep, and its evaluation is minus the sum of the distances from each
/// piece outside the goal to each empty square of the goal. The seed determines the choice among equal moves.
pub fn distance(seed: u64) -> BoxedAgent<Position, Move> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    by_function(move |position: &Position, control| {
        let player = position.to_move();
        let at_home = (position.pieces(player) & player.goal()).count();
        let mut moves = position.moves();
        if at_home >= END_GAME {
            let mv = choose_best(moves, &mut random, control, |mv| {
                let after = position.after(mv);
                if after.is_won() {
                    WIN
                } else {
                    -distance_to_gaps(&after, player)
                }
            });
            return Found::without_answer(mv, 0.0, 1, 0);
        }
        let mut nodes = 0;
        let mut best = f64::NEG_INFINITY;
        moves.sort_by(|a, b| advance(player, *b).total_cmp(&advance(player, *a)));
        let mv = choose_best(moves, &mut random, control, |mv| {
            // The window starts slightly below the best value so far, so that moves of equal value get exact values.
            let window = (best - 1e-9, f64::INFINITY);
            let after = position.after(mv);
            let value = distance_value(&after, player, DISTANCE_DEPTH - 1, window, &mut nodes);
            best = best.max(value);
            value
        });
        Found::without_answer(mv, 0.0, DISTANCE_DEPTH, nodes)
    })
}

/// Returns the alpha-beta value of a position for `player`, with the evaluation of [`distance`].
fn distance_value(
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
        position.moves()
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
        let value = distance_value(&position.after(mv), player, depth - 1, (alpha, beta), nodes);
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

/// An agent that hinders its opponent: it keeps its last pieces in its camp and blocks lanes.
///
/// The pieces stay in the camp as long as the rules allow.
///
/// The agent runs alpha-beta three plies deep with the strong player's evaluation ([`Values`]), in which the opponent's
/// gain is the agent's loss. It also subtracts a penalty for each jump towards the goal that its move leaves to the
/// opponent. Under the base rules, the last pieces stay until all others are in the goal. Then the last pieces leave,
/// because otherwise the agent could not win. Equal moves are chosen at random.
pub struct Stayer {
    random: Xoshiro256PlusPlus,
    values: Values,
    table: Table<Move>,
}

impl Stayer {
    const DEPTH: u32 = 3;
    /// The number of pieces that stay in the camp.
    const STAYING: u32 = 5;
    /// The penalties for jumps that a move leaves to the opponent, in points per unit of [`progress_of_jumps`].
    ///
    /// `LANE` applies to the jumps that the opponent's pieces can make, `LANE_PREPARED` to the jumps that they could
    /// make if they stood on empty squares.
    const LANE: i32 = 8;
    const LANE_PREPARED: i32 = 4;
    const TABLE_BYTES: usize = 1 << 20;

    /// Creates an agent whose choices among equal moves are determined by the seed.
    pub fn new(seed: u64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            values: Values::default(),
            table: Table::new(Self::TABLE_BYTES),
        }
    }

    /// Returns the moves that keep the last pieces in the camp.
    ///
    /// Returns all moves if more than `STAYING` pieces are in the camp, if every move would leave the camp, or if no
    /// piece is between the camp and the goal.
    fn staying(position: &Position) -> Vec<Move> {
        let player = position.to_move();
        let (camp, goal) = (player.camp(), player.goal());
        let pieces = position.pieces(player);
        let moves = position.moves();
        let is_any_on_its_way = !(pieces & !camp & !goal).is_empty();
        if !is_any_on_its_way || (pieces & camp).count() > Self::STAYING {
            return moves;
        }
        let leaves = |mv: &Move| camp.contains(mv.from) && !camp.contains(mv.to);
        let staying: Vec<Move> = (moves.iter().copied()).filter(|mv| !leaves(mv)).collect();
        if staying.is_empty() { moves } else { staying }
    }

    /// Returns the value of the jumps that a player can make towards its goal, in points.
    fn lanes(position: &Position, player: Color) -> i32 {
        let occupied = position.occupied();
        let sets = [position.pieces(player), !occupied];
        let [at_hand, prepared] = progress_of_jumps(occupied, sets, player.sign());
        Self::LANE * at_hand + Self::LANE_PREPARED * prepared
    }
}

impl Agent for Stayer {
    type Position = Position;
    type Move = Move;

    fn think(&mut self, position: &Position, _: Limits, control: &Control<Move>) -> Found<Move> {
        self.table.next_age();
        let mut searcher = Searcher::new(
            &self.values,
            Selectivity::NONE,
            &mut self.table,
            u64::MAX,
            &|_| false,
        );
        let player = position.to_move();
        let mut moves = Self::staying(position);
        moves.sort_by_key(|&mv| -self.values.gain(player, mv));
        let mut best = -2 * WON;
        let mv = choose_best(moves, &mut self.random, control, |mv| {
            let after = position.after(mv);
            let lanes = Self::lanes(&after, player.other());
            // The window starts slightly below the best value so far, so that moves of equal value get exact values.
            let least = (best + lanes - 1).clamp(-WON, WON - 1);
            let balance = self.values.position(&after);
            let window = (-WON, -least);
            let value = searcher.value(&after, balance, Self::DEPTH - 1, 1, window);
            let value = -value.expect("nothing ends it") - lanes;
            best = best.max(value);
            f64::from(value)
        });
        let value = (player.sign() * best) as Score;
        Found::without_answer(mv, value, Self::DEPTH, searcher.nodes)
    }

    fn new_game(&mut self) {
        self.table.clear();
    }
}

const WIN: f64 = 1e9;

/// Returns the move with the highest value. Chooses at random if several moves share it.
fn choose_best(
    moves: Vec<Move>,
    random: &mut impl Rng,
    control: &Control<Move>,
    mut value: impl FnMut(Move) -> f64,
) -> Move {
    control.publish(moves[0]);
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
    *equals.choose(random).expect("there is a legal move")
}

fn euclidean(a: Square, b: Square) -> f64 {
    let dx = f64::from(a.x()) - f64::from(b.x());
    let dy = f64::from(a.y()) - f64::from(b.y());
    dx.hypot(dy)
}

/// Returns by how much a move reduces the piece's Euclidean distance to the player's far corner.
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

/// Returns the sum of the distances from each piece outside the goal to each empty square of the goal.
fn distance_to_gaps(position: &Position, player: Color) -> f64 {
    let gaps: Squares = player.goal() & !position.occupied();
    let outside = position.pieces(player) & !player.goal();
    outside
        .into_iter()
        .flat_map(|piece| gaps.into_iter().map(move |gap| euclidean(piece, gap)))
        .sum()
}
