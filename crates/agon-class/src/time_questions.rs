//! The times that decide about points and that nobody knows: they are asked for, never guessed.

use agon_config::{Deadline, Moment};
use agon_printable::clean;

use super::handed_in::LearningSystem;
use super::intake_questions::listed;
use super::students::Class;
use super::written_time::{TimeSource, WrittenTime, shown_time};

/// What matters about times.
pub struct TimeTerms<'a> {
    /// Whether there is a date at all.
    pub is_due: bool,
    /// Whether late submissions lose points.
    pub costs: bool,
    /// Whether submissions without a time are in time: the teacher has said so.
    pub untimed_is_in_time: bool,
    /// Whether a time is too vague to say how late a submission is.
    pub leaves_open: &'a dyn Fn(Moment, Option<Deadline>) -> bool,
}

impl Class {
    /// Asks for the times that cost points and are not known. Returns a remark about those that
    /// cost nothing.
    pub fn ask_for_times(&mut self, terms: &TimeTerms<'_>) -> Option<String> {
        if !terms.is_due {
            return None;
        }
        // The submissions that count, without a time: the teams and the claims.
        let mut untimed: Vec<(usize, usize)> = Vec::new();
        for team in self.teams() {
            let members = self.members(team);
            let Some(claim) = members.iter().find_map(|member| self.intake.counted[*member]) else {
                continue;
            };
            if self.answers.is_in_time(claim, &members) {
                self.students[team].submitted = None;
                self.students[team].submitted_from = TimeSource::Use;
                continue;
            }
            match self.doubt(team, claim, &members, terms) {
                TimeDoubt::None => {}
                TimeDoubt::Untimed => untimed.push((team, claim)),
                TimeDoubt::Vague(why) if terms.costs => {
                    let question = self.asking().of_time(team, claim, members, &why);
                    self.intake.questions.push(question);
                }
                TimeDoubt::Vague(_) => {}
            }
        }
        if untimed.is_empty() {
            return None;
        }
        if terms.untimed_is_in_time {
            untimed.iter().for_each(|(team, _)| self.students[*team].submitted_from = TimeSource::Untimed);
        } else if terms.costs {
            let about = untimed.iter().flat_map(|(team, _)| self.members(*team)).collect();
            let question = self.asking().of_all_times(&untimed, about);
            self.intake.questions.push(question);
            return None;
        }
        let ids = listed(untimed.iter().map(|(team, _)| clean(&self.students[*team].id)));
        Some(format!("no time is known for the submissions of {ids}: they count as in time"))
    }

    /// What is not known of the time of a submission that counts for these students.
    fn doubt(&self, team: usize, claim: usize, members: &[usize], terms: &TimeTerms<'_>) -> TimeDoubt {
        let (student, claim) = (&self.students[team], &self.claims[claim]);
        let mut dues = members.iter().map(|member| self.students[*member].due.or(student.due));
        let Some(moment) = student.submitted else {
            return match &claim.time {
                WrittenTime::Unread(text) => {
                    TimeDoubt::Vague(format!("the time {:?} is not understood", clean(text)))
                }
                _ if claim.is_late => {
                    TimeDoubt::Vague("it is marked as late, and no time says by how much".to_owned())
                }
                // The system marks what is late.
                _ if self.system == Some(LearningSystem::Canvas) => TimeDoubt::None,
                _ => TimeDoubt::Untimed,
            };
        };
        if dues.any(|due| (terms.leaves_open)(moment, due)) {
            let shown = shown_time(moment);
            return TimeDoubt::Vague(match moment.day() {
                Some(_) => {
                    format!("{shown} is the day on which it was due, and no time says how late it was")
                }
                None => format!("clocks show {shown} twice that night, and it matters which is meant"),
            });
        }
        TimeDoubt::None
    }
}

/// What is not known of a time.
enum TimeDoubt {
    /// Nothing.
    None,
    /// There is no time.
    Untimed,
    /// There is one, or a mark, which does not say enough.
    Vague(String),
}
