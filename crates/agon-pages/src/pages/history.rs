//! The page of the history: every finished run, with ranks and ratings.

use agon_printable::{clean, decimal};
use agon_store::history::Moved;
use maud::{Markup, html};

use super::address::{Links, Page};
use super::crosstable::counts;
use super::gather::RunFacts;

/// The most runs that are shown, the newest first.
const MOST: usize = 60;

/// The standings of each finished run, the newest first.
pub(super) fn content(facts: &RunFacts, links: &Links) -> Markup {
    let runs: Vec<&[Moved]> = facts.history.chunk_by(|a, b| a.run == b.run).collect();
    html! {
        @if runs.is_empty() { p { "No run has been finished yet." } }
        @for run in runs.iter().rev().take(MOST) {
            @let first = &run[0];
            // In a first run nothing was before, and an early agon had no ratings.
            @let has_before = run.iter().any(|moved| moved.before.is_some());
            @let has_rating = run.iter().any(|moved| moved.rating.is_some());
            @let has_remark = run.iter().any(|moved| !remark(moved).is_empty());
            h2 { "Run " (first.run) ", " (first.finished.get(..16).unwrap_or("").replace('T', " ")) " UTC" }
            div.wide tabindex="0" role="region" aria-label={ "Run " (first.run) } {
                table.sortable {
                    caption { "Run " (first.run) }
                    thead { tr { th scope="col" { "#" } @if has_before { th scope="col" { "before" } } th scope="col" { "engine" } th scope="col" { "results" }
                        @if has_rating { th scope="col" { "Elo" } } @if has_remark { th scope="col" { "remark" } } } }
                    tbody { @for moved in *run { tr {
                        td { (moved.rank) }
                        @if has_before { td { @if let Some(before) = moved.before { (before) } } }
                        th scope="row" {
                            @match facts.number(&moved.engine) {
                                Some(number) => { a href=(links.page(Page::Engine(facts.engines[number].slug.clone()))) { (clean(&moved.engine)) } }
                                None => (clean(&moved.engine)),
                            }
                        }
                        td { (counts(moved.games)) }
                        @if has_rating { td { @if let Some((elo, error)) = moved.rating { (decimal(elo, 0)) " ± " (decimal(error, 0)) } } }
                        @if has_remark { td { (remark(moved)) } }
                    } } }
                }
            }
        }
        @if runs.len() > MOST { p { "and " (runs.len() - MOST) " earlier runs" } }
    }
}

fn remark(moved: &Moved) -> &'static str {
    match (moved.before, moved.changed) {
        (None, _) => "new",
        (_, true) if moved.is_worse() => "changed, worse",
        (_, true) => "changed",
        _ => "",
    }
}
