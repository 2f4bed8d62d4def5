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

    /// The sizes of the groups, if they are not those of a new draw.
    pub(super) fn irregular_groups(&self, stage: &CupStage) -> Option<Vec<usize>> {
        let groups: Vec<usize> = self.field.groups.iter().map(Vec::len).collect();
        (groups != cup::sizes(stage.shape, self.field.names.len())).then_some(groups)
    }

    /// Computes the state again, after games were played.
    pub(super) fn read(&mut self, store: &Store, stage: &CupStage) -> anyhow::Result<()> {
        self.games = store.results()?;
        (self.progress, self.scores) = derived(stage, &self.field, &self.games);
        Ok(())
    }
}

/// What becomes of a stage whose entrants have changed since it began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OnChange {
    /// If it is over, it is final. If not, its groups are drawn again.
    Final,
    /// It is played again as far as results change. In the first stage, entrants stay in their
    /// groups, and new ones join the smallest.
    PlayAgain,
}

/// The stage in this directory.
pub(super) fn begun(
    stages: &[CupStage],
    number: usize,
    pots: &[Vec<String>],
    seed: u64,
    path: &Path,
    on_change: OnChange,
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
    let groups = stored_groups(&store, stage)?;
    let stored = |groups: &[Vec<String>]| cup::of_groups(stages, number, groups, cup::seed_of(seed, number));
    let field = match on_change {
        OnChange::Final => {
            let mut there = empty(stored(&groups));
            there.read(&store, stage)?;
            if there.progress.result.is_some() {
                return Ok(there);
            }
            fresh
        }
        // The draw of a later stage follows from the results before.
        OnChange::PlayAgain if number > 0 => fresh,
        OnChange::PlayAgain => match cup::regrouped(stage, &groups, &fresh.names) {
            Some(groups) => stored(&groups),
            None => fresh,
        },
    };
    let mut state = empty(field);
    state.read(&store, stage)?;
    Ok(state)
}

/// The groups of a stage that has begun.
fn stored_groups(store: &Store, stage: &CupStage) -> anyhow::Result<Vec<Vec<String>>> {
    let names = store.entrants()?;
    let sizes = match store.group_sizes()? {
        Some(sizes) if sizes.iter().sum::<usize>() == names.len() => sizes,
        _ => cup::sizes(stage.shape, names.len()),
    };
    let mut left = &names[..];
    let group = |size| {
        let (group, rest) = left.split_at(size);
        left = rest;
        group.to_vec()
    };
    Ok(sizes.into_iter().map(group).collect())
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
        all.entry(game.pairing).or_insert((names, Score::default())).1.add(places, faults);
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
