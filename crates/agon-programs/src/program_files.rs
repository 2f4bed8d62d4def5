//! What the file system says of the files that make up an engine: whether any of them has changed
//! since they were hashed.
//!
//! The kernel sets the time of the last status change of a file, and nobody can choose it. So a
//! file with the same size and the same time of modification is still found to be another one, and
//! so is one that was put back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;

use super::beyond;
use super::parts::Parts;
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
    /// The folder whose new files count, with what of it is part of the engine: a program could
    /// load them.
    parts: Option<Parts>,
    /// Those that are no part of the hash, but of what the engine may read.
    beyond: BTreeSet<PathBuf>,
}

/// The marks of all files of an engine and of all its folders, in which a new file leaves a trace.
/// As long as they hold, nothing needs to be listed to know that nothing has changed.
#[derive(Debug)]
pub struct Glance {
    top: Option<(PathBuf, FolderMarks)>,
    folders: Vec<(PathBuf, Marks)>,
    files: Vec<(PathBuf, FileMarks)>,
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

    /// Whether the last change was so long before `now` that another one will have another time.
    fn are_old(&self, now: SystemTime) -> bool {
        let (seconds, nanoseconds) = self.changed;
        let at = Duration::new(seconds.try_into().unwrap_or(0), nanoseconds.try_into().unwrap_or(0));
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        // The clock of another machine may be ahead, and never agrees with this one.
        now.checked_sub(at).is_none_or(|age| age > TICK)
    }

    /// Of a folder that a link leads to: which one it is, whatever is made there.
    fn of_folder(about: &Metadata) -> Marks {
        let (modified, changed) = ((0, 0), (0, 0));
        Marks { mode: 0, length: 0, modified, changed, ..Marks::of(about) }
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
        let has_folder = engine.source != engine.program && engine.source.is_dir();
        let parts = has_folder.then(|| engine.parts());
        let listed = parts.as_ref().map(Parts::files).transpose()?.unwrap_or_default();
        let beyond = match &parts {
            Some(parts) => beyond::behind_links(parts, &listed),
            None => beyond::named_beside(engine),
        };
        let beyond: BTreeSet<PathBuf> = beyond.into_iter().collect();
        let paths = listed.into_iter().chain([engine.program.clone()]).chain(beyond.iter().cloned());
        let folder = has_folder.then(|| (engine.source.clone(), folder_marks(&engine.source)));
        Ok(ProgramFiles { folder, files: marked(paths), parts, beyond })
    }

    /// The files at these paths in a folder, or elsewhere, as they are now.
    pub fn at(folder: &Path, paths: impl IntoIterator<Item = PathBuf>) -> ProgramFiles {
        let own = Some((folder.to_owned(), folder_marks(folder)));
        ProgramFiles { folder: own, files: marked(paths), parts: None, beyond: BTreeSet::new() }
    }

    /// Their paths.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// The same files as they are now, and the new ones of a folder whose new files count.
    pub fn now(&self) -> ProgramFiles {
        // The files of a folder that cannot be read are missing, which is told.
        let listed = self.parts.as_ref().and_then(|parts| parts.files().ok()).unwrap_or_default();
        ProgramFiles {
            folder: self.folder.as_ref().map(|(path, _)| (path.clone(), folder_marks(path))),
            files: marked(self.files.keys().cloned().chain(listed)),
            parts: self.parts.clone(),
            beyond: self.beyond.clone(),
        }
    }

    /// The files as they are now, with the glance that will tell whether they still are. There is
    /// no glance if a file is missing, or a folder has changed so lately that another change could
    /// have the same time.
    pub fn now_at_a_glance(&self) -> (ProgramFiles, Option<Glance>) {
        // The folders go first: a file that is made later is listed, or changes their marks.
        let folders = self.parts.as_ref().map_or(Some(Vec::new()), settled_folders);
        let now = self.now();
        let glance = || {
            let marks = |(path, marks): (&PathBuf, &Option<FileMarks>)| Some((path.clone(), (*marks)?));
            let folders = folders?;
            // With parts it is the first of the folders.
            let top = match &now.folder {
                Some((path, marks)) if folders.is_empty() => Some((path.clone(), (*marks)?)),
                Some(_) | None => None,
            };
            let files = now.files.iter().map(marks).collect::<Option<_>>()?;
            Some(Glance { top, folders, files })
        };
        let glance = glance();
        (now, glance)
    }

    /// The paths of those that are hashed.
    pub fn hashed(&self) -> impl Iterator<Item = &Path> {
        self.paths().filter(|path| !self.beyond.contains(*path))
    }

    /// Whether the files that are not hashed are the same as they were: their bytes tell nothing.
    pub fn has_the_same_beyond(&self, before: &ProgramFiles) -> bool {
        before.beyond.iter().all(|path| self.files.get(path) == before.files.get(path))
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
        let now = SystemTime::now();
        self.files.values().flatten().all(|marks| marks.path.are_old(now) && marks.file.are_old(now))
    }
}

impl Glance {
    /// Whether no file has changed and none is new since then.
    pub fn holds(&self) -> bool {
        let is_same = |(path, marks): &(PathBuf, Marks)| {
            fs::metadata(path).is_ok_and(|about| Marks::of(&about) == *marks)
        };
        self.top.as_ref().is_none_or(|(path, marks)| folder_marks(path).as_ref() == Some(marks))
            && self.folders.iter().all(is_same)
            && self.files.iter().all(|(path, marks)| file_marks(path).as_ref() == Some(marks))
    }
}

/// The folders in which a new file would be part of the engine, if all of them have been as they
/// are for a while.
fn settled_folders(parts: &Parts) -> Option<Vec<(PathBuf, Marks)>> {
    let now = SystemTime::now();
    let marked = |path: PathBuf| {
        let marks = Marks::of(&fs::metadata(&path).ok()?);
        marks.are_old(now).then_some((path, marks))
    };
    parts.folders().ok()?.into_iter().map(marked).collect()
}

/// Files with their marks. One path may have two spellings, with a dot in it.
fn marked(paths: impl IntoIterator<Item = PathBuf>) -> BTreeMap<PathBuf, Option<FileMarks>> {
    let paths = paths.into_iter().map(|path| path.components().collect::<PathBuf>());
    let paths: BTreeSet<PathBuf> = paths.collect();
    paths.into_iter().map(|path| (file_marks(&path), path)).map(|(marks, path)| (path, marks)).collect()
}

fn file_marks(path: &Path) -> Option<FileMarks> {
    let own = fs::symlink_metadata(path).ok()?;
    let file = if own.is_symlink() { fs::metadata(path).ok()? } else { own.clone() };
    let file = if file.is_dir() { Marks::of_folder(&file) } else { Marks::of(&file) };
    Some(FileMarks { path: Marks::of(&own), file })
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
        sleep(TICK);
        let (now, glance) = before.now_at_a_glance();
        assert_eq!(now, before);
        let glance = glance.expect("its folder has been as it is for a while");
        assert!(glance.holds());
        change(&folder);
        // A glance may take a change for one that is none, but never the other way round.
        let is_same = before.now().difference(&before).is_none();
        assert!(is_same || !glance.holds());
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
    fn what_is_read_or_left_by_tools_is_no_change_of_a_program_and_a_new_file_is() {
        let used = |home: &Path| {
            fs::read(home.join("run")).unwrap();
            for folder in ["__pycache__", ".git"] {
                fs::create_dir(home.join(folder)).unwrap();
                fs::write(home.join(folder).join("a.pyc"), "x").unwrap();
            }
            fs::write(home.join(".run.swp"), "x").unwrap();
            fs::create_dir(home.join("empty")).unwrap();
        };
        assert_eq!(after(used), None);
        for name in ["plugin.py", ".plugin.py", "modules/x.py"] {
            let new = |home: &Path| {
                let path = home.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "x").unwrap();
            };
            assert_eq!(after(new).unwrap(), format!("/{name} is new"));
        }
    }

    #[test]
    fn a_link_to_a_folder_is_another_one_when_it_leads_elsewhere_and_not_when_something_is_made_there() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().canonicalize().unwrap();
        for name in ["bot", "one", "two"] {
            fs::create_dir(path.join(name)).unwrap();
        }
        fs::write(path.join("bot/run"), "").unwrap();
        fs::write(path.join("bot/engine.toml"), "command = [\"./run\"]\n").unwrap();
        let link = |to: &str| std::os::unix::fs::symlink(path.join(to), path.join("bot/data")).unwrap();
        link("one");
        let before = ProgramFiles::of(&EngineSpec::at(&path.join("bot")).unwrap()).unwrap();
        fs::write(path.join("one/new"), "").unwrap();
        assert_eq!(before.now().difference(&before), None);
        fs::remove_file(path.join("bot/data")).unwrap();
        link("two");
        let said = before.now().difference(&before).unwrap();
        assert!(said.ends_with("bot/data is not as it was"), "{said}");
    }

    #[test]
    fn a_glance_sees_every_new_file_and_not_what_is_learned() {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        };
        put("run");
        put("deep/er/data");
        put("seen/1");
        put("deep/__pycache__/a.pyc");
        fs::create_dir(home.path().join("empty")).unwrap();
        fs::write(
            home.path().join("engine.toml"),
            "command = [\"./run\"]\nlearns = [\"seen/\", \"deep/seen\"]\n",
        )
        .unwrap();
        let engine = EngineSpec::at(home.path()).unwrap();
        let files = ProgramFiles::of(&engine).unwrap();
        // It was made just now, and another file could have the same time. A busy machine may take
        // longer than a tick.
        let is_known = (0..50).any(|_| {
            put("run");
            fs::create_dir(home.path().join("new")).unwrap();
            fs::remove_dir(home.path().join("new")).unwrap();
            files.now_at_a_glance().1.is_none()
        });
        assert!(is_known);
        sleep(2 * TICK);
        put("seen/2");
        let (_, glance) = files.now_at_a_glance();
        let glance = glance.unwrap();
        for harmless in ["seen/3", "seen/more/4", "deep/__pycache__/b.pyc"] {
            put(harmless);
            assert!(glance.holds(), "{harmless}");
        }
        for new in ["plugin", "deep/er/.hidden", "empty/x", "other/y"] {
            sleep(2 * TICK);
            let (_, glance) = files.now_at_a_glance();
            let glance = glance.unwrap();
            assert!(glance.holds(), "{new}");
            put(new);
            assert!(!glance.holds(), "{new}");
            assert!(files.now().difference(&files).is_some(), "{new}");
        }
    }

    #[test]
    fn what_an_engine_learns_is_no_part_of_it() {
        let home = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("run", "");
        put("book.dat", "one");
        put("engine.toml", "command = [\"./run\"]\nlearns = [\"book.dat\", \"./seen/\"]\n");
        let before = ProgramFiles::of(&EngineSpec::at(home.path()).unwrap()).unwrap();
        assert_eq!(before.files.len(), 2);
        put("book.dat", "two");
        put("seen/game/1", "e4");
        assert_eq!(before.now().difference(&before), None);
        put("book.data", "x");
        assert!(before.now().difference(&before).unwrap().ends_with("book.data is new"));
    }
}
