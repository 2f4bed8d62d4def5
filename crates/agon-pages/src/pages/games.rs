//! The list of games, in pages, and the data by which the page's script filters all of them.

use agon_printable::clean;
use maud::{Markup, html};
use serde_json::json;

use super::address::{Links, Page};
use super::gather::{GameRow, RunFacts};
use super::live;
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
            table.sortable.games data-seats=(seats(facts)) {
                caption { "Games " (from + 1) " to " (from + shown.len()) " of " (facts.games.len()) }
                thead { tr {
                    th scope="col" { "game" }
                    @for seat in 0..seats(facts) { th scope="col" { (seat_name(seat, seats(facts))) } }
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
            @for seat in 0..seats(facts) {
                td { @if let Some(engine) = name(seat) {
                    @let link = html! { a href=(links.page(Page::Engine(engine.slug.clone()))) { (clean(&engine.name)) } };
                    @if !view.hide_results && live::is_winner(game, seat) { b { (link) } } @else { (link) }
                } }
            }
            @if !view.hide_results {
                td { (game.result) } td { (game.plies) } td { (game.termination) }
                td.text { (view.reason(loser, game.forfeit.map(|(_, cause)| cause), &game.reason)) }
            }
        }
    }
}

/// The number of seats of each game.
fn seats(facts: &RunFacts) -> usize {
    facts.games.first().map_or(2, |game| game.seats.len())
}

/// The head of the column of a seat.
fn seat_name(seat: usize, seats: usize) -> String {
    match (seat, seats) {
        (0, 2) => "first".to_owned(),
        (1, 2) => "second".to_owned(),
        _ => format!("seat {}", seat + 1),
    }
}

/// What each seat won, for the filter: 1, 0 for a shared first place, -1. Empty for a void game.
fn won_by_seat(game: &GameRow) -> Vec<i8> {
    if game.places.is_empty() { Vec::new() } else { game.seats.iter().map(|seat| game.of(*seat)).collect() }
}

/// The same in the rows of a single file.
fn won(game: &GameRow, view: &View) -> Option<String> {
    let won: Vec<String> = won_by_seat(game).iter().map(i8::to_string).collect();
    (!view.hide_results && !won.is_empty()).then(|| won.join(" "))
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

/// The data of all games: names and addresses of the engines, and an array for each game. The array
/// has the id, the engines in the order of the seats, and whether there is a replay. Unless results
/// are hidden, it also has the result, the plies, the termination, and what each seat won. A script
/// of a page that was opened from a folder can load it.
pub(super) fn data(facts: &RunFacts, view: &View, has_replay: &dyn Fn(usize) -> bool) -> String {
    let listed = facts.listed(view);
    let mut places = vec![0; listed.len()];
    listed.iter().enumerate().for_each(|(place, number)| places[*number] = place);
    let engine = |number: &usize| [clean(&facts.engines[*number].name), facts.engines[*number].slug.clone()];
    let engines: Vec<_> = listed.iter().map(engine).collect();
    let row = |(at, game): (usize, &GameRow)| {
        let seats: Vec<usize> = game.seats.iter().map(|number| places[*number]).collect();
        let is_there = u8::from(has_replay(at));
        match view.hide_results {
            true => json!([game.id.to_string(), seats, is_there]),
            false => json!([
                game.id.to_string(),
                seats,
                is_there,
                game.result,
                game.plies,
                game.termination,
                won_by_seat(game),
            ]),
        }
    };
    let games: Vec<_> = facts.games.iter().enumerate().map(row).collect();
    let text = json!({ "engines": engines, "games": games }).to_string();
    format!("agonGames({})\n", text.replace('<', "\\u003c"))
}
