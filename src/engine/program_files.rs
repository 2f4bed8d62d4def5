//! What the file system says of the files that make up an engine: whether any of them has changed
//! since they were hashed.
//!
//! The kernel sets the time of the last status change of a file, and nobody can choose it. So a
//! file with the same size and the same time of modification is still found to be another one, and
//! so is one that was put back.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;

use super::content;
use super::program::display_path;
use super::spec::EngineSpec;

/// The clock of files is as coarse as a tick of the kernel. Two changes within one tick may have
/// the same time.
pub const TICK: Duration = Duration::from_millis(20);

/// The files of an engine that are hashed, each with its marks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramFiles {
    /// Its folder, and whether it has been moved.
    folder: Option<(PathBuf, Option<FolderMarks>)>,
    files: BTreeMap<PathBuf, Option<FileMarks>>,
}

/// What tells a file from others, and from itself after a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FileMarks {
    /// Of the path itself, which may be a link.
    path: Marks,
    /// Of the file that it leads to.
    file: Marks,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Marks {
    device: u64,
    inode: u64,
    mode: u32,
    length: u64,
    /// In seconds and nanoseconds, as the next one.
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Marks {
    fn of(about: &Metadata) -> Marks {
        Marks {
            device: about.dev(),
            inode: about.ino(),
            mode: about.mode(),
            length: about.len(),
            modified: (about.mtime(), about.mtime_nsec()),
            changed: (about.ctime(), about.ctime_nsec()),
        }
    }
}

/// A folder changes with each file that is made in it, and then both of its times are the same.
/// Moved away and back, it has a later change without a modification.
#[derive(Clone, Copy, Debug)]
struct FolderMarks(Marks);

impl PartialEq for FolderMarks {
    fn eq(&self, other: &FolderMarks) -> bool {
        let (one, other) = (&self.0, &other.0);
        let later = if one.changed > other.changed { one } else { other };
        (one.device, one.inode) == (other.device, other.inode)
            && (one.changed == other.changed || later.changed == later.modified)
    }
}

impl Eq for FolderMarks {}

impl ProgramFiles {
    /// The files that make up an engine, as they are now: its program, and of its folder all that
    /// is hashed.
    ///
    /// # Errors
    /// Errors of the disk, with the name of the folder.
    pub fn of(engine: &EngineSpec) -> Result<ProgramFiles> {
        let mut paths = vec![engine.program.clone()];
        // One path may have two spellings, with a dot in it.
        let has_folder = engine.source != engine.program && engine.source.is_dir();
        if has_folder {
            content::gather(&engine.source, &content::is_passed_over, &mut paths)?;
            let is_part =
                |path: &Path| path.strip_prefix(&engine.source).map_or(true, |path| engine.has_part(path));
            paths.retain(|path| *path == engine.program || (is_part(path) && path.is_file()));
        }
        let folder = has_folder.then(|| (engine.source.clone(), folder_marks(&engine.source)));
        let files = paths.into_iter().map(|path| {
            let path: PathBuf = path.components().collect();
            let marks = file_marks(&path);
            (path, marks)
        });
        Ok(ProgramFiles { folder, files: files.collect() })
    }

    /// The files at these paths in a folder, or elsewhere, as they are now.
    pub fn at(folder: &Path, paths: impl IntoIterator<Item = PathBuf>) -> ProgramFiles {
        let files = paths.into_iter().map(|path| {
            let path: PathBuf = path.components().collect();
            let marks = file_marks(&path);
            (path, marks)
        });
        ProgramFiles { folder: Some((folder.to_owned(), folder_marks(folder))), files: files.collect() }
    }

    /// Their paths.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// The same files as they are now. New files of the folder are not among them.
    pub fn now(&self) -> ProgramFiles {
        ProgramFiles {
            folder: self.folder.as_ref().map(|(path, _)| (path.clone(), folder_marks(path))),
            files: self.files.keys().map(|path| (path.clone(), file_marks(path))).collect(),
        }
    }

    /// Whether none of them is missing.
    pub fn are_there(&self) -> bool {
        self.files.values().all(Option::is_some)
    }

    /// How these files differ from what they were `before`, in words, with the first file that
    /// does.
    pub fn difference(&self, before: &ProgramFiles) -> Option<String> {
        if self == before {
            return None;
        }
        for (path, marks) in &before.files {
            match self.files.get(path) {
                Some(now) if now == marks => {}
                Some(Some(_)) => return Some(format!("{} is not as it was", display_path(path))),
                Some(None) | None => return Some(format!("{} is missing", display_path(path))),
            }
        }
        let new = self.files.keys().find(|path| !before.files.contains_key(*path));
        if let Some(new) = new {
            return Some(format!("{} is new", display_path(new)));
        }
        self.folder.as_ref().map(|(path, _)| format!("{} has been moved", display_path(path)))
    }

    /// Whether the last change of each file is so old that another one will have another time.
    pub fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let is_old = |marks: &Marks| {
            let (seconds, nanoseconds) = marks.changed;
            let at = Duration::new(seconds.try_into().unwrap_or(0), nanoseconds.try_into().unwrap_or(0));
            // The clock of another machine may be ahead, and never agrees with this one.
            now.checked_sub(at).is_none_or(|age| age > TICK)
        };
        self.files.values().flatten().all(|marks| is_old(&marks.path) && is_old(&marks.file))
    }
}

fn file_marks(path: &Path) -> Option<FileMarks> {
    let own = fs::symlink_metadata(path).ok()?;
    let file = if own.is_symlink() { fs::metadata(path).ok()? } else { own.clone() };
    Some(FileMarks { path: Marks::of(&own), file: Marks::of(&file) })
}

fn folder_marks(path: &Path) -> Option<FolderMarks> {
    fs::metadata(path).ok().map(|about| FolderMarks(Marks::of(&about)))
}

#[cfg(test)]
mod tests {
    use std::fs::{File, FileTimes};
    use std::thread::sleep;

    use super::*;

    /// What is said after a change to an engine of two files.
    fn after(change: impl FnOnce(&Path)) -> Option<String> {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap().join("bot");
        fs::create_dir(&folder).unwrap();
        for (name, text) in [("engine.toml", "command = [\"./run\"]\n"), ("run", "one"), ("book", "abc")] {
            fs::write(folder.join(name), text).unwrap();
        }
        let engine = EngineSpec::at(&folder).unwrap();
        let before = ProgramFiles::of(&engine).unwrap();
        assert_eq!(before.files.len(), 3);
        sleep(TICK);
        assert!(before.is_settled());
        change(&folder);
        before.now().difference(&before).map(|text| text.replace(folder.to_str().unwrap(), ""))
    }

    #[test]
    fn every_change_of_a_file_is_seen() {
        assert_eq!(after(|_| {}), None);
        assert_eq!(
            after(|home| fs::write(home.join("run"), "two").unwrap()).unwrap(),
            "/run is not as it was"
        );
        // With the same size and time.
        let same = |home: &Path| {
            let file = home.join("book");
            let time = file.metadata().unwrap().modified().unwrap();
            fs::write(&file, "xyz").unwrap();
            File::options()
                .write(true)
                .open(&file)
                .unwrap()
                .set_times(FileTimes::new().set_modified(time))
                .unwrap();
        };
        assert_eq!(after(same).unwrap(), "/book is not as it was");
        assert_eq!(after(|home| fs::remove_file(home.join("book")).unwrap()).unwrap(), "/book is missing");
        // There and back.
        let swapped = |home: &Path| {
            fs::rename(home.join("run"), home.join("kept")).unwrap();
            fs::write(home.join("run"), "two").unwrap();
            fs::rename(home.join("kept"), home.join("run")).unwrap();
        };
        assert_eq!(after(swapped).unwrap(), "/run is not as it was");
        let moved = |home: &Path| {
            fs::rename(home, home.with_extension("old")).unwrap();
            fs::rename(home.with_extension("old"), home).unwrap();
        };
        assert_eq!(after(moved).unwrap(), " has been moved");
    }

    #[test]
    fn what_is_read_or_left_beside_a_program_is_no_change_of_it() {
        let used = |home: &Path| {
            fs::read(home.join("run")).unwrap();
            fs::create_dir(home.join("__pycache__")).unwrap();
            fs::write(home.join("__pycache__/a.pyc"), "x").unwrap();
            fs::write(home.join("log"), "x").unwrap();
        };
        assert_eq!(after(used), None);
    }
}
