//! How many more processes may be started here: by the user's limit, and by the control groups that
//! this process is in. Threads count as processes in both.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, geteuid, getrlimit, getuid};

/// What limits the number of processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessBound {
    /// The limit of the user, `ulimit -u`. Root has none.
    User,
    /// `pids.max` of a control group, as containers and services have it.
    ControlGroup,
}

/// A limit, and what of it is in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessRoom {
    /// What limits them.
    pub by: ProcessBound,
    /// How many there may be.
    pub most: u64,
    /// How many there are.
    pub used: u64,
}

impl ProcessRoom {
    /// How many more may be started.
    pub fn left(self) -> u64 {
        self.most.saturating_sub(self.used)
    }
}

/// The tightest limit there is; `None` without any.
pub fn for_processes() -> Option<ProcessRoom> {
    of_user().into_iter().chain(of_groups()).min_by_key(|room| room.left())
}

fn of_user() -> Option<ProcessRoom> {
    let most = getrlimit(Resource::Nproc).current.filter(|_| !geteuid().is_root())?;
    Some(ProcessRoom { by: ProcessBound::User, most, used: threads_of(getuid().as_raw()) })
}

/// The threads of all processes of a user; none where the system lists no processes.
fn threads_of(user: u32) -> u64 {
    let listed = fs::read_dir("/proc").into_iter().flatten().flatten();
    let of_process = |path: PathBuf| {
        let status = fs::read_to_string(path.join("status")).ok()?;
        let field =
            |name: &str| status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next();
        let is_theirs = field("Uid:")?.parse() == Ok(user);
        field("Threads:")?.parse::<u64>().ok().filter(|_| is_theirs)
    };
    let is_process = |name: &std::ffi::OsStr| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    listed.filter(|entry| is_process(&entry.file_name())).filter_map(|entry| of_process(entry.path())).sum()
}

/// The limits of the group that counts processes, and of those above it.
fn of_groups() -> Vec<ProcessRoom> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default(); // other systems lack it
    let Some((top, own)) = group(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup")) else {
        return Vec::new();
    };
    let number = |path: PathBuf| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let above = own.ancestors().take_while(|path| path.starts_with(&top));
    above
        .filter_map(|path| {
            let (most, used) = (number(path.join("pids.max"))?, number(path.join("pids.current"))?);
            Some(ProcessRoom { by: ProcessBound::ControlGroup, most, used })
        })
        .collect()
}

/// The top of the groups that count processes, and the own one: in version 1 those of the
/// controller `pids`, otherwise those of version 2.
fn group(mounts: &str, groups: &str) -> Option<(PathBuf, PathBuf)> {
    let path_of = |controller: &str| {
        groups.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            controllers.split(',').any(|name| name == controller).then_some(path)
        })
    };
    let (path, kind) = match path_of("pids") {
        Some(path) => (path, "cgroup"),
        None => (path_of("")?, "cgroup2"),
    };
    mounts.lines().find_map(|line| {
        let (place, of) = line.split_once(" - ")?;
        let mut of = of.split(' ');
        let is_kind = of.next()? == kind;
        let counts = kind == "cgroup2" || of.nth(1)?.split(',').any(|option| option == "pids");
        let mut place = place.split(' ').skip(3);
        let (root, top) = (place.next()?, Path::new(place.next()?));
        let below = Path::new(path).strip_prefix(root).ok()?;
        (is_kind && counts).then(|| (top.to_owned(), top.join(below)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_that_counts_processes_is_found_in_both_versions() {
        let first = "36 31 0:33 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n";
        let second = "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n";
        let found = |mounts: &str, groups| group(mounts, groups).map(|(_, own)| own);
        let both = format!("{second}{first}");
        assert_eq!(found(&both, "8:pids:/a/b\n0::/z\n"), Some(PathBuf::from("/sys/fs/cgroup/pids/a/b")));
        assert_eq!(found(second, "0::/z\n"), Some(PathBuf::from("/sys/fs/cgroup/z")));
        assert_eq!(found("", "0::/z\n"), None);
    }

    #[test]
    fn a_process_counts_with_its_threads() {
        let before = threads_of(getuid().as_raw());
        assert!(before > 0);
        assert_eq!(ProcessRoom { by: ProcessBound::User, most: 5, used: 7 }.left(), 0);
    }
}
