//! The engines of one game around one table, and the one poll loop that serves them.
//!
//! The loop watches everything an engine can do (write to stdout or stderr, make room in its stdin, end), of
//! every engine at the table at once, so that nobody's flood, silence or death can hold up anybody else.
//! It knows bytes and deadlines; what a line means is for the protocol and the referee.
//!
//! The rules of time, all in one place:
//! * A question is asked when its last byte has been written and the engine is up; that instant plus the
//!   allowance is the deadline. Only one thing moves it: a harness that itself woke late, by as much as it was late, if
//!   the engine's own processes were not the reason. (`judging.rs` finds the reason.)
//! * The time in which the harness looks at processes of engines that are not to move is nobody's.
//! * An engine is up when it has read what was put into its stdin, when it has written something, or when the
//!   start-up budget is used up. Until then its first question's clock does not run.
//! * The time of an answer is that of its newline. What lay whole in the pipe when we woke counts.
//! * Data before hang-up: an engine that answers and exits has answered. One whose main process had ended
//!   before it was asked answers nothing more, whoever else holds its pipe.

mod closing;
mod judging;
mod turn;
mod watching;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agon_games::{PerSeat, Seat};
use agon_printable::escape;
use agon_sandbox::spawn::NotStarted;

use super::buffers::{MAX_LINE, Next};
use super::pinning::Core;
use super::process::{Process, Setup};
use crate::clock::whole_micros;
use crate::config::Confinement;
use crate::record::{Cause, Way};
use judging::OwnLook;
use turn::Turn;
use watching::{NOISY, Watch, hush};

pub use closing::{GRACE, ParkedEngine, Patience, SeatSeen};

/// A harness that woke up later than this in a turn, or than the margin if that is more, asks why.
const LATE: Duration = Duration::from_millis(20);
/// Between the end of an engine's output and the end of its process, when it ends as a whole.
const EOF_TO_EXIT_GRACE: Duration = Duration::from_millis(50);
/// After so long in a turn the others rest: in fast games nobody is worth stopping.
const REST_AFTER: Duration = Duration::from_millis(2);
/// A look at the others' processes that takes longer than this is no part of anybody's time.
const LONG_LOOK: Duration = Duration::from_millis(1);
/// So often what engines use is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// One engine's fault, in the words of the record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Whose it is.
    pub seat: Seat,
    /// The word that is counted.
    pub cause: Cause,
    /// The same as a sentence, with the numbers.
    pub why: String,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Trouble {
    /// The engine's fault.
    Fault(Fault),
    /// We were told to stop.
    Stopped,
    /// Our own fault: the game is void.
    Ours(io::Error),
}

/// A line an engine said when it was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The line without its newline, and without one `\r` before that.
    pub line: Vec<u8>,
    /// From the question to the newline.
    pub time: Duration,
}

/// How an engine comes to the table.
pub enum EngineStart {
    /// Its process is started.
    Start(Setup),
    /// Its process is started by [`GameProcesses::begin`].
    StartLater(Setup),
    /// Its process has played before and goes on.
    GoOn(ParkedEngine),
}

/// Limits that are the same for every seat.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long an engine may take to start.
    pub startup: Duration,
    /// How late an answer may be.
    pub margin: Duration,
    /// Becomes readable when the run is to stop, and stays so.
    pub stop: Option<Arc<OwnedFd>>,
    /// How engines are confined, and what they may use.
    pub confinement: Confinement,
    /// The core that the game keeps to.
    pub core: Option<Arc<Core>>,
    /// Whether an attempt at the same game was void: what may have been an accident then is one no more.
    pub again: bool,
}

enum Slot {
    Taken(Box<Process>),
    /// It could not be started, and why.
    Empty(io::Error),
    /// It is to be started later, and has been told this until then.
    Waiting(Box<Setup>, Vec<u8>),
}

/// The engines of one game.
pub struct GameProcesses {
    chairs: PerSeat<Slot>,
    limits: Limits,
    began: Instant,
    turn: Option<Turn>,
    watch: Watch,
    scratch: Vec<u8>,
    told_since_greeting: PerSeat<u64>,
}

impl GameProcesses {
    /// Seats an engine on each chair and starts those that do not run yet. An engine that cannot be started has
    /// an empty chair, and forfeits when it is asked.
    ///
    /// # Errors
    /// Ours: no more processes, memory or descriptors. Nothing is left running.
    pub fn sit(sittings: Vec<EngineStart>, limits: Limits) -> io::Result<Self> {
        let mut chairs = Vec::with_capacity(sittings.len());
        let mut ours = None;
        for sitting in sittings {
            match sitting {
                EngineStart::GoOn(mut held) => {
                    let mut process = held.0.take().expect("it is taken only here and when it ends");
                    process.begin_another_game();
                    chairs.push(Slot::Taken(process));
                }
                EngineStart::Start(setup) => match start(&setup, &limits) {
                    Ok(chair) => chairs.push(chair),
                    Err(error) => {
                        ours = Some(error);
                        break;
                    }
                },
                EngineStart::StartLater(setup) => chairs.push(Slot::Waiting(Box::new(setup), Vec::new())),
            }
        }
        let table = GameProcesses::around(chairs, limits);
        match ours {
            None => Ok(table),
            Some(error) => {
                table.close(Patience::None);
                Err(error)
            }
        }
    }

    /// Starts an engine that was to be started later, when it is about to be asked for the first time: before that it has
    /// nothing to do, and what it did it would do in another's time. It finds all that it has been told in its stdin.
    ///
    /// # Errors
    /// [`Trouble`], mostly ours, as in [`GameProcesses::sit`]; what runs already runs on.
    pub fn begin(&mut self, seat: Seat) -> Result<(), Trouble> {
        let Slot::Waiting(setup, told) = &self.chairs[seat] else { return Ok(()) };
        let mut setup = setup.clone();
        setup.greeting.extend(told);
        let mut chair = start(&setup, &self.limits).map_err(|error| self.who_leaves_no_room(error))?;
        if let (Slot::Taken(process), Slot::Waiting(_, told)) = (&mut chair, &self.chairs[seat]) {
            process.note_told(told, self.began);
        }
        self.chairs[seat] = chair;
        Ok(())
    }

    /// Starts an engine that was to be started later in another way, when its time comes.
    pub fn seat(&mut self, seat: Seat, setup: Setup) {
        self.chairs[seat] = Slot::Waiting(Box::new(setup), Vec::new());
    }

    fn around(chairs: Vec<Slot>, limits: Limits) -> Self {
        let seats = chairs.len();
        GameProcesses {
            chairs: chairs.into(),
            limits,
            began: Instant::now(),
            turn: None,
            watch: Watch::default(),
            scratch: Vec::new(),
            told_since_greeting: PerSeat::from_fn(seats, |_| 0),
        }
    }

    /// Tells a seat something. Never blocks: what its pipe does not take now goes when there is room.
    pub fn tell(&mut self, seat: Seat, text: &[u8]) {
        match &mut self.chairs[seat] {
            Slot::Taken(process) => {
                // Before it is told, because that may start its clock.
                if process.wake(&self.limits.confinement) || process.wakes > NOISY {
                    // What it was not polled for lies in its pipe; it was said before this.
                    hush(process, self.began, &mut self.scratch);
                }
                process.tell(text, self.began);
                self.told_since_greeting[seat] += text.len() as u64;
            }
            Slot::Waiting(_, told) => told.extend_from_slice(text),
            Slot::Empty(_) => {}
        }
    }

    /// Puts the question to a seat: its clock runs from the last byte told. [`GameProcesses::hear`] gives the answer.
    pub fn ask(&mut self, seat: Seat, allowance: Duration) {
        let told_at = match &mut self.chairs[seat] {
            Slot::Taken(process) => {
                process.wake(&self.limits.confinement);
                process.begin_turn();
                process.told_at
            }
            Slot::Empty(_) | Slot::Waiting(..) => None,
        };
        let put = told_at.unwrap_or_else(Instant::now);
        let mut turn = Turn::new(seat, allowance, put);
        let at = put.saturating_duration_since(self.began);
        if let Slot::Taken(process) = &mut self.chairs[seat] {
            // Lines behind its last answer came with it, and lie here: no later question is answered by them.
            process.drop_unasked(at);
            process.inbox.asked();
            process.wakes = 0;
            turn.said_before = process.traffic.said;
            turn.dead = process.ended;
            if !process.answered {
                turn.first_words = self.told_since_greeting[seat];
            }
            if process.told() && process.up.is_some() {
                turn.start = Some(put);
            }
        }
        self.turn = Some(turn);
    }

    /// How long the question that was asked last has been open, from when its clock began.
    pub fn waited(&self) -> Duration {
        self.turn
            .as_ref()
            .map_or(Duration::ZERO, |turn| whole_micros(turn.start.unwrap_or(turn.put).elapsed()))
    }

    /// The next line of the seat that was asked, at most until its deadline. May be called again in the same
    /// turn where a protocol has lines before the answer; the deadline stays what it was.
    ///
    /// # Errors
    /// [`Trouble`]: the engine's fault, ours, or the order to stop.
    pub fn hear(&mut self) -> Result<Answer, Trouble> {
        let seat = self.turn.as_ref().expect("a seat has been asked").seat;
        if let Slot::Empty(error) = &self.chairs[seat] {
            return Err(self.fault(Cause::StartFailed, format!("it could not be started: {error}")));
        }
        if let Some(fault) = self.over_a_limit() {
            return Err(fault);
        }
        if self.turn().dead {
            if let Some(fault) = self.ended_at_a_limit() {
                return Err(fault);
            }
            // It died before the question was put; a child of its may hold its pipe and go on talking.
            let how = self.asked().how_it_ended();
            return Err(self.fault(Cause::Crash, format!("its process had ended before it was asked{how}")));
        }
        if let Some(line) = self.next_answer(self.turn().woke)? {
            return Ok(line);
        }
        // Not the time of the question: whatever we did since then must not be waited for once more.
        let mut now = Instant::now();
        let mut output_ended: Option<Instant> = None;
        loop {
            if self.asked().ended {
                while self.asked_mut().read_stdout(now) {
                    if let Some(line) = self.next_answer(now)? {
                        return Ok(line);
                    }
                }
                return Err(self.died(now));
            }
            if self.asked().stdout().is_none() {
                let until = *output_ended.get_or_insert(now) + EOF_TO_EXIT_GRACE;
                if now >= until {
                    return Err(
                        self.fault(Cause::ClosedOutput, "it closed its standard output and went on running")
                    );
                }
                now = self.wait(until, now)?;
                continue;
            }
            if now >= self.turn().look {
                now = self.look_after_everybody(now);
                if let Some(fault) = self.over_a_limit() {
                    return Err(fault);
                }
            }
            let until = self.patience();
            if now >= until {
                if let Some(trouble) = self.on_deadline(now)? {
                    return trouble;
                }
                continue;
            }
            now = self.wait(until.min(self.turn().look), now)?;
            let process = self.asked();
            let can_think = process.told() && process.up.is_some();
            let turn = self.turn_mut();
            turn.woke = now;
            turn.last_look |= turn.start.is_some_and(|start| now >= turn.deadline(start));
            if can_think {
                turn.start.get_or_insert(now);
            }
            if let Some(line) = self.next_answer(now)? {
                return Ok(line);
            }
            if let Some(held_up) = self.turn_mut().held_up.take() {
                now = self.excuse(held_up);
            }
        }
    }

    /// Stops engines that have nothing to think about now, and those that use too much. Gives the time afterwards.
    fn look_after_everybody(&mut self, mut now: Instant) -> Instant {
        let turn = self.turn();
        let (asked, first) = (turn.seat, turn.look == turn.put + REST_AFTER);
        let mut others = Duration::ZERO;
        for (seat, chair) in self.chairs.iter_mut() {
            let Slot::Taken(process) = chair else { continue };
            if seat != asked {
                process.rest(&self.limits.confinement);
            } else if first {
                process.look_at_turn(self.limits.again);
            }
            if !first {
                process.look_at_limits(&self.limits.confinement);
            }
            let before = std::mem::replace(&mut now, Instant::now());
            if seat != asked {
                others += now.saturating_duration_since(before);
            }
        }
        let turn = self.turn_mut();
        turn.look = now + LOOK_EVERY;
        turn.own = Some(OwnLook::now());
        if others > LONG_LOOK {
            turn.excused += others;
        }
        now
    }

    /// A fault of the engine that was asked.
    fn fault(&self, cause: Cause, why: impl Into<String>) -> Trouble {
        Trouble::Fault(Fault { seat: self.turn().seat, cause, why: why.into() })
    }

    /// The fault of the seat that was asked, if it uses more than it may.
    fn over_a_limit(&self) -> Option<Trouble> {
        let (cause, why) = self.asked().over.as_ref()?;
        Some(self.fault(*cause, why.clone()))
    }

    /// The same of one that has ended, which the kernel may have killed for it.
    fn ended_at_a_limit(&mut self) -> Option<Trouble> {
        let confinement = self.limits.confinement.clone();
        self.asked_mut().judge_its_end(&confinement);
        self.over_a_limit()
    }

    fn turn(&self) -> &Turn {
        self.turn.as_ref().expect("a seat has been asked")
    }

    fn turn_mut(&mut self) -> &mut Turn {
        self.turn.as_mut().expect("a seat has been asked")
    }

    fn asked(&self) -> &Process {
        match &self.chairs[self.turn().seat] {
            Slot::Taken(process) => process,
            Slot::Empty(_) | Slot::Waiting(..) => unreachable!("nobody is asked who is not there"),
        }
    }

    fn asked_mut(&mut self) -> &mut Process {
        let seat = self.turn().seat;
        match &mut self.chairs[seat] {
            Slot::Taken(process) => process,
            Slot::Empty(_) | Slot::Waiting(..) => unreachable!("nobody is asked who is not there"),
        }
    }

    /// The answer, if a whole line of it lies in the inbox.
    fn next_answer(&mut self, now: Instant) -> Result<Option<Answer>, Trouble> {
        let at = now.saturating_duration_since(self.began);
        let turn = self.turn();
        let (seat, start, first_words, said_before) =
            (turn.seat, turn.start.unwrap_or(now), turn.first_words, turn.said_before);
        let (allowance, excused) = (turn.allowance, turn.excused);
        let output = self.limits.confinement.output;
        let fault = |cause, why| Err(Trouble::Fault(Fault { seat, cause, why }));
        let process = self.asked_mut();
        loop {
            match process.inbox.next() {
                Next::Nothing if process.traffic.said - said_before > output => {
                    return fault(
                        Cause::OutputLimit,
                        format!("it wrote more than {output} bytes in one turn"),
                    );
                }
                Next::Nothing => return Ok(None),
                Next::Stale(line) => process.unasked(at, &line),
                Next::TooLong(beginning) => {
                    process.transcript.note(at, Way::Unfinished, &beginning);
                    return fault(
                        Cause::OutputLimit,
                        format!(
                            "it wrote a line of more than {MAX_LINE} bytes, which begins {}",
                            quoted(&beginning)
                        ),
                    );
                }
                // A line that was there before a single byte of the first question had been read is no answer
                // to it. (Later questions are not looked after this way: it would cost a call a ply.)
                Next::Line(line)
                    if first_words > 0 && !process.answered && process.unread() >= first_words =>
                {
                    process.unasked(at, &line);
                }
                Next::Line(mut line) => {
                    if !std::mem::replace(&mut process.answered, true) {
                        process.settle();
                    }
                    process.told_at = None;
                    if line.last() == Some(&b'\r') {
                        line.pop();
                        process.traffic.crlf = true;
                    }
                    process.transcript.note(at, Way::Said, &line);
                    // What counts as in time takes no more than there was, however late we were.
                    let time = whole_micros(now.saturating_duration_since(start).saturating_sub(excused));
                    let time = time.min(allowance);
                    return Ok(Some(Answer { line, time }));
                }
            }
        }
    }

    /// Until when there is any use in waiting.
    fn patience(&self) -> Instant {
        let (turn, process) = (self.turn(), self.asked());
        match turn.start {
            Some(start) => turn.deadline(start),
            None if process.up.is_none() => (process.started + self.limits.startup).max(turn.put),
            None => turn.deadline(turn.put),
        }
    }

    /// What has run out: the start-up budget (then the clock starts), or the time.
    fn on_deadline(&mut self, now: Instant) -> Result<Option<Result<Answer, Trouble>>, Trouble> {
        let turn = self.turn();
        let (start, allowance) = (turn.start, turn.allowance);
        let process = self.asked_mut();
        if start.is_none() && process.up.is_none() {
            process.is_up(now);
            process.flush();
            let told = process.told();
            let turn = self.turn_mut();
            turn.put = now;
            turn.start = told.then_some(now);
            return Ok(None);
        }
        // It lay in the pipe when we woke: then it was in time, however late we were.
        let last_look = std::mem::replace(&mut self.turn_mut().last_look, true);
        if !last_look
            && self.asked_mut().read_stdout(now)
            && let Some(line) = self.next_answer(now)?
        {
            return Ok(Some(Ok(line)));
        }
        if let Some(trouble) = self.excuse_for_silence() {
            return Err(trouble);
        }
        let at = now.saturating_duration_since(self.began);
        let process = self.asked_mut();
        let partial = process.inbox.unfinished().to_vec();
        let fault = if process.told() {
            let mut why = format!("no answer within {}", spoken(allowance));
            if !partial.is_empty() {
                process.transcript.note(at, Way::Unfinished, &partial);
                why.push_str(&format!("; it had written {} without a newline", quoted(&partial)));
            }
            if process.traffic.said == 0 && process.unread() > 0 {
                why.push_str(", and it has not read its standard input");
            }
            if process.traffic.unasked > 0 {
                why.push_str(&format!(
                    "; {} line(s) it wrote when it was not asked did not count",
                    process.traffic.unasked
                ));
            }
            (Cause::TimeForfeit, why)
        } else {
            let why = format!(
                "it did not read its standard input within {}: {} bytes were waiting behind {} told",
                spoken(allowance),
                process.untold(),
                process.traffic.told
            );
            (Cause::StdinBlocked, why)
        };
        Ok(Some(Err(self.fault(fault.0, fault.1))))
    }

    fn died(&mut self, now: Instant) -> Trouble {
        if let Some(fault) = self.ended_at_a_limit() {
            return fault;
        }
        let at = now.saturating_duration_since(self.began);
        let process = self.asked_mut();
        let partial = process.inbox.unfinished().to_vec();
        let mut why = format!("its process ended without an answer{}", process.how_it_ended());
        if !partial.is_empty() {
            process.transcript.note(at, Way::Unfinished, &partial);
            why.push_str(&format!("; {} has no newline and is no move", quoted(&partial)));
        }
        self.fault(Cause::Crash, why)
    }
}

/// The chair of an engine that is started now. An error is ours.
fn start(setup: &Setup, limits: &Limits) -> io::Result<Slot> {
    match Process::start(setup, &limits.confinement, limits.core.as_ref()) {
        Ok(process) => Ok(Slot::Taken(Box::new(process))),
        Err(NotStarted::Program(error)) => Ok(Slot::Empty(error)),
        Err(NotStarted::Ours(error)) => Err(error),
    }
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", escape(bytes, 200))
}

/// A span of time as a sentence has it: `5 s`, `120 ms`.
fn spoken(time: Duration) -> String {
    if time >= Duration::from_secs(1) {
        format!("{} s", (time.as_secs_f64() * 1000.0).round() / 1000.0)
    } else {
        format!("{} ms", (time.as_secs_f64() * 1e6).round() / 1000.0)
    }
}
