//! Which system calls an engine in a box may not make.
//!
//! A list of what is denied, not of what is allowed: runtimes of many languages are to run, and what they call
//! changes from year to year. The list takes away the parts of the kernel that no game needs and that have been
//! the way out of boxes, and every way by which a stopped process could be made to go on.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

/// Denied whatever the arguments.
const NEVER: &[c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    // The kernel itself.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    // Keys outlive a game.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Memory that no limit of the box counts.
    libc::SYS_shmget,
    libc::SYS_memfd_secret,
    // A timer that wakes a stopped process.
    libc::SYS_timer_create,
    libc::SYS_mq_notify,
];

/// The same, where only this machine has the call.
#[cfg(target_arch = "x86_64")]
const NEVER_HERE: &[c_long] = &[libc::SYS_modify_ldt, libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_uselib];
#[cfg(not(target_arch = "x86_64"))]
const NEVER_HERE: &[c_long] = &[];

/// Said not to exist, so that programs do without: their arguments cannot be looked at, or they have a substitute.
const UNKNOWN: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_memfd_create,
    467, // open_tree_attr
];

/// New namespaces of every kind that `clone` can make.
const NEW_NAMESPACES: [u64; 7] = [
    libc::CLONE_NEWNS as u64,
    libc::CLONE_NEWCGROUP as u64,
    libc::CLONE_NEWUTS as u64,
    libc::CLONE_NEWIPC as u64,
    libc::CLONE_NEWUSER as u64,
    libc::CLONE_NEWPID as u64,
    libc::CLONE_NEWNET as u64,
];
/// Whom a descriptor's signals go to, and which they are.
const SIGNALS_OF_FILES: [u64; 4] =
    [libc::F_SETOWN as u64, 10 /* F_SETSIG */, 15 /* F_SETOWN_EX */, libc::F_NOTIFY as u64];
/// The same by `ioctl`: FIOASYNC, FIOSETOWN, SIOCSPGRP; and typing into a terminal: TIOCSTI, TIOCLINUX.
const CONTROLS: [u64; 5] = [0x5452, 0x8901, 0x8902, 0x5412, 0x541c];

/// The programs the kernel is to run before each system call, in the order in which they are put in force.
pub(super) fn programs(pinned: bool) -> Result<Vec<BpfProgram>, String> {
    let mut all = Vec::new();
    if let Some(other) = other_numbers() {
        all.push(other);
    }
    let unknown = UNKNOWN.iter().map(|number| (*number, Vec::new())).collect();
    all.push(program(unknown, libc::ENOSYS)?);
    let mut denied = denied()?;
    if pinned {
        // Who is on one core stays there.
        denied.insert(libc::SYS_sched_setaffinity, Vec::new());
    }
    all.push(program(denied, libc::EPERM)?);
    Ok(all)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn program(rules: Rules, errno: libc::c_int) -> Result<BpfProgram, String> {
    let machine: TargetArch =
        std::env::consts::ARCH.try_into().map_err(|_| "no filter for this kind of machine".to_owned())?;
    let errno = SeccompAction::Errno(errno.unsigned_abs());
    // A call by the numbers of another kind of machine (32-bit x86) kills whoever makes it.
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, errno, machine).map_err(|e| e.to_string())?;
    filter.try_into().map_err(|error: seccompiler::BackendError| error.to_string())
}

fn denied() -> Result<Rules, String> {
    let mut rules: Rules = NEVER.iter().chain(NEVER_HERE).map(|number| (*number, Vec::new())).collect();
    let when = |conditions: &[(u8, SeccompCmpOp, u64)]| -> Result<SeccompRule, String> {
        let conditions: Result<Vec<_>, _> = conditions
            .iter()
            .map(|(argument, how, value)| {
                // The kernel reads the lower half of each of these.
                SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, how.clone(), *value)
            })
            .collect();
        SeccompRule::new(conditions.map_err(|e| e.to_string())?).map_err(|e| e.to_string())
    };
    let other_than = |argument, value| when(&[(argument, SeccompCmpOp::Ne, value)]);
    let is = |argument, value| when(&[(argument, SeccompCmpOp::Eq, value)]);
    // AF_VSOCK and others reach past a network of one's own.
    rules.insert(libc::SYS_socket, vec![other_than(0, libc::AF_UNIX as u64)?]);
    let with = |flag: &u64| when(&[(0, SeccompCmpOp::MaskedEq(*flag), *flag)]);
    rules.insert(libc::SYS_clone, NEW_NAMESPACES.iter().map(with).collect::<Result<_, _>>()?);
    rules.insert(
        libc::SYS_fcntl,
        SIGNALS_OF_FILES.iter().map(|command| is(1, *command)).collect::<Result<_, _>>()?,
    );
    rules.insert(libc::SYS_ioctl, CONTROLS.iter().map(|request| is(1, *request)).collect::<Result<_, _>>()?);
    // Asking for the personality (all ones) is no change of it.
    let change = when(&[(0, SeccompCmpOp::Ne, 0), (0, SeccompCmpOp::Ne, 0xffff_ffff)])?;
    rules.insert(libc::SYS_personality, vec![change]);
    // The warden is of the same user where no root has started it: nobody else's limits or priority.
    rules.insert(libc::SYS_prlimit64, vec![other_than(0, 0)?]);
    for others in [libc::SYS_setpriority, libc::SYS_ioprio_set] {
        rules.insert(others, vec![other_than(1, 0)?]);
    }
    for others in [libc::SYS_sched_setscheduler, libc::SYS_sched_setparam, libc::SYS_sched_setattr] {
        rules.insert(others, vec![other_than(0, 0)?]);
    }
    Ok(rules)
}

/// x86_64 knows each call by a second number (x32), which the lists above do not have.
#[cfg(target_arch = "x86_64")]
fn other_numbers() -> Option<BpfProgram> {
    const LOAD_NUMBER: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS, of the first field
    const AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
    const RETURN: u16 = 0x06; // BPF_RET | BPF_K
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    Some(vec![
        step(LOAD_NUMBER, 0, 0, 0),
        step(AT_LEAST, 0, 1, 0x4000_0000),
        step(RETURN, 0, 0, libc::SECCOMP_RET_KILL_PROCESS),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ])
}

#[cfg(not(target_arch = "x86_64"))]
fn other_numbers() -> Option<BpfProgram> {
    None
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_filters_can_be_compiled() {
        let programs = super::programs(false).unwrap();
        assert!(programs.iter().all(|program| (3..4096).contains(&program.len())));
    }
}
