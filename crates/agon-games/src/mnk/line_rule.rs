//! Which lines win an m,n,k game, and the words for it.

/// Which lines win. The usual rule is [`LineRule::Free`].
///
/// The other rules are those of Gomocup, the tournament of programs for five in a row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LineRule {
    /// A line of k or more wins.
    #[default]
    Free,
    /// A line of exactly k wins.
    Exact,
    /// A line of k or more wins, except a line of exactly k with a stone of the other side at each
    /// end. The edge of the board blocks no line.
    Caro,
    /// A line of exactly k wins, unless a stone of the other side is at each end.
    ExactCaro,
    /// Five in a line as in renju: the first seat wins by exactly five, the second by five or more.
    /// The first seat loses by a forbidden move, see [`Foul`](super::Foul).
    Renju,
}

impl LineRule {
    /// The rule of these words among the options of a game, if they are words of one rule.
    pub(super) fn of(words: &[&str]) -> Option<LineRule> {
        match words {
            [] => Some(LineRule::Free),
            ["exact"] => Some(LineRule::Exact),
            ["caro"] => Some(LineRule::Caro),
            ["exact", "caro"] | ["caro", "exact"] => Some(LineRule::ExactCaro),
            ["renju"] => Some(LineRule::Renju),
            _ => None,
        }
    }

    /// The rule as an option of the game: `exact`. Empty for the usual rule.
    pub fn option(self) -> &'static str {
        match self {
            LineRule::Free => "",
            LineRule::Exact => "exact",
            LineRule::Caro => "caro",
            LineRule::ExactCaro => "exact,caro",
            LineRule::Renju => "renju",
        }
    }

    /// The number of the rule in Gomocup's protocol, `INFO rule`: a sum of 1 for `exact`, 4 for
    /// `renju` and 8 for `caro`.
    pub(super) fn gomocup(self) -> u32 {
        match self {
            LineRule::Free => 0,
            LineRule::Exact => 1,
            LineRule::Renju => 4,
            LineRule::Caro => 8,
            LineRule::ExactCaro => 9,
        }
    }

    /// Whether a line wins that is longer than k by so many stones.
    pub(super) fn wins(self, is_first: bool, longer: u8, is_blocked: impl FnOnce() -> bool) -> bool {
        match self {
            LineRule::Free => true,
            LineRule::Exact => longer == 0,
            LineRule::Caro => longer > 0 || !is_blocked(),
            LineRule::ExactCaro => longer == 0 && !is_blocked(),
            LineRule::Renju => longer == 0 || !is_first,
        }
    }

    /// Why a line has ended the game, for people.
    pub(super) fn why(self, is_first: bool) -> &'static str {
        match self {
            LineRule::Free => "a line of k or more",
            LineRule::Renju if !is_first => "a line of k or more",
            LineRule::Exact | LineRule::Renju => "a line of exactly k",
            LineRule::Caro => "a line of k or more that is not blocked",
            LineRule::ExactCaro => "a line of exactly k that is not blocked",
        }
    }
}
