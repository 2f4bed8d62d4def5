//! Why a game ended, as data: [`EndReason`], and [`FaultReason`] of an engine's fault.
//!
//! The referee makes them, the store keeps them, and the audit compares them. Their `Display` makes
//! the sentences, and nothing else does. `sentences.rs` reads sentences of older records.

use std::fmt;
use std::time::Duration;

use agon_printable::{escape_part, rest};
use agon_standings::result::{Cause, Termination};
use serde::{Deserialize, Serialize};

use super::{Exit, ScoreReason, SpentTime, micros};

/// Comes before the last line of an engine's stderr.
pub(super) const LAST_WORDS: &str = "; the last it wrote to stderr is ";

/// A sentence without the last line of an engine's stderr and all behind it.
fn before_last_words(words: &str) -> &str {
    words.split(LAST_WORDS).next().unwrap_or_default()
}

/// Why a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// Its rules say so, in the words of the game or of its referee program.
    Rules(String),
    /// A seat has resigned.
    Resigned,
    /// So many plies were played, and the score decides.
    PlyLimit(usize),
    /// So many answers were given to a referee program, and the scores decide.
    AnswerLimit(usize),
    /// A side wins in so many plies if both play perfectly.
    KnownWin {
        /// The name of its seat.
        side: String,
        /// The plies to the win.
        plies: u16,
    },
    /// The scores of the engines say so.
    Scores(ScoreReason),
    /// The rules have refused a move.
    Refused {
        /// The move.
        line: QuotedLine,
        /// Why the rules refuse it, in their words.
        why: String,
        /// The line of the engine, if its protocol has words of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        own: Option<QuotedLine>,
    },
    /// An engine is at fault otherwise.
    Fault(Box<FaultReason>),
    /// A sentence of which no more is known. It is stored as a sentence.
    #[serde(skip)]
    Words(String),
}

/// Why an engine is at fault.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FaultReason {
    /// What it was to say before the game, if it was not through its handshake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub greeting: Option<String>,
    /// What happened.
    pub fact: FaultFact,
    /// What else is known, in the order of the sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<FaultNote>,
}

/// What an engine did, or what happened to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultFact {
    /// The operating system could not start it, in its words.
    NotStarted(String),
    /// Its first line has `env` start a program that its box does not show.
    NotByEnv(String),
    /// It said before the game that it cannot play it.
    RefusedToPlay(String),
    /// Its protocol has no move for its line.
    NoMove {
        /// The line.
        line: QuotedLine,
        /// What the line means.
        why: String,
    },
    /// It closed its stdout and went on running.
    ClosedOutput,
    /// Its process had ended before it was asked.
    EndedBefore(Option<Exit>),
    /// Its process ended without an answer.
    Ended {
        /// How.
        exit: Option<Exit>,
        /// What it had written without a newline.
        unfinished: Option<QuotedLine>,
    },
    /// Its time ran out.
    Silent(Silent),
    /// It plays elsewhere, and its answer came later than can be explained.
    LateElsewhere {
        /// Its time.
        #[serde(rename = "allowance_micros", with = "micros")]
        allowance: Duration,
        /// How long the answer took.
        #[serde(rename = "micros", with = "micros")]
        time: Duration,
        /// The part of that which counts.
        #[serde(rename = "own_micros", with = "micros")]
        own: Duration,
        /// How the turn was spent, if that is known.
        spent: Option<SpentTime>,
        /// Whether it waits for input.
        waits: bool,
    },
    /// It did not read its stdin until its time ran out.
    Deaf {
        /// Its time.
        #[serde(rename = "allowance_micros", with = "micros")]
        allowance: Duration,
        /// The bytes that could not be written.
        waiting: u64,
        /// The bytes that it was told before.
        told: u64,
    },
    /// It wrote more than so many bytes in one turn.
    LongTurn(u64),
    /// It wrote a line of more than so many bytes.
    LongLine {
        /// The limit.
        most: u64,
        /// How the line begins.
        begins: QuotedLine,
    },
    /// It used more memory than it may.
    Memory {
        /// What it used, in bytes.
        used: u64,
        /// What it may use, in bytes.
        most: u64,
    },
    /// The kernel killed it because it wanted more memory than these bytes.
    MemoryKilled(u64),
    /// It had more processes and threads than it may.
    Processes {
        /// How many it had.
        had: u32,
        /// How many it may have.
        most: u32,
    },
    /// The kernel gave it no more processes and threads than these.
    ProcessesRefused(u32),
    /// It used more processor time in the game than it may.
    CpuTime {
        /// What it used.
        #[serde(rename = "used_micros", with = "micros")]
        used: Duration,
        /// What it may use.
        #[serde(rename = "most_micros", with = "micros")]
        most: Duration,
    },
    /// It used the processor in the others' turns, in which it was stopped.
    OffTurn {
        /// What it used.
        #[serde(rename = "used_micros", with = "micros")]
        used: Duration,
        /// What it may use.
        #[serde(rename = "most_micros", with = "micros")]
        most: Duration,
    },
    /// It used the processor in another's turn.
    Disturbed {
        /// How long that turn took.
        #[serde(rename = "micros", with = "micros")]
        time: Duration,
        /// So many times the allowance of the other.
        times: u32,
    },
    /// Its processes left no room for those of its opponent.
    Crowd {
        /// How many processes and threads it had.
        threads: u32,
        /// What the operating system said.
        error: String,
    },
    /// The words of a referee program, or of a record that has no more.
    Told(String),
}

/// An engine that had not answered when its time ran out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Silent {
    /// Its time.
    #[serde(rename = "allowance_micros", with = "micros")]
    pub allowance: Duration,
    /// What it had written without a newline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<QuotedLine>,
    /// Whether it has read nothing of its stdin, and written nothing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unread: bool,
    /// How many of its lines did not count because it was not asked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unasked: u64,
    /// How the turn was spent, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<SpentTime>,
    /// Whether it was waiting for input.
    #[serde(default, skip_serializing_if = "is_false")]
    pub waits: bool,
}

/// What else is known of a fault.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultNote {
    /// The disk of its box is full; the size in bytes.
    FullDisk(u64),
    /// The last line that it wrote in its handshake.
    Unexpected(QuotedLine),
    /// The words of its protocol.
    Remark(String),
    /// So many lines of the turn answered earlier questions.
    EarlierAnswers(usize),
    /// The words of the referee program about the end of the game.
    End(String),
    /// The last line that it wrote to stderr.
    LastWords(QuotedLine),
    /// The library that Wine has not found.
    LacksLibrary(String),
    /// None of the others could win any more, so the game is drawn.
    CannotBeLost,
}

/// A line of a program, escaped and perhaps cut.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QuotedLine {
    /// What is shown of it.
    pub text: String,
    /// How many bytes of it are not.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub left: usize,
}

fn is_nothing(left: &usize) -> bool {
    *left == 0
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde wants it so
fn is_false(is: &bool) -> bool {
    !*is
}

/// The most characters of a line that are quoted.
const QUOTED: usize = 200;

impl QuotedLine {
    /// A line as programs wrote it.
    pub fn of(line: &[u8]) -> Self {
        QuotedLine::cut(line, QUOTED)
    }

    /// The same, of which at most so many characters are shown.
    pub fn cut(line: &[u8], most: usize) -> Self {
        let (text, left) = escape_part(line, most);
        QuotedLine { text, left }
    }

    /// Whether only a part of it is known.
    pub fn is_cut(&self) -> bool {
        self.left > 0
    }

    /// Whether it can be this line of a transcript, which may be cut otherwise.
    pub fn may_be(&self, shown: &str) -> bool {
        self.is_cut() || self.text == shown
    }
}

impl fmt::Display for QuotedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.left {
            0 => write!(f, "\"{}\"", self.text),
            left => write!(f, "\"{}{}\"", self.text, rest(left)),
        }
    }
}

impl From<FaultFact> for Box<FaultReason> {
    fn from(fact: FaultFact) -> Self {
        Box::new(FaultReason { greeting: None, fact, notes: Vec::new() })
    }
}

impl FaultReason {
    /// The same with a note at its end.
    #[must_use]
    pub fn with(mut self: Box<Self>, note: FaultNote) -> Box<Self> {
        self.notes.push(note);
        self
    }

    /// The same of an engine that was to say this before the game.
    #[must_use]
    pub fn awaiting(mut self: Box<Self>, awaited: Option<&str>) -> Box<Self> {
        self.greeting = Some(awaited.unwrap_or_default().to_owned());
        self
    }

    /// Whether it happened before the game.
    pub fn is_before_game(&self) -> bool {
        self.greeting.is_some() || self.refused_to_play().is_some()
    }

    /// Whether it did not answer in time.
    pub fn is_silence(&self) -> bool {
        matches!(self.fact, FaultFact::Silent(_))
    }

    /// Why the engine cannot play the game, if it said so.
    pub fn refused_to_play(&self) -> Option<&str> {
        match &self.fact {
            FaultFact::RefusedToPlay(why) => Some(why),
            _ => None,
        }
    }
}

impl EndReason {
    /// The words, if it has no more than words. They are stored as they are.
    pub fn words(&self) -> Option<&str> {
        match self {
            EndReason::Rules(words) | EndReason::Words(words) => Some(words),
            _ => None,
        }
    }

    /// The data, if it is more than words.
    pub fn data(&self) -> Option<&EndReason> {
        if self.words().is_some() { None } else { Some(self) }
    }

    /// The reason of a game with this termination, from what is stored of it. Without data, the
    /// words are those of the rules if the rules ended the game.
    pub fn of_parts(words: String, data: Option<EndReason>, termination: Termination) -> Self {
        match (data, termination) {
            (Some(data), _) => data,
            (None, Termination::Normal) => EndReason::Rules(words),
            (None, _) => EndReason::Words(words),
        }
    }

    /// The fault that ended the game, unless it is a refused move.
    pub fn fault(&self) -> Option<&FaultReason> {
        match self {
            EndReason::Fault(fault) => Some(fault.as_ref()),
            _ => None,
        }
    }

    /// What was found out of the fault, if there is one.
    pub fn fact(&self) -> Option<&FaultFact> {
        self.fault().map(|fault| &fault.fact)
    }

    /// Whether the game was lost before its first move was asked for.
    pub fn is_before_game(&self) -> bool {
        self.fault().is_some_and(FaultReason::is_before_game)
    }

    /// The same without what the engine wrote to stderr.
    #[must_use]
    pub fn without_last_words(mut self) -> Self {
        if let EndReason::Fault(fault) = &mut self {
            fault.notes.retain(|note| !matches!(note, FaultNote::LastWords(_)));
        }
        self
    }

    /// The same for readers who may not see what belongs to the author of the engine that was at
    /// fault. The operating system's words about a program that did not start may name a path, and
    /// those about a crash may end with stderr.
    #[must_use]
    pub fn public(&self, fault: Option<Cause>) -> EndReason {
        if fault == Some(Cause::StartFailed) {
            return EndReason::Words("its program could not be started".to_owned());
        }
        match self.read(fault) {
            EndReason::Words(words) => EndReason::Words(before_last_words(&words).to_owned()),
            reason => reason.without_last_words(),
        }
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndReason::Rules(words) | EndReason::Words(words) => f.write_str(words),
            EndReason::Resigned => f.write_str("it resigned"),
            EndReason::PlyLimit(plies) => write!(f, "{plies} plies were played; the score decides"),
            EndReason::AnswerLimit(given) => write!(f, "{given} answers were given; the scores decide"),
            EndReason::KnownWin { side, plies } => {
                let unit = if *plies == 1 { "ply" } else { "plies" };
                write!(f, "{side} wins in {plies} {unit} by perfect play")
            }
            EndReason::Scores(scores) => scores.fmt(f),
            EndReason::Refused { line, why, own } => {
                write!(f, "{line}: {why}")?;
                own.as_ref().map_or(Ok(()), |own| write!(f, "; its line was {own}"))
            }
            EndReason::Fault(fault) => fault.fmt(f),
        }
    }
}

impl fmt::Display for FaultReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(awaited) = &self.greeting {
            write!(f, "it did not say {awaited} before the game: ")?;
        }
        self.fact.fmt(f)?;
        self.notes.iter().try_for_each(|note| write!(f, "; {note}"))
    }
}

impl fmt::Display for FaultFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultFact::NotStarted(error) => write!(f, "it could not be started: {error}"),
            FaultFact::NotByEnv(why) => write!(f, "env could not start its program: {why}"),
            FaultFact::RefusedToPlay(why) => write!(f, "it refused to play, before the game: {why}"),
            FaultFact::NoMove { line, why } => write!(f, "its answer is no move: {line}: {why}"),
            FaultFact::ClosedOutput => f.write_str("it closed its standard output and went on running"),
            FaultFact::EndedBefore(exit) => {
                write!(f, "its process had ended before it was asked{}", how(*exit))
            }
            FaultFact::Ended { exit, unfinished } => {
                write!(f, "its process ended without an answer{}", how(*exit))?;
                let Some(line) = unfinished else { return Ok(()) };
                write!(f, "; {line} has no newline and does not count")
            }
            FaultFact::Silent(silent) => silent.fmt(f),
            FaultFact::LateElsewhere { allowance, time, own, spent, waits } => {
                let [allowance, time, own] = [allowance, time, own].map(|time| spoken(*time));
                write!(f, "no answer within {allowance}: it came after {time}, and {own} of that count")?;
                how_spent(f, *spent, *waits)
            }
            FaultFact::Deaf { allowance, waiting, told } => write!(
                f,
                "it did not read its standard input within {}: {waiting} bytes were waiting behind {told} told",
                spoken(*allowance)
            ),
            FaultFact::LongTurn(most) => write!(f, "it wrote more than {most} bytes in one turn"),
            FaultFact::LongLine { most, begins } => {
                write!(f, "it wrote a line of more than {most} bytes, which begins {begins}")
            }
            FaultFact::Memory { used, most } => {
                write!(f, "it used {}M of memory, and {} is allowed", used >> 20, size(*most))
            }
            FaultFact::MemoryKilled(most) => {
                write!(
                    f,
                    "it wanted more than the {} of memory that it may have, and was killed",
                    size(*most)
                )
            }
            FaultFact::Processes { had, most } => {
                write!(f, "it had {had} processes and threads, and {most} are allowed")
            }
            FaultFact::ProcessesRefused(most) => {
                write!(f, "it wanted more than the {most} processes and threads that it may have")
            }
            FaultFact::CpuTime { used, most } => write!(
                f,
                "it used {:.1} s of processor time in the game, and {} s are allowed",
                used.as_secs_f64(),
                most.as_secs_f64()
            ),
            FaultFact::OffTurn { used, most } => write!(
                f,
                "its processes used {} ms of processor time in the others' turns, in which it was stopped; {} ms \
                 are allowed",
                used.as_millis(),
                most.as_millis()
            ),
            FaultFact::Disturbed { time, times } => write!(
                f,
                "its processes used the processor in another's turn, which therefore took {}, {times} times its \
                 allowance",
                spoken(*time)
            ),
            FaultFact::Crowd { threads, error } => write!(
                f,
                "its {threads} processes and threads left no room for its opponent's, as at the attempt before: \
                 {error}"
            ),
            FaultFact::Told(words) => f.write_str(words),
        }
    }
}

impl fmt::Display for Silent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no answer within {}", spoken(self.allowance))?;
        if let Some(line) = &self.unfinished {
            write!(f, "; it had written {line} without a newline")?;
        }
        if self.unread {
            f.write_str(", and it has not read its standard input")?;
        }
        if self.unasked > 0 {
            write!(f, "; {} line(s) it wrote when it was not asked did not count", self.unasked)?;
        }
        how_spent(f, self.spent, self.waits)
    }
}

/// What an engine did in the turn that it lost, as the end of a sentence.
fn how_spent(f: &mut fmt::Formatter<'_>, spent: Option<SpentTime>, waits: bool) -> fmt::Result {
    if let Some(spent) = spent {
        write!(f, "; {spent}")?;
    }
    match (waits, spent) {
        (false, _) => Ok(()),
        (true, None) => f.write_str("; it was waiting for input"),
        (true, Some(_)) => f.write_str(", and it was waiting for input"),
    }
}

impl fmt::Display for FaultNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultNote::FullDisk(bytes) => write!(f, "the disk of its box is full (--disk {})", size(*bytes)),
            FaultNote::Unexpected(line) => write!(f, "the last it wrote is {line}"),
            FaultNote::Remark(words) | FaultNote::End(words) => f.write_str(words),
            FaultNote::EarlierAnswers(lines) => write!(
                f,
                "{lines} line(s) of it answered earlier questions, because each question needs its answer, even a \
                 late one"
            ),
            FaultNote::LastWords(line) => write!(f, "the last it wrote to stderr is {line}"),
            FaultNote::CannotBeLost => {
                f.write_str("the other side could not win by any legal moves, so the game is drawn")
            }
            FaultNote::LacksLibrary(library) => write!(
                f,
                "Wine has not found {library}, a library that it needs: put that beside the program, and name the \
                 folder of both"
            ),
        }
    }
}

/// How a process ended, as the end of a sentence; nothing if it has not.
pub(super) fn how(exit: Option<Exit>) -> String {
    exit.map_or_else(String::new, |exit| format!(" ({exit})"))
}

/// A span of time as a sentence has it: `5 s`, `120 ms`.
pub fn spoken(time: Duration) -> String {
    if time >= Duration::from_secs(1) {
        format!("{} s", (time.as_secs_f64() * 1000.0).round() / 1000.0)
    } else {
        format!("{} ms", (time.as_secs_f64() * 1e6).round() / 1000.0)
    }
}

/// A number of bytes as options write it: `8M`.
fn size(bytes: u64) -> String {
    let units = [(1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    let whole = units.into_iter().find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit));
    whole.map_or_else(|| bytes.to_string(), |(unit, letter)| format!("{}{letter}", bytes / unit))
}
