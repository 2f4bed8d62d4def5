//! The folder of a report: it holds only files that agon has written, and is written again without
//! touching any other.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use agon_config::Misuse;
use agon_export::atomic;
use agon_programs::program::display_path;
use anyhow::{Context, Result};

/// The list of the files that agon has written, one a line.
const LIST: &str = "agon-report.txt";
/// Its first line, by which a folder is known.
const MARK: &str = "This folder was written by agon report, which replaces the files of this list:";

/// A folder that is being written.
pub(super) struct Folder {
    path: PathBuf,
    list: File,
    before: BTreeSet<String>,
    written: BTreeSet<String>,
}

impl Folder {
    /// Opens a folder for a report. It does not exist yet, is empty, or holds an earlier report.
    ///
    /// # Errors
    /// [`Misuse`] if it holds other files, or is not a folder. Otherwise errors of the disk.
    pub(super) fn open(path: &Path) -> Result<Folder> {
        let before = match fs::read_to_string(path.join(LIST)) {
            Ok(list) if list.lines().next() == Some(MARK) => {
                list.lines().skip(1).filter(|file| is_inside(file)).map(str::to_owned).collect()
            }
            _ => {
                refuse_others(path)?;
                BTreeSet::new()
            }
        };
        fs::create_dir_all(path).with_context(|| format!("cannot make {}", display_path(path)))?;
        // Written first, so that the folder is known as agon's even if it is never finished.
        write_list(path, &before)?;
        let list = path.join(LIST);
        let list = (OpenOptions::new().append(true).open(&list))
            .with_context(|| format!("cannot write {}", display_path(&list)))?;
        Ok(Folder { path: path.to_owned(), list, before, written: BTreeSet::new() })
    }

    /// Writes a file.
    ///
    /// # Errors
    /// [`Misuse`] if somebody else has put a file of this name there. Otherwise errors of the disk.
    pub(super) fn put(&mut self, file: &str, text: &str) -> Result<()> {
        let path = self.path.join(file);
        if !self.before.contains(file) && !self.written.contains(file) {
            if path.symlink_metadata().is_ok() {
                return Err(Misuse::hinted(
                    format!("{} is in the way; agon report did not write it", display_path(&path)),
                    "move it, or give another folder with --out",
                ));
            }
            // Before the file itself, so that an interrupted report can be written again.
            writeln!(self.list, "{file}").context("cannot write the list of the report's files")?;
        }
        if self.written.len().is_multiple_of(1000) || !self.before.contains(file) {
            let directory = atomic::parent(&path);
            fs::create_dir_all(directory)
                .with_context(|| format!("cannot make {}", display_path(directory)))?;
        }
        atomic::write_unsynced(&path, |to| Ok(to.write_all(text.as_bytes())?))?;
        self.written.insert(file.to_owned());
        Ok(())
    }

    /// Removes the files of the earlier report that were not written again, and returns the number
    /// of files.
    ///
    /// # Errors
    /// Errors of the disk.
    pub(super) fn finish(mut self) -> Result<usize> {
        for file in self.before.difference(&self.written) {
            let path = self.path.join(file);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("cannot remove {}", display_path(&path)));
                }
                _ => {}
            }
            // An empty directory of a stage that is gone; any other stays.
            let _ = fs::remove_dir(atomic::parent(&path));
        }
        let written = std::mem::take(&mut self.written);
        write_list(&self.path, &written)?;
        Ok(written.len())
    }
}

fn write_list(folder: &Path, files: &BTreeSet<String>) -> Result<()> {
    let mut text = format!("{MARK}\n");
    files.iter().for_each(|file| {
        text.push_str(file);
        text.push('\n');
    });
    atomic::write_text(&folder.join(LIST), &text)
}

/// Refuses a path that holds anything.
fn refuse_others(path: &Path) -> Result<()> {
    match fs::read_dir(path) {
        Ok(mut entries) => match entries.next() {
            Some(_) => Err(Misuse::hinted(
                format!("{} holds files that agon report did not write", display_path(path)),
                "give a new or an empty folder with --out",
            )),
            None => Ok(()),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Err(Misuse::hinted(
            format!("{} is a file, and the pages need a folder", display_path(path)),
            "give a folder with --out, or write one file with --single FILE",
        )),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", display_path(path))),
    }
}

/// Whether a line of the list names a file within the folder.
fn is_inside(file: &str) -> bool {
    !file.is_empty() && Path::new(file).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_agon_wrote_is_replaced_or_removed() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("report");
        let mut folder = Folder::open(&path).unwrap();
        folder.put("index.html", "one").unwrap();
        folder.put("engine/a.html", "a").unwrap();
        assert_eq!(folder.finish().unwrap(), 2);
        fs::write(path.join("mine.txt"), "mine").unwrap();

        let mut folder = Folder::open(&path).unwrap();
        folder.put("index.html", "two").unwrap();
        folder.finish().unwrap();
        assert_eq!(fs::read_to_string(path.join("index.html")).unwrap(), "two");
        assert!(!path.join("engine").exists());
        assert_eq!(fs::read_to_string(path.join("mine.txt")).unwrap(), "mine");
    }

    #[test]
    fn a_folder_of_other_files_is_refused_and_stays_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("thesis.txt"), "x").unwrap();
        let refused = Folder::open(home.path()).err().unwrap();
        assert!(refused.is::<Misuse>() && format!("{refused:#}").contains("did not write"), "{refused:#}");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
        let refused = Folder::open(&home.path().join("thesis.txt")).err().unwrap();
        assert!(format!("{refused:#}").contains("is a file"), "{refused:#}");
    }

    #[test]
    fn a_file_of_somebody_else_in_the_way_of_a_page_stays() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("report");
        let mut folder = Folder::open(&path).unwrap();
        folder.put("index.html", "one").unwrap();
        // Never finished: what it wrote is known all the same.
        drop(folder);
        fs::write(path.join("about.html"), "mine").unwrap();
        let mut folder = Folder::open(&path).unwrap();
        folder.put("index.html", "two").unwrap();
        let refused = folder.put("about.html", "two").err().unwrap();
        assert!(refused.is::<Misuse>() && format!("{refused:#}").contains("in the way"), "{refused:#}");
        assert_eq!(fs::read_to_string(path.join("about.html")).unwrap(), "mine");
    }

    #[test]
    fn a_forged_list_removes_nothing_outside_of_the_folder() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("victim"), "x").unwrap();
        let path = home.path().join("report");
        fs::create_dir(&path).unwrap();
        fs::write(path.join(LIST), format!("{MARK}\n../victim\n/etc/passwd\n")).unwrap();
        Folder::open(&path).unwrap().finish().unwrap();
        assert!(home.path().join("victim").exists());
    }
}
