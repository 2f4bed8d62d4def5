//! What an audit reads from the database. These are its runs as they were planned, games by their
//! number in the order of storage, and rows that belong to nothing.

use std::collections::HashMap;

use agon_programs::program::display_path;
use agon_standings::pairings::PlannedGame;
use agon_standings::result::GameId;
use agon_standings::scoring::Scoring;
use agon_standings::withdrawals::{Absence, Closing, LateEntry, are_given_up};
use anyhow::{Context, Result};
use rusqlite::OptionalExtension;

use super::arrangements::Withdrawals;
use super::decisions;
use super::drawn::Drawn;
use super::finishes::{self, FoundFinishes};
use super::key::{GameConditions, Keys, Player, tables_of};
use super::rulings::Rulings;
use super::{Store, Stored, arrangements};

/// A run as the database stores it.
pub struct Ran {
    /// Its number.
    pub number: i64,
    /// `done`, `stopped`, or `None` of a run that goes on or was killed.
    pub outcome: Option<String>,
    /// The name of the tournament.
    pub event: String,
    /// The version of agon that began it.
    pub agon: String,
    /// The name of the machine, its cores, and its load in the beginning: `host, 4 cores, load
    /// 0.25`.
    pub machine: String,
    /// Games in each pairing.
    pub games: u32,
    /// The conditions of its games.
    pub terms: GameConditions,
    /// The entrants, in the order of the plan.
    pub players: Vec<Player>,
    /// What a stage or a Swiss by tables has drawn; `None` if the conditions say all games.
    pub drawn: Option<Drawn>,
    /// The points for a result.
    pub points: Scoring,
    /// The last game that was stored when the run was done. The stored standings count games up to
    /// it.
    pub ended_after: Option<i64>,
    /// The players that have withdrawn.
    pub absences: Vec<Absence>,
    /// The players that have joined late.
    pub late: Vec<LateEntry>,
    /// Its end, if it was closed before all games were played.
    pub closing: Option<Closing>,
}

impl Ran {
    /// Whether it has played all games that it knows; between two rounds of a Swiss it has too. See
    /// [`Store::is_over`](super::Store::is_over).
    pub fn is_done(&self) -> bool {
        self.outcome.as_deref() == Some("done")
    }

    /// The seed of all boards.
    pub fn seed(&self) -> Option<u64> {
        self.terms.get("seed")?.parse().ok()
    }

    /// The keys of the run's games.
    pub fn keys(&self) -> Keys {
        Keys::new(&self.terms, &self.players)
    }

    /// Whether nobody plays this game, if it has not been played yet.
    pub fn is_given_up(&self, game: &PlannedGame) -> bool {
        self.closing.is_some() || are_given_up(&self.absences, game)
    }

    /// Every planned game; `None` if the plan names an entrant that was not entered.
    pub fn plan(&self) -> Option<Vec<PlannedGame>> {
        self.planned().map(Iterator::collect)
    }

    /// The planned games one after the other.
    pub fn planned(&self) -> Option<Box<dyn Iterator<Item = PlannedGame> + Send + '_>> {
        let seed = self.seed()?;
        match &self.drawn {
            Some(drawn) => drawn.games(&self.players, self.games, seed),
            None => tables_of(&self.terms).games(&self.players, self.games, seed).ok(),
        }
    }
}

/// A rating or its error as it is stored, in thousandths of an Elo.
#[allow(clippy::cast_possible_truncation)] // no rating has so many digits
pub fn thousandths(elo: f64) -> i64 {
    (elo * 1000.0).round() as i64
}

/// One row of the standings stored with a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The engine.
    pub name: String,
    /// Rank, wins, draws, losses, points in thousandths.
    pub numbers: [i64; 5],
    /// Elo and its error in thousandths, if it has a rating.
    pub rating: Option<(i64, i64)>,
}

/// A game of one key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Its number in the order of storage.
    pub number: i64,
    /// Its number in the plan.
    pub id: GameId,
    /// Whether it counts.
    pub counts: bool,
    /// Whether it was imported.
    pub is_import: bool,
}

impl Store {
    /// The numbers of all games in the order of storage.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn numbers(&self) -> Result<Vec<i64>> {
        super::chain::numbers(&self.db)
    }

    /// The game with this number in the order of storage, as it was played.
    ///
    /// # Errors
    /// Errors of the database, or the game cannot be read.
    pub fn numbered(&self, number: i64) -> Result<Stored> {
        self.game_as_played(number)
    }

    /// All runs, the oldest first.
    ///
    /// # Errors
    /// Errors of the database, or a stored plan cannot be read.
    pub fn runs(&self) -> Result<Vec<Ran>> {
        self.read_runs(true).with_context(|| format!("cannot read the runs in {}", display_path(&self.path)))
    }

    /// The runs; `chooses`: with the pairs that were chosen for the question of the last one.
    pub(super) fn read_runs(&self, chooses: bool) -> Result<Vec<Ran>> {
        let mut rows = self.db.prepare(
            "SELECT number, outcome, event, games, terms, matches, points, ended_after, agon, machine FROM run ORDER BY number",
        )?;
        let mut rows = rows.query([])?;
        let mut players = self.db.prepare(
            "SELECT name, hash, source, control FROM entrant JOIN engine ON id = engine WHERE run = ?1 ORDER BY place",
        )?;
        let withdrawn = Withdrawals::of(&self.db, None)?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next()? {
            let number: i64 = row.get(0)?;
            let players = players.query_map([number], |row| {
                Ok(Player {
                    name: row.get(0)?,
                    hash: row.get(1)?,
                    source: row.get(2)?,
                    outside: None,
                    control: row.get(3)?,
                })
            })?;
            let drawn = row.get::<_, Option<String>>(5)?;
            let terms: GameConditions = serde_json::from_str(row.get_ref(4)?.as_str()?)
                .with_context(|| format!("the conditions of run {number}"))?;
            let seats = tables_of(&terms).seats;
            let players = players.collect::<Result<Vec<Player>, _>>()?;
            let drawn = match drawn {
                Some(text) => {
                    Some(Drawn::read(&text).with_context(|| format!("the matches of run {number}"))?)
                }
                None if chooses => self.chosen_in((number, row.get(3)?), &terms, &players)?,
                None => None,
            };
            runs.push(Ran {
                absences: withdrawn.absences(&players),
                late: withdrawn.late(&players),
                closing: withdrawn.closing(),
                number,
                outcome: row.get(1)?,
                event: row.get(2)?,
                games: row.get(3)?,
                terms,
                players,
                drawn,
                points: Scoring::read(row.get_ref(6)?.as_str()?, seats)
                    .with_context(|| format!("the points of run {number}"))?,
                ended_after: row.get(7)?,
                agon: row.get(8)?,
                machine: row.get(9)?,
            });
        }
        Ok(runs)
    }

    /// Gives for a key the games that are not void, were not forgotten and have it, the latest
    /// first. Which ones these are is worked out once for all keys.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn by_key(&self) -> Result<impl Fn(i64) -> Result<Vec<Counted>> + '_> {
        let can_count = super::host::can_count(&self.db, &self.rulings()?)?;
        let sql = format!(
            "SELECT number, round, pairing, game, current IS NOT NULL, run = 0 FROM game JOIN word ON id = ending \
             WHERE key = ?1 AND {can_count} ORDER BY number DESC",
        );
        Ok(move |key| {
            let mut rows = self.db.prepare_cached(&sql)?;
            let rows = rows.query_map([key], |row| {
                let id = GameId { round: row.get(1)?, pairing: row.get(2)?, game: row.get(3)? };
                Ok(Counted { number: row.get(0)?, id, counts: row.get(4)?, is_import: row.get(5)? })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The games that count, by their numbers in the order of storage: their numbers in the plan,
    /// and whether they were imported.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn counting(&self) -> Result<Vec<(i64, GameId, bool)>> {
        let mut rows = self.db.prepare(
            "SELECT number, round, pairing, game, run = 0 FROM game WHERE current = 1 ORDER BY number",
        )?;
        let rows = rows.query_map([], |row| {
            let id = GameId { round: row.get(1)?, pairing: row.get(2)?, game: row.get(3)? };
            Ok((row.get(0)?, id, row.get(4)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The spec of the games that count, such as `mill`; `None` without any.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn game_that_counts(&self) -> Result<Option<String>> {
        let mut row =
            self.db.prepare("SELECT text FROM game JOIN word ON id = rules WHERE current = 1 LIMIT 1")?;
        Ok(row.query_row([], |row| row.get(0)).optional()?)
    }

    /// The keys of the games that count, by their numbers in the plan.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn keys_by_id(&self) -> Result<HashMap<GameId, i64>> {
        let mut rows = self.db.prepare("SELECT round, pairing, game, key FROM game WHERE current = 1")?;
        let rows = rows.query_map([], |row| {
            Ok((GameId { round: row.get(0)?, pairing: row.get(1)?, game: row.get(2)? }, row.get(3)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The number of the last stored game, and how many of the games up to `until` were imported.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn stored(&self, until: i64) -> Result<(i64, u64)> {
        Ok(self.db.query_row(
            "SELECT ifnull(max(number), 0), count(*) FILTER (WHERE run = 0 AND number <= ?1) FROM game",
            [until],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?)
    }

    /// At least the number of games that were ever stored here, also if they are pruned by now.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn ever_stored(&self) -> Result<u64> {
        let pruned = match super::has_table(&self.db, "pruned")? {
            true => "(SELECT ifnull(max(number), 0) FROM pruned)",
            false => "0",
        };
        let sql = format!("SELECT max(ifnull(max(number), 0), {pruned}) FROM game");
        Ok(self.db.query_row(&sql, [], |row| row.get(0))?)
    }

    /// The standings as they were stored when a run was done.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn stored_standings(&self, run: i64) -> Result<Vec<Standing>> {
        let mut rows = self.db.prepare(
            "SELECT name, rank, wins, draws, losses, points, elo, error FROM standing JOIN engine ON id = engine \
             WHERE run = ?1 ORDER BY name",
        )?;
        let rows = rows.query_map([run], |row| {
            Ok(Standing {
                name: row.get(0)?,
                numbers: [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?],
                rating: row.get::<_, Option<i64>>(6)?.zip(row.get(7)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Compares the finishes of a finished run, from which the history takes strengths, with its
    /// games: those that count now, or those of the last [`Store::standings_then`].
    ///
    /// # Errors
    /// Errors of the database.
    pub fn finishes_of(&self, run: &Ran, is_now: bool) -> Result<FoundFinishes> {
        let then = "game.number IN (SELECT number FROM temp.counted)";
        let rulings = Rulings::of(&self.db, Some(run.number).filter(|_| !is_now))?;
        finishes::compared(&self.db, run.number, if is_now { "current = 1" } else { then }, &rulings)
    }

    /// The byes of each entrant of a Swiss; empty in other formats.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn given(&self) -> Result<Vec<(String, u64)>> {
        self.byes()
    }

    /// The stored hash of every file that games need, with its bytes.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn supplies(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let mut rows = self.db.prepare("SELECT hash, bytes FROM supply ORDER BY hash")?;
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Contradictions that agon never writes: games without moves or seats, and rows without a
    /// game. Further ones are a void game that has places or counts, and a result that lacks one.
    /// Each is reported in words.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn loose_ends(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for (what, query) in LOOSE_ENDS {
            let mut rows = self.db.prepare(query)?;
            let rows = rows.query_map([], |row| row.get::<_, i64>(0))?;
            for number in rows {
                found.push(format!("game {} in the order of storage: {what}", number?));
            }
        }
        let settled = Rulings::of(&self.db, None).map_or("()".to_owned(), |all| all.settled());
        let mut rows = self.db.prepare(&format!("{VOID_THAT_COUNTS} AND number NOT IN {settled}"))?;
        for number in rows.query_map([], |row| row.get::<_, i64>(0))? {
            found.push(format!("game {} in the order of storage: it is void and counts", number?));
        }
        if super::version(&self.db)? >= 9 {
            let mut rows = self.db.prepare(TWO_REASONS)?;
            let rows = rows.query_map([], |row| row.get::<_, i64>(0))?;
            for number in rows {
                let number = number?;
                found.push(format!("game {number} in the order of storage: it has two reasons"));
            }
        }
        for number in self.wrong_courses()? {
            found.push(format!(
                "game {number} in the order of storage: the stored hash of its course is not that of its moves"
            ));
        }
        for number in super::refereed::loose_ends(&self.db)? {
            found.push(format!(
                "game {number} in the order of storage: there are lines of a referee and no game"
            ));
        }
        for number in super::pauses::loose_ends(&self.db)? {
            found.push(format!("game {number} in the order of storage: there are pauses and no game"));
        }
        for number in super::spent::loose_ends(&self.db)? {
            found.push(format!(
                "game {number} in the order of storage: it is gone, but not how its turns were spent"
            ));
        }
        for number in super::elsewhere::loose_ends(&self.db)? {
            found.push(format!(
                "game {number} in the order of storage: it is gone, but not how it was played elsewhere"
            ));
        }
        for number in super::host::loose_ends(&self.db)? {
            found.push(format!("game {number} in the order of storage: it is gone, but not its host"));
        }
        for number in super::manifests::loose_ends(&self.db)? {
            found.push(format!(
                "game {number} in the order of storage: it is gone, but not what its boxes showed"
            ));
        }
        for number in super::host::forgotten_that_count(&self.db)? {
            found.push(format!("game {number} in the order of storage: it was forgotten and counts"));
        }
        for number in super::refereed::wrong_faults(&self.db)? {
            found.push(format!(
                "game {number} in the order of storage: the faults of its seats differ from its record"
            ));
        }
        found.extend(decisions::loose_ends(&self.db)?);
        found.extend(arrangements::loose_ends(&self.db)?);
        found.extend(super::imported::differences(&self.db)?);
        found.extend(super::run_facts::differences(&self.db)?);
        let broken: i64 =
            self.db.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
        if broken > 0 {
            found.push(format!("{broken} rows name an engine, a game or a text that does not exist"));
        }
        Ok(found)
    }
}

/// Games with a reason in words and another as data.
const TWO_REASONS: &str = "SELECT number FROM game JOIN word ON id = ending \
    WHERE reason_data IS NOT NULL AND (reason <> '' OR text = 'normal')";

/// Void attempts count only where the organiser has decided about them.
const VOID_THAT_COUNTS: &str =
    "SELECT number FROM game JOIN word ON id = ending WHERE text = 'void' AND current IS NOT NULL";

/// What is wrong, and a query for the games concerned.
const LOOSE_ENDS: [(&str, &str); 8] = [
    ("it has no moves", "SELECT number FROM game WHERE number NOT IN (SELECT game FROM moves)"),
    ("there are moves and no game", "SELECT game FROM moves WHERE game NOT IN (SELECT number FROM game)"),
    (
        "there are seats and no game",
        "SELECT DISTINCT game FROM seat WHERE game NOT IN (SELECT number FROM game)",
    ),
    (
        "its seats are not numbered from 0",
        "SELECT g.number FROM game g LEFT JOIN seat s ON s.game = g.number GROUP BY g.number \
         HAVING count(s.seat) = 0 OR min(s.seat) <> 0 OR max(s.seat) <> count(s.seat) - 1",
    ),
    (
        "there is a log of a seat it does not have",
        "SELECT game FROM log WHERE NOT EXISTS \
         (SELECT 1 FROM seat WHERE seat.game = log.game AND seat.seat = log.seat)",
    ),
    (
        "it is void and has a place, a score or a loser",
        "SELECT DISTINCT number FROM game JOIN word ON id = ending JOIN seat ON seat.game = number \
         WHERE text = 'void' AND (place IS NOT NULL OR score IS NOT NULL OR loser IS NOT NULL)",
    ),
    (
        "it lacks a place or a score",
        "SELECT DISTINCT number FROM game JOIN word ON id = ending JOIN seat ON seat.game = number \
         WHERE text <> 'void' AND (place IS NULL OR score IS NULL)",
    ),
    (
        "it is the same game as an earlier one: same key, same moment",
        "SELECT number FROM game g WHERE EXISTS \
         (SELECT 1 FROM game o WHERE o.key = g.key AND o.started = g.started AND o.number < g.number)",
    ),
];
