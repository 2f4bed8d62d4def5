//! This program started again at a level, to be watched by the process that started it: the attacks
//! of the self-test, or a build.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::start::{Warden, end, start};
use super::{mounts, process_tree};
use crate::levels::{Isolation, LimitHit, Request, ResourceLimits, TreeSample};
use crate::spawn::{self, Child, NotStarted};

/// What is started, and what it can read besides the system.
pub(super) struct Inside {
    pub(super) program: CString,
    /// Its arguments after the name it is called by.
    pub(super) words: Vec<CString>,
    pub(super) environment: Vec<CString>,
    pub(super) shown: Vec<CString>,
}

/// It runs, and ends with this.
pub(super) struct BoxedProcess {
    child: Child,
    warden: Option<Warden>,
}

/// A path as the calls that start a program want it.
pub(super) fn c_string(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)
}

impl BoxedProcess {
    /// Starts it as an engine of this level is, in a directory below `place`, or in the box.
    pub(super) fn start(
        inside: &Inside,
        place: &Path,
        level: Isolation,
        limits: ResourceLimits,
    ) -> io::Result<Self> {
        let own = place.join("own");
        match std::fs::create_dir(&own) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let directory = if level.is_boxed() { Path::new(mounts::OWN) } else { own.as_path() };
        let arguments: Vec<CString> =
            [c"agon".to_owned()].into_iter().chain(inside.words.iter().cloned()).collect();
        let request = Request {
            program: &inside.program,
            arguments: &arguments,
            environment: &inside.environment,
            directory: &c_string(directory)?,
            files: &c_string(&own)?,
            shown: &inside.shown,
            level,
            limits,
            freezes: true,
            pinned: false,
        };
        match start(&request, spawn::pipes()?) {
            Ok((child, warden)) => Ok(BoxedProcess { child, warden }),
            Err(NotStarted::Program(error)) => {
                let why = format!(
                    "agon itself cannot be started in the box: {error}; let others read and execute it"
                );
                Err(io::Error::new(error.kind(), why))
            }
            Err(NotStarted::Directory(error) | NotStarted::Ours(error)) => Err(error),
        }
    }

    pub(super) fn warden(&mut self, act: impl FnOnce(&mut Warden)) {
        if let Some(warden) = &mut self.warden {
            act(warden);
        }
    }

    /// What its processes do at this moment.
    pub(super) fn sample(&self) -> TreeSample {
        process_tree::sample(&[self.child.pid], self.warden.as_ref().map_or(0, Warden::ours), Duration::MAX)
    }

    /// The limit that the kernel has kept it from going over.
    pub(super) fn limit_hit(&self) -> Option<LimitHit> {
        self.warden.as_ref()?.limit_hit()
    }

    /// Resident memory of all its processes, in bytes.
    pub(super) fn memory(&self) -> u64 {
        process_tree::of(&[self.child.pid], self.warden.as_ref().map_or(0, Warden::ours), Duration::MAX)
            .memory
    }

    /// Reads what it writes until it writes no more, or for so long.
    pub(super) fn read(&self, length: Duration, into: &mut Vec<u8>) -> io::Result<()> {
        let until = Instant::now() + length;
        while Instant::now() < until {
            if !self.read_some(until, &mut |bytes| into.extend(bytes), &mut |_| ())? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Waits for what it writes next to stdout and stderr, and hands it over. False when its stdout
    /// is closed.
    pub(super) fn read_some(
        &self,
        until: Instant,
        said: &mut dyn FnMut(&[u8]),
        logged: &mut dyn FnMut(&[u8]),
    ) -> io::Result<bool> {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        let (stdout, stderr) = (&self.child.stdout, &self.child.stderr);
        let mut fds = [PollFd::new(stdout, PollFlags::IN), PollFd::new(stderr, PollFlags::IN)];
        match poll(&mut fds, Some(&left)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let (has_said, has_logged) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
        if has_logged && take(stderr, logged)? == Some(0) && !has_said {
            // Closed already: it would wake us again and again.
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(!has_said || take(stdout, said)? != Some(0))
    }
}

/// Reads once. Nothing when there was nothing after all.
fn take(from: &OwnedFd, to: &mut dyn FnMut(&[u8])) -> io::Result<Option<usize>> {
    let mut room = [0; 64 * 1024];
    match rustix::io::read(from.as_fd(), &mut room) {
        Ok(read) => {
            to(&room[..read]);
            Ok(Some(read))
        }
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Drop for BoxedProcess {
    fn drop(&mut self) {
        end(&self.child);
    }
}
