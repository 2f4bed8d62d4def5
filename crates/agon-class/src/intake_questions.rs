//! The questions of an intake, with the lines that answer them.

use agon_printable::clean;

use super::answer_words::{IN_TIME, NONE, USE, YES};
use super::intake::{Intake, IntakeQuestion, Matching, QuestionKind, shown_time};
use super::person_finder::Doubt;

impl Matching<'_> {
    /// Asks which of its files counts, of each claim that counts.
    pub(super) fn ask_for_files(&self, intake: &mut Intake) {
        for (at, claim) in self.claims.iter().enumerate() {
            if !intake.rows[at].counts || self.answers.claims[at].file.is_some() {
                continue;
            }
            let Some(files) = claim.doubtful_files() else { continue };
            let about: Vec<usize> =
                (0..self.students.len()).filter(|student| intake.counted[*student] == Some(at)).collect();
            let line = self.line(at);
            intake.questions.push(IntakeQuestion {
                kind: QuestionKind::Counting,
                what: format!(
                    "{}: it is not known which of its files counts: {}",
                    claim.shown,
                    files.join(", ")
                ),
                answer: format!("{line}, column {USE}: write {}", files.join(" or ")),
                about,
            });
            intake.rows[at].result.push_str(", but it is not known which of its files counts");
        }
    }

    /// Asks which of two answers about the time of a submission holds.
    pub(super) fn ask_for_two_times(&self, intake: &mut Intake) {
        for (at, claim) in self.claims.iter().enumerate() {
            let about: Vec<usize> =
                (0..self.students.len()).filter(|student| intake.counted[*student] == Some(at)).collect();
            let in_time = about.iter().find_map(|student| self.answers.in_time.get(student));
            let (Some(place), Some(time)) = (in_time, self.answers.claims[at].time) else { continue };
            intake.questions.push(IntakeQuestion {
                kind: QuestionKind::Time,
                what: format!(
                    "{}: {}: {place} says {IN_TIME}, but {} says {}",
                    claim.shown,
                    self.told(&about),
                    self.line(at),
                    shown_time(time)
                ),
                answer: format!("empty column {USE} of one of the two lines"),
                about,
            });
        }
    }

    /// The question whose submission it is that a student has, who is said to have handed in
    /// nothing. `row` is the one of the student.
    pub(super) fn of_none(&self, student: usize, own: &[usize], row: usize) -> IntakeQuestion {
        let place = self.answers.of_roster.get(&student).cloned().unwrap_or_else(|| self.line(row));
        let names: Vec<&str> = own.iter().map(|at| self.claims[*at].shown.as_str()).collect();
        let lines: Vec<String> = own.iter().map(|at| (at + 2).to_string()).collect();
        IntakeQuestion {
            kind: QuestionKind::Counting,
            what: format!(
                "{}: column {USE} of {place} says {NONE}, but there is {}",
                self.told(&[student]),
                names.join(", ")
            ),
            answer: format!(
                "empty column {USE} of {place} if it counts; or write {NONE}, or the ids of others, into {}: line {}",
                self.table,
                lines.join(" and ")
            ),
            about: vec![student],
        }
    }

    pub(super) fn of_doubt(&self, at: usize, doubt: &Doubt) -> IntakeQuestion {
        let ids: Vec<String> =
            doubt.candidates.iter().map(|index| clean(&self.students[*index].id)).collect();
        let write = match &ids[..] {
            [] => "the id of its student".to_owned(),
            ids => ids.join(" or "),
        };
        let candidates = match &doubt.candidates[..] {
            [] => String::new(),
            some => format!("; in question: {}", self.told(some)),
        };
        IntakeQuestion {
            kind: if ids.is_empty() { QuestionKind::Stranger } else { QuestionKind::Owner },
            what: format!("{}: {}{candidates}", self.claims[at].shown, doubt.why),
            answer: format!("{}, column {USE}: write {write}, or {NONE} to leave it out", self.line(at)),
            about: doubt.candidates.clone(),
        }
    }

    pub(super) fn of_several(&self, own: &[usize], student: usize, why: &str) -> IntakeQuestion {
        let names: Vec<&str> = own.iter().map(|at| self.claims[*at].shown.as_str()).collect();
        let lines: Vec<String> = own.iter().map(|at| (at + 2).to_string()).collect();
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
                names.join(", "),
                self.told(&[student])
            ),
            answer: format!("{}: line {}, column {USE}: write {write}", self.table, lines.join(" or ")),
            about: vec![student],
        }
    }
}
