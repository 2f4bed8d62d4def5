//! The page about the run: its conditions, the machine, the isolation, and whether the machine was
//! slow.

use agon_printable::{clean, counted};
use maud::{Markup, html};

use super::gather::RunFacts;
use super::plot;
use super::view::View;

/// How the games were played.
pub(super) fn content(facts: &RunFacts, view: &View) -> Markup {
    let last = facts.runs.last();
    html! {
        h2 { "Conditions" }
        dl.facts {
            @if let Some(run) = last {
                dt { "event" } dd { (clean(facts.event_title().unwrap_or(&run.event))) }
                dt { "agon" } dd { (clean(&run.agon)) }
                dt { "points" } dd { (run.points) }
                @for (name, value) in run.terms.iter().filter(|(name, _)| *name != "seed" || facts.shows_seed(view)) { dt { (clean(name)) } dd { (clean(value)) } }
            }
            // Imported games count as they did where they were played.
            @if last.is_none() { dt { "points" } dd { (facts.standings.scoring()) } }
            @if let Some((first, end)) = facts.machine.span {
                dt { "played" } dd { (date(first)) " to " (date(end)) " UTC" }
            }
        }
        @if view.is_staff() { (programs(facts)) }
        h2 { "Isolation" }
        @if facts.machine.isolation.is_empty() { p { "The games have no record of it." } }
        @for ((level, in_force), games) in &facts.machine.isolation {
            p { b { (level) } ", in " (counted(*games, "game")) @if !in_force.is_empty() { ": " (in_force.join("; ")) } "." }
        }
        @for ([engine, place, level], games) in &facts.machine.elsewhere {
            p { (clean(engine)) ", " (if view.is_staff() { clean(place) } else { "elsewhere".to_owned() }) ": its command at the level " b { (clean(level)) } ", in " (games) " games." }
        }
        h2 { "The machine" }
        @if let Some(run) = last { p { (clean(machine(&run.machine, view))) "." } }
        p { (sentence(facts, view)) }
    }
}

/// The machine of a run. Its name, which comes first, is for the staff.
fn machine<'a>(machine: &'a str, view: &View) -> &'a str {
    match machine.split_once(", ") {
        Some((_, rest)) if !view.is_staff() => rest,
        _ => machine,
    }
}

/// The engines with the places of their programs and their versions.
fn programs(facts: &RunFacts) -> Markup {
    html! {
        @if let Some(run) = facts.runs.last() {
            h2 { "Programs" }
            div.wide tabindex="0" role="region" aria-label="Programs" { table.sortable {
                caption { "Programs. They are shown to the staff alone." }
                thead { tr { th scope="col" { "engine" } th scope="col" { "time" } th scope="col" { "hash" } th scope="col" { "from" } } }
                tbody { @for player in &run.players { tr {
                    th scope="row" { (clean(&player.name)) } td { (player.control) } td { code { (player.hash.get(..12).unwrap_or(&player.hash)) } } td.text { (clean(&player.source)) }
                } } }
            } }
        }
    }
}

/// Whether the machine, not an engine, was slow.
fn sentence(facts: &RunFacts, view: &View) -> String {
    let machine = &facts.machine;
    let late = plot::time(machine.worst_lateness);
    if machine.crowded == 0 {
        return format!(
            "The machine was quiet: in no game did a process wait for a processor in more than 10 % of the time. \
             The harness woke up at most {late} late."
        );
    }
    let mut text = format!(
        "The machine was busy: in {} of {} games some process waited for a processor in more than 10 % of the time. \
         The harness woke up at most {late} late, and a deadline moves by as much.",
        machine.crowded,
        facts.games.len()
    );
    if machine.crowded_time_forfeits > 0 && !view.hide_results {
        text.push_str(&format!(
            " {} of these games were lost on time; there the machine may have been slow, not the engine.",
            machine.crowded_time_forfeits
        ));
    }
    text
}

fn date(seconds: i64) -> String {
    chrono::DateTime::from_timestamp(seconds, 0)
        .map(|at| at.format("%Y-%m-%d %H:%M").to_string())
        .unwrap_or_default()
}
