//! What a request must have before it is looked at, and what every answer carries. No I/O.

use std::net::SocketAddr;

use agon_pages::pages::EmbedHost;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};

/// The names under which the server is known.
#[derive(Clone, Debug)]
pub(super) struct KnownHosts {
    hosts: Vec<String>,
    more: Vec<String>,
}

impl KnownHosts {
    /// The address that it listens on, `localhost` on that port, and names that a proxy in front of
    /// it has; those with any port.
    pub(super) fn new(listened: SocketAddr, more: &[String]) -> KnownHosts {
        let port = listened.port();
        let mut hosts = vec![listened.to_string()];
        // Browsers leave out the port that is usual for http.
        if port == 80 {
            let ip = listened.ip();
            hosts.push(if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() });
        }
        if listened.ip().is_loopback() || listened.ip().is_unspecified() {
            let local = ["localhost", "127.0.0.1", "[::1]"];
            hosts.extend(local.map(|name| format!("{name}:{port}")));
            hosts.extend(local.iter().filter(|_| port == 80).map(|name| (*name).to_owned()));
        }
        KnownHosts { hosts, more: more.iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    fn has(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => &host,
        };
        self.hosts.contains(&host) || self.more.iter().any(|known| known == name)
    }

    fn has_origin(&self, origin: &str) -> bool {
        ["http://", "https://"].iter().any(|scheme| {
            origin.strip_prefix(scheme).is_some_and(|host| self.has(host) && !host.contains('/'))
        })
    }
}

/// Why a request is refused: its status and a sentence.
pub(super) type Refusal = (StatusCode, &'static str);

/// Looks at the head of a request. `is_door` says that it may be one that changes something.
///
/// A page of another site can make a browser send requests to this server. If it uses a name of its
/// own, the host is not known. If it sends from its own pages, the origin is foreign.
///
/// # Errors
/// A [`Refusal`].
pub(super) fn admit(
    method: &Method,
    headers: &HeaderMap,
    known: &KnownHosts,
    is_door: bool,
) -> Result<(), Refusal> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if headers.get_all(header::HOST).iter().count() != 1
        || !text(header::HOST).is_some_and(|host| known.has(host))
    {
        return Err((StatusCode::MISDIRECTED_REQUEST, "This server does not know the host of the request."));
    }
    if *method == Method::GET || *method == Method::HEAD {
        return Ok(());
    }
    // Both are looked at. A form of our own pages has the origin "null", because they send no
    // referrer. Only a browser on a secure connection or on this machine says besides that the form
    // is ours.
    let origins = headers.get_all(header::ORIGIN);
    let has_origin =
        origins.iter().count() == 1 && text(header::ORIGIN).is_some_and(|origin| known.has_origin(origin));
    let is_silent = origins.iter().all(|origin| origin == "null");
    let is_own = match headers.get("sec-fetch-site") {
        Some(site) => site == "same-origin" && (has_origin || is_silent),
        None => has_origin,
    };
    if !is_own {
        let words = "Only a page of this server may ask this. A script sends the header Origin, with the address of \
                     this server.";
        return Err((StatusCode::FORBIDDEN, words));
    }
    if is_door && *method == Method::POST {
        return Ok(());
    }
    Err((StatusCode::METHOD_NOT_ALLOWED, "The pages can only be read."))
}

/// The elements of a header that is a list, from all its lines.
fn elements(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).into_iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim_ascii)
}

/// Whether a client says that it has the content of this tag.
pub(super) fn has_already(headers: &HeaderMap, tag: &str) -> bool {
    elements(headers, header::IF_NONE_MATCH)
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

/// Whether a client takes content that is packed with gzip (RFC 9110, 12.5.3). With `q=0` it does
/// not.
pub(super) fn takes_gzip(headers: &HeaderMap) -> bool {
    elements(headers, header::ACCEPT_ENCODING).any(|element| {
        let mut parts = element.split(';').map(str::trim_ascii);
        let is_gzip = parts
            .next()
            .is_some_and(|name| ["gzip", "x-gzip"].iter().any(|own| own.eq_ignore_ascii_case(name)));
        let is_refused = |part: &str| {
            let weight = part.split_once('=').filter(|(name, _)| name.trim_ascii().eq_ignore_ascii_case("q"));
            weight.is_some_and(|(_, weight)| {
                weight.trim_ascii().parse::<f32>().is_ok_and(|weight| weight <= 0.0)
            })
        };
        is_gzip && !parts.any(is_refused)
    })
}

/// The headers of every answer.
pub(super) const HEADERS: [(header::HeaderName, HeaderValue); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
             form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
    ),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        header::HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (header::HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
];

/// The policy of a replay that pages of these hosts may show in a frame; `None` without hosts.
pub(super) fn policy_of_embeds(hosts: &[EmbedHost]) -> Option<HeaderValue> {
    let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; \
         form-action 'none'; frame-ancestors {}",
        hosts.join(" ")
    );
    // A host has letters, digits and signs that a header may have.
    (!hosts.is_empty()).then(|| HeaderValue::from_str(&policy).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(method: &Method, headers: &[(&'static str, &'static str)]) -> u16 {
        at(method, headers, false)
    }

    fn at(method: &Method, headers: &[(&'static str, &'static str)], is_door: bool) -> u16 {
        let known = KnownHosts::new("127.0.0.1:8080".parse().unwrap(), &["Agon.example.org".to_owned()]);
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        admit(method, &map, &known, is_door).map_or_else(|(status, _)| status.as_u16(), |()| 200)
    }

    #[test]
    fn lists_in_headers_are_read_as_http_has_them() {
        let of = |name: &'static str, lines: &[&'static str]| {
            let mut map = HeaderMap::new();
            for line in lines {
                map.append(name, HeaderValue::from_static(line));
            }
            map
        };
        let gzip = |lines: &[&'static str]| takes_gzip(&of("accept-encoding", lines));
        for yes in [&["gzip"][..], &["br", "GZIP"], &["br,x-gzip;q=0.5"], &["deflate , gzip; Q=1"]] {
            assert!(gzip(yes), "{yes:?}");
        }
        for no in [&[][..], &["br"], &["gzip;q=0"], &["gzip; q=0.000, br"], &["gzipped"]] {
            assert!(!gzip(no), "{no:?}");
        }
        let has = |lines: &[&'static str]| has_already(&of("if-none-match", lines), "\"a\"");
        assert!(has(&["\"b\", W/\"a\""]) && has(&["\"b\"", "\"a\""]) && has(&["*"]));
        assert!(!has(&["\"b\""]) && !has(&["a"]) && !has(&[]));
    }

    #[test]
    fn the_usual_port_may_be_left_out() {
        let known = KnownHosts::new("192.0.2.1:80".parse().unwrap(), &[]);
        assert!(known.has("192.0.2.1") && known.has("192.0.2.1:80") && !known.has("localhost"));
        let local = KnownHosts::new("[::1]:80".parse().unwrap(), &[]);
        assert!(local.has("localhost") && local.has("[::1]") && !local.has("evil.example"));
    }

    #[test]
    fn a_host_that_is_not_known_is_refused() {
        for host in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080", "agon.example.org"] {
            assert_eq!(ask(&Method::GET, &[("host", host)]), 200, "{host}");
        }
        for host in
            ["evil.example", "127.0.0.1", "localhost:80", "evil.agon.example.org", "localhost:8080.evil", ""]
        {
            assert_eq!(ask(&Method::GET, &[("host", host)]), 421, "{host}");
        }
        assert_eq!(ask(&Method::GET, &[]), 421);
        assert_eq!(ask(&Method::GET, &[("host", "localhost:8080"), ("host", "evil.example")]), 421);
    }

    #[test]
    fn other_sites_can_change_nothing() {
        let host = ("host", "localhost:8080");
        for others in [
            &[host][..],
            &[host, ("origin", "http://evil.example")],
            &[host, ("origin", "null")],
            &[host, ("origin", "http://localhost:8080"), ("sec-fetch-site", "cross-site")],
            &[host, ("sec-fetch-site", "same-site")],
            &[host, ("origin", "http://localhost:8080/path")],
            &[host, ("origin", "http://evil.example"), ("sec-fetch-site", "same-origin")],
            &[host, ("origin", "http://localhost:8080"), ("origin", "http://evil.example")],
        ] {
            assert_eq!(ask(&Method::POST, others), 403, "{others:?}");
            assert_eq!(at(&Method::POST, others, true), 403, "{others:?}");
        }
        assert_eq!(ask(&Method::POST, &[host, ("origin", "http://localhost:8080")]), 405);
        assert_eq!(at(&Method::POST, &[host, ("origin", "http://localhost:8080")], true), 200);
        assert_eq!(at(&Method::PUT, &[host, ("origin", "http://localhost:8080")], true), 405);
        assert_eq!(ask(&Method::DELETE, &[host, ("sec-fetch-site", "same-origin")]), 405);
        assert_eq!(ask(&Method::GET, &[host, ("sec-fetch-site", "cross-site")]), 200);
        for own in [("origin", "null"), ("origin", "http://localhost:8080")] {
            assert_eq!(
                at(&Method::POST, &[host, own, ("sec-fetch-site", "same-origin")], true),
                200,
                "{own:?}"
            );
        }
    }
}
