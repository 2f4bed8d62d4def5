//! How much of what a grade depends on was played: the line that stands with each grade.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use agon_store::{Filter, Store};

use super::achievements::CupResults;

/// The games of each engine in which others kept it from a processor during a turn.
pub(super) fn overloaded(directories: &[PathBuf]) -> anyhow::Result<HashMap<String, usize>> {
    let mut all: HashMap<String, usize> = HashMap::new();
    for directory in directories.iter().filter(|directory| Store::is_in(directory)) {
        Store::read(directory)?.games(&Filter::default(), |stored| {
            if stored.record.decided().is_none() {
                return Ok(());
            }
            for seat in stored.record.seats.values().iter() {
                if seat.spent.iter().any(|turn| !turn.starved.is_zero()) {
                    *all.entry(seat.entrant.clone()).or_default() += 1;
                }
            }
            Ok(())
        })?;
    }
    Ok(all)
}

/// `met 8 of 8 opponents and 2 of 2 baselines; 0 games under overload`. The opponents are those of
/// the engine's group in the first stage.
pub(super) fn line(name: &str, cup: &CupResults<'_>, baselines: &[&str], overloaded: usize) -> String {
    let met: BTreeSet<&str> = (cup.games.iter())
        .filter(|game| game.names.iter().any(|one| one == name))
        .flat_map(|game| &game.names)
        .map(String::as_str)
        .filter(|other| *other != name)
        .collect();
    let own = cup.groups.iter().find(|group| group.iter().any(|one| one == name));
    let all: Vec<&str> = match own {
        Some(group) => group.iter().map(String::as_str).collect(),
        None => met.iter().copied().collect(),
    };
    let is_baseline = |other: &&str| baselines.contains(other);
    let opponents: Vec<&str> =
        all.into_iter().filter(|other| *other != name && !is_baseline(other)).collect();
    let count = opponents.iter().filter(|other| met.contains(**other)).count();
    let of_baselines = match baselines.iter().filter(|one| **one != name).count() {
        0 => String::new(),
        all => {
            format!(" and {} of {all} baselines", baselines.iter().filter(|one| met.contains(**one)).count())
        }
    };
    let games = if overloaded == 1 { "game" } else { "games" };
    format!("met {count} of {} opponents{of_baselines}; {overloaded} {games} under overload", opponents.len())
}
