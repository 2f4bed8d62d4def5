//! The games of late submissions. Each submission plays everybody of its group once more, and the
//! baselines. It plays in a run of its own below `late/` in the directory of the class.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;

use agon_class::{CountingGames, CupResults, LateResults};
use agon_config::Options;
use agon_config::stages::CupFile;
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_standings::cup::CupStage;
use agon_standings::points::Points;
use agon_store::Consent;
use agon_tournament::competition::cup::{Cup, PlayedCup};
use agon_tournament::competition::cup_files;
use agon_tournament::competition::played_stage::{OnChange, PlayedStage};
use agon_tournament::competition::session;
use agon_tournament::competition::sink::Sink;
use anyhow::Context;

/// What late submissions play with.
pub(crate) struct LateGames<'a> {
    /// The options of the class.
    pub(crate) options: &'a Options,
    pub(crate) rules: &'a GameRules,
    /// The engines of the class, as they play in it.
    pub(crate) engines: &'a [EngineSpec],
    pub(crate) baselines: Vec<&'a str>,
    /// The `tournament.toml`.
    pub(crate) file: &'a Path,
    /// What may make their games history without a question.
    pub(crate) consent: Consent,
}

/// How the games of late submissions ended.
pub(crate) enum LateOutcome {
    Played(Vec<LatePlayed>),
    /// The user has stopped them, or some are void.
    NotOver(ExitCode),
}

/// The games of one late submission.
pub(crate) struct LatePlayed {
    alias: String,
    stages: Vec<CupStage>,
    played: Vec<PlayedStage>,
    directories: Vec<PathBuf>,
    group: Vec<String>,
}

impl LateGames<'_> {
    /// Plays the games of each of these engines against its group in `stage`.
    pub(crate) fn play(
        &self,
        late: Vec<EngineSpec>,
        stage: &CupStage,
        class: &PlayedStage,
        context: &RunContext,
        sink: &mut dyn Sink,
    ) -> anyhow::Result<LateOutcome> {
        let mut all = Vec::new();
        for engine in late {
            let alias = engine.name.clone();
            let group = group_of(&alias, class);
            let cup = self.cup(engine, &group, stage, class.field.seed)?.play(context, sink)?;
            if !cup.is_over() {
                return Ok(LateOutcome::NotOver(cup.session.code().into()));
            }
            let PlayedCup { stages, played, directories, .. } = cup;
            all.push(LatePlayed { alias, stages, played, directories, group });
        }
        Ok(LateOutcome::Played(all))
    }

    /// A gauntlet of this engine against the others of its group and the baselines.
    fn cup(&self, engine: EngineSpec, group: &[String], stage: &CupStage, seed: u64) -> anyhow::Result<Cup> {
        let alias = engine.name.clone();
        let opponents = |other: &&EngineSpec| {
            other.name != alias
                && (group.contains(&other.name) || self.baselines.contains(&other.name.as_str()))
        };
        let mut engines = vec![engine];
        engines.extend(self.engines.iter().filter(opponents).cloned());
        let below = session::root(self.options).join("late");
        fs::create_dir_all(&below).with_context(|| format!("cannot make {}", display_path(&below)))?;
        let options =
            Options { out: Some(below.join(&alias)), seed: Some(seed), events: None, ..self.options.clone() };
        let mut file = CupFile::single(self.file);
        file.seeds = vec![alias.clone()];
        if let Some(only) = file.stages.first_mut() {
            only.name = Some(format!("{alias}, late"));
            only.format = Some("gauntlet".to_owned());
            only.games = Some(stage.rules.games);
            only.play_offs = Some(0);
        }
        let (rules, event) = (self.rules.clone(), "late".to_owned());
        let (only, consent, check, on_change) = (None, self.consent, false, OnChange::PlayAgain);
        let (dry, intake, withdrawn) = (false, None, Vec::new());
        Ok(Cup {
            file,
            options,
            rules,
            engines,
            event,
            only,
            consent,
            check,
            on_change,
            dry,
            intake,
            withdrawn,
            at_most: None,
            part: None,
        })
    }
}

impl LatePlayed {
    /// The results, for grades. `stage` is the first stage of the class, and `class` what was
    /// played in it.
    pub(crate) fn results<'a>(
        &'a self,
        stage: &CupStage,
        class: &'a PlayedStage,
        points: Points,
        rules: &'a GameRules,
    ) -> LateResults<'a> {
        LateResults {
            alias: &self.alias,
            cup: CupResults {
                stages: &self.stages,
                directories: self.directories.clone(),
                games: self.played.iter().flat_map(PlayedStage::counting).collect(),
                without_play_offs: counting(&self.stages, &self.played),
                first_stage: counting(&self.stages[..1], &self.played),
                groups: vec![self.group.iter().cloned().chain([self.alias.clone()]).collect()],
                ties: Vec::new(),
                withdrawn: Vec::new(),
                places: cup_files::places(&self.stages, &self.played),
                points,
                rules,
            },
            group: &self.group,
            advance: stage.advance,
            first_stage: counting(slice::from_ref(stage), slice::from_ref(class)),
        }
    }
}

/// The games of these stages that count and are in no play-off, with the byes.
pub(crate) fn counting<'a>(stages: &[CupStage], played: &'a [PlayedStage]) -> CountingGames<'a> {
    let mut all = CountingGames::default();
    for (stage, played) in stages.iter().zip(played) {
        all.games.extend(played.without_play_offs());
        all.byes.extend(played.byes(stage));
    }
    all
}

/// The others of an engine's group: its own, or for a new one the smallest, the last of equals.
fn group_of(alias: &str, class: &PlayedStage) -> Vec<String> {
    let name = |entrant: &usize| class.field.names[*entrant].as_str();
    let groups = &class.field.groups;
    let own = groups.iter().find(|group| group.iter().any(|entrant| name(entrant) == alias));
    let group = own.or_else(|| groups.iter().rev().min_by_key(|group| group.len()));
    let others = group.into_iter().flatten().map(name).filter(|name| *name != alias);
    others.map(str::to_owned).collect()
}
