//! Fits the values of lines and crossings, by least squares, to the known values of boards among which a player chose.
//!
//! The differences between the values of a move's choices count in full, and the part that these values have in common
//! counts less. This was best on 4x4. Larger boards, where a search sees less of the game, also need the common part:
//! docs/notes/entropy.md.

use std::sync::Arc;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::least_squares::conjugate_gradients;
use crate::crossings::Crossings;
use crate::evaluated::Evaluated;
use crate::evaluation::number_of_line_ids;
use crate::line_values::POINT;

/// The weight of the part that the values of all choices of a move have in common.
///
/// On 4x4, a weight of 0 is as good and a weight of 1 is worse: see docs/notes/entropy.md.
const COMMON: f64 = 0.3;

/// The influence of a weight's prior, expressed as a number of boards.
const PRIOR_BOARDS: f64 = 1.0;

/// The boards that result from some of the moves among which a player chose in one position.
pub type Choices = Vec<Board>;

/// A board that results from a move, with the weights that predict its value.
#[derive(Debug)]
pub struct Board {
    /// The indices of the weights whose sum predicts the board's value; an index can occur several times.
    pub active: Vec<u16>,
    /// The board's value, in points.
    pub value: f32,
}

/// The numbering of the weights for a number of tiles and a phase: a level common to all boards, the line values, and
/// the values of crossings if the board size uses them.
#[derive(Debug)]
pub struct Model {
    size: u8,
    /// The number of weights for lines: one for each line ID.
    ids: usize,
    crossings: Option<Arc<Crossings>>,
}

/// Removes choices at random until at most `most` remain.
pub fn thin_out<T>(choices: &mut Vec<T>, most: usize, random: &mut Xoshiro256PlusPlus) {
    while choices.len() > most {
        choices.swap_remove(random.random_range(0..choices.len()));
    }
}

impl Model {
    /// Creates a model for boards with `size` rows, whose lines must have patterns.
    pub fn new(size: u8) -> Self {
        Self {
            size,
            ids: number_of_line_ids(size),
            crossings: Crossings::shared(size),
        }
    }

    /// Returns the indices of the weights whose sum predicts the value of a board.
    pub fn active(&self, game: &Evaluated) -> Vec<u16> {
        let after_lines = 1 + self.ids as u16;
        let lines = game.line_ids().iter().map(|line| 1 + line);
        let crossings = self.crossings.iter();
        let crossings = crossings.flat_map(|numbers| game.crossings(numbers));
        let crossings = crossings.map(|id| after_lines + id);
        [0].into_iter().chain(lines).chain(crossings).collect()
    }

    /// Returns weights that are all zero.
    pub fn nothing(&self) -> Vec<f64> {
        let crossings = self.crossings.as_ref().map_or(0, |known| known.count());
        vec![0.0; 1 + self.ids + crossings]
    }

    /// Returns the values of lines and crossings in hundredths of a point. The level is spread evenly over the lines.
    pub fn values(&self, weights: &[f64]) -> (Vec<i16>, Vec<i16>) {
        let hundredths = |value: f64| (value * f64::from(POINT)).round() as i16;
        let common = weights[0] / (2.0 * f64::from(self.size));
        let (lines, crossings) = weights[1..].split_at(self.ids);
        let lines = lines.iter().map(|value| hundredths(value + common));
        let crossings = crossings.iter().map(|&value| hundredths(value));
        (lines.collect(), crossings.collect())
    }
}

/// Returns the weights that best explain the differences between the choices of each move, given prior weights.
pub fn fitted(choices: &[&Choices], prior: &[f64]) -> Vec<f64> {
    let mut scale = vec![PRIOR_BOARDS; prior.len()];
    for board in choices.iter().flat_map(|boards| boards.iter()) {
        board
            .active
            .iter()
            .for_each(|&weight| scale[usize::from(weight)] += 1.0);
    }
    let residual = project(choices, vec![0.0; prior.len()], |board| {
        f64::from(board.value) - told(board, prior)
    });
    let change = conjugate_gradients(residual, &scale, |direction| {
        let prior = direction
            .iter()
            .map(|weight| PRIOR_BOARDS * weight)
            .collect();
        project(choices, prior, |board| told(board, direction))
    });
    prior.iter().zip(&change).map(|(p, c)| p + c).collect()
}

/// Returns the value of a board that the weights predict.
fn told(board: &Board, weights: &[f64]) -> f64 {
    (board.active.iter())
        .map(|&weight| weights[usize::from(weight)])
        .sum()
}

/// Adds to each weight the values of the boards where it is active. First, most of the mean over the choices of a move
/// is subtracted from these values.
fn project(choices: &[&Choices], mut onto: Vec<f64>, value: impl Fn(&Board) -> f64) -> Vec<f64> {
    for boards in choices {
        let values: Vec<f64> = boards.iter().map(&value).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        for (board, value) in boards.iter().zip(values) {
            // The equations contain the square of the weight of the common part.
            let value = value - (1.0 - COMMON * COMMON) * mean;
            board
                .active
                .iter()
                .for_each(|&weight| onto[usize::from(weight)] += value);
        }
    }
    onto
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::super::self_play::draw;
    use super::*;
    use crate::evaluation;
    use crate::rules::{Move, Position, Rules};
    use turnwise_engine::game::Game;

    /// Tests that the fit recovers the differences between the choices of a move, whatever these choices have in
    /// common. The boards' values in this test are sums of weights.
    #[test]
    fn weights_that_make_the_values_tell_the_choices_apart_as_they_do() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let rules = Rules {
            size: 4,
            pass: false,
        };
        let model = Model::new(4);
        let nothing = model.nothing();
        let planted: Vec<f64> = (nothing.iter())
            .map(|_| random.random_range(-1.0..1.0))
            .collect();
        let mut all: Vec<Choices> = Vec::new();
        for _ in 0..4_000 {
            let mut game = Evaluated::new(Position::new(rules), evaluation::by_holes(4));
            for cell in [5, 10] {
                draw(&mut game, &mut random);
                game.make(Move::Place(cell));
                game.make(Move::Pass);
            }
            draw(&mut game, &mut random);
            let (mut moves, common) = (Vec::new(), random.random_range(0.0..0.1));
            game.moves(&mut moves);
            let mut boards = Vec::new();
            for mv in moves {
                game.make(mv);
                let mut board = Board {
                    active: model.active(&game),
                    value: 0.0,
                };
                board.value = (told(&board, &planted) + common) as f32;
                boards.push(board);
                game.unmake(mv, ());
            }
            all.push(boards);
        }
        let weights = fitted(&all.iter().collect::<Vec<_>>(), &nothing);
        for choices in &all[..100] {
            let first = &choices[0];
            for other in &choices[1..] {
                let told = told(other, &weights) - told(first, &weights);
                let value = f64::from(other.value - first.value);
                assert!((told - value).abs() < 0.1, "{told}, not {value}");
            }
        }
    }

    /// Tests that the prior keeps the weights small if few different boards occur thousands of times, like the boards
    /// after the first placements of many games.
    #[test]
    fn weights_stay_small_where_few_boards_come_thousands_of_times() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let rules = Rules {
            size: 4,
            pass: false,
        };
        let model = Model::new(4);
        let mut all: Vec<Choices> = Vec::new();
        for _ in 0..20_000 {
            let mut game = Evaluated::new(Position::new(rules), evaluation::by_holes(4));
            draw(&mut game, &mut random);
            let mut moves: Vec<u16> = (0..16).collect();
            thin_out(&mut moves, 10, &mut random);
            let boards = moves.into_iter().map(|cell| {
                game.make(Move::Place(cell));
                let active = model.active(&game);
                game.unmake(Move::Place(cell), ());
                let is_middle = matches!(cell, 5 | 6 | 9 | 10);
                let value = if is_middle { 27.5546 } else { 27.8046 };
                Board { active, value }
            });
            all.push(boards.collect());
        }
        let weights = fitted(&all.iter().collect::<Vec<_>>(), &model.nothing());
        for (number, weight) in weights.iter().enumerate() {
            assert!(weight.abs() < 28.0, "weight {number}: {weight}");
        }
        for boards in &all[..100] {
            for board in boards {
                let error = told(board, &weights) - f64::from(board.value);
                assert!(error.abs() < 0.01, "{error}");
            }
        }
    }
}
