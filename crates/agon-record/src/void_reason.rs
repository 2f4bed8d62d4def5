//! Why a game is void, as data: [`VoidReason`]. Its `Display` makes the sentence.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What stands between the name of a program and what has changed in its files.
const CHANGED: &str = " changed while the run went on: ";

/// Why a game counts for nobody.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidReason {
    /// The files of a program are not those that were hashed. This is seen after the game too, so
    /// such a game may have ended by its rules.
    ProgramChanged {
        /// The name of the engine, or of the game of a referee program.
        program: String,
        /// What has changed.
        how: String,
    },
    /// The referee program is at fault.
    RefereeFault {
        /// The name of its game.
        game: String,
        /// What it did.
        fault: String,
    },
    /// The organiser has decided so.
    Decided {
        /// Whether the game is to be played again.
        again: bool,
        /// The organiser's reason.
        why: String,
    },
    /// Agon or the machine has spoilt it, in these words. They are stored as a sentence.
    #[serde(skip)]
    Words(String),
}

impl VoidReason {
    /// The words, if there is no more than words.
    pub fn words(&self) -> Option<&str> {
        match self {
            VoidReason::Words(words) => Some(words),
            _ => None,
        }
    }

    /// The data, if it is more than words.
    pub fn data(&self) -> Option<&VoidReason> {
        if self.words().is_some() { None } else { Some(self) }
    }

    /// The reason from what is stored of it. Sentences that agon 0.2.0 or an older one has written
    /// tell of a changed program by its words.
    pub fn of_parts(words: String, data: Option<VoidReason>) -> Self {
        if let Some(data) = data {
            return data;
        }
        match words.split_once(CHANGED) {
            Some((program, how)) => {
                VoidReason::ProgramChanged { program: program.to_owned(), how: how.to_owned() }
            }
            None => VoidReason::Words(words),
        }
    }

    /// Whether it names this fault of the referee program. In an older sentence the fault is the
    /// end.
    pub fn is_of_referee(&self, fault: &str) -> bool {
        match self {
            VoidReason::RefereeFault { fault: own, .. } => own == fault,
            VoidReason::Words(words) => words.ends_with(fault),
            VoidReason::ProgramChanged { .. } | VoidReason::Decided { .. } => false,
        }
    }
}

impl From<String> for VoidReason {
    fn from(words: String) -> Self {
        VoidReason::Words(words)
    }
}

impl fmt::Display for VoidReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VoidReason::ProgramChanged { program, how } => write!(f, "{program}{CHANGED}{how}"),
            VoidReason::RefereeFault { game, fault } => write!(f, "the referee {game}: {fault}"),
            VoidReason::Decided { again: false, why } => write!(f, "by decision of the organiser: {why}"),
            VoidReason::Decided { again: true, why } => {
                write!(f, "to be played again, by decision of the organiser: {why}")
            }
            VoidReason::Words(words) => f.write_str(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_an_older_record_tells_of_a_changed_program_and_reads_back() {
        let changed = VoidReason::ProgramChanged { program: "ada".into(), how: "ada/run is gone".into() };
        assert_eq!(VoidReason::of_parts(changed.to_string(), None), changed);
        let other = VoidReason::of_parts("the machine has no room".into(), None);
        assert_eq!(other, VoidReason::Words("the machine has no room".into()));
        assert_eq!(VoidReason::of_parts(String::new(), Some(changed.clone())), changed);
    }

    #[test]
    fn a_fault_of_a_referee_is_that_of_the_game_alone() {
        let fault = VoidReason::RefereeFault { game: "dots".into(), fault: "it said x".into() };
        assert!(fault.is_of_referee("it said x") && !fault.is_of_referee("it said y"));
        assert!(!fault.is_of_referee("x"), "a part of it is another one");
        let older = VoidReason::Words(fault.to_string());
        assert!(older.is_of_referee("it said x") && !older.is_of_referee("it said y"));
    }
}
