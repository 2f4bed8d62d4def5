//! The other processes that this one can see, and which of them belong to the same test.

use std::fs;

use rustix::process::getpid;

/// A process in /proc.
pub(crate) struct Neighbour {
    pub(crate) pid: i32,
    /// Its user, by /proc.
    pub(crate) user: u32,
    pub(crate) group: i32,
    /// Its arguments, and its environment if that is readable, separated by NULs.
    pub(crate) command: Vec<u8>,
    pub(crate) environment: Option<Vec<u8>>,
}

impl Neighbour {
    fn of(pid: i32) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat); // a process may have any name
        let group = stat.rsplit(") ").next()?.split(' ').nth(2)?.parse().ok()?;
        Some(Neighbour {
            pid,
            user: fs::metadata(format!("/proc/{pid}")).ok()?.uid(),
            group,
            command: fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default(),
            environment: fs::read(format!("/proc/{pid}/environ")).ok(),
        })
    }

    /// The value of a variable in its environment.
    pub(crate) fn variable(&self, name: &str) -> Option<&[u8]> {
        let variables = self.environment.as_deref()?.split(|byte| *byte == 0);
        let mut values = variables.filter_map(|one| one.strip_prefix(name.as_bytes())?.strip_prefix(b"="));
        values.next()
    }

    /// Whether it carries the token of this test.
    fn is_of_this_test(&self) -> bool {
        let Some(token) = std::env::var_os("TOKEN").filter(|token| token.len() > 8) else { return false };
        let has = |bytes: &[u8]| bytes.windows(token.len()).any(|part| part == token.as_encoded_bytes());
        has(&self.command) || self.environment.as_deref().is_some_and(has)
    }
}

/// All processes but this one.
pub(crate) fn all() -> Vec<Neighbour> {
    let own = getpid().as_raw_nonzero().get();
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| *pid != own).filter_map(Neighbour::of).collect()
}

/// The opponent's process, if it is visible: an engine of this test with another mark.
pub(crate) fn opponent() -> Option<Neighbour> {
    let own = std::env::var_os("AGON_ENGINE")?;
    all().into_iter().find(|other| {
        let mark = other.variable("AGON_ENGINE");
        other.is_of_this_test() && mark.is_some_and(|mark| mark != own.as_encoded_bytes())
    })
}

/// Whether this process is in a box: all visible processes have small numbers.
pub(crate) fn in_a_box() -> bool {
    getpid().as_raw_nonzero().get() < 100
        && !fs::exists("/proc/2/fd").is_ok_and(|kernel| kernel && is_kernel(2))
}

/// Kernel threads have no arguments; every real machine has one as its second process.
fn is_kernel(pid: i32) -> bool {
    pid != getpid().as_raw_nonzero().get()
        && fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|command| command.is_empty())
}

/// Whether all processes with this property belong to this test. The warden of a box may be among
/// them: it reveals nothing, and no signal from inside reaches it.
pub(crate) fn all_are_of_this_test(said_of: impl Fn(&Neighbour) -> bool) -> bool {
    let boxed = in_a_box();
    all()
        .iter()
        .filter(|other| said_of(other))
        .all(|other| other.is_of_this_test() || boxed && other.pid == 1)
}
