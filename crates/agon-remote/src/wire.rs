//! The TCP connection that carries a link for as long as it lasts.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use crate::frame::WireFrame;
use crate::link::RemoteLink;

/// An idle connection is tried so often.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// A connection on which nothing came for so long is given up.
const SILENT: Duration = Duration::from_secs(5);
/// The most bytes of one read.
pub(crate) const GULP: usize = 64 * 1024;

/// One connection.
pub(crate) struct Wire {
    stream: TcpStream,
    heard: Instant,
    beat: Instant,
}

impl Wire {
    /// A connection that is let in; `rest` are the bytes that came behind the greeting.
    pub(crate) fn new(stream: TcpStream, link: &mut RemoteLink, rest: &[u8]) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        link.hear(rest);
        let now = Instant::now();
        Ok(Wire { stream, heard: now, beat: now })
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// What to wait for.
    pub(crate) fn flags(link: &mut RemoteLink) -> PollFlags {
        if link.out().is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT }
    }

    /// Reads what came. Returns whether the connection still stands.
    pub(crate) fn read(&mut self, link: &mut RemoteLink) -> bool {
        let mut bytes = [0; GULP];
        match self.stream.read(&mut bytes) {
            Ok(0) => false,
            Ok(count) => {
                self.heard = Instant::now();
                link.hear(&bytes[..count]);
                true
            }
            Err(error) => is_for_now(&error),
        }
    }

    /// Writes what waits, as far as there is room. Returns whether the connection still stands.
    pub(crate) fn write(&mut self, link: &mut RemoteLink) -> bool {
        let out = link.out();
        if out.is_empty() {
            return true;
        }
        match self.stream.write(out) {
            Ok(count) => {
                out.drain(..count);
                true
            }
            Err(error) => is_for_now(&error),
        }
    }

    /// Tries an idle connection. Returns whether it still answers.
    pub(crate) fn is_alive(&mut self, link: &mut RemoteLink) -> bool {
        if self.beat.elapsed() >= HEARTBEAT {
            self.beat = Instant::now();
            link.send(&WireFrame::Echo(u64::MAX));
        }
        self.heard.elapsed() < SILENT
    }
}

/// Whether the connection may go on after this error.
pub(crate) fn is_for_now(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
