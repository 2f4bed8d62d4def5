//! `agon grade`: plays the submissions of a class under aliases, and grades the students.

#![allow(rustdoc::broken_intra_doc_links)] // the help names [grades], a section of a file

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_class::{Class, CupResults, Grading, LateResults, LateStudent};
use agon_config::CommandExit;
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_printable::counted;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_standings::cup::CupStage;
use agon_standings::points::Points;
use agon_store::taken::IntakeNote;
use agon_store::{Consent, Store, hash};
use agon_tournament::competition::cup::{Cup, PlayedCup};
use agon_tournament::competition::cup_files;
use agon_tournament::competition::played_stage::{OnChange, PlayedStage};
use agon_tournament::competition::session;
use agon_tournament::competition::settings;
use agon_tournament::competition::terminal_sink::{Teller, TerminalSink};
use agon_tournament::entrants::elsewhere;
use clap::Args;

use crate::cli::class::intake::{FormFiles, GradingTerms, IntakeFlags, TakenClass, begun_in};
use crate::cli::class::late::{LateGames, LateOutcome, counting};
use crate::cli::class::of_nights::OfNights;
use crate::cli::options;

/// Plays the tournament of a class under aliases, and grades it
///
/// The grades follow the table [grades] of the tournament.toml.
///
/// The roster has the columns id, name, mail and submission. A submission is a folder, a source, a
/// program, or a zip or tar archive, relative to the roster's folder. The results in --out have
/// aliases only; names are only in the folder of --to. But they also have what engines wrote to
/// stderr: publish the pages that `agon report DIR --for public` makes of them.
#[derive(Args, Debug)]
#[command(mut_args(options::of_a_class))]
#[command(after_help = "\
Examples:
  agon intake tournament.toml --roster roster.csv
  agon grade tournament.toml --roster roster.csv
  agon grade tournament.toml --roster roster.csv --canvas gradebook.csv --item Cup
  agon grade tournament.toml --roster roster.csv --submissions submissions.zip
  agon reveal quiet-otter --key grades/key.csv")]
pub(crate) struct GradeArgs {
    #[command(flatten)]
    intake: IntakeFlags,

    /// An exported Canvas gradebook; a copy of it is filled in
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    canvas: Option<PathBuf>,

    /// An exported Brightspace gradebook; a copy of it is filled in
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    brightspace: Option<PathBuf>,

    /// Grades that you set by hand: a CSV file with the columns id, grade and reason. The reason is
    /// shown to the student
    #[arg(long = "override", value_name = "FILE", hide_short_help = true)]
    by_hand: Option<PathBuf>,

    /// Changes grades that were written before; the old gradebooks are kept
    #[arg(long, hide_short_help = true)]
    regrade: bool,

    /// Plays everything again if an option has changed on which all games depend, without a
    /// question. The games before it become history, and count again when the change is undone
    #[arg(long, hide_short_help = true)]
    again: bool,

    /// Grades although questions of the intake are open: students in question get no grade, but the
    /// state "not attributed"
    #[arg(long, hide_short_help = true)]
    accept_intake: bool,

    /// Ends after the intake: plays no game and grades nobody
    #[arg(long, hide_short_help = true)]
    dry_run: bool,

    /// Grades the submission of this student late: it plays everybody of its group once more, and
    /// the others keep their grades. May be given several times
    #[arg(long, value_name = "ID[=TIME]", hide_short_help = true)]
    late: Vec<LateStudent>,
}

impl GradeArgs {
    /// A submission that no longer builds does not keep the others from their grades.
    fn consent(&self) -> Consent {
        if self.again { Consent::Again } else { Consent::Engines }
    }

    pub(crate) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let files = FormFiles {
            canvas: &self.canvas,
            brightspace: &self.brightspace,
            by_hand: &self.by_hand,
            item: &self.intake.item,
            quiet: self.intake.quiet,
        };
        let terms = GradingTerms {
            forms: Some(files),
            late: &self.late,
            regrade: self.regrade,
            accepts: self.accept_intake,
        };
        let taken = self.intake.take(&terms, context)?;
        let path = display_path(&taken.table.path);
        let teller = Teller::stderr(self.intake.quiet);
        match taken.table.refusal(&path) {
            Some(refusal) if !self.accept_intake => return Err(refusal),
            Some(_) => teller.say(&format!(
                "{path}: is accepted with {}: the students in question get no grade",
                counted(taken.table.open, "open question")
            )),
            None => {}
        }
        if let Err(faults) = taken.class.machine_was_fit() {
            if !self.accept_intake {
                return Err(faults);
            }
            teller.say(&format!("{faults}\nthe intake is accepted: these students get no grade"));
        }
        if self.dry_run {
            crate::cli::out_list(&taken.table.text)?;
            return Ok(ExitCode::SUCCESS);
        }
        self.play(taken, context)
    }

    /// Plays the tournament and grades it.
    fn play(&self, taken: TakenClass, context: &RunContext) -> anyhow::Result<ExitCode> {
        let TakenClass { class, rules, grades, scheme, cup: file, options, of_nights, table, .. } = taken;
        let (mut assignment, forms) = (taken.assignment, taken.forms);
        let forms = forms.expect("a grading reads its forms");
        let intake = table.note();
        assignment.accepted_intake = (table.open > 0).then_some(table.hash);
        let points = settings::points(&options)?;
        let teller = Teller::stderr(self.intake.quiet);
        let begun_in = begun_in(&file, &session::root(&options));
        say_remarks(&class, &of_nights, teller);
        change_of_intake(&begun_in, &intake)?.iter().for_each(|changed| teller.say(changed));
        let mut engines = class.engines(&begun_in)?;
        let with_hash = |engine: &EngineSpec| Ok((engine.name.clone(), hash::of_engine(engine)?));
        assignment.programs = Some(engines.iter().map(with_hash).collect::<anyhow::Result<_>>()?);
        elsewhere::appoint(&options, &mut engines, None)?;
        let (judge, consent) = (rules.clone(), self.consent());
        let cup = Cup {
            file,
            options: options.clone(),
            rules,
            engines: engines.clone(),
            event: "cup".to_owned(),
            only: None,
            consent,
            check: false,
            on_change: OnChange::PlayAgain,
            dry: false,
            intake: Some(intake),
            withdrawn: Vec::new(),
            at_most: None,
            part: None,
        };
        let mut sink = TerminalSink::new(teller, &options);
        let (shown, mut of_late) = (sink, sink);
        let cup = cup.play(context, &mut sink)?;
        let not_over =
            "the tournament is not over; there are no grades yet. The same command goes on with it";
        if !cup.is_over() {
            teller.say(not_over);
            return Ok(cup.session.code().into());
        }
        let PlayedCup { stages, played, directories, session } = cup;
        let late_games = LateGames {
            options: &options,
            rules: &judge,
            engines: &engines,
            baselines: class.baselines().collect(),
            file: &self.intake.file,
            consent,
        };
        let late =
            match late_games.play(class.late_engines(), &stages[0], &played[0], context, &mut of_late)? {
                LateOutcome::Played(late) => late,
                LateOutcome::NotOver(code) => {
                    teller.say(not_over);
                    return Ok(code);
                }
            };
        let late: Vec<LateResults<'_>> =
            late.iter().map(|one| one.results(&stages[0], &played[0], points, &judge)).collect();
        let results = results_of(&stages, &played, directories, points, &judge);
        let lateness = |submitted, own| grades.lateness(submitted, own);
        let grading = Grading {
            scheme: &scheme,
            cup: &results,
            late: &late,
            lateness: &lateness,
            assignment: &assignment,
            forms: &forms,
        };
        let graded = class.grade(&grading, self.regrade)?;
        let remarks: String = graded.remarks.iter().map(|remark| format!("{remark}\n")).collect();
        shown.show(|_| format!("{remarks}{}", graded.text))?;
        match session.code() {
            CommandExit::Done if graded.lacks_rows => Ok(CommandExit::Failed.into()),
            code => Ok(code.into()),
        }
    }
}

/// Says that the games that are there were played with another intake: somebody has handed in
/// something else, or at another time, or the teacher has answered otherwise.
fn change_of_intake(begun_in: &Path, today: &IntakeNote) -> anyhow::Result<Option<String>> {
    if !Store::is_in(begun_in) || Store::seed_in(begun_in)?.is_none() {
        return Ok(None);
    }
    let before = Store::read(begun_in)?.intake()?.filter(|before| before.hash != today.hash);
    let begin = |hash: &str| hash.get(..12).unwrap_or(hash).to_owned();
    Ok(before.map(|before| {
        format!(
            "{}: the games there were played with another intake, {}; that of now is {}",
            display_path(begun_in),
            begin(&before.hash),
            begin(&today.hash)
        )
    }))
}

/// Says which engines cannot play, and what the file names besides.
fn say_remarks(class: &Class, of_nights: &OfNights, teller: Teller) {
    class.remarks().into_iter().for_each(|remarks| teller.say(remarks.trim_end()));
    of_nights.remarks(class).iter().for_each(|remark| teller.say(remark));
}

/// The results of the class, for grades.
fn results_of<'a>(
    stages: &'a [CupStage],
    played: &'a [PlayedStage],
    directories: Vec<PathBuf>,
    points: Points,
    rules: &'a GameRules,
) -> CupResults<'a> {
    CupResults {
        stages,
        directories,
        games: played.iter().flat_map(PlayedStage::counting).collect(),
        without_play_offs: counting(stages, played),
        first_stage: counting(&stages[..1], played),
        groups: groups_of(&played[0]),
        ties: played.iter().flat_map(PlayedStage::ties).cloned().collect(),
        withdrawn: played.iter().flat_map(PlayedStage::withdrawn).collect(),
        places: cup_files::places(stages, played),
        points,
        rules,
    }
}

/// The names of the members of each group.
fn groups_of(stage: &PlayedStage) -> Vec<Vec<String>> {
    let name = |entrant: &usize| stage.field.names[*entrant].clone();
    stage.field.groups.iter().map(|group| group.iter().map(name).collect()).collect()
}
