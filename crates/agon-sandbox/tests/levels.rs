//! The levels, tried from outside. A program is started at each that is available here. It is
//! limited, frozen, and killed with all that it has started. A level that is not available is
//! refused.
//!
//! It has a `main` of its own, because boxes are built by the program that asks for them, started
//! again. It takes the words of a filter, and prints what the usual one prints.

#![allow(clippy::unwrap_used)] // helpers of tests may panic

use std::ffi::CString;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use agon_sandbox::spawn::{self, Child, NotStarted};
use agon_sandbox::{
    CheckOutcome, Isolation, LimitHit, OWN, Request, ResourceLimits, Warden, available, breaches,
    goes_without, in_force, orphans, self_test, start,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process};

/// How long anything here may take.
const BOUND: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    agon_sandbox::become_helper();
    // An orphan becomes a child of this thread. Programs are started by others, as in a harness.
    orphans::adopt();
    let filter = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let all: [(&str, fn()); 13] = [
        (
            "a_program_runs_at_every_level_and_its_end_is_seen",
            a_program_runs_at_every_level_and_its_end_is_seen,
        ),
        (
            "a_program_that_is_not_there_is_its_authors_fault",
            a_program_that_is_not_there_is_its_authors_fault,
        ),
        ("a_program_gets_the_limits_of_its_level", a_program_gets_the_limits_of_its_level),
        ("what_a_program_leaves_behind_is_killed", what_a_program_leaves_behind_is_killed),
        ("a_box_ends_with_all_that_is_in_it", a_box_ends_with_all_that_is_in_it),
        ("a_box_that_cannot_be_built_leaves_no_process", a_box_that_cannot_be_built_leaves_no_process),
        ("who_is_frozen_uses_no_time_and_goes_on", who_is_frozen_uses_no_time_and_goes_on),
        ("the_kernel_names_the_limit_at_strict", the_kernel_names_the_limit_at_strict),
        ("a_level_is_refused_or_its_guards_hold", a_level_is_refused_or_its_guards_hold),
        ("the_self_test_leaves_no_process", the_self_test_leaves_no_process),
        (
            "a_place_that_is_shown_is_read_only_and_nobody_is_behind_its_sockets",
            a_place_that_is_shown_is_read_only_and_nobody_is_behind_its_sockets,
        ),
        ("nobody_is_behind_a_socket_of_the_system", nobody_is_behind_a_socket_of_the_system),
        ("a_level_says_what_is_in_force", a_level_says_what_is_in_force),
    ];
    let here: Vec<Isolation> = levels().collect();
    for level in Isolation::ALL.iter().filter(|level| !here.contains(level)) {
        println!("NOT TRIED: {level}, which is not available here");
    }
    let (mut passed, mut failed) = (0, 0);
    for (name, test) in all {
        if filter.as_ref().is_some_and(|filter| !name.contains(filter.as_str())) {
            continue;
        }
        let is_well = std::thread::spawn(move || catch_unwind(test)).join().is_ok_and(|done| done.is_ok());
        println!("test {name} ... {}", if is_well { "ok" } else { "FAILED" });
        *if is_well { &mut passed } else { &mut failed } += 1;
    }
    let filtered = all.len() - passed - failed;
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {word}. {passed} passed; {failed} failed; 0 ignored; 0 measured; {filtered} filtered out"
    );
    ExitCode::from(u8::from(failed > 0))
}

/// The levels that are available here.
fn levels() -> impl Iterator<Item = Isolation> {
    let place = tempfile::tempdir().unwrap();
    let is_available =
        move |level: &Isolation| available(*level, ResourceLimits::default(), place.path()).is_ok();
    Isolation::ALL.into_iter().filter(is_available)
}

/// A program that runs.
struct Running {
    child: Child,
    warden: Option<Warden>,
    mark: String,
    _place: tempfile::TempDir,
}

fn c_string(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap()
}

fn try_start(level: Isolation, limits: ResourceLimits, words: &[&str]) -> Result<Running, NotStarted> {
    try_start_with(level, limits, words, &[])
}

/// The same with places that a box shows.
fn try_start_with(
    level: Isolation,
    limits: ResourceLimits,
    words: &[&str],
    shown: &[CString],
) -> Result<Running, NotStarted> {
    let place = tempfile::tempdir().unwrap();
    let mark = orphans::new_mark();
    orphans::enter(&mark);
    let own = c_string(place.path());
    let words: Vec<CString> = words.iter().map(|word| CString::new(*word).unwrap()).collect();
    let environment = [format!("{}={mark}", orphans::MARK), "PATH=/usr/bin:/bin".to_owned()]
        .map(|one| CString::new(one).unwrap());
    let request = Request {
        program: &words[0],
        arguments: &words,
        environment: &environment,
        directory: &if level.is_boxed() { CString::new(OWN).unwrap() } else { own.clone() },
        files: &own,
        shown,
        level,
        limits,
        freezes: true,
        pinned: false,
    };
    let (child, warden) = start(&request, spawn::pipes().unwrap())?;
    Ok(Running { child, warden, mark, _place: place })
}

fn shell(level: Isolation, limits: ResourceLimits, script: &str) -> Running {
    let started = try_start(level, limits, &["/bin/sh", "-c", script]);
    started.unwrap_or_else(|error| match error {
        NotStarted::Program(error) | NotStarted::Directory(error) | NotStarted::Ours(error) => {
            panic!("{level}: {error}")
        }
    })
}

impl Running {
    /// Waits until it has ended by itself. Returns how, and all that it wrote.
    fn end(mut self) -> (ExitStatus, String) {
        assert!(self.has_ended(BOUND), "it goes on");
        let said = self.said();
        (self.reap(), said)
    }

    fn has_ended(&self, within: Duration) -> bool {
        let within =
            Timespec { tv_sec: within.as_secs().cast_signed(), tv_nsec: within.subsec_nanos().into() };
        poll(&mut [PollFd::new(&self.child.end, PollFlags::IN)], Some(&within)).unwrap() > 0
    }

    /// What it has written, so far.
    fn said(&mut self) -> String {
        let mut said = Vec::new();
        let mut stdout = std::fs::File::from(self.child.stdout.try_clone().unwrap());
        let _ = stdout.read_to_end(&mut said); // it does not block: what is not there yet is not read
        String::from_utf8(said).unwrap()
    }

    /// Waits until it has written a line.
    fn line(&mut self) -> String {
        let (until, mut said) = (Instant::now() + BOUND, String::new());
        while !said.ends_with('\n') && Instant::now() < until {
            said += &self.said();
            sleep(Duration::from_millis(2));
        }
        said.trim_end().to_owned()
    }

    /// Kills it, and gives how it ended.
    fn kill(self) -> ExitStatus {
        kill_process_group(self.child.pid, Signal::KILL).unwrap();
        assert!(self.has_ended(BOUND), "it was killed and goes on");
        self.reap()
    }

    fn reap(&self) -> ExitStatus {
        let (status, _) = spawn::reap(self.child.pid).unwrap().unwrap();
        orphans::sweep(&[&self.mark]);
        status
    }
}

/// Whether a process is gone before long.
fn goes(pid: Pid) -> bool {
    let until = Instant::now() + BOUND;
    while test_kill_process(pid).is_ok() && Instant::now() < until {
        sleep(Duration::from_millis(2));
    }
    test_kill_process(pid).is_err()
}

/// The processes whose parent this one is and that it has not reaped.
fn children() -> usize {
    let listed = std::process::Command::new("ps").args(["-A", "-o", "ppid="]).output().unwrap();
    let own = std::process::id().to_string();
    let parents = String::from_utf8_lossy(&listed.stdout).into_owned();
    parents.lines().filter(|parent| parent.trim() == own).count() - 1 // `ps` itself
}

fn a_program_runs_at_every_level_and_its_end_is_seen() {
    for level in levels() {
        let (status, said) = shell(level, ResourceLimits::default(), "pwd; exit 7").end();
        assert_eq!(status.code(), Some(7), "{level}");
        assert_eq!(said.trim_end() == OWN, level.is_boxed(), "{level}: {said}");
        let (status, _) = shell(level, ResourceLimits::default(), "kill -TERM $$").end();
        assert_eq!(status.signal(), Some(15), "{level}");
    }
}

fn a_program_that_is_not_there_is_its_authors_fault() {
    for level in levels() {
        let started = try_start(level, ResourceLimits::default(), &["/bin/no-such-program"]);
        assert!(matches!(started, Err(NotStarted::Program(_))), "{level}");
    }
}

fn a_program_gets_the_limits_of_its_level() {
    let limits = ResourceLimits { memory: 128 << 20, disk: 8 << 20, processes: 16 };
    for level in levels() {
        let (_, said) = shell(level, limits, "ulimit -c; ulimit -n; ulimit -f; ulimit -d").end();
        // Blocks of 512 bytes, and kilobytes.
        let limited = said.split_whitespace().eq(["0", "1024", "16384", "262144"]);
        assert_eq!(limited, level >= Isolation::Limits, "{level}: {said}");
    }
}

fn what_a_program_leaves_behind_is_killed() {
    for level in levels().filter(|level| !level.is_boxed()) {
        // One stays in the process group, and one leaves it and its parent.
        let mut running = shell(
            level,
            ResourceLimits::default(),
            "sleep 60 & setsid sh -c 'echo $$; exec sleep 60' >&1 & wait",
        );
        let daemon: i32 = running.line().parse().unwrap();
        let daemon = Pid::from_raw(daemon).unwrap();
        assert!(test_kill_process(daemon).is_ok());
        running.kill();
        assert!(goes(daemon), "{level}: it has outlived its program");
    }
}

fn a_box_ends_with_all_that_is_in_it() {
    for level in levels().filter(|level| level.is_boxed()) {
        let before = running_sleeps();
        let sleep_so = one_of_these_sleeps();
        let script = format!("setsid {sleep_so} & {sleep_so} & echo up; exec {sleep_so}");
        let mut running = shell(level, ResourceLimits::default(), &script);
        assert_eq!(running.line(), "up", "{level}");
        let until = Instant::now() + BOUND;
        while running_sleeps() < before + 3 && Instant::now() < until {
            sleep(Duration::from_millis(5));
        }
        assert_eq!(running_sleeps(), before + 3, "{level}");
        assert_eq!(running.kill().signal(), Some(9), "{level}");
        let until = Instant::now() + BOUND;
        while running_sleeps() > before && Instant::now() < until {
            sleep(Duration::from_millis(5));
        }
        assert_eq!(running_sleeps(), before, "{level}");
    }
}

/// A command that no other run of this test has on this machine.
fn one_of_these_sleeps() -> String {
    format!("sleep 61.{}", std::process::id())
}

fn running_sleeps() -> usize {
    let listed = std::process::Command::new("ps").args(["-A", "-o", "args="]).output().unwrap();
    let ours = one_of_these_sleeps();
    String::from_utf8_lossy(&listed.stdout).lines().filter(|line| line.trim() == ours).count()
}

fn a_box_that_cannot_be_built_leaves_no_process() {
    for level in levels().filter(|level| level.is_boxed()) {
        let before = children();
        let own = CString::new("/no/such/directory").unwrap();
        let request = Request {
            program: c"/bin/true",
            arguments: &[c"true".to_owned()],
            environment: &[],
            directory: c"/",
            files: &own,
            shown: &[],
            level,
            limits: ResourceLimits::default(),
            freezes: true,
            pinned: false,
        };
        match start(&request, spawn::pipes().unwrap()) {
            Err(NotStarted::Ours(error)) => {
                assert!(error.to_string().contains("directory"), "{level}: {error}");
            }
            _ => panic!("{level}: it was built"),
        }
        assert_eq!(children(), before, "{level}");
    }
}

fn who_is_frozen_uses_no_time_and_goes_on() {
    for level in levels().filter(|level| level.is_boxed()) {
        let mut running = shell(level, ResourceLimits::default(), "while :; do echo tick; sleep 0.01; done");
        assert!(running.line().starts_with("tick"));
        let warden = running.warden.as_mut().unwrap();
        warden.freeze();
        // It ticks every ten milliseconds. A busy machine stops it after some more ticks.
        let until = Instant::now() + BOUND;
        let mut is_silent = false;
        while !is_silent && Instant::now() < until {
            running.said();
            sleep(Duration::from_millis(500));
            is_silent = running.said().is_empty();
        }
        assert!(is_silent, "{level}: it went on");
        assert!(running.warden.as_mut().unwrap().thaw());
        assert!(running.line().starts_with("tick"), "{level}");
        running.kill();
    }
}

fn the_kernel_names_the_limit_at_strict() {
    for level in levels().filter(|level| *level == Isolation::Strict) {
        let limits = ResourceLimits { processes: 4, ..ResourceLimits::default() };
        let many = "for i in 1 2 3 4 5 6 7 8; do sleep 2 & done; echo made; sleep 60";
        let running = shell(level, limits, many);
        let until = Instant::now() + BOUND;
        let hit = |running: &Running| running.warden.as_ref().unwrap().limit_hit();
        while hit(&running).is_none() && Instant::now() < until {
            sleep(Duration::from_millis(5));
        }
        assert_eq!(hit(&running), Some(LimitHit::Processes));
        let _ = kill_process(running.child.pid, Signal::KILL); // the shell may have given up
        running.has_ended(BOUND);
        running.reap();
    }
}

fn a_level_is_refused_or_its_guards_hold() {
    let place = tempfile::tempdir().unwrap();
    for level in Isolation::ALL {
        if let Err(error) = available(level, ResourceLimits::default(), place.path()) {
            assert!(error.to_string().contains(&level.to_string()) && !error.remedy.is_empty(), "{error}");
            assert!(level > Isolation::None);
            continue;
        }
        let rows = self_test(Some(level), place.path()).unwrap();
        for row in &rows {
            assert_ne!(row.outcome(), CheckOutcome::Fails, "{level}: {row:?}");
            assert!(row.level > Isolation::None, "{row:?}");
        }
    }
    let boxes = cfg!(all(target_os = "linux", not(agon_posix)));
    let refused = |level| available(level, ResourceLimits::default(), place.path()).is_err();
    assert!(boxes || (refused(Isolation::Sandbox) && refused(Isolation::Strict)));
    assert!(!refused(Isolation::None) && !refused(Isolation::Limits));
}

fn the_self_test_leaves_no_process() {
    let place = tempfile::tempdir().unwrap();
    for level in levels() {
        let before = children();
        assert_eq!(breaches(level, place.path()).unwrap(), [], "{level}");
        assert_eq!(children(), before, "{level}");
        self_test(Some(level), place.path()).unwrap();
        assert_eq!(children(), before, "{level}");
    }
}

fn a_level_says_what_is_in_force() {
    let [none, limits] = [Isolation::None, Isolation::Limits].map(|level| in_force(level, true));
    assert!(none.contains(&"process group") && !none.contains(&"rlimits"), "{none:?}");
    assert!(limits.contains(&"rlimits"), "{limits:?}");
    assert_eq!(goes_without(Isolation::None), None);
    let boxes = cfg!(all(target_os = "linux", not(agon_posix)));
    assert_eq!(goes_without(Isolation::Limits).is_none(), boxes);
    assert_eq!(in_force(Isolation::Sandbox, true).contains(&"seccomp"), boxes);
}

/// A shell that tells of each mount but its own tmpfs whether it can be written to, and tries to
/// write to a folder and to reach two sockets in it.
const REACH: &str = r#"
import os, socket, sys
place = sys.argv[1]
def told(name, act):
    try: act(); print(name, "worked")
    except OSError as error: print(name, "failed")
told("write", lambda: open(place + "/new", "w"))
told("read", lambda: open(place + "/file").read())
told("connect", lambda: socket.socket(socket.AF_UNIX).connect(place + "/stream"))
told("send", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", place + "/messages"))
def own():
    # What runtimes do among their own processes.
    server = socket.socket(socket.AF_UNIX); server.bind("own"); server.listen()
    socket.socket(socket.AF_UNIX).connect("own")
told("own", own)
for line in open("/proc/self/mountinfo"):
    words = line.split()
    kind = words[words.index("-") + 1]
    if "rw" in words[5].split(",") and not (kind == "tmpfs" and words[4] == "/tmp") and kind != "proc":
        print("writable", words[4])
"#;

fn a_place_that_is_shown_is_read_only_and_nobody_is_behind_its_sockets() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::{UnixDatagram, UnixListener};
    let place = tempfile::tempdir_in("/tmp").unwrap();
    let at = |name: &str| place.path().join(name);
    std::fs::write(at("file"), "text").unwrap();
    let _stream = UnixListener::bind(at("stream")).unwrap();
    let _messages = UnixDatagram::bind(at("messages")).unwrap();
    for name in ["", "file", "stream", "messages"] {
        std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o777)).unwrap();
    }
    if !Path::new("/usr/bin/python3").exists() {
        println!("NOT TRIED: there is no /usr/bin/python3");
        return;
    }
    let words = ["/usr/bin/python3", "-c", REACH, place.path().to_str().unwrap()];
    for level in levels() {
        let shown = [c_string(place.path())];
        let running = try_start_with(level, ResourceLimits::default(), &words, &shown).map_err(|_| level);
        let (_, said) = running.unwrap().end();
        let _ = std::fs::remove_file(at("new")); // one that could be written
        assert!(said.contains("read worked"), "{level}: {said}");
        if said.contains("own failed") {
            // Nor does anybody reach a socket of others, then: they are not veiled but denied.
            assert!(level.is_boxed(), "{level}: {said}");
            println!("NOT TRIED: connections within a box at {level}; there are no overlays here");
        }
        // The control: without a box all of it works.
        let word = if level.is_boxed() { "failed" } else { "worked" };
        for what in ["write", "connect", "send"] {
            assert!(said.contains(&format!("{what} {word}")), "{level}: {said}");
        }
        assert_eq!(said.contains("writable"), !level.is_boxed(), "{level}: {said}");
    }
    // What would hide the box's own is refused, even if the organiser asks for it.
    for place in ["/", "/tmp", "/dev", "/proc/self", "/etc"] {
        for level in levels().filter(|level| level.is_boxed()) {
            let shown = [c_string(Path::new(place))];
            let started = try_start_with(level, ResourceLimits::default(), &["/bin/true"], &shown);
            assert!(matches!(started, Err(NotStarted::Ours(_))), "{place}");
        }
    }
}

/// The variable with the socket that a copy of this test is to reach for.
const SOCKET_OF_SYSTEM: &str = "AGON_TEST_SOCKET";

/// What a program says of a socket that it connects to.
const CONNECT: &str = "
import socket, sys
for path in sys.argv[1:]:
    try:
        socket.socket(socket.AF_UNIX).connect(path)
        print(path, 'connected')
    except OSError as error:
        print(path, 'refused', error)
";

/// Sockets in `/usr` and in a mount below it. The test has a `/usr` of its own for that, in a mount
/// namespace: nobody else sees them.
fn nobody_is_behind_a_socket_of_the_system() {
    use std::os::unix::net::UnixListener;
    if std::env::var_os(SOCKET_OF_SYSTEM).is_none() {
        if !rustix::process::geteuid().is_root() {
            println!("NOT TRIED: only root can have a /usr of its own and boxes in it");
            return;
        }
        let place = tempfile::tempdir_in("/tmp").unwrap();
        let own = std::env::current_exe().unwrap();
        let script = format!(
            "mkdir upper work && mount -t overlay own -o lowerdir=/usr,upperdir=upper,workdir=work /usr && \
             mount -t tmpfs below /usr/share && {SOCKET_OF_SYSTEM}=1 exec {own:?} nobody_is_behind_a_socket_of_the"
        );
        let mut unshare = std::process::Command::new("unshare");
        let unshared = unshare.args(["--mount", "sh", "-c"]);
        let Ok(done) = unshared.arg(script).current_dir(place.path()).output() else { return };
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        let said = said + &String::from_utf8_lossy(&done.stderr);
        // An overlay of an overlay is the most that kernels have.
        match done.status.code() {
            Some(0) => {}
            Some(1) if said.contains("FAILED") => panic!("{said}"),
            _ => println!("NOT TRIED: there is no /usr of one's own here: {said}"),
        }
        return;
    }
    let sockets = ["/usr/socket", "/usr/share/socket"];
    let _listening = sockets.map(|path| {
        let listener = UnixListener::bind(path).unwrap();
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        listener
    });
    std::fs::write("/usr/share/file", "text").unwrap();
    let words = ["/usr/bin/python3", "-c", CONNECT, sockets[0], sockets[1]];
    for level in levels() {
        let (_, said) = try_start(level, ResourceLimits::default(), &words).map_err(|_| level).unwrap().end();
        // The control: without a box both are reached.
        let word = if level.is_boxed() { "refused" } else { "connected" };
        for path in sockets {
            assert!(said.contains(&format!("{path} {word}")), "{level}: {said}");
        }
        let read = ["/bin/cat", "/usr/share/file"];
        let (_, said) = try_start(level, ResourceLimits::default(), &read).map_err(|_| level).unwrap().end();
        assert!(said.contains("text"), "a mount below is shown at {level}: {said}");
        println!("{level}: tried");
    }
}
