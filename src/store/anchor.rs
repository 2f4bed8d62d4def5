//! Whether a database still lies where it was opened: one that was removed in the meantime goes on taking games, and
//! nobody would ever find them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::engine::program::display_path;

/// Where a database and its directory were when it was opened, and which ones they were.
#[derive(Debug)]
pub(super) struct Anchor(Vec<(PathBuf, Option<(u64, u64)>)>);

/// What tells a file from every other one that is there at the same time.
fn which(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
}

impl Anchor {
    /// The database at `path` as it is now.
    pub(super) fn cast(path: &Path) -> Self {
        let directory =
            path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Anchor([directory, path].map(|path| (path.to_owned(), which(path))).into())
    }

    /// Sees that both are the same ones still.
    ///
    /// # Errors
    /// What has happened to which of them, and what to do.
    pub(super) fn holds(&self) -> Result<()> {
        for (path, before) in &self.0 {
            let now = which(path);
            if now == *before {
                continue;
            }
            let what = if now.is_none() { "is gone" } else { "is another one than before" };
            bail!(
                "{} {what}: it was removed, moved or replaced while the run went on, and the games in it can no longer be \
                 found there; put it back where it was, or give the place it was moved to with --out, and run the same \
                 command again: it plays what is missing",
                display_path(path)
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_was_removed_moved_or_replaced_is_noticed() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("run");
        let path = folder.join("agon.db");
        let make = || {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, "x").unwrap();
        };
        make();
        let anchor = Anchor::cast(&path);
        fs::write(&path, "more").unwrap();
        anchor.holds().unwrap();
        fs::rename(&folder, home.path().join("moved")).unwrap();
        assert!(anchor.holds().unwrap_err().to_string().contains("run is gone"));
        make();
        assert!(anchor.holds().unwrap_err().to_string().contains("run is another one"));
        fs::remove_dir_all(&folder).unwrap();
        fs::rename(home.path().join("moved"), &folder).unwrap();
        anchor.holds().unwrap();
        fs::rename(&path, folder.join("aside")).unwrap();
        assert!(anchor.holds().unwrap_err().to_string().contains("agon.db is gone"));
        fs::copy(folder.join("aside"), &path).unwrap();
        assert!(anchor.holds().unwrap_err().to_string().contains("agon.db is another one"));
    }
}
