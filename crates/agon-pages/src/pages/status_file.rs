//! `status.json`: a small file for the pages of others.

use agon_export::verdicts::{self, CandidateVerdict};
use agon_store::ranking::{DerivedStage, StageSpec};
use serde_json::json;

use super::asked::Asked;
use super::gather::RunFacts;

/// What was found last of new versions of engines. A file that cannot be read is none: the pages
/// are about other games.
fn verdicts_of(asked: &Asked) -> Vec<serde_json::Value> {
    /// The most of them.
    const VERDICTS: usize = 3;
    let all = asked.parts.iter().flat_map(|part| verdicts::verdicts(&part.path).unwrap_or_default());
    let all: Vec<CandidateVerdict> = all.collect();
    let last = all.iter().skip(all.len().saturating_sub(VERDICTS));
    last.map(|one| {
        let line: String = one.line.chars().take(200).collect();
        json!({ "result": one.result, "line": line, "finished": one.finished })
    })
    .collect()
}

/// The ranks of all divisions of a night.
fn divisions(spec: &StageSpec, night: &DerivedStage) -> Vec<serde_json::Value> {
    let sums = night.sums();
    let of = |(title, order): (&String, &Vec<(usize, usize)>)| {
        let rows = order.iter().map(|(entrant, rank)| {
            let name: String = agon_printable::clean(&night.field.names[*entrant]).chars().take(60).collect();
            json!({ "rank": rank, "engine": name, "points": sums[*entrant].points.to_f64() })
        });
        json!({ "title": title, "standings": rows.collect::<Vec<_>>() })
    };
    spec.titles.iter().zip(&night.progress.orders).map(of).collect()
}

/// A small file for other people's pages: how far it is, and who leads.
pub(super) fn status(all: &[RunFacts], asked: &Asked) -> String {
    /// The most places that it has.
    const PLACES: usize = 10;
    /// It stays below 2 kB: it has fewer places where names are long.
    const BYTES: usize = 1_900;
    let last = all.iter().rev().find(|facts| facts.status.done > 0).or(all.first());
    let places = |facts: &RunFacts| -> Vec<serde_json::Value> {
        let rows = facts.rows.iter().take(asked.view.top.unwrap_or(PLACES).min(PLACES));
        rows.map(|row| {
            let name: String = agon_printable::clean(&row.entrant).chars().take(60).collect();
            json!({ "rank": row.rank, "engine": name, "games": row.tally.total().games(), "points": row.points.to_f64() })
        })
        .collect()
    };
    let sum = |of: fn(&RunFacts) -> u64| all.iter().map(of).sum::<u64>();
    let mut status = json!({
        "agon": env!("CARGO_PKG_VERSION"),
        "name": asked.site.chars().take(100).collect::<String>(),
        "revision": sum(|facts| facts.status.done + facts.status.void + facts.status.history),
        "planned": sum(|facts| facts.status.planned),
        "running": all.iter().any(|facts| facts.status.holder.is_some()),
        "over": all.iter().all(|facts| facts.status.is_over),
        "seconds_left": last.and_then(|facts| facts.status.left).map(|left| left.as_secs()),
    });
    if !asked.view.hide_results {
        let told = verdicts_of(asked);
        if !told.is_empty() {
            status["candidates"] = json!(told);
        }
        status["done"] = json!(sum(|facts| facts.status.done));
        status["stage"] = json!(last.and_then(|facts| facts.part.clone()));
        let mut left = BYTES.saturating_sub(status.to_string().len());
        let mut places = last.map(places).unwrap_or_default();
        places.retain(|place| {
            left = left.saturating_sub(place.to_string().len() + 1);
            left > 0
        });
        status["standings"] = json!(places);
        if let Some((spec, night)) =
            last.and_then(|facts| facts.stage.as_ref()).filter(|(spec, _)| spec.is_night())
        {
            status["divisions"] = json!(divisions(spec, night));
        }
    }
    format!("{status}\n")
}
