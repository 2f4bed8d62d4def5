//! The pipes between the harness and the side that listens.

use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::wire::GULP;

/// Writes all of it, if somebody reads it.
pub(crate) fn write_all(to: impl AsFd, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match rustix::io::write(&to, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let mut fds = [PollFd::new(&to, PollFlags::OUT)];
                let _ = poll(&mut fds, None); // the next write shows what happened
            }
            Err(_) => return false,
        }
    }
    true
}

/// The bytes that lie in a pipe, which they do not leave. None if that cannot be had.
#[cfg(target_os = "linux")]
pub(crate) fn copy_of(pipe: &OwnedFd) -> Option<Vec<u8>> {
    use rustix::pipe::{SpliceFlags, tee};
    let (from, into) = rustix::pipe::pipe().ok()?;
    let count = tee(pipe, &into, GULP, SpliceFlags::NONBLOCK).ok()?;
    let mut bytes = vec![0; count];
    let read = if count == 0 { 0 } else { rustix::io::read(&from, &mut bytes).ok()? };
    bytes.truncate(read);
    Some(bytes)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn copy_of(_: &OwnedFd) -> Option<Vec<u8>> {
    None
}
