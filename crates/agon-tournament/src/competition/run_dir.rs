//! The directory of a run: its lock, its database, and the files made from the database.

use std::path::Path;

use agon_config::stages::WithdrawnFile;
use agon_config::{Misuse, Part};
use agon_export::directory::Directory;
use agon_match::processes::pauses::Pauses;
use agon_match::referee;
use agon_printable::{are, counted};
use agon_programs::kept;
use agon_programs::program::display_path;
use agon_standings::pairings::PlannedGame;
use agon_standings::sprt::Sprt;
use agon_standings::withdrawals::{Absence, Closing, are_given_up};
use agon_store::key::Keys;
use agon_store::lock::{Lock, StopRequest};
use agon_store::ranking::RankingSpec;
use agon_store::until::{ChosenPairs, UntilSpec};
use agon_store::{Consent, Drawn, Journal, Plan, RunStart, Store, WHAT_THE_HEAD_IS};

use super::gone;
use super::withdrawing;
use crate::run::{Programs, Run};

/// A directory with its lock taken, and the run begun in it.
pub struct RunDir {
    /// The database, open for writing.
    pub store: Store,
    /// The files that are made of it.
    pub directory: Directory,
    /// What had been played before.
    pub beginning: RunStart,
    /// The keys of the plan's games.
    pub keys: Keys,
    /// Whether somebody has asked the run to stop.
    pub stop: StopRequest,
    /// Whether a game is to pause.
    pub pauses: Pauses,
    /// The programs of the engines, as they were hashed.
    pub programs: Programs,
    /// Who has withdrawn.
    pub absences: Vec<Absence>,
    /// Its end, if it was closed before all games were played.
    pub closing: Option<Closing>,
    /// The pairs that were chosen for its question, if it has one.
    pub chosen: Option<ChosenPairs>,
    /// The same in sentences.
    withdrawn: Vec<String>,
    // Dropped last, after the database is closed.
    _lock: Lock,
}

/// The plan of a run.
#[derive(Clone, Copy)]
pub struct RunPlan<'a> {
    /// The number of games in each pairing.
    pub games: u32,
    /// What a stage or a Swiss has drawn so far; `None` if the conditions say all games.
    pub drawn: Option<&'a Drawn>,
    /// How the entrants are ranked; `None` for the usual way.
    pub ranking: Option<&'a RankingSpec>,
    /// The part of the games that is played here; `None` for all.
    pub part: Option<Part>,
    /// The test that ends it, which is about the first of two engines.
    pub test: Option<&'a Sprt>,
    /// The question that it is played for.
    pub until: Option<UntilSpec>,
}

/// Notes how the engines of a run play, if they do.
fn note_engines(store: &mut Store, run: &Run, programs: &Programs, plays: bool) -> anyhow::Result<()> {
    if run.entrants.iter().any(|engine| engine.elsewhere.is_some()) {
        store.expect_elsewhere()?;
    }
    if let Some(hosted) = run.rules.hosted() {
        let referee = &hosted.folder.referee;
        store.note_referee(&referee.source, referee.outside().as_deref())?;
    }
    if run.terms.confinement.level.is_boxed() {
        let manifest = |engine| referee::manifest(engine, &run.terms.confinement);
        store.note_manifests(&programs.played().map(manifest).collect::<Vec<_>>())?;
    }
    if plays {
        store.note_programs(&programs.notes())?;
    }
    Ok(())
}

/// Refuses fewer games than were chosen and played already: nothing would be true of that number.
///
/// # Errors
/// [`Misuse`]: there are more games.
fn refuse_fewer(path: &Path, spec: UntilSpec, chosen: &ChosenPairs) -> anyhow::Result<()> {
    let UntilSpec { question, most, .. } = spec;
    // Only games that were played are chosen beyond it.
    let there = chosen.games.len() as u64;
    if there <= most {
        return Ok(());
    }
    Err(Misuse::hinted(
        format!(
            "{}: {there} games were played for --until {question}, and --at-most {most} is fewer",
            display_path(path)
        ),
        format!("give --at-most {there} or more; agon close DIR void --why TEXT ends the run as it is"),
    ))
}

impl RunDir {
    /// Takes the directory and begins the run in it, or continues it. Games become history for the
    /// changes that `consent` includes. The programs are kept in `programs`, if they are to play.
    pub fn open(
        path: &Path,
        run: &Run,
        asked: RunPlan<'_>,
        event: &str,
        consent: Consent,
        programs: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let terms = run.terms();
        Directory::make(path)?;
        let lock = Lock::take(path)?;
        let plays = programs.is_some();
        let mut programs = match programs {
            Some(folder) => Programs::kept_in(folder, run)?,
            // As if they were to play, since the hash of a program follows from what is kept of it.
            None => Programs::kept_in(&path.join(kept::FOLDER), run)?,
        };
        let mut players = programs.players(run);
        let journal = if asked.part.is_some() { Journal::of_part(path) } else { Journal::Wal };
        let mut store = Store::open_with(path, journal)?;
        if asked.part.is_some() {
            store.plays_a_part();
        }
        let recognised = store.recognise(&mut players, &programs.hashes_before())?;
        programs.are_known_as(&players);
        // The dictionary is stored; the rules make the other files from it.
        let mut supplies = run.rules.supplies();
        supplies.retain(|supply| supply.name == "dictionary");
        supplies.extend(run.boards());
        let chosen = asked.until.map(|until| store.chosen(&until, &terms, &players)).transpose()?;
        if let (Some(until), Some(chosen)) = (asked.until, &chosen) {
            refuse_fewer(path, until, chosen)?;
        }
        let pairs = chosen.as_ref().map(|chosen| Drawn::Pairs(chosen.games.clone()));
        let plan = Plan {
            event,
            label: run.label.as_ref().map(|label| label.0.as_str()),
            of_event: run.event.as_ref(),
            players: &players,
            terms: &terms,
            games: asked.games,
            seed: run.seed,
            points: run.points,
            supplies: &supplies,
            ranking: asked.ranking,
            drawn: pairs.as_ref().or(asked.drawn),
            test: asked.test,
            until: asked.until,
        };
        let gone = gone::of_store(&store)?;
        let mut beginning =
            store.begin(&plan, consent).map_err(|error| match error.downcast::<Misuse>() {
                // The message lacks only the directory.
                Ok(Misuse { what, hint }) => {
                    Misuse { what: format!("{}: {what}", display_path(path)), hint }.into()
                }
                Err(error) => error,
            })?;
        withdrawing::note_earlier(&mut store, &gone)?;
        store.note_part(asked.part)?;
        store.note_whole(&players, &programs.whole_hashes())?;
        beginning.changes.extend(recognised.iter().map(|name| {
            format!(
                "{name}: its hidden files and links to folders are part of it from now on; its games count on"
            )
        }));
        note_engines(&mut store, run, &programs, plays)?;
        let seats = run.rules.seats().len();
        let directory = Directory::open(path, seats, event, &store, beginning.renumbered, |record| {
            programs.again(run, path, record)
        })?;
        if beginning.renumbered {
            store.files_are_numbered()?;
        }
        let keys = Keys::new(&terms, &players);
        let withdrawn = store.withdrawn()?;
        Ok(RunDir {
            absences: withdrawn.absences(&players),
            closing: withdrawn.closing(),
            chosen,
            withdrawn: withdrawn.sentences().collect(),
            store,
            directory,
            beginning,
            keys,
            stop: lock.stop(),
            pauses: lock.pauses(),
            programs,
            _lock: lock,
        })
    }

    /// Notes the withdrawals of a file that are not noted yet.
    ///
    /// # Errors
    /// As [`withdrawing::note`].
    pub fn withdraw(&mut self, asked: &[WithdrawnFile]) -> anyhow::Result<()> {
        if asked.is_empty() {
            return Ok(());
        }
        let path = self.directory.path().to_owned();
        self.withdrawn.extend(withdrawing::note(asked, &mut self.store, &path)?);
        if let Some(run) = self.store.runs()?.pop() {
            self.absences = run.absences;
        }
        Ok(())
    }

    /// Whether nobody plays this game, if it has not been played yet.
    pub fn is_given_up(&self, game: &PlannedGame) -> bool {
        self.closing.is_some() || are_given_up(&self.absences, game)
    }

    /// How many games of a plan are of this part, or are here already.
    pub(crate) fn count_of(&self, part: Part, plan: impl Iterator<Item = PlannedGame>) -> u64 {
        let (played, keys) = (&self.beginning.played, &self.keys);
        let is_played = |game: &PlannedGame| played.has(keys.of(game));
        let is_own = |game: &PlannedGame| part.has(keys.of_pair(game)) && !self.is_given_up(game);
        plan.filter(|game| is_played(game) || is_own(game)).count() as u64
    }

    /// The head of the chain, in words; `None` before the first game.
    pub fn head(&self) -> anyhow::Result<Option<String>> {
        let (counted, void, history) = self.store.counts()?;
        if counted + void + history == 0 {
            return Ok(None);
        }
        Ok(Some(format!("{WHAT_THE_HEAD_IS}\nhead of the chain {}", self.store.head()?)))
    }

    /// The remarks before the first game: changes since the last invocation, and games already
    /// played.
    pub fn remarks(&self, is_dry: bool) -> Vec<String> {
        let mut remarks = self.beginning.changes.clone();
        remarks.extend(self.withdrawn.iter().cloned());
        if self.beginning.history > 0 {
            let history = self.beginning.history;
            let now = format!("{} history now", are(history));
            let verb = if is_dry { "would be history" } else { &now };
            remarks.push(format!("{} that counted {verb}", counted(history, "game")));
        }
        if self.beginning.played.count() > 0 {
            remarks.push(match self.beginning.played.count() {
                1 => "1 game has been played already and counts".to_owned(),
                games => format!("{games} games have been played already and count"),
            });
        }
        remarks
    }
}
