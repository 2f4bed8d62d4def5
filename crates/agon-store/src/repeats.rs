//! Games that repeat an earlier one: the same engines on the same sides, the same start, the same
//! moves, the same end. Engines that play the same game again say nothing new about their strength,
//! so such a game counts once in every statistic.
//!
//! A run says by a term that it counts so. Runs that were stored before have no such term, and
//! their games count as they did.

use std::collections::HashSet;

use agon_programs::program::display_path;
use agon_record::GameRecord;
use agon_standings::result::GameId;
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::Store;
use super::hash::part;
use super::imported::Repeats;
use super::key::GameConditions;

/// The term of a run that counts repeated games once, and its value.
const TERM: (&str, &str) = ("repeated games", "count once");

/// Adds the term of a run that counts repeated games once.
pub fn count_once(terms: &mut GameConditions) {
    terms.insert(TERM.0.to_owned(), TERM.1.to_owned());
}

/// Whether a run with these terms counts repeated games once.
pub fn is_once(terms: &GameConditions) -> bool {
    terms.get(TERM.0).is_some_and(|value| value == TERM.1)
}

/// The courses of games: 16 bytes each.
#[derive(Clone, Default, Debug)]
pub struct Courses(HashSet<[u8; 16]>);

impl Courses {
    /// Notes a game. Returns whether it repeats one that was noted before; a void game never does.
    pub fn note(&mut self, record: &GameRecord) -> bool {
        let Some(decided) = record.decided() else { return false };
        let seats: Vec<String> = record
            .seats
            .iter()
            .map(|(seat, own)| format!("{}\t{}", own.entrant, decided.places[seat]))
            .collect();
        let ending = decided.termination.to_string();
        let texts = [&record.rules, &ending, &record.start, &seats.join("\n")];
        !self.0.insert(course(texts.map(String::as_str), record.plies.iter().map(|ply| ply.text.as_str())))
    }
}

/// The course of a game: of its rules, its end, its start, its seats, and its moves.
fn course<'a>(texts: [&str; 4], moves: impl Iterator<Item = &'a str>) -> [u8; 16] {
    let mut hash = Sha256::new();
    texts.iter().for_each(|text| part(&mut hash, text.as_bytes()));
    // No move holds a line end. One long text costs a third of the time of many short ones.
    let moves = moves.fold(String::new(), |all, mv| all + mv + "\n");
    part(&mut hash, moves.as_bytes());
    hash.finalize()[..16].try_into().expect("a SHA-256 has 32 bytes")
}

impl Store {
    /// The courses of all games that count, if the last run counts repeated games once.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn courses(&self) -> Result<Courses> {
        let mut courses = Courses::default();
        if self.counts_once()? {
            self.each_course("g.current = 1", |_, course| _ = courses.0.insert(course))?;
        }
        Ok(courses)
    }

    /// The numbers, in the order of storage, of the games that count and repeat an earlier one;
    /// none if the last run counts all.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn repeats(&self) -> Result<HashSet<i64>> {
        self.repeats_among(self.counts_once()?, "g.current = 1")
    }

    /// Whether the last run, or the one from which games were imported, counts repeated games once.
    pub(super) fn counts_once(&self) -> Result<bool> {
        Ok(match self.last_terms()? {
            Some(terms) => is_once(&terms),
            None => self.imported()?.is_some_and(|imported| imported.counted_as.repeats == Repeats::Once),
        })
    }

    /// The numbers in the plan of the games of [`Store::repeats`].
    ///
    /// # Errors
    /// Errors of the database.
    pub fn repeated_ids(&self) -> Result<HashSet<GameId>> {
        let repeats = self.repeats()?;
        if repeats.is_empty() {
            return Ok(HashSet::new());
        }
        let counting = self.counting()?;
        Ok(counting
            .into_iter()
            .filter(|(number, _, _)| repeats.contains(number))
            .map(|(_, id, _)| id)
            .collect())
    }

    /// The numbers of the games `g` that meet `condition` and repeat an earlier one of them; none
    /// where all count.
    pub(super) fn repeats_among(&self, once: bool, condition: &str) -> Result<HashSet<i64>> {
        let mut repeats = HashSet::new();
        if !once {
            return Ok(repeats);
        }
        // Moves are read only where start and end are the same as of another game.
        let candidates = format!(
            "{condition} AND (m.start, m.last) IN (SELECT m.start, m.last FROM game g \
             JOIN moves m ON m.game = g.number WHERE {condition} GROUP BY m.start, m.last HAVING count(*) > 1)"
        );
        let mut seen = HashSet::new();
        self.each_course(&candidates, |number, course| {
            if !seen.insert(course) {
                repeats.insert(number);
            }
        })?;
        Ok(repeats)
    }

    /// Calls `each` with the number and the course of every decided game `g` with moves `m` that
    /// meets `condition`, in the order of storage.
    pub(super) fn each_course(&self, condition: &str, mut each: impl FnMut(i64, [u8; 16])) -> Result<()> {
        let mut read = || -> Result<()> {
            let mut rows = self.db.prepare(&format!(
                "SELECT g.number, rules.text, ending.text, m.start, m.plies, \
                 (SELECT group_concat(name || char(9) || place, char(10)) FROM \
                  (SELECT engine.name, s.place FROM seat s JOIN engine ON engine.id = s.engine \
                   WHERE s.game = g.number ORDER BY s.seat)) \
                 FROM game g JOIN moves m ON m.game = g.number JOIN word rules ON rules.id = g.rules \
                 JOIN word ending ON ending.id = g.ending \
                 WHERE ending.text <> 'void' AND {condition} ORDER BY g.number"
            ))?;
            let mut rows = rows.query([])?;
            while let Some(row) = rows.next()? {
                let text = |column: usize| -> Result<&str> { Ok(row.get_ref(column)?.as_str()?) };
                // The move is the fourth column of a ply's line.
                let moves = text(4)?.lines().map(|ply| ply.split('\t').nth(3).unwrap_or_default());
                each(row.get(0)?, course([text(1)?, text(2)?, text(3)?, text(5)?], moves));
            }
            Ok(())
        };
        read().with_context(|| format!("cannot read {}", display_path(&self.path)))
    }
}
