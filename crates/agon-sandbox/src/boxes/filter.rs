//! Which system calls an engine in a box may not make.
//!
//! This is a list of denied calls, not of allowed ones. Runtimes of many languages must run, and
//! the calls that they make change from year to year. The list denies the parts of the kernel that
//! no game needs and that have been the way out of boxes. It also denies every call that could
//! continue a stopped process.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use super::mounts::Sockets;

/// Denied with any arguments.
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

/// Said not to exist, so that programs do without: their arguments cannot be looked at, or they
/// have a substitute.
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
/// The same by `ioctl`: FIOASYNC, FIOSETOWN, SIOCSPGRP; typing into a terminal: TIOCSTI, TIOCLINUX;
/// and another driver for one: TIOCSETD.
const CONTROLS: [u64; 6] = [0x5452, 0x8901, 0x8902, 0x5412, 0x541c, 0x5423];

/// The programs the kernel is to run before each system call, in the order in which they are put in
/// force.
///
/// Where a socket of a shown place could be reached, no socket is reached by a name: not by a
/// connection, and not by a message, whose receiver stands in memory that no filter can look at.
pub(super) fn programs(pinned: bool, sockets: Sockets) -> Result<Vec<BpfProgram>, String> {
    let answer = |errno: libc::c_int| libc::SECCOMP_RET_ERRNO | errno.unsigned_abs();
    let denied = NEVER.iter().chain(NEVER_HERE).map(|number| (*number, answer(libc::EPERM)));
    let unknown = UNKNOWN.iter().map(|number| (*number, answer(libc::ENOSYS)));
    let mut by_number_alone: BTreeMap<c_long, u32> = denied.chain(unknown).collect();
    if pinned {
        // Who is on one core stays there.
        by_number_alone.insert(libc::SYS_sched_setaffinity, answer(libc::EPERM));
    }
    if sockets == Sockets::Open {
        by_number_alone.insert(libc::SYS_connect, answer(libc::EPERM));
    }
    Ok(vec![
        by_number(&by_number_alone.into_iter().collect::<Vec<_>>()),
        program(by_arguments(sockets)?, libc::EPERM)?,
    ])
}

/// Denied besides to a process that reads files and answers on sockets that it has: starting
/// programs and reaching out.
const NOT_A_READERS: &[c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_sendmmsg,
    libc::SYS_mknodat,
    libc::SYS_fchmodat,
    libc::SYS_fchownat,
    libc::SYS_shmat,
];

/// The program for a server that only reads; see `confine`.
pub(super) fn of_a_reader() -> BpfProgram {
    let denied = libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs();
    let unknown = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    let lists = [(NEVER, denied), (NEVER_HERE, denied), (NOT_A_READERS, denied), (UNKNOWN, unknown)];
    let all = lists.iter().flat_map(|(list, answer)| list.iter().map(|number| (*number, *answer)));
    let all: BTreeMap<c_long, u32> = all.collect();
    by_number(&all.into_iter().collect::<Vec<_>>())
}

/// Looks the number of a call up in a sorted list, and answers at once; what is not there is
/// allowed.
///
/// The kernel runs a new filter once for every system call that exists. With a linear search that
/// would cost each start of an engine a quarter of a millisecond.
fn by_number(list: &[(c_long, u32)]) -> BpfProgram {
    const LOAD_NUMBER: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS, of the first field
    let mut all = vec![step(LOAD_NUMBER, 0, 0, 0)];
    if cfg!(target_arch = "x86_64") {
        // There each call has a second number (x32), which the lists do not have.
        all.extend([step(AT_LEAST, 0, 1, 0x4000_0000), step(RETURN, 0, 0, libc::SECCOMP_RET_KILL_PROCESS)]);
    }
    all.extend(search(list));
    all
}

fn search(list: &[(c_long, u32)]) -> BpfProgram {
    const FEW: usize = 4;
    let number = |number: c_long| u32::try_from(number).expect("the numbers of calls are small");
    if list.len() <= FEW {
        let looks = list
            .iter()
            .flat_map(|(which, answer)| [step(IS, 0, 1, number(*which)), step(RETURN, 0, 0, *answer)]);
        return looks.chain([step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW)]).collect();
    }
    let (below, above) = list.split_at(list.len() / 2);
    let below = search(below);
    let far =
        u8::try_from(below.len()).expect("half of the list takes fewer steps than a jump can pass over");
    [vec![step(AT_LEAST, far, 0, number(above[0].0))], below, search(above)].concat()
}

const AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const IS: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const RETURN: u16 = 0x06; // BPF_RET | BPF_K

fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn program(rules: Rules, errno: libc::c_int) -> Result<BpfProgram, String> {
    let machine: TargetArch =
        std::env::consts::ARCH.try_into().map_err(|_| "no filter for this kind of machine".to_owned())?;
    let errno = SeccompAction::Errno(errno.unsigned_abs());
    // A call by the numbers of another kind of machine (32-bit x86) kills the process that makes
    // it.
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, errno, machine).map_err(|e| e.to_string())?;
    filter.try_into().map_err(|error: seccompiler::BackendError| error.to_string())
}

/// Denied with some arguments.
fn by_arguments(sockets: Sockets) -> Result<Rules, String> {
    let mut rules = Rules::new();
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
    let mut kinds = vec![other_than(0, libc::AF_UNIX as u64)?];
    if sockets == Sockets::Open {
        // Above the kind are flags. A raw one of this family takes messages too.
        let of_messages = |kind: libc::c_int| when(&[(1, SeccompCmpOp::MaskedEq(0xf), kind as u64)]);
        let both = [of_messages(libc::SOCK_DGRAM)?, of_messages(libc::SOCK_RAW)?];
        kinds.extend(both.clone());
        rules.insert(libc::SYS_socketpair, both.to_vec());
    }
    rules.insert(libc::SYS_socket, kinds);
    let with = |flag: &u64| when(&[(0, SeccompCmpOp::MaskedEq(*flag), *flag)]);
    // Nor a child whose end, or a parent whose end, is told by the signal that lets a stopped
    // process go on.
    let end_by_cont = when(&[(0, SeccompCmpOp::MaskedEq(0xff), libc::SIGCONT as u64)])?;
    let clones = NEW_NAMESPACES.iter().map(with).chain([Ok(end_by_cont)]);
    rules.insert(libc::SYS_clone, clones.collect::<Result<_, _>>()?);
    let set = (0, SeccompCmpOp::Eq, libc::PR_SET_PDEATHSIG as u64);
    rules.insert(libc::SYS_prctl, vec![when(&[set, (1, SeccompCmpOp::Eq, libc::SIGCONT as u64)])?]);
    rules.insert(
        libc::SYS_fcntl,
        SIGNALS_OF_FILES.iter().map(|command| is(1, *command)).collect::<Result<_, _>>()?,
    );
    rules.insert(libc::SYS_ioctl, CONTROLS.iter().map(|request| is(1, *request)).collect::<Result<_, _>>()?);
    // Asking for the personality (all ones) is no change of it.
    let change = when(&[(0, SeccompCmpOp::Ne, 0), (0, SeccompCmpOp::Ne, 0xffff_ffff)])?;
    rules.insert(libc::SYS_personality, vec![change]);
    // The warden is of the same user where no root has started it: nobody else's limits or
    // priority.
    rules.insert(libc::SYS_prlimit64, vec![other_than(0, 0)?]);
    for others in [libc::SYS_setpriority, libc::SYS_ioprio_set] {
        rules.insert(others, vec![other_than(1, 0)?]);
    }
    for others in [libc::SYS_sched_setscheduler, libc::SYS_sched_setparam, libc::SYS_sched_setattr] {
        rules.insert(others, vec![other_than(0, 0)?]);
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_can_be_compiled() {
        for sockets in [Sockets::Veiled, Sockets::Open] {
            let programs = programs(false, sockets).unwrap();
            assert!(programs.iter().all(|program| (3..4096).contains(&program.len())));
        }
    }

    /// What the kernel makes of a program that only loads the number, compares and returns.
    fn answer(program: &[sock_filter], number: u32) -> u32 {
        let mut at = 1;
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            let right = match code {
                RETURN => return k,
                IS => number == k,
                AT_LEAST => number >= k,
                _ => panic!("no such step"),
            };
            at += 1 + usize::from(if right { jt } else { jf });
        }
    }

    #[test]
    fn every_call_that_is_denied_by_its_number_is_found_and_no_other() {
        let pinned = programs(true, Sockets::Veiled).unwrap();
        let free = programs(false, Sockets::Veiled).unwrap();
        let shut = programs(false, Sockets::Open).unwrap();
        let (denied, unknown) = (0x5_0000 | libc::EPERM as u32, 0x5_0000 | libc::ENOSYS as u32);
        for number in 0..2000u32 {
            let call = c_long::from(number);
            let expected = match call {
                call if UNKNOWN.contains(&call) => unknown,
                call if NEVER.contains(&call) || NEVER_HERE.contains(&call) => denied,
                _ => libc::SECCOMP_RET_ALLOW,
            };
            assert_eq!(answer(&free[0], number), expected, "{number}");
            let reached = call == libc::SYS_connect;
            assert_eq!(answer(&shut[0], number), if reached { denied } else { expected }, "{number}");
            let kept = call == libc::SYS_sched_setaffinity;
            assert_eq!(answer(&pinned[0], number), if kept { denied } else { expected }, "{number}");
        }
        if cfg!(target_arch = "x86_64") {
            assert_eq!(answer(&free[0], 0x4000_0000), libc::SECCOMP_RET_KILL_PROCESS);
        }
    }
}
