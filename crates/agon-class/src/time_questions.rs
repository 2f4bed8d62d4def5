//! The times that decide about points and that nobody knows: they are asked for, never guessed.

use agon_config::{Deadline, Moment};
use agon_printable::clean;
use agon_store::hash;

use super::answer_words::IN_TIME;
use super::assignment::RosterTime;
use super::class_intake::LatenessOf;
use super::earlier_times;
use super::handed_in::LearningSystem;
use super::intake::StudentState;
use super::intake_questions::listed;
use super::students::Class;
use super::written_time::{TimeSource, WrittenTime, shown_time};

/// What matters about times.
pub struct TimeTerms<'a> {
    /// When submissions are due, if there is a date at all.
    pub due: Option<Deadline>,
    /// Whether late submissions lose points.
    pub costs: bool,
    /// Whether submissions without a time are in time: the teacher has said so.
    pub untimed_is_in_time: bool,
    /// Whether a time is too vague to say how late a submission is.
    pub leaves_open: &'a dyn Fn(Moment, Option<Deadline>) -> bool,
    /// How late a submission is.
    pub lateness: LatenessOf<'a>,
}

impl Class {
    /// Asks for the times that cost points and are not known. Returns a remark about those that
    /// cost nothing.
    ///
    /// # Errors
    /// A submission that cannot be read, with the name of the file.
    pub fn ask_for_times(&mut self, terms: &TimeTerms<'_>) -> anyhow::Result<Option<String>> {
        if terms.due.is_none() {
            return Ok(None);
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
        if terms.costs {
            self.ask_for_times_of_roster(terms)?;
        }
        if untimed.is_empty() {
            return Ok(None);
        }
        if terms.untimed_is_in_time {
            untimed.iter().for_each(|(team, _)| self.students[*team].submitted_from = TimeSource::Untimed);
        } else if terms.costs {
            let about = untimed.iter().flat_map(|(team, _)| self.members(*team)).collect();
            let question = self.asking().of_all_times(&untimed, about);
            self.intake.questions.push(question);
            return Ok(None);
        }
        let ids = listed(untimed.iter().map(|(team, _)| clean(&self.students[*team].id)));
        Ok(Some(format!("no time is known for the submissions of {ids}: they count as in time")))
    }

    /// Asks for the times of the roster that may be of another submission, or that contradict what
    /// else is known.
    fn ask_for_times_of_roster(&mut self, terms: &TimeTerms<'_>) -> anyhow::Result<()> {
        let earlier = earlier_times::beside(&self.places.private, &self.places.roster);
        let is_there_another = earlier.iter().any(|one| !one.is_own);
        let counted = |team: usize| {
            let members = self.members(team);
            Some((team, members.iter().find_map(|member| self.intake.counted[*member])?))
        };
        let counted: Vec<(usize, usize)> = self.teams().into_iter().filter_map(counted).collect();
        let mut of_roster = Vec::new();
        for (team, claim) in &counted {
            let time = self.time_of_roster(*team, *claim)?;
            of_roster.extend(time.map(|time| ((*team, *claim), time)));
        }
        let mut questions = Vec::new();
        for one in &earlier {
            let old = of_roster.iter().filter(|(_, time)| one.is_of_another(time)).map(|(place, _)| *place);
            let old: Vec<(usize, usize)> = old.collect();
            if !old.is_empty() {
                let about = self.members_of(&old);
                questions.push(self.asking().of_old_times(&old, about, &one.item, &one.folder));
            }
        }
        let mut dated: Vec<(usize, usize)> = Vec::new();
        for (team, claim) in &counted {
            let (student, members) = (&self.students[*team], self.members(*team));
            let Some(moment) = student.submitted else { continue };
            if let Some(other) = self.other_time(*team, *claim, moment, &members, terms) {
                let place = self.submitted_line(*team, moment);
                questions.push(self.asking().of_roster_time(*claim, members, (place, moment), &other));
            } else if is_there_another
                && student.submitted_from != TimeSource::Use
                && members.iter().any(|member| {
                    let own = self.students[*member].due.or(student.due);
                    own < terms.due
                        && own.is_some()
                        && (terms.lateness)(moment, own) != (terms.lateness)(moment, None)
                })
            {
                dated.push((*team, *claim));
            }
        }
        if !dated.is_empty() {
            let about = self.members_of(&dated);
            questions.push(self.asking().of_own_dates(&dated, about));
        }
        self.intake.questions.extend(questions);
        Ok(())
    }

    /// What else says when a submission was handed in, if it says otherwise than the roster.
    fn other_time(
        &self,
        team: usize,
        claim: usize,
        moment: Moment,
        members: &[usize],
        terms: &TimeTerms<'_>,
    ) -> Option<String> {
        let (student, claim) = (&self.students[team], &self.claims[claim]);
        if student.submitted_from != TimeSource::Roster || claim.time_from == TimeSource::Roster {
            return None;
        }
        let mut dues = members.iter().map(|member| self.students[*member].due.or(student.due));
        // A mark as late without a time is answered by the roster.
        let other = claim.time.moment()?;
        dues.any(|due| (terms.lateness)(moment, due) != (terms.lateness)(other, due))
            .then(|| format!("{} says {}", claim.time_from.words(), shown_time(other)))
    }

    /// What the roster alone says of the time of the submission that counts for a team.
    fn time_of_roster(&self, team: usize, claim: usize) -> anyhow::Result<Option<RosterTime>> {
        let (student, members) = (&self.students[team], self.members(team));
        let answer = &self.answers.claims[claim];
        let is_said_in_time = members.iter().any(|member| self.answers.in_time.contains_key(member));
        let submitted = match (student.submitted, student.submitted_from) {
            _ if answer.time.is_some() || answer.is_in_time => return Ok(None),
            (Some(moment), TimeSource::Roster) => moment.to_string(),
            _ if is_said_in_time => IN_TIME.to_owned(),
            _ => return Ok(None),
        };
        // Another download may pack the same files in another way.
        let content = hash::of_contents(self.claims[claim].files.iter().map(|file| file.path.as_path()))?;
        Ok(Some(RosterTime { id: student.id.clone(), submitted, content }))
    }

    /// The times of the roster by which students are graded now. Of those who are not graded, what
    /// was kept before stays: it is not answered yet.
    ///
    /// # Errors
    /// A submission that cannot be read, with the name of the file.
    pub(super) fn times_of_roster(&self) -> anyhow::Result<Vec<RosterTime>> {
        let earlier = earlier_times::beside(&self.places.private, &self.places.roster);
        let own = earlier.iter().find(|one| one.is_own);
        let mut all = Vec::new();
        for team in self.teams() {
            let members = self.members(team);
            let claim = members.iter().find_map(|member| self.intake.counted[*member]);
            let is_graded = self.state(team) == StudentState::HandedIn;
            match claim.filter(|_| is_graded) {
                Some(claim) => all.extend(self.time_of_roster(team, claim)?),
                None => all.extend(own.into_iter().flat_map(|own| own.of(&self.students[team].id)).cloned()),
            }
        }
        Ok(all)
    }

    fn members_of(&self, teams: &[(usize, usize)]) -> Vec<usize> {
        teams.iter().flat_map(|(team, _)| self.members(*team)).collect()
    }

    /// The line of the roster that says when a team has handed in.
    fn submitted_line(&self, team: usize, moment: Moment) -> u64 {
        let student = &self.students[team];
        let own = student.lines.iter().find(|line| line.submitted == Some(moment));
        own.map_or(student.line, |line| line.line)
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
