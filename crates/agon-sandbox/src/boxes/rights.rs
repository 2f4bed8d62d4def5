//! What a process gives up before it becomes an untrusted program: resources, users, capabilities.
//!
//! Everything here is about the calling process, which has one thread.

use std::fs;
use std::io;

use rustix::process::Resource;

use super::failure::check;
use super::requests::Allowance;
use crate::rlimits::{self, Limit};

/// What the kernel lets each process of an engine use.
pub(super) fn limits(allowance: &Allowance) -> Vec<Limit> {
    let mut limits = rlimits::everywhere(allowance.data, allowance.file);
    limits.push(Limit::lowered(Resource::Nice, 0, 0));
    limits.push(Limit::lowered(Resource::Rtprio, 0, 0));
    if let Some(processes) = allowance.processes {
        limits.push(Limit::lowered(Resource::Nproc, processes.into(), processes.into()));
    }
    limits
}

/// Sets them for the calling process.
pub(super) fn limit(allowance: &Allowance) -> io::Result<()> {
    Ok(limits(allowance).iter().try_for_each(Limit::set)?)
}

/// The kernel kills this process when the one that has made it ends. A change of user undoes this.
pub(super) fn die_with_parent() -> io::Result<()> {
    // SAFETY: five numbers.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) })
}

/// Nobody of the same user may look into this process, or, with `true`, may again.
pub(super) fn dumpable(yes: bool) -> io::Result<()> {
    // SAFETY: five numbers.
    check(unsafe { libc::prctl(libc::PR_SET_DUMPABLE, libc::c_ulong::from(yes), 0, 0, 0) })
}

/// Becomes another user, of the group of the same number and of no other.
pub(super) fn become_user(id: u32) -> io::Result<()> {
    // SAFETY: numbers, and an empty list. Groups first: a user who is not root may not change them
    // any more.
    unsafe {
        check(libc::setgroups(0, std::ptr::null()))?;
        check(libc::setresgid(id, id, id))?;
        check(libc::setresuid(id, id, id))
    }
}

/// Maps this process's user and group, and nobody else, into the user namespace it has just made.
pub(super) fn map_self(user: u32, group: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Gives up every capability, and the ways to get one back.
pub(super) fn drop_capabilities() -> io::Result<()> {
    // SAFETY: numbers only, up to the capability the kernel does not know.
    unsafe {
        check(libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))?;
        let mut had_any = false;
        for capability in 0..64 {
            match libc::prctl(libc::PR_CAPBSET_READ, capability, 0, 0, 0) {
                1 => had_any = true,
                0 => continue, // it has been dropped already, as in a container
                _ => break,    // there is none of that number
            }
            check(libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0))?;
        }
        // NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each with its lock: root is a user like
        // others. A process that has no capabilities is not allowed to set these bits, and does not
        // need them.
        if had_any {
            check(libc::prctl(libc::PR_SET_SECUREBITS, 0b1100_1111, 0, 0, 0))?;
        }
    }
    no_capabilities()
}

/// Gives up every capability. A process that begins no other program cannot get one back.
pub(super) fn no_capabilities() -> io::Result<()> {
    /// The header and the sets of `capset`, version 3.
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    let header = Header { version: 0x2008_0522, pid: 0 };
    let none = [0u32; 6];
    // SAFETY: both structures have the layout that version 3 asks for and live through the call.
    let done = unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) };
    check(if done == 0 { 0 } else { -1 })
}
