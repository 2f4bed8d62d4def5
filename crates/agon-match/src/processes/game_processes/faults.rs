//! The faults of the engine that was asked.

use std::time::Instant;

use agon_record::reason::{FaultFact, FaultNote, FaultReason, QuotedLine, Silent};
use agon_record::{Exit, SpentTime, Way};
use agon_seats::whole_micros;
use agon_standings::result::Cause;

use super::{Fault, GameProcesses, Slot, Trouble};

impl GameProcesses {
    /// A fault of the engine that was asked.
    pub(super) fn fault(&self, cause: Cause, fact: FaultFact) -> Trouble {
        let mut why = Box::<FaultReason>::from(fact);
        let seat = self.turn().seat;
        if matches!(&self.slots[seat], Slot::Running(process) if process.disk_is_full()) {
            why.notes.push(FaultNote::FullDisk(self.limits.terms.confinement.disk));
        }
        Trouble::Fault(Fault { seat, cause, why })
    }

    /// The fault of the seat that was asked, if it uses more than it may.
    pub(super) fn over_a_limit(&self) -> Option<Trouble> {
        let (cause, fact) = self.asked().over.as_ref()?;
        Some(self.fault(*cause, fact.clone()))
    }

    /// The same of one that has ended, which the kernel may have killed for it.
    pub(super) fn ended_at_a_limit(&mut self) -> Option<Trouble> {
        self.asked_mut().judge_its_end();
        self.over_a_limit()
    }

    /// The fault of an engine whose time has run out.
    pub(super) fn silence(&mut self, now: Instant) -> Trouble {
        let allowance = self.turn().allowance;
        let at = now.saturating_duration_since(self.began);
        let process = self.asked_mut();
        let partial = process.inbox.unfinished().to_vec();
        let (told, waiting) = (process.game.traffic.told, process.untold() as u64);
        if !process.told() {
            let allowance = whole_micros(allowance);
            return self.fault(Cause::StdinBlocked, FaultFact::Deaf { allowance, waiting, told });
        }
        if !partial.is_empty() {
            process.game.transcript.note(at, Way::Unfinished, &partial);
        }
        let unread = process.game.traffic.said == 0 && process.unread() > 0;
        let unasked = process.game.traffic.unasked;
        let (spent, waits) = self.how_it_was_spent(now);
        let silent = Silent {
            allowance: whole_micros(allowance),
            unfinished: (!partial.is_empty()).then(|| QuotedLine::of(&partial)),
            unread,
            unasked,
            spent,
            waits,
        };
        self.fault(Cause::TimeForfeit, FaultFact::Silent(silent))
    }

    pub(super) fn died(&mut self, now: Instant) -> Trouble {
        if let Some(fault) = self.ended_at_a_limit() {
            return fault;
        }
        let at = now.saturating_duration_since(self.began);
        let process = self.asked_mut();
        let partial = process.inbox.unfinished().to_vec();
        let exit = process.ended_as();
        if partial.is_empty() {
            return self.ended(exit, FaultFact::Ended { exit, unfinished: None });
        }
        process.game.transcript.note(at, Way::Unfinished, &partial);
        let unfinished = Some(QuotedLine::of(&partial));
        self.fault(Cause::Crash, FaultFact::Ended { exit, unfinished })
    }

    /// The fault of an engine whose process has ended, unless its program was never started.
    pub(super) fn ended(&self, exit: Option<Exit>, fact: FaultFact) -> Trouble {
        match self.not_started_by_env(exit) {
            Some(why) => self.fault(Cause::StartFailed, FaultFact::NotByEnv(why)),
            None => self.fault(Cause::Crash, fact),
        }
    }

    /// Why the engine's program was not started, if its first line has `env` start one that its box
    /// does not show. `env` then ends by 126 or 127 and has written nothing.
    fn not_started_by_env(&self, exit: Option<Exit>) -> Option<String> {
        let is_of_env = matches!(exit, Some(Exit::Code(126 | 127)));
        if !is_of_env || self.asked().game.traffic.said > 0 {
            return None;
        }
        self.in_boxes[self.turn().seat].as_ref()?.lacks()
    }

    /// What the engine did in the turn that it lost, and whether it waits for input.
    pub(super) fn how_it_was_spent(&mut self, now: Instant) -> (Option<SpentTime>, bool) {
        let spent = self.spent_time(now);
        self.turn_mut().spent = spent;
        (spent, self.asked_mut().reads_input() == Some(true))
    }
}
