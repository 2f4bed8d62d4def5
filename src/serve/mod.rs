//! The pages of a run from a server, kept up to date while it is played. The server is a process of its
//! own: it reads the database, and the run knows nothing of it.
//!
//! Three threads: one answers requests (tokio), one watches the databases ([`reader`]), and one makes
//! pages ([`renderer`]). What a browser is told when something has changed is a number alone.

mod class_access;
mod connections;
mod guards;
mod play;
mod reader;
mod renderer;
mod tables_link;
mod uploads;

pub use class_access::ClassAccess;

use std::convert::Infallible;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, RawQuery, Request, State as Given};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use futures_util::stream;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::sync::watch;
use tokio_io_timeout::TimeoutStream;

use self::class_access::AccessRefusal;
use self::connections::{Connection, Connections};
use self::guards::KnownHosts;
use self::reader::{Reader, State};
use self::renderer::Pages;
use self::tables_link::TablesLink;
use crate::config::Misuse;
use crate::pages::{Asked, Audience};

/// A client has this long for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// A page must be made within this time.
const PAGE: Duration = Duration::from_secs(60);
/// A client that takes nothing for this long is not waited for.
const STALLED: Duration = Duration::from_secs(60);
/// How often a stream of news says that it is still there.
const ALIVE: Duration = Duration::from_secs(15);
/// The most bytes of the head of a request.
const HEAD_BYTES: usize = 16 << 10;

/// What is served, and where.
pub struct Serving {
    /// The address to listen on.
    pub address: SocketAddr,
    /// More names of this server, as a proxy in front of it passes them on.
    pub hosts: Vec<String>,
    /// The run; none if people only play.
    pub run: Option<ServedRun>,
    /// The process that keeps the tables at which people play; none if nobody does.
    pub tables: Option<TablesPipes>,
}

/// A run whose pages are served.
pub struct ServedRun {
    /// The directory. The server may read nothing else.
    pub directory: PathBuf,
    /// What is asked for, as the directory is now. It is asked again and again.
    pub look: Box<dyn Fn() -> Result<Asked> + Send>,
    /// Who may submit and see what, if submissions of a class are accepted. Then there need not be a run yet.
    pub class: Option<ClassAccess>,
}

/// The pipes to the process that keeps the tables. It ends when `to` is closed.
pub struct TablesPipes {
    /// Its output.
    pub from: Box<dyn Read + Send>,
    /// Its input.
    pub to: Box<dyn Write + Send>,
}

/// Serves until the process is ended. Calls `ready` once with the address and with what the process is
/// kept from.
///
/// # Errors
/// [`Misuse`] if the address cannot be listened on, or there is nothing to be served in the directory.
/// Otherwise errors of the database or the system.
pub fn serve(serving: Serving, ready: impl FnOnce(SocketAddr, &[&str]) -> Result<()>) -> Result<()> {
    let Serving { address, hosts, run, tables } = serving;
    let (mut places, mut readable) = (vec![std::env::temp_dir()], Vec::new());
    let mut class = None;
    let (reader, first) = match run {
        Some(run) => {
            places.push(run.directory);
            readable.extend(crate::referee::adjudication::tables());
            if let Some(class) = &run.class {
                places.push(class.inbox.uploads());
                readable.extend([class.inbox.reports(), class.tokens.clone()]);
            }
            let (reader, first) = Reader::begin(run.look, tables.is_some(), run.class.is_some())?;
            class = run.class;
            (Some(reader), first)
        }
        None => (None, Arc::new(State::without_run())),
    };
    let listener = listen(address)?;
    let address = listener.local_addr()?;
    let [places, readable] =
        [&places, &readable].map(|all| all.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let kept_from = agon_sandbox::confine(&places, &readable)
        .map_err(|error| anyhow::anyhow!("the server cannot be confined: {error}"))?;
    ready(address, &kept_from)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (sender, states) = watch::channel(first);
    let has_run = reader.is_some();
    if let Some(reader) = reader {
        std::thread::Builder::new().name("reader".to_owned()).spawn(move || reader.watch(&sender))?;
    }
    let tables = tables.map(|TablesPipes { from, to }| TablesLink::start(from, to)).transpose()?;
    let known = Arc::new(KnownHosts::new(address, &hosts));
    let class = class.map(Arc::new);
    let server = Server { states, pages: Pages::start()?, known, tables, has_run, class };
    runtime.block_on(accept(listener, server))
}

fn listen(address: SocketAddr) -> Result<TcpListener> {
    let listener = TcpListener::bind(address).map_err(|error| {
        Misuse::hinted(
            format!("--listen {address}: {error}"),
            "give another address or port, like 127.0.0.1:8081",
        )
    })?;
    listener.set_nonblocking(true).context("cannot listen")?;
    Ok(listener)
}

/// What answers need.
#[derive(Clone)]
struct Server {
    states: watch::Receiver<Arc<State>>,
    pages: Pages,
    known: Arc<KnownHosts>,
    tables: Option<Arc<TablesLink>>,
    has_run: bool,
    class: Option<Arc<ClassAccess>>,
}

async fn accept(listener: TcpListener, server: Server) -> Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let mut router = Router::new();
    if let Some(link) = &server.tables {
        router = router.merge(play::router(link.clone(), server.has_run));
        tokio::spawn(play::close_left(link.clone()));
    }
    if server.class.is_some() {
        router = class_routes(router);
    }
    let router = router
        .route("/events", get(events))
        .route("/revision", get(revision))
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT })) // browsers ask for it
        .fallback(get(file))
        .layer(middleware::from_fn_with_state(server.clone(), guard))
        .with_state(server);
    let connections = Connections::default();
    loop {
        let Ok((client, _)) = listener.accept().await else {
            // Too many open files, or a client that has gone.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Some(connection) = connections.place() else { continue };
        let id = connection.id();
        let mut client = TimeoutStream::new(client);
        client.set_write_timeout(Some(STALLED));
        let service = TowerToHyperService::new(router.clone().layer(Extension(Arc::new(connection))));
        let task = tokio::spawn(async move {
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
            // What goes wrong here is the client's affair.
            let _ = http.serve_connection(TokioIo::new(Box::pin(client)), service).await;
        });
        connections.ends_by(id, task.abort_handle());
    }
}

/// Where authors and staff ask for what is theirs.
fn class_routes(router: Router<Server>) -> Router<Server> {
    router
        .route("/submit", get(class_access::submit_page).post(uploads::submit))
        .route("/mine", post(class_access::mine))
        .route("/mine/log", post(class_access::log))
        .route("/staff", post(class_access::staff))
        .layer(DefaultBodyLimit::max(uploads::MOST_BODY))
}

/// Looks at a request before anything else does, and gives every answer its headers.
async fn guard(
    Given(server): Given<Server>,
    Extension(connection): Extension<Arc<Connection>>,
    mut request: Request,
    next: Next,
) -> Response {
    connection.asks();
    let is_post = request.method() == Method::POST;
    let path = request.uri().path();
    let is_door = (server.tables.is_some() && path == play::DOOR)
        || (server.class.is_some() && ClassAccess::takes_posts(path));
    let admitted = guards::admit(request.method(), request.headers(), &server.known, is_door);
    let mut response = match admitted {
        Err((status, why)) => {
            let allowed = [(header::ALLOW, HeaderValue::from_static("GET, HEAD"))];
            (status, allowed, format!("{why}\n")).into_response()
        }
        Ok(()) => match reader_of(&server, &mut request) {
            Err(refusal) => refusal.answer(request.headers()),
            Ok(()) => match tokio::time::timeout(PAGE, next.run(request)).await {
                Ok(response) => response,
                Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "The page took too long.\n").into_response(),
            },
        },
    };
    response.headers_mut().extend(guards::HEADERS);
    if is_post {
        // Such an answer may hold a token.
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Notes in a request for whom its answer is made.
fn reader_of(server: &Server, request: &mut Request) -> Result<(), AccessRefusal> {
    let Some(class) = &server.class else { return Ok(()) };
    if let Some(reader) = class.reader(request.uri().path(), request.headers())? {
        request.extensions_mut().insert(reader);
    }
    Ok(())
}

/// A page, or a file beside the pages.
async fn file(Given(server): Given<Server>, headers: HeaderMap, request: Request) -> Response {
    let reader = request.extensions().get::<Audience>().cloned();
    let path = request.uri().path().trim_start_matches('/');
    let path =
        if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
    if !server.has_run && path == "index.html" {
        return Redirect::to("/play").into_response();
    }
    let state = server.states.borrow().clone();
    let Some(answer) = server.pages.file(state, &path, reader).await else {
        return (StatusCode::SERVICE_UNAVAILABLE, "No pages are made any more.\n").into_response();
    };
    let given = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or("");
    let tag = [(header::ETAG, answer.tag.clone()), (header::VARY, "accept-encoding".to_owned())];
    let has_it = given(header::IF_NONE_MATCH).split(',').any(|known| {
        let known = known.trim();
        known.strip_prefix("W/").unwrap_or(known) == answer.tag
    });
    if has_it && answer.status == StatusCode::OK {
        return (StatusCode::NOT_MODIFIED, tag).into_response();
    }
    let kind = [(header::CONTENT_TYPE, answer.media_type)];
    if given(header::ACCEPT_ENCODING).split(',').any(|one| one.trim().split(';').next() == Some("gzip")) {
        return (answer.status, tag, kind, [(header::CONTENT_ENCODING, "gzip")], answer.packed.clone())
            .into_response();
    }
    (answer.status, tag, kind, answer.plain.clone()).into_response()
}

/// What changes with the results, and what changes with each move besides.
fn number_of(state: &State) -> String {
    format!("{} {}", state.revision, state.moves)
}

/// The number of the present state, for browsers that get no stream.
async fn revision(Given(server): Given<Server>) -> Response {
    number_of(&server.states.borrow()).into_response()
}

/// A stream of numbers: the present one, and each one after it.
async fn events(
    Given(server): Given<Server>,
    Extension(connection): Extension<Arc<Connection>>,
    RawQuery(query): RawQuery,
) -> Response {
    // Only the page of the games in play wants to hear of each move.
    let hears_moves = query.is_some_and(|query| query == "moves");
    let Some(place) = connection.stream() else {
        let after = [(header::RETRY_AFTER, "20")];
        return (StatusCode::SERVICE_UNAVAILABLE, after, "Too many pages wait for news.\n").into_response();
    };
    let begin = (server.states, place, (String::new(), 0));
    let numbers = stream::unfold(begin, move |(mut states, place, told)| async move {
        let is_new = |state: &Arc<State>| state.revision != told.0 || (hears_moves && state.moves != told.1);
        let changed = match tokio::time::timeout(ALIVE, states.wait_for(is_new)).await {
            Ok(Ok(state)) => Some((number_of(&state), (state.revision.clone(), state.moves))),
            Ok(Err(_)) => return None,
            Err(_) => None,
        };
        let (line, told) = match changed {
            Some((number, told)) => (format!("data: {number}\n\n"), told),
            None => (":\n\n".to_owned(), told),
        };
        Some((Ok::<_, Infallible>(line), (states, place, told)))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(numbers)).into_response()
}
