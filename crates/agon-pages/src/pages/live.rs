//! The page of the games in play: a board for each, as it stands.

use std::sync::Arc;

use agon_export::live::LiveGame;
use agon_games::{Rules, film};
use agon_printable::clean;
use agon_seats::Seat;
use maud::{Markup, html};

use super::{board, plot, replay};

/// A game in play with its rules; `None` if this program has none for it.
pub(super) type RuledGame<'a> = (&'a LiveGame, Option<Arc<dyn Rules>>);

/// All boards.
pub(super) fn content(games: &[RuledGame<'_>], revision: &str) -> Markup {
    html! {
        div.boards data-live=(revision) {
            @if games.is_empty() { p { "No game is in play now." } }
            @for (number, (game, rules)) in games.iter().enumerate() {
                section aria-labelledby={ "game" (number) } {
                    (one(game, rules.as_deref(), number))
                }
            }
        }
    }
}

fn one(game: &LiveGame, rules: Option<&dyn Rules>, number: usize) -> Markup {
    let id = |element: &str| format!("b{number}{element}");
    let sides = rules.map(|rules| rules.seats().to_vec()).unwrap_or_default();
    let film = rules.and_then(|rules| film(rules, &game.start, game.moves.iter().map(String::as_str)).ok());
    let contents = film.as_ref().and_then(|film| {
        let mut contents = film.start.clone();
        film.frames.iter().try_for_each(|frame| frame.apply(&mut contents)).ok()?;
        Some(contents)
    });
    let has_pieces = film.as_ref().is_some_and(replay::has_pieces);
    html! {
        h2 id={ "game" (number) } { (clean(&game.id)) }
        ul.seats {
            @for (at, engine) in game.engines.iter().enumerate() {
                li {
                    @if has_pieces { (board::piece(Seat::new(at), &id)) }
                    @match sides.get(at) {
                        Some(side) => { (side) " " }
                        None => { (at + 1) " " }
                    }
                    b { (clean(engine)) }
                    @if let Some(score) = game.scores.get(at) { ", score " (score) }
                }
            }
        }
        @if let (Some(film), Some(contents)) = (&film, &contents) {
            @let has_figures = board::has_figures(contents);
            @if has_pieces || has_figures { (board::pieces(&sides, has_figures, &id)) }
            (board::svg(&film.diagram, contents, film.frames.last().map_or(&[][..], |frame| &frame.marks), &id, false))
        }
        p.caption {
            @match game.moves.last() {
                None => { "No move has been made." }
                Some(last) => {
                    "Ply " (game.plies()) ": "
                    @match film.as_ref().and_then(|film| film.frames.last()) {
                        Some(frame) => (clean(&frame.caption)),
                        None => (clean(last)),
                    }
                    " (" (plot::time(game.last_micros)) ")"
                }
            }
        }
        @if !game.lines.is_empty() {
            pre tabindex="0" { @for line in &game.lines { (clean(line)) "\n" } }
        }
    }
}
