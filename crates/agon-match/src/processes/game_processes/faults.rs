//! The faults of the engine that was asked, in the words of the record.

use std::time::{Duration, Instant};

use agon_config::Size;
use agon_printable::escape;
use agon_record::{Exit, NOT_BY_ENV, Way};
use agon_standings::result::Cause;

use super::{Fault, GameProcesses, Slot, Trouble};

impl GameProcesses {
    /// A fault of the engine that was asked.
    pub(super) fn fault(&self, cause: Cause, why: impl Into<String>) -> Trouble {
        let mut why = why.into();
        let seat = self.turn().seat;
        if matches!(&self.slots[seat], Slot::Running(process) if process.disk_is_full()) {
            why.push_str(&format!(
                "; the disk of its box is full (--disk {})",
                Size(self.limits.terms.confinement.disk)
            ));
        }
        Trouble::Fault(Fault { seat, cause, why })
    }

    /// The fault of the seat that was asked, if it uses more than it may.
    pub(super) fn over_a_limit(&self) -> Option<Trouble> {
        let (cause, why) = self.asked().over.as_ref()?;
        Some(self.fault(*cause, why.clone()))
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
        let (cause, why) = if process.told() {
            let mut why = format!("no answer within {}", spoken(allowance));
            if !partial.is_empty() {
                process.game.transcript.note(at, Way::Unfinished, &partial);
                why.push_str(&format!("; it had written {} without a newline", quoted(&partial)));
            }
            if process.game.traffic.said == 0 && process.unread() > 0 {
                why.push_str(", and it has not read its standard input");
            }
            if process.game.traffic.unasked > 0 {
                why.push_str(&format!(
                    "; {} line(s) it wrote when it was not asked did not count",
                    process.game.traffic.unasked
                ));
            }
            why.push_str(&self.how_it_was_spent(now));
            (Cause::TimeForfeit, why)
        } else {
            let why = format!(
                "it did not read its standard input within {}: {} bytes were waiting behind {} told",
                spoken(allowance),
                process.untold(),
                process.game.traffic.told
            );
            (Cause::StdinBlocked, why)
        };
        self.fault(cause, why)
    }

    pub(super) fn died(&mut self, now: Instant) -> Trouble {
        if let Some(fault) = self.ended_at_a_limit() {
            return fault;
        }
        let at = now.saturating_duration_since(self.began);
        let process = self.asked_mut();
        let partial = process.inbox.unfinished().to_vec();
        if partial.is_empty() {
            return self.ended("its process ended without an answer");
        }
        process.game.transcript.note(at, Way::Unfinished, &partial);
        let how = how(process.ended_as());
        let partial = quoted(&partial);
        let why =
            format!("its process ended without an answer{how}; {partial} has no newline and does not count");
        self.fault(Cause::Crash, why)
    }

    /// The fault of an engine whose process has ended, which `what` says, unless its program was
    /// never started.
    pub(super) fn ended(&self, what: &str) -> Trouble {
        let exit = self.asked().ended_as();
        match self.not_started_by_env(exit) {
            Some(why) => self.fault(Cause::StartFailed, format!("{NOT_BY_ENV}{why}")),
            None => self.fault(Cause::Crash, format!("{what}{}", how(exit))),
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

    /// What the engine did in the turn that it lost, as the end of a sentence. The same is kept as
    /// data.
    pub(super) fn how_it_was_spent(&mut self, now: Instant) -> String {
        let spent = self.spent_time(now);
        let mut words = spent.map_or_else(String::new, |spent| format!("; {spent}"));
        self.turn_mut().spent = spent;
        if self.asked_mut().reads_input() == Some(true) {
            words.push_str(if words.is_empty() { "; " } else { ", and " });
            words.push_str("it was waiting for input");
        }
        words
    }
}

/// How a process ended, as the end of a sentence; nothing if it has not.
fn how(exit: Option<Exit>) -> String {
    exit.map_or_else(String::new, |exit| format!(" ({exit})"))
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", escape(bytes, 200))
}

/// A span of time as a sentence has it: `5 s`, `120 ms`.
pub(super) fn spoken(time: Duration) -> String {
    if time >= Duration::from_secs(1) {
        format!("{} s", (time.as_secs_f64() * 1000.0).round() / 1000.0)
    } else {
        format!("{} ms", (time.as_secs_f64() * 1e6).round() / 1000.0)
    }
}
