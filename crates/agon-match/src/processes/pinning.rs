//! Pins a game to one core: its worker, and those of its engines that have a single thread.
//!
//! Only one of them works at a time. Waking another core costs ten times as much as a switch on the
//! same one. An engine starts unpinned, so that it sees all available cores. It is pinned when it
//! has answered once with a single thread, and unpinned for good when it is seen with more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agon_config::Pin;
use agon_sandbox::system::Affinity;
use rustix::process::Pid;

/// The cores on which games are played.
#[derive(Debug)]
pub struct Cores {
    /// All cores that agon and the engines may use.
    all: Affinity,
    /// Each core with the number of games played on it.
    taken: Mutex<Vec<(usize, usize)>>,
}

impl Cores {
    /// The cores for `games` games at once; `None` if games are not to be pinned, by option or
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

    /// Pins the calling thread to the core with the fewest games, preferably the one it runs on.
    pub fn sit(self: &Arc<Self>) -> Arc<Core> {
        self.all.hold(None); // unpinned first: the system may choose a better core
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
        // A panic leaves the numbers whole.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The core of one game.
#[derive(Debug)]
pub struct Core {
    number: usize,
    cores: Arc<Cores>,
}

impl Core {
    /// Its number.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// All cores on which games are played.
    pub(super) fn all(&self) -> Vec<usize> {
        self.cores.all.cores()
    }

    fn only(&self) -> Affinity {
        Affinity::of(&[self.number])
    }

    /// Unpins the calling thread, so that the processes it starts begin unpinned.
    pub(super) fn leave(&self) {
        self.cores.all.hold(None);
    }

    /// Pins the calling thread to this core again.
    pub(super) fn back(&self) {
        self.only().hold(None);
    }

    /// Pins a thread of an engine to this core.
    pub(super) fn take(&self, thread: Pid) {
        self.only().hold(Some(thread));
    }

    /// Unpins a thread of an engine.
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
        // All other cores have a game, so this one is chosen wherever the thread runs.
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
