//! `agon build`: builds the submissions of a folder, each in a box.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Args;

use crate::config::{Backend, Confinement, Isolation, Misuse};
use crate::engine::program::shown;
use crate::engine::sandbox::{self, Work};
use crate::engine::spec::EngineSpec;
use crate::engine::submission::{self, Submission};
use crate::engine::{Scratch, program};
use crate::keeper::{Interrupted, Kept};
use crate::printable::{clean_lines, escape};
use crate::report::columns::columns;

/// The log of a submission's build, in its folder.
const LOG: &str = "build.log";

/// Builds every submission of a folder, each in a box, so that a hostile Makefile does no harm
///
/// Each subfolder is a submission. It is built by the build command of its engine.toml, or by its Makefile, Cargo.toml or
/// C sources; one that is Python alone needs none. Where there is no engine.toml it gets one. What the build wrote
/// is in build.log beside it. Exit code 0: all are built; 1: some are not; 3: there is no sandbox here.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon build submissions/
  agon build submissions/ --seconds 60")]
pub(super) struct Build {
    /// The folder with a subfolder for each submission
    folder: PathBuf,

    /// How many seconds a build may take
    #[arg(long, value_name = "N", default_value_t = 300)]
    seconds: u32,

    /// Who builds the boxes: own or bwrap
    #[arg(long, value_name = "WHO", default_value_t)]
    sandbox_backend: Backend,
}

impl Build {
    pub(super) fn run(self, kept: &Kept) -> anyhow::Result<ExitCode> {
        let scratch = Scratch::create(&kept.scratch).context("cannot make a directory to build in")?;
        let mut folders: Vec<PathBuf> = fs::read_dir(&self.folder)
            .map_err(|error| {
                Misuse::error(format!("{}: cannot be read as a folder: {error}", shown(&self.folder)))
            })?
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .filter(|path| !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")))
            .collect();
        folders.sort();
        if folders.is_empty() {
            return Err(Misuse::error(format!("{}: there is no subfolder to build", shown(&self.folder))));
        }
        // On a thread of its own: the children of the main thread are orphans, and are ended as such.
        let built =
            std::thread::scope(|scope| scope.spawn(|| self.build_all(&folders, &scratch, kept)).join());
        let rows = built.expect("a build does not panic")?;
        let failed = rows.iter().filter(|row| row[2] == "FAILED").count();
        super::out(&columns(&["submission", "built by", "result", "why"], &rows))?;
        super::out(&format!("{} of {} are built\n", rows.len() - failed, rows.len()))?;
        Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    fn build_all(
        &self,
        folders: &[PathBuf],
        scratch: &Scratch,
        kept: &Kept,
    ) -> anyhow::Result<Vec<Vec<String>>> {
        let place = scratch.path().join("build");
        fs::create_dir(&place).context("cannot make a directory to build in")?;
        let (level, backend) = (Isolation::Sandbox, self.sandbox_backend);
        sandbox::available(&Confinement { level, backend, ..Confinement::default() }, &place)?;
        let mut rows = Vec::new();
        for folder in folders {
            let name = folder.file_name().map(|name| escape(name.as_encoded_bytes(), 60)).unwrap_or_default();
            let _ = writeln!(std::io::stderr(), "building {name} ..."); // a closed stderr has no readers
            let (by, result) = match submission::look(folder) {
                Ok(found) => (found.by, self.build_one(&found, &place, kept)?),
                Err(why) => ("", Err(why)),
            };
            if is_stopped(kept) {
                return Err(Interrupted.into());
            }
            let (word, why) = match result {
                Ok(()) => ("ok", String::new()),
                Err(why) => ("FAILED", clean_lines(&why)),
            };
            rows.push(vec![name, by.to_owned(), word.to_owned(), why]);
        }
        Ok(rows)
    }

    /// Why it could not be built, in words for its author; an error outside is ours.
    fn build_one(&self, found: &Submission, place: &Path, kept: &Kept) -> anyhow::Result<Result<(), String>> {
        if let Some(command) = &found.build {
            let work = Work {
                folder: &found.folder,
                command,
                shown: &sandbox::needed_by(Path::new(&command[0])),
                backend: self.sandbox_backend,
                bound: Duration::from_secs(self.seconds.into()),
                stop: &kept.stop,
            };
            let built = sandbox::build(&work, place).context("cannot build in a box")?;
            if let Err(why) = write_new(&found.folder, LOG, &built.log) {
                return Ok(Err(why));
            }
            if let Some(why) = built.failure {
                return Ok(Err(format!("{why}; {LOG} ends: {}", last_line(&built.log))));
            }
        }
        if let Some(settings) = &found.settings
            && let Err(why) = write_new(&found.folder, "engine.toml", settings.as_bytes())
        {
            return Ok(Err(why));
        }
        let checked = EngineSpec::at(&found.folder).and_then(|engine| {
            if engine.build.is_some() {
                is_newest(&engine.program);
            }
            program::check(&engine.program).map_err(|why| format!("{}: {why}", shown(&engine.program)))
        });
        Ok(checked)
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

/// A program older than what lies beside it would be built again before its first game, and not in a box.
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

fn is_stopped(kept: &Kept) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let no_time = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(&*kept.stop, PollFlags::IN)], Some(&no_time)).is_ok_and(|ready| ready > 0)
}
