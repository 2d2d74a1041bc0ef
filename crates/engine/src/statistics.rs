//! Statistical inference from observations: means and shares with their 95 % confidence intervals.

pub mod bounded;

/// The 97.5 % quantile of the normal distribution, for two-sided 95 % intervals.
pub const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

/// The 97.5 % quantiles of Student's t distribution with 1 to 10 degrees of freedom.
const STUDENT: [f64; 10] = [
    12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
    2.262_157, 2.228_139,
];

/// Returns the 97.5 % quantile of Student's t distribution. It is infinite for zero degrees of freedom. For more than
/// ten degrees of freedom, it is computed from an expansion (Abramowitz and Stegun, 26.7.5) that is accurate to 0.0001.
pub fn student_quantile(degrees: u64) -> f64 {
    match degrees {
        0 => f64::INFINITY,
        1..=10 => STUDENT[degrees as usize - 1],
        _ => {
            let (x, n) = (NORMAL_QUANTILE, degrees as f64);
            let square = x * x;
            let first = x * (square + 1.0) / 4.0;
            let second = x * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
            let third = x * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
            x + first / n + second / (n * n) + third / (n * n * n)
        }
    }
}

/// An estimate with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The point estimate, which lies within the interval.
    pub value: f64,
    /// The lower end of the interval.
    pub lower: f64,
    /// The upper end of the interval.
    pub upper: f64,
}

impl Estimate {
    /// Creates an estimate whose interval extends by `half` on each side of `value`.
    pub fn around(value: f64, half: f64) -> Self {
        Self {
            value,
            lower: value - half,
            upper: value + half,
        }
    }

    /// Converts the estimate to another scale. The function `scale` must be increasing.
    pub fn map(self, scale: impl Fn(f64) -> f64) -> Self {
        Self {
            value: scale(self.value),
            lower: scale(self.lower),
            upper: scale(self.upper),
        }
    }
}

/// A sample of observations, stored as the sums from which their mean and spread are computed.
///
/// If the observations are whole numbers, the sums are exact, so that the order of the observations does not matter.
/// Otherwise the sums are precise enough unless the mean is many orders of magnitude larger than the spread.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sample {
    count: u64,
    sum: f64,
    squares: f64,
}

impl Sample {
    /// Adds an observation to the sample.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    /// Adds all observations of another sample to this sample.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// Returns the sample with the sign of each observation reversed.
    pub fn negated(self) -> Self {
        Self {
            sum: -self.sum,
            ..self
        }
    }

    /// Returns the number of observations.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean of the observations; 0 without observations.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// Returns the population variance, in which the sum is divided by n; 0 without observations.
    pub fn variance(&self) -> f64 {
        (self.squares / self.count.max(1) as f64 - self.mean() * self.mean()).max(0.0)
    }

    /// Returns the mean of the squared distances of the observations from `centre`.
    pub fn mean_square_about(&self, centre: f64) -> f64 {
        let distance = self.mean() - centre;
        self.variance() + distance * distance
    }

    /// Returns the sample standard deviation, in which the sum is divided by n - 1; 0 for fewer than two observations.
    pub fn deviation(&self) -> f64 {
        match self.count {
            0 | 1 => 0.0,
            count => (self.variance() * count as f64 / (count - 1) as f64).sqrt(),
        }
    }

    /// Returns half the width of the 95 % interval of the mean, from Student's t distribution. Infinite for fewer than
    /// two observations.
    pub fn half_width(&self) -> f64 {
        match self.count {
            0 | 1 => f64::INFINITY,
            count => student_quantile(count - 1) * self.deviation() / (count as f64).sqrt(),
        }
    }

    /// Returns the mean with its 95 % interval; `None` for fewer than two observations.
    pub fn estimate(&self) -> Option<Estimate> {
        let half = self.half_width();
        half.is_finite()
            .then(|| Estimate::around(self.mean(), half))
    }
}

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sample = Self::default();
        values.into_iter().for_each(|value| sample.add(value));
        sample
    }
}

/// Estimates by how much the mean of `one` exceeds the mean of `other`.
///
/// The interval comes from Welch's t-test (B. L. Welch, "The generalization of `Student's' problem when several
/// different population variances are involved", Biometrika 34, 1947), with degrees of freedom rounded down. `None` if
/// a sample has fewer than two observations, or if neither sample varies.
pub fn difference_of_means(one: &Sample, other: &Sample) -> Option<Estimate> {
    let [(one_square, one_freedom), (other_square, other_freedom)] = [one, other].map(|sample| {
        let square = sample.deviation().powi(2) / sample.count.max(1) as f64;
        (square, sample.count.saturating_sub(1) as f64)
    });
    let square = one_square + other_square;
    if one_freedom == 0.0 || other_freedom == 0.0 || square == 0.0 {
        return None;
    }
    let freedom = square * square
        / (one_square * one_square / one_freedom + other_square * other_square / other_freedom);
    let half = student_quantile(freedom as u64) * square.sqrt();
    Some(Estimate::around(one.mean() - other.mean(), half))
}

/// Returns the share of successes among trials, with Wilson's 95 % interval (E. B. Wilson, "Probable inference, the law
/// of succession, and statistical inference", Journal of the American Statistical Association, 1927). Without trials,
/// the interval is from 0 to 1.
pub fn share(successes: u64, trials: u64) -> Estimate {
    if trials == 0 {
        return Estimate {
            value: 0.0,
            lower: 0.0,
            upper: 1.0,
        };
    }
    let n = trials as f64;
    let value = successes as f64 / n;
    let square = NORMAL_QUANTILE * NORMAL_QUANTILE;
    let scale = 1.0 + square / n;
    let centre = (value + square / (2.0 * n)) / scale;
    let variance = value * (1.0 - value) / n + square / (4.0 * n * n);
    let half = NORMAL_QUANTILE * variance.sqrt() / scale;
    Estimate {
        value,
        lower: (centre - half).max(0.0),
        upper: (centre + half).min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_quantiles_are_the_published_ones() {
        // The values are from Fisher and Yates, Statistical Tables, for two-sided tests at 5 %.
        let published = [
            (1, 12.706),
            (2, 4.303),
            (5, 2.571),
            (10, 2.228),
            (11, 2.201),
            (15, 2.131),
            (20, 2.086),
            (30, 2.042),
            (40, 2.021),
            (60, 2.000),
            (120, 1.980),
        ];
        for (degrees, expected) in published {
            let got = student_quantile(degrees);
            assert!((got - expected).abs() < 0.00051, "{degrees}: {got}");
        }
        assert!((student_quantile(10_000_000) - 1.959_964).abs() < 1e-5);
    }

    #[test]
    fn an_interval_is_the_textbook_one() {
        // The mean is 5, the sum of squared deviations 32, the variance 32/7, and t(7) = 2.3646. So half the width is
        // 2.3646 * sqrt(32/7/8) = 1.7875.
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        let sample: Sample = values.into_iter().collect();
        assert_eq!((sample.count(), sample.mean()), (8, 5.0));
        assert!((sample.half_width() - 1.7875).abs() < 1e-4);
        let estimate = sample.negated().estimate().expect("eight observations");
        assert_eq!(estimate.value, -5.0);
        assert!((estimate.upper + 3.2125).abs() < 1e-4);
        let one: Sample = [3.0].into_iter().collect();
        assert_eq!(one.estimate(), None);
    }

    #[test]
    fn samples_merge_as_if_taken_at_once() {
        let values = [1.0, 5.0, 2.5, -4.0, 8.0, 0.5];
        let all: Sample = values.into_iter().collect();
        let mut left: Sample = values[..2].iter().copied().collect();
        left.merge(&values[2..].iter().copied().collect());
        assert_eq!(left, all);
    }

    #[test]
    fn a_difference_of_means_has_the_textbook_interval() {
        // The means are 5 and 2, the squared standard errors 32/7/8 and 2/3/4. With 9.7 degrees of freedom, t(9) =
        // 2.262157 applies, so half the width is 2.262157 * sqrt(0.571429 + 0.166667) = 1.943477.
        let one: Sample = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]
            .into_iter()
            .collect();
        let other: Sample = [1.0, 2.0, 2.0, 3.0].into_iter().collect();
        let found = difference_of_means(&one, &other).expect("both scatter");
        assert_eq!(found.value, 3.0);
        assert!((found.upper - 4.943_477).abs() < 1e-5, "{found:?}");
        let alike: Sample = [3.0, 3.0].into_iter().collect();
        let single: Sample = [3.0].into_iter().collect();
        assert_eq!(difference_of_means(&alike, &alike), None);
        assert_eq!(difference_of_means(&one, &single), None);
    }

    #[test]
    fn wilsons_interval_is_that_of_the_books() {
        let Estimate { lower, upper, .. } = share(8, 10);
        assert!((lower - 0.4902).abs() < 5e-4 && (upper - 0.9433).abs() < 5e-4);
    }
}
