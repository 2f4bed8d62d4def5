//! The download of all submissions from a learning system, as one archive or folder: what was
//! handed in, and by whom as the system names them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use agon_config::Misuse;
use agon_printable::text_without_mark;
use agon_programs::program::display_path;
use anyhow::Context;

use super::claimed_files::{self, ClaimedFile};
use super::claims::IntakeClaim;
use super::entry_names::is_junk;
use super::handed_in::{self, HandedIn, LearningSystem};
use super::private;
use super::unpack;
use super::written_time::TimeSource;

/// The file of Gradescope that says who has handed in what.
const METADATA: &str = "submission_metadata.yml";
/// Entries that systems add for the teacher.
const OF_THE_SYSTEM: [&str; 1] = ["index.html"];
/// An entry that holds no files.
const ONLINE_TEXT: &str = "is an online text, which is left out";

/// What a download holds.
pub(super) struct Download {
    pub(super) system: LearningSystem,
    pub(super) claims: Vec<IntakeClaim>,
}

/// Reads a download, which is an archive or a folder. `to` is a folder of our own, for what is
/// unpacked. `logins` are those of the roster.
///
/// # Errors
/// [`Misuse`] if it cannot be read.
pub(super) fn read(from: &Path, to: &Path, logins: &[&str]) -> anyhow::Result<Download> {
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
    // Paths of submissions are absolute, because those of a roster are relative to it; and the link
    // that the teacher names leads nobody astray.
    let top = top.canonicalize().map_err(|error| wrong(format!("cannot be read: {error}")))?;
    entries(top, logins).map_err(wrong)
}

/// The submissions in a folder, by the system that has most of its names. A folder around all of
/// them is passed over.
fn entries(mut top: PathBuf, logins: &[&str]) -> Result<Download, String> {
    loop {
        let mut listed: Vec<(OsString, PathBuf)> = fs::read_dir(&top)
            .map_err(|error| format!("cannot be read: {error}"))?
            .flatten()
            .map(|entry| (entry.file_name(), entry.path()))
            .filter(|(name, _)| !is_junk(Path::new(name)) && !name.as_encoded_bytes().starts_with(b"."))
            .collect();
        listed.sort();
        if top.join(METADATA).is_file() {
            return of_gradescope(&top);
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
            (Some(system), _) => return Ok(Download { system, claims: grouped(system, "", listed) }),
            (None, _) => {
                let names: Vec<String> =
                    listed.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
                let (system, assignment) = match handed_in::classroom(&names, logins) {
                    Some(assignment) => (LearningSystem::GithubClassroom, assignment),
                    None => (LearningSystem::Plain, String::new()),
                };
                return Ok(Download { system, claims: grouped(system, &assignment, listed) });
            }
        }
    }
}

/// The submissions of a Gradescope download.
fn of_gradescope(top: &Path) -> Result<Download, String> {
    let text = fs::read_to_string(top.join(METADATA)).map_err(|error| format!("{METADATA}: {error}"))?;
    let all = handed_in::gradescope(text_without_mark(&text)).map_err(|why| format!("{METADATA}: {why}"))?;
    let claim = |(folder, handed_in): (String, HandedIn)| IntakeClaim {
        shown: claimed_files::shown(&folder),
        people: handed_in.people,
        of_roster: None,
        files: vec![ClaimedFile::folder(top.join(&folder))],
        is_late: handed_in.is_late,
        time: handed_in.when,
        time_from: TimeSource::Metadata,
        left_out: None,
        doubt: None,
    };
    Ok(Download { system: LearningSystem::Gradescope, claims: all.into_iter().map(claim).collect() })
}

/// The entries of a folder; the files of one student are one.
fn grouped(system: LearningSystem, assignment: &str, listed: Vec<(OsString, PathBuf)>) -> Vec<IntakeClaim> {
    let mut all: Vec<IntakeClaim> = Vec::new();
    for (name, path) in listed {
        let name = name.to_string_lossy().into_owned();
        if OF_THE_SYSTEM.contains(&name.as_str()) {
            continue;
        }
        let handed_in = match system {
            LearningSystem::GithubClassroom => {
                Some(handed_in::of_classroom(assignment, &name, path.is_dir()))
            }
            _ => handed_in::read(system, &name, path.is_dir()),
        };
        let is_text = is_online_text(system, &name);
        let handed_in = handed_in.unwrap_or_else(|| HandedIn::by(Vec::new(), None));
        let file = ClaimedFile { path, name: handed_in.file.clone(), attachment: handed_in.attachment };
        let belongs = |claim: &&mut IntakeClaim| {
            file.name.is_some()
                && matches!(
                    system,
                    LearningSystem::Canvas | LearningSystem::Moodle | LearningSystem::Brightspace
                )
                && claim.people == handed_in.people
                && !claim.people.is_empty()
                && (claim.time == handed_in.when || system == LearningSystem::Moodle)
        };
        match all.iter_mut().find(belongs) {
            Some(claim) => {
                claim.is_late |= handed_in.is_late;
                claim.files.push(file);
            }
            None => all.push(IntakeClaim {
                shown: claimed_files::shown(&name),
                people: handed_in.people,
                of_roster: None,
                files: vec![file],
                is_late: handed_in.is_late,
                time: handed_in.when,
                time_from: TimeSource::Name,
                left_out: is_text.then_some(ONLINE_TEXT),
                doubt: None,
            }),
        }
    }
    all
}

/// Whether an entry is what somebody has typed into the page of the system.
fn is_online_text(system: LearningSystem, name: &str) -> bool {
    match system {
        LearningSystem::Moodle => name.contains("_assignsubmission_onlinetext"),
        LearningSystem::Canvas => {
            let Some(begin) = name.strip_suffix("_text.html") else { return false };
            begin.rsplit('_').next().is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        }
        _ => false,
    }
}
