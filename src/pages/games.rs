//! The list of games, in pages, and the data by which the page's script filters all of them.

use agon_printable::clean;
use maud::{Markup, html};
use serde_json::json;

use super::address::{Links, Page};
use super::gather::{GameRow, RunFacts};
use super::view::View;

/// Games on a page of the list.
pub(super) const A_PAGE: usize = 200;

/// How many pages the list has; one if there are no games.
pub(super) fn pages(facts: &RunFacts) -> usize {
    facts.games.len().div_ceil(A_PAGE).max(1)
}

/// A page of the list, from 1. `has_replay` says whether a game has a page of its own.
pub(super) fn content(
    facts: &RunFacts,
    number: usize,
    view: &View,
    links: &Links,
    has_replay: &dyn Fn(usize) -> bool,
) -> Markup {
    let from = (number - 1) * A_PAGE;
    let shown = facts.games.iter().enumerate().skip(from).take(A_PAGE);
    html! {
        div.filter data-games=(links.file(&data_file(facts))) hidden {}
        (turner(facts, number, links))
        div.wide tabindex="0" role="region" aria-label="Games" {
            table.sortable.games {
                caption { "Games " (from + 1) " to " (from + shown.len()) " of " (facts.games.len()) }
                thead { tr {
                    th scope="col" { "game" } th scope="col" { "first" } th scope="col" { "second" }
                    @if !view.hide_results { th scope="col" { "result" } th scope="col" { "plies" } th scope="col" { "termination" } th scope="col" { "reason" } }
                } }
                tbody { @for (at, game) in shown { (row(facts, at, game, view, links, has_replay)) } }
            }
        }
        (turner(facts, number, links))
    }
}

fn row(
    facts: &RunFacts,
    at: usize,
    game: &GameRow,
    view: &View,
    links: &Links,
    has_replay: &dyn Fn(usize) -> bool,
) -> Markup {
    let name = |seat: usize| game.seats.get(seat).map(|engine| &facts.engines[*engine]);
    let loser = game.forfeit.and_then(|(seat, _)| name(seat.index())).map_or("", |engine| &engine.name);
    html! {
        tr data-won=[won(game, view)] {
            td { @if has_replay(at) { a href=(links.page(Page::Game(game.id.to_string()))) { (game.id) } } @else { (game.id) } }
            @for seat in 0..2 {
                td { @if let Some(engine) = name(seat) { a href=(links.page(Page::Engine(engine.slug.clone()))) { (clean(&engine.name)) } } }
            }
            @if !view.hide_results {
                td { (game.result) } td { (game.plies) } td { (game.termination) }
                td { (view.reason(loser, game.forfeit.map(|(_, cause)| cause), &game.reason)) }
            }
        }
    }
}

/// Whether the first engine won, for the filter of a single file: 1, 0 for a draw, -1.
fn won(game: &GameRow, view: &View) -> Option<i8> {
    game.seats.first().filter(|_| !view.hide_results && !game.places.is_empty()).map(|first| game.of(*first))
}

/// Links to the other pages of the list.
fn turner(facts: &RunFacts, number: usize, links: &Links) -> Markup {
    let last = pages(facts);
    let near = number.saturating_sub(3).max(2)..=(number + 3).min(last.saturating_sub(1));
    let one = |at: usize| html! { a href=(links.page(Page::Games(at))) aria-current=[(at == number).then_some("page")] { (at) } " " };
    html! {
        @if last > 1 {
            p.turner { "Page " (one(1))
                @if *near.start() > 2 { "… " }
                @for at in near.clone() { (one(at)) }
                @if *near.end() + 1 < last { "… " }
                (one(last))
            }
        }
    }
}

/// The file with the data of all games, for the filter.
pub(super) fn data_file(facts: &RunFacts) -> String {
    match &facts.part {
        Some(part) => format!("{part}/games.js"),
        None => "games.js".to_owned(),
    }
}

/// The data of all games: names and addresses of the engines, and an array for each game: id, first,
/// second, whether it has a replay, and, unless results are hidden, result, plies, termination. A script of a page that was
/// opened from a folder can load it.
pub(super) fn data(facts: &RunFacts, view: &View, has_replay: &dyn Fn(usize) -> bool) -> String {
    let listed = facts.listed(view);
    let mut places = vec![0; listed.len()];
    listed.iter().enumerate().for_each(|(place, number)| places[*number] = place);
    let engine = |number: &usize| [clean(&facts.engines[*number].name), facts.engines[*number].slug.clone()];
    let engines: Vec<_> = listed.iter().map(engine).collect();
    let row = |(at, game): (usize, &GameRow)| {
        let seat = |seat: usize| game.seats.get(seat).map(|number| places[*number]);
        let is_there = u8::from(has_replay(at));
        match view.hide_results {
            true => json!([game.id.to_string(), seat(0), seat(1), is_there]),
            false => json!([
                game.id.to_string(),
                seat(0),
                seat(1),
                is_there,
                game.result,
                game.plies,
                game.termination,
                game.places.first(),
                game.places.get(1),
            ]),
        }
    };
    let games: Vec<_> = facts.games.iter().enumerate().map(row).collect();
    let text = json!({ "engines": engines, "games": games }).to_string();
    format!("agonGames({})\n", text.replace('<', "\\u003c"))
}
