//! Late submissions: each plays everybody of its group once more, and the others keep their grades.
//!
//! The private file `late.csv` says who is graded so, until its line is removed.

use std::path::Path;

use agon_config::{Misuse, Moment};
use agon_export::cells::{self, CsvCell};
use agon_printable::clean;
use agon_programs::program::display_path;
use agon_standings::grades::{Achieved, Scheme};
use agon_store::scores::GameResult;

use super::achievements::{self, CountingGames, CupResults, Unachieved};
use super::key;
use super::sheet::{self, CsvSheet};

/// The file in the private folder.
pub(super) const FILE: &str = "late.csv";

/// A student who is graded late.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LateStudent {
    /// The student's id.
    pub id: String,
    /// When the submission was handed in, if the roster does not say so.
    pub submitted: Option<Moment>,
    /// The line of the list that has it; none if it was asked for now.
    pub line: Option<usize>,
}

/// `ID`, or `ID=TIME`.
impl std::str::FromStr for LateStudent {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (id, submitted) = match text.rsplit_once('=') {
            Some((id, time)) => (id, Some(time.parse()?)),
            None => (text, None),
        };
        Ok(LateStudent { id: id.to_owned(), submitted, line: None })
    }
}

/// The games of a late submission.
pub struct LateResults<'a> {
    /// The alias of its student.
    pub alias: &'a str,
    /// Its games, as a cup of its own.
    pub cup: CupResults<'a>,
    /// The members of its group, without itself.
    pub group: &'a [String],
    /// How many of the group advance.
    pub advance: Option<usize>,
    /// The games of the first stage of the class, without play-offs.
    pub first_stage: CountingGames<'a>,
}

/// The achievement of a late submission. Its points are those of its own games. It has reached the
/// second stage if it is before the cut of its group. It stands before those who have a smaller
/// share of the points in the first stage.
///
/// # Errors
/// As [`achievements::achieved`].
#[allow(clippy::cast_precision_loss)] // fewer than 2^53 entrants
pub(super) fn achieved(
    late: &LateResults<'_>,
    class: &CupResults<'_>,
    scheme: &Scheme,
    baselines: &[&str],
) -> Result<Achieved, Unachieved> {
    let own = achievements::achieved(late.alias, &late.cup, scheme, baselines)?;
    let share = |name: &str, group: Option<&[String]>| {
        let in_group =
            |name: &str| name != late.alias && group.is_none_or(|group| group.iter().any(|one| one == name));
        let both = |game: &&&GameResult| game.names.iter().all(|name| in_group(name));
        let earlier = late.first_stage.games.iter().filter(both).copied();
        let games = earlier.chain(late.cup.games.iter().copied()).collect();
        CountingGames { games, byes: late.first_stage.byes.clone() }.percent(name, class.points)
    };
    let is_ahead = |name: &&String| share(name, Some(late.group)).is_some_and(|share| share > own.points);
    let ahead = late.group.iter().filter(is_ahead).count();
    let names = class.places.iter().map(|place| place.name.as_str()).filter(|name| *name != late.alias);
    let others: Vec<f64> = names.filter_map(|name| share(name, None)).collect();
    let behind = others.iter().filter(|share| **share < own.points).count();
    Ok(Achieved {
        stage: if late.advance.is_some_and(|advance| ahead < advance) { 2 } else { 1 },
        percentile: 100.0 * behind as f64 / others.len().max(1) as f64,
        ..own
    })
}

/// Those who were graded late before and those who are asked for now.
///
/// # Errors
/// [`Misuse`] if the file cannot be parsed; or it cannot be read.
pub(super) fn listed(private: &Path, asked: &[LateStudent]) -> anyhow::Result<Vec<LateStudent>> {
    let path = private.join(FILE);
    let mut all = if path.exists() { read(&path)? } else { Vec::new() };
    for student in asked {
        match all.iter_mut().find(|known| known.id == student.id) {
            Some(known) => {
                known.submitted = student.submitted.or(known.submitted);
                known.line = None;
            }
            None => all.push(student.clone()),
        }
    }
    Ok(all)
}

/// Keeps the list of those who are graded late. An empty one needs no file.
///
/// # Errors
/// Errors of the disk.
pub(super) fn keep(private: &Path, all: &[LateStudent]) -> anyhow::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    let row = |student: &LateStudent| vec![CsvCell::text(&student.id), CsvCell::maybe(student.submitted)];
    let text = cells::text_of(["id", "submitted"], all.iter().map(row))?;
    super::private::write_text(&private.join(FILE), &text)
}

fn read(path: &Path) -> anyhow::Result<Vec<LateStudent>> {
    let shown = display_path(path);
    let wrong = |line: usize, why: &str| {
        Misuse::hinted(format!("{shown}: line {line}: {why}"), "the columns are id and submitted")
    };
    let text = sheet::text_of_table(key::read(path)?).ok_or_else(|| wrong(1, "is not text"))?.0;
    let sheet = CsvSheet::read(&text).map_err(|error| wrong(1, &error.to_string()))?;
    let place = |column: &str| {
        let head = sheet.head().iter().map(String::as_str);
        sheet::place_of(head, column).map_err(|why| Misuse::misread(&format!("{shown}: line 1"), &why))
    };
    let id = place("id")?.ok_or_else(|| wrong(1, "column id is missing"))?;
    let submitted = place("submitted")?;
    let mut seen: Vec<(String, usize)> = Vec::new();
    let mut all = Vec::new();
    for (line, row) in (1..).zip(&sheet.rows).skip(1) {
        let cell = |place: usize| row.get(place).map_or("", |cell| cell.trim());
        let time = submitted.map_or("", cell);
        let submitted = match time {
            "" => None,
            time => {
                Some(time.parse().map_err(|why: String| wrong(line, &format!("column submitted: {why}")))?)
            }
        };
        let id = CsvCell::read(cell(id)).to_owned();
        if let Some((_, before)) = seen.iter().find(|(other, _)| *other == id) {
            return Err(wrong(
                line,
                &format!("{} is on line {before} already; remove one of them", clean(&id)),
            ));
        }
        if !id.is_empty() {
            seen.push((id.clone(), line));
            all.push(LateStudent { id, submitted, line: Some(line) });
        }
    }
    Ok(all)
}
