//! Archives that come by a request: streamed into a hidden file, and renamed when they are whole.
//! They are neither unpacked nor looked into here.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agon_inbox::{self, Holder, Inbox, MOST_A_DAY, MOST_BYTES, TooSoon};
use axum::body::Body;
use axum::extract::multipart::MultipartError;
use axum::extract::{FromRequest, Multipart, Request, State as Given};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use futures_util::StreamExt;

use super::Server;
use super::class_access::{self, AccessRefusal, ClassAccess};

/// What a form adds to its file.
const FORM: u64 = 16 << 10;
/// So much of a refused body is read and thrown away, so that its sender sees the answer.
const DRAINED: usize = 16 << 20;
/// For so long.
const DRAINING: Duration = Duration::from_secs(10);

/// How the name of a file ends that is not whole yet.
const HALF: &str = ".half";

/// Removes what servers that were killed have received in part. Returns how many files.
pub(super) fn sweep(inbox: &Inbox) -> usize {
    agon_sandbox::leftovers::sweep_files(&inbox.uploads(), |name| {
        name.starts_with('.') && name.ends_with(HALF)
    })
}

/// The most bytes of the body of a request that changes something.
pub(super) const MOST_BODY: usize = (MOST_BYTES + FORM) as usize;

/// Takes an archive in.
pub(super) async fn submit(Given(server): Given<Server>, request: Request) -> Response {
    let headers = request.headers().clone();
    match taken(&server, request).await {
        Ok(words) => class_access::say(&headers, StatusCode::ACCEPTED, "Received", &words),
        Err(refusal) => refusal.answer(&headers),
    }
}

async fn taken(server: &Server, request: Request) -> Result<String, AccessRefusal> {
    let class = server.class()?;
    let alias = match class_access::bearer(request.headers()) {
        Some(token) => {
            let known = author(class, token);
            let alias = match known {
                Ok(alias) => alias,
                Err(refusal) => return Err(drained(request.into_body(), refusal).await),
            };
            if is_form(request.headers()) {
                from_form(class, request, Some(alias)).await?
            } else {
                from_body(class, request, &alias).await?;
                alias
            }
        }
        None => from_form(class, request, None).await?,
    };
    let place = class.inbox.place_in_queue(&alias).unwrap_or(1);
    Ok(format!(
        "Received. Your submission is number {place} in the queue. Until it has passed its check, the version \
         before it plays on."
    ))
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let media_type = kind.split(';').next().unwrap_or_default().trim_ascii();
    media_type.eq_ignore_ascii_case("multipart/form-data")
}

fn author(class: &ClassAccess, token: &str) -> Result<String, AccessRefusal> {
    match class.whose(token)? {
        Holder::Author(alias) => Ok(alias),
        Holder::Staff(_) => {
            let words =
                "Only a student's token submits; put archives of others into the folder of agon inbox.";
            Err(AccessRefusal::new(StatusCode::FORBIDDEN, words))
        }
    }
}

/// Whether an archive may come now.
fn may_come(class: &ClassAccess, alias: &str) -> Result<(), AccessRefusal> {
    // The work may have been begun anew at another level.
    if class.inbox.is_confined().is_err() {
        let words = "Nothing is accepted now: the engines would not be confined. Tell the staff.";
        return Err(AccessRefusal::new(StatusCode::SERVICE_UNAVAILABLE, words));
    }
    agon_inbox::may_come(&class.inbox, alias, now()).map_err(too_soon)
}

/// Counts an archive that is whole. Two that came at the same time are not both taken.
fn count(class: &ClassAccess, alias: &str) -> Result<(), AccessRefusal> {
    agon_inbox::count_archive(&class.inbox, alias, now()).map_err(AccessRefusal::ours)?.map_err(too_soon)
}

/// In seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn too_soon(TooSoon { seconds, of_day }: TooSoon) -> AccessRefusal {
    let words = if of_day {
        format!("{MOST_A_DAY} submissions a day are taken; the next one in {} minutes.", seconds.div_ceil(60))
    } else {
        format!("One submission a minute is taken; the next one in {seconds} seconds.")
    };
    AccessRefusal { after: Some(seconds), ..AccessRefusal::new(StatusCode::TOO_MANY_REQUESTS, words) }
}

fn too_large() -> AccessRefusal {
    let words = format!("The archive is too large: at most {} MiB are taken.", MOST_BYTES >> 20);
    AccessRefusal::new(StatusCode::PAYLOAD_TOO_LARGE, words)
}

/// Whether the head of a request announces too much.
fn announces_too_much(headers: &HeaderMap, most: u64) -> bool {
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    length.is_some_and(|length| length > most)
}

/// An archive as the whole body of a request.
async fn from_body(class: &ClassAccess, request: Request, alias: &str) -> Result<(), AccessRefusal> {
    let refused = match may_come(class, alias) {
        Ok(()) if announces_too_much(request.headers(), MOST_BYTES) => Err(too_large()),
        answer => answer,
    };
    let mut body = request.into_body().into_data_stream();
    if let Err(refusal) = refused {
        return Err(drained(Body::from_stream(body), refusal).await);
    }
    let mut half = PartialUpload::begin(&class.inbox.uploads(), alias).map_err(AccessRefusal::ours)?;
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|_| broken())?;
        if let Err(refusal) = half.add(&chunk) {
            drop(half);
            return Err(drained(Body::from_stream(body), refusal).await);
        }
    }
    half.finish(class)
}

/// An archive as a field of a form, after the token. Returns the alias.
async fn from_form(
    class: &ClassAccess,
    request: Request,
    known: Option<String>,
) -> Result<String, AccessRefusal> {
    if announces_too_much(request.headers(), MOST_BYTES + FORM) {
        return Err(drained(request.into_body(), too_large()).await);
    }
    let no_form = || {
        let words = "Send an archive with a token: as a form, or as the body with Authorization: Bearer.";
        AccessRefusal::new(StatusCode::BAD_REQUEST, words)
    };
    if !is_form(request.headers()) {
        let words = "A token is needed, as Authorization: Bearer or in the field token of a form.";
        let refusal = AccessRefusal::new(StatusCode::UNAUTHORIZED, words);
        return Err(drained(request.into_body(), refusal).await);
    }
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| no_form())?;
    let mut author_of_form = known;
    while let Some(mut field) = form.next_field().await.map_err(|_| broken())? {
        match field.name() {
            Some("token") => author_of_form = Some(author(class, &class_access::text_of(field).await?)?),
            Some("archive") => {
                let Some(alias) = author_of_form else {
                    let words = "The field token has to come before the archive.";
                    return Err(AccessRefusal::new(StatusCode::UNAUTHORIZED, words));
                };
                may_come(class, &alias)?;
                let mut half =
                    PartialUpload::begin(&class.inbox.uploads(), &alias).map_err(AccessRefusal::ours)?;
                let unread = |error: MultipartError| match error.status() {
                    StatusCode::BAD_REQUEST => AccessRefusal::new(
                        StatusCode::BAD_REQUEST,
                        "The upload has ended too early. Send it again.",
                    ),
                    _ => too_large(),
                };
                while let Some(chunk) = field.chunk().await.map_err(unread)? {
                    half.add(&chunk)?;
                }
                half.finish(class)?;
                return Ok(alias);
            }
            _ => {}
        }
    }
    Err(no_form())
}

fn broken() -> AccessRefusal {
    AccessRefusal::new(StatusCode::BAD_REQUEST, "The request ended too early.")
}

/// Reads what is left of a body, for a while.
async fn drained(body: Body, refusal: AccessRefusal) -> AccessRefusal {
    let drain = async {
        let mut body = body.into_data_stream();
        let mut read = 0;
        while let Some(Ok(chunk)) = body.next().await {
            read += chunk.len();
            if read > DRAINED {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(DRAINING, drain).await; // the answer goes out in any case
    refusal
}

/// An archive that is not whole yet, in a hidden file. Dropped, it is removed.
struct PartialUpload {
    file: tempfile::NamedTempFile,
    folder: PathBuf,
    alias: String,
    bytes: u64,
    head: Vec<u8>,
}

impl PartialUpload {
    fn begin(folder: &Path, alias: &str) -> io::Result<PartialUpload> {
        let file = loop {
            let file =
                tempfile::Builder::new().prefix(&format!(".{alias}.")).suffix(HALF).tempfile_in(folder)?;
            agon_sandbox::leftovers::hold_file(file.as_file());
            // Another server may have removed it as left behind, before it was locked.
            if file.path().exists() {
                break file;
            }
        };
        Ok(PartialUpload {
            file,
            folder: folder.to_owned(),
            alias: alias.to_owned(),
            bytes: 0,
            head: Vec::new(),
        })
    }

    /// Adds bytes. At most 2 MiB go into the memory of the system, so the thread does not wait
    /// long.
    fn add(&mut self, bytes: &[u8]) -> Result<(), AccessRefusal> {
        self.bytes += bytes.len() as u64;
        if self.bytes > MOST_BYTES {
            return Err(too_large());
        }
        let wanted = 512_usize.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..wanted]);
        self.file.write_all(bytes).map_err(AccessRefusal::ours)
    }

    /// Gives the whole archive its name, in the place of one that waits. What is refused before
    /// this costs its author no attempt.
    fn finish(self, class: &ClassAccess) -> Result<(), AccessRefusal> {
        let ending = match &self.head[..] {
            [b'P', b'K', 3 | 5, 4 | 6, ..] => "zip",
            [0x1f, 0x8b, ..] => "tar.gz",
            head if head.get(257..262) == Some(b"ustar") => "tar",
            _ => {
                let words = "This is no zip, tar or tar.gz archive.";
                return Err(AccessRefusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, words));
            }
        };
        count(class, &self.alias)?;
        let to = self.folder.join(format!("{}.{ending}", self.alias));
        self.file.persist(to).map(drop).map_err(AccessRefusal::ours)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_known_in_any_case() {
        let is_form = |kind: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, axum::http::HeaderValue::from_static(kind));
            is_form(&headers)
        };
        for kind in [
            "multipart/form-data; boundary=x",
            "Multipart/Form-Data;Boundary=x",
            "multipart/form-data ;boundary=x",
        ] {
            assert!(is_form(kind), "{kind}");
        }
        assert!(!is_form("multipart/form-data-x; boundary=x") && !is_form("application/zip"));
    }

    #[tokio::test]
    async fn a_form_is_read_in_any_case() {
        let body = "--x\r\ncontent-disposition: Form-Data; name=\"token\"\r\n\r\nabc\r\n--x--\r\n";
        let request = Request::builder().header("content-type", "MULTIPART/Form-Data; BOUNDARY=x");
        let mut form = Multipart::from_request(request.body(Body::from(body)).unwrap(), &()).await.unwrap();
        let field = form.next_field().await.unwrap().unwrap();
        assert_eq!(field.name(), Some("token"));
        assert_eq!(field.text().await.unwrap(), "abc");
    }
}
