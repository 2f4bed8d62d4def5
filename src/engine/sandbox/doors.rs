//! The helper's side of control groups: the processes of a box join them by themselves, and the helper, which is in none
//! of them, removes them when the harness is gone.

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fs::{AtFlags, Mode, OFlags, unlinkat};

use super::groups::{BOUND, failed, when_empty};
use super::requests::Directories;

/// The control groups of a box, opened while the file system is still the system's own.
pub(super) struct Doors {
    /// For the warden.
    all: Vec<File>,
    /// For the engine.
    pub(super) engine: File,
    /// The directory above each group, and its name there, in the order in which groups can be removed.
    names: Vec<(OwnedFd, CString)>,
}

impl Doors {
    /// Opens them.
    pub(super) fn open(groups: &Directories) -> io::Result<Self> {
        let names = [&groups.engine].into_iter().chain(&groups.all);
        Ok(Doors {
            all: groups.all.iter().map(|group| door(group)).collect::<io::Result<_>>()?,
            engine: door(&groups.engine)?,
            names: names.map(|group| name(group)).collect::<io::Result<_>>()?,
        })
    }

    /// Takes the calling process in, and whatever it starts.
    pub(super) fn enter(&self) -> io::Result<()> {
        self.all.iter().try_for_each(join)
    }

    /// Removes the groups of a box that has ended.
    pub(super) fn remove(&self) {
        let until = Instant::now() + BOUND;
        for (above, name) in &self.names {
            when_empty(until, || Ok(unlinkat(above, name.as_c_str(), AtFlags::REMOVEDIR)?));
        }
    }
}

/// The calling process goes through this door, and whatever it starts comes with it.
pub(super) fn join(mut door: &File) -> io::Result<()> {
    door.write_all(b"0")
}

fn path(group: &CStr) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(group.to_bytes()))
}

fn door(group: &CStr) -> io::Result<File> {
    let door = path(group).join("cgroup.procs");
    File::options().write(true).open(&door).map_err(|error| failed("opening", &door, &error))
}

fn name(group: &CStr) -> io::Result<(OwnedFd, CString)> {
    let group = path(group);
    let name = group.file_name().ok_or(io::ErrorKind::NotFound)?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let above = rustix::fs::open(group.parent().unwrap_or(Path::new("/")), flags, Mode::empty())?;
    Ok((above, CString::new(name.as_bytes())?))
}
