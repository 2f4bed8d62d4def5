//! What students have handed in: found, unpacked under an alias, built and tried.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::reveal::Known;
use super::workplace::Workplace;
use crate::config::Confinement;
use crate::config::roster::Student;
use crate::engine::program::{self, shown};
use crate::engine::spec::EngineSpec;
use crate::engine::{build, submission, unpack};
use crate::keeper::Kept;

/// What has become of the submission of a student.
pub(super) struct HandedIn {
    pub(super) alias: String,
    /// The engine, or why there is none.
    pub(super) engine: Result<EngineSpec, String>,
    /// What there is to say besides.
    pub(super) remark: Option<String>,
}

/// Makes an engine of each student's newest submission, in `to/ALIAS`. Paths in the roster are seen from `home`.
pub(super) fn engines(
    students: &[Student],
    keys: &[Known],
    home: &Path,
    to: &Path,
    confinement: &Confinement,
    kept: &Kept,
    tell: &dyn Fn(&str),
) -> anyhow::Result<Vec<HandedIn>> {
    let workplace = Workplace::of(confinement, kept)?;
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", shown(to)))?;
    let mut all = Vec::new();
    for student in students {
        let key = keys.iter().find(|key| key.id == student.id).expect("every student has an alias");
        let place = to.join(&key.alias);
        let (newest, remark) = newest(student, home);
        let engine = match newest {
            None => Err("nothing was handed in".to_owned()),
            Some(from) => match fetch(&from, &place) {
                Ok(()) => engine(&place, &key.alias, &workplace, tell)?,
                Err(why) => Err(why),
            },
        };
        all.push(HandedIn { alias: key.alias.clone(), engine, remark });
    }
    Ok(all)
}

/// The newest of several submissions, and that there were several.
fn newest(student: &Student, home: &Path) -> (Option<PathBuf>, Option<String>) {
    let modified = |path: &PathBuf| std::fs::metadata(path).and_then(|about| about.modified()).ok();
    let mut paths: Vec<PathBuf> = student.submissions.iter().map(|name| home.join(name)).collect();
    // Of equals the one that stands last in the roster.
    paths.sort_by_key(modified);
    let count = paths.len();
    let newest = paths.pop();
    let remark =
        newest.as_ref().filter(|_| count > 1).map(|_| format!("{count} submissions; the newest counts"));
    (newest, remark)
}

/// Puts what was handed in into its place. What is there already is taken as it is, so that a cup that was stopped goes on with
/// the same programs.
fn fetch(from: &Path, place: &Path) -> Result<(), String> {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|about| about.modified()).ok();
    if modified(place) >= modified(from) && modified(from).is_some() {
        return Ok(());
    }
    if place.exists() {
        std::fs::remove_dir_all(place).map_err(|error| format!("{}: {error}", shown(place)))?;
    }
    unpack::unpack(from, place).map_err(|why| {
        // Half of one must not be taken for a whole one the next time.
        let _ = std::fs::remove_dir_all(place);
        format!("what was handed in {why}")
    })
}

/// The engine in a place, built if it has to be.
fn engine(
    place: &Path,
    alias: &str,
    workplace: &Workplace,
    tell: &dyn Fn(&str),
) -> anyhow::Result<Result<EngineSpec, String>> {
    let single = place.join("engine");
    let settings = place.join("engine.toml").is_file();
    let path = if !settings && single.is_file() { &single } else { place };
    let ready = || EngineSpec::at(path).ok().filter(|engine| program::check(&engine.program).is_ok());
    if ready().is_none_or(|engine| build::is_due(&engine)) && path == place {
        let found = match submission::look(place) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        if found.build.is_some() {
            tell(&format!("building {alias} ..."));
        }
        if let Err(why) = workplace.submission(&found)? {
            return Ok(Err(why));
        }
    }
    Ok(EngineSpec::at(path).and_then(|mut engine| {
        alias.clone_into(&mut engine.name);
        program::check(&engine.program)?;
        Ok(engine)
    }))
}
