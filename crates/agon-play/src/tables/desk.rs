//! The requests that need computing: they wait at a desk, at most so many for each client, so that
//! moves pass by. Each client has a budget of processor time.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::requests::{OpenRequest, PositionRequest};

/// The most requests that wait.
const MOST: usize = 32;
/// The most that wait for one client.
const MOST_OF_CLIENT: usize = 4;
/// So much processor time a client has at once.
const AT_ONCE: Duration = Duration::from_secs(5);
/// Besides, it has this part of a processor.
const PART: u32 = 5;
/// So many clients are told apart. Beyond that, the one that has used the least is forgotten.
const CLIENTS: usize = 1000;

/// A request that waits.
pub(super) struct Task {
    /// The number of the message.
    pub(super) number: u64,
    /// Whose work it is.
    pub(super) client: String,
    /// What is to be done.
    pub(super) work: Work,
}

/// What is to be done.
pub(super) enum Work {
    /// A position is looked at.
    Position(PositionRequest),
    /// A table is opened.
    Open(Box<OpenRequest>),
}

/// The budgets of clients.
#[derive(Default)]
pub(super) struct Budgets(Mutex<HashMap<String, Account>>);

/// What a client has used and not yet got back.
#[derive(Clone, Copy)]
struct Account {
    used: Duration,
    at: Instant,
}

impl Account {
    fn used(&self, now: Instant) -> Duration {
        self.used.saturating_sub(now.saturating_duration_since(self.at) / PART)
    }
}

impl Budgets {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Account>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a client has used of its budget.
    fn used(&self, client: &str, now: Instant) -> Duration {
        self.lock().get(client).map_or(Duration::ZERO, |account| account.used(now))
    }

    /// After how long a client may ask for more; `None` if now.
    pub(super) fn wait(&self, client: &str, now: Instant) -> Option<Duration> {
        let over = self.used(client, now).checked_sub(AT_ONCE)?;
        Some(over * PART)
    }

    /// Takes processor time from the budget of a client.
    pub(super) fn charge(&self, client: &str, time: Duration, now: Instant) {
        let mut accounts = self.lock();
        let used = accounts.get(client).map_or(Duration::ZERO, |account| account.used(now)) + time;
        accounts.insert(client.to_owned(), Account { used, at: now });
        if accounts.len() > CLIENTS {
            let least = accounts.iter().min_by_key(|(_, account)| account.used(now));
            let least = least.map(|(client, _)| client.clone());
            least.map(|client| accounts.remove(&client));
        }
    }
}

/// Why a request is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Declined {
    /// The client has used up its budget; it may ask again after this time.
    Budget(Duration),
    /// Others wait, of this client or of all.
    Full,
}

#[derive(Default)]
struct Waiting {
    tasks: Vec<Task>,
    is_closed: bool,
}

/// The desk.
#[derive(Default)]
pub(super) struct Desk {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// The budgets of all clients.
    pub(super) budgets: std::sync::Arc<Budgets>,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a request.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn put(&self, task: Task) -> Result<(), Declined> {
        if let Some(wait) = self.budgets.wait(&task.client, Instant::now()) {
            return Err(Declined::Budget(wait));
        }
        let mut waiting = self.lock();
        let own = waiting.tasks.iter().filter(|other| other.client == task.client).count();
        if own >= MOST_OF_CLIENT || waiting.tasks.len() >= MOST {
            return Err(Declined::Full);
        }
        waiting.tasks.push(task);
        self.changed.notify_one();
        Ok(())
    }

    /// Nobody waits any more for the answer to this message.
    pub(super) fn forget(&self, number: u64) {
        self.lock().tasks.retain(|task| task.number != number);
    }

    /// The next request, when there is one: that of the client that has used the least. `None` when
    /// the desk is closed.
    pub(super) fn next(&self) -> Option<Task> {
        let mut waiting = self.lock();
        loop {
            if waiting.is_closed {
                return None;
            }
            let now = Instant::now();
            let used = |task: &Task| self.budgets.used(&task.client, now);
            let first = waiting.tasks.iter().enumerate().min_by_key(|(at, task)| (used(task), *at));
            if let Some((at, _)) = first {
                return Some(waiting.tasks.remove(at));
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Closes the desk: nothing more is done.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Whether it is closed.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(number: u64, client: &str) -> Task {
        let work = Work::Position(PositionRequest { game: String::new(), position: None, seed: None });
        Task { number, client: client.to_owned(), work }
    }

    #[test]
    fn a_client_waits_behind_those_who_have_used_less_and_takes_not_all_places() {
        let desk = Desk::default();
        let greedy: Vec<_> = (0..30).map(|number| desk.put(task(number, "greedy")).is_ok()).collect();
        assert_eq!(greedy.iter().filter(|taken| **taken).count(), MOST_OF_CLIENT);
        desk.budgets.charge("greedy", Duration::from_secs(1), Instant::now());
        assert_eq!(desk.put(task(100, "other")), Ok(()));
        assert_eq!(desk.next().unwrap().number, 100);
        assert_eq!(desk.next().unwrap().number, 0);
        desk.forget(1);
        assert_eq!(desk.next().unwrap().number, 2, "the client that waited for 1 has gone");
        let many = (0..100).filter(|at| desk.put(task(*at, &format!("client {at}"))).is_ok()).count();
        assert_eq!(many, MOST - 1);
        desk.close();
        assert!(desk.next().is_none());
    }

    #[test]
    fn a_budget_that_is_used_up_comes_back_with_time() {
        let (budgets, begin) = (Budgets::default(), Instant::now());
        let after = |seconds: u64| begin + Duration::from_secs(seconds);
        budgets.charge("a", Duration::from_secs(4), begin);
        assert_eq!(budgets.wait("a", begin), None);
        budgets.charge("a", Duration::from_secs(3), begin);
        assert_eq!(budgets.wait("a", begin), Some(Duration::from_secs(10)));
        assert_eq!(budgets.wait("b", begin), None, "another client");
        assert!(budgets.wait("a", after(9)).is_some() && budgets.wait("a", after(11)).is_none());
        assert_eq!(budgets.used("a", after(1000)), Duration::ZERO);
        for number in 0..2 * CLIENTS {
            budgets.charge(&number.to_string(), Duration::from_millis(1), begin);
        }
        assert_eq!(budgets.lock().len(), CLIENTS);
        assert!(budgets.wait("a", begin).is_some(), "who has used the most is not forgotten");
    }
}
