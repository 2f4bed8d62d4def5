//! The programs of a run: what was hashed is what plays.
//!
//! A copy of each engine's files is hashed, kept, and played from, unless the engine needs the
//! place where it lies. The files that play are looked at before each of its games and after it. If
//! one has changed since it was hashed, the game is void: its moves may be those of another
//! program.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use agon_config::Misuse;
use agon_match::hosted::GameRules;
use agon_printable::text_without_mark;
use agon_programs::in_place::InPlace;
use agon_programs::kept::{self, Keeping, KeptCopy, KeptPlace};
use agon_programs::program::display_path;
use agon_programs::program_files::{Glance, ProgramFiles, TICK};
use agon_programs::spec::EngineSpec;
use agon_programs::stamp;
use agon_record::VoidReason;
use agon_seats::PerSeat;
use agon_store::hash;
use agon_store::key::Player;
use agon_store::programs::{Plays, ProgramNote};
use anyhow::{Context, Result};
use chrono::{DateTime, SecondsFormat, Utc};

use super::{RefereeAtFault, Run};

/// How often files that change while they are hashed are hashed again, and the time between.
const TRIES: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(300);

/// How long a missing file may stay away before the games of its program are void.
const ABSENCE: Duration = Duration::from_secs(3);

/// How long a look holds for the next game. The look after a game is just before the next one; what
/// changes in between is seen after that one.
const FRESH: Duration = Duration::from_millis(10);

/// How a difference of a file ends, after its name.
const NOT_AS_IT_WAS: [&str; 2] = [" is not as it was", " is new"];

/// The programs of a run.
pub struct Programs {
    /// In the order of the entrants; none of those that have withdrawn.
    engines: Vec<Option<Program>>,
    /// The referee program of the game, if it has one.
    referee: Option<Program>,
}

/// One program as it was hashed.
pub(super) struct Program {
    /// As it plays.
    pub(super) engine: EngineSpec,
    /// Where it was found.
    pub(super) source: PathBuf,
    /// As it is known in the records.
    pub(super) hash: String,
    /// As it was hashed.
    own_hash: String,
    /// The hash that it had before hidden files became parts of engines, if that differs.
    before: Option<String>,
    /// The copy that plays, with the hash of its contents, or why there is none.
    pub(super) kept: Result<(KeptCopy, String), InPlace>,
    seen: Mutex<Seen>,
}

/// What was seen of the files of a program.
struct Seen {
    /// The files with the bytes that were hashed.
    hashed: ProgramFiles,
    /// How often they have changed and had those bytes again.
    restored: u32,
    /// The files with other bytes, and how they differ in words.
    other: Option<(ProgramFiles, String)>,
    /// Whether it was said that it has changed.
    said: bool,
    /// When the files were last seen to have the bytes that were hashed.
    looked: DateTime<Utc>,
    /// What tells that they still have, since then.
    glance: Option<(Glance, Instant)>,
}

impl Seen {
    /// How often the files were restored, if they have just been seen to be as they were.
    fn if_fresh(&self) -> Option<u32> {
        let is_fresh = self.glance.as_ref().is_some_and(|(_, at)| at.elapsed() < FRESH);
        is_fresh.then_some(self.restored)
    }
}

/// The programs of a game that begins: they are what was hashed.
pub(super) struct AsHashed<'p>(Vec<SeenBefore<'p>>);

/// A program, and how often it has been restored.
type SeenBefore<'p> = (&'p Program, u32);

/// A program is not what was hashed.
pub(super) enum Changed {
    /// An engine: the game is void, with this reason. People are told of it the first time.
    Void { why: VoidReason, news: Option<String> },
    /// The referee program: the run ends.
    Referee(RefereeAtFault),
}

impl Programs {
    /// Copies the programs of a run to this folder, and hashes them.
    ///
    /// # Errors A file of an engine cannot be read, or changes all the time. Or the referee program
    /// has changed since the run was prepared.
    pub fn kept_in(folder: &Path, run: &Run) -> Result<Programs> {
        Programs::at(KeptPlace { folder, most: run.keep }, run)
    }

    fn at(place: KeptPlace<'_>, run: &Run) -> Result<Programs> {
        let program = |engine: &EngineSpec| {
            let is_boxed = engine.confinement(&run.terms.confinement).level.is_boxed();
            Program::of(engine, place, is_boxed)
        };
        let referee = run.rules.hosted().map(|rules| -> Result<Program> {
            let referee = program(&rules.folder.referee)?;
            if referee.hash != rules.hash {
                return Err(RefereeAtFault::changed(&referee.source, "before the first game").into());
            }
            Ok(referee)
        });
        let is_gone = |engine: &EngineSpec| run.gone.iter().any(|gone| gone.name == engine.name);
        let own = |engine: &EngineSpec| (!is_gone(engine)).then(|| program(engine)).transpose();
        let engines = run.entrants.iter().map(own).collect::<Result<_>>()?;
        Ok(Programs { engines, referee: referee.transpose()? })
    }

    /// How the programs are played, with the names and hashes of their engines, and when their
    /// files were last seen to be those that were hashed; in the form of the database.
    pub fn notes(&self) -> Vec<ProgramNote> {
        let note = |program: &Program| {
            let plays = match &program.kept {
                Ok((copy, content)) => Plays::Kept { tree: copy.tree.clone(), content: content.clone() },
                Err(why) => Plays::InPlace(*why),
            };
            let looked = program.seen().looked.to_rfc3339_opts(SecondsFormat::Secs, true);
            ProgramNote {
                name: program.engine.name.clone(),
                hash: program.hash.clone(),
                plays,
                origin: program.engine.origin,
                looked,
            }
        };
        self.there().map(note).collect()
    }

    /// Those that play.
    fn there(&self) -> impl Iterator<Item = &Program> {
        self.engines.iter().flatten()
    }

    /// That of an entrant that plays. Nobody is asked to play who has withdrawn.
    fn of(&self, entrant: usize) -> &Program {
        self.engines[entrant].as_ref().expect("an engine that has withdrawn has no game")
    }

    /// The engine of an entrant as it plays.
    pub(super) fn engine(&self, entrant: usize) -> &EngineSpec {
        &self.of(entrant).engine
    }

    /// The program of the entrant with this name.
    pub(super) fn of_name(&self, name: &str) -> Option<&Program> {
        self.there().find(|program| program.engine.name == name)
    }

    /// The referee program.
    pub(super) fn referee(&self) -> Option<&Program> {
        self.referee.as_ref()
    }

    /// The engines as they play, in the order of the entrants.
    pub fn played(&self) -> impl Iterator<Item = &EngineSpec> {
        self.there().map(|program| &program.engine)
    }

    /// The rules of a run, with the referee program as it plays.
    pub(super) fn rules(&self, run: &Run) -> GameRules {
        let (Some(rules), Some(referee)) = (run.rules.hosted(), &self.referee) else {
            return run.rules.clone();
        };
        let mut rules = rules.clone();
        rules.folder.referee = referee.engine.clone();
        rules.into()
    }

    /// The entrants of the run with their hashes, in the form of the database.
    pub fn players(&self, run: &Run) -> Vec<Player> {
        let of_program = |engine: &EngineSpec, program: &Program| Player {
            name: engine.name.clone(),
            hash: program.hash.clone(),
            source: engine.source.to_string_lossy().into_owned(),
            outside: engine.outside(),
            control: run.entrant_terms(engine).to_string(),
        };
        let player = |(engine, program): (&EngineSpec, &Option<Program>)| {
            let gone = || run.gone.iter().find(|gone| gone.name == engine.name).cloned();
            program.as_ref().map(|program| of_program(engine, program)).or_else(gone)
        };
        run.entrants.iter().zip(&self.engines).filter_map(player).collect()
    }

    /// The hashes that the entrants had before hidden files became parts of engines, where they
    /// differ.
    pub(crate) fn hashes_before(&self) -> Vec<Option<String>> {
        self.engines.iter().map(|program| program.as_ref()?.before.clone()).collect()
    }

    /// The hashes of the entrants with all their files; `None` of those that have withdrawn.
    pub(crate) fn whole_hashes(&self) -> Vec<Option<String>> {
        self.engines.iter().map(|program| Some(program.as_ref()?.own_hash.clone())).collect()
    }

    /// Knows the entrants by the hashes of these players.
    pub(crate) fn are_known_as(&mut self, players: &[Player]) {
        for (program, player) in self.engines.iter_mut().zip(players) {
            if let Some(program) = program {
                program.hash.clone_from(&player.hash);
            }
        }
    }

    /// Looks at the programs of a game before it.
    pub(super) fn before_game(&self, seats: &PerSeat<usize>) -> Result<AsHashed<'_>, Changed> {
        let engines = seats.values().iter().map(|entrant| self.of(*entrant));
        let looked = self.referee.iter().chain(engines).map(|program| {
            let restored = program.seen().if_fresh();
            let restored = restored.map_or_else(|| program.look(), Ok);
            restored.map(|restored| (program, restored)).map_err(|how| self.changed(program, &how))
        });
        looked.collect::<Result<_, _>>().map(AsHashed)
    }

    /// Looks at the programs of a game after it.
    pub(super) fn after_game(&self, before: AsHashed<'_>) -> Result<(), Changed> {
        for (program, restored) in before.0 {
            if program.look().map_err(|how| self.changed(program, &how))? != restored {
                let how = "it was another program for a while";
                return Err(Changed::Void { why: program.why(how), news: None });
            }
        }
        Ok(())
    }

    fn changed(&self, program: &Program, how: &str) -> Changed {
        if self.referee.as_ref().is_some_and(|referee| std::ptr::eq(referee, program)) {
            return Changed::Referee(RefereeAtFault::changed(&program.source, how));
        }
        let is_news = !std::mem::replace(&mut program.seen().said, true);
        let why = program.why(how);
        let hint = program.hint(how);
        let news = is_news.then(|| {
            format!(
                "warning: {why}; its games are void until the run is started again with the same command{hint}"
            )
        });
        Changed::Void { why, news }
    }

    /// Whether a program of a game has changed for good, as far as can be seen.
    pub(super) fn are_others(&self, seats: &PerSeat<usize>) -> bool {
        self.before_game(seats).is_err()
    }
}

impl Program {
    fn of(engine: &EngineSpec, place: KeptPlace<'_>, is_boxed: bool) -> Result<Program> {
        for attempt in 1..=TRIES {
            match Program::tried(engine, place, is_boxed) {
                Ok(Some(program)) => return Ok(program),
                Ok(None) => {}
                // Compilers remove a program before they write it.
                Err(error) if attempt < TRIES && is_missing(&error) => {}
                Err(error) => return Err(error),
            }
            if attempt < TRIES {
                sleep(BETWEEN);
            }
        }
        let how = format!("{}: its files change while they are read", engine.name);
        Err(anyhow::anyhow!("{how}, for {:?}; start the run when its build is done", TRIES * BETWEEN))
    }

    /// The program as it is now; `None` if its files have changed meanwhile.
    fn tried(engine: &EngineSpec, place: KeptPlace<'_>, is_boxed: bool) -> Result<Option<Program>> {
        let source = engine.source.clone();
        let program = |engine, hash: String, before: Option<String>, kept, hashed| {
            let seen = Seen { hashed, restored: 0, other: None, said: false, looked: moment(), glance: None };
            let seen = Mutex::new(seen);
            let before = before.filter(|before| *before != hash);
            Some(Program { engine, source, own_hash: hash.clone(), hash, before, kept, seen })
        };
        let known = engine.copy.as_ref().map(|copy| copy.hash.clone());
        let sources = || known.clone().or_else(|| stamp::sources(engine));
        let set = |hash| hash::with_settings(engine, hash);
        let of_build = sources();
        match kept::keep(engine, place, is_boxed)? {
            Keeping::Copied(copy) => {
                let content = hash::of_copy(&copy)?;
                // Not known any more if the build has begun again meanwhile.
                if of_build != sources() {
                    return Ok(None);
                }
                is_as_read(&copy.engine)?;
                let hashed = copy.files()?;
                let hash = of_build.map_or_else(|| content.clone(), set);
                let before = match (&engine.copy, stamp::sources_before(engine)) {
                    _ if engine.set.is_some() => None,
                    (Some(_), _) => None,
                    (None, Some(sources)) => Some(sources),
                    (None, None) => hash::of_copy_before(&copy)?,
                };
                Ok(program(copy.engine.clone(), hash, before, Ok((*copy, content)), hashed))
            }
            Keeping::InPlace(why) => {
                let before = hash::of_engine_before(engine)?;
                let Some((hashed, hash)) = hashed_now(engine)? else { return Ok(None) };
                is_as_read(engine)?;
                Ok(program(engine.clone(), hash, before, Err(why), hashed))
            }
            Keeping::Changing => Ok(None),
        }
    }

    /// The files if they have the bytes that were `hashed`.
    fn restored(&self, hashed: &ProgramFiles) -> Result<Option<ProgramFiles>> {
        let Ok((copy, content)) = &self.kept else {
            let now = hashed_now(&self.engine)?;
            let is_same = |(files, hash): &(ProgramFiles, String)| {
                *hash == self.own_hash && files.has_the_same_beyond(hashed)
            };
            return Ok(now.filter(is_same).map(|(files, _)| files));
        };
        let now = copy.files()?;
        let is_whole = kept::differences(&copy.home)?.is_empty() && hash::of_copy(copy)? == *content;
        Ok((is_whole && now.is_settled() && copy.files()? == now).then_some(now))
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        // Each change of it is complete.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the files, and returns how often they were restored. They are read only if
    /// they are not as they were.
    ///
    /// # Errors
    /// How they differ, in words.
    fn look(&self) -> Result<u32, String> {
        let mut seen = self.seen();
        if let Some((glance, at)) = &mut seen.glance
            && glance.holds()
        {
            *at = Instant::now();
            seen.looked = moment();
            return Ok(seen.restored);
        }
        let (now, glance) = self.back_again(&seen);
        let Some(how) = now.difference(&seen.hashed) else {
            (seen.other, seen.looked) = (None, moment());
            seen.glance = glance.map(|glance| (glance, Instant::now()));
            return Ok(seen.restored);
        };
        seen.glance = None;
        let known = seen.other.as_ref().filter(|(other, _)| *other == now).map(|(_, how)| how.clone());
        let how = match known {
            Some(how) => how,
            None => match self.restored(&seen.hashed) {
                Ok(Some(files)) => {
                    (seen.hashed, seen.other, seen.said) = (files, None, false);
                    seen.looked = moment();
                    seen.restored += 1;
                    return Ok(seen.restored);
                }
                // A file that is missing may come back at any time.
                Ok(_) | Err(_) => {
                    seen.other = Some((now, how.clone()));
                    how
                }
            },
        };
        Err(how)
    }

    /// The present state of the files. One that is missing may come back in a moment: compilers
    /// remove a program before they write it.
    fn back_again(&self, seen: &Seen) -> (ProgramFiles, Option<Glance>) {
        let until = Instant::now() + ABSENCE;
        loop {
            let (now, glance) = seen.hashed.now_at_a_glance();
            let is_known = seen.other.as_ref().is_some_and(|(other, _)| *other == now);
            if now.are_there() || is_known || Instant::now() >= until {
                return (now, glance);
            }
            sleep(BETWEEN);
        }
    }

    /// What to do if it is the engine itself that writes into its folder. Nobody else comes to its
    /// copy.
    fn hint(&self, how: &str) -> String {
        let engine = &self.engine;
        let own = how.strip_prefix(&display_path(&engine.source)).and_then(|below| below.strip_prefix('/'));
        let name = own.and_then(|below| NOT_AS_IT_WAS.iter().find_map(|end| below.strip_suffix(end)));
        match name {
            Some(name) if engine.source != engine.program && name != "engine.toml" => format!(
                "; if it writes there itself, write learns = [{name:?}] in its engine.toml, with all files and \
                 folders that it writes"
            ),
            None if engine.source == engine.program && !how.starts_with(&display_path(&engine.program)) => {
                "; if it writes there itself, put it into a folder of its own with an engine.toml that has the key \
                 learns"
                    .to_owned()
            }
            _ => String::new(),
        }
    }

    /// Why a game of it is void.
    fn why(&self, how: &str) -> VoidReason {
        VoidReason::ProgramChanged { program: self.engine.name.clone(), how: how.to_owned() }
    }
}

/// Whether an error says that a file is not there.
fn is_missing(error: &anyhow::Error) -> bool {
    let cause = error.root_cause().downcast_ref::<std::io::Error>();
    cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::NotFound)
}

/// Sees that an engine is started as its `engine.toml` says that is hashed.
///
/// # Errors
/// [`Misuse`]: it was changed after it was read.
fn is_as_read(engine: &EngineSpec) -> Result<()> {
    let Some(text) = engine.own_text() else { return Ok(()) };
    let what = match std::fs::read_to_string(engine.source.join("engine.toml")) {
        Ok(now) if text_without_mark(&now) == text => return Ok(()),
        Ok(_) => "has changed since agon has read it",
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "is gone since agon has read it",
        Err(_) => "cannot be read any more",
    };
    Err(Misuse::hinted(format!("{}: its engine.toml {what}", engine.name), "start the run again"))
}

fn moment() -> DateTime<Utc> {
    DateTime::from(SystemTime::now())
}

/// Hashes the files of an engine; `None` if they change meanwhile.
fn hashed_now(engine: &EngineSpec) -> Result<Option<(ProgramFiles, String)>> {
    let mut before = ProgramFiles::of(engine)?;
    if !before.is_settled() {
        sleep(TICK + Duration::from_millis(5));
        before = ProgramFiles::of(engine)?;
    }
    let hash = hash::of_engine(engine).with_context(|| format!("cannot hash {}", engine.name))?;
    let is_same = ProgramFiles::of(engine)? == before && before.is_settled();
    Ok(is_same.then_some((before, hash)))
}
