//! A tournament as a folder of engines or a `tournament.toml` describes it: it is made ready and
//! played. What it says and what comes of it goes to a [`Sink`].

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use agon_config::asked_question;
use agon_config::candidates::CandidatesFile;
use agon_config::league::LeagueFile;
use agon_config::stages::{CupFile, WithdrawnFile};
use agon_config::{CommandExit, EntrantFile, Misuse, Options, Part, TournamentFile};
use agon_match::hosted::GameRules;
use agon_match::keeper::RunContext;
use agon_programs::folder::Listing;
use agon_programs::naming::{self, FoundIn};
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_store::{Consent, Store};

use super::cup::Cup;
use super::league::League;
use super::played_stage::OnChange;
use super::round_robins::RoundRobins;
use super::sink::{SilentSink, Sink};
use super::{session, settings, stages};
use crate::entrants::{self, EngineBuilder, elsewhere, isolation};
use crate::tryout::{self, TryoutVerdict};

/// The longest time for the build of one engine, if no other is given.
const BUILD: Duration = Duration::from_secs(300);

/// Tries the engines of the list whose names are given, and returns their verdicts in this order.
pub type TryOut<'a> = dyn Fn(&[EngineSpec], &[String]) -> anyhow::Result<Vec<TryoutVerdict>> + 'a;

/// What a search for the engines of a tournament has to know.
pub struct EngineSearch<'a> {
    /// The folder of engines.
    pub folder: &'a Path,
    /// The place in the file that names the folder, if one does.
    pub named: Option<&'a str>,
    /// The longest time for a build.
    pub bound: Duration,
    /// What makes engines ready.
    pub builder: &'a EngineBuilder<'a>,
    /// The engines besides those of the folder.
    pub also: &'a [EngineSpec],
    /// Tries engines.
    pub try_out: &'a TryOut<'a>,
    /// Moves engines that cannot play the game to the broken ones.
    pub leave_out: &'a dyn Fn(&mut Listing) -> anyhow::Result<()>,
}

/// A tournament that is to be played.
pub struct AskedTournament {
    /// The folder or the file that was named.
    pub path: PathBuf,
    /// The folder of engines.
    pub folder: PathBuf,
    /// The options of the flags over those of the file.
    pub options: Options,
    /// The programs of the file with settings of their own.
    pub entries: Vec<EntrantFile>,
    /// The place in the file that names the folder, if one does.
    pub named: Option<String>,
    /// The stages, if the file has any.
    pub cup: Option<CupFile>,
    /// The league, if the file has one.
    pub league: Option<LeagueFile>,
    /// The engines that have withdrawn.
    pub withdrawn: Vec<WithdrawnFile>,
    /// How new versions of engines are tested, if the file says so.
    pub candidates: Option<CandidatesFile>,
}

impl AskedTournament {
    /// The tournament of the flags and the file, which may be in the folder itself.
    ///
    /// # Errors
    /// [`Misuse`], with file, line and key.
    pub fn read(path: &Path, flags: Options) -> anyhow::Result<Self> {
        Self::read_with(path, flags, true)
    }

    /// The same for a question that no engine is needed for: a file may name none.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn of_any_engines(path: &Path, flags: Options) -> anyhow::Result<Self> {
        Self::read_with(path, flags, false)
    }

    fn read_with(path: &Path, flags: Options, needs_engines: bool) -> anyhow::Result<Self> {
        let named = path.is_file() || path.extension().is_some_and(|end| end == "toml");
        let file = if named { path.to_owned() } else { path.join("tournament.toml") };
        if !named && !file.is_file() {
            return Ok(AskedTournament {
                path: path.to_owned(),
                folder: path.to_owned(),
                options: flags,
                entries: Vec::new(),
                named: None,
                cup: None,
                league: None,
                withdrawn: Vec::new(),
                candidates: None,
            });
        }
        let text = settings::read(&file, 1 << 20, "a tournament.toml")?;
        let text = String::from_utf8(text).map_err(|_| {
            let what = format!("{}: is not UTF-8 text", display_path(&file));
            Misuse::hinted(what, "give a folder of engines or a tournament.toml")
        })?;
        let read = TournamentFile::parse(&text, &file)?;
        settings::warn_of_keys(&read);
        // A wrong value is refused with its line, even if a flag overrides it.
        settings::check_part(&read.options, &flags.clone().over(read.options.clone()))?;
        let of_flags = !flags.st.is_empty() || !flags.tc.is_empty();
        if read.cup.is_some() && !of_flags {
            read.options.time_control()?;
        }
        let folder = match (named, read.engines) {
            (_, Some(engines)) => engines,
            (false, None) => path.to_owned(),
            (true, None) if !read.entrants.is_empty() || !needs_engines => PathBuf::from(entrants::NO_FOLDER),
            (true, None) => {
                let what = format!("{}: key engines: is missing", display_path(&file));
                let hint = match read.grades {
                    Some(_) => {
                        "agon grade plays a class, with --roster FILE; for other commands write engines = \"FOLDER\", \
                         which a grading leaves alone"
                    }
                    None => "write engines = \"FOLDER\", or a table [[engine]] for each engine",
                };
                return Err(Misuse::hinted(what, hint));
            }
        };
        let named = read.lines.has("engines").then(|| read.lines.place(&["engines"]));
        let (cup, league, withdrawn) = (read.cup, read.league, read.withdrawn);
        Ok(AskedTournament {
            path: path.to_owned(),
            folder,
            options: flags.over(read.options),
            entries: read.entrants,
            named,
            cup,
            league,
            withdrawn,
            candidates: read.candidates,
        })
    }

    /// Whether it names a folder of engines that is not there.
    pub fn lacks_folder(&self) -> bool {
        self.has_folder() && !self.folder.is_dir()
    }

    /// Whether its engines are in a folder, and not all of them in tables of a file.
    fn has_folder(&self) -> bool {
        self.folder != Path::new(entrants::NO_FOLDER)
    }

    /// Makes the game that all engines play the game of the options, if these name none. With
    /// `skip-broken`, engines of other games than the one that is named are left out later.
    ///
    /// # Errors
    /// As [`settings::choose_game`].
    pub fn choose_game(&mut self) -> anyhow::Result<()> {
        let leaves_out = self.options.skip_broken.unwrap_or(false) && settings::names_game(&self.options);
        if leaves_out || self.lacks_folder() {
            return Ok(());
        }
        let mut listing = entrants::listed(&self.folder, self.named.as_deref())?;
        if !self.has_folder() {
            listing.engines = entrants::also_named(&self.options, &self.entries)?;
        }
        settings::choose_game(&mut self.options, &listing.engines)
    }

    /// The names under which the engines of the folder and those of `--also` would play. None of
    /// them is built or tried.
    ///
    /// # Errors
    /// [`Misuse`] if the folder cannot be read, two engines have one name, or there are fewer than
    /// two.
    pub fn names(&self) -> anyhow::Result<Vec<String>> {
        let mut listing = entrants::listed(&self.folder, self.named.as_deref())?;
        naming::by_folders(&mut listing.engines, FoundIn::OneFolder);
        let engines =
            entrants::with_also(listing.engines, &entrants::also_named(&self.options, &self.entries)?)?;
        entrants::at_least_two(engines.len(), &self.folder, self.named.as_deref())?;
        let mut names: Vec<String> = Vec::with_capacity(engines.len());
        for engine in engines {
            if names.contains(&engine.name) {
                let place = display_path(&engine.source);
                return Err(Misuse::hinted(
                    format!("{place}: the name {} is taken by another engine", engine.name),
                    "rename one, or set name in its engine.toml",
                ));
            }
            names.push(engine.name);
        }
        Ok(names)
    }
}

/// A tournament whose engines are there, before its first game.
pub struct ReadyTournament<'a> {
    /// Its options.
    pub options: &'a Options,
    /// The game.
    pub rules: &'a GameRules,
    /// The engines that play.
    pub engines: &'a [EngineSpec],
    /// Whether it has stages, or is a league.
    pub is_staged: bool,
    /// The part of its games that is played.
    pub part: Option<Part>,
    /// What may make games history without a question.
    pub consent: Consent,
    /// When no more games begin, if the time is bounded.
    pub until: Option<Instant>,
    /// Whether nothing is played.
    pub dry: bool,
}

/// What follows what is played before a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterPrelude {
    /// Nothing.
    End(CommandExit),
    /// The tournament. The exit code is at least this one.
    GoOn(CommandExit),
}

/// What is played before a tournament, or instead of it.
pub trait Prelude {
    /// Plays it.
    ///
    /// # Errors
    /// [`Misuse`], or agon's own: something could not be written.
    fn play(
        &self,
        ready: &ReadyTournament<'_>,
        context: &RunContext,
        sink: &mut dyn Sink,
    ) -> anyhow::Result<AfterPrelude>;
}

/// A tournament that is to be played, and how: a round robin at each time control, a cup in stages,
/// or a night of a league.
pub struct Tournament {
    /// What is played.
    pub asked: AskedTournament,
    /// What may make games in the directory of the results history without a question.
    pub consent: Consent,
    /// The only stage to play, from 1; `None` for all.
    pub only: Option<usize>,
    /// Whether the next night of a league begins, if the last one is over.
    pub next: bool,
    /// The part of the games that is played, if it is not all of them.
    pub part: Option<Part>,
    /// Whether the engines are tried before the first stage or night, and in a dry run.
    pub check: bool,
    /// Whether everything is made ready and nothing is played.
    pub dry: bool,
    /// The longest time for the build of one engine.
    pub build_bound: Duration,
    /// What is played before it.
    pub prelude: Option<Box<dyn Prelude>>,
}

impl Tournament {
    /// The whole of what was asked for.
    pub fn new(asked: AskedTournament) -> Self {
        Tournament {
            asked,
            consent: Consent::default(),
            only: None,
            next: false,
            part: None,
            check: true,
            dry: false,
            build_bound: BUILD,
            prelude: None,
        }
    }

    /// Plays it with the engines of its folder, or goes on with it. Returns the exit code: 0; 1 if
    /// a dry run has found an engine that cannot play; 4 if games stayed void; 130 if it was
    /// stopped. Or that of the prelude.
    ///
    /// # Errors
    /// [`Misuse`] before the first game; then agon's own: something could not be written.
    pub fn play(self, context: &RunContext, sink: &mut dyn Sink) -> anyhow::Result<CommandExit> {
        let skip_broken = self.asked.options.skip_broken.unwrap_or(false);
        self.play_with(context, sink, |search| {
            let EngineSearch { folder, named, bound, builder, also, leave_out, .. } = search;
            entrants::of_folder(folder, named, skip_broken, bound, builder, also, leave_out)
        })
    }

    /// Plays the tournament with the engines that `gather` finds in the folder.
    /// Returns the exit code.
    ///
    /// # Errors
    /// As [`Tournament::play`], or those of `gather`.
    pub fn play_with(
        mut self,
        context: &RunContext,
        sink: &mut dyn Sink,
        gather: impl FnOnce(EngineSearch<'_>) -> anyhow::Result<Vec<EngineSpec>>,
    ) -> anyhow::Result<CommandExit> {
        self.asked.choose_game()?;
        let Tournament { asked, consent, only, next, part, check, dry, build_bound, prelude } = self;
        let AskedTournament { path, folder, mut options, entries, named, cup, league, withdrawn, .. } = asked;
        let (question, mut at_most) = asked_question::taken(&mut options)?;
        if dry {
            options.events = None;
        }
        // An engine that cannot play today is left out, and may be back tomorrow.
        let leaves_out = options.skip_broken.unwrap_or(false);
        let consent = if leaves_out { consent.max(Consent::Engines) } else { consent };
        options.time_controls()?;
        let told = Mutex::new(&mut *sink);
        let tell = |text: &str| told.lock().unwrap_or_else(PoisonError::into_inner).say(text);
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
            let verdicts = tryout::all(&run, context)?;
            let cannot = tryout::who_cannot(&run.entrants, &verdicts);
            let hint = settings::forgotten_before(&options, &rules, &cannot, verdicts.len());
            hint.iter().for_each(|hint| tell(hint));
            Ok(verdicts)
        };
        let leave_out = |listing: &mut Listing| {
            entrants::leave_out_unfit(&of_trial(&listing.engines)?, listing, context)?;
            if !options.elsewhere.is_empty() {
                elsewhere::leave_out_unmeasured(&of_trial(&listing.engines)?, listing, context)?;
            }
            Ok(())
        };
        let also = entrants::also(&options, &entries, &builder)?;
        let mut engines = gather(EngineSearch {
            folder: &folder,
            also: &also,
            named: named.as_deref(),
            bound: build_bound,
            builder: &builder,
            try_out: &try_out,
            leave_out: &leave_out,
        })?;
        elsewhere::appoint(&options, &mut engines, Some(&folder))?;
        if cup.is_some() || league.is_some() {
            stages::for_two(&rules)?;
        }
        // Without a folder the file has the name of the event.
        let named_by = folder.file_name().or_else(|| path.file_stem());
        let event = named_by.map(|name| display_path(Path::new(name))).unwrap_or_default();
        if part.is_some() && at_most.is_some() {
            return Err(Misuse::hinted(
                "--at-most: a part has no whole rounds",
                "leave it out, or play without --part",
            ));
        }
        if part.is_some() {
            asked_question::refuse(
                question,
                "a pair follows from the results before it, so the games are not cut into parts",
                "leave out --part or --until",
            )?;
            refuse_part(league.is_some(), &options)?;
        }
        if league.is_some() && only.is_some() {
            return Err(Misuse::hinted("--stage: a league has nights, not stages", "leave it out"));
        }
        if league.is_none() && next {
            return Err(Misuse::hinted("--next is for a tournament.toml with [league]", "leave it out"));
        }
        if cup.is_some() || league.is_some() {
            asked_question::refuse(
                question,
                "stages, seeds and nights of a league have pairings of their own",
                "leave it out, or leave out stages, seeds and the other keys of a cup",
            )?;
        }
        if rules.seats().len() != 2 {
            asked_question::refuse(
                question,
                &format!("it is for games of two seats, and this one has {}", rules.seats().len()),
                "leave it out",
            )?;
        }
        if only.is_some() && cup.is_none() {
            return Err(Misuse::hinted("--stage is for a tournament.toml with [[stages]]", "leave it out"));
        }
        let mut worst = CommandExit::Done;
        if let Some(prelude) = prelude {
            let began = Instant::now();
            // Nothing is played before a tournament that is refused then.
            let is_one = cup.is_none() && league.is_none() && options.time_controls()?.len() == 1;
            if !dry && is_one && Store::is_in(&session::root(&options)) {
                let options = Options { events: None, ..options.clone() };
                let (rules, engines, event) = (rules.clone(), engines.clone(), event.clone());
                let (check, dry, withdrawn, at_most) = (false, true, Vec::new(), None);
                RoundRobins {
                    options,
                    rules,
                    engines,
                    event,
                    consent,
                    part,
                    check,
                    dry,
                    withdrawn,
                    at_most,
                    question,
                }
                .run(context, &mut SilentSink)?;
            }
            let ready = ReadyTournament {
                options: &options,
                rules: &rules,
                engines: &engines,
                is_staged: cup.is_some() || league.is_some(),
                part,
                consent,
                until: at_most.and_then(|time| began.checked_add(time)),
                dry,
            };
            match prelude.play(&ready, context, sink)? {
                AfterPrelude::End(code) => return Ok(code),
                AfterPrelude::GoOn(code) => worst = code,
            }
            at_most = at_most.map(|time| time.saturating_sub(began.elapsed()));
        }
        if let Some(file) = cup.or_else(|| league.is_some().then(|| CupFile::single(&path))) {
            let on_change = OnChange::Final;
            let cup = Cup {
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
                part,
                intake: None,
                withdrawn,
                at_most,
            };
            return match league {
                Some(league) => League { league, cup, next }.run(context, sink),
                None => cup.run(context, sink),
            };
        }
        let all = RoundRobins {
            options,
            rules,
            engines,
            event,
            consent,
            part,
            check,
            dry,
            withdrawn,
            at_most,
            question,
        };
        Ok(all.run(context, sink)?.max(worst))
    }
}

/// Refuses a part of what cannot be cut into parts.
fn refuse_part(is_league: bool, options: &Options) -> anyhow::Result<()> {
    if is_league {
        return Err(Misuse::hinted(
            "--part: the nights of a league follow from results, and are not cut into parts",
            "leave it out, or play a tournament",
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
