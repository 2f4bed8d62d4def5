//! The cores of games: one for each game, except for engines with several threads.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::thread::{available_parallelism, sleep};
use std::time::{Duration, Instant};

use support::{AGON, Arena, children_of, not_tried};

/// The cores that each process with this name below `pid` may use, as the system lists them.
fn cores_of(pid: u32, mode: &str) -> Vec<String> {
    let mut found = Vec::new();
    for child in children_of(pid) {
        let child = child.unsigned_abs();
        let words = fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
        let status = fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
        let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        if let Some(cores) =
            cores.filter(|_| String::from_utf8_lossy(&words).split('\0').any(|word| word == mode))
        {
            found.push(cores.trim().to_owned());
        }
        found.extend(cores_of(child, mode));
    }
    found
}

/// Waits until the engine in this mode may use such cores.
fn comes_to(pid: u32, mode: &str, wanted: impl Fn(&str) -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(10);
    while Instant::now() < until {
        if cores_of(pid, mode).iter().any(|cores| wanted(cores)) {
            return true;
        }
        sleep(Duration::from_millis(5));
    }
    false
}

fn plays(level: &str, pin: &str, check: impl FnOnce(u32)) {
    let arena = Arena::new();
    arena.stub("calm", "last-moment --word --ms 300");
    arena.stub("many", "threads --word --ms 300");
    let mut run = Command::new(AGON)
        .args(["match", &arena.text("engines/calm"), &arena.text("engines/many"), "--games", "20"])
        .args(["--game", "letters:4x4x3", "--st", "5", "--quiet", "--isolation", level, "--pin", pin])
        .env("TMPDIR", arena.path("tmp"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    check(run.id());
    let _ =
        rustix::process::kill_process(rustix::process::Pid::from_child(&run), rustix::process::Signal::TERM);
    run.wait().unwrap();
}

#[test]
fn an_engine_of_one_thread_keeps_to_one_core_and_one_of_many_goes_where_it_likes() {
    if available_parallelism().unwrap().get() < 2 {
        return not_tried!("this machine has a single core");
    }
    let all = cores_of_this();
    for level in ["none", "limits"] {
        plays(level, "auto", |run| {
            assert!(comes_to(run, "last-moment", |cores| cores.parse::<usize>().is_ok()), "{level}");
            assert!(comes_to(run, "threads", |cores| cores == all), "{level}");
        });
    }
}

#[test]
fn nobody_is_pinned_who_is_not_to_be_and_cores_that_are_listed_are_kept_to() {
    if available_parallelism().unwrap().get() < 2 {
        return not_tried!("this machine has a single core");
    }
    let all = cores_of_this();
    plays("none", "off", |run| {
        assert!(comes_to(run, "last-moment", |cores| cores == all));
        sleep(Duration::from_secs(1));
        assert!(cores_of(run, "last-moment").iter().all(|cores| *cores == all));
    });
    let first = all.split(['-', ',']).next().unwrap();
    plays("none", first, |run| {
        assert!(comes_to(run, "threads", |cores| cores == first));
        assert!(
            cores_of(run, "threads").iter().chain(&cores_of(run, "last-moment")).all(|cores| cores == first)
        );
    });
}

fn cores_of_this() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim().to_owned()
}
