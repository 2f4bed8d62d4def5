//! The results of a plan's games without their moves, and the progress of a stage by them.

use std::collections::HashMap;
use std::time::Duration;

use agon_programs::program::display_path;
use agon_record::GameRecord;
use agon_seats::Seat;
use agon_standings::matches::{MatchGame, Score, Scores};
use agon_standings::result::Termination;
use agon_standings::stage::{self, Field, StageProgress, StageRules};
use agon_standings::withdrawals::settled;
use anyhow::{Context, Result};

use super::Store;
use super::rulings::RuledResult;

/// The result of a two-seat game that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameResult {
    /// The number of its pairing.
    pub pairing: u32,
    /// Its number in the pairing. In odd games the first entrant of the pairing has the first seat.
    pub game: u32,
    /// The entrants of the first and the second seat.
    pub names: [String; 2],
    /// Their places.
    pub places: [u8; 2],
    /// Whether each lost by a fault.
    pub faults: [bool; 2],
    /// How many legal moves each made.
    pub plies: [u64; 2],
    /// The time of those moves.
    pub times: [Duration; 2],
    /// Whether it counts for nobody: it repeats an earlier game, or the organiser has decided so.
    pub is_repeat: bool,
}

impl GameResult {
    /// The result of a game that has just ended; `None` if it is void or has other than two seats.
    pub fn of(record: &GameRecord, is_repeat: bool) -> Option<Self> {
        let decided = record.decided()?;
        let [first, second] = record.seats.values() else { return None };
        let both = [Seat::FIRST, Seat::SECOND];
        let plies = |seat| record.plies.iter().filter(move |ply| ply.seat == seat);
        let fault = match decided.termination {
            Termination::Forfeit(seat, _) => Some(seat),
            _ => None,
        };
        Some(GameResult {
            pairing: record.id.pairing,
            game: record.id.game,
            names: [first.entrant.clone(), second.entrant.clone()],
            places: both.map(|seat| decided.places[seat]),
            faults: both.map(|seat| fault == Some(seat)),
            plies: both.map(|seat| plies(seat).count() as u64),
            times: both.map(|seat| plies(seat).map(|ply| ply.time).sum()),
            is_repeat,
        })
    }
}

/// The progress of a stage and the scores of its matches, from the games that count. Games of no
/// present match are ignored; they exist when an entrant has come or gone.
pub fn progress(rules: &StageRules, field: &Field<String>, games: &[GameResult]) -> (StageProgress, Scores) {
    let mut all: HashMap<u32, ([&str; 2], Score)> = HashMap::new();
    for game in games {
        let is_swapped = game.game % 2 == 0;
        let mut names = [game.names[0].as_str(), game.names[1].as_str()];
        if is_swapped {
            names.reverse();
        }
        let GameResult { places, faults, times, .. } = *game;
        let score = &mut all.entry(game.pairing).or_insert((names, Score::default())).1;
        if game.is_repeat {
            score.repeats += 1;
        } else {
            score.add(&MatchGame { is_swapped, places, faults, times });
        }
    }
    let mut scores = Scores::new();
    loop {
        let progress = stage::progress(rules, field, &scores);
        let known = scores.len();
        for one in &progress.matches {
            let pairing = one.pairing;
            let names = [field.names[pairing.first].as_str(), field.names[pairing.second].as_str()];
            let played = all.get(&pairing.pairing).filter(|(there, _)| *there == names);
            let settled = settled(
                &field.absences,
                field.closing,
                one,
                played.map(|(_, score)| *score).unwrap_or_default(),
            );
            if played.is_some() || settled.unplayed.count() > 0 {
                scores.insert(pairing.pairing, settled);
            }
        }
        if scores.len() == known {
            return (progress, scores);
        }
    }
}

impl Store {
    /// Every two-seat game that counts.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn results(&self) -> Result<Vec<GameResult>> {
        let read = || -> Result<Vec<GameResult>> {
            let mut rows = self.db.prepare(
                "SELECT g.pairing, a.name, b.name, s.place, t.place, \
                        ifnull(g.loser = 0 AND w.text <> 'resignation', 0), \
                        ifnull(g.loser = 1 AND w.text <> 'resignation', 0), s.plies, t.plies, g.game, \
                        s.time, t.time, g.number, s.score, t.score \
                 FROM game g JOIN seat s ON s.game = g.number AND s.seat = 0 \
                 JOIN seat t ON t.game = g.number AND t.seat = 1 \
                 JOIN engine a ON a.id = s.engine JOIN engine b ON b.id = t.engine \
                 JOIN word w ON w.id = g.ending \
                 WHERE g.current = 1 ORDER BY g.pairing, g.game",
            )?;
            let (repeats, rulings) = (self.repeats()?, self.rulings()?);
            let rows = rows.query_map([], |row| {
                let number = row.get(12)?;
                let places: [Option<u8>; 2] = [row.get(3)?, row.get(4)?];
                let ruled = rulings.result(number, &places, &[row.get(13)?, row.get(14)?]);
                let is_played = ruled.is_none();
                let places = match &ruled {
                    Some(RuledResult::Counts(result)) => {
                        [result.places[Seat::FIRST], result.places[Seat::SECOND]]
                    }
                    // A game that counts for nobody has no places.
                    Some(RuledResult::Nothing) => [1, 1],
                    None => [row.get(3)?, row.get(4)?],
                };
                Ok(GameResult {
                    pairing: row.get(0)?,
                    names: [row.get(1)?, row.get(2)?],
                    places,
                    faults: [is_played && row.get(5)?, is_played && row.get(6)?],
                    plies: [row.get(7)?, row.get(8)?],
                    game: row.get(9)?,
                    times: [duration(row, 10)?, duration(row, 11)?],
                    is_repeat: repeats.contains(&number) || matches!(ruled, Some(RuledResult::Nothing)),
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        read().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }
}

/// A time in whole microseconds.
pub(super) fn duration(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Duration> {
    row.get::<_, u64>(column).map(Duration::from_micros)
}
