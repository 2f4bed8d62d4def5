//! The folder to which a submission is unpacked, and the most that it may hold.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use agon_inbox::{MOST_FILES, MOST_UNPACKED};
use agon_printable::escape;
use agon_programs::extent::FolderLimits;
use agon_programs::machine_fault::{MachineFault, NoEngine};
use agon_programs::stopping;
use rustix::fs::OFlags;

use super::entry_names::is_junk;

/// The most files and folders of a submission.
pub(super) const MOST_ENTRIES: usize = FolderLimits::SUBMISSION.entries;
/// The most bytes of a submission, unpacked.
pub(super) const MOST_BYTES: u64 = FolderLimits::SUBMISSION.bytes;
/// The most folders in each other.
const MOST_FOLDERS: usize = FolderLimits::SUBMISSION.deep;

/// The most of what is unpacked.
#[derive(Clone, Copy)]
pub(super) struct UnpackLimits {
    /// Files and folders, also those that are left out.
    pub(super) entries: usize,
    /// Bytes of all files.
    pub(super) bytes: u64,
    /// Whether the archive knows which files are programs. A learning system has forgotten it.
    has_modes: bool,
}

impl UnpackLimits {
    /// Those of one submission.
    pub(super) const SUBMISSION: UnpackLimits =
        UnpackLimits { entries: MOST_ENTRIES, bytes: MOST_BYTES, has_modes: true };
    /// Those of an archive that comes by itself, at any hour.
    pub(super) const UPLOAD: UnpackLimits =
        UnpackLimits { entries: MOST_FILES, bytes: MOST_UNPACKED, has_modes: true };
    /// Those of the submissions of a class, as a learning system gives them out.
    pub(super) const CLASS: UnpackLimits =
        UnpackLimits { entries: 50 * MOST_ENTRIES, bytes: 16 * MOST_BYTES, has_modes: false };
}

/// The files written so far, and their folder.
pub(super) struct Extracted {
    entries: usize,
    bytes: u64,
    pub(super) limits: UnpackLimits,
    to: PathBuf,
}

impl Extracted {
    /// Nothing yet, in the folder `to`, which is to be made.
    pub(super) fn new(to: &Path, limits: UnpackLimits) -> Self {
        Extracted { entries: 0, bytes: 0, limits, to: to.to_owned() }
    }

    /// The folder.
    pub(super) fn to(&self) -> &Path {
        &self.to
    }

    /// Counts one more file or folder.
    pub(super) fn count(&mut self) -> Result<(), String> {
        self.entries += 1;
        match self.entries > self.limits.entries {
            true => Err(format!("has more than {} files", self.limits.entries)),
            false => Ok(()),
        }
    }

    /// Sees that there is room for so many more bytes.
    pub(super) fn has_room(&self, bytes: u64) -> Result<(), String> {
        match self.bytes.saturating_add(bytes) > self.limits.bytes {
            true => Err(format!("is more than {} MiB unpacked", self.limits.bytes >> 20)),
            false => Ok(()),
        }
    }

    /// The path of an entry, if it stays inside. The folders above it are made, and counted.
    fn place(&mut self, inner: &Path) -> Result<PathBuf, NoEngine> {
        let stays = inner.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !stays {
            return Err(format!("has the path {}, which leads out of it", told(inner)).into());
        }
        if inner.components().count() > MOST_FOLDERS + 1 {
            let why = format!("has more than {MOST_FOLDERS} folders in each other: {}", told(inner));
            return Err(why.into());
        }
        let place = self.to.join(inner);
        let above = place.parent().filter(|above| !above.is_dir() && above.starts_with(&self.to));
        let mut missing: Vec<&Path> = above.into_iter().flat_map(Path::ancestors).collect();
        missing.retain(|folder| *folder != self.to && folder.starts_with(&self.to));
        for folder in missing.into_iter().rev() {
            if make_folder(folder).map_err(|error| ours(inner, &error))? {
                self.count()?;
            }
        }
        Ok(place)
    }

    /// Adds a folder, which is counted.
    pub(super) fn folder(&mut self, inner: &Path) -> Result<(), NoEngine> {
        let place = self.place(inner)?;
        make_folder(&place).map(|_| ()).map_err(|error| ours(inner, &error))
    }

    /// Adds a file. Where the archive does not say whether it is executable, its first bytes do.
    pub(super) fn file(
        &mut self,
        inner: &Path,
        from: &mut dyn Read,
        executable: Option<bool>,
    ) -> Result<(), NoEngine> {
        let place = self.place(inner)?;
        let wrong = |error: io::Error| ours(inner, &error);
        // A second entry of the same name would overwrite the first, or follow a link.
        let file = File::options().write(true).create_new(true).open(&place);
        let mut file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                format!("has {} twice; make the archive anew", told(inner)).into()
            }
            _ => wrong(error),
        })?;
        let mut is_program = executable.filter(|_| self.limits.has_modes);
        // The unpacked bytes are counted: the size in an archive's header may be wrong.
        let mut chunk = vec![0; 1 << 16];
        loop {
            stopping::go_on().map_err(wrong)?;
            let read = from.read(&mut chunk).map_err(wrong)?;
            if read == 0 {
                break;
            }
            self.has_room(read as u64)?;
            self.bytes += read as u64;
            let head = &chunk[..read];
            is_program.get_or_insert(head.starts_with(b"#!") || head.starts_with(b"\x7fELF"));
            file.write_all(head).map_err(wrong)?;
        }
        let mode = if is_program == Some(true) { 0o755 } else { 0o644 };
        file.set_permissions(fs::Permissions::from_mode(mode)).map_err(wrong)
    }

    /// Adds all in a folder, of which `inner` is looked at.
    pub(super) fn copy_folder(&mut self, from: &Path, inner: &Path) -> Result<(), NoEngine> {
        for entry in fs::read_dir(from.join(inner)).map_err(|error| unread(inner, &error))? {
            let entry = entry.map_err(|error| unread(inner, &error))?;
            let below = inner.join(entry.file_name());
            self.count()?;
            if is_junk(&below) {
                continue;
            }
            // The metadata of a link itself.
            let about = entry.metadata().map_err(|error| unread(&below, &error))?;
            if about.is_dir() {
                self.folder(&below)?;
                self.copy_folder(from, &below)?;
            } else if about.is_file() {
                let named = |why: NoEngine| why.map_words(|why| format!("{}: {why}", told(&below)));
                let mut file = open(&entry.path()).map_err(named)?;
                self.file(&below, &mut file, Some(about.permissions().mode() & 0o100 != 0))?;
            } else {
                return Err(irregular(&below).into());
            }
        }
        Ok(())
    }
}

/// An error of our own work on an entry.
fn ours(inner: &Path, error: &io::Error) -> NoEngine {
    NoEngine::of(&told(inner), error)
}

/// An error of reading what was handed in. If a file that lies here may not be read, it is the
/// organiser who may not.
fn unread(inner: &Path, error: &io::Error) -> NoEngine {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            let what =
                if inner.as_os_str().is_empty() { "what was handed in".to_owned() } else { told(inner) };
            MachineFault::Short(format!("{what} cannot be read here: {error}")).into()
        }
        _ => ours(inner, error),
    }
}

/// Why an entry that is neither a file nor a folder is refused.
pub(super) fn irregular(inner: &Path) -> String {
    format!("has {}, which is a link or a device; hand in the file itself", told(inner))
}

/// Makes a folder. Returns whether it is new.
fn make_folder(folder: &Path) -> io::Result<bool> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(false),
        made => made.map(|()| true),
    }
}

/// Opens a regular file. A link or a FIFO that has replaced it meanwhile is refused.
pub(super) fn open(path: &Path) -> Result<File, NoEngine> {
    let wrong = |error: io::Error| match error.kind() {
        io::ErrorKind::PermissionDenied => unread(Path::new(""), &error),
        _ => NoEngine::of("cannot be read", &error),
    };
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(wrong)?;
    match file.metadata().map_err(wrong)?.is_file() {
        true => Ok(file),
        false => Err("is neither a file nor a folder".to_owned().into()),
    }
}

/// A path for people.
pub(super) fn told(path: &Path) -> String {
    escape(path.as_os_str().as_encoded_bytes(), 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bomb_is_not_unpacked_to_its_end() {
        struct Zeros;
        impl Read for Zeros {
            fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
                Ok(to.len())
            }
        }
        let home = tempfile::tempdir().unwrap();
        let mut room = Extracted::new(home.path(), UnpackLimits::SUBMISSION);
        room.bytes = MOST_BYTES - 100_000;
        let why = room.file(Path::new("bomb"), &mut Zeros, Some(false)).unwrap_err().to_string();
        assert!(why.contains("more than 1024 MiB"), "{why}");
        room.entries = MOST_ENTRIES - 3;
        room.folder(Path::new("a/b/c")).unwrap();
        assert_eq!(room.entries, MOST_ENTRIES - 1, "the folders above it count");
        let why = room.folder(Path::new("d/e/f")).unwrap_err().to_string();
        assert!(why.contains("more than 20000 files"), "{why}");
        let deep = Path::new("x").join("d/".repeat(MOST_FOLDERS)).join("f");
        let why = room.file(&deep, &mut Zeros, None).unwrap_err().to_string();
        assert!(why.contains("more than 64 folders in each other: x/d/d"), "{why}");
    }
}
