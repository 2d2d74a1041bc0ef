//! What a number of pairs proves: means, intervals, Elo. Pure arithmetic over counts and points.

/// The 97.5 % quantile of the normal distribution: two-sided 95 %.
const NORMAL_975: f64 = 1.959_963_984_540_054;

/// The 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom, from the usual table.
const STUDENT_975: [f64; 30] = [
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010,
    2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687,
    2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
];

/// The 97.5 % quantile of Student's t. Beyond the table by the expansion of Fisher and Cornish ("The
/// percentile points of distributions having known cumulants", 1960), there good to five digits.
fn student_975(degrees: u64) -> f64 {
    if let Some(&quantile) = STUDENT_975.get((degrees.max(1) - 1) as usize) {
        return quantile;
    }
    let (z, v) = (NORMAL_975, degrees as f64);
    let first = (z.powi(3) + z) / (4.0 * v);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * v * v);
    z + first + second
}

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate itself.
    pub value: f64,
    /// The interval's lower end.
    pub lower: f64,
    /// The interval's upper end.
    pub upper: f64,
}

/// Running sums over the results of pairs, in points for the first agent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Points {
    count: u64,
    sum: f64,
    squares: f64,
}

impl Points {
    /// Takes in one pair.
    pub fn add(&mut self, difference: f64) {
        self.count += 1;
        self.sum += difference;
        self.squares += difference * difference;
    }

    /// Takes in all pairs of another, from the other side if `reversed`.
    pub fn merge(&mut self, other: &Points, reversed: bool) {
        self.count += other.count;
        self.sum += if reversed { -other.sum } else { other.sum };
        self.squares += other.squares;
    }

    /// Pairs taken in.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean; 0 without any pair.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// The mean of the squared deviations from `centre`.
    pub fn mean_square_about(&self, centre: f64) -> f64 {
        let deviation = self.mean() - centre;
        self.variance() + deviation * deviation
    }

    /// The variance of the pairs themselves (divided by their number).
    pub fn variance(&self) -> f64 {
        // Differences are whole numbers, so their sums are exact and only the last step rounds.
        (self.squares / self.count.max(1) as f64 - self.mean() * self.mean()).max(0.0)
    }

    /// The mean with its interval by Student's t; `None` for fewer than two pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.count < 2 {
            return None;
        }
        let degrees = self.count - 1;
        let error = (self.variance() / degrees as f64).sqrt() * student_975(degrees);
        let value = self.mean();
        Some(Estimate {
            value,
            lower: value - error,
            upper: value + error,
        })
    }
}

/// How many pairs ended with 0, 1/2, 1, 3/2 and 2 points for the first agent: the pentanomial counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Pairs in all.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Pairs won, drawn and lost.
    pub fn wins_draws_losses(&self) -> [u64; 3] {
        let [lost, almost, drawn, mostly, won] = self.0;
        [won + mostly, drawn, lost + almost]
    }

    /// Each category's score, from 0 to 1, with its count.
    pub fn weighted(&self) -> [(f64, f64); 5] {
        std::array::from_fn(|at| (at as f64 / 4.0, self.0[at] as f64))
    }

    /// The Elo difference with its 95 % interval; `None` without pairs. An end that no finite Elo
    /// difference explains is infinite.
    pub fn elo(&self) -> Option<Estimate> {
        elo(&self.weighted())
    }
}

/// The logistic Elo difference that makes this expected score.
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        -400.0 * (1.0 / score - 1.0).log10()
    }
}

/// The expected score at this Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference from scores with their counts, its interval by the normal distribution of the
/// mean score (as OpenBench and fastchess define it).
pub fn elo(results: &[(f64, f64)]) -> Option<Estimate> {
    let count: f64 = results.iter().map(|(_, count)| count).sum();
    if count < 1.0 {
        return None;
    }
    let mean = results
        .iter()
        .map(|(score, count)| score * count)
        .sum::<f64>()
        / count;
    let variance = results
        .iter()
        .map(|(score, count)| (score - mean).powi(2) * count)
        .sum::<f64>()
        / count;
    let error = NORMAL_975 * (variance / count).sqrt();
    Some(Estimate {
        value: elo_of_score(mean),
        lower: elo_of_score(mean - error),
        upper: elo_of_score(mean + error),
    })
}
