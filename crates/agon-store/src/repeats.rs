//! Games that repeat an earlier one: the same engines on the same sides, the same start, the same
//! moves, the same end. Engines that play the same game again say nothing new about their strength,
//! so such a game counts once in every statistic.
//!
//! A run says by a term that it counts so. Runs that were stored before have no such term, and
//! their games count as they did.

use std::collections::{HashMap, HashSet};

use agon_programs::program::display_path;
use agon_record::GameRecord;
use agon_standings::result::GameId;
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::Store;
use super::hash::part;
use super::imported::Repeats;
use super::key::GameConditions;
use super::rulings::Rulings;

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
        course_of(record).is_some_and(|course| !self.0.insert(course))
    }
}

/// The course of a game; none of a void one.
pub(super) fn course_of(record: &GameRecord) -> Option<[u8; 16]> {
    let decided = record.decided()?;
    let seats: Vec<String> =
        record.seats.iter().map(|(seat, own)| format!("{}\t{}", own.entrant, decided.places[seat])).collect();
    let ending = decided.termination.to_string();
    let texts = [&record.rules, &ending, &record.start, &seats.join("\n")];
    Some(course(texts.map(String::as_str), record.plies.iter().map(|ply| ply.text.as_str())))
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

/// In SQL: the course of the game `g` is stored. Its kind is looked at because somebody may have
/// changed it.
const STORED: &str = "(typeof(g.course) = 'blob' AND length(g.course) = 16)";

/// In SQL, behind a condition: no decision was made about the game `g`.
pub(super) fn but_ruled(rulings: &Rulings) -> String {
    match rulings.is_empty() {
        true => String::new(),
        false => format!(" AND g.number NOT IN {}", rulings.games()),
    }
}

impl Store {
    /// The courses of all games that count, if the last run counts repeated games once.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn courses(&self) -> Result<Courses> {
        let mut courses = Courses::default();
        if self.counts_once()? {
            let condition = format!("g.current = 1{}", but_ruled(&self.rulings()?));
            self.each_course(&condition, "TRUE", |_, course| _ = courses.0.insert(course))?;
        }
        Ok(courses)
    }

    /// The numbers, in the order of storage, of the games that count and repeat an earlier one;
    /// none if the last run counts all.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn repeats(&self) -> Result<HashSet<i64>> {
        self.repeats_among(self.counts_once()?, "g.current = 1", &self.rulings()?)
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
    /// where all count. A game with a decision about it repeats none, and none repeats it.
    pub(super) fn repeats_among(
        &self,
        once: bool,
        condition: &str,
        rulings: &Rulings,
    ) -> Result<HashSet<i64>> {
        let condition = &format!("{condition}{}", but_ruled(rulings));
        let mut repeats = HashSet::new();
        if !once {
            return Ok(repeats);
        }
        // Moves are read only where start and end are the same as of another game.
        let candidates = format!(
            "(m.start, m.last) IN (SELECT m.start, m.last FROM game g \
             JOIN moves m ON m.game = g.number WHERE {condition} GROUP BY m.start, m.last HAVING count(*) > 1)"
        );
        let mut seen = HashSet::new();
        self.each_course(condition, &candidates, |number, course| {
            if !seen.insert(course) {
                repeats.insert(number);
            }
        })?;
        Ok(repeats)
    }

    /// Calls `each` with the number and the course of every decided game `g` that meets
    /// `condition`, in the order of storage. Games whose course is not stored must meet
    /// `unless_stored` too, which may name their moves `m`.
    pub(super) fn each_course(
        &self,
        condition: &str,
        unless_stored: &str,
        mut each: impl FnMut(i64, [u8; 16]),
    ) -> Result<()> {
        let read = || -> Result<Vec<(i64, [u8; 16])>> {
            let are_stored = super::version(&self.db)? >= 9;
            let mut courses = Vec::new();
            if are_stored {
                let mut rows = self.db.prepare(&format!(
                    "SELECT number, course FROM game g WHERE {STORED} AND {condition} ORDER BY number"
                ))?;
                let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
                courses = rows.collect::<rusqlite::Result<_>>()?;
            }
            let missing = if are_stored { format!("NOT {STORED}") } else { "TRUE".to_owned() };
            let told = self.told_courses(&format!("{missing} AND {condition} AND {unless_stored}"))?;
            if !told.is_empty() {
                courses.extend(told);
                courses.sort_unstable_by_key(|(number, _)| *number);
            }
            Ok(courses)
        };
        let courses = read().with_context(|| format!("cannot read {}", display_path(&self.path)))?;
        courses.into_iter().for_each(|(number, course)| each(number, course));
        Ok(())
    }

    /// The number and the course of every decided game `g` with moves `m` that meets `condition`,
    /// in the order of storage, made from what is stored of its moves.
    fn told_courses(&self, condition: &str) -> Result<Vec<(i64, [u8; 16])>> {
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
        let mut courses = Vec::new();
        while let Some(row) = rows.next()? {
            let text = |column: usize| -> Result<&str> { Ok(row.get_ref(column)?.as_str()?) };
            // The move is the fourth column of a ply's line.
            let moves = text(4)?.lines().map(|ply| ply.split('\t').nth(3).unwrap_or_default());
            courses.push((row.get(0)?, course([text(1)?, text(2)?, text(3)?, text(5)?], moves)));
        }
        Ok(courses)
    }

    /// The numbers of the games whose stored course is not that of their moves, or that have one
    /// and are void.
    pub(super) fn wrong_courses(&self) -> Result<Vec<i64>> {
        if super::version(&self.db)? < 9 {
            return Ok(Vec::new());
        }
        let mut rows =
            self.db.prepare("SELECT number, course FROM game WHERE course IS NOT NULL ORDER BY number")?;
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let stored: HashMap<i64, Vec<u8>> = rows.collect::<rusqlite::Result<_>>()?;
        let told: HashMap<i64, [u8; 16]> = self.told_courses("g.course IS NOT NULL")?.into_iter().collect();
        let is_wrong = |(number, course): &(&i64, &Vec<u8>)| {
            told.get(number).is_none_or(|told| told != course.as_slice())
        };
        let mut wrong: Vec<i64> = stored.iter().filter(is_wrong).map(|(number, _)| *number).collect();
        wrong.sort_unstable();
        Ok(wrong)
    }
}
