//! The files of something that was handed in: their names in the download, and those under which
//! they are built.

use std::fs;
use std::path::{Path, PathBuf};

use agon_printable::escape;
use agon_programs::languages;

use super::entry_names::is_junk;
use super::handed_in::without_attempt;
use super::private;
use super::unpack;

/// The longest name in a table.
const MOST_SHOWN: usize = 250;

/// A file of a claim, or the folder of it.
#[derive(Clone, Debug)]
pub(super) struct ClaimedFile {
    pub(super) path: PathBuf,
    /// The name as the student knows it; `None` for a folder.
    pub(super) name: Option<String>,
    /// The number of the file in the system.
    pub(super) attachment: Option<u64>,
}

impl ClaimedFile {
    /// A folder.
    pub(super) fn folder(path: PathBuf) -> Self {
        ClaimedFile { path, name: None, attachment: None }
    }

    /// The name in the download.
    pub(super) fn in_download(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// A name of a download, as it is shown.
pub(super) fn shown(name: &str) -> String {
    escape(name.as_bytes(), MOST_SHOWN)
}

/// The files with the names under which they are built. Where a name is there twice, with a number
/// that the system has added, the newest file has the name. A number that tells files apart stays.
pub(super) fn placed(files: &[ClaimedFile]) -> Vec<(&ClaimedFile, String)> {
    let name_of = |file: &ClaimedFile| file.name.clone().unwrap_or_default();
    let base_of = |file: &ClaimedFile| {
        let name = name_of(file);
        // Only a system that counts files adds a number to their names.
        file.attachment.and_then(|_| without_attempt(&name)).unwrap_or(name)
    };
    let mut all: Vec<(&ClaimedFile, String)> = Vec::new();
    for file in files {
        let (name, base) = (name_of(file), base_of(file));
        let same: Vec<&ClaimedFile> = files.iter().filter(|other| base_of(other) == base).collect();
        let newest =
            same.iter().max_by_key(|other| other.attachment).is_some_and(|newest| newest.path == file.path);
        if same.len() == 1 || (newest && same.iter().any(|other| name_of(other) == base)) {
            all.push((file, base.clone()));
        }
        // What is no program is found by its own name too.
        let is_apart = same.len() > 1 && !same.iter().any(|other| name_of(other) == base);
        let is_data = !is_program(&name.to_lowercase()) && !is_archive(&name.to_lowercase()) && name != base;
        if is_apart || (is_data && same.len() > 1) {
            all.push((file, name));
        }
    }
    all
}

/// The entries of a folder that are no junk, ordered by name.
pub(super) fn top_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_shown = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        !is_junk(Path::new(name)) && !name.as_encoded_bytes().starts_with(b".")
    };
    let mut all: Vec<PathBuf> = entries.filter(is_shown).collect();
    all.sort();
    all
}

pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The name of a copy: it comes from the student, and only its last part is used.
pub(super) fn own_name(name: Option<&str>, path: &Path) -> PathBuf {
    let name = name.and_then(|name| Path::new(name).file_name());
    PathBuf::from(name.unwrap_or(path.file_name().unwrap_or_default()))
}

/// Makes a folder without the files of an earlier intake, which may be those of somebody else.
pub(super) fn made_anew(to: &Path) -> std::io::Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    private::make(to)
}

pub(super) fn copied(from: &Path, to: &Path) -> std::io::Result<()> {
    // A link is refused later, as in every folder.
    if fs::symlink_metadata(from)?.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if from.is_file() {
        fs::copy(from, to)?;
    }
    Ok(())
}

/// Copies those files at the top of a folder that are wanted, and all of its folders.
pub(super) fn copied_folder(
    from: &Path,
    to: &Path,
    is_wanted: &dyn Fn(&Path) -> bool,
) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            fs::create_dir(&copy)?;
            copied_folder(&path, &copy, &|_| true)?;
        } else if is_wanted(&path) {
            copied(&path, &copy)?;
        }
    }
    Ok(())
}

/// Whether a folder has something that plays. One that cannot be read is looked at later.
pub(super) fn has_work(folder: &Path) -> bool {
    unpack::has_work(folder, unpack::MOST_DEEP).unwrap_or(true)
}

/// Whether a name, in small letters, is that of an archive.
pub(super) fn is_archive(name: &str) -> bool {
    const ENDINGS: [&str; 9] =
        [".zip", ".tar", ".tar.gz", ".tgz", ".7z", ".rar", ".tar.xz", ".tar.bz2", ".tbz2"];
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a name, in small letters, is that of a source or of what a build begins with.
pub(super) fn is_program(name: &str) -> bool {
    languages::is_source(name) || says_how_it_is_built(name) || name.ends_with(".jar")
}

/// Whether a name, in small letters, is that of a file that says how the others are built.
pub(super) fn says_how_it_is_built(name: &str) -> bool {
    ["makefile", "gnumakefile", "cargo.toml", "engine.toml", "package.json"].contains(&name)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The files of one submission in a download of Canvas, with the numbers of their attachments.
    pub(in super::super) fn files(all: &[(&str, u64)]) -> Vec<ClaimedFile> {
        let file = |(name, attachment): &(&str, u64)| ClaimedFile {
            path: PathBuf::from(format!("doejane_1_{attachment}_{name}")),
            name: Some((*name).to_owned()),
            attachment: Some(*attachment),
        };
        all.iter().map(file).collect()
    }

    fn names(all: &[(&str, u64)]) -> Vec<String> {
        let files = files(all);
        placed(&files)
            .into_iter()
            .map(|(file, name)| format!("{name}={}", file.attachment.unwrap()))
            .collect()
    }

    #[test]
    fn the_number_of_an_attempt_goes_where_the_system_has_added_it() {
        // 9999998 is older than 10000003, whatever their first digits are.
        assert_eq!(names(&[("main-1.py", 10_000_003), ("main.py", 9_999_998)]), ["main.py=10000003"]);
        assert_eq!(names(&[("main.py", 7), ("main-1.py", 8), ("main-2.py", 9)]), ["main.py=9"]);
        assert_eq!(names(&[("Main-2.java", 1), ("Util-1.java", 2)]), ["Main.java=1", "Util.java=2"]);
        let apart = ["main.py=1", "weights-1.txt=2", "weights-2.txt=3"];
        assert_eq!(names(&[("main.py", 1), ("weights-1.txt", 2), ("weights-2.txt", 3)]), apart);
        assert_eq!(names(&[("player-1.py", 1), ("player-2.py", 2)]), ["player-1.py=1", "player-2.py=2"]);
        // Data that is there twice is found by either name.
        assert_eq!(names(&[("w.txt", 1), ("w-1.txt", 2)]), ["w.txt=2", "w-1.txt=2"]);
    }
}
