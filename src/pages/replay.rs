//! The page of one game: its board, its moves and its times.

use agon_games::Rules;
use agon_printable::clean;
use maud::{Markup, html};

use super::address::Links;
use super::gather::RunFacts;
use super::plot;
use super::view::View;
use crate::store::Stored;

/// A game and what its page depends on.
pub(super) struct ReplayedGame<'a> {
    /// The run.
    pub(super) facts: &'a RunFacts,
    /// The game's place in [`RunFacts::games`].
    pub(super) place: usize,
    /// The game with its moves.
    pub(super) stored: &'a Stored,
    /// Its rules; `None` if this program has none for it.
    pub(super) rules: Option<&'a dyn Rules>,
    /// What is shown.
    pub(super) view: &'a View,
    /// The links of the page.
    pub(super) links: &'a Links,
}

/// The title of the page: who plays whom, and, unless it is hidden, the result.
pub(super) fn title(game: &ReplayedGame<'_>) -> String {
    let record = &game.stored.record;
    let names: Vec<String> = record.seats.values().iter().map(|seat| clean(&seat.entrant)).collect();
    let names = names.join(" - ");
    if game.view.hide_results { names } else { format!("{names} {}", record.result_text()) }
}

/// The page without its title.
pub(super) fn content(game: &ReplayedGame<'_>) -> Markup {
    html! {
        ol { @for ply in &game.stored.record.plies {
            li { (ply.text) " " (plot::time(u64::try_from(ply.time.as_micros()).unwrap_or(u64::MAX))) }
        } }
    }
}
