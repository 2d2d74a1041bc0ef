//! Computes inverses of symmetric matrices with the Cholesky decomposition.

/// The number of partial sums in a dot product. Processors can compute several partial sums at once. This number
/// affects the results slightly, because the rounding of a sum depends on the order of the terms.
const LANES: usize = 8;

/// A square matrix with `size` rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    size: usize,
    /// All entries, row by row.
    entries: Vec<f64>,
}

impl Matrix {
    pub fn zero(size: usize) -> Self {
        Self {
            size,
            entries: vec![0.0; size * size],
        }
    }

    pub fn size(&self) -> usize {
        self.size
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    pub fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.size..][..self.size]
    }

    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.entries[row * self.size..][..self.size]
    }

    /// Sets the entry in this row and column, and also the entry with row and column exchanged.
    pub fn set_both(&mut self, row: usize, column: usize, value: f64) {
        self.row_mut(row)[column] = value;
        self.row_mut(column)[row] = value;
    }

    /// Adds the information from a comparison of two participants. As a quadratic form, it is `weight` times the square
    /// of the difference between the two.
    pub fn add_comparison(&mut self, one: usize, other: usize, weight: f64) {
        self.row_mut(one)[one] += weight;
        self.row_mut(other)[other] += weight;
        self.row_mut(one)[other] -= weight;
        self.row_mut(other)[one] -= weight;
    }

    /// Returns the value of the matrix, as a quadratic form, for the difference between two participants. For a
    /// covariance matrix, this is the variance of the difference.
    pub fn of_difference(&self, one: usize, other: usize) -> f64 {
        self.at(one, one) + self.at(other, other) - 2.0 * self.at(one, other)
    }

    /// Returns the inverse. The matrix must be symmetric and positive definite. Otherwise the result is meaningless.
    pub fn inverse(mut self) -> Self {
        let size = self.size;
        // The lower triangle is replaced by L, for which L L' is the original matrix.
        for row in 0..size {
            let (above, from) = self.entries.split_at_mut(row * size);
            let own = &mut from[..size];
            for column in 0..row {
                let other = &above[column * size..][..=column];
                let rest = own[column] - dot(&own[..column], &other[..column]);
                own[column] = rest / other[column];
            }
            own[row] = (own[row] - dot(&own[..row], &own[..row])).sqrt();
        }
        // The columns of the inverse of L are stored as rows here.
        let mut columns = Self::zero(size);
        let mut sums = vec![0.0; size];
        let mut inverse_rows = Self::zero(size);
        for row in 0..size {
            let own = self.row(row);
            sums[..row].fill(0.0);
            for (known, &factor) in own[..row].iter().enumerate() {
                let terms = &inverse_rows.row(known)[..=known];
                for (sum, term) in sums.iter_mut().zip(terms) {
                    *sum -= factor * term;
                }
            }
            sums[row] = 1.0;
            for (column, sum) in sums[..=row].iter().enumerate() {
                inverse_rows.row_mut(row)[column] = sum / own[row];
                columns.row_mut(column)[row] = sum / own[row];
            }
        }
        let mut inverse = inverse_rows;
        for row in 0..size {
            for column in 0..=row {
                let product = dot(&columns.row(row)[row..], &columns.row(column)[row..]);
                inverse.set_both(row, column, product);
            }
        }
        inverse
    }
}

/// Returns the dot product of two vectors of equal length.
pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (one, one_rest) = one.as_chunks::<LANES>();
    let (other, other_rest) = other.as_chunks::<LANES>();
    for (one, other) in one.iter().zip(other) {
        for ((sum, one), other) in sums.iter_mut().zip(one).zip(other) {
            *sum += one * other;
        }
    }
    let rest = one_rest.iter().zip(other_rest);
    sums.iter().sum::<f64>() + rest.map(|(one, other)| one * other).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        for size in [1, 2, 7, 8, 9, 40] {
            let mut matrix = Matrix::zero(size);
            for row in 0..size {
                matrix.row_mut(row)[row] = 1.0 + row as f64 / 7.0;
                for column in 0..row {
                    let weight = ((row * 31 + column * 17) % 11) as f64 / 3.0;
                    matrix.add_comparison(row, column, weight);
                }
            }
            let inverse = matrix.clone().inverse();
            for row in 0..size {
                for column in 0..size {
                    let product = dot(matrix.row(row), inverse.row(column));
                    let expected = f64::from(u8::from(row == column));
                    assert!(
                        (product - expected).abs() < 1e-10,
                        "{row} {column}: {product}"
                    );
                }
            }
        }
    }
}
