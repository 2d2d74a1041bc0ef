//! Fits weights to what positions turned out to be worth, by least squares.
//!
//! A position's value is a bias for the tiles on the board plus a weight for each line, by its
//! [`LineId`](crate::patterns::LineId). Weights are kept at a few knots, so many tiles apart, and
//! between two knots they change evenly; before the first they are those of the first. A penalty on
//! their distance from a prior keeps lines that were hardly met sensible.
//!
//! Why there is a first knot: with few tiles on the board one more or less in a line decides hardly
//! anything that chance does not undo, so that what is fitted there is noise. The values of a board
//! that is more than half full tell the same moves apart, and well.

use std::thread;

use serde::{Deserialize, Serialize};

use crate::evaluation::{Evaluation, GamePhase, number_of_line_ids};
use crate::line_values::POINT;

use super::least_squares::conjugate_gradients;
use super::self_play::Sample;

/// A bias is hardly held back: it is the mean of thousands of positions.
const BIAS_PRIOR_SAMPLES: f32 = 1e-3;

/// What the fit is to be like.
///
/// All of it matters much: weights that follow single tiles, that are learned where chance rules, or
/// that a few samples may move far learn the noise of a few hundred games, and the search finds every
/// one of their errors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Tiles on the board at the first knot. What lines are worth is learned from positions with at
    /// least so many; from those with fewer, only how much is to be expected at all.
    pub first_knot: u16,
    /// Tiles between two knots; at least 1.
    pub knot_distance: u16,
    /// How many samples a weight's prior counts as.
    pub prior_samples: f32,
}

/// The weights that explain a set of samples best.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// In hundredths of a point, in the order of a weights file.
    pub values: Vec<i16>,
    /// How far they are from the samples, in points squared.
    pub mean_squared_error: f64,
}

/// What the weights of one phase are fitted to, and how.
struct Model<'a> {
    fit: Fit,
    size: u8,
    /// How many lines have values of their own.
    ids: usize,
    /// Those from the first knot on.
    samples: Vec<&'a Sample>,
}

impl Fit {
    /// Fits values to samples, with the values of `prior` as prior. The bias of each number of tiles
    /// is spread evenly over the lines.
    pub fn values(self, samples: &[&Sample], prior: &Evaluation) -> Fitted {
        let fit = |game_phase| self.one_phase(samples, prior, game_phase);
        let [(before_draw, squares), (before_slide, more)] = thread::scope(|scope| {
            let threads = GamePhase::ALL.map(|game_phase| scope.spawn(move || fit(game_phase)));
            threads.map(|thread| thread.join().expect("a fit panicked"))
        });
        let both = before_draw.into_iter().zip(before_slide);
        Fitted {
            values: both.flat_map(<[_; 2]>::from).flatten().collect(),
            mean_squared_error: (squares + more) / samples.len().max(1) as f64,
        }
    }

    /// The values of one phase, by line for each number of tiles, and the sum of squared errors.
    fn one_phase(
        self,
        samples: &[&Sample],
        prior: &Evaluation,
        game_phase: GamePhase,
    ) -> (Vec<Vec<i16>>, f64) {
        let (samples, early): (Vec<&Sample>, Vec<&Sample>) = (samples.iter().copied())
            .filter(|sample| sample.game_phase == game_phase)
            .partition(|sample| sample.tiles >= self.first_knot);
        let model = Model {
            fit: self,
            size: prior.size(),
            ids: number_of_line_ids(prior.size()),
            samples,
        };
        let mut weights = model.solve(model.prior(prior, game_phase));
        model.level(&early, &mut weights);
        let squares = (model.samples.iter().chain(&early))
            .map(|sample| f64::from(sample.target - model.value(sample, &weights)).powi(2));
        (model.values(&weights), squares.sum())
    }
}

impl Model<'_> {
    fn tiles(&self) -> u16 {
        u16::from(self.size) * u16::from(self.size)
    }

    fn knots(&self) -> usize {
        let behind_first = self.tiles().saturating_sub(self.fit.first_knot);
        usize::from(behind_first.div_ceil(self.fit.knot_distance)) + 1
    }

    /// The knot at or before so many tiles, and how far it is from there to the next, from 0 to 1.
    fn knot(&self, tiles: u16) -> (usize, f32) {
        let behind_first = tiles.saturating_sub(self.fit.first_knot);
        let distance = self.fit.knot_distance;
        let beyond = f32::from(behind_first % distance) / f32::from(distance);
        (usize::from(behind_first / distance), beyond)
    }

    fn biases(&self) -> usize {
        usize::from(self.tiles()) + 1
    }

    fn number_of_weights(&self) -> usize {
        self.biases() + self.knots() * self.ids
    }

    fn prior(&self, prior: &Evaluation, game_phase: GamePhase) -> Vec<f32> {
        let mut weights = vec![0.0; self.biases()];
        for knot in 0..self.knots() as u16 {
            let tiles = self.fit.first_knot + knot * self.fit.knot_distance;
            // On a full board a line with holes is worth nothing, which is not where it comes from.
            let tiles = tiles.min(self.tiles() - 1);
            let table = prior.table(tiles, game_phase);
            weights.extend(table.iter().map(|&value| f32::from(value) / POINT as f32));
        }
        weights
    }

    /// Calls `each` with every active weight and how active it is.
    fn active(&self, sample: &Sample, mut each: impl FnMut(usize, f32)) {
        each(usize::from(sample.tiles), 1.0);
        let (knot, beyond) = self.knot(sample.tiles);
        let before = self.biases() + knot * self.ids;
        for &line in &sample.lines {
            each(before + usize::from(line), 1.0 - beyond);
        }
        if beyond > 0.0 {
            let after = before + self.ids;
            for &line in &sample.lines {
                each(after + usize::from(line), beyond);
            }
        }
    }

    fn value(&self, sample: &Sample, weights: &[f32]) -> f32 {
        let mut sum = 0.0;
        self.active(sample, |weight, activity| sum += activity * weights[weight]);
        sum
    }

    /// Sets the bias of each number of tiles before the first knot to what these samples miss on
    /// average; without a sample, to that at the first knot.
    fn level(&self, early: &[&Sample], weights: &mut [f32]) {
        let first_knot = usize::from(self.fit.first_knot.min(self.tiles()));
        let mut missing = vec![(0.0f64, 0u32); first_knot];
        for sample in early {
            let (sum, count) = &mut missing[usize::from(sample.tiles)];
            *sum += f64::from(sample.target - self.value(sample, weights));
            *count += 1;
        }
        for (tiles, (sum, count)) in missing.into_iter().enumerate() {
            weights[tiles] = match count {
                0 => weights[first_knot],
                _ => (sum / f64::from(count)) as f32,
            };
        }
    }

    fn penalty(&self, weight: usize) -> f32 {
        if weight < self.biases() {
            BIAS_PRIOR_SAMPLES
        } else {
            self.fit.prior_samples
        }
    }

    fn solve(&self, start: Vec<f32>) -> Vec<f32> {
        let count = self.number_of_weights();
        let mut scale: Vec<f32> = (0..count).map(|weight| self.penalty(weight)).collect();
        let mut residual = vec![0.0f32; count];
        for sample in &self.samples {
            let error = sample.target - self.value(sample, &start);
            self.active(sample, |weight, activity| {
                residual[weight] += activity * error;
                scale[weight] += activity * activity;
            });
        }
        let change = conjugate_gradients(residual, &scale, |direction| self.normal(direction));
        start.iter().zip(&change).map(|(s, c)| s + c).collect()
    }

    fn normal(&self, direction: &[f32]) -> Vec<f32> {
        let mut image: Vec<f32> = (direction.iter().enumerate())
            .map(|(weight, value)| self.penalty(weight) * value)
            .collect();
        for sample in &self.samples {
            let value = self.value(sample, direction);
            self.active(sample, |weight, activity| image[weight] += activity * value);
        }
        image
    }

    /// By line for each number of tiles, the biases spread over the lines.
    fn values(&self, weights: &[f32]) -> Vec<Vec<i16>> {
        let lines = 2.0 * f32::from(self.size);
        let with_tiles = |tiles: u16| {
            let bias = weights[usize::from(tiles)] / lines;
            let (knot, beyond) = self.knot(tiles);
            let before = self.biases() + knot * self.ids;
            let value = |line: usize| {
                let mut value = (1.0 - beyond) * weights[line];
                if beyond > 0.0 {
                    value += beyond * weights[line + self.ids];
                }
                ((value + bias) * POINT as f32).round() as i16
            };
            (before..before + self.ids).map(value).collect()
        };
        (0..=self.tiles()).map(with_tiles).collect()
    }
}
