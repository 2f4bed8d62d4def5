//! How much a folder holds, by its directories alone: looked at before any file is read. A file may
//! have any size and take no room.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::program::display_path;
use super::stopping;

/// The most that a folder may hold.
#[derive(Clone, Copy, Debug)]
pub struct FolderLimits {
    /// Files, folders and whatever else has a name.
    pub entries: usize,
    /// Bytes of all files, as they would be read.
    pub bytes: u64,
    /// Folders in folders.
    pub deep: usize,
}

impl FolderLimits {
    /// What one submission may hold.
    pub const SUBMISSION: FolderLimits = FolderLimits { entries: 20_000, bytes: 1 << 30, deep: 64 };
    /// What a folder of the organiser's own engine may hold: the data of large programs, but no
    /// file system.
    pub const ORGANISER: FolderLimits = FolderLimits { entries: 1_000_000, bytes: 256 << 30, deep: 256 };
}

/// Sees that a file, or a folder without what is left out of it by name, holds no more than this.
/// What a link leads to is counted by its file.
///
/// # Errors
/// What is too much, in words that continue a name; or the disk cannot be read, or this process is
/// to stop ([`stopping::was_asked`]).
pub fn check(
    top: &Path,
    most: FolderLimits,
    left_out: &dyn Fn(&[u8]) -> bool,
) -> anyhow::Result<Result<(), String>> {
    let too_large = || {
        let bytes = most.bytes;
        let most =
            if bytes >= 1 << 30 { format!("{} GiB", bytes >> 30) } else { format!("{} MiB", bytes >> 20) };
        Ok(Err(format!("is more than {most} large")))
    };
    let (mut entries, mut bytes) = (0, 0_u64);
    let mut waiting: Vec<(PathBuf, usize)> = Vec::new();
    let cannot = |path: &Path| format!("cannot read {}", display_path(path));
    let about = fs::metadata(top).with_context(|| cannot(top))?;
    if about.is_dir() {
        waiting.push((top.to_owned(), 0));
    } else if about.len() > most.bytes {
        return too_large();
    }
    while let Some((folder, deep)) = waiting.pop() {
        stopping::go_on()?;
        for entry in fs::read_dir(&folder).with_context(|| cannot(&folder))? {
            let entry = entry.with_context(|| cannot(&folder))?;
            if left_out(entry.file_name().as_encoded_bytes()) {
                continue;
            }
            entries += 1;
            if entries > most.entries {
                return Ok(Err(format!("has more than {} files", most.entries)));
            }
            let kind = entry.file_type().with_context(|| cannot(&folder))?;
            if kind.is_dir() {
                if deep == most.deep {
                    let shown = display_path(folder.strip_prefix(top).unwrap_or(&folder));
                    let depth = most.deep;
                    return Ok(Err(format!("has more than {depth} folders in each other: {shown:.80}...")));
                }
                waiting.push((entry.path(), deep + 1));
            } else if let Ok(about) = fs::metadata(entry.path())
                && about.is_file()
            {
                bytes = bytes.saturating_add(about.len());
                if bytes > most.bytes {
                    return too_large();
                }
            }
        }
    }
    Ok(Ok(()))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::symlink;

    use super::*;

    const SMALL: FolderLimits = FolderLimits { entries: 5, bytes: 10 << 20, deep: 2 };

    #[test]
    fn a_folder_that_holds_too_much_of_anything_is_refused_unread() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let said = |path: &Path| {
            let hidden = |name: &[u8]| name.starts_with(b".");
            check(path, SMALL, &hidden).unwrap().err().unwrap_or_default()
        };
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("a/b/file"), "x").unwrap();
        assert_eq!(said(home.path()), "");
        // It takes no room on the disk, and would be read for minutes.
        File::create(at("a/.large")).unwrap().set_len(30 << 30).unwrap();
        assert_eq!(said(home.path()), "", "what is left out does not count");
        assert!(said(&at("a/.large")).starts_with("is more than 10 MiB large"));
        symlink("a/.large", at("link")).unwrap();
        assert!(said(home.path()).starts_with("is more than 10 MiB large"));
        fs::remove_file(at("link")).unwrap();
        fs::create_dir(at("a/b/c")).unwrap();
        assert!(said(home.path()).starts_with("has more than 2 folders in each other: a/b"));
        fs::remove_dir(at("a/b/c")).unwrap();
        symlink("..", at("a/b/up")).unwrap();
        assert_eq!(said(home.path()), "", "a link to a folder is not followed");
        fs::write(at("1"), "").unwrap();
        assert_eq!(said(home.path()), "");
        fs::write(at("2"), "").unwrap();
        assert_eq!(said(home.path()), "has more than 5 files");
    }
}
