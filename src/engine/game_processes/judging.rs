//! Whose fault it is that time ran out. The question is who used the processor when the harness
//! woke late, or when the engine that was to move waited for a processor.

use std::io;
use std::time::{Duration, Instant};

use agon_games::Seat;
use rustix::time::{ClockId, clock_gettime};

use super::faults::spoken;
use super::{Fault, GameProcesses, Slot, Trouble};
use crate::config::Ponder;
use crate::engine::load;
use crate::record::Cause;

/// So many processes and threads of one engine may be why there are no more available.
const CROWD: u32 = 64;
/// An engine that has written so many bytes in a turn may have kept the harness busy.
const FLOOD: u64 = 64 * 1024;
/// So often an engine that is silent gets more time because the machine held up the harness when
/// its time ran out.
const REPRIEVES: u32 = 3;

/// Who kept others from a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Culprit {
    /// The engine that is to move: its own processes.
    Asked,
    /// An engine that is not, and that may not think now.
    Other(Seat),
    /// The harness itself.
    Harness,
    /// Something outside: another program, or a machine that stood still.
    Outside,
}

/// A time in which the harness was held up: it woke later than it had asked to.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldUp {
    pub(super) late: Duration,
    /// Whether the time of the engine that is to move ran out meanwhile.
    pub(super) at_deadline: bool,
}

/// What the harness had used of the processor at an instant, and how long its thread had waited for
/// one.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnLook {
    at: Instant,
    cpu: Duration,
    waited: Duration,
}

impl OwnLook {
    pub(super) fn now() -> Self {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        let cpu = Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0));
        OwnLook { at: Instant::now(), cpu, waited: load::own_wait() }
    }
}

/// The processor time of this thread, which serves one game.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

impl GameProcesses {
    /// Everybody is looked at first in this turn.
    pub(super) fn note_own_time(&mut self) {
        self.turn_mut().thread_before = Some(thread_time());
    }

    /// Whether the engine that is to move waited for a processor because the harness read what it
    /// wrote without end.
    fn reads_a_flood(&self, waited: Duration) -> bool {
        let turn = self.turn();
        let Some(before) = turn.thread_before else { return false };
        let said = self.asked().game.traffic.said - turn.said_before;
        said >= FLOOD && thread_time().saturating_sub(before) * 2 >= waited
    }

    /// The harness was held up: if it was not the engine's own doing, its deadline moves by as
    /// much. What held up the harness may have held up the engine too. If the engine's time has run
    /// out meanwhile, it gets as much again from now on. Returns the time afterwards, because to
    /// find out who it was takes a while.
    pub(super) fn excuse(&mut self, held_up: HeldUp) -> Instant {
        let (own, before) = (OwnLook::now(), self.turn().own);
        // Where nobody has looked yet, the turn has hardly begun.
        let ours = before.map_or(Duration::ZERO, |before| own.cpu.saturating_sub(before.cpu));
        let span = before.map_or(held_up.late, |before| own.at.saturating_duration_since(before.at));
        let waited = before.map_or(Duration::ZERO, |before| own.waited.saturating_sub(before.waited));
        let asked = self.turn().seat;
        let used = self.asked_mut().used_lately();
        let culprit = if used.is_much() {
            Culprit::Asked
        } else if let Some(seat) = self.who_disturbs(asked) {
            Culprit::Other(seat)
        } else if ours * 4 >= span {
            Culprit::Harness
        } else if self.limits.again && held_up.at_deadline && self.asked_mut().is_suspect() {
            // Once it may have been an accident.
            Culprit::Asked
        } else if held_up.at_deadline && waited * 2 >= held_up.late && self.asked_mut().has_waited().is_none()
        {
            // The harness had to wait for a processor, and the engine, which had nothing to do, did
            // not.
            Culprit::Asked
        } else {
            Culprit::Outside
        };
        let now = Instant::now();
        let turn = self.turn_mut();
        if culprit != Culprit::Asked {
            turn.excused += held_up.late;
            turn.read_after_deadline = false;
        }
        if held_up.at_deadline {
            if culprit == Culprit::Outside && turn.reprieves < REPRIEVES {
                turn.reprieves += 1;
                let until = now + held_up.late.min(turn.allowance);
                turn.reprieve += until.saturating_duration_since(turn.deadline());
            } else {
                turn.culprit = Some((culprit, held_up.late));
            }
        }
        turn.own = Some(own);
        now
    }

    /// The engine that is not to move, may not think, and uses the processor nevertheless.
    fn who_disturbs(&mut self, asked: Seat) -> Option<Seat> {
        if self.limits.confinement.ponder == Ponder::On {
            return None;
        }
        let mut worst = None;
        for (seat, slot) in self.slots.iter_mut() {
            let Slot::Running(process) = slot else { continue };
            if seat == asked {
                continue;
            }
            if let Some(used) = process.used_off_turn().filter(|used| used.is_much())
                && worst.is_none_or(|(_, most)| used.cpu > most)
            {
                worst = Some((seat, used.cpu));
            }
        }
        worst.map(|(seat, _)| seat)
    }

    /// No more processes could be made. That may be the doing of an engine that has a crowd of
    /// them; if it was so at the last attempt too, it is.
    pub(super) fn who_leaves_no_room(&mut self, error: io::Error) -> Trouble {
        if error.kind() != io::ErrorKind::WouldBlock {
            return Trouble::Ours(error);
        }
        let mut crowd = None;
        for (seat, slot) in self.slots.iter_mut() {
            let Slot::Running(process) = slot else { continue };
            let threads = process.threads_now();
            if threads >= CROWD && crowd.is_none_or(|(_, most)| threads > most) {
                crowd = Some((seat, threads));
            }
        }
        match crowd {
            Some((seat, threads)) if self.limits.again => Trouble::Fault(Fault {
                seat,
                cause: Cause::Obstruction,
                why: format!(
                    "its {threads} processes and threads left no room for its opponent's, as at the attempt before: {error}"
                ),
            }),
            Some((_, threads)) => Trouble::Ours(io::Error::other(format!(
                "{error}; an engine of this game had {threads} processes and threads"
            ))),
            None => Trouble::Ours(error),
        }
    }

    /// Time has run out and there is no answer. `None` if that is the fault of the engine that was
    /// to move. Also `None` if the harness was late: its deadline has been moved already.
    pub(super) fn excuse_for_silence(&mut self) -> Option<Trouble> {
        let asked = self.turn().seat;
        let (culprit, why) = match self.turn().culprit {
            Some((culprit, late)) => (culprit, format!("the harness was {} late", spoken(late))),
            None => {
                // One that thinks has a processor, and one that sleeps waits for none.
                let (waited, used) = self.asked_mut().has_waited()?;
                if used.is_much() || self.reads_a_flood(waited) {
                    return None;
                }
                let why = format!("the engine waited {} for a processor", spoken(waited));
                (self.who_disturbs(asked).map_or(Culprit::Outside, Culprit::Other), why)
            }
        };
        match culprit {
            Culprit::Asked | Culprit::Harness => None,
            Culprit::Other(seat) => Some(Trouble::Fault(Fault {
                seat,
                cause: Cause::Pondering,
                why: format!(
                    "{why} while its processes used the processor in another's turn, whose time ran out"
                ),
            })),
            // The engine has never had a machine that runs when its time ran out.
            Culprit::Outside => Some(Trouble::Ours(io::Error::other(format!(
                "{why} in a turn in which the time ran out: is the machine busy with other things?"
            )))),
        }
    }
}
