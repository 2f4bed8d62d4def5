//! The intake is accepted with questions that are open: who is in question gets no grade.

use agon_config::Misuse;

use super::class_intake::TABLE;
use super::intake::{IntakeRow, QuestionKind, StudentState};
use super::students::Class;

impl Class {
    /// Accepts the table as it is answered: students about whom a question is open are not
    /// attributed.
    ///
    /// # Errors
    /// [`Misuse`] if the table that was read has not all of today's submissions: nobody has seen
    /// them.
    pub fn accept_intake(&mut self) -> anyhow::Result<()> {
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
        let mut open: Vec<usize> =
            self.intake.questions.iter().flat_map(|question| &question.about).copied().collect();
        // One that may be anybody's may be of each who seems to have handed in nothing.
        if self.intake.questions.iter().any(|question| question.kind == QuestionKind::Stranger) {
            let seems = |index: &usize| {
                self.intake.states[*index] == StudentState::NothingHandedIn
                    && !self.answers.students.contains_key(index)
            };
            open.extend((0..self.students.len()).filter(seems));
        }
        for index in open {
            self.intake.states[index] = StudentState::NotAttributed;
            let team = self.students[index].team;
            self.students[team].submissions.clear();
        }
        Ok(())
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
