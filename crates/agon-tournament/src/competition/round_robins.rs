//! A round robin of all engines, or tables of them, at each time control of a tournament.

use std::path::PathBuf;
use std::time::Duration;

use agon_config::asked_question::{self, AskedQuestion};
use agon_config::stages::WithdrawnFile;
use agon_config::{CommandExit, Options, Part};
use agon_export::directory;
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_pages::report::terminal;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_seats::TimeControl;
use agon_standings::Standings;
use agon_standings::pairings::{self, PlannedGame};
use agon_standings::stage::Format;
use agon_standings::table_plan::TablePlan;
use agon_store::key::Keys;
use agon_store::ranking::RankingSpec;
use agon_store::until::GAMES_OF_A_PAIRING;
use agon_store::{Consent, Drawn, Store};

use super::for_question;
use super::run_dir::{RunDir, RunPlan};
use super::session::{self, RunWatch, Session};
use super::sink::Sink;
use super::{gone, part_rounds, settings, starts, swiss_tables, withdrawing};
use crate::entrants::OnRefusal;
use crate::run::{Done, Run};

/// A round robin of all engines at each time control.
pub struct RoundRobins {
    /// The options of each game, with the time controls.
    pub options: Options,
    /// The game.
    pub rules: GameRules,
    /// Who plays.
    pub engines: Vec<EngineSpec>,
    /// The name of the event.
    pub event: String,
    /// What may make games history without a question.
    pub consent: Consent,
    /// The part of the games that is played, if it is not all of them.
    pub part: Option<Part>,
    /// Whether a dry run tries the engines.
    pub check: bool,
    /// Whether nothing is played.
    pub dry: bool,
    /// The engines that have withdrawn, by the file.
    pub withdrawn: Vec<WithdrawnFile>,
    /// The time for its rounds, if it is bounded.
    pub at_most: Option<Duration>,
    /// The question that it is played for.
    pub question: Option<AskedQuestion>,
}

impl RoundRobins {
    /// Plays them all, or goes on with them. Returns the exit code.
    ///
    /// # Errors
    /// [`Misuse`](agon_config::Misuse), or agon's own: something could not be written.
    pub fn run(mut self, context: &RunContext, sink: &mut dyn Sink) -> anyhow::Result<CommandExit> {
        let root = session::root(&self.options);
        let controls = self.options.time_controls()?;
        let several = controls.len() > 1;
        let directories: Vec<PathBuf> = controls
            .iter()
            .map(|control| if several { root.join(control.directory_name()) } else { root.clone() })
            .collect();
        self.say_of_comma(&controls, sink);
        let names: Vec<String> = self.engines.iter().map(|engine| engine.name.clone()).collect();
        for path in directories.iter().filter(|_| !self.dry) {
            withdrawing::note_in(&self.withdrawn, path, &names)?;
        }
        if self.part.is_some() {
            withdrawing::refuse_in_part(&self.withdrawn, &directories[0])?;
        }
        if !self.withdrawn.is_empty() {
            asked_question::refuse(
                self.question,
                "nobody withdraws from a run for a question",
                "take the program out of the folder, and the withdrawal out of the file",
            )?;
            let rounds = Format::RoundRobin { cycles: 1 }.last_round(names.len());
            withdrawing::check(&self.withdrawn, &directories[0], &names, || rounds)?;
        }
        let runs = self.runs(controls, &directories, sink)?;
        let whole = self.whole(&runs[0], &directories)?;
        let mut session = Session::open(context, &self.options, &whole, &directories, sink, OnRefusal::End)?
            .unattended(self.options.skip_broken == Some(true))
            .at_most(self.at_most)
            .dry(self.dry)?;
        if self.dry && self.check {
            session.try_out(&whole)?;
        }
        // All directories are taken before the first game, so that a wrong one is not found hours
        // later.
        let tiebreaks = &self.options.tiebreaks;
        let ranking =
            (!tiebreaks.is_empty()).then(|| RankingSpec { tiebreaks: tiebreaks.clone(), stage: None });
        let games = match self.question {
            Some(_) => GAMES_OF_A_PAIRING,
            None => self.options.games_at(self.rules.seats().len())?,
        };
        let mut taken = Vec::new();
        for (run, path) in runs.iter().zip(&directories) {
            let drawn = swiss_tables::drawn_before(run, path, games)?;
            let (drawn_by, part) = (drawn.as_ref(), self.part);
            if let (Some(_), Some(part)) = (&drawn, part) {
                part_rounds::refuse_unknown(&root, path, part)?;
            }
            let until = for_question::spec_in(path, self.question, run)?;
            let plan = RunPlan { games, drawn: drawn_by, ranking: ranking.as_ref(), part, test: None, until };
            let mut directory = session.directory(path, run, plan, &self.event, self.consent)?;
            directory.withdraw(&self.withdrawn)?;
            taken.push((drawn, directory, until));
        }
        let mut together: Option<Standings> = None;
        for ((run, path), (drawn, mut directory, until)) in runs.iter().zip(&directories).zip(taken) {
            let done = match (drawn, until) {
                (_, Some(until)) => for_question::play(&mut session, run, &mut directory, until)?,
                (None, None) => play(&mut session, run, &mut directory, games, self.part)?,
                (Some(drawn), None) => {
                    let reopen = |session: &Session<'_>, drawn: &Drawn| {
                        let drawn = Some(drawn);
                        let plan = RunPlan {
                            games,
                            drawn,
                            ranking: ranking.as_ref(),
                            part: self.part,
                            test: None,
                            until: None,
                        };
                        session.directory(path, run, plan, &self.event, Consent::default())
                    };
                    let (done, last) =
                        swiss_tables::play(&mut session, run, games, drawn, directory, self.part, reopen)?;
                    directory = last;
                    done
                }
            };
            let title = several.then(|| run.control.to_string());
            session.show(|sink| sink.standings(title.as_deref(), &done.standings))?;
            self.tell(&mut session, &done);
            for_question::tell(&mut session, &directory, &done)?;
            let head = if self.dry { None } else { directory.head()? };
            head.iter().for_each(|line| session.say(line));
            if done.stopped {
                return Ok(session.code());
            }
            match &mut together {
                Some(together) => together.include(&done.standings),
                None => together = Some(done.standings),
            }
        }
        if let Some(standings) = together.filter(|_| several && !self.dry) {
            directory::tables(&root, &standings)?;
            session.show(|sink| sink.standings(Some("all time controls together"), &standings))?;
        }
        Ok(session.code())
    }

    /// A comma may have been meant as a decimal point, and hours would be played for nothing.
    fn say_of_comma(&self, controls: &[TimeControl], sink: &mut dyn Sink) {
        let (Some(point), [one, other]) = (self.options.with_point(), controls) else { return };
        let flag = if self.options.st.is_empty() { "--tc" } else { "--st" };
        sink.say(&format!(
            "two time controls are played, {one} and {other}; a decimal point is written with a point: {flag} {point}"
        ));
    }

    /// A run for each time control. All have the same boards, those of the first run if it has
    /// begun.
    fn runs(
        &mut self,
        controls: Vec<TimeControl>,
        directories: &[PathBuf],
        sink: &mut dyn Sink,
    ) -> anyhow::Result<Vec<Run>> {
        let first = directories[0].as_path();
        if self.options.seed.is_none() {
            self.options.seed = Store::seed_in(first)?;
        }
        let mut runs = Vec::new();
        for (control, path) in controls.into_iter().zip(directories) {
            let gone = gone::of_run(path)?;
            let engines = gone::with(self.engines.clone(), &gone);
            let mut run = settings::run(&self.options, self.rules.clone(), engines, control)?;
            run.gone = gone.into_iter().map(|gone| gone.player).collect();
            self.options.seed = Some(run.seed);
            let games = match self.question {
                Some(asked) => asked.games_of_starts(run.entrants.len()),
                None => self.options.games_at(self.rules.seats().len())?,
            };
            let remark = starts::vary(&mut run, &self.options, games, Some(first))?;
            if runs.is_empty() {
                let used_up = starts::used_up(&run, games);
                let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
                let short = starts::short(&run, run.plan(&names, games)?.1);
                let doubled = starts::doubled(&run);
                remark
                    .iter()
                    .chain(&doubled)
                    .chain(&used_up)
                    .chain(&short)
                    .for_each(|remark| sink.say(remark));
            }
            runs.push(run);
        }
        Ok(runs)
    }

    /// The run of all engines that are there.
    fn whole(&self, first: &Run, directories: &[PathBuf]) -> anyhow::Result<Run> {
        let gone = gone::of_runs(directories)?;
        let engines = gone::with(self.engines.clone(), &gone);
        let mut whole = settings::run(&self.options, self.rules.clone(), engines, first.control)?;
        whole.entrants.retain(|engine| !gone::is_gone(&gone, engine));
        Ok(whole)
    }

    /// Says what went wrong in a run, and that it was stopped.
    fn tell(&self, session: &mut Session<'_>, done: &Done) {
        if !done.faults.is_empty() {
            session.say(terminal::faults(&done.faults).trim_end());
            session.say(&format!(
                "agon why {} explains each of them",
                display_path(&session::root(&self.options))
            ));
        }
        starts::repeated(done.repeats).iter().for_each(|remark| session.say(remark));
        if let Some((hint, nobody_moved)) =
            settings::forgotten_game(&self.options, &self.rules, &done.standings)
        {
            session.say(&hint);
            if nobody_moved {
                session.fail();
            }
        }
        for (id, why) in &done.void {
            session.say(&format!("{id} stayed void: {why}"));
        }
        if done.stopped {
            session.say_stopped(done);
        }
    }
}

fn play(
    session: &mut Session<'_>,
    run: &Run,
    directory: &mut RunDir,
    games: u32,
    part: Option<Part>,
) -> anyhow::Result<Done> {
    let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
    let (mut total, plan) = run.plan(&names, games)?;
    if !directory.absences.is_empty() || directory.closing.is_some() {
        let (played, keys) = (&directory.beginning.played, &directory.keys);
        let is_planned = |game: &PlannedGame| !directory.is_given_up(game) || played.has(keys.of(game));
        total = run.plan(&names, games)?.1.filter(is_planned).count() as u64;
    }
    let watch = RunWatch { progress: Some(games), ..RunWatch::default() };
    let Some(part) = part else {
        session.announce("", run, total, run.seed, directory)?;
        return session.play(run, Some(directory), plan, total, watch);
    };
    let keys = directory.keys.clone();
    drop(plan);
    // A part is small, and a second pass over a large plan would take as long as the first.
    let own: Vec<PlannedGame> = own_games(run, &names, games, part, &keys)?.collect();
    let total = own.len() as u64;
    session.announce(&format!("{part}: "), run, total, run.seed, directory)?;
    session.play(run, Some(directory), own.into_iter(), total, watch)
}

/// The games of a part of a run.
fn own_games<'a>(
    run: &Run,
    names: &'a [String],
    games: u32,
    part: Part,
    keys: &'a Keys,
) -> anyhow::Result<Box<dyn Iterator<Item = PlannedGame> + Send + 'a>> {
    if run.tables == TablePlan::ROUND_ROBIN {
        let boards = move |entrants: &[usize]| {
            let pair = keys.of_table(entrants);
            move |board| part.has(pair(board))
        };
        return Ok(Box::new(pairings::plan_of(names, games, run.seed, boards)));
    }
    Ok(Box::new(run.plan(names, games)?.1.filter(move |game| part.has(keys.of_pair(game)))))
}
