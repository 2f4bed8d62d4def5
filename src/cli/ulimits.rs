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

const FULL: &str =
    "free some space on the disk, or some of its files: df -h and df -i show which are used up";
const QUOTA: &str = "your quota of the disk is used up; remove something, or give a place on another disk";
const READ_ONLY: &str = "this file system can only be read; give a place on another one";
const NO_LOCKS: &str =
    "this file system has no locks, as some network file systems; give a place on a local disk";
const NO_MEMORY: &str = "raise the limit on memory (ulimit -v), or free some";

/// The next step after an error that comes from a limit, or from the file system.
pub(super) fn hint(error: &anyhow::Error) -> Option<&'static str> {
    // What was added to an error as its context is found by the whole error alone.
    error.downcast_ref::<io::Error>().and_then(of_system).or_else(|| {
        error.chain().find_map(|cause| {
            let of_database =
                || of_database(cause.downcast_ref::<rusqlite::Error>()?.sqlite_error()?.extended_code);
            cause.downcast_ref::<io::Error>().and_then(of_system).or_else(of_database)
        })
    })
}

/// Of an error of the system. One that was put into words has kept its kind.
fn of_system(error: &io::Error) -> Option<&'static str> {
    let number = error.raw_os_error();
    number.and_then(of_number).or_else(|| match error.kind() {
        io::ErrorKind::StorageFull => Some(FULL),
        io::ErrorKind::QuotaExceeded => Some(QUOTA),
        io::ErrorKind::ReadOnlyFilesystem => Some(READ_ONLY),
        io::ErrorKind::OutOfMemory => Some(NO_MEMORY),
        _ => None,
    })
}

/// Of an error of the database, by its extended code.
fn of_database(code: i32) -> Option<&'static str> {
    use rusqlite::ffi;
    match code {
        ffi::SQLITE_FULL => Some(FULL),
        ffi::SQLITE_IOERR_LOCK
        | ffi::SQLITE_IOERR_RDLOCK
        | ffi::SQLITE_IOERR_UNLOCK
        | ffi::SQLITE_IOERR_CHECKRESERVEDLOCK
        | ffi::SQLITE_IOERR_SHMLOCK
        | ffi::SQLITE_IOERR_SHMOPEN
        | ffi::SQLITE_IOERR_SHMMAP => Some(NO_LOCKS),
        ffi::SQLITE_NOMEM => Some(NO_MEMORY),
        _ if code & 0xff == ffi::SQLITE_READONLY => Some(READ_ONLY),
        _ => None,
    }
}

fn of_number(number: i32) -> Option<&'static str> {
    match number {
        libc::EMFILE => Some("raise the limit on open files (ulimit -n)"),
        libc::EFBIG => Some("raise the limit on the size of files (ulimit -f)"),
        libc::EAGAIN => Some("raise the limit on processes (ulimit -u, or pids.max of the control group)"),
        libc::ENOMEM => Some(NO_MEMORY),
        libc::ENOSPC => Some(FULL),
        libc::EDQUOT => Some(QUOTA),
        libc::EROFS => Some(READ_ONLY),
        libc::ENOLCK => Some(NO_LOCKS),
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
        let of = |error: io::Error| hint(&anyhow::Error::from(error).context("cannot"));
        for (number, word) in
            [(libc::ENOSPC, "df -i"), (libc::EDQUOT, "quota"), (libc::EROFS, "only be read")]
        {
            let error = io::Error::from_raw_os_error(number);
            let in_words = io::Error::new(error.kind(), "in words");
            assert!(of(error).unwrap().contains(word) && of(in_words).unwrap().contains(word), "{word}");
        }
        assert!(of(io::Error::from_raw_os_error(libc::ENOLCK)).unwrap().contains("no locks"));
        let code = |code| rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        let of = |number| hint(&anyhow::Error::from(code(number)).context("cannot"));
        assert_eq!(of(rusqlite::ffi::SQLITE_FULL), Some(FULL));
        assert_eq!(of(rusqlite::ffi::SQLITE_IOERR_SHMMAP), Some(NO_LOCKS));
        assert_eq!(of(rusqlite::ffi::SQLITE_CONSTRAINT), None);
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        let added = anyhow::Error::from(code(rusqlite::ffi::SQLITE_CANTOPEN)).context(full).context("cannot");
        assert_eq!(hint(&added), Some(FULL));
        assert_eq!(is_enough(), Ok(()));
    }
}
