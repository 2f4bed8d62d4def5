//! Whether a level is available on this machine, found out by trying it, before the first game.

use std::io;
use std::path::Path;

use rustix::process::{Signal, WaitOptions, kill_process, waitpid};

use super::start::start;
use crate::levels::{Isolation, Request, ResourceLimits, Unavailable};
use crate::spawn::{self, NotStarted};

/// Tries a level: builds what it needs around a program that does nothing. `empty` is a directory of the run.
///
/// # Errors
/// [`Unavailable`], with the reason and the next step.
pub fn available(level: Isolation, limits: ResourceLimits, empty: &Path) -> Result<(), Unavailable> {
    if level == Isolation::None {
        return Ok(());
    }
    match attempt(level, limits, empty) {
        Ok(()) => Ok(()),
        Err(error) => {
            let why = error.to_string();
            Err(Unavailable { level, remedy: remedy(level, &why), why })
        }
    }
}

fn attempt(level: Isolation, limits: ResourceLimits, empty: &Path) -> io::Result<()> {
    let path = |path: &Path| {
        use std::os::unix::ffi::OsStrExt;
        std::ffi::CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)
    };
    let files = path(empty)?;
    let request = Request {
        program: c"/bin/true",
        arguments: &[c"true".to_owned()],
        environment: &[],
        directory: c"/",
        files: &files,
        shown: &[],
        level,
        limits,
        freezes: false,
        pinned: false,
    };
    match start(&request, spawn::pipes()?) {
        Ok((child, _)) => {
            let _ = kill_process(child.pid, Signal::KILL); // it has mostly ended by now
            let _ = waitpid(Some(child.pid), WaitOptions::empty()); // it is ours, so it can be waited for
            Ok(())
        }
        // A system without that program; the box was built for it all the same.
        Err(NotStarted::Program(_)) => Ok(()),
        Err(NotStarted::Ours(error)) => Err(error),
    }
}

/// What to do about a step that failed.
fn remedy(level: Isolation, why: &str) -> String {
    let weaker = match level {
        Isolation::Limits | Isolation::None => "none",
        Isolation::Sandbox => "limits",
        Isolation::Strict => "sandbox",
    };
    let mend = if why.contains("control groups") {
        "run agon as root, or where systemd has delegated a group to it: systemd-run --user --scope -p Delegate=yes \
         agon ..."
    } else if why.contains("making namespaces") || why.contains("mapping the user") {
        if rustix::process::geteuid().is_root() {
            "this root has not the rights of root (a container?): give it CAP_SYS_ADMIN and allow unshare, or run \
             agon as a plain user outside"
        } else {
            "let users make user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone=1; where \
             AppArmor restricts them, as on Ubuntu 24.04, install the profile that scripts/apparmor-profile prints), or \
             run agon as root"
        }
    } else if why.contains("mounting /proc") {
        "whatever covers parts of /proc here (a container?) must go, or run agon as root outside"
    } else if why.contains("Function not implemented") {
        "use Linux 5.14 or newer"
    } else {
        "see docs/isolation.md"
    };
    format!("{mend}; or use --isolation {weaker}, which promises less")
}
