//! Computes the values of all boards, from the full boards back to the empty one.

use std::ops::ControlFlow;

use turnwise_engine::parallel;

use super::index::{Board, Layer};
use crate::palindromes::line_score;
use crate::rules::Rules;

/// The settings and callbacks for solving a game.
pub struct Work<'a> {
    /// The number of threads that work on a layer.
    pub threads: usize,
    /// Called with the number of boards processed since the last call. Each layer is processed in two passes, which
    /// both count.
    pub done: &'a (dyn Fn(u64) + Sync),
    /// Called with the number of boards that an earlier run has solved.
    pub found: &'a dyn Fn(u64),
    /// Called regularly; returns true if the work must stop.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

/// The values of a layer's boards, indexed by board number. A value is the expected final score under perfect play.
pub type Values = Vec<f32>;

/// Returns the values of all boards with `tiles` tiles before a draw, or `None` if the work was stopped.
///
/// `more` contains the values of all boards with one more tile; it is `None` for full boards.
pub fn layer(rules: Rules, tiles: usize, more: Option<&Values>, work: &Work) -> Option<Values> {
    let layer = Layer::new(rules.size, tiles);
    let Some(more) = more else {
        return over(&layer, work, &|board| score(rules.size, board) as f32);
    };
    let next = Layer::new(rules.size, tiles + 1);
    // Order does not move on a full board.
    let is_last = tiles + 1 == usize::from(rules.size) * usize::from(rules.size);
    let moved = match is_last {
        true => None,
        false => Some(over(&next, work, &|board| slid(rules, &next, more, board))?),
    };
    let placed = moved.as_ref().unwrap_or(more);
    over(&layer, work, &|board| {
        drawn(rules.size, &next, placed, board)
    })
}

/// Calls `value` for each board of a layer and returns the results, or `None` if the work was stopped.
fn over(layer: &Layer, work: &Work, value: &(dyn Fn(Board) -> f32 + Sync)) -> Option<Values> {
    let sets = parallel::map(
        layer.sets() as u64,
        work.threads,
        || (),
        |(), set| {
            if (work.is_stopped)() {
                return ControlFlow::Break(());
            }
            let mut values = Vec::with_capacity(layer.colourings());
            layer.each(set as usize, &mut |board| values.push(value(board)));
            (work.done)(values.len() as u64);
            ControlFlow::Continue(values)
        },
    );
    (sets.len() == layer.sets()).then(|| sets.concat())
}

/// Returns the score of a board.
fn score(size: u8, board: Board) -> u32 {
    let size = usize::from(size);
    let line = |start: usize, step: usize| {
        let cells = (0..size).map(|at| board.at(start + at * step));
        line_score(&cells.collect::<Vec<u8>>())
    };
    (0..size)
        .map(|at| line(at * size, 1) + line(at, size))
        .sum()
}

/// Returns the value of a board with Order to move. `values` contains the values of the layer's boards before a draw.
fn slid(rules: Rules, layer: &Layer, values: &Values, board: Board) -> f32 {
    let size = usize::from(rules.size);
    let mut best = match rules.pass {
        true => values[layer.number(board)],
        false => f32::NEG_INFINITY,
    };
    for from in (0..size * size).filter(|&cell| board.is_occupied(cell)) {
        let (row, column) = (from / size, from % size);
        let mut along = |steps: usize, next: &dyn Fn(usize) -> usize| {
            let mut to = from;
            for _ in 0..steps {
                to = next(to);
                if board.is_occupied(to) {
                    break;
                }
                best = best.max(values[layer.number(board.moved(from, to))]);
            }
        };
        along(column, &|cell| cell - 1);
        along(size - 1 - column, &|cell| cell + 1);
        along(row, &|cell| cell - size);
        along(size - 1 - row, &|cell| cell + size);
    }
    best
}

/// Returns the value of a board on which a draw and Chaos's placement come next.
fn drawn(size: u8, next: &Layer, placed: &Values, board: Board) -> f32 {
    let cells = usize::from(size) * usize::from(size);
    let mut counts = [0u8; 16];
    for cell in 0..cells {
        counts[usize::from(board.at(cell))] += 1;
    }
    let left = f64::from(counts[0]);
    let mut mean = 0.0;
    let mut is_new = false;
    for colour in 1..=size {
        let count = counts[usize::from(colour)];
        // Colors that are not on the board are equivalent, so they are evaluated only once.
        if is_new || count == size {
            continue;
        }
        is_new = count == 0;
        let alike = match is_new {
            true => size - colour + 1,
            false => 1,
        };
        let empty = (0..cells).filter(|&cell| !board.is_occupied(cell));
        let values = empty.map(|cell| placed[next.number(board.with(cell, colour))]);
        let least = values.fold(f32::INFINITY, f32::min);
        mean += f64::from(alike) * f64::from(size - count) / left * f64::from(least);
    }
    mean as f32
}
