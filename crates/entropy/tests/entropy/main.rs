//! Tests Entropy's rules, evaluation and search against naive implementations that share no code with the library.
//!
//! | module | comparison |
//! |---|---|
//! | `following` | legal moves, and the positions after reported moves |
//! | `lines` | scores, values of lines, moves and incremental values |
//! | `search` | all variants of the search with the unpruned reference |
//! | `optimum` | whole games on the smallest boards with the solved game |
//! | `open` | studies of open games with the unpruned reference, positions with their texts |
//! | `solution` | files of solved games with the values of a recursion without symmetry |

mod following;
mod lines;
mod open;
mod optimum;
#[path = "../../../engine/tests/support/random_game.rs"]
mod random_game;
mod search;
mod solution;

use std::sync::Arc;

use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::search::table::Table;
use turnwise_engine::search::{Control, Found, Limits, deepening};
use turnwise_entropy::crossings::Crossings;
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::evaluation::{self, Evaluation, number_of_values};
use turnwise_entropy::local::Local;
use turnwise_entropy::patterns;
use turnwise_entropy::rules::{Move, Phase, Position, Rules};

fn empty_board(size: u8) -> Position {
    Position::new(Rules { size, pass: false })
}

/// Returns all legal moves, or all possible draws, in a position.
fn successors(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    match position.phase() {
        Phase::Draw => moves.extend(
            (1..=position.size())
                .filter(|&colour| position.in_bag(colour) > 0)
                .map(Move::Draw),
        ),
        Phase::Place => position.placements(&mut moves),
        Phase::Slide => position.slides(&mut moves),
        Phase::Over => {}
    }
    moves
}

/// Returns the position after a number of random moves and draws.
fn random_position(rules: Rules, events: usize, random: &mut Xoshiro256PlusPlus) -> Position {
    let mut position = Position::new(rules);
    for _ in 0..events {
        let moves = successors(&position);
        if moves.is_empty() {
            break;
        }
        position.make(moves[random.random_range(0..moves.len())]);
    }
    position
}

/// Prepares a position for a search, with line values that are computed once for each board size.
fn evaluated(position: &Position) -> Evaluated {
    Evaluated::new(position.clone(), evaluation::by_holes(position.size()))
}

/// Returns an evaluation with random values, which differ for each line, number of tiles and phase.
fn random_evaluation(size: u8, random: &mut Xoshiro256PlusPlus) -> Arc<Evaluation> {
    if size > patterns::LONGEST {
        return evaluation::by_holes(size);
    }
    let values = (0..number_of_values(size))
        .map(|_| random.random_range(0..500))
        .collect();
    let lines = Evaluation::learned("random", size, values);
    let tables = 2 * (usize::from(size) * usize::from(size) + 1);
    let with_others = random.random();
    let local = Local::choices(size).into_iter().choose(random);
    let mut others = |count: usize| {
        let values = (0..tables * count).map(|_| random.random_range(-200..300));
        values.collect()
    };
    Arc::new(match (Crossings::shared(size), local) {
        (Some(crossings), _) if with_others => lines.with_crossings(others(crossings.count())),
        (_, Some(local)) if with_others => lines.with_local(others(local.count())),
        _ => lines,
    })
}

fn search(game: &mut Evaluated, table: &mut Table<Move>, depth: u32) -> Found<Move> {
    let limits = Limits {
        depth,
        ..Limits::default()
    };
    deepening::search(game, table, limits, &Control::new())
}

/// Returns random positions with a player to move, on boards of 2 to 4 rows.
fn small_positions(count: usize, seed: u64) -> impl Iterator<Item = Position> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    std::iter::repeat_with(move || {
        let rules = Rules {
            size: random.random_range(2..=4),
            pass: random.random_bool(0.3),
        };
        let last = 3 * usize::from(rules.size) * usize::from(rules.size) - 2;
        random_position(rules, random.random_range(1..last), &mut random)
    })
    .filter(|position| matches!(position.phase(), Phase::Place | Phase::Slide))
    .take(count)
}

/// Computes the score of a line by comparing every substring with its reverse.
fn naive_line_score(line: &[u8]) -> u32 {
    let mut score = 0;
    for start in 0..line.len() {
        for end in start + 2..=line.len() {
            let run = &line[start..end];
            let reversed: Vec<u8> = run.iter().rev().copied().collect();
            if !run.contains(&0) && run == reversed {
                score += run.len() as u32;
            }
        }
    }
    score
}
