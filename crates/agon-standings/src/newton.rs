//! The maximum of a concave function by Newton's method, and the errors of its place.

use std::ops::Range;

use super::symmetric::{Factor, Symmetric};

/// Newton's method doubles the correct digits in each step; so many are needed only for a distant
/// start.
const MOST_STEPS: usize = 200;

/// Where the function has its maximum. `slope` gives its gradient and the factor of its negative
/// Hessian. They may be shorter than a place, whose last numbers then stay as they are. `None` if
/// there is no maximum or the search does not find it.
pub(super) fn maximum(
    start: Vec<f64>,
    value: impl Fn(&[f64]) -> f64,
    slope: impl Fn(&[f64]) -> Option<(Vec<f64>, Factor)>,
) -> Option<Vec<f64>> {
    let mut at = start;
    let mut best = value(&at);
    for _ in 0..MOST_STEPS {
        let (gradient, factor) = slope(&at)?;
        let step = factor.solve(&gradient);
        let gain: f64 = step.iter().zip(&gradient).map(|(a, b)| a * b).sum();
        if gain < 1e-18 {
            return Some(at);
        }
        // A full step may overshoot where the slope bends; half of it, or a quarter, does not.
        let mut length = 1.0;
        loop {
            let next = moved(&at, &step, length);
            let there = value(&next);
            if there >= best + 1e-4 * length * gain {
                if there <= best {
                    // So close that rounding hides any difference.
                    return Some(at);
                }
                (at, best) = (next, there);
                break;
            }
            length /= 2.0;
            if length < 1e-9 {
                // Rounding hides any better place.
                return Some(at);
            }
        }
    }
    None
}

fn moved(at: &[f64], step: &[f64], length: f64) -> Vec<f64> {
    at.iter().enumerate().map(|(i, x)| x + length * step.get(i).unwrap_or(&0.0)).collect()
}

/// The covariances of ratings, which come first, and of other unknowns.
#[derive(Clone, Debug)]
pub(super) struct Covariances {
    entrants: usize,
    cells: Symmetric,
}

#[allow(clippy::cast_precision_loss)] // fewer than 2^53 entrants
impl Covariances {
    /// From the factor of the negative Hessian at the maximum, with so many unknowns kept, in units
    /// of which `scale` is one. Games say nothing about a shift of all ratings, so the variance of
    /// the shift is set to 0.
    pub(super) fn of(factor: &Factor, entrants: usize, unknowns: usize, scale: f64) -> Self {
        let inverse = factor.inverse();
        let mut cells = Symmetric::zero(unknowns);
        let shift: f64 = (0..entrants)
            .flat_map(|a| (0..entrants).map(move |b| (a, b)))
            .map(|(a, b)| inverse.at(a, b))
            .sum();
        for row in 0..unknowns {
            for column in 0..=row {
                let common =
                    if row < entrants && entrants > 0 { shift / (entrants as f64).powi(2) } else { 0.0 };
                *cells.at_mut(row, column) = (inverse.at(row, column) - common) / scale.powi(2);
            }
        }
        Covariances { entrants, cells }
    }

    /// The standard error of one unknown.
    pub(super) fn error(&self, unknown: usize) -> f64 {
        self.cells.at(unknown, unknown).max(0.0).sqrt()
    }

    /// The standard error of a rating against the average of all: M C M with M = I - 11'/n.
    pub(super) fn error_in_the_field(&self, entrant: usize) -> f64 {
        let size = self.entrants;
        let mean = |row| (0..size).map(|column| self.cells.at(row, column)).sum::<f64>() / size as f64;
        // The mean of all is the variance of the common shift, which is 0.
        (self.cells.at(entrant, entrant) - mean(entrant) - mean(entrant)).max(0.0).sqrt()
    }

    /// The standard error of one of these unknowns against their average.
    pub(super) fn error_among(&self, block: Range<usize>, unknown: usize) -> f64 {
        let size = block.len() as f64;
        let mean = |row: usize| block.clone().map(|column| self.cells.at(row, column)).sum::<f64>() / size;
        let common = block.clone().map(mean).sum::<f64>() / size;
        (self.cells.at(unknown, unknown) - 2.0 * mean(unknown) + common).max(0.0).sqrt()
    }

    /// The variance of the difference of two unknowns.
    pub(super) fn of_difference(&self, one: usize, other: usize) -> f64 {
        let cell = |a, b| self.cells.at(a, b);
        cell(one, one) + cell(other, other) - 2.0 * cell(one, other)
    }
}
