//! Tournament points: exact amounts, and the points for a win, a draw and a loss.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An exact number of points, stored in thousandths, so that half of a quarter point is still
/// exact.
///
/// Written without trailing zeros, `7.5`; read as `7.5`, `1/2` or `½`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Amount(i64);

impl Amount {
    /// No points.
    pub const ZERO: Amount = Amount(0);
    /// One point.
    pub const ONE: Amount = Amount(Self::UNIT);
    const UNIT: i64 = 1000;

    /// From thousandths of a point.
    pub(crate) fn of_thousandths(thousandths: i64) -> Amount {
        Amount(thousandths)
    }

    /// A whole number of points, at most as many as an amount can hold.
    pub(crate) fn whole(points: i64) -> Amount {
        Amount(points.saturating_mul(Self::UNIT))
    }

    /// In thousandths of a point.
    pub fn thousandths(self) -> i64 {
        self.0
    }

    /// For inexact arithmetic: shares, averages, drawings.
    #[allow(clippy::cast_precision_loss)] // exact below 2^53 thousandths
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / Self::UNIT as f64
    }

    /// It with its noun: `1 point`, `2.5 points`.
    pub fn counted(self) -> String {
        format!("{self} {}", if self == Amount::ONE { "point" } else { "points" })
    }

    /// Half of it. Exact for every amount read from text, and for sums of such amounts.
    #[must_use]
    pub fn half(self) -> Amount {
        Amount(self.0 / 2)
    }
}

impl Add for Amount {
    type Output = Amount;
    fn add(self, other: Amount) -> Amount {
        Amount(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        *self = *self + other;
    }
}

impl Mul<u64> for Amount {
    type Output = Amount;
    fn mul(self, times: u64) -> Amount {
        Amount(self.0.saturating_mul(i64::try_from(times).expect("fewer than 2^63 games were played")))
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Amount>>(amounts: I) -> Amount {
        amounts.fold(Amount::ZERO, Add::add)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) = (self.0.unsigned_abs() / 1000, self.0.unsigned_abs() % 1000);
        let fraction = format!(".{rest:03}");
        f.pad(&format!("{sign}{whole}{}", fraction.trim_end_matches('0').trim_end_matches('.')))
    }
}

impl FromStr for Amount {
    type Err = PointsError;
    fn from_str(text: &str) -> Result<Amount, PointsError> {
        let wrong = || PointsError::Amount(text.to_owned());
        let number = |part: &str| -> Result<i64, PointsError> {
            if part.len() > 6 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(wrong());
            }
            part.parse().map_err(|_| wrong())
        };
        if text == "½" {
            return Ok(Amount::ONE.half());
        }
        // Read in hundredths and stored in thousandths, so that `half` is exact.
        if let Some((above, below)) = text.split_once('/') {
            let (above, below) = (number(above)? * 100, number(below)?);
            return if below == 0 || above % below != 0 {
                Err(wrong())
            } else {
                Ok(Amount(above / below * 10))
            };
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let hundredths = match fraction.len() {
            1 => number(fraction)? * 10,
            2 => number(fraction)?,
            _ => return Err(wrong()),
        };
        Ok(Amount((number(whole)? * 100 + hundredths) * 10))
    }
}

/// The points for a win, a draw and a loss. Written `2-1-0`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Points {
    win: Amount,
    draw: Amount,
    loss: Amount,
}

impl Points {
    /// 2 for a win and 1 for a draw, as in the letters contest.
    pub const TWO_ONE_NONE: Points = Points { win: Amount(2000), draw: Amount(1000), loss: Amount::ZERO };
    /// 1 for a win and a half for a draw, as in chess.
    pub const CHESS: Points = Points { win: Amount::ONE, draw: Amount(500), loss: Amount::ZERO };
    pub(crate) const MOST: Amount = Amount(100_000);

    /// Other points.
    ///
    /// # Errors
    /// A win is not worth more than a loss, a draw is not between them, or a win is worth more than
    /// 100.
    pub fn new(win: Amount, draw: Amount, loss: Amount) -> Result<Points, PointsError> {
        if win > loss && win >= draw && draw >= loss && loss >= Amount::ZERO && win <= Self::MOST {
            Ok(Points { win, draw, loss })
        } else {
            Err(PointsError::Order { win, draw, loss })
        }
    }

    /// The points for a win.
    pub fn win(self) -> Amount {
        self.win
    }

    /// The points for a draw.
    pub fn draw(self) -> Amount {
        self.draw
    }

    /// The points for a loss.
    pub fn loss(self) -> Amount {
        self.loss
    }

    /// The points for these games.
    pub fn of(self, games: Wdl) -> Amount {
        self.win * games.wins + self.draw * games.draws + self.loss * games.losses
    }
}

impl Default for Points {
    fn default() -> Self {
        Points::TWO_ONE_NONE
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.win, self.draw, self.loss)
    }
}

impl FromStr for Points {
    type Err = PointsError;
    fn from_str(text: &str) -> Result<Points, PointsError> {
        let parts: Vec<&str> = text.split('-').map(str::trim).collect();
        let [win, draw, loss] = parts[..] else { return Err(PointsError::Shape(text.to_owned())) };
        Points::new(win.parse()?, draw.parse()?, loss.parse()?)
    }
}

impl From<Points> for String {
    fn from(points: Points) -> String {
        points.to_string()
    }
}

impl TryFrom<String> for Points {
    type Error = PointsError;
    fn try_from(text: String) -> Result<Points, PointsError> {
        text.parse()
    }
}

/// Why a text is not points.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PointsError {
    /// It does not have three parts.
    #[error("{0:?} is not points; write WIN-DRAW-LOSS like 2-1-0 or 1-1/2-0")]
    Shape(String),
    /// It does not have a number for each place.
    #[error("{text:?} does not have the points of {seats} places; games with {seats} seats take a number for each place, like {}, or sum", usual(*.seats))]
    Places {
        /// The text.
        text: String,
        /// The number of seats.
        seats: usize,
    },
    /// A worse place has more points, or all have the same.
    #[error(
        "{0:?}: a better place must not have fewer points than a worse one, the first must have more than the last, and none more than 100"
    )]
    PlaceOrder(String),
    /// A part is not a number.
    #[error("{0:?} is not a number of points; write it like 2, 0.5 or 1/2, with at most two decimals")]
    Amount(String),
    /// The three contradict each other.
    #[error(
        "a win ({win}) must be worth more than a loss ({loss}), a draw ({draw}) something between them, and nothing more than 100"
    )]
    Order {
        /// For a win.
        win: Amount,
        /// For a draw.
        draw: Amount,
        /// For a loss.
        loss: Amount,
    },
}

/// The usual points by place, as text.
fn usual(seats: usize) -> String {
    (0..seats).rev().map(|points| points.to_string()).collect::<Vec<_>>().join("-")
}

/// The numbers of games won, drawn and lost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Wdl {
    /// Games won: alone on first place.
    pub wins: u64,
    /// Games drawn: first place shared.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// The number of games.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Of games that nobody played: how they came to their result, in words; `None` if there are
    /// none. `are_part` says that others of the match were played.
    pub fn unplayed_words(self, are_part: bool) -> Option<String> {
        let how = match (self.wins + self.losses, self.draws) {
            (0, 0) => return None,
            (_, 0) => "won by forfeit",
            (0, _) => "drawn",
            _ => "won by forfeit or drawn",
        };
        let (number, games) = (self.games(), if self.games() == 1 { "game" } else { "games" });
        Some(if are_part { format!("{number} {games} {how}, unplayed") } else { format!("{how}, unplayed") })
    }

    /// The same games as the opponent sees them.
    #[must_use]
    pub fn reversed(self) -> Wdl {
        Wdl { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl Add for Wdl {
    type Output = Wdl;
    fn add(self, other: Wdl) -> Wdl {
        Wdl {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl AddAssign for Wdl {
    fn add_assign(&mut self, other: Wdl) {
        *self = *self + other;
    }
}

impl Sum for Wdl {
    fn sum<I: Iterator<Item = Wdl>>(games: I) -> Wdl {
        games.fold(Wdl::default(), Add::add)
    }
}

/// `3-1-2`: won, drawn, lost.
impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}-{}-{}", self.wins, self.draws, self.losses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    #[test]
    fn amounts_are_exact_and_have_no_trailing_zeros() {
        for (text, shown) in
            [("2", "2"), ("0.5", "0.5"), ("1/2", "0.5"), ("½", "0.5"), ("3.10", "3.1"), ("10", "10")]
        {
            assert_eq!(amount(text).to_string(), shown);
        }
        assert_eq!(amount("0.25").half().to_string(), "0.125");
        assert_eq!((amount("0.1") * 10).to_string(), "1");
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["", ".", "1.", "-1", "+1", "1/0", "1/3", "0.125", "1e3", "x", "99999999", "1/2/3", "٣"]
        {
            assert!(text.parse::<Amount>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn points_are_read_and_written() {
        assert_eq!("2-1-0".parse(), Ok(Points::TWO_ONE_NONE));
        assert_eq!("1-1/2-0".parse(), Ok(Points::CHESS));
        assert_eq!("1 - ½ - 0".parse(), Ok(Points::CHESS));
        assert_eq!(Points::CHESS.to_string(), "1-0.5-0");
    }

    #[test]
    fn points_that_reward_losing_are_refused() {
        assert!(matches!("2-1".parse::<Points>(), Err(PointsError::Shape(_))));
        assert!(matches!("2-1-x".parse::<Points>(), Err(PointsError::Amount(_))));
        for text in ["0-0-0", "1-2-0", "1-0-0.5", "1-1-1", "101-1-0"] {
            assert!(matches!(text.parse::<Points>(), Err(PointsError::Order { .. })), "{text}");
        }
    }

    #[test]
    fn games_are_worth_their_sum() {
        let games = Wdl { wins: 3, draws: 1, losses: 2 };
        assert_eq!(Points::CHESS.of(games), amount("3.5"));
        assert_eq!(Points::TWO_ONE_NONE.of(games), amount("7"));
        assert_eq!(games.reversed().to_string(), "2-1-3");
        assert_eq!(games.games(), 6);
    }
}
