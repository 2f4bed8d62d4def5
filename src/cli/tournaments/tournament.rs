//! `agon tournament`: all engines of a folder against each other, or a cup.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use agon_clock::TimeControl;
use agon_config::league::LeagueFile;
use agon_config::stages::CupFile;
use agon_config::{Misuse, Options, Part, TournamentFile, whole};
use agon_export::directory;
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_pages::report::terminal;
use agon_programs::folder::Listing;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_standings::Standings;
use agon_standings::pairings::{self, PlannedGame};
use agon_standings::table_plan::{TableFormat, TablePlan};
use agon_store::key::Keys;
use agon_store::ranking::RankingSpec;
use agon_store::{Drawn, Store};
use agon_tournament::check::tryout::{self, TryoutVerdict};
use agon_tournament::competition::cup::Cup;
use agon_tournament::competition::league::League;
use agon_tournament::competition::played_stage::OnChange;
use agon_tournament::competition::run_dir::{RunDir, RunPlan};
use agon_tournament::competition::session::{self, RunWatch, Session, Teller};
use agon_tournament::competition::{settings, stages, starts, swiss_tables};
use agon_tournament::entrants::{self, EngineBuilder, OnRefusal, elsewhere, isolation};
use agon_tournament::run::{Done, Run};
use clap::Args;

use crate::cli::options::OptionFlags;

/// Plays a round robin of all engines in a folder
///
/// Each executable file in the folder and each subfolder with an engine.toml is an engine. Every
/// engine meets every other one, sides swapped on the same boards, in the rounds of the Berger
/// tables. agon stores each result at once in agon.db, in the directory of --out. It makes files
/// from it: standings.csv, crosstable.csv, games.csv, games/, logs/ and, for games lost by a fault,
/// evidence/.
///
/// The same command again continues a stopped run. If engines or options have changed, only the
/// games that depend on them are played.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon tournament engines/
  agon tournament engines/ --games 2 --st 0.5 --size 4x4x2 --seed 7 --out results
  agon tournament class.toml --quiet        options and the folder of engines from a file
  agon tournament class.toml --dry-run      checks everything and plays nothing
  agon tournament cup.toml --stage 2        the second of its [[stages]], when the first is over
  agon tournament league.toml --next        the next night of its [league]
  agon tournament engines/ --events - | jq  one line of JSON for each thing that happens

A tournament.toml holds the options under their own names (games = 4, st = 0.5, size = \"4x4x2\") and the key \
engines for the folder. A tournament.toml in the folder itself is read too. Flags override the file.")]
pub(crate) struct TournamentArgs {
    /// The folder of engines, or a tournament.toml that names one
    #[arg(value_name = "FOLDER|FILE.toml")]
    pub(crate) folder: PathBuf,

    #[command(flatten)]
    pub(crate) options: OptionFlags,

    /// Turns a different tournament in the directory into history, and plays this one
    #[arg(long)]
    again: bool,

    /// Plays only this stage of a tournament in stages; the stages before it must be over
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true, hide_short_help = true)]
    stage: Option<usize>,

    /// Begins the next night of a league, if the last one is over
    #[arg(long, hide_short_help = true)]
    next: bool,

    /// Plays only one of N parts of the games, for several machines; agon merge puts the parts
    /// together. All parts need the same engines, options and --seed
    #[arg(long, value_name = "K/N", allow_hyphen_values = true, hide_short_help = true)]
    part: Option<Part>,

    /// Does not try the engines before a tournament in stages, or new ones before a night
    #[arg(long, hide_short_help = true)]
    pub(crate) no_check: bool,

    /// The most seconds for the build of one engine
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = whole::<u32>, allow_negative_numbers = true, hide_short_help = true)]
    build_seconds: u32,

    /// Reads, builds, checks and tries everything, and plays and stores nothing; says how many
    /// games would be played and how many count already
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Shows only the standings at the end
    #[arg(long, short)]
    quiet: bool,
}

/// Tries the engines of the list whose names are given, and returns their verdicts in this order.
pub(crate) type TryOut<'a> = dyn Fn(&[EngineSpec], &[String]) -> anyhow::Result<Vec<TryoutVerdict>> + 'a;

/// What a search for the engines of a tournament has to know.
pub(crate) struct EngineSearch<'a> {
    /// The folder of engines.
    pub(crate) folder: &'a Path,
    /// The place in the file that names the folder, if one does.
    pub(crate) named: Option<&'a str>,
    /// The longest time for a build.
    pub(crate) bound: Duration,
    pub(crate) builder: &'a EngineBuilder<'a>,
    /// The engines besides those of the folder.
    pub(crate) also: &'a [EngineSpec],
    pub(crate) try_out: &'a TryOut<'a>,
    /// Moves engines that cannot play the game to the broken ones.
    pub(crate) leave_out: &'a dyn Fn(&mut Listing) -> anyhow::Result<()>,
}

/// A tournament that is to be played.
pub(crate) struct AskedTournament {
    /// The folder of engines.
    pub(crate) folder: PathBuf,
    /// The options of the flags over those of the file.
    pub(crate) options: Options,
    /// The place in the file that names the folder, if one does.
    pub(crate) named: Option<String>,
    /// The stages, if the file has any.
    pub(crate) cup: Option<CupFile>,
    /// The league, if the file has one.
    pub(crate) league: Option<LeagueFile>,
}

impl AskedTournament {
    /// Makes the game that all engines play the game of the options, if these name none. With
    /// `skip-broken`, engines of other games than the one that is named are left out later.
    ///
    /// # Errors
    /// As [`settings::choose_game`].
    pub(crate) fn choose_game(&mut self) -> anyhow::Result<()> {
        let leaves_out = self.options.skip_broken.unwrap_or(false) && settings::names_game(&self.options);
        if leaves_out || !self.folder.is_dir() {
            return Ok(());
        }
        let listing = entrants::listed(&self.folder, self.named.as_deref())?;
        settings::choose_game(&mut self.options, &listing.engines)
    }
}

impl TournamentArgs {
    pub(crate) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let teller = Teller::stderr(self.quiet);
        let asked = asked(&self.folder, self.options.clone())?;
        let skip_broken = asked.options.skip_broken.unwrap_or(false);
        self.play(context, asked, teller, |search| {
            let EngineSearch { folder, named, bound, builder, also, leave_out, .. } = search;
            entrants::of_folder(folder, named, skip_broken, bound, builder, also, leave_out)
        })
    }

    /// Plays the tournament with the engines that `gather` finds in the folder.
    pub(crate) fn play(
        self,
        context: &RunContext,
        mut asked: AskedTournament,
        teller: Teller,
        gather: impl FnOnce(EngineSearch<'_>) -> anyhow::Result<Vec<EngineSpec>>,
    ) -> anyhow::Result<ExitCode> {
        asked.choose_game()?;
        let AskedTournament { folder, mut options, named, cup, league } = asked;
        let dry = self.dry_run;
        if dry {
            options.events = None;
        }
        options.time_controls()?;
        let tell = |text: &str| teller.say(text);
        let builder = EngineBuilder { context, confinement: options.confinement()?, tell: &tell };
        let rules = settings::rules_to_play(&mut options, &builder)?;
        options.games_at(rules.seats().len())?;
        let of_trial = |engines: &[EngineSpec]| {
            let control = options.time_controls()?.first().copied().unwrap_or(options.time_control()?);
            isolation::is_available(&builder.confinement, context)?;
            settings::run(&options, rules.clone(), engines.to_vec(), control)
        };
        let try_out = |engines: &[EngineSpec], wanted: &[String]| {
            let mut run = of_trial(engines)?;
            run.entrants.retain(|engine| wanted.contains(&engine.name));
            tryout::all(&run, context)
        };
        let leave_out = |listing: &mut Listing| {
            entrants::leave_out_unfit(&of_trial(&listing.engines)?, listing, context)?;
            if !options.elsewhere.is_empty() {
                elsewhere::leave_out_unmeasured(&of_trial(&listing.engines)?, listing, context)?;
            }
            Ok(())
        };
        let also = entrants::also(&options, &builder)?;
        let mut engines = gather(EngineSearch {
            folder: &folder,
            also: &also,
            named: named.as_deref(),
            bound: Duration::from_secs(self.build_seconds.into()),
            builder: &builder,
            try_out: &try_out,
            leave_out: &leave_out,
        })?;
        elsewhere::appoint(&options, &mut engines, Some(&folder))?;
        if cup.is_some() || league.is_some() {
            stages::for_two(&rules)?;
        }
        let event = folder.file_name().map(|name| display_path(Path::new(name))).unwrap_or_default();
        self.refuse_part(cup.is_some() || league.is_some(), &options)?;
        let (again, only, check) = (self.again, self.stage, !self.no_check && !self.quiet);
        if let Some(league) = league {
            if only.is_some() {
                return Err(Misuse::hinted("--stage: a league has nights, not stages", "leave it out"));
            }
            let file = cup.unwrap_or_else(|| CupFile::single(&self.folder));
            let next = self.next;
            let on_change = OnChange::Final;
            let cup =
                Cup { file, options, rules, engines, event, only, again, check, on_change, teller, dry };
            return League { league, cup, next }.run(context);
        }
        if self.next {
            return Err(Misuse::hinted("--next is for a tournament.toml with [league]", "leave it out"));
        }
        if let Some(file) = cup {
            let on_change = OnChange::Final;
            let cup =
                Cup { file, options, rules, engines, event, only, again, check, on_change, teller, dry };
            return cup.run(context);
        }
        if only.is_some() {
            return Err(Misuse::hinted("--stage is for a tournament.toml with [[stages]]", "leave it out"));
        }
        let part = self.part;
        RoundRobins { options, rules, engines, event, again, part, check, teller, dry }.run(context)
    }
}

impl TournamentArgs {
    /// Refuses a part of what cannot be cut into parts.
    fn refuse_part(&self, in_stages: bool, options: &Options) -> anyhow::Result<()> {
        if self.part.is_none() {
            return Ok(());
        }
        if in_stages || matches!(options.tables, Some(TableFormat::Swiss { .. })) {
            return Err(Misuse::hinted(
                "--part: the games of stages, leagues and a Swiss follow from results, and are not cut into parts",
                "leave it out, or play a round robin",
            ));
        }
        if options.time_controls()?.len() > 1 {
            return Err(Misuse::hinted(
                "--part: a tournament at several time controls is not cut into parts",
                "give one time control in each call",
            ));
        }
        if options.seed.is_none() {
            return Err(Misuse::hinted(
                "--part: without --seed each part has boards of its own",
                "give all parts the same --seed",
            ));
        }
        Ok(())
    }
}

/// A round robin of all engines at each time control.
struct RoundRobins {
    options: Options,
    rules: GameRules,
    engines: Vec<EngineSpec>,
    /// The name of the event.
    event: String,
    again: bool,
    /// The part of the games that is played, if it is not all of them.
    part: Option<Part>,
    /// Whether a dry run tries the engines.
    check: bool,
    teller: Teller,
    /// Whether nothing is played.
    dry: bool,
}

impl RoundRobins {
    fn run(mut self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let root = session::root(&self.options);
        let controls = self.options.time_controls()?;
        let several = controls.len() > 1;
        let directories: Vec<PathBuf> = controls
            .iter()
            .map(|control| if several { root.join(control.directory_name()) } else { root.clone() })
            .collect();
        self.say_of_comma(&controls);
        let runs = self.runs(controls, &directories[0])?;
        let mut session =
            Session::open(context, &self.options, &runs[0], &directories, self.teller, OnRefusal::End)?
                .unattended(self.options.skip_broken == Some(true))
                .dry(self.dry)?;
        if self.dry && self.check {
            session.try_out(&runs[0])?;
        }
        // All directories are taken before the first game, so that a wrong one is not found hours
        // later.
        let tiebreaks = &self.options.tiebreaks;
        let ranking =
            (!tiebreaks.is_empty()).then(|| RankingSpec { tiebreaks: tiebreaks.clone(), stage: None });
        let games = self.options.games_at(self.rules.seats().len())?;
        let mut taken = Vec::new();
        for (run, path) in runs.iter().zip(&directories) {
            let drawn = swiss_tables::drawn_before(run, path, games)?;
            let (drawn_by, in_part) = (drawn.as_ref(), self.part.is_some());
            let plan = RunPlan { games, drawn: drawn_by, ranking: ranking.as_ref(), in_part };
            let directory = session.directory(path, run, plan, &self.event, self.again)?;
            taken.push((drawn, directory));
        }
        let mut together: Option<Standings> = None;
        for ((run, path), (drawn, mut directory)) in runs.iter().zip(&directories).zip(taken) {
            let done = match drawn {
                None => play(&mut session, run, &mut directory, games, self.part)?,
                Some(drawn) => {
                    let reopen = |session: &Session<'_>, drawn: &Drawn| {
                        let drawn = Some(drawn);
                        let plan = RunPlan { games, drawn, ranking: ranking.as_ref(), in_part: false };
                        session.directory(path, run, plan, &self.event, false)
                    };
                    let (done, last) =
                        swiss_tables::play(&mut session, run, games, drawn, directory, reopen)?;
                    directory = last;
                    done
                }
            };
            show(&session, &done.standings, several.then(|| run.control.to_string()).as_deref())?;
            self.tell(&done);
            let head = if self.dry { None } else { directory.head()? };
            head.iter().for_each(|line| self.teller.say(line));
            if done.stopped {
                return Ok(session.exit_code());
            }
            match &mut together {
                Some(together) => together.include(&done.standings),
                None => together = Some(done.standings),
            }
        }
        if let Some(standings) = together.filter(|_| several && !self.dry) {
            directory::tables(&root, &standings)?;
            show(&session, &standings, Some("all time controls together"))?;
        }
        Ok(session.exit_code())
    }

    /// A comma may have been meant as a decimal point, and hours would be played for nothing.
    fn say_of_comma(&self, controls: &[TimeControl]) {
        let (Some(point), [one, other]) = (self.options.with_point(), controls) else { return };
        let flag = if self.options.st.is_empty() { "--tc" } else { "--st" };
        self.teller.say(&format!(
            "two time controls are played, {one} and {other}; a decimal point is written with a point: {flag} {point}"
        ));
    }

    /// A run for each time control. All have the same boards, those of the first run if it has
    /// begun.
    fn runs(&mut self, controls: Vec<TimeControl>, first: &Path) -> anyhow::Result<Vec<Run>> {
        if self.options.seed.is_none() {
            self.options.seed = Store::seed_in(first)?;
        }
        let mut runs = Vec::new();
        for control in controls {
            let mut run = settings::run(&self.options, self.rules.clone(), self.engines.clone(), control)?;
            self.options.seed = Some(run.seed);
            let games = self.options.games_at(self.rules.seats().len())?;
            let remark = starts::vary(&mut run, &self.options, games, Some(first))?;
            if runs.is_empty() {
                let used_up = starts::used_up(&run, games);
                let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
                let short = starts::short(&run, run.plan(&names, games)?.1);
                remark.iter().chain(&used_up).chain(&short).for_each(|remark| self.teller.say(remark));
            }
            runs.push(run);
        }
        Ok(runs)
    }

    /// Says what went wrong in a run, and that it was stopped.
    fn tell(&self, done: &Done) {
        if !done.faults.is_empty() {
            self.teller.say(terminal::faults(&done.faults).trim_end());
        }
        starts::repeated(done.repeats).iter().for_each(|remark| self.teller.say(remark));
        if let Some((hint, _)) = settings::forgotten_game(&self.options, &self.rules, &done.standings) {
            self.teller.say(&hint);
        }
        for (id, why) in &done.void {
            self.teller.say(&format!("{id} stayed void: {why}"));
        }
        if done.stopped {
            self.teller.say("stopped; the games that were finished are kept");
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
    let (total, plan) = run.plan(&names, games)?;
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

fn show(session: &Session<'_>, standings: &Standings, title: Option<&str>) -> anyhow::Result<ExitCode> {
    let rows = standings.table();
    let title = title.map(|title| format!("{title}\n")).unwrap_or_default();
    session.show(|look| format!("{title}{}", terminal::standings(&rows, standings.tiebreaks(), look)))
}

/// The tournament of the flags and the file, which may be in the folder itself.
pub(crate) fn asked(path: &Path, flags: Options) -> anyhow::Result<AskedTournament> {
    let named = path.is_file() || path.extension().is_some_and(|end| end == "toml");
    let file = if named { path.to_owned() } else { path.join("tournament.toml") };
    if !named && !file.is_file() {
        return Ok(AskedTournament {
            folder: path.to_owned(),
            options: flags,
            named: None,
            cup: None,
            league: None,
        });
    }
    let text = settings::read(&file, 1 << 20, "a tournament.toml")?;
    let text = String::from_utf8(text).map_err(|_| {
        let what = format!("{}: is not UTF-8 text", display_path(&file));
        Misuse::hinted(what, "give a folder of engines or a tournament.toml")
    })?;
    let read = TournamentFile::parse(&text, &file)?;
    // A wrong value is refused with its line, even if a flag overrides it.
    settings::check_part(&read.options, &flags.clone().over(read.options.clone()))?;
    let of_flags = !flags.st.is_empty() || !flags.tc.is_empty();
    if read.cup.is_some() && !of_flags {
        read.options.time_control()?;
    }
    let folder = match (named, read.engines) {
        (_, Some(engines)) => engines,
        (false, None) => path.to_owned(),
        (true, None) => {
            let what = format!("{}: key engines: is missing", display_path(&file));
            return Err(Misuse::hinted(what, "write engines = \"FOLDER\""));
        }
    };
    let named = read.lines.has("engines").then(|| read.lines.place(&["engines"]));
    let (cup, league) = (read.cup, read.league);
    Ok(AskedTournament { folder, options: flags.over(read.options), named, cup, league })
}
