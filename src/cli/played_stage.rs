//! The state of one stage of a cup, computed from its directory.

use std::collections::HashMap;
use std::path::Path;

use agon_standings::cup::{self, CupStage};
use agon_standings::matches::{Score, Scores};
use agon_standings::stage::{self, Field, StageProgress};
use agon_standings::sums::{self, Sum};
use anyhow::Context;

use crate::engine::program::display_path;
use crate::store::Store;
use crate::store::scores::GameResult;

/// A stage that has begun or is over.
pub(super) struct PlayedStage {
    pub(super) field: Field<String>,
    pub(super) progress: StageProgress,
    pub(super) scores: Scores,
    /// Every game that counts.
    pub(super) games: Vec<GameResult>,
}

impl PlayedStage {
    /// The sums of all entrants, in the order of the field.
    pub(super) fn sums(&self, stage: &CupStage) -> Vec<Sum> {
        sums::sums(&stage.rules, self.field.names.len(), &self.progress, &self.scores)
    }

    /// Computes the state again, after games were played.
    pub(super) fn read(&mut self, store: &Store, stage: &CupStage) -> anyhow::Result<()> {
        self.games = store.results()?;
        (self.progress, self.scores) = derived(stage, &self.field, &self.games);
        Ok(())
    }
}

/// The stage in this directory. A stage that has begun keeps its groups, unless an entrant has come
/// or gone before its end.
pub(super) fn begun(
    stages: &[CupStage],
    number: usize,
    pots: &[Vec<String>],
    seed: u64,
    path: &Path,
) -> anyhow::Result<PlayedStage> {
    let fresh = cup::field(stages, number, pots, seed);
    let stage = &stages[number];
    let empty = |field| PlayedStage {
        progress: stage::progress(&stage.rules, &field, &Scores::new()),
        field,
        scores: Scores::new(),
        games: Vec::new(),
    };
    if !Store::is_in(path) || Store::seed_in(path)?.is_none() {
        return Ok(empty(fresh));
    }
    let store = Store::read(path).with_context(|| format!("cannot go on with {}", display_path(path)))?;
    let names = store.entrants()?;
    let mut left = &names[..];
    let groups: Vec<Vec<String>> = cup::sizes(stage.shape, names.len())
        .into_iter()
        .map(|size| {
            let (group, rest) = left.split_at(size);
            left = rest;
            group.to_vec()
        })
        .collect();
    let mut there = empty(cup::of_groups(stages, number, &groups, cup::seed_of(seed, number)));
    there.read(&store, stage)?;
    if there.progress.result.is_some() || there.field.names == fresh.names {
        return Ok(there);
    }
    let mut anew = empty(fresh);
    anew.read(&store, stage)?;
    Ok(anew)
}

/// The progress of a stage and the scores of its matches, from the games that count. Games of no
/// present match are ignored; they exist when an entrant has come or gone.
fn derived(stage: &CupStage, field: &Field<String>, games: &[GameResult]) -> (StageProgress, Scores) {
    let mut all: HashMap<u32, ([&str; 2], Score)> = HashMap::new();
    for game in games {
        let (mut names, mut places, mut faults) =
            ([game.names[0].as_str(), game.names[1].as_str()], game.places, game.faults);
        if game.game % 2 == 0 {
            names.reverse();
            places.reverse();
            faults.reverse();
        }
        let score = &mut all.entry(game.pairing).or_insert((names, Score::default())).1;
        if game.is_repeat {
            score.repeats += 1;
        } else {
            score.add(places, faults);
        }
    }
    let mut scores = Scores::new();
    loop {
        let progress = stage::progress(&stage.rules, field, &scores);
        let known = scores.len();
        for one in &progress.matches {
            let pairing = one.pairing;
            let names = [field.names[pairing.first].as_str(), field.names[pairing.second].as_str()];
            if let Some((_, score)) = all.get(&pairing.pairing).filter(|(there, _)| *there == names) {
                scores.insert(pairing.pairing, *score);
            }
        }
        if scores.len() == known {
            return (progress, scores);
        }
    }
}
