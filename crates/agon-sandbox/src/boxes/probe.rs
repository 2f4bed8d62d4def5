//! Each mechanism of the levels, tried by itself: is it available here, and if not, why and what to do.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio, exit};

use super::available::available;
use super::{landlock, roles};
use crate::levels::{Isolation, Lack, Probe, ResourceLimits, Unavailable};

/// Tries every mechanism that has a switch of its own. `empty` is an empty directory of the run.
///
/// Whether a whole level is available, [`available`] says.
pub fn probe(empty: &Path) -> Vec<Probe> {
    let mut all = vec![whole("rlimits", Isolation::Limits, empty)];
    let user = libc::CLONE_NEWUSER;
    all.push(namespace("user namespace", user));
    for (mechanism, kind) in [
        ("pid namespace", libc::CLONE_NEWPID),
        ("mount namespace", libc::CLONE_NEWNS),
        ("network namespace", libc::CLONE_NEWNET),
        ("ipc namespace", libc::CLONE_NEWIPC),
        ("uts namespace", libc::CLONE_NEWUTS),
        ("cgroup namespace", libc::CLONE_NEWCGROUP),
    ] {
        // Only root can make these without a user namespace around them.
        let kind = if rustix::process::geteuid().is_root() { kind } else { kind | user };
        all.push(namespace(mechanism, kind));
    }
    all.push(Probe {
        mechanism: "seccomp",
        level: Isolation::Sandbox,
        needed: true,
        found: if filters() {
            Ok("filters of system calls".to_owned())
        } else {
            Err(lack(
                "the kernel filters no system calls",
                "use a kernel with CONFIG_SECCOMP_FILTER, which all distributions have",
            ))
        },
    });
    all.push(Probe {
        mechanism: "Landlock",
        level: Isolation::Sandbox,
        needed: false,
        found: landlock::version().map(|version| format!("version {version}")).ok_or_else(|| {
            lack(
                "the kernel has no Landlock, or it is switched off",
                "add landlock to the kernel's lsm= list (Linux 5.13 or newer); boxes stand without it",
            )
        }),
    });
    all.push(whole("read-only system", Isolation::Sandbox, empty));
    all
}

fn lack(why: impl Into<String>, remedy: impl Into<String>) -> Lack {
    Lack { why: why.into(), remedy: remedy.into() }
}

/// A mechanism that shows only when the whole level is tried.
fn whole(mechanism: &'static str, level: Isolation, empty: &Path) -> Probe {
    let found = available(level, ResourceLimits::default(), empty).map(|()| "tried as a whole".to_owned());
    let found = found.map_err(|Unavailable { why, remedy, .. }| Lack { why, remedy });
    Probe { mechanism, level, needed: true, found }
}

fn namespace(mechanism: &'static str, kind: libc::c_int) -> Probe {
    let tried = Command::new("/proc/self/exe")
        .args([roles::NAMESPACE, &kind.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let error = match tried.map(|status| status.code()) {
        Ok(Some(0)) => None,
        Ok(Some(number)) => Some(io::Error::from_raw_os_error(number)),
        Ok(None) => Some(io::Error::other("the helper was killed")),
        Err(error) => Some(error),
    };
    let remedy = match error.as_ref().and_then(io::Error::raw_os_error) {
        Some(libc::ENOSPC) => "raise the sysctl user.max_user_namespaces and its like",
        Some(libc::EINVAL) => "use a kernel that has this namespace, as all distributions have",
        _ if rustix::process::geteuid().is_root() => "give this root CAP_SYS_ADMIN (is this a container?)",
        _ => {
            "set the sysctls kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0 \
             where they exist, or run agon as root"
        }
    };
    Probe {
        mechanism,
        level: Isolation::Sandbox,
        needed: true,
        found: match error {
            None => Ok("can be made".to_owned()),
            Some(error) => Err(lack(error.to_string(), remedy)),
        },
    }
}

/// The helper's part: makes the namespace, and tells by its exit code how that went.
pub(super) fn help(kind: Option<&OsStr>) -> ! {
    let kind = kind.and_then(OsStr::to_str).and_then(|kind| kind.parse().ok()).unwrap_or(0);
    // SAFETY: this process has one thread, and ends here.
    let done = unsafe { libc::unshare(kind) };
    let error = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
    exit(if done == 0 { 0 } else { error })
}

/// Whether the kernel lets a filter answer with an error.
fn filters() -> bool {
    const IS_THERE: libc::c_uint = 2; // SECCOMP_GET_ACTION_AVAIL
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the call reads one number.
    unsafe { libc::syscall(libc::SYS_seccomp, IS_THERE, 0, &raw const action) == 0 }
}
