//! What students have handed in: found, unpacked under an alias, built and tried.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::reveal::Known;
use crate::config::roster::Student;
use crate::engine::build::{self, Failure};
use crate::engine::program::{self, shown};
use crate::engine::spec::EngineSpec;
use crate::engine::unpack;
use crate::keeper::{Interrupted, Kept};

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
    kept: &Kept,
    tell: &dyn Fn(&str),
) -> anyhow::Result<Vec<HandedIn>> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", shown(to)))?;
    let mut all = Vec::new();
    for student in students {
        let key = keys.iter().find(|key| key.id == student.id).expect("every student has an alias");
        let place = to.join(&key.alias);
        let (newest, remark) = newest(student, home);
        let engine = match newest {
            None => Err("nothing was handed in".to_owned()),
            Some(from) => match engine(&from, &place, &key.alias, kept, tell) {
                Ok(engine) => Ok(engine),
                Err(Failure::Words(why)) => Err(why),
                Err(Failure::Stopped) => return Err(Interrupted.into()),
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

fn engine(
    from: &Path,
    place: &Path,
    alias: &str,
    kept: &Kept,
    tell: &dyn Fn(&str),
) -> Result<EngineSpec, Failure> {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|about| about.modified()).ok();
    // What is there already is taken as it is, so that a cup that was stopped goes on with the same programs.
    if modified(place) < modified(from) || modified(from).is_none() {
        if place.exists() {
            std::fs::remove_dir_all(place)
                .map_err(|error| Failure::Words(format!("{}: {error}", shown(place))))?;
        }
        unpack::unpack(from, place).map_err(|why| {
            // Half of one must not be taken for a whole one the next time.
            let _ = std::fs::remove_dir_all(place);
            Failure::Words(format!("what was handed in {why}"))
        })?;
    }
    let single = place.join("engine");
    let path = if !place.join("engine.toml").is_file() && single.is_file() { &single } else { place };
    let mut engine = EngineSpec::at(path).map_err(Failure::Words)?;
    alias.clone_into(&mut engine.name);
    if build::is_due(&engine) {
        tell(&format!("building {alias} ..."));
        build::build(&engine, &kept.stop)?;
    }
    program::check(&engine.program).map_err(Failure::Words)?;
    Ok(engine)
}
