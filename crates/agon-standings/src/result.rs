//! The result of a game as plain data, the input of all standings.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use agon_seats::{PerSeat, Seat, result::Lost};
use serde::{Deserialize, Serialize};

/// The number of a game in its run: the round, the pairing in the whole plan, the game in the
/// pairing. All count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct GameId {
    /// The round of the pairing.
    pub round: u32,
    /// The pairing, counted through all rounds.
    pub pairing: u32,
    /// The game in the pairing; sides are swapped in every second one.
    pub game: u32,
}

/// `r02-p0007-g03`: sorts in the order of the plan, and is safe as a file name.
impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{:02}-p{:04}-g{:02}", self.round, self.pairing, self.game)
    }
}

/// Reads `r02-p0007-g03`.
impl FromStr for GameId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let part = |part: &str, letter: char| part.strip_prefix(letter)?.parse::<u32>().ok();
        let read = || {
            let mut parts = text.splitn(3, '-');
            let id = GameId {
                round: part(parts.next()?, 'r')?,
                pairing: part(parts.next()?, 'p')?,
                game: part(parts.next()?, 'g')?,
            };
            Some(id)
        };
        read().ok_or_else(|| "not the number of a game; write one like r01-p0001-g01".to_owned())
    }
}

/// The statistics of one seat of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatStats<S> {
    /// The entrant.
    pub entrant: S,
    /// The number of its moves.
    pub plies: u64,
    /// The time of those moves.
    pub time: Duration,
    /// The time of its longest answer.
    pub longest: Duration,
    /// Its own fault, if it had one. It lost by this fault unless it has the first place.
    pub fault: Option<Cause>,
}

/// The fewest seats of a game.
pub const LEAST_SEATS: usize = 2;
/// The most seats of a game.
pub const MOST_SEATS: usize = 16;

/// The result of a game that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinalResult {
    /// The place of each seat, 1 the best; seats that tie share a place.
    pub places: PerSeat<u8>,
    /// The score of each seat in the game's own unit, as it stood at the end.
    pub scores: PerSeat<i32>,
    /// Why the game ended.
    pub termination: Termination,
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    /// By the rules of the game.
    Normal,
    /// By the fault of this seat's engine.
    Forfeit(Seat, Cause),
    /// This seat has resigned.
    Resignation(Seat),
    /// By a rule of the match: too many plies.
    Adjudication,
    /// By a decision of the organiser, after the game.
    Decision,
}

impl Termination {
    /// The seat that lost by a fault.
    pub fn forfeited(self) -> Option<Seat> {
        match self {
            Termination::Forfeit(seat, _) => Some(seat),
            Termination::Normal
            | Termination::Resignation(_)
            | Termination::Adjudication
            | Termination::Decision => None,
        }
    }

    /// The fault that has ended the game.
    pub fn cause(self) -> Option<Cause> {
        match self {
            Termination::Forfeit(_, cause) => Some(cause),
            Termination::Normal
            | Termination::Resignation(_)
            | Termination::Adjudication
            | Termination::Decision => None,
        }
    }

    /// The fault of this seat, if it has ended the game.
    pub fn fault_of(self, seat: Seat) -> Option<Cause> {
        match self {
            Termination::Forfeit(at_fault, cause) if at_fault == seat => Some(cause),
            _ => None,
        }
    }

    /// The seat that lost before the rules ended the game, and how.
    pub fn lost(self) -> Option<(Seat, Lost)> {
        match self {
            Termination::Forfeit(seat, cause) => Some((seat, cause.lost())),
            Termination::Resignation(seat) => Some((seat, Lost::Resigned)),
            Termination::Normal | Termination::Adjudication | Termination::Decision => None,
        }
    }
}

/// `normal`, `illegal move`, `time forfeit`: the words that tables count.
impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Termination::Normal => "normal",
            Termination::Forfeit(_, cause) => cause.name(),
            Termination::Resignation(_) => "resignation",
            Termination::Adjudication => "adjudication",
            Termination::Decision => "decision",
        })
    }
}

/// The fault that lost a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// It wrote an illegal move.
    IllegalMove,
    /// It had not answered at its deadline.
    TimeForfeit,
    /// Its process ended before it had answered.
    Crash,
    /// It wrote a line that is not a move.
    Protocol,
    /// It closed its stdout and can no longer answer.
    ClosedOutput,
    /// It wrote too long a line, or too much in one turn.
    OutputLimit,
    /// It did not read its stdin until its time ran out.
    StdinBlocked,
    /// The operating system could not start it.
    StartFailed,
    /// Its processes used more memory than allowed.
    MemoryLimit,
    /// It had more processes and threads than allowed.
    ProcessLimit,
    /// Its processes used more processor time than allowed.
    CpuLimit,
    /// Its processes used the processor in another seat's turn.
    Pondering,
    /// Its processes kept the game from being played, twice.
    Obstruction,
}

impl Cause {
    /// Every cause, in the order of tables.
    pub const ALL: [Cause; 13] = [
        Cause::IllegalMove,
        Cause::TimeForfeit,
        Cause::Crash,
        Cause::Protocol,
        Cause::ClosedOutput,
        Cause::OutputLimit,
        Cause::StdinBlocked,
        Cause::StartFailed,
        Cause::MemoryLimit,
        Cause::ProcessLimit,
        Cause::CpuLimit,
        Cause::Pondering,
        Cause::Obstruction,
    ];

    /// The word in tables: `illegal move`.
    pub fn name(self) -> &'static str {
        match self {
            Cause::IllegalMove => "illegal move",
            Cause::TimeForfeit => "time forfeit",
            Cause::Crash => "crash",
            Cause::Protocol => "protocol",
            Cause::ClosedOutput => "closed output",
            Cause::OutputLimit => "output limit",
            Cause::StdinBlocked => "stdin blocked",
            Cause::StartFailed => "start failed",
            Cause::MemoryLimit => "memory limit",
            Cause::ProcessLimit => "process limit",
            Cause::CpuLimit => "cpu limit",
            Cause::Pondering => "pondering",
            Cause::Obstruction => "obstruction",
        }
    }

    /// Its form in a result: an engine that does not read its stdin counts as out of time.
    pub fn lost(self) -> Lost {
        match self {
            Cause::TimeForfeit | Cause::StdinBlocked => Lost::OutOfTime,
            _ => Lost::Fault,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GameId;

    #[test]
    fn the_number_of_a_game_reads_back() {
        let id = GameId { round: 2, pairing: 12_345, game: 3 };
        assert_eq!(id.to_string().parse(), Ok(id));
        for wrong in ["", "r1", "r1-p1", "p1-r1-g1", "r1-p1-g1-x", "r-p1-g1"] {
            assert!(wrong.parse::<GameId>().is_err(), "{wrong}");
        }
    }
}
