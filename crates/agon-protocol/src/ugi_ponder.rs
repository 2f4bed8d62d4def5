//! How far an engine of UGI or a relative is with thinking on its opponent's time.
//!
//! After `bestmove A ponder B` it may be sent the position after `B`, and `go ponder` with the
//! clocks. If its opponent plays `B`, it is sent `ponderhit`, and its clock runs from there. After
//! another move it is sent `stop`, and its clock runs from there too. What it answers to that is no
//! move: it gets the position and `go` then. An answer before either of the two is none, as the
//! document of UCI forbids it: the engine is asked anew.
//!
//! Engines answer `stop` twice, or `go ponder` and `ponderhit`. So whatever the engine is asked
//! from then on begins with `isready`, and an answer before its `readyok` is none. It is sent only
//! when the engine has answered and does not search. `ponderhit` goes out alone: an answer that
//! meets it on the way was found for the very position that is asked.

/// The option with which an engine says that it can think on its opponent's time.
pub(super) const OPTION: &str = "Ponder";

/// What is open between an engine and the move of its opponent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Pondering {
    /// It does not think on its opponent's time.
    #[default]
    No,
    /// It thinks about the position after this move of its opponent.
    On(String),
    /// Its opponent has played that move.
    Hit,
    /// Its opponent has played another move.
    Missed,
    /// It has answered, and nobody had asked.
    Answered,
    /// It was sent `stop`. Its answer is no move, and it gets this question then.
    Stopping(Vec<u8>),
}

/// What an answer means that is none to a question.
pub(super) enum StrayAnswer {
    /// It answers nothing.
    Nothing,
    /// It was for the position that the engine thought about, and this comes next.
    Stopped(Vec<u8>),
}

impl Pondering {
    /// Whether it thinks, or has thought since its last move, on its opponent's time.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self, Pondering::No | Pondering::Stopping(_))
    }

    /// Whether it may still be thinking.
    pub(super) fn goes_on(&self) -> bool {
        !matches!(self, Pondering::No | Pondering::Answered)
    }

    /// Its opponent has made this move.
    pub(super) fn opponent_plays(&mut self, text: &str) {
        if let Pondering::On(guess) = self {
            *self = if guess == text { Pondering::Hit } else { Pondering::Missed };
        }
    }

    /// It has answered. `None` if it was asked.
    pub(super) fn answers(&mut self) -> Option<StrayAnswer> {
        match std::mem::take(self) {
            Pondering::No => None,
            Pondering::Stopping(question) => Some(StrayAnswer::Stopped(question)),
            Pondering::On(_) | Pondering::Hit | Pondering::Missed | Pondering::Answered => {
                *self = Pondering::Answered;
                Some(StrayAnswer::Nothing)
            }
        }
    }
}
