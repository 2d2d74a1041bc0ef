//! Fits weights to the target values of positions, by least squares.
//!
//! A position's value is a bias for the number of tiles on the board, plus a weight for each line, which the line's
//! [`LineId`](crate::patterns::LineId) selects. If values of blocks and gaps are learned, the value also contains a
//! weight for each block and gap. Weights are stored at a few equally spaced knots and interpolated linearly between
//! the knots; before the first knot, they are constant. A penalty on the distance from a prior keeps the weights of
//! rare lines sensible.
//!
//! The first knot avoids noise. With few tiles on the board, chance undoes almost every effect of one tile more or less
//! in a line. Weights from boards that are more than half full distinguish the same moves, and do so reliably.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use turnwise_engine::parallel;

use crate::evaluation::{Evaluation, GamePhase, number_of_line_ids};
use crate::line_values::POINT;
use crate::local::Local;

use super::least_squares::{Number, conjugate_gradients};
use super::self_play::Sample;

/// The influence of a bias's prior, expressed as a number of samples.
///
/// The influence is low, because thousands of positions determine each bias.
const BIAS_PRIOR_SAMPLES: f32 = 1e-3;

/// The settings of the fit.
///
/// Each setting matters. Weights overfit the noise of a few hundred games if they change with every tile, are learned
/// where chance dominates, or move far from the prior for a few samples. The search then exploits each error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The number of tiles at the first knot, the first number of tiles for which weights are stored. Line values are
    /// learned only from positions with at least this many tiles; positions with fewer tiles determine only the bias.
    pub first_knot: u16,
    /// The number of tiles from one knot to the next; at least 1.
    pub knot_distance: u16,
    /// The influence of a weight's prior, expressed as a number of samples.
    pub prior_samples: f32,
    /// Whether to learn values of blocks and gaps, if the board size can use them.
    #[serde(default)]
    pub blocks: bool,
}

/// The weights that best fit a set of samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The values in hundredths of a point, in the order of a weights file.
    pub values: Vec<i16>,
    /// The mean squared error on the samples, in points squared.
    pub mean_squared_error: f64,
}

/// The settings and samples of the fit for one phase.
struct Model<'a> {
    fit: Fit,
    size: u8,
    /// The number of line values at each knot.
    ids: usize,
    /// The number of values of blocks and gaps at each knot.
    local_ids: usize,
    /// The samples with at least as many tiles as the first knot.
    samples: Vec<&'a Sample>,
}

impl Fit {
    /// Fits values to samples. The prior of the line values is `prior`; the prior of blocks and gaps is zero. The bias
    /// for each number of tiles is spread evenly over the lines.
    pub fn values(self, samples: &[&Sample], prior: &Evaluation) -> Fitted {
        // Some blocks are so frequent that 32-bit sums lose their counts.
        let fit = |game_phase| match self.blocks {
            true => self.one_phase::<f64>(samples, prior, game_phase),
            false => self.one_phase::<f32>(samples, prior, game_phase),
        };
        let phases = GamePhase::ALL;
        let fit = |(): &mut (), at| ControlFlow::Continue(fit(phases[at as usize]));
        let fits = parallel::map(phases.len() as u64, phases.len(), || (), fit);
        let [before_draw, before_slide] =
            <[_; 2]>::try_from(fits).unwrap_or_else(|_| unreachable!("none breaks off"));
        let squares = before_draw.squares + before_slide.squares;
        let both = |[before_draw, before_slide]: [Vec<Vec<i16>>; 2]| {
            let both = before_draw.into_iter().zip(before_slide);
            both.flat_map(<[_; 2]>::from).flatten()
        };
        let lines = both([before_draw.lines, before_slide.lines]);
        let local = both([before_draw.local, before_slide.local]);
        Fitted {
            values: lines.chain(local).collect(),
            mean_squared_error: squares / samples.len().max(1) as f64,
        }
    }

    fn one_phase<N: Number>(
        self,
        samples: &[&Sample],
        prior: &Evaluation,
        game_phase: GamePhase,
    ) -> OnePhase {
        let (samples, early): (Vec<&Sample>, Vec<&Sample>) = (samples.iter().copied())
            .filter(|sample| sample.game_phase == game_phase)
            .partition(|sample| sample.tiles >= self.first_knot);
        let size = prior.size();
        let local = self.blocks.then(|| Local::learned(size)).flatten();
        let model = Model {
            fit: self,
            size,
            ids: number_of_line_ids(size),
            local_ids: local.map_or(0, |local| local.count()),
            samples,
        };
        let mut weights: Vec<N> = model.solve(model.prior(prior, game_phase));
        model.level(&early, &mut weights);
        let squares = (model.samples.iter().chain(&early))
            .map(|sample| model.error(sample, &weights).into().powi(2));
        let squares = squares.sum();
        let tables = (0..=model.tiles()).map(|tiles| model.tables(tiles, &weights));
        let (lines, local) = tables.unzip();
        OnePhase {
            lines,
            local,
            squares,
        }
    }
}

/// The fitted values for one phase.
struct OnePhase {
    /// The line values in hundredths of a point: a table for each number of tiles, indexed by line ID.
    lines: Vec<Vec<i16>>,
    /// The values of blocks and gaps: a table for each number of tiles. The tables are empty if such values are not
    /// learned.
    local: Vec<Vec<i16>>,
    /// The sum of the squared errors on the samples, in points squared.
    squares: f64,
}

impl Model<'_> {
    fn tiles(&self) -> u16 {
        u16::from(self.size) * u16::from(self.size)
    }

    fn knots(&self) -> usize {
        let behind_first = self.tiles().saturating_sub(self.fit.first_knot);
        usize::from(behind_first.div_ceil(self.fit.knot_distance)) + 1
    }

    /// Returns the knot at or before a number of tiles, and the share of the way from there to the next knot, from 0 to
    /// 1.
    fn knot(&self, tiles: u16) -> (usize, f32) {
        let behind_first = tiles.saturating_sub(self.fit.first_knot);
        let distance = self.fit.knot_distance;
        let beyond = f32::from(behind_first % distance) / f32::from(distance);
        (usize::from(behind_first / distance), beyond)
    }

    fn biases(&self) -> usize {
        usize::from(self.tiles()) + 1
    }

    /// Returns the number of weights at a knot: for lines, then for blocks and gaps.
    fn weights_of_knot(&self) -> usize {
        self.ids + self.local_ids
    }

    fn number_of_weights(&self) -> usize {
        self.biases() + self.knots() * self.weights_of_knot()
    }

    fn prior<N: Number>(&self, prior: &Evaluation, game_phase: GamePhase) -> Vec<N> {
        let mut weights = vec![N::ZERO; self.biases()];
        for knot in 0..self.knots() as u16 {
            let tiles = self.fit.first_knot + knot * self.fit.knot_distance;
            // On a full board, a line with holes has no value, so its prior comes from the table for one tile less.
            let tiles = tiles.min(self.tiles() - 1);
            let table = prior.table(tiles, game_phase);
            let points = |&value: &i16| number::<N>(f32::from(value) / POINT as f32);
            weights.extend(table.iter().map(points));
            weights.extend(vec![N::ZERO; self.local_ids]);
        }
        weights
    }

    /// Calls `each` with the index of every weight that contributes to a sample's value, and with its factor.
    fn active<N: Number>(&self, sample: &Sample, mut each: impl FnMut(usize, N)) {
        each(usize::from(sample.tiles), number(1.0));
        let (knot, beyond) = self.knot(sample.tiles);
        let mut at_knot = |knot: usize, activity: N| {
            let lines = self.biases() + knot * self.weights_of_knot();
            for &line in &sample.lines {
                each(lines + usize::from(line), activity);
            }
            let local = lines + self.ids;
            if self.local_ids > 0 {
                for &id in &sample.local {
                    each(local + usize::from(id), activity);
                }
            }
        };
        at_knot(knot, number(1.0 - beyond));
        if beyond > 0.0 {
            at_knot(knot + 1, number(beyond));
        }
    }

    fn value<N: Number>(&self, sample: &Sample, weights: &[N]) -> N {
        let mut sum = N::ZERO;
        self.active(sample, |weight, activity: N| {
            sum = sum + activity * weights[weight];
        });
        sum
    }

    /// Returns the target of a sample minus its predicted value.
    fn error<N: Number>(&self, sample: &Sample, weights: &[N]) -> N {
        number::<N>(sample.target) - self.value(sample, weights)
    }

    /// Sets the biases before the first knot to the samples' mean errors. Without samples, copies the bias at the
    /// first knot.
    fn level<N: Number>(&self, early: &[&Sample], weights: &mut [N]) {
        let first_knot = usize::from(self.fit.first_knot.min(self.tiles()));
        let mut missing = vec![(0.0f64, 0u32); first_knot];
        for sample in early {
            let (sum, count) = &mut missing[usize::from(sample.tiles)];
            *sum += self.error(sample, weights).into();
            *count += 1;
        }
        for (tiles, (sum, count)) in missing.into_iter().enumerate() {
            weights[tiles] = match count {
                0 => weights[first_knot],
                _ => N::near(sum / f64::from(count)),
            };
        }
    }

    fn penalty<N: Number>(&self, weight: usize) -> N {
        number(if weight < self.biases() {
            BIAS_PRIOR_SAMPLES
        } else {
            self.fit.prior_samples
        })
    }

    fn solve<N: Number>(&self, start: Vec<N>) -> Vec<N> {
        let count = self.number_of_weights();
        let mut scale: Vec<N> = (0..count).map(|weight| self.penalty(weight)).collect();
        let mut residual = vec![N::ZERO; count];
        for sample in &self.samples {
            let error = self.error(sample, &start);
            self.active(sample, |weight, activity: N| {
                residual[weight] = residual[weight] + activity * error;
                scale[weight] = scale[weight] + activity * activity;
            });
        }
        let change = conjugate_gradients(residual, &scale, |direction| self.normal(direction));
        start.iter().zip(&change).map(|(&s, &c)| s + c).collect()
    }

    fn normal<N: Number>(&self, direction: &[N]) -> Vec<N> {
        let mut image: Vec<N> = (direction.iter().enumerate())
            .map(|(weight, &value)| self.penalty::<N>(weight) * value)
            .collect();
        for sample in &self.samples {
            let value = self.value(sample, direction);
            self.active(sample, |weight, activity: N| {
                image[weight] = image[weight] + activity * value;
            });
        }
        image
    }

    /// Returns the tables of lines, and of blocks and gaps, for a number of tiles. The bias is spread over the lines.
    fn tables<N: Number>(&self, tiles: u16, weights: &[N]) -> (Vec<i16>, Vec<i16>) {
        let lines = number(2.0 * f32::from(self.size));
        let bias = weights[usize::from(tiles)] / lines;
        let (knot, beyond) = self.knot(tiles);
        let value = |weight: usize| {
            let mut value = number::<N>(1.0 - beyond) * weights[weight];
            if beyond > 0.0 {
                value = value + number::<N>(beyond) * weights[weight + self.weights_of_knot()];
            }
            value
        };
        let hundredths = |value: N| (value * number(POINT as f32)).into().round() as i16;
        let lines = self.biases() + knot * self.weights_of_knot();
        let local = lines + self.ids;
        let of_lines = (lines..local).map(|weight| hundredths(value(weight) + bias));
        let of_local = (local..local + self.local_ids).map(|weight| hundredths(value(weight)));
        (of_lines.collect(), of_local.collect())
    }
}

fn number<N: Number>(number: f32) -> N {
    N::near(f64::from(number))
}
