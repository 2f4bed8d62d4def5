//! What each operating system does in a way of its own: one file for Linux, one for all others.
//!
//! Both have the same names. `--cfg agon_posix` takes the second one on Linux as well, so that it
//! can be tried there.

#![allow(unsafe_code)]

pub(crate) mod child;
pub mod inherited;
#[cfg(all(target_os = "linux", not(agon_posix)))]
mod init;
#[cfg_attr(all(target_os = "linux", not(agon_posix)), path = "linux.rs")]
#[cfg_attr(any(not(target_os = "linux"), agon_posix), path = "posix.rs")]
mod own;

#[cfg(all(target_os = "linux", not(agon_posix)))]
pub use init::be_init;
#[cfg(any(not(target_os = "linux"), agon_posix))]
pub use own::be_init;
pub use own::{
    Affinity, List, end_of, end_with_parent, given_priority, is_being_written, own_program,
    processes_are_listed, resize_pipe, set_name, wake_soon,
};
pub(crate) use own::{
    adopt, close_all_on_exec, heed_reserved_signals, no_new_privileges, open_up, other_end, pipe,
    pseudo_terminal, start, step_down, unseal, with_variable,
};

/// Now, in nanoseconds, on a clock that all processes of the machine share and nobody sets.
pub fn shared_clock() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let [seconds, nanos] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    seconds * 1_000_000_000 + nanos
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn what_is_watched_is_named_until_it_is_deleted() {
        let (read, write) = pipe().unwrap();
        let mut list = List::new().unwrap();
        list.add(read.as_fd(), 7, false).unwrap();
        let wait = |list: &mut List| {
            list.wait(Duration::from_millis(20)).unwrap();
            list.happened().collect::<Vec<_>>()
        };
        assert_eq!(wait(&mut list), []);
        rustix::io::write(&write, b"x").unwrap();
        assert_eq!(wait(&mut list), [(7, false)]);
        list.delete(Some(read.as_fd()), 7).unwrap();
        assert_eq!(wait(&mut list), []);
        list.add(write.as_fd(), 8, true).unwrap();
        assert_eq!(wait(&mut list), [(8, false)]);
        drop(read);
        // A child that another test is starting has a copy of this end until it executes its
        // program.
        let until = Instant::now() + Duration::from_secs(10);
        while wait(&mut list) != [(8, true)] {
            assert!(Instant::now() < until, "nobody is at the other end");
        }
    }

    #[test]
    fn the_end_of_a_child_is_seen_once_it_has_ended() {
        let mut child =
            std::process::Command::new("/bin/cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let end = end_of(rustix::process::Pid::from_child(&child)).unwrap();
        let mut list = List::new().unwrap();
        list.add(end.as_fd(), 1, false).unwrap();
        list.wait(Duration::from_millis(20)).unwrap();
        assert_eq!(list.happened().count(), 0, "it runs");
        drop(child.stdin.take());
        let until = Instant::now() + Duration::from_secs(10);
        while list.happened().count() == 0 && Instant::now() < until {
            list.wait(Duration::from_millis(100)).unwrap();
        }
        assert_eq!(list.happened().count(), 1);
        assert!(child.wait().unwrap().success());
    }
}
