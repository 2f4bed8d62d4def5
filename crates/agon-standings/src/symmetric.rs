//! Symmetric positive definite matrices, as far as a Newton step and its errors need them.

/// The lower triangle of a symmetric matrix, row by row.
#[derive(Clone, Debug)]
pub(super) struct Symmetric {
    size: usize,
    cells: Vec<f64>,
}

/// A matrix as the product of a lower triangle and its transpose.
pub(super) struct Factor(Symmetric);

impl Symmetric {
    pub(super) fn zero(size: usize) -> Self {
        Symmetric { size, cells: vec![0.0; size * (size + 1) / 2] }
    }

    fn place(row: usize, column: usize) -> usize {
        let (low, high) = if row < column { (row, column) } else { (column, row) };
        high * (high + 1) / 2 + low
    }

    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[Self::place(row, column)]
    }

    pub(super) fn at_mut(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.cells[Self::place(row, column)]
    }

    /// Its factor (Cholesky); `None` if it is not positive definite.
    pub(super) fn factor(mut self) -> Option<Factor> {
        for row in 0..self.size {
            let start = row * (row + 1) / 2;
            for column in 0..=row {
                let other = column * (column + 1) / 2;
                // Slices and not `at`: this is the inner loop of a fit of 500 engines.
                let (before, own) = self.cells.split_at(start);
                let done = if column == row { &own[..column] } else { &before[other..other + column] };
                let product: f64 = done.iter().zip(&own[..column]).map(|(a, b)| a * b).sum();
                let rest = own[column] - product;
                self.cells[start + column] = if column == row {
                    if rest.is_nan() || rest <= 0.0 {
                        return None;
                    }
                    rest.sqrt()
                } else {
                    rest / self.cells[other + column]
                };
            }
        }
        Some(Factor(self))
    }
}

impl Factor {
    /// The vector that the matrix maps to this one.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        for row in 0..x.len() {
            let line = &self.0.cells[row * (row + 1) / 2..][..=row];
            let known: f64 = line[..row].iter().zip(&x).map(|(a, b)| a * b).sum();
            x[row] = (x[row] - known) / line[row];
        }
        for row in (0..x.len()).rev() {
            let line = &self.0.cells[row * (row + 1) / 2..][..=row];
            x[row] /= line[row];
            let value = x[row];
            for (cell, factor) in x[..row].iter_mut().zip(&line[..row]) {
                *cell -= factor * value;
            }
        }
        x
    }

    /// The inverse of the matrix.
    pub(super) fn inverse(&self) -> Symmetric {
        let size = self.0.size;
        let mut inverse = Symmetric::zero(size);
        for column in 0..size {
            let mut unit = vec![0.0; size];
            unit[column] = 1.0;
            let solved = self.solve(&unit);
            for (row, value) in solved.iter().enumerate().skip(column) {
                *inverse.at_mut(row, column) = *value;
            }
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Symmetric {
        let mut matrix = Symmetric::zero(rows.len());
        for (row, line) in rows.iter().enumerate() {
            for (column, value) in line.iter().enumerate() {
                *matrix.at_mut(row, column) = *value;
            }
        }
        matrix
    }

    #[test]
    fn an_inverse_undoes_its_matrix() {
        let rows: [&[f64]; 3] = [&[4.0], &[2.0, 5.0], &[-1.0, 0.5, 3.0]];
        let full = matrix(&rows);
        let inverse = full.clone().factor().unwrap().inverse();
        for row in 0..3 {
            for column in 0..3 {
                let cell: f64 = (0..3).map(|k| full.at(row, k) * inverse.at(k, column)).sum();
                assert!((cell - f64::from(u8::from(row == column))).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        assert!(matrix(&[&[1.0], &[2.0, 1.0]]).factor().is_none());
        assert!(matrix(&[&[0.0]]).factor().is_none());
    }
}
