//! The thread that makes pages, and the pages that it has made of the present state.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use agon_pages::pages::{self, Audience, Renderer, Unwanted};
use axum::http::StatusCode;

use super::client::Client;
use super::page_answer::PageAnswer;
use super::page_queue::{PageQueue, TooMany, WantedPage};
use super::reader::State;

/// The page of the games in play.
const LIVE: &str = "live.html";
/// The most bytes of pages of one kind that are kept. Above it they are made again when they are
/// asked for.
const KEPT: usize = 32 << 20;

/// The pages that were made of one state.
#[derive(Default)]
struct CachedPages {
    revision: String,
    by_path: HashMap<String, Arc<PageAnswer>>,
    bytes: usize,
}

/// Where pages come from: from memory, or from the thread that makes them.
#[derive(Clone)]
pub(super) struct Pages {
    kept: Arc<Mutex<CachedPages>>,
    /// The page of the games in play, which is another one after each move.
    kept_live: Arc<Mutex<CachedPages>>,
    /// The pages of those who have a token.
    kept_own: Arc<Mutex<CachedPages>>,
    queue: Arc<PageQueue>,
}

/// What makes a page; `None` if nobody waits for it any more.
pub(super) type Maker = Box<dyn FnMut(&WantedPage, &dyn Fn() -> bool) -> Option<PageAnswer> + Send>;

impl Pages {
    /// Starts the thread.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start() -> std::io::Result<Pages> {
        let mut renderer = Renderer::default();
        Pages::made_by(Box::new(move |wanted, is_wanted| match &wanted.reader {
            Some(reader) => make(&mut renderer, &seen_by(&wanted.state, reader), &wanted.path, is_wanted),
            None => make(&mut renderer, &wanted.state, &wanted.path, is_wanted),
        }))
    }

    /// Starts the thread with another maker.
    pub(super) fn made_by(mut maker: Maker) -> std::io::Result<Pages> {
        let pages = Pages {
            kept: Arc::default(),
            kept_live: Arc::default(),
            kept_own: Arc::default(),
            queue: Arc::default(),
        };
        let made = pages.clone();
        std::thread::Builder::new().name("pages".to_owned()).spawn(move || {
            loop {
                let (wanted, work) = made.queue.next();
                let (kept, revision) = made.of(&wanted.state, &wanted.path, wanted.reader.as_ref());
                let key = key(&wanted.path, wanted.reader.as_ref());
                // Another request may have asked for it in the meantime.
                let found = lock(kept).find(&revision, &key);
                let answer = found.or_else(|| {
                    let answer = Arc::new(maker(&wanted, &|| work.is_wanted())?);
                    lock(kept).keep(&revision, key, &answer);
                    Some(answer)
                });
                work.ends(wanted, answer.as_ref());
            }
        })?;
        Ok(pages)
    }

    /// Where a page is kept, and what it depends on.
    fn of(&self, state: &State, path: &str, reader: Option<&Audience>) -> (&Mutex<CachedPages>, String) {
        match path {
            _ if reader.is_some() && path != LIVE => (&self.kept_own, state.revision.clone()),
            LIVE => (&self.kept_live, format!("{} {}", state.revision, state.moves)),
            _ => (&self.kept, state.revision.clone()),
        }
    }

    /// The file at a path in a state. What has no file costs nothing but its answer.
    ///
    /// # Errors
    /// [`TooMany`] pages wait to be made.
    pub(super) async fn file(
        &self,
        state: Arc<State>,
        path: &str,
        reader: Option<Audience>,
        client: Client,
    ) -> Result<Arc<PageAnswer>, TooMany> {
        if let Some(nothing) = nothing_at(&state, path) {
            return Ok(Arc::new(nothing));
        }
        let (kept, revision) = self.of(&state, path, reader.as_ref());
        let key = key(path, reader.as_ref());
        if let Some(answer) = lock(kept).find(&revision, &key) {
            return Ok(answer);
        }
        let name = format!("{revision}\n{key}");
        let answer = self.queue.ask(name, client, WantedPage { state, path: path.to_owned(), reader })?;
        answer.await.map_err(|_| TooMany)
    }
}

/// What is answered where no file lies.
fn nothing_at(state: &State, path: &str) -> Option<PageAnswer> {
    match &*state.content {
        Ok(snapshot) if snapshot.has(path) => None,
        Ok(_) => Some(PageAnswer::problem(
            StatusCode::NOT_FOUND,
            "There is no such page",
            "Nothing is at this address now. The game or the engine may have another one.",
            &state.revision,
        )),
        Err(_) if pages::file_of_all(path).is_some() => None,
        Err(why) => Some(unreadable(why, &state.revision)),
    }
}

fn unreadable(why: &str, revision: &str) -> PageAnswer {
    let title = "The run cannot be read";
    PageAnswer::problem(StatusCode::SERVICE_UNAVAILABLE, title, &agon_printable::clean(why), revision)
}

fn lock(kept: &Mutex<CachedPages>) -> std::sync::MutexGuard<'_, CachedPages> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CachedPages {
    fn find(&self, revision: &str, path: &str) -> Option<Arc<PageAnswer>> {
        if self.revision == revision { self.by_path.get(path).cloned() } else { None }
    }

    fn keep(&mut self, revision: &str, path: String, answer: &Arc<PageAnswer>) {
        // Addresses without a page are many, and cost little. What cannot be read now can be later.
        let bytes = answer.plain.len() + answer.packed.len() + path.len();
        if answer.status != StatusCode::OK || bytes > KEPT {
            return;
        }
        if self.revision != revision || self.bytes + bytes > KEPT {
            *self = CachedPages { revision: revision.to_owned(), ..CachedPages::default() };
        }
        self.bytes += bytes;
        self.by_path.insert(path, answer.clone());
    }
}

/// The name of a page among those that are kept. No path has a line break.
fn key(path: &str, reader: Option<&Audience>) -> String {
    match reader {
        None | Some(Audience::Public) => path.to_owned(),
        Some(Audience::Staff) => format!("{path}\nstaff"),
        Some(Audience::Engine(name)) => format!("{path}\n{}", name.escape_debug()) + "\n",
    }
}

/// A state as these readers see it.
fn seen_by(state: &State, reader: &Audience) -> State {
    let content = match &*state.content {
        Ok(snapshot) => Ok(snapshot.seen_by(reader.clone())),
        Err(why) => Err(why.clone()),
    };
    State { content: Arc::new(content), ..state.clone() }
}

fn make(
    renderer: &mut Renderer,
    state: &State,
    path: &str,
    is_wanted: &dyn Fn() -> bool,
) -> Option<PageAnswer> {
    let made = match &*state.content {
        Ok(snapshot) if path == LIVE => renderer.live(snapshot, &state.live, &state.moves.to_string()),
        Ok(snapshot) => renderer.file(snapshot, path, is_wanted),
        Err(_) => Ok(pages::file_of_all(path)),
    };
    match made {
        Ok(Some(file)) => Some(PageAnswer::new(StatusCode::OK, file.media_type, file.text)),
        Ok(None) => Some(nothing_at(state, path).unwrap_or_else(|| {
            let gone = "The database and its pages do not agree now. Ask again.";
            unreadable(gone, &state.revision)
        })),
        Err(error) if error.is::<Unwanted>() => None,
        Err(error) => {
            renderer.forget(); // the database may be another one
            Some(unreadable(&format!("{error:#}"), &state.revision))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_page_is_made_once_for_all_who_wait_and_never_for_clients_that_have_gone() {
        let (release, gate) = mpsc::channel::<()>();
        let made = Arc::new(AtomicUsize::new(0));
        let counted = made.clone();
        let pages = Pages::made_by(Box::new(move |_, _| {
            counted.fetch_add(1, Ordering::SeqCst);
            let _ = gate.recv();
            Some(PageAnswer::problem(StatusCode::OK, "a", "b", "0"))
        }));
        let pages = pages.unwrap();
        let state = Arc::new(State::without_run());
        let ask = |name: String| {
            let (pages, state) = (pages.clone(), state.clone());
            let client = Client::at(std::net::IpAddr::from([127, 0, 0, 1]));
            let reader = Some(Audience::Engine(name));
            tokio::spawn(async move { pages.file(state, "agon.css", reader, client).await.is_ok() })
        };
        let first = ask("first".to_owned());
        while made.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        for number in 0..2000 {
            let gone = ask(format!("gone {number}"));
            tokio::task::yield_now().await;
            gone.abort();
            assert!(gone.await.is_err(), "it was answered");
        }
        // The control: those who stay get their page.
        let stay: Vec<_> = (0..5).map(|_| ask("stays".to_owned())).collect();
        tokio::task::yield_now().await;
        drop(release);
        assert!(first.await.unwrap());
        for one in stay {
            assert!(one.await.unwrap());
        }
        assert_eq!(made.load(Ordering::SeqCst), 2);
        assert!(ask("stays".to_owned()).await.unwrap());
        assert_eq!(made.load(Ordering::SeqCst), 2, "it is kept");
    }
}
