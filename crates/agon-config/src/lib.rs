//! What a run is to be: its options from the command line, and a `tournament.toml`.
//!
//! An option that is not given is `None` or empty. Flags override the file, and defaults come last.

#![warn(missing_docs)]

mod entrant;
mod event;
mod exit;
mod game_arg;
mod game_parts;
mod game_text;
mod isolation;
mod lines;
mod options;
mod pin;
mod score_rules;
mod table;
mod tournament;
mod values;

pub mod asked_question;
pub mod candidates;
pub mod grades;
pub mod league;
pub mod stages;

pub use entrant::{EntrantFile, NamedValues, OwnOdds, OwnTable};
pub use event::{EventFile, Logo};
pub use exit::CommandExit;
pub use game_arg::GameArg;
pub use game_text::OF_LETTERS;
pub use isolation::{Confinement, KeptSize, Ponder, Size};
pub use lines::{KeyLines, decimal_comma};
pub use options::Options;
pub use pin::Pin;
pub use score_rules::{AskedRule, DrawRule, DrawWhen, ResignRule, ResignWhen, ScoreRules};
pub use table::Key;
pub use tournament::{TopFile, TournamentFile};
pub use values::{
    AtMost, Deadline, EngineTime, GameTime, Moment, OpeningsFrom, Part, RunLabel, Seconds, whole,
};

/// An error of the user: a wrong flag, file or engine. The program leaves with exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{what}{}", .hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}")))]
pub struct Misuse {
    /// What is wrong, with file, line and key.
    pub what: String,
    /// The next step, as a command to the user.
    pub hint: Option<String>,
}

impl Misuse {
    /// An error whose words already say what is needed.
    pub fn error(what: impl Into<String>) -> anyhow::Error {
        Misuse { what: what.into(), hint: None }.into()
    }

    /// An error and the next step. They are shown on two lines.
    pub fn hinted(what: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Misuse { what: what.into(), hint: Some(hint.into()) }.into()
    }

    /// An error of one of our parsers, whose words put the next step behind the last `; `. `place`
    /// is the flag, or the file, line and key.
    pub fn misread(place: &str, why: &str) -> anyhow::Error {
        match Misuse::parts(why) {
            Some((what, hint)) => Misuse::hinted(format!("{place}: {what}"), hint),
            None => Misuse::error(format!("{place}: {why}")),
        }
    }

    /// What is wrong, and the next step behind the last `; `. What a user has written stands in
    /// quotation marks, and is not looked at.
    pub fn parts(why: &str) -> Option<(&str, &str)> {
        let is_outside = |at: &usize| why[..*at].matches('"').count().is_multiple_of(2);
        let at = why.rmatch_indices("; ").map(|(at, _)| at).find(is_outside)?;
        Some((&why[..at], &why[at + 2..]))
    }
}

#[cfg(test)]
mod tests {
    use super::Misuse;

    #[test]
    fn the_next_step_is_never_what_a_user_has_written() {
        assert_eq!(Misuse::parts("it is wrong; write x"), Some(("it is wrong", "write x")));
        assert_eq!(Misuse::parts("this is \"a; b\"; write \"x\""), Some(("this is \"a; b\"", "write \"x\"")));
        assert_eq!(Misuse::parts("this is \"a; b\""), None);
        assert_eq!(Misuse::parts("no step"), None);
    }
}
