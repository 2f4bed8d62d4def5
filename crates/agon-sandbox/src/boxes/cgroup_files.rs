//! The helper's side of control groups: their files. Through these the processes of a box join the
//! groups. The helper is in none of them, and removes them when the harness is gone.

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fs::{AtFlags, Mode, OFlags, unlinkat};

use super::cgroups::{BOUND, failed, when_empty};
use super::requests::Directories;

/// The control groups of a box, opened while the file system is still the system's own.
pub(super) struct CgroupFiles {
    /// For the warden.
    all: Vec<File>,
    /// For the engine.
    pub(super) engine: File,
    /// The directory above each group, and its name there, in the order in which groups can be
    /// removed.
    names: Vec<(OwnedFd, CString)>,
}

impl CgroupFiles {
    /// Opens them.
    pub(super) fn open(groups: &Directories) -> io::Result<Self> {
        let names = [&groups.engine].into_iter().chain(&groups.all);
        Ok(CgroupFiles {
            all: groups.all.iter().map(|group| procs(group)).collect::<io::Result<_>>()?,
            engine: procs(&groups.engine)?,
            names: names.map(|group| name(group)).collect::<io::Result<_>>()?,
        })
    }

    /// Takes the calling process in, and all that it starts.
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

/// Puts the calling process, and all that it starts, into the group with this `cgroup.procs`.
pub(super) fn join(mut procs: &File) -> io::Result<()> {
    procs.write_all(b"0")
}

fn path(group: &CStr) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(group.to_bytes()))
}

fn procs(group: &CStr) -> io::Result<File> {
    let procs = path(group).join("cgroup.procs");
    File::options().write(true).open(&procs).map_err(|error| failed("opening", &procs, &error))
}

fn name(group: &CStr) -> io::Result<(OwnedFd, CString)> {
    let group = path(group);
    let name = group.file_name().ok_or(io::ErrorKind::NotFound)?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let above = rustix::fs::open(group.parent().unwrap_or(Path::new("/")), flags, Mode::empty())?;
    Ok((above, CString::new(name.as_bytes())?))
}
