//! Solves normal equations.

/// When the conjugate gradients end: far below what a hundredth of a point needs.
const PRECISION: f64 = 1e-10;
const MOST_ROUNDS: usize = 200;

/// The change of weights that takes away what is left of them, by conjugate gradients, each weight scaled by
/// its own share in the equations; `normal` is what the equations make of a change.
pub fn conjugate_gradients(
    mut residual: Vec<f32>,
    scale: &[f32],
    normal: impl Fn(&[f32]) -> Vec<f32>,
) -> Vec<f32> {
    let count = residual.len();
    let mut change = vec![0.0f32; count];
    let mut direction: Vec<f32> = residual.iter().zip(scale).map(|(r, s)| r / s).collect();
    let mut size = dot(&residual, &direction);
    let enough = size * PRECISION;
    for _ in 0..MOST_ROUNDS {
        if size <= enough {
            break;
        }
        let image = normal(&direction);
        let step = (size / dot(&direction, &image)) as f32;
        for weight in 0..count {
            change[weight] += step * direction[weight];
            residual[weight] -= step * image[weight];
        }
        let scaled: Vec<f32> = residual.iter().zip(scale).map(|(r, s)| r / s).collect();
        let next = dot(&residual, &scaled);
        let keep = (next / size) as f32;
        for weight in 0..count {
            direction[weight] = scaled[weight] + keep * direction[weight];
        }
        size = next;
    }
    change
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| f64::from(*a) * f64::from(*b))
        .sum()
}
