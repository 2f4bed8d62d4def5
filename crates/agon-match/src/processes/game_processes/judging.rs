//! What becomes of a question whose time has run out by the wall clock: the processor decides. See
//! `own_clock.rs`, which counts.

use std::io;
use std::time::{Duration, Instant};

use agon_config::Ponder;
use agon_record::SpentTime;
use agon_record::reason::{FaultFact, spoken};
use agon_seats::{Seat, whole_micros};
use agon_standings::result::Cause;
use rustix::time::{ClockId, clock_gettime};

use super::{Fault, GameProcesses, LATE, LOOK_EVERY, Slot, Trouble};
use crate::processes::own_clock::{MOST, Ruling};

/// So many processes and threads of one engine may be why there are no more available.
const CROWD: u32 = 64;
/// An engine that has written so many bytes in a turn keeps the harness busy: reading them is its
/// own work.
const FLOOD: u64 = 64 * 1024;
/// So often in a turn the harness may wake late without costing the engine time.
const EXCUSES: u32 = 3;
/// An engine that was kept from a processor is looked at no more often than this.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// The processor time of this thread, which serves one game.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

impl GameProcesses {
    /// How much the harness has worked since the last look for an engine that writes without end.
    pub(super) fn work_on_flood(&mut self) -> Duration {
        let own = thread_time();
        let said = self.asked().game.traffic.said;
        let turn = self.turn_mut();
        let before = turn.thread.replace(own);
        match before {
            Some(before) if said - turn.said_before >= FLOOD => own.saturating_sub(before),
            _ => Duration::ZERO,
        }
    }

    /// Looks at the threads of the engine that is to move. If the harness was held up meanwhile,
    /// the deadline moves by as much, as far as the engine did not run. Returns the time
    /// afterwards.
    pub(super) fn look_at_asked(&mut self) -> Instant {
        let by_harness = self.work_on_flood();
        let (late, again) = {
            let turn = self.turn_mut();
            (std::mem::take(&mut turn.late), turn.excuses < EXCUSES)
        };
        let excused = self.asked_mut().look_at_threads(late, by_harness);
        let turn = self.turn_mut();
        if again && excused > LATE {
            turn.excuses += 1;
            turn.excused += excused;
            turn.read_after_deadline = false;
        }
        Instant::now()
    }

    /// Time has run out by the wall clock, and there is no answer. `None` if the turn goes on.
    pub(super) fn rule(&mut self) -> Option<Trouble> {
        let now = self.look_at_asked();
        let turn = self.turn();
        if now < turn.deadline() {
            return None;
        }
        let wall = turn.wall(now);
        let allowance = turn.whole_allowance() + self.far_grant();
        let most = turn.asked() + turn.excused + allowance * MOST;
        let ruling = match self.asked_mut().rule_on_turn(wall, allowance) {
            // A short turn was not looked at, and nothing is known of it here.
            Ruling::Lost if wall < allowance => Ruling::GoesOn(allowance - wall),
            ruling => ruling,
        };
        match ruling {
            Ruling::GoesOn(left) => {
                let until = now + left.clamp(LOOK_AGAIN, LOOK_EVERY);
                let turn = self.turn_mut();
                turn.granted = Some(until.min(most.max(now + LOOK_AGAIN)));
                turn.read_after_deadline = false;
                turn.is_far_grant |= allowance > turn.whole_allowance();
                None
            }
            Ruling::Lost if now < most => Some(self.silence(now)),
            lost => Some(self.at_the_most(now, matches!(lost, Ruling::NeverRan))),
        }
    }

    /// The turn has taken as long as a turn may take.
    fn at_the_most(&mut self, now: Instant, never_ran: bool) -> Trouble {
        let turn = self.turn();
        let (asked, wall, allowance) = (turn.seat, turn.wall(now), turn.whole_allowance());
        let time = whole_micros(wall);
        if let Some(seat) = self.who_disturbs(asked) {
            let why = FaultFact::Disturbed { time, times: MOST }.into();
            return Trouble::Fault(Fault { seat, cause: Cause::Pondering, why });
        }
        if never_ran {
            return Trouble::Ours(io::Error::other(format!(
                "the engine got no processor in {}, {MOST} times its allowance: is the machine busy with other things? \
                 Its allowance was {}",
                spoken(time),
                spoken(allowance)
            )));
        }
        self.silence(now)
    }

    /// The time of the answer that was heard last by the clock of its engine: without that in which
    /// others kept the engine from a processor. Only a turn that was long enough to be looked at is
    /// looked at again for this. What the machine of an engine elsewhere says of it counts too.
    ///
    /// # Errors
    /// [`Trouble::Fault`]: an engine elsewhere has answered late, and nothing shows that it was
    /// held up for so long.
    pub fn own_time(&mut self, time: Duration) -> Result<Duration, Trouble> {
        let own = self.own_time_of_turn(time);
        self.end_far_turn(self.turn().seat);
        own
    }

    fn own_time_of_turn(&mut self, time: Duration) -> Result<Duration, Trouble> {
        let turn = self.turn();
        let (Some(start), Some(answered)) = (turn.start, turn.answered) else { return Ok(time) };
        let (wall, allowance) = (turn.wall(answered), turn.whole_allowance());
        let mut starved = Duration::ZERO;
        if answered.saturating_duration_since(start) >= LOOK_EVERY {
            self.asked_mut().look_at_threads(Duration::ZERO, Duration::ZERO);
            starved = self.asked_mut().starved(wall);
        }
        let counted = self.far_time(wall.saturating_sub(starved)).map_or(Duration::ZERO, |far| far.counted);
        if counted.is_zero() && starved < LATE && !self.turn().is_far_grant {
            return Ok(time);
        }
        let own = whole_micros(wall.saturating_sub(starved).saturating_sub(counted));
        if own > allowance && self.turn().is_far_grant {
            return Err(self.late_from_elsewhere(answered, own));
        }
        self.turn_mut().spent = self.spent_time(answered);
        Ok(own.min(allowance))
    }

    /// How the last turn was spent, if that is for the record: others kept its engine from a
    /// processor, or it was lost on time.
    pub(crate) fn take_spent(&mut self, question: usize) -> Option<SpentTime> {
        let spent = self.turn.as_mut()?.spent.take()?;
        Some(SpentTime { question, ..spent })
    }

    /// How the engine that was asked has spent its turn, as far as it was looked at.
    pub(super) fn spent_time(&mut self, until: Instant) -> Option<SpentTime> {
        let wall = self.turn().wall(until);
        let process = self.asked_mut();
        let seen = process.spent_in_turn(wall);
        let starved = process.starved(wall);
        let far = self.far_time(wall.saturating_sub(starved));
        let (ran, waited) = seen.or(far.map(|_| (Duration::ZERO, Duration::ZERO)))?;
        let slept = wall.saturating_sub(ran).saturating_sub(waited);
        let [time, ran, waited, slept, starved] = [wall, ran, waited, slept, starved].map(whole_micros);
        Some(SpentTime { question: 0, time, ran, waited, slept, starved, far })
    }

    /// The engine that is not to move, may not think, and uses the processor nevertheless.
    fn who_disturbs(&mut self, asked: Seat) -> Option<Seat> {
        if self.limits.terms.confinement.ponder == Ponder::On {
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
                why: FaultFact::Crowd { threads, error: error.to_string() }.into(),
            }),
            Some((_, threads)) => Trouble::Ours(io::Error::other(format!(
                "{error}; an engine of this game had {threads} processes and threads"
            ))),
            None => Trouble::Ours(error),
        }
    }
}
