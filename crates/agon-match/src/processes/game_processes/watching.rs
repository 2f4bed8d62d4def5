//! The one poll of a game: it watches everything every engine at the table can do, and takes what
//! has come.
//!
//! An engine that writes without end is looked at only now and then, so that its noise costs nobody
//! else's time.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use agon_sandbox::system::List;
use agon_seats::{Seat, whole_micros};

use super::{GameProcesses, LATE, Limits, Slot, Trouble};
use crate::processes::process::Process;

/// After so many wake-ups in one turn, an engine's output is looked at only at every tick.
pub(super) const NOISY: u32 = 64;
/// How long a noisy engine's output may lie before it is looked at.
const TICK: Duration = Duration::from_millis(1);
/// How many reads of a noisy engine's stderr one look takes at most.
const GULPS: u32 = 16;
/// What can happen to an engine, and so what is watched of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Stdout,
    Stderr,
    Stdin,
    End,
}

impl What {
    const ALL: [What; 4] = [What::Stdout, What::Stderr, What::Stdin, What::End];

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The stop of the run, among the names of what is watched.
const STOP: u64 = u64::MAX;

/// The list of what we watch. It is kept from ply to ply, because making it anew would cost as much
/// as all the rest of a ply.
#[derive(Default)]
pub(super) struct Watch {
    list: Option<List>,
    /// What of each seat is on the list, by the bits of [`What`].
    watched: Vec<u8>,
}

impl Watch {
    /// The list, which is made when it is first needed.
    fn list(&mut self, limits: &Limits) -> io::Result<&mut List> {
        if self.list.is_none() {
            let mut list = List::new()?;
            if let Some(stop) = &limits.stop {
                list.add(stop.as_fd(), STOP, false)?;
            }
            self.list = Some(list);
        }
        Ok(self.list.as_mut().expect("it has just been made"))
    }

    /// Puts on the list what is to be watched of this engine, and takes off what is not.
    fn update(&mut self, seat: Seat, process: &Process, unwatched: bool, limits: &Limits) -> io::Result<()> {
        let wanted = [
            (What::Stdout, !unwatched && process.stdout().is_some()),
            (What::Stderr, !unwatched && process.stderr().is_some()),
            (What::Stdin, process.wants_stdin()),
            (What::End, !process.ended()),
        ];
        let wanted = wanted.iter().filter(|(_, wanted)| *wanted).fold(0, |bits, (what, _)| bits | what.bit());
        if self.watched.len() <= seat.index() {
            self.watched.resize(seat.index() + 1, 0);
        }
        let watched = std::mem::replace(&mut self.watched[seat.index()], wanted);
        if watched == wanted {
            return Ok(());
        }
        let list = self.list(limits)?;
        for what in What::ALL {
            let fd = match what {
                What::Stdout => process.stdout(),
                What::Stderr => process.stderr(),
                What::Stdin => process.stdin(),
                What::End => Some(process.end()),
            };
            let name = (seat.index() as u64) << 2 | what as u64;
            match (watched & what.bit() > 0, wanted & what.bit() > 0, fd) {
                (false, true, Some(fd)) => list.add(fd, name, what == What::Stdin)?,
                (true, false, fd) => list.delete(fd, name)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Waits until something has happened, at most for `time`.
    fn wait(&mut self, time: Duration, limits: &Limits) -> io::Result<()> {
        self.list(limits)?.wait(time)
    }

    /// What has: each name, and whether nobody is at the other end.
    fn happened(&self) -> impl Iterator<Item = (u64, bool)> + '_ {
        self.list.iter().flat_map(List::happened)
    }
}

impl GameProcesses {
    /// The stop of the run no longer wakes us.
    pub(super) fn forget_stop(&mut self) {
        if let (Some(stop), Some(list)) = (self.limits.stop.take(), &mut self.watch.list) {
            let _ = list.delete(Some(stop.as_fd()), STOP); // it is on every list there is
        }
    }

    /// Waits until something happens or `until` has come, and takes what has. Returns the time it
    /// woke.
    pub(super) fn wait(&mut self, until: Instant, now: Instant) -> Result<Instant, Trouble> {
        let asked = self.turn.as_ref().map(|turn| turn.seat);
        let (mut noisy, mut looked_at) = (false, false);
        for (seat, slot) in self.slots.iter() {
            let Slot::Running(process) = slot else { continue };
            let unwatched = process.game.wakes > NOISY;
            looked_at |= process.is_looked_at();
            noisy |= unwatched && (process.stdout().is_some() || process.stderr().is_some());
            self.watch.update(seat, process, unwatched, &self.limits).map_err(Trouble::Ours)?;
        }
        let wake = if noisy || looked_at { until.min(now + TICK) } else { until };
        self.watch.wait(wake.saturating_duration_since(now), &self.limits).map_err(Trouble::Ours)?;
        let woke = Instant::now();
        let at = woke.saturating_duration_since(self.began);
        for (name, hung_up) in self.watch.happened() {
            if name == STOP {
                return Err(Trouble::Stopped);
            }
            let seat = Seat::new(usize::try_from(name >> 2).expect("a seat's number is small"));
            let Slot::Running(process) = &mut self.slots[seat] else { continue };
            match What::ALL[(name & 3) as usize] {
                // A pipe that we have closed stays on the list while a process that is just being
                // started has a copy of it. It may be a process of another game.
                What::Stdout if process.stdout().is_none() => {}
                What::Stderr if process.stderr().is_none() => {}
                What::Stdout => {
                    process.game.wakes += 1;
                    process.read_stdout(woke);
                    if asked != Some(seat) {
                        process.drop_unasked(at);
                    }
                }
                What::Stderr => {
                    process.game.wakes += 1;
                    process.read_stderr(&mut self.scratch);
                    if process.game.wakes > NOISY {
                        process.widen_stderr();
                    }
                }
                What::Stdin => process.stdin_ready(hung_up, woke),
                What::End => process.note_end(),
            }
        }
        if noisy {
            self.listen_to_the_noisy(asked, woke);
        }
        if looked_at {
            for (_, slot) in self.slots.iter_mut() {
                if let Slot::Running(process) = slot {
                    process.look_whether_up(woke);
                }
            }
        }
        if woke >= until
            && let Some(seat) = asked
            && let Slot::Running(process) = &mut self.slots[seat]
        {
            let late = woke - until;
            process.game.lateness = process.game.lateness.max(whole_micros(late));
            if let Some(turn) = &mut self.turn
                && late > self.limits.terms.margin.max(LATE)
            {
                // Before it is up it is not its time that runs.
                if process.up().is_some() {
                    turn.late += late;
                }
            }
        }
        Ok(woke)
    }

    fn listen_to_the_noisy(&mut self, asked: Option<Seat>, now: Instant) {
        let began = self.began;
        for (seat, slot) in self.slots.iter_mut() {
            let Slot::Running(process) = slot else { continue };
            if process.game.wakes > NOISY {
                process.read_stdout(now);
                // A log never holds up its writer for long, as far as that can be had without being
                // flooded.
                let _ = (0..GULPS).find(|_| !process.read_stderr(&mut self.scratch));
                if asked != Some(seat) {
                    process.drop_unasked(now.saturating_duration_since(began));
                }
            }
        }
    }
}

/// Takes what lies in its pipes and drops it, up to a bound.
pub(super) fn drain(process: &mut Process, began: Instant, scratch: &mut Vec<u8>) {
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
