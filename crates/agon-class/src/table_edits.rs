//! What somebody has changed in the table of an intake beside the column `use`: agon does not read
//! it, so it would be lost without a word.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use agon_config::{Misuse, Moment};
use agon_export::cells::CsvCell;
use agon_printable::escape;
use agon_programs::program::display_path;

use super::answer_words::{CONTENT, USE};
use super::claims::IntakeClaim;
use super::private;
use super::sheet::{self, CsvSheet};

/// The columns in which somebody may write an answer by mistake.
const ANSWERED_ELSEWHERE: [&str; 4] = ["id", "counts", "late", "time"];
/// The columns that say to what an answer belongs.
const NEEDED: [&str; 4] = ["submission", "id", CONTENT, USE];
/// What to do about an answer there.
const IN_USE: &str = "write it back, and the answer into column use: yes, none, an id, a time, or in time";

/// The table as agon has written it, beside the table.
fn copy_of(table: &Path) -> PathBuf {
    table.with_file_name(format!(".{}", table.file_name().unwrap_or_default().to_string_lossy()))
}

/// Keeps a copy of the table.
pub(super) fn keep(table: &Path, text: &str) -> anyhow::Result<()> {
    private::write_text(&copy_of(table), text)
}

/// Refuses a table in which something else than the column `use` was changed, or a line of a
/// submission was removed.
///
/// # Errors
/// [`Misuse`], with the line and the column.
pub(super) fn refuse(table: &Path, now: &CsvSheet, claims: &[IntakeClaim]) -> anyhow::Result<()> {
    // An earlier version has kept none.
    let Ok(text) = fs::read_to_string(copy_of(table)) else { return Ok(()) };
    let Ok(before) = CsvSheet::read(&text) else { return Ok(()) };
    let (now, before) = (EditedTable::of(now), EditedTable::of(&before));
    let shown = display_path(table);
    // An empty table is one to answer anew.
    if now.rows.is_empty() {
        return Ok(());
    }
    if let Some(column) = NEEDED.iter().find(|column| before.has(column) && !now.has(column)) {
        return Err(Misuse::hinted(
            format!("{shown}: line 1: column {column} is missing, so the answers would be lost"),
            "give the column back, with its cells",
        ));
    }
    // A line whose name or id was changed is another one.
    let has_unknown = now.rows.keys().any(|key| !before.rows.contains_key(key));
    for (key, lines) in &before.rows {
        // Of two lines with one name it is not clear which is meant.
        let [row] = lines[..] else { continue };
        let name = &key.0;
        let Some(&found) = now.rows.get(key).and_then(|lines| lines.first()) else {
            let is_there = claims.iter().any(|claim| claim.shown.trim() == name);
            if is_there && !name.is_empty() && !has_unknown {
                return Err(Misuse::hinted(
                    format!("{shown}: the line of {} is missing", escape(name.as_bytes(), 100)),
                    format!("give it back, and write none into its column {USE} if it does not count"),
                ));
            }
            continue;
        };
        // What is answered there too says what is meant.
        if now.cell(found, USE) != before.cell(row, USE) {
            continue;
        }
        for column in ANSWERED_ELSEWHERE {
            let [says, said] = [now.cell(found, column), before.cell(row, column)];
            if now.has(column) && !is_same(column, &says, &said) {
                let [says, said] = [says, said].map(|text| escape(text.as_bytes(), 60));
                return Err(Misuse::hinted(
                    format!(
                        "{shown}: line {}: column {column} says {says:?}, and was {said:?}: only column {USE} is read",
                        found + 1
                    ),
                    IN_USE,
                ));
            }
        }
    }
    Ok(())
}

/// Whether two cells say the same, as spreadsheets write it.
fn is_same(column: &str, new: &str, old: &str) -> bool {
    let bare = |text: &str| {
        let ids = text.split(';').map(|id| id.trim().trim_start_matches('0').to_lowercase());
        ids.collect::<Vec<_>>().join(";")
    };
    match column {
        "id" => bare(new) == bare(old),
        // A spreadsheet writes dates in its own way.
        "time" if !old.is_empty() => match (new.parse::<Moment>(), old.parse()) {
            (Ok(new), Ok(old)) => new == old,
            _ => new == old || (!old.contains('T') && !new.is_empty()),
        },
        _ => new.eq_ignore_ascii_case(old),
    }
}

/// A table with its rows by what tells them apart: the submission or, without one, the student.
struct EditedTable<'a> {
    sheet: &'a CsvSheet,
    rows: BTreeMap<(String, String), Vec<usize>>,
}

impl<'a> EditedTable<'a> {
    fn of(sheet: &'a CsvSheet) -> Self {
        let mut table = EditedTable { sheet, rows: BTreeMap::new() };
        for row in 1..sheet.rows.len() {
            let submission = table.cell(row, "submission");
            let id = if submission.is_empty() { table.cell(row, "id") } else { String::new() };
            let key = (submission, id.trim_start_matches('0').to_lowercase());
            if sheet.rows[row].iter().any(|cell| !cell.trim().is_empty()) {
                table.rows.entry(key).or_default().push(row);
            }
        }
        table
    }

    fn place(&self, column: &str) -> Option<usize> {
        sheet::place_of(self.sheet.head().iter().map(String::as_str), column).ok().flatten()
    }

    fn has(&self, column: &str) -> bool {
        self.place(column).is_some()
    }

    fn cell(&self, row: usize, column: &str) -> String {
        let cell = self.place(column).and_then(|place| self.sheet.rows[row].get(place));
        cell.map_or("", |cell| CsvCell::read(cell)).trim().to_owned()
    }
}
