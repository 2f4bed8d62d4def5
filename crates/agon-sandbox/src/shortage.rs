//! What this machine is short of: errors and counts that say nothing of the program at hand.

use std::fs;
use std::io::{self, ErrorKind};

/// Whether an error says that this machine lacks something: room on the disk, memory, processes,
/// descriptors, or a disk that works.
pub fn is_of_machine(error: &io::Error) -> bool {
    const CODES: [i32; 8] = [
        libc::ENOSPC,
        libc::EDQUOT,
        libc::EIO,
        libc::EROFS,
        libc::ENOMEM,
        libc::EMFILE,
        libc::ENFILE,
        libc::EAGAIN,
    ];
    // A library may have wrapped the error, and keeps its kind.
    let kinds = [
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::OutOfMemory,
    ];
    error.raw_os_error().is_some_and(|code| CODES.contains(&code)) || kinds.contains(&error.kind())
}

/// How often the kernel has killed a process because memory was short, since it was started; `None`
/// where it does not say.
pub fn oom_kills() -> Option<u64> {
    let counts = fs::read_to_string("/proc/vmstat").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_a_wrong_name() {
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        assert!(is_of_machine(&full));
        assert!(is_of_machine(&io::Error::new(full.kind(), "as an archive reader wraps it")));
        for code in [libc::ENOENT, libc::ENAMETOOLONG, libc::ENOTDIR, libc::EILSEQ] {
            assert!(!is_of_machine(&io::Error::from_raw_os_error(code)), "{code}");
        }
        assert!(!is_of_machine(&io::Error::other("what came out cannot be read")));
    }
}
