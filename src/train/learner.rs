//! Fits weights to what positions turned out to be worth, by least squares.
//!
//! A position's value is a bias for the tiles on the board plus a weight for the pattern of each
//! line. Weights are kept at a few knots, so many tiles apart, and between two knots they change
//! evenly. A penalty on their distance from a prior keeps patterns that were hardly met sensible.

use std::thread;

use crate::games::entropy::evaluation::{Evaluation, Moment};
use crate::games::entropy::line_values::POINT;

use super::self_play::Sample;

/// When the conjugate gradients end: far below what a hundredth of a point needs.
const PRECISION: f64 = 1e-10;
const MOST_ROUNDS: usize = 200;

/// What the fit is to be like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Rows of the board.
    pub size: u8,
    /// Tiles between two knots.
    pub knot_distance: u16,
    /// How many samples a weight's prior counts as.
    pub prior_samples: f32,
}

/// The weights of one moment that are active in a sample.
struct Model<'a> {
    fit: Fit,
    patterns: usize,
    samples: Vec<&'a Sample>,
}

impl Fit {
    fn tiles(self) -> u16 {
        u16::from(self.size) * u16::from(self.size)
    }

    fn knots(self) -> usize {
        usize::from(self.tiles().div_ceil(self.knot_distance)) + 1
    }

    /// The knot at or before so many tiles, and how far it is from there to the next, from 0 to 1.
    fn knot(self, tiles: u16) -> (usize, f32) {
        let knot = tiles / self.knot_distance;
        let beyond = tiles % self.knot_distance;
        (
            usize::from(knot),
            f32::from(beyond) / f32::from(self.knot_distance),
        )
    }

    /// Fits values to samples, with the values of `prior` as prior; in hundredths of a point and in
    /// the order of a weights file, with the mean squared error of each moment.
    pub fn values(self, samples: &[Sample], prior: &Evaluation) -> (Vec<i16>, [f64; 2]) {
        let fitted = thread::scope(|scope| {
            Moment::ALL
                .map(|moment| scope.spawn(move || self.one_moment(samples, prior, moment)))
                .map(|fitting| fitting.join().expect("fitting does not panic"))
        });
        let mut values = Vec::new();
        for tiles in 0..=self.tiles() {
            for (of_moment, _) in &fitted {
                let patterns = of_moment.len() / (usize::from(self.tiles()) + 1);
                let start = usize::from(tiles) * patterns;
                values.extend_from_slice(&of_moment[start..start + patterns]);
            }
        }
        (values, fitted.map(|(_, error)| error))
    }

    fn one_moment(self, samples: &[Sample], prior: &Evaluation, moment: Moment) -> (Vec<i16>, f64) {
        let patterns = prior.patterns().expect("a size with patterns").count();
        let model = Model {
            fit: self,
            patterns,
            samples: samples
                .iter()
                .filter(|sample| sample.moment == moment)
                .collect(),
        };
        let start = model.prior(prior, moment);
        let (weights, error) = model.solve(start);
        (model.values(&weights), error)
    }
}

impl Model<'_> {
    fn biases(&self) -> usize {
        usize::from(self.fit.tiles()) + 1
    }

    fn number_of_weights(&self) -> usize {
        self.biases() + self.fit.knots() * self.patterns
    }

    fn prior(&self, prior: &Evaluation, moment: Moment) -> Vec<f32> {
        let mut weights = vec![0.0; self.biases()];
        for knot in 0..self.fit.knots() as u16 {
            let tiles = (knot * self.fit.knot_distance).min(self.fit.tiles());
            let table = prior.table(tiles, moment);
            weights.extend(table.iter().map(|&value| f32::from(value) / POINT as f32));
        }
        weights
    }

    /// Calls `each` with every active weight and how active it is.
    fn active(&self, sample: &Sample, mut each: impl FnMut(usize, f32)) {
        each(usize::from(sample.tiles), 1.0);
        let (knot, beyond) = self.fit.knot(sample.tiles);
        let before = self.biases() + knot * self.patterns;
        for &pattern in &sample.patterns {
            each(before + usize::from(pattern), 1.0 - beyond);
        }
        if beyond > 0.0 {
            let after = before + self.patterns;
            for &pattern in &sample.patterns {
                each(after + usize::from(pattern), beyond);
            }
        }
    }

    fn value(&self, sample: &Sample, weights: &[f32]) -> f32 {
        let mut sum = 0.0;
        self.active(sample, |weight, activity| sum += activity * weights[weight]);
        sum
    }

    fn penalty(&self, weight: usize) -> f32 {
        if weight < self.biases() {
            1e-3
        } else {
            self.fit.prior_samples
        }
    }

    /// Conjugate gradients on the normal equations, each weight scaled by its own share in them.
    fn solve(&self, start: Vec<f32>) -> (Vec<f32>, f64) {
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
        let mut change = vec![0.0f32; count];
        let mut direction: Vec<f32> = residual.iter().zip(&scale).map(|(r, s)| r / s).collect();
        let mut size = dot(&residual, &direction);
        let enough = size * PRECISION;
        for _ in 0..MOST_ROUNDS {
            if size <= enough {
                break;
            }
            let image = self.normal(&direction);
            let step = (size / dot(&direction, &image)) as f32;
            for weight in 0..count {
                change[weight] += step * direction[weight];
                residual[weight] -= step * image[weight];
            }
            let scaled: Vec<f32> = residual.iter().zip(&scale).map(|(r, s)| r / s).collect();
            let next = dot(&residual, &scaled);
            let keep = (next / size) as f32;
            for weight in 0..count {
                direction[weight] = scaled[weight] + keep * direction[weight];
            }
            size = next;
        }
        let weights: Vec<f32> = start.iter().zip(&change).map(|(s, c)| s + c).collect();
        let error: f64 = (self.samples.iter())
            .map(|sample| f64::from(sample.target - self.value(sample, &weights)).powi(2))
            .sum();
        (weights, error / self.samples.len() as f64)
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

    /// By tiles and pattern, the biases spread over the lines.
    fn values(&self, weights: &[f32]) -> Vec<i16> {
        let lines = 2.0 * f32::from(self.fit.size);
        let mut values = Vec::new();
        for tiles in 0..=self.fit.tiles() {
            let bias = weights[usize::from(tiles)] / lines;
            let (knot, beyond) = self.fit.knot(tiles);
            let before = self.biases() + knot * self.patterns;
            for pattern in before..before + self.patterns {
                let mut value = (1.0 - beyond) * weights[pattern];
                if beyond > 0.0 {
                    value += beyond * weights[pattern + self.patterns];
                }
                values.push(((value + bias) * POINT as f32).round() as i16);
            }
        }
        values
    }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| f64::from(*a) * f64::from(*b))
        .sum()
}
