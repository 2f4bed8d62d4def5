//! The words of solved games: value, remoteness, and an answer that may be "unknown".

use std::cmp::Ordering;
use std::fmt;

/// The result of a position under perfect play of both sides, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move wins.
    Won,
    /// Neither side can win.
    Drawn,
    /// The other side wins.
    Lost,
}

impl Value {
    /// The same result for the other side.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Value::Won => Value::Lost,
            Value::Drawn => Value::Drawn,
            Value::Lost => Value::Won,
        }
    }

    /// `won`, `drawn` or `lost`.
    pub fn name(self) -> &'static str {
        match self {
            Value::Won => "won",
            Value::Drawn => "drawn",
            Value::Lost => "lost",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The plies to the end of the game, if the winner takes the shortest way and the loser the
/// longest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Remoteness {
    /// So many plies. 0 in a position in which the game is over.
    Plies(u16),
    /// A drawn position has no remoteness.
    None,
    /// The value is proven, but the plies are not known.
    Unknown,
}

impl Remoteness {
    /// The plies, if they are known.
    pub fn plies(self) -> Option<u16> {
        match self {
            Remoteness::Plies(plies) => Some(plies),
            Remoteness::None | Remoteness::Unknown => None,
        }
    }
}

/// A proven value with its remoteness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Solution {
    /// The value for the side to move.
    pub value: Value,
    /// The plies to the end.
    pub remoteness: Remoteness,
}

impl Solution {
    /// A drawn position.
    pub(crate) const DRAWN: Solution = Solution { value: Value::Drawn, remoteness: Remoteness::None };

    /// Won in so many plies.
    pub const fn won(plies: u16) -> Self {
        Solution { value: Value::Won, remoteness: Remoteness::Plies(plies) }
    }

    /// Lost in so many plies.
    pub const fn lost(plies: u16) -> Self {
        Solution { value: Value::Lost, remoteness: Remoteness::Plies(plies) }
    }

    /// The solution of a move that leads to this position, for the side that makes the move:
    /// turned, and one ply longer.
    #[must_use]
    pub fn before(self) -> Self {
        let remoteness = match self.remoteness {
            Remoteness::Plies(plies) => Remoteness::Plies(plies + 1),
            other => other,
        };
        Solution { value: self.value.turned(), remoteness }
    }

    /// Compares two solutions for the side to move; the better one is greater. A shorter win is
    /// better, and a longer loss. Unknown plies are worse than known ones of the same value.
    pub fn quality(self, other: Self) -> Ordering {
        let rank = |value| match value {
            Value::Won => 2,
            Value::Drawn => 1,
            Value::Lost => 0,
        };
        let plies = |solution: Solution| match (solution.value, solution.remoteness.plies()) {
            (_, None) => i32::MIN,
            (Value::Won, Some(plies)) => -i32::from(plies),
            (_, Some(plies)) => i32::from(plies),
        };
        rank(self.value).cmp(&rank(other.value)).then_with(|| plies(self).cmp(&plies(other)))
    }
}

/// `won in 13`, `lost in 4`, `drawn`; `won` if the plies are not known.
impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.remoteness {
            Remoteness::Plies(plies) => write!(f, "{} in {plies}", self.value),
            Remoteness::None | Remoteness::Unknown => write!(f, "{}", self.value),
        }
    }
}

/// What is known of a position. It is never a guess.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Valuation {
    /// The value is proven.
    Known(Solution),
    /// It is not known, for the reason given in a few words.
    Unknown {
        /// Why.
        why: &'static str,
    },
}

impl Valuation {
    /// The solution, if there is one.
    pub fn known(self) -> Option<Solution> {
        match self {
            Valuation::Known(solution) => Some(solution),
            Valuation::Unknown { .. } => None,
        }
    }

    /// The valuation of a move that leads to this position, see [`Solution::before`].
    #[must_use]
    pub fn before(self) -> Self {
        match self {
            Valuation::Known(solution) => Valuation::Known(solution.before()),
            unknown @ Valuation::Unknown { .. } => unknown,
        }
    }

    /// Compares two moves; the better one is greater. An unknown one stands between drawn and lost.
    pub fn quality(self, other: Self) -> Ordering {
        let is_lost = |solution: Solution| solution.value == Value::Lost;
        match (self.known(), other.known()) {
            (Some(one), Some(other)) => one.quality(other),
            (None, None) => Ordering::Equal,
            (Some(one), None) if is_lost(one) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (None, Some(other)) if is_lost(other) => Ordering::Greater,
            (None, Some(_)) => Ordering::Less,
        }
    }
}

impl From<Solution> for Valuation {
    fn from(solution: Solution) -> Self {
        Valuation::Known(solution)
    }
}

impl fmt::Display for Valuation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Valuation::Known(solution) => solution.fmt(f),
            Valuation::Unknown { why } => write!(f, "unknown: {why}"),
        }
    }
}

/// A legal move with its value for the side that makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// The move in the form that an engine writes: `X,3-4r7`.
    pub text: String,
    /// Its value for the side to move, and the plies from the present position to the end. So the
    /// best move has the solution of the position.
    pub valuation: Valuation,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_ranked_from_the_shortest_win_to_the_shortest_loss() {
        let unknown = Valuation::Unknown { why: "it is not solved" };
        let won = Solution { value: Value::Won, remoteness: Remoteness::Unknown };
        let best_first = [
            Solution::won(1).into(),
            Solution::won(3).into(),
            won.into(),
            Solution::DRAWN.into(),
            unknown,
            Solution::lost(8).into(),
            Solution::lost(2).into(),
        ];
        for (one, better) in best_first.iter().enumerate() {
            for (other, worse) in best_first.iter().enumerate() {
                assert_eq!(better.quality(*worse), other.cmp(&one), "{better} {worse}");
            }
        }
    }

    #[test]
    fn a_move_is_worth_the_opposite_one_ply_later() {
        assert_eq!(Solution::lost(4).before(), Solution::won(5));
        assert_eq!(Solution::DRAWN.before(), Solution::DRAWN);
        assert_eq!(Solution::won(0).before().to_string(), "lost in 1");
    }
}
