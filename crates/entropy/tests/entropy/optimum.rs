//! Compares whole games on the smallest boards with the solved game.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use turnwise_engine::game::Game;
use turnwise_engine::search::table::Table;
use turnwise_entropy::rules::{Phase, Position};

use super::{empty_board, evaluated, naive_line_score, search, successors};

/// Solves the game by plain recursion with stored results. It has its own representation of the board.
#[derive(Default)]
struct Solver {
    known: HashMap<(Vec<u8>, u8, Phase), f64>,
}

impl Solver {
    /// Returns the expected final score of a board under perfect play, with the tile `drawn` in Chaos's hand.
    fn value(&mut self, size: usize, cells: &[u8], drawn: u8, phase: Phase) -> f64 {
        let key = (cells.to_vec(), drawn, phase);
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let value = match phase {
            Phase::Draw => self.mean(size, cells),
            Phase::Place => {
                let free = (0..cells.len()).filter(|&at| cells[at] == 0);
                free.map(|at| {
                    let mut next = cells.to_vec();
                    next[at] = drawn;
                    let over = !next.contains(&0);
                    let phase = if over { Phase::Over } else { Phase::Slide };
                    self.value(size, &next, 0, phase)
                })
                .fold(f64::INFINITY, f64::min)
            }
            Phase::Slide => self.best_slide(size, cells),
            Phase::Over => naive_board_score(size, cells),
        };
        self.known.insert(key, value);
        value
    }

    fn mean(&mut self, size: usize, cells: &[u8]) -> f64 {
        let left = |colour| size - cells.iter().filter(|&&other| other == colour).count();
        let total: usize = (1..=size as u8).map(left).sum();
        (1..=size as u8)
            .filter(|&colour| left(colour) > 0)
            .map(|colour| {
                let probability = left(colour) as f64 / total as f64;
                probability * self.value(size, cells, colour, Phase::Place)
            })
            .sum()
    }

    fn best_slide(&mut self, size: usize, cells: &[u8]) -> f64 {
        let mut best = f64::NEG_INFINITY;
        for from in (0..cells.len()).filter(|&at| cells[at] != 0) {
            for (down, right) in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
                let (mut row, mut column) = ((from / size) as i32, (from % size) as i32);
                loop {
                    row += down;
                    column += right;
                    let inside = 0..size as i32;
                    if !inside.contains(&row) || !inside.contains(&column) {
                        break;
                    }
                    let to = row as usize * size + column as usize;
                    if cells[to] != 0 {
                        break;
                    }
                    let mut next = cells.to_vec();
                    next.swap(from, to);
                    best = best.max(self.value(size, &next, 0, Phase::Draw));
                }
            }
        }
        best
    }
}

fn naive_board_score(size: usize, cells: &[u8]) -> f64 {
    let rows = cells.chunks(size).map(<[u8]>::to_vec);
    let columns = (0..size).map(|at| cells[at..].iter().step_by(size).copied().collect());
    rows.chain(columns)
        .map(|line: Vec<u8>| f64::from(naive_line_score(&line)))
        .sum()
}

/// Plays whole games from the empty board; every move must keep the solved value.
fn plays_the_optimum(size: u8, games: u64) {
    let mut solver = Solver::default();
    let mut table = Table::new(64 << 20);
    let mut value_of = |position: &Position| {
        solver.value(
            usize::from(size),
            position.cells(),
            position.drawn(),
            position.phase(),
        )
    };
    for seed in 0..games {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut game = evaluated(&empty_board(size));
        while game.position().phase() != Phase::Over {
            if game.position().phase() == Phase::Draw {
                let draws = successors(game.position());
                game.make(draws[random.random_range(0..draws.len())]);
                continue;
            }
            let optimum = value_of(game.position());
            let found = search(&mut game, &mut table, u32::MAX);
            assert!(found.solved);
            assert!((f64::from(found.value) - optimum).abs() < 1e-3);
            game.make(found.best);
            assert!((value_of(game.position()) - optimum).abs() < 1e-3);
        }
    }
}

#[test]
fn two_by_two_is_played_perfectly_from_the_empty_board() {
    plays_the_optimum(2, 20);
}

#[test]
fn three_by_three_is_played_perfectly_from_the_empty_board() {
    plays_the_optimum(3, 2);
}
