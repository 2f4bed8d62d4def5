//! A replay within a page of another site: which sites may show it, and the page that they get.

use std::fmt;
use std::str::FromStr;

use agon_printable::escape;
use maud::html;

use super::shell::{self, PageContent};

/// A host whose pages may show a replay in a frame of theirs: a source of the directive
/// `frame-ancestors` of a content security policy (CSP level 3, 2.3.1), with or without a scheme.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmbedHost(String);

/// Reads `example.org`, `*.example.org`, `https://example.org` or `localhost:8000`.
impl FromStr for EmbedHost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (scheme, host) =
            text.split_once("://").map_or((None, text), |(scheme, host)| (Some(scheme), host));
        let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
        let is_label = |label: &str| {
            !label.is_empty()
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        let is_name = name.strip_prefix("*.").unwrap_or(name).split('.').all(is_label) && name.len() <= 253;
        let is_port = port.is_none_or(|port| port == "*" || port.parse::<u16>().is_ok_and(|port| port > 0));
        if !scheme.is_none_or(|scheme| scheme == "http" || scheme == "https") || !is_name || !is_port {
            return Err(format!(
                "{} is no host whose pages could show a replay; write one like example.org, *.example.org, \
                 https://example.org or localhost:8000, without a path",
                escape(text.as_bytes(), 80)
            ));
        }
        Ok(EmbedHost(text.to_ascii_lowercase()))
    }
}

/// The host as it was written, in small letters.
impl fmt::Display for EmbedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The page of a game for a frame: the replay alone, and a link to the usual page.
pub(super) fn page(content: &PageContent, site: &str) -> String {
    let name = content.address.file();
    // The page lies at `embed/ID`, or at `embed/STAGE/ID` in a cup.
    let root = "../".repeat(1 + usize::from(content.address.part.is_some()));
    let body = html! {
        main.embedded id="main" {
            h1 { (content.title) }
            (content.body)
            p { a href={ (root) (name) } target="_blank" rel="noopener" { "The game in " (site) } }
        }
    };
    shell::embedded(&format!("{} - {site}", content.title), &root, &body)
}

#[cfg(test)]
mod tests {
    use super::EmbedHost;

    #[test]
    fn a_host_is_read_and_what_would_change_the_policy_is_not() {
        for good in
            ["example.org", "*.Example.org", "https://a.example.org:8443", "localhost:8000", "127.0.0.1:*"]
        {
            assert_eq!(good.parse::<EmbedHost>().unwrap().to_string(), good.to_ascii_lowercase());
        }
        for bad in [
            "",
            "*",
            "*.",
            "https://",
            "example.org/",
            "example.org/a",
            "a b",
            "'self'",
            "example.org; script-src *",
            "example.org,b.org",
            "ftp://example.org",
            "javascript:",
            "example.org:0",
            "example.org:x",
            "a..b",
            "-a.org",
            "[::1]",
            "data:",
            "exa\u{6d}\u{301}ple.org",
            "*.*.org",
        ] {
            assert!(bad.parse::<EmbedHost>().unwrap_err().contains("write one like"), "{bad}");
        }
    }
}
