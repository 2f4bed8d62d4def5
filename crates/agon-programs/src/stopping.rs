//! The request to stop, for work on files that may take minutes: a folder of an engine can be as
//! large as its author likes.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// What becomes readable when this process is to stop. It has one such request, which stays.
static STOP: OnceLock<Arc<OwnedFd>> = OnceLock::new();

/// The work was left because this process is to stop.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
struct Stopped;

/// Lets all work on files heed a request to stop, which makes `stop` readable.
pub fn heed(stop: Arc<OwnedFd>) {
    let _ = STOP.set(stop); // it is one process, and the first request is the one
}

/// Whether this process is to stop.
pub fn is_asked() -> bool {
    let no_time = Timespec { tv_sec: 0, tv_nsec: 0 };
    STOP.get().is_some_and(|stop| {
        poll(&mut [PollFd::new(stop, PollFlags::IN)], Some(&no_time)).is_ok_and(|ready| ready > 0)
    })
}

/// Goes on, unless this process is to stop.
///
/// # Errors
/// It is. [`was_asked`] knows the error.
pub fn go_on() -> io::Result<()> {
    if is_asked() { Err(io::Error::other(Stopped)) } else { Ok(()) }
}

/// Whether this is the error of work that was left because this process is to stop.
pub fn was_asked(error: &anyhow::Error) -> bool {
    let is_stopped = |cause: &(dyn std::error::Error + 'static)| {
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        inner.is_some_and(|inner| inner.is::<Stopped>())
    };
    error.chain().any(is_stopped)
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn work_that_was_left_is_no_other_error() {
        let left = Err::<(), _>(io::Error::other(Stopped)).context("cannot read a").unwrap_err();
        assert!(was_asked(&left));
        let other = Err::<(), _>(io::Error::other("stopped")).context("cannot read a").unwrap_err();
        assert!(!was_asked(&other));
        assert!(go_on().is_ok(), "nobody has asked this process");
    }
}
