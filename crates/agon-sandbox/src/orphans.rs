//! Ends what programs leave behind: processes whose parent has died.
//!
//! On Linux they have become ours. The harness is a *child subreaper*: an orphan anywhere below it
//! becomes a child of its main thread. Engines are started by other threads, and so each entry in
//! the list of the main thread's children is an orphan. An orphan carries the mark of its program
//! in its environment; one whose program still runs is left alone, every other one is killed.
//! Orphans of orphans turn up in the same list, so the search goes on until it is empty. A program
//! cannot hide from it by daemonising, only outrun it for a while.
//!
//! On other systems they are found by their mark alone, and so is nobody who has wiped it off.

use std::collections::HashSet;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::system;

/// The variable in a program's environment that its descendants inherit.
pub const MARK: &str = "AGON_ENGINE";

/// How long one search may take. A fork bomb is outrun in a few rounds; more is not ours to win
/// without a process namespace.
const BOUND: Duration = Duration::from_secs(2);

/// The marks of the programs that run. Only the holder of the lock reaps orphans.
static IN_PLAY: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

fn in_play() -> MutexGuard<'static, HashSet<String>> {
    // A set of strings is whole even if a thread panicked.
    IN_PLAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the calling process adopt the orphans below it. Where the system cannot, they go to init.
pub fn adopt() {
    ADOPTING.store(system::adopt(), Ordering::Relaxed);
}

/// Whether the children of the main thread are all orphans. A program that has not called [`adopt`]
/// may have children of its own there, and they are none of our business.
static ADOPTING: AtomicBool = AtomicBool::new(false);

/// From now on, orphans with this mark belong to a running program.
pub fn enter(mark: &str) {
    in_play().insert(mark.to_owned());
}

/// The programs with these marks are dead: ends what they left behind. Returns the number of
/// processes killed for each mark; orphans of nobody are ended too and counted for nobody.
pub fn sweep(marks: &[&str]) -> Vec<u32> {
    sweep_for(std::process::id(), marks)
}

fn sweep_for(harness: u32, marks: &[&str]) -> Vec<u32> {
    let mut killed = vec![0; marks.len()];
    let mut in_play = in_play();
    for mark in marks {
        in_play.remove(*mark);
    }
    let until = Instant::now() + BOUND;
    let mut seen = HashSet::new();
    loop {
        let mut left = false;
        for (pid, mark) in orphans(harness) {
            if mark.as_ref().is_some_and(|mark| in_play.contains(mark)) {
                // A zombie has no environment, so this one lives and its program runs.
                continue;
            }
            if seen.insert(pid)
                && !is_zombie(pid)
                && let Some(at) = marks.iter().position(|ours| mark.as_deref() == Some(*ours))
            {
                killed[at] += 1;
            }
            // Kill before we reap: once reaped, the number may belong to someone else.
            let _ = kill_process(pid, Signal::KILL); // a zombie is dead already
            match waitpid(Some(pid), WaitOptions::NOHANG) {
                Ok(Some(_)) | Err(_) => {
                    seen.remove(&pid);
                }
                Ok(None) => {}
            }
            left = true;
        }
        if !left || Instant::now() > until {
            return killed;
        }
        std::thread::yield_now();
    }
}

/// The orphans of a running program, which have left its tree and use the processor all the same.
/// Those of nobody, who have wiped off their mark, are ended.
pub fn of_engine(mark: &str) -> Vec<Pid> {
    if !ADOPTING.load(Ordering::Relaxed) {
        return Vec::new(); // to find them by their mark would cost more than a turn
    }
    // While nobody else reaps: what is listed here keeps its number.
    let _in_play = in_play();
    let mut own = Vec::new();
    for (pid, its) in orphans(std::process::id()) {
        match its {
            Some(its) if its == mark => own.push(pid),
            Some(_) => {}
            None => _ = kill_process(pid, Signal::KILL), // a zombie has no mark either, and is dead already
        }
    }
    own
}

/// Ends all processes that the programs of a harness have left, for a keeper that leaves when it
/// has ended.
pub fn sweep_all(harness: u32) {
    in_play().clear();
    sweep_for(harness, &[]);
}

/// A mark that no other program of this harness has, nor any program of another that runs now.
pub fn new_mark() -> String {
    static MARKS: AtomicU64 = AtomicU64::new(0);
    format!("{}.{}", std::process::id(), MARKS.fetch_add(1, Ordering::Relaxed))
}

/// The processes that programs of this harness have left, each with its mark if it has one. A mark
/// is looked up when its process is taken from the list, so a fork bomb is killed while it is still
/// being listed.
fn orphans(harness: u32) -> Box<dyn Iterator<Item = (Pid, Option<String>)>> {
    if !ADOPTING.load(Ordering::Relaxed) {
        let ours = format!("{harness}.");
        let marked = system::with_variable(MARK).into_iter().filter(move |(_, mark)| mark.starts_with(&ours));
        return Box::new(marked.map(|(pid, mark)| (pid, Some(mark))));
    }
    let me = std::process::id();
    let listed = fs::read_to_string(format!("/proc/self/task/{me}/children")).unwrap_or_default();
    let pids = listed.split_ascii_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?));
    Box::new(pids.collect::<Vec<_>>().into_iter().map(|pid| (pid, mark_of(pid))))
}

fn mark_of(pid: Pid) -> Option<String> {
    let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).ok()?;
    let mark = environment
        .split(|byte| *byte == 0)
        .find_map(|variable| variable.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="))?;
    String::from_utf8(mark.to_vec()).ok()
}

/// Whether a process has ended, and nobody has asked how yet.
pub(crate) fn is_zombie(pid: Pid) -> bool {
    // A process may call itself by a name that is no text, so this is not read as text.
    fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).is_ok_and(|stat| {
        let end_of_name = stat.iter().rposition(|byte| *byte == b')');
        end_of_name.and_then(|at| stat.get(at + 2)) == Some(&b'Z')
    })
}
