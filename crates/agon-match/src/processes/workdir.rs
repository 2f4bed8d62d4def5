//! Directories for engines, empty except for the files of the game.
//!
//! An engine's directory is cleared and used again in its next game: making and removing one costs
//! more than a short game. It never goes to another engine, so no engine finds another's files.

use std::collections::HashMap;
use std::ffi::CString;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agon_games::GameFile;
use agon_printable::escape;
use agon_sandbox::leftovers::hold;
use agon_sandbox::removal::remove;
use rustix::fs::OFlags;

/// How many directories are kept for the next game of their engine. More are removed.
const WAITING: usize = 64;

/// The directory of one run, which holds the directories of all its engines. It is removed when the
/// run ends; when the run is killed, its keeper removes it.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    next: AtomicU64,
    waiting: Arc<Waiting>,
    /// The lock that shows that the run is alive, until it is closed.
    _held: OwnedFd,
}

/// The unused directories, by the names of their engines.
#[derive(Debug, Default)]
struct Waiting(Mutex<HashMap<String, Vec<FilePlace>>>);

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<FilePlace>>> {
        // A directory lost in a panic is removed with the whole scratch directory.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scratch {
    /// Makes the directory, which no other user may enter.
    ///
    /// # Errors
    /// Agon's own: the directory exists, or the file system refuses.
    pub fn create(path: &Path) -> io::Result<Self> {
        let cannot = |error: io::Error| {
            let shown = escape(path.as_os_str().as_bytes(), 400);
            let what = "cannot make the directory for temporary files";
            io::Error::new(error.kind(), format!("{what}, {shown}: {error}; name another place with TMPDIR"))
        };
        let held = loop {
            fs::DirBuilder::new().mode(0o700).create(path).map_err(cannot)?;
            // Another run may have removed it as left behind, before it was locked.
            if let Some(held) = hold(path).map_err(|error| cannot(error.into()))? {
                break held;
            }
        };
        // Engines see their path, so it is made short and free of links.
        Ok(Scratch {
            path: path.canonicalize()?,
            next: AtomicU64::new(0),
            waiting: Arc::default(),
            _held: held,
        })
    }

    /// A directory for an engine, with only `board` and the other files of the game.
    ///
    /// # Errors
    /// Agon's own: the file system refuses.
    pub fn directory(&self, engine: &str, board: &str, supplies: Vec<GameFile>) -> io::Result<WorkDir> {
        let waiting = self.waiting.lock().get_mut(engine).and_then(Vec::pop);
        let place = match waiting {
            Some(place) => place,
            None => {
                let path = self.path.join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
                fs::create_dir(&path)?;
                FilePlace { path, files: Vec::new() }
            }
        };
        let mut own =
            WorkDir { place: Some(place), engine: engine.to_owned(), waiting: self.waiting.clone() };
        let board = GameFile { name: "board", bytes: Arc::new(board.as_bytes().to_vec()) };
        let place = own.place.as_mut().expect("it has just been put there");
        place.drop_all_but(&supplies)?;
        for file in supplies.into_iter().chain([board]) {
            place.put(file)?;
        }
        Ok(own)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// One engine's directory in one game.
#[derive(Debug)]
pub struct WorkDir {
    /// `None` only after the drop.
    place: Option<FilePlace>,
    engine: String,
    waiting: Arc<Waiting>,
}

impl WorkDir {
    /// Its absolute path.
    pub fn path(&self) -> &Path {
        &self.place().path
    }

    /// Puts a copy of a folder into it, with the files and folders below. Links are left out: they
    /// would lead to what only agon may read.
    ///
    /// # Errors
    /// Agon's own: the file system refuses.
    pub(crate) fn add_folder(&self, name: &str, from: &Path) -> io::Result<()> {
        copy_folder(from, &self.path().join(name))
    }

    /// Its path as a C string.
    pub fn c_path(&self) -> CString {
        CString::new(self.path().as_os_str().as_bytes()).expect("a path that was made has no NUL")
    }

    fn place(&self) -> &FilePlace {
        self.place.as_ref().expect("it is taken only when it is dropped")
    }
}

impl Drop for WorkDir {
    fn drop(&mut self) {
        let Some(place) = self.place.take() else { return };
        // The engine has ended, so nothing in it changes any more.
        let tidy = place.tidy();
        let mut waiting = self.waiting.lock();
        if tidy && waiting.values().map(Vec::len).sum::<usize>() < WAITING {
            waiting.entry(std::mem::take(&mut self.engine)).or_default().push(place);
        } else {
            drop(waiting);
            remove(&place.path);
        }
    }
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, to) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else if kind.is_file() {
            // Opened anew, so that a file that its owner may not write to can be written to here.
            io::copy(&mut fs::File::open(entry.path())?, &mut fs::File::create_new(to)?)?;
        }
    }
    Ok(())
}

/// A directory and the files put into it.
#[derive(Debug)]
struct FilePlace {
    path: PathBuf,
    files: Vec<Put>,
}

/// A file as it was written.
#[derive(Debug)]
struct Put {
    file: GameFile,
    seen: FileIdentity,
}

/// Tells a file from others, and from itself after a change: only the system sets the time of the
/// last status change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FileIdentity {
    inode: u64,
    links: u64,
    mode: u32,
    length: u64,
    changed: (i64, i64),
}

impl FileIdentity {
    fn of(about: &Metadata) -> Self {
        FileIdentity {
            inode: about.ino(),
            links: about.nlink(),
            mode: about.mode(),
            length: about.len(),
            changed: (about.ctime(), about.ctime_nsec()),
        }
    }

    /// Whether it is the same file; its contents may have changed.
    fn is_file_of(self, other: FileIdentity) -> bool {
        (self.inode, self.links, self.mode) == (other.inode, other.links, other.mode)
    }
}

impl FilePlace {
    /// Writes a file into the directory, unless it is there unchanged.
    fn put(&mut self, file: GameFile) -> io::Result<()> {
        let path = self.path.join(file.name);
        let known = self.files.iter().position(|put| put.file.name == file.name);
        let here = known.and_then(|at| {
            let seen = FileIdentity::of(&fs::symlink_metadata(&path).ok()?);
            seen.is_file_of(self.files[at].seen).then_some((at, seen))
        });
        if let Some((at, seen)) = here
            && seen == self.files[at].seen
            && (Arc::ptr_eq(&self.files[at].file.bytes, &file.bytes)
                || self.files[at].file.bytes == file.bytes)
        {
            return Ok(());
        }
        let mut open = OpenOptions::new();
        // Not truncated first: some file systems would then wait for the disk.
        open.write(true).mode(0o644).custom_flags((OFlags::NOFOLLOW | OFlags::CLOEXEC).bits() as i32);
        if here.is_none() {
            open.create_new(true);
        }
        let mut written = open.open(&path)?;
        written.write_all(&file.bytes)?;
        if here.is_some_and(|(_, seen)| seen.length > file.bytes.len() as u64) {
            written.set_len(file.bytes.len() as u64)?;
        }
        let put = Put { seen: FileIdentity::of(&written.metadata()?), file };
        match known {
            Some(at) => self.files[at] = put,
            None => self.files.push(put),
        }
        Ok(())
    }

    /// Removes files that this game does not have.
    fn drop_all_but(&mut self, supplies: &[GameFile]) -> io::Result<()> {
        let is_one = |put: &Put| {
            put.file.name == "board" || supplies.iter().any(|supply| supply.name == put.file.name)
        };
        for put in self.files.iter().filter(|put| !is_one(put)) {
            match fs::remove_file(self.path.join(put.file.name)) {
                // The engine may have removed it.
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.files.retain(is_one);
        Ok(())
    }

    /// Removes what the engine has added. Returns whether that succeeded.
    fn tidy(&self) -> bool {
        let own = |about: &Metadata| about.is_dir() && about.permissions().mode() & 0o700 == 0o700;
        if !fs::symlink_metadata(&self.path).is_ok_and(|about| own(&about)) {
            return false;
        }
        let Ok(entries) = fs::read_dir(&self.path) else { return false };
        for entry in entries {
            let Ok(entry) = entry else { return false };
            let name = entry.file_name();
            let ours = self.files.iter().find(|put| name.as_bytes() == put.file.name.as_bytes());
            let is_ours = ours.is_some_and(|put| {
                entry
                    .metadata()
                    .is_ok_and(|about| about.is_file() && FileIdentity::of(&about).is_file_of(put.seen))
            });
            if is_ours {
                continue;
            }
            // A directory is left to `removal`, which can handle any contents.
            if fs::remove_file(entry.path()).is_err() {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn supply(name: &'static str, text: &str) -> GameFile {
        GameFile { name, bytes: Arc::new(text.as_bytes().to_vec()) }
    }

    fn names(path: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_next_game_of_an_engine_finds_the_files_of_the_game_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(&root.path().join("run")).unwrap();
        let outside = root.path().join("outside");
        fs::write(&outside, "precious").unwrap();
        let words = supply("dictionary", "cat\ndog\n");
        let mut first = None;
        for (board, mischief) in [
            ("a long first board", 0),
            ("board", 1),
            ("board", 2),
            ("board 4", 3),
            ("board 5", 4),
            ("board 6", 5),
            ("board 7", 6),
        ] {
            let own = scratch.directory("bot", board, vec![words.clone()]).unwrap();
            let path = own.path().to_owned();
            assert_eq!(names(&path), ["board", "dictionary"], "{mischief}");
            assert_eq!(fs::read_to_string(path.join("board")).unwrap(), board);
            assert_eq!(fs::read_to_string(path.join("dictionary")).unwrap(), "cat\ndog\n", "{mischief}");
            let used_again = *first.get_or_insert_with(|| path.clone()) == path;
            match mischief {
                0 => {}
                1 => fs::write(path.join("notes"), "for the next game").unwrap(),
                2 => fs::write(path.join("dictionary"), "zzz\n").unwrap(),
                3 => {
                    fs::remove_file(path.join("board")).unwrap();
                    symlink(&outside, path.join("board")).unwrap();
                }
                4 => fs::hard_link(&outside, path.join(".hidden")).unwrap(),
                5 => fs::create_dir(path.join("folder")).unwrap(),
                _ => assert!(!used_again, "a directory with a folder in it is removed"),
            }
            assert!(used_again || mischief == 6, "{mischief}");
            // The kernel's clock is coarse: a change within one tick is not seen.
            std::thread::sleep(std::time::Duration::from_millis(20));
            if mischief == 2 {
                fs::write(path.join("dictionary"), "zzz\n").unwrap();
            }
        }
        assert_eq!(fs::read_to_string(&outside).unwrap(), "precious");
    }

    #[test]
    fn no_engine_gets_the_directory_of_another() {
        let root = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(&root.path().join("run")).unwrap();
        let directory = |engine| scratch.directory(engine, "", Vec::new()).unwrap();
        let one = directory("one");
        let path = one.path().to_owned();
        drop(one);
        assert_ne!(directory("two").path(), path);
        let again = directory("one");
        assert_eq!(again.path(), path);
        // In two games at once it has two directories.
        assert_ne!(directory("one").path(), path);
        drop(again);
        drop(scratch);
        assert!(!path.exists());
    }
}
