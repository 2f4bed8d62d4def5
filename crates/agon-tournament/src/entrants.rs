//! The engines at the user's paths and in the user's folders: found, built and checked before the
//! first game.

mod also;
pub mod elsewhere;
pub mod isolation;
pub mod kept;
pub mod room;

pub use also::{also, also_named, refuse_also, with_also};

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use agon_config::{Confinement, Misuse};
use agon_match::hosted::{GameRules, HostedRules};
use agon_match::keeper::{Interrupted, RunContext};
use agon_match::openings::Opening;
use agon_match::processes::{Limits, Scratch};
use agon_match::referee::{self, GameWords, HostedReferee, RefereeTrouble, solved_tables};
use agon_match::schedule::{self, Then};
use agon_programs::build::{self, Bench, BuildFailure};
use agon_programs::folder::{self, Listing, Remark};
use agon_programs::machine_fault::{MachineFault, NoEngine};
use agon_programs::program::display_path;
use agon_programs::settings::{self, SpelledEngine};
use agon_programs::spec::EngineSpec;
use agon_programs::{sandbox, stamp, wine};
use agon_protocol::ProcessSpan;
use agon_sandbox::Isolation;
use agon_seats::{Seat, TimeControl};
use agon_trial::handshakes::{self, HandshakeTerms};
use agon_trial::hosted_fit::speaks_hosted;
use anyhow::Context;

use crate::progress;
use crate::run::{Run, check_referee_command};

/// The directory of a run that names none.
pub(crate) const USUAL_RESULTS: &str = "agon-run";

const NO_DIRECTORY: &str = "cannot make a directory to build in";

/// The engine at a path, ready to start.
///
/// # Errors
/// [`Misuse`] if there is none or it cannot be started. Or as [`EngineBuilder::build_all`].
pub fn one(path: &Path, builder: &EngineBuilder<'_>) -> anyhow::Result<EngineSpec> {
    let engine = found(path)?;
    make_ready(&engine, builder, BuildPlace::AsPlayed)?;
    Ok(engine)
}

/// The engine at a path, which may still have to be built.
///
/// # Errors
/// [`Misuse`] if there is none.
pub fn found(path: &Path) -> anyhow::Result<EngineSpec> {
    found_or_kept(path, Path::new(USUAL_RESULTS))
}

/// The same, where `NAME@HASH` is the engine with this name and the start of this hash that a run
/// in `results` has kept. With the directory of another run before it, it is one of that run. An
/// engine may have options behind it, `PATH:Hash=64,Threads=2`.
///
/// # Errors
/// [`Misuse`] if there is none.
pub fn found_or_kept(path: &Path, results: &Path) -> anyhow::Result<EngineSpec> {
    let is_there = |path: &Path| path.symlink_metadata().is_ok() || kept::is_name_at_hash(path);
    let Some(spelled) = settings::spelled(path, is_there) else { return program_at(path, results) };
    let SpelledEngine { program, settings } = spelled?;
    program_at(&program, results)?.with_settings(&settings).map_err(misuse)
}

/// The same without options behind it.
fn program_at(path: &Path, results: &Path) -> anyhow::Result<EngineSpec> {
    if let Some(kept) = kept::named(path, results) {
        return kept;
    }
    if let Err(error) = path.symlink_metadata() {
        let (what, hint) = match error.kind() {
            ErrorKind::PermissionDenied => {
                (error.to_string(), "give the path of an engine that this user may read")
            }
            _ => ("there is no such file".to_owned(), "give the path of an engine"),
        };
        return Err(Misuse::hinted(format!("{}: {what}", display_path(path)), hint));
    }
    EngineSpec::at(path).map_err(misuse)
}

/// Whether a path that is not there names an engine by its hash, as [`found_or_kept`] reads it.
pub fn is_by_hash(path: &Path) -> bool {
    kept::is_name_at_hash(path) && path.symlink_metadata().is_err()
}

/// Where the build command of an engine may run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuildPlace {
    /// In a box if the engine plays in one, as any program of the user otherwise.
    AsPlayed,
    /// In a box if the engine lies outside of the working directory: its command is a stranger's.
    BoxedIfForeign,
}

/// Builds an engine if that is due, and checks that it can be started.
///
/// # Errors
/// [`Misuse`] if it cannot. Or as [`EngineBuilder::build_all`].
pub fn make_ready(engine: &EngineSpec, builder: &EngineBuilder<'_>, place: BuildPlace) -> anyhow::Result<()> {
    if place == BuildPlace::BoxedIfForeign && is_foreign(engine) {
        let level = builder.confinement.level.max(Isolation::Sandbox);
        let confinement = Confinement { level, ..builder.confinement.clone() };
        let boxed = EngineBuilder { confinement, ..*builder };
        boxed
            .build_if_due(engine, build::BOUND)
            .map_err(|error| not_boxed(error, engine))?
            .map_err(|why| not_built(why, engine))?;
    } else {
        builder.build_if_due(engine, build::BOUND)?.map_err(|why| not_built(why, engine))?;
    }
    engine
        .can_start()
        .and_then(|()| wine_ready(engine, builder))
        .map_err(|why| Misuse::misread(&display_path(&engine.program), &why))
}

/// The error of an engine that has no program after its build. One for which this machine lacks a
/// compiler may be right.
fn not_built(why: NoEngine, engine: &EngineSpec) -> anyhow::Error {
    match why {
        NoEngine::Author(why) => Misuse::error(why),
        NoEngine::Machine(fault) => anyhow::Error::new(fault).context(display_path(&engine.source)),
    }
}

/// Makes Wine ready for an engine that needs it, which takes many seconds the first time.
fn wine_ready(engine: &EngineSpec, builder: &EngineBuilder<'_>) -> Result<(), String> {
    if wine::is_windows(&engine.program) { wine::ready(builder.tell).map(|_| ()) } else { Ok(()) }
}

/// Whether an engine lies outside of the working directory.
fn is_foreign(engine: &EngineSpec) -> bool {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    !here.is_ok_and(|here| engine.folder.starts_with(here))
}

/// The error of a build whose box cannot be made, with the way to do without.
fn not_boxed(error: anyhow::Error, engine: &EngineSpec) -> anyhow::Error {
    if !error.is::<agon_sandbox::Unavailable>() {
        return error;
    }
    Misuse::hinted(
        format!(
            "{}: its build command is not run without a box, because it is outside of this directory, and \
             there is no box: {error}",
            display_path(&engine.folder)
        ),
        "build it yourself, or allow its command with --build",
    )
}

/// The folder of engines of a file that names each of them.
pub(crate) const NO_FOLDER: &str = "";

/// Lists a folder of engines. `named` is the line of the file that names the folder.
///
/// # Errors
/// [`Misuse`] if it cannot be read.
pub fn listed(path: &Path, named: Option<&str>) -> anyhow::Result<Listing> {
    if path == NO_FOLDER {
        return Ok(Listing::default());
    }
    folder::read(path).map_err(|error| {
        let what = format!("{}: cannot be read as a folder: {error}", display_path(path));
        match named {
            Some(named) => Misuse::hinted(
                format!("{named}: {what}"),
                "write the path of a folder of engines, relative to this file",
            ),
            None if is_by_hash(path) => Misuse::hinted(
                what,
                "give a folder of engines or a tournament.toml, and name a kept engine with --also",
            ),
            None => Misuse::hinted(what, "give a folder of engines or a tournament.toml"),
        }
    })
}

/// The engines of a folder, ready to start. `named` is the line of the file that names the folder,
/// `bound` the longest time for a build, and `also` are engines besides. With `skip_broken`, broken
/// engines are left out, and `leave_out` moves more of them to the broken ones.
///
/// # Errors
/// [`Misuse`] if there are fewer than two or, unless `skip_broken`, one cannot be started. Or as
/// [`EngineBuilder::build_all`].
pub fn of_folder(
    path: &Path,
    named: Option<&str>,
    skip_broken: bool,
    bound: Duration,
    builder: &EngineBuilder<'_>,
    also: &[EngineSpec],
    leave_out: &dyn Fn(&mut Listing) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<EngineSpec>> {
    let mut listing = prepared(path, named, bound, builder, |_| None)?;
    if skip_broken {
        leave_out(&mut listing)?;
    }
    let broken: Vec<String> = listing.broken.iter().map(Remark::line).collect();
    if !broken.is_empty() && !skip_broken {
        // With a compiler nothing is left to mend.
        if listing.lacking.count() == broken.len() {
            return Err(listing.lacking.or_else("leave them out with --skip-broken").into());
        }
        return Err(Misuse::hinted(
            format!("{} of the engines cannot be started\n  {}", broken.len(), broken.join("\n  ")),
            "mend or remove them, or leave them out with --skip-broken",
        ));
    }
    broken.iter().for_each(|line| (builder.tell)(&format!("left out {line}")));
    let engines = with_also(listing.engines, also)?;
    at_least_two(engines.len(), path, named)?;
    Ok(engines)
}

/// Lists a folder as [`listed`] does, builds the engines that are due, and checks them all. An
/// engine for which `refused` gives a reason is among the broken ones, without a build.
///
/// # Errors
/// [`Misuse`] if the folder cannot be read. Or as [`EngineBuilder::build_all`].
pub fn prepared(
    path: &Path,
    named: Option<&str>,
    bound: Duration,
    builder: &EngineBuilder<'_>,
    refused: impl Fn(&EngineSpec) -> Option<String>,
) -> anyhow::Result<Listing> {
    let mut listing = listed(path, named)?;
    for engine in std::mem::take(&mut listing.engines) {
        let built = match refused(&engine) {
            Some(why) => Err(NoEngine::Author(why)),
            None => builder.build_if_due(&engine, bound)?,
        };
        match built {
            Ok(()) => listing.engines.push(engine),
            Err(why) => {
                let what = display_path(&engine.source);
                if let NoEngine::Machine(fault) = &why {
                    listing.lacking.add(fault, &what);
                }
                listing.broken.push(Remark { entry: engine.source, what, why: why.to_string() });
            }
        }
    }
    listing.check();
    for Remark { what, why, .. } in &listing.renamed {
        (builder.tell)(&format!("{what}: {why}"));
    }
    for engine in std::mem::take(&mut listing.engines) {
        match wine_ready(&engine, builder) {
            Ok(()) => listing.engines.push(engine),
            Err(why) => {
                let what = display_path(&engine.program);
                listing.broken.push(Remark { entry: engine.source, what, why });
            }
        }
    }
    for Remark { what, why, .. } in &listing.skipped {
        (builder.tell)(&format!("skipped {what}: {why}"));
    }
    Ok(listing)
}

/// Refuses a folder with fewer than two engines. `named` is the line of the file that names the
/// folder.
///
/// # Errors
/// [`Misuse`].
pub fn at_least_two(found: usize, path: &Path, named: Option<&str>) -> anyhow::Result<()> {
    if found >= 2 {
        return Ok(());
    }
    // The engines of a file's own tables lie in no folder.
    if path.as_os_str().is_empty() {
        let said = format!("[[engine]]: {found} engine(s) named, but a tournament needs two");
        return Err(Misuse::hinted(said, "write another table [[engine]], or the key engines with a folder"));
    }
    Err(Misuse::hinted(
        format!(
            "{}{}: {found} engine(s) found, but a tournament needs two",
            named.map(|named| format!("{named}: ")).unwrap_or_default(),
            display_path(path),
        ),
        "an engine is an executable file or a subfolder with an engine.toml",
    ))
}

/// The result of a build, or why there is no engine.
pub type Built<T = ()> = Result<T, NoEngine>;

/// Builds engines: in a box if they play in one.
pub struct EngineBuilder<'a> {
    /// The directory for builds, and the signal to stop.
    pub context: &'a RunContext,
    /// The confinement of the engines in their games.
    pub confinement: Confinement,
    /// Called before each build, which may take minutes, and for each engine that is left out.
    pub tell: &'a (dyn Fn(&str) + Sync),
}

impl EngineBuilder<'_> {
    /// Calls `make` to build each engine, with its name and a job, as many at once as there are
    /// cores. Returns the results in the order of the jobs.
    ///
    /// # Errors
    /// agon's own. Or the user has stopped it.
    pub fn build_all<J: Sync, T: Send>(
        &self,
        jobs: &[(String, J)],
        make: impl Fn(&J, Bench<'_>) -> Result<T, BuildFailure> + Sync,
    ) -> anyhow::Result<Vec<Built<T>>> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let is_boxed = self.confinement.level.is_boxed();
        let scratch = Scratch::create(&self.context.scratch).context(NO_DIRECTORY)?;
        let place = |number: usize| scratch.path().join(format!("build-{number}"));
        if is_boxed {
            std::fs::create_dir(place(jobs.len())).context(NO_DIRECTORY)?;
            sandbox::available(&self.confinement, &place(jobs.len()))?;
        }
        let build = |number: usize| {
            let (name, job) = &jobs[number];
            (self.tell)(&format!("building {name} ..."));
            if !is_boxed {
                return make(job, Bench::Open);
            }
            let place = place(number);
            std::fs::create_dir(&place)
                .map_err(|error| MachineFault::Short(format!("{NO_DIRECTORY}: {error}")))?;
            make(job, Bench::Boxed { place: &place, asked: &self.confinement.show })
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let built = schedule::all(jobs.len(), cores.min(jobs.len()), |number| {
            let result = build(number);
            let then = match &result {
                Ok(_) | Err(BuildFailure::NoEngine(_)) => Then::GoOn,
                Err(BuildFailure::Stopped) => Then::Stop,
            };
            (result, then)
        })
        .context(schedule::NO_THREAD)?;
        // What stopped a worker is told before what that left undone.
        let mut all = Vec::new();
        let mut is_stopped = false;
        for result in built {
            match result {
                Some(Ok(made)) => all.push(Ok(made)),
                Some(Err(BuildFailure::NoEngine(why))) => all.push(Err(why)),
                Some(Err(BuildFailure::Stopped)) | None => is_stopped = true,
            }
        }
        if is_stopped { Err(Interrupted.into()) } else { Ok(all) }
    }

    /// Builds an engine of the organiser's, or says why it cannot be built.
    fn build_if_due(&self, engine: &EngineSpec, bound: Duration) -> anyhow::Result<Built> {
        if !build::is_due(engine) {
            return Ok(Ok(()));
        }
        let stop = &self.context.stop;
        let jobs = [(engine.name.clone(), engine)];
        let before = stamp::claimed(engine);
        let mut built = self.build_all(&jobs, |engine, bench| build::build(engine, bench, bound, stop))?;
        if before.is_some() && before == stamp::sources(engine) {
            let name = &engine.name;
            (self.tell)(&format!("{name} was built from the same files as before and counts as unchanged"));
        }
        match built.pop().unwrap_or(Ok(())) {
            Err(NoEngine::Machine(fault @ MachineFault::Short(_))) => Err(fault.into()),
            built => Ok(built),
        }
    }
}

/// What the handshake with an engine of a run depends on.
pub fn handshake_terms<'a>(
    run: &'a Run,
    engine: &EngineSpec,
    scratch: &'a Scratch,
    context: &RunContext,
) -> HandshakeTerms<'a> {
    HandshakeTerms {
        rules: &run.rules,
        openings: &run.openings,
        seed: run.seed,
        control: run.control_of(engine),
        limits: run.limits(context),
        scratch,
    }
}

/// What to write into the file of an engine that has lost a game before it has made a move, if it
/// answers the greeting of another protocol.
///
/// # Errors
/// As [`handshakes::other_protocol`].
pub fn spoken(run: &Run, engine: &EngineSpec, context: &RunContext) -> anyhow::Result<Option<Misuse>> {
    if engine.protocol.may_refuse() {
        return Ok(None); // it was greeted before the games
    }
    // The directory of the run is in use.
    let place = tempfile::tempdir_in(&context.scratch)?;
    let scratch = Scratch::create(&place.path().join("engines"))?;
    handshakes::other_protocol(&handshake_terms(run, engine, &scratch, context), engine)
}

/// What becomes of a run with an engine that cannot play, as its handshake shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnRefusal {
    /// It does not begin.
    End,
    /// It does not begin, unless the engine never answers: a check has more to say about that.
    EndUnlessSilent,
    /// It begins, and the engine loses its games.
    PlayOn,
}

/// Checks before the first game that every engine's arguments can be filled in, and that the
/// isolation level works. Also checks that engines whose protocol can refuse a game accept it.
///
/// # Errors
/// [`Misuse`], which names the argument or the engine; [`agon_sandbox::Unavailable`].
pub fn check(run: &Run, context: &RunContext, on_refusal: OnRefusal) -> anyhow::Result<()> {
    room::check(run)?;
    let scratch = Scratch::create(&context.scratch)?;
    for engine in &run.entrants {
        fill_in_arguments(run, engine, &scratch)?;
        if engine.elsewhere.is_some() && engine.process == ProcessSpan::Turn {
            return Err(Misuse::hinted(
                format!(
                    "{} has process = \"turn\", and an engine elsewhere has one process for a game",
                    engine.name
                ),
                format!("leave process out of {}", display_path(&engine.source.join("engine.toml"))),
            ));
        }
        if let Some(spelling) = &engine.old {
            let file = display_path(&engine.source.join("engine.toml"));
            let (old, new) = (&spelling.old, &spelling.new);
            progress::warn(&format!("{file}: {old} is now {new}; the old spelling works until 0.3.0"));
        }
    }
    isolation::check(run, &scratch)?;
    if let Some(rules) = run.rules.built_in()
        && let Some(warning) = solved_tables::made_for(rules, run.entrants.iter())
    {
        progress::warn(&warning);
    }
    let mut refusals = Vec::new();
    for engine in &run.entrants {
        // This also finds out the line ends of an engine, even if it is refused or plays on.
        refusals.extend(handshakes::refusal(&handshake_terms(run, engine, &scratch, context), engine)?);
    }
    refusals.retain(|refusal| match on_refusal {
        OnRefusal::End => true,
        OnRefusal::EndUnlessSilent => !refusal.is_silence,
        OnRefusal::PlayOn => false,
    });
    let mut refusals: Vec<Misuse> = refusals.into_iter().map(|refusal| refusal.misuse).collect();
    match refusals.pop() {
        None => Ok(()),
        Some(misuse) if refusals.is_empty() => Err(misuse.into()),
        Some(last) => {
            let all: Vec<String> = refusals.into_iter().chain([last]).map(|misuse| misuse.what).collect();
            Err(Misuse::hinted(
                format!("{} engines cannot play\n  {}", all.len(), all.join("\n  ")),
                "mend what is wrong with them, give a game that they play with --game, or leave them out with --skip-broken",
            ))
        }
    }
}

/// Moves the engines of a run that cannot play its games to the broken ones of the listing.
///
/// # Errors
/// agon's own, or the run is to stop.
pub fn leave_out_unfit(run: &Run, listing: &mut Listing, context: &RunContext) -> anyhow::Result<()> {
    let scratch = Scratch::create(&context.scratch)?;
    for engine in &run.entrants {
        if let Some(why) = unfit(run, engine, &scratch, context)? {
            listing.leave_out(engine, why);
        }
    }
    Ok(())
}

/// Why an engine cannot play the games of a run: it lists others, an argument cannot be filled in,
/// or it refuses them in its handshake.
fn unfit(
    run: &Run,
    engine: &EngineSpec,
    scratch: &Scratch,
    context: &RunContext,
) -> anyhow::Result<Option<String>> {
    let spec = run.rules.spec();
    if !engine.plays(&spec) {
        return Ok(Some(format!("its engine.toml lists the games {}, not {spec}", engine.games.join(", "))));
    }
    if let Err(error) = fill_in_arguments(run, engine, scratch) {
        return error.downcast::<Misuse>().map(|misuse| Some(misuse.what));
    }
    Ok(handshakes::refusal(&handshake_terms(run, engine, scratch, context), engine)?
        .map(|refusal| refusal.misuse.what))
}

/// Fills in the arguments of one engine.
///
/// # Errors
/// [`Misuse`], which names the argument.
pub fn fill_in_arguments(run: &Run, engine: &EngineSpec, scratch: &Scratch) -> anyhow::Result<()> {
    let own = scratch.directory("", "", Vec::new())?;
    let rules = match &run.rules {
        GameRules::BuiltIn(rules) => rules.as_ref(),
        GameRules::Hosted(rules) => {
            speaks_hosted(rules, engine)?;
            referee::hosted_setup(rules, engine, Seat::FIRST, run.control, 1, &own, &run.terms.confinement)
                .map_err(misuse)?;
            return Ok(());
        }
    };
    // All games begin alike for most engines. A console program cannot be told every move of every
    // seat.
    let (seats, pairs) = match engine.console {
        Some(_) => (rules.seats().len(), run.openings.kinds()),
        None => (1, vec![1]),
    };
    for (seat, pair) in pairs.iter().flat_map(|pair| (0..seats).map(move |seat| (Seat::new(seat), *pair))) {
        let Opening { game, moves } = run.openings.begin(rules, run.seed, pair);
        // All games begin after moves, or not all do.
        let moves = moves.filter(|_| run.openings.have_moves());
        let start = referee::start(rules, engine, seat, game.as_ref(), moves.as_deref());
        let words = GameWords { position: game.text(), seed: run.seed };
        referee::setup(rules, engine, &start, run.control, &own, &run.terms.confinement, words)
            .map_err(misuse)?;
    }
    Ok(())
}

/// Sees that the referee program of a game goes through its handshake.
///
/// # Errors
/// [`Misuse`], with what is wrong with it; or the run is to stop.
pub(crate) fn try_referee(
    rules: &HostedRules,
    control: TimeControl,
    limits: &Limits,
    context: &RunContext,
) -> anyhow::Result<()> {
    let scratch = Scratch::create(&context.scratch)?;
    let place = display_path(&rules.folder.referee.source);
    let tried = || HostedReferee::start(rules, control, limits, &scratch).map(HostedReferee::end_of_trial);
    match schedule::aside(tried)? {
        Ok(_) => Ok(()),
        Err(RefereeTrouble::Fault(why)) => Err(Misuse::hinted(
            format!("{place}: the referee program cannot begin: {why}"),
            format!("{} tells more", check_referee_command(rules)),
        )),
        Err(RefereeTrouble::Stopped) => Err(Interrupted.into()),
        Err(RefereeTrouble::Ours(error)) => Err(error.into()),
    }
}

/// An error in words for an engine's author. If they are one line, the hint follows the last `; `.
fn misuse(words: String) -> anyhow::Error {
    match Misuse::parts(&words).filter(|_| !words.contains('\n')) {
        Some((what, hint)) => Misuse::hinted(what, hint),
        None => Misuse::error(words),
    }
}
