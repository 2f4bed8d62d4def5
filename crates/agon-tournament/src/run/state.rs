//! How far a run has come: each result is stored, counted and told as it comes.

use std::collections::HashMap;

use agon_export::events::Event;
use agon_match::referee::Report;
use agon_record::Verdict;
use agon_standings::Standings;
use agon_standings::faults::Faults;
use agon_standings::pairings::PlannedGame;
use agon_standings::result::GameId;
use agon_store::repeats::Courses;
use agon_store::{Filter, Store};

use super::referee_faults::RefereeFaults;
use super::{Done, News, Programs, Run, Sinks};

/// How many games per engine and cause the list of faults shows.
const SHOWN_FAULTS: usize = 3;

/// A run so far.
pub(super) struct RunSoFar<'a> {
    run: &'a Run,
    programs: &'a Programs,
    pub(super) done: Done,
    /// Of the games so far.
    courses: Courses,
    /// Void games to be played again, with the last reason.
    pub(super) void: HashMap<GameId, (PlannedGame, String)>,
    referee: RefereeFaults,
}

impl<'a> RunSoFar<'a> {
    /// With the games that are in the database already.
    pub(super) fn at_start(
        run: &'a Run,
        programs: &'a Programs,
        store: Option<&Store>,
    ) -> anyhow::Result<Self> {
        let mut faults = Faults::new(SHOWN_FAULTS);
        let (standings, courses, repeats) = match store {
            Some(store) => {
                store.games(&Filter { by_fault: true, ..Filter::default() }, |stored| {
                    stored.record.note_fault(&mut faults);
                    Ok(())
                })?;
                (store.standings(run.points)?, store.courses()?, store.repeats()?.len() as u64)
            }
            None => {
                let names = run.entrants.iter().map(|engine| engine.name.clone());
                (Standings::new(run.points, names), Courses::default(), 0)
            }
        };
        Ok(RunSoFar {
            run,
            programs,
            done: Done {
                standings,
                faults,
                repeats,
                void: Vec::new(),
                stopped: false,
                is_out_of_time: false,
            },
            courses,
            void: HashMap::new(),
            referee: RefereeFaults::default(),
        })
    }

    /// The void games to be played again. A game of a program that is another one stays void.
    pub(super) fn drain_void(&mut self) -> Vec<PlannedGame> {
        let programs = self.programs;
        let (again, stay): (Vec<_>, Vec<_>) =
            self.void.drain().partition(|(_, (game, _))| !programs.are_others(&game.seats));
        self.done.void.extend(stay.into_iter().map(|(id, (_, why))| (id, why)));
        again.into_iter().map(|(_, (game, _))| game).collect()
    }

    /// Takes news in their order. The games among them are stored before all else, so that a
    /// reported game is not lost in a crash: together, or one by one if that fails.
    ///
    /// # Errors
    /// The first error. All other news are taken nevertheless.
    pub(super) fn take_all(
        &mut self,
        news: Vec<News>,
        last_try: bool,
        sinks: &mut Sinks<'_>,
    ) -> anyhow::Result<()> {
        let games: Vec<_> = news.iter().filter_map(News::game).collect();
        let are_stored = games.len() > 1 && sinks.keep_all(&games).is_ok();
        // What was stored is not stored again, even where it is lost with its file.
        let mut all = if are_stored { sinks.is_still_there() } else { Ok(()) };
        for one in news {
            let stored = match one.game() {
                Some(game) if !are_stored => sinks.keep_all(&[game]).and_then(|()| sinks.is_still_there()),
                _ => Ok(()),
            };
            all = all.and(stored.and_then(|()| self.take(one, last_try, sinks)));
        }
        all
    }

    fn take(&mut self, news: News, last_try: bool, sinks: &mut Sinks<'_>) -> anyhow::Result<()> {
        match news {
            News::Started(game) => {
                if let Some(events) = &mut sinks.events {
                    events.send(&Event::GameStarted {
                        id: game.id.to_string(),
                        entrants: game
                            .seats
                            .values()
                            .iter()
                            .map(|entrant| self.run.entrants[*entrant].name.as_str())
                            .collect(),
                        board_seed: self.run.rules.built_in().map(|_| game.seed),
                    })?;
                }
            }
            News::Moved(id, number, ply) => {
                if let Some(on_ply) = &mut sinks.on_ply {
                    on_ply(id, number, &ply);
                }
                sinks.send(&Event::of_ply(id, number, &ply))?;
            }
            News::Public(id, text) => sinks.send(&Event::Public { id: id.to_string(), text: &text })?,
            News::Scores(id, scores) => sinks.send(&Event::Scores { id: id.to_string(), scores: &scores })?,
            News::Remark(line) => {
                if let Some(progress) = &mut sinks.progress {
                    progress.say(&line);
                }
            }
            News::Over(game, report) => self.over(game, &report, last_try, sinks)?,
            News::Failed(why) => return Err(why),
        }
        Ok(())
    }

    fn over(
        &mut self,
        game: PlannedGame,
        report: &Report,
        last_try: bool,
        sinks: &mut Sinks<'_>,
    ) -> anyhow::Result<()> {
        let record = &report.record;
        let stops = self.referee.note(record, self.run.rules.hosted(), sinks.directory.as_deref());
        if let Verdict::Void { why } = &record.verdict {
            if let Some(progress) = &mut sinks.progress {
                progress.say(&format!("{}: void, will be played again: {why}", record.id));
            }
            if !last_try && stops.is_ok() {
                record.count_in(&mut self.done.standings);
                sinks.pairs.iter().for_each(|(_, pairs)| pairs.over(record, false));
                self.void.insert(game.id, (game, why.to_string()));
                return Ok(());
            }
            self.done.void.push((game.id, why.to_string()));
        }
        let is_repeat = self.run.repeats_count_once && self.courses.note(record);
        sinks.pairs.iter().for_each(|(_, pairs)| pairs.over(record, is_repeat));
        if is_repeat {
            self.done.repeats += 1;
        } else {
            record.count_in(&mut self.done.standings);
        }
        record.note_fault(&mut self.done.faults);
        if let Some(directory) = &mut sinks.directory {
            let home = directory.path().to_owned();
            let again = || self.programs.again(self.run, &home, record);
            directory.keep(record, &report.stderr, again, (&self.done.standings, is_repeat))?;
        }
        sinks.send(&Event::of_game(record))?;
        if let Some(on_game) = &mut sinks.on_game
            && let Some(facts) = on_game(report, is_repeat)
        {
            sinks.send(&Event::Test(facts))?;
        }
        if let Some(progress) = &mut sinks.progress {
            // A stage that cannot be read is an error at the end of the run.
            let stage = || sinks.store.as_ref()?.stage().ok()?.map(|(_, derived)| derived);
            progress.game_over(record, &self.done.standings, stage);
        }
        sinks.tell_question_now_and_then(self.run)?;
        Ok(stops?)
    }
}
