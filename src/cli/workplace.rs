//! Where engines are built: in a box, where they are to be kept in one, else where they lie.

use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;

use crate::config::{Backend, Confinement, Isolation};
use crate::engine::build::{self, Failure};
use crate::engine::program::shown;
use crate::engine::sandbox::{self, Work};
use crate::engine::spec::EngineSpec;
use crate::engine::submission::{self, Submission};
use crate::engine::{Scratch, program};
use crate::keeper::{Interrupted, Kept};
use crate::printable::escape;

/// The log of a build in a box, in the folder of what is built.
const LOG: &str = "build.log";
/// How long a build may take, in seconds, if nobody says otherwise.
pub(super) const SECONDS: u32 = 300;

/// Builds engines and submissions.
pub(super) struct Workplace {
    stop: Arc<OwnedFd>,
    boxed: Option<Boxed>,
}

/// A place for boxes.
struct Boxed {
    backend: Backend,
    bound: Duration,
    place: PathBuf,
    /// It goes with this.
    _scratch: Scratch,
}

impl Workplace {
    /// Boxes, each for as long as this.
    ///
    /// # Errors
    /// [`sandbox::Unavailable`]: there are none here. Or the disk's own.
    pub(super) fn in_boxes(backend: Backend, seconds: u32, kept: &Kept) -> anyhow::Result<Self> {
        let scratch = Scratch::create(&kept.scratch).context("cannot make a directory to build in")?;
        let place = scratch.path().join("build");
        fs::create_dir(&place).context("cannot make a directory to build in")?;
        let level = Isolation::Sandbox;
        sandbox::available(&Confinement { level, backend, ..Confinement::default() }, &place)?;
        let bound = Duration::from_secs(seconds.into());
        let boxed = Boxed { backend, bound, place, _scratch: scratch };
        Ok(Workplace { stop: kept.stop.clone(), boxed: Some(boxed) })
    }

    /// What engines that are confined like this are built in.
    ///
    /// # Errors
    /// As [`Workplace::in_boxes`].
    pub(super) fn of(confinement: &Confinement, kept: &Kept) -> anyhow::Result<Self> {
        if confinement.level.is_boxed() {
            return Self::in_boxes(confinement.backend, SECONDS, kept);
        }
        Ok(Workplace { stop: kept.stop.clone(), boxed: None })
    }

    /// Builds an engine that is due. Gives why it could not be built, in words for its author.
    ///
    /// # Errors
    /// Ours, and [`Interrupted`].
    pub(super) fn engine(&self, engine: &EngineSpec) -> anyhow::Result<Result<(), String>> {
        if self.boxed.is_some() {
            return match submission::look(&engine.folder) {
                Ok(found) => self.submission(&found),
                Err(why) => Ok(Err(why)),
            };
        }
        told(build::build(engine, &self.stop))
    }

    /// Builds a submission, and writes its `engine.toml` if it has none. As [`Workplace::engine`].
    ///
    /// # Errors
    /// Ours, and [`Interrupted`].
    pub(super) fn submission(&self, found: &Submission) -> anyhow::Result<Result<(), String>> {
        if let Some(command) = &found.build {
            let done = match &self.boxed {
                Some(boxed) => boxed.build(found, command, &self.stop)?,
                None => told(build::run(&found.folder, command, None, &self.stop))?,
            };
            if done.is_err() {
                return Ok(done);
            }
        }
        if let Some(settings) = &found.settings
            && let Err(why) = write_new(&found.folder, "engine.toml", settings.as_bytes())
        {
            return Ok(Err(why));
        }
        Ok(EngineSpec::at(&found.folder).and_then(|engine| {
            if engine.build.is_some() {
                is_newest(&engine.program);
            }
            program::check(&engine.program).map_err(|why| format!("{}: {why}", shown(&engine.program)))
        }))
    }
}

impl Boxed {
    fn build(
        &self,
        found: &Submission,
        command: &[std::ffi::OsString],
        stop: &OwnedFd,
    ) -> anyhow::Result<Result<(), String>> {
        let work = Work {
            folder: &found.folder,
            command,
            shown: &sandbox::needed_by(Path::new(&command[0])),
            backend: self.backend,
            bound: self.bound,
            stop,
        };
        // On a thread of its own: the children of the main thread are orphans, and are ended as such.
        let built = std::thread::scope(|scope| scope.spawn(|| sandbox::build(&work, &self.place)).join());
        let built = built.expect("a build does not panic").context("cannot build in a box")?;
        if is_stopped(stop) {
            return Err(Interrupted.into());
        }
        if let Err(why) = write_new(&found.folder, LOG, &built.log) {
            return Ok(Err(why));
        }
        Ok(match built.failure {
            Some(why) => Err(format!("{why}; {LOG} ends: {}", last_line(&built.log))),
            None => Ok(()),
        })
    }
}

fn told(done: Result<(), Failure>) -> anyhow::Result<Result<(), String>> {
    match done {
        Ok(()) => Ok(Ok(())),
        Err(Failure::Words(why)) => Ok(Err(why)),
        Err(Failure::Stopped) => Err(Interrupted.into()),
    }
}

/// Writes a file into a submission's folder: a new one, so that no link there leads elsewhere.
fn write_new(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = folder.join(name);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => fs::File::create_new(&path).and_then(|mut file| file.write_all(bytes)),
    }
    .map_err(|error| format!("cannot write {}: {error}", shown(&path)))
}

/// A program older than what lies beside it would be built again before its first game.
fn is_newest(program: &Path) {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now, last_modification: now };
    let _ = utimensat(CWD, program, &times, AtFlags::SYMLINK_NOFOLLOW); // it is looked at next
}

fn last_line(log: &[u8]) -> String {
    let line = log.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty());
    line.map_or_else(|| "(nothing)".to_owned(), |line| escape(line, 160))
}

fn is_stopped(stop: &OwnedFd) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let no_time = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(stop, PollFlags::IN)], Some(&no_time)).is_ok_and(|ready| ready > 0)
}
