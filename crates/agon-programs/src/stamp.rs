//! The stamp of a build: which files it read and which it made. If a build does not give the same
//! bytes twice, its engine is known by the files that it read.
//!
//! The stamp is a hidden file in the engine's folder. A submitted folder may hold a forged stamp,
//! so a stamp alone is not believed. It has the inode and the change time of each file that the
//! build made. The kernel sets these, and nobody can choose them. Where anything is not as the
//! stamp says, the engine is known by its bytes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::content;
use super::spec::EngineSpec;

/// The name of the stamp in the folder of an engine.
pub const NAME: &str = content::STAMP;
/// A larger stamp is none.
const MOST_BYTES: u64 = 64 << 20;

/// What is kept of the last build.
#[derive(Serialize, Deserialize)]
struct Stamp {
    /// Whether the program follows from the files that were read and the command alone.
    follows: bool,
    command: Vec<String>,
    /// The files that the build left as they were: path and hash.
    read: BTreeMap<String, String>,
    /// The files that this build or one before it made.
    made: BTreeMap<String, Seen>,
}

/// One file as it was found.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    hash: String,
    inode: u64,
    /// The time of the last change of the file or its metadata: seconds and nanoseconds.
    changed: (i64, i64),
}

type Files = BTreeMap<String, Seen>;

/// The folder of an engine before its build.
pub(super) struct Before {
    files: Files,
    /// The files that agon itself writes to the folder after the build.
    written: Vec<&'static str>,
    /// Whether a stranger may have filled the folder.
    is_boxed: bool,
    old: Option<Stamp>,
}

/// Looks at a folder before its build. `None` if it cannot be looked at, or holds what a stamp
/// cannot describe: then the program is known by its bytes.
pub(super) fn before(folder: &Path, written: Vec<&'static str>, is_boxed: bool) -> Option<Before> {
    let mut files = look(folder, is_boxed)?;
    files.retain(|path, _| !written.contains(&path.as_str()));
    Some(Before { files, written, is_boxed, old: read(folder) })
}

impl Before {
    /// Looks at the folder after the build, before agon writes to it.
    pub(super) fn after(self, folder: &Path, command: &[OsString], succeeded: bool) -> Option<After> {
        let command: Vec<String> =
            command.iter().map(|word| word.to_str().map(str::to_owned)).collect::<Option<_>>()?;
        let now = look(folder, self.is_boxed)?;
        let own = |path: &str| {
            let made = self.old.as_ref().and_then(|old| old.made.get(path));
            made.is_some() && made == self.files.get(path)
        };
        let names_more =
            !self.is_boxed && command.iter().enumerate().any(|(place, word)| leads_out(place, word));
        // A source that the build has removed was read.
        let mut follows =
            succeeded && !names_more && self.files.keys().all(|path| now.contains_key(path) || own(path));
        let (mut read, mut made, mut is_left) = (BTreeMap::new(), Vec::new(), false);
        for (path, seen) in now {
            match self.files.get(&path) {
                None => made.push(path),
                Some(before) if own(&path) => {
                    is_left |= *before == seen;
                    made.push(path);
                }
                Some(before) if before.hash == seen.hash => _ = read.insert(path, seen.hash),
                // It may be an old program, or a source that the build has rewritten.
                Some(_) => follows = false,
            }
        }
        read.retain(|path, _| !self.written.contains(&path.as_str()));
        made.extend(self.written.iter().map(|name| (*name).to_owned()));
        // What an earlier build left may come from other sources.
        if is_left {
            let is_same = |old: &Stamp| old.follows && old.read == read && old.command == command;
            follows &= self.old.as_ref().is_some_and(is_same);
        }
        Some(After { follows, command, read, made, is_boxed: self.is_boxed })
    }
}

/// A stamp that lacks the marks of what was made, because agon still writes to the folder.
pub(super) struct After {
    follows: bool,
    command: Vec<String>,
    read: BTreeMap<String, String>,
    made: Vec<String>,
    is_boxed: bool,
}

impl After {
    /// Writes the stamp in place of the last one, if there is anything to say. Without a stamp that
    /// fits, the program is known by its bytes, so what goes wrong here is no error.
    pub(super) fn write(self, folder: &Path) -> Option<()> {
        let now = look(folder, self.is_boxed)?;
        let made = self.made.into_iter().filter_map(|path| Some((path.clone(), now.get(&path)?.clone())));
        let stamp =
            Stamp { follows: self.follows, command: self.command, read: self.read, made: made.collect() };
        if stamp.made.is_empty() {
            return None; // the build failed at once, or works elsewhere
        }
        let text = serde_json::to_vec(&stamp).ok()?;
        // New, so that no link there leads elsewhere.
        let path = folder.join(NAME);
        let _ = fs::remove_file(&path); // it is usually not there
        File::create_new(path).and_then(|mut file| file.write_all(&text)).ok()
    }
}

/// The hash, in hexadecimal, of the files that the build of an engine read. None if agon has not
/// built the program there, or if anything has changed since.
pub fn sources(engine: &EngineSpec) -> Option<String> {
    sources_without(engine, &content::is_passed_over)
}

/// The same before hidden files became parts of engines.
pub fn sources_before(engine: &EngineSpec) -> Option<String> {
    sources_without(engine, &content::was_passed_over)
}

fn sources_without(engine: &EngineSpec, left_out: &dyn Fn(&[u8]) -> bool) -> Option<String> {
    let stamp = read(&engine.folder).filter(|stamp| stamp.follows)?;
    let path = engine.program.strip_prefix(&engine.folder).ok()?.to_str()?;
    stamp.made.get(path).filter(|made| seen(&engine.program).as_ref() == Some(*made))?;
    let is_seen = |path: &&String| !path.split('/').any(|name| left_out(name.as_bytes()));
    let mut files = Vec::new();
    content::gather(&engine.folder, left_out, &mut files).ok()?;
    let is_part = |path: &str| engine.has_part(Path::new(path));
    files.retain(|path| {
        path.is_file() && path.strip_prefix(&engine.folder).is_ok_and(|path| engine.has_part(path))
    });
    let known = stamp.read.keys().chain(stamp.made.keys());
    let expected = known.filter(is_seen).filter(|path| is_part(path)).count();
    let fits = |file: &PathBuf| {
        let path = file.strip_prefix(&engine.folder).ok()?.to_str()?;
        let now = seen(file)?;
        Some(match stamp.made.get(path) {
            Some(made) => *made == now,
            None => stamp.read.get(path) == Some(&now.hash),
        })
    };
    (files.len() == expected && files.iter().all(|file| fits(file) == Some(true)))
        .then(|| stamp.identity(&is_part))
}

/// What the stamp in an engine's folder says, whether or not it fits: for remarks alone.
pub fn claimed(engine: &EngineSpec) -> Option<String> {
    let stamp = read(&engine.folder).filter(|stamp| stamp.follows)?;
    Some(stamp.identity(&|path| engine.has_part(Path::new(path))))
}

impl Stamp {
    fn identity(&self, is_part: &dyn Fn(&str) -> bool) -> String {
        let mut hash = Sha256::new();
        content::part(&mut hash, b"built");
        hash.update((self.command.len() as u64).to_le_bytes());
        let files = self.read.iter().filter(|(path, _)| is_part(path)).flat_map(|(path, hash)| [path, hash]);
        for text in self.command.iter().chain(files) {
            content::part(&mut hash, text.as_bytes());
        }
        content::hex(&hash.finalize())
    }
}

/// Whether a word of a build command names something outside of the folder, whose changes nobody
/// would notice. The first word is the program that builds.
fn leads_out(place: usize, word: &str) -> bool {
    let mut pieces = word.split(|sign: char| sign.is_whitespace() || "=;:,&|'\"()<>".contains(sign));
    pieces
        .any(|piece| piece.contains("..") || piece.starts_with('~') || (place > 0 && piece.starts_with('/')))
}

/// All files of a folder that a build may read or make, by their paths in it. In a folder that a
/// stranger has handed in, sources may hide anywhere. `None` if a link leads to a folder, which is
/// not looked into, or a name is no text.
fn look(folder: &Path, is_boxed: bool) -> Option<Files> {
    let left_out = |name: &[u8]| {
        name == NAME.as_bytes()
            || (!is_boxed && (name == b".git" || (!name.starts_with(b".") && content::is_passed_over(name))))
    };
    let mut files = Vec::new();
    content::gather(folder, &left_out, &mut files).ok()?;
    if files.iter().any(|path| path.is_dir()) {
        return None;
    }
    files.retain(|path| path.is_file());
    let own = |path: &PathBuf| {
        let name = path.strip_prefix(folder).ok()?.to_str()?.to_owned();
        Some((name, seen(path)?))
    };
    files.iter().map(own).collect()
}

fn seen(path: &Path) -> Option<Seen> {
    let mut file = File::open(path).ok()?;
    let about = file.metadata().ok()?;
    let mut hash = Sha256::new();
    content::bytes(&mut hash, &mut file).ok()?;
    let changed = (about.ctime(), about.ctime_nsec());
    Some(Seen { hash: content::hex(&hash.finalize()), inode: about.ino(), changed })
}

fn read(folder: &Path) -> Option<Stamp> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(folder.join(NAME)).ok()?;
    file.metadata().ok().filter(|about| about.is_file() && about.len() <= MOST_BYTES)?;
    let mut text = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    struct Bot {
        home: tempfile::TempDir,
        builds: u32,
    }

    impl Bot {
        fn new() -> Bot {
            let bot = Bot { home: tempfile::tempdir().unwrap(), builds: 0 };
            bot.put("engine.toml", "command = [\"./run\"]\n");
            bot.put("main.c", "one");
            bot
        }

        fn put(&self, name: &str, text: &str) {
            fs::write(self.home.path().join(name), text).unwrap();
        }

        fn known_by(&self) -> Option<String> {
            sources(&EngineSpec::at(self.home.path()).unwrap())
        }

        /// A build that makes another program each time, and `more`.
        fn built_by(&mut self, command: &str, is_boxed: bool, more: impl FnOnce(&Bot)) -> Option<String> {
            self.builds += 1;
            let command: Vec<OsString> = command.split(' ').map(OsString::from).collect();
            let before = before(self.home.path(), Vec::new(), is_boxed).unwrap();
            self.put("run", &format!("built {}", self.builds));
            more(self);
            before.after(self.home.path(), &command, true).unwrap().write(self.home.path());
            self.known_by()
        }

        fn built(&mut self) -> Option<String> {
            self.built_by("make", false, |_| {})
        }
    }

    #[test]
    fn the_same_sources_are_the_same_engine_and_others_or_another_command_are_not() {
        let mut bot = Bot::new();
        assert_eq!(bot.known_by(), None);
        let first = bot.built();
        assert!(first.is_some());
        assert_eq!(bot.built(), first);
        fs::remove_file(bot.home.path().join("run")).unwrap();
        assert_eq!(bot.built(), first);
        let other = bot.built_by("make fast", false, |_| {});
        assert!(other.is_some() && other != first);
        bot.put("main.c", "two");
        assert_eq!(bot.known_by(), None, "the program may be of other sources");
        let second = bot.built();
        assert!(second.is_some() && second != first);
        bot.put("main.c", "one");
        assert_eq!(bot.built(), first);
        bot.put("book", "");
        assert_eq!(bot.known_by(), None);
    }

    #[test]
    fn a_stamp_that_was_handed_in_is_not_believed() {
        let mut bot = Bot::new();
        let first = bot.built();
        bot.put("run", "another");
        assert_eq!(bot.known_by(), None);
        // Even with the right bytes: only the file that the build made counts.
        bot.put("run", "built 1");
        assert_eq!(bot.known_by(), None);
        // A stamp that calls a source a thing that was made: the copies are other files.
        let other = Bot::new();
        let stamp = bot.home.path().join(NAME);
        let mut forged: Stamp = serde_json::from_slice(&fs::read(&stamp).unwrap()).unwrap();
        forged.made.insert("main.c".to_owned(), seen(&bot.home.path().join("main.c")).unwrap());
        forged.read.remove("main.c");
        fs::write(other.home.path().join(NAME), serde_json::to_vec(&forged).unwrap()).unwrap();
        let mut other = other;
        assert_eq!(other.built(), first);
        other.put("main.c", "two");
        assert_ne!(other.built(), first);
    }

    #[test]
    fn where_a_program_may_follow_from_more_than_its_sources_it_is_known_by_its_bytes() {
        let mut bot = Bot::new();
        // A program that was there before may be a source that the build changes.
        bot.put("run", "of yesterday");
        assert_eq!(bot.built(), None);
        fs::remove_file(bot.home.path().join("run")).unwrap();
        let first = bot.built();
        assert!(first.is_some());
        let rewritten = |bot: &Bot| bot.put("main.c", "tidy");
        assert_eq!(bot.built_by("make", false, rewritten), None);
        assert!(bot.built().is_some());
        // An object of the sources before is left.
        assert!(bot.built_by("make", false, |bot| bot.put("main.o", "of tidy")).is_some());
        assert!(bot.built().is_some(), "the same sources");
        bot.put("main.c", "two");
        assert_eq!(bot.built(), None);
        assert_eq!(bot.built(), None);
        assert!(bot.built_by("make", false, |bot| bot.put("main.o", "of two")).is_some());
        for command in ["make -C ..", "cp /opt/x run", "sh -c cp</opt/x", "cp ~/x run", "../make"] {
            assert_eq!(bot.built_by(command, false, |_| {}), None, "{command}");
        }
        // In a box there is nothing outside.
        assert!(
            bot.built_by("sh -c PATH=/opt/x make", true, |bot| bot.put("main.o", "of two again")).is_some()
        );
        std::os::unix::fs::symlink("/", bot.home.path().join("all")).unwrap();
        assert!(before(bot.home.path(), Vec::new(), false).is_none());
    }

    #[test]
    fn a_program_that_the_build_makes_executable_alone_is_a_source() {
        let mut bot = Bot::new();
        bot.put("script", "one");
        let executable = |bot: &Bot| {
            let path = bot.home.path().join("script");
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        let first = bot.built_by("make", false, executable);
        bot.put("script", "two");
        assert_ne!(bot.built_by("make", false, executable), first);
    }

    #[test]
    fn a_stranger_hides_no_source_from_the_stamp() {
        for place in [".hidden", "target", "__pycache__", ".git"] {
            let mut bot = Bot::new();
            fs::create_dir(bot.home.path().join(place)).unwrap();
            bot.put(&format!("{place}/evil.c"), "one");
            let first = bot.built_by("make", true, |_| {});
            assert!(first.is_some(), "{place}");
            bot.put(&format!("{place}/evil.c"), "two");
            assert_ne!(bot.built_by("make", true, |_| {}), first, "{place}");
        }
    }
}
