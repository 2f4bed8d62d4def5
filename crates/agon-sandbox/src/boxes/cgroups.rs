//! Control groups: the kernel counts and limits what all processes of an engine use together, and
//! stops all of them at once.
//!
//! A box has a group in version 2 of the kernel's groups, which kills. Where memory and processes
//! are still in version 1, it has one in each of those too. All lie below the group that agon
//! itself is in. The engine's processes have one more below that of version 2, which stops them and
//! counts their time. The warden runs while they are stopped, and so it notices when the harness is
//! gone. The helper stays in agon's own group and can remove the others.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};

use super::requests::Directories;
use crate::levels::{LimitHit, ResourceLimits, Use};
use crate::orphans::is_zombie;

/// How the groups of an engine are called: this, the namespace of the harness's process and its
/// number there, and a number. Containers may share the groups, and a number means another process
/// in each.
const NAME: &str = "agon";
/// The group of the engine's processes, in that of its box.
const ENGINE: &str = "engine";
/// Where agon itself goes if its own group must be free of processes.
const LEAF: &str = "agon-self";
/// The processes of the harness's own that are in a box's groups: its warden. The helper stays
/// outside.
const OURS: u32 = 1;
/// How long a group may take to be empty after all in it were killed.
pub(super) const BOUND: Duration = Duration::from_secs(1);

/// Where groups are made: the group that agon is in, in each hierarchy that is needed.
struct Places {
    /// In version 2.
    second: PathBuf,
    /// For memory and for processes in version 1; nothing where version 2 has them.
    first: Option<(PathBuf, PathBuf)>,
}

/// The groups of one engine. They go with this, and all that is in them.
pub(super) struct ControlGroup {
    second: PathBuf,
    first: Option<(PathBuf, PathBuf)>,
    /// The engine's, below that of version 2.
    engine: PathBuf,
    /// The processor time that was used before the engine's program began.
    before: Duration,
}

impl ControlGroup {
    /// Makes them, with their limits.
    ///
    /// # Errors
    /// Words that begin with `control groups`.
    pub(super) fn new(limits: ResourceLimits) -> io::Result<Self> {
        static PLACES: OnceLock<Result<Places, String>> = OnceLock::new();
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let places = PLACES.get_or_init(|| {
            let places = find()?;
            places.all().for_each(sweep_one_place);
            Ok(places)
        });
        let places = places.as_ref().map_err(|why| io::Error::other(why.clone()))?;
        let (space, number) = (namespace(), NEXT.fetch_add(1, Ordering::Relaxed));
        let name = format!("{NAME}-{space}.{}-{number}", std::process::id());
        let group = ControlGroup {
            second: places.second.join(&name),
            first: places.first.as_ref().map(|(memory, pids)| (memory.join(&name), pids.join(&name))),
            engine: places.second.join(&name).join(ENGINE),
            before: Duration::ZERO,
        };
        for directory in group.all().chain([group.engine.as_path()]) {
            fs::create_dir(directory).map_err(|error| failed("making", directory, &error))?;
        }
        let memory = limits.memory.to_string();
        let (limit, swap) = match &group.first {
            Some((first, _)) => {
                (first.join("memory.limit_in_bytes"), first.join("memory.memsw.limit_in_bytes"))
            }
            None => (group.second.join("memory.max"), group.second.join("memory.swap.max")),
        };
        write(&limit, &memory)?;
        if swap.exists() {
            // Version 1 counts memory and swap together there.
            write(&swap, if group.first.is_some() { &memory } else { "0" })?;
        }
        let most = limits.processes.saturating_add(OURS).to_string();
        write(&group.pids().join("pids.max"), &most)?;
        if !group.engine.join("cgroup.freeze").exists() || !group.second.join("cgroup.kill").exists() {
            return Err(io::Error::other("control groups of this kernel can neither be stopped nor killed"));
        }
        Ok(group)
    }

    fn all(&self) -> impl Iterator<Item = &Path> {
        let first = self.first.iter().flat_map(|(memory, pids)| [memory.as_path(), pids.as_path()]);
        std::iter::once(self.second.as_path()).chain(first)
    }

    fn memory(&self) -> &Path {
        self.first.as_ref().map_or(&self.second, |(memory, _)| memory)
    }

    fn pids(&self) -> &Path {
        self.first.as_ref().map_or(&self.second, |(_, pids)| pids)
    }

    /// Where the processes of the box go by themselves.
    ///
    /// # Errors
    /// None: a path that was made has no NUL.
    pub(super) fn directories(&self) -> io::Result<Directories> {
        let c_string = |path: &Path| CString::new(path.as_os_str().as_bytes());
        let all = self.all().map(c_string).collect::<Result<_, _>>()?;
        Ok(Directories { all, engine: c_string(&self.engine)? })
    }

    /// The engine's program begins now: what was used so far was ours.
    pub(super) fn begin(&mut self) {
        self.before = self.cpu();
    }

    /// Stops everything, or lets it go on; whether that was available.
    pub(super) fn freeze(&self, yes: bool) -> bool {
        write(&self.engine.join("cgroup.freeze"), if yes { "1" } else { "0" }).is_ok()
    }

    fn cpu(&self) -> Duration {
        Duration::from_micros(field(&self.engine.join("cpu.stat"), "usage_usec").unwrap_or(0))
    }

    /// What all in them use, or have used.
    pub(super) fn uses(&self) -> Use {
        let peak = if self.first.is_some() { "memory.max_usage_in_bytes" } else { "memory.peak" };
        let threads = number(&self.pids().join("pids.current")).unwrap_or(0);
        Use {
            cpu: self.cpu().saturating_sub(self.before),
            memory: number(&self.memory().join(peak)).unwrap_or(0),
            threads: u32::try_from(threads).unwrap_or(u32::MAX).saturating_sub(OURS),
            alone: false,
            whole: true,
        }
    }

    /// The limit that the kernel has kept it from going over, if there is one.
    pub(super) fn limit_hit(&self) -> Option<LimitHit> {
        let events = if self.first.is_some() { "memory.oom_control" } else { "memory.events" };
        if field(&self.memory().join(events), "oom_kill").is_some_and(|times| times > 0) {
            return Some(LimitHit::Memory);
        }
        let refused = field(&self.pids().join("pids.events"), "max").is_some_and(|times| times > 0);
        refused.then_some(LimitHit::Processes)
    }
}

/// Nobody in them lives on, and nothing of them is left.
impl Drop for ControlGroup {
    fn drop(&mut self) {
        let groups: Vec<&Path> = self.all().collect();
        remove(&groups);
    }
}

/// Kills all in these groups, which are one engine's, and removes them.
fn remove(groups: &[&Path]) {
    for group in groups {
        // Version 1 has no such file; its processes are those of version 2.
        let _ = fs::write(group.join("cgroup.kill"), "1"); // one that is gone already has nobody in it
    }
    let until = Instant::now() + BOUND;
    for directory in groups.iter().flat_map(|group| [group.join(ENGINE), group.to_path_buf()]) {
        when_empty(until, || fs::remove_dir(&directory));
    }
}

/// Removes a group that only the dying keep; what stays nevertheless is swept later.
pub(super) fn when_empty(until: Instant, remove: impl Fn() -> io::Result<()>) {
    while remove().is_err_and(|error| error.raw_os_error() == Some(libc::EBUSY)) && Instant::now() < until {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Removes what harnesses that live no more have left behind, and kills what is in it.
pub fn sweep() {
    if let Ok(places) = places_as_they_are() {
        places.all().for_each(sweep_one_place);
    }
}

fn sweep_one_place(place: &Path) {
    let Ok(listed) = fs::read_dir(place) else { return };
    for group in listed.flatten() {
        let name = group.file_name();
        let owner = name.to_str().and_then(owner);
        // One that has ended, and whose end nobody has asked for yet, owns nothing any more.
        let gone = |pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH) || is_zombie(pid);
        if owner.is_some_and(gone) {
            remove(&[&group.path()]);
        }
    }
}

/// The process that a group belongs to, if its number means it here.
fn owner(name: &str) -> Option<Pid> {
    let (owner, _) = name.strip_prefix(NAME)?.strip_prefix('-')?.split_once('-')?;
    let (space, pid) = owner.split_once('.')?;
    (space == namespace()).then(|| Pid::from_raw(pid.parse().ok()?)).flatten()
}

/// The namespace in which this process has its number; empty where the kernel does not tell.
fn namespace() -> &'static str {
    static OWN: OnceLock<String> = OnceLock::new();
    OWN.get_or_init(|| {
        let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default(); // as above
        link.to_string_lossy().chars().filter(char::is_ascii_digit).collect()
    })
}

impl Places {
    fn all(&self) -> impl Iterator<Item = &Path> {
        let first = self.first.iter().flat_map(|(memory, pids)| [memory.as_path(), pids.as_path()]);
        std::iter::once(self.second.as_path()).chain(first)
    }
}

/// Where groups can be made, made ready for it.
fn find() -> Result<Places, String> {
    let places = places_as_they_are()?;
    if places.first.is_none() {
        hand_down(&places.second)
            .map_err(|error| failed("handing down", &places.second, &error).to_string())?;
    }
    Ok(places)
}

/// Where groups can be made, as far as it can be seen.
fn places_as_they_are() -> Result<Places, String> {
    let read =
        |path: &str| fs::read_to_string(path).map_err(|error| format!("control groups: {path}: {error}"));
    let (mounts, groups) = (read("/proc/self/mountinfo")?, read("/proc/self/cgroup")?);
    let mut second = own(&mounts, &groups, "").ok_or("control groups of version 2 are not mounted")?;
    if second.ends_with(LEAF) {
        second.pop();
    }
    let offered = fs::read_to_string(second.join("cgroup.controllers")).unwrap_or_default();
    let offers = |name: &str| offered.split_ascii_whitespace().any(|offered| offered == name);
    if offers("memory") && offers("pids") {
        return Ok(Places { second, first: None });
    }
    let first = own(&mounts, &groups, "memory").zip(own(&mounts, &groups, "pids"));
    let first =
        first.ok_or("control groups for memory and processes are neither mounted nor delegated to agon")?;
    Ok(Places { second, first: Some(first) })
}

/// The directory of the group that this process is in; of version 2 if no controller is named.
fn own(mounts: &str, groups: &str, controller: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        controllers.split(',').any(|name| name == controller).then_some(path)
    })?;
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut kind = kind.split(' ');
        let right = match kind.next()? {
            "cgroup2" => controller.is_empty(),
            "cgroup" => !controller.is_empty() && kind.nth(1)?.split(',').any(|option| option == controller),
            _ => false,
        };
        let mut place = place.split(' ').skip(3);
        let (root, point) = (place.next()?, place.next()?);
        let below = Path::new(path).strip_prefix(root).ok()?;
        right.then(|| Path::new(point).join(below))
    })
}

/// Lets groups below this one of version 2 have limits. A group that does so may have no processes
/// itself, so those that are in it go into one below. A group that was handed to a user is the
/// user's own. A group of root is touched only if all its processes are agon or have started it.
fn hand_down(place: &Path) -> io::Result<()> {
    let file = place.join("cgroup.subtree_control");
    let wanted = "+memory +pids";
    let mine = |pid: &Pid| !rustix::process::geteuid().is_root() || ancestors().contains(pid);
    // A process that is just being started there may come late.
    for _ in 0..5 {
        match fs::write(&file, wanted) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {}
            done => return done,
        }
        let listed = fs::read_to_string(place.join("cgroup.procs"))?;
        let pids: Vec<Pid> = listed.lines().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect();
        if !pids.iter().all(mine) {
            return Err(io::Error::other(
                "other processes than agon's are in it; start agon in a group of its own",
            ));
        }
        let leaf = place.join(LEAF);
        match fs::create_dir(&leaf) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        for pid in pids {
            match fs::write(leaf.join("cgroup.procs"), pid.as_raw_nonzero().to_string()) {
                Err(error) if error.raw_os_error() != Some(libc::ESRCH) => return Err(error),
                _ => {} // it is there, or has ended
            }
        }
    }
    fs::write(file, wanted)
}

/// This process, the one that has started it, and so on.
fn ancestors() -> Vec<Pid> {
    let mut all = vec![rustix::process::getpid()];
    while let Some(pid) = all.last().filter(|pid| **pid != Pid::INIT) {
        let parent = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero()));
        let parent = parent
            .ok()
            .and_then(|text| text.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok()));
        let Some(parent) = parent.and_then(Pid::from_raw) else { break };
        all.push(parent);
    }
    all
}

pub(super) fn failed(what: &str, path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("control groups: {what} {}: {error}", path.display()))
}

fn write(path: &Path, what: &str) -> io::Result<()> {
    fs::write(path, what).map_err(|error| failed("writing", path, &error))
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The number behind a word at the beginning of a line.
fn field(path: &Path, word: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_of_a_process_in_another_namespace_belongs_to_nobody_here() {
        let own = namespace();
        assert!(!own.is_empty());
        assert_eq!(owner(&format!("agon-{own}.7-0")).map(|pid| pid.as_raw_nonzero().get()), Some(7));
        for other in [format!("agon-1{own}.7-0"), "agon-7-0".to_owned(), "agon-self".to_owned()] {
            assert_eq!(owner(&other), None, "{other}");
        }
    }

    #[test]
    fn the_own_group_is_found_in_both_versions() {
        let mounts = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
                      36 31 0:33 /a /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
        let groups = "8:pids:/a/b\n4:cpu,memory:/x/y\n0::/z\n";
        let own = |controller| own(mounts, groups, controller);
        assert_eq!(own("memory").unwrap(), Path::new("/sys/fs/cgroup/memory/x/y"));
        assert_eq!(own("pids").unwrap(), Path::new("/sys/fs/cgroup/pids/b"));
        assert_eq!(own("").unwrap(), Path::new("/sys/fs/cgroup/unified/z"));
        assert_eq!(own("freezer"), None);
    }
}
