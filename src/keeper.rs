//! The two processes of a run: the keeper, which the user started, and the harness below it, which plays.
//!
//! The keeper does nothing but wait. It is a child subreaper: when the harness is killed in the middle of a game,
//! its engines become the keeper's children, and the keeper ends them and removes their directories. When the
//! keeper is killed, the kernel tells the harness, which stops as it would on a signal from the user. So
//! whichever of the two dies, no engine is left, and a game pays nothing for it.
//!
//! The harness has a process group of its own, so that a key pressed in the terminal reaches it once, through the
//! keeper, and not twice; but where a person types, only the group in front may read the terminal, and they share it.

use std::env;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getppid, kill_process, waitid};
use signal_hook::consts::{SIGABRT, SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::engine;

/// Tells the harness who its keeper is and where engines get their directories: `PID:PATH`.
const KEPT: &str = "AGON_KEPT";
/// The signals that stop a run.
const STOPS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
/// The exit code of a run that was stopped.
pub const INTERRUPTED: u8 = 130;

/// A signal came before there was anything to stop. The program leaves with [`INTERRUPTED`].
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub struct Interrupted;

/// Which of the two processes this is.
pub enum Role {
    /// The keeper, when the harness has ended: it leaves with the same code.
    Keeper(ExitCode),
    /// The harness.
    Harness(RunContext),
}

/// What the harness has from its keeper.
pub struct RunContext {
    /// Where engines get their directories. It does not exist yet; the keeper removes it in the end.
    pub scratch: PathBuf,
    /// Becomes readable at the first signal to stop, and stays so. The second one ends the harness at once.
    pub stop: Arc<OwnedFd>,
}

/// How the two processes share the terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Terminal {
    /// The harness only writes there: a key pressed reaches it through the keeper.
    Watched,
    /// The harness reads what a person types: a key pressed reaches both at once.
    Shared,
}

/// Splits the process in two: the caller goes on as the harness, or leaves as the keeper that has waited for it.
///
/// # Errors
/// Ours: no second process can be had.
pub fn split(terminal: Terminal) -> anyhow::Result<Role> {
    match env::var_os(KEPT) {
        Some(kept) => harness(kept).map(Role::Harness),
        None => keeper(terminal).map(Role::Keeper),
    }
}

fn keeper(terminal: Terminal) -> anyhow::Result<ExitCode> {
    engine::adopt();
    // Before the harness is there, so that no signal finds nobody to pass it on to.
    let mut signals = Signals::new(heeded().chain([SIGCHLD])).context("cannot wait for signals")?;
    let me = std::process::id();
    let temporary = env::temp_dir();
    let scratch = engine::scratch_of(&temporary, me, rand_of_this_moment());
    let mut kept = OsString::from(format!("{me}:"));
    kept.push(&scratch);
    let mut arguments = env::args_os();
    let mut command = Command::new(engine::own_program().context("cannot find agon's own program")?);
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
    engine::sweep_all(harness.id());
    engine::remove(&scratch);
    engine::sweep_directories(&temporary);
    match (status.code(), status.signal()) {
        // It came before the harness could heed it, and so it ended the harness in the plain way.
        (None, Some(signal)) if STOPS.contains(&signal) => Ok(ExitCode::from(INTERRUPTED)),
        (Some(code), _) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(1))),
        (None, Some(SIGABRT)) => bail!(
            "the harness broke off, as it does when there is no memory left; its engines have been ended"
        ),
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
                let _ = kill_process(pid, signal); // it is not reaped yet, so the number is its own
            }
            let_go_on(pid, terminal);
        }
    }
}

/// An engine can stop the harness by a signal, and then nobody's time runs out any more, and no other signal is
/// heard: the harness goes on at once. A person who wants a pause presses a key, which does not reach a harness
/// that only writes to the terminal; one that shares it may be stopped by that key, but never by SIGSTOP.
fn let_go_on(harness: Pid, terminal: Terminal) {
    let stopped = waitid(WaitId::Pid(harness), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG);
    if let Ok(Some(status)) = stopped
        && (terminal == Terminal::Watched || status.stopping_signal() == Some(Signal::STOP.as_raw()))
    {
        let _ = kill_process(harness, Signal::CONT); // it may be dead by now
    }
}

/// Lets a keeper that an engine has stopped go on, so that it sees the end of the harness.
pub fn wake() {
    if let Some(keeper) = getppid() {
        let _ = kill_process(keeper, Signal::CONT); // whoever is not stopped does not notice
    }
}

fn harness(kept: OsString) -> anyhow::Result<RunContext> {
    let kept = kept.into_string().ok().context("the directory for temporary files has no readable name")?;
    let (keeper, scratch) = kept.split_once(':').context("AGON_KEPT is for agon's own use; unset it")?;
    engine::end_with_parent().context("cannot ask for word of the keeper's death")?;
    let parent = getppid().map(|pid| pid.as_raw_nonzero().to_string());
    if parent.as_deref() != Some(keeper) {
        bail!("AGON_KEPT is set, and the process that set it is not here; unset it");
    }
    // Not "agon": whoever kills by that name is to hit the keeper, and the harness ends its engines in peace.
    engine::set_name(c"harness");
    engine::close_inherited_on_exec();
    engine::ignore_terminal_stops();
    engine::adopt();
    let (read, write) = UnixStream::pair().context("cannot make a pipe")?;
    let stopping = Arc::new(AtomicBool::new(false));
    for signal in heeded() {
        // In this order: the first signal finds the flag down and raises it, the second finds it up.
        signal_hook::flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), stopping.clone())?;
        signal_hook::flag::register(signal, stopping.clone())?;
        signal_hook::low_level::pipe::register(signal, write.try_clone()?)?;
    }
    Ok(RunContext { scratch: PathBuf::from(scratch), stop: Arc::new(read.into()) })
}

/// A write beyond the limit on the size of files (`ulimit -f`) gives an error, which is told, instead of ending this
/// process. What it starts has the signal's default back: a handler does not outlive the start of another program, as
/// an ignored signal does.
pub fn outlive_file_limits() {
    // Without room for a handler there is hardly any for a file.
    let _ = signal_hook::flag::register(Signal::XFSZ.as_raw(), Arc::default());
}

/// The signals that stop this run: whoever had one ignored, as `nohup` has, wants it ignored.
fn heeded() -> impl Iterator<Item = i32> {
    STOPS.into_iter().filter(|signal| !engine::is_ignored(*signal))
}

/// A number that two runs are unlikely to share; only the name of a directory hangs on it.
fn rand_of_this_moment() -> u32 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos())
}
