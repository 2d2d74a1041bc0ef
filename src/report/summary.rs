//! Means with their intervals.

/// The quantile of the normal distribution that leaves 2.5 % on each side.
const NORMAL: f64 = 1.959_963_984_540_054;

/// The same of Student's t with 1 to 10 degrees of freedom.
const STUDENT: [f64; 10] = [
    12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
    2.262_157, 2.228_139,
];

/// The 97.5 % quantile of Student's t; beyond ten degrees of freedom by expansion (Abramowitz and
/// Stegun, 26.7.5), right to 0.0001.
pub fn student_quantile(degrees: usize) -> f64 {
    match degrees {
        0 => f64::INFINITY,
        1..=10 => STUDENT[degrees - 1],
        _ => {
            let (x, n) = (NORMAL, degrees as f64);
            let square = x * x;
            let first = x * (square + 1.0) / 4.0;
            let second = x * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
            let third = x * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
            x + first / n + second / (n * n) + third / (n * n * n)
        }
    }
}

/// Collects figures for their mean and its 95 % interval (Welford, 1962).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mean {
    count: usize,
    mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

impl Mean {
    /// Adds a figure.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let distance = value - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (value - self.mean);
    }

    /// How many figures.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Their mean, if there are any.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// Half the width of the 95 % interval around the mean; none for fewer than two figures.
    pub fn half_width(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let count = self.count as f64;
        let deviation = (self.squares / (count - 1.0) / count).sqrt();
        Some(student_quantile(self.count - 1) * deviation)
    }
}

impl FromIterator<f64> for Mean {
    fn from_iter<I: IntoIterator<Item = f64>>(figures: I) -> Self {
        let mut mean = Self::default();
        figures.into_iter().for_each(|figure| mean.add(figure));
        mean
    }
}
