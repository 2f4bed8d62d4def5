//! How entrants with equal points got different places: the steps that separated them.

use crate::points::Amount;

/// Entrants with equal points, of whom some were separated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettledTie {
    /// What they were tied in: `groups, group A`, `finals, semi-final 1`. It is empty outside of
    /// stages.
    pub title: String,
    /// Their names, the best first.
    pub names: Vec<String>,
    /// The points of each; `None` if their shares of the possible points are equal and their points
    /// are not.
    pub points: Option<Amount>,
    /// The rank of the first of them, among all or in its group.
    pub rank: usize,
    /// Whether a cut goes through them: some advance by it, others do not.
    pub is_across_cut: bool,
    /// The steps that separated some of them, in their order. Steps that changed nothing are left
    /// out.
    pub steps: Vec<TieStep>,
}

/// A step that separated entrants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TieStep {
    /// What decided: `play-off 1`, `games won`, `lot`.
    pub by: String,
    /// The entrants that it separated, the best first, each with its number. Equal numbers leave
    /// equals to the next step. A lot has no numbers.
    pub order: Vec<(String, String)>,
    /// How games of a play-off came to a result that nobody played, in words, if any did.
    pub unplayed: Option<String>,
}
