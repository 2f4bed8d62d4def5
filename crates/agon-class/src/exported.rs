//! Gradebooks that Canvas and Brightspace have exported: a copy is filled in and imported again.

use std::collections::HashMap;

use agon_printable::escape;
use anyhow::Result;

use super::gradebook::{GradebookEntry, number};
use super::sheet::{self, CsvSheet};

/// The columns that may hold the roster's ids. Of equally good ones, the first is taken.
const CANVAS_IDS: [&str; 4] = ["SIS User ID", "SIS Login ID", "Integration ID", "ID"];
const BRIGHTSPACE_IDS: [&str; 3] = ["OrgDefinedId", "Username", "Email"];
/// The last column of a Brightspace table.
const LINE_END: &str = "End-of-Line Indicator";
/// The words between a Brightspace item and its settings: `Cup Points Grade <Numeric
/// MaxPoints:10>`.
const POINTS_GRADE: &str = " Points Grade";
/// What Canvas writes for a student who is excused.
const EXCUSED: &str = "EX";
/// What Canvas writes below a column that it does not import.
const READ_ONLY: &str = "(read only)";

/// An exported gradebook, and one column of grades in it.
pub struct ExportedBook {
    sheet: CsvSheet,
    /// The columns that may hold the roster's ids.
    ids: Vec<usize>,
    /// The column of the assignment.
    grades: usize,
    /// The row of the first student.
    first: usize,
    /// The highest grade in the system, and the line that says so.
    maximum: Option<(f64, usize)>,
}

/// A gradebook that is filled in.
pub(super) struct FilledBook {
    /// Its text.
    pub(super) text: String,
    /// The ids of entries without a row.
    pub(super) missing: Vec<String>,
    /// Grades that somebody has written there and that are replaced: the id, the old and the new
    /// one.
    pub(super) replaced: Vec<[String; 3]>,
    /// Cells that stay as they were: the id and the cell.
    pub(super) kept: Vec<(String, String)>,
}

/// Which rows of a gradebook belong to which students.
struct RowFinder {
    column: usize,
    by_mail: bool,
    found: usize,
}

impl ExportedBook {
    /// Reads a Canvas gradebook and finds the assignment called `item`.
    ///
    /// # Errors
    /// The text is not such a gradebook, or has not exactly one column of this assignment, or
    /// Canvas does not import it.
    pub fn canvas(text: &str, item: &str) -> Result<Self> {
        let sheet = CsvSheet::read(text)?;
        let head = sheet.head();
        let ids = columns(head, &CANVAS_IDS)?;
        if head.first().is_none_or(|cell| cell != "Student") || ids.is_empty() {
            anyhow::bail!(
                "line 1: not the head of a Canvas gradebook, which begins with Student,ID; export it from Canvas"
            );
        }
        // `Assignment (1234)`: the number is Canvas's own.
        let fits =
            |cell: &String| cell == item || cell.rsplit_once(" (").is_some_and(|(cell, _)| cell == item);
        let grades = only_column(head, fits, item)?;
        // Above the students are the row of the points and, before it, one of manual posting.
        let is_points = |row: &Vec<String>| row.first().is_some_and(|cell| cell.trim() == "Points Possible");
        let points = sheet.rows.iter().position(is_points).unwrap_or(0);
        if sheet.rows[points].get(grades).is_some_and(|cell| cell.trim() == READ_ONLY) {
            anyhow::bail!("line {}: {item:?} is read only, and Canvas imports no grades for it", points + 1);
        }
        let maximum =
            sheet.rows[points].get(grades).filter(|_| points > 0).and_then(|cell| read_number(cell));
        Ok(ExportedBook {
            ids,
            grades,
            first: points + 1,
            maximum: maximum.map(|most| (most, points + 1)),
            sheet,
        })
    }

    /// Reads a Brightspace gradebook and finds the item called `item`. A table without items gets
    /// its column.
    ///
    /// # Errors
    /// The text is not such a gradebook, or has items but not exactly one of this name.
    pub fn brightspace(text: &str, item: &str) -> Result<Self> {
        let mut sheet = CsvSheet::read(text)?;
        let head = sheet.head();
        let ids = columns(head, &BRIGHTSPACE_IDS)?;
        let Some(end) = head.iter().position(|cell| cell == LINE_END).filter(|_| !ids.is_empty()) else {
            anyhow::bail!(
                "line 1: not the head of a Brightspace gradebook, which has the columns OrgDefinedId or Username, \
                 and {LINE_END}; export it from Brightspace"
            );
        };
        let heading = format!("{item}{POINTS_GRADE}");
        if !head.iter().any(|cell| cell.contains(POINTS_GRADE)) {
            for (number, row) in sheet.rows.iter_mut().enumerate() {
                let cell = if number == 0 { heading.clone() } else { String::new() };
                row.insert(end.min(row.len()), cell);
            }
            return Ok(ExportedBook { ids, grades: end, first: 1, maximum: None, sheet });
        }
        let fits = |cell: &String| {
            cell.strip_prefix(&heading).is_some_and(|rest| rest.is_empty() || rest.starts_with(" <"))
        };
        let grades = only_column(head, fits, item)?;
        let settings = head[grades].split_once("MaxPoints:").map_or("", |(_, behind)| behind);
        let most = read_number(settings.split([' ', '>']).next().unwrap_or_default());
        Ok(ExportedBook { ids, grades, first: 1, maximum: most.map(|most| (most, 1)), sheet })
    }

    /// Refuses a gradebook with another highest grade: each grade would mean something else there.
    ///
    /// # Errors
    /// It has another one.
    pub(super) fn with_maximum(self, max: f64) -> Result<Self> {
        match self.maximum {
            Some((own, line)) if (own - max).abs() > 1e-9 => anyhow::bail!(
                "line {line}: {} has at most {} points, but max of [grades] is {}; write the same number in both",
                shown(&self.sheet.head()[self.grades]),
                number(own),
                number(max)
            ),
            _ => Ok(self),
        }
    }

    /// The column by which the rows of these students are found, in words.
    ///
    /// # Errors
    /// No row belongs to any of them. The error says what the columns hold.
    pub(super) fn found_by(&self, entries: &[GradebookEntry]) -> Result<String> {
        let RowFinder { column, by_mail, found } = self.finder(entries)?;
        let what = if by_mail { "mail" } else { "id" };
        let name = shown(&self.sheet.head()[column]);
        Ok(format!("{name} is the roster's {what}: rows for {found} of {} students", entries.len()))
    }

    /// A copy with the grades filled in. Its other cells, its head rows and the order of its rows
    /// stay as they are. A student without an entry or a grade keeps the old cell, and so does one
    /// who is excused there. `before` has the grades of an earlier grading, by id.
    ///
    /// # Errors
    /// As [`ExportedBook::found_by`]; or the text cannot be written.
    pub(super) fn filled(
        &self,
        entries: &[GradebookEntry],
        before: &HashMap<String, String>,
    ) -> Result<FilledBook> {
        let finder = self.finder(entries)?;
        let mut sheet = self.sheet.clone();
        let has_commas = sheet.has_decimal_commas();
        let (mut missing, mut replaced, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for entry in entries {
            let key = key_of(entry, finder.by_mail);
            let is_its =
                |row: &&mut Vec<String>| row.get(finder.column).is_some_and(|cell| folded(cell) == key);
            let Some(row) = sheet.rows.iter_mut().skip(self.first).find(is_its) else {
                if entry.grade.is_some() {
                    missing.push(entry.id.clone());
                }
                continue;
            };
            // A spreadsheet may have dropped the empty cells at the end of a row.
            row.resize(row.len().max(self.grades + 1), String::new());
            let old = row[self.grades].trim().to_owned();
            let Some(grade) = entry.grade.filter(|_| !old.eq_ignore_ascii_case(EXCUSED)) else {
                if !old.is_empty() {
                    kept.push((entry.id.clone(), old));
                }
                continue;
            };
            let grade = number(grade);
            let old = read_number(&old).map_or(old, number);
            if !old.is_empty() && old != grade && before.get(&entry.id) != Some(&old) {
                replaced.push([entry.id.clone(), old, grade.clone()]);
            }
            row[self.grades] = if has_commas { grade.replace('.', ",") } else { grade };
        }
        Ok(FilledBook { text: sheet.text()?, missing, replaced, kept })
    }

    /// The column that holds most of the students' ids, or else of their addresses.
    fn finder(&self, entries: &[GradebookEntry]) -> Result<RowFinder> {
        let mut best = RowFinder { column: 0, by_mail: false, found: 0 };
        for by_mail in [false, true] {
            for column in self.ids.iter().copied() {
                let cells: Vec<String> = self.cells(column).map(folded).collect();
                let is_there = |entry: &&GradebookEntry| {
                    let key = key_of(entry, by_mail);
                    !key.is_empty() && cells.contains(&key)
                };
                let found = entries.iter().filter(is_there).count();
                if found > best.found {
                    best = RowFinder { column, by_mail, found };
                }
            }
        }
        if best.found > 0 {
            let mut seen: Vec<String> = self.cells(best.column).map(folded).collect();
            seen.retain(|cell| entries.iter().any(|entry| key_of(entry, best.by_mail) == *cell));
            seen.sort();
            if let Some(twice) = seen.windows(2).find(|two| two[0] == two[1] && !two[0].is_empty()) {
                anyhow::bail!("there are several rows of {}; keep one of them", shown(&twice[0]));
            }
            return Ok(best);
        }
        let sample = |column: &usize| {
            let cell = self.cells(*column).find(|cell| !cell.trim().is_empty());
            let name = shown(&self.sheet.head()[*column]);
            cell.map_or_else(|| format!("{name} is empty"), |cell| format!("{name} like {:?}", shown(cell)))
        };
        let columns: Vec<String> = self.ids.iter().map(sample).collect();
        let own = entries.first().map(|entry| shown(&entry.id)).unwrap_or_default();
        anyhow::bail!(
            "no row belongs to a student of the roster; its columns hold {}, and the roster's ids are like {own:?}; \
             write one of these columns into the roster as id",
            columns.join(", ")
        )
    }

    /// The cells of the students in a column.
    fn cells(&self, column: usize) -> impl Iterator<Item = &str> {
        let rows = self.sheet.rows.iter().skip(self.first);
        rows.filter_map(move |row| row.get(column)).map(String::as_str)
    }
}

/// The columns with these names that are there, in the order of the names.
/// The places of those of these columns that are there.
fn columns(head: &[String], names: &[&str]) -> Result<Vec<usize>> {
    let places = names.iter().map(|name| sheet::place_of(head.iter().map(String::as_str), name));
    let places = places.collect::<Result<Vec<Option<usize>>, String>>();
    Ok(places.map_err(|why| anyhow::anyhow!("line 1: {why}"))?.into_iter().flatten().collect())
}

fn only_column(head: &[String], fits: impl Fn(&String) -> bool, item: &str) -> Result<usize> {
    let found: Vec<usize> = (0..head.len()).filter(|column| fits(&head[*column])).collect();
    match found[..] {
        [only] => Ok(only),
        _ => anyhow::bail!(
            "line 1: there are {} columns of the assignment {item:?}, but agon needs exactly one; name it with --item",
            found.len()
        ),
    }
}

/// A number with a decimal point or a decimal comma.
fn read_number(cell: &str) -> Option<f64> {
    cell.trim().replace(',', ".").parse().ok()
}

fn key_of(entry: &GradebookEntry, by_mail: bool) -> String {
    folded(if by_mail { &entry.mail } else { &entry.id })
}

/// An id as it is compared. Brightspace writes `#` before ids, so that spreadsheets leave them
/// alone.
fn folded(id: &str) -> String {
    let id = id.trim();
    id.strip_prefix('#').unwrap_or(id).to_lowercase()
}

fn shown(text: &str) -> String {
    escape(text.as_bytes(), 60)
}

#[cfg(test)]
mod tests {
    use super::super::gradebook::tests::entries;
    use super::*;

    const CANVAS: &str = "Student,ID,SIS User ID,SIS Login ID,Section,Cup (77),Other (78),Final Score\n\
                          ,,,,,,Manual Posting,(read only)\n    Points Possible,,,,,10,5,(read only)\n\
                          \"Block, Jasen\",NUMBER,SIS,LOGIN,XC 101,,4.00,80\nAda,12,s12,ada,XC 101,2.00,,\n";

    #[test]
    fn a_canvas_gradebook_is_filled_in_by_whichever_id_the_roster_has() {
        for (number, sis, login, column) in [
            ("11", "", "jblock", "ID"),
            ("5", "11", "jblock", "SIS User ID"),
            ("5", "s5", "11", "SIS Login ID"),
            ("5", "s5", "11@X", "SIS Login ID"),
        ] {
            let text = CANVAS.replace("NUMBER", number).replace("SIS,LOGIN", &format!("{sis},{login}"));
            let book = ExportedBook::canvas(&text, "Cup").unwrap();
            let told = book.found_by(&entries()).unwrap();
            assert!(told.starts_with(column) && told.ends_with("1 of 2 students"), "{told}");
            let filled = book.filled(&entries(), &HashMap::new()).unwrap();
            assert_eq!(filled.text, text.replace("XC 101,,4.00", "XC 101,7.5,4.00"));
            assert_eq!(filled.missing, ["99"]);
        }
    }

    #[test]
    fn a_canvas_gradebook_that_cannot_be_filled_in_is_refused_with_what_it_holds() {
        let why = |text: &str, item: &str| ExportedBook::canvas(text, item).err().unwrap().to_string();
        assert!(why(CANVAS, "Cap").contains("0 columns"));
        assert!(why(&CANVAS.replace("Cup (77)", "Cup (77),Cup (79)"), "Cup").contains("2 columns"));
        assert!(why(CANVAS, "Final Score").contains("line 3: \"Final Score\" is read only"));
        assert!(why("a,b\n", "Cup").contains("line 1: not the head"));
        let book = ExportedBook::canvas(&CANVAS.replace("SIS,", "s11,"), "Cup").unwrap();
        let why = book.filled(&entries(), &HashMap::new()).err().unwrap().to_string();
        assert!(why.contains("SIS User ID like \"s11\"") && why.contains("ids are like \"11\""), "{why}");
    }

    #[test]
    fn a_european_gradebook_keeps_its_semicolons_and_commas() {
        let text = "\u{feff}Student;ID;SIS User ID;SIS Login ID;Section;Cup (77)\r\n    Points Possible;;;;;10,0\r\n\
                    Block, Jasen;5;11;j;XC;\r\n";
        let filled = ExportedBook::canvas(text, "Cup").unwrap().filled(&entries(), &HashMap::new()).unwrap();
        assert_eq!(filled.text, text.replace("XC;\r", "XC;7,5\r"));
    }

    #[test]
    fn a_brightspace_gradebook_is_filled_in_or_gets_its_column() {
        let head = "OrgDefinedId,Username,Last Name,First Name,";
        let text = format!(
            "{head}Cup Points Grade <Numeric MaxPoints:10 Weight:5>,Cup 2 Points Grade <Numeric MaxPoints:1>,\
             End-of-Line Indicator\n#700,#11,Block,Jasen,,1,#\n#701,#12,A,Ada,2,,#\n"
        );
        let book = ExportedBook::brightspace(&text, "Cup").unwrap();
        assert!(book.found_by(&entries()).unwrap().starts_with("Username is the roster's id"));
        let filled = book.filled(&entries(), &HashMap::new()).unwrap();
        assert_eq!(filled.text, text.replace("Jasen,,", "Jasen,7.5,"));
        assert_eq!(filled.missing, ["99"]);
        assert!(ExportedBook::brightspace(&text, "Cap").err().unwrap().to_string().contains("0 columns"));
        let bare = format!("{head}End-of-Line Indicator\n#11,#j,Block,Jasen,#\n");
        let filled =
            ExportedBook::brightspace(&bare, "Cup").unwrap().filled(&entries(), &HashMap::new()).unwrap();
        assert_eq!(
            filled.text,
            format!("{head}Cup Points Grade,End-of-Line Indicator\n#11,#j,Block,Jasen,7.5,#\n")
        );
        assert!(ExportedBook::brightspace("a,b\n", "Cup").is_err());
    }

    #[test]
    fn what_somebody_has_written_is_a_change_and_who_is_excused_stays_so() {
        let filled = |cell: &str, before: &[(&str, &str)], grade| {
            let text = CANVAS.replace("NUMBER,SIS,LOGIN,XC 101,,", &format!("11,s,l,XC 101,{cell},"));
            let entries = [GradebookEntry { grade, ..entries().remove(0) }];
            let before = before.iter().map(|(id, grade)| ((*id).to_owned(), (*grade).to_owned())).collect();
            ExportedBook::canvas(&text, "Cup").unwrap().filled(&entries, &before).unwrap()
        };
        let by_hand = filled("9.00", &[], Some(7.5));
        assert_eq!(by_hand.replaced, [["11".to_owned(), "9".to_owned(), "7.5".to_owned()]]);
        // The grade of an earlier grading is in the table of the changes.
        assert!(filled("9.00", &[("11", "9")], Some(7.5)).replaced.is_empty());
        assert!(filled("7.50", &[], Some(7.5)).replaced.is_empty());
        let excused = filled("EX", &[], Some(7.5));
        assert!(excused.text.contains("XC 101,EX,4.00"), "{}", excused.text);
        assert_eq!(excused.kept, [("11".to_owned(), "EX".to_owned())]);
        let state = filled("", &[], None);
        assert!(state.text.contains("XC 101,,4.00") && state.kept.is_empty(), "{}", state.text);
    }

    #[test]
    fn another_maximum_and_two_rows_of_a_student_are_refused() {
        let canvas = ExportedBook::canvas(CANVAS, "Cup").unwrap();
        let why = canvas.with_maximum(20.0).err().unwrap().to_string();
        assert!(why.contains("line 3: Cup (77) has at most 10 points, but max of [grades] is 20"), "{why}");
        assert!(ExportedBook::canvas(CANVAS, "Cup").unwrap().with_maximum(10.0).is_ok());
        let text =
            "Username,Cup Points Grade <Numeric MaxPoints:10 Weight:5>,End-of-Line Indicator\n11,,#\n11,,#\n";
        let book = ExportedBook::brightspace(text, "Cup").unwrap();
        assert!(book.found_by(&entries()).unwrap_err().to_string().contains("several rows of 11"));
        assert!(book.with_maximum(8.0).is_err());
    }
}
