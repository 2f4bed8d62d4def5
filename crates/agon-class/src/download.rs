//! The download of all submissions from a learning system, as one archive or folder. Finds the
//! student of each submission, and puts what belongs together into one folder.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_export::cells::{self, CsvCell};
use agon_printable::{escape, text_without_mark};
use agon_programs::program::display_path;
use anyhow::Context;

use super::entry_names::is_junk;
use super::handed_in::{self, HandedIn, LearningSystem};
use super::person_finder;
use super::private;
use super::roster::Student;
use super::unpack;

/// The file of Gradescope that says who has handed in what.
const METADATA: &str = "submission_metadata.yml";
/// Entries that systems add for the teacher.
const OF_THE_SYSTEM: [&str; 1] = ["index.html"];
/// How many entries a message lists.
const SHOWN: usize = 10;

/// A submission in a download: its names, and the files it consists of.
struct Entry {
    /// The name in the download, escaped.
    shown: String,
    handed_in: HandedIn,
    /// Its folder or files.
    paths: Vec<(PathBuf, Option<String>)>,
}

/// One line of `intake.csv`.
struct IntakeRow {
    shown: String,
    is_late: bool,
    student: Option<usize>,
    result: String,
}

/// Gives each student the submission in a download, which is an archive or a folder. Those who have
/// handed in together become a team. `to` is a folder of our own, for what is unpacked; the list
/// of all submissions is written beside it. Returns remarks for the teacher.
///
/// # Errors
/// [`Misuse`] if it cannot be read, or no student of the roster is in it.
pub(super) fn take_in(from: &Path, to: &Path, students: &mut [Student]) -> anyhow::Result<Vec<String>> {
    let wrong = |why: String| Misuse::misread(&display_path(from), &why);
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("cannot remove {}", display_path(to)))?;
    }
    private::make(to).with_context(|| format!("cannot make {}", display_path(to)))?;
    let top = if from.is_dir() {
        from.to_owned()
    } else {
        let top = to.join("all");
        unpack::unpack_class(from, &top).map_err(wrong)?;
        top
    };
    let (system, entries) = entries(top).map_err(wrong)?;
    let mut rows = Vec::new();
    // The best submission of each team: the newest, and of equals the last.
    let mut taken: Vec<(usize, usize)> = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let found = people(entry, students);
        let student = found.as_ref().ok().map(|(first, _)| *first);
        let result = match &found {
            Ok((_, how)) => format!("matched by {how}"),
            Err(why) => why.clone(),
        };
        rows.push(IntakeRow {
            shown: entry.shown.clone(),
            is_late: entry.handed_in.is_late,
            student,
            result,
        });
        let Some(team) = student.map(|student| students[student].team) else { continue };
        match taken.iter_mut().find(|(other, _)| *other == team) {
            None => taken.push((team, number)),
            Some((_, before)) => {
                let older = if entries[*before].handed_in.when <= entry.handed_in.when {
                    std::mem::replace(before, number)
                } else {
                    number
                };
                rows[older].result.push_str(", but another submission counts");
            }
        }
    }
    if taken.is_empty() {
        let first = rows.first().map(|row| format!("the first, {}, {}", row.shown, row.result));
        let first = first.unwrap_or_else(|| "there is none".to_owned());
        return Err(Misuse::hinted(
            format!(
                "{}: {} submissions by {}, but none matches one student of the roster; {first}",
                display_path(from),
                entries.len(),
                system.name()
            ),
            "write ids, logins, addresses or names into the roster as the learning system has them",
        ));
    }
    for (team, number) in &taken {
        let path = gathered(&entries[*number], &to.join(format!("{number}")))
            .with_context(|| format!("cannot copy {}", entries[*number].shown))?;
        // Absolute, because paths in a roster are relative to it.
        let path = std::path::absolute(path)?;
        students[*team].submissions = vec![path.to_string_lossy().into_owned()];
        students[*team].named_on.clear();
    }
    write_list(&to.with_file_name("intake.csv"), &rows, students)?;
    Ok(remarks(from, system, &rows, students))
}

/// The student behind an entry, the first of several. Those who have handed in together are a team
/// from now on.
fn people(entry: &Entry, students: &mut [Student]) -> Result<(usize, &'static str), String> {
    let mut found = Vec::new();
    let mut why_not = None;
    for hint in &entry.handed_in.people {
        match person_finder::find(hint, students) {
            Ok(one) => found.push(one),
            Err(why) => why_not = Some(why),
        }
    }
    found.sort_by_key(|(index, _)| *index);
    let Some(first) = found.first().copied() else {
        let nobody = if entry.shown.contains("_assignsubmission_onlinetext") {
            "is an online text, which is left out"
        } else {
            "names nobody"
        };
        return Err(why_not.unwrap_or_else(|| nobody.to_owned()));
    };
    let team = students[first.0].team;
    for (other, _) in &found[1..] {
        // A team of the roster stays as it is.
        if students[*other].team == *other {
            students[*other].team = team.min(*other);
        }
    }
    Ok(first)
}

/// The submissions in a folder, by the system that has most of its names. A folder around all of
/// them is passed over.
fn entries(mut top: PathBuf) -> Result<(LearningSystem, Vec<Entry>), String> {
    loop {
        let mut listed: Vec<(OsString, PathBuf)> = fs::read_dir(&top)
            .map_err(|error| format!("cannot be read: {error}"))?
            .flatten()
            .map(|entry| (entry.file_name(), entry.path()))
            .filter(|(name, _)| !is_junk(Path::new(name)) && !name.as_encoded_bytes().starts_with(b"."))
            .collect();
        listed.sort();
        let metadata = top.join(METADATA);
        if metadata.is_file() {
            let text = fs::read_to_string(&metadata).map_err(|error| format!("{METADATA}: {error}"))?;
            let all = handed_in::gradescope(text_without_mark(&text))
                .map_err(|why| format!("{METADATA}: {why}"))?;
            let entry = |(folder, handed_in): (String, HandedIn)| {
                let path = top.join(&folder);
                Entry { shown: escape(folder.as_bytes(), 100), handed_in, paths: vec![(path, None)] }
            };
            return Ok((LearningSystem::Gradescope, all.into_iter().map(entry).collect()));
        }
        let systems = [LearningSystem::Canvas, LearningSystem::Moodle, LearningSystem::Brightspace];
        let known = |system: LearningSystem| {
            let fits = |(name, path): &&(OsString, PathBuf)| {
                handed_in::read(system, &name.to_string_lossy(), path.is_dir()).is_some()
            };
            listed.iter().filter(fits).count()
        };
        let best =
            systems.into_iter().max_by_key(|system| known(*system)).filter(|system| known(*system) > 0);
        match (best, &listed[..]) {
            (None, [(_, only)]) if only.is_dir() => top = only.clone(),
            (None, []) => return Err("holds no submissions".to_owned()),
            _ => {
                let system = best.unwrap_or(LearningSystem::Plain);
                return Ok((system, grouped(system, listed)));
            }
        }
    }
}

/// The entries of a folder; the files of one student are one.
fn grouped(system: LearningSystem, listed: Vec<(OsString, PathBuf)>) -> Vec<Entry> {
    let mut all: Vec<Entry> = Vec::new();
    for (name, path) in listed {
        let name = name.to_string_lossy().into_owned();
        if OF_THE_SYSTEM.contains(&name.as_str()) {
            continue;
        }
        let unknown = HandedIn { people: Vec::new(), file: None, is_late: false, when: None };
        let handed_in = handed_in::read(system, &name, path.is_dir()).unwrap_or(unknown);
        let file = handed_in.file.clone();
        let belongs = |entry: &&mut Entry| {
            let same = &entry.handed_in;
            file.is_some()
                && system != LearningSystem::Plain
                && same.people == handed_in.people
                && same.when == handed_in.when
        };
        match all.iter_mut().find(belongs) {
            Some(entry) => {
                entry.handed_in.is_late |= handed_in.is_late;
                entry.paths.push((path, file));
            }
            None => {
                all.push(Entry { shown: escape(name.as_bytes(), 100), handed_in, paths: vec![(path, file)] });
            }
        }
    }
    all
}

/// The path of a submission: its folder, or a folder with its files under their own names.
fn gathered(entry: &Entry, to: &Path) -> std::io::Result<PathBuf> {
    if let [(folder, None)] = &entry.paths[..] {
        return Ok(folder.clone());
    }
    private::make(to)?;
    for (path, name) in &entry.paths {
        let name = name.as_deref().unwrap_or_default();
        // The name comes from the student; only its last part is used.
        let name = Path::new(name).file_name().unwrap_or(path.file_name().unwrap_or_default());
        // A link is refused later, as in every folder.
        if fs::symlink_metadata(path)?.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(path)?, to.join(name))?;
        } else if path.is_file() {
            fs::copy(path, to.join(name))?;
        }
    }
    Ok(to.to_owned())
}

fn write_list(path: &Path, rows: &[IntakeRow], students: &[Student]) -> anyhow::Result<()> {
    let row = |row: &IntakeRow| {
        let of_team = |cell: fn(&Student) -> &str| {
            let team = row.student.map(|student| students[student].team);
            let members = students.iter().filter(|student| Some(student.team) == team);
            members.map(cell).collect::<Vec<_>>().join(";")
        };
        vec![
            CsvCell::text(&row.shown),
            CsvCell::text(&of_team(|student| &student.id)),
            CsvCell::text(&of_team(|student| &student.name)),
            CsvCell::exact(if row.is_late { "late" } else { "" }),
            CsvCell::text(&row.result),
        ]
    };
    let text = cells::text_of(["submission", "id", "name", "late", "result"], rows.iter().map(row))?;
    private::write_text(path, &text)
}

/// What the teacher should know of a download.
fn remarks(from: &Path, system: LearningSystem, rows: &[IntakeRow], students: &[Student]) -> Vec<String> {
    let shown = display_path(from);
    let matched = rows.iter().filter(|row| row.student.is_some()).count();
    let mut all = vec![format!(
        "{shown}: {} submissions by {}; {matched} belong to students of the roster",
        rows.len(),
        system.name()
    )];
    let mut list = |what: &str, lines: Vec<String>| {
        let more = lines.len().saturating_sub(SHOWN);
        if !lines.is_empty() {
            let more = if more > 0 { format!("\n  and {more} more, in intake.csv") } else { String::new() };
            all.push(format!("{what}:\n  {}{more}", lines[..lines.len().min(SHOWN)].join("\n  ")));
        }
    };
    let left: Vec<String> = (rows.iter().filter(|row| row.student.is_none()))
        .map(|row| format!("{}: {}", row.shown, row.result))
        .collect();
    list("submissions of nobody in the roster", left);
    let late: Vec<String> = (rows.iter().filter(|row| row.is_late))
        .filter_map(|row| {
            row.student.map(|student| format!("{} ({})", students[student].name, students[student].id))
        })
        .collect();
    list("handed in late, as the learning system has marked it", late);
    let without: Vec<String> =
        (students.iter().filter(|student| students[student.team].submissions.is_empty()))
            .map(|student| format!("{} ({})", student.name, student.id))
            .collect();
    list("students without a submission", without);
    all
}
