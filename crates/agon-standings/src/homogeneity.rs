//! Whether counts differ between several groups by more than chance: Pearson's chi-square test.

use crate::rating::normal;

/// The least expected count of a cell for which the test is used (Cochran 1954).
const LEAST_EXPECTED: f64 = 5.0;
/// The share of cells that may be below it.
const FEW_CELLS: f64 = 0.2;

/// What the test says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Homogeneity {
    /// There is only one group, or only one kind of event.
    NothingToCompare,
    /// The expected counts are too small for the test.
    TooFew,
    /// The test could be made.
    Tested(ChiSquare),
}

/// The result of a test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChiSquare {
    /// The sum of squared differences over expected counts.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub freedom: u32,
    /// The probability of a statistic as large if no group differs.
    pub p: f64,
}

/// Tests a table of counts, a row for each group and a column for each kind of event. All rows have
/// as many columns as the first. Empty rows and columns are left out.
pub fn test(counts: &[Vec<u64>]) -> Homogeneity {
    let columns = counts.first().map_or(0, Vec::len);
    let column = |at: usize| counts.iter().map(|row| row[at]).sum::<u64>();
    let sums: Vec<(usize, u64)> =
        (0..columns).map(|at| (at, column(at))).filter(|(_, sum)| *sum > 0).collect();
    let rows: Vec<(&Vec<u64>, u64)> =
        counts.iter().map(|row| (row, row.iter().sum())).filter(|(_, sum)| *sum > 0).collect();
    if rows.len() < 2 || sums.len() < 2 {
        return Homogeneity::NothingToCompare;
    }
    let all: u64 = rows.iter().map(|(_, sum)| sum).sum();
    let (mut statistic, mut small) = (0.0, 0);
    for (row, of_row) in &rows {
        for (at, of_column) in &sums {
            let expected = exact(*of_row) * exact(*of_column) / exact(all);
            statistic += (exact(row[*at]) - expected).powi(2) / expected;
            small += u32::from(expected < LEAST_EXPECTED);
            if expected < 1.0 {
                return Homogeneity::TooFew;
            }
        }
    }
    let cells = exact((rows.len() * sums.len()) as u64);
    if f64::from(small) > FEW_CELLS * cells {
        return Homogeneity::TooFew;
    }
    let freedom = u32::try_from((rows.len() - 1) * (sums.len() - 1)).unwrap_or(u32::MAX);
    Homogeneity::Tested(ChiSquare { statistic, freedom, p: tail(statistic, freedom) })
}

#[allow(clippy::cast_precision_loss)] // counts of games are far below 2^53
fn exact(count: u64) -> f64 {
    count as f64
}

/// The probability that a chi-square variable is above this (Abramowitz and Stegun 26.4.4, 26.4.5).
fn tail(statistic: f64, freedom: u32) -> f64 {
    let half = statistic / 2.0;
    let sum = |first: f64, start: u32| {
        let (mut term, mut sum, mut k) = (first, 0.0, start);
        while k < freedom {
            sum += term;
            k += 2;
            term *= statistic / f64::from(k);
        }
        sum
    };
    // Scaled by exp(-x/2) at once, so that no term is larger than a probability.
    let p = if freedom.is_multiple_of(2) {
        sum((-half).exp(), 0)
    } else {
        let root = statistic.sqrt();
        2.0 * normal(-root) + sum((2.0 / std::f64::consts::PI).sqrt() * (-half).exp() * root, 1)
    };
    p.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_that_of_tables() {
        // 5 % points of the printed tables.
        for (freedom, at) in [(1, 3.8415), (2, 5.9915), (3, 7.8147), (4, 9.4877), (7, 14.0671), (30, 43.773)]
        {
            let p = tail(at, freedom);
            assert!((p - 0.05).abs() < 1e-5, "{freedom}: {p}");
        }
        assert!((tail(0.0, 3) - 1.0).abs() < 1e-12 && (tail(0.0, 4) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn equal_shares_agree_and_unequal_ones_do_not() {
        let Homogeneity::Tested(same) = test(&[vec![50, 30, 20], vec![100, 60, 40]]) else { panic!() };
        assert!(same.freedom == 2 && same.p > 0.999, "{same:?}");
        let Homogeneity::Tested(other) = test(&[vec![90, 10], vec![60, 40]]) else { panic!() };
        assert!(other.freedom == 1 && (other.statistic - 24.0).abs() < 1e-9 && other.p < 1e-5, "{other:?}");
    }

    #[test]
    fn what_cannot_be_tested_is_not() {
        assert_eq!(test(&[vec![50, 50]]), Homogeneity::NothingToCompare);
        assert_eq!(test(&[vec![50, 0], vec![40, 0]]), Homogeneity::NothingToCompare);
        assert_eq!(test(&[vec![3, 1], vec![2, 2]]), Homogeneity::TooFew);
        assert_eq!(test(&[]), Homogeneity::NothingToCompare);
    }
}
