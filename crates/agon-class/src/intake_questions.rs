//! All questions of an intake, each with the lines that answer it.

use std::path::Path;

use agon_config::Moment;
use agon_printable::clean;
use agon_programs::program::display_path;

use super::answer_words::{EXCUSED, IN_TIME, NONE, USE, YES, ids_of, is_no_name};
use super::answers::{Answers, TABLE};
use super::claims::IntakeClaim;
use super::person_finder::Doubt;
use super::roster::Student;
use super::written_time::shown_time;

/// How many submissions a question about all of them lists.
const SHOWN: usize = 10;
/// How a time is written.
const A_TIME: &str = "2026-11-20T23:59";

/// What a question is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum QuestionKind {
    /// Whose a submission is; nobody of the roster comes into question.
    Stranger,
    /// Which of some students of the roster a submission is of.
    Owner,
    /// Which of several submissions or files counts, if any does.
    Counting,
    /// When something was handed in.
    Time,
}

/// Something that only the teacher knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct IntakeQuestion {
    pub(super) kind: QuestionKind,
    /// What is not known.
    pub(super) what: String,
    /// What to write, and where.
    pub(super) answer: String,
    /// The students whose submission is open by it.
    pub(super) about: Vec<usize>,
}

/// What questions name: students, submissions, and the files with the answers.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) students: &'a [Student],
    pub(super) claims: &'a [IntakeClaim],
    pub(super) answers: &'a Answers,
    /// The folder of the table.
    pub(super) private: &'a Path,
    pub(super) roster: &'a Path,
}

impl Asking<'_> {
    /// A doubt whose a submission is.
    pub(super) fn of_doubt(self, at: usize, doubt: &Doubt) -> IntakeQuestion {
        let about = doubt.candidates.clone();
        let write = match &about[..] {
            [] => "the id of its student".to_owned(),
            some => self.ids(some).join(" or "),
        };
        IntakeQuestion {
            kind: if about.is_empty() { QuestionKind::Stranger } else { QuestionKind::Owner },
            what: format!("{}: {}{}", self.claims[at].shown, doubt.why, self.in_question(&about)),
            answer: format!("{}: write {write}, or {NONE} to leave it out", self.cell(at)),
            about,
        }
    }

    /// An answer that has to be given again, in words and as a question.
    pub(super) fn again(
        self,
        at: usize,
        text: &str,
        why: &str,
        about: Vec<usize>,
    ) -> (String, IntakeQuestion) {
        let text = clean(text);
        let answer = format!(
            "{}: write {text} again if that still holds, or another answer, or empty the cell",
            self.cell(at)
        );
        self.about_owner(at, format!("the answer {text:?} in column {USE} {why}"), answer, about)
    }

    /// A submission of people of several teams, without the others of these teams.
    pub(super) fn of_teams(
        self,
        at: usize,
        named: &[usize],
        others: &[usize],
        about: Vec<usize>,
    ) -> (String, IntakeQuestion) {
        let what = format!(
            "is of {} together, but in the roster {} is in a team with one of them",
            self.told(named),
            self.told(others)
        );
        let answer = format!(
            "write those who are a team into line {} of the roster; or {}: write {NONE} to leave it out",
            self.students[others[0]].line,
            self.cell(at)
        );
        self.about_owner(at, what, answer, about)
    }

    /// A submission of people of several groups of the roster, without the others of these groups.
    pub(super) fn of_groups(self, at: usize, named: &[usize], others: &[usize]) -> (String, IntakeQuestion) {
        let groups = named.iter().map(|index| clean(&self.students[*index].group));
        let what = format!(
            "is of {} together, but in the roster they are of the groups {}, with {}",
            self.told(named),
            groups.filter(|group| !group.is_empty()).collect::<Vec<_>>().join(" and "),
            self.told(others)
        );
        let answer = format!(
            "{}: write {} if it counts for them alone, the ids of all whose it is, or {NONE} to leave it out",
            self.cell(at),
            self.ids(named).join(";")
        );
        self.about_owner(at, what, answer, named.to_vec())
    }

    /// Which of several submissions of a student counts.
    pub(super) fn of_several(self, own: &[usize], student: usize, why: &str) -> IntakeQuestion {
        let of_roster = own.iter().any(|at| self.claims[*at].of_roster.is_some());
        // Where several are said to count, another yes says nothing.
        let is_said = own.iter().any(|at| self.answers.claims[*at].counts);
        let or = if of_roster { ", or write column submitted of the roster" } else { "" };
        let write = if is_said {
            format!("{NONE} on each that does not count")
        } else {
            format!("{YES} on the one that counts{or}")
        };
        IntakeQuestion {
            kind: QuestionKind::Counting,
            what: format!(
                "{}: of {}: it is not known which counts: {why}",
                self.names(own),
                self.told(&[student])
            ),
            answer: format!("{}, column {USE}: write {write}", self.lines(own, " or ")),
            about: vec![student],
        }
    }

    /// Which file of a submission counts.
    pub(super) fn of_files(self, at: usize, about: Vec<usize>) -> Option<IntakeQuestion> {
        let claim = &self.claims[at];
        let doubt = claim.doubt.as_ref()?;
        let name = |name: &str| match is_no_name(name, self.students) {
            true => format!("./{name}"),
            false => name.to_owned(),
        };
        let names: Vec<String> = doubt.names().into_iter().map(name).collect();
        Some(IntakeQuestion {
            kind: QuestionKind::Counting,
            what: format!("{}: {}: {}", claim.shown, doubt.what, names.join(", ")),
            answer: format!("{}: write {}", self.cell(at), names.join(" or ")),
            about,
        })
    }

    /// Which of two answers about the time of a submission holds. `place` is that of the other one.
    pub(super) fn of_two_times(
        self,
        at: usize,
        about: Vec<usize>,
        place: &str,
        time: Moment,
    ) -> IntakeQuestion {
        IntakeQuestion {
            kind: QuestionKind::Time,
            what: format!(
                "{}: {}: {place} says {IN_TIME}, but {} says {}",
                self.claims[at].shown,
                self.told(&about),
                self.line(at),
                shown_time(time)
            ),
            answer: format!("empty column {USE} of one of the two lines"),
            about,
        }
    }

    /// A student of whom there is a submission is said to have handed in nothing. `row` is the one
    /// of the student.
    pub(super) fn of_none(self, student: usize, own: &[usize], row: usize) -> IntakeQuestion {
        let place = self.answers.of_roster.get(&student).cloned().unwrap_or_else(|| self.line(row));
        IntakeQuestion {
            kind: QuestionKind::Counting,
            what: format!(
                "{}: column {USE} of {place} says {NONE}, but there is {}",
                self.told(&[student]),
                self.names(own)
            ),
            answer: format!(
                "empty column {USE} of {place} if it counts; or write {NONE}, or the ids of others, into {}",
                self.lines(own, " and ")
            ),
            about: vec![student],
        }
    }

    /// A student without a submission. `row` is the one of the student.
    pub(super) fn of_missing(self, student: usize, row: usize) -> IntakeQuestion {
        IntakeQuestion {
            kind: QuestionKind::Counting,
            what: format!("{} has no submission", self.told(&[student])),
            answer: format!("{}: write {NONE}, {EXCUSED}, or the name of a submission", self.cell(row)),
            about: vec![student],
        }
    }

    /// What waits in the folder of `agon inbox`. `command` answers it.
    pub(super) fn of_waiting(self, path: &Path, command: &str, about: Vec<usize>) -> IntakeQuestion {
        let of = if about.is_empty() { String::new() } else { format!(" of {}", self.told(&about)) };
        IntakeQuestion {
            kind: QuestionKind::Counting,
            what: format!("{}: this submission{of} waits for agon inbox", display_path(path)),
            answer: format!("give {command}, or remove the file if it does not count"),
            about,
        }
    }

    /// A time that costs points, and is not known.
    pub(super) fn of_time(self, team: usize, at: usize, about: Vec<usize>, why: &str) -> IntakeQuestion {
        let student = &self.students[team];
        let of_roster = student.lines.first().map_or(student.line, |line| line.line);
        IntakeQuestion {
            kind: QuestionKind::Time,
            what: format!("{}: {}: {why}", self.claims[at].shown, self.told(&[team])),
            answer: format!(
                "{}: write the time like {A_TIME}, or {IN_TIME}; or {}: line {of_roster}, column submitted",
                self.cell(at),
                display_path(self.roster)
            ),
            about,
        }
    }

    /// Times of the roster that it said of something else, for the assignment `item`. The
    /// submissions are given with their teams.
    pub(super) fn of_old_times(
        self,
        old: &[(usize, usize)],
        about: Vec<usize>,
        item: &str,
        folder: &Path,
    ) -> IntakeQuestion {
        let who = listed(old.iter().map(|(team, _)| self.told(&[*team])));
        IntakeQuestion {
            kind: QuestionKind::Time,
            what: format!(
                "{} says when {who} handed in as it did for {} in {}, where other files counted; a late submission loses \
                 points",
                display_path(self.roster),
                clean(item),
                near(folder),
            ),
            answer: format!(
                "{}, columns submitted and {USE}: write when these were handed in, or empty the cells; or {}, column \
                 {USE}: write the times like {A_TIME}, or {IN_TIME}",
                self.roster_lines(old),
                self.table_lines(old),
            ),
            about,
        }
    }

    /// A time of the roster, with its line, that something else contradicts.
    pub(super) fn of_roster_time(
        self,
        at: usize,
        about: Vec<usize>,
        (line, moment): (u64, Moment),
        other: &str,
    ) -> IntakeQuestion {
        let place = format!("{}: line {line}, column submitted", display_path(self.roster));
        IntakeQuestion {
            kind: QuestionKind::Time,
            what: format!(
                "{}: {}: {place} says {}, but {other}",
                self.claims[at].shown,
                self.told(&about),
                shown_time(moment)
            ),
            answer: format!(
                "{}: write the time like {A_TIME}, or {IN_TIME}; or {place}: write the right time, or empty the cell",
                self.cell(at)
            ),
            about,
        }
    }

    /// Dates of students that are before the date of all others, and make them late.
    pub(super) fn of_own_dates(self, dated: &[(usize, usize)], about: Vec<usize>) -> IntakeQuestion {
        let who = listed(dated.iter().map(|(team, _)| self.told(&[*team])));
        IntakeQuestion {
            kind: QuestionKind::Time,
            what: format!(
                "column due of {} has a date for {who} that is before due of [grades], and makes the submission later; \
                 it may be of another assignment",
                display_path(self.roster)
            ),
            answer: format!(
                "{}, column due: write the date of this assignment, or empty the cells; or, if that date holds, {}, \
                 column {USE}: write when these were handed in, like {A_TIME}",
                self.roster_lines(dated),
                self.table_lines(dated),
            ),
            about,
        }
    }

    /// One question about the times of all these submissions, each with its team: a system without
    /// times has none for a whole class.
    pub(super) fn of_all_times(self, untimed: &[(usize, usize)], about: Vec<usize>) -> IntakeQuestion {
        let who = listed(untimed.iter().map(|(team, _)| self.told(&[*team])));
        let of = match untimed {
            [(_, only)] => format!("{} of {who}", self.claims[*only].shown),
            all => format!("{} submissions: of {who}", all.len()),
        };
        IntakeQuestion {
            kind: QuestionKind::Time,
            what: format!("no time is known for {of}, and a late submission loses points"),
            answer: format!(
                "{}, column submitted: write times like {A_TIME}; or {}, column {USE}: times, or {IN_TIME}; or --untimed \
                 in-time for all of them",
                self.roster_lines(untimed),
                self.table_lines(untimed),
            ),
            about,
        }
    }

    /// The lines of the roster about these submissions, which are given with their teams.
    fn roster_lines(self, all: &[(usize, usize)]) -> String {
        let line = |(team, at): &(usize, usize)| {
            let student = &self.students[*team];
            let is_own = |line: &u64| self.claims[*at].of_roster.is_some_and(|own| own == (*team, *line));
            let own = student.lines.iter().map(|line| line.line).find(is_own);
            own.unwrap_or(student.line).to_string()
        };
        let word = if all.len() == 1 { "line" } else { "lines" };
        format!("{}: {word} {}", display_path(self.roster), listed(all.iter().map(line)))
    }

    /// The lines of the table about these submissions.
    fn table_lines(self, all: &[(usize, usize)]) -> String {
        let word = if all.len() == 1 { "line" } else { "lines" };
        format!("{}: {word} {}", self.table(), listed(all.iter().map(|(_, at)| (at + 2).to_string())))
    }

    fn about_owner(
        self,
        at: usize,
        what: String,
        answer: String,
        about: Vec<usize>,
    ) -> (String, IntakeQuestion) {
        let asked = format!("{}: {what}{}", self.claims[at].shown, self.in_question(&about));
        (what, IntakeQuestion { kind: QuestionKind::Owner, what: asked, answer, about })
    }

    fn table(self) -> String {
        display_path(&self.private.join(TABLE))
    }

    /// The line of a row of the table.
    pub(super) fn line(self, row: usize) -> String {
        format!("{}: line {}", self.table(), row + 2)
    }

    /// The cell of a row in which an answer is written.
    fn cell(self, row: usize) -> String {
        format!("{}, column {USE}", self.line(row))
    }

    fn lines(self, claims: &[usize], between: &str) -> String {
        let lines: Vec<String> = claims.iter().map(|at| (at + 2).to_string()).collect();
        format!("{}: line {}", self.table(), lines.join(between))
    }

    fn names(self, claims: &[usize]) -> String {
        claims.iter().map(|at| self.claims[*at].shown.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn ids(self, students: &[usize]) -> Vec<String> {
        students.iter().map(|index| clean(&ids_of(&[*index], self.students))).collect()
    }

    fn in_question(self, students: &[usize]) -> String {
        if students.is_empty() { String::new() } else { format!("; in question: {}", self.told(students)) }
    }

    /// Students by name and id.
    pub(super) fn told(self, students: &[usize]) -> String {
        let one = |index: &usize| {
            let student = &self.students[*index];
            format!("{} ({})", clean(&student.name), clean(&student.id))
        };
        students.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// A path as it is from the present directory, if it is below that.
fn near(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let inner = here.as_deref().and_then(|here| path.strip_prefix(here).ok());
    display_path(inner.unwrap_or(path))
}

/// The first of them.
pub(super) fn listed(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    let more = all.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    all[..all.len().min(SHOWN)].join(", ") + &more
}
