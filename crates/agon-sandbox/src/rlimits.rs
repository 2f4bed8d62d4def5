//! The limits of each process of a program, set by `setrlimit` on every Unix.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors that a program may have open. The first is what it begins with, the second how far
/// it may go.
const FILES: (u64, u64) = (1024, 4096);
/// How far a stack may grow, where the user's own limit is no lower.
const STACK: u64 = 64 << 20;

/// Each process may have this many times what all processes of a program may use together. What is
/// reserved and never touched counts for each. Where the tree is looked at, that is often enough to
/// catch what is touched.
const RESERVED: u64 = 2;

/// How much of something a process may use.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    which: Resource,
    most: Rlimit,
}

impl Limit {
    /// The limit of this process, lowered; one that is lower already stays.
    pub(crate) fn lowered(which: Resource, soft: u64, hard: u64) -> Self {
        let now = getrlimit(which);
        let hard = now.maximum.map_or(hard, |now| now.min(hard));
        let soft = now.current.map_or(soft, |now| now.min(soft)).min(hard);
        Limit { which, most: Rlimit { current: Some(soft), maximum: Some(hard) } }
    }

    /// Sets it for this process and its children. It calls nothing but the kernel.
    ///
    /// # Errors
    /// The kernel's own.
    pub(crate) fn set(&self) -> Result<(), Errno> {
        setrlimit(self.which, self.most)
    }
}

/// The memory of its own that each process may have of a program that may use so much.
pub(crate) fn of_each(memory: u64) -> u64 {
    memory.saturating_mul(RESERVED)
}

/// The limits that there are everywhere: bytes of memory of its own, bytes in a file, descriptors,
/// the stack, and no dump of its memory.
pub(crate) fn everywhere(memory: u64, file: u64) -> Vec<Limit> {
    vec![
        Limit::lowered(Resource::Data, memory, memory),
        Limit::lowered(Resource::Fsize, file, file),
        Limit::lowered(Resource::Core, 0, 0),
        Limit::lowered(Resource::Nofile, FILES.0, FILES.1),
        Limit::lowered(Resource::Stack, STACK, STACK),
    ]
}
