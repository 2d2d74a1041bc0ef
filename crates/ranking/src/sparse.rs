//! Solves the sparse equations of a fit by conjugate gradients (M. R. Hestenes and E. Stiefel, "Methods of conjugate
//! gradients for solving linear systems", Journal of Research of the National Bureau of Standards 49, 1952).
//!
//! Each comparison of two participants is one entry, so a step takes time in proportion to the number of comparisons.
//! Sixteen right-hand sides are solved at once, because they share the pass through the comparisons.
//!
//! All vectors here have the mean zero in each group of connected participants, because the results do not determine
//! the mean of a group.

/// The number of right-hand sides that are solved at once.
pub(crate) const LANES: usize = 16;

/// The number of probes that estimate an inverse. They estimate the variance of a single difference with a standard
/// error of 13 %, and a mean over all participants with a far smaller one.
const PROBES: usize = 128;

/// The number of random vectors that estimate a covariance. They estimate the width of an interval with a standard error
/// of 4 %.
const FACTORS: usize = 256;

/// The precision of a single solution, relative to the right-hand side of the equations.
const FINE: f64 = 1e-12;

/// The precision of an exact inverse, relative to the right-hand side of the equations.
const PRECISE: f64 = 1e-7;

/// The precision of an estimated inverse, relative to the right-hand side of the equations.
const ROUGH: f64 = 1e-3;

/// The entries of several vectors for one participant.
pub(crate) type Lanes = [f64; LANES];

/// A symmetric matrix: the information about differences between participants, plus a constant on the diagonal.
pub(crate) struct Information {
    groups: Vec<usize>,
    /// For each participant, 1 divided by the size of its group.
    shares: Vec<f64>,
    /// The constant that is added to the diagonal.
    pull: f64,
    diagonal: Vec<f64>,
    /// The reciprocals of the diagonal; 0 where it is 0.
    reciprocals: Vec<f64>,
    /// For each participant, the index of its first neighbor in `neighbors`.
    starts: Vec<usize>,
    /// The neighbors of all participants, each with the weight of the comparison.
    neighbors: Vec<(u32, f64)>,
}

impl Information {
    /// Creates the matrix from comparisons.
    ///
    /// Each comparison consists of two participants and a weight. `groups` has the group of each
    /// participant; see [`Crosstable::groups`](crate::crosstable::Crosstable::groups).
    pub fn new(groups: &[usize], comparisons: &[(usize, usize, f64)], pull: f64) -> Self {
        let size = groups.len();
        let mut sizes = vec![0.0; size];
        for &group in groups {
            sizes[group] += 1.0;
        }
        let mut starts = vec![0; size + 1];
        for &(one, other, _) in comparisons {
            starts[one + 1] += 1;
            starts[other + 1] += 1;
        }
        for at in 0..size {
            starts[at + 1] += starts[at];
        }
        let mut ends = starts.clone();
        let mut diagonal = vec![pull; size];
        let mut neighbors = vec![(0, 0.0); 2 * comparisons.len()];
        for &(one, other, weight) in comparisons {
            for (from, to) in [(one, other), (other, one)] {
                neighbors[ends[from]] = (to as u32, weight);
                ends[from] += 1;
                diagonal[from] += weight;
            }
        }
        Self {
            groups: groups.to_vec(),
            shares: groups.iter().map(|&group| 1.0 / sizes[group]).collect(),
            pull,
            reciprocals: (diagonal.iter())
                .map(|&entry| if entry > 0.0 { 1.0 / entry } else { 0.0 })
                .collect(),
            diagonal,
            starts,
            neighbors,
        }
    }

    pub fn size(&self) -> usize {
        self.groups.len()
    }

    pub fn pull(&self) -> f64 {
        self.pull
    }

    /// Returns 1 divided by the size of each participant's group.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Subtracts the mean of each group.
    pub fn center(&self, vectors: &mut [Lanes]) {
        let mut means = vec![[0.0; LANES]; self.size()];
        for ((vector, &group), share) in vectors.iter().zip(&self.groups).zip(&self.shares) {
            for (mean, entry) in means[group].iter_mut().zip(vector) {
                *mean += share * entry;
            }
        }
        for (vector, &group) in vectors.iter_mut().zip(&self.groups) {
            for (entry, mean) in vector.iter_mut().zip(&means[group]) {
                *entry -= mean;
            }
        }
    }

    fn times(&self, vectors: &[Lanes], products: &mut [Lanes]) {
        for (one, product) in products.iter_mut().enumerate() {
            let mut sum = vectors[one].map(|entry| self.diagonal[one] * entry);
            for &(other, weight) in &self.neighbors[self.starts[one]..self.starts[one + 1]] {
                for (sum, entry) in sum.iter_mut().zip(&vectors[other as usize]) {
                    *sum -= weight * entry;
                }
            }
            *product = sum;
        }
    }

    /// Solves the equations for these right-hand sides. `found` contains a first guess and receives the solutions.
    pub fn solve(&self, sides: &[Lanes], found: &mut [Lanes], precision: f64) {
        let mut rests = vec![[0.0; LANES]; self.size()];
        self.times(found, &mut rests);
        let (mut goals, mut errors) = ([0.0; LANES], [0.0; LANES]);
        let mut ways = vec![[0.0; LANES]; self.size()];
        for (one, rest) in rests.iter_mut().enumerate() {
            for lane in 0..LANES {
                let side = sides[one][lane];
                rest[lane] = side - rest[lane];
                ways[one][lane] = rest[lane] * self.reciprocals[one];
                goals[lane] += precision * precision * side * side * self.reciprocals[one];
                errors[lane] += rest[lane] * ways[one][lane];
            }
        }
        let mut products = vec![[0.0; LANES]; self.size()];
        // In exact arithmetic, as many iterations as participants suffice.
        for _ in 0..100 + 4 * self.size() {
            if errors.iter().zip(&goals).all(|(error, goal)| error <= goal) {
                break;
            }
            self.times(&ways, &mut products);
            let mut curvatures = [0.0; LANES];
            for (way, product) in ways.iter().zip(&products) {
                for lane in 0..LANES {
                    curvatures[lane] += way[lane] * product[lane];
                }
            }
            let mut lengths = [0.0; LANES];
            for lane in 0..LANES {
                if errors[lane] > goals[lane] && curvatures[lane] > 0.0 {
                    lengths[lane] = errors[lane] / curvatures[lane];
                }
            }
            let last = std::mem::take(&mut errors);
            let vectors = found
                .iter_mut()
                .zip(&mut rests)
                .zip(ways.iter().zip(&products));
            for (((found, rest), (way, product)), reciprocal) in vectors.zip(&self.reciprocals) {
                for lane in 0..LANES {
                    found[lane] += lengths[lane] * way[lane];
                    rest[lane] -= lengths[lane] * product[lane];
                    errors[lane] += rest[lane] * rest[lane] * reciprocal;
                }
            }
            let mut turns = [0.0; LANES];
            for lane in 0..LANES {
                if last[lane] > 0.0 {
                    turns[lane] = errors[lane] / last[lane];
                }
            }
            for ((way, rest), reciprocal) in ways.iter_mut().zip(&rests).zip(&self.reciprocals) {
                for lane in 0..LANES {
                    way[lane] = rest[lane] * reciprocal + turns[lane] * way[lane];
                }
            }
        }
        self.center(found);
    }

    /// Solves the equations for a single right-hand side.
    pub fn solve_one(&self, side: &[f64]) -> Vec<f64> {
        let lanes = |&entry: &f64| {
            let mut lanes = [0.0; LANES];
            lanes[0] = entry;
            lanes
        };
        let mut sides: Vec<Lanes> = side.iter().map(lanes).collect();
        self.center(&mut sides);
        let mut found = vec![[0.0; LANES]; self.size()];
        self.solve(&sides, &mut found, FINE);
        found.iter().map(|lanes| lanes[0]).collect()
    }
}

/// The inverse of an [`Information`], as its products with probe vectors. If the inverse is exact, the probes are all
/// unit vectors. Otherwise, the entries of the probes are +1 and -1 (C. Bekas, E. Kokiopoulou and Y. Saad, "An estimator
/// for the diagonal of a matrix", Applied Numerical Mathematics 57, 2007).
pub(crate) struct Inverse {
    is_exact: bool,
    blocks: Vec<Vec<Lanes>>,
}

impl Inverse {
    /// Creates an inverse for this number of participants. Its value is undefined before the first call of
    /// [`update`](Self::update).
    pub fn new(size: usize, is_exact: bool) -> Self {
        let probes = if is_exact { size } else { PROBES };
        Self {
            is_exact,
            blocks: vec![vec![[0.0; LANES]; size]; probes.div_ceil(LANES)],
        }
    }

    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Computes the inverse of this matrix. The last inverse is the first guess, so that small changes take little
    /// time.
    pub fn update(&mut self, information: &Information) {
        let precision = if self.is_exact { PRECISE } else { ROUGH };
        for block in 0..self.blocks.len() {
            let sides = self.sides(information, block);
            information.solve(&sides, &mut self.blocks[block], precision);
        }
    }

    /// Returns the probes of a block.
    fn sides(&self, information: &Information, block: usize) -> Vec<Lanes> {
        let mut sides: Vec<Lanes> = (0..information.size())
            .map(|one| self.probes(one, block))
            .collect();
        information.center(&mut sides);
        sides
    }

    /// Returns the entries of a block's probes for one participant.
    fn probes(&self, one: usize, block: usize) -> Lanes {
        match self.is_exact {
            true => std::array::from_fn(|lane| f64::from(one == block * LANES + lane)),
            false => signs(one, block).map(|sign| sign / (PROBES as f64).sqrt()),
        }
    }

    /// Returns the value of the inverse as a quadratic form.
    ///
    /// `entries` are the entries of the vector that are not 0. With the entries 1 and -1, the value is the variance of a
    /// difference, divided by the dispersion.
    pub fn of(&self, entries: &[(usize, f64)]) -> f64 {
        let blocks = 0..self.blocks.len();
        if self.is_exact {
            let products = entries.iter().flat_map(|&(one, factor)| {
                (entries.iter())
                    .map(move |&(other, its)| factor * its * at(&self.blocks, one, other))
            });
            return products.sum();
        }
        let of_block = |block: usize| {
            let (mut probes, mut solved) = ([0.0; LANES], [0.0; LANES]);
            for &(one, factor) in entries {
                for (lane, probe) in self.probes(one, block).into_iter().enumerate() {
                    probes[lane] += factor * probe;
                    solved[lane] += factor * self.blocks[block][one][lane];
                }
            }
            probes
                .iter()
                .zip(solved)
                .map(|(probe, it)| probe * it)
                .sum::<f64>()
        };
        blocks.map(of_block).sum::<f64>().max(0.0)
    }

    /// Returns how much of the estimates the results determine.
    ///
    /// This is the sum of the squares of all entries of 1 - M⁻¹ `pull`.
    pub fn determined(&self, information: &Information) -> f64 {
        let of_block = |block: usize| {
            let sides = self.sides(information, block);
            let entries = sides
                .iter()
                .flatten()
                .zip(self.blocks[block].iter().flatten());
            entries
                .map(|(side, it)| (side - information.pull() * it).powi(2))
                .sum::<f64>()
        };
        (0..self.blocks.len()).map(of_block).sum()
    }

    /// Returns the covariance of the ratings.
    ///
    /// This is M⁻¹ B M⁻¹ + d d', in which M is `information`, of which this is the inverse, B is
    /// `scatter`, and d is `drift`. The standard deviations are multiplied by `scale`.
    pub fn covariance(
        mut self,
        information: &Information,
        scatter: &Scatter,
        drift: &[f64],
        scale: f64,
    ) -> Covariance {
        if self.is_exact {
            for (number, block) in self.blocks.iter_mut().enumerate() {
                let sides = scatter.times(block);
                information.solve(&sides, block, PRECISE);
                for (vector, by) in block.iter_mut().zip(drift) {
                    for (entry, other) in vector.iter_mut().zip(&drift[number * LANES..]) {
                        *entry = scale * scale * (*entry + by * other);
                    }
                }
            }
            return Covariance::Exact(self.blocks);
        }
        drop(self);
        let mut factors = vec![Vec::with_capacity(FACTORS + 1); information.size()];
        for block in 0..FACTORS / LANES {
            let mut sides = scatter.probes(information.size(), block);
            information.center(&mut sides);
            let mut found = vec![[0.0; LANES]; information.size()];
            information.solve(&sides, &mut found, ROUGH);
            for (factors, found) in factors.iter_mut().zip(found) {
                factors.extend(found.map(|it| scale * it / (FACTORS as f64).sqrt()));
            }
        }
        for (factors, by) in factors.iter_mut().zip(drift) {
            factors.push(scale * by);
        }
        Covariance::Factors(factors)
    }
}

/// The observed scatter of the results: a sum of squares of vectors with few entries, plus a constant on the diagonal.
#[derive(Default)]
pub(crate) struct Scatter {
    /// The constant on the diagonal.
    pub level: f64,
    entries: Vec<(usize, f64)>,
    /// For each vector, the end of its part of `entries`.
    ends: Vec<usize>,
}

impl Scatter {
    /// Adds the square of a vector. The entries of the vector must have the sum zero.
    pub fn add(&mut self, entries: impl IntoIterator<Item = (usize, f64)>) {
        self.entries.extend(entries);
        self.ends.push(self.entries.len());
    }

    fn vectors(&self) -> impl Iterator<Item = &[(usize, f64)]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        (starts.zip(&self.ends)).map(|(start, &end)| &self.entries[start..end])
    }

    fn times(&self, block: &[Lanes]) -> Vec<Lanes> {
        let mut products: Vec<Lanes> = (block.iter())
            .map(|lanes| lanes.map(|entry| self.level * entry))
            .collect();
        for vector in self.vectors() {
            let mut sums = [0.0; LANES];
            for &(one, factor) in vector {
                for (sum, entry) in sums.iter_mut().zip(&block[one]) {
                    *sum += factor * entry;
                }
            }
            for &(one, factor) in vector {
                for (product, sum) in products[one].iter_mut().zip(sums) {
                    *product += factor * sum;
                }
            }
        }
        products
    }

    /// Returns random vectors whose mean square is this scatter.
    fn probes(&self, size: usize, block: usize) -> Vec<Lanes> {
        let level = self.level.sqrt();
        let mut probes: Vec<Lanes> = (0..size)
            .map(|one| signs(one, block).map(|sign| level * sign))
            .collect();
        for (number, vector) in self.vectors().enumerate() {
            let signs = signs(size + number, block);
            for &(one, factor) in vector {
                for (probe, sign) in probes[one].iter_mut().zip(signs) {
                    *probe += sign * factor;
                }
            }
        }
        probes
    }
}

/// The covariance matrix of ratings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Covariance {
    /// All entries, in blocks of [`LANES`] columns.
    Exact(Vec<Vec<Lanes>>),
    /// For each participant, its entries in vectors. The matrix is the sum of the squares of these vectors.
    Factors(Vec<Vec<f64>>),
}

impl Covariance {
    /// Returns the variance of a rating.
    pub fn of_rating(&self, one: usize) -> f64 {
        match self {
            Self::Exact(blocks) => at(blocks, one, one),
            Self::Factors(factors) => factors[one].iter().map(|factor| factor * factor).sum(),
        }
    }

    /// Returns the variance of the difference between two ratings.
    pub fn of_difference(&self, one: usize, other: usize) -> f64 {
        match self {
            Self::Exact(blocks) => {
                let both = at(blocks, one, other) + at(blocks, other, one);
                (at(blocks, one, one) + at(blocks, other, other) - both).max(0.0)
            }
            Self::Factors(factors) => {
                let both = factors[one].iter().zip(&factors[other]);
                both.map(|(one, other)| (one - other).powi(2)).sum()
            }
        }
    }
}

fn at(blocks: &[Vec<Lanes>], one: usize, other: usize) -> f64 {
    blocks[other / LANES][one][other % LANES]
}

/// Returns fixed pseudo-random signs, +1 or -1, for two numbers (G. L. Steele, D. Lea and C. H. Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014).
fn signs(one: usize, block: usize) -> Lanes {
    let mut bits = ((one as u64) << 32 | block as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    std::array::from_fn(|lane| {
        if bits >> (63 - lane) & 1 == 1 {
            1.0
        } else {
            -1.0
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns comparisons in which each participant meets ten others.
    fn comparisons(size: usize) -> Vec<(usize, usize, f64)> {
        let steps = [1, 2, 5, 11, 73];
        let of = |one: usize| {
            steps.map(|by| (one, (one + by) % size, 0.1 + (one * by % 7) as f64 / 20.0))
        };
        (0..size).flat_map(of).collect()
    }

    #[test]
    fn solutions_fulfil_the_equations_in_each_group() {
        let links = [(0, 1, 2.0), (1, 2, 0.5), (0, 2, 1.0), (3, 4, 3.0)];
        let groups = [0, 0, 0, 3, 3, 5];
        for pull in [0.0, 0.7] {
            let information = Information::new(&groups, &links, pull);
            let side = [1.0, -3.0, 5.0, 1.0, 2.0, 9.0];
            let found = information.solve_one(&side);
            let means = [1.0, 1.0, 1.0, 1.5, 1.5, 9.0];
            for one in 0..groups.len() {
                let mut product = pull * found[one];
                for (first, second, weight) in links {
                    let other = if one == first { second } else { first };
                    if one == first || one == second {
                        product += weight * (found[one] - found[other]);
                    }
                }
                assert!(
                    (product - (side[one] - means[one])).abs() < 1e-9,
                    "{one}: {product}"
                );
            }
        }
    }

    #[test]
    fn probes_estimate_what_unit_vectors_find() {
        let size = 400;
        let links = comparisons(size);
        let information = Information::new(&vec![0; size], &links, 0.5);
        let [exact, estimated] = [true, false].map(|is_exact| {
            let mut inverse = Inverse::new(size, is_exact);
            inverse.update(&information);
            inverse
        });
        let trace = |inverse: &Inverse| (0..size).map(|one| inverse.of(&[(one, 1.0)])).sum::<f64>();
        let ratio = trace(&estimated) / trace(&exact);
        assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
        let ratio = estimated.determined(&information) / exact.determined(&information);
        assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
        let mut squares = 0.0;
        for &(one, other, _) in &links {
            let difference = [(one, 1.0), (other, -1.0)];
            squares += (estimated.of(&difference) / exact.of(&difference) - 1.0).powi(2);
        }
        let error = (squares / links.len() as f64).sqrt();
        assert!(error < 0.15, "{error}");
    }

    #[test]
    fn factors_estimate_the_covariance() {
        let size = 400;
        let links = comparisons(size);
        let information = Information::new(&vec![0; size], &links, 0.5);
        let mut scatter = Scatter {
            level: 0.4,
            ..Scatter::default()
        };
        for &(one, other, weight) in &links {
            scatter.add([(one, weight), (other, -weight)]);
        }
        let drift: Vec<f64> = (0..size)
            .map(|one| if one % 2 == 0 { 0.3 } else { -0.3 })
            .collect();
        let [exact, estimated] = [true, false].map(|is_exact| {
            let mut inverse = Inverse::new(size, is_exact);
            inverse.update(&information);
            inverse.covariance(&information, &scatter, &drift, 2.0)
        });
        let (mut sum, mut squares) = (0.0, 0.0);
        for one in 0..size {
            let other = (one + 17) % size;
            for (found, expected) in [
                (estimated.of_rating(one), exact.of_rating(one)),
                (
                    estimated.of_difference(one, other),
                    exact.of_difference(one, other),
                ),
            ] {
                sum += found / expected - 1.0;
                squares += (found / expected - 1.0).powi(2);
            }
        }
        let [mean, error] = [sum, squares].map(|it| it / (2 * size) as f64);
        assert!(
            mean.abs() < 0.03 && error.sqrt() < 0.12,
            "{mean} {}",
            error.sqrt()
        );
    }
}
