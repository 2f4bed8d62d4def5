//! A tournament in stages: each is played to its end and cut, and the next is drawn from the
//! entrants that advance.
//!
//! The plan is computed from the results each time, so a cup can be stopped at any moment. A stage
//! that is over is final in a tournament, even if its engines change later. A graded class plays
//! again what has changed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agon_config::stages::{CupFile, WithdrawnFile};
use agon_config::{CommandExit, Misuse, Options, Part};
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_printable::counted;
use agon_programs::kept;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_standings::cup::{self, CupStage};
use agon_standings::matches::Match;
use agon_standings::pairings::PlannedGame;
use agon_standings::stage::Format;
use agon_store::asked::AskedBy;
use agon_store::taken::IntakeNote;
use agon_store::{Consent, Drawn, Store};

use crate::entrants::OnRefusal;
use crate::run::{Programs, Run};

use super::played_stage::{self, OnChange, PlayedStage};
use super::run_dir::{RunDir, RunPlan};
use super::session::{self, RunWatch, Session};
use super::sink::Sink;
use super::{
    cup_files, gone, looked, part_games, part_rounds, repaired, replacing, settings, stages, starts,
    withdrawing,
};

/// A cup that is to be played.
pub struct Cup {
    /// Its stages, from the file.
    pub file: CupFile,
    /// The options of each game.
    pub options: Options,
    /// The game.
    pub rules: GameRules,
    /// Who may play.
    pub engines: Vec<EngineSpec>,
    /// The name of the event.
    pub event: String,
    /// The only stage to play, from 1; `None` for all.
    pub only: Option<usize>,
    /// What may make games history without a question. With [`Consent::Again`], a stage that is
    /// over is played again.
    pub consent: Consent,
    /// Whether the engines are tried before the first stage.
    pub check: bool,
    /// What becomes of stages that are over when engines have changed.
    pub on_change: OnChange,
    /// Whether nothing is played.
    pub dry: bool,
    /// The intake of the class that plays.
    pub intake: Option<IntakeNote>,
    /// The engines that have withdrawn, by the file.
    pub withdrawn: Vec<WithdrawnFile>,
    /// The time for its rounds, if it is bounded.
    pub at_most: Option<Duration>,
    /// The part of the games that is played, if it is not all of them.
    pub part: Option<Part>,
}

/// A cup after this invocation.
pub struct PlayedCup<'a> {
    /// Its stages.
    pub stages: Vec<CupStage>,
    /// The stages that have begun.
    pub played: Vec<PlayedStage>,
    /// The directories of all stages.
    pub directories: Vec<PathBuf>,
    /// What plays them.
    pub session: Session<'a>,
}

impl PlayedCup<'_> {
    /// Whether every stage is over.
    pub fn is_over(&self) -> bool {
        self.played.len() == self.stages.len()
            && self.played.iter().all(|stage| stage.progress.result.is_some())
    }
}

impl Cup {
    /// What becomes of engines that refuse to play. One student's program does not keep the others
    /// from their grades, and only in a class are stages played again.
    pub(crate) fn on_refusal(&self) -> OnRefusal {
        match self.on_change {
            OnChange::PlayAgain => OnRefusal::PlayOn,
            OnChange::Final => OnRefusal::End,
        }
    }

    /// Plays all stages, or the one in `only`, and shows the bracket.
    ///
    /// # Errors
    /// As [`Cup::play`].
    pub fn run(self, context: &RunContext, sink: &mut dyn Sink) -> anyhow::Result<CommandExit> {
        let cup = self.play(context, sink)?;
        cup.session.show(|sink| sink.stages(&cup.stages, &cup.played))
    }

    /// Plays all stages, or the one in `only`, and writes the files of the cup.
    pub fn play<'a>(
        mut self,
        context: &'a RunContext,
        sink: &'a mut dyn Sink,
    ) -> anyhow::Result<PlayedCup<'a>> {
        let root = session::root(&self.options);
        let stages = stages::of_file(&self.file, &self.options, settings::points(&self.options)?)?;
        if self.only.is_some_and(|only| only == 0 || only > stages.len()) {
            return Err(Misuse::hinted(
                format!("--stage: there are stages 1 to {}", stages.len()),
                "give one of them",
            ));
        }
        let directories = stages::directories(&self.file, &root);
        self.refuse_another(&directories[0])?;
        if self.options.seed.is_none() {
            self.options.seed = Store::seed_in(&directories[0])?;
        }
        let control = self.options.time_control()?;
        let names: Vec<String> = self.engines.iter().map(|engine| engine.name.clone()).collect();
        if let Some(begun) = directories.iter().rev().find(|path| Store::is_in(path)).filter(|_| !self.dry) {
            withdrawing::note_in(&self.withdrawn, begun, &names)?;
            replacing::refuse_missing(begun, &names)?;
        }
        if self.part.is_some() {
            withdrawing::refuse_in_part(&self.withdrawn, &directories[0])?;
            for path in &directories {
                replacing::refuse_in_part(path)?;
            }
        }
        if !self.withdrawn.is_empty() {
            withdrawing::check(&self.withdrawn, &directories[0], &names, || {
                stages[0].rules.format.last_round(names.len())
            })?;
        }
        let gone = gone::of_runs(&directories)?;
        self.engines = gone::with(std::mem::take(&mut self.engines), &gone);
        let mut whole = settings::run(&self.options, self.rules.clone(), self.engines.clone(), control)?;
        whole.entrants.retain(|engine| !gone::is_gone(&gone, engine));
        self.options.seed = Some(whole.seed);
        let pots = self.first_pots(&stages, &directories[0])?;
        let mut session =
            Session::open(context, &self.options, &whole, &directories, sink, self.on_refusal())?
                .at_most(self.at_most)
                .dry(self.dry)?;
        // The engines of a cup that has begun were tried before.
        if self.check && (self.dry || !Store::is_in(&directories[0])) {
            session.try_out(&whole)?;
        }
        let mut played = self.play_stages(&mut session, &stages, pots, &directories, &whole)?;
        if self.dry {
            self.say_what_follows(&session, &stages, played.len())?;
        } else {
            // Somebody may have decided about an earlier stage meanwhile.
            for ((state, stage), path) in played.iter_mut().zip(&stages).zip(&directories) {
                if looked::has_begun(path) {
                    state.read(&Store::read(path)?, stage)?;
                }
            }
            let stored = looked::stages_in(&directories)?;
            cup_files::write(&root, &stored.iter().collect::<Vec<_>>())?;
        }
        Ok(PlayedCup { stages, played, directories, session })
    }

    /// What asks for it: a file, and what the file is used for.
    fn asked_by(&self) -> AskedBy {
        let what = if self.on_change == OnChange::PlayAgain { "grades" } else { "tournament" };
        let file = Path::new(self.file.lines.file());
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        AskedBy { what: what.to_owned(), file: file.to_string_lossy().into_owned() }
    }

    /// Refuses the usual directory if another file has begun there: both would go on with the same
    /// stages or nights.
    pub(crate) fn refuse_another(&self, begun_in: &Path) -> anyhow::Result<()> {
        let is_begun = Store::is_in(begun_in) && Store::seed_in(begun_in)?.is_some();
        if self.options.out.is_some() || self.consent == Consent::Again || !is_begun {
            return Ok(());
        }
        let (Some(there), here) = (Store::read(begun_in)?.asked_by()?, self.asked_by()) else {
            return Ok(());
        };
        // A file of the same use that is gone was probably renamed.
        let is_renamed = there.what == here.what && !Path::new(&there.file).exists();
        if there == here || is_renamed {
            return Ok(());
        }
        let root = display_path(&session::root(&self.options));
        let words =
            |asked: &AskedBy| format!("the {} of {}", asked.what, display_path(Path::new(&asked.file)));
        Err(Misuse::hinted(
            format!("{root}: it holds {}, and this is {}", words(&there), words(&here)),
            "write out = \"DIRECTORY\" into one of the two files, or give --out DIRECTORY",
        ))
    }

    /// Checks that the stages fit the number of engines. Returns the pots of the first stage.
    fn first_pots(&self, stages: &[CupStage], begun_in: &Path) -> anyhow::Result<Vec<Vec<String>>> {
        let mut names: Vec<String> = self.engines.iter().map(|engine| engine.name.clone()).collect();
        names.sort();
        let is_final = self.on_change == OnChange::Final;
        let count = if is_final && Store::is_in(begun_in) && Store::seed_in(begun_in)?.is_some() {
            Store::read(begun_in)?.entrants()?.len()
        } else {
            names.len()
        };
        stages::counts(&self.file, stages, count)?;
        stages::first_pots(&self.file, &names)
    }

    /// Plays one stage after another, until one is not over.
    fn play_stages(
        &self,
        session: &mut Session<'_>,
        stages: &[CupStage],
        mut pots: Vec<Vec<String>>,
        directories: &[PathBuf],
        whole: &Run,
    ) -> anyhow::Result<Vec<PlayedStage>> {
        let mut played: Vec<PlayedStage> = Vec::new();
        for (number, (stage, directory)) in stages.iter().zip(directories).enumerate() {
            let mut state =
                played_stage::begun(stages, number, &pots, whole.seed, directory, self.on_change)?;
            let wanted = self.only.is_none_or(|only| only == number + 1);
            if number == 0 && !state.field.late.is_empty() && state.progress.result.is_none() {
                self.say_who_is_not_entered(session, stage, directory, &state.field.names);
            }
            let is_again = self.consent == Consent::Again;
            let is_final = self.on_change == OnChange::Final && !(is_again && self.only.is_some() && wanted);
            let is_final = is_final && state.progress.result.is_some();
            if is_final && !(wanted && self.lacks_files(&state, directory, whole)?) {
                if !self.dry {
                    repaired::repair(directory)?;
                }
                session.say(&format!("{} is over; its games count", stage.name));
                if number == 0 {
                    let come = replacing::come(&directories[1..])?;
                    self.say_left_out(session, stage, &[&state.field.names[..], &come].concat());
                }
            } else if wanted {
                // Of a later stage that is played again, every entrant may be another.
                let is_later = number > 0 && self.on_change == OnChange::PlayAgain;
                let consent = if is_later { Consent::Again } else { self.consent };
                self.play_stage(session, stage, &mut state, directory, whole, consent)?;
            }
            let over = state.progress.result.clone();
            played.push(state);
            let Some(result) = over else {
                if let (true, Some(part)) = (self.only.is_some_and(|only| only > number + 1), self.part) {
                    return Err(part_rounds::not_over(&session::root(&self.options), &stage.name, part));
                }
                if self.only.is_some_and(|only| only > number + 1) {
                    return Err(Misuse::hinted(
                        format!("{} is not over", stage.name),
                        format!("play it first, with --stage {}", number + 1),
                    ));
                }
                break;
            };
            pots = cup::pots(&played[number].field, &result, stage.advance.unwrap_or(0));
            if self.only == Some(number + 1) {
                break;
            }
        }
        Ok(played)
    }

    /// Whether files of a stage that is over are still to be written, as after `agon merge`. If one
    /// of its engines has changed, they are not.
    fn lacks_files(&self, state: &PlayedStage, path: &Path, whole: &Run) -> anyhow::Result<bool> {
        let store = Store::read(path)?;
        if self.dry || part_games::listed(path) >= store.counts()?.0 {
            return Ok(false);
        }
        let Ok(engines) = in_order(&self.engines, &state.field.names) else { return Ok(false) };
        let run = settings::run(&self.options, self.rules.clone(), engines, whole.control)?;
        let programs = session::root(&self.options).join(kept::FOLDER);
        for player in Programs::kept_in(&programs, &run)?.players(&run) {
            if !store.has_entered(&player.name, &player.hash)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// In a dry run: the sizes of the stages after the one that would be played.
    fn say_what_follows(
        &self,
        session: &Session<'_>,
        stages: &[CupStage],
        played: usize,
    ) -> anyhow::Result<()> {
        let counts = stages::counts(&self.file, stages, self.engines.len())?;
        for (stage, entrants) in stages.iter().zip(counts).skip(played) {
            session.sink().planned(&format!("later: {}", stages::size(stage, entrants)))?;
        }
        Ok(())
    }

    /// Names the new engines that nobody has let in.
    fn say_who_is_not_entered(
        &self,
        session: &Session<'_>,
        stage: &CupStage,
        directory: &Path,
        names: &[String],
    ) {
        if !matches!(stage.rules.format, Format::Swiss { .. }) {
            for engine in self.engines.iter().filter(|engine| !names.contains(&engine.name)) {
                let begun = format!("{} has begun without it", stage.name);
                session.sink().warn(&format!("{} is new and does not play, because {begun}", engine.name));
            }
            return;
        }
        for engine in self.engines.iter().filter(|engine| !names.contains(&engine.name)) {
            session.sink().warn(&format!(
                "{} is new and does not play; agon enter {} {} lets it join",
                engine.name,
                display_path(directory),
                engine.name
            ));
        }
    }

    /// Names the engines that came or went after the first stage was over.
    fn say_left_out(&self, session: &Session<'_>, stage: &CupStage, names: &[String]) {
        let is_there = |name: &String| self.engines.iter().any(|engine| engine.name == *name);
        for engine in self.engines.iter().filter(|engine| !names.contains(&engine.name)) {
            session.sink().warn(&format!(
                "{} is new and does not play, because {} is over; to play with it, give another directory with --out",
                engine.name, stage.name
            ));
        }
        for name in names.iter().filter(|name| !is_there(name)) {
            session.sink().warn(&format!(
                "{name} was removed, but {} is over and its games there count; put it back, or give another \
                 directory with --out",
                stage.name
            ));
        }
    }

    /// Plays a stage until it is over or the user stops it. Games become history for the changes
    /// that `consent` includes.
    pub(crate) fn play_stage(
        &self,
        session: &mut Session<'_>,
        stage: &CupStage,
        state: &mut PlayedStage,
        path: &Path,
        whole: &Run,
        consent: Consent,
    ) -> anyhow::Result<()> {
        if let Some(part) = self.part {
            part_rounds::refuse_unknown(&session::root(&self.options), path, part)?;
        }
        let mut options = self.options.clone();
        options.seed = Some(state.field.seed);
        let engines = in_order(&self.engines, &state.field.names)?;
        let mut run = settings::run(&options, self.rules.clone(), engines, whole.control)?;
        run.gone = gone::of_run(path)?.into_iter().map(|gone| gone.player).collect();
        // Each cycle of a round robin is a pairing of its own, on the same two engines.
        let games = 2 * stage.rules.pairs();
        let remark = starts::vary(&mut run, &options, games, Some(path))?;
        if let Some(pairs) = state.varied_after
            && let Some(rules) = self.rules.built_in()
        {
            run.openings.vary_after(pairs, rules);
        }
        let ranking = state.ranking(stage);
        let used_up = starts::used_up(&run, games);
        let doubled = starts::doubled(&run);
        remark
            .iter()
            .chain(&doubled)
            .chain(&used_up)
            .for_each(|remark| session.say(&format!("{}: {remark}", stage.name)));
        let (mut first, mut history) = (true, 0);
        loop {
            let drawn = Drawn::Matches(state.progress.matches.clone());
            let matches = drawn.matches();
            let games = stage.rules.games;
            let plan = RunPlan {
                games,
                drawn: Some(&drawn),
                ranking: Some(&ranking),
                part: self.part,
                test: None,
                until: None,
            };
            let mut directory = session.directory(
                path,
                &run,
                plan,
                &self.event,
                if first { consent } else { Consent::default() },
            )?;
            directory.store.note_asked_by(&self.asked_by())?;
            if let Some(intake) = &self.intake {
                directory.store.note_intake(intake)?;
            }
            directory.withdraw(&self.withdrawn)?;
            // Games of an engine that has changed count no longer, and matches may depend on them.
            state.read(&directory.store, stage)?;
            let changes = std::mem::take(&mut directory.beginning.changes);
            // Before a play-off the stage begins again, and nothing has changed.
            let said = changes.iter().filter(|_| first);
            said.for_each(|change| session.say(&format!("{}: {change}", stage.name)));
            // Matches that depended on games which count no longer are dropped only now.
            history += directory.beginning.history;
            directory.beginning.history = history;
            if state.progress.matches != matches {
                continue;
            }
            keep_byes(&mut directory, stage, state)?;
            let plan = || matches.iter().flat_map(|one| one.games_of(&state.field.names, run.seed));
            let keys = directory.keys.clone();
            let is_own = |game: &PlannedGame| self.part.is_none_or(|part| part.has(keys.of_pair(game)));
            let total = match self.part {
                Some(part) => directory.count_of(part, plan()),
                None => stage.rules.planned_games(&state.field, matches, &state.scores),
            };
            let title = match self.part {
                Some(part) => format!("{}, {part}", stage.name),
                None => stage.name.clone(),
            };
            if first && state.progress.result.is_some() {
                session.say(&format!("{} is over; its games count", stage.name));
            } else if first {
                session.announce(&format!("{title}: "), &run, total, whole.seed, &directory)?;
            }
            first = false;
            self.announce_play_offs(session, stage, matches, state);
            let watch = RunWatch { progress: Some(stage.rules.games), ..RunWatch::default() };
            let done = session.play(&run, Some(&mut directory), plan().filter(is_own), total, watch)?;
            starts::repeated(done.repeats).iter().for_each(|remark| session.say(remark));
            let before = state.scores.clone();
            state.read(&directory.store, stage)?;
            if done.stopped {
                session.say_stopped(&done);
                return Ok(());
            }
            // A match with void games does not end; the next invocation plays them again.
            if state.progress.result.is_some() || !done.void.is_empty() || before == state.scores {
                let head = if session.is_dry() { None } else { directory.head()? };
                head.iter().for_each(|line| session.say(&format!("{}: {line}", stage.name)));
                let is_finished = done.void.is_empty() && !session.is_dry();
                if let Some(part) = self.part.filter(|_| is_finished && state.progress.result.is_none()) {
                    session.say(&format!("{}: {}", stage.name, part_rounds::said_at_the_end(part)));
                }
                return Ok(());
            }
        }
    }

    fn announce_play_offs(
        &self,
        session: &Session<'_>,
        stage: &CupStage,
        matches: &[Match],
        state: &PlayedStage,
    ) {
        for one in matches.iter().filter(|one| one.play_off > 0 && !one.is_over(&state.scores)) {
            let name = |entrant: usize| state.field.names[entrant].as_str();
            let what = if one.play_off > stage.rules.play_offs {
                "deciding pair".to_owned()
            } else {
                format!("play-off {}", one.play_off)
            };
            session.say(&format!(
                "{}: {what} of {} and {}, {}",
                state.field.titles[one.group],
                name(one.pairing.first),
                name(one.pairing.second),
                counted(one.games, "game")
            ));
        }
    }
}

/// Stores the byes of a Swiss, so that its standings count them.
fn keep_byes(directory: &mut RunDir, stage: &CupStage, state: &PlayedStage) -> anyhow::Result<()> {
    if !matches!(stage.rules.format, Format::Swiss { .. }) {
        return Ok(());
    }
    let sums = state.sums(stage);
    let byes = state.field.names.iter().map(String::as_str).zip(sums.iter().map(|sum| sum.byes));
    directory.store.swiss(&byes.collect::<Vec<_>>())
}

/// The engines of a stage, in the order of its field.
fn in_order(engines: &[EngineSpec], names: &[String]) -> anyhow::Result<Vec<EngineSpec>> {
    let find = |name: &String| {
        engines.iter().find(|engine| engine.name == *name).cloned().ok_or_else(|| {
            Misuse::hinted(format!("{name} goes on and is not among the engines any more"), "put it back")
        })
    };
    names.iter().map(find).collect()
}
