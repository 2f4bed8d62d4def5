//! A tournament in stages: each is played to its end, cut, and the next drawn from who is left.
//!
//! What there is to play is made anew from the results each time, so that it can be stopped at any moment. A stage that
//! is over stays as it is, whatever becomes of the engines that played it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use agon_games::Rules;
use agon_standings::cup::{self, CupStage};
use agon_standings::matches::{Score, Scores};
use agon_standings::stage::{self, Field, Format, StageProgress};
use agon_standings::sums::{self, Sum};
use anyhow::Context;

use super::run_dir::RunDir;
use super::tryout::{self, TryoutVerdict};
use super::{code_of, cup_files, entrants, isolation, settings, stages};
use crate::config::stages::CupFile;
use crate::config::{Misuse, Options};
use crate::engine::program::display_path;
use crate::engine::spec::EngineSpec;
use crate::export::directory::Directory;
use crate::export::events::Events;
use crate::keeper::{self, RunContext};
use crate::progress::{PlannedWork, Progress as Face};
use crate::report::columns::columns;
use crate::run::{self, Run, Sinks};
use crate::store::Store;
use crate::store::scores::GameResult;

/// What all stages have in common.
pub(super) struct Cup<'a> {
    pub(super) file: CupFile,
    pub(super) options: Options,
    pub(super) rules: Arc<dyn Rules>,
    pub(super) engines: Vec<EngineSpec>,
    /// What it is called.
    pub(super) event: String,
    /// Only this stage is to be played, from 1.
    pub(super) only: Option<usize>,
    pub(super) again: bool,
    /// Whether engines are tried before the first stage, and who cannot play is told.
    pub(super) check: bool,
    pub(super) quiet: bool,
    pub(super) tell: &'a dyn Fn(&str),
}

/// A stage as far as it has come.
pub(super) struct PlayedStage {
    pub(super) field: Field<String>,
    pub(super) progress: StageProgress,
    pub(super) scores: Scores,
    pub(super) shorts: Vec<GameResult>,
}

impl Cup<'_> {
    /// Plays every stage, or the one that is asked for, and shows the bracket.
    pub(super) fn play(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let to_stderr = settings::stdout_is_events(&self.options);
        let (code, stages, played) = self.play_all(context)?;
        cup_files::show(&stages, &played, to_stderr)?;
        Ok(code)
    }

    /// Plays every stage, or the one that is asked for, and keeps what there is to keep.
    pub(super) fn play_all(
        mut self,
        context: &RunContext,
    ) -> anyhow::Result<(ExitCode, Vec<CupStage>, Vec<PlayedStage>)> {
        let root = self.options.out.clone().unwrap_or_else(|| PathBuf::from("agon-run"));
        let control = self.options.time_control()?;
        let stages = stages::of_file(&self.file, &self.options, settings::points(&self.options)?)?;
        if self.only.is_some_and(|only| only == 0 || only > stages.len()) {
            return Err(Misuse::error(format!("--stage: there are stages 1 to {}", stages.len())));
        }
        if self.options.seed.is_none() {
            self.options.seed = Store::seed_in(&home_of(&self.file, &root, 0))?;
        }
        let whole = settings::run(&self.options, self.rules.clone(), self.engines.clone(), control)?;
        self.options.seed = Some(whole.seed);
        entrants::arguments(&whole, context)?;
        if !self.quiet {
            isolation::warn(&whole);
        }
        if self.check {
            self.try_out(&whole, context)?;
        }
        let mut names: Vec<String> = self.engines.iter().map(|engine| engine.name.clone()).collect();
        names.sort();
        let begun_with = home_of(&self.file, &root, 0);
        let count = if Store::is_in(&begun_with) && Store::seed_in(&begun_with)?.is_some() {
            Store::read(&begun_with)?.entrants()?.len()
        } else {
            names.len()
        };
        stages::counts(&self.file, &stages, count)?;
        let mut pots = stages::first_pots(&self.file, &names)?;
        let mut events = settings::events(&self.options)?;
        if self.file.is_staged {
            cup_files::make(&root)?;
        }
        let mut played: Vec<PlayedStage> = Vec::new();
        let mut code = ExitCode::SUCCESS;
        for number in 0..stages.len() {
            let path = home_of(&self.file, &root, number);
            let mut state = begun(&stages, number, &pots, whole.seed, &path)?;
            let wanted = self.only.is_none_or(|only| only == number + 1);
            if state.progress.result.is_some() && !(self.again && self.only.is_some() && wanted) {
                (self.tell)(&format!("{} is over; its games count", stages[number].name));
            } else if wanted {
                let done =
                    self.play_stage(&stages[number], &mut state, &path, &whole, context, events.as_mut())?;
                if done != ExitCode::SUCCESS {
                    code = done;
                }
            }
            let over = state.progress.result.clone();
            played.push(state);
            let Some(result) = over else {
                if self.only.is_some_and(|only| only > number + 1) {
                    return Err(Misuse::error(format!(
                        "{} is not over; play it first, with --stage {}",
                        stages[number].name,
                        number + 1
                    )));
                }
                break;
            };
            pots = cup::pots(&played[number].field, &result, stages[number].advance.unwrap_or(0));
            if self.only == Some(number + 1) {
                break;
            }
        }
        cup_files::write(&root, &stages, &played)?;
        Ok((code, stages, played))
    }

    /// Says which engines cannot play, before the first game. Who has begun already shows what it can.
    fn try_out(&self, whole: &Run, context: &RunContext) -> anyhow::Result<()> {
        let root = self.options.out.clone().unwrap_or_else(|| PathBuf::from("agon-run"));
        if Store::is_in(&home_of(&self.file, &root, 0)) {
            return Ok(());
        }
        (self.tell)(&format!("trying {} engines ...", whole.entrants.len()));
        let rows: Vec<Vec<String>> = (whole.entrants.iter().zip(tryout::all(whole, context)?))
            .filter_map(|(engine, verdict)| {
                let (word, why) = match verdict {
                    TryoutVerdict::Plays => return None,
                    TryoutVerdict::Doubtful(why) => ("doubtful", why),
                    TryoutVerdict::Cannot(why) => ("cannot play", why),
                };
                Some(vec![engine.name.clone(), word.to_owned(), why])
            })
            .collect();
        (self.tell)(columns(&["engine", "", "why"], &rows).trim_end());
        Ok(())
    }

    /// Plays a stage until nothing is left of it, or somebody stops it.
    fn play_stage(
        &self,
        stage: &CupStage,
        state: &mut PlayedStage,
        path: &Path,
        whole: &Run,
        context: &RunContext,
        mut events: Option<&mut Events>,
    ) -> anyhow::Result<ExitCode> {
        let mut options = self.options.clone();
        options.seed = Some(state.field.seed);
        let engines = in_order(&self.engines, &state.field.names)?;
        let run = settings::run(&options, self.rules.clone(), engines, whole.control)?;
        Directory::check(path)?;
        let mut first = true;
        loop {
            let matches = state.progress.matches.clone();
            let games = stage.rules.games;
            let mut home =
                RunDir::open_for(path, &run, games, Some(&matches), &self.event, self.again && first)?;
            if matches!(stage.rules.format, Format::Swiss { .. }) {
                let sums = state.sums(stage);
                let byes = state.field.names.iter().map(String::as_str).zip(sums.iter().map(|sum| sum.byes));
                home.store.swiss(&byes.collect::<Vec<_>>())?;
            }
            let total: u64 = matches.iter().map(|one| u64::from(one.games)).sum();
            let (keys, beginning) = (home.keys.clone(), home.beginning.played.clone());
            if first {
                (self.tell)(&format!(
                    "{}: {} engines, {} games of {}, {}, {} at once, seed {}; results in {}",
                    stage.name,
                    run.entrants.len(),
                    total,
                    run.rules.spec(),
                    run.control,
                    run.concurrency,
                    whole.seed,
                    display_path(home.directory.path())
                ));
                home.remarks().iter().for_each(|remark| (self.tell)(remark));
            }
            for one in matches.iter().filter(|one| one.play_off > 0 && !one.is_over(&state.scores)) {
                let name = |entrant: usize| state.field.names[entrant].as_str();
                (self.tell)(&format!(
                    "{}: play-off {} of {} and {}, {} games",
                    state.field.titles[one.group],
                    one.play_off,
                    name(one.pairing.first),
                    name(one.pairing.second),
                    one.games
                ));
            }
            first = false;
            let faces = Sinks {
                events: events.as_deref_mut(),
                progress: Some(Face::new(
                    PlannedWork { games: total, done: beginning.count(), pairing: stage.rules.games },
                    self.quiet,
                )),
                store: Some(&mut home.store),
                stop: Some(home.stop.clone()),
                directory: Some(&mut home.directory),
                ..Sinks::default()
            };
            let plan = matches
                .iter()
                .flat_map(|one| one.games_of(&state.field.names, run.seed))
                .filter(|game| !beginning.has(keys.of(game)));
            let done = run::play(&run, context, plan, total, faces)?;
            let before = state.scores.clone();
            state.read(&home.store, stage)?;
            if done.stopped {
                (self.tell)("stopped; the games that were finished are kept");
                return Ok(ExitCode::from(keeper::INTERRUPTED));
            }
            // With void games a match never ends; the next run tries them again.
            if state.progress.result.is_some() || !done.void.is_empty() || before == state.scores {
                home.head()?.iter().for_each(|line| (self.tell)(&format!("{}: {line}", stage.name)));
                return Ok(code_of(&done));
            }
        }
    }
}

impl PlayedStage {
    /// What everybody has done in it, by the places in the field.
    pub(super) fn sums(&self, stage: &CupStage) -> Vec<Sum> {
        sums::sums(&stage.rules, self.field.names.len(), &self.progress, &self.scores)
    }

    fn read(&mut self, store: &Store, stage: &CupStage) -> anyhow::Result<()> {
        self.shorts = store.shorts()?;
        (self.progress, self.scores) = derived(stage, &self.field, &self.shorts);
        Ok(())
    }
}

/// A stage as its directory has it. The groups of a stage that has begun are those it began with, unless somebody has
/// come or gone before it was over.
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
        shorts: Vec::new(),
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

/// How far a stage has come by the games that count, and how its matches stand. Games that are of none of its matches,
/// because somebody has come or gone, are not looked at.
fn derived(stage: &CupStage, field: &Field<String>, shorts: &[GameResult]) -> (StageProgress, Scores) {
    let mut all: HashMap<u32, ([&str; 2], Score)> = HashMap::new();
    for short in shorts {
        let (mut names, mut places, mut faults) =
            ([short.names[0].as_str(), short.names[1].as_str()], short.places, short.faults);
        if short.game % 2 == 0 {
            names.reverse();
            places.reverse();
            faults.reverse();
        }
        all.entry(short.pairing).or_insert((names, Score::default())).1.add(places, faults);
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

/// The engines of a stage, in the order of its field.
fn in_order(engines: &[EngineSpec], names: &[String]) -> anyhow::Result<Vec<EngineSpec>> {
    let find = |name: &String| {
        engines.iter().find(|engine| engine.name == *name).cloned().ok_or_else(|| {
            Misuse::error(format!("{name} goes on and is not among the engines any more; put it back"))
        })
    };
    names.iter().map(find).collect()
}

/// The directory of a stage.
pub(super) fn home_of(file: &CupFile, root: &Path, number: usize) -> PathBuf {
    if file.is_staged { root.join(format!("stage-{}", number + 1)) } else { root.to_owned() }
}
