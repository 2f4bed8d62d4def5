//! The page of one engine: its results by opponent and seat, its losses by a fault, its time, and
//! its rating over the runs.

use agon_games::Seat;
use agon_printable::clean;
use agon_standings::points::Wdl;
use agon_standings::versus::Versus;
use maud::{Markup, html};

use super::address::{Links, Page};
use super::crosstable::counts;
use super::gather::{EngineFacts, GameRow, RunFacts};
use super::plot::{self, LinePoint};
use super::view::View;

/// The most games that a line of the results names; the list of games has all of them.
const MOST_GAMES: usize = 40;
/// The most losses by a fault that are listed.
const MOST_FAULTS: usize = 200;

/// Everything about the engine with this number.
pub(super) fn content(facts: &RunFacts, number: usize, view: &View, links: &Links, seats: &[&str]) -> Markup {
    let engine = &facts.engines[number];
    html! {
        @if view.hide_results {
            p { "The results are hidden." }
            (pairings(facts, engine, links))
        } @else {
            (summary(facts, number, seats))
            (by_opponent(facts, number, links))
            (faults(facts, engine, view, links))
            (times(engine))
            (history(facts, engine))
        }
    }
}

/// Whom it meets, without results.
fn pairings(facts: &RunFacts, engine: &EngineFacts, links: &Links) -> Markup {
    html! {
        ul { @for (other, games) in &engine.games {
            li { "against " (link(facts, *other, links)) ": " (game_links(facts, None, games, links)) }
        } }
    }
}

fn link(facts: &RunFacts, engine: usize, links: &Links) -> Markup {
    let engine = &facts.engines[engine];
    html! { a href=(links.page(Page::Engine(engine.slug.clone()))) { (clean(&engine.name)) } }
}

fn summary(facts: &RunFacts, number: usize, seats: &[&str]) -> Markup {
    let row = &facts.rows[number];
    let by_seat = |seat: usize| row.tally.on(Seat::new(seat));
    html! {
        dl.facts {
            dt { "place" } dd { (row.rank) " of " (facts.rows.len()) @if let Some(group) = row.group { ", group " (group) } }
            dt { "points" } dd { (row.points) " from " (row.tally.total().games()) " games: " (counts(row.tally.total())) }
            @for (at, seat) in seats.iter().enumerate() {
                dt { "as " (seat) } dd { (counts(by_seat(at))) }
            }
            @if let Some((elo, error)) = facts.ratings.get(&row.entrant) {
                dt { "Elo" } dd { (format!("{elo:.0} ± {error:.0}")) " (95 %)" }
            }
        }
    }
}

fn by_opponent(facts: &RunFacts, number: usize, links: &Links) -> Markup {
    let engine = &facts.engines[number];
    html! {
        h2 { "Results by opponent" }
        @if engine.games.is_empty() { p { "It has not played yet." } } @else {
            div.wide tabindex="0" role="region" aria-label="Results by opponent" {
                table.sortable {
                    caption { "Results by opponent. LOS is the likelihood that it is the stronger one." }
                    thead { tr { th scope="col" { "#" } th scope="col" { "opponent" } th scope="col" { "results" } th scope="col" { "%" } th scope="col" { "LOS" } th scope="col" { "games" } } }
                    tbody {
                        @for (other, games) in &engine.games {
                            @let met = facts.between(number, *other);
                            tr id=(links.id(&format!("vs-{}", facts.engines[*other].slug))) {
                                td { (other + 1) }
                                th scope="row" { (link(facts, *other, links)) }
                                td data-sort=(met.wins) { (counts(met)) }
                                td { (percent(met)) }
                                td { (superiority(met)) }
                                td { (game_links(facts, Some(number), games, links)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn percent(games: Wdl) -> String {
    if games.games() == 0 {
        return String::new();
    }
    format!("{:.1}", 100.0 * (games.wins as f64 + games.draws as f64 / 2.0) / games.games() as f64)
}

fn superiority(games: Wdl) -> String {
    Versus::of_games(games).map(|versus| format!("{:.1} %", 100.0 * versus.superiority)).unwrap_or_default()
}

/// Links to games: `1`, `½` or `0` for the engine, or their numbers where results are hidden.
fn game_links(facts: &RunFacts, engine: Option<usize>, games: &[usize], links: &Links) -> Markup {
    html! {
        @for (at, game) in games.iter().take(MOST_GAMES).enumerate() {
            @let game = &facts.games[*game];
            @let id = game.id.to_string();
            @if at > 0 { " " }
            a href=(links.page(Page::Game(id.clone()))) title=(id) {
                @match engine {
                    Some(engine) => (point(game, engine)),
                    None => (at + 1),
                }
            }
        }
        @if games.len() > MOST_GAMES { " and " (games.len() - MOST_GAMES) " more" }
    }
}

fn point(game: &GameRow, engine: usize) -> &'static str {
    match game.of(engine) {
        1 => "1",
        0 => "½",
        _ => "0",
    }
}

fn faults(facts: &RunFacts, engine: &EngineFacts, view: &View, links: &Links) -> Markup {
    html! {
        @if !engine.faults.is_empty() {
            h2 { "Games lost by a fault" }
            div.wide tabindex="0" role="region" aria-label="Games lost by a fault" {
                table.sortable {
                    caption { "Each game shows the position in which it ended." }
                    thead { tr { th scope="col" { "game" } th scope="col" { "opponent" } th scope="col" { "ply" } th scope="col" { "fault" } th scope="col" { "reason" } } }
                    tbody {
                        @for game in engine.faults.iter().take(MOST_FAULTS) {
                            @let game = &facts.games[*game];
                            @let cause = game.forfeit.map(|(_, cause)| cause);
                            tr {
                                td { a href=(links.page(Page::Game(game.id.to_string()))) { (game.id) } }
                                td { @for other in game.seats.iter().filter(|other| facts.engines[**other].name != engine.name) { (link(facts, *other, links)) } }
                                td { (game.plies + 1) }
                                td { (game.termination) }
                                td { (view.reason(&engine.name, cause, &game.reason)) }
                            }
                        }
                    }
                }
            }
            @if engine.faults.len() > MOST_FAULTS { p { "and " (engine.faults.len() - MOST_FAULTS) " more" } }
        }
    }
}

fn times(engine: &EngineFacts) -> Markup {
    let mut times = engine.times.clone();
    times.sort_unstable();
    let at = |share: f64| {
        let place = (share * times.len() as f64).ceil() as usize;
        times.get(place.saturating_sub(1)).map_or(0, |time| u64::from(*time))
    };
    html! {
        @if !times.is_empty() {
            h2 { "Time per move" }
            dl.facts {
                dt { "moves" } dd { (times.len()) }
                dt { "median" } dd { (plot::time(at(0.5))) }
                dt { "99 % below" } dd { (plot::time(at(0.99))) }
                dt { "longest" } dd { (plot::time(at(1.0))) }
                dt { "limit" } dd { (engine.control) }
            }
            (plot::times(&engine.times))
        }
    }
}

fn history(facts: &RunFacts, engine: &EngineFacts) -> Markup {
    let moves: Vec<_> = facts.history.iter().filter(|moved| moved.engine == engine.name).collect();
    let points: Vec<LinePoint> = (moves.iter())
        .filter_map(|moved| {
            let (value, error) = moved.rating?;
            let change = if moved.changed { ", the program changed" } else { "" };
            let name = format!("run {}: {value:.0} ± {error:.0}{change}", moved.run);
            Some(LinePoint { value, error, is_marked: moved.changed, name })
        })
        .collect();
    html! {
        @if moves.len() > 1 {
            h2 { "Rating over the runs" }
            @if points.len() > 1 {
                (plot::line(&points, &format!("Elo of {} over {} runs", clean(&engine.name), points.len())))
                p { "A square marks a run before which the program changed." }
            }
            div.wide tabindex="0" role="region" aria-label="Runs" {
                table {
                    caption { "Runs" }
                    thead { tr { th scope="col" { "run" } th scope="col" { "finished" } th scope="col" { "rank" } th scope="col" { "results" } th scope="col" { "Elo" } th scope="col" { "program" } } }
                    tbody { @for moved in moves.iter().rev() { tr {
                        td { (moved.run) } td { (moved.finished.get(..16).unwrap_or(&moved.finished).replace('T', " ")) } td { (moved.rank) } td { (counts(moved.games)) }
                        td { @if let Some((elo, error)) = moved.rating { (format!("{elo:.0} ± {error:.0}")) } }
                        td { @if moved.changed { "changed" } @if moved.is_worse() { ", worse" } }
                    } } }
                }
            }
        }
    }
}
