//! The page on which people play: the way from a browser to the tables and back.

use std::sync::Arc;
use std::time::Duration;

use agon_pages::pages;
use axum::body::{Body, to_bytes};
use axum::extract::State as Given;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router, http::HeaderName};
use serde_json::{Value, json};

use super::client::Client;
use super::tables_link::{Closed, NotPassed, TablesLink};

/// The most bytes of a request.
const MOST_BYTES: usize = 64 << 10;
/// So long a browser waits for news of its table before it asks again.
const WAIT: Duration = Duration::from_secs(4);
/// The tables answer within this time.
const ANSWER: Duration = Duration::from_secs(30);
/// A table at which nobody has looked for this long is closed.
const AWAY: Duration = Duration::from_secs(9);
/// How often such tables are looked for.
const LOOK: Duration = Duration::from_millis(500);

/// What is said when the process of the tables has ended.
const GONE: &str = "The tables are gone; start the server again.";

/// Where requests that change something may go.
pub(super) const DOOR: &str = "/play/ask";

/// What answers need.
#[derive(Clone)]
struct Play {
    link: Arc<TablesLink>,
    has_results: bool,
}

/// The addresses of the page. `has_results` says whether there are pages of a run besides.
pub(super) fn router<S: Clone + Send + Sync + 'static>(
    link: Arc<TablesLink>,
    has_results: bool,
) -> Router<S> {
    let file = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], text) })
    };
    Router::new()
        .route("/play", get(page))
        .route("/play.html", get(page))
        .route("/play.js", file("text/javascript; charset=utf-8", pages::play_script()))
        .route("/play.css", file("text/css; charset=utf-8", pages::PLAY_STYLE))
        .route(DOOR, post(ask))
        .with_state(Play { link, has_results })
}

/// Closes the tables that nobody looks at, for as long as the server runs.
pub(super) async fn close_left(link: Arc<TablesLink>) {
    loop {
        tokio::time::sleep(LOOK).await;
        link.close_left(AWAY);
    }
}

async fn page(Given(play): Given<Play>) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (kind, pages::play_page(play.has_results)).into_response()
}

fn answer(status: StatusCode, body: &Value) -> Response {
    let kind: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];
    let mut response = (status, kind, body.to_string()).into_response();
    if let Some(after) = body["after"].as_u64() {
        response.headers_mut().insert(header::RETRY_AFTER, after.into());
    }
    response
}

fn refuse(status: StatusCode, why: &str) -> Response {
    answer(status, &json!({ "error": why }))
}

async fn ask(Given(play): Given<Play>, Extension(client): Extension<Client>, body: Body) -> Response {
    let Ok(bytes) = to_bytes(body, MOST_BYTES).await else {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, "The request is longer than 64 kB.");
    };
    let Ok(asked @ Value::Object(_)) = serde_json::from_slice::<Value>(&bytes) else {
        return refuse(StatusCode::BAD_REQUEST, "The request is not a JSON object.");
    };
    if let Some(key) = asked["key"].as_str() {
        play.link.is_looked_at(key);
    }
    if asked["do"] == "wait" {
        return news(&play.link, &asked).await;
    }
    let mut waiting = match play.link.ask(client, &asked) {
        Ok(waiting) => waiting,
        Err(NotPassed::Gone) => return refuse(StatusCode::SERVICE_UNAVAILABLE, GONE),
        Err(NotPassed::Full) => {
            return answer(
                StatusCode::SERVICE_UNAVAILABLE,
                &json!({ "error": "Too many wait.", "after": 1 }),
            );
        }
    };
    match tokio::time::timeout(ANSWER, waiting.come()).await {
        Ok(Some((status, body))) => {
            answer(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), &body)
        }
        Ok(None) => refuse(StatusCode::SERVICE_UNAVAILABLE, GONE),
        Err(_) => refuse(StatusCode::SERVICE_UNAVAILABLE, "The table does not answer."),
    }
}

/// The state of a table, as soon as it is another one than the browser has.
async fn news(link: &TablesLink, asked: &Value) -> Response {
    let (key, after) = (asked["key"].as_str().unwrap_or_default(), asked["after"].as_u64().unwrap_or(0));
    let gone = |why: &str| refuse(StatusCode::GONE, why);
    let mut states = match link.states(key) {
        Ok(states) => states,
        Err(Closed(why)) => return gone(&why),
    };
    let is_new = |state: &(u64, Arc<str>)| state.0 != after && state.0 > 0;
    let (revision, text) = match tokio::time::timeout(WAIT, states.wait_for(is_new)).await {
        Ok(Ok(state)) => state.clone(),
        Ok(Err(_)) => {
            let why =
                link.states(key).err().map_or_else(|| "This table is closed.".to_owned(), |Closed(why)| why);
            return gone(&why);
        }
        // Only a request counts as a look: a browser that has vanished leaves its request open.
        Err(_) => return answer(StatusCode::OK, &json!({ "revision": after })),
    };
    let body = format!("{{\"revision\":{revision},\"state\":{text}}}");
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}
