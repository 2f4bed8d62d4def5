//! The versions of submissions that nobody needs any more.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::build_memory;

/// A version of a submission that can be removed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OldVersion {
    /// Its folder.
    pub path: PathBuf,
    /// The size of its files.
    pub bytes: u64,
}

/// The versions in the folder of engines of a class that were unpacked before `until` and hold none
/// of the sources in `used`. Other folders are not listed.
pub fn old_versions(engines: &Path, used: &[PathBuf], until: SystemTime) -> Vec<OldVersion> {
    let real: Vec<PathBuf> = used.iter().map(|path| path.canonicalize().unwrap_or(path.clone())).collect();
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        // A link leads to something that is not ours.
        let mut all: Vec<PathBuf> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .collect();
        all.sort();
        all
    };
    let is_old = |place: &PathBuf| {
        let in_use = place.canonicalize().is_ok_and(|place| real.iter().any(|used| used.starts_with(&place)));
        !in_use && build_memory::noted_at(place).is_some_and(|noted| noted < until)
    };
    let versions = folders(engines).into_iter().flat_map(|alias| folders(&alias));
    versions.filter(is_old).map(|path| OldVersion { bytes: size(&path), path }).collect()
}

/// Removes a version and what is known of its build.
///
/// # Errors
/// Errors of the disk.
pub fn remove_version(version: &OldVersion) -> anyhow::Result<()> {
    build_memory::forget(&version.path)
}

fn size(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else { return 0 };
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => size(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.flatten().map(of).sum()
}
