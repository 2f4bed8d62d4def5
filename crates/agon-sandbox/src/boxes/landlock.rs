//! A second line of defence around a box, by Landlock. If a file of the user were visible in the
//! box by mistake, an engine could not change it. Nor could it signal processes outside or reach
//! sockets there.
//!
//! Kernels without Landlock have no such line, and the record says so; the box stands without it.

use landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
};

/// The rights that are taken, as far as the kernel knows them.
pub(super) const RIGHTS: ABI = ABI::V6;

/// Which version the kernel has; none where it has no Landlock.
pub(super) fn version() -> Option<u32> {
    const ASK_FOR_VERSION: libc::c_uint = 1;
    // SAFETY: asked for its version, the call looks at no memory.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, ASK_FOR_VERSION)
    };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// Puts this process and all it starts behind the line.
pub(super) fn put_up() -> Result<(), landlock::RulesetError> {
    let look = AccessFs::from_read(RIGHTS);
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(RIGHTS))?
        .handle_access(AccessNet::from_all(RIGHTS))?
        .scope(Scope::from_all(RIGHTS))?
        .create()?;
    for (path, more) in [
        ("/", look),
        ("/tmp", AccessFs::from_all(RIGHTS)),
        // A program names its threads there.
        ("/proc", AccessFs::WriteFile.into()),
        // There are a few devices, on a file system that is read-only.
        ("/dev", AccessFs::WriteFile.into()),
    ] {
        let Ok(place) = PathFd::new(path) else { continue }; // what is not there needs no leave
        rules = rules.add_rule(PathBeneath::new(place, more))?;
    }
    rules.restrict_self()?;
    Ok(())
}
