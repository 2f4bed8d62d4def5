//! Copies of files, links and folders with their rights.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;

use rustix::fs::{OFlags, ioctl_ficlone};

use super::content;

/// Makes the folders of the copy, with the rights of their originals; empty ones too, since a
/// program may write there.
pub(super) fn make_folders(from: &Path, to: &Path) -> io::Result<()> {
    make_folder(from, to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && !content::is_passed_over(entry.file_name().as_bytes()) {
            make_folders(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn make_folder(from: &Path, to: &Path) -> io::Result<()> {
    let mode = fs::metadata(from)?.mode();
    fs::create_dir(to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(mode & 0o777 | 0o700))
}

/// Makes the folders above a file of the copy that are not there: a program may lie in one that is
/// no part of what is hashed.
pub(super) fn folders(source: &Path, below: &Path, top: &Path) -> io::Result<()> {
    let mut above: Vec<&Path> = below.ancestors().skip(1).collect();
    above.reverse();
    let missing = above.into_iter().filter(|folder| !folder.as_os_str().is_empty());
    for folder in missing.filter(|folder| !top.join(folder).is_dir()) {
        make_folder(&source.join(folder), &top.join(folder))?;
    }
    Ok(())
}

/// Copies a file with its rights and its time, or a link.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Ok(target) = fs::read_link(from) {
        return symlink(target, to);
    }
    // A link that came in its place would lead elsewhere, and a FIFO would block.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits().cast_signed();
    let mut source = OpenOptions::new().read(true).custom_flags(flags).open(from)?;
    let about = source.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    if ioctl_ficlone(&copy, &source).is_err() {
        io::copy(&mut source, &mut copy)?;
    }
    copy.set_permissions(fs::Permissions::from_mode(about.mode() & 0o777 | 0o400))?;
    copy.set_modified(about.modified()?)
}
