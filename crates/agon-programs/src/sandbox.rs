//! Engines in the sandbox: an engine and its confinement in the crate's terms, and what the crate
//! has seen in those of records.

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use agon_config::{Confinement, Ponder};
use agon_record::reason::FaultFact;
use agon_sandbox::spawn::{Child, Launch, NotStarted, Pipes};
use agon_sandbox::{LimitHit, Request, ResourceLimits, Unavailable, Warden, is_of_system};
use agon_standings::result::Cause;

use super::program::display_path;
use super::spec::EngineSpec;
use super::{hidden, manifest};

/// What starting an engine at a level takes besides its program.
pub struct LaunchSpec<'a> {
    /// How it is confined.
    pub confinement: &'a Confinement,
    /// The directory with the files of the game.
    pub files: &'a CString,
    /// What it can read besides the system.
    pub shown: &'a [CString],
    /// Whether it is started on the one core that it may use, where the level keeps it there.
    pub pinned: bool,
}

/// Starts an engine at a level. When this comes back its program has begun.
///
/// # Errors
/// [`NotStarted`]: a program that cannot be started is the engine's fault, a box that cannot be
/// built is ours.
pub fn start(
    launch: &Launch<'_>,
    pipes: Pipes,
    spec: &LaunchSpec<'_>,
) -> Result<(Child, Option<Warden>), NotStarted> {
    let request = Request {
        program: launch.program,
        arguments: launch.arguments,
        environment: launch.environment,
        directory: launch.directory,
        files: spec.files,
        shown: spec.shown,
        level: spec.confinement.level,
        limits: limits(spec.confinement),
        freezes: freezes(spec.confinement),
        pinned: spec.pinned,
    };
    agon_sandbox::start(&request, pipes)
}

/// Sees that a level is available, by trying it. `empty` is a directory of the run.
///
/// # Errors
/// [`Unavailable`], with the reason and the next step.
pub fn available(confinement: &Confinement, empty: &Path) -> Result<(), Unavailable> {
    agon_sandbox::available(confinement.level, limits(confinement), empty)
}

/// What is in force at a level, in the words of records.
pub fn in_force(confinement: &Confinement) -> Vec<String> {
    let all = agon_sandbox::in_force(confinement.level, freezes(confinement));
    all.into_iter().map(str::to_owned).collect()
}

/// What was to be started in a box, to say why it was not. Nothing is shown for it.
#[derive(Clone, Debug)]
pub struct InBox {
    program: PathBuf,
    shown: Vec<PathBuf>,
}

impl InBox {
    /// A program, and what its box shows besides the system.
    pub fn of(program: &CStr, shown: &[CString]) -> Self {
        let path = |text: &CStr| PathBuf::from(OsStr::from_bytes(text.to_bytes()));
        InBox { program: path(program), shown: shown.iter().map(|text| path(text)).collect() }
    }

    /// Why its program was not started, where that is a place which its box does not show; with
    /// what the organiser can do.
    pub fn lacks(&self) -> Option<String> {
        hidden::why(&self.program, &|asked| {
            let covers =
                |asked: &Path| is_of_system(asked) || self.shown.iter().any(|place| asked.starts_with(place));
            covers(asked) && asked.canonicalize().is_ok_and(|real| covers(&real))
        })
    }

    /// The error of a program that was not started, with what its box does not show, if that is
    /// why.
    pub fn explained(boxed: Option<&Self>, error: io::Error) -> io::Error {
        match boxed.and_then(InBox::lacks) {
            Some(why) => io::Error::new(error.kind(), format!("{error}; {why}")),
            None => error,
        }
    }
}

/// Whether a box can show an engine so that it runs.
///
/// # Errors
/// Words that name the file and what to do.
pub fn admits(engine: &EngineSpec) -> Result<(), String> {
    manifest::can_show(engine)?;
    agon_sandbox::admits(&engine.source, &engine.program).map_err(|path| {
        format!(
            "{}: only its owner may use it, and in a box engines are nobody; run chmod -R o+rX {}",
            engine.name,
            display_path(&path)
        )
    })
}

fn limits(confinement: &Confinement) -> ResourceLimits {
    let Confinement { memory, disk, processes, .. } = *confinement;
    ResourceLimits { memory, disk, processes }
}

fn freezes(confinement: &Confinement) -> bool {
    confinement.ponder == Ponder::Off
}

/// The limit that a box's programs have hit.
pub fn overrun(warden: &Warden, confinement: &Confinement) -> Option<(Cause, FaultFact)> {
    Some(match warden.limit_hit()? {
        LimitHit::Memory => (Cause::MemoryLimit, FaultFact::MemoryKilled(confinement.memory)),
        LimitHit::Processes => (Cause::ProcessLimit, FaultFact::ProcessesRefused(confinement.processes)),
    })
}
