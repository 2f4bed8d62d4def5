//! The receivers of a run's results and events.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agon_export::directory::Directory;
use agon_export::events::{Event, Events, TestFacts};
use agon_export::live::LiveGames;
use agon_match::chosen_pairs::PairFeed;
use agon_match::processes::pauses::Pauses;
use agon_match::processes::{TrafficLog, WaitNotice};
use agon_match::referee::Report;
use agon_programs::spec::EngineSpec;
use agon_record::Ply;
use agon_standings::Standings;
use agon_standings::result::GameId;
use agon_store::lock::StopRequest;
use agon_store::until::{StoredQuestion, UntilSpec};
use agon_store::{Filter, FinishedGame, Store};
use anyhow::Context;

use super::{Done, Programs, RoundBudget, Run};
use crate::progress::Progress;

/// A function that is called for each ply: the game, the number of the ply from 1, the ply.
pub type OnPly<'a> = dyn FnMut(GameId, usize, &Ply) + 'a;

/// A function that is called for each game that has ended, and is told whether it repeats an
/// earlier one. What it returns is told to programs.
pub type OnGame<'a> = dyn FnMut(&Report, bool) -> Option<TestFacts> + 'a;

/// A function that a worker calls for an engine that has lost a game by a fault before its first
/// move. It is called once for each such engine. An error ends the run; text is shown.
pub type OnSilent<'a> = dyn Fn(&Run, &EngineSpec) -> anyhow::Result<Option<String>> + Sync + 'a;

/// How often events say how far a question is settled, and after how many games first. It is told
/// after twice, four times as many, too.
const TOLD_EVERY: Duration = Duration::from_secs(30);
const TOLD_FIRST: u32 = 16;

/// When it was told how far a question is settled.
#[derive(Debug)]
pub struct ToldQuestion {
    at: Instant,
    /// The games that have ended.
    games: u32,
}

impl ToldQuestion {
    fn is_due(&self) -> bool {
        let is_many = self.games >= TOLD_FIRST && self.games.is_power_of_two();
        is_many || self.at.elapsed() >= TOLD_EVERY
    }
}

/// The receivers of results and events. Each is optional.
#[derive(Default)]
pub struct Sinks<'a> {
    /// The database, with the run begun. Games go there first. Its games count already.
    pub store: Option<&'a mut Store>,
    /// The programs of the run, if they have been hashed.
    pub programs: Option<&'a Programs>,
    /// A request from another process to stop after the games in play.
    pub stop: Option<StopRequest>,
    /// The time for its rounds, if it is bounded.
    pub budget: Option<Arc<RoundBudget>>,
    /// What chooses the pairs of a run for a question, and hears of each game.
    pub pairs: Option<(UntilSpec, Arc<PairFeed>)>,
    /// When it was last told how far that question is settled.
    pub told: Option<ToldQuestion>,
    /// The pauses that another process asks for.
    pub pauses: Option<Pauses>,
    /// The directory of the files that are made from the games.
    pub directory: Option<&'a mut Directory>,
    /// The games in play, for pages that show them.
    pub live: Option<LiveGames>,
    /// Gets every line of every engine, in both directions.
    pub traffic: Option<Arc<TrafficLog>>,
    /// Says which engine a game waits for.
    pub waiting: Option<WaitNotice>,
    /// Events for programs.
    pub events: Option<&'a mut Events>,
    /// Progress for people.
    pub progress: Option<Progress>,
    /// Called for each move.
    pub on_ply: Option<&'a mut OnPly<'a>>,
    /// Called for each game that has ended.
    pub on_game: Option<&'a mut OnGame<'a>>,
    /// Ranks the standings at the end of a run without a database.
    pub rank: Option<&'a dyn Fn(&mut Standings)>,
    /// Called for each engine that makes no move.
    pub on_silent: Option<Box<OnSilent<'a>>>,
}

impl Sinks<'_> {
    pub(super) fn send(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        self.events.as_mut().map_or(Ok(()), |events| events.send(event))
    }

    /// Begins the events and the log. What was played before, in a run that is continued, stays in
    /// their files, and the file of events gets the games that it does not tell of: those of an
    /// agon that was killed, or that wrote no events.
    pub(super) fn begin(&mut self, started: &Event<'_>) -> anyhow::Result<()> {
        if self.events.is_none() && self.traffic.is_none() {
            return Ok(());
        }
        let counting = self.store.as_deref().map_or(Ok(Vec::new()), Store::counting)?;
        let is_continued = !counting.is_empty();
        if let Some(log) = &self.traffic {
            log.begin(is_continued).context("cannot write the log")?;
        }
        let Some(events) = &mut self.events else { return Ok(()) };
        let (Some(told), Some(store)) = (events.begin(started, is_continued)?, &self.store) else {
            return Ok(());
        };
        let is_missing = |id: &GameId| !told.contains(&id.to_string());
        if !counting.iter().any(|(_, id, _)| is_missing(id)) {
            return Ok(());
        }
        store.games(&Filter::default(), |stored| {
            let record = &stored.record;
            if is_missing(&record.id) { events.send(&Event::of_game(record)) } else { Ok(()) }
        })
    }

    /// Stores games that are over, if there is a database: all or none.
    pub(super) fn keep_all(&mut self, games: &[FinishedGame<'_>]) -> anyhow::Result<()> {
        self.store.as_mut().map_or(Ok(()), |store| store.keep_all(games))
    }

    /// Sees that the database, if there is one, is still where it was.
    ///
    /// # Errors
    /// It was removed, moved or replaced.
    pub(super) fn is_still_there(&self) -> anyhow::Result<()> {
        self.store.as_ref().map_or(Ok(()), |store| store.is_still_there())
    }

    /// The same after a game, if enough time or games have passed.
    pub(super) fn tell_question_now_and_then(&mut self, run: &Run) -> anyhow::Result<()> {
        if self.pairs.is_none() || self.events.is_none() {
            return Ok(());
        }
        let told = self.told.get_or_insert_with(|| ToldQuestion { at: Instant::now(), games: 0 });
        told.games += 1;
        if !told.is_due() {
            return Ok(());
        }
        told.at = Instant::now();
        self.tell_question(run)
    }

    /// Tells how far the question of the run is settled, if it has one and somebody listens.
    pub(super) fn tell_question(&mut self, run: &Run) -> anyhow::Result<()> {
        let (Some(events), Some((spec, pairs))) = (&mut self.events, &self.pairs) else { return Ok(()) };
        let names = run.entrants.iter().map(|engine| engine.name.clone()).collect();
        let found = StoredQuestion { spec: *spec, names, stand: pairs.stand() };
        events.send(&Event::Question((&found).into()))
    }

    /// Writes the standings. `seats` is the number of seats of each game.
    pub(super) fn finish(&mut self, done: &Done, seats: usize) -> anyhow::Result<()> {
        match (&mut self.directory, &self.store) {
            (Some(directory), Some(store)) => directory.finish(store, &done.standings)?,
            (Some(directory), None) => directory.standings(&done.standings)?,
            (None, _) => {}
        }
        if let Some(events) = &mut self.events {
            let table = done.standings.table();
            events.send(&Event::Standings { rows: table.iter().map(Into::into).collect() })?;
            let played: u64 = table.iter().map(|row| row.tally.total().games() + row.play_offs.games()).sum();
            events.send(&Event::RunOver {
                games: played / seats as u64 + done.repeats,
                void: done.void.len() as u64,
                stopped: done.stopped,
            })?;
        }
        Ok(())
    }
}
