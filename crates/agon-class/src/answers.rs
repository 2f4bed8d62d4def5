//! What the teacher has answered: the column `use` of `intake.csv` and of the roster.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use agon_config::{Misuse, Moment};
use agon_export::cells::CsvCell;
use agon_printable::escape;
use agon_programs::program::display_path;

use super::claims::IntakeClaim;
use super::key;
use super::roster::{self, Student};
use super::sheet::{self, CsvSheet, text_of_table};

/// The column.
pub(super) const USE: &str = "use";
/// Nothing was handed in, or what was handed in is left out.
pub(super) const NONE: &str = "none";
/// The student is not graded.
pub(super) const EXCUSED: &str = "excused";
/// It was handed in in time, whatever is known of that.
pub(super) const IN_TIME: &str = "in time";
/// What this machine could not build or try counts as what does not work.
pub(super) const FAILS: &str = "does not work";
/// This one counts.
pub(super) const YES: &str = "yes";
/// What may be written for a submission, in words.
const FOR_A_SUBMISSION: &str = "write yes, none, an id of the roster, the name of one of its files, a time like 2026-11-20T23:59, in time, or \
     does not work";
/// What may be written for a student, in words.
const FOR_A_STUDENT: &str =
    "write none, excused, the name of a submission of the download, in time, or does not work";

/// What is answered about a submission.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ClaimAnswer {
    /// It belongs to nobody.
    pub(super) is_left_out: bool,
    /// It is the one that counts.
    pub(super) counts: bool,
    /// Whose it is.
    pub(super) owners: Option<Vec<usize>>,
    /// When it was handed in.
    pub(super) time: Option<Moment>,
    /// It was handed in in time.
    pub(super) is_in_time: bool,
    /// It counts as what does not work if this machine could not build or try it.
    pub(super) fails: bool,
    /// The one file of it that counts.
    pub(super) file: Option<PathBuf>,
}

/// What is answered about a student.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StudentAnswer {
    /// Nothing was handed in.
    Nothing,
    /// The student is not graded.
    Excused,
}

/// All answers.
#[derive(Default)]
pub(super) struct Answers {
    /// About the submissions, in their order.
    pub(super) claims: Vec<ClaimAnswer>,
    /// About students, by index.
    pub(super) students: HashMap<usize, StudentAnswer>,
    /// The students, by index, whose submissions were handed in in time.
    in_time: BTreeSet<usize>,
    /// The students whose submissions count as what does not work, as with a submission.
    failing: BTreeSet<usize>,
    /// The cells as they are written, by the name of the submission and the ids, to be kept.
    cells: HashMap<(String, String), String>,
    /// The submissions and students of the table that was read; `None` if there was none.
    pub(super) seen: Option<Vec<(String, String)>>,
}

impl Answers {
    /// Reads the answers of the roster and of the table at `path`, if that is there.
    ///
    /// # Errors
    /// [`Misuse`], which names file, line and column.
    pub(super) fn read(
        path: &Path,
        roster: &Path,
        students: &[Student],
        claims: &[IntakeClaim],
    ) -> anyhow::Result<Self> {
        let mut answers =
            Answers { claims: vec![ClaimAnswer::default(); claims.len()], ..Answers::default() };
        answers.read_roster(roster, students, claims)?;
        if path.exists() {
            answers.read_table(path, students, claims)?;
        }
        Ok(answers)
    }

    fn read_roster(
        &mut self,
        roster: &Path,
        students: &[Student],
        claims: &[IntakeClaim],
    ) -> anyhow::Result<()> {
        for (index, student) in students.iter().enumerate() {
            for line in student.lines.iter().filter(|line| !line.used.is_empty()) {
                let wrong = |why: &str, hint: &str| {
                    let place = format!("{}: line {}: column {USE}", display_path(roster), line.line);
                    let used = escape(line.used.as_bytes(), 100);
                    Misuse::hinted(format!("{place}: {used:?}: {why}"), hint)
                };
                let members = (0..students.len()).filter(|other| students[*other].team == index);
                match line.used.to_lowercase().as_str() {
                    NONE | "-" => self.students.extend(members.map(|one| (one, StudentAnswer::Nothing))),
                    EXCUSED | "ex" => self.students.extend(members.map(|one| (one, StudentAnswer::Excused))),
                    IN_TIME => self.in_time.extend(members),
                    FAILS => self.failing.extend(members),
                    YES => {
                        let own = claims.iter().position(|claim| claim.of_roster == Some((index, line.line)));
                        let Some(own) = own else {
                            return Err(wrong("this line names no submission", FOR_A_STUDENT));
                        };
                        self.claims[own].counts = true;
                    }
                    _ => {
                        let called = |at: &usize| claims[*at].is_called(&line.used);
                        let found: Vec<usize> = (0..claims.len()).filter(called).collect();
                        let [only] = found[..] else {
                            let why =
                                if found.is_empty() { "is no submission" } else { "is the name of several" };
                            return Err(wrong(why, FOR_A_STUDENT));
                        };
                        let owners = self.claims[only].owners.get_or_insert_default();
                        owners.extend(members);
                        self.claims[only].counts = true;
                    }
                }
            }
        }
        Ok(())
    }

    fn read_table(
        &mut self,
        path: &Path,
        students: &[Student],
        claims: &[IntakeClaim],
    ) -> anyhow::Result<()> {
        let shown = display_path(path);
        let wrong = |line: usize, why: &str, hint: &str| {
            Misuse::hinted(format!("{shown}: line {line}: {why}"), hint.to_owned())
        };
        let again = "restore the file, or remove it and answer anew";
        let text = text_of_table(key::read(path)?).ok_or_else(|| wrong(1, "is not text", again))?.0;
        let sheet = CsvSheet::read(&text).map_err(|error| wrong(1, &error.to_string(), again))?;
        let place = |column: &str| {
            sheet::place_of(sheet.head().iter().map(String::as_str), column)
                .map_err(|why| wrong(1, &why, again))
        };
        let (Some(submission), Some(id)) = (place("submission")?, place("id")?) else {
            return Err(wrong(1, "column submission or id is missing", again));
        };
        // A table of an earlier version has no answers.
        let Some(used) = place(USE)? else { return Ok(()) };
        let mut seen = Vec::new();
        for (line, row) in (1..).zip(&sheet.rows).skip(1) {
            let cell = |place: usize| CsvCell::read(row.get(place).map_or("", |cell| cell.trim())).to_owned();
            let (submission, id, used) = (cell(submission), cell(id), cell(used));
            seen.push((submission.clone(), if submission.is_empty() { id.clone() } else { String::new() }));
            if used.is_empty() {
                continue;
            }
            let misread = |hint: &str| {
                wrong(
                    line,
                    &format!("column {USE}: {:?} is not understood", escape(used.as_bytes(), 100)),
                    hint,
                )
            };
            if submission.is_empty() {
                // A student who has left the roster needs no answer.
                let Some(student) = students.iter().position(|student| student.id == id) else { continue };
                let answer = match used.to_lowercase().as_str() {
                    NONE | "-" => StudentAnswer::Nothing,
                    EXCUSED | "ex" => StudentAnswer::Excused,
                    _ => {
                        let Some(at) = claims.iter().position(|claim| claim.is_called(&used)) else {
                            return Err(misread(FOR_A_STUDENT));
                        };
                        self.claims[at].owners.get_or_insert_default().push(student);
                        self.claims[at].counts = true;
                        self.cells.insert((String::new(), id), used);
                        continue;
                    }
                };
                self.students.insert(student, answer);
                self.cells.insert((String::new(), id), used);
            } else if let Some(at) = claims.iter().position(|claim| claim.shown == submission) {
                let answer =
                    answer_of(&used, &claims[at], students).ok_or_else(|| misread(FOR_A_SUBMISSION))?;
                let before = &mut self.claims[at];
                before.is_left_out |= answer.is_left_out;
                before.counts |= answer.counts;
                before.owners = answer.owners.or(before.owners.take());
                before.time = answer.time.or(before.time);
                before.is_in_time |= answer.is_in_time;
                before.fails |= answer.fails;
                before.file = answer.file.or(before.file.take());
                self.cells.insert((submission, String::new()), used);
            }
        }
        self.seen = Some(seen);
        Ok(())
    }

    /// Whether this submission, which counts for these students, was handed in in time.
    pub(super) fn is_in_time(&self, claim: usize, students: &[usize]) -> bool {
        self.claims[claim].is_in_time || students.iter().any(|student| self.in_time.contains(student))
    }

    /// Whether this submission, which counts for these students, counts as what does not work where
    /// this machine is at fault.
    pub(super) fn fails(&self, claim: usize, students: &[usize]) -> bool {
        self.claims[claim].fails || students.iter().any(|student| self.failing.contains(student))
    }

    /// The answer as it is written about a submission or, without one, about a student.
    pub(super) fn cell(&self, submission: &str, id: &str) -> String {
        let id = if submission.is_empty() { id } else { "" };
        self.cells.get(&(submission.to_owned(), id.to_owned())).cloned().unwrap_or_default()
    }
}

/// What an answer about a submission means; `None` if it is not understood.
fn answer_of(text: &str, claim: &IntakeClaim, students: &[Student]) -> Option<ClaimAnswer> {
    let counting = ClaimAnswer { counts: true, ..ClaimAnswer::default() };
    match text.to_lowercase().as_str() {
        NONE | "-" => return Some(ClaimAnswer { is_left_out: true, ..ClaimAnswer::default() }),
        YES => return Some(counting),
        // Neither says what counts.
        IN_TIME => return Some(ClaimAnswer { is_in_time: true, ..ClaimAnswer::default() }),
        FAILS => return Some(ClaimAnswer { fails: true, ..ClaimAnswer::default() }),
        _ => {}
    }
    let owners_of = |ids: &str| -> Option<Vec<usize>> {
        let find = |id: &str| students.iter().position(|student| student.id.eq_ignore_ascii_case(id.trim()));
        ids.split(roster::BETWEEN).filter(|id| !id.trim().is_empty()).map(find).collect()
    };
    if let Some(owners) = owners_of(text).filter(|owners| !owners.is_empty()) {
        return Some(ClaimAnswer { owners: Some(owners), ..counting });
    }
    if let Some(file) = claim.file_called(text) {
        return Some(ClaimAnswer { file: Some(file), ..counting });
    }
    // A time alone says nothing of what counts.
    if let Ok(time) = text.parse() {
        return Some(ClaimAnswer { time: Some(time), ..ClaimAnswer::default() });
    }
    let (first, rest) = text.split_once(' ')?;
    let rest = answer_of(rest.trim(), claim, students)?;
    let first = answer_of(first, claim, students)?;
    (!first.is_left_out && !rest.is_left_out).then(|| ClaimAnswer {
        is_left_out: false,
        counts: first.counts || rest.counts,
        owners: first.owners.or(rest.owners),
        time: first.time.or(rest.time),
        is_in_time: first.is_in_time || rest.is_in_time,
        fails: first.fails || rest.fails,
        file: first.file.or(rest.file),
    })
}
