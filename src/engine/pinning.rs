//! Keeps a game on one core: its worker and those of its engines that have one thread only.
//!
//! Only one of them works at a time, and waking another core costs ten times what a switch on the same one does. An
//! engine is started where it likes, so that it sees all the cores there are; it is pinned when it has answered once
//! and has one thread, and let go for good as soon as it is seen with more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agon_sandbox::system::Affinity;
use rustix::process::Pid;

use crate::config::Pin;

/// The cores that games are played on.
#[derive(Debug)]
pub struct Cores {
    /// All that we and the engines may use.
    all: Affinity,
    /// Each with the number of games that are played on it.
    taken: Mutex<Vec<(usize, usize)>>,
}

impl Cores {
    /// The cores for so many games at once; nothing when games are not to be pinned, because somebody wants that or
    /// because there are fewer cores than games.
    pub fn new(pin: &Pin, games: usize) -> Option<Arc<Self>> {
        let allowed = Affinity::own()?.cores().into_iter();
        let list: Vec<usize> = match pin {
            Pin::Off => return None,
            Pin::Auto => allowed.collect(),
            Pin::Cores(wanted) => allowed.filter(|core| wanted.contains(core)).collect(),
        };
        let enough = matches!(pin, Pin::Cores(_)) || (list.len() > 1 && list.len() >= games);
        if list.is_empty() || !enough {
            return None;
        }
        let all = Affinity::of(&list);
        Some(Arc::new(Cores { all, taken: Mutex::new(list.into_iter().map(|core| (core, 0)).collect()) }))
    }

    /// Puts the calling thread on a core that no other game is played on, the one it runs on if it can be.
    pub fn sit(self: &Arc<Self>) -> Arc<Core> {
        self.all.hold(None); // the system may know a better place by now
        let here = Affinity::here();
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
    fn only(&self) -> Affinity {
        Affinity::of(&[self.number])
    }

    /// The calling thread may go anywhere, and what it starts is started there.
    pub(super) fn leave(&self) {
        self.cores.all.hold(None);
    }

    /// The calling thread keeps to this core again.
    pub(super) fn back(&self) {
        self.only().hold(None);
    }

    /// Keeps a thread of an engine to this core.
    pub(super) fn take(&self, thread: Pid) {
        self.only().hold(Some(thread));
    }

    /// Lets a thread of an engine go anywhere.
    pub(super) fn let_go(&self, thread: Pid) {
        self.cores.all.hold(Some(thread));
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
            return assert!(
                Affinity::own().is_none() || std::thread::available_parallelism().unwrap().get() < 2
            );
        };
        let (one, two) = (cores.sit(), cores.sit());
        assert_ne!(one.number, two.number);
        let number = one.number;
        drop(one);
        assert_eq!(Affinity::own().unwrap().cores().len(), 1);
        // With all others taken it is this one, wherever the thread runs.
        let rest: Vec<_> = (2..cores.lock().len()).map(|_| cores.sit()).collect();
        assert_eq!(cores.sit().number, number);
        drop(rest);
        two.leave();
        assert!(Cores::new(&Pin::Off, 1).is_none());
        assert!(Cores::new(&Pin::Auto, 100_000).is_none());
        assert!(Cores::new(&Pin::Cores(vec![1023]), 1).is_none());
        let first = Affinity::own().unwrap().cores()[0];
        let listed = Cores::new(&Pin::Cores(vec![first]), 3).unwrap();
        assert_eq!([listed.sit().number, listed.sit().number], [first; 2]);
    }
}
