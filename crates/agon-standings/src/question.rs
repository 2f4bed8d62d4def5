//! The question that a run is played for: which are the best, who is ahead of whom, or how strong
//! each is. A run ends when it is settled.

use std::fmt;
use std::str::FromStr;

/// The narrowest bars that one may ask for, in Elo. Narrower ones take millions of games.
const LEAST_BAR: f64 = 2.0;
/// The widest ones.
const MOST_BAR: f64 = 400.0;

/// A question about all entrants of a run. It is about the score of each against the whole field:
/// the mean of its expected scores against all others, each of them with the same weight.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RunQuestion {
    /// Which ones are the best, so many of them.
    Cut(usize),
    /// How strong each is: the Elo of its score is known to so much in both directions.
    Bars(f64),
    /// Who is ahead of whom, from the first place to the last.
    Order,
}

/// A cut that is not within the field.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cut={cut}: of {entrants} engines a cut is from 1 to {}", entrants - 1)]
pub struct WrongCut {
    /// The cut.
    pub cut: usize,
    /// The number of entrants, at least 2.
    pub entrants: usize,
}

impl RunQuestion {
    /// Whether so many entrants can be asked about, at least two.
    ///
    /// # Errors
    /// [`WrongCut`]: all of them or none would be the best.
    pub fn fits(self, entrants: usize) -> Result<(), WrongCut> {
        match self {
            RunQuestion::Cut(cut) if cut == 0 || cut >= entrants => {
                Err(WrongCut { cut, entrants: entrants.max(2) })
            }
            _ => Ok(()),
        }
    }
}

/// `cut=4`, `bars=25` or `order`.
impl FromStr for RunQuestion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is no question; write cut=4 for the best four, bars=25 for bars of 25 Elo, or order for \
                 the whole order"
            )
        };
        match text.split_once('=') {
            None if text == "order" => Ok(RunQuestion::Order),
            Some(("cut", cut)) => {
                let cut: u32 = cut.parse().map_err(|_| wrong())?;
                if cut == 0 { Err(wrong()) } else { Ok(RunQuestion::Cut(cut as usize)) }
            }
            Some(("bars", bars)) => {
                let width: f64 = bars.parse().map_err(|_| wrong())?;
                if (LEAST_BAR..=MOST_BAR).contains(&width) {
                    return Ok(RunQuestion::Bars(width));
                }
                Err(format!("bars are from {LEAST_BAR} to {MOST_BAR} Elo; write a number like bars=25"))
            }
            _ => Err(wrong()),
        }
    }
}

/// The text can be read back.
impl fmt::Display for RunQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunQuestion::Cut(cut) => write!(f, "cut={cut}"),
            RunQuestion::Bars(bars) => write!(f, "bars={bars}"),
            RunQuestion::Order => f.write_str("order"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_read_back_and_other_texts_are_refused_with_what_to_write() {
        for text in ["cut=4", "bars=25", "bars=7.5", "order"] {
            assert_eq!(text.parse::<RunQuestion>().unwrap().to_string(), text);
        }
        for wrong in ["", "cut", "cut=", "cut=0", "cut=-1", "cut=4.5", "bars", "bars=x", "order=1", "Order"] {
            let why = wrong.parse::<RunQuestion>().unwrap_err();
            assert!(why.contains("write cut=4"), "{wrong}: {why}");
        }
        for wrong in ["bars=0", "bars=-3", "bars=nan", "bars=inf", "bars=1e9"] {
            let why = wrong.parse::<RunQuestion>().unwrap_err();
            assert!(why.contains("from 2 to 400"), "{wrong}: {why}");
        }
    }

    #[test]
    fn a_cut_leaves_somebody_on_both_sides() {
        assert!(RunQuestion::Cut(4).fits(5).is_ok() && RunQuestion::Order.fits(2).is_ok());
        let why = RunQuestion::Cut(5).fits(5).unwrap_err().to_string();
        assert!(why.contains("from 1 to 4"), "{why}");
    }
}
