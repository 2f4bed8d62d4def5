//! The pages of a run from a server, kept up to date while it is played. The server is a process of
//! its own: it reads the database, and the run knows nothing of it.
//!
//! Three threads: one answers requests (tokio), one watches the databases ([`reader`]), and one
//! makes pages ([`renderer`]). What a browser is told when something has changed is a number alone.

mod class_access;
mod client;
mod connections;
mod guards;
mod page_answer;
mod page_queue;
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

use agon_config::Misuse;
use agon_match::referee::solved_tables;
use agon_pages::pages::{Asked, Audience, EmbedHost};
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
use self::client::Client;
use self::connections::{Connection, Connections, StreamOwner};
use self::guards::KnownHosts;
use self::reader::{Reader, State, Viewers};
use self::renderer::Pages;
use self::tables_link::TablesLink;

/// How long a client is waited for.
#[derive(Clone, Copy)]
struct Patience {
    /// For the head of a request.
    head: Duration,
    /// For the rest of it, and for its answer to be made.
    request: Duration,
    /// For a client that takes nothing of its answer.
    stalled: Duration,
}

const PATIENCE: Patience = Patience {
    head: Duration::from_secs(10),
    request: Duration::from_secs(60),
    stalled: Duration::from_secs(60),
};
/// How often a stream of news says that it is still there.
const ALIVE: Duration = Duration::from_secs(15);
/// Where replays for frames of other pages lie.
const EMBED: &str = "/embed/";
/// The most bytes of the head of a request.
const HEAD_BYTES: usize = 16 << 10;

/// What is served, and where.
pub struct Serving {
    /// The address to listen on.
    pub address: SocketAddr,
    /// More names of this server, as a proxy in front of it passes them on.
    pub hosts: Vec<String>,
    /// The hosts whose pages may show a replay in a frame. If there are none, no replay is there
    /// for that.
    pub embeds: Vec<EmbedHost>,
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
    /// Who may submit and see what, if submissions of a class are accepted. Then there need not be
    /// a run yet.
    pub class: Option<ClassAccess>,
}

/// The pipes to the process that keeps the tables. It ends when `to` is closed.
pub struct TablesPipes {
    /// Its output.
    pub from: Box<dyn Read + Send>,
    /// Its input.
    pub to: Box<dyn Write + Send>,
}

/// Serves until the process is ended. Calls `ready` once with the address and with what the process
/// is kept from.
///
/// # Errors
/// [`Misuse`] if the address cannot be listened on, or there is nothing to be served in the
/// directory. Otherwise errors of the database or the system.
pub fn serve(serving: Serving, ready: impl FnOnce(SocketAddr, &[&str]) -> Result<()>) -> Result<()> {
    let Serving { address, hosts, embeds, run, tables } = serving;
    let viewers = Viewers::new();
    let Rights { places, readable } = Rights::of(run.as_ref());
    let mut class = None;
    let (reader, first) = match run {
        Some(run) => {
            let (reader, first) =
                Reader::begin(run.look, viewers.clone(), tables.is_some(), run.class.is_some())?;
            class = run.class;
            class.as_ref().map(|class| uploads::sweep(&class.inbox));
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
    let embeds = guards::policy_of_embeds(&embeds);
    let server = Server { embeds, states, pages: Pages::start()?, known, tables, has_run, class, viewers };
    runtime.block_on(accept(listener, server, PATIENCE))
}

/// The files that the server may use.
struct Rights {
    /// Here it may write too.
    places: Vec<PathBuf>,
    /// Here it may only read.
    readable: Vec<PathBuf>,
}

impl Rights {
    fn of(run: Option<&ServedRun>) -> Rights {
        let mut rights = Rights { places: Vec::new(), readable: Vec::new() };
        let Some(run) = run else { return rights };
        rights.places.push(run.directory.clone());
        rights.readable.extend(solved_tables::tables());
        match &run.class {
            Some(class) => {
                rights.places.push(class.inbox.uploads());
                rights.readable.extend([class.inbox.reports(), class.tokens.clone()]);
            }
            // A run in a directory where nothing can be written is copied to be read.
            None => rights.places.push(std::env::temp_dir()),
        }
        rights
    }
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
    viewers: Viewers,
    /// The policy of replays for frames of other pages; none if nobody may show them.
    embeds: Option<HeaderValue>,
}

async fn accept(listener: TcpListener, server: Server, patience: Patience) -> Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let mut router = Router::new();
    if let Some(link) = &server.tables {
        router = router.merge(play::router(link.clone(), server.has_run));
        tokio::spawn(play::close_left(link.clone()));
        let link = link.clone();
        tokio::spawn(async move { link.answer_syncs().await });
    }
    if server.class.is_some() {
        router = class_routes(router);
    }
    let router = router
        .route("/events", get(events))
        .route("/revision", get(revision))
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT })) // browsers ask for it
        .fallback(get(file))
        .layer(middleware::from_fn_with_state((server.clone(), patience.request), guard))
        .with_state(server);
    let connections = Connections::default();
    loop {
        let Ok((client, peer)) = listener.accept().await else {
            // Too many open files, or a client that has gone.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Some(connection) = connections.place(peer.ip().to_canonical()) else { continue };
        let id = connection.id();
        let mut client = TimeoutStream::new(client);
        client.set_write_timeout(Some(patience.stalled));
        let service = TowerToHyperService::new(router.clone().layer(Extension(Arc::new(connection))));
        let task = tokio::spawn(async move {
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(patience.head).max_buf_size(HEAD_BYTES);
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
    Given((server, bound)): Given<(Server, Duration)>,
    Extension(connection): Extension<Arc<Connection>>,
    mut request: Request,
    next: Next,
) -> Response {
    let client = Client::of(connection.peer(), request.headers());
    let _in_request = connection.asks(client);
    request.extensions_mut().insert(client);
    server.viewers.ask();
    let is_post = request.method() == Method::POST;
    let path = request.uri().path();
    let embeds = server.embeds.clone().filter(|_| path.starts_with(EMBED));
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
            Ok(()) => match tokio::time::timeout(bound, next.run(request)).await {
                Ok(response) => response,
                Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "The request took too long.\n").into_response(),
            },
        },
    };
    response.headers_mut().extend(guards::HEADERS);
    // A page that says what is wrong has links, and is in no frame.
    if let Some(policy) =
        embeds.filter(|_| response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED)
    {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
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
async fn file(
    Given(server): Given<Server>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    request: Request,
) -> Response {
    let reader = request.extensions().get::<Audience>().cloned();
    let path = request.uri().path();
    if path.starts_with(EMBED) && server.embeds.is_none() {
        let words = "No page of another site may show a replay of this server; --embed HOST allows it.\n";
        return (StatusCode::NOT_FOUND, words).into_response();
    }
    let path = path.strip_prefix('/').unwrap_or(path);
    let path =
        if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
    if !server.has_run && path == "index.html" {
        return Redirect::to("/play").into_response();
    }
    let state = server.states.borrow().clone();
    let Ok(answer) = server.pages.file(state, &path, reader, client).await else {
        let words = "Too many pages are being made. Ask again.\n";
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "2")], words).into_response();
    };
    let tag = [(header::ETAG, answer.tag.clone()), (header::VARY, "accept-encoding".to_owned())];
    if answer.status == StatusCode::OK && guards::has_already(&headers, &answer.tag) {
        return (StatusCode::NOT_MODIFIED, tag).into_response();
    }
    let kind = [(header::CONTENT_TYPE, answer.media_type)];
    if guards::takes_gzip(&headers) {
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

/// To whom a stream is counted: to a token, if it was proved, or else to the address.
fn owner(server: &Server, client: Client, headers: &HeaderMap) -> StreamOwner {
    let proved = server.class.as_ref().and_then(|_| class_access::bearer(headers));
    proved.map_or(StreamOwner::Address(client), |token| StreamOwner::Token(token.to_owned()))
}

/// A stream of numbers: the present one, and each one after it.
async fn events(
    Given(server): Given<Server>,
    Extension(connection): Extension<Arc<Connection>>,
    Extension(client): Extension<Client>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    // Only the page of the games in play wants to hear of each move.
    let hears_moves = query.is_some_and(|query| query == "moves");
    let Some(place) = connection.stream(owner(&server, client, &headers)) else {
        let after = [(header::RETRY_AFTER, "20")];
        return (StatusCode::SERVICE_UNAVAILABLE, after, "Too many pages wait for news.\n").into_response();
    };
    let begin = (server.states, (place, server.viewers.wait()), (String::new(), 0));
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::net::TcpStream;
    use std::time::Instant;

    use super::*;
    use agon_inbox::{self, Inbox};

    /// A server without a run that waits for this long; it ends with the process.
    fn begin(patience: Patience) -> SocketAddr {
        begin_with(patience, Pages::start().unwrap(), true)
    }

    /// The same with other pages, and with or without a class.
    fn begin_with(patience: Patience, pages: Pages, has_class: bool) -> SocketAddr {
        let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let home = tempfile::tempdir().unwrap();
            let class = ClassAccess {
                inbox: Inbox::at(home.path()),
                tokens: home.path().to_owned(),
                results: home.path().to_owned(),
            };
            // Without a sender, every stream would end.
            let (_sender, states) = watch::channel(Arc::new(State::without_run()));
            let server = Server {
                embeds: None,
                states,
                pages,
                known: Arc::new(KnownHosts::new(address, &[])),
                tables: None,
                has_run: true,
                class: has_class.then(|| Arc::new(class)),
                viewers: Viewers::new(),
            };
            runtime.block_on(accept(listener, server, patience)).unwrap();
        });
        address
    }

    /// What comes after these bytes, and how long it took until the end.
    fn ask(address: SocketAddr, bytes: &str) -> (String, Duration) {
        let began = Instant::now();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(500))).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        (String::from_utf8_lossy(&answer).into_owned(), began.elapsed())
    }

    #[test]
    fn half_requests_end_after_their_time() {
        let long = Duration::from_secs(600);
        assert_eq!([PATIENCE.head, PATIENCE.request].map(|time| time.as_secs()), [10, 60]);
        let head = Duration::from_millis(300);
        let address = begin(Patience { head, request: long, stalled: long });
        for bytes in ["", "GET / HTTP/1.1\r\nHost:"] {
            let (answer, took) = ask(address, bytes);
            assert!(took >= head && took < Duration::from_secs(300), "{took:?} {answer}");
        }
        let request = Duration::from_millis(300);
        let address = begin(Patience { head: long, request, stalled: long });
        let post = format!(
            "POST /mine HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nContent-Length: 9000\r\n\
             Content-Type: multipart/form-data; boundary=x\r\nConnection: close\r\n\r\n--x\r\n"
        );
        let (answer, took) = ask(address, &post);
        assert!(took >= request && took < Duration::from_secs(300), "{took:?}");
        assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("took too long"), "{answer}");
    }

    #[test]
    fn no_page_is_made_for_a_connection_that_is_closed() {
        let (release, gate) = std::sync::mpsc::channel::<()>();
        let (made, paths) = std::sync::mpsc::channel();
        let pages = Pages::made_by(Box::new(move |wanted, _| {
            let _ = made.send(wanted.path.clone());
            let _ = gate.recv();
            Some(page_answer::PageAnswer::problem(StatusCode::OK, "a", "b", "0"))
        }));
        let address = begin_with(PATIENCE, pages.unwrap(), false);
        let send = |path: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
            stream
        };
        // The server has seen all that came before.
        let settled = || {
            for _ in 0..3 {
                send("/revision").read_to_end(&mut Vec::new()).unwrap();
            }
        };
        let mut first = send("/agon.css");
        assert_eq!(paths.recv().unwrap(), "agon.css");
        let gone: Vec<TcpStream> = (0..20).map(|_| send("/agon.js")).collect();
        settled();
        drop(gone);
        settled();
        let mut last = send("/live.js");
        settled();
        drop(release);
        for stream in [&mut first, &mut last] {
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).unwrap();
            assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
        }
        assert_eq!(paths.try_iter().collect::<Vec<_>>(), ["live.js"]);
    }

    #[test]
    fn a_token_that_nobody_has_proved_gives_no_streams_of_its_own() {
        let address = begin_with(PATIENCE, Pages::start().unwrap(), false);
        let streams = |headers: &dyn Fn(usize) -> String, count: usize| {
            let asked = (0..count).map(|number| {
                let mut stream = TcpStream::connect(address).unwrap();
                write!(stream, "GET /events HTTP/1.1\r\nHost: {address}\r\n{}\r\n", headers(number)).unwrap();
                let mut answer = [0; 12];
                stream.read_exact(&mut answer).unwrap();
                (stream, answer.ends_with(b"200"))
            });
            asked.collect::<Vec<_>>()
        };
        let most = connections::MOST_OF_ADDRESS;
        let own = |number| format!("X-Forwarded-For: 192.0.2.1\r\nAuthorization: Bearer {number}\r\n");
        let held = streams(&own, most + 10);
        assert_eq!(held.iter().filter(|(_, is_let_in)| *is_let_in).count(), most);
        let other = |number| format!("X-Forwarded-For: 192.0.2.2\r\nAuthorization: bearer {number}\r\n");
        assert!(streams(&other, 1)[0].1, "another address has its own");
    }

    #[test]
    fn the_server_of_a_class_reads_the_results_and_writes_the_uploads_alone() {
        let home = tempfile::tempdir().unwrap();
        let [results, inbox, tokens] = ["results", "in", "tokens"].map(|name| home.path().join(name));
        [&results, &inbox, &tokens].iter().for_each(|place| fs::create_dir(place).unwrap());
        fs::write(tokens.join("tokens.csv"), "").unwrap();
        fs::write(results.join("agon.db"), "x").unwrap();
        let inbox = Inbox::at(&inbox);
        inbox.make().unwrap();
        fs::write(inbox.reports().join("queue.json"), "[]").unwrap();
        fs::write(inbox.accepted().join("file"), "x").unwrap();
        let class = ClassAccess { inbox, tokens: tokens.clone(), results: results.clone() };
        let look = || anyhow::bail!("not looked at");
        let run = ServedRun { directory: results.clone(), look: Box::new(look), class: Some(class) };
        let temporary = home.path().join("elsewhere");
        // The guards stay for the rest of the thread.
        std::thread::spawn(move || {
            let Rights { places, readable } = Rights::of(Some(&run));
            let [places, readable] =
                [&places, &readable].map(|all| all.iter().map(PathBuf::as_path).collect::<Vec<_>>());
            let guards = agon_sandbox::confine(&places, &readable).unwrap();
            let inbox = &run.class.as_ref().unwrap().inbox;
            assert!(
                fs::read(results.join("agon.db")).is_ok()
                    && fs::write(results.join("agon.db-shm"), "").is_ok()
            );
            assert_eq!(agon_inbox::count_archive(inbox, "quiet-otter", 1000).unwrap(), Ok(()));
            assert!(
                tempfile::Builder::new()
                    .tempfile_in(inbox.uploads())
                    .unwrap()
                    .persist(inbox.uploads().join("a.zip"))
                    .is_ok()
            );
            assert!(fs::read(tokens.join("tokens.csv")).is_ok() && inbox.queue() == ["a"]);
            assert!(std::process::Command::new("/bin/true").status().is_err());
            if guards.contains(&"landlock") {
                for closed in
                    [tokens.join("tokens.csv"), inbox.report("new"), inbox.root().join("b.zip"), temporary]
                {
                    assert!(fs::write(&closed, "x").is_err(), "{closed:?}");
                }
                assert!(fs::read(inbox.accepted().join("file")).is_err() && fs::read("/etc/passwd").is_err());
                assert!(tempfile::tempfile().is_err(), "the temporary directory is not needed");
            }
        })
        .join()
        .unwrap();
    }
}
