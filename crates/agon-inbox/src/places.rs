//! The places in the folder of submissions.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The most bytes of an archive.
pub const MOST_BYTES: u64 = 2 << 20;
/// The most files and folders in an archive.
pub const MOST_FILES: usize = 100;
/// The most bytes of an archive when it is unpacked.
pub const MOST_UNPACKED: u64 = 64 << 20;

/// The folder of submissions. Archives of a learning system lie in it; the other places are agon's.
#[derive(Clone, Debug)]
pub struct Inbox {
    root: PathBuf,
}

impl Inbox {
    /// The folder at a path, which need not be there.
    pub fn at(root: &Path) -> Inbox {
        Inbox { root: root.to_owned() }
    }

    /// Makes what is missing. The places of agon are for their owner alone.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn make(&self) -> io::Result<()> {
        for place in [self.uploads(), self.claimed(), self.accepted(), self.rejected(), self.reports()] {
            DirBuilder::new().recursive(true).mode(0o700).create(place)?;
        }
        Ok(())
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What the server has taken in, each file under the alias of its author. A hidden file is not
    /// whole yet.
    pub fn uploads(&self) -> PathBuf {
        self.root.join("uploads")
    }

    /// What is in work, in a folder for each alias.
    pub fn claimed(&self) -> PathBuf {
        self.root.join("claimed")
    }

    /// The archives of the engines in the pool.
    pub fn accepted(&self) -> PathBuf {
        self.root.join("accepted")
    }

    /// The last archives that were refused.
    pub fn rejected(&self) -> PathBuf {
        self.root.join("rejected")
    }

    /// What authors and the server read.
    pub fn reports(&self) -> PathBuf {
        self.root.join("reports")
    }

    /// What is told to the author behind an alias.
    pub fn report(&self, alias: &str) -> PathBuf {
        self.reports().join(alias)
    }

    /// The log for the staff.
    pub fn log(&self) -> PathBuf {
        self.root.join("inbox.log")
    }

    /// What is in work of an alias or waits for the machine, with the times at which it came.
    pub fn in_work(&self, alias: &str) -> Vec<(PathBuf, SystemTime)> {
        let mut all = visible_files(&self.claimed().join(alias));
        for (path, when) in &mut all {
            *when =
                arrival_note(path).and_then(|note| fs::metadata(note).ok()?.modified().ok()).unwrap_or(*when);
        }
        all
    }

    /// Keeps the time at which a file came that is claimed: a rename makes it look newer.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn note_arrival(claimed: &Path, when: SystemTime) -> io::Result<()> {
        let Some(note) = arrival_note(claimed) else { return Ok(()) };
        fs::File::create(note)?.set_modified(when)
    }

    /// Forgets it, when the file is answered.
    pub fn forget_arrival(claimed: &Path) {
        let _ = arrival_note(claimed).map(fs::remove_file); // an earlier version has made none
    }

    /// The whole files among the uploads with the times of their arrival, the oldest first.
    pub fn uploaded(&self) -> Vec<(PathBuf, SystemTime)> {
        let mut all: Vec<(PathBuf, SystemTime)> = visible_files(&self.uploads());
        all.sort_by_key(|(path, when)| (*when, path.clone()));
        all
    }
}

/// An empty file beside a claimed one, whose time is that of the arrival.
fn arrival_note(claimed: &Path) -> Option<PathBuf> {
    let name = claimed.file_name()?.to_string_lossy();
    Some(claimed.with_file_name(format!(".{name}.arrived")))
}

/// The regular files of a folder that are not hidden, with the times of their arrival.
///
/// That is when the file system has last changed them: a copy keeps the time at which its author
/// has written it, which says nothing of when it came.
pub(super) fn visible_files(folder: &Path) -> Vec<(PathBuf, SystemTime)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let file = |entry: fs::DirEntry| {
        let about = entry.metadata().ok()?; // of a link itself
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let nanoseconds = u32::try_from(about.ctime_nsec()).unwrap_or(0);
        let arrived = Duration::new(u64::try_from(about.ctime()).unwrap_or(0), nanoseconds);
        (about.is_file() && !is_hidden).then_some((entry.path(), SystemTime::UNIX_EPOCH + arrived))
    };
    entries.filter_map(file).collect()
}

impl Inbox {
    /// The whole files of the folder itself, with the times of their arrival. Names that end as
    /// those of unfinished downloads are left out.
    pub fn brought(&self) -> Vec<(PathBuf, SystemTime)> {
        const UNFINISHED: [&str; 5] = ["part", "filepart", "tmp", "crdownload", "partial"];
        let is_whole = |path: &Path| {
            let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
            !ending.is_some_and(|ending| UNFINISHED.contains(&ending.as_str()))
        };
        let log = self.log();
        let mut all = visible_files(&self.root);
        all.retain(|(path, _)| *path != log && is_whole(path) && !path.ends_with("inbox.lock"));
        all
    }
}
