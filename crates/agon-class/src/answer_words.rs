//! What an answer in the column `use` means: its words, ids, names and times.

use std::path::PathBuf;

use agon_config::Moment;
use agon_printable::clean;

use super::claims::IntakeClaim;
use super::roster::{self, Student};

/// The column.
pub(super) const USE: &str = "use";
/// The column with the hash of what was handed in, to which an answer belongs.
pub(super) const CONTENT: &str = "content";
/// Nothing was handed in, or what was handed in is left out.
pub(super) const NONE: &str = "none";
/// The student is not graded.
pub(super) const EXCUSED: &str = "excused";
/// It was handed in in time, whatever is known of that.
pub(super) const IN_TIME: &str = "in time";
/// What this machine could not build or try counts as what does not work.
pub(super) const FAILS: &str = "does not work";
/// This one counts.
pub(super) const YES: &str = "yes";
/// What may be written for a submission, in words.
pub(super) const FOR_A_SUBMISSION: &str = "write yes, none, an id of the roster, the name of one of its files, a time like 2026-11-20T23:59, in time, or \
     does not work";
/// What may be written for a student, in words.
pub(super) const FOR_A_STUDENT: &str =
    "write none, excused, the name of a submission of the download, in time, or does not work";

/// What is answered about a submission.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ClaimAnswer {
    /// It belongs to nobody.
    pub(super) is_left_out: bool,
    /// It is the one that counts.
    pub(super) counts: bool,
    /// Whose it is.
    pub(super) owners: Option<Vec<usize>>,
    /// When it was handed in.
    pub(super) time: Option<Moment>,
    /// It was handed in in time.
    pub(super) is_in_time: bool,
    /// It counts as what does not work if this machine could not build or try it.
    pub(super) fails: bool,
    /// The one file of it that counts.
    pub(super) file: Option<PathBuf>,
    /// What was answered before it changed; this is to be asked again.
    pub(super) stale: Option<String>,
}

impl ClaimAnswer {
    /// It is of these students, and counts.
    pub(super) fn of_owners(owners: Vec<usize>) -> Self {
        ClaimAnswer { owners: Some(owners), counts: true, ..ClaimAnswer::default() }
    }
}

/// The submission of a line of the table. Spreadsheets drop blanks at the beginning of a name; of
/// two submissions of one name the student tells which is meant.
pub(super) fn claim_called(
    submission: &str,
    id: &str,
    students: &[Student],
    claims: &[IntakeClaim],
) -> Option<usize> {
    let fitting = |fits: &dyn Fn(&IntakeClaim) -> bool| -> Vec<usize> {
        (0..claims.len()).filter(|at| fits(&claims[*at])).collect()
    };
    if submission.trim().is_empty() {
        return None;
    }
    let mut found = fitting(&|claim| claim.shown == submission);
    if found.is_empty() {
        found = fitting(&|claim| claim.shown.trim() == submission.trim());
    }
    if found.len() > 1 {
        let is_own = |at: &usize| {
            let of_roster = claims[*at].of_roster;
            of_roster
                .is_some_and(|(student, _)| id.split(roster::BETWEEN).any(|id| id == students[student].id))
        };
        let own: Vec<usize> = found.iter().copied().filter(is_own).collect();
        found = if own.is_empty() { found } else { own };
    }
    found.first().copied()
}

/// Those who have this id but for zeros at its beginning, which spreadsheets cut off.
fn like(id: &str, students: &[Student]) -> Vec<usize> {
    let bare = |id: &str| id.trim_start_matches('0').to_lowercase();
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let fits = |student: &Student| {
        student.id.eq_ignore_ascii_case(id) || (is_number && bare(&student.id) == bare(id))
    };
    (0..students.len()).filter(|index| fits(&students[*index])).collect()
}

/// Whether a text in column `use` is not read as the name of a file: it is a word, or an id.
pub(super) fn is_no_name(text: &str, students: &[Student]) -> bool {
    let words = [NONE, "-", YES, IN_TIME, FAILS, EXCUSED];
    words.contains(&text.to_lowercase().as_str())
        || text.split(roster::BETWEEN).any(|id| !like(id.trim(), students).is_empty())
}

/// The ids of students, as they stand in a cell.
pub(super) fn ids_of(students: &[usize], all: &[Student]) -> String {
    students.iter().map(|index| all[*index].id.as_str()).collect::<Vec<_>>().join(";")
}

/// The student on whose line an answer is. Of two whose ids differ in zeros the name tells which is
/// meant.
///
/// # Errors
/// In words: it is nobody, or perhaps another one.
pub(super) fn student_of(id: &str, name: Option<&str>, students: &[Student]) -> Result<usize, String> {
    let like = like(id, students);
    let of_name: Vec<usize> =
        like.iter().copied().filter(|index| Some(clean(&students[*index].name).trim()) == name).collect();
    let is_exact = |index: usize| students[index].id == id;
    match (&like[..], &of_name[..]) {
        ([], _) => Err("is not in the roster".to_owned()),
        ([only], _) if is_exact(*only) => Ok(*only),
        (_, [only]) if is_exact(*only) => Ok(*only),
        _ => Err(format!(
            "may be {}: a spreadsheet cuts off zeros",
            ids_of(&like, students).replace(';', " or ")
        )),
    }
}

/// The students whose ids these are; `None` if they are no ids.
///
/// # Errors
/// In words: it may be the id of another one.
fn owners_of(ids: &str, students: &[Student]) -> Result<Option<Vec<usize>>, String> {
    let mut owners = Vec::new();
    for id in ids.split(roster::BETWEEN).map(str::trim).filter(|id| !id.is_empty()) {
        match like(id, students)[..] {
            [] => return Ok(None),
            [only] if students[only].id.eq_ignore_ascii_case(id) => owners.push(only),
            ref several => {
                let ids = ids_of(several, students).replace(';', " or ");
                return Err(format!(
                    "may be the id {ids}: a spreadsheet cuts off zeros; name the submission in column {USE} of the roster"
                ));
            }
        }
    }
    Ok(Some(owners).filter(|owners| !owners.is_empty()))
}

/// What an answer about a submission means.
///
/// # Errors
/// Why it is not understood, where that can be said.
pub(super) fn answer_of(
    text: &str,
    claim: &IntakeClaim,
    students: &[Student],
) -> Result<ClaimAnswer, Option<String>> {
    match text.to_lowercase().as_str() {
        NONE | "-" => return Ok(ClaimAnswer { is_left_out: true, ..ClaimAnswer::default() }),
        YES => return Ok(ClaimAnswer { counts: true, ..ClaimAnswer::default() }),
        // Neither says what counts.
        IN_TIME => return Ok(ClaimAnswer { is_in_time: true, ..ClaimAnswer::default() }),
        FAILS => return Ok(ClaimAnswer { fails: true, ..ClaimAnswer::default() }),
        _ => {}
    }
    let is_in_doubt = claim.doubt.as_ref().is_some_and(|doubt| doubt.called(text).is_some());
    if let Some(owners) = owners_of(text, students).map_err(Some)? {
        if is_in_doubt {
            let why = format!(
                "is an id of the roster and the name of one of its files; write ./{} for the file",
                clean(text)
            );
            return Err(Some(why));
        }
        return Ok(ClaimAnswer::of_owners(owners));
    }
    if let Some(file) = claim.file_called(text) {
        return Ok(ClaimAnswer { file: Some(file), counts: true, ..ClaimAnswer::default() });
    }
    // A time alone says nothing of what counts.
    if let Ok(time) = text.parse() {
        return Ok(ClaimAnswer { time: Some(time), ..ClaimAnswer::default() });
    }
    let (first, rest) = text.split_once(' ').ok_or(None)?;
    let rest = answer_of(rest.trim(), claim, students)?;
    let first = answer_of(first, claim, students)?;
    let says_when = |one: &ClaimAnswer| one.is_in_time || one.time.is_some();
    if first.is_left_out || rest.is_left_out {
        return Err(None);
    }
    if (says_when(&first) && says_when(&rest)) || (first.owners.is_some() && rest.owners.is_some()) {
        return Err(Some("says two different things".to_owned()));
    }
    Ok(ClaimAnswer {
        counts: first.counts || rest.counts,
        owners: first.owners.or(rest.owners),
        time: first.time.or(rest.time),
        is_in_time: first.is_in_time || rest.is_in_time,
        fails: first.fails || rest.fails,
        file: first.file.or(rest.file),
        ..ClaimAnswer::default()
    })
}
