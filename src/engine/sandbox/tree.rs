//! What an engine's processes use, all together, as the harness can see it from outside.

use std::fs;
use std::time::Duration;

use rustix::process::Pid;

use crate::engine::levels::Use;

/// The most processes one look counts. Whoever has more is over every limit.
const MOST: usize = 4096;

/// The processor time of one process and its threads; nothing if it is gone.
pub(in crate::engine) fn cpu_of(pid: Pid) -> Option<Duration> {
    // What clock_getcpuclockid does, without asking whether the process is there: reading the clock tells that.
    let clock = (!pid.as_raw_nonzero().get() << 3) | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives through the call.
    let done = unsafe { libc::clock_gettime(clock, &raw mut time) };
    (done == 0).then(|| Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0)))
}

/// What a process and everything below it use. The first `ours` generations are the harness's own and count only
/// for what their children have used.
pub(in crate::engine) fn of(root: Pid, ours: usize) -> Use {
    let mut sum = Use::default();
    let all = walk(root, |pid, stat, generation| {
        sum.cpu += stat.children;
        if generation >= ours {
            sum.cpu += cpu_of(pid).unwrap_or_default();
            sum.memory += stat.memory;
            sum.threads = sum.threads.saturating_add(stat.threads);
        }
        sum.alone = generation == 0 && stat.children.is_zero();
    });
    if !all {
        sum.threads = u32::MAX;
    }
    sum
}

/// The memory of the same, in bytes, in which a page that several processes have counts for each with its share. The
/// kernel walks through all of it for this.
pub(in crate::engine) fn memory_without_sharing(root: Pid, ours: usize) -> u64 {
    let mut sum = 0;
    walk(root, |pid, stat, generation| {
        if generation >= ours {
            sum += share_of(pid).unwrap_or(stat.memory);
        }
    });
    sum
}

/// Visits a process and everything below it, each with its generation. Whether these were all.
fn walk(root: Pid, mut visit: impl FnMut(Pid, &Stat, usize)) -> bool {
    let mut waiting = vec![(root, 0)];
    let mut seen = 0;
    while let Some((pid, generation)) = waiting.pop() {
        seen += 1;
        if seen > MOST {
            return false;
        }
        let Some(stat) = Stat::of(pid) else { continue };
        visit(pid, &stat, generation);
        waiting.extend(children(pid, stat.threads).into_iter().map(|child| (child, generation + 1)));
    }
    true
}

/// A process's share of the memory it has; nothing where the kernel does not tell us.
fn share_of(pid: Pid) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", pid.as_raw_nonzero())).ok()?;
    let share = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    Some(share.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Every thread of a process and of everything below it, up to a bound.
pub(in crate::engine) fn threads(root: Pid) -> Vec<Pid> {
    let (mut all, mut waiting) = (Vec::new(), vec![root]);
    while let Some(pid) = waiting.pop().filter(|_| all.len() < MOST) {
        let Ok(listed) = fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())) else { continue };
        let names = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let threads: Vec<Pid> = names.filter_map(Pid::from_raw).collect();
        waiting.extend(children(pid, u32::try_from(threads.len()).unwrap_or(u32::MAX)));
        all.extend(threads);
    }
    all
}

/// Whether every thread of a process waits for something, or there are none.
pub(super) fn waits(pid: i32) -> bool {
    let waits = |stat: &[u8]| !matches!(state(stat), Some(b'R' | b'D'));
    let Ok(own) = fs::read(format!("/proc/{pid}/stat")) else { return true };
    // Not by `Stat`: how long a tick is and how large a page, a warden is not told by kernels before 6.4.
    let single = field(&own, 20).is_none_or(|threads| threads <= 1);
    if single || !waits(&own) {
        return waits(&own);
    }
    let Ok(listed) = fs::read_dir(format!("/proc/{pid}/task")) else { return true };
    listed.flatten().all(|thread| fs::read(thread.path().join("stat")).map_or(true, |stat| waits(&stat)))
}

/// A field of `/proc/PID/stat`, numbered as the manual has them, from 4 on.
fn field(stat: &[u8], number: usize) -> Option<u64> {
    let end_of_name = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end_of_name + 2..)?).ok()?;
    rest.split(' ').nth(number - 3)?.trim_end().parse().ok()
}

/// The letter that says what a thread does.
fn state(stat: &[u8]) -> Option<u8> {
    let end_of_name = stat.iter().rposition(|byte| *byte == b')')?;
    stat.get(end_of_name + 2).copied()
}

fn children(pid: Pid, threads: u32) -> Vec<Pid> {
    let pid = pid.as_raw_nonzero();
    let of_thread = |thread: &str| {
        let listed = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children")).unwrap_or_default();
        let pids = listed.split_ascii_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?));
        pids.collect::<Vec<_>>()
    };
    if threads <= 1 {
        return of_thread(&pid.to_string());
    }
    let Ok(listed) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let names = listed.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.flat_map(|thread| of_thread(&thread)).collect()
}

/// The fields of `/proc/PID/stat` that are of use here.
struct Stat {
    threads: u32,
    memory: u64,
    /// Processor time of children that have ended and were waited for.
    children: Duration,
}

impl Stat {
    fn of(pid: Pid) -> Option<Stat> {
        Stat::parse(&fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?)
    }

    fn parse(text: &[u8]) -> Option<Stat> {
        // A process may call itself by a name with blanks and parentheses; what follows the last one is numbers.
        let end_of_name = text.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(text.get(end_of_name + 2..)?).ok()?;
        // Numbered as the manual has them, from 3 here; some are negative, and none of those is wanted.
        let fields: Vec<Option<u64>> = rest.split(' ').take(22).map(|field| field.parse().ok()).collect();
        let field = |number: usize| fields.get(number - 3).copied().flatten();
        let ticks = rustix::param::clock_ticks_per_second();
        let hundredths = field(16)? + field(17)?;
        Some(Stat {
            threads: u32::try_from(field(20)?).unwrap_or(u32::MAX),
            memory: field(24)? * rustix::param::page_size() as u64,
            children: Duration::from_nanos(hundredths * (1_000_000_000 / ticks.max(1))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_tree_is_seen_with_what_it_uses() {
        let mut child = std::process::Command::new("/bin/sh")
            .args(["-c", "sleep 5 & i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; wait"])
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        let until = std::time::Instant::now() + Duration::from_secs(5);
        while (of(pid, 0).threads < 2 || of(pid, 0).cpu.is_zero()) && std::time::Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        let seen = of(pid, 0);
        let below = of(pid, 1);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        child.wait().unwrap();
        assert!(seen.threads == 2 && seen.memory > 100_000 && !seen.cpu.is_zero(), "{seen:?}");
        assert!(below.threads == 1 && below.memory < seen.memory, "{below:?}");
    }
}
