//! A class after its tournament: the grades and their files.

use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_export::cells::{self, CsvCell};
use agon_pages::report::columns::columns;
use agon_printable::clean;
use agon_programs::program::display_path;
use agon_standings::grades::{Achieved, Grade, Lateness, Scheme};
use agon_store::{Filter, Store};

use super::achievements::{self, CupResults, Unachieved};
use super::assignment::Assignment;
use super::class_intake::LatenessOf;
use super::contents;
use super::coverage;
use super::exported::FilledBook;
use super::forms::GradeForms;
use super::gradebook::{self, GradebookEntry};
use super::gradescope::Leading;
use super::intake::StudentState;
use super::key::KeyRow;
use super::late::{self, LateResults};
use super::mailing::{self, MailRow};
use super::private;
use super::regrading::{self, NewGrade};
use super::reports::StudentReport;
use super::students::Class;
use super::submissions::StudentSubmission;

/// The grades of a class.
pub struct GradesTable {
    /// The grades by alias, as a table for people.
    pub text: String,
    /// Remarks about the files for learning systems.
    pub remarks: Vec<String>,
    /// Whether a gradebook has no row for a student with a grade.
    pub lacks_rows: bool,
}

/// A student's grade, and the results of the student's engine.
struct GradedStudent<'a> {
    key: &'a KeyRow,
    /// The index of the first student of the team.
    team: usize,
    submission: &'a StudentSubmission,
    grade: Grade,
    /// The name of the student's folder.
    folder: String,
    /// The place and the other columns of the leaderboard; `None` if the engine has not played.
    leading: Option<Leading>,
    /// Its games: those of the class, or its own if it is late.
    cup: &'a CupResults<'a>,
    is_late: bool,
    state: StudentState,
    /// What its games covered; empty without games.
    coverage: String,
}

/// What grades are made of.
pub struct Grading<'a> {
    /// The rules for grades.
    pub scheme: &'a Scheme,
    /// The results of the class.
    pub cup: &'a CupResults<'a>,
    /// The results of late submissions.
    pub late: &'a [LateResults<'a>],
    /// How late a submission is that was handed in at some time.
    pub lateness: LatenessOf<'a>,
    /// The assignment that is graded.
    pub assignment: &'a Assignment,
    /// The files for learning systems.
    pub forms: &'a GradeForms,
}

impl Class {
    /// Grades each student by the results of the student's engine. Writes `grades.csv`, the files
    /// for learning systems and the folder of each student into the private folder. Grades that
    /// were written change only with `regrade`; then a copy of the old gradebooks is kept.
    ///
    /// # Errors
    /// [`Misuse`] if written grades would change and `regrade` is not set: nothing is written. Or
    /// the results cannot be read, or a file cannot be written.
    pub fn grade(&self, grading: &Grading<'_>, regrade: bool) -> anyhow::Result<GradesTable> {
        let Grading { scheme, cup, late, lateness, assignment, forms } = grading;
        let elos = achievements::elos(&cup.games);
        // The games of a late submission say nothing of its opponents' grades.
        let overloaded = coverage::overloaded(&cup.directories)?;
        let of_late = late.iter().map(|late| coverage::overloaded(&late.cup.directories));
        let of_late = of_late.collect::<anyhow::Result<Vec<_>>>()?;
        let baselines: Vec<&str> = self.baselines().collect();
        let mut graded = Vec::new();
        let students = self.students.iter().zip(&self.keys).zip(&self.submissions).enumerate();
        for (index, ((student, key), submission)) in students {
            let mut state = self.state(index);
            let late_place = late.iter().position(|late| late.alias == key.alias);
            let late = late_place.map(|place| &late[place]);
            if state == StudentState::HandedIn
                && late.is_none()
                && cup.withdrawn.contains(&key.alias.as_str())
            {
                state = StudentState::Withdrawn;
            }
            let achieved = achieved(submission, cup, late, scheme, &baselines)?;
            let mut why = state.why().to_owned();
            if let (StudentState::HandedIn, Err(of_games)) = (state, &achieved) {
                state = StudentState::NoGameCounts;
                why = format!("{of_games}; ask your teacher");
            }
            let team = &self.students[student.team];
            // What was not handed in is not late.
            let submitted = team.submitted.filter(|_| !team.submissions.is_empty());
            let lateness =
                submitted.map_or(Lateness::InTime, |moment| lateness(moment, student.due.or(team.due)));
            let mut grade = match (state, &achieved) {
                (StudentState::HandedIn, Ok(achieved)) => scheme.grade(achieved),
                (StudentState::NothingHandedIn, _) => {
                    Grade { grade: scheme.nothing_handed_in, ..Grade::state(state.word(), why) }
                }
                _ => Grade::state(state.word(), why),
            };
            // Who has lost a place by a play-off or by lot must be able to read it.
            let ties = cup.ties.iter().filter(|tie| late.is_none() && tie.contains(&key.alias));
            ties.for_each(|tie| grade.why.push_str(&format!("; {tie}")));
            let grade = scheme.late(grade, lateness);
            let is_late = late.is_some();
            let grade = forms.by_hand.of(&key.id, grade);
            let cup = late.map_or(*cup, |late| &late.cup);
            let has_played = cup.games.iter().any(|game| game.names.contains(&key.alias));
            let games = late_place.map_or(&overloaded, |place| &of_late[place]);
            let of_overload = games.get(&key.alias).copied().unwrap_or_default();
            let coverage = match has_played && state == StudentState::HandedIn {
                true => coverage::line(&key.alias, cup, &baselines, of_overload),
                false => String::new(),
            };
            // A late submission has no place among the others.
            let place = cup.places.iter().find(|place| place.name == key.alias && late.is_none());
            let share = cup.without_play_offs.percent(&key.alias, cup.points);
            let leading = place.zip(share).map(|(place, points)| Leading {
                place: place.place,
                points,
                stage: place.reached + 1,
                elo: elos.get(&key.alias).copied(),
            });
            // Each student of a team has a folder.
            let before = graded.iter().filter(|one: &&GradedStudent<'_>| one.key.alias == key.alias).count();
            let behind = if before > 0 { format!("-{}", before + 1) } else { String::new() };
            let folder = format!("students/{}{behind}", key.alias);
            graded.push(GradedStudent {
                key,
                team: student.team,
                submission,
                grade,
                folder,
                leading,
                cup,
                is_late,
                state,
                coverage,
            });
        }
        let private = &self.places.private;
        let changes = regrading::changes(private, &new_grades(&graded))?;
        let entries = entries(&graded);
        let filled = forms.filled(&entries, &regrading::before(private)?)?;
        let replaced = self.replaced(&filled);
        let all: String = changes.iter().chain(&replaced).map(String::as_str).collect();
        if !all.is_empty() && !regrade {
            return Err(Misuse::hinted(
                format!("grades that were written would change; none is written\n{}", all.trim_end()),
                "read the table, then give --regrade too; the old gradebooks are kept",
            ));
        }
        let times_of_roster = self.times_of_roster()?;
        for GradedStudent { key, submission, grade, folder, leading, cup, is_late, coverage, .. } in &graded {
            let (alias, leading, is_late) = (key.alias.as_str(), leading.as_ref(), *is_late);
            let report = StudentReport { alias, grade, leading, submission, cup, is_late, coverage, forms };
            report.write(&private.join(folder))?;
        }
        let grades = grades_csv(&graded)?;
        let kept = regrading::keep(private, &grades)?;
        let remarks = write_tables(private, &grades, &graded, forms, (&entries, &filled))?;
        late::keep(private, &self.late_list)?;
        assignment.keep(private, times_of_roster)?;
        let old = kept.map(|folder| format!("the old gradebooks are in {}\n", display_path(&folder)));
        let text = changes.into_iter().chain(replaced).chain(old).chain([table(&graded)]).collect();
        Ok(GradesTable { text, remarks, lacks_rows: filled.iter().any(|book| !book.missing.is_empty()) })
    }

    /// The grades that somebody has written into a gradebook and that would be replaced, as a
    /// table. `None` if there are none.
    fn replaced(&self, filled: &[FilledBook]) -> Option<String> {
        let alias = |id: &str| {
            self.keys.iter().find(|key| key.id == id).map(|key| key.alias.clone()).unwrap_or_default()
        };
        let rows: Vec<Vec<String>> = (filled.iter().flat_map(|book| &book.replaced))
            .map(|[id, old, new]| {
                vec![
                    alias(id),
                    clean(old),
                    new.clone(),
                    "was written in the gradebook by somebody else".to_owned(),
                ]
            })
            .collect();
        (!rows.is_empty()).then(|| columns(&["alias", "old", "new", "why"], &rows))
    }
}

fn new_grades<'a>(graded: &'a [GradedStudent<'_>]) -> Vec<NewGrade<'a>> {
    let new = |GradedStudent { key, grade, .. }: &'a GradedStudent<'_>| NewGrade {
        id: &key.id,
        alias: &key.alias,
        grade,
    };
    graded.iter().map(new).collect()
}

/// The achievement of a submission, or in words that no game counts on which it depends.
fn achieved(
    submission: &StudentSubmission,
    cup: &CupResults<'_>,
    late: Option<&LateResults<'_>>,
    scheme: &Scheme,
    baselines: &[&str],
) -> anyhow::Result<Result<Achieved, String>> {
    let broken = |why: String| Achieved { broken: Some(why), ..Achieved::default() };
    if let Err(why) = &submission.engine {
        return Ok(Ok(broken(why.to_string())));
    }
    let achieved = match late {
        Some(results) => late::achieved(results, cup, scheme, baselines),
        None => achievements::achieved(&submission.alias, cup, scheme, baselines),
    };
    let directories = late.map_or(&cup.directories, |late| &late.cup.directories);
    Ok(match achieved {
        Ok(achieved) => Ok(achieved),
        Err(Unachieved::NoGameCounts(why)) => Err(why),
        Err(Unachieved::NeverMoved) => {
            let why = without_a_move(directories, &submission.alias)?;
            Ok(broken(contents::without_played_paths(&why, &submission.folder, directories)))
        }
    })
}

/// The reason of an engine that made no legal move in a game that counts: its first fault in the
/// cup.
fn without_a_move(directories: &[PathBuf], alias: &str) -> anyhow::Result<String> {
    let of_engine = Filter { engine: Some(alias.to_owned()), ..Filter::default() };
    let (mut first, mut has_moved) = (None, false);
    for directory in directories.iter().filter(|directory| Store::is_in(directory)) {
        Store::read(directory)?.games(&of_engine, |stored| {
            let seats = &stored.record.seats;
            has_moved |= stored.record.plies.iter().any(|ply| seats[ply.seat].entrant == alias);
            let Some(decided) = stored.record.decided() else { return Ok(()) };
            let own = decided.termination.forfeited().map(|seat| &seats[seat].entrant);
            if first.is_none() && own.is_some_and(|name| name == alias) {
                first = Some(format!(": {}: {}", decided.termination, decided.reason));
            }
            Ok(())
        })?;
    }
    // It may have moved in games that do not count.
    let what = if has_moved { "made no legal move in a game that counts" } else { "never made a legal move" };
    Ok(format!("it {what}{}", first.unwrap_or_default()))
}

/// The text of `grades.csv`.
fn grades_csv(graded: &[GradedStudent<'_>]) -> anyhow::Result<String> {
    let row = |GradedStudent { key, grade, leading, state, coverage, .. }: &GradedStudent<'_>| {
        vec![
            CsvCell::text(&key.id),
            CsvCell::text(&key.name),
            CsvCell::text(&key.mail),
            CsvCell::exact(&key.alias),
            CsvCell::maybe(leading.as_ref().map(|leading| leading.place)),
            CsvCell::exact(gradebook::cell(grade.grade)),
            CsvCell::text(&grade.name),
            CsvCell::text(&grade.why),
            CsvCell::exact(state.word()),
            CsvCell::exact(coverage),
        ]
    };
    let head = ["id", "name", "mail", "alias", "place", "grade", "step", "why", "state", "coverage"];
    cells::text_of(head, graded.iter().map(row))
}

/// Writes `grades.csv`, which has the text `grades`, and the files for learning systems. Returns
/// remarks about the latter.
fn write_tables(
    folder: &Path,
    grades: &str,
    graded: &[GradedStudent<'_>],
    forms: &GradeForms,
    (entries, filled): (&[GradebookEntry], &[FilledBook]),
) -> anyhow::Result<Vec<String>> {
    let put = |name: &str, text: &str| private::write_text(&folder.join(name), text);
    put(regrading::GRADES, grades)?;
    let is_told = |(_, entry): &(&GradedStudent<'_>, &GradebookEntry)| gradebook::has_address(entry, entries);
    let mails: Vec<MailRow<'_>> = (graded.iter().zip(entries).filter(is_told))
        .map(|(one, _)| one)
        .map(|GradedStudent { key, grade, folder, leading, .. }| MailRow {
            mail: &key.mail,
            name: &key.name,
            alias: &key.alias,
            grade,
            leading: leading.as_ref(),
            folder: folder.clone(),
        })
        .collect();
    put("mail.csv", &mailing::csv(&mails, &forms.item, forms.max)?)?;
    forms.write(folder, entries, filled)
}

fn entries(graded: &[GradedStudent<'_>]) -> Vec<GradebookEntry> {
    let entry = |GradedStudent { key, grade, team, .. }: &GradedStudent<'_>| GradebookEntry {
        id: key.id.clone(),
        mail: key.mail.clone(),
        team: *team,
        grade: grade.grade,
        feedback: grade.why.clone(),
    };
    graded.iter().map(entry).collect()
}

fn table(graded: &[GradedStudent<'_>]) -> String {
    let row = |GradedStudent { key, grade, leading, .. }: &GradedStudent<'_>| {
        vec![
            key.alias.clone(),
            leading.as_ref().map(|leading| leading.place.to_string()).unwrap_or_default(),
            gradebook::cell(grade.grade),
            grade.name.clone(),
            grade.why.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = graded.iter().map(row).collect();
    columns(&["alias", "place", "grade", "step", "why"], &rows)
}
