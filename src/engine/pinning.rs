//! Keeps a game on one core: its worker and those of its engines that have one thread only.
//!
//! Only one of them works at a time, and waking another core costs ten times what a switch on the same one does. An
//! engine is started where it likes, so that it sees all the cores there are; it is pinned when it has answered once
//! and has one thread, and let go for good as soon as it is seen with more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

use crate::config::Pin;

/// The cores that games are played on.
#[derive(Debug)]
pub struct Cores {
    /// All that we and the engines may use.
    all: CpuSet,
    /// Each with the number of games that are played on it.
    taken: Mutex<Vec<(usize, usize)>>,
}

impl Cores {
    /// The cores for so many games at once; nothing when games are not to be pinned, because somebody wants that or
    /// because there are fewer cores than games.
    pub fn new(pin: &Pin, games: usize) -> Option<Arc<Self>> {
        let mine = sched_getaffinity(None).ok()?;
        let allowed = (0..CpuSet::MAX_CPU).filter(|core| mine.is_set(*core));
        let list: Vec<usize> = match pin {
            Pin::Off => return None,
            Pin::Auto => allowed.collect(),
            Pin::Cores(wanted) => allowed.filter(|core| wanted.contains(core)).collect(),
        };
        let enough = matches!(pin, Pin::Cores(_)) || (list.len() > 1 && list.len() >= games);
        if list.is_empty() || !enough {
            return None;
        }
        let mut all = CpuSet::new();
        list.iter().for_each(|core| all.set(*core));
        Some(Arc::new(Cores { all, taken: Mutex::new(list.into_iter().map(|core| (core, 0)).collect()) }))
    }

    /// Puts the calling thread on a core that no other game is played on, the one it runs on if it can be.
    pub fn sit(self: &Arc<Self>) -> Arc<Core> {
        let _ = sched_setaffinity(None, &self.all); // the system may know a better place by now
        let here = sched_getcpu();
        let mut taken = self.lock();
        let best = taken.iter_mut().min_by_key(|(core, games)| (*games, *core != here));
        let (core, games) = best.expect("there is a core");
        *games += 1;
        let core = Arc::new(Core { number: *core, cores: self.clone() });
        drop(taken);
        core.back();
        core
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(usize, usize)>> {
        // Numbers are whole whatever the thread that panicked was doing.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The core that a game is played on.
#[derive(Debug)]
pub struct Core {
    number: usize,
    cores: Arc<Cores>,
}

impl Core {
    fn only(&self) -> CpuSet {
        let mut only = CpuSet::new();
        only.set(self.number);
        only
    }

    // Whoever cannot be pinned, because it has ended or somebody forbids it, plays as well elsewhere.

    /// The calling thread may go anywhere, and what it starts is started there.
    pub(super) fn leave(&self) {
        let _ = sched_setaffinity(None, &self.cores.all); // as said above
    }

    /// The calling thread keeps to this core again.
    pub(super) fn back(&self) {
        let _ = sched_setaffinity(None, &self.only()); // as said above
    }

    /// Keeps a thread of an engine to this core.
    pub(super) fn take(&self, thread: Pid) {
        let _ = sched_setaffinity(Some(thread), &self.only()); // as said above
    }

    /// Lets a thread of an engine go anywhere.
    pub(super) fn let_go(&self, thread: Pid) {
        let _ = sched_setaffinity(Some(thread), &self.cores.all); // as said above
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        let mut taken = self.cores.lock();
        if let Some((_, games)) = taken.iter_mut().find(|(core, _)| *core == self.number) {
            *games -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_at_once_get_cores_of_their_own_as_long_as_there_are_any() {
        let Some(cores) = Cores::new(&Pin::Auto, 2) else {
            return assert!(std::thread::available_parallelism().unwrap().get() < 2);
        };
        let (one, two) = (cores.sit(), cores.sit());
        assert_ne!(one.number, two.number);
        let number = one.number;
        drop(one);
        assert_eq!(sched_getaffinity(None).unwrap().count(), 1);
        // With all others taken it is this one, wherever the thread runs.
        let rest: Vec<_> = (2..cores.lock().len()).map(|_| cores.sit()).collect();
        assert_eq!(cores.sit().number, number);
        drop(rest);
        two.leave();
        assert!(Cores::new(&Pin::Off, 1).is_none());
        assert!(Cores::new(&Pin::Auto, 100_000).is_none());
        assert!(Cores::new(&Pin::Cores(vec![1023]), 1).is_none());
        let all = sched_getaffinity(None).unwrap();
        let first = (0..CpuSet::MAX_CPU).find(|core| all.is_set(*core)).unwrap();
        let listed = Cores::new(&Pin::Cores(vec![first]), 3).unwrap();
        assert_eq!([listed.sit().number, listed.sit().number], [first; 2]);
    }
}
