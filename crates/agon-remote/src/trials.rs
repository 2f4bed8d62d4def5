//! Trials: the side of the engine computes for a moment when it is asked to, so that the other side
//! sees how long that takes on a busy machine. A thread of its own does it.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// No trial takes more processor time.
const MOST: Duration = Duration::from_millis(20);

/// The trials of one game.
pub(crate) struct Trials {
    ask: SyncSender<(u64, Duration)>,
    done: Receiver<u64>,
    /// Has a byte for each trial that is done.
    bell: UnixStream,
}

impl Trials {
    /// # Errors
    /// Those of the system.
    pub(crate) fn new() -> io::Result<Self> {
        let (bell, mut ringer) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        let ((ask, asked), (tell, done)) = (mpsc::sync_channel::<(u64, Duration)>(1), mpsc::channel());
        thread::Builder::new().name("agon trial".to_owned()).spawn(move || {
            for (number, work) in asked {
                compute(work.min(MOST));
                if tell.send(number).is_err() || ringer.write_all(b"x").is_err() {
                    return; // the game is over
                }
            }
        })?;
        Ok(Trials { ask, done, bell })
    }

    /// Begins a trial. One that comes while two are under way is left out.
    pub(crate) fn begin(&self, number: u64, work: Duration) {
        let _ = self.ask.try_send((number, work));
    }

    /// Readable when a trial is done.
    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// A trial that is done.
    pub(crate) fn next_done(&self) -> Option<u64> {
        let number = self.done.try_recv().ok()?;
        let _ = rustix::io::read(&self.bell, &mut [0; 1]); // it may ring a moment later: then once in vain
        Some(number)
    }
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Uses so much processor time.
fn compute(work: Duration) {
    let until = thread_time() + work;
    while thread_time() < until {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_trial_takes_the_processor_time_that_was_asked_for_and_no_more_than_the_most() {
        let trials = Trials::new().unwrap();
        for (number, asked, least) in [(7, 3, 3), (8, 100_000, 20)] {
            let began = Instant::now();
            trials.begin(number, Duration::from_millis(asked));
            let done = loop {
                match trials.next_done() {
                    Some(done) => break done,
                    None => thread::sleep(Duration::from_millis(1)),
                }
            };
            assert_eq!(done, number);
            assert!(began.elapsed() >= Duration::from_millis(least));
            assert!(began.elapsed() < Duration::from_secs(50), "the bound of one trial");
        }
    }
}
