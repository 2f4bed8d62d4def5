//! The page of one engine: its results by opponent and seat, its losses by a fault, its time, and
//! its rating over the runs.

use agon_printable::{clean, counted, decimal};
use agon_seats::Seat;
use agon_standings::any_time::ScoreBar;
use agon_standings::points::Wdl;
use agon_standings::table::Row;
use agon_standings::versus::{Encounter, percent as likelihood};
use maud::{Markup, html};

use super::address::{Links, Page};
use super::crosstable::counts;
use super::gather::{EngineFacts, GameRow, RunFacts};
use super::plot::{self, LinePoint};
use super::replay::each_move;
use super::values::{self, RunValues, ThrownRow};
use super::view::View;
use crate::report::columns::{ABOUT_BARS, score_bar};
use crate::report::terminal::named_group;

/// The most games that a line of the results names; the list of games has all of them.
const MOST_GAMES: usize = 40;
/// The most losses by a fault that are listed.
const MOST_FAULTS: usize = 200;

/// What the page of an engine is made from.
pub(super) struct Shown<'a> {
    /// The run.
    pub(super) facts: &'a RunFacts,
    /// What is shown.
    pub(super) view: &'a View,
    /// The links of the page.
    pub(super) links: &'a Links,
    /// The names of the seats.
    pub(super) seats: &'a [&'a str],
    /// Whether a game has a page of its own.
    pub(super) has_replay: &'a dyn Fn(usize) -> bool,
    /// What the values of the games with a page say.
    pub(super) values: &'a RunValues,
}

/// Everything about the engine with this number.
pub(super) fn content(shown: &Shown<'_>, number: usize) -> Markup {
    let facts = shown.facts;
    let engine = &facts.engines[number];
    html! {
        @if shown.view.hide_results {
            p { "The results are hidden." }
            (pairings(shown, engine))
        } @else {
            (summary(facts, number, shown.seats))
            @for made in facts.arranged.sentences_about(&engine.name) { p { (clean(&made)) "." } }
            (by_opponent(shown, number))
            (faults(shown, engine))
            (solved(shown, engine))
            (times(engine))
            (history(facts, engine))
        }
    }
}

/// Whom it meets, without results.
fn pairings(shown: &Shown<'_>, engine: &EngineFacts) -> Markup {
    let listed = shown.facts.listed(shown.view);
    html! {
        ul { @for (other, games) in listed.iter().filter_map(|other| engine.games.get_key_value(other)) {
            li { "against " (link(shown, *other)) ": " (game_links(shown, None, games)) }
        } }
    }
}

fn link(shown: &Shown<'_>, engine: usize) -> Markup {
    let engine = &shown.facts.engines[engine];
    html! { a href=(shown.links.page(Page::Engine(engine.slug.clone()))) { (clean(&engine.name)) } }
}

fn summary(facts: &RunFacts, number: usize, seats: &[&str]) -> Markup {
    let row = &facts.rows[number];
    let by_seat = |seat: usize| row.tally.on(Seat::new(seat));
    html! {
        dl.facts {
            @let of_group = facts.rows.iter().filter(|other| other.group == row.group).count();
            dt { "place" } dd {
                (row.rank) " of " (of_group)
                @if of_group < facts.rows.len() { ", " (named_group(row)) }
            }
            @if facts.standings.has_tables() { (at_tables(row)) } @else {
                dt { "points" } dd { (row.points) " from " (counted(row.tally.total().games(), "game")) ": " (counts(row.tally.total())) }
                @if row.unplayed.games() > 0 { dt { "unplayed" } dd { (counts(row.unplayed)) ", which count in the points" } }
                @for (at, seat) in seats.iter().enumerate() {
                    dt { "as " (seat) } dd { (counts(by_seat(at))) }
                }
            }
            @if let Some(bars) = row.field.bars() {
                dt { "% at any time" } dd { (score_bar(Some(bars.any_time))) " (95 %)" }
                dt { "% fixed" } dd { (score_bar(Some(bars.fixed))) " (95 %)" }
            }
            @if let Some((elo, error)) = facts.ratings.all.get(&row.entrant) {
                dt { "Elo" } dd { (decimal(*elo, 0)) " ± " (decimal(*error, 0)) " (95 %, fixed)" }
            }
        }
    }
}

/// The points and places of an engine in games of more than two seats.
fn at_tables(row: &Row) -> Markup {
    let finishes = &row.tally.finishes;
    let places = (1..=row.tally.seats.len()).filter_map(|place| u8::try_from(place).ok());
    let places: Vec<String> =
        places.map(|place| format!("{} on place {place}", finishes.on(place))).collect();
    html! {
        dt { "points" } dd { (row.points) " from " (counted(finishes.games(), "game")) }
        dt { "games" } dd { (places.join(", ")) }
        @if let Some(average) = finishes.average() { dt { "average place" } dd { (decimal(average, 2)) } }
        @for (seat, games) in (1..).zip(row.tally.seats.iter()) {
            dt { "on seat " (seat) } dd { "first in " (games.wins + games.draws) " of " (counted(games.games(), "game")) }
        }
    }
}

fn by_opponent(shown: &Shown<'_>, number: usize) -> Markup {
    let facts = shown.facts;
    let engine = &facts.engines[number];
    let has_bars = facts.rows[number].field.bars().is_some();
    let (caption, results, share) = match facts.standings.has_tables() {
        true => (
            "Results by opponent: the games at tables with it, those in which the engine was placed ahead (+), \
             shared a place (=) and was placed behind (−). % is the share of these games in which it was ahead, \
             with half of the equals. LOS is the likelihood that it is the stronger one. Of each game the place is \
             shown.",
            "placed ahead",
            "% ahead",
        ),
        false => (
            "Results by opponent. LOS is the likelihood that it is the stronger one, by the games of these two.",
            "results",
            "%",
        ),
    };
    html! {
        h2 { "Results by opponent" }
        @if engine.games.is_empty() { p { "It has not played yet." } } @else {
            div.wide tabindex="0" role="region" aria-label="Results by opponent" {
                table.sortable {
                    caption { (caption) }
                    thead { tr { th scope="col" { "#" } th scope="col" { "opponent" } th scope="col" { (results) } th scope="col" { (share) } th scope="col" { "LOS" }
                        @if has_bars { th scope="col" { "% at any time" } th scope="col" { "% fixed" } th scope="col" { "Elo at any time" } }
                        th scope="col" { "games" } } }
                    tbody {
                        @for (other, games) in &engine.games {
                            @let met = facts.between(number, *other);
                            tr id=(shown.links.id(&format!("vs-{}", facts.engines[*other].slug))) {
                                td { (facts.rows[*other].rank) }
                                th scope="row" { (link(shown, *other)) }
                                td data-sort=(met.wins) { (counts(met)) }
                                td { (percent(met)) }
                                td { (superiority(facts.encounter(number, *other), met)) }
                                @if has_bars {
                                    @let bars = facts.encounter(number, *other).bars();
                                    td.range { (score_bar(bars.map(|bars| bars.any_time))) }
                                    td.range { (score_bar(bars.map(|bars| bars.fixed))) }
                                    td.range { (elo_words(bars.map(|bars| bars.any_time))) }
                                }
                                td { (game_links(shown, Some(number), games)) }
                            }
                        }
                    }
                }
            }
            @if has_bars { p { (ABOUT_BARS) } }
        }
    }
}

/// The ends of a bar in Elo; nothing where nothing is known.
fn elo_words(bar: Option<ScoreBar>) -> String {
    let Some([low, high]) = bar.map(ScoreBar::elos) else { return String::new() };
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{} to {}", decimal(low, 0), decimal(high, 0)),
        (true, false) => format!("above {}", decimal(low, 0)),
        (false, true) => format!("below {}", decimal(high, 0)),
        (false, false) => String::new(),
    }
}

fn percent(games: Wdl) -> String {
    if games.games() == 0 {
        return String::new();
    }
    format!("{:.1}", 100.0 * (games.wins as f64 + games.draws as f64 / 2.0) / games.games() as f64)
}

/// The likelihood of superiority: from pairs of games, or at tables from who was placed ahead.
fn superiority(met: Encounter, at_tables: Wdl) -> String {
    let met = if met.games() > 0 { met } else { Encounter::of_games(at_tables) };
    // On one line: a number is never broken.
    if met.games() > 0 { likelihood(met.superiority()).replace(' ', "\u{a0}") } else { String::new() }
}

/// Links to games: `1`, `½` or `0` for the engine, at a table its place, or their numbers where
/// results are hidden.
fn game_links(shown: &Shown<'_>, engine: Option<usize>, games: &[usize]) -> Markup {
    html! {
        @for (at, place) in games.iter().take(MOST_GAMES).enumerate() {
            @let game = &shown.facts.games[*place];
            @let text = engine.map_or_else(|| (at + 1).to_string(), |engine| point(game, engine));
            @if at > 0 { " " }
            (game_link(shown, *place, &text))
        }
        @if games.len() > MOST_GAMES { " and " (games.len() - MOST_GAMES) " more" }
    }
}

/// A link to a game, or its text alone where the game has no page.
fn game_link(shown: &Shown<'_>, place: usize, text: &str) -> Markup {
    let id = shown.facts.games[place].id.to_string();
    html! {
        @if (shown.has_replay)(place) {
            a href=(shown.links.page(Page::Game(id.clone()))) title=(id) { (text) }
        } @else { span title=(id) { (text) } }
    }
}

fn point(game: &GameRow, engine: usize) -> String {
    if game.seats.len() > 2 {
        let seat = game.seats.iter().position(|one| *one == engine);
        return seat.and_then(|seat| game.places.get(seat)).map(u8::to_string).unwrap_or_default();
    }
    if game.places.is_empty() {
        return "void".to_owned();
    }
    match game.of(engine) {
        1 => "1",
        0 => "½",
        _ => "0",
    }
    .to_owned()
}

fn faults(shown: &Shown<'_>, engine: &EngineFacts) -> Markup {
    let facts = shown.facts;
    let has_position = engine.faults.iter().take(MOST_FAULTS).any(|fault| fault.position.is_some());
    html! {
        @if !engine.faults.is_empty() {
            h2 { "Games lost by a fault" }
            div.wide tabindex="0" role="region" aria-label="Games lost by a fault" {
                table.sortable {
                    caption { @if has_position { "The position is the one in which the fault happened; the game shows it as a board." } @else { "Games lost by a fault" } }
                    thead { tr { th scope="col" { "game" } th scope="col" { @if facts.standings.has_tables() { "opponents" } @else { "opponent" } } th scope="col" { "ply" } th scope="col" { "fault" } th scope="col" { "reason" } @if has_position { th scope="col" { "position" } } } }
                    tbody {
                        @for fault in engine.faults.iter().take(MOST_FAULTS) {
                            @let game = &facts.games[fault.game];
                            tr {
                                td { (game_link(shown, fault.game, &game.id.to_string())) }
                                td { @for other in game.seats.iter().filter(|other| facts.engines[**other].name != engine.name) { (link(shown, *other)) " " } }
                                td { (fault.ply + 1) }
                                td { (fault.cause.name()) }
                                td.text { (shown.view.reason(&engine.name, Some(fault.cause), &fault.why)) }
                                @if has_position { td { @if let Some(position) = &fault.position { code { (clean(position)) } } } }
                            }
                        }
                    }
                }
            }
            @if engine.faults.len() > MOST_FAULTS { p { "and " (engine.faults.len() - MOST_FAULTS) " more" } }
        }
    }
}

/// How good its moves were, in positions whose value is known.
fn solved(shown: &Shown<'_>, engine: &EngineFacts) -> Markup {
    let Some(found) = shown.values.engines.engines.get(&engine.name) else { return html! {} };
    let thrown = shown.values.thrown.get(&engine.name).map(Vec::as_slice).unwrap_or_default();
    html! {
        h2 { "Moves in solved positions" }
        dl.facts {
            dt { "games" } dd { (found.games) " with a page and with known values" }
            dt { "perfect moves" } dd { (found.all.perfect) " of " (found.all.known)
                @if let Some(share) = found.all.share() { (format!(", {:.1} %", 100.0 * share)) } }
            dt { "blunders, slips" } dd { (found.blunders) ", " (found.slips) }
            dt { "only moves found" } dd { (found.only_found) " of " (found.only_moves) }
            dt { "wins found" } dd { (found.wins_found) " of " (found.winnable) }
            dt { "games thrown away" } dd { (found.thrown_away) }
        }
        @if !thrown.is_empty() {
            div.wide tabindex="0" role="region" aria-label="Games thrown away" {
                table.sortable {
                    caption { "Games that ended worse for it than a position that it had, each with its first move that changed the value." }
                    thead { tr { th scope="col" { "game" } th scope="col" { "opponent" } th scope="col" { "ply" } th scope="col" { "move" } th scope="col" { "value" } th scope="col" { "better" } } }
                    tbody { @for row in thrown.iter().take(MOST_FAULTS) { (thrown_row(shown, engine, row)) } }
                }
            }
            @if thrown.len() > MOST_FAULTS { p { "and " (thrown.len() - MOST_FAULTS) " more" } }
        }
    }
}

fn thrown_row(shown: &Shown<'_>, engine: &EngineFacts, row: &ThrownRow) -> Markup {
    let facts = shown.facts;
    let game = &facts.games[row.game];
    let id = game.id.to_string();
    let page = shown.links.page(Page::Game(id.clone()));
    let sign = if page.contains('#') { '&' } else { '#' };
    let address = row.ply.as_ref().map_or(page.clone(), |ply| format!("{page}{sign}ply={}", ply.number));
    html! {
        tr {
            td { a href=(address) { (id) } }
            td { @for other in game.seats.iter().filter(|other| facts.engines[**other].name != engine.name) { (link(shown, *other)) " " } }
            @match &row.ply {
                Some(ply) => {
                    td { (ply.number) } td { (clean(&ply.review.text)) }
                    td { (ply.review.before) " → " (ply.review.played) } td { (values::better(ply)) }
                }
                None => { td {} td { "no move" } td { (game.termination) } td {} }
            }
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
                dt { "limit" } dd { (limit(&engine.control)) }
            }
            (plot::times(&engine.times))
        }
    }
}

/// The time control, in words where it is the time of each move.
fn limit(control: &str) -> String {
    match each_move(control) {
        words if words.is_empty() => control.to_owned(),
        words => format!("{words} ({control})"),
    }
}

fn history(facts: &RunFacts, engine: &EngineFacts) -> Markup {
    let moves: Vec<_> = facts.history.iter().filter(|moved| moved.engine == engine.name).collect();
    let points: Vec<LinePoint> = (moves.iter())
        .filter_map(|moved| {
            let (value, error) = moved.rating?;
            let change = if moved.changed { ", the program changed" } else { "" };
            let name = format!("run {}: {} ± {error:.0}{change}", moved.run, decimal(value, 0));
            Some(LinePoint { value, error, is_marked: moved.changed, name })
        })
        .collect();
    let has_rating = moves.iter().any(|moved| moved.rating.is_some());
    let has_program = moves.iter().any(|moved| moved.changed || moved.is_worse());
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
                    thead { tr { th scope="col" { "run" } th scope="col" { "finished" } th scope="col" { "rank" } th scope="col" { "results" } @if has_rating { th scope="col" { "Elo" } } @if has_program { th scope="col" { "program" } } } }
                    tbody { @for moved in moves.iter().rev() { tr {
                        td { (moved.run) } td { (moved.finished.get(..16).unwrap_or(&moved.finished).replace('T', " ")) } td { (moved.rank) } td { (counts(moved.games)) }
                        @if has_rating { td { @if let Some((elo, error)) = moved.rating { (decimal(elo, 0)) " ± " (decimal(error, 0)) } } }
                        @if has_program { td { @if moved.changed { "changed" } @if moved.is_worse() { ", worse" } } }
                    } } }
                }
            }
        }
    }
}
