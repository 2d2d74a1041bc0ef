//! Computes ratings with dense matrices. This is the method of `fit` without its sparse equations, written as formulas,
//! for comparison with it.

use turnwise_engine::statistics::student_quantile;
use turnwise_ranking::crosstable::{Crosstable, Results};

const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The unit of the ratings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unit {
    Elo,
    Points,
}

/// The ratings of all participants, each group with the mean 0, and their covariance.
pub struct Dense {
    pub values: Vec<f64>,
    /// The covariance of the ratings. `None` if the results are too few or too similar.
    pub covariance: Option<Vec<Vec<f64>>>,
    /// The factor between a standard error and half of an interval.
    pub quantile: f64,
}

type Matrix = Vec<Vec<f64>>;

/// Returns the inverse of a matrix, by elimination with pivots.
fn inverse(mut matrix: Matrix) -> Matrix {
    let size = matrix.len();
    for (row, entries) in matrix.iter_mut().enumerate() {
        entries.extend((0..size).map(|column| f64::from(row == column)));
    }
    for column in 0..size {
        let largest = |&one: &usize, &other: &usize| {
            matrix[one][column]
                .abs()
                .total_cmp(&matrix[other][column].abs())
        };
        let pivot = (column..size).max_by(largest).expect("a row");
        matrix.swap(column, pivot);
        let factor = 1.0 / matrix[column][column];
        matrix[column].iter_mut().for_each(|entry| *entry *= factor);
        let own = matrix[column].clone();
        for (row, entries) in matrix.iter_mut().enumerate() {
            let factor = entries[column];
            if row != column && factor != 0.0 {
                for (entry, own) in entries.iter_mut().zip(&own) {
                    *entry -= factor * own;
                }
            }
        }
    }
    matrix.into_iter().map(|row| row[size..].to_vec()).collect()
}

fn times(one: &Matrix, other: &Matrix) -> Matrix {
    let size = one.len();
    let entry = |row: usize, column: usize| {
        (0..size)
            .map(|at| one[row][at] * other[at][column])
            .sum::<f64>()
    };
    let row = |row: usize| (0..size).map(|column| entry(row, column)).collect();
    (0..size).map(row).collect()
}

fn add_comparison(matrix: &mut Matrix, one: usize, other: usize, weight: f64) {
    matrix[one][one] += weight;
    matrix[other][other] += weight;
    matrix[one][other] -= weight;
    matrix[other][one] -= weight;
}

/// Returns the information in a pair, the sum of the residuals, and the sum of their squares.
fn look(unit: Unit, results: &Results, difference: f64, variance: f64) -> [f64; 3] {
    let pairs = results.count() as f64;
    if unit == Unit::Points {
        let excess = pairs * (results.points.mean() - difference);
        return [
            1.0,
            excess,
            pairs * results.points.mean_square_about(difference),
        ];
    }
    let flatter = 1.0 / (1.0 + std::f64::consts::PI / 8.0 * variance).sqrt();
    let expected = 1.0 / (1.0 + (-flatter * difference).exp());
    let (mut excess, mut squares) = (0.0, 0.0);
    for (category, &count) in results.pairs.iter().enumerate() {
        let residual = category as f64 / 4.0 - expected;
        excess += count as f64 * residual;
        squares += count as f64 * residual * residual;
    }
    [flatter * expected * (1.0 - expected), excess, squares]
}

/// Computes the ratings of all participants in a crosstable.
pub fn dense(table: &Crosstable, unit: Unit) -> Dense {
    let size = table.participants();
    let groups = table.groups();
    let all: Vec<(usize, usize, Results)> = table
        .encounters()
        .map(|(one, other, results)| (one, other, *results))
        .collect();
    let share =
        |one: usize| 1.0 / groups.iter().filter(|&&group| group == groups[one]).count() as f64;
    // The projection that subtracts the mean of each group is 1 - `mean`.
    let mean: Matrix = (0..size)
        .map(|one| {
            let is_same = |other: usize| groups[one] == groups[other];
            (0..size)
                .map(|other| f64::from(is_same(other)) * share(one))
                .collect()
        })
        .collect();
    let (known_pairs, known_weight, known_spread, spread_worth, longest_step) = match unit {
        Unit::Elo => (2.0, 0.25, (200.0 / ELO).powi(2), 2.0, 1.0),
        Unit::Points => (0.0, 1.0, 0.0, 0.0, f64::INFINITY),
    };
    let mut values = vec![0.0; size];
    let mut variances = vec![0.0; all.len()];
    let (mut pull, mut tried): (f64, Option<(f64, f64)>) = (0.0, None);
    let mut is_pulled = false;
    for step in 1..=100 {
        let looks: Vec<[f64; 3]> = (all.iter().zip(&variances))
            .map(|((one, other, results), &variance)| {
                look(unit, results, values[*one] - values[*other], variance)
            })
            .collect();
        let mut information = mean.clone();
        for (row, entries) in information.iter_mut().enumerate() {
            entries.iter_mut().for_each(|entry| *entry *= 1.0 - pull);
            entries[row] += pull;
        }
        let mut gradient: Vec<f64> = values.iter().map(|value| -pull * value).collect();
        for ((one, other, results), [weight, excess, _]) in all.iter().zip(&looks) {
            add_comparison(
                &mut information,
                *one,
                *other,
                results.count() as f64 * weight,
            );
            gradient[*one] += excess;
            gradient[*other] -= excess;
        }
        let inverse = inverse(information);
        let apart = |one: usize, other: usize| {
            inverse[one][one] + inverse[other][other] - 2.0 * inverse[one][other]
        };
        let (mut freedom, mut expected) = (known_pairs, known_pairs * known_weight);
        let mut squares = expected * 0.5;
        for ((one, other, results), [weight, _, square]) in all.iter().zip(&looks) {
            let free = results.count() as f64 * (1.0 - weight * apart(*one, *other));
            freedom += free;
            expected += free * weight;
            squares += square;
        }
        let freedom = (freedom + 1e-6_f64).floor();
        let dispersion = if freedom > 0.0 {
            squares / expected
        } else {
            0.0
        };
        if pull > 0.0 {
            for (variance, (one, other, _)) in variances.iter_mut().zip(&all) {
                *variance = dispersion * apart(*one, *other);
            }
        }
        let by: Vec<f64> = (inverse.iter())
            .map(|row| {
                row.iter()
                    .zip(&gradient)
                    .map(|(entry, it)| entry * it)
                    .sum()
            })
            .collect();
        let largest = |numbers: &[f64]| numbers.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
        let longest = largest(&by);
        let own: Vec<f64> = (0..size).map(|one| inverse[one][one]).collect();
        let error = (dispersion * largest(&own)).sqrt() + 100.0 * f64::EPSILON * largest(&values);
        for (value, by) in values.iter_mut().zip(by) {
            *value += (longest_step / longest).min(1.0) * by;
        }
        let centre: Vec<f64> = (mean.iter())
            .map(|row| {
                row.iter()
                    .zip(&values)
                    .map(|(share, value)| share * value)
                    .sum()
            })
            .collect();
        values
            .iter_mut()
            .zip(centre)
            .for_each(|(value, centre)| *value -= centre);
        if longest <= 0.01 * error && is_pulled || step == 100 {
            let is_scattered = dispersion.sqrt() > 1e-6 * largest(&values);
            let scale = if unit == Unit::Elo { ELO } else { 1.0 };
            let covariance = (freedom > 0.0 && is_scattered).then(|| {
                let mut scatter: Matrix = (0..size)
                    .map(|row| {
                        let level = |column: usize| f64::from(row == column) - mean[row][column];
                        (0..size)
                            .map(|column| dispersion * pull * level(column))
                            .collect()
                    })
                    .collect();
                for ((one, other, results), [weight, _, squares]) in all.iter().zip(&looks) {
                    let pairs = results.count() as f64;
                    let leverage = (weight * apart(*one, *other)).clamp(0.0, 1.0);
                    let common = 8.0 * dispersion * weight;
                    let of_pair = (squares + common) / (pairs * (1.0 - leverage) + 8.0);
                    add_comparison(&mut scatter, *one, *other, pairs * of_pair);
                }
                let mut told = spread_worth;
                for row in 0..size {
                    for column in 0..size {
                        let rest = f64::from(row == column)
                            - mean[row][column]
                            - pull * (inverse[row][column] - mean[row][column]);
                        told += rest * rest;
                    }
                }
                let width = if told > 0.0 {
                    (2.0_f64 / told).sqrt()
                } else {
                    0.0
                };
                let drift: Vec<f64> = (inverse.iter())
                    .map(|row| {
                        let moved = row.iter().zip(&values).map(|(entry, value)| entry * value);
                        width * pull * moved.sum::<f64>()
                    })
                    .collect();
                let mut covariance = times(&times(&inverse, &scatter), &inverse);
                for (row, entries) in covariance.iter_mut().enumerate() {
                    for (entry, other) in entries.iter_mut().zip(&drift) {
                        *entry = scale * scale * (*entry + drift[row] * other);
                    }
                }
                covariance
            });
            return Dense {
                values: values.iter().map(|value| scale * value).collect(),
                covariance,
                quantile: student_quantile(freedom as u64),
            };
        }
        is_pulled = step == 1 || longest <= 0.2 * error;
        if is_pulled {
            let free: f64 = (0..size).map(|one| 1.0 - share(one)).sum();
            let unknowns = free
                + if spread_worth > 0.0 {
                    spread_worth
                } else {
                    -2.0
                };
            let squares = known_spread * spread_worth
                + (0..size)
                    .map(|one| values[one].powi(2) + dispersion * (own[one] - share(one)))
                    .sum::<f64>();
            let asked = match unknowns > 1e-6 && squares > 0.0 {
                true => dispersion * unknowns / squares,
                false => 0.0,
            };
            if pull == 0.0 || asked == 0.0 {
                pull = asked;
                continue;
            }
            let (at, change) = (pull.ln(), (asked / pull).ln());
            let by = match tried.replace((at, change)) {
                Some((last, last_change)) if last != at => {
                    let slope = (change - last_change) / (at - last);
                    if slope < -0.05 {
                        -change / slope
                    } else {
                        change
                    }
                }
                _ => change,
            };
            pull *= by.clamp(-1.5, 1.5).exp();
        }
    }
    unreachable!("the last step returns")
}
