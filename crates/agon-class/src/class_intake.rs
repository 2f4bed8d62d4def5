//! The intake of a class: its submissions are given to its students, and the table of it is written
//! for the teacher, who answers what is open in it.

use std::path::{Path, PathBuf};

use agon_config::{Deadline, Misuse, Moment};
use agon_export::cells::{self, CsvCell};
use agon_pages::report::columns::columns;
use agon_pages::report::intake_page;
use agon_printable::clean;
use agon_programs::machine_fault::NoEngine;
use agon_programs::program::display_path;
use agon_standings::grades::Lateness;
use agon_store::hash;
use agon_store::taken::IntakeNote;
use anyhow::Context;

use super::answer_words::{CONTENT, USE};
use super::answers::{Answers, TABLE};
use super::claim_contents::ClaimContents;
use super::claimed_files::{self, ClaimedFile};
use super::claims::IntakeClaim;
use super::download;
use super::handed_in::LearningSystem;
use super::intake::{Intake, IntakeRow, Matching, StudentState};
use super::intake_questions::{Asking, IntakeQuestion, QuestionKind};
use super::person_finder::GroupsOfNames;
use super::private;
use super::roster::Student;
use super::students::Class;
use super::submissions::StudentSubmission;
use super::table_edits;
use super::written_time::{self, TimeSource, WrittenTime};

/// The same as a page.
const PAGE: &str = "intake.html";
/// The columns of the table.
const COLUMNS: [&str; 14] = [
    "submission",
    "id",
    "name",
    "late",
    "result",
    "files",
    "counts",
    "time",
    "time from",
    "built",
    "tried",
    "verdict",
    CONTENT,
    USE,
];
/// How many names a message lists.
const SHOWN: usize = 10;
/// How many questions a message lists.
const MOST_QUESTIONS: usize = 40;

/// Where the submissions of a class come from.
#[derive(Clone, Copy, Debug)]
pub enum IntakeFrom<'a> {
    /// The roster names each.
    Roster,
    /// The download of a learning system: an archive or a folder.
    Download(&'a Path),
    /// What `agon inbox` has answered in this folder, for this `tournament.toml`.
    Inbox {
        /// The folder.
        folder: &'a Path,
        /// The file.
        tournament: &'a Path,
    },
}

/// The intake, to be accepted or answered.
pub struct IntakeTable {
    /// What is open, as a list for people; `None` if nothing is.
    pub questions: Option<String>,
    /// How many questions are open.
    pub open: usize,
    /// The table for people.
    pub text: String,
    /// The file of the table.
    pub path: PathBuf,
    /// The hash of what a teacher signs in it.
    pub hash: String,
}

impl IntakeTable {
    /// What the record keeps of it.
    pub fn note(&self) -> IntakeNote {
        IntakeNote { hash: self.hash.clone(), open: u32::try_from(self.open).unwrap_or(u32::MAX) }
    }

    /// What is open, as an error before the first game. `shown` is the path of the table.
    pub fn refusal(&self, shown: &str) -> Option<anyhow::Error> {
        let questions = self.questions.as_ref()?;
        let are =
            if self.open == 1 { "1 question is open" } else { &format!("{} questions are open", self.open) };
        Some(Misuse::hinted(
            format!("{shown}: {are}; no game was played, and no grade has changed\n{}", questions.trim_end()),
            format!(
                "write the answers into column {USE} of {shown} or of the roster, and give the command again; \
                 --missing none answers for all without a submission, and agon grade --accept-intake leaves the rest \
                 without a grade"
            ),
        ))
    }
}

/// How late a submission is, that was handed in at a time by a student with a date of its own.
pub type LatenessOf<'a> = &'a dyn Fn(Moment, Option<Deadline>) -> Lateness;

impl Class {
    /// Gives each student the submission that counts. With `missing_is_none` students without a
    /// submission have handed in nothing. Returns remarks.
    ///
    /// # Errors
    /// [`Misuse`] if the submissions cannot be read, none is of a student, or an answer is not
    /// understood.
    pub fn take_in(&mut self, from: IntakeFrom<'_>, missing_is_none: bool) -> anyhow::Result<Vec<String>> {
        private::make(&self.places.private)
            .with_context(|| format!("cannot make {}", display_path(&self.places.private)))?;
        // Paths of submissions are absolute, and those of ours lead through no link.
        let files = self.places.private.canonicalize()?.join("download");
        let (system, claims) = match from {
            IntakeFrom::Roster => (None, self.claims_of_roster()?),
            IntakeFrom::Download(from) => {
                let logins: Vec<&str> = self.students.iter().map(|student| student.login.as_str()).collect();
                let download = download::read(from, &files, &logins)?;
                (Some(download.system), download.claims)
            }
            IntakeFrom::Inbox { folder, .. } => (None, self.claims_of_inbox(folder)?),
        };
        let mut claims = claims;
        let roster = std::path::absolute(&self.places.roster)?;
        let home = match from {
            IntakeFrom::Roster => roster.parent().unwrap_or(Path::new("/")),
            IntakeFrom::Download(folder) | IntakeFrom::Inbox { folder, .. } => folder,
        };
        for (at, claim) in claims.iter_mut().enumerate() {
            // What a link leads to is not the student's, and not even its names are told. It is
            // refused later.
            if claim.leads_out_of(home) {
                continue;
            }
            claim
                .look_inside(&files.join(format!("inside-{at}")))
                .with_context(|| format!("cannot unpack {}", claim.shown))?;
        }
        let waiting = match from {
            IntakeFrom::Inbox { folder, tournament } => self.waiting_in_inbox(folder, tournament)?,
            IntakeFrom::Roster | IntakeFrom::Download(_) => Vec::new(),
        };
        let is_download = !matches!(from, IntakeFrom::Roster);
        let table = self.places.private.join(TABLE);
        let contents = ClaimContents::default();
        let shown = |claim: &IntakeClaim| contents.shown(claim);
        let mut answers = Answers::read(&table, &self.places.roster, &self.students, &claims, &shown)?;
        let people = claims.iter().flat_map(|claim| &claim.people);
        let groups = GroupsOfNames::of(people, &self.students);
        let matching = Matching {
            students: &self.students,
            claims: &claims,
            answers: &answers,
            asking: Asking {
                students: &self.students,
                claims: &claims,
                answers: &answers,
                private: &self.places.private,
                roster: &self.places.roster,
            },
            is_download,
            missing_is_none,
            groups,
            waiting,
            are_equal: &|one, other| contents.are_equal(one, other),
        };
        let intake = matching.decide();
        intake.again.iter().for_each(|(at, text)| answers.ask_again(*at, text.clone()));
        if let IntakeFrom::Download(from) = from {
            refuse_strangers(from, system, &intake)?;
        }
        for (index, at) in intake.counted.iter().enumerate() {
            let Some(at) = at else { continue };
            // Those who have handed in together are a team.
            let first = intake.counted.iter().position(|other| other == &Some(*at)).unwrap_or(index);
            let team = self.students[index].team.min(first);
            if is_download {
                self.students[index].team = team;
            }
            let team = self.students[index].team;
            if !self.students[team].submissions.is_empty() {
                continue;
            }
            let file = answers.claims[*at].file.clone();
            let path = claims[*at]
                .gathered(file, &files.join(at.to_string()))
                .with_context(|| format!("cannot copy {}", claims[*at].shown))?;
            let row = &intake.rows[*at];
            let student = &mut self.students[team];
            student.submissions = vec![path.to_string_lossy().into_owned()];
            // In a roster without submissions the column is about the one of the download.
            let of_roster = student.lines.iter().filter_map(|line| line.submitted).max();
            (student.submitted, student.submitted_from) = match of_roster {
                Some(moment) if is_download && row.time_from != TimeSource::Use => {
                    (Some(moment), TimeSource::Roster)
                }
                _ => (row.time, row.time_from),
            };
        }
        let mut remarks = self.remarks_of_intake(from, system, &intake);
        if groups == GroupsOfNames::Differ {
            remarks.push(format!(
                "{}: column group has none of the groups in the names of the submissions, so these were not compared",
                display_path(&self.places.roster)
            ));
        }
        (self.intake, self.answers, self.system) = (intake, answers, system);
        self.claims = claims;
        Ok(remarks)
    }

    /// What questions name.
    pub(super) fn asking(&self) -> Asking<'_> {
        let Class { students, claims, answers, places, .. } = self;
        Asking { students, claims, answers, private: &places.private, roster: &places.roster }
    }

    /// The lines of the roster that name a submission.
    fn claims_of_roster(&self) -> anyhow::Result<Vec<IntakeClaim>> {
        let roster = std::path::absolute(&self.places.roster)?;
        let home = roster.parent().unwrap_or(Path::new("/"));
        let mut all: Vec<IntakeClaim> = Vec::new();
        for (index, student) in self.students.iter().enumerate() {
            for line in student.lines.iter().filter(|line| !line.path.is_empty()) {
                let of_roster = Some((index, line.line));
                // A line that is there twice says nothing new.
                let is_again = |claim: &&IntakeClaim| {
                    claim.shown == claimed_files::shown(&line.path)
                        && claim.of_roster.is_some_and(|(other, _)| other == index)
                        && (claim.time.moment() == line.submitted || line.submitted.is_none())
                };
                if all.iter().any(|claim| is_again(&claim)) {
                    continue;
                }
                let (time, time_from) = match line.submitted {
                    Some(moment) => (WrittenTime::At(moment), TimeSource::Roster),
                    None => {
                        let name = Path::new(&line.path).file_name().unwrap_or_default();
                        (written_time::in_name(&name.to_string_lossy()), TimeSource::Name)
                    }
                };
                all.push(IntakeClaim {
                    shown: claimed_files::shown(&line.path),
                    people: Vec::new(),
                    of_roster,
                    files: vec![ClaimedFile::folder(home.join(&line.path))],
                    is_late: false,
                    time,
                    time_from,
                    left_out: None,
                    doubt: None,
                });
            }
        }
        Ok(all)
    }

    /// What the teacher should know of the submissions.
    fn remarks_of_intake(
        &self,
        from: IntakeFrom<'_>,
        system: Option<LearningSystem>,
        intake: &Intake,
    ) -> Vec<String> {
        let (IntakeFrom::Download(path) | IntakeFrom::Inbox { folder: path, .. }) = from else {
            return Vec::new();
        };
        let claims: Vec<&IntakeRow> = intake.rows.iter().filter(|row| !row.submission.is_empty()).collect();
        let matched = claims.iter().filter(|row| !row.students.is_empty()).count();
        let by = system.map_or("the inbox", LearningSystem::name);
        let mut all = vec![format!(
            "{}: {} submissions by {by}; {matched} belong to students of the roster",
            display_path(path),
            claims.len(),
        )];
        let mut named = self.students.iter().flat_map(|student| &student.lines);
        if let Some(line) = named.find(|line| !line.path.is_empty()) {
            all.push(format!(
                "{}: line {}: column submission is not used: the submissions are those of {}",
                display_path(&self.places.roster),
                line.line,
                display_path(path)
            ));
        }
        let mut list = |what: &str, lines: Vec<String>| {
            let more = lines.len().saturating_sub(SHOWN);
            if !lines.is_empty() {
                let more = if more > 0 { format!("\n  and {more} more, in {TABLE}") } else { String::new() };
                all.push(format!("{what}:\n  {}{more}", lines[..lines.len().min(SHOWN)].join("\n  ")));
            }
        };
        let told = |index: usize| {
            let student = &self.students[index];
            format!("{} ({})", clean(&student.name), clean(&student.id))
        };
        let late = claims.iter().filter(|row| row.is_marked_late).flat_map(|row| &row.students);
        list(
            "handed in late, as the learning system has marked it",
            late.map(|index| told(*index)).collect(),
        );
        let with = |state: StudentState| {
            (0..self.students.len()).filter(move |index| intake.states[*index] == state).map(told).collect()
        };
        list("nothing was handed in by", with(StudentState::NothingHandedIn));
        list("excused", with(StudentState::Excused));
        all
    }

    /// The state of each student, in the order of the roster.
    pub(super) fn state(&self, index: usize) -> StudentState {
        let state = self.intake.states.get(index).copied().unwrap_or_default();
        let made = self.submissions.get(index).map(|made| &made.engine);
        match (state, made) {
            (StudentState::HandedIn, Some(Err(NoEngine::Machine(_)))) => StudentState::MachinesFault,
            (state, _) => state,
        }
    }

    /// Writes the table and its page into the private folder. Returns them with what is open.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write_intake(&self, lateness: LatenessOf<'_>) -> anyhow::Result<IntakeTable> {
        let rows: Vec<[String; COLUMNS.len()]> =
            (self.intake.rows.iter().enumerate()).map(|(at, row)| self.row(at, row, lateness)).collect();
        let cells = rows.iter().map(|row| row.iter().map(|cell| CsvCell::text(cell)).collect::<Vec<_>>());
        let text = cells::text_of(COLUMNS, cells)?;
        let path = self.places.private.join(TABLE);
        private::write_text(&path, &text)?;
        table_edits::keep(&path, &text)?;
        let open = self.intake.questions.len();
        let asked = |(number, IntakeQuestion { what, answer, .. }): (usize, &IntakeQuestion)| {
            format!("  {number}. {what}\n     answer: {answer}\n")
        };
        let mut questions: String =
            (1..).zip(&self.intake.questions).take(MOST_QUESTIONS).map(asked).collect();
        if open > MOST_QUESTIONS {
            questions.push_str(&format!("  and {} more; answer these first\n", open - MOST_QUESTIONS));
        }
        let page: Vec<&[String]> = rows.iter().map(|row| &row[..]).collect();
        private::write_text(
            &self.places.private.join(PAGE),
            &intake_page::html("The intake", &questions, &COLUMNS, &page),
        )?;
        let short: Vec<Vec<String>> =
            rows.iter().map(|row| [1, 2, 0, 7, 3, 11, 4].map(|at| row[at].clone()).into()).collect();
        Ok(IntakeTable {
            questions: (open > 0).then_some(questions),
            open,
            text: columns(&["id", "name", "submission", "time", "late", "verdict", "result"], &short),
            path,
            hash: self.signed_hash(),
        })
    }

    /// The hash of what a teacher signs: who has handed in which content, when, what counts, and
    /// what is answered. What came of it on this machine has no part in it.
    fn signed_hash(&self) -> String {
        let mut text = String::new();
        for (at, row) in self.intake.rows.iter().enumerate() {
            let team = row.students.first().map(|index| self.students[*index].team);
            let counted = row.students.iter().find(|index| self.intake.counted[**index] == Some(at));
            let folder = counted.and_then(|index| self.submissions.get(*index)).map(|made| &made.folder);
            let content = folder.and_then(|folder| folder.file_name()).unwrap_or_default().to_string_lossy();
            let student = team.filter(|_| counted.is_some()).map(|team| &self.students[team]);
            let time = student.and_then(|student| student.submitted).or(row.time);
            let ids = row.students.iter().map(|index| self.students[*index].id.as_str());
            let ids = ids.collect::<Vec<_>>().join(";");
            let states = row.students.iter().map(|index| self.intake.states[*index].word());
            let states = states.collect::<Vec<_>>().join(";");
            let time = time.map_or(String::new(), |time| time.to_string());
            let answer = self.answers.cell(at, &row.submission, &ids);
            let cells = [&row.submission, &ids, &row.files, &time, &content.into_owned(), &states, &answer];
            text.push_str(&format!("{cells:?}\n"));
        }
        hash::of_bytes(text.as_bytes())
    }

    fn row(&self, at: usize, row: &IntakeRow, lateness: LatenessOf<'_>) -> [String; COLUMNS.len()] {
        let of_students = |cell: &dyn Fn(usize) -> String| {
            row.students.iter().map(|index| cell(*index)).collect::<Vec<_>>().join(";")
        };
        let counted = row.students.iter().find(|index| self.intake.counted[**index] == Some(at));
        let late = match counted.map(|index| &self.students[self.students[*index].team]) {
            Some(student) if student.submitted.is_none() && student.submitted_from.is_teacher() => {
                "in time".to_owned()
            }
            Some(student) => match student.submitted.map(|moment| lateness(moment, student.due)) {
                Some(Lateness::Days(days)) => format!("{days} day{} late", if days == 1 { "" } else { "s" }),
                Some(Lateness::Refused) => "too late".to_owned(),
                Some(Lateness::InTime) if !row.is_marked_late => "in time".to_owned(),
                _ if row.is_marked_late => "late".to_owned(),
                _ => String::new(),
            },
            None if row.is_marked_late => "late".to_owned(),
            None => String::new(),
        };
        // What counts for nobody was not built.
        let is_open = |index: &&usize| self.intake.states[**index] == StudentState::HandedIn;
        let made = counted.filter(is_open).and_then(|index| self.submissions.get(*index));
        let [built, tried, verdict] = made.map_or_else(Default::default, |made| self.verdict(made));
        let id = of_students(&|index| self.students[index].id.clone());
        let (time, time_from) = match counted.map(|index| &self.students[self.students[*index].team]) {
            Some(Student { submitted: Some(moment), submitted_from, .. }) => {
                (written_time::shown_time(*moment), *submitted_from)
            }
            Some(Student { submitted_from, .. }) if submitted_from.is_teacher() => {
                (row.time_shown.clone(), *submitted_from)
            }
            _ => (row.time_shown.clone(), row.time_from),
        };
        [
            row.submission.clone(),
            id.clone(),
            of_students(&|index| self.students[index].name.clone()),
            late,
            row.result.clone(),
            row.files.clone(),
            match (row.submission.is_empty(), row.counts) {
                (true, _) => String::new(),
                (_, true) => "yes".to_owned(),
                (_, false) => "no".to_owned(),
            },
            time,
            time_from.words().to_owned(),
            built,
            tried,
            verdict,
            self.answers.content(at, &row.submission),
            self.answers.cell(at, &row.submission, &id),
        ]
    }

    /// Whether a submission was built and tried, and what came of it.
    fn verdict(&self, made: &StudentSubmission) -> [String; 3] {
        let was_tried = self.tried.contains(&made.alias);
        let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
        match &made.engine {
            Ok(_) => {
                let told = made.remark.as_ref().map_or(String::new(), |remark| format!(": {remark}"));
                [yes(true), yes(was_tried), format!("plays{told}")]
            }
            // What came of it is no fault of its author, so it is neither built nor not.
            Err(NoEngine::Machine(fault)) => {
                let state = StudentState::MachinesFault.word();
                [String::new(), yes(was_tried), format!("{state}: {fault}")]
            }
            Err(NoEngine::Author(why)) => [yes(made.is_built), yes(was_tried), format!("cannot play: {why}")],
        }
    }
}

/// Refuses a download of other people: what the roster has is of no use then.
fn refuse_strangers(from: &Path, system: Option<LearningSystem>, intake: &Intake) -> anyhow::Result<()> {
    let claims: Vec<&IntakeRow> = intake.rows.iter().filter(|row| !row.submission.is_empty()).collect();
    let is_asked = |row: &&&IntakeRow| !row.students.is_empty();
    if claims.iter().any(|row| is_asked(&row))
        || intake.questions.iter().any(|question| question.kind == QuestionKind::Owner)
    {
        return Ok(());
    }
    let first = claims.first().map(|row| format!("the first, {}, {}", row.submission, row.result));
    let first = first.unwrap_or_else(|| "there is none".to_owned());
    Err(Misuse::hinted(
        format!(
            "{}: {} submissions by {}, but none matches one student of the roster; {first}",
            display_path(from),
            claims.len(),
            system.map_or("the inbox", LearningSystem::name)
        ),
        "write ids, logins, addresses or names into the roster as the learning system has them",
    ))
}
