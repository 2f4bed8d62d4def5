//! How a table is closed: those that are well leave by themselves, the others are killed, and nobody stays.

use std::io;
use std::time::{Duration, Instant};

use agon_games::{PerSeat, Seat};
use agon_sandbox::orphans;

use super::watching::{Watch, hush};
use super::{GameProcesses, Limits, Slot};
use crate::clock::whole_micros;
use crate::engine::buffers::Transcript;
use crate::engine::process::Process;
use crate::record::{Exit, Traffic, Usage};

/// How long an engine may take to leave when its stdin is closed.
pub const GRACE: Duration = Duration::from_millis(200);
/// How long a killed process may take to be gone. Only the kernel is in the way then.
const KILL_BOUND: Duration = Duration::from_secs(2);

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

/// An engine process that lives on between two games.
pub struct ParkedEngine(pub(super) Option<Box<Process>>);

impl ParkedEngine {
    /// Whether it has lived through the time between two games. Ending there is nobody's loss: it is started anew.
    pub fn is_alive(&self) -> bool {
        self.0.as_ref().is_some_and(|process| process.runs())
    }

    /// Ends it as at the end of a game, with these last words.
    pub fn end(mut self, farewell: &[u8], limits: &Limits) {
        let process = self.0.take().expect("it is taken only here and when it sits down");
        let mut table = GameProcesses::around(vec![Slot::Taken(process)], limits.clone());
        table.tell(Seat::FIRST, farewell);
        table.close(Patience::All);
    }
}

/// The last resort: whoever holds it should end it.
impl Drop for ParkedEngine {
    fn drop(&mut self) {
        if let Some(process) = &mut self.0 {
            process.kill();
            let _ = process.reap(); // what has not ended yet is the keeper's
            orphans::sweep(&[&process.mark]);
        }
    }
}

impl GameProcesses {
    /// Ends the game's processes: those that are well have [`GRACE`] to leave by themselves.
    pub fn close(self, patience: Patience) -> PerSeat<SeatSeen> {
        let nobody = self.chairs.map(|_, _| false);
        self.close_but(patience, &nobody).map(|_, (seen, _)| seen.clone())
    }

    /// The same, but those that `stay` and are well live on for another game.
    pub fn close_but(
        mut self,
        patience: Patience,
        stay: &PerSeat<bool>,
    ) -> PerSeat<(SeatSeen, Option<ParkedEngine>)> {
        self.turn = None;
        let mut held: Vec<Option<Box<Process>>> = Vec::new();
        let mut leaving: Vec<Slot> = Vec::new();
        for (seat, chair) in self.take_chairs().into_iter().enumerate() {
            let seat = Seat::new(seat);
            match chair {
                Slot::Taken(process)
                    if stay[seat]
                        && patience != Patience::None
                        && patience != Patience::AllBut(seat)
                        && process.is_well() =>
                {
                    held.push(Some(process));
                    leaving.push(Slot::Empty(io::Error::other("it stays")));
                }
                chair => {
                    held.push(None);
                    leaving.push(chair);
                }
            }
        }
        self.chairs = leaving.into();
        if held.iter().any(Option::is_some) {
            // Who stays is nobody's here any more: what it does would wake us for nothing.
            self.watch = Watch::default();
        }
        self.leave(patience);
        self.kill_all();
        let mut chairs = self.take_chairs();
        let exits: Vec<(u32, Option<Exit>)> = chairs
            .iter_mut()
            .map(|chair| match chair {
                // In this order: what has been reaped tells nothing more.
                Slot::Taken(process) => (process.last_look(), process.reap().ok().flatten()),
                Slot::Empty(_) | Slot::Waiting(..) => (0, None),
            })
            .collect();
        let marks: Vec<&str> = chairs
            .iter()
            .filter_map(|chair| match chair {
                Slot::Taken(process) => Some(process.mark.as_str()),
                Slot::Empty(_) | Slot::Waiting(..) => None,
            })
            .collect();
        let mut stragglers = orphans::sweep(&marks).into_iter();
        let seen: Vec<(SeatSeen, Option<ParkedEngine>)> = chairs
            .into_iter()
            .zip(held)
            .zip(exits)
            .map(|((chair, held), (boxed, exit))| match (chair, held) {
                (Slot::Taken(mut process), _) => {
                    let stragglers = boxed + stragglers.next().expect("one a process");
                    (self.seen(&mut process, exit, stragglers), None)
                }
                (Slot::Empty(_) | Slot::Waiting(..), Some(mut process)) => {
                    process.last_look();
                    (self.seen(&mut process, None, 0), Some(ParkedEngine(Some(process))))
                }
                (Slot::Empty(_) | Slot::Waiting(..), None) => (SeatSeen::default(), None),
            })
            .collect();
        seen.into()
    }

    /// Leaves nothing at the table for `drop` to do.
    fn take_chairs(&mut self) -> Vec<Slot> {
        std::mem::replace(&mut self.chairs, Vec::new().into()).into_values()
    }

    fn seen(&mut self, process: &mut Process, exit: Option<Exit>, stragglers: u32) -> SeatSeen {
        // What lay in the pipes, but never until their end: a straggler elsewhere may hold them.
        hush(process, self.began, &mut self.scratch);
        SeatSeen {
            startup: process.startup(),
            lateness: process.lateness,
            traffic: process.traffic,
            exit,
            stragglers,
            usage: Usage {
                cpu: whole_micros(process.usage.cpu),
                off_turn: whole_micros(process.usage.off_turn),
                ..process.usage
            },
            pinned: process.is_pinned(),
            stderr: process.log.bytes(),
            lines: std::mem::take(&mut process.transcript),
        }
    }

    /// Lets the engines that are well leave by themselves.
    fn leave(&mut self, patience: Patience) {
        let mut now = Instant::now();
        let until = now + GRACE;
        for (seat, chair) in self.chairs.iter_mut() {
            let Slot::Taken(process) = chair else { continue };
            // Before its stdin is closed: it is not to leave by itself meanwhile, and look as if it had been well.
            if patience == Patience::None || patience == Patience::AllBut(seat) {
                process.kill();
            }
            process.wake(&self.limits.confinement);
            process.close_stdin();
        }
        if patience == Patience::None {
            return;
        }
        self.forget_stop(); // it would wake us again and again, and the grace is short
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
            if let Slot::Taken(process) = chair {
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
        self.chairs.iter().any(|(_, chair)| matches!(chair, Slot::Taken(process) if !process.ended))
    }
}

/// A table that is dropped before it was closed, because something panicked, leaves nobody running.
impl Drop for GameProcesses {
    fn drop(&mut self) {
        for (_, chair) in self.chairs.iter_mut() {
            if let Slot::Taken(process) = chair {
                process.kill();
                let _ = process.reap(); // the last resort: what has not ended yet is the keeper's
                orphans::sweep(&[&process.mark]);
            }
        }
    }
}
