//! The first page of a cup: its stages, and its bracket.

use agon_printable::clean;
use maud::{Markup, PreEscaped, html};

use super::address::{Address, Links, Page};
use super::gather::RunFacts;
use super::standings;
use super::view::View;

/// The stages in their order, and the bracket as SVG and as text.
pub(super) fn content(stages: &[RunFacts], bracket: Option<&Bracket>, view: &View, links: &Links) -> Markup {
    html! {
        ol {
            @for stage in stages {
                li {
                    a href=(links.to(&Address { part: stage.part.clone(), page: Page::Standings })) { (clean(&stage.title)) }
                    ". " (standings::state(stage, view))
                    @if !view.hide_results { (leaders(stage)) }
                }
            }
        }
        @if let Some(bracket) = bracket.filter(|_| !view.hide_results) {
            h2 { "Bracket" }
            div.wide tabindex="0" role="region" aria-label="Bracket" { (PreEscaped(&bracket.svg)) }
            details { summary { "The bracket as text" } pre { (bracket.text) } }
        }
    }
}

/// The bracket of a cup in both forms.
pub(super) struct Bracket {
    /// As SVG, escaped.
    pub(super) svg: String,
    /// As text.
    pub(super) text: String,
}

fn leaders(stage: &RunFacts) -> String {
    let first = stage.rows.iter().filter(|row| row.rank == 1 && stage.status.done > 0);
    let names: Vec<String> = first.take(4).map(|row| clean(&row.entrant)).collect();
    match (names.is_empty(), stage.status.is_over) {
        (true, _) => String::new(),
        (_, true) => format!(" First: {}.", names.join(", ")),
        _ => format!(" Leading: {}.", names.join(", ")),
    }
}
