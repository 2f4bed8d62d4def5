//! The two processes of a run: the keeper, which the user started, and its child, the harness,
//! which plays.
//!
//! The keeper only waits. It is a child subreaper: when the harness is killed during a game, its
//! engines become the keeper's children. The keeper ends them and removes their directories. When
//! the keeper is killed, the kernel signals the harness, which stops as on a signal from the user.
//! So no engine is left when either of the two dies, and a game pays nothing for it.
//!
//! The harness has a process group of its own, so that a key pressed in the terminal reaches it
//! once, through the keeper. But where a person types, they share one group: only the foreground
//! group may read the terminal.

use std::env;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use agon_config::CommandExit;
use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getppid, kill_process, waitid};
use signal_hook::consts::{SIGABRT, SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The variable that tells the harness its keeper and the directory for engines: `PID:PATH`. A
/// program that may start agon itself, like `sbatch`, must not get it from the harness.
pub const KEPT: &str = "AGON_KEPT";
/// The signals that stop a run.
const STOPS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// A signal came before the run began. The program exits with [`CommandExit::Interrupted`].
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub struct Interrupted;

/// Something in the surroundings of agon keeps it from its work. The program exits with 1.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Hindrance {
    /// What is wrong.
    pub what: String,
    /// The next step.
    pub hint: String,
}

/// The role of this process.
pub enum Role {
    /// The keeper, after the end of the harness. It exits with the same code.
    Keeper(ExitCode),
    /// The harness.
    Harness(RunContext),
}

/// What the keeper hands to the harness.
pub struct RunContext {
    /// The directory for engines. It does not exist yet; the keeper removes it at the end.
    pub scratch: PathBuf,
    /// The directories of earlier runs that were removed now: their processes were killed together.
    pub removed: Vec<PathBuf>,
    /// Becomes readable at the first signal to stop, and stays so. The second signal ends the
    /// harness at once.
    pub stop: Arc<OwnedFd>,
}

impl RunContext {
    /// One more directory for temporary files, which does not exist yet. The keeper removes it as
    /// it removes `scratch`.
    pub fn beside(&self, number: u32) -> PathBuf {
        let name = self.scratch.file_name().unwrap_or_default().to_string_lossy();
        let (before, digits) = name.rsplit_once('-').unwrap_or((&name, ""));
        let own = u32::from_str_radix(digits, 16).unwrap_or(0);
        self.scratch.with_file_name(format!("{before}-{:08x}", own.wrapping_add(number)))
    }

    /// The context of a program that plays without a keeper: an orphan of a game may outlive it.
    /// `scratch` is a directory that does not exist yet; who calls this removes it at the end. The
    /// run stops when the second value is written to or dropped.
    ///
    /// # Errors
    /// No pipe can be made.
    pub fn without_keeper(scratch: PathBuf) -> std::io::Result<(Self, UnixStream)> {
        let (read, write) = UnixStream::pair()?;
        Ok((RunContext { scratch, removed: Vec::new(), stop: Arc::new(read.into()) }, write))
    }
}

/// How the two processes share the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Terminal {
    /// The harness only writes: a key pressed reaches it through the keeper.
    Watched,
    /// The harness reads what a person types: a key pressed reaches both at once.
    Shared,
}

/// Splits the process in two. The child returns as the harness. The parent waits for it and returns
/// as the keeper.
///
/// # Errors
/// Agon's own: a second process cannot be started.
pub fn split(terminal: Terminal) -> anyhow::Result<Role> {
    match env::var_os(KEPT) {
        Some(kept) => harness(kept).map(Role::Harness),
        None => keeper(terminal).map(Role::Keeper),
    }
}

/// Whether this process is a harness with a keeper, which has read the same command line before.
pub fn is_kept() -> bool {
    env::var_os(KEPT).is_some()
}

fn keeper(terminal: Terminal) -> anyhow::Result<ExitCode> {
    if !agon_sandbox::system::processes_are_listed() {
        return Err(Hindrance {
            what: "/proc is not there, or lists the processes of another namespace".to_owned(),
            hint: "mount it: mount -t proc proc /proc, or unshare with --mount-proc; agon finds the processes of \
                   engines there"
                .to_owned(),
        }
        .into());
    }
    agon_sandbox::orphans::adopt();
    // Set up before the harness starts, so that every signal can be passed on.
    let mut signals = Signals::new(heeded().chain([SIGCHLD])).context("cannot wait for signals")?;
    let me = std::process::id();
    let temporary = env::temp_dir();
    let scratch = agon_sandbox::leftovers::scratch_of(&temporary, me, rand_of_this_moment());
    let mut kept = OsString::from(format!("{me}:"));
    kept.push(&scratch);
    let mut arguments = env::args_os();
    let mut command =
        Command::new(agon_sandbox::system::own_program().context("cannot find agon's own program")?);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    if terminal == Terminal::Watched {
        command.process_group(0);
    }
    let mut harness = command
        .args(arguments)
        .env(KEPT, kept)
        .spawn()
        .context("cannot start the harness as a process of its own")?;
    let status = watch(&mut harness, &mut signals, terminal)?;
    agon_sandbox::sweep_groups();
    agon_sandbox::orphans::sweep_all(harness.id());
    agon_sandbox::removal::remove(&scratch);
    agon_sandbox::leftovers::sweep_directories(&temporary); // those of runs that were killed meanwhile
    match (status.code(), status.signal()) {
        // The signal came before the harness handled signals, and ended it.
        (None, Some(signal)) if STOPS.contains(&signal) => Ok(CommandExit::Interrupted.into()),
        (Some(code), _) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(1))),
        (None, Some(SIGABRT)) => {
            bail!("the harness aborted, as it does when memory runs out; its engines have been ended")
        }
        (None, signal) => bail!(
            "the harness was killed by signal {}; its engines have been ended",
            signal.unwrap_or_default()
        ),
    }
}

fn watch(
    harness: &mut Child,
    signals: &mut Signals,
    terminal: Terminal,
) -> anyhow::Result<std::process::ExitStatus> {
    let pid = Pid::from_child(harness);
    loop {
        if let Some(status) = harness.try_wait().context("cannot wait for the harness")? {
            return Ok(status);
        }
        for signal in signals.wait() {
            let has_it_already = signal == SIGINT && terminal == Terminal::Shared;
            let passed_on = signal != SIGCHLD && !has_it_already;
            if let Some(signal) = Signal::from_named_raw(signal).filter(|_| passed_on) {
                let _ = kill_process(pid, signal); // it is not reaped yet, so the number is still its own
            }
            let_go_on(pid, terminal);
        }
    }
}

/// Lets a harness continue that an engine has stopped by a signal: otherwise no time would run out
/// and no other signal would be handled. A key for a pause does not reach a harness that only
/// writes to the terminal. A harness that shares the terminal may be stopped by that key, but never
/// by SIGSTOP.
fn let_go_on(harness: Pid, terminal: Terminal) {
    let stopped = waitid(WaitId::Pid(harness), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG);
    if let Ok(Some(status)) = stopped
        && (terminal == Terminal::Watched || status.stopping_signal() == Some(Signal::STOP.as_raw()))
    {
        let _ = kill_process(harness, Signal::CONT); // it may be dead already
    }
}

/// Lets a keeper continue that an engine has stopped, so that it sees the end of the harness.
pub fn wake() {
    if let Some(keeper) = getppid() {
        let _ = kill_process(keeper, Signal::CONT); // no effect on a process that runs
    }
}

fn harness(kept: OsString) -> anyhow::Result<RunContext> {
    let kept = kept
        .into_string()
        .ok()
        .context("the path for temporary files is not UTF-8; name another directory with TMPDIR")?;
    let (keeper, scratch) =
        kept.split_once(':').context("the variable AGON_KEPT is reserved for agon; unset it")?;
    agon_sandbox::system::end_with_parent()
        .context("cannot ask the kernel for a signal at the keeper's death")?;
    let parent = getppid().map(|pid| pid.as_raw_nonzero().to_string());
    if parent.as_deref() != Some(keeper) {
        bail!("the variable AGON_KEPT is set, but not by the parent process; unset it");
    }
    // Not "agon": `killall agon` should hit the keeper, and the harness then ends its engines
    // properly.
    agon_sandbox::system::set_name(c"harness");
    agon_sandbox::spawn::close_inherited_on_exec();
    agon_sandbox::spawn::ignore_terminal_stops();
    agon_sandbox::orphans::adopt();
    let stop = heed_stops()?;
    let scratch = PathBuf::from(scratch);
    let removed = scratch.parent().map(agon_sandbox::leftovers::sweep_directories).unwrap_or_default();
    Ok(RunContext { scratch, removed, stop })
}

/// From now on the first signal that stops a run makes what is returned readable, and
/// [`agon_programs::stopping::is_asked`] true; the second one ends this process.
///
/// # Errors
/// The system gives no pipe or no handler.
pub fn heed_stops() -> anyhow::Result<Arc<OwnedFd>> {
    let (read, write) = UnixStream::pair().context("cannot make a pipe")?;
    let stopping = Arc::new(AtomicBool::new(false));
    let stopped = i32::from(CommandExit::Interrupted.number());
    for signal in heeded() {
        // The order matters: the first signal finds the flag unset and sets it, the second finds it
        // set.
        signal_hook::flag::register_conditional_shutdown(signal, stopped, stopping.clone())?;
        signal_hook::flag::register(signal, stopping.clone())?;
        signal_hook::low_level::pipe::register(signal, write.try_clone()?)?;
    }
    let stop: Arc<OwnedFd> = Arc::new(read.into());
    agon_programs::stopping::heed(stop.clone());
    Ok(stop)
}

/// Turns a write beyond the limit on file sizes (`ulimit -f`) into an error that is reported,
/// instead of the end of this process. Child processes get the default back: unlike an ignored
/// signal, a handler does not survive `exec`.
pub fn outlive_file_limits() {
    // If a handler cannot be set, memory is too short for a file as well.
    let _ = signal_hook::flag::register(Signal::XFSZ.as_raw(), Arc::default());
}

/// The signals that stop this run. One that is ignored on purpose stays ignored, as SIGHUP under
/// `nohup`; SIGTERM never is (`agon_sandbox::system::inherited`).
fn heeded() -> impl Iterator<Item = i32> {
    STOPS.into_iter().filter(|signal| !agon_sandbox::system::inherited::is_ignored(*signal))
}

/// A number that two runs are unlikely to share. Only the name of a directory depends on it.
fn rand_of_this_moment() -> u32 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos())
}
