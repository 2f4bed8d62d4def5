//! `agon grade`: plays the submissions of a class under aliases, and grades the students.

#![allow(rustdoc::broken_intra_doc_links)] // the help names [grades], a section of a file

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use agon_class::{
    Class, ClassPlaces, CupResults, GivenBook, GradeForms, Grading, LateResults, LateStudent, Overrides,
    text_of_table,
};
use agon_config::grades::GradesFile;
use agon_config::stages::CupFile;
use agon_config::{Misuse, Options, TournamentFile};
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_printable::clean;
use agon_programs::program::display_path;
use agon_sandbox::Isolation;
use agon_store::Consent;
use agon_tournament::check::tryout;
use agon_tournament::competition::cup::{Cup, PlayedCup};
use agon_tournament::competition::played_stage::{OnChange, PlayedStage};
use agon_tournament::competition::session;
use agon_tournament::competition::terminal_sink::{Teller, TerminalSink};
use agon_tournament::competition::{cup_files, settings, stages};
use agon_tournament::entrants::{self, EngineBuilder, elsewhere, isolation};
use clap::Args;

use crate::cli::class::late::{LateGames, LateOutcome};
use crate::cli::options;
use crate::cli::options::OptionFlags;

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
  agon grade tournament.toml --roster roster.csv
  agon grade tournament.toml --roster roster.csv --canvas gradebook.csv --item Cup
  agon grade tournament.toml --roster roster.csv --submissions submissions.zip
  agon reveal quiet-otter --key grades/key.csv")]
pub(crate) struct GradeArgs {
    /// The tournament.toml, with a section [grades]
    file: PathBuf,

    /// The roster, with a line for each submission
    #[arg(long, value_name = "FILE")]
    roster: PathBuf,

    /// All submissions as Canvas, Moodle, Brightspace or Gradescope gives them out: one archive, or
    /// its folder. The roster needs no column submission then
    #[arg(long, value_name = "FILE_OR_FOLDER")]
    submissions: Option<PathBuf>,

    /// The private folder: key.csv, grades.csv and the folders that students are sent
    #[arg(long, value_name = "DIR", default_value = "grades")]
    to: PathBuf,

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

    /// The name of the assignment in the learning system
    #[arg(long, value_name = "NAME", default_value = "Tournament", hide_short_help = true)]
    item: String,

    /// Changes grades that were written before; the old gradebooks are kept
    #[arg(long, hide_short_help = true)]
    regrade: bool,

    /// Plays everything again if an option has changed on which all games depend, without a
    /// question. The games before it become history, and count again when the change is undone
    #[arg(long, hide_short_help = true)]
    again: bool,

    /// The most seconds for the build of one submission [default: build-seconds of [grades], or 60]
    #[arg(long, value_name = "N", hide_short_help = true)]
    build_seconds: Option<u32>,

    /// Grades the submission of this student late: it plays everybody of its group once more, and
    /// the others keep their grades. May be given several times
    #[arg(long, value_name = "ID[=TIME]")]
    late: Vec<LateStudent>,

    /// Does not try the submissions before the tournament
    #[arg(long, hide_short_help = true)]
    no_check: bool,

    /// Shows less
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    options: OptionFlags,
}

impl GradeArgs {
    /// A submission that no longer builds does not keep the others from their grades.
    fn consent(&self) -> Consent {
        if self.again { Consent::Again } else { Consent::Engines }
    }

    pub(crate) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let read = TournamentFile::parse(&text(&self.file, "a tournament.toml")?, &self.file)?;
        settings::warn_of_keys(&read);
        let of_nights = OfNights::of(&read);
        let Some(grades) = read.grades else {
            let what = format!("{}: section [grades] is missing", display_path(&self.file));
            return Err(Misuse::hinted(what, "write one with by, max and steps"));
        };
        let file = read.cup.unwrap_or_else(|| CupFile::single(&self.file));
        let scheme = grades.scheme(file.stages.len())?;
        let mut options = self.options.clone().over(read.options);
        // Students' programs are untrusted, unless the teacher chooses another level.
        options.isolation.get_or_insert(Isolation::Sandbox);
        let (forms, points) = (self.forms(grades.max)?, settings::points(&options)?);
        let teller = Teller::stderr(self.quiet);
        let (class, rules) = self.class(&mut options, &grades, &file, &forms, context)?;
        class.remarks().into_iter().for_each(|remarks| teller.say(remarks.trim_end()));
        of_nights.remarks(&class).iter().for_each(|remark| teller.say(remark));
        let mut engines = class.engines(&begun_in(&file, &session::root(&options)))?;
        elsewhere::appoint(&options, &mut engines, None)?;
        let (judge, event, consent) = (rules.clone(), "cup".to_owned(), self.consent());
        let (only, check, on_change) = (None, false, OnChange::PlayAgain);
        let cup = Cup {
            file,
            options: options.clone(),
            rules,
            engines: engines.clone(),
            event,
            only,
            consent,
            check,
            on_change,
            dry: false,
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
            file: &self.file,
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
            (late.iter()).map(|one| one.results(&played[0], stages[0].advance, points, &judge)).collect();
        let results = CupResults {
            stages: &stages,
            directories,
            games: played.iter().flat_map(|stage| &stage.games).collect(),
            without_play_offs: played.iter().flat_map(PlayedStage::without_play_offs).collect(),
            ties: played.iter().flat_map(PlayedStage::ties).cloned().collect(),
            places: cup_files::places(&stages, &played),
            points,
            rules: &judge,
        };
        let lateness = |submitted| grades.lateness(submitted);
        let grading =
            Grading { scheme: &scheme, cup: &results, late: &late, lateness: &lateness, forms: &forms };
        let graded = class.grade(&grading, self.regrade)?;
        let remarks: String = graded.remarks.iter().map(|remark| format!("{remark}\n")).collect();
        shown.show(|_| format!("{remarks}{}", graded.text))?;
        Ok(session.code().into())
    }

    /// Makes the class with its engines: finds, builds and tries them under the rules of the game.
    fn class(
        &self,
        options: &mut Options,
        grades: &GradesFile,
        file: &CupFile,
        forms: &GradeForms,
        context: &RunContext,
    ) -> anyhow::Result<(Class, GameRules)> {
        entrants::refuse_also(options, "put the engine into the folder of baselines of [grades]")?;
        let public = session::root(options);
        let begun_in = begun_in(file, &public);
        let places = ClassPlaces { roster: self.roster.clone(), private: self.to.clone(), public };
        let teller = Teller::stderr(self.quiet);
        let mut class = Class::read(places, &table(&self.roster, teller)?, self.submissions.is_some())?;
        class.roster_remark.iter().for_each(|remark| teller.say(remark));
        class.check(forms)?.iter().for_each(|found| teller.say(found));
        let confinement = options.confinement()?;
        confinement.hides(&self.to, "what is private")?;
        confinement.hides(&self.roster, "the roster")?;
        isolation::is_available(&confinement, context)?;
        if let Some(folder) = &grades.baselines {
            let names = class.add_baselines(folder).map_err(|error| grades.of_baselines(error))?;
            grades.baselines_exist(&names)?;
        }
        self.check_stages(file, options, class.most_entrants())?;
        if let Some(download) = &self.submissions {
            class.take_in(download)?.iter().for_each(|remark| teller.say(remark));
        }
        class.submissions_exist()?;
        if !self.regrade {
            class.all_are_here()?;
        }
        class.draw_aliases(options.seed.unwrap_or(1))?;
        class.take_late(&self.late, grades.due.is_some())?;
        let untimed = class.without_time();
        if grades.due.is_some() && !untimed.is_empty() {
            teller.say(&format!(
                "no time is known for the submissions of {}: they have no penalty; give a column submitted in the \
                 roster, or --late ID=TIME",
                clean(&untimed.join(", "))
            ));
        }
        let seconds = self.build_seconds.or(grades.build_seconds).unwrap_or(60);
        let bound = Duration::from_secs(seconds.into());
        let builder = EngineBuilder { context, confinement, tell: &|text| teller.say(text) };
        let rules = settings::rules_to_play(options, &builder)?;
        stages::for_two(&rules)?;
        class.build(bound, &builder)?;
        class.compare()?.iter().for_each(|remark| teller.say(remark));
        class.refuse_other_games(&rules.spec());
        let fresh = if self.no_check { Vec::new() } else { class.untried(&begun_in)? };
        if !fresh.is_empty() {
            teller.say(&tryout::announced(fresh.len()));
            let run = settings::run(options, rules.clone(), fresh, options.time_control()?)?;
            isolation::are_in_force(&run, context)?;
            for (engine, verdict) in run.entrants.iter().zip(tryout::all(&run, context)?) {
                class.note(&engine.name, &verdict);
            }
        }
        Ok((class, rules))
    }

    /// Refuses stages that no number of engines up to this one fits, before anything is built.
    fn check_stages(&self, file: &CupFile, options: &Options, most: usize) -> anyhow::Result<()> {
        let stages = stages::of_file(file, options, settings::points(options)?)?;
        let fits = |entrants: usize| stages::counts(file, &stages, entrants).map(drop);
        // How many can play is known only after the tryout.
        if most < 2 || (2..most).rev().any(|entrants| fits(entrants).is_ok()) { Ok(()) } else { fits(most) }
    }

    /// Reads the forms to fill in, so that a wrong one is refused before the first game.
    fn forms(&self, max: f64) -> anyhow::Result<GradeForms> {
        type Reader = fn(String, &str, &str) -> anyhow::Result<GivenBook>;
        let given: [(&Option<PathBuf>, Reader); 2] =
            [(&self.canvas, GivenBook::canvas), (&self.brightspace, GivenBook::brightspace)];
        let mut books = Vec::new();
        for (path, read) in given {
            let Some(path) = path else { continue };
            let book = read(display_path(path), &text(path, "a CSV file")?, &self.item);
            books.push(book.map_err(|error| Misuse::misread(&display_path(path), &error.to_string()))?);
        }
        let by_hand = match &self.by_hand {
            Some(path) => Overrides::read(&table(path, Teller::stderr(self.quiet))?, path, max)?,
            None => Overrides::default(),
        };
        Ok(GradeForms { item: self.item.clone(), max, books, by_hand })
    }
}

/// What a `tournament.toml` says for `agon plan`, `agon tournament` and the nights alone. One file
/// can serve them all, so a grading leaves these keys alone, and says what it leaves out by that.
struct OfNights {
    /// The folder of the key `engines`, and its place in the file.
    engines: Option<(PathBuf, String)>,
    /// The place of the table `league`.
    league: Option<String>,
}

impl OfNights {
    fn of(file: &TournamentFile) -> Self {
        let place = |key: &str| file.lines.place(&[key]);
        OfNights {
            engines: file.engines.clone().map(|folder| (folder, place("engines"))),
            league: file.league.as_ref().map(|_| place("league")),
        }
    }

    /// A line for each key that names something which is not graded.
    fn remarks(&self, class: &Class) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some((folder, place)) = &self.engines {
            // A folder that cannot be read has no engine that somebody could miss.
            let listed = entrants::listed(folder, None).map(|listing| listing.engines).unwrap_or_default();
            let others = class.count_others(&listed);
            if others > 0 {
                let are =
                    if others == 1 { "1 engine there is" } else { &format!("{others} engines there are") };
                remarks.push(format!(
                    "{place}: {are} not in the roster, and not graded; engines of your own play as baselines of \
                     [grades]"
                ));
            }
        }
        if let Some(place) = &self.league {
            remarks.push(format!("{place}: the grades come from one tournament of all, not from the nights"));
        }
        remarks
    }
}

/// The directory of the first stage.
fn begun_in(file: &CupFile, root: &Path) -> PathBuf {
    stages::directories(file, root).into_iter().next().unwrap_or(root.to_owned())
}

/// The text of a table of the teacher's, which Excel may have saved.
pub(crate) fn table(path: &Path, teller: Teller) -> anyhow::Result<String> {
    let bytes = settings::read_as_it_is(path, 64 << 20, "a CSV file")?;
    let shown = display_path(path);
    let (text, is_windows) = text_of_table(bytes)
        .ok_or_else(|| Misuse::hinted(format!("{shown}: is not text"), "save it as a CSV file in UTF-8"))?;
    if is_windows {
        teller.say(&format!("{shown}: is not UTF-8; it is read as Windows-1252, as Excel writes it"));
    }
    Ok(text)
}

fn text(path: &Path, what_is_wanted: &str) -> anyhow::Result<String> {
    // A gradebook is written back as it was.
    let bytes = settings::read_as_it_is(path, 64 << 20, what_is_wanted)?;
    String::from_utf8(bytes).map_err(|_| {
        let what = format!("{}: is not UTF-8 text", display_path(path));
        Misuse::hinted(what, format!("give {what_is_wanted}"))
    })
}
