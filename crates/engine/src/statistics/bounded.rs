//! Computes the mean of values between 0 and 1, with a confidence interval that is valid for any sample size.
//!
//! The bounds are Gaffke's ("Three test statistics for a nonparametric one-sided hypothesis on the mean of a
//! nonnegative variable", Mathematical Methods of Statistics 14, 2005; see also Learned-Miller and Thomas, "A new
//! confidence interval for the mean of a bounded random variable", arXiv:1905.06208). For each bound, one more value is
//! added to the sample, 0 for the lower bound and 1 for the upper. All values get random weights that are uniformly
//! distributed among all sets of weights with the sum 1. The bound is a quantile of the weighted mean. If all values
//! are 0 or 1, the result is exactly the interval of Clopper and Pearson (Biometrika 26, 1934). Unlike a normal
//! interval, it does not shrink to a point if all values happen to be equal.

use super::Estimate;

/// The probability that the mean lies below the interval, and also the probability that it lies above the interval.
const TAIL: f64 = 0.025;

/// The step of the numerical integral over the logarithm of the frequency in [`probability_below`]. The integrand is
/// analytic around the real line and vanishes at both ends, so with this step the error of the trapezoidal rule is
/// below 1e-8.
const STEP: f64 = 0.1;

/// Terms of the integral in [`probability_below`] that are smaller than this are ignored.
const NEGLIGIBLE: f64 = 1e-12;

/// The number of bisection steps with which a quantile is found.
const HALVINGS: usize = 44;

/// Returns the mean of values between 0 and 1 with its 95 % interval; `None` without values. `counted` contains each
/// value and how often it occurs, in ascending order of the values. The first value must be 0 and the last 1.
///
/// `doubt` is added both to the count of the value 0 and to the count of the value 1. If `doubt` is positive, neither
/// the mean nor a bound can be 0 or 1.
pub fn bounded_mean(counted: &[(f64, f64)], doubt: f64) -> Option<Estimate> {
    if counted.iter().map(|(_, count)| count).sum::<f64>() <= 0.0 {
        return None;
    }
    let last = counted.len() - 1;
    let mut doubted = counted.to_vec();
    doubted[0].1 += doubt;
    doubted[last].1 += doubt;
    let bound = |end: usize, share: f64| {
        let mut added = doubted.clone();
        // This adds one value at this end of the scale, less the part that `doubt` has already added.
        added[end].1 += 1.0 - doubt;
        quantile(&added, share)
    };
    let all: f64 = doubted.iter().map(|(_, count)| count).sum();
    let sum: f64 = doubted.iter().map(|(value, count)| value * count).sum();
    Some(Estimate {
        value: sum / all,
        lower: bound(0, TAIL),
        upper: bound(last, 1.0 - TAIL),
    })
}

/// Returns the quantile at `share` of a weighted mean with random weights. `weighted` contains each value, and the
/// parameter of the value's weight in the Dirichlet distribution of all weights.
fn quantile(weighted: &[(f64, f64)], share: f64) -> f64 {
    let mut present = weighted.iter().filter(|(_, weight)| *weight > 0.0);
    if let (Some(&(value, _)), None) = (present.next(), present.next()) {
        return value;
    }
    let (mut low, mut high) = bracket(weighted);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if probability_below(weighted, middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// Returns limits that contain every quantile of the weighted mean from 0.025 to 0.975. According to Cantelli's
/// inequality, the probability of a deviation by more than k standard deviations to one side is at most 1 / (1 + k²).
/// Beyond these limits, the integral in [`probability_below`] would need smaller steps.
fn bracket(weighted: &[(f64, f64)]) -> (f64, f64) {
    let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
        weighted
            .iter()
            .map(|&(value, weight)| of(value) * weight)
            .sum()
    };
    let all = sum(&|_| 1.0);
    let mean = sum(&|value| value) / all;
    let variance = sum(&|value| (value - mean).powi(2)) / (all * (all + 1.0));
    let reach = (1.0 / TAIL).sqrt() * variance.sqrt();
    ((mean - reach).max(0.0), (mean + reach).min(1.0))
}

/// Returns the probability that the weighted mean of these values is below `limit`. This is the probability that a sum
/// of independent gamma variables, each multiplied by the distance of its value from the limit, is negative. The
/// probability is computed by inverting the characteristic function (J. P. Imhof, "Computing the distribution of
/// quadratic forms in normal variables", Biometrika 48, 1961).
fn probability_below(weighted: &[(f64, f64)], limit: f64) -> f64 {
    let distances = || (weighted.iter()).map(|&(value, weight)| (value - limit, weight));
    let size: f64 = distances()
        .map(|(distance, weight)| distance.abs() * weight)
        .sum();
    let mut logarithm = (NEGLIGIBLE / size).ln();
    let mut sum = 0.0;
    loop {
        let frequency = logarithm.exp();
        let (mut angle, mut damping) = (0.0, 0.0);
        for (distance, weight) in distances() {
            let turn = distance * frequency;
            angle += weight * turn.atan();
            damping += weight / 2.0 * (turn * turn).ln_1p();
        }
        let magnitude = (-damping).exp();
        sum += angle.sin() * magnitude;
        if magnitude < NEGLIGIBLE {
            break;
        }
        logarithm += STEP;
    }
    0.5 - sum * STEP / std::f64::consts::PI
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(lost: f64, won: f64) -> Estimate {
        bounded_mean(&[(0.0, lost), (1.0, won)], 0.0).expect("there are values")
    }

    #[test]
    fn of_wins_and_losses_it_is_the_interval_of_clopper_and_pearson() {
        // The bounds for no wins and for all wins are closed forms. The other bounds are from tables of the beta
        // distribution.
        for (lost, won, lower, upper) in [
            (0.0, 6.0, 0.025_f64.powf(1.0 / 6.0), 1.0),
            (6.0, 0.0, 0.0, 1.0 - 0.025_f64.powf(1.0 / 6.0)),
            (2.0, 8.0, 0.443_905, 0.974_789),
            (5.0, 5.0, 0.187_086, 0.812_914),
            (1.0, 99.0, 0.945_541, 0.999_747),
        ] {
            let found = interval(lost, won);
            assert!(
                (found.lower - lower).abs() < 1e-6,
                "{lost} {won}: {found:?}"
            );
            assert!(
                (found.upper - upper).abs() < 1e-6,
                "{lost} {won}: {found:?}"
            );
            assert!((found.value - won / (lost + won)).abs() < 1e-12);
        }
    }

    #[test]
    fn a_single_value_in_the_middle_bounds_the_mean_by_a_uniform_weight() {
        let found = bounded_mean(&[(0.0, 0.0), (0.5, 1.0), (1.0, 0.0)], 0.0).expect("a value");
        assert!((found.lower - 0.0125).abs() < 1e-6, "{found:?}");
        assert!((found.upper - 0.9875).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn for_many_values_it_is_the_normal_distributions() {
        for scale in [1_000.0, 1_000_000.0] {
            let counted = [(0.0, 0.2 * scale), (0.5, 0.5 * scale), (1.0, 0.3 * scale)];
            let found = bounded_mean(&counted, 0.25).expect("there are values");
            let half = super::super::NORMAL_QUANTILE * (0.1225 / scale).sqrt();
            assert!((found.upper - 0.55 - half).abs() < 2.0 / scale, "{found:?}");
            assert!((found.lower - 0.55 + half).abs() < 2.0 / scale, "{found:?}");
        }
    }

    #[test]
    fn without_values_there_is_no_mean() {
        assert_eq!(bounded_mean(&[(0.0, 0.0), (1.0, 0.0)], 0.25), None);
    }
}
