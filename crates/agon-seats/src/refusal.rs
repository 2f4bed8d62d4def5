//! Why a move was refused.

/// Why a move was refused. The position is unchanged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The text is not a move in this game's notation. The words say what is wrong in it.
    #[error("{0}")]
    Unreadable(String),
    /// The text is a move, but illegal in this position. The words name the rule.
    #[error("{0}")]
    Illegal(String),
}

impl Refusal {
    /// A refusal of a text that is not a move of this game.
    pub fn unreadable(why: impl Into<String>) -> Self {
        Refusal::Unreadable(why.into())
    }

    /// A refusal of an illegal move.
    pub fn illegal(why: impl Into<String>) -> Self {
        Refusal::Illegal(why.into())
    }
}
