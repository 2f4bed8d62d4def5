//! Grades that the teacher sets by hand, each with a reason that stays visible.

use std::path::Path;

use agon_config::Misuse;
use agon_export::cells::CsvCell;
use agon_printable::{clean, escape};
use agon_programs::program::display_path;
use agon_standings::grades::Grade;

use super::answer_words;
use super::gradebook::number;
use super::roster::{self, Student};
use super::sheet::{self, CsvSheet};

/// The name of the step of a grade that was set by hand.
const STEP: &str = "by hand";
const COLUMNS: [&str; 3] = ["id", "grade", "reason"];

/// A grade that is set by hand.
#[derive(Clone, PartialEq, Debug)]
struct GradeByHand {
    id: String,
    /// The name, where the file has one: it tells students apart whose ids differ in zeros.
    name: Option<String>,
    grade: f64,
    reason: String,
    line: usize,
}

/// The grades that are set by hand.
#[derive(Clone, Default, Debug)]
pub struct Overrides {
    shown: String,
    all: Vec<GradeByHand>,
}

impl Overrides {
    /// Reads a CSV file with the columns `id`, `grade` and `reason`, and perhaps `name`. Grades are
    /// from 0 to `max`.
    ///
    /// # Errors
    /// [`Misuse`], which names the file, the line and the column.
    pub fn read(text: &str, path: &Path, max: f64) -> anyhow::Result<Self> {
        let shown = display_path(path);
        let wrong = |line: usize, why: String| {
            Misuse::hinted(
                format!("{shown}: line {line}: {why}"),
                format!("the columns are {}", COLUMNS.join(", ")),
            )
        };
        let sheet = CsvSheet::read(text).map_err(|error| wrong(1, error.to_string()))?;
        let mut places = [0; COLUMNS.len()];
        for (place, column) in places.iter_mut().zip(COLUMNS) {
            let found = sheet::place_of(sheet.head().iter().map(String::as_str), column)
                .map_err(|why| Misuse::misread(&format!("{shown}: line 1"), &why))?;
            *place = found.ok_or_else(|| wrong(1, format!("column {column} is missing")))?;
        }
        let of_name = sheet::place_of(sheet.head().iter().map(String::as_str), "name")
            .map_err(|why| Misuse::misread(&format!("{shown}: line 1"), &why))?;
        let mut all: Vec<GradeByHand> = Vec::new();
        for (line, row) in (1..).zip(&sheet.rows).skip(1) {
            let [id, grade, reason] = places.map(|place| row.get(place).map_or("", |cell| cell.trim()));
            if row.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            let value =
                grade.replace(',', ".").parse::<f64>().ok().filter(|value| (0.0..=max).contains(value));
            let Some(value) = value else {
                let grade = escape(grade.as_bytes(), 60);
                return Err(wrong(line, format!("column grade: {grade:?} is not a number from 0 to {max}")));
            };
            if reason.is_empty() {
                return Err(wrong(line, "column reason: is empty; the student will ask for it".to_owned()));
            }
            // A team is written as in the roster.
            let ids: Vec<&str> = CsvCell::read(id).split(roster::BETWEEN).collect();
            let names = of_name.and_then(|place| row.get(place)).map(|cell| CsvCell::read(cell));
            let names: Vec<&str> = match names {
                Some(names) if ids.len() > 1 => names.split(roster::BETWEEN).collect(),
                names => names.into_iter().collect(),
            };
            for (at, id) in ids.into_iter().enumerate() {
                let (id, name) = (clean(id.trim()), names.get(at).map(|name| clean(name.trim())));
                if let Some(before) = all.iter().find(|one| one.id == id) {
                    return Err(wrong(
                        line,
                        format!("column id: {id} has a grade on line {} already", before.line),
                    ));
                }
                all.push(GradeByHand { id, name, grade: value, reason: clean(reason), line });
            }
        }
        Ok(Overrides { shown, all })
    }

    /// Refuses a grade of somebody who is not in the roster, or may be another one of it.
    ///
    /// # Errors
    /// [`Misuse`], which names the file and the line.
    pub(super) fn check(&self, students: &[Student]) -> anyhow::Result<()> {
        for GradeByHand { id, name, line, .. } in &self.all {
            answer_words::student_of(id, name.as_deref(), students).map_err(|why| {
                Misuse::hinted(
                    format!("{}: line {line}: column id: {id} {why}", self.shown),
                    "write the id as it is in the roster, and the name of the student into a column name",
                )
            })?;
        }
        Ok(())
    }

    /// The grade of the student with this id, whose engine has earned `earned`.
    pub(super) fn of(&self, id: &str, earned: Grade) -> Grade {
        let Some(one) = self.all.iter().find(|one| one.id == id) else { return earned };
        let step = if earned.name.is_empty() { String::new() } else { format!("{}: ", earned.name) };
        let without = earned.grade.map_or_else(|| "no grade".to_owned(), number);
        Grade {
            grade: Some(one.grade),
            name: STEP.to_owned(),
            why: format!("set by hand: {} (without that {without}: {step}{})", one.reason, earned.why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grade_by_hand_keeps_its_reason_and_what_was_earned() {
        let text = "\u{feff}id;grade;reason\r\n11;7,5;ill in week 3\r\n;;\r\n";
        let read = Overrides::read(text, Path::new("o.csv"), 10.0).unwrap();
        let earned =
            Grade { grade: Some(4.0), name: "plays".to_owned(), why: "10 % of the points".to_owned() };
        let grade = read.of("11", earned.clone());
        assert_eq!((grade.grade, grade.name.as_str()), (Some(7.5), "by hand"));
        assert_eq!(grade.why, "set by hand: ill in week 3 (without that 4: plays: 10 % of the points)");
        assert_eq!(read.of("12", earned.clone()), earned);
        let roster = |ids: &[&str]| -> Vec<Student> {
            let one =
                |id: &&str| Student { id: (*id).to_owned(), name: format!("N{id}"), ..Student::default() };
            ids.iter().map(one).collect()
        };
        let why = |read: &Overrides, ids: &[&str]| read.check(&roster(ids)).unwrap_err().to_string();
        assert!(why(&read, &["12"]).contains("o.csv: line 2: column id: 11 is not in the roster"));
        // A spreadsheet may have made 011 of it.
        assert!(read.check(&roster(&["11", "12"])).is_ok());
        let may_be = "o.csv: line 2: column id: 11 may be 011: a spreadsheet cuts off zeros";
        assert!(why(&read, &["011"]).contains(may_be), "{}", why(&read, &["011"]));
        assert!(why(&read, &["011", "11"]).contains("may be 011 or 11"));
        let named =
            Overrides::read("id,name,grade,reason\n11,N11,7,ill\n", Path::new("o.csv"), 10.0).unwrap();
        assert!(named.check(&roster(&["011", "11"])).is_ok());
        let named =
            Overrides::read("id,name,grade,reason\n11,N011,7,ill\n", Path::new("o.csv"), 10.0).unwrap();
        assert!(why(&named, &["011", "11"]).contains("may be 011 or 11"));
        for (row, words) in [
            ("11,11,x", "line 2: column grade: \"11\" is not a number from 0 to 10"),
            ("11,NaN,x", "column grade"),
            ("11,5,", "column reason: is empty"),
            ("11,5,x\n11,6,y", "line 3: column id: 11 has a grade on line 2"),
        ] {
            let why = Overrides::read(&format!("id,grade,reason\n{row}\n"), Path::new("o.csv"), 10.0);
            assert!(why.as_ref().unwrap_err().to_string().contains(words), "{row}: {why:?}");
        }
        assert!(Overrides::read("id,grade\n", Path::new("o.csv"), 10.0).is_err());
    }
}
