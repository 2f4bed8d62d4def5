//! A game that the organiser pauses while it waits for an engine: all engines are stopped, and the
//! clock stands still.

use std::time::{Duration, Instant};

use agon_record::Pause;
use agon_seats::{Seat, whole_micros};

use super::idling::AskAgain;
use super::{GameProcesses, LOOK_EVERY, Slot, Trouble};
use crate::processes::process::Process;

/// The pauses of a game so far.
#[derive(Default)]
pub(super) struct PausesSoFar {
    /// Each with the seat that was to answer.
    list: Vec<(Seat, Pause)>,
    /// How long they took while an engine started.
    pub(super) at_start: Duration,
}

impl PausesSoFar {
    /// Those in which this seat was to answer.
    pub(super) fn of(&self, seat: Seat) -> Vec<Pause> {
        let own = self.list.iter().filter(|(whose, _)| *whose == seat);
        own.map(|(_, pause)| pause.clone()).collect()
    }
}

impl GameProcesses {
    /// Pauses the game as long as that is asked for. Returns the time afterwards.
    ///
    /// # Errors
    /// [`Trouble::Stopped`], or ours.
    pub(super) fn pause_if_asked(&mut self, now: Instant) -> Result<Instant, Trouble> {
        let Some(pauses) = self.limits.pauses.clone().filter(|pauses| pauses.is_asked()) else {
            return Ok(now);
        };
        let began = now;
        let seat = self.turn().seat;
        self.for_each_process(|process| process.pause());
        let why = pauses.begin();
        let last = began + pauses.longest;
        let mut now = now;
        while pauses.is_asked() && now < last {
            now = self.wait((now + LOOK_EVERY).min(last), now)?;
        }
        pauses.end();
        self.for_each_process(|process| process.end_pause());
        self.asked_mut().skip_pause();
        now = Instant::now();
        let paused = now.saturating_duration_since(began);
        let turn = self.turn.as_mut().expect("a seat has been asked");
        if turn.start.is_some() {
            turn.excused += paused;
            turn.paused += paused;
        } else {
            // No clock runs yet; the start-up budget does.
            turn.put += paused;
            self.pauses.at_start += paused;
        }
        turn.late = Duration::ZERO;
        turn.look = now + LOOK_EVERY;
        if let Some(AskAgain::Ready { idle, .. }) = &mut turn.again {
            *idle = None;
        }
        let waited_for = self.wait.as_ref().map(|wait| wait.what.clone()).unwrap_or_default();
        self.pauses.list.push((seat, Pause { time: whole_micros(paused), waited_for, why }));
        Ok(now)
    }

    fn for_each_process(&mut self, mut act: impl FnMut(&mut Process)) {
        for (_, slot) in self.slots.iter_mut() {
            if let Slot::Running(process) = slot {
                act(process);
            }
        }
    }
}
