//! What only the teacher may read: every file of the private folder, and every folder in it.
//!
//! Each file is opened for its owner alone. The umask stays as it is: it belongs to the whole
//! process, and other threads make files that everybody may read. What is unpacked keeps its modes,
//! in a folder that only its owner may enter.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

pub(super) use agon_export::atomic::write_private as write_text;

/// Makes a folder and those above it, as far as they are missing.
pub(super) fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes the top folder of what students have handed in. Only its owner may enter it; a box shows
/// what is below it to engines of another user, so what is below keeps its modes.
pub(super) fn make_top(folder: &Path) -> io::Result<()> {
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above)?;
    }
    make(folder)?;
    let mode = fs::metadata(folder)?.permissions().mode();
    // An earlier version has let everybody in.
    if mode & 0o077 != 0 { fs::set_permissions(folder, Permissions::from_mode(0o700)) } else { Ok(()) }
}

/// Writes a file that can be made again.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = std::fs::File::options();
    options.write(true).create(true).truncate(true).mode(0o600).open(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_belong_to_their_owner_and_others_are_made_as_before() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("students/one");
        make(&folder).unwrap();
        write(&folder.join("game.txt"), "a").unwrap();
        write_text(&folder.join("report.txt"), "a").unwrap();
        fs::write(home.path().join("public"), "a").unwrap();
        let others = |name: &str| fs::metadata(home.path().join(name)).unwrap().permissions().mode() & 0o077;
        fs::create_dir(home.path().join("engines")).unwrap();
        make_top(&home.path().join("engines")).unwrap();
        make_top(&home.path().join("a/versions")).unwrap();
        assert_eq!(others("engines") | others("a/versions"), 0);
        for name in ["students", "students/one", "students/one/game.txt", "students/one/report.txt"] {
            assert_eq!(others(name), 0, "{name}");
        }
        // The control: the tests run with a usual umask.
        assert_eq!(others("public") & 0o44, 0o44);
    }
}
