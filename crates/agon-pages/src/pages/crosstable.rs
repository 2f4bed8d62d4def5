//! The page of the crosstable. Each cell leads to the games of its pairing.

use agon_printable::clean;
use agon_standings::points::Wdl;
use agon_standings::table::Row;
use maud::{Markup, html};

use super::address::{Links, Page};
use super::gather::RunFacts;
use super::legend;
use crate::report::terminal::named_group;

/// Above this many engines the table would be megabytes; each engine's page has its line.
pub(super) const MOST: usize = 80;

/// Every engine against every other, the best first.
pub(super) fn content(facts: &RunFacts, links: &Links) -> Markup {
    if facts.engines.len() > MOST {
        return html! {
            p { "With more than " (MOST) " engines there is no crosstable. The page of each engine lists its results by opponent." }
        };
    }
    let engines = &facts.engines;
    let pairs = || (0..engines.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let groups: Vec<&[Row]> = facts.rows.chunk_by(|one, other| one.group == other.group).collect();
    let mut first = 0;
    let has_unplayed = pairs().any(|(one, other)| facts.unplayed(one, other).games() > 0);
    html! {
        p {
            (words(facts.standings.has_tables())) " It leads to those games. Points: " (legend::worth(facts.standings.scoring())) "."
            @if has_unplayed { " Behind them are the games that were not played and count, as an engine has withdrawn or the run was closed." }
        }
        div.wide tabindex="0" role="region" aria-label="Crosstable" {
            table.sortable.cross {
                caption { "Crosstable" }
                thead { tr {
                    th scope="col" { abbr title="the number of its column" { "no." } } th scope="col" { "engine" } th scope="col" { "points" }
                    @for (at, engine) in engines.iter().enumerate() {
                        th scope="col" title=(clean(&engine.name)) { (at + 1) }
                    }
                } }
                @for group in &groups {
                    @let own = first..first + group.len();
                    @let () = first = own.end;
                    tbody {
                        @if groups.len() > 1 { tr.group { th scope="rowgroup" colspan=(engines.len() + 3) { (named_group(&group[0])) } } }
                        @for at in own { (row(facts, links, at)) }
                    }
                }
            }
        }
    }
}

fn row(facts: &RunFacts, links: &Links, at: usize) -> Markup {
    let engine = &facts.engines[at];
    html! {
        tr {
            td { (at + 1) }
            th scope="row" { a href=(links.page(Page::Engine(engine.slug.clone()))) { (clean(&engine.name)) } }
            td { (facts.rows[at].points) }
            @for other in 0..facts.engines.len() { (cell(facts, links, at, other)) }
        }
    }
}

/// What a cell counts, with more than two seats or with two.
fn words(tables: bool) -> &'static str {
    match tables {
        true => {
            "Each cell counts the games that both played: those in which the engine of the row was placed \
             ahead (+), shared a place (=) and was placed behind (−)."
        }
        false => "Each cell counts the games that the engine of the row won (+), drew (=) and lost (−).",
    }
}

fn cell(facts: &RunFacts, links: &Links, one: usize, other: usize) -> Markup {
    let (games, unplayed) = (facts.between(one, other), facts.unplayed(one, other));
    let all = games + unplayed;
    if one == other || all.games() == 0 {
        return html! { td { @if one == other { "·" } } };
    }
    let share = (all.wins as f64 + all.draws as f64 / 2.0) / all.games() as f64;
    let engine = links.here().beside(Page::Engine(facts.engines[one].slug.clone()));
    let element = format!("vs-{}", facts.engines[other].slug);
    html! {
        td data-sort=(format!("{share:.4}")) class=(heat(share)) {
            @if games.games() > 0 { a href=(links.to_element(&engine, &element)) { (counts(games)) } " " }
            @if unplayed.games() > 0 { (counts(unplayed)) " unplayed" }
        }
    }
}

/// Five shades; the counts say the same in numbers.
fn heat(share: f64) -> &'static str {
    match share {
        0.8.. => "h5",
        0.6.. => "h4",
        0.4.. => "h3",
        0.2.. => "h2",
        _ => "h1",
    }
}

/// `+14 =40 −7`.
pub(super) fn counts(games: Wdl) -> String {
    format!("+{} ={} −{}", games.wins, games.draws, games.losses)
}
