//! Writes text files whole or not at all.

use std::fs::{File, Permissions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use agon_programs::program::display_path;
use anyhow::{Context, Result};

/// Writes a file through a temporary one in the same directory, which is synced and then renamed. A
/// reader of `path` finds the old contents or the new ones, never a part, even after a power cut.
///
/// The file gets the permissions of a new file, not those of the old one. Only a kill
/// between two steps leaves a file behind, `.agon-*.tmp`.
///
/// # Errors
/// `fill` or the disk fails; the message names the file. The file at `path` is unchanged then, and
/// the temporary file is removed.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    write_with(path, Sync::Yes, fill)
}

/// As [`write()`], with this text.
///
/// # Errors
/// As [`write()`].
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    write(path, |to| to.write_all(text.as_bytes()).map_err(Into::into))
}

/// As [`write_text`], but only the owner may read the file.
///
/// # Errors
/// As [`write()`].
pub fn write_private(path: &Path, text: &str) -> Result<()> {
    write_through(path, Sync::Yes, PRIVATE, |to| to.write_all(text.as_bytes()).map_err(Into::into))
        .with_context(|| format!("cannot write {}", display_path(path)))
}

/// As [`write()`], but does not wait for the disk: for files that can be made again from the
/// database. After a power failure the file may be empty or missing.
///
/// # Errors
/// As [`write()`].
pub fn write_unsynced(path: &Path, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    write_with(path, Sync::No, fill)
}

/// Whether a file is synced before it gets its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sync {
    /// As [`write()`].
    Yes,
    /// As [`write_unsynced`].
    No,
}

/// As [`write()`] or [`write_unsynced`].
///
/// # Errors
/// As [`write()`].
pub(crate) fn write_with(
    path: &Path,
    sync: Sync,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    write_through(path, sync, PUBLIC, fill).with_context(|| format!("cannot write {}", display_path(path)))
}

/// The mode of a file that others may read, less the umask.
const PUBLIC: u32 = 0o666;
/// The mode of a file for its owner alone.
const PRIVATE: u32 = 0o600;

fn write_through(
    path: &Path,
    sync: Sync,
    mode: u32,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    // In the same directory, because a rename is atomic within one file system only.
    let directory = parent(path);
    let temporary = tempfile::Builder::new()
        .prefix(".agon-")
        .suffix(".tmp")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(directory)?;
    let mut out = BufWriter::new(temporary);
    fill(&mut out)?;
    let temporary = out.into_inner()?;
    if sync == Sync::No {
        temporary.persist(path)?;
        return Ok(());
    }
    // Synced before the rename: otherwise a power failure may leave an empty file under the new
    // name.
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    File::open(directory)?.sync_all()?;
    Ok(())
}

/// The directory that contains a path.
pub fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_stays() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("standings.csv");
        for text in ["a longer first version\n", "second\n"] {
            write(&path, |out| Ok(out.write_all(text.as_bytes())?)).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(home.path()), ["standings.csv"]);
    }

    #[test]
    fn the_old_file_is_there_until_the_new_one_is_whole() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        write(&path, |out| {
            out.write_all(&[b'x'; 100_000])?;
            out.flush()?;
            assert_eq!(fs::read_to_string(&path)?, "old");
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 100_000);
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_no_other_and_names_the_file() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a\u{1b}.txt");
        fs::write(&path, "old").unwrap();
        let failed = write(&path, |out| {
            out.write_all(b"half")?;
            anyhow::bail!("the store is gone")
        });
        let message = format!("{:#}", failed.unwrap_err());
        assert!(message.starts_with("cannot write /"), "{message}");
        assert!(message.ends_with("a\\x1b.txt: the store is gone"), "{message}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(home.path()).len(), 1);
    }

    #[test]
    fn a_directory_that_is_not_there_is_named() {
        let home = tempfile::tempdir().unwrap();
        let failed = write(&home.path().join("no/such/a.txt"), |_| Ok(())).unwrap_err();
        assert!(format!("{failed:#}").contains("no/such/a.txt: No such file"), "{failed:#}");
        // Renaming over a directory fails after everything has been written.
        fs::create_dir(home.path().join("taken")).unwrap();
        assert!(write(&home.path().join("taken"), |_| Ok(())).is_err());
        assert_eq!(names(home.path()), ["taken"]);
    }

    #[test]
    fn others_may_read_what_a_new_file_lets_them() {
        let home = tempfile::tempdir().unwrap();
        let (ours, plain) = (home.path().join("ours"), home.path().join("plain"));
        write(&ours, |_| Ok(())).unwrap();
        fs::write(&plain, "").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
