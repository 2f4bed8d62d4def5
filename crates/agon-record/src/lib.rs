//! What happened, as plain data: one [`GameRecord`] for each game. The referee makes it; the
//! modules below `referee` read it.
//!
//! Nothing here decides anything. An engine's fault is data (a `Termination`). A game spoilt by
//! agon or the machine is [`Verdict::Void`], which has no places, so it cannot be counted by
//! mistake.

#![warn(missing_docs)]

mod elsewhere;
mod evaluation;
pub mod reason;
mod ruling;
pub mod sample;
mod score_reason;
mod sentences;
mod spent;
mod verdict;
mod void_reason;

use std::fmt;
use std::time::Duration;

use agon_seats::result::{self, Finish};
use agon_seats::{PerSeat, Seat};
use agon_standings::Standings;
use agon_standings::faults::Faults;
use agon_standings::result::{Cause, GameId, SeatStats};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use reason::EndReason;

pub use elsewhere::{Lag, PlayedElsewhere};
pub use evaluation::{EngineEvaluation, Evaluation, EvaluationBound};
pub use ruling::{Decision, OrganiserRuling, escaped_why};
pub use score_reason::ScoreReason;
pub use spent::{FarTime, SpentTime};
pub use verdict::{Decided, Verdict};
pub use void_reason::VoidReason;

/// One game, from its start position to its verdict.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Which game of the run it is.
    pub id: GameId,
    /// The game and its options, as `--game` takes them.
    pub rules: String,
    /// The seed from which the start position was drawn.
    pub seed: u64,
    /// The start position, as one line.
    pub start: String,
    /// The last position, as one line.
    pub last: String,
    /// The time control of the first seat, as the options write it: `st=5`.
    pub time_control: String,
    /// The seats in order of play.
    pub seats: PerSeat<SeatRecord>,
    /// The moves in order of play.
    pub plies: Vec<Ply>,
    /// How it ended.
    pub verdict: Verdict,
    /// How the engines were confined; `None` in records older than the levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolated>,
    /// How busy the machine was.
    #[serde(default)]
    pub machine: MachineLoad,
    /// What the referee program of the game wrote and was sent; `None` where the rules are built
    /// in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referee: Option<Box<RefereeRecord>>,
    /// What the organiser has decided about it. The verdict is then the decided one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Box<OrganiserRuling>>,
    /// When the first engine was started.
    pub started: DateTime<Utc>,
    /// When the verdict was reached.
    pub finished: DateTime<Utc>,
}

/// A game as its referee program refereed it: all that is needed to referee it once more.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RefereeRecord {
    /// The hash of the contents of its folder.
    pub hash: String,
    /// What it calls itself: name and version.
    pub program: String,
    /// Its options, as it was told them: `hands=10 stack=200`.
    pub options: String,
    /// Every line of the game in order: `<` and a line that the referee wrote, or `>` and a line
    /// that it was sent. The handshake and the seed are left out.
    pub lines: Vec<String>,
    /// The fault of each seat that had one; `None` in records older than this list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<Vec<SeatFault>>,
    /// The referee's own fault, which has made the game void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The end of its stderr, escaped, if it was at fault.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

/// The fault of a seat in the game of a referee program, which may go on in spite of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SeatFault {
    /// The seat.
    pub seat: Seat,
    /// The kind of the fault: the one that put the seat out, else that it was late.
    pub cause: Cause,
    /// Why, in words; of several late answers, of the first.
    pub why: String,
    /// How often it happened. More than once: the seat was late, and stayed in the game.
    pub times: u32,
    /// The index of the ply that was bad, or that it did not play.
    pub ply: usize,
}

/// How busy the machine was during a game, as far as the kernel reports it.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MachineLoad {
    /// The load average of the last minute, at the end of the game.
    pub load: Option<f64>,
    /// The share of the game in which some process waited for a processor, from 0 to 1. For a game
    /// shorter than 0.1 s it covers the 0.1 s around it.
    pub pressure: Option<f64>,
}

/// The machine on which a game was played.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// The model of its processor; empty if it is unknown.
    pub cpu: String,
    /// How many cores a process may use there.
    pub cores: u32,
}

/// A place that the box of an engine showed, besides those that every box has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoxPlace {
    /// The file, or the directory with all below it.
    pub path: String,
    /// Why it was there, in words.
    pub reason: String,
}

/// How the engines of a game were confined.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Isolated {
    /// The level that was asked for: `limits`.
    pub level: String,
    /// Each mechanism that was in force, in words.
    pub in_force: Vec<String>,
}

impl GameRecord {
    /// The outcome, if the game counts.
    pub fn decided(&self) -> Option<&Decided> {
        match &self.verdict {
            Verdict::Decided(decided) => Some(decided),
            Verdict::Void { .. } => None,
        }
    }

    /// The fault of a seat of a game that counts: its cause, and why. In a game of a referee
    /// program several seats can have one, and one of these may have won. Where the organiser has
    /// decided, no fault has lost the game.
    pub fn fault_of(&self, seat: Seat) -> Option<(Cause, EndReason)> {
        let decided = self.decided()?;
        if self.ruling.is_some() {
            return None;
        }
        if self.referee.as_ref().is_some_and(|referee| referee.faults.is_some()) {
            return self.seat_fault(seat).map(|own| (own.cause, EndReason::Words(own.why.clone())));
        }
        decided.termination.fault_of(seat).map(|cause| (cause, decided.reason.clone()))
    }

    /// The cause of the fault of a seat, as [`GameRecord::fault_of`] has it.
    pub fn cause_of(&self, seat: Seat) -> Option<Cause> {
        let decided = self.decided()?;
        if self.ruling.is_some() {
            return None;
        }
        match &self.referee {
            Some(referee) if referee.faults.is_some() => self.seat_fault(seat).map(|own| own.cause),
            _ => decided.termination.fault_of(seat),
        }
    }

    /// The fault of a seat in a game of a referee program, with its ply.
    pub fn seat_fault(&self, seat: Seat) -> Option<&SeatFault> {
        self.referee.as_ref()?.faults.as_ref()?.iter().find(|fault| fault.seat == seat)
    }

    /// The pauses that the organiser gave, in words.
    pub fn pauses(&self) -> Vec<String> {
        let all = self.seats.values().iter().flat_map(|seat| &seat.pauses);
        all.map(Pause::to_string).collect()
    }

    /// The seat that won alone, if there is one.
    pub fn winner(&self) -> Option<Seat> {
        let places = &self.decided()?.places;
        let mut first = places.iter().filter(|(_, place)| **place == 1).map(|(seat, _)| seat);
        let winner = first.next();
        if first.next().is_some() { None } else { winner }
    }

    /// Adds the game to standings. Each seat must have a place, a score and a name.
    pub fn count_in(&self, standings: &mut Standings) {
        let Some(decided) = self.decided() else {
            return standings.add_void(self.seats.values().iter().map(|seat| seat.entrant.as_str()));
        };
        let stats = self.seats.map(|seat, _| {
            let own = &self.seats[seat];
            let plies = self.plies.iter().filter(|ply| ply.seat == seat);
            SeatStats {
                entrant: own.entrant.as_str(),
                plies: plies.clone().count() as u64,
                time: plies.map(|ply| ply.time).sum(),
                longest: own.longest,
                fault: self.cause_of(seat),
            }
        });
        standings.add_decided(self.id, &stats, &decided.result());
    }

    /// Adds each seat that lost the game by its own fault to the list of faults.
    pub fn note_fault(&self, faults: &mut Faults) {
        let Some(decided) = self.decided() else { return };
        for (seat, own) in self.seats.iter().filter(|(seat, _)| decided.places[*seat] > 1) {
            if let Some((cause, why)) = self.fault_of(seat) {
                faults.add(&own.entrant, cause, self.id, &why.to_string());
            }
        }
    }

    /// The result, first seat first: `1-0`, `0-1`, `1/2-1/2`, or `*` for a void game.
    pub fn result(&self) -> String {
        self.decided().map_or_else(|| "*".to_owned(), |decided| result::points(&decided.places))
    }

    /// The scores in the order of seats, `3/-1/-2`, or `*` for a void game.
    pub fn scores_text(&self) -> String {
        let Some(decided) = self.decided() else { return "*".to_owned() };
        let scores: Vec<String> = decided.scores.values().iter().map(i32::to_string).collect();
        scores.join("/")
    }

    /// The result in the form of the game: `1-0`, `73-72`, `13(W)-8(L)`, the scores `3/-1/-2` of a
    /// game of more than two seats, or `*` for a void game.
    pub fn result_text(&self) -> String {
        let Some(decided) = self.decided() else { return "*".to_owned() };
        match self.ruling.as_ref().map(|ruling| &ruling.decision) {
            Some(Decision::Scores(_)) => return self.scores_text(),
            Some(_) => return self.result(),
            None => {}
        }
        if self.referee.is_some() && self.seats.len() > 2 {
            return self.scores_text();
        }
        agon_games::result_text(
            &self.rules,
            &Finish { places: &decided.places, scores: &decided.scores, lost: decided.termination.lost() },
        )
    }
}

/// The reason why a game is void, for those who may not read the harness's own words, which may
/// name a path.
pub const PUBLIC_VOID: &str = "it was spoilt by no engine's fault";

/// How many lines of both directions are kept for the evidence.
pub const EVIDENCE_LINES: usize = 40;

/// One ply: its seat, its move and its time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ply {
    /// The seat that played it.
    pub seat: Seat,
    /// The move with its side letter, normalised.
    pub text: String,
    /// The points of the move for its seat.
    pub points: i32,
    /// From the last byte of the question to the newline of the answer.
    #[serde(rename = "micros", with = "micros")]
    pub time: Duration,
    /// The last thought that the engine reported, if its protocol can report any; escaped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<String>,
}

/// One seat of a game: its entrant, and what was observed of its process.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SeatRecord {
    /// The seat's name in the game's notation: `W`.
    pub side: String,
    /// The entrant that played it.
    pub entrant: String,
    /// Its time control, margin and bank: `st=5`, `tc=60+1 margin=0.1 bank=10`.
    pub time_control: String,
    /// The time of all its answers.
    #[serde(rename = "micros", with = "micros")]
    pub time: Duration,
    /// The time of its longest answer.
    #[serde(rename = "longest_micros", with = "micros")]
    pub longest: Duration,
    /// From the start of the process until it had read its input or written something.
    #[serde(rename = "startup_micros", with = "micros")]
    pub startup: Duration,
    /// The worst lateness of the harness's own wake-ups while the seat was to answer.
    #[serde(rename = "lateness_micros", with = "micros")]
    pub lateness: Duration,
    /// What went through its pipes.
    pub traffic: Traffic,
    /// How its process ended; `None` if it never started, or plays another game.
    pub exit: Option<Exit>,
    /// The stragglers, which were killed.
    pub stragglers: u32,
    /// What its processes used, as far as it was sampled.
    #[serde(default, skip_serializing_if = "Usage::is_nothing")]
    pub usage: Usage,
    /// Evidence of the fault, if a fault lost the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The question that it left unanswered, and so lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<Unanswered>,
    /// The pauses of the game in which the seat was to answer. No clock has run in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// The turns in which others kept it from a processor, and the one that it lost on time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<SpentTime>,
    /// How it played, if the organiser let it play elsewhere. It is then confined otherwise than
    /// the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<PlayedElsewhere>,
}

/// A pause that the organiser gave while the game waited for an engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pause {
    /// How long it took.
    #[serde(rename = "micros", with = "micros")]
    pub time: Duration,
    /// The answer that the game waited for: `mine (X) at ply 7`.
    pub waited_for: String,
    /// The reason that the organiser gave; escaped.
    pub why: String,
}

/// `12.3 s while the game waited for mine (X) at ply 7: lab1 has no network`.
impl fmt::Display for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = (self.time.as_secs_f64() * 1000.0).round() / 1000.0;
        write!(f, "{seconds} s while the game waited for {}", self.waited_for)?;
        if self.why.is_empty() { Ok(()) } else { write!(f, ": {}", self.why) }
    }
}

/// A question that an engine left unanswered. It proves a loss on time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unanswered {
    /// From the question until the fault.
    #[serde(rename = "micros", with = "micros")]
    pub time: Duration,
    /// The allowance: bank and margin included.
    #[serde(rename = "allowance_micros", with = "micros")]
    pub allowance: Duration,
    /// Whether the question was the protocol's handshake. Otherwise it asked for a move.
    pub greeting: bool,
}

/// What all processes of an engine used in one game. It is sampled in long turns and at the end, so
/// a short peak may be missed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Processor time.
    #[serde(rename = "cpu_micros", with = "micros")]
    pub cpu: Duration,
    /// The part used off turn, when the other's turn had lasted longer than a moment.
    #[serde(rename = "off_turn_micros", with = "micros")]
    pub off_turn: Duration,
    /// The peak of resident memory, in bytes.
    pub memory: u64,
    /// The peak of processes and threads.
    pub threads: u32,
}

impl Usage {
    /// Whether nothing was sampled.
    pub fn is_nothing(&self) -> bool {
        *self == Usage::default()
    }
}

/// What went through an engine's pipes in one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// Bytes written to its stdin.
    pub told: u64,
    /// Bytes read from its stdout.
    pub said: u64,
    /// Bytes read from its stderr, of which the log keeps the head and the tail.
    pub logged: u64,
    /// Unasked lines: written before the question or after the answer.
    pub unasked: u64,
    /// Whether one of its lines ended in `\r\n`; the `\r` was dropped.
    pub crlf: bool,
    /// Whether it closed its stdin while the harness was still writing to it.
    pub deaf: bool,
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// It exited with this status.
    Code(i32),
    /// A signal ended it that the harness did not send.
    Signal(i32),
    /// The harness killed it: it did not exit in time, or there was no reason to wait.
    Killed,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit status {code}"),
            Exit::Signal(signal) => write!(f, "killed by {}", signal_name(*signal)),
            Exit::Killed => write!(f, "killed by the harness"),
        }
    }
}

/// The name as students know it: `SIGSEGV (signal 11)`.
fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return format!("signal {signal}"),
    };
    format!("{name} (signal {signal})")
}

/// What was observed of an engine that lost by a fault. Its bytes are escaped and safe to print.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Evidence {
    /// The last lines in both directions, oldest first.
    pub lines: Vec<TranscriptLine>,
    /// The head and the tail of its stderr.
    pub stderr: String,
    /// The command that starts the engine in the same way.
    pub command: Vec<String>,
}

/// One line on an engine's pipes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TranscriptLine {
    /// Time since the game began.
    #[serde(rename = "micros", with = "micros")]
    pub at: Duration,
    /// Its direction, and whether it counted.
    pub way: Way,
    /// The line without its newline, escaped.
    pub text: String,
}

/// The direction of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// From the harness to the engine.
    Told,
    /// From the engine, as an answer.
    Said,
    /// From the engine, when it was not asked.
    Unasked,
    /// From the engine, without a newline so far.
    Unfinished,
}

impl Way {
    /// `<` was sent to the engine, `>` is an answer, `!` an unasked line, `?` a line without its
    /// newline.
    pub fn sign(self) -> char {
        match self {
            Way::Told => '<',
            Way::Said => '>',
            Way::Unasked => '!',
            Way::Unfinished => '?',
        }
    }
}

/// Durations are stored as whole microseconds.
mod micros {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_micros)
    }
}
