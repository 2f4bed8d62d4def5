//! The intake is accepted with questions that are open: who is in question gets no grade.

use agon_config::Misuse;

use super::answers::TABLE;
use super::intake::{IntakeRow, StudentState};
use super::intake_questions::{IntakeQuestion, QuestionKind};
use super::students::Class;

impl Class {
    /// Accepts the table as it is answered: students about whom a question is open are not
    /// attributed. Returns remarks about the questions that change nobody's grade: they are open
    /// all the same.
    ///
    /// # Errors
    /// [`Misuse`] if the table that was read has not all of today's submissions: nobody has seen
    /// them.
    pub fn accept_intake(&mut self) -> anyhow::Result<Vec<String>> {
        let own = |row: &IntakeRow| (row.submission.clone(), row_id(self, row));
        if let Some(seen) = &self.answers.seen
            && let Some(new) = self.intake.rows.iter().find(|row| !seen.contains(&own(row)))
        {
            let what = if new.submission.is_empty() { row_id(self, new) } else { new.submission.clone() };
            return Err(Misuse::hinted(
                format!("--accept-intake: {what} is not in the {TABLE} that was there"),
                "give agon intake, read its table, and accept that one",
            ));
        }
        let open: Vec<usize> =
            self.intake.questions.iter().flat_map(|question| &question.about).copied().collect();
        let mut seeming: Vec<usize> = Vec::new();
        // One that may be anybody's may be of each who seems to have handed in nothing.
        if self.intake.questions.iter().any(|question| question.kind == QuestionKind::Stranger) {
            let seems = |index: &usize| {
                self.intake.states[*index] == StudentState::NothingHandedIn
                    && !self.answers.students.contains_key(index)
            };
            seeming.extend((0..self.students.len()).filter(seems));
        }
        let is_idle = |question: &&IntakeQuestion| {
            question.about.is_empty() && (seeming.is_empty() || question.kind != QuestionKind::Stranger)
        };
        let idle: Vec<String> = (self.intake.questions.iter().filter(is_idle))
            .map(|question| {
                format!("the intake is accepted, and nobody is graded by this: {}", question.what)
            })
            .collect();
        for index in open.into_iter().chain(seeming) {
            self.intake.states[index] = StudentState::NotAttributed;
            let team = self.students[index].team;
            self.students[team].submissions.clear();
        }
        Ok(idle)
    }
}

/// The ids of a row of a student without a submission.
fn row_id(class: &Class, row: &IntakeRow) -> String {
    if row.submission.is_empty() {
        row.students.iter().map(|index| class.students[*index].id.clone()).collect::<Vec<_>>().join(";")
    } else {
        String::new()
    }
}
