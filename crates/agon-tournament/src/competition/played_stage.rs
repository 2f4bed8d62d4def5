//! The state of one stage of a cup, computed from its directory.

use std::collections::HashSet;
use std::path::Path;

use agon_programs::program::display_path;
use agon_standings::cup::{self, CupStage};
use agon_standings::matches::Scores;
use agon_standings::stage::{self, Field, StageProgress, StageRules};
use agon_standings::sums::{self, Sum};
use agon_standings::tiebreaks::TieBreak;
use agon_store::ranking::{RankingSpec, StageSpec};
use agon_store::scores::{self, GameResult};
use agon_store::{Store, StoredWithdrawal};
use anyhow::Context;

/// A stage that has begun or is over.
pub struct PlayedStage {
    /// Who plays in it, and in which groups.
    pub field: Field<String>,
    /// The matches, as far as they are known.
    pub progress: StageProgress,
    /// The points of those who play.
    pub scores: Scores,
    /// Every game that has a result, also one that counts for nobody.
    pub games: Vec<GameResult>,
    /// Its tie-breaks: a stage that is over keeps those that decided it.
    tiebreaks: Vec<TieBreak>,
    /// The names of the stages after it.
    later: Vec<String>,
    /// Of a night of a league: how many go up from each division but the first, and as many down.
    pub moves: Option<usize>,
    /// After this many pairs of games, two entrants meet in start positions that differ.
    pub varied_after: Option<u32>,
}

impl PlayedStage {
    /// A stage without games.
    pub fn new(stage: &CupStage, field: Field<String>) -> Self {
        PlayedStage {
            progress: stage::progress(&stage.rules, &field, &Scores::new()),
            varied_after: stage.has_play_offs(&field).then(|| stage.rules.pairs()),
            field,
            scores: Scores::new(),
            games: Vec::new(),
            tiebreaks: stage.rules.tiebreaks.clone(),
            later: Vec::new(),
            moves: None,
        }
    }

    /// The sums of all entrants, in the order of the field.
    pub fn sums(&self, stage: &CupStage) -> Vec<Sum> {
        sums::sums(&stage.rules, &self.field, &self.progress, &self.scores)
    }

    /// How the stage ranks its entrants, for its database.
    pub fn ranking(&self, stage: &CupStage) -> RankingSpec {
        let CupStage { name, rules, .. } = stage;
        let Field { groups, titles, cuts, .. } = &self.field;
        RankingSpec {
            tiebreaks: self.tiebreaks.clone(),
            stage: Some(StageSpec {
                name: name.clone(),
                format: rules.format,
                games: rules.games,
                play_off_games: rules.play_off_games,
                play_offs: rules.play_offs,
                sizes: groups.iter().map(Vec::len).collect(),
                titles: titles.clone(),
                cuts: cuts.clone(),
                later: self.later.clone(),
                moves: self.moves,
            }),
        }
    }

    /// The games that count, as in the standings: none that repeats another one, and none that the
    /// organiser has made void.
    pub fn counting(&self) -> impl Iterator<Item = &GameResult> {
        self.games.iter().filter(|game| !game.is_repeat)
    }

    /// The games that count of its matches, without those of play-offs.
    pub fn without_play_offs(&self) -> Vec<&GameResult> {
        let main = self.progress.matches.iter().filter(|one| one.play_off == 0);
        let main: HashSet<u32> = main.map(|one| one.pairing.pairing).collect();
        self.counting().filter(|game| main.contains(&game.pairing)).collect()
    }

    /// Each bye and each match won by forfeit, as an entrant and the number of games won.
    pub fn byes(&self, stage: &CupStage) -> Vec<(&str, u64)> {
        let name = |entrant: usize| self.field.names[entrant].as_str();
        let bye = |entrant: &usize| (name(*entrant), u64::from(stage.rules.games));
        let main = self.progress.matches.iter().filter(|one| one.play_off == 0);
        let forfeits = main.filter_map(|one| Some((one.pairing, self.scores.get(&one.pairing.pairing)?)));
        let forfeits = forfeits.flat_map(|(pairing, score)| {
            let games = score.unplayed.games;
            [(name(pairing.first), games.wins), (name(pairing.second), games.losses)]
        });
        self.progress.byes.iter().map(bye).chain(forfeits.filter(|(_, games)| *games > 0)).collect()
    }

    /// The names of those who have withdrawn.
    pub fn withdrawn(&self) -> impl Iterator<Item = &str> {
        self.field.absences.iter().map(|one| self.field.names[one.entrant].as_str())
    }

    /// How the ties that mattered were decided, in words; nothing while the stage is not over.
    pub fn ties(&self) -> impl Iterator<Item = &String> {
        self.progress.result.iter().flatten().flat_map(|ranking| &ranking.words)
    }

    /// Computes the state again, after games were played.
    pub fn read(&mut self, store: &Store, stage: &CupStage) -> anyhow::Result<()> {
        self.games = store.results()?;
        let withdrawn = store.withdrawn()?;
        self.field.absences = withdrawn.absences(&self.field.names);
        self.field.late = withdrawn.late(&self.field.names);
        self.field.closing = withdrawn.closing();
        let rules = StageRules { tiebreaks: self.tiebreaks.clone(), ..stage.rules.clone() };
        (self.progress, self.scores) = scores::progress(&rules, &self.field, &self.games);
        Ok(())
    }
}

/// What becomes of a stage whose entrants have changed since it began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnChange {
    /// If it is over, it is final. If not, its groups are drawn again.
    Final,
    /// It is played again as far as results change. In the first stage, entrants stay in their
    /// groups, and new ones join the smallest.
    PlayAgain,
}

/// The stage in this directory.
pub fn begun(
    stages: &[CupStage],
    number: usize,
    pots: &[Vec<String>],
    seed: u64,
    path: &Path,
    on_change: OnChange,
) -> anyhow::Result<PlayedStage> {
    let fresh = cup::field(stages, number, pots, seed);
    let stage = &stages[number];
    let later: Vec<String> = stages[number + 1..].iter().map(|stage| stage.name.clone()).collect();
    let empty = |field| PlayedStage { later: later.clone(), ..PlayedStage::new(stage, field) };
    if !Store::is_in(path) || Store::seed_in(path)?.is_none() {
        return Ok(empty(fresh));
    }
    let store = Store::read(path).with_context(|| format!("cannot go on with {}", display_path(path)))?;
    let groups = stored_groups(&store, stage)?;
    let stored = |groups: &[Vec<String>]| cup::of_groups(stages, number, groups, cup::seed_of(seed, number));
    let field = match on_change {
        OnChange::Final => {
            let mut there = empty(stored(&groups));
            if let Some(ranking) = store.ranking()? {
                there.tiebreaks = ranking.tiebreaks;
            }
            there.read(&store, stage)?;
            if there.progress.result.is_some() {
                return Ok(there);
            }
            match with_late(&store, groups)? {
                Some(groups) => stored(&groups),
                None => fresh,
            }
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

/// The groups of a stage that somebody has joined late or in the place of another, with those who
/// join now; `None` if nobody has.
pub(super) fn with_late(
    store: &Store,
    mut groups: Vec<Vec<String>>,
) -> anyhow::Result<Option<Vec<Vec<String>>>> {
    let withdrawn = store.withdrawn()?;
    // Nobody comes any more into a run that is closed.
    let is_open = withdrawn.closing().is_none();
    let comes = |made: &&StoredWithdrawal| is_open && made.from > 0 && made.by.is_some();
    let mut made: Vec<_> = withdrawn.all().filter(comes).collect();
    // One that has come in the place of another may itself be replaced after that.
    made.sort_by_key(|made| made.decided);
    let places: Vec<(&str, String)> =
        made.into_iter().filter_map(|made| Some((made.engine.as_str(), made.by.clone()?))).collect();
    if places.is_empty() && withdrawn.entries().is_empty() {
        return Ok(None);
    }
    for (engine, by) in places {
        if let Some(group) = groups.iter_mut().find(|group| group.iter().any(|name| name == engine))
            && !group.contains(&by)
        {
            group.push(by);
        }
    }
    let Some(last) = groups.last_mut() else { return Ok(None) };
    for entry in withdrawn.entries() {
        if !last.contains(&entry.engine) {
            last.push(entry.engine.clone());
        }
    }
    Ok(Some(groups))
}

/// The groups of a stage that has begun.
fn stored_groups(store: &Store, stage: &CupStage) -> anyhow::Result<Vec<Vec<String>>> {
    let names = store.entrants()?;
    let sizes = match store.ranking()?.and_then(|ranking| ranking.stage).map(|stage| stage.sizes) {
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
