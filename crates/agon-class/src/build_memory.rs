//! What is known of a submission from an earlier invocation: the content it was unpacked from, and
//! why its build failed. So a build that fails or hangs is not repeated for the same content.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use agon_programs::program::display_path;
use agon_store::hash;
use anyhow::Context;
use serde::{Deserialize, Serialize};

/// The conditions of builds. Under others, a build that failed is tried again.
pub(super) struct BuildMemory {
    /// The most time for a build.
    pub(super) bound: Duration,
    /// The isolation level.
    pub(super) level: String,
}

/// What is kept beside the folder of a submission, as JSON.
#[derive(Serialize, Deserialize)]
struct BuildNote {
    /// The hash of what was handed in.
    content: String,
    /// The most time for the build, in seconds.
    seconds: u64,
    level: String,
    /// Why there is no engine, by the fault of its author.
    failure: Option<String>,
    /// What was told of the ways that made no engine.
    #[serde(default)]
    remark: Option<String>,
    /// How it was told whose fault it is. Earlier versions did not ask.
    #[serde(default)]
    judged: u32,
}

/// How it is told now.
const JUDGED: u32 = 1;

impl BuildMemory {
    /// Whether the folder was made of this content.
    pub(super) fn is_made_of(&self, place: &Path, content: &str) -> bool {
        place.is_dir() && read(place).is_some_and(|note| note.content == content)
    }

    /// Why the build failed in an earlier invocation, if it would fail again: it had as much time
    /// and ran in the same way.
    pub(super) fn failed_before(&self, place: &Path) -> Option<String> {
        let note = read(place)?;
        let is_as_now =
            note.level == self.level && note.seconds >= self.bound.as_secs() && note.judged == JUDGED;
        note.failure.filter(|_| is_as_now)
    }

    /// What was told of the build that made the engine.
    pub(super) fn remark_of(&self, place: &Path) -> Option<String> {
        read(place)?.remark
    }

    /// Notes the result of a build: a remark, or why there is no engine.
    pub(super) fn keep(
        &self,
        place: &Path,
        content: &str,
        result: Result<Option<&str>, &str>,
    ) -> io::Result<()> {
        let note = BuildNote {
            content: content.to_owned(),
            seconds: self.bound.as_secs(),
            level: self.level.clone(),
            failure: result.err().map(str::to_owned),
            remark: result.ok().flatten().map(str::to_owned),
            judged: JUDGED,
        };
        fs::write(path(place), serde_json::to_vec(&note)?)
    }
}

/// Removes the folder of a submission and what is known of it.
///
/// # Errors
/// Errors of the disk.
pub(super) fn forget(place: &Path) -> anyhow::Result<()> {
    let cannot = || format!("cannot remove {}", display_path(place));
    // The note first: without it, a folder that is left is not used.
    for removed in [fs::remove_file(path(place)), fs::remove_dir_all(place)] {
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error).with_context(cannot),
            _ => {}
        }
    }
    Ok(())
}

/// Whether an engine was made in a folder.
pub(super) fn was_built(place: &Path) -> bool {
    read(place).is_some_and(|note| note.failure.is_none())
}

/// When the build of a folder was noted; `None` for a folder that no build was noted of.
pub(super) fn noted_at(place: &Path) -> Option<SystemTime> {
    read(place)?;
    fs::metadata(path(place)).and_then(|about| about.modified()).ok()
}

/// The hash of what was handed in; `None` if it cannot be read.
pub(super) fn content_of(from: &Path) -> Option<String> {
    // Opening a FIFO would block.
    let about = fs::metadata(from).ok()?;
    if about.is_file() || about.is_dir() { hash::of_tree(from).ok() } else { None }
}

/// The note lies beside the folder: a submission cannot bring one along.
fn path(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    place.with_file_name(format!(".{name}.json"))
}

fn read(place: &Path) -> Option<BuildNote> {
    serde_json::from_slice(&fs::read(path(place)).ok()?).ok()
}
