//! The thread that makes pages, and the pages that it has made of the present state.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::http::StatusCode;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use tokio::sync::{mpsc, oneshot};

use super::reader::State;
use crate::pages::{self, Audience, Renderer};

/// The page of the games in play.
const LIVE: &str = "live.html";
/// The most bytes of pages that are kept. Above it they are made again when they are asked for.
const KEPT: usize = 64 << 20;

/// A file as it is sent.
pub(super) struct PageAnswer {
    /// 200, 404 if there is no such page, 503 if the run cannot be read.
    pub(super) status: StatusCode,
    /// Its media type.
    pub(super) media_type: &'static str,
    /// A hash of the content, in quotes.
    pub(super) tag: String,
    /// The content.
    pub(super) plain: Bytes,
    /// The same, compressed with gzip.
    pub(super) packed: Bytes,
}

impl PageAnswer {
    fn new(status: StatusCode, media_type: &'static str, text: String) -> PageAnswer {
        let hash = Sha256::digest(&text);
        let tag: String = hash.iter().take(10).map(|byte| format!("{byte:02x}")).collect();
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        // Writing to memory does not fail.
        let packed = packer.write_all(text.as_bytes()).and_then(|()| packer.finish()).unwrap_or_default();
        PageAnswer {
            status,
            media_type,
            tag: format!("\"{tag}\""),
            plain: text.into(),
            packed: packed.into(),
        }
    }

    fn problem(status: StatusCode, title: &str, what: &str, revision: &str) -> PageAnswer {
        PageAnswer::new(status, "text/html; charset=utf-8", pages::problem(title, what, revision))
    }
}

struct Wanted {
    state: Arc<State>,
    path: String,
    /// Who reads it, if it is not the public.
    reader: Option<Audience>,
    reply: oneshot::Sender<Arc<PageAnswer>>,
}

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
    wanted: mpsc::UnboundedSender<Wanted>,
}

impl Pages {
    /// Starts the thread.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start() -> std::io::Result<Pages> {
        let (wanted, mut asked) = mpsc::unbounded_channel::<Wanted>();
        let pages =
            Pages { kept: Arc::default(), kept_live: Arc::default(), kept_own: Arc::default(), wanted };
        let made = pages.clone();
        std::thread::Builder::new().name("pages".to_owned()).spawn(move || {
            let mut renderer = Renderer::default();
            while let Some(Wanted { state, path, reader, reply }) = asked.blocking_recv() {
                let (kept, revision) = made.of(&state, &path, reader.as_ref());
                let key = key(&path, reader.as_ref());
                // Another request may have asked for it in the meantime.
                let answer = lock(kept).find(&revision, &key);
                let answer = answer.unwrap_or_else(|| {
                    let answer = Arc::new(match &reader {
                        Some(reader) => make(&mut renderer, &seen_by(&state, reader), &path),
                        None => make(&mut renderer, &state, &path),
                    });
                    lock(kept).keep(&revision, key, &answer);
                    answer
                });
                let _ = reply.send(answer); // the client may have gone
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

    /// The file at a path in a state; `None` if no more are made.
    pub(super) async fn file(
        &self,
        state: Arc<State>,
        path: &str,
        reader: Option<Audience>,
    ) -> Option<Arc<PageAnswer>> {
        let (kept, revision) = self.of(&state, path, reader.as_ref());
        if let Some(answer) = lock(kept).find(&revision, &key(path, reader.as_ref())) {
            return Some(answer);
        }
        let (reply, answer) = oneshot::channel();
        self.wanted.send(Wanted { state, path: path.to_owned(), reader, reply }).ok()?;
        answer.await.ok()
    }
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
        if answer.status != StatusCode::OK {
            return;
        }
        if self.revision != revision || self.bytes > KEPT {
            *self = CachedPages { revision: revision.to_owned(), ..CachedPages::default() };
        }
        self.bytes += answer.plain.len() + answer.packed.len() + path.len();
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

fn make(renderer: &mut Renderer, state: &State, path: &str) -> PageAnswer {
    let made = match &*state.content {
        Ok(snapshot) if path == LIVE => {
            let page = renderer.live(snapshot, &state.live, &state.moves.to_string());
            page.map_err(|error| format!("{error:#}"))
        }
        Ok(snapshot) => renderer.file(snapshot, path).map_err(|error| format!("{error:#}")),
        Err(_) if let Some(file) = pages::file_of_all(path) => Ok(Some(file)),
        Err(why) => Err(why.clone()),
    };
    match made {
        Ok(Some(file)) => PageAnswer::new(StatusCode::OK, file.media_type, file.text),
        Ok(None) => PageAnswer::problem(
            StatusCode::NOT_FOUND,
            "There is no such page",
            "Nothing is at this address now. The game or the engine may have another one.",
            &state.revision,
        ),
        Err(why) => {
            renderer.forget(); // the database may be another one
            let title = "The run cannot be read";
            PageAnswer::problem(
                StatusCode::SERVICE_UNAVAILABLE,
                title,
                &agon_printable::clean(&why),
                &state.revision,
            )
        }
    }
}
