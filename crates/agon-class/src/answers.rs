//! What the teacher has answered: the column `use` of `intake.csv` and of the roster.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use agon_config::Misuse;
use agon_export::cells::CsvCell;
use agon_printable::escape;
use agon_programs::program::display_path;

use super::answer_words::{
    CONTENT, ClaimAnswer, EXCUSED, FAILS, FOR_A_STUDENT, FOR_A_SUBMISSION, IN_TIME, NONE, USE, YES,
    answer_of, claim_called, ids_of, student_of,
};
use super::claims::IntakeClaim;
use super::key;
use super::roster::Student;
use super::sheet::{self, CsvSheet, text_of_table};
use super::table_edits;

/// The table of the intake, in the private folder.
pub(super) const TABLE: &str = "intake.csv";
/// What begins an answer that is to be given again.
const AGAIN: &str = "? ";
/// What to do about an id that is not in the roster.
const RIGHT_ID: &str = "write the id into the line as the roster has it; remove the line if the student has left, or if the \
     answer is in column use of the roster";
/// What to do about the name of a submission that is not there.
const RIGHT_NAME: &str = "write the name of the submission into the line as it is now; remove the line if it is not there any more";
/// What to do about two answers.
const BOTH_SAY_THE_SAME: &str = "let both say the same, or empty one of the two cells";

/// A line that answers something about a submission.
struct SaidOfClaim {
    by: SaidBy,
    /// The submission.
    claim: String,
    /// The file and the line.
    place: String,
    /// The answer as it may stand on the line of the submission.
    text: String,
    means: ClaimAnswer,
}

/// Whose line it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SaidBy {
    Roster,
    /// That of the submission in the table.
    Submission,
    /// That of a student in the table.
    Student,
}

impl SaidOfClaim {
    /// Whether both cannot hold.
    fn contradicts(&self, other: &Self, students: &[Student]) -> bool {
        let teams = |owners: &[usize]| -> BTreeSet<usize> {
            owners.iter().map(|owner| students[*owner].team).collect()
        };
        // The line of the submission names all of its students, the others one each.
        let (whole, part) = if other.by == SaidBy::Submission { (other, self) } else { (self, other) };
        let is_apart = match (&whole.means.owners, &part.means.owners) {
            (Some(all), Some(some)) if whole.by == SaidBy::Submission => !teams(some).is_subset(&teams(all)),
            _ => false,
        };
        let is_dropped = |one: &Self, other: &Self| one.means.is_left_out && other.means.counts;
        is_apart || is_dropped(self, other) || is_dropped(other, self)
    }
}

impl StudentAnswer {
    fn word(self) -> &'static str {
        match self {
            StudentAnswer::Nothing => NONE,
            StudentAnswer::Excused => EXCUSED,
        }
    }
}

/// Whether a submission is the one that the table has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum SinceTable {
    /// It is the same, or nobody can know.
    #[default]
    Same,
    /// It has other files.
    Changed,
    /// It was not there.
    New,
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
    /// Whether each of them has changed since the table was written.
    pub(super) since: Vec<SinceTable>,
    /// Their hashes, as the table has them.
    pub(super) contents: Vec<String>,
    /// About students, by index.
    pub(super) students: HashMap<usize, StudentAnswer>,
    /// Where the roster answers about students.
    pub(super) of_roster: HashMap<usize, String>,
    /// The students, by index, whose submissions were handed in in time, and where that is said.
    pub(super) in_time: HashMap<usize, String>,
    /// The students whose submissions count as what does not work, as with a submission.
    failing: BTreeSet<usize>,
    /// What was said of each submission, until it is put together.
    said: Vec<Vec<SaidOfClaim>>,
    /// What was answered about them, in the table or in the roster.
    pub(super) texts: Vec<String>,
    /// The cells of the submissions as they are kept.
    claim_cells: Vec<String>,
    /// The cells of the students without a submission.
    student_cells: HashMap<String, String>,
    /// The submissions and students of the table that was read; `None` if there was none.
    pub(super) seen: Option<Vec<(String, String)>>,
}

impl Answers {
    /// Reads the answers of the roster and of the table at `path`, if that is there. `content` is
    /// the hash of a submission.
    ///
    /// # Errors
    /// [`Misuse`], which names file, line and column: an answer is not understood, fits nothing, or
    /// contradicts another one.
    pub(super) fn read(
        path: &Path,
        roster: &Path,
        students: &[Student],
        claims: &[IntakeClaim],
        content: &dyn Fn(&IntakeClaim) -> String,
    ) -> anyhow::Result<Self> {
        let mut answers = Answers {
            claims: vec![ClaimAnswer::default(); claims.len()],
            since: vec![SinceTable::Same; claims.len()],
            contents: claims.iter().map(content).collect(),
            said: claims.iter().map(|_| Vec::new()).collect(),
            texts: vec![String::new(); claims.len()],
            claim_cells: vec![String::new(); claims.len()],
            ..Answers::default()
        };
        answers.read_roster(roster, students, claims)?;
        if path.exists() {
            answers.read_table(path, students, claims)?;
        }
        for (at, said) in std::mem::take(&mut answers.said).iter().enumerate() {
            answers.put_together(at, said, students)?;
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
                let place = format!("{}: line {}", display_path(roster), line.line);
                let wrong = |why: &str, hint: &str| {
                    let used = escape(line.used.as_bytes(), 100);
                    Misuse::hinted(format!("{place}: column {USE}: {used:?}: {why}"), hint)
                };
                let members: Vec<usize> =
                    (0..students.len()).filter(|other| students[*other].team == index).collect();
                let of_claim = |at: usize, text: &str, means: ClaimAnswer| SaidOfClaim {
                    by: SaidBy::Roster,
                    place: place.clone(),
                    claim: claims[at].shown.clone(),
                    text: text.to_owned(),
                    means,
                };
                let own = claims.iter().position(|claim| claim.of_roster == Some((index, line.line)));
                let mut of_students = |answer: StudentAnswer| {
                    self.students.extend(members.iter().map(|one| (*one, answer)));
                    self.of_roster.extend(members.iter().map(|one| (*one, place.clone())));
                };
                match (line.used.to_lowercase().as_str(), own) {
                    (NONE | "-", Some(own)) => {
                        let means = ClaimAnswer { is_left_out: true, ..ClaimAnswer::default() };
                        self.said[own].push(of_claim(own, NONE, means));
                        // The line names its submission, and others may count.
                        let is_none = |used: &str| [NONE, "-"].contains(&used.to_lowercase().as_str());
                        if student.lines.iter().all(|line| line.path.is_empty() || is_none(&line.used)) {
                            of_students(StudentAnswer::Nothing);
                        }
                    }
                    (NONE | "-", None) => of_students(StudentAnswer::Nothing),
                    (EXCUSED | "ex", _) => of_students(StudentAnswer::Excused),
                    (IN_TIME, _) => self.in_time.extend(members.iter().map(|one| (*one, place.clone()))),
                    (FAILS, _) => self.failing.extend(members),
                    (YES, own) => {
                        let Some(own) = own else {
                            return Err(wrong("this line names no submission", FOR_A_STUDENT));
                        };
                        let means = ClaimAnswer { counts: true, ..ClaimAnswer::default() };
                        self.said[own].push(of_claim(own, YES, means));
                    }
                    (_, Some(own)) if claims[own].file_called(&line.used).is_some() => {
                        let file = claims[own].file_called(&line.used);
                        let means = ClaimAnswer { file, counts: true, ..ClaimAnswer::default() };
                        self.said[own].push(of_claim(own, &line.used, means));
                    }
                    _ => {
                        let called = |at: &usize| claims[*at].is_called(&line.used);
                        let found: Vec<usize> = (0..claims.len()).filter(called).collect();
                        let [only] = found[..] else {
                            let why =
                                if found.is_empty() { "is no submission" } else { "is the name of several" };
                            return Err(wrong(why, FOR_A_STUDENT));
                        };
                        let ids = ids_of(&members, students);
                        self.said[only].push(of_claim(only, &ids, ClaimAnswer::of_owners(members)));
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
        table_edits::refuse(path, &sheet, claims)?;
        let place = |column: &str| {
            sheet::place_of(sheet.head().iter().map(String::as_str), column)
                .map_err(|why| wrong(1, &why, again))
        };
        let (Some(submission), Some(id)) = (place("submission")?, place("id")?) else {
            return Err(wrong(1, "column submission or id is missing", again));
        };
        // A table of an earlier version has no answers, or does not say to what they belong.
        let Some(used) = place(USE)? else { return Ok(()) };
        let (name, content) = (place("name")?, place(CONTENT)?);
        if content.is_some() {
            self.since.fill(SinceTable::New);
        }
        let mut seen = Vec::new();
        let mut answered: HashMap<(Option<usize>, Option<usize>), usize> = HashMap::new();
        for (line, row) in (1..).zip(&sheet.rows).skip(1) {
            let cell = |place: usize| CsvCell::read(row.get(place).map_or("", String::as_str)).to_owned();
            let trimmed = |place: usize| cell(place).trim().to_owned();
            let (submission, id, used) = (cell(submission), trimmed(id), trimmed(used));
            let is_of_student = submission.trim().is_empty();
            let claim = claim_called(&submission, &id, students, claims);
            if let Some(at) = claim {
                let before = content.map(trimmed).filter(|before| !before.is_empty());
                let is_other = before.is_some_and(|before| before != self.contents[at]);
                self.since[at] = if is_other { SinceTable::Changed } else { SinceTable::Same };
            }
            seen.push(match claim {
                Some(at) => (claims[at].shown.clone(), String::new()),
                None => (submission.clone(), if is_of_student { id.clone() } else { String::new() }),
            });
            if used.is_empty() {
                continue;
            }
            let quoted = escape(used.as_bytes(), 100);
            let lost = |what: String, hint: &str| {
                wrong(line, &format!("{what}, so the answer {quoted:?} in column {USE} would be lost"), hint)
            };
            let misread = |why: Option<String>, hint: &str| {
                let why = why.unwrap_or_else(|| "is not understood".to_owned());
                wrong(line, &format!("column {USE}: {quoted:?} {why}"), hint)
            };
            let student = if is_of_student {
                let name = name.map(trimmed);
                let found = student_of(&id, name.as_deref(), students);
                Some(found.map_err(|why| {
                    lost(format!("column id: {:?} {why}", escape(id.as_bytes(), 100)), RIGHT_ID)
                })?)
            } else {
                None
            };
            let key = (claim.filter(|_| !is_of_student), student);
            if let Some(first) = answered.insert(key, line).filter(|_| key != (None, None)) {
                let why =
                    format!("is about the same as line {first}, and both have an answer in column {USE}");
                return Err(wrong(line, &why, "remove one of the two answers"));
            }
            if let Some(student) = student {
                let answer = match used.to_lowercase().as_str() {
                    NONE | "-" => StudentAnswer::Nothing,
                    EXCUSED | "ex" => StudentAnswer::Excused,
                    _ => {
                        let mut called =
                            claims.iter().enumerate().filter(|(_, claim)| claim.is_called(&used));
                        let (Some((at, _)), None) = (called.next(), called.next()) else {
                            return Err(misread(None, FOR_A_STUDENT));
                        };
                        self.said[at].push(SaidOfClaim {
                            by: SaidBy::Student,
                            place: format!("{shown}: line {line}"),
                            claim: claims[at].shown.clone(),
                            text: students[student].id.clone(),
                            means: ClaimAnswer::of_owners(vec![student]),
                        });
                        continue;
                    }
                };
                if let Some(other) = self.students.insert(student, answer).filter(|other| *other != answer) {
                    let place = &self.of_roster[&student];
                    let why = format!("column {USE} says {quoted}, but {place} says {}", other.word());
                    return Err(wrong(line, &why, BOTH_SAY_THE_SAME));
                }
                self.student_cells.insert(students[student].id.clone(), used);
                continue;
            }
            let Some(at) = claim else {
                let name = escape(submission.as_bytes(), 100);
                return Err(lost(format!("no submission is called {name:?} now"), RIGHT_NAME));
            };
            if let Some(before) = used.strip_prefix(AGAIN) {
                self.claims[at].owners =
                    answer_of(before.trim(), &claims[at], students).ok().and_then(|answer| answer.owners);
                self.claims[at].stale = Some(before.trim().to_owned());
                continue;
            }
            let means =
                answer_of(&used, &claims[at], students).map_err(|why| misread(why, FOR_A_SUBMISSION))?;
            self.said[at].push(SaidOfClaim {
                by: SaidBy::Submission,
                place: format!("{shown}: line {line}"),
                claim: claims[at].shown.clone(),
                text: used,
                means,
            });
        }
        self.seen = Some(seen);
        Ok(())
    }

    /// Puts together what was said of a submission.
    ///
    /// # Errors
    /// [`Misuse`]: one line contradicts another.
    fn put_together(&mut self, at: usize, said: &[SaidOfClaim], students: &[Student]) -> anyhow::Result<()> {
        let on_line = said.iter().find(|one| one.by == SaidBy::Submission);
        for (number, one) in said.iter().enumerate() {
            for other in &said[..number] {
                if one.contradicts(other, students) {
                    return Err(Misuse::hinted(
                        format!(
                            "{}: column {USE} says {:?} of {}, but {} says {:?} of it",
                            one.place, one.text, one.claim, other.place, other.text
                        ),
                        BOTH_SAY_THE_SAME,
                    ));
                }
            }
        }
        let mut all = ClaimAnswer::default();
        for SaidOfClaim { means, .. } in said {
            all.is_left_out |= means.is_left_out;
            all.counts |= means.counts;
            if let Some(owners) = &means.owners {
                all.owners.get_or_insert_default().extend(owners);
            }
            all.time = all.time.or(means.time);
            all.is_in_time |= means.is_in_time;
            all.fails |= means.fails;
            all.file = all.file.or_else(|| means.file.clone());
        }
        // What stands on the line of a student goes to that of the submission: who has one has no
        // line any more.
        let of_students = said.iter().filter(|one| one.by == SaidBy::Student);
        let ids = of_students.map(|one| one.text.as_str()).collect::<Vec<_>>().join(";");
        let cell = match on_line {
            Some(one) if ids.is_empty() || one.means.owners.is_some() => one.text.clone(),
            Some(one) if one.text.eq_ignore_ascii_case(YES) => ids,
            Some(one) => format!("{ids} {}", one.text),
            None => ids,
        };
        self.texts[at] = match said.first() {
            Some(first) if cell.is_empty() => first.text.clone(),
            _ => cell.clone(),
        };
        let before = std::mem::take(&mut self.claims[at]);
        let is_again = self.since[at] == SinceTable::Changed && !said.is_empty();
        let stale = before.stale.or_else(|| is_again.then(|| self.texts[at].clone()));
        // A line of a student loses its answer as soon as that is read: this one is new.
        if let Some(text) = stale.filter(|_| !said.iter().any(|one| one.by == SaidBy::Student)) {
            self.claims[at].owners = all.owners.or(before.owners);
            self.ask_again(at, text);
        } else {
            (self.claims[at], self.claim_cells[at]) = (all, cell);
        }
        Ok(())
    }

    /// The answer about a submission does not hold for what is there now.
    pub(super) fn ask_again(&mut self, at: usize, text: String) {
        self.claim_cells[at] = format!("{AGAIN}{text}");
        self.claims[at].stale = Some(text);
    }
    /// Whether this submission, which counts for these students, was handed in in time.
    pub(super) fn is_in_time(&self, claim: usize, students: &[usize]) -> bool {
        self.claims[claim].is_in_time || students.iter().any(|student| self.in_time.contains_key(student))
    }

    /// Whether this submission, which counts for these students, counts as what does not work where
    /// this machine is at fault.
    pub(super) fn fails(&self, claim: usize, students: &[usize]) -> bool {
        self.claims[claim].fails || students.iter().any(|student| self.failing.contains(student))
    }

    /// The answer as it is written about a submission or, without one, about a student.
    pub(super) fn cell(&self, at: usize, submission: &str, id: &str) -> String {
        let cell = if submission.is_empty() { self.student_cells.get(id) } else { self.claim_cells.get(at) };
        cell.cloned().unwrap_or_default()
    }

    /// The hash of a submission as the table has it.
    pub(super) fn content(&self, at: usize, submission: &str) -> String {
        let content = if submission.is_empty() { None } else { self.contents.get(at) };
        content.cloned().unwrap_or_default()
    }

    /// What is said for all submissions of a student whose submissions have no line of their own.
    pub(super) fn of_student(&self, student: usize) -> Option<&'static str> {
        let is_in_time = self.in_time.contains_key(&student);
        is_in_time.then_some(IN_TIME).or_else(|| self.failing.contains(&student).then_some(FAILS))
    }
}
