//! How a game's processes end: healthy engines get a grace period, the rest are killed, and all are
//! reaped.

use std::time::{Duration, Instant};

use agon_record::{Exit, Pause, Traffic, Usage};
use agon_sandbox::orphans;
use agon_seats::{PerSeat, Seat, whole_micros};

use super::watching::{Watch, drain};
use super::{GameProcesses, Limits, Slot};
use crate::processes::buffers::Transcript;
use crate::processes::process::Process;

/// How long a killed process may take to be gone. Only the kernel is in the way then.
const KILL_BOUND: Duration = Duration::from_secs(2);

/// The most bytes of stderr that are kept of several processes of one engine.
const KEPT_STDERR: usize = 64 << 10;

/// What was seen of one engine in a game that is over.
#[derive(Clone, Debug, Default)]
pub struct SeatSeen {
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
    /// What its processes used.
    pub usage: Usage,
    /// Whether it had one thread and kept to the game's core.
    pub pinned: bool,
    /// The head and the tail of its stderr, as it wrote them.
    pub stderr: Vec<u8>,
    /// The last lines both ways.
    pub lines: Transcript,
    /// When its input was closed, by the time of the lines.
    pub closed: Option<Duration>,
    /// The pauses in which it was to answer.
    pub pauses: Vec<Pause>,
}

/// Which engines get the grace period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// All of them.
    All,
    /// All but this seat, whose fault ended the game.
    AllBut(Seat),
    /// None: we are in a hurry.
    None,
}

/// An engine process that lives on between two games.
pub struct ParkedEngine(pub(super) Option<Box<Process>>);

impl ParkedEngine {
    /// Whether it has lived through the time between two games. An engine that ends there loses
    /// nothing: it is started anew.
    pub fn is_alive(&self) -> bool {
        self.0.as_ref().is_some_and(|process| process.runs())
    }

    /// Whether it has written something between two games.
    pub(crate) fn has_written(&mut self) -> bool {
        self.0.as_mut().is_some_and(|process| {
            process.read_stdout(Instant::now());
            !process.inbox.waiting().is_empty()
        })
    }

    /// Ends it as at the end of a game, with these last words.
    pub fn end(mut self, farewell: &[u8], limits: &Limits) {
        let process = self.0.take().expect("it is taken only here and when it goes on");
        let mut processes = GameProcesses::around(vec![Slot::Running(process)], limits.clone());
        processes.tell(Seat::FIRST, farewell);
        processes.close(Patience::All);
    }
}

/// The last resort: the holder should call [`ParkedEngine::end`].
impl Drop for ParkedEngine {
    fn drop(&mut self) {
        if let Some(process) = &mut self.0 {
            end_at_once(process);
        }
    }
}

/// Kills a process and all it has started, and reaps it.
fn end_at_once(process: &mut Process) {
    process.kill();
    process.wait_for_end(Instant::now() + KILL_BOUND);
    let _ = process.reap(); // one that has not ended by now is left to the keeper
    orphans::sweep(&[&process.mark]);
}

impl SeatSeen {
    /// The same of an engine whose processes before this one have ended in this game.
    fn after(mut self, earlier: &SeatSeen) -> SeatSeen {
        let mut stderr = earlier.stderr.clone();
        if stderr.len() + self.stderr.len() <= KEPT_STDERR {
            stderr.append(&mut self.stderr);
        } else {
            // What it said last says most.
            stderr = std::mem::take(&mut self.stderr);
        }
        let (was, is) = (&earlier.traffic, &self.traffic);
        SeatSeen {
            startup: earlier.startup.max(self.startup),
            lateness: earlier.lateness.max(self.lateness),
            traffic: Traffic {
                told: was.told + is.told,
                said: was.said + is.said,
                logged: was.logged + is.logged,
                unasked: was.unasked + is.unasked,
                crlf: was.crlf || is.crlf,
                deaf: was.deaf || is.deaf,
            },
            exit: self.exit.or(earlier.exit),
            stragglers: earlier.stragglers + self.stragglers,
            usage: Usage {
                cpu: earlier.usage.cpu + self.usage.cpu,
                off_turn: earlier.usage.off_turn + self.usage.off_turn,
                memory: earlier.usage.memory.max(self.usage.memory),
                threads: earlier.usage.threads.max(self.usage.threads),
            },
            stderr,
            lines: if self.lines.is_empty() { earlier.lines.clone() } else { self.lines },
            ..self
        }
    }
}

impl GameProcesses {
    /// Ends the process of one seat between two of its turns, with these last words. A healthy one
    /// has its grace period. What was seen of it counts at the end of the game.
    pub(crate) fn retire(&mut self, seat: Seat, farewell: &[u8]) {
        if !matches!(self.slots[seat], Slot::Running(_)) {
            return;
        }
        self.turn = None;
        let process = std::mem::replace(&mut self.slots[seat], Slot::Vacant);
        // It is not watched here any more.
        self.watch = Watch::default();
        let mut own = GameProcesses::around(vec![process], self.limits.clone());
        own.began = self.began;
        own.tell(Seat::FIRST, farewell);
        let mut seen = own.close(Patience::All)[Seat::FIRST].clone();
        self.logs[seat] = seen.lines.take_log();
        self.retired[seat] = Some(match self.retired[seat].take() {
            Some(earlier) => seen.after(&earlier),
            None => seen,
        });
    }

    /// Ends the game's processes: healthy engines have their grace period to exit.
    pub fn close(self, patience: Patience) -> PerSeat<SeatSeen> {
        let nobody = self.slots.map(|_, _| false);
        self.close_but(patience, &nobody).map(|_, (seen, _)| seen.clone())
    }

    /// The same, but the healthy ones among those that `stay` live on for another game.
    pub(crate) fn close_but(
        mut self,
        patience: Patience,
        stay: &PerSeat<bool>,
    ) -> PerSeat<(SeatSeen, Option<ParkedEngine>)> {
        self.turn = None;
        let mut held: Vec<Option<Box<Process>>> = Vec::new();
        let mut leaving: Vec<Slot> = Vec::new();
        for (seat, slot) in self.take_slots().into_iter().enumerate() {
            let seat = Seat::new(seat);
            match slot {
                Slot::Running(process)
                    if stay[seat]
                        && patience != Patience::None
                        && patience != Patience::AllBut(seat)
                        && process.is_well() =>
                {
                    held.push(Some(process));
                    leaving.push(Slot::Vacant);
                }
                slot => {
                    held.push(None);
                    leaving.push(slot);
                }
            }
        }
        self.slots = leaving.into();
        if held.iter().any(Option::is_some) {
            // A parked engine is not watched here any more: what it does would wake us for nothing.
            self.watch = Watch::default();
        }
        self.leave(patience);
        self.kill_all();
        let mut slots = self.take_slots();
        let exits: Vec<(u32, Option<Exit>)> = slots
            .iter_mut()
            .map(|slot| match slot {
                // In this order: what has been reaped tells nothing more.
                Slot::Running(process) => (process.count_left(), process.reap().ok().flatten()),
                Slot::Failed(_) | Slot::Waiting(..) | Slot::Vacant => (0, None),
            })
            .collect();
        let marks: Vec<&str> = slots
            .iter()
            .filter_map(|slot| match slot {
                Slot::Running(process) => Some(process.mark.as_str()),
                Slot::Failed(_) | Slot::Waiting(..) | Slot::Vacant => None,
            })
            .collect();
        let mut stragglers = orphans::sweep(&marks).into_iter();
        let seen: Vec<(SeatSeen, Option<ParkedEngine>)> = slots
            .into_iter()
            .zip(held)
            .zip(exits)
            .map(|((slot, held), (boxed, exit))| match (slot, held) {
                (Slot::Running(mut process), _) => {
                    let left = boxed + stragglers.next().expect("one a process");
                    let stragglers = if process.has_helpers { 0 } else { left };
                    (self.seen(&mut process, exit, stragglers), None)
                }
                (Slot::Failed(_) | Slot::Waiting(..) | Slot::Vacant, Some(mut process)) => {
                    process.count_left();
                    (self.seen(&mut process, None, 0), Some(ParkedEngine(Some(process))))
                }
                (Slot::Failed(_) | Slot::Waiting(..) | Slot::Vacant, None) => (SeatSeen::default(), None),
            })
            .collect();
        let mut seen: PerSeat<(SeatSeen, Option<ParkedEngine>)> = seen.into();
        for (seat, (seen, _)) in seen.iter_mut() {
            if let Some(earlier) = &self.retired[seat] {
                *seen = std::mem::take(seen).after(earlier);
            }
            seen.pauses = self.pauses.of(seat);
        }
        seen
    }

    /// Leaves nothing for `drop` to do.
    fn take_slots(&mut self) -> Vec<Slot> {
        std::mem::replace(&mut self.slots, Vec::new().into()).into_values()
    }

    fn seen(&mut self, process: &mut Process, exit: Option<Exit>, stragglers: u32) -> SeatSeen {
        // What lay in the pipes, but never until their end: a straggler elsewhere may hold them.
        drain(process, self.began, &mut self.scratch);
        SeatSeen {
            startup: process.startup(),
            lateness: process.game.lateness,
            traffic: process.game.traffic,
            exit,
            stragglers,
            usage: Usage {
                cpu: whole_micros(process.usage().cpu),
                off_turn: whole_micros(process.usage().off_turn),
                ..process.usage()
            },
            pinned: process.is_pinned(),
            stderr: process.game.log.bytes(),
            lines: std::mem::take(&mut process.game.transcript),
            closed: self.closed.map(|closed| closed.saturating_duration_since(self.began)),
            pauses: Vec::new(),
        }
    }

    /// Gives healthy engines the grace period.
    fn leave(&mut self, patience: Patience) {
        let closed = Instant::now();
        self.closed = Some(closed);
        for (seat, slot) in self.slots.iter_mut() {
            let Slot::Running(process) = slot else { continue };
            // Before its stdin is closed: it is not to leave by itself meanwhile, and look as if it
            // had been well.
            if patience == Patience::None || patience == Patience::AllBut(seat) {
                process.kill();
            }
            process.thaw();
            process.close_stdin();
        }
        if patience == Patience::None {
            return;
        }
        self.forget_stop(); // it would wake us again and again, and the grace is short
        let mut now = closed;
        while let Some(until) = self.next_grace().map(|grace| closed + grace) {
            if now >= until {
                self.kill_overdue(now - closed);
                continue;
            }
            match self.wait(until, now) {
                Ok(woke) => now = woke,
                Err(_) => return,
            }
        }
    }

    /// The shortest grace period of those that have neither left nor been killed.
    fn next_grace(&self) -> Option<Duration> {
        let leaving = self.slots.iter().filter_map(|(_, slot)| match slot {
            Slot::Running(process) if process.is_running() => Some(process.grace),
            _ => None,
        });
        leaving.min()
    }

    /// Kills those whose grace period is over.
    fn kill_overdue(&mut self, waited: Duration) {
        for (_, slot) in self.slots.iter_mut() {
            if let Slot::Running(process) = slot
                && process.is_running()
                && process.grace <= waited
            {
                process.kill();
            }
        }
    }

    /// Kills what has not left, and waits until it is gone.
    fn kill_all(&mut self) {
        for (_, slot) in self.slots.iter_mut() {
            if let Slot::Running(process) = slot {
                process.kill();
            }
        }
        let mut now = Instant::now();
        let until = now + KILL_BOUND;
        while self.anybody_left() && now < until {
            match self.wait(until, now) {
                Ok(woke) => now = woke,
                Err(_) => break,
            }
        }
        // If there are too few descriptors to watch all of them together, each is waited for by
        // itself. One that is reaped before its end stays a zombie.
        for (_, slot) in self.slots.iter_mut() {
            if let Slot::Running(process) = slot {
                process.wait_for_end(until);
            }
        }
    }

    fn anybody_left(&self) -> bool {
        self.slots.iter().any(|(_, slot)| matches!(slot, Slot::Running(process) if !process.ended()))
    }
}

/// The last resort: what is dropped before it was closed, because something panicked, leaves no
/// process running.
impl Drop for GameProcesses {
    fn drop(&mut self) {
        for (_, slot) in self.slots.iter_mut() {
            if let Slot::Running(process) = slot {
                end_at_once(process);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::processes::GameTerms;
    use std::ffi::CString;
    use std::path::Path;

    use agon_seats::SearchLimits;

    use super::super::EngineStart;
    use super::*;
    use crate::processes::process::{InPause, Setup};
    use agon_config::Confinement;
    use agon_protocol::GRACE;
    use agon_sandbox::Isolation;

    /// `sleep`, as the only engine of a game, and its process id.
    fn sleeper() -> (GameProcesses, i32) {
        let word = |text: &str| CString::new(text).unwrap();
        let setup = Setup {
            program: word("/bin/sleep"),
            arguments: vec![word("sleep"), word("20")],
            environment: Vec::new(),
            directory: word("/"),
            is_in_its_folder: false,
            files: word("/"),
            shown: Vec::new(),
            confinement: Confinement { level: Isolation::None, ..Confinement::default() },
            greeting: Vec::new(),
            single: false,
            grace: GRACE,
            lenient: false,
            pty: false,
            has_helpers: false,
            in_pause: InPause::Stopped,
            prompts: crate::processes::Prompts::Ignored,
        };
        let terms = GameTerms {
            margin: Duration::from_millis(20),
            bank: Duration::ZERO,
            startup: Duration::from_secs(5),
            search: SearchLimits::default(),
            confinement: Confinement { level: Isolation::None, ..Confinement::default() },
        };
        let limits = Limits::new(terms, None);
        let mut processes = GameProcesses::new(vec![EngineStart::Later(Box::new(setup))], limits);
        processes.start(Seat::FIRST).unwrap();
        let Slot::Running(process) = &processes.slots[Seat::FIRST] else { panic!("it has not been started") };
        let pid = process.pid().as_raw_nonzero().get();
        (processes, pid)
    }

    #[test]
    fn processes_that_are_dropped_leave_no_zombie() {
        let (processes, pid) = sleeper();
        assert!(Path::new(&format!("/proc/{pid}")).exists(), "the control: it has run");
        drop(processes);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }

    #[test]
    fn a_wait_that_fails_while_processes_are_closed_leaves_no_zombie() {
        let (mut processes, pid) = sleeper();
        // A plain file cannot be watched, and so nothing is.
        let file = std::fs::File::open("/bin/sleep").unwrap();
        processes.limits.stop = Some(std::sync::Arc::new(file.into()));
        processes.close(Patience::None);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
    }

    #[test]
    fn an_event_from_before_we_closed_its_stdin_blames_no_engine() {
        let (mut processes, _) = sleeper();
        let Slot::Running(process) = &mut processes.slots[Seat::FIRST] else { unreachable!() };
        process.close_stdin();
        process.stdin_ready(true, Instant::now());
        assert!(!process.game.traffic.deaf);
    }
}
