//! Why a game ended by the scores of its engines, as data and as a sentence.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What the scores of the engines say of a game, in hundredths and from the side of the engine that
/// gave them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreReason {
    /// A side has lost.
    Lost {
        /// The name of its seat.
        side: String,
        /// How far behind its scores say it is, at least.
        score: u32,
        /// How many of its moves in a row say so.
        moves: u32,
        /// Whether as many scores of the other side say that it is as far ahead.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        twosided: bool,
    },
    /// The game is even.
    Drawn {
        /// How far from 0 the scores are, at most.
        score: u32,
        /// How many moves in a row of each side say so.
        moves: u32,
    },
}

impl ScoreReason {
    /// Reads the sentence that `Display` makes.
    pub fn of_sentence(words: &str) -> Option<Self> {
        let rest = words.strip_prefix("the last ")?;
        let (moves, rest) = match rest.strip_prefix("score of ") {
            Some(rest) => (1, rest),
            None => {
                let (moves, rest) = rest.split_once(" scores of ")?;
                (moves.parse().ok()?, rest)
            }
        };
        let (side, rest) = rest.rsplit_once(if moves == 1 { " was " } else { " were " })?;
        let read = match rest.strip_prefix("at most ") {
            Some(rest) => ScoreReason::Drawn { score: rest.strip_suffix(" from 0")?.parse().ok()?, moves },
            None => {
                let (score, behind) = rest.strip_prefix('-')?.split_once(" or less")?;
                let (side, score, twosided) = (side.to_owned(), score.parse().ok()?, !behind.is_empty());
                ScoreReason::Lost { side, score, moves, twosided }
            }
        };
        (read.to_string() == words).then_some(read)
    }
}

impl fmt::Display for ScoreReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ScoreReason::Lost { moves, .. } | ScoreReason::Drawn { moves, .. }) = self;
        let (last, were, those) = match moves {
            1 => ("score".to_owned(), "was", "that"),
            more => (format!("{more} scores"), "were", "those"),
        };
        match self {
            ScoreReason::Lost { side, score, twosided, .. } => {
                write!(f, "the last {last} of {side} {were} -{score} or less")?;
                if *twosided { write!(f, ", and {those} of the other side {score} or more") } else { Ok(()) }
            }
            ScoreReason::Drawn { score, .. } => {
                write!(f, "the last {last} of each side {were} at most {score} from 0")
            }
        }
    }
}
