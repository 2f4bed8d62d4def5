//! The pages that wait to be made: at most so many, each once, and none for which nobody waits.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use agon_pages::pages::Audience;
use tokio::sync::oneshot;

use super::client::Client;
use super::page_answer::PageAnswer;
use super::reader::State;

/// The most pages that wait.
const MOST: usize = 64;
/// The most that wait for one client of another machine: a browser asks for six at a time, and a
/// room may have one address for all.
const MOST_OF_CLIENT: usize = 24;

/// A page that somebody asks for.
pub(super) struct WantedPage {
    pub(super) state: Arc<State>,
    pub(super) path: String,
    /// Who reads it, if it is not the public.
    pub(super) reader: Option<Audience>,
}

/// So many pages wait that no other one may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooMany;

type Reply = oneshot::Sender<Arc<PageAnswer>>;

/// A page that waits, and those who wait for it.
struct Waiting {
    /// The same for all who want the same.
    name: String,
    client: Client,
    wanted: WantedPage,
    replies: Vec<Reply>,
}

impl Waiting {
    fn is_wanted(&self) -> bool {
        self.replies.iter().any(|reply| !reply.is_closed())
    }
}

/// The page that is being made.
struct InWork {
    name: String,
    client: Client,
    replies: Vec<Reply>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    in_work: Option<InWork>,
}

impl Queue {
    /// Those who wait for what has this name, if anybody does.
    fn replies(&mut self, name: &str) -> Option<&mut Vec<Reply>> {
        let in_work = self.in_work.as_mut().filter(|work| work.name == name).map(|work| &mut work.replies);
        in_work.or_else(|| {
            self.waiting.iter_mut().find(|waiting| waiting.name == name).map(|waiting| &mut waiting.replies)
        })
    }
}

/// The queue, between those who ask and the thread that makes pages.
#[derive(Default)]
pub(super) struct PageQueue {
    queue: Mutex<Queue>,
    added: Condvar,
}

impl PageQueue {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a page at the end. Dropped, the answer is not waited for any more.
    ///
    /// # Errors
    /// [`TooMany`].
    pub(super) fn ask(
        &self,
        name: String,
        client: Client,
        wanted: WantedPage,
    ) -> Result<oneshot::Receiver<Arc<PageAnswer>>, TooMany> {
        let (reply, answer) = oneshot::channel();
        let mut queue = self.lock();
        if let Some(replies) = queue.replies(&name) {
            replies.push(reply);
            return Ok(answer);
        }
        queue.waiting.retain(Waiting::is_wanted);
        let own = queue.waiting.iter().filter(|waiting| waiting.client == client).count();
        let has_own_share = own >= MOST_OF_CLIENT && !client.may_be_many();
        if queue.waiting.len() >= MOST || has_own_share {
            return Err(TooMany);
        }
        queue.waiting.push_back(Waiting { name, client, wanted, replies: vec![reply] });
        self.added.notify_one();
        Ok(answer)
    }

    /// The next page to make. Waits until there is one that somebody wants.
    pub(super) fn next(&self) -> (WantedPage, PageWork<'_>) {
        let mut queue = self.lock();
        loop {
            match queue.waiting.pop_front() {
                Some(waiting) if waiting.is_wanted() => {
                    let Waiting { name, client, wanted, replies } = waiting;
                    queue.in_work = Some(InWork { name, client, replies });
                    return (wanted, PageWork { of: self });
                }
                Some(_) => {} // all who wanted it have gone
                None => queue = self.added.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// A page that is being made.
pub(super) struct PageWork<'a> {
    of: &'a PageQueue,
}

impl PageWork<'_> {
    /// Whether somebody still waits for it.
    pub(super) fn is_wanted(&self) -> bool {
        self.of.lock().in_work.as_ref().is_some_and(|work| work.replies.iter().any(|one| !one.is_closed()))
    }

    /// It is made; `None` if it was given up because nobody wanted it. If somebody has asked for it
    /// since then, it is made first.
    pub(super) fn ends(self, wanted: WantedPage, answer: Option<&Arc<PageAnswer>>) {
        let mut queue = self.of.lock();
        let Some(InWork { name, client, replies }) = queue.in_work.take() else { return };
        match answer {
            Some(answer) => {
                for reply in replies {
                    let _ = reply.send(answer.clone()); // the client may have gone
                }
            }
            None => queue.waiting.push_front(Waiting { name, client, wanted, replies }),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    fn wanted(path: &str) -> WantedPage {
        WantedPage { state: Arc::new(State::without_run()), path: path.to_owned(), reader: None }
    }

    fn client(last: u8) -> Client {
        Client::at(std::net::IpAddr::from([192, 0, 2, last]))
    }

    fn answer() -> Arc<PageAnswer> {
        Arc::new(PageAnswer::problem(StatusCode::OK, "a", "b", "0"))
    }

    #[test]
    fn equal_pages_are_made_once_and_those_that_nobody_waits_for_never() {
        let queue = PageQueue::default();
        let ask = |path: &str| queue.ask(path.to_owned(), client(1), wanted(path)).unwrap();
        let (mut one, mut same, gone, mut other) = (ask("a"), ask("a"), ask("b"), ask("c"));
        drop(gone);
        let (page, work) = queue.next();
        let mut late = ask("a");
        assert!(page.path == "a" && work.is_wanted());
        work.ends(page, Some(&answer()));
        assert!([&mut one, &mut same, &mut late].into_iter().all(|waiting| waiting.try_recv().is_ok()));
        let (page, work) = queue.next();
        assert_eq!(page.path, "c", "b is wanted by nobody");
        work.ends(page, Some(&answer()));
        assert!(other.try_recv().is_ok() && queue.lock().waiting.is_empty());
    }

    #[test]
    fn a_page_is_given_up_when_the_last_who_waits_has_gone_and_made_if_another_comes() {
        let queue = PageQueue::default();
        let ask = || queue.ask("a".to_owned(), client(1), wanted("a")).unwrap();
        let (one, same) = (ask(), ask());
        let (page, work) = queue.next();
        drop(one);
        assert!(work.is_wanted());
        drop(same);
        assert!(!work.is_wanted());
        let mut late = ask();
        work.ends(page, None);
        let (page, work) = queue.next();
        work.ends(page, Some(&answer()));
        assert!(late.try_recv().is_ok());
    }

    #[test]
    fn the_queue_has_a_bound_for_each_client_and_for_all_and_the_gone_take_no_place() {
        let queue = PageQueue::default();
        let ask = |number: usize, by: u8| {
            let path = number.to_string();
            queue.ask(path.clone(), client(by), wanted(&path))
        };
        for number in 0..10 * MOST {
            drop(ask(number, 1));
        }
        let own: Vec<_> = (0..10 * MOST).filter_map(|number| ask(number, 1).ok()).collect();
        assert_eq!(own.len(), MOST_OF_CLIENT);
        assert!(ask(0, 1).is_ok(), "one that waits already");
        let others: Vec<_> = (0..4 * MOST).filter_map(|at| ask(1000 + at, (at % 9) as u8 + 2).ok()).collect();
        assert_eq!(own.len() + others.len(), MOST);
        assert_eq!(ask(5000, 20).err(), Some(TooMany));
        drop(others);
        assert!(ask(5000, 20).is_ok());
        let here = Client::at("127.0.0.1".parse().unwrap());
        let proxied = |at: usize| queue.ask(format!("p{at}"), here, wanted("p")).ok();
        let proxied: Vec<_> = (0..2 * MOST).filter_map(proxied).collect();
        assert_eq!(proxied.len(), MOST - MOST_OF_CLIENT, "they may be many");
    }
}
