//! Checks that the limits of the shell (`ulimit`) are high enough, and gives the hint if an error
//! comes from one.

use std::io;

use rustix::process::{Resource, getrlimit};

/// The least stack. The main thread gets what the limit says; with less the program would crash.
const STACK: u64 = 256 << 10;
/// The least address space: the program and its libraries take half of it at the start, in a debug
/// build. With less than they take, the loader ends the program before it can say anything.
const MEMORY: u64 = 64 << 20;

/// The least memory of its own, which threads take as well.
const DATA: u64 = 32 << 20;

/// Checks that the program itself can run.
///
/// # Errors
/// The limit, its value, the needed value, and the next step.
pub fn is_enough() -> Result<(), String> {
    let limits = [
        (Resource::Stack, "the stack", "-s", STACK),
        (Resource::As, "memory", "-v", MEMORY),
        (Resource::Data, "data", "-d", DATA),
    ];
    for (resource, what, option, least) in limits {
        // `None` is no limit.
        if let Some(most) = getrlimit(resource).current.filter(|most| *most < least) {
            return Err(format!(
                "the limit on {what} (ulimit {option}) is {} KiB, and agon needs {} KiB; raise it",
                most >> 10,
                least >> 10
            ));
        }
    }
    Ok(())
}

/// The next step after an error that comes from a limit.
pub(super) fn hint(error: &anyhow::Error) -> Option<&'static str> {
    let number = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()?.raw_os_error())?;
    match number {
        libc::EMFILE => Some("raise the limit on open files (ulimit -n)"),
        libc::EFBIG => Some("raise the limit on the size of files (ulimit -f)"),
        libc::EAGAIN => Some("raise the limit on processes (ulimit -u, or pids.max of the control group)"),
        libc::ENOMEM => Some("raise the limit on memory (ulimit -v), or free some"),
        libc::ENOSPC => Some("free some space on the disk"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn an_error_behind_which_a_limit_stands_says_which() {
        let full = || io::Error::from_raw_os_error(libc::EMFILE);
        let error = anyhow::Error::from(full()).context("cannot read it");
        assert_eq!(hint(&error), Some("raise the limit on open files (ulimit -n)"));
        let error = Err::<(), _>(full()).context("cannot").unwrap_err();
        assert!(hint(&error).is_some());
        assert_eq!(hint(&anyhow::anyhow!("else")), None);
        assert_eq!(is_enough(), Ok(()));
    }
}
