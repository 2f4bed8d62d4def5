//! Kept copies of programs: what was hashed, at a place where nobody changes it.
//!
//! A copy lies in `programs/TREE`. There is its list of files, and beside it the file or folder
//! that was copied, under its own name. `TREE` is the start of the hash of the list, and the list
//! has the hash of each file, so a copy tells by itself whether it is whole.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;

use agon_printable::escape;
use anyhow::{Context, Result, ensure};
use rustix::fs::{Access, access};
use sha2::{Digest, Sha256};

use super::content::{self, hex};
use super::file_copy::{copy, folders, make_folders};
use super::file_list::{row, rows};
use super::in_place::{self, InPlace};
use super::known_copy::KnownCopy;
use super::origin::Origin;
use super::program::display_path;
use super::program_files::{ProgramFiles, TICK};
use super::spec::EngineSpec;

/// The folder of the copies in the directory of a run.
pub const FOLDER: &str = "programs";
/// The file with the settings of an engine.
const SETTINGS: &str = "engine.toml";
/// The list of files in a copy.
const LIST: &str = "files";
/// How long the name of a copy is, in hexadecimal digits.
const NAME: usize = 32;
/// How the name of an unfinished copy begins.
const UNFINISHED: &str = ".new-";
/// The most files of a copy.
const MOST_FILES: usize = 20_000;

/// Where copies are kept, and how large one may be.
#[derive(Clone, Copy, Debug)]
pub struct KeptPlace<'a> {
    /// The folder that holds them. It is made when it is first needed.
    pub folder: &'a Path,
    /// The most bytes of a copy; zero if none are wanted.
    pub most: u64,
}

/// A copy of a program.
#[derive(Clone, Debug)]
pub struct KeptCopy {
    /// Its folder, `programs/TREE`.
    pub home: PathBuf,
    /// The hash of its list of files, as its folder is called.
    pub tree: String,
    /// The engine as it plays from the copy.
    pub engine: EngineSpec,
}

/// What became of a copy.
#[derive(Debug)]
pub enum Keeping {
    /// It is there.
    Copied(Box<KeptCopy>),
    /// The program plays where it lies.
    InPlace(InPlace),
    /// The files have changed meanwhile: try again.
    Changing,
}

/// An unfinished copy. It is removed unless it becomes a whole one.
struct Unfinished {
    path: PathBuf,
    list: Vec<u8>,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // What is left is found by the next `agon prune`.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Copies the files of an engine, unless it needs the place where they lie.
///
/// # Errors
/// A file of the engine cannot be read.
pub fn keep(engine: &EngineSpec, place: KeptPlace<'_>, is_boxed: bool) -> Result<Keeping> {
    // With other settings it is another engine than the one that was kept.
    if let Some(known) = engine.copy.as_ref().filter(|_| engine.set.is_none()) {
        return adopted(engine, known, place);
    }
    if place.most == 0 {
        return Ok(Keeping::InPlace(InPlace::Off));
    }
    let mut before = ProgramFiles::of(engine)?;
    if !before.is_settled() {
        sleep(TICK + TICK / 4);
        before = ProgramFiles::of(engine)?;
    }
    let own: Vec<&Path> = before.hashed().filter(|path| path.starts_with(&engine.source)).collect();
    let sizes = own.iter().filter_map(|path| fs::metadata(path).ok()).map(|about| about.len());
    if own.len() > MOST_FILES || sizes.sum::<u64>() > place.most {
        return Ok(Keeping::InPlace(InPlace::TooLarge));
    }
    if let Some(why) = in_place::needed(engine, &own, is_boxed) {
        return Ok(Keeping::InPlace(why));
    }
    if !before.is_settled() || are_being_written(&own) {
        return Ok(Keeping::Changing);
    }
    let Some(folder) = made(place.folder) else { return Ok(Keeping::InPlace(InPlace::NoRoom)) };
    let set = engine.set.as_ref().and(engine.text.as_deref());
    let Some(unfinished) = copied(&engine.source, &own, &folder, set)? else {
        let is_same = ProgramFiles::of(engine)? == before;
        return Ok(if is_same { Keeping::InPlace(InPlace::NoRoom) } else { Keeping::Changing });
    };
    if ProgramFiles::of(engine)? != before || are_being_written(&own) {
        return Ok(Keeping::Changing);
    }
    let tree = hex(&Sha256::digest(&unfinished.list))[..NAME].to_owned();
    let home = folder.join(&tree);
    if publish(&unfinished, &home).is_err() {
        return Ok(Keeping::InPlace(InPlace::NoRoom));
    }
    let to = home.join(base(&engine.source));
    let mut moved = EngineSpec { copy: None, set: None, ..engine.moved(&to) };
    if set.is_some() && engine.source == engine.program {
        // It has a folder of its own now, with its settings.
        moved.program = to.join(base(&engine.program));
        moved.folder = to;
    }
    let copy = KeptCopy { engine: moved, home, tree };
    let can_start = |engine: &EngineSpec| access(&engine.program, Access::EXEC_OK).is_ok();
    if can_start(engine) && !can_start(&copy.engine) {
        return Ok(Keeping::InPlace(InPlace::NoRoom));
    }
    // A program was there when the engine was found, so somebody is about to write a new one.
    if fs::metadata(&copy.engine.program).is_ok_and(|about| about.is_file() && about.len() == 0) {
        return Ok(Keeping::Changing);
    }
    Ok(Keeping::Copied(Box::new(copy)))
}

/// Whether a program among these files is open for writing: what was written so far may be half of
/// it, and nothing may be written for a while. Others, such as logs, may be open all the time.
fn are_being_written(files: &[&Path]) -> bool {
    let is_program = |path: &&&Path| access(**path, Access::EXEC_OK).is_ok();
    files.iter().filter(is_program).any(|path| agon_sandbox::system::is_being_written(path))
}

/// A copy of an earlier run, which is copied to the folder of this one. What the program has added
/// to it is left out.
fn adopted(engine: &EngineSpec, known: &KnownCopy, place: KeptPlace<'_>) -> Result<Keeping> {
    let at = |home: PathBuf| {
        let engine = EngineSpec { copy: None, ..engine.moved(&home.join(base(&engine.source))) };
        Ok(Keeping::Copied(Box::new(KeptCopy { home, tree: known.tree.clone(), engine })))
    };
    if place.most == 0 {
        return at(known.home.clone());
    }
    at(copy_to(&known.home, place.folder)?)
}

/// Copies a kept copy to another folder of copies, unless it is there already, and returns its
/// place. What the program has added to it is left out.
///
/// # Errors
/// It has changed, or it cannot be read or written.
pub fn copy_to(home: &Path, folder: &Path) -> Result<PathBuf> {
    let cannot = || format!("cannot copy {} to {}", display_path(home), display_path(folder));
    let folder = made(folder).with_context(cannot)?;
    let to = folder.join(base(home));
    if to == home || differences(&to).is_ok_and(|found| found.is_empty()) {
        return Ok(to);
    }
    let changed = differences(home)?;
    ensure!(changed.is_empty(), "{}: the kept copy has changed: {}", display_path(home), changed.join(", "));
    let files = listed(home)?;
    let own: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let unfinished = copied(&kept_at(home)?, &own, &folder, None)?.with_context(cannot)?;
    let tree = hex(&Sha256::digest(&unfinished.list))[..NAME].to_owned();
    ensure!(*base(home) == *tree, "{}: the kept copy has changed", display_path(home));
    publish(&unfinished, &to)?;
    Ok(to)
}

/// The file or folder that was copied to `home`.
fn kept_at(home: &Path) -> Result<PathBuf> {
    let shown = display_path(home);
    let entries = fs::read_dir(home).with_context(|| format!("cannot read {shown}"))?;
    let mut own = entries.flatten().filter(|entry| entry.file_name() != LIST);
    own.next().map(|entry| entry.path()).with_context(|| format!("{shown} is empty"))
}

/// The folder that was copied to `home`, if it is one. Whether it is as it was, its hash tells.
pub fn folder(home: &Path) -> Option<PathBuf> {
    kept_at(home).ok().filter(|folder| folder.is_dir())
}

/// Puts a finished copy in its place, unless a whole one is there.
fn publish(unfinished: &Unfinished, home: &Path) -> Result<()> {
    let cannot = || format!("cannot write {}", display_path(home));
    if differences(home).is_ok_and(|found| found.is_empty()) {
        return Ok(());
    }
    if home.exists() {
        fs::remove_dir_all(home).with_context(cannot)?;
    }
    match fs::rename(&unfinished.path, home) {
        // Another run was faster.
        Err(_) if home.is_dir() => Ok(()),
        moved => moved.with_context(cannot),
    }
}

/// The copy at `home` of an engine of this origin that was kept there before.
///
/// # Errors
/// Words that say what is wrong with it.
pub fn found(home: &Path, origin: Origin) -> Result<EngineSpec> {
    let shown = display_path(home);
    let changed = differences(home)?;
    ensure!(changed.is_empty(), "{shown}: the kept copy has changed: {}", changed.join(", "));
    let read = if origin == Origin::Submission { EngineSpec::submitted } else { EngineSpec::at };
    read(&kept_at(home)?).map_err(anyhow::Error::msg)
}

/// How a copy differs from its list, in words; nothing if it is whole. What the program has added
/// since is no difference.
///
/// # Errors
/// It has no list, or cannot be read.
pub fn differences(home: &Path) -> Result<Vec<String>> {
    let shown = || format!("cannot read {}", display_path(home));
    let list = fs::read(home.join(LIST)).with_context(shown)?;
    if home.file_name().is_none_or(|name| *name != hex(&Sha256::digest(&list))[..NAME]) {
        return Ok(vec!["its list of files is another one".to_owned()]);
    }
    // A copy may come from another machine.
    let leads_out = |path: &Path| !path.components().all(|part| matches!(part, Component::Normal(_)));
    if let Some((_, path)) = rows(&list).find(|(_, path)| leads_out(path)) {
        return Ok(vec![format!("its list names {}", escape(path.as_os_str().as_bytes(), 200))]);
    }
    let mut found = Vec::new();
    for (hash, path) in rows(&list) {
        let now = entry_hash(&home.join(&path));
        if now.is_err() || now.is_ok_and(|now| now.as_bytes() != hash) {
            found.push(format!("{} is not as it was", escape(path.as_os_str().as_bytes(), 200)));
        }
    }
    Ok(found)
}

/// The files that a copy's list names.
///
/// # Errors
/// It cannot be read.
pub fn listed(home: &Path) -> Result<Vec<PathBuf>> {
    let list = fs::read(home.join(LIST)).with_context(|| format!("cannot read {}", display_path(home)))?;
    Ok(rows(&list).map(|(_, path)| home.join(path)).collect())
}

impl KeptCopy {
    /// The files that play: those of its list, and its program if that lies elsewhere.
    ///
    /// # Errors
    /// Its list cannot be read.
    pub fn files(&self) -> Result<ProgramFiles> {
        let files = listed(&self.home)?.into_iter().chain([self.engine.program.clone()]);
        Ok(ProgramFiles::at(&self.home, files))
    }
}

/// The name of a file or folder.
fn base(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// The file that says that the parts of a run keep their copies in one folder.
const SHARED: &str = ".shared";

/// Lets the parts of a run in directories below this one share their copies.
///
/// # Errors
/// The folder cannot be made.
pub fn share(directory: &Path) -> Result<()> {
    let folder = directory.join(FOLDER);
    make_own(&folder)
        .and_then(|()| fs::write(folder.join(SHARED), ""))
        .with_context(|| format!("cannot write {}", display_path(&folder)))
}

/// The folder that a part in this directory shares with the others: that of the directory above it,
/// or of the one above that.
pub fn shared(directory: &Path) -> Option<PathBuf> {
    let directory = std::path::absolute(directory).ok()?;
    let mut above = directory.ancestors().skip(1).take(2).map(|above| above.join(FOLDER));
    above.find(|folder| folder.join(SHARED).is_file())
}

/// Where copies of a run in this directory may be: its own folder, and those of the directories
/// above it, of which it may be a stage, a time control or a part.
pub fn places(directory: &Path) -> Vec<PathBuf> {
    let Ok(directory) = directory.canonicalize() else { return Vec::new() };
    directory.ancestors().take(3).map(|above| above.join(FOLDER)).collect()
}

/// The folder of the copies, with its absolute path; `None` if it cannot be made.
fn made(folder: &Path) -> Option<PathBuf> {
    make_own(folder).and_then(|()| folder.canonicalize()).ok()
}

fn make_own(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// The copies in a folder that may be removed unless somebody needs them: their folders, and the
/// names of whole ones. An unfinished one of a process that is gone has none.
pub fn all(folder: &Path) -> Vec<(PathBuf, Option<String>)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_whole = name.len() == NAME && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_whole || name.starts_with(UNFINISHED)).then(|| (entry.path(), is_whole.then_some(name)))
    });
    let mut all: Vec<_> = named.collect();
    all.sort();
    all
}

/// The places of the whole copies of programs with this name that a run in this directory has kept.
pub fn places_of(directory: &Path, name: &OsStr) -> Vec<PathBuf> {
    let whole = all(&directory.join(FOLDER)).into_iter().filter(|(_, tree)| tree.is_some());
    whole.map(|(home, _)| home.join(name)).filter(|place| place.exists()).collect()
}

/// The bytes of all files of a copy.
pub fn bytes(copy: &Path) -> u64 {
    let mut files = Vec::new();
    let _ = content::gather(copy, &|_| false, &mut files); // what cannot be read is not counted
    files.iter().filter_map(|path| fs::symlink_metadata(path).ok()).map(|about| about.len()).sum()
}

/// A copy of these files of a file or folder; `None` if it cannot be written. With the text of an
/// `engine.toml` it is a folder with that in the place of its own.
fn copied(
    source: &Path,
    files: &[&Path],
    folder: &Path,
    settings: Option<&str>,
) -> Result<Option<Unfinished>> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("{UNFINISHED}{}-{number}", std::process::id()));
    if make_own(&path).is_err() {
        return Ok(None);
    }
    let mut unfinished = Unfinished { path, list: Vec::new() };
    let top = unfinished.path.join(base(source));
    if source.is_dir() && make_folders(source, &top).is_err() {
        return Ok(None);
    }
    let is_alone = !source.is_dir();
    for file in files {
        let below = file.strip_prefix(source).unwrap_or(Path::new(""));
        if settings.is_some() && below == Path::new(SETTINGS) {
            continue;
        }
        let below = if settings.is_some() && is_alone { Path::new(base(source)) } else { below };
        // Joined with nothing, a path would end in a slash.
        let to = if below.as_os_str().is_empty() { top.clone() } else { top.join(below) };
        // A program that is named by a link is the one that the link leads to.
        let from = if below.as_os_str().is_empty() || is_alone {
            file.canonicalize()
        } else {
            Ok(file.to_path_buf())
        };
        let make = || match settings.filter(|_| is_alone) {
            // In a box it is used by nobody.
            Some(_) => DirBuilder::new().recursive(true).mode(0o755).create(&top),
            None => folders(source, below, &top),
        };
        if from.and_then(|from| make().and_then(|()| copy(&from, &to))).is_err() {
            return Ok(None);
        }
        let Ok(hash) = entry_hash(&to) else { return Ok(None) };
        let name = to.strip_prefix(&unfinished.path).unwrap_or(&to);
        unfinished.list.extend(row(&hash, name).bytes());
    }
    if let Some(text) = settings {
        let to = top.join(SETTINGS);
        if fs::write(&to, text).is_err() {
            return Ok(None);
        }
        let name = to.strip_prefix(&unfinished.path).unwrap_or(&to);
        unfinished.list.extend(row(&entry_hash(&to)?, name).bytes());
    }
    Ok(fs::write(unfinished.path.join(LIST), &unfinished.list).is_ok().then_some(unfinished))
}

/// The hash of a file with its execute bit, or of a link.
fn entry_hash(path: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    if let Ok(target) = fs::read_link(path) {
        content::part(&mut hash, b"link");
        content::part(&mut hash, target.as_os_str().as_bytes());
    } else {
        // What is no file, such as a FIFO, could block.
        ensure!(path.is_file(), "{} is no file", display_path(path));
        content::file(&mut hash, path)?;
    }
    Ok(hex(&hash.finalize()))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::super::settings::EngineSettings;
    use super::*;

    struct Bots {
        home: tempfile::TempDir,
        results: tempfile::TempDir,
    }

    impl Bots {
        fn new() -> Bots {
            let bots = Bots { home: tempfile::tempdir().unwrap(), results: tempfile::tempdir().unwrap() };
            bots.put("bot/engine.toml", "command = [\"./run\"]\n", 0o644);
            bots.put("bot/run", "#!/bin/sh\n", 0o755);
            bots.put("bot/data/book", "e4", 0o640);
            fs::create_dir(bots.path("bot/logs")).unwrap();
            bots
        }

        fn path(&self, name: &str) -> PathBuf {
            self.home.path().canonicalize().unwrap().join(name)
        }

        fn put(&self, name: &str, text: &str, mode: u32) {
            let path = self.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }

        fn keep(&self, name: &str, most: u64, is_boxed: bool) -> Keeping {
            let engine = EngineSpec::at(&self.path(name)).unwrap();
            keep(&engine, KeptPlace { folder: &self.results.path().join(FOLDER), most }, is_boxed).unwrap()
        }

        fn copy(&self, name: &str) -> KeptCopy {
            match self.keep(name, 1 << 20, false) {
                Keeping::Copied(copy) => *copy,
                other => panic!("{other:?}"),
            }
        }

        fn why(&self, name: &str, is_boxed: bool) -> InPlace {
            match self.keep(name, 1 << 20, is_boxed) {
                Keeping::InPlace(why) => why,
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_program_that_was_set_is_kept_with_its_settings_and_plays_by_them_from_there() {
        let bots = Bots::new();
        bots.put("bot/engine.toml", "command = [\"./run\"]\nprotocol = \"uci\"\n", 0o644);
        bots.put("alone", "#!/bin/sh\n", 0o755);
        let mut trees = Vec::new();
        for (name, hash) in [("bot", "1"), ("bot", "2"), ("alone", "1"), ("bot", "1")] {
            let settings = EngineSettings {
                options: vec![("Hash".to_owned(), hash.to_owned())],
                place: "here".to_owned(),
                ..EngineSettings::default()
            };
            let engine = EngineSpec::at(&bots.path(name)).unwrap().with_settings(&settings).unwrap();
            let folder = bots.results.path().join(FOLDER);
            let Keeping::Copied(copy) =
                keep(&engine, KeptPlace { folder: &folder, most: 1 << 20 }, true).unwrap()
            else {
                panic!("it can be copied")
            };
            assert_eq!(differences(&copy.home).unwrap(), [""; 0]);
            let again = found(&copy.home, Origin::Organiser).unwrap();
            for engine in [&copy.engine, &again] {
                assert_eq!(engine.options, settings.options, "{name}");
                let program = if name == "bot" { "run" } else { "alone" };
                assert_eq!(engine.program.file_name(), Some(OsStr::new(program)));
                assert!(engine.program.is_file() && engine.program.starts_with(&copy.home));
            }
            assert_eq!(again.text.as_deref(), engine.text.as_deref());
            trees.push(copy.tree.clone());
        }
        assert_eq!(trees[0], trees[3]);
        trees.truncate(3);
        trees.sort();
        trees.dedup();
        assert_eq!(trees.len(), 3);
        // Its own file is as it was.
        assert!(!fs::read_to_string(bots.path("bot/engine.toml")).unwrap().contains("Hash"));
    }

    #[test]
    fn a_copy_has_the_files_and_rights_of_its_engine_and_tells_whether_it_is_whole() {
        let bots = Bots::new();
        let copy = bots.copy("bot");
        let own = &copy.engine;
        assert_eq!(own.source, copy.home.join("bot"));
        assert_eq!(own.program, copy.home.join("bot/run"));
        let mode = |name: &str| fs::metadata(copy.home.join(name)).unwrap().mode() & 0o777;
        assert_eq!([mode("bot/run"), mode("bot/data/book")], [0o755, 0o640]);
        assert_eq!(fs::metadata(bots.results.path().join(FOLDER)).unwrap().mode() & 0o777, 0o700);
        assert!(copy.home.join("bot/logs").is_dir());
        // A hidden file is a file, unless it is a tool's.
        bots.put("bot/.config/weights", "1", 0o644);
        bots.put("bot/.git/HEAD", "x", 0o644);
        let hidden = bots.copy("bot");
        assert_eq!(fs::read_to_string(hidden.home.join("bot/.config/weights")).unwrap(), "1");
        assert!(hidden.home != copy.home && !hidden.home.join("bot/.git").exists());
        fs::remove_dir_all(bots.path("bot/.config")).unwrap();
        assert_eq!(differences(&copy.home).unwrap(), [""; 0]);
        // The same files share a copy, and what was added is no difference.
        fs::write(copy.home.join("bot/logs/game"), "x").unwrap();
        assert_eq!(bots.copy("bot").home, copy.home);
        assert!(copy.home.join("bot/logs/game").exists());
        // An edit in place reaches no copy.
        bots.put("bot/run", "#!/bin/sh\nexit 1\n", 0o755);
        assert_eq!(fs::read_to_string(&own.program).unwrap(), "#!/bin/sh\n");
        assert_ne!(bots.copy("bot").home, copy.home);
        // Another execute bit is another program.
        fs::set_permissions(&own.program, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(differences(&copy.home).unwrap(), ["bot/run is not as it was"]);
        assert!(found(&copy.home, Origin::Organiser).unwrap_err().to_string().contains("bot/run"));
        fs::write(copy.home.join(LIST), "").unwrap();
        assert_eq!(differences(&copy.home).unwrap(), ["its list of files is another one"]);
        // A broken copy is made again.
        bots.put("bot/run", "#!/bin/sh\n", 0o755);
        assert_eq!(bots.copy("bot").home, copy.home);
        assert_eq!(differences(&copy.home).unwrap(), [""; 0]);
    }

    #[test]
    fn a_program_that_somebody_is_writing_is_not_copied_until_it_is_done() {
        let bots = Bots::new();
        bots.put("bot/log", "", 0o644);
        let log = File::options().append(true).open(bots.path("bot/log")).unwrap();
        let mut program = File::options().append(true).open(bots.path("bot/run")).unwrap();
        sleep(2 * TICK); // what was written last is old enough
        assert!(matches!(bots.keep("bot", 1 << 20, false), Keeping::Changing));
        program.write_all(b"exit\n").unwrap();
        drop(program);
        let copy = bots.copy("bot");
        assert_eq!(fs::read_to_string(&copy.engine.program).unwrap(), "#!/bin/sh\nexit\n");
        // It was emptied by a program that has ended, or that is about to open it again.
        let engine = EngineSpec::at(&bots.path("bot")).unwrap();
        fs::write(bots.path("bot/run"), "").unwrap();
        let place = KeptPlace { folder: &bots.results.path().join(FOLDER), most: 1 << 20 };
        assert!(matches!(keep(&engine, place, false).unwrap(), Keeping::Changing));
        drop(log);
    }

    #[test]
    fn a_copy_of_an_earlier_run_is_taken_over_without_what_was_added() {
        let bots = Bots::new();
        let copy = bots.copy("bot");
        fs::write(copy.home.join("bot/added"), "x").unwrap();
        let hash = "0123".to_owned();
        let known = KnownCopy { home: copy.home.clone(), tree: copy.tree.clone(), hash };
        let engine = found(&copy.home, Origin::Organiser).unwrap();
        let engine = EngineSpec { copy: Some(known.into()), ..engine };
        let place = bots.path("other/programs");
        let Keeping::Copied(taken) = keep(&engine, KeptPlace { folder: &place, most: 1 }, false).unwrap()
        else {
            panic!("it was not copied");
        };
        assert_eq!((taken.tree.clone(), taken.home.clone()), (copy.tree, place.join(&taken.tree)));
        assert!(!taken.home.join("bot/added").exists());
        assert_eq!(taken.engine.program, taken.home.join("bot/run"));
    }

    #[test]
    fn a_copy_that_names_files_elsewhere_or_holds_no_files_is_not_taken_over() {
        let bots = Bots::new();
        let copy = bots.copy("bot");
        let elsewhere = bots.path("other/programs");
        let out = Path::new("bot/../../../out");
        fs::write(copy.home.join(out), "x").unwrap();
        let list = row(&entry_hash(&copy.home.join(out)).unwrap(), out);
        let hostile = copy.home.with_file_name(&hex(&Sha256::digest(&list))[..NAME]);
        fs::create_dir_all(hostile.join("bot")).unwrap();
        fs::write(hostile.join(LIST), list).unwrap();
        let said = copy_to(&hostile, &elsewhere).unwrap_err().to_string();
        assert!(said.contains("its list names bot/../../../out"), "{said}");
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
        fs::remove_file(copy.home.join("bot/run")).unwrap();
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, copy.home.join("bot/run"), fifo, 0o755.into(), 0).unwrap();
        let said = copy_to(&copy.home, &elsewhere).unwrap_err().to_string();
        assert!(said.contains("bot/run is not as it was"), "{said}");
    }

    #[test]
    fn an_engine_that_needs_its_place_is_not_copied_and_the_reason_is_told() {
        let bots = Bots::new();
        assert!(matches!(bots.keep("bot", 0, false), Keeping::InPlace(InPlace::Off)));
        assert!(matches!(bots.keep("bot", 20, false), Keeping::InPlace(InPlace::TooLarge)));
        fs::write(bots.path("file"), "").unwrap();
        let engine = EngineSpec::at(&bots.path("bot")).unwrap();
        let nowhere = KeptPlace { folder: &bots.path("file/programs"), most: 1 << 20 };
        assert!(matches!(keep(&engine, nowhere, false).unwrap(), Keeping::InPlace(InPlace::NoRoom)));
        let with = |toml: &str, more: &[(&str, &str)]| {
            let bots = Bots::new();
            bots.put("bot/engine.toml", &toml.replace("{home}", bots.path("").to_str().unwrap()), 0o644);
            for (name, text) in more {
                bots.put(
                    &format!("bot/{name}"),
                    &text.replace("{home}", bots.path("").to_str().unwrap()),
                    0o644,
                );
            }
            bots
        };
        let usual = "command = [\"./run\"]\n";
        let python = "command = [\"sh\", \"{folder}/run\"]\n";
        for (toml, more, expected, boxed) in [
            ("command = [\"./run\"]\nkept = false\n", &[][..], InPlace::AsItSays, true),
            ("command = [\"./run\"]\ndirectory = \"folder\"\n", &[], InPlace::WorksThere, false),
            ("command = [\"./run\"]\nlearns = [\".learned\"]\n", &[(".learned", "x")], InPlace::Learns, true),
            (usual, &[("venv/pyvenv.cfg", "home = /usr/bin\n")], InPlace::Installed, true),
            (usual, &[("where", "{home}bot/data")], InPlace::Installed, true),
            (usual, &[("main.py", "open('../common/words')")], InPlace::LeadsOut, false),
            (
                python,
                &[("main.py", "from pathlib import Path\nPath(__file__).parent.parent")],
                InPlace::LeadsOut,
                false,
            ),
            ("command = [\"sh\", \"{folder}/../x\"]\n", &[], InPlace::LeadsOut, true),
            ("command = [\"sh\", \"/srv/x\"]\n", &[], InPlace::LeadsOut, true),
            ("command = [\"sh\", \"{folder}/.git/x\"]\n", &[], InPlace::LeadsOut, true),
            ("command = [\"{home}run\"]\n", &[], InPlace::ProgramElsewhere, true),
            ("command = [\"{folder}/../x/run\"]\n", &[("../x/run", "#!/bin/sh\n")], InPlace::LeadsOut, true),
        ] {
            assert_eq!(with(toml, more).why("bot", boxed), expected, "{toml} {more:?}");
        }
        // In a box nothing outside of the folder can be read, and nothing in it written.
        let bots = with("command = [\"./run\"]\ndirectory = \"folder\"\n", &[("main.py", "open('../x')")]);
        assert!(matches!(bots.keep("bot", 1 << 20, true), Keeping::Copied(_)));
        // Its author knows better.
        let bots = with("command = [\"./run\"]\nkept = true\n", &[("main.py", "open('../x')")]);
        bots.copy("bot");
        let bots = Bots::new();
        symlink("/etc/hostname", bots.path("bot/link")).unwrap();
        assert_eq!(bots.why("bot", true), InPlace::LeadsOut);
        for (target, stays) in [("book", true), ("../run", false)] {
            let bots = Bots::new();
            symlink(target, bots.path("bot/data/link")).unwrap();
            match stays {
                true => assert_eq!(
                    fs::read_link(bots.copy("bot").home.join("bot/data/link")).unwrap(),
                    Path::new(target)
                ),
                false => assert_eq!(bots.why("bot", true), InPlace::LeadsOut),
            }
        }
    }

    #[test]
    fn a_file_among_engines_is_copied_and_one_among_data_is_not() {
        let bots = Bots::new();
        bots.put("ann", "#!/bin/sh\nexit 1\n", 0o755);
        bots.put("bob", "#!/bin/sh\nexit 2\n", 0o755);
        let copy = bots.copy("ann");
        assert_eq!(copy.engine.program, copy.home.join("ann"));
        assert_eq!(copy.engine.folder, copy.home);
        bots.put("ann", "#!/bin/sh\nexec $(dirname $0)/bob\n", 0o755);
        assert_eq!(bots.why("ann", false), InPlace::Beside);
        symlink(bots.path("bob"), bots.path("link")).unwrap();
        let Keeping::Copied(copy) = bots.keep("link", 1 << 20, true) else { panic!("it was not copied") };
        assert!(copy.engine.program.symlink_metadata().unwrap().is_file());
        assert!(matches!(bots.keep("ann", 1 << 20, true), Keeping::Copied(_)));
        bots.put("book.txt", "e4", 0o644);
        assert_eq!(bots.why("bob", false), InPlace::Beside);
    }
}
