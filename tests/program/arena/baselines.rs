//! Compares the baseline agents with independent definitions, so that a change that weakens them is noticed.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::agent::Agent;
use turnwise_engine::game::Game;
use turnwise_engine::search::{Control, Limits};
use turnwise_entropy::baselines::{self, HolesAgent};
use turnwise_entropy::evaluated::Evaluated;
use turnwise_entropy::evaluation;
use turnwise_entropy::palindromes::board_score;
use turnwise_entropy::rules::{Move, Phase, Position, Rules};

fn moves(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    match position.phase() {
        Phase::Draw => moves.extend((1..=position.size()).map(Move::Draw)),
        Phase::Place => position.placements(&mut moves),
        Phase::Slide => position.slides(&mut moves),
        Phase::Over => {}
    }
    moves.retain(|&mv| position.is_legal(mv));
    moves
}

/// Returns a position in which a player must move, after `steps` random moves and draws.
fn random_position(size: u8, steps: u32, random: &mut Xoshiro256PlusPlus) -> Position {
    let mut position = Position::new(Rules { size, pass: false });
    let mut step = 0;
    while step < steps || position.phase() == Phase::Draw {
        let moves = moves(&position);
        position.make(moves[random.random_range(0..moves.len())]);
        step += 1;
    }
    position
}

/// Evaluates a leaf of a search by the agent `holes`, according to the agent's definition.
///
/// In every line, it counts every window of two or more cells whose end tiles are equal and whose mirrored cells do not
/// contradict each other.
fn leaf(position: &Position) -> f64 {
    let size = usize::from(position.size());
    let cells = position.cells();
    let rows = (0..size).map(|row| (0..size).map(|col| cells[row * size + col]).collect());
    let columns = (0..size).map(|col| (0..size).map(|row| cells[row * size + col]).collect());
    let lines: Vec<Vec<u8>> = rows.chain(columns).collect();
    let mut sum = 0.0;
    for line in &lines {
        for start in 0..size {
            for end in start + 1..size {
                let window = &line[start..=end];
                let length = window.len();
                let fits = (0..length / 2).all(|at| {
                    let (one, other) = (window[at], window[length - 1 - at]);
                    one == other || one == 0 || other == 0
                });
                if window[0] == 0 || window[0] != window[length - 1] || !fits {
                    continue;
                }
                let holes = window.iter().filter(|&&cell| cell == 0).count();
                let centre = usize::from(length % 2 == 1 && window[length / 2] == 0);
                sum += match holes {
                    0 => length as f64,
                    _ => 0.35 * (length - holes + centre) as f64,
                };
            }
        }
    }
    sum
}

#[test]
fn the_leaf_of_holes_is_its_definition_whatever_the_player_thinks_of_lines() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    for size in 2..=9 {
        let values = evaluation::by_holes(size);
        for _ in 0..100 {
            let tiles = u32::from(size) * u32::from(size);
            let position =
                random_position(size, random.random_range(0..3 * tiles - 2), &mut random);
            let expected = leaf(&position);
            let found = f64::from(Evaluated::new(position, Arc::clone(&values)).evaluate());
            assert!((found - expected).abs() < 1e-3, "{found} for {expected}");
        }
    }
}

/// Returns a position's value, computed by full-width expectiminimax to the depth `plies`.
///
/// Only the players' moves count as plies, draws of tiles do not.
fn value(position: &mut Position, plies: u32) -> f64 {
    if plies == 0 || position.phase() == Phase::Over {
        return leaf(position);
    }
    let phase = position.phase();
    let total = f64::from(position.bag_total());
    let mut best: Option<f64> = None;
    let mut mean = 0.0;
    for mv in moves(position) {
        let share = match mv {
            Move::Draw(colour) => f64::from(position.in_bag(colour)) / total,
            _ => 0.0,
        };
        position.make(mv);
        let found = value(position, plies - u32::from(phase != Phase::Draw));
        position.unmake(mv);
        mean += share * found;
        best = Some(match (best, phase) {
            (Some(best), Phase::Slide) => best.max(found),
            (Some(best), _) => best.min(found),
            (None, _) => found,
        });
    }
    if phase == Phase::Draw {
        mean
    } else {
        best.expect("there is a move")
    }
}

#[test]
fn holes_plays_a_best_move_of_its_definition() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for case in 0..40 {
        let size = 2 + (case % 3) as u8;
        let tiles = u32::from(size) * u32::from(size);
        let mut position =
            random_position(size, random.random_range(1..3 * tiles - 2), &mut random);
        if position.phase() == Phase::Over {
            continue;
        }
        // The agent must ignore this limit on nodes, because the limit would weaken it.
        let limits = Limits {
            nodes: 1,
            ..Limits::default()
        };
        let found = HolesAgent::default().think(&position, limits, &Control::new());
        let best = value(&mut position, 3);
        position.make(found.best);
        let played = value(&mut position, 2);
        position.unmake(found.best);
        assert!(
            (played - best).abs() < 1e-3,
            "{position:?}: {played} for {best}"
        );
        assert!((f64::from(found.value) - best).abs() < 1e-3);
    }
}

#[test]
fn greedy_takes_the_extreme_score_and_random_anything_legal() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    for case in 0..200 {
        let position = random_position(4, random.random_range(1..46), &mut random);
        let after = |mv| {
            let mut next = position.clone();
            next.make(mv);
            board_score(&next)
        };
        let scores = moves(&position).into_iter().map(after);
        let best = match position.phase() {
            Phase::Place => scores.min(),
            Phase::Slide => scores.max(),
            _ => continue,
        };
        let (limits, control) = (Limits::default(), Control::new());
        let greedy = baselines::greedy(case).think(&position, limits, &control);
        assert_eq!(Some(after(greedy.best)), best);
        let drawn = baselines::random(case).think(&position, limits, &control);
        assert!(position.is_legal(drawn.best));
        let again = baselines::random(case).think(&position, limits, &control);
        assert_eq!(drawn.best, again.best);
    }
}
