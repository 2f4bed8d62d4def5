//! What authors and staff of a class ask for: who asks, what is public, and what authors and staff
//! are shown.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use agon_inbox::{self, Holder, Inbox, MOST_BYTES, MOST_FILES, Tokens};
use agon_pages::pages::{self, Audience, AuthorPage, OwnGame, StaffRow};
use agon_printable::{clean, harmless};
use agon_store::{Filter, Store};
use anyhow::Result;
use axum::extract::{FromRequest, Multipart, Request, State as Given};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Server;

/// The most games on an author's page.
const MOST_GAMES: usize = 30;
/// The most bytes of a field of a form that is no file.
const FIELD: usize = 200;
/// The addresses at which something may be posted.
const POSTS: [&str; 4] = ["/submit", "/mine", "/mine/log", "/staff"];
/// What everybody may see before the results are public.
const ALWAYS: [&str; 6] =
    ["/submit", "/agon.css", "/agon.js", "/live.js", pages::TOKEN_SCRIPT, "/favicon.ico"];
/// The files of an author's report.
const FILES: [&str; 3] = ["build.log", "check.txt", "log.txt"];

/// Who may submit and see what.
pub struct ClassAccess {
    /// The folder of submissions.
    pub inbox: Inbox,
    /// The folder of tokens.
    pub tokens: PathBuf,
    /// The directory of the results.
    pub results: PathBuf,
}

/// Why a request is refused.
pub(super) struct AccessRefusal {
    pub(super) status: StatusCode,
    pub(super) words: String,
    /// After how many seconds it may be asked again.
    pub(super) after: Option<u64>,
}

impl AccessRefusal {
    pub(super) fn new(status: StatusCode, words: impl Into<String>) -> AccessRefusal {
        AccessRefusal { status, words: words.into(), after: None }
    }

    fn nobody() -> AccessRefusal {
        AccessRefusal::new(StatusCode::UNAUTHORIZED, "This token is not known, or it was revoked.")
    }

    /// Errors of the disk and the database. Their words may name paths.
    pub(super) fn ours(_: impl std::fmt::Display) -> AccessRefusal {
        let words = "The server cannot do this now. Tell the staff.";
        AccessRefusal::new(StatusCode::SERVICE_UNAVAILABLE, words)
    }

    pub(super) fn answer(self, headers: &HeaderMap) -> Response {
        let mut response = say(headers, self.status, "Not possible", &self.words);
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        }
        if let Some(after) = self.after {
            response.headers_mut().insert(header::RETRY_AFTER, after.into());
        }
        response
    }
}

/// A sentence, as a page for a browser and as text for others.
pub(super) fn say(headers: &HeaderMap, status: StatusCode, title: &str, words: &str) -> Response {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("");
    if accepted.contains("text/html") {
        return (status, [HTML], pages::word_page(title, words)).into_response();
    }
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{words}\n")).into_response()
}

const HTML: (header::HeaderName, &str) = (header::CONTENT_TYPE, "text/html; charset=utf-8");

impl ClassAccess {
    /// Whose token this is.
    pub(super) fn whose(&self, token: &str) -> Result<Holder, AccessRefusal> {
        let tokens = Tokens::read(&self.tokens).map_err(AccessRefusal::ours)?;
        tokens.holder(token).cloned().ok_or_else(AccessRefusal::nobody)
    }

    /// Whether something may be posted at an address.
    pub(super) fn takes_posts(path: &str) -> bool {
        POSTS.contains(&path)
    }

    /// For whom a page is made; `None` for the public.
    pub(super) fn reader(&self, path: &str, headers: &HeaderMap) -> Result<Option<Audience>, AccessRefusal> {
        if ALWAYS.contains(&path) || ClassAccess::takes_posts(path) {
            return Ok(None);
        }
        let is_public = agon_inbox::is_published(&self.results);
        let holder = bearer(headers).map(|token| self.whose(token)).transpose()?;
        match holder {
            Some(Holder::Staff(_)) => Ok(Some(Audience::Staff)),
            Some(Holder::Author(alias)) if is_public => Ok(Some(Audience::Engine(alias))),
            None if is_public => Ok(None),
            _ => Err(AccessRefusal::new(StatusCode::FORBIDDEN, "The results are not published yet.")),
        }
    }
}

/// The token in the head of a request. The scheme may be in any case, with blanks behind it (RFC
/// 9110, 11.1). Of two such headers none counts: a proxy may have looked at the other one.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let (value, None) = (all.next()?.to_str().ok()?, all.next()) else { return None };
    let (scheme, token) = value.split_once([' ', '\t'])?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim_matches([' ', '\t']))
}

/// The form at `/submit`.
pub(super) async fn submit_page() -> Response {
    ([HTML], pages::submit_page(MOST_BYTES, MOST_FILES)).into_response()
}

/// The fields of a form that asks for something.
#[derive(Default)]
struct Fields {
    token: String,
    alias: String,
    file: String,
    run: String,
    game: String,
}

impl Fields {
    /// Reads a form, or the head of a request without one.
    async fn read(request: Request) -> Result<Fields, AccessRefusal> {
        let mut fields = Fields::default();
        if let Some(token) = bearer(request.headers()) {
            token.clone_into(&mut fields.token);
        }
        let wrong = |_| AccessRefusal::new(StatusCode::BAD_REQUEST, "This form cannot be read.");
        if request.headers().contains_key(header::CONTENT_TYPE) {
            let mut form =
                Multipart::from_request(request, &()).await.map_err(|error| wrong(error.body_text()))?;
            while let Some(field) = form.next_field().await.map_err(|error| wrong(error.body_text()))? {
                let name = field.name().unwrap_or_default().to_owned();
                let text = text_of(field).await?;
                match name.as_str() {
                    "token" => fields.token = text,
                    "alias" => fields.alias = text,
                    "file" => fields.file = text,
                    "run" => fields.run = text,
                    "game" => fields.game = text,
                    _ => {}
                }
            }
        }
        if fields.token.is_empty() {
            return Err(AccessRefusal::nobody());
        }
        Ok(fields)
    }

    /// The alias that is asked for, if the holder of the token may see it.
    fn alias(&self, class: &ClassAccess) -> Result<String, AccessRefusal> {
        match class.whose(&self.token)? {
            Holder::Author(own) if self.alias.is_empty() || self.alias == own => Ok(own),
            Holder::Author(_) => {
                Err(AccessRefusal::new(StatusCode::FORBIDDEN, "This belongs to another author."))
            }
            Holder::Staff(_) if class.inbox.aliases().contains(&self.alias) => Ok(self.alias.clone()),
            Holder::Staff(_) => Err(AccessRefusal::new(StatusCode::NOT_FOUND, "There is no such alias.")),
        }
    }
}

/// The text of a field, which is short.
pub(super) async fn text_of(mut field: axum::extract::multipart::Field<'_>) -> Result<String, AccessRefusal> {
    let wrong = || AccessRefusal::new(StatusCode::BAD_REQUEST, "A field of this form is too long.");
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|_| wrong())? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > FIELD {
            return Err(wrong());
        }
    }
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// The page of an author: for the author, or for the staff.
pub(super) async fn mine(Given(server): Given<Server>, request: Request) -> Response {
    let headers = request.headers().clone();
    author_page(server, request).await.unwrap_or_else(|refusal| refusal.answer(&headers))
}

async fn author_page(server: Server, request: Request) -> Result<Response, AccessRefusal> {
    let class = server.class()?;
    let fields = Fields::read(request).await?;
    let alias = fields.alias(class)?;
    let runs = runs(&server);
    let own = alias.clone();
    let games = read(move || own_games(&runs, &own)).await?;
    let report = class.inbox.report(&alias);
    let log = fs::read_to_string(report.join("log.txt")).unwrap_or_default();
    let log: Vec<String> = log.lines().rev().take(20).map(clean).collect();
    let files: Vec<&'static str> = FILES.into_iter().filter(|name| report.join(name).is_file()).collect();
    let page = pages::author_page(&AuthorPage {
        alias: &alias,
        status: &class.inbox.status(&alias),
        place: class.inbox.place_in_queue(&alias),
        log: &log,
        files: &files,
        games: &games,
        token: &fields.token,
    });
    Ok(([HTML], page).into_response())
}

/// Reads something long, beside the thread that answers. Two such readings go on at a time, and one
/// whose client has gone before it began is not begun.
async fn read<T: Send + 'static>(
    what: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T, AccessRefusal> {
    static PLACES: tokio::sync::Semaphore = tokio::sync::Semaphore::const_new(2);
    let place = PLACES.acquire().await.map_err(AccessRefusal::ours)?;
    // It holds its place also if its client goes in the meantime.
    let read = move || {
        let _place = place;
        what()
    };
    tokio::task::spawn_blocking(read).await.map_err(AccessRefusal::ours)?.map_err(AccessRefusal::ours)
}

/// The directories of the runs that are served.
fn runs(server: &Server) -> Vec<PathBuf> {
    let state = server.states.borrow().clone();
    state.content.as_ref().as_ref().map(pages::Snapshot::runs).unwrap_or_default()
}

/// The last games of an engine that it lost by a fault or wrote to stderr in, the last first.
fn own_games(runs: &[PathBuf], alias: &str) -> Result<Vec<OwnGame>> {
    let mut all = Vec::new();
    for (run, path) in runs.iter().enumerate() {
        let filter = Filter { engine: Some(alias.to_owned()), ..Filter::default() };
        Store::read_confined(path)?.games(&filter, |stored| {
            let record = &stored.record;
            for (seat, _) in record.seats.iter().filter(|(_, own)| own.entrant == alias) {
                let fault = record.fault_of(seat).map(|(_, why)| clean(&why.to_string()));
                let has_stderr = !stored.stderr[seat].is_empty();
                if fault.is_none() && !has_stderr {
                    continue;
                }
                let others = record.seats.iter().filter(|(other, _)| *other != seat);
                let opponent = others.map(|(_, other)| clean(&other.entrant)).collect::<Vec<_>>().join(", ");
                all.push(OwnGame { run, id: record.id.to_string(), opponent, fault, has_stderr });
            }
            if all.len() > 2 * MOST_GAMES {
                all.drain(..MOST_GAMES);
            }
            Ok(())
        })?;
    }
    all.reverse();
    all.truncate(MOST_GAMES);
    Ok(all)
}

/// A file of an author's report, or the stderr of one game, as an attachment.
pub(super) async fn log(Given(server): Given<Server>, request: Request) -> Response {
    let headers = request.headers().clone();
    attachment(server, request).await.unwrap_or_else(|refusal| refusal.answer(&headers))
}

async fn attachment(server: Server, request: Request) -> Result<Response, AccessRefusal> {
    let class = server.class()?;
    let fields = Fields::read(request).await?;
    let alias = fields.alias(class)?;
    let nothing = || AccessRefusal::new(StatusCode::NOT_FOUND, "There is no such log.");
    let (name, text) = if fields.game.is_empty() {
        let name = FILES.into_iter().find(|name| *name == fields.file).ok_or_else(nothing)?;
        let bytes = fs::read(class.inbox.report(&alias).join(name)).map_err(|_| nothing())?;
        (name.to_owned(), harmless(&bytes))
    } else {
        let id = fields.game.parse().map_err(|_| nothing())?;
        let run = fields.run.parse::<usize>().ok().and_then(|run| runs(&server).get(run).cloned());
        let run = run.ok_or_else(nothing)?;
        let stderr = read(move || stderr_of(&run, id, &alias)).await?;
        (format!("{id}.txt"), stderr.ok_or_else(nothing)?)
    };
    let disposition = format!("attachment; filename=\"{name}\"");
    let head = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((head, text).into_response())
}

/// What an engine wrote to stderr in a game; `None` if it did not play in it.
fn stderr_of(
    run: &std::path::Path,
    id: agon_standings::result::GameId,
    alias: &str,
) -> Result<Option<String>> {
    let filter = Filter { engine: Some(alias.to_owned()), id: Some(id), ..Filter::default() };
    let mut found = None;
    Store::read_confined(run)?.games(&filter, |stored| {
        let own = stored.record.seats.iter().find(|(_, own)| own.entrant == alias);
        found = own.map(|(seat, _)| harmless(&stored.stderr[seat]));
        Ok(())
    })?;
    Ok(found)
}

/// The page of the staff.
pub(super) async fn staff(Given(server): Given<Server>, request: Request) -> Response {
    let headers = request.headers().clone();
    staff_page(&server, request).await.unwrap_or_else(|refusal| refusal.answer(&headers))
}

async fn staff_page(server: &Server, request: Request) -> Result<Response, AccessRefusal> {
    let class = server.class()?;
    let fields = Fields::read(request).await?;
    let Holder::Staff(_) = class.whose(&fields.token)? else {
        return Err(AccessRefusal::new(StatusCode::FORBIDDEN, "This page is for the staff."));
    };
    let queue = class.inbox.queue();
    let row = |alias: String| StaffRow {
        status: class.inbox.status(&alias),
        place: queue.iter().position(|own| *own == alias).map(|before| before + 1),
        alias,
    };
    let rows: Vec<StaffRow> = class.inbox.aliases().into_iter().map(row).collect();
    Ok(([HTML], pages::staff_page(&rows, &fields.token)).into_response())
}

impl Server {
    /// What a class needs, if one is served.
    pub(super) fn class(&self) -> Result<&Arc<ClassAccess>, AccessRefusal> {
        self.class
            .as_ref()
            .ok_or_else(|| AccessRefusal::new(StatusCode::NOT_FOUND, "Nothing is accepted here."))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn the_scheme_of_a_token_may_be_in_any_case() {
        let token = |lines: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::AUTHORIZATION, HeaderValue::from_static(line));
            }
            bearer(&headers).map(str::to_owned)
        };
        for line in ["Bearer a1", "bearer a1", "BEARER a1", "bEaReR   a1", "Bearer \t a1 "] {
            assert_eq!(token(&[line]).as_deref(), Some("a1"), "{line}");
        }
        for line in ["Bearer", "Bearera1", "Basic a1", "", "a1"] {
            assert_eq!(token(&[line]), None, "{line}");
        }
        assert_eq!(token(&[]), None);
        assert_eq!(token(&["Bearer a1", "Bearer b2"]), None, "which one is meant is not known");
    }
}
