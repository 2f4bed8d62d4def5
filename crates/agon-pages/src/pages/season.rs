//! The first page of a league: the divisions of the last night, the season, and the nights, the
//! last one first.

use std::collections::HashMap;

use agon_printable::clean;
use agon_standings::points::{Amount, Wdl};
use maud::{Markup, html};

use super::address::Page;
use super::cup::{self, CupPage, Stage};
use super::gather::RunFacts;
use super::legend;
use super::standings;
use super::story;

/// The most nights of which the table of the season has the place of an engine.
const NIGHTS: usize = 10;

/// Whether these stages are the nights of a league.
pub(super) fn is_league(stages: &[RunFacts]) -> bool {
    let is_night = |facts: &RunFacts| facts.stage.as_ref().is_some_and(|(spec, _)| spec.is_night());
    !stages.is_empty() && stages.iter().all(is_night)
}

/// Who leads where, the season, and the nights.
pub(super) fn content(page: &CupPage<'_>) -> Markup {
    let shown = page.shown();
    html! {
        (page.event())
        @if let Some(last) = shown.last() {
            (cup::champions(&shown))
            (standings::about_game(last.facts))
            h2 { "Divisions of " (clean(&last.spec.name)) }
            p { "The numbers are points: " (legend::worth(last.facts.standings.scoring())) "." }
            (last.columns())
            h2 { "The season" }
            (season(&shown, last))
        }
        // Those of the last night that has begun.
        @if let Some(night) = shown.iter().rev().find(|night| !night.facts.games.is_empty()) {
            (story::games_to_look_at(night.facts, &|to| page.to(night.facts, to), &page.has_replay[night.number], true))
        }
        h2 { "The nights" }
        ul { @for night in page.stages.iter().rev() { li { (page.stage(night)) } } }
    }
}

/// What an engine did in all nights.
#[derive(Default)]
struct Season {
    nights: usize,
    games: Wdl,
    /// The points of all nights, those for games that were not played too.
    points: Amount,
    /// The nights that it won: it was the first of the first division.
    won: usize,
    /// Its division and its place on each night, both from 1; `None` where it did not play.
    places: Vec<Option<(usize, usize)>>,
    /// The number of the last night that it played.
    last: usize,
}

/// The table of all engines: in the order of the last night, and those that have left below.
fn season(shown: &[Stage<'_>], last: &Stage<'_>) -> Markup {
    let mut all: HashMap<&str, Season> = HashMap::new();
    for (at, night) in shown.iter().enumerate() {
        let sums = night.derived.sums();
        for (entrant, name) in night.derived.field.names.iter().enumerate() {
            let own = all.entry(name).or_default();
            own.nights += 1;
            own.games += sums[entrant].games;
            own.points += sums[entrant].points;
            own.last = at;
            let Some((group, rank)) = night.rank(entrant) else { continue };
            own.places.resize(at, None);
            own.places.push(Some((group + 1, rank)));
            let winner = night.derived.progress.result.as_ref().and_then(|all| all.first()?.order.first());
            own.won += usize::from(winner == Some(&entrant));
        }
    }
    let mut order: Vec<(&str, Season)> = all.into_iter().collect();
    order.sort_by_key(|(name, own)| {
        (usize::MAX - own.last, own.places.last().copied().flatten().unwrap_or((usize::MAX, 0)), *name)
    });
    let first = shown.len().saturating_sub(NIGHTS);
    html! {
        div.wide tabindex="0" role="region" aria-label="The season" {
            table.sortable {
                caption { "The season" }
                thead { tr {
                    th scope="col" { "engine" } th scope="col" { "nights" } th scope="col" { "won" }
                    th scope="col" { "games" } th scope="col" { "+" } th scope="col" { "=" } th scope="col" { "-" } th scope="col" { "points" }
                    @for night in &shown[first..] { th scope="col" { (clean(&night.spec.name)) } }
                } }
                tbody { @for (name, own) in &order { tr {
                    th scope="row" id=(last.page.links.id(&last.page.way(name))) {
                        @let facts = shown[own.last].facts;
                        @match facts.number(name) {
                            Some(number) => { a href=(last.page.to(facts, Page::Engine(facts.engines[number].slug.clone()))) { (clean(name)) } }
                            None => (clean(name)),
                        }
                    }
                    td { (own.nights) } td { (own.won) }
                    td { (own.games.games()) } td { (own.games.wins) } td { (own.games.draws) } td { (own.games.losses) }
                    td { (own.points) }
                    @for at in first..shown.len() {
                        td { @if let Some((division, place)) = own.places.get(at).copied().flatten() { (division) "." (place) } }
                    }
                } } }
            }
        }
        p {
            "won: nights as the first of the first division; 2.1: the first place of the second division. The order is that of "
            (clean(&last.spec.name)) ", and who did not play then is below."
        }
    }
}
