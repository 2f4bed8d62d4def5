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
            h2 { "Run " (first.run) ", " (first.finished.get(..16).unwrap_or("").replace('T', " ")) " UTC" }
            div.wide tabindex="0" role="region" aria-label={ "Run " (first.run) } {
                table.sortable {
                    caption { "Run " (first.run) }
                    thead { tr { th scope="col" { "#" } th scope="col" { "before" } th scope="col" { "engine" } th scope="col" { "results" } th scope="col" { "Elo" } th scope="col" { "remark" } } }
                    tbody { @for moved in *run { tr {
                        td { (moved.rank) }
                        td { @if let Some(before) = moved.before { (before) } }
                        th scope="row" {
                            @match facts.number(&moved.engine) {
                                Some(number) => { a href=(links.page(Page::Engine(facts.engines[number].slug.clone()))) { (clean(&moved.engine)) } }
                                None => (clean(&moved.engine)),
                            }
                        }
                        td { (counts(moved.games)) }
                        td { @if let Some((elo, error)) = moved.rating { (decimal(elo, 0)) " ± " (decimal(error, 0)) } }
                        td { (remark(moved)) }
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
