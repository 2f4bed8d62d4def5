//! `agon intake`: who has handed in what, and when, before anybody is graded; with all that the
//! grading has in common with it.

#![allow(rustdoc::broken_intra_doc_links)] // the help names [grades], a section of a file

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use agon_class::{
    Assignment, Class, ClassPlaces, GivenBook, GradeForms, IntakeFrom, IntakeTable, LateStudent, Overrides,
    TimeTerms, text_of_table,
};
use agon_config::grades::GradesFile;
use agon_config::stages::CupFile;
use agon_config::{Misuse, Options, TournamentFile, asked_question};
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_programs::program::display_path;
use agon_sandbox::Isolation;
use agon_standings::cup::CupStage;
use agon_standings::grades::{By, Scheme};
use agon_tournament::competition::session;
use agon_tournament::competition::terminal_sink::Teller;
use agon_tournament::competition::{settings, stages};
use agon_tournament::entrants::{self, EngineBuilder, isolation};
use agon_tournament::run::{shell_path, shell_word};
use agon_tournament::tryout;
use clap::{Args, ValueEnum};

use crate::cli::class::of_nights::OfNights;
use crate::cli::options;
use crate::cli::options::OptionFlags;

/// Shows who has handed in what, and asks what it cannot know
///
/// Matches the submissions to the roster, builds and tries them, and writes one table,
/// grades/intake.csv. It plays no game and grades nobody. Answer the open questions in its column
/// use, and give the command again.
#[derive(Args, Debug)]
#[command(mut_args(options::of_a_class))]
#[command(after_help = "\
Examples:
  agon intake tournament.toml --roster roster.csv --submissions submissions.zip
  agon intake tournament.toml --roster roster.csv --submissions submissions.zip --missing none

Exit codes: 0 if every submission belongs to somebody, and every student has one, is marked none or is excused; 2 if a \
question is open; 3 if this machine lacks what a submission needs.")]
pub(crate) struct IntakeArgs {
    #[command(flatten)]
    flags: IntakeFlags,
}

/// What the intake needs.
#[derive(Args, Debug)]
pub(crate) struct IntakeFlags {
    /// The tournament.toml, with a section [grades]
    pub(crate) file: PathBuf,

    /// The roster, with a line for each submission
    #[arg(long, value_name = "FILE")]
    pub(crate) roster: PathBuf,

    /// All submissions as Canvas, Moodle, Brightspace, Gradescope or GitHub Classroom gives them
    /// out: one archive, or its folder. The roster needs no column submission then
    #[arg(long, value_name = "FILE_OR_FOLDER", conflicts_with = "from_inbox")]
    pub(crate) submissions: Option<PathBuf>,

    /// The folder in which agon inbox has worked: what it has accepted is graded
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) from_inbox: Option<PathBuf>,

    /// The private folder: key.csv, grades.csv and the folders that students are sent
    #[arg(long, value_name = "DIR", default_value = "grades")]
    pub(crate) to: PathBuf,

    /// What students without a submission have handed in: nothing
    #[arg(long, value_name = "none")]
    pub(crate) missing: Option<MissingAnswer>,

    /// What submissions without a time are, where a late one loses points: in time
    #[arg(long, value_name = "in-time", hide_short_help = true)]
    pub(crate) untimed: Option<UntimedAnswer>,

    /// The name of the assignment in the learning system
    #[arg(long, value_name = "NAME", default_value = "Tournament", hide_short_help = true)]
    pub(crate) item: String,

    /// The most seconds for the build of one submission [default: build-seconds of [grades], or 60]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) build_seconds: Option<u32>,

    /// Does not try the submissions before the tournament
    #[arg(long, hide_short_help = true)]
    pub(crate) no_check: bool,

    /// Shows less
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) options: OptionFlags,
}

/// The one answer for all who are missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum MissingAnswer {
    /// They have handed in nothing.
    None,
}

/// The one answer for all submissions without a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum UntimedAnswer {
    /// They were handed in in time.
    InTime,
}

/// What a grading adds to an intake.
#[derive(Default)]
pub(crate) struct GradingTerms<'a> {
    /// The files for learning systems.
    pub(crate) forms: Option<FormFiles<'a>>,
    /// Who is graded late.
    pub(crate) late: &'a [LateStudent],
    pub(crate) regrade: bool,
    pub(crate) accepts: bool,
}

/// A class after its intake.
pub(crate) struct TakenClass {
    pub(crate) class: Class,
    pub(crate) rules: GameRules,
    pub(crate) grades: GradesFile,
    pub(crate) scheme: Scheme,
    pub(crate) cup: CupFile,
    pub(crate) options: Options,
    pub(crate) of_nights: OfNights,
    pub(crate) table: IntakeTable,
    pub(crate) assignment: Assignment,
    pub(crate) forms: Option<GradeForms>,
}

impl IntakeArgs {
    pub(crate) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        // No grade changes, so another date is no question yet.
        let terms = GradingTerms { regrade: true, ..GradingTerms::default() };
        let taken = self.flags.take(&terms, context)?;
        crate::cli::out_list(&taken.table.text)?;
        let path = display_path(&taken.table.path);
        match taken.table.refusal(&path) {
            Some(refusal) => Err(refusal),
            None => {
                taken.class.machine_was_fit()?;
                Teller::stderr(self.flags.quiet).say(&format!("{path}: no question is open"));
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

impl IntakeFlags {
    /// Makes the class with its engines: matches, builds and tries what was handed in, under the
    /// rules of the game. Writes the table.
    pub(crate) fn take(&self, terms: &GradingTerms<'_>, context: &RunContext) -> anyhow::Result<TakenClass> {
        let mut read = TournamentFile::parse(&text(&self.file, "a tournament.toml")?, &self.file)?;
        settings::warn_of_keys(&read);
        if !read.withdrawn.is_empty() {
            let why =
                "a class has aliases; note it with agon withdraw DIR ALIAS, or write excused in the roster";
            return Err(read.lines.misuse("withdrawn", why));
        }
        let of_nights = OfNights::of(&read);
        let grades = self.grades(read.grades.take())?;
        let cup = read.cup.unwrap_or_else(|| CupFile::single(&self.file));
        let scheme = grades.scheme(cup.stages.len())?;
        let mut options = self.options.clone().over(read.options);
        // Students' programs are untrusted, unless the teacher chooses another level.
        options.isolation.get_or_insert(Isolation::Sandbox);
        asked_question::refuse_in(&options, "take it out: grades come from a whole tournament")?;
        entrants::refuse_also(&options, "put the engine into the folder of baselines of [grades]")?;
        let public = session::root(&options);
        let begun_in = begun_in(&cup, &public);
        let due = grades.due.map(|due| due.0.to_rfc3339());
        let assignment = Assignment::new(self.item.clone(), &public, grades.max, due)?;
        let places = ClassPlaces { roster: self.roster.clone(), private: self.to.clone(), public };
        let teller = Teller::stderr(self.quiet);
        let from = self.from();
        let forms = terms.forms.as_ref().map(|files| files.read(grades.max)).transpose()?;
        let has_download = !matches!(from, IntakeFrom::Roster);
        let mut class = Class::read(places, &table(&self.roster, teller)?, has_download)?;
        class.roster_remark.iter().for_each(|remark| teller.say(remark));
        class.is_of(&assignment, terms.regrade, &command_with)?;
        if let Some(forms) = &forms {
            class.check(forms)?.iter().for_each(|found| teller.say(found));
        }
        let confinement = options.confinement()?;
        confinement.hides(&self.to, "what is private")?;
        confinement.hides(&self.roster, "the roster")?;
        isolation::is_available(&confinement, context)?;
        add_baselines(&mut class, &grades)?;
        let stages = stages::of_file(&cup, &options, settings::points(&options)?)?;
        check_stages(&cup, &stages, class.most_entrants())?;
        if scheme.by == By::Baselines {
            grades.everybody_meets_baselines(stages.first().is_some_and(CupStage::is_all_against_all))?;
        }
        class.submissions_exist()?;
        if !terms.regrade && forms.is_some() {
            class.all_are_here()?;
        }
        class.take_in(from, self.missing.is_some())?.iter().for_each(|remark| teller.say(remark));
        let seed = options.seed.unwrap_or(1);
        class.draw_aliases(seed, terms.accepts)?.iter().for_each(|remark| teller.say(remark));
        class.take_late(terms.late, grades.due.is_some())?;
        self.ask_for_times(&mut class, &grades)?.iter().for_each(|remark| teller.say(remark));
        if terms.accepts {
            class.accept_intake()?.iter().for_each(|remark| teller.say(remark));
        }
        let builder = EngineBuilder { context, confinement, tell: &|text| teller.say(text) };
        let rules = settings::rules_to_play(&mut options, &builder)?;
        stages::for_two(&rules)?;
        let seconds = self.build_seconds.or(grades.build_seconds).unwrap_or(60);
        class.build(Duration::from_secs(seconds.into()), &builder)?;
        class.refuse_other_games(&rules.spec());
        if !self.no_check {
            try_out(&mut class, (&begun_in, &self.file), &options, &rules, context, teller)?;
        }
        class.take_faults_as_answered();
        let table = class.write_intake(&|moment, own| grades.lateness(moment, own))?;
        // Nothing else of an earlier grading changes before the intake is clear.
        if table.open == 0 || terms.accepts {
            class.compare()?.iter().for_each(|remark| teller.say(remark));
        }
        Ok(TakenClass { class, rules, grades, scheme, cup, options, of_nights, table, assignment, forms })
    }

    /// Where the submissions come from.
    fn from(&self) -> IntakeFrom<'_> {
        match (&self.submissions, &self.from_inbox) {
            (Some(download), _) => IntakeFrom::Download(download),
            (None, Some(folder)) => IntakeFrom::Inbox { folder, tournament: &self.file },
            (None, None) => IntakeFrom::Roster,
        }
    }

    /// Asks for the times that cost points; returns a remark about those that cost nothing.
    fn ask_for_times(&self, class: &mut Class, grades: &GradesFile) -> anyhow::Result<Option<String>> {
        class.ask_for_times(&TimeTerms {
            costs: grades.needs_times(),
            untimed_is_in_time: self.untimed.is_some(),
            leaves_open: &|moment, own| grades.leaves_open(moment, own),
            lateness: &|moment, own| grades.lateness(moment, own),
            due: grades.due,
        })
    }

    /// The rules for grades, which the file must have.
    fn grades(&self, read: Option<GradesFile>) -> anyhow::Result<GradesFile> {
        read.ok_or_else(|| {
            let what = format!("{}: section [grades] is missing", display_path(&self.file));
            Misuse::hinted(what, "write one with by, max and steps")
        })
    }
}

/// Refuses stages that no number of engines up to this one fits, before anything is built.
fn check_stages(file: &CupFile, stages: &[CupStage], most: usize) -> anyhow::Result<()> {
    let fits = |entrants: usize| stages::counts(file, stages, entrants).map(drop);
    // How many can play is known only after the tryout.
    if most < 2 || (2..most).rev().any(|entrants| fits(entrants).is_ok()) { Ok(()) } else { fits(most) }
}

fn add_baselines(class: &mut Class, grades: &GradesFile) -> anyhow::Result<()> {
    let Some(folder) = &grades.baselines else { return Ok(()) };
    let names = class.add_baselines(folder).map_err(|error| grades.of_baselines(error))?;
    grades.baselines_exist(&names)
}

/// Tries the engines that have not entered with their present program.
fn try_out(
    class: &mut Class,
    (begun_in, file): (&Path, &Path),
    options: &Options,
    rules: &GameRules,
    context: &RunContext,
    teller: Teller,
) -> anyhow::Result<()> {
    let fresh = class.untried(begun_in)?;
    if fresh.is_empty() {
        return Ok(());
    }
    teller.say(&tryout::announced(fresh.len()));
    let run = settings::run(options, rules.clone(), fresh, options.time_control()?)?;
    isolation::are_in_force(&run, context)?;
    let verdicts = tryout::all(&run, context)?;
    for (engine, verdict) in run.entrants.iter().zip(&verdicts) {
        class.note(&engine.name, verdict);
    }
    // Nobody gets a grade in a game that was perhaps not meant.
    if settings::names_game(options) || !class.fails_as_a_whole(begun_in, &verdicts)? {
        return Ok(());
    }
    let (game, count) = (rules.spec(), verdicts.len());
    let programs =
        if count == 1 { "the only program".to_owned() } else { format!("none of the {count} programs") };
    let plays = if count == 1 { "does not play" } else { "plays" };
    Err(Misuse::hinted(
        format!(
            "{}: no game is named, so it is {game}, and {programs} that was tried {plays} it as it should",
            display_path(file)
        ),
        format!(
            "write the game there: game = \"mnk\", or game = \"{game}\" if it is that one; agon rules lists the games"
        ),
    ))
}

/// The forms to fill in, which are read before the first game: a wrong one is refused then.
pub(crate) struct FormFiles<'a> {
    pub(crate) canvas: &'a Option<PathBuf>,
    pub(crate) brightspace: &'a Option<PathBuf>,
    pub(crate) by_hand: &'a Option<PathBuf>,
    pub(crate) item: &'a str,
    pub(crate) quiet: bool,
}

impl FormFiles<'_> {
    /// The forms, for grades of at most `max`.
    pub(crate) fn read(&self, max: f64) -> anyhow::Result<GradeForms> {
        type Reader = fn(String, &str, &str, f64) -> anyhow::Result<GivenBook>;
        let given: [(&Option<PathBuf>, Reader); 2] =
            [(self.canvas, GivenBook::canvas), (self.brightspace, GivenBook::brightspace)];
        let mut books = Vec::new();
        for (path, read) in given {
            let Some(path) = path else { continue };
            let book = read(display_path(path), &text(path, "a CSV file")?, self.item, max);
            books.push(book.map_err(|error| Misuse::misread(&display_path(path), &error.to_string()))?);
        }
        let by_hand = match self.by_hand {
            Some(path) => Overrides::read(&table(path, Teller::stderr(self.quiet))?, path, max)?,
            None => Overrides::default(),
        };
        Ok(GradeForms { item: self.item.to_owned(), max, books, by_hand })
    }
}

/// The command that was given, with these places in place of its own.
fn command_with(to: &Path, out: Option<&Path>) -> String {
    let mut command = "agon".to_owned();
    let mut words = std::env::args_os().skip(1);
    let places: Vec<&str> = [Some("--to"), out.map(|_| "--out")].into_iter().flatten().collect();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if places.contains(&text.as_ref()) {
            words.next();
        } else if !places.iter().any(|flag| text.starts_with(&format!("{flag}="))) {
            command += &format!(" {}", shell_word(Path::new(&word)));
        }
    }
    for (flag, path) in places.into_iter().zip([Some(to), out].into_iter().flatten()) {
        command += &format!(" {flag} {}", shell_path(path));
    }
    command
}

/// The directory of the first stage.
pub(crate) fn begun_in(file: &CupFile, root: &Path) -> PathBuf {
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

pub(crate) fn text(path: &Path, what_is_wanted: &str) -> anyhow::Result<String> {
    // A gradebook is written back as it was.
    let bytes = settings::read_as_it_is(path, 64 << 20, what_is_wanted)?;
    String::from_utf8(bytes).map_err(|_| {
        let what = format!("{}: is not UTF-8 text", display_path(path));
        Misuse::hinted(what, format!("give {what_is_wanted}"))
    })
}
