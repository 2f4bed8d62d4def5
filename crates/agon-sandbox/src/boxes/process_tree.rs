//! What all processes of an engine use together, as seen from outside the box.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::input_wait::waits_for_input;
use crate::levels::{Priority, ThreadSample, TreeSample, Use};
use crate::system::Affinity;

/// The most processes one look counts. A program with more is over every limit.
const MOST: usize = 4096;

/// The processor time of one process and its threads; nothing if it is gone.
pub fn cpu_of(pid: Pid) -> Option<Duration> {
    // What clock_getcpuclockid does, without asking whether the process is there: reading the clock
    // tells that.
    let clock = (!pid.as_raw_nonzero().get() << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives through the call.
    let done = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (done == 0).then(|| Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0)))
}

/// What some processes and everything below them use. The first `ours` generations are the
/// harness's own and count only for what their children have used. A search that takes longer than
/// `bound` is broken off: then they use at least this.
pub fn of(roots: &[Pid], ours: usize, bound: Duration) -> Use {
    let mut sum = Use::default();
    let mut seen = 0;
    let all = walk(roots, bound, |pid, stat, generation| {
        seen += 1;
        sum.cpu += stat.children;
        if generation >= ours {
            sum.cpu += cpu_of(pid).unwrap_or_default();
            sum.memory += stat.memory;
            sum.threads = sum.threads.saturating_add(stat.threads);
        }
        sum.alone = seen == 1 && stat.children.is_zero();
    });
    sum.whole = all == Walked::All;
    if all == Walked::TooMany {
        sum.threads = u32::MAX;
    }
    sum
}

/// What is seen of every thread of the same processes now.
pub fn sample(roots: &[Pid], ours: usize, bound: Duration) -> TreeSample {
    let mut sample = TreeSample::default();
    let all = walk(roots, bound, |pid, stat, generation| {
        sample.cpu += stat.children;
        if generation < ours {
            return;
        }
        let cpu = cpu_of(pid).unwrap_or_default();
        sample.cpu += cpu;
        if stat.threads <= 1 {
            // The clock is exact, where the kernel's count of a thread may be a tick old.
            sample.threads.extend(thread(pid, stat).map(|seen| ThreadSample { ran: cpu, ..seen }));
        } else {
            let each = |tid: Pid| thread(tid, &Stat::of_thread(tid)?);
            sample.threads.extend(threads_of(pid).into_iter().filter_map(each));
        }
    });
    sample.whole = all == Walked::All;
    sample
}

fn thread(id: Pid, stat: &Stat) -> Option<ThreadSample> {
    let text = fs::read_to_string(format!("/proc/{}/schedstat", id.as_raw_nonzero())).ok()?;
    let mut fields = text.split(' ').map(|field| field.parse().map(Duration::from_nanos));
    let (ran, waited) = (fields.next()?.ok()?, fields.next()?.ok()?);
    Some(ThreadSample {
        id: id.as_raw_nonzero().get(),
        born: stat.born,
        runnable: stat.state == b'R',
        ran,
        waited,
        priority: stat.priority,
        cores: Affinity::of_thread(id).map(|affinity| affinity.cores()).unwrap_or_default(),
    })
}

/// The processor time of every process of the system that is not below these, by number.
pub fn outside(roots: &[Pid], bound: Duration) -> HashMap<i32, Duration> {
    let mut own = HashSet::new();
    walk(roots, bound, |pid, _, _| _ = own.insert(pid.as_raw_nonzero().get()));
    let listed = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let others = pids.filter(|pid| !own.contains(pid)).filter_map(Pid::from_raw);
    others.filter_map(|pid| Some((pid.as_raw_nonzero().get(), cpu_of(pid)?))).collect()
}

/// Whether all these processes are in the control groups of the calling one.
pub fn are_in_own_groups(roots: &[Pid], ours: usize, bound: Duration) -> bool {
    let groups = |name: &str| fs::read_to_string(format!("/proc/{name}/cgroup")).unwrap_or_default();
    let (own, mut all) = (groups("self"), true);
    let walked = walk(roots, bound, |pid, _, generation| {
        let its = groups(&pid.as_raw_nonzero().to_string());
        // One that has just ended is in none.
        all &= generation < ours || its.is_empty() || its == own;
    });
    all && walked == Walked::All
}

/// The nice value of the session of a process, where sessions have one.
fn session_nice(pid: Pid) -> i32 {
    let session = format!("/proc/{}/autogroup", pid.as_raw_nonzero());
    let session = fs::read_to_string(session).unwrap_or_default();
    session.rsplit_once("nice ").and_then(|(_, nice)| nice.trim().parse().ok()).unwrap_or(0)
}

/// The worst nice value that a session of these processes has.
pub fn worst_session(roots: &[Pid], ours: usize, bound: Duration) -> i32 {
    let mut worst = i32::MIN;
    walk(roots, bound, |pid, _, generation| {
        if generation >= ours {
            worst = worst.max(session_nice(pid));
        }
    });
    worst.max(0)
}

/// The memory of the same, in bytes, in which a page that several processes have counts for each
/// with its share. The kernel walks through all of it for this.
pub fn memory_without_sharing(roots: &[Pid], ours: usize, bound: Duration) -> u64 {
    let mut sum = 0;
    walk(roots, bound, |pid, stat, generation| {
        if generation >= ours {
            sum += share_of(stat.holder.unwrap_or(pid)).unwrap_or(stat.memory);
        }
    });
    sum
}

/// How a search through a tree of processes ended.
#[derive(PartialEq, Eq)]
enum Walked {
    All,
    TooMany,
    TooLong,
}

/// Visits processes and everything below them, each with its generation.
fn walk(roots: &[Pid], bound: Duration, mut visit: impl FnMut(Pid, &Stat, usize)) -> Walked {
    let mut waiting: Vec<(Pid, usize)> = roots.iter().map(|root| (*root, 0)).collect();
    let mut seen = 0;
    let mut began = None;
    while let Some((pid, generation)) = waiting.pop() {
        seen += 1;
        if seen > MOST {
            return Walked::TooMany;
        }
        // The first few cost less than to look at the clock would.
        if seen > 8 && began.get_or_insert_with(Instant::now).elapsed() > bound {
            return Walked::TooLong;
        }
        let Some(stat) = Stat::of(pid) else { continue };
        visit(pid, &stat, generation);
        waiting.extend(children(pid, stat.threads).into_iter().map(|child| (child, generation + 1)));
    }
    Walked::All
}

/// A process's share of the memory it has; nothing where the kernel does not tell us.
fn share_of(pid: Pid) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", pid.as_raw_nonzero())).ok()?;
    let share = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    Some(share.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Every thread of a process and of everything below it, up to a bound.
pub fn threads(root: Pid) -> Vec<Pid> {
    let (mut all, mut waiting) = (Vec::new(), vec![root]);
    while let Some(pid) = waiting.pop().filter(|_| all.len() < MOST) {
        let threads = threads_of(pid);
        waiting.extend(children(pid, u32::try_from(threads.len()).unwrap_or(u32::MAX)));
        all.extend(threads);
    }
    all
}

/// The threads of one process; none if it is gone.
fn threads_of(pid: Pid) -> Vec<Pid> {
    let Ok(listed) = fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())) else { return Vec::new() };
    let names = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    names.filter_map(Pid::from_raw).collect()
}

/// Whether every thread of these processes waits, and one of them for its standard input; nothing
/// where the kernel does not tell.
pub fn reads_input(roots: &[Pid], ours: usize, bound: Duration) -> Option<bool> {
    let (mut works, mut reads, mut hidden) = (false, false, false);
    let all = walk(roots, bound, |pid, stat, generation| {
        if generation < ours || works {
            return;
        }
        works = !waits(pid.as_raw_nonzero().get());
        for thread in if stat.threads > 1 { threads_of(pid) } else { vec![pid] } {
            let (pid, thread) = (pid.as_raw_nonzero(), thread.as_raw_nonzero());
            match waits_for_input(pid.get(), thread.get()) {
                Some(waits) => reads |= waits,
                None => hidden = true,
            }
        }
    });
    match all {
        Walked::All if works => Some(false),
        Walked::All if reads => Some(true),
        Walked::All => (!hidden).then_some(false),
        Walked::TooMany | Walked::TooLong => None,
    }
}

/// Whether every thread of a process waits for something, or there are none.
pub(super) fn waits(pid: i32) -> bool {
    let waits = |stat: &[u8]| !matches!(state(stat), Some(b'R' | b'D'));
    let Ok(own) = fs::read(format!("/proc/{pid}/stat")) else { return true };
    // Not by `Stat`: how long a tick is and how large a page, a warden is not told by kernels
    // before 6.4.
    let single = field(&own, 20).is_none_or(|threads| threads <= 1);
    if single || !waits(&own) {
        return waits(&own);
    }
    let Ok(listed) = fs::read_dir(format!("/proc/{pid}/task")) else { return true };
    listed.flatten().all(|thread| fs::read(thread.path().join("stat")).map_or(true, |stat| waits(&stat)))
}

/// Whether every thread of these processes waits for something. The first `ours` generations are
/// the harness's own. Nothing if it cannot be found out within `bound`.
pub fn all_wait(roots: &[Pid], ours: usize, bound: Duration) -> Option<bool> {
    let mut all = true;
    let walked = walk(roots, bound, |pid, _, generation| {
        all &= generation < ours || waits(pid.as_raw_nonzero().get());
    });
    (walked == Walked::All).then_some(all)
}

/// A field of `/proc/PID/stat`, numbered as the manual has them, from 4 on.
fn field(stat: &[u8], number: usize) -> Option<u64> {
    let end_of_name = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end_of_name + 2..)?).ok()?;
    rest.split(' ').nth(number - 3)?.trim_end().parse().ok()
}

/// The letter that says what a thread does.
pub(super) fn state(stat: &[u8]) -> Option<u8> {
    let end_of_name = stat.iter().rposition(|byte| *byte == b')')?;
    stat.get(end_of_name + 2).copied()
}

pub(super) fn children(pid: Pid, threads: u32) -> Vec<Pid> {
    let pid = pid.as_raw_nonzero();
    let of_thread = |thread: &str| {
        let listed = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children")).unwrap_or_default();
        let pids = listed.split_ascii_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?));
        pids.collect::<Vec<_>>()
    };
    if threads <= 1 {
        return of_thread(&pid.to_string());
    }
    let Some(threads) = Pid::from_raw(pid.get()).map(threads_of) else { return Vec::new() };
    threads.into_iter().flat_map(|thread| of_thread(&thread.as_raw_nonzero().to_string())).collect()
}

/// The fields of `/proc/PID/stat` that are of use here.
struct Stat {
    state: u8,
    priority: Priority,
    /// When it began, in ticks.
    born: u64,
    threads: u32,
    memory: u64,
    /// The thread that tells of the process's memory, where the first one has ended and no longer
    /// does.
    holder: Option<Pid>,
    /// Processor time of children that have ended and were waited for.
    children: Duration,
}

impl Stat {
    fn of(pid: Pid) -> Option<Stat> {
        let read = |pid: Pid| Stat::parse(&fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?);
        let mut stat = read(pid)?;
        if stat.memory == 0 && stat.threads > 1 {
            // All threads have the same memory, so any that lives tells how much it is.
            let mut living = threads_of(pid).into_iter().filter(|thread| *thread != pid);
            let found = living
                .find_map(|thread| Some((thread, read(thread)?.memory)).filter(|(_, memory)| *memory > 0));
            if let Some((thread, memory)) = found {
                (stat.memory, stat.holder) = (memory, Some(thread));
            }
        }
        Some(stat)
    }

    /// Of a single thread. The sums are those of its process.
    fn of_thread(thread: Pid) -> Option<Stat> {
        Stat::parse(&fs::read(format!("/proc/{}/stat", thread.as_raw_nonzero())).ok()?)
    }

    fn parse(text: &[u8]) -> Option<Stat> {
        // A process may call itself by a name with blanks and parentheses; what follows the last
        // one is numbers.
        let end_of_name = text.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(text.get(end_of_name + 2..)?).ok()?;
        // Numbered as the manual has them, from 3 here.
        let fields: Vec<&str> = rest.split(' ').take(39).collect();
        let signed = |number: usize| fields.get(number - 3)?.trim_end().parse::<i64>().ok();
        let field = |number: usize| fields.get(number - 3)?.trim_end().parse::<u64>().ok();
        let nice = i32::try_from(signed(19)?).ok()?;
        let ticks = rustix::param::clock_ticks_per_second();
        let hundredths = field(16)? + field(17)?;
        Some(Stat {
            state: *rest.as_bytes().first()?,
            priority: Priority { nice, policy: field(41).unwrap_or_default() },
            born: field(22)?,
            threads: u32::try_from(field(20)?).unwrap_or(u32::MAX),
            memory: field(24)? * rustix::param::page_size() as u64,
            holder: None,
            children: Duration::from_nanos(hundredths * (1_000_000_000 / ticks.max(1))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(5);

    #[test]
    fn a_process_with_an_odd_name_is_read() {
        let text =
            b"7 (a) R 1 (b) S 1 7 7 0 -1 4194560 100 0 0 0 5 6 7 8 20 0 3 0 100 9999 42 18446744073709551615";
        let stat = Stat::parse(text).unwrap();
        assert_eq!((stat.threads, field(text, 20), state(text)), (3, Some(3), Some(b'S')));
        assert_eq!(stat.memory, 42 * rustix::param::page_size() as u64);
        assert_eq!(stat.children, Duration::from_millis(150));
    }

    #[test]
    fn a_process_that_reads_its_input_is_told_apart_from_one_that_sleeps_or_computes() {
        let start = |command: &str| {
            let mut shell = std::process::Command::new("/bin/sh");
            shell.args(["-c", command]).stdin(std::process::Stdio::piped()).spawn().unwrap()
        };
        for (command, wanted) in [
            ("read line", Some(true)),
            ("(read line <&3) 3<&0; :", Some(true)),
            ("exec bash -c 'read -u 5 line' 5<&0", Some(true)),
            ("sleep 5 | bash -c 'read -u 5 line' 5<&0 0</dev/null", Some(false)),
            ("sleep 5; :", Some(false)),
            ("while :; do :; done", Some(false)),
        ] {
            let mut child = start(command);
            let pid = Pid::from_child(&child);
            let until = Instant::now() + Duration::from_secs(5);
            while reads_input(&[pid], 0, LONG) != wanted && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(20));
            let seen = reads_input(&[pid], 0, LONG);
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL); // it is our child
            child.wait().unwrap();
            assert_eq!(seen, wanted, "{command}");
        }
    }

    #[test]
    fn a_tree_is_seen_with_what_it_uses() {
        let mut child = std::process::Command::new("/bin/sh")
            .args(["-c", "sleep 5 & i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; wait"])
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        let until = std::time::Instant::now() + Duration::from_secs(5);
        while (of(&[pid], 0, LONG).threads < 2 || of(&[pid], 0, LONG).cpu.is_zero())
            && std::time::Instant::now() < until
        {
            std::thread::sleep(Duration::from_millis(10));
        }
        let seen = of(&[pid], 0, LONG);
        let below = of(&[pid], 1, LONG);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        child.wait().unwrap();
        assert!(seen.threads == 2 && seen.memory > 100_000 && !seen.cpu.is_zero(), "{seen:?}");
        assert!(below.threads == 1 && below.memory < seen.memory, "{below:?}");
    }
}
