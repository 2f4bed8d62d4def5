//! Plays a plan on N workers: they take the jobs one by one, and one thread takes all events.
//!
//! The plan is lazy, and nothing here grows with the number of games.

use std::io;
use std::iter;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::Context;
use crossbeam_channel::{Sender, bounded};

/// How many events may wait for the thread that takes them. Further events make workers wait, so
/// that a harness that writes slower than it plays does not fill the memory.
const WAITING: usize = 1024;

/// What a worker does after a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// Take the next job.
    GoOn,
    /// Stop: the run is being stopped.
    Stop,
}

/// Does every job of the plan on `workers` threads, in the order of the plan. Each worker has a `W`
/// of its own. `act` does one job and sends events; `on_events` is called on the calling thread,
/// with all that wait, in the order in which they were sent. If the system cannot start all
/// threads, there are fewer.
///
/// # Errors
/// Not a single thread could be started, and nothing was done.
pub fn run<J, E, W, A>(
    plan: impl Iterator<Item = J> + Send,
    workers: usize,
    own: impl Fn() -> W + Sync,
    act: A,
    mut on_events: impl FnMut(Vec<E>),
) -> io::Result<()>
where
    E: Send,
    A: Fn(&mut W, J, &Sender<E>) -> Then + Sync,
{
    let plan = Mutex::new(plan.fuse());
    let (send, receive) = bounded::<E>(WAITING);
    thread::scope(|scope| {
        for number in 0..workers.max(1) {
            let send = send.clone();
            let (plan, own, act) = (&plan, &own, &act);
            let worker = move || {
                let mut own = own();
                loop {
                    // A plan that panicked on one worker ends the others too.
                    let job = plan.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(job) = job else { return };
                    if act(&mut own, job, &send) == Then::Stop {
                        return;
                    }
                }
            };
            match thread::Builder::new().spawn_scoped(scope, worker) {
                Err(error) if number == 0 => return Err(error),
                Err(_) => break, // the threads that were started do the work
                Ok(_) => {}
            }
        }
        drop(send);
        while let Ok(first) = receive.recv() {
            on_events(iter::once(first).chain(receive.try_iter().take(WAITING)).collect());
        }
        Ok(())
    })
}

/// Does the jobs `0..count` on `workers` threads. `act` does one job and says whether its worker
/// takes another. Returns the result of each job; `None` for those that were left undone.
///
/// # Errors
/// As [`run`].
pub fn all<T: Send>(
    count: usize,
    workers: usize,
    act: impl Fn(usize) -> (T, Then) + Sync,
) -> io::Result<Vec<Option<T>>> {
    let mut done: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let act = |(): &mut (), number, send: &Sender<(usize, T)>| {
        let (result, then) = act(number);
        // The receiver lives as long as the workers.
        if send.send((number, result)).is_err() { Then::Stop } else { then }
    };
    run(
        0..count,
        workers,
        || (),
        act,
        |results| {
            results.into_iter().for_each(|(number, result)| done[number] = Some(result));
        },
    )?;
    Ok(done)
}

/// The context of an error when a thread cannot be started.
pub const NO_THREAD: &str = "cannot start a thread";

/// Calls a function on a thread of its own: children of the main thread are ended as orphans.
///
/// # Errors
/// The system cannot start a thread.
pub fn aside<T: Send>(act: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, act).context(NO_THREAD)?;
        // A panic was printed already, by the thread in which it occurred.
        Ok(thread.join().unwrap_or_else(|fault| std::panic::resume_unwind(fault)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_on_any_number_of_workers() {
        for workers in [1, 2, 7] {
            let mut done = Vec::new();
            run(
                0..1000,
                workers,
                || (),
                |(), job, send| {
                    send.send(job).unwrap();
                    Then::GoOn
                },
                |jobs| done.extend(jobs),
            )
            .unwrap();
            done.sort_unstable();
            assert_eq!(done, (0..1000).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_plan_is_taken_no_faster_than_it_is_played() {
        let taken = std::sync::atomic::AtomicUsize::new(0);
        let plan = (0..).inspect(|_| {
            taken.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        });
        run(
            plan,
            2,
            || (),
            |(), job: u64, _: &Sender<()>| if job < 10 { Then::GoOn } else { Then::Stop },
            |_| {},
        )
        .unwrap();
        assert!(taken.into_inner() <= 13);
    }
}
