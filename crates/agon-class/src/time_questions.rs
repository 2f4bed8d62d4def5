//! The times that decide about points and that nobody knows: they are asked for, never guessed.

use agon_config::{Deadline, Moment};
use agon_printable::clean;
use agon_programs::program::display_path;

use super::answer_words::{IN_TIME, USE};
use super::class_intake::TABLE;
use super::handed_in::LearningSystem;
use super::intake::{IntakeQuestion, QuestionKind, shown_time};
use super::students::Class;
use super::written_time::{TimeSource, WrittenTime};

/// How many lines or names a question lists.
const SHOWN: usize = 10;

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

/// A submission that counts, without a time.
struct Untimed {
    team: usize,
    claim: usize,
}

impl Class {
    /// Asks for the times that cost points and are not known. Returns a remark about those that
    /// cost nothing.
    pub fn ask_for_times(&mut self, terms: &TimeTerms<'_>) -> Option<String> {
        if !terms.is_due {
            return None;
        }
        let mut untimed: Vec<Untimed> = Vec::new();
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
                TimeDoubt::Untimed => untimed.push(Untimed { team, claim }),
                TimeDoubt::Vague(why) if terms.costs => self.ask_for_time(team, claim, members, &why),
                TimeDoubt::Vague(_) => {}
            }
        }
        if untimed.is_empty() {
            return None;
        }
        if terms.untimed_is_in_time {
            untimed.iter().for_each(|one| self.students[one.team].submitted_from = TimeSource::Untimed);
        } else if terms.costs {
            self.ask_for_all(&untimed);
            return None;
        }
        let ids = listed(untimed.iter().map(|one| clean(&self.students[one.team].id)));
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

    fn ask_for_time(&mut self, team: usize, claim: usize, about: Vec<usize>, why: &str) {
        let (student, line) = (&self.students[team], claim + 2);
        let of_roster = student.lines.first().map_or(student.line, |line| line.line);
        self.intake.questions.push(IntakeQuestion {
            kind: QuestionKind::Time,
            what: format!(
                "{}: {} ({}): {why}",
                self.claims[claim].shown,
                clean(&student.name),
                clean(&student.id)
            ),
            answer: format!(
                "{}: line {line}, column {USE}: write the time like 2026-11-20T23:59, or {IN_TIME}; or {}: line \
                 {of_roster}, column submitted",
                self.table_shown(),
                display_path(&self.places.roster)
            ),
            about,
        });
    }

    /// One question about all of them: a system without times has none for a whole class.
    fn ask_for_all(&mut self, untimed: &[Untimed]) {
        let who = untimed.iter().map(|one| {
            let student = &self.students[one.team];
            format!("{} ({})", clean(&student.name), clean(&student.id))
        });
        let lines = listed(untimed.iter().map(|one| (one.claim + 2).to_string()));
        let of_roster = untimed.iter().map(|one| {
            let student = &self.students[one.team];
            let own = student
                .lines
                .iter()
                .find(|line| self.claims[one.claim].of_roster == Some((one.team, line.line)));
            own.map_or(student.line, |line| line.line).to_string()
        });
        let what = format!(
            "no time is known for {}, and a late submission loses points",
            match untimed {
                [only] => format!("{} of {}", self.claims[only.claim].shown, listed(who)),
                all => format!("{} submissions: of {}", all.len(), listed(who)),
            }
        );
        let word = if untimed.len() == 1 { "line" } else { "lines" };
        let answer = format!(
            "{}: {word} {}, column submitted: write times like 2026-11-20T23:59; or {}: {word} {lines}, column {USE}: \
             times, or {IN_TIME}; or --untimed in-time for all of them",
            display_path(&self.places.roster),
            listed(of_roster),
            self.table_shown(),
        );
        let about = untimed.iter().flat_map(|one| self.members(one.team)).collect();
        self.intake.questions.push(IntakeQuestion { kind: QuestionKind::Time, what, answer, about });
    }

    fn table_shown(&self) -> String {
        display_path(&self.places.private.join(TABLE))
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

/// The first of them.
fn listed(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    let more = all.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    all[..all.len().min(SHOWN)].join(", ") + &more
}
