//! Attacks that change files of others, the results or the system, and programs that grant more
//! rights. A test examines the files themselves.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use crate::attacks::honest::Stub;
use crate::attacks::tried::{given, not_tried, tell, tell_if};
use crate::attacks::{Level, Mode, mode, sys};

pub(crate) const MODES: &[Mode] = &[
    mode(
        "tamper",
        "normal",
        "E05",
        "writes, renames and deletes others' files and its own submission",
        tamper,
    )
    .blocked(Level::Sandbox),
    mode("path-directory", "normal", "E05", "puts a program into a directory of PATH", path_directory)
        .blocked(Level::Sandbox),
    mode("setuid", "normal", "E08", "starts a program that makes its user root", setuid)
        .blocked(Level::Limits),
    mode("roots-powers", "normal", "E17", "reads root's file, writes to /proc/sys, mounts", roots_powers)
        .blocked(Level::Sandbox),
    mode("system-files", "normal", "E19", "opens files of the kernel and devices to write", system_files)
        .blocked(Level::Sandbox),
];

/// E05: the test has put a file of each kind there, and examines them afterwards.
fn tamper(stub: &mut Stub) -> io::Result<()> {
    for name in ["OTHERS_FILE", "OWN_FILE", "RESULTS_FILE", "SECRET_FILE"] {
        let what = name.to_lowercase().replace('_', " ");
        let appended = given(name).and_then(|path| {
            // So that the mode alone cannot have prevented the owner.
            let _ = fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o666));
            OpenOptions::new().append(true).open(path)?.write_all(b"changed\n")
        });
        tell("E05", &format!("write to {what}"), appended)?;
    }
    for name in ["OTHERS_DOOMED", "OWN_DOOMED"] {
        let what = name.to_lowercase().replace('_', " ");
        tell("E05", &format!("delete {what}"), given(name).and_then(fs::remove_file))?;
    }
    let renamed = given("OTHERS_FILE").and_then(|path| fs::rename(&path, format!("{path}.renamed")));
    tell("E05", "rename others file", renamed)?;
    stub.play_on()
}

/// E05: removed at once if it could be made.
fn path_directory(stub: &mut Stub) -> io::Result<()> {
    let path = format!("/usr/local/bin/agon-stub-{}", std::process::id());
    let made = fs::write(&path, b"#!/bin/sh\n").and_then(|()| fs::remove_file(&path));
    tell("E05", "a program in /usr/local/bin", made)?;
    stub.play_on()
}

/// E08: the test has made a program with root's setuid bit.
fn setuid(stub: &mut Stub) -> io::Result<()> {
    if rustix::process::geteuid().is_root() {
        not_tried("E08", "it is root already")?;
        return stub.play_on();
    }
    match given("SETUID_PROGRAM").and_then(|path| Command::new(path).arg("-u").output()) {
        Ok(output) => tell_if("E08", "become root", output.stdout == b"0\n")?,
        refused => tell("E08", "start the program", refused)?,
    }
    stub.play_on()
}

/// E17: nothing changes: the written value is the old one, and the mount is in a new namespace.
fn roots_powers(stub: &mut Stub) -> io::Result<()> {
    tell("E17", "a file that only root may read", given("SECRET_FILE").and_then(fs::read))?;
    let knob = "/proc/sys/vm/swappiness";
    tell("E17", "a setting of the kernel", fs::read(knob).and_then(|value| fs::write(knob, value)))?;
    let mounted = in_a_child(|| {
        sys::unshare(libc::CLONE_NEWNS)?;
        rustix::mount::mount_change(
            "/",
            rustix::mount::MountPropagationFlags::PRIVATE | rustix::mount::MountPropagationFlags::REC,
        )?;
        rustix::mount::mount("box", ".", "tmpfs", rustix::mount::MountFlags::NOSUID, None)?;
        Ok(())
    });
    tell("E17", "mount", mounted)?;
    stub.play_on()
}

/// Does this in a process of its own, so that this one is not affected.
pub(crate) fn in_a_child(work: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    match sys::fork(crate::attacks::processes::CHILD_LIFE) {
        sys::Fork::Child => {
            let code = match work() {
                Ok(()) => 0,
                Err(why) => why.raw_os_error().unwrap_or(libc::EIO),
            };
            std::process::exit(code)
        }
        sys::Fork::Parent(child) => {
            let status = rustix::process::waitpid(Some(child), rustix::process::WaitOptions::empty())?;
            match status.and_then(|(_, status)| status.exit_status()) {
                Some(0) => Ok(()),
                Some(errno) => Err(io::Error::from_raw_os_error(errno)),
                None => Err(io::Error::other("the child was killed")),
            }
        }
        sys::Fork::Refused => Err(io::Error::from_raw_os_error(libc::EAGAIN)),
    }
}

/// E19: they are opened for writing, and nothing is written.
fn system_files(stub: &mut Stub) -> io::Result<()> {
    let write = |path: &str| OpenOptions::new().write(true).open(path);
    for path in ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/dev/mem", "/dev/kmsg"] {
        if Path::new(path).exists() {
            tell("E19", path, write(path))?;
        }
    }
    for (place, kind) in [("/dev", "devices"), ("/sys/fs/cgroup", "control groups")] {
        let probe = format!("{place}/agon-stub-{}", std::process::id());
        let made = fs::create_dir(&probe).and_then(|()| fs::remove_dir(&probe));
        tell("E19", &format!("a directory among {kind}"), made)?;
    }
    let disks = fs::read_dir("/dev").into_iter().flatten().flatten();
    let disk = disks.map(|entry| entry.path()).find(|path| {
        use std::os::unix::fs::FileTypeExt;
        fs::metadata(path).is_ok_and(|about| about.file_type().is_block_device() && about.rdev() != 0)
    });
    let opened = disk.ok_or_else(|| io::Error::other("no disk in sight")).and_then(fs::File::open);
    tell("E19", "a disk, to read", opened)?;
    stub.play_on()
}
