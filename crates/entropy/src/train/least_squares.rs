//! Solves the normal equations of least-squares fits.

use std::ops::{Add, Div, Mul, Sub};

/// The share of the initial squared residual at which the iteration ends, far below a hundredth of a point.
const PRECISION: f64 = 1e-10;
/// The maximum number of iterations.
const MOST_ROUNDS: usize = 200;

/// The type of the numbers in the equations, which determines the precision.
///
/// Use 64 bits if a few boards occur thousands of times: in 32 bits, rounding removes the prior from the sums, but most
/// weights depend on the prior alone. Use 32 bits to reproduce weights that were created with 32 bits.
pub trait Number:
    Copy + Into<f64> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Zero in this type.
    const ZERO: Self;

    /// Converts a number to the nearest number that this type can represent.
    fn near(number: f64) -> Self;
}

impl Number for f32 {
    const ZERO: Self = 0.0;

    fn near(number: f64) -> Self {
        number as f32
    }
}

impl Number for f64 {
    const ZERO: Self = 0.0;

    fn near(number: f64) -> Self {
        number
    }
}

/// Returns the change of the weights that removes the residual, found by conjugate gradients.
///
/// `scale` contains the diagonal of the equations' matrix, and `normal` multiplies a change of the weights by this
/// matrix.
pub fn conjugate_gradients<N: Number>(
    mut residual: Vec<N>,
    scale: &[N],
    normal: impl Fn(&[N]) -> Vec<N>,
) -> Vec<N> {
    let scaled = |residual: &[N]| -> Vec<N> {
        let both = residual.iter().zip(scale);
        both.map(|(&r, &s)| r / s).collect()
    };
    let count = residual.len();
    let mut change = vec![N::ZERO; count];
    let mut direction = scaled(&residual);
    let mut size = dot(&residual, &direction);
    let enough = size * PRECISION;
    for _ in 0..MOST_ROUNDS {
        if size <= enough {
            break;
        }
        let image = normal(&direction);
        let step = N::near(size / dot(&direction, &image));
        for weight in 0..count {
            change[weight] = change[weight] + step * direction[weight];
            residual[weight] = residual[weight] - step * image[weight];
        }
        let scaled = scaled(&residual);
        let next = dot(&residual, &scaled);
        let keep = N::near(next / size);
        for weight in 0..count {
            direction[weight] = scaled[weight] + keep * direction[weight];
        }
        size = next;
    }
    change
}

fn dot<N: Number>(a: &[N], b: &[N]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| a.into() * b.into()).sum()
}
