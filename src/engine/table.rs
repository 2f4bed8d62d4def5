//! The engines of one game around one table, and the one poll loop that serves them.
//!
//! The loop watches everything an engine can do (write to stdout or stderr, make room in its stdin, end), of
//! every engine at the table at once, so that nobody's flood, silence or death can hold up anybody else.
//! It knows bytes and deadlines; what a line means is for the protocol and the referee.
//!
//! The rules of time, all in one place:
//! * A question is asked when its last byte has been written and the engine is up; that instant plus the
//!   allowance is the deadline, and nothing moves it.
//! * An engine is up when it has read what was put into its stdin, when it has written something, or when the
//!   start-up budget is used up. Until then its first question's clock does not run.
//! * The time of an answer is that of its newline. What lay whole in the pipe when we woke counts.
//! * Data before hang-up: an engine that answers and exits has answered. One whose main process had ended
//!   before it was asked answers nothing more, whoever else holds its pipe.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::buffers::{MAX_LINE, Next};
use super::orphans;
use super::process::{Process, Setup};
use super::spawn::NotStarted;
use crate::game::{PerSeat, Seat};
use crate::printable::escape;
use crate::record::{Cause, Exit, Heard, Traffic, Way};

/// How long an engine may take to leave when its stdin is closed.
pub const GRACE: Duration = Duration::from_millis(200);
/// How long a killed process may take to be gone. Only the kernel is in the way then.
const KILL_BOUND: Duration = Duration::from_secs(2);
/// Between the end of an engine's output and the end of its process, when it ends as a whole.
const DEATH_RATTLE: Duration = Duration::from_millis(50);
/// After so many wake-ups in one turn, an engine's output is looked at only at every tick.
const NOISY: u32 = 64;
/// How long a noisy engine's output may lie before it is looked at.
const TICK: Duration = Duration::from_millis(1);
/// The most bytes an engine may write to stdout in one turn of its own.
const MAX_TURN: u64 = 4 * 1024 * 1024;

/// One engine's fault, in the words of the record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
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

impl Trouble {
    fn fault(cause: Cause, why: impl Into<String>) -> Self {
        Trouble::Fault(Fault { cause, why: why.into() })
    }
}

/// A line an engine said when it was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The line without its newline, and without one `\r` before that.
    pub line: Vec<u8>,
    /// From the question to the newline.
    pub time: Duration,
}

/// What was seen of one engine in a game that is over.
#[derive(Debug)]
pub struct Seen {
    /// From its start until it was up.
    pub startup: Duration,
    /// The worst lateness of our wake-ups at its deadlines.
    pub lateness: Duration,
    /// What went over its pipes.
    pub traffic: Traffic,
    /// How its process ended.
    pub exit: Option<Exit>,
    /// How many processes it left behind.
    pub stragglers: u32,
    /// The head and the tail of its stderr, as it wrote them.
    pub stderr: Vec<u8>,
    /// The last lines both ways.
    pub lines: Vec<Heard>,
}

/// Limits that are the same for every seat.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long an engine may take to start.
    pub startup: Duration,
    /// Becomes readable when the run is to stop, and stays so.
    pub stop: Option<Arc<OwnedFd>>,
}

enum Chair {
    Taken(Box<Process>),
    /// It could not be started, and why.
    Empty(io::Error),
}

struct Turn {
    seat: Seat,
    allowance: Duration,
    /// When the question was put; the clock starts no sooner.
    put: Instant,
    /// When the clock started.
    start: Option<Instant>,
    /// How long the question is, when it is the first thing the engine is told after the greeting.
    first_words: u64,
    /// Bytes said before this turn.
    said_before: u64,
    /// Whether the process had ended before the question was put.
    dead: bool,
}

/// The engines of one game.
pub struct Table {
    chairs: PerSeat<Chair>,
    limits: Limits,
    began: Instant,
    turn: Option<Turn>,
    scratch: Vec<u8>,
    told_since_greeting: PerSeat<u64>,
}

impl Table {
    /// Starts an engine for each seat. An engine that cannot be started has an empty chair, and forfeits when
    /// it is asked.
    ///
    /// # Errors
    /// Ours: no more processes, memory or descriptors. Nothing is left running.
    pub fn sit(setups: &PerSeat<Setup>, limits: Limits) -> io::Result<Self> {
        let began = Instant::now();
        let mut chairs = Vec::with_capacity(setups.len());
        let mut ours = None;
        for (_, setup) in setups.iter() {
            match Process::start(setup) {
                Ok(process) => chairs.push(Chair::Taken(Box::new(process))),
                Err(NotStarted::Program(error)) => chairs.push(Chair::Empty(error)),
                Err(NotStarted::Ours(error)) => {
                    ours = Some(error);
                    break;
                }
            }
        }
        let seats = chairs.len();
        let table = Table {
            chairs: chairs.into(),
            limits,
            began,
            turn: None,
            scratch: Vec::new(),
            told_since_greeting: PerSeat::from_fn(seats, |_| 0),
        };
        match ours {
            None => Ok(table),
            Some(error) => {
                table.close(Patience::None);
                Err(error)
            }
        }
    }

    /// Tells a seat something. Never blocks: what its pipe does not take now goes when there is room.
    pub fn tell(&mut self, seat: Seat, text: &[u8]) {
        if let Chair::Taken(process) = &mut self.chairs[seat] {
            if process.wakes > NOISY {
                // What it was not polled for lies in its pipe; it was said before this.
                hush(process, self.began, &mut self.scratch);
            }
            process.tell(text, self.began);
            self.told_since_greeting[seat] += text.len() as u64;
        }
    }

    /// Puts the question to a seat: its clock runs from the last byte told. [`Table::hear`] gives the answer.
    pub fn ask(&mut self, seat: Seat, allowance: Duration) {
        let told_at = match &self.chairs[seat] {
            Chair::Taken(process) => process.told_at,
            Chair::Empty(_) => None,
        };
        let put = told_at.unwrap_or_else(Instant::now);
        let mut turn =
            Turn { seat, allowance, put, start: None, first_words: 0, said_before: 0, dead: false };
        if let Chair::Taken(process) = &mut self.chairs[seat] {
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

    /// The next line of the seat that was asked, at most until its deadline. May be called again in the same
    /// turn where a protocol has lines before the answer; the deadline stays what it was.
    ///
    /// # Errors
    /// [`Trouble`]: the engine's fault, ours, or the order to stop.
    pub fn hear(&mut self) -> Result<Answer, Trouble> {
        let seat = self.turn.as_ref().expect("a seat has been asked").seat;
        if let Chair::Empty(error) = &self.chairs[seat] {
            return Err(Trouble::fault(Cause::StartFailed, format!("it could not be started: {error}")));
        }
        if self.turn().dead {
            // It died before the question was put; a child of its may hold its pipe and go on talking.
            return Err(Trouble::fault(Cause::Crash, "its process had ended before it was asked"));
        }
        let mut now = self.turn().put;
        let mut output_ended: Option<Instant> = None;
        loop {
            if let Some(line) = self.next_answer(now)? {
                return Ok(line);
            }
            if self.asked().ended {
                while self.asked_mut().read_stdout(now) {
                    if let Some(line) = self.next_answer(now)? {
                        return Ok(line);
                    }
                }
                return Err(self.died(now));
            }
            if self.asked().stdout().is_none() {
                let until = *output_ended.get_or_insert(now) + DEATH_RATTLE;
                if now >= until {
                    return Err(Trouble::fault(
                        Cause::ClosedOutput,
                        "it closed its standard output and went on running",
                    ));
                }
                now = self.wait(until, now)?;
                continue;
            }
            let until = self.patience();
            if now >= until {
                if let Some(trouble) = self.out_of_patience(now)? {
                    return trouble;
                }
                continue;
            }
            now = self.wait(until, now)?;
            let process = self.asked();
            if self.turn().start.is_none() && process.told() && process.up.is_some() {
                self.turn.as_mut().expect("it is being asked").start = Some(now);
            }
        }
    }

    /// Ends the game's processes: those that are well have [`GRACE`] to leave by themselves.
    pub fn close(mut self, patience: Patience) -> PerSeat<Seen> {
        self.turn = None;
        self.leave(patience);
        self.kill_all();
        let began = self.began;
        let scratch = &mut self.scratch;
        let marks: Vec<String> = self
            .chairs
            .values()
            .iter()
            .filter_map(|chair| match chair {
                Chair::Taken(process) => Some(process.mark.clone()),
                Chair::Empty(_) => None,
            })
            .collect();
        let exits: Vec<Option<Exit>> = self
            .chairs
            .iter_mut()
            .map(|(_, chair)| match chair {
                Chair::Taken(process) => process.reap().ok().flatten(),
                Chair::Empty(_) => None,
            })
            .collect();
        let mut stragglers =
            orphans::sweep(&marks.iter().map(String::as_str).collect::<Vec<_>>()).into_iter();
        let mut exits = exits.into_iter();
        let seen = self
            .chairs
            .iter_mut()
            .map(|(_, chair)| {
                let exit = exits.next().expect("one a seat");
                match chair {
                    Chair::Taken(process) => {
                        // What lay in the pipes, but never until their end: a straggler elsewhere may hold them.
                        hush(process, began, scratch);
                        Seen {
                            startup: process
                                .up
                                .map_or(Duration::ZERO, |up| up.saturating_duration_since(process.started)),
                            lateness: process.lateness,
                            traffic: process.traffic,
                            exit,
                            stragglers: stragglers.next().expect("one a process"),
                            stderr: process.log.bytes(),
                            lines: process.transcript.heard(),
                        }
                    }
                    Chair::Empty(_) => Seen {
                        startup: Duration::ZERO,
                        lateness: Duration::ZERO,
                        traffic: Traffic::default(),
                        exit: None,
                        stragglers: 0,
                        stderr: Vec::new(),
                        lines: Vec::new(),
                    },
                }
            })
            .collect::<Vec<_>>()
            .into();
        self.chairs = Vec::new().into(); // nothing is left for `drop` to do
        seen
    }

    fn turn(&self) -> &Turn {
        self.turn.as_ref().expect("a seat has been asked")
    }

    fn asked(&self) -> &Process {
        match &self.chairs[self.turn().seat] {
            Chair::Taken(process) => process,
            Chair::Empty(_) => unreachable!("an empty chair has been refused already"),
        }
    }

    fn asked_mut(&mut self) -> &mut Process {
        let seat = self.turn().seat;
        match &mut self.chairs[seat] {
            Chair::Taken(process) => process,
            Chair::Empty(_) => unreachable!("an empty chair has been refused already"),
        }
    }

    /// The answer, if a whole line of it lies in the inbox.
    fn next_answer(&mut self, now: Instant) -> Result<Option<Answer>, Trouble> {
        let at = now.saturating_duration_since(self.began);
        let turn = self.turn();
        let (start, first_words, said_before) =
            (turn.start.unwrap_or(now), turn.first_words, turn.said_before);
        let process = self.asked_mut();
        loop {
            match process.inbox.next() {
                Next::Nothing if process.traffic.said - said_before > MAX_TURN => {
                    return Err(Trouble::fault(
                        Cause::OutputLimit,
                        format!("it wrote more than {MAX_TURN} bytes in one turn"),
                    ));
                }
                Next::Nothing => return Ok(None),
                Next::Stale(line) => process.unasked(at, &line),
                Next::TooLong(beginning) => {
                    process.transcript.note(at, Way::Unfinished, &beginning);
                    return Err(Trouble::fault(
                        Cause::OutputLimit,
                        format!(
                            "it wrote a line of more than {MAX_LINE} bytes, which begins {}",
                            quoted(&beginning)
                        ),
                    ));
                }
                // A line that was there before a single byte of the first question had been read is no answer
                // to it. (Later questions are not looked after this way: it would cost a call a ply.)
                Next::Line(line)
                    if first_words > 0 && !process.answered && process.unread() >= first_words =>
                {
                    process.unasked(at, &line);
                }
                Next::Line(mut line) => {
                    process.answered = true;
                    process.told_at = None;
                    if line.last() == Some(&b'\r') {
                        line.pop();
                        process.traffic.crlf = true;
                    }
                    process.transcript.note(at, Way::Said, &line);
                    return Ok(Some(Answer { line, time: now.saturating_duration_since(start) }));
                }
            }
        }
    }

    /// Until when there is any use in waiting.
    fn patience(&self) -> Instant {
        let (turn, process) = (self.turn(), self.asked());
        match turn.start {
            Some(start) => start + turn.allowance,
            None if process.up.is_none() => (process.started + self.limits.startup).max(turn.put),
            None => turn.put + turn.allowance,
        }
    }

    /// What has run out: the start-up budget (then the clock starts), or the time.
    fn out_of_patience(&mut self, now: Instant) -> Result<Option<Result<Answer, Trouble>>, Trouble> {
        let turn = self.turn();
        let (start, allowance) = (turn.start, turn.allowance);
        let process = self.asked_mut();
        if start.is_none() && process.up.is_none() {
            process.is_up(now);
            process.flush();
            let told = process.told();
            let turn = self.turn.as_mut().expect("it is being asked");
            turn.put = now;
            turn.start = told.then_some(now);
            return Ok(None);
        }
        // It lay in the pipe when we woke: then it was in time, however late we were.
        if self.asked_mut().read_stdout(now)
            && let Some(line) = self.next_answer(now)?
        {
            return Ok(Some(Ok(line)));
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
            Trouble::fault(Cause::TimeForfeit, why)
        } else {
            Trouble::fault(
                Cause::StdinBlocked,
                format!(
                    "it did not read its standard input within {}: {} bytes were waiting behind {} told",
                    spoken(allowance),
                    process.untold(),
                    process.traffic.told
                ),
            )
        };
        Ok(Some(Err(fault)))
    }

    fn died(&mut self, now: Instant) -> Trouble {
        let at = now.saturating_duration_since(self.began);
        let process = self.asked_mut();
        let partial = process.inbox.unfinished().to_vec();
        let mut why = "its process ended without an answer".to_owned();
        if !partial.is_empty() {
            process.transcript.note(at, Way::Unfinished, &partial);
            why.push_str(&format!("; {} has no newline and is no move", quoted(&partial)));
        }
        Trouble::fault(Cause::Crash, why)
    }

    /// Waits until something happens or `until` has come, and takes what has. Gives the time it woke.
    fn wait(&mut self, until: Instant, now: Instant) -> Result<Instant, Trouble> {
        let asked = self.turn.as_ref().map(|turn| turn.seat);
        let mut fds = Vec::with_capacity(4 * self.chairs.len() + 1);
        let mut whose = Vec::with_capacity(fds.capacity());
        let mut noisy = false;
        for (seat, chair) in self.chairs.iter() {
            let Chair::Taken(process) = chair else { continue };
            let hushed = process.wakes > NOISY;
            noisy |= hushed && (process.stdout().is_some() || process.stderr().is_some());
            let mut watch = |fd, flags, what| {
                if let Some(fd) = fd {
                    fds.push(PollFd::from_borrowed_fd(fd, flags));
                    whose.push((seat, what));
                }
            };
            if !hushed {
                watch(process.stdout(), PollFlags::IN, What::Stdout);
                watch(process.stderr(), PollFlags::IN, What::Stderr);
            }
            if process.wants_stdin() {
                watch(process.stdin(), PollFlags::OUT, What::Stdin);
            }
            watch(process.pidfd(), PollFlags::IN, What::End);
        }
        if let Some(stop) = &self.limits.stop {
            fds.push(PollFd::new(stop.as_ref(), PollFlags::IN));
        }
        let wake = if noisy { until.min(now + TICK) } else { until };
        let ready = match poll(&mut fds, Some(&timespec(wake.saturating_duration_since(now)))) {
            Ok(ready) => ready,
            Err(Errno::INTR) => return Ok(Instant::now()),
            Err(error) => return Err(Trouble::Ours(error.into())),
        };
        let woke = Instant::now();
        let events: Vec<PollFlags> = fds.iter().map(PollFd::revents).collect();
        if ready > 0 && events.len() > whose.len() && !events[whose.len()].is_empty() {
            return Err(Trouble::Stopped);
        }
        let at = woke.saturating_duration_since(self.began);
        for ((seat, what), event) in whose.into_iter().zip(events) {
            if event.is_empty() {
                continue;
            }
            let Chair::Taken(process) = &mut self.chairs[seat] else { continue };
            match what {
                What::Stdout => {
                    process.wakes += 1;
                    process.read_stdout(woke);
                    if asked != Some(seat) {
                        process.drop_unasked(at);
                    }
                }
                What::Stderr => {
                    process.wakes += 1;
                    process.read_stderr(&mut self.scratch);
                }
                What::Stdin => process.stdin_ready(event.contains(PollFlags::ERR), woke),
                What::End => process.ended = true,
            }
        }
        if noisy {
            self.listen_to_the_noisy(asked, woke);
        }
        if woke >= until
            && let Some(seat) = asked
            && let Chair::Taken(process) = &mut self.chairs[seat]
        {
            process.lateness = process.lateness.max(woke - until);
        }
        Ok(woke)
    }

    fn listen_to_the_noisy(&mut self, asked: Option<Seat>, now: Instant) {
        let began = self.began;
        for (seat, chair) in self.chairs.iter_mut() {
            let Chair::Taken(process) = chair else { continue };
            if process.wakes > NOISY {
                process.read_stdout(now);
                process.read_stderr(&mut self.scratch);
                if asked != Some(seat) {
                    process.drop_unasked(now.saturating_duration_since(began));
                }
            }
        }
    }

    /// Lets the engines that are well leave by themselves.
    fn leave(&mut self, patience: Patience) {
        let mut now = Instant::now();
        let until = now + GRACE;
        for (seat, chair) in self.chairs.iter_mut() {
            let Chair::Taken(process) = chair else { continue };
            process.close_stdin();
            if patience == Patience::None || patience == Patience::AllBut(seat) {
                process.kill();
            }
        }
        if patience == Patience::None {
            return;
        }
        self.limits.stop = None; // it would wake us again and again, and the grace is short
        while self.anybody_left() && now < until {
            match self.wait(until, now) {
                Ok(woke) => now = woke,
                Err(_) => return,
            }
        }
    }

    /// Kills what has not left, and waits until it is gone.
    fn kill_all(&mut self) {
        for (_, chair) in self.chairs.iter_mut() {
            if let Chair::Taken(process) = chair {
                process.kill();
            }
        }
        let mut now = Instant::now();
        let until = now + KILL_BOUND;
        while self.anybody_left() && now < until {
            match self.wait(until, now) {
                Ok(woke) => now = woke,
                Err(_) => return,
            }
        }
    }

    fn anybody_left(&self) -> bool {
        self.chairs.iter().any(|(_, chair)| matches!(chair, Chair::Taken(process) if !process.ended))
    }
}

/// A table that is dropped before it was closed, because something panicked, leaves nobody running.
impl Drop for Table {
    fn drop(&mut self) {
        for (_, chair) in self.chairs.iter_mut() {
            if let Chair::Taken(process) = chair {
                process.kill();
                let _ = process.reap(); // the last resort: what has not ended yet is the keeper's
                orphans::sweep(&[&process.mark]);
            }
        }
    }
}

/// Whom to give time to leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Everybody.
    All,
    /// Everybody but this seat, whose fault ended the game.
    AllBut(Seat),
    /// Nobody: we are in a hurry.
    None,
}

enum What {
    Stdout,
    Stderr,
    Stdin,
    End,
}

/// Takes what lies in its pipes and drops it, up to a bound.
fn hush(process: &mut Process, began: Instant, scratch: &mut Vec<u8>) {
    let now = Instant::now();
    for _ in 0..64 {
        let said = process.read_stdout(now);
        process.drop_unasked(now.saturating_duration_since(began));
        let logged = process.read_stderr(scratch);
        if !said && !logged {
            return;
        }
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

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    }
}
