//! What the file system says of the files of a folder: whether any of them has changed since.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::content;

/// The files of a folder with their marks. The kernel sets the time of the last change of a file,
/// and nobody can choose it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FolderState(Vec<(PathBuf, FileMarks)>);

/// Inode, length, and the seconds and nanoseconds of the last change.
type FileMarks = (u64, u64, i64, i64);

impl FolderState {
    /// The present state of all that makes up an engine in this folder.
    ///
    /// # Errors
    /// Errors of the disk, with the name of the folder.
    pub fn of(folder: &Path) -> Result<FolderState> {
        let mut files = Vec::new();
        content::gather(folder, &content::is_passed_over, &mut files)?;
        files.sort();
        // A file that has just been removed is another state too.
        let marks = |path: PathBuf| {
            let about = fs::symlink_metadata(&path).ok()?;
            Some((path, (about.ino(), about.len(), about.ctime(), about.ctime_nsec())))
        };
        Ok(FolderState(files.into_iter().filter_map(marks).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_seen_and_one_that_is_read_is_not() {
        let home = tempfile::tempdir().unwrap();
        let state = || FolderState::of(home.path()).unwrap();
        fs::write(home.path().join("a.py"), "one").unwrap();
        let first = state();
        fs::read(home.path().join("a.py")).unwrap();
        fs::create_dir(home.path().join("__pycache__")).unwrap();
        fs::write(home.path().join("__pycache__/a.pyc"), "x").unwrap();
        assert_eq!(state(), first);
        // The time of a change may be as coarse as a tick of the kernel.
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(home.path().join("a.py"), "two").unwrap();
        let second = state();
        assert_ne!(second, first);
        fs::write(home.path().join("b.py"), "").unwrap();
        assert_ne!(state(), second);
    }
}
