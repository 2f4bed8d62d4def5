//! The answers that a referee program is tried with: legal ones, hostile ones, and faults.

use std::time::{Duration, Instant};

use agon_match::hosted::{Answered, HostedGame, Question};
use agon_match::referee::HostedPlayers;
use agon_protocol::told::AnswerSize;
use agon_record::reason::FaultFact;
use agon_seats::{PerSeat, Seat};
use agon_standings::result::Cause;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::super::legal::{listed, one_of};

/// The kinds of games.
pub(super) const KINDS: [TrialKind; 3] = [TrialKind::Legal, TrialKind::Hostile, TrialKind::Faults];
/// After so many answers a game has no end.
pub(super) const MOST_ANSWERS: usize = 10_000;
/// The length of a very long line: agon takes lines of at most 64 KiB.
const LONG: usize = 60_000;
/// One answer of so many is hostile, or a fault.
const RARE: u64 = 4;

/// How the seats of a game answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TrialKind {
    /// Each answer is one of those that the referee has listed.
    Legal,
    /// Some answers are none that a game can have.
    Hostile,
    /// Some answers are missing.
    Faults,
}

impl TrialKind {
    pub(super) fn words(self) -> &'static str {
        match self {
            TrialKind::Legal => "legal answers",
            TrialKind::Hostile => "hostile answers",
            TrialKind::Faults => "faults",
        }
    }
}

/// Where an answer comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AnswerSource {
    /// The referee has listed it as legal.
    Listed,
    /// A short text, because nothing was listed.
    Short,
    /// It is none that a game can have.
    Hostile,
    /// There is none: a fault.
    Fault,
}

/// Why a game is left before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoEnd {
    /// It had too many answers.
    Answers,
    /// It took too long.
    Time,
}

/// All seats of one game. The same seed and the same questions give the same answers.
pub(super) struct Answerer {
    kind: TrialKind,
    random: ChaCha8Rng,
    /// The last list of legal answers of each seat.
    legal: PerSeat<Option<Vec<String>>>,
    /// When the game is to be over.
    until: Instant,
    /// How long each step took.
    pub(super) steps: Vec<Duration>,
    /// Where the answer to each question came from, in their order. Seats that answer nothing more
    /// are not in it.
    pub(super) given: Vec<(Seat, AnswerSource)>,
}

impl Answerer {
    pub(super) fn new(kind: TrialKind, seats: usize, seed: u64, until: Instant) -> Self {
        Answerer {
            kind,
            random: ChaCha8Rng::seed_from_u64(seed),
            legal: PerSeat::from_fn(seats, |_| None),
            until,
            steps: Vec::new(),
            given: Vec::new(),
        }
    }

    fn rarely(&mut self) -> bool {
        self.random.next_u64().is_multiple_of(RARE)
    }

    fn of(&mut self, lists: &'static [&'static str]) -> String {
        one_of(lists, &mut self.random).map_or_else(String::new, |text| (*text).to_owned())
    }

    /// A line that a well-behaved engine could write.
    fn line(&mut self, seat: Seat) -> (AnswerSource, String) {
        let Answerer { legal, random, .. } = self;
        match legal[seat].as_deref().and_then(|listed| one_of(listed, random)) {
            Some(text) => (AnswerSource::Listed, text.clone()),
            None => (AnswerSource::Short, self.of(&SHORT)),
        }
    }

    /// A line that no game has as a legal answer.
    fn hostile(&mut self) -> String {
        match self.random.next_u64() % 4 {
            0 => "x".repeat(LONG),
            1 => {
                let word = self.of(&HOSTILE);
                format!("{word} {word}")
            }
            _ => self.of(&HOSTILE),
        }
    }

    fn fault(&mut self) -> Answered {
        let (cause, why) = match self.random.next_u64() % 8 {
            0 => (Cause::Crash, "its process ended: exit status 1"),
            1 => (Cause::OutputLimit, "it wrote a line of more than 65536 bytes"),
            2 => (Cause::ClosedOutput, "it closed its stdout"),
            _ => (Cause::TimeForfeit, "no answer within 1.02 s"),
        };
        Answered::Fault(cause, FaultFact::Told(why.to_owned()).into())
    }
}

impl HostedPlayers for Answerer {
    type Leave = NoEnd;

    fn answer(&mut self, question: &Question, untold: &str) -> Result<Answered, NoEnd> {
        let seat = question.seat;
        if let Some(listed) = listed(untold) {
            self.legal[seat] = Some(listed);
        }
        if self.kind == TrialKind::Faults && self.rarely() {
            self.given.push((seat, AnswerSource::Fault));
            return Ok(self.fault());
        }
        let is_hostile = self.kind == TrialKind::Hostile && self.rarely();
        let count = match &question.size {
            AnswerSize::Lines(count) => *count,
            AnswerSize::Until(_) => 1 + self.random.next_u32() % 3,
        };
        let (mut source, mut lines) = (AnswerSource::Hostile, Vec::new());
        for _ in 0..count {
            lines.push(if is_hostile {
                self.hostile()
            } else {
                let (from, line) = self.line(seat);
                source = from;
                line
            });
        }
        if let AnswerSize::Until(word) = &question.size {
            lines.push(word.clone());
        }
        self.given.push((seat, source));
        Ok(Answered::Lines(lines, Duration::from_millis(1)))
    }

    fn stepped(&mut self, game: &mut HostedGame, took: Duration) -> Result<(), NoEnd> {
        self.steps.push(took);
        if game.given() >= MOST_ANSWERS {
            Err(NoEnd::Answers)
        } else if Instant::now() >= self.until {
            Err(NoEnd::Time)
        } else {
            Ok(())
        }
    }
}

/// Answers where the referee lists none.
const SHORT: [&str; 16] =
    ["0", "1", "2", "3", "5", "10", "100", "pass", "yes", "no", "a", "b", "a1", "e2e4", "1 1", "0 0 0"];

/// Answers that no game has: empty, blank, with spaces, signs, controls, letters of other scripts,
/// numbers of any size, and words of the protocol.
const HOSTILE: [&str; 20] = [
    "",
    " ",
    "\t",
    "no such move",
    "  leading and  double spaces ",
    "-1",
    "99999999999999999999",
    "0x1f",
    "1e999",
    "nan",
    "%s%n {0} ${HOME} $(id) `id`",
    "\u{1b}[2J\u{0}\u{7}",
    "日本語 ход ñ \u{1f3b2}",
    "\u{fffd}\u{fffd}",
    "'; drop table games; --",
    "answer 1 x",
    "end 1 0 : x",
    "../../etc/passwd",
    // A program that takes \r for the end of a line reads the rest as a line from agon.
    "1\rquit",
    "1\u{85}2\u{2028}3\u{b}4",
];
