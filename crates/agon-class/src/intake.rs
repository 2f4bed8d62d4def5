//! Who has handed in what: the submissions are given to students, and what is doubtful becomes a
//! question. Nothing is guessed.

use std::collections::BTreeSet;

use agon_config::Moment;
use agon_printable::clean;

use super::answer_words::{NONE, USE};
use super::answers::{Answers, SinceTable, StudentAnswer};
use super::claims::IntakeClaim;
use super::handed_in::PersonHint;
use super::intake_questions::{Asking, IntakeQuestion};
use super::person_finder::{self, Doubt, GROUP, GroupsOfNames, ID_AND_NAME};
use super::roster::Student;
use super::written_time::{TimeSource, WrittenTime, shown_time};

/// What is known of a student before the games. Only one who has handed in gets a grade from them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum StudentState {
    /// A submission counts.
    #[default]
    HandedIn,
    /// Nothing was handed in.
    NothingHandedIn,
    /// The student is not graded.
    Excused,
    /// It is not known which submission is the student's, if any.
    NotAttributed,
    /// This machine could not build or try the submission, and nobody knows whether it works.
    MachinesFault,
    /// No game counts on which the grade depends: the organiser has made them void.
    NoGameCounts,
    /// The organiser has let the engine leave the games.
    Withdrawn,
}

impl StudentState {
    /// The word in every table; empty for one who has handed in.
    pub(super) fn word(self) -> &'static str {
        match self {
            StudentState::HandedIn => "",
            StudentState::NothingHandedIn => "nothing handed in",
            StudentState::Excused => "excused",
            StudentState::NotAttributed => "not attributed",
            StudentState::MachinesFault => "machine's fault",
            StudentState::NoGameCounts => "no game counts",
            StudentState::Withdrawn => "withdrawn",
        }
    }

    /// Why a student has it, for the student.
    pub(super) fn why(self) -> &'static str {
        match self {
            StudentState::HandedIn | StudentState::NoGameCounts => "",
            StudentState::Withdrawn => "your engine has withdrawn from the games; ask your teacher",
            StudentState::NothingHandedIn => "nothing was handed in",
            StudentState::Excused => "excused by the organiser",
            StudentState::NotAttributed => {
                "it is not decided yet which submission is yours; ask your teacher"
            }
            StudentState::MachinesFault => {
                "your submission could not be built or tried here; ask your teacher"
            }
        }
    }
}

/// A line of the table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct IntakeRow {
    /// The submission; empty on the line of a student without one.
    pub(super) submission: String,
    pub(super) files: String,
    /// The students, by index.
    pub(super) students: Vec<usize>,
    pub(super) is_marked_late: bool,
    pub(super) time: Option<Moment>,
    /// The time as it is shown, and where it was read.
    pub(super) time_shown: String,
    pub(super) time_from: TimeSource,
    /// Whether it is the one that counts.
    pub(super) counts: bool,
    pub(super) result: String,
}

/// What came of the matching.
#[derive(Default)]
pub(super) struct Intake {
    pub(super) rows: Vec<IntakeRow>,
    pub(super) questions: Vec<IntakeQuestion>,
    /// Which claim counts for each student.
    pub(super) counted: Vec<Option<usize>>,
    /// The state of each student.
    pub(super) states: Vec<StudentState>,
    /// The claims whose answers do not hold since something else has come.
    pub(super) again: Vec<(usize, String)>,
}

/// What the matching needs.
pub(super) struct Matching<'a> {
    pub(super) students: &'a [Student],
    pub(super) claims: &'a [IntakeClaim],
    pub(super) answers: &'a Answers,
    /// What questions name.
    pub(super) asking: Asking<'a>,
    /// Whether the submissions are those of a download: who is not in it has to be asked for.
    pub(super) is_download: bool,
    /// Whether nobody who is missing has handed in anything.
    pub(super) missing_is_none: bool,
    /// The groups in its names.
    pub(super) groups: GroupsOfNames,
    /// What is open already.
    pub(super) waiting: Vec<IntakeQuestion>,
    /// Whether two submissions are the same.
    pub(super) are_equal: &'a dyn Fn(&IntakeClaim, &IntakeClaim) -> bool,
}

/// Whose a claim is.
enum Owner {
    /// These, with those of their teams.
    Students {
        students: Vec<usize>,
        /// Those whom it names itself.
        named: Vec<usize>,
        how: &'static str,
    },
    /// It is left out, for this reason.
    Nobody(String),
    Doubt(Doubt),
    /// Something else has to be said first, in words and as a question: nothing of its students
    /// counts before.
    Held(String, IntakeQuestion),
}

/// How the teacher has said whose it is.
const ANSWERED: &str = "the answer in column use";
const BY_ROSTER: &str = "the roster";
/// Why an answer has to be given again.
const OF_OTHERS: &str = "was written before something else was handed in";

impl Owner {
    fn has_any_of(&self, students: &[usize]) -> bool {
        matches!(self, Owner::Students { students: own, .. } if own.iter().any(|one| students.contains(one)))
    }
}

impl Matching<'_> {
    /// Gives the submissions to the students.
    pub(super) fn decide(&self) -> Intake {
        let mut owners = self.owners();
        let again = self.hold_what_is_superseded(&mut owners);
        let mut intake = Intake {
            again,
            counted: vec![None; self.students.len()],
            states: vec![StudentState::HandedIn; self.students.len()],
            questions: self.waiting.clone(),
            ..Intake::default()
        };
        intake.rows = self.claims.iter().zip(&owners).map(|(claim, owner)| self.row(claim, owner)).collect();
        for (at, owner) in owners.iter().enumerate() {
            match owner {
                Owner::Doubt(doubt) => intake.questions.push(self.asking.of_doubt(at, doubt)),
                Owner::Held(_, question) => intake.questions.push(question.clone()),
                Owner::Students { .. } | Owner::Nobody(_) => {}
            }
        }
        self.count(&owners, &mut intake);
        // Who has a submission in any case is not in doubt.
        let Intake { questions, counted, .. } = &mut intake;
        questions
            .iter_mut()
            .for_each(|question| question.about.retain(|student| counted[*student].is_none()));
        self.ask_for_files(&mut intake);
        self.ask_for_two_times(&mut intake);
        self.note_the_others(&owners, &mut intake);
        intake
    }

    /// Whose each claim is.
    fn owners(&self) -> Vec<Owner> {
        let mut all: Vec<Owner> = (0..self.claims.len()).map(|at| self.owner(at)).collect();
        // The system knows more people of a name than the roster, or other groups.
        for student in 0..self.students.len() {
            let number = |claim: &IntakeClaim| claim.people.first().and_then(|person| person.number.clone());
            let mut unsure: Vec<usize> = Vec::new();
            let (mut numbers, mut sure): (BTreeSet<String>, BTreeSet<String>) = Default::default();
            for (at, owner) in all.iter().enumerate() {
                let Owner::Students { named, how, .. } = owner else { continue };
                let Some(number) = number(&self.claims[at]).filter(|_| named.contains(&student)) else {
                    continue;
                };
                match *how {
                    // A group has a number of its own.
                    ANSWERED | BY_ROSTER | GROUP | "id" => {}
                    ID_AND_NAME => drop(sure.insert(number)),
                    _ => {
                        unsure.push(at);
                        numbers.insert(number);
                    }
                }
            }
            unsure.retain(|at| number(&self.claims[*at]).is_some_and(|number| !sure.contains(&number)));
            if unsure.is_empty() || numbers.len() + sure.len() < 2 {
                continue;
            }
            let shown: Vec<&str> = unsure.iter().map(|at| self.claims[*at].shown.as_str()).collect();
            for at in &unsure {
                let others = if sure.is_empty() {
                    let others: Vec<&str> =
                        shown.iter().filter(|other| **other != self.claims[*at].shown).copied().collect();
                    format!("another one so called has handed in {}", others.join(", "))
                } else {
                    "another one so called has the id of the roster".to_owned()
                };
                let who = self.asking.told(&[student]);
                let why = format!("may be {who}, or somebody else who is called so: {others}");
                all[*at] = Owner::Doubt(Doubt { why, candidates: vec![student] });
            }
        }
        all
    }

    fn owner(&self, at: usize) -> Owner {
        let answer = &self.answers.claims[at];
        let Some(text) = &answer.stale else { return self.present_owner(at) };
        let about = match self.present_owner(at) {
            Owner::Students { students, .. } => students,
            Owner::Doubt(Doubt { candidates, .. }) => candidates,
            Owner::Held(_, question) => question.about,
            Owner::Nobody(_) => Vec::new(),
        };
        self.again(at, text, OF_OTHERS, about)
    }

    /// An answer that has to be given again.
    fn again(&self, at: usize, text: &str, why: &str, about: Vec<usize>) -> Owner {
        let (what, question) = self.asking.again(at, text, why, about);
        Owner::Held(what, question)
    }

    /// Holds the submissions whose answer was given before something else of these students came.
    /// Returns them with the answers.
    fn hold_what_is_superseded(&self, owners: &mut [Owner]) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for at in 0..owners.len() {
            let Owner::Students { students, .. } = &owners[at] else { continue };
            let (since, answer) = (self.answers.since[at], &self.answers.claims[at]);
            let has_come = |other: &usize| {
                let is_new = self.answers.since[*other] != SinceTable::Same;
                let has_answer = self.answers.claims[*other].counts;
                *other != at && is_new && !has_answer && owners[*other].has_any_of(students)
            };
            let of_student = students.iter().find_map(|student| self.answers.of_student(*student));
            let (text, why) = if let Some(word) = of_student.filter(|_| since == SinceTable::Changed) {
                (word.to_owned(), OF_OTHERS.to_owned())
            } else if answer.counts
                && since == SinceTable::Same
                && let Some(other) = (0..owners.len()).find(has_come)
            {
                let why = format!("was written before {} came", self.claims[other].shown);
                (self.answers.texts[at].clone(), why)
            } else {
                continue;
            };
            found.push((at, text, why, students.clone()));
        }
        let hold = |(at, text, why, about): (usize, String, String, Vec<usize>)| {
            owners[at] = self.again(at, &text, &why, about);
            (at, text)
        };
        found.into_iter().map(hold).collect()
    }

    fn present_owner(&self, at: usize) -> Owner {
        let (claim, answer) = (&self.claims[at], &self.answers.claims[at]);
        if answer.is_left_out {
            return Owner::Nobody("is left out, as column use says".to_owned());
        }
        if let Some(owners) = &answer.owners {
            return self.of_students(at, owners.clone(), ANSWERED);
        }
        if let Some((student, _)) = claim.of_roster {
            return self.of_students(at, vec![student], BY_ROSTER);
        }
        if let Some(why) = claim.left_out {
            return Owner::Nobody(why.to_owned());
        }
        let (mut found, mut how) = (Vec::new(), None);
        for hint in &claim.people {
            match person_finder::find(hint, self.students, self.groups) {
                Ok(people) => {
                    found.extend(people.students);
                    how.get_or_insert(people.how);
                }
                // One of those who have handed in together is as important as the others.
                Err(doubt) if claim.people.len() > 1 => {
                    return Owner::Doubt(Doubt { why: format!("{}: {}", named(hint), doubt.why), ..doubt });
                }
                Err(doubt) => return Owner::Doubt(doubt),
            }
        }
        match how {
            Some(how) => self.of_students(at, found, how),
            None => Owner::Doubt(Doubt { why: "names nobody".to_owned(), candidates: Vec::new() }),
        }
    }

    fn of_students(&self, at: usize, named: Vec<usize>, how: &'static str) -> Owner {
        let students = self.with_teams(&named);
        let teams: BTreeSet<usize> = named.iter().map(|index| self.students[*index].team).collect();
        let others: Vec<usize> = students.iter().copied().filter(|index| !named.contains(index)).collect();
        // Of one team, one may stand for all.
        let (what, question) = if teams.len() > 1 && !others.is_empty() {
            self.asking.of_teams(at, &named, &others, students)
        } else if let Some(others) = self.other_members(&named).filter(|_| how != ANSWERED) {
            self.asking.of_groups(at, &named, &others)
        } else {
            return Owner::Students { students, named, how };
        };
        Owner::Held(what, question)
    }

    /// The others of the groups of these students, if they are of several groups.
    fn other_members(&self, named: &[usize]) -> Option<Vec<usize>> {
        let groups = named.iter().map(|index| self.students[*index].group.as_str());
        let groups: BTreeSet<&str> = groups.filter(|group| !group.is_empty()).collect();
        let is_other =
            |index: &usize| !named.contains(index) && groups.contains(self.students[*index].group.as_str());
        let others: Vec<usize> = (0..self.students.len()).filter(is_other).collect();
        (groups.len() > 1 && !others.is_empty()).then_some(others)
    }

    /// These students and those of their teams, ordered.
    fn with_teams(&self, students: &[usize]) -> Vec<usize> {
        let teams: BTreeSet<usize> = students.iter().map(|index| self.students[*index].team).collect();
        (0..self.students.len()).filter(|index| teams.contains(&self.students[*index].team)).collect()
    }

    fn row(&self, claim: &IntakeClaim, owner: &Owner) -> IntakeRow {
        let (students, result) = match owner {
            Owner::Students { students, how, .. } => (students.clone(), format!("matched by {how}")),
            Owner::Nobody(why) => (Vec::new(), why.clone()),
            Owner::Doubt(doubt) => (Vec::new(), doubt.why.clone()),
            Owner::Held(what, _) => (Vec::new(), what.clone()),
        };
        IntakeRow {
            submission: claim.shown.clone(),
            files: claim.files_shown(),
            students,
            is_marked_late: claim.is_late,
            result,
            ..IntakeRow::default()
        }
    }

    /// The claims of a student.
    fn own(&self, owners: &[Owner], student: usize) -> Vec<usize> {
        (0..self.claims.len()).filter(|at| owners[*at].has_any_of(&[student])).collect()
    }

    /// Chooses the claim that counts for each student.
    fn count(&self, owners: &[Owner], intake: &mut Intake) {
        let mut asked: Vec<(Vec<usize>, usize)> = Vec::new();
        for student in 0..self.students.len() {
            let own = self.own(owners, student);
            let is_held = owners
                .iter()
                .any(|owner| matches!(owner, Owner::Held(_, question) if question.about.contains(&student)));
            if own.is_empty() || is_held || self.answers.students.contains_key(&student) {
                continue;
            }
            let newest = if self.are_apart(owners, &own) {
                Err("others have handed in only one of them".to_owned())
            } else {
                self.newest(&own)
            };
            match newest {
                Ok(at) => intake.counted[student] = Some(at),
                Err(why) => {
                    intake.states[student] = StudentState::NotAttributed;
                    // A team is asked for once.
                    match asked.iter().find(|(other, _)| *other == own) {
                        Some((_, question)) => intake.questions[*question].about.push(student),
                        None => {
                            asked.push((own.clone(), intake.questions.len()));
                            intake.questions.push(self.asking.of_several(&own, student, &why));
                            for at in &own {
                                intake.rows[*at].result.push_str(", and it is not known which one counts");
                            }
                        }
                    }
                }
            }
        }
        for (at, claim) in self.claims.iter().enumerate() {
            let row = &mut intake.rows[at];
            let time = self.time(at);
            row.time = time.moment();
            row.time_from = match (&time, self.answers.claims[at].time) {
                (WrittenTime::Missing, _) => TimeSource::Unknown,
                (_, Some(_)) => TimeSource::Use,
                _ => claim.time_from,
            };
            row.time_shown = match time {
                WrittenTime::Missing => String::new(),
                WrittenTime::At(moment) => shown_time(moment),
                WrittenTime::Unread(text) => clean(&text),
            };
            let Owner::Students { students: own, .. } = &owners[at] else { continue };
            row.counts = own.iter().any(|student| intake.counted[*student] == Some(at));
            if own.iter().all(|student| intake.counted[*student].is_some_and(|other| other != at)) {
                row.result.push_str(", but another submission counts");
            }
            let answers: BTreeSet<&str> = own
                .iter()
                .filter_map(|student| self.answers.students.get(student))
                .map(|answer| match answer {
                    StudentAnswer::Nothing => ", but column use of the student says none",
                    StudentAnswer::Excused => ", but does not count: the student is excused",
                })
                .collect();
            answers.into_iter().for_each(|answer| row.result.push_str(answer));
        }
    }

    /// Whether these claims of a student are of different people, and none was chosen: what is
    /// newer may be of one of them alone.
    fn are_apart(&self, owners: &[Owner], own: &[usize]) -> bool {
        let people = own.iter().map(|at| match &owners[*at] {
            Owner::Students { students, .. } => &students[..],
            _ => &[],
        });
        let people: BTreeSet<&[usize]> = people.collect();
        people.len() > 1 && !own.iter().any(|at| self.answers.claims[*at].counts)
    }

    /// The claim of several that counts: the one that was chosen, or the newest.
    fn newest(&self, own: &[usize]) -> Result<usize, String> {
        let chosen: Vec<usize> = own.iter().copied().filter(|at| self.answers.claims[*at].counts).collect();
        match (&chosen[..], own) {
            ([only], _) | ([], [only]) => return Ok(*only),
            ([], _) => {}
            _ => return Err("column use says of several that they count".to_owned()),
        }
        let first = &self.claims[own[0]];
        let are_equal = own[1..].iter().all(|at| (self.are_equal)(first, &self.claims[*at]));
        let mut timed: Vec<(Moment, usize)> = Vec::new();
        for at in own {
            match self.time(*at) {
                WrittenTime::At(moment) => timed.push((moment, *at)),
                WrittenTime::Missing | WrittenTime::Unread(_) if are_equal => {}
                WrittenTime::Missing => return Err("no time says which is newer".to_owned()),
                WrittenTime::Unread(text) => {
                    return Err(format!("the time {:?} is not understood", clean(&text)));
                }
            }
        }
        timed.sort();
        let Some(((last, at), others)) = timed.split_last() else {
            return Ok(*own.last().expect("it has several"));
        };
        // A date without a time, or a time that clocks show twice, may be before the other.
        let before = others.iter().map(|(moment, _)| moment.span().1).max();
        match before {
            Some(before) if before >= last.span().0 && !are_equal => {
                Err(match others.iter().any(|(other, _)| other.span() == last.span()) {
                    true => "both have the same time".to_owned(),
                    false => "their times do not say which is newer".to_owned(),
                })
            }
            // A readme that was handed in later may belong to the program before it.
            _ if self.claims[*at].is_for_people()
                && own.iter().any(|at| !self.claims[*at].is_for_people()) =>
            {
                Err("the newest has nothing that plays".to_owned())
            }
            _ => Ok(*at),
        }
    }

    /// The time of a claim, which the teacher may have written.
    fn time(&self, at: usize) -> WrittenTime {
        match self.answers.claims[at].time {
            Some(moment) => WrittenTime::At(moment),
            None => self.claims[at].time.clone(),
        }
    }

    /// Adds the lines of students without a submission, and asks for those whom nobody has
    /// answered for.
    fn note_the_others(&self, owners: &[Owner], intake: &mut Intake) {
        let doubtful: BTreeSet<usize> =
            intake.questions.iter().flat_map(|question| &question.about).copied().collect();
        for (index, student) in self.students.iter().enumerate() {
            if intake.counted[index].is_some() {
                continue;
            }
            let says_none = !self.is_download
                && self.students[student.team].lines.iter().all(|line| line.path.is_empty());
            let own = self.own(owners, index);
            let (state, result) = match self.answers.students.get(&index) {
                Some(StudentAnswer::Nothing) if !own.is_empty() => {
                    intake.questions.push(self.asking.of_none(index, &own, intake.rows.len()));
                    intake.states[index] = StudentState::NotAttributed;
                    intake.rows.push(IntakeRow {
                        students: vec![index],
                        result: format!("column {USE} says {NONE}, but there is a submission"),
                        ..IntakeRow::default()
                    });
                    continue;
                }
                Some(StudentAnswer::Excused) => (StudentState::Excused, "excused"),
                Some(StudentAnswer::Nothing) => (StudentState::NothingHandedIn, "nothing handed in"),
                None if doubtful.contains(&index) => {
                    intake.states[index] = StudentState::NotAttributed;
                    // What waits has no line of its own.
                    if self.waiting.iter().any(|question| question.about.contains(&index)) {
                        intake.rows.push(IntakeRow {
                            students: vec![index],
                            result: "a submission waits for agon inbox".to_owned(),
                            ..IntakeRow::default()
                        });
                    }
                    continue;
                }
                None if says_none => {
                    (StudentState::NothingHandedIn, "nothing handed in: the cell in the roster is empty")
                }
                None if self.missing_is_none => {
                    (StudentState::NothingHandedIn, "nothing handed in: --missing none")
                }
                None => (StudentState::NotAttributed, "no submission was found"),
            };
            intake.states[index] = state;
            if state == StudentState::NotAttributed {
                intake.questions.push(self.asking.of_missing(index, intake.rows.len()));
            }
            intake.rows.push(IntakeRow {
                students: vec![index],
                result: result.to_owned(),
                ..IntakeRow::default()
            });
        }
    }

    /// The students for whom a claim counts.
    fn counted_by(intake: &Intake, at: usize) -> Vec<usize> {
        (0..intake.counted.len()).filter(|student| intake.counted[*student] == Some(at)).collect()
    }

    /// Asks which of its files counts, of each claim that counts.
    fn ask_for_files(&self, intake: &mut Intake) {
        for (at, claim) in self.claims.iter().enumerate() {
            if !intake.rows[at].counts || self.answers.claims[at].file.is_some() {
                continue;
            }
            let about = Self::counted_by(intake, at);
            let Some((question, doubt)) = self.asking.of_files(at, about).zip(claim.doubt.as_ref()) else {
                continue;
            };
            intake.rows[at].result.push_str(&format!(", but {}", doubt.what));
            intake.questions.push(question);
        }
    }

    /// Asks which of two answers about the time of a submission holds.
    fn ask_for_two_times(&self, intake: &mut Intake) {
        for at in 0..self.claims.len() {
            let about = Self::counted_by(intake, at);
            let in_time = about.iter().find_map(|student| self.answers.in_time.get(student));
            let (Some(place), Some(time)) = (in_time, self.answers.claims[at].time) else { continue };
            intake.questions.push(self.asking.of_two_times(at, about, place, time));
        }
    }
}

/// A person as a download names it.
fn named(hint: &PersonHint) -> String {
    let all = hint.names.iter().chain(&hint.ids).map(|text| clean(text));
    all.collect::<Vec<_>>().first().cloned().unwrap_or_else(|| "somebody without a name".to_owned())
}
