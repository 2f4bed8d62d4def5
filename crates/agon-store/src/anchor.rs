//! Whether a database still lies where it was opened. A removed database would go on taking games,
//! and nobody would find them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use agon_programs::program::display_path;
use anyhow::{Result, bail};

/// The database and its directory: their paths and identities when it was opened.
#[derive(Debug)]
pub(super) struct Anchor(Vec<(PathBuf, Option<(u64, u64)>)>);

/// The identity of a file: no other file has it at the same time.
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

    /// Checks that both are still the same.
    ///
    /// # Errors
    /// Which of the two has changed, and what to do.
    pub(super) fn holds(&self) -> Result<()> {
        for (path, before) in &self.0 {
            let now = which(path);
            if now == *before {
                continue;
            }
            let what = if now.is_none() { "is gone" } else { "was replaced" };
            bail!(
                "{} {what}: it was removed, moved or replaced during the run, so its games cannot be found \
                 there; put it back, or name its new place with --out, and run the same command again: it plays \
                 what is missing",
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
        assert!(anchor.holds().unwrap_err().to_string().contains("run was replaced"));
        fs::remove_dir_all(&folder).unwrap();
        fs::rename(home.path().join("moved"), &folder).unwrap();
        anchor.holds().unwrap();
        fs::rename(&path, folder.join("aside")).unwrap();
        assert!(anchor.holds().unwrap_err().to_string().contains("agon.db is gone"));
        fs::copy(folder.join("aside"), &path).unwrap();
        assert!(anchor.holds().unwrap_err().to_string().contains("agon.db was replaced"));
    }
}
