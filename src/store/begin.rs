//! The begin of a run: what changed since the run before, and which of its games count already.

use std::collections::BTreeMap;

use agon_games::GameFile;
use agon_standings::matches::Match;
use agon_standings::pairings::{self, Pairing, PlannedGame};
use agon_standings::points::Points;
use agon_standings::stage::Format;
use anyhow::{Context, Result};
use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::{OptionalExtension, Transaction, params};

use super::key::{GameConditions, Keys, Player, differences};
use super::ranking::{self, RankingSpec};
use super::{Store, chain, hash};
use crate::config::Misuse;
use crate::engine::load;
use crate::engine::program::display_path;

/// A round robin, with everything its games depend on.
pub struct Plan<'a> {
    /// The name of the tournament.
    pub event: &'a str,
    /// The entrants, in the order of the plan.
    pub players: &'a [Player],
    /// The conditions of all games.
    pub terms: &'a GameConditions,
    /// Games in each pairing.
    pub games: u32,
    /// The seed of all boards; one of the conditions too.
    pub seed: u64,
    /// The points for the standings. They are not part of the conditions.
    pub points: Points,
    /// Files needed to play the games again.
    pub supplies: &'a [GameFile],
    /// How the entrants are ranked; `None` for the usual way.
    pub ranking: Option<&'a RankingSpec>,
}

impl Plan<'_> {
    fn games(&self) -> impl Iterator<Item = PlannedGame> {
        let names: Vec<&str> = self.players.iter().map(|player| player.name.as_str()).collect();
        let (games, seed) = (self.games, self.seed);
        pairings::round_robin(names.len()).flat_map(move |pairing| {
            pairings::pairing_games(pairing, &names, games, seed).collect::<Vec<_>>()
        })
    }
}

/// What a run finds when it begins.
pub struct RunStart {
    /// Its number in the history.
    pub run: i64,
    /// The games of the plan that have been played.
    pub played: StoredResult,
    /// What has changed since the run before, in words; empty if nothing has.
    pub changes: Vec<String>,
    /// How many games counted before and are history now.
    pub history: u64,
    /// Whether games have new numbers, so that the files named by the old ones are of other games.
    pub renumbered: bool,
}

/// The games of a plan that have been played, by key: eight bytes per game.
#[derive(Clone, Debug, Default)]
pub struct StoredResult {
    keys: Vec<i64>,
}

impl StoredResult {
    /// Whether this game has been played.
    pub fn has(&self, key: i64) -> bool {
        self.keys.binary_search(&key).is_ok()
    }

    /// The number of games.
    pub fn count(&self) -> u64 {
        self.keys.len() as u64
    }
}

/// The run to which games are added.
pub(super) struct Current {
    pub(super) number: i64,
    pub(super) keys: Keys,
    /// The engine at each place of the plan.
    pub(super) engines: Vec<i64>,
    /// Their hashes.
    pub(super) hashes: Vec<String>,
}

/// The run before, as it is stored.
struct Before {
    number: i64,
    finished: bool,
    /// Whether it was killed before the files had the new numbers of the games.
    renumbered: bool,
    games: u32,
    terms: GameConditions,
    players: Vec<Entered>,
}

/// An entrant of the run before.
#[derive(PartialEq)]
struct Entered {
    name: String,
    hash: String,
    /// Its time control.
    control: String,
    /// The path of its program, if that was outside of its folder and is known.
    outside: Option<String>,
}

impl Entered {
    fn is(&self, player: &Player) -> bool {
        self.name == player.name && self.hash == player.hash && self.has_time_of(player)
    }

    fn has_time_of(&self, player: &Player) -> bool {
        self.control == player.control
    }
}

/// The programs of engines that lie outside of their folders, such as interpreters. The table is
/// made when a run first needs it, so that databases without it keep their version.
const OUTSIDE: &str = "CREATE TABLE IF NOT EXISTS outside (
    engine    INTEGER PRIMARY KEY REFERENCES engine,
    program   TEXT NOT NULL
) STRICT";

/// The outcome of a run whose games have new numbers, while its files have the old ones.
const RENUMBERED: &str = "renumbered";

impl Store {
    /// Makes this plan the current run, or a new one if engines or conditions have changed. Games
    /// that fit the plan count, whenever they were played. All others are history; they count again
    /// when their engines and conditions come back, so a mistake in an option loses nothing.
    ///
    /// # Errors
    /// [`Misuse`] if the directory holds another tournament, one of another game or without any of
    /// these engines, unless `again` makes its games history. Otherwise errors of the database.
    pub fn begin(&mut self, plan: &Plan<'_>, again: bool) -> Result<RunStart> {
        let path = self.path.clone();
        self.begin_run(plan, None, again)
            .with_context(|| format!("cannot go on with {}", display_path(&path)))
    }

    /// As [`Store::begin`], with the games of these matches instead of a round robin. Later calls
    /// may have more matches; a game that belongs to no match is history.
    ///
    /// # Errors
    /// As [`Store::begin`].
    pub fn begin_matches(&mut self, plan: &Plan<'_>, matches: &[Match], again: bool) -> Result<RunStart> {
        let path = self.path.clone();
        self.begin_run(plan, Some(matches), again)
            .with_context(|| format!("cannot go on with {}", display_path(&path)))
    }

    fn begin_run(&mut self, plan: &Plan<'_>, matches: Option<&[Match]>, again: bool) -> Result<RunStart> {
        let keys = Keys::new(plan.terms, plan.players);
        let before = self.before()?;
        if let Some(before) = before.as_ref().filter(|_| !again) {
            refuse_another(before, plan)?;
        }
        let same = before.as_ref().is_some_and(|before| {
            before.terms == *plan.terms
                && before.games == plan.games
                && before.players.len() == plan.players.len()
                && before.players.iter().zip(plan.players).all(|(entered, player)| entered.is(player))
        });
        let change = self.db.transaction()?;
        let engines = engines(&change, plan.players)?;
        note_outside(&change, &engines, plan.players)?;
        // A Swiss stores its byes again.
        change.execute("DELETE FROM swiss", [])?;
        for supply in plan.supplies {
            change.execute(
                "INSERT OR IGNORE INTO supply (hash, name, bytes) VALUES (?1, ?2, ?3)",
                params![hash::of_bytes(&supply.bytes), supply.name, supply.bytes.as_slice()],
            )?;
        }
        let counted = || {
            change
                .query_row("SELECT count(*) FROM game WHERE current = 1", [], |row| row.get::<_, u64>(0))
                .map_err(anyhow::Error::from)
        };
        let mut selected = Selected::default();
        let (run, history, renumbered) = match before.as_ref().filter(|_| same) {
            Some(before) => {
                // The stored standings were counted with the run's earlier points.
                change.execute(
                    "UPDATE run SET finished = NULL, outcome = ?2, points = ?3, \
                     ended_after = CASE points WHEN ?3 THEN ended_after END WHERE number = ?1",
                    params![before.number, before.renumbered.then_some(RENUMBERED), plan.points.to_string()],
                )?;
                let earlier = counted()?;
                // A match that depended on a result that counts no more is dropped.
                let kept = match matches {
                    Some(_) => select(&change, games_of(plan, matches), &keys)?.kept,
                    None => earlier,
                };
                (before.number, earlier.saturating_sub(kept), before.renumbered || kept < earlier)
            }
            None => {
                let run = insert_run(&change, plan, &engines)?;
                let earlier = counted()?;
                if games_there(&change)? {
                    selected = select(&change, games_of(plan, matches), &keys)?;
                }
                let kept = selected.kept;
                let renumbered = earlier > 0;
                change.execute(
                    "UPDATE run SET outcome = ?2 WHERE number = ?1",
                    params![run, renumbered.then_some(RENUMBERED)],
                )?;
                (run, earlier.saturating_sub(kept), renumbered)
            }
        };
        change.execute(
            "UPDATE run SET matches = ?2 WHERE number = ?1",
            params![run, matches.map(written).transpose()?],
        )?;
        ranking::put(&change, run, plan.ranking)?;
        let mut played = Vec::new();
        {
            let mut rows = change.prepare("SELECT key FROM game WHERE current = 1")?;
            for key in rows.query_map([], |row| row.get::<_, i64>(0))? {
                played.push(key?);
            }
        }
        let head = chain::select(&change)?;
        change.commit()?;
        self.head = Some(head);
        played.sort_unstable();
        let played = StoredResult { keys: played };
        let changes = match &before {
            Some(before) if !same => {
                changes(before, &MissingPairings::new(plan, matches, &keys, &played, &selected))
            }
            _ => Vec::new(),
        };
        let is_done = before.is_some_and(|before| before.finished);
        let changes = match changes[..] {
            [] if is_done => vec!["nothing has changed since the last run was done".to_owned()],
            _ => changes,
        };
        let hashes = plan.players.iter().map(|player| player.hash.clone()).collect();
        self.run = Some(Current { number: run, keys, engines, hashes });
        Ok(RunStart { run, played, changes, history, renumbered })
    }

    /// Notes that all files have the numbers of the current run.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn files_are_numbered(&self) -> Result<()> {
        let run = self.run.as_ref().expect("a run has begun before its files are there");
        self.db
            .execute("UPDATE run SET outcome = NULL WHERE number = ?1", [run.number])
            .with_context(|| format!("cannot write {}", display_path(&self.path)))
            .map(|_| ())
    }

    /// The conditions of the last run; `None` without a run.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn last_terms(&self) -> Result<Option<GameConditions>> {
        Ok(self.before()?.map(|before| before.terms))
    }

    /// Whether the last run has an entrant of this name and content.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn has_entered(&self, name: &str, hash: &str) -> Result<bool> {
        Ok(self.db.query_row(
            "SELECT EXISTS (SELECT 1 FROM entrant JOIN engine ON id = engine \
             WHERE run = (SELECT max(number) FROM run) AND name = ?1 AND hash = ?2)",
            [name, hash],
            |row| row.get(0),
        )?)
    }

    fn before(&self) -> Result<Option<Before>> {
        let found = self
            .db
            .query_row(
                "SELECT number, outcome, games, terms FROM run ORDER BY number DESC LIMIT 1",
                [],
                |row| {
                    Ok((
                        row.get::<_, i64>(0)?,
                        row.get::<_, Option<String>>(1)?,
                        row.get::<_, u32>(2)?,
                        row.get::<_, String>(3)?,
                    ))
                },
            )
            .optional()?;
        let Some((number, outcome, games, terms)) = found else { return Ok(None) };
        let outside = match super::has_table(&self.db, "outside")? {
            true => "(SELECT program FROM outside WHERE outside.engine = engine.id)",
            false => "NULL",
        };
        let mut rows = self.db.prepare(&format!(
            "SELECT name, hash, control, {outside} FROM entrant JOIN engine ON id = engine WHERE run = ?1 ORDER BY place",
        ))?;
        let players = rows.query_map([number], |row| {
            Ok(Entered { name: row.get(0)?, hash: row.get(1)?, control: row.get(2)?, outside: row.get(3)? })
        })?;
        Ok(Some(Before {
            number,
            finished: outcome.as_deref() == Some("done"),
            renumbered: outcome.as_deref() == Some(RENUMBERED),
            games,
            terms: serde_json::from_str(&terms).context("the conditions of the last run cannot be read")?,
            players: players.collect::<Result<_, _>>()?,
        }))
    }
}

/// Round, pairing, first, second, group, games before, games, play-off.
type MatchRow = (u32, u32, usize, usize, usize, u32, u32, u32);

/// The matches in the form of the database.
fn written(matches: &[Match]) -> Result<String> {
    let rows = matches.iter().map(|one| {
        let Pairing { round, pairing, first, second } = one.pairing;
        (round, pairing, first, second, one.group, one.before, one.games, one.play_off)
    });
    Ok(serde_json::to_string(&rows.collect::<Vec<_>>())?)
}

/// Reads the form that [`written`] writes.
pub(super) fn matches_of(text: &str) -> Result<Vec<Match>> {
    let rows: Vec<MatchRow> = serde_json::from_str(text)?;
    let read = |(round, pairing, first, second, group, before, games, play_off)| Match {
        pairing: Pairing { round, pairing, first, second },
        group,
        before,
        games,
        play_off,
    };
    Ok(rows.into_iter().map(read).collect())
}

fn note_outside(change: &Transaction<'_>, engines: &[i64], players: &[Player]) -> Result<()> {
    for (engine, player) in engines.iter().zip(players) {
        if let Some(program) = &player.outside {
            change.execute_batch(OUTSIDE)?;
            change.execute(
                "INSERT OR REPLACE INTO outside (engine, program) VALUES (?1, ?2)",
                params![engine, program],
            )?;
        }
    }
    Ok(())
}

fn insert_run(change: &Transaction<'_>, plan: &Plan<'_>, engines: &[i64]) -> Result<i64> {
    change.execute(
        "INSERT INTO run (started, agon, event, games, terms, machine, points) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            DateTime::<Utc>::from(std::time::SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true),
            env!("CARGO_PKG_VERSION"),
            plan.event,
            plan.games,
            serde_json::to_string(plan.terms)?,
            machine(),
            plan.points.to_string()
        ],
    )?;
    let run = change.last_insert_rowid();
    for (place, (engine, player)) in engines.iter().zip(plan.players).enumerate() {
        change.execute(
            "INSERT INTO entrant (run, place, engine, control) VALUES (?1, ?2, ?3, ?4)",
            params![run, place as u64, engine, player.control],
        )?;
    }
    Ok(run)
}

fn engines(change: &Transaction<'_>, players: &[Player]) -> Result<Vec<i64>> {
    let mut ids = Vec::new();
    for player in players {
        ids.push(super::write::engine(change, &player.name, &player.hash, &player.source)?);
    }
    Ok(ids)
}

/// The games of the matches, or of the round robin.
fn games_of<'a>(
    plan: &'a Plan<'_>,
    matches: Option<&'a [Match]>,
) -> Box<dyn Iterator<Item = PlannedGame> + 'a> {
    let Some(matches) = matches else { return Box::new(plan.games()) };
    let names: Vec<&str> = plan.players.iter().map(|player| player.name.as_str()).collect();
    let seed = plan.seed;
    Box::new(matches.iter().flat_map(move |one| one.games_of(&names, seed).collect::<Vec<_>>()))
}

fn games_there(change: &Transaction<'_>) -> Result<bool> {
    Ok(change.query_row("SELECT EXISTS (SELECT 1 FROM game)", [], |row| row.get(0))?)
}

/// The games that count, after the plan has changed.
#[derive(Default)]
struct Selected {
    /// How many of them counted before.
    kept: u64,
    /// How many of them are history that counts again, by the name of an engine.
    again: BTreeMap<String, u64>,
}

/// Makes the latest game of each key of the plan count, under its number in this plan, and no
/// other.
fn select(
    change: &Transaction<'_>,
    games: impl Iterator<Item = PlannedGame>,
    keys: &Keys,
) -> Result<Selected> {
    change.execute_batch(
        "CREATE TEMP TABLE counted (number INTEGER PRIMARY KEY) STRICT;
         INSERT INTO counted (number) SELECT number FROM game WHERE current = 1;
         UPDATE game SET current = NULL WHERE current = 1;",
    )?;
    {
        let mut take = change.prepare(
            "UPDATE game SET current = 1, round = ?2, pairing = ?3, game = ?4
             WHERE number = (SELECT max(number) FROM game JOIN word ON id = ending
                             WHERE key = ?1 AND text <> 'void')",
        )?;
        for game in games {
            take.execute(params![keys.of(&game), game.id.round, game.id.pairing, game.id.game])?;
        }
    }
    let kept = change.query_row(
        "SELECT count(*) FROM counted JOIN game USING (number) WHERE current = 1",
        [],
        |row| row.get(0),
    )?;
    let mut again = BTreeMap::new();
    {
        let mut rows = change.prepare(
            "SELECT engine.name, count(*) FROM game g JOIN seat s ON s.game = g.number \
             JOIN engine ON engine.id = s.engine \
             WHERE g.current = 1 AND g.number NOT IN (SELECT number FROM counted) GROUP BY engine.name",
        )?;
        for row in rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
            let (name, games) = row?;
            again.insert(name, games);
        }
    }
    change.execute_batch("DROP TABLE temp.counted")?;
    Ok(Selected { kept, again })
}

/// Refuses a plan with another game or none of the engines: it is probably a mistake.
fn refuse_another(before: &Before, plan: &Plan<'_>) -> Result<()> {
    let game = |terms: &GameConditions| terms.get("game").cloned().unwrap_or_default();
    let (there, here) = (game(&before.terms), game(plan.terms));
    let name = |spec: &str| spec.split(':').next().unwrap_or_default().to_owned();
    let known = |player: &Player| before.players.iter().any(|entered| entered.name == player.name);
    let differs = if name(&there) != name(&here) {
        format!("its game is {there}, yours is {here}")
    } else if !plan.players.iter().any(known) && !before.players.is_empty() {
        "it has none of your engines".to_owned()
    } else {
        return Ok(());
    };
    Err(Misuse::hinted(
        format!("the directory holds another tournament ({differs})"),
        "give another directory with --out, or --again to make its games history and play this one",
    ))
}

/// The first digits of a hash, enough to recognise it.
fn short(value: &str) -> &str {
    if value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit()) { &value[..12] } else { value }
}

/// How many pairings of each entrant have games to play.
struct MissingPairings<'a> {
    plan: &'a Plan<'a>,
    counts: Vec<u32>,
    selected: &'a Selected,
}

impl<'a> MissingPairings<'a> {
    fn new(
        plan: &'a Plan<'a>,
        matches: Option<&[Match]>,
        keys: &Keys,
        played: &StoredResult,
        selected: &'a Selected,
    ) -> Self {
        let mut counts = vec![0; plan.players.len()];
        let mut last = None;
        let missing = games_of(plan, matches).filter(|game| !played.has(keys.of(game)));
        // The games of a pairing follow one another.
        for game in missing.filter(|game| last.replace(game.id.pairing) != Some(game.id.pairing)) {
            game.seats.values().iter().for_each(|entrant| counts[*entrant] += 1);
        }
        MissingPairings { plan, counts, selected }
    }

    /// What is played for an entrant, by its place in the plan, with this word: `its 3 pairings are
    /// played again`.
    fn of(&self, entrant: usize, word: &str) -> String {
        let format = self.plan.ranking.and_then(|ranking| Some(ranking.stage.as_ref()?.format));
        // Later rounds follow from the results of earlier ones.
        if let Some(Format::Swiss { .. } | Format::Knockout { .. }) = format {
            return format!("its pairings are {word}");
        }
        let pairings = match self.counts[entrant] {
            1 => "its pairing is".to_owned(),
            many => format!("its {many} pairings are"),
        };
        match (self.selected.again.get(&self.plan.players[entrant].name), self.counts[entrant]) {
            (Some(games), 0) => format!("its {games} older games count again"),
            (None, 0) => "its older games count again".to_owned(),
            (Some(games), _) => format!("{games} of its older games count again, and {pairings} played"),
            (None, _) => format!("{pairings} {word}"),
        }
    }

    /// What becomes of all games, when a condition of all has changed.
    fn of_all(&self) -> &'static str {
        match (self.selected.again.is_empty(), self.counts.iter().all(|count| *count == 0)) {
            (false, true) => "the older games with it count again",
            (false, false) => "the older games with it count again, the others are played",
            (true, _) => "every pairing is played again",
        }
    }
}

/// What has changed, and which games are played for it.
fn changes(before: &Before, missing: &MissingPairings<'_>) -> Vec<String> {
    let plan = missing.plan;
    let old: BTreeMap<&str, &Entered> =
        before.players.iter().map(|entered| (entered.name.as_str(), entered)).collect();
    let mut lines = Vec::new();
    let all = time_of_all(before, plan);
    if let Some((there, here)) = all {
        lines.push(format!("the time control has changed from {there} to {here}: {}", missing.of_all()));
    }
    for (place, player) in plan.players.iter().enumerate() {
        match old.get(player.name.as_str()) {
            None => lines.push(format!("{} is new: {}", player.name, missing.of(place, "played"))),
            Some(entered) if entered.hash != player.hash => {
                lines.push(format!("{} has changed: {}", player.name, missing.of(place, "played again")));
                lines.extend(another_program(entered, player));
            }
            Some(entered) if all.is_none() && !entered.has_time_of(player) => {
                lines.push(format!(
                    "{} has {} instead of {}: {}",
                    player.name,
                    player.control,
                    entered.control,
                    missing.of(place, "played again")
                ));
            }
            Some(_) => {}
        }
    }
    for Entered { name, .. } in &before.players {
        if !plan.players.iter().any(|player| player.name == *name) {
            lines.push(format!("{name} is no longer entered: its games are kept as history"));
        }
    }
    for (name, there, here) in differences(&before.terms, plan.terms) {
        lines.push(format!(
            "{name} has changed from {} to {}: {}",
            short(&there),
            short(&here),
            missing.of_all()
        ));
    }
    match before.games.cmp(&plan.games) {
        std::cmp::Ordering::Less => lines.push(format!(
            "{} games in each pairing instead of {}: the missing ones are played",
            plan.games, before.games
        )),
        std::cmp::Ordering::Greater => lines.push(format!(
            "{} games in each pairing instead of {}: the others are kept as history",
            plan.games, before.games
        )),
        std::cmp::Ordering::Equal => {}
    }
    lines
}

/// Says that an engine is started by another program, such as another interpreter of the same name.
fn another_program(before: &Entered, now: &Player) -> Option<String> {
    let (there, here) = (before.outside.as_ref()?, now.outside.as_ref()?);
    let name = here.rsplit('/').next().unwrap_or_default();
    (there != here).then(|| {
        let player = &now.name;
        format!("{player}: {name} is another program than in the run before: {here}, was {there}; PATH decides which")
    })
}

/// The time control that all entrants had, and the one that all have now, if it differs.
fn time_of_all<'a>(before: &'a Before, plan: &'a Plan<'_>) -> Option<(&'a str, &'a str)> {
    let (there, here) = (&before.players.first()?.control, &plan.players.first()?.control);
    let all = before.players.iter().all(|entered| entered.control == *there)
        && plan.players.iter().all(|player| player.control == *here);
    (all && there != here).then_some((there.as_str(), here.as_str()))
}

/// `host, 4 cores, load 0.25`.
fn machine() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    match load::average() {
        Some(load) => format!("{host}, {cores} cores, load {load:.2}"),
        None => format!("{host}, {cores} cores"),
    }
}
