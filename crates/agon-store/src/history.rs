//! The history of rank and strength of each engine from run to run.

use agon_programs::program::display_path;
use agon_standings::points::Wdl;
use agon_standings::result::Cause;
use anyhow::{Context, Result};

use super::finishes::{self, Share};
use super::{Store, labels};

/// An engine in the standings of a finished run.
#[derive(Clone, PartialEq, Debug)]
pub struct Moved {
    /// The run.
    pub run: i64,
    /// When the run was finished, in RFC 3339.
    pub finished: String,
    /// What the user called the run.
    pub label: Option<String>,
    /// The engine.
    pub engine: String,
    /// The hash of its content then.
    pub hash: String,
    /// Whether the content had changed since the run before.
    pub changed: bool,
    /// Its rank.
    pub rank: u64,
    /// Its games.
    pub games: Wdl,
    /// What it reached in them, as far as its strength depends on it.
    shares: Vec<Share>,
    /// Its rating in Elo and the error bar; `None` of an engine without a rating.
    pub rating: Option<(f64, f64)>,
    /// Its rank in the run before, if it had one.
    pub before: Option<u64>,
    /// How its strength differs from that in the run before.
    pub step: Option<Step>,
}

/// A difference in strength, computed from the share of the points alone. With more than two seats,
/// it is computed from the share of the engines that the engine was placed ahead of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// In Elo; positive is better.
    pub elo: f64,
    /// In standard errors. More than two are hardly chance.
    pub errors: f64,
}

/// The games of one engine that were stored after a certain game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaterGames {
    /// The engine.
    pub engine: String,
    /// How many there are, without void ones.
    pub games: u64,
    /// How many of them it lost by a fault.
    pub faults: u64,
}

/// A difference beyond this many standard errors is chance in one case of twenty.
pub(crate) const SIGNIFICANT: f64 = 1.96;

impl Moved {
    /// Whether it became worse, and not by chance. An engine that did not change is never worse:
    /// its opponents became better, or others were left out.
    pub fn is_worse(&self) -> bool {
        self.changed && self.fell()
    }

    /// Whether its share of the points fell, and not by chance.
    pub fn fell(&self) -> bool {
        self.step.is_some_and(|step| step.errors < -SIGNIFICANT)
    }

    /// Its strength against the field, in Elo, computed from the share of the points.
    pub fn elo(&self) -> Option<f64> {
        strength(&self.shares).map(|(share, _)| elo(share))
    }
}

impl Store {
    /// The number of the last game that was stored; 0 without games.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn last_game(&self) -> Result<i64> {
        Ok(self.db.query_row("SELECT coalesce(max(number), 0) FROM game", [], |row| row.get(0))?)
    }

    /// The games of each entrant of the last run that count and were stored after a game, by its
    /// number.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn games_after(&self, number: i64) -> Result<Vec<LaterGames>> {
        let ruled = self.rulings()?.games();
        let faults: Vec<String> = Cause::ALL.map(|cause| format!("'{}'", cause.name())).into();
        let mut rows = self.db.prepare(&format!(
            "SELECT engine.name, count(*), \
             count(*) FILTER (WHERE game.loser = seat.seat AND text IN ({}) AND game.number NOT IN {ruled}) \
             FROM entrant JOIN engine ON engine.id = entrant.engine JOIN seat ON seat.engine = engine.id \
             JOIN game ON game.number = seat.game JOIN word ON word.id = game.ending \
             WHERE entrant.run = (SELECT max(number) FROM run) AND game.number > ?1 AND current = 1 AND text <> 'void' \
             GROUP BY engine.id ORDER BY entrant.place",
            faults.join(", ")
        ))?;
        let rows = rows.query_map([number], |row| {
            Ok(LaterGames { engine: row.get(0)?, games: row.get(1)?, faults: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Every engine in every finished run, ordered by run, then by rank.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn history(&self) -> Result<Vec<Moved>> {
        let rows = || -> Result<Vec<Moved>> {
            let mut rows = self.db.prepare(
                "SELECT standing.run, run.finished, name, hash, rank, wins, draws, losses, \
                 elo / 1000.0, error / 1000.0, engine.id FROM standing JOIN run ON run.number = standing.run JOIN engine ON engine.id = standing.engine \
                 ORDER BY standing.run, rank, name",
            )?;
            let rows = rows.query_map([], |row| {
                let games = Wdl { wins: row.get(5)?, draws: row.get(6)?, losses: row.get(7)? };
                Ok(Moved {
                    run: row.get(0)?,
                    finished: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
                    label: labels::of(&self.db, row.get(0)?)?,
                    engine: row.get(2)?,
                    hash: row.get(3)?,
                    changed: false,
                    rank: row.get(4)?,
                    games,
                    shares: match finishes::of(&self.db, row.get(0)?, row.get(10)?)? {
                        shares if shares.is_empty() => shares_of(games),
                        shares => shares,
                    },
                    rating: row.get::<_, Option<f64>>(8)?.zip(row.get(9)?),
                    before: None,
                    step: None,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        let mut rows = rows().with_context(|| format!("cannot read {}", display_path(&self.path)))?;
        // In a run for a question some engines have met stronger opponents than in the run before.
        let is_even = self.until()?.is_none();
        let mut last: std::collections::HashMap<String, Moved> = std::collections::HashMap::new();
        for row in &mut rows {
            if let Some(before) = last.get(&row.engine) {
                row.before = Some(before.rank);
                row.changed = before.hash != row.hash;
                row.step = step(&before.shares, &row.shares).filter(|_| is_even);
            }
            last.insert(row.engine.clone(), row.clone());
        }
        Ok(rows)
    }
}

/// The games of two seats: a draw is half.
fn shares_of(games: Wdl) -> Vec<Share> {
    vec![(1.0, games.wins), (0.5, games.draws), (0.0, games.losses)]
}

/// The average share, moved slightly to the middle, and its variance.
#[allow(clippy::cast_precision_loss)] // exact below 2^53 games
fn strength(shares: &[Share]) -> Option<(f64, f64)> {
    let games: u64 = shares.iter().map(|(_, games)| games).sum();
    if games == 0 {
        return None;
    }
    // A win and a loss are added (Agresti and Coull, 1998), so that all games won have an error
    // too.
    let added = [(1.0, 1), (0.0, 1)];
    let each = || shares.iter().chain(&added).map(|(share, games)| (*share, *games as f64));
    let all = games as f64 + 2.0;
    let share = each().map(|(own, games)| own * games).sum::<f64>() / all;
    let variance = each().map(|(own, games)| games * (own - share).powi(2)).sum::<f64>() / all / all;
    Some((share, variance))
}

fn elo(share: f64) -> f64 {
    // Written this way because a leading minus would turn half of the points into -0.
    400.0 * (share / (1.0 - share)).log10()
}

fn step(before: &[Share], after: &[Share]) -> Option<Step> {
    let ((old, old_variance), (new, new_variance)) = (strength(before)?, strength(after)?);
    Some(Step { elo: elo(new) - elo(old), errors: (new - old) / (old_variance + new_variance).sqrt() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_games_tell_what_few_cannot() {
        let wdl = |wins, losses| shares_of(Wdl { wins, draws: 0, losses });
        let step = |before: Vec<Share>, after: Vec<Share>| step(&before, &after);
        let few = step(wdl(6, 4), wdl(4, 6)).unwrap();
        let many = step(wdl(600, 400), wdl(400, 600)).unwrap();
        assert!(few.elo < 0.0 && few.errors > -SIGNIFICANT);
        assert!(many.errors < -SIGNIFICANT);
        assert!((many.elo + 140.8).abs() < 1.0, "{}", many.elo);
        assert_eq!(step(wdl(0, 0), wdl(1, 0)), None);
        assert!(step(wdl(10, 0), wdl(10, 0)).unwrap().errors.abs() < 1e-9);
        let (share, _) = strength(&wdl(3, 3)).unwrap();
        assert_eq!(format!("{:.0}", elo(share)), "0");
    }

    #[test]
    fn a_fall_from_the_second_place_of_four_to_the_last_is_seen() {
        let second = [(2.0 / 3.0, 40)];
        let last = [(0.0, 40)];
        let fall = step(&second, &last).unwrap();
        assert!(fall.elo < -300.0 && fall.errors < -SIGNIFICANT, "{fall:?}");
        // The control: by first places alone both are the same.
        let none = shares_of(Wdl { wins: 0, draws: 0, losses: 40 });
        assert!(step(&none, &none).unwrap().errors.abs() < 1e-9);
    }
}
