//! The frame of every page: its head, its menu, and what keeps other hosts out.

use std::sync::LazyLock;

use base64::Engine as _;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::address::{Address, Form, Links, Page};

/// The style sheet, `agon.css` in a folder.
pub(super) const STYLE: &str = concat!(include_str!("agon.css"), include_str!("event.css"));
/// What a file with the page of one game needs of it.
const GAME_STYLE: &str = include_str!("agon.css");
/// The script, `agon.js` in a folder. It knows nothing of any game.
pub(super) static SCRIPT: LazyLock<String> = LazyLock::new(|| with_space(include_str!("agon.js")));
/// The same without boards of several planes: a file of one page holds its script too.
static FLAT_SCRIPT: LazyLock<String> = LazyLock::new(|| lean(include_str!("agon.js")));
/// The script of pages with forms for a token. It shows with a token what the public may not see.
pub(super) static TOKEN_SCRIPT: LazyLock<String> = LazyLock::new(|| lean(include_str!("token.js")));
/// The script of pages from a server: it keeps them up to date.
pub(super) static LIVE_SCRIPT: LazyLock<String> =
    LazyLock::new(|| TOKEN_SCRIPT.clone() + &lean(include_str!("live.js")));

/// A script of pages with boards, behind the one that turns boards of several planes.
pub(super) fn with_space(script: &str) -> String {
    lean(include_str!("space.js")) + &lean(script)
}

/// A script without indentation, lines of comments, and the ends of lines where a statement cannot
/// end without a sign of its own, or is ended by the bracket behind it. It is a third shorter. It
/// has no comment and no text of several lines.
pub(super) fn lean(script: &str) -> String {
    let lines = script.lines().map(str::trim);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("/**"));
    let mut code = code.peekable();
    let mut lean = String::new();
    while let Some(line) = code.next() {
        lean.push_str(line);
        // A comment behind a statement needs the end of its line.
        let is_ended =
            code.peek().is_some_and(|next| next.starts_with(['}', ')', ']'])) && !line.contains("//");
        if !is_ended && !line.ends_with(['{', ';', ',', '(']) {
            lean.push('\n');
        }
    }
    lean
}

/// A page before it has a frame.
pub(super) struct PageContent {
    /// Where it lies.
    pub(super) address: Address,
    /// Its title; the heading of the page too.
    pub(super) title: String,
    /// The part of it that differs from page to page.
    pub(super) body: Markup,
}

/// An entry of the menu: its name and its page.
pub(super) type Entry = (String, Address);

/// The policy of a page in a folder: everything comes from the folder.
const FOLDER_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    base-uri 'none'; form-action 'none'";

/// The policy of a page from a server: it may ask its own server for what is new.
const SERVED_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'";

/// A page of a folder, or the same page from a server, with the revision of what it shows.
pub(super) fn page(content: &PageContent, menu: &[Entry], site: &str, revision: Option<&str>) -> String {
    let form = if revision.is_some() { Form::Served } else { Form::Folder };
    let links = Links::new(form, content.address.clone());
    let head = html! {
        link rel="stylesheet" href=(links.file("agon.css"));
        script src=(links.file("agon.js")) defer {}
        @if revision.is_some() { script src=(links.file("live.js")) defer {} }
    };
    let title = if content.title == site { site.to_owned() } else { format!("{} - {site}", content.title) };
    let body = html! {
        (navigation(&links, menu, Some(&content.address)))
        main id="main" { h1 { (content.title) } (content.body) }
    };
    let policy = if revision.is_some() { SERVED_POLICY } else { FOLDER_POLICY };
    document(&title, policy, revision, &head, &body)
}

/// A page of a server with a script and a style sheet of its own, which keeps itself up to date.
pub(super) fn scripted(
    content: &PageContent,
    menu: &[Entry],
    site: &str,
    script: &str,
    style: &str,
) -> String {
    let links = Links::new(Form::Served, content.address.clone());
    let head = html! {
        link rel="stylesheet" href=(links.file("agon.css"));
        link rel="stylesheet" href=(links.file(style));
        script src=(links.file(script)) defer {}
    };
    let body = html! {
        (navigation(&links, menu, Some(&content.address)))
        main id="main" { h1 { (content.title) } (content.body) }
    };
    document(&format!("{} - {site}", content.title), SERVED_POLICY, None, &head, &body)
}

/// A page of a server for a frame of another page: it has no menu, and does not change while it is
/// read. `root` leads from it to the first page.
pub(super) fn embedded(title: &str, root: &str, body: &Markup) -> String {
    let head = html! {
        link rel="stylesheet" href={ (root) "agon.css" };
        script src={ (root) "agon.js" } defer {}
    };
    document(title, FOLDER_POLICY, None, &head, body)
}

/// A page of a server that has nothing else to show. It has no links, because it may be anywhere.
pub(super) fn problem(title: &str, what: &str, revision: &str) -> String {
    let head = html! {
        link rel="stylesheet" href="/agon.css";
        script src="/live.js" defer {}
    };
    let body =
        html! { main id="main" { h1 { (title) } p { (what) } p { a href="/" { "To the first page" } } } };
    document(title, SERVED_POLICY, Some(revision), &head, &body)
}

/// The policy of a page with a form of its server.
const FORM_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'self'";

/// A page of a server with a form. Its script may show another page in its place.
pub(super) fn form(title: &str, content: &Markup) -> String {
    let head = html! {
        link rel="stylesheet" href="/agon.css";
        script src="/token.js" defer {}
    };
    let body = html! {
        nav aria-label="Pages" { ul {
            li { a href="/" { "Results" } }
            li { a href="/submit" { "Submit" } }
        } }
        main id="main" { h1 { (title) } (content) }
    };
    document(title, FORM_POLICY, None, &head, &body)
}

/// All pages in one file. The first is shown; links show the others.
///
/// A browser would take minutes to make thousands of pages, of which one is shown. So those behind
/// the first are text to a browser that runs the script, which makes a page when it is asked for.
/// To a browser without scripts they are pages like the first.
pub(super) fn single(contents: &[PageContent], menu: &[Entry], site: &str) -> String {
    // The name of a slot in a second plane; see docs/frames.md.
    let has_planes = contents.iter().any(|content| content.body.0.contains(" z=2\""));
    let style = if contents.len() == 1 { GAME_STYLE } else { STYLE };
    let script = if has_planes { SCRIPT.as_str() } else { FLAT_SCRIPT.as_str() };
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash_of(script),
        hash_of(style)
    );
    let home = contents.first().map(|content| content.address.clone());
    let links = Links::new(Form::Single, home.unwrap_or(Address { part: None, page: Page::Standings }));
    let head = html! { style { (PreEscaped(style)) } };
    let section = |content: &PageContent| {
        html! {
            section.page id=(content.address.name()) data-title=(content.title) {
                h1 { (content.title) }
                (content.body)
            }
        }
    };
    let body = html! {
        @if contents.len() > 1 { (navigation(&links, menu, None)) }
        main id="main" {
            @for (place, content) in contents.iter().enumerate() {
                @if place == 0 { (section(content)) }
                @else { noscript data-page=(content.address.name()) { (section(content)) } }
            }
        }
        script { (PreEscaped(script)) }
    };
    document(site, &policy, None, &head, &body)
}

fn document(title: &str, policy: &str, revision: Option<&str>, head: &Markup, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" data-revision=[revision] {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                meta name="color-scheme" content="light dark";
                title { (title) }
                (head)
            }
            body { a.skip href="#main" { "To the content" } (body) }
        }
    };
    page.into_string()
}

/// The menu. The entry of the page itself is marked.
fn navigation(links: &Links, menu: &[Entry], here: Option<&Address>) -> Markup {
    html! {
        nav aria-label="Pages" {
            ul {
                @for (name, address) in menu {
                    li { a href=(links.to(address)) aria-current=[(here == Some(address)).then_some("page")] { (name) } }
                }
            }
        }
    }
}

/// The hash of a script or style for a policy.
fn hash_of(text: &str) -> String {
    format!("sha256-{}", base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lean_script_loses_comments_and_indentation_alone() {
        let script = concat!(include_str!("space.js"), include_str!("agon.js"));
        let code: Vec<&str> = script.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let code = code.iter().filter(|line| !line.starts_with("//") && !line.starts_with("/**"));
        assert_eq!(SCRIPT.replace('\n', ""), code.copied().collect::<String>());
        assert!(SCRIPT.len() < script.len() * 4 / 5);
        for line in script.lines().map(str::trim) {
            assert_eq!(line.starts_with("/**"), line.ends_with("*/"), "a comment of several lines: {line}");
            assert!(line.matches('`').count() % 2 == 0, "a text of several lines: {line}");
            let comment = line.split_once(" // ").map_or("", |(_, comment)| comment);
            assert!(!comment.ends_with(['{', ';', ',', '(']), "the next line would be a comment: {line}");
        }
        // Nothing is joined to a line at whose end a statement may end.
        assert_eq!(lean("a(\n  b,\n)\nc;\n// d\ne\n"), "a(b,)\nc;e\n");
    }
}
