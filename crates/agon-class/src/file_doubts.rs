//! Which file of a submission counts, where only its author or the teacher knows it: an archive
//! beside sources, several folders with sources, or several files that may be the one to start.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use agon_programs::submission;

use super::claimed_files;
use super::unpack;

/// What is not known where an archive lies beside something else that may count.
const FILES: &str = "it is not known which of its files counts";
/// What is not known of several folders.
const FOLDERS: &str = "it is not known which of its folders has the engine";
/// What is not known of one file or folder, beside which nothing plays.
const ONLY: &str = "nothing at its top plays, and it is not known whether this is the engine";
/// What is not known of programs in several languages.
const STARTS: &str = "it is not known which of its files is to be started";

/// That it is not known which file of a submission counts.
#[derive(Clone, Debug)]
pub(super) struct FileDoubt {
    /// What is not known.
    pub(super) what: &'static str,
    /// What may count: the name to write, and the path.
    files: Vec<(String, PathBuf)>,
}

impl FileDoubt {
    /// The names to write, of which each is an answer.
    pub(super) fn names(&self) -> Vec<&str> {
        self.files.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The file or folder with this name, which may begin with `./`: a name may be an id too.
    pub(super) fn called(&self, name: &str) -> Option<PathBuf> {
        let name = name.strip_prefix("./").unwrap_or(name);
        self.files.iter().find(|(own, _)| own == name).map(|(_, path)| path.clone())
    }

    /// The doubt about the files of a folder, if there is one.
    pub(super) fn of_folder(folder: &Path) -> Option<Self> {
        let all: Vec<(String, PathBuf)> = claimed_files::top_of(folder)
            .into_iter()
            .map(|path| (claimed_files::file_name(&path), path))
            .collect();
        let plays = submission::has_engine(folder);
        Self::of_files(&all, plays).or_else(|| {
            let starts = submission::rivals(folder).into_iter();
            let files: Vec<(String, PathBuf)> =
                starts.map(|name| (claimed_files::shown(&name), folder.join(name))).collect();
            (!files.is_empty()).then_some(FileDoubt { what: STARTS, files })
        })
    }

    /// The doubt about files and folders beside each other. `plays` says whether they are an engine
    /// as they are.
    pub(super) fn of_files(all: &[(String, PathBuf)], plays: bool) -> Option<Self> {
        let (mut archives, mut sources, mut folders) = (Vec::new(), Vec::new(), Vec::new());
        let mut has_data = false;
        for (name, path) in all {
            let name = name.to_lowercase();
            if path.is_dir() {
                folders.extend(claimed_files::has_work(path).then_some(path));
            } else if claimed_files::is_archive(&name) {
                archives.push(path);
            } else if claimed_files::is_program(&name) || (!unpack::is_document(path) && may_start(path)) {
                sources.push(path);
            } else {
                has_data |= !unpack::is_document(path);
            }
        }
        let (what, found) = match (&archives[..], sources.len() + folders.len()) {
            ([], _) if plays || folders.is_empty() => return None,
            ([], _) => (if folders.len() > 1 { FOLDERS } else { ONLY }, folders),
            // What is for people is no reason to ask.
            ([_], 0) if !has_data => return None,
            ([_], 0) => (ONLY, archives),
            _ => (FILES, archives.into_iter().chain(sources).chain(folders).collect()),
        };
        let named = |path: &PathBuf| (claimed_files::shown(&claimed_files::file_name(path)), path.clone());
        Some(FileDoubt { what, files: found.into_iter().map(named).collect() })
    }
}

/// Whether a file has the right to be executed.
pub(super) fn may_start(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o100 != 0)
}
