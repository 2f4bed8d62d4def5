//! The one poll of a game: it watches everything every engine at the table can do, and takes what has come.
//!
//! An engine that writes without end is looked at only now and then, so that its noise costs nobody else's time.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::{Chair, Table, Trouble};
use crate::engine::process::Process;
use crate::game::Seat;

/// After so many wake-ups in one turn, an engine's output is looked at only at every tick.
pub(super) const NOISY: u32 = 64;
/// How long a noisy engine's output may lie before it is looked at.
const TICK: Duration = Duration::from_millis(1);
/// How many reads of a noisy engine's stderr one look takes at most.
const GULPS: u32 = 16;
impl Table {
    /// Waits until something happens or `until` has come, and takes what has. Gives the time it woke.
    pub(super) fn wait(&mut self, until: Instant, now: Instant) -> Result<Instant, Trouble> {
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
                    if process.wakes > NOISY {
                        process.widen_stderr();
                    }
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
                // A log never holds up its writer for long, as far as that can be had without being flooded.
                let _ = (0..GULPS).find(|_| !process.read_stderr(&mut self.scratch));
                if asked != Some(seat) {
                    process.drop_unasked(now.saturating_duration_since(began));
                }
            }
        }
    }
}

enum What {
    Stdout,
    Stderr,
    Stdin,
    End,
}

/// Takes what lies in its pipes and drops it, up to a bound.
pub(super) fn hush(process: &mut Process, began: Instant, scratch: &mut Vec<u8>) {
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

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    }
}
