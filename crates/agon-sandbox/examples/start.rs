//! Starts a program at a level, and says how it ended and what it has used:
//! `cargo run -p agon-sandbox --example start -- sandbox /bin/ls /`.

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::time::{Duration, Instant};

use agon_sandbox::spawn::{self, NotStarted};
use agon_sandbox::{
    Isolation, OWN, Request, ResourceLimits, Use, Warden, find_in_path, installation, process_tree,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, kill_process_group};

/// How long the program may run.
const BOUND: Duration = Duration::from_secs(10);
/// How often it is looked at.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // First of all: a box is built by this program, started again.
    agon_sandbox::become_helper();
    agon_sandbox::orphans::adopt();
    let mut words = std::env::args_os().skip(1);
    let (Some(level), Some(program)) = (words.next(), words.next()) else {
        return Err("usage: start none|limits|sandbox|strict PROGRAM [ARGUMENT...]".into());
    };
    let level: Isolation = level.to_string_lossy().parse()?;
    let program = find_in_path(Path::new(&program)).unwrap_or_else(|| program.into());
    let files = tempfile::tempdir()?;
    agon_sandbox::available(level, ResourceLimits::default(), files.path())?;

    let c_string = |text: OsString| CString::new(text.into_vec());
    let own = c_string(files.path().into())?;
    let path = c_string(program.clone().into())?;
    let arguments: Vec<CString> =
        [program.clone().into()].into_iter().chain(words).map(c_string).collect::<Result<_, _>>()?;
    let shown = installation(&program);
    let shown: Vec<CString> =
        shown.into_iter().map(|path| c_string(path.into())).collect::<Result<_, _>>()?;
    let request = Request {
        program: &path,
        arguments: &arguments,
        environment: &[c"PATH=/usr/bin:/bin".to_owned()],
        directory: &if level.is_boxed() { CString::new(OWN)? } else { own.clone() },
        files: &own,
        shown: &shown,
        level,
        limits: ResourceLimits::default(),
        freezes: false,
        pinned: false,
    };
    let (child, warden) = match agon_sandbox::start(&request, spawn::pipes()?) {
        Ok(started) => started,
        Err(NotStarted::Program(error)) => return Err(format!("it cannot be started: {error}").into()),
        Err(NotStarted::Directory(error) | NotStarted::Ours(error)) => {
            return Err(format!("no process for it: {error}").into());
        }
    };
    drop(child.stdin);
    // Both pipes are read until all that it has started has closed them, or until its time is up.
    let mut open: Vec<(File, Box<dyn Write>)> =
        vec![(child.stdout.into(), Box::new(io::stdout())), (child.stderr.into(), Box::new(io::stderr()))];
    let until = Instant::now() + BOUND;
    let mut most = Use::default();
    while !open.is_empty() && Instant::now() < until {
        let seen = match warden.as_ref().and_then(Warden::uses) {
            Some(uses) => uses,
            None => process_tree::of(&[child.pid], warden.as_ref().map_or(0, Warden::ours), BOUND),
        };
        most.memory = most.memory.max(seen.memory);
        most.threads = most.threads.max(seen.threads);
        most.cpu = most.cpu.max(seen.cpu);
        let mut fds: Vec<PollFd<'_>> =
            open.iter().map(|(pipe, _)| PollFd::new(pipe, PollFlags::IN)).collect();
        poll(&mut fds, Some(&LOOK))?;
        open.retain_mut(|(pipe, to)| match io::copy(pipe, to) {
            Ok(_) => false,
            Err(error) => error.kind() == io::ErrorKind::WouldBlock,
        });
    }
    let ended = poll(&mut [PollFd::new(&child.end, PollFlags::IN)], Some(&LOOK))? > 0;
    let limit = warden.as_ref().and_then(Warden::limit_hit);
    // Kill before it is reaped: its number may belong to another process then.
    let _ = kill_process_group(child.pid, Signal::KILL); // it may have ended
    poll(&mut [PollFd::new(&child.end, PollFlags::IN)], None)?;
    let (status, cpu) = spawn::reap(child.pid)?.ok_or("it has not ended")?;
    let account = warden.as_ref().and_then(Warden::account).unwrap_or_default();
    let cpu = cpu.max(account.cpu).max(most.cpu);
    println!("{} ({status})", if ended { "it ended" } else { "its time was up, and it was killed" });
    println!("processor time: {:.3} s; left behind in its box: {}", cpu.as_secs_f64(), account.left);
    println!("as far as was seen: {} KiB of memory, {} threads", most.memory >> 10, most.threads);
    if let Some(limit) = limit {
        println!("the kernel kept it from a limit: {limit:?}");
    }
    Ok(())
}
