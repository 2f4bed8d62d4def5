//! The processes of one game's engines, and the one poll loop that serves them.
//!
//! The loop watches all engines of the game at once, and everything they can do: write to stdout or
//! stderr, read stdin, exit. So the flood, silence or death of one engine never holds up another.
//! It knows bytes and deadlines. What a line means is for the protocol and the referee.
//!
//! The rules of time, all in one place:
//! * A question is asked when its last byte has been written and the engine is up. That instant
//!   plus the allowance is the deadline.
//! * Four things move the deadline, each by the time that it took: a harness that woke late, as far
//!   as the engine did not run meanwhile; its look at engines that are not to move; a pause; and
//!   [`GameProcesses::extend`].
//! * At the deadline the processor decides. An engine that was kept from it by others gets time
//!   until its own clock has reached the allowance: see `own_clock.rs` and `judging.rs`.
//! * An engine is up when it has read its stdin, when it has written something, or when the
//!   start-up budget is used up. Until then its first question's clock does not run.
//! * A move is timestamped when its newline is read. A line that lay whole in the pipe when we woke
//!   counts.
//! * Buffered output is read before EOF or exit is acted on: an engine that answers and exits has
//!   answered. An engine whose main process had ended before the question has no answer, even if a
//!   child holds its pipe.

mod asking;
mod closing;
mod far;
mod faults;
mod idling;
mod judging;
mod pausing;
mod prompts;
mod turn;
mod waiting;
mod watching;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agon_programs::sandbox::InBox;
use agon_record::Way;
use agon_record::reason::{FaultFact, FaultReason, QuotedLine};
use agon_sandbox::spawn::NotStarted;
use agon_seats::{PerSeat, Seat, whole_micros};
use agon_standings::result::Cause;

use super::buffers::{MAX_LINE, Next};
use super::pauses::GamePauses;
use super::pinning::Core;
use super::process::{Process, Setup};
use super::terms::GameTerms;
use super::traffic_log::{GameLog, SeatLog};
use far::FarSeat;
use pausing::PausesSoFar;
use turn::Turn;
use waiting::OpenWait;
use watching::{NOISY, Watch, drain};

pub use closing::{ParkedEngine, Patience, SeatSeen};
pub use waiting::WaitNotice;

/// A harness that woke up later than this in a turn, or than the margin if that is more, asks why.
const LATE: Duration = Duration::from_millis(20);
/// Between the end of an engine's output and the end of its process, when it ends as a whole.
const EOF_TO_EXIT_GRACE: Duration = Duration::from_millis(50);
/// The same of a box, whose mounts go with it.
const EOF_TO_END_OF_BOX: Duration = Duration::from_millis(500);
/// After so long in a turn the others rest: in fast games nobody is worth stopping.
const REST_AFTER: Duration = Duration::from_millis(2);
/// A look at the others' processes that takes longer than this is no part of anybody's time.
const LONG_LOOK: Duration = Duration::from_millis(1);
/// So often what engines use is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// One engine's fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Whose it is.
    pub seat: Seat,
    /// The word that is counted.
    pub cause: Cause,
    /// The same with the numbers, as the record has it.
    pub why: Box<FaultReason>,
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
    /// From the question to the newline, or to the last byte of a prompt.
    pub time: Duration,
    /// Whether it is a whole line. Otherwise it is a prompt, which may still grow.
    pub whole: bool,
}

/// What fills the slot of a seat when the game begins.
pub enum EngineStart {
    /// A process that [`GameProcesses::start`] starts.
    Later(Box<Setup>),
    /// A process that has played before and goes on.
    GoOn(ParkedEngine),
    /// No process: a person moves, or the harness itself.
    NoProcess,
}

/// Limits that are the same for every seat.
#[derive(Clone, Debug)]
pub struct Limits {
    /// What they grant each engine.
    pub terms: GameTerms,
    /// Becomes readable when the run is to stop, and stays so.
    pub stop: Option<Arc<OwnedFd>>,
    /// The log of the game that gets every line.
    pub traffic: Option<GameLog>,
    /// Says which engine the game waits for.
    pub waiting: Option<WaitNotice>,
    /// The pauses of the game, if the run allows any.
    pub pauses: Option<GamePauses>,
    /// The core that the game keeps to.
    pub core: Option<Arc<Core>>,
    /// Whether an attempt at the same game was void: what may have been an accident then is one no
    /// more.
    pub again: bool,
}

impl Limits {
    /// Those of a game on these terms that stops when `stop` becomes readable.
    pub fn new(terms: GameTerms, stop: Option<Arc<OwnedFd>>) -> Self {
        Limits { terms, stop, traffic: None, waiting: None, pauses: None, core: None, again: false }
    }
}

enum Slot {
    Running(Box<Process>),
    /// Its process could not be started, and why.
    Failed(io::Error),
    /// Its process is to be started later, with these bytes in its stdin behind the greeting.
    Waiting(Box<Setup>, Vec<u8>),
    /// It has no process, or none that ends with the game.
    Vacant,
}

/// The engines of one game.
pub struct GameProcesses {
    slots: PerSeat<Slot>,
    limits: Limits,
    began: Instant,
    turn: Option<Turn>,
    watch: Watch,
    /// When the engines were no longer to read: their input was closed.
    closed: Option<Instant>,
    /// Whose answer the game waits for, if somebody may be told.
    wait: Option<OpenWait>,
    pauses: PausesSoFar,
    scratch: Vec<u8>,
    told_since_greeting: PerSeat<u64>,
    /// What was started in a box, to say why it was not.
    in_boxes: PerSeat<Option<InBox>>,
    /// Where the lines of each seat are logged, if they are.
    logs: PerSeat<Option<SeatLog>>,
    /// The seats whose engines are elsewhere.
    far: PerSeat<Option<FarSeat>>,
    /// What was seen of processes that have ended in this game.
    retired: PerSeat<Option<SeatSeen>>,
}

impl GameProcesses {
    /// A slot for each seat, from the first on. No process is started yet.
    pub fn new(starts: Vec<EngineStart>, limits: Limits) -> Self {
        let slots = starts.into_iter().map(|start| match start {
            EngineStart::GoOn(mut parked) => {
                let mut process = parked.0.take().expect("it is taken only here and when it ends");
                process.begin_another_game();
                Slot::Running(process)
            }
            EngineStart::Later(setup) => Slot::Waiting(setup, Vec::new()),
            EngineStart::NoProcess => Slot::Vacant,
        });
        GameProcesses::around(slots.collect(), limits)
    }

    /// Starts the process of a seat, if it waits for that. This is best done just before its first
    /// question. Before that it has nothing to do, and it would do any work in its opponent's time.
    /// It finds in its stdin all that it has been told. A program that cannot be started forfeits
    /// when it is asked.
    ///
    /// # Errors
    /// [`Trouble`], mostly ours: no more processes, memory or descriptors. What runs already runs
    /// on.
    pub fn start(&mut self, seat: Seat) -> Result<(), Trouble> {
        let Slot::Waiting(setup, told) = &self.slots[seat] else { return Ok(()) };
        let mut setup = setup.clone();
        let greeting = setup.greeting.clone();
        setup.greeting.extend(told);
        if let Some(pauses) = &self.limits.pauses {
            setup.tell_of_pauses(pauses.longest);
        }
        let is_boxed = setup.confinement.level.is_boxed();
        self.in_boxes[seat] = is_boxed.then(|| InBox::of(&setup.program, &setup.shown));
        let started = Process::start(&setup, self.limits.core.as_ref());
        let slot = match started {
            Ok(mut process) => {
                process.game.transcript.log_to(self.logs[seat].take());
                process.log_greeting(&greeting, self.began);
                process.note_told(told, self.began);
                Slot::Running(Box::new(process))
            }
            Err(NotStarted::Program(error)) => {
                Slot::Failed(InBox::explained(self.in_boxes[seat].as_ref(), error))
            }
            Err(NotStarted::Directory(error) | NotStarted::Ours(error)) => {
                return Err(self.who_leaves_no_room(error));
            }
        };
        self.slots[seat] = slot;
        Ok(())
    }

    /// Sets how the process of a seat is to be started, in place of what was said before.
    pub(crate) fn start_later(&mut self, seat: Seat, setup: Setup) {
        self.slots[seat] = Slot::Waiting(Box::new(setup), Vec::new());
    }

    /// Logs every line of these seats. Lines that were told before are not in it.
    pub fn log_to(&mut self, logs: PerSeat<Option<SeatLog>>) {
        self.logs = logs;
        for (seat, slot) in self.slots.iter_mut() {
            if let Slot::Running(process) = slot {
                process.game.transcript.log_to(self.logs[seat].take());
            }
        }
    }

    fn around(slots: Vec<Slot>, limits: Limits) -> Self {
        let seats = slots.len();
        GameProcesses {
            slots: slots.into(),
            limits,
            began: Instant::now(),
            turn: None,
            watch: Watch::default(),
            closed: None,
            wait: None,
            pauses: PausesSoFar::default(),
            scratch: Vec::new(),
            told_since_greeting: PerSeat::from_fn(seats, |_| 0),
            in_boxes: PerSeat::from_fn(seats, |_| None),
            logs: PerSeat::from_fn(seats, |_| None),
            far: PerSeat::from_fn(seats, |_| None),
            retired: PerSeat::from_fn(seats, |_| None),
        }
    }

    /// Tells a seat something. Never blocks: what its pipe does not take now goes when there is
    /// room.
    pub fn tell(&mut self, seat: Seat, text: &[u8]) {
        match &mut self.slots[seat] {
            Slot::Running(process) => {
                // Before it is told, because that may start its clock.
                if process.thaw() || process.game.wakes > NOISY {
                    // What it was not polled for lies in its pipe; it was said before this.
                    drain(process, self.began, &mut self.scratch);
                }
                if process.screen.prompt.is_some() && !text.is_empty() {
                    process.end_prompt(self.began.elapsed());
                }
                process.tell(text, self.began);
                self.told_since_greeting[seat] += text.len() as u64;
            }
            Slot::Waiting(_, told) => told.extend_from_slice(text),
            Slot::Failed(_) | Slot::Vacant => {}
        }
    }

    /// Tells the seat that was asked something within its turn. Unlike [`GameProcesses::tell`],
    /// this drops nothing that it has written: its answer may lie there.
    pub(crate) fn tell_more(&mut self, text: &[u8]) {
        let (seat, began) = (self.turn().seat, self.began);
        let process = self.asked_mut();
        if process.screen.prompt.is_some() && !text.is_empty() {
            process.end_prompt(began.elapsed());
        }
        process.tell(text, began);
        self.told_since_greeting[seat] += text.len() as u64;
    }

    /// How long the question that was asked last has been open, from when its clock began, without
    /// pauses.
    pub fn waited(&self) -> Duration {
        self.turn.as_ref().map_or(Duration::ZERO, |turn| whole_micros(turn.waited(Instant::now())))
    }

    /// Gives more time to a question whose time has run out. [`GameProcesses::hear`] goes on with
    /// it.
    pub fn extend(&mut self, more: Duration) {
        let turn = self.turn_mut();
        turn.extended += more;
        turn.read_after_deadline = false;
    }

    /// Whether the seat that was asked has been computing since then, most of the time.
    pub fn is_computing(&mut self) -> bool {
        let wall = self.turn().wall(Instant::now());
        self.asked_mut().computes(wall)
    }

    /// The next line of the seat that was asked, at most until its deadline. May be called again in
    /// the same turn where a protocol has lines before the answer; the deadline stays what it was.
    ///
    /// # Errors
    /// [`Trouble`]: the engine's fault, ours, or the order to stop.
    pub fn hear(&mut self) -> Result<Answer, Trouble> {
        self.can_answer()?;
        if let Some(line) = self.next_answer(self.turn().woke)? {
            return Ok(line);
        }
        // Not the time of the question: our own work since then must not be waited for once more.
        let mut now = Instant::now();
        let mut output_ended: Option<Instant> = None;
        loop {
            if self.asked().ended() {
                return self.last_answer(now);
            }
            if let Some(answer) = self.settled_prompt()? {
                return Ok(answer);
            }
            if self.asked().stdout().is_none() {
                let is_boxed = self.in_boxes[self.turn().seat].is_some();
                let grace = if is_boxed { EOF_TO_END_OF_BOX } else { EOF_TO_EXIT_GRACE };
                let until = *output_ended.get_or_insert(now) + grace;
                if now >= until {
                    return Err(self.fault(Cause::ClosedOutput, FaultFact::ClosedOutput));
                }
                now = self.wait(until, now)?;
                continue;
            }
            if now >= self.turn().look {
                now = self.pause_if_asked(now)?;
                now = self.look_after_everybody(now);
                if let Some(fault) = self.over_a_limit() {
                    return Err(fault);
                }
            }
            let until = self.wait_until();
            if now >= until {
                if let Some(answer) = self.on_deadline(now)? {
                    return Ok(answer);
                }
                continue;
            }
            let prompt = self.asked().next_look(now).unwrap_or(until);
            now = self.wait(until.min(self.turn().look).min(prompt), now)?;
            let process = self.asked();
            let can_think = process.told() && process.up().is_some();
            let turn = self.turn_mut();
            turn.woke = now;
            turn.read_after_deadline |= turn.start.is_some() && now >= turn.deadline();
            if can_think && turn.start.is_none() {
                self.start_clock(now);
            }
            if let Some(line) = self.next_answer(now)? {
                return Ok(line);
            }
            if !self.turn().late.is_zero() {
                now = self.look_at_asked();
            }
        }
    }

    /// The clock of the question starts later than the question was put: the engine has started
    /// meanwhile. What it used for that belongs to no turn.
    fn start_clock(&mut self, now: Instant) {
        let turn = self.turn_mut();
        turn.start = Some(now);
        if turn.is_looked_at {
            turn.is_looked_at = false;
            turn.look = now + REST_AFTER;
            self.asked_mut().begin_turn();
        }
    }

    /// That the seat which was asked has a process that can answer, within its limits.
    fn can_answer(&mut self) -> Result<(), Trouble> {
        let seat = self.turn.as_ref().expect("a seat has been asked").seat;
        if let Slot::Failed(error) = &self.slots[seat] {
            return Err(self.fault(Cause::StartFailed, FaultFact::NotStarted(error.to_string())));
        }
        if let Some(fault) = self.over_a_limit() {
            return Err(fault);
        }
        if self.turn().dead {
            if let Some(fault) = self.ended_at_a_limit() {
                return Err(fault);
            }
            // It died before the question was put; a child of its may hold its pipe and go on
            // talking.
            let exit = self.asked().ended_as();
            return Err(self.ended(exit, FaultFact::EndedBefore(exit)));
        }
        Ok(())
    }

    /// What a process that has ended wrote before; without an answer in it, its crash.
    fn last_answer(&mut self, now: Instant) -> Result<Answer, Trouble> {
        while self.asked_mut().read_stdout(now) {
            if let Some(line) = self.next_answer(now)? {
                return Ok(line);
            }
        }
        if self.asked_mut().inbox.finish()
            && let Some(line) = self.next_answer(now)?
        {
            return Ok(line);
        }
        match self.any_prompt() {
            Some(prompt) => Ok(prompt),
            None => Err(self.died(now)),
        }
    }

    /// Stops engines that have nothing to think about now, and those that use too much. Returns the
    /// time afterwards.
    fn look_after_everybody(&mut self, mut now: Instant) -> Instant {
        let turn = self.turn();
        let (asked, first) = (turn.seat, !turn.is_looked_at);
        let mut others = Duration::ZERO;
        let since = now.saturating_duration_since(turn.asked());
        let by_harness = self.work_on_flood();
        for (seat, slot) in self.slots.iter_mut() {
            let Slot::Running(process) = slot else { continue };
            if seat != asked {
                process.freeze();
            } else if first {
                process.look_at_turn(since);
            }
            if !first {
                process.look_at_limits();
                if seat == asked {
                    process.glance_at_threads(by_harness);
                }
            }
            let before = std::mem::replace(&mut now, Instant::now());
            if seat != asked {
                others += now.saturating_duration_since(before);
            }
        }
        self.tell_wait(now);
        self.look_whether_idle(now);
        let turn = self.turn_mut();
        turn.look = now + LOOK_EVERY;
        turn.is_looked_at = true;
        if others > LONG_LOOK {
            turn.excused += others;
        }
        now
    }

    fn turn(&self) -> &Turn {
        self.turn.as_ref().expect("a seat has been asked")
    }

    fn turn_mut(&mut self) -> &mut Turn {
        self.turn.as_mut().expect("a seat has been asked")
    }

    fn asked(&self) -> &Process {
        match &self.slots[self.turn().seat] {
            Slot::Running(process) => process,
            Slot::Failed(_) | Slot::Waiting(..) | Slot::Vacant => {
                unreachable!("nobody is asked who is not there")
            }
        }
    }

    fn asked_mut(&mut self) -> &mut Process {
        let seat = self.turn().seat;
        match &mut self.slots[seat] {
            Slot::Running(process) => process,
            Slot::Failed(_) | Slot::Waiting(..) | Slot::Vacant => {
                unreachable!("nobody is asked who is not there")
            }
        }
    }

    /// The answer, if a whole line of it lies in the inbox.
    fn next_answer(&mut self, now: Instant) -> Result<Option<Answer>, Trouble> {
        let at = now.saturating_duration_since(self.began);
        let turn = self.turn();
        let (seat, start, first_words, said_before) =
            (turn.seat, turn.start.unwrap_or(now), turn.first_words, turn.said_before);
        let (allowance, excused) = (turn.allowance, turn.excused);
        let output = self.limits.terms.confinement.output;
        let fault = |fact: FaultFact| {
            Err(Trouble::Fault(Fault { seat, cause: Cause::OutputLimit, why: fact.into() }))
        };
        let process = self.asked_mut();
        loop {
            match process.inbox.next() {
                Next::Nothing if process.game.traffic.said - said_before > output => {
                    return fault(FaultFact::LongTurn(output));
                }
                Next::Nothing => return Ok(None),
                Next::Stale(line) => process.unasked(at, &line),
                Next::TooLong(beginning) => {
                    process.game.transcript.note(at, Way::Unfinished, &beginning);
                    let begins = QuotedLine::cut(&beginning, 60);
                    return fault(FaultFact::LongLine { most: MAX_LINE as u64, begins });
                }
                // A line that was there before a single byte of the first question had been read is
                // no answer to it. (Later questions are not looked after this way: it would cost a
                // call a ply.)
                Next::Line(line)
                    if first_words > 0 && !process.answered && process.unread() >= first_words =>
                {
                    process.unasked(at, &line);
                }
                Next::Line(mut line) => {
                    process.forget_prompt();
                    if !std::mem::replace(&mut process.answered, true) {
                        process.settle();
                    }
                    process.game.told_at = None;
                    if line.last() == Some(&b'\r') {
                        line.pop();
                        process.game.traffic.crlf = true;
                    }
                    process.game.transcript.note(at, Way::Said, &line);
                    self.turn_mut().answered = Some(now);
                    // What counts as in time takes no more than there was, however late we were.
                    let time = whole_micros(now.saturating_duration_since(start).saturating_sub(excused));
                    let time = time.min(allowance);
                    return Ok(Some(Answer { line, time, whole: true }));
                }
            }
        }
    }

    /// Until when there is any use in waiting.
    fn wait_until(&self) -> Instant {
        let (turn, process) = (self.turn(), self.asked());
        match turn.start {
            None if process.up().is_none() => {
                (process.started + self.limits.terms.startup + self.pauses.at_start).max(turn.put)
            }
            _ => turn.deadline(),
        }
    }

    /// The start-up budget has run out, and the clock starts; or the time of the question has run
    /// out. In the second case, an answer counts if it lay in the pipe when we woke.
    fn on_deadline(&mut self, now: Instant) -> Result<Option<Answer>, Trouble> {
        let turn = self.turn();
        let start = turn.start;
        let process = self.asked_mut();
        if start.is_none() && process.up().is_none() {
            process.note_up(now);
            process.flush();
            let told = process.told();
            let turn = self.turn_mut();
            turn.put = now;
            if told {
                self.start_clock(now);
            }
            return Ok(None);
        }
        // It lay in the pipe when we woke: then it was in time, however late we were.
        let read_after_deadline = std::mem::replace(&mut self.turn_mut().read_after_deadline, true);
        if !read_after_deadline
            && self.asked_mut().read_stdout(now)
            && let Some(line) = self.next_answer(now)?
        {
            return Ok(Some(line));
        }
        if let Some(prompt) = self.any_prompt() {
            return Ok(Some(prompt));
        }
        self.rule().map_or(Ok(None), Err)
    }
}
