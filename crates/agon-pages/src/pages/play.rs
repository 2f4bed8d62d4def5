//! The page on which people play. Its script asks the server for everything but the frame.

use std::sync::LazyLock;

use agon_diagram::{Diagram, Frame, SlotContent};
use maud::html;

use super::address::{Address, Page};
use super::board;
use super::shell::{self, PageContent};

/// The style sheet of the page besides that of all pages, `play.css`.
pub const PLAY_STYLE: &str = include_str!("play.css");

static SCRIPT: LazyLock<String> = LazyLock::new(|| shell::with_space(include_str!("play.js")));

/// The script of the page, `play.js`.
pub fn play_script() -> &'static str {
    &SCRIPT
}

/// A board with these contents and the pieces of these sides, as HTML.
pub fn play_board(diagram: &Diagram, contents: &[SlotContent], sides: &[&str]) -> String {
    let id = str::to_owned;
    html! { (board::pieces(sides, board::has_figures(contents), &id)) (board::svg(diagram, contents, (&[], &[]), &id, true)) }.into_string()
}

/// A small picture of a position for the card of a game, as HTML. Its ids begin with the name of
/// the game, because a page has several.
pub fn card_board(name: &str, diagram: &Diagram, contents: &[SlotContent], sides: &[&str]) -> String {
    let id = |element: &str| format!("{name}-{element}");
    html! { (board::pieces(sides, board::has_figures(contents), &id)) (board::svg(diagram, contents, (&[], &[]), &id, false)) }.into_string()
}

/// Whether the board of a table may be looked at from its other side. `first` are frames of moves
/// that are legal on it, where these contents are.
pub fn play_flips(
    diagram: &Diagram,
    contents: &[SlotContent],
    mut first: impl Iterator<Item = Frame>,
) -> bool {
    board::hangs_together(diagram) && !first.any(|frame| board::is_entering(&frame, contents))
}

/// The page. `has_results` says whether the server has pages of a run besides.
pub fn play_page(has_results: bool) -> String {
    let here = Address { part: None, page: Page::Play };
    let mut menu = vec![("Play".to_owned(), here.clone())];
    if has_results {
        menu.insert(0, ("Results".to_owned(), Address { part: None, page: Page::Standings }));
    }
    let body = html! {
        noscript { p { "To play here, allow JavaScript for this page." } }
        p.live id="said" role="status" aria-live="polite" {}
        div id="lobby" {}
        div id="table" hidden {}
    };
    let content = PageContent { address: here, title: "Play".to_owned(), body };
    shell::scripted(&content, &menu, "agon", "play.js", "play.css")
}
