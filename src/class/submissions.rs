//! The submissions of students: finds the newest, unpacks it under an alias, and builds it.

use std::path::{Component, Path, PathBuf};

use agon_printable::escape;
use anyhow::Context;

use super::key::KeyRow;
use super::roster::Student;
use super::unpack;
use crate::engine::program::{self, display_path};
use crate::engine::spec::EngineSpec;
use crate::engine::{build, sandbox, submission};
use crate::entrants::{Built, EngineBuilder};

/// The submission of a student.
pub(super) struct StudentSubmission {
    pub(super) alias: String,
    /// The engine, or why there is none.
    pub(super) engine: Result<EngineSpec, String>,
    /// A remark for the teacher.
    pub(super) remark: Option<String>,
}

/// Makes an engine of each student's newest submission, in `to/ALIAS`. Paths in the roster are
/// relative to `home`.
pub(super) fn engines<'a>(
    students: impl Iterator<Item = (&'a Student, &'a KeyRow)>,
    home: &Path,
    to: &Path,
    builder: &EngineBuilder<'_>,
) -> anyhow::Result<Vec<StudentSubmission>> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", display_path(to)))?;
    let mut all = Vec::new();
    for (student, key) in students {
        let (newest, remark) = newest(student, home);
        let engine = match newest {
            None => Err("nothing was handed in".to_owned()),
            Some(from) => match led_astray(&from, home) {
                Some(why) => {
                    let name = from.file_name().unwrap_or_default().as_encoded_bytes();
                    Err(format!("what was handed in, {}, {why}", escape(name, 60)))
                }
                None => engine(&from, &to.join(&key.alias), &key.alias, builder)?,
            },
        };
        all.push(StudentSubmission { alias: key.alias.clone(), engine, remark });
    }
    Ok(all)
}

/// Why a submission is refused: it is a link, or a link on its path leads out of the roster's
/// folder. Then an engine of an earlier submission is not used either.
fn led_astray(from: &Path, home: &Path) -> Option<String> {
    if from.is_symlink() {
        return Some("is a link; hand in the file or the folder itself".to_owned());
    }
    let inner = from.strip_prefix(home).ok()?;
    let is_up = |part| matches!(part, Component::ParentDir | Component::RootDir);
    if inner.components().any(is_up) {
        return None; // the roster names a place outside
    }
    let home = if home.as_os_str().is_empty() { Path::new(".") } else { home };
    let (Ok(real), Ok(home)) = (from.canonicalize(), home.canonicalize()) else { return None };
    (!real.starts_with(home)).then(|| {
        "is reached through a link that leads out of the folder of the roster; name its own place".to_owned()
    })
}

/// The newest submission, and a remark if there were several.
fn newest(student: &Student, home: &Path) -> (Option<PathBuf>, Option<String>) {
    let modified = |path: &PathBuf| std::fs::symlink_metadata(path).and_then(|about| about.modified()).ok();
    let mut paths: Vec<PathBuf> = student.submissions.iter().map(|name| home.join(name)).collect();
    // Of equals, the last one in the roster.
    paths.sort_by_key(modified);
    let count = paths.len();
    let newest = paths.pop();
    let remark =
        newest.as_ref().filter(|_| count > 1).map(|_| format!("{count} submissions; the newest counts"));
    (newest, remark)
}

fn engine(
    from: &Path,
    place: &Path,
    alias: &str,
    builder: &EngineBuilder<'_>,
) -> anyhow::Result<Built<EngineSpec>> {
    let modified = |path: &Path| std::fs::symlink_metadata(path).and_then(|about| about.modified()).ok();
    // An existing folder is used unchanged, so that a stopped cup continues with the same programs.
    if modified(place) < modified(from) || modified(from).is_none() {
        if place.exists() {
            std::fs::remove_dir_all(place)
                .with_context(|| format!("cannot remove {}", display_path(place)))?;
        }
        if let Err(why) = unpack::unpack(from, place) {
            // The next invocation must not take half a submission for a whole one.
            let _ = std::fs::remove_dir_all(place);
            return Ok(Err(format!("what was handed in {why}")));
        }
    }
    let engine = match ready(place) {
        Some(engine) => Ok(engine),
        None => match submission::look(place) {
            Ok(found) => {
                let stop = &builder.context.stop;
                builder.build(alias, |bench| build::make(&found, bench, build::BOUND, stop))?
            }
            Err(why) => Err(why),
        },
    };
    let boxed = builder.confinement.level.is_boxed();
    Ok(engine.and_then(|mut engine| {
        alias.clone_into(&mut engine.name);
        if boxed {
            sandbox::admits(&engine)?;
        }
        Ok(engine)
    }))
}

/// An engine that needs no build: a single program, or one that is newer than its sources.
fn ready(place: &Path) -> Option<EngineSpec> {
    let (toml, single) = (place.join("engine.toml"), place.join("engine"));
    let alone = || std::fs::read_dir(place).is_ok_and(|all| all.count() == 1);
    let path = match toml.is_file() {
        true => place,
        false if single.is_file() && alone() => &single,
        false => return None,
    };
    let engine = EngineSpec::at(path).ok()?;
    (!build::is_due(&engine) && program::check(&engine.program).is_ok()).then_some(engine)
}
