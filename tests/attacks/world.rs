//! The surroundings of a game: files, ports and sockets of others that an attack may reach, and the
//! state of the machine before and after.

use std::fs;
use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;

use crate::support::{Arena, numbers_in_proc};

/// The files that must not change, and the sockets that must not be reached.
pub(crate) struct World {
    tcp: TcpListener,
    udp: UdpSocket,
    by_name: UnixListener,
    by_path: UnixListener,
    /// Name, path and contents of each file.
    files: Vec<(&'static str, String, &'static str)>,
}

impl World {
    /// Creates it in the arena, beside engines `good` and `bad`.
    pub(crate) fn new(arena: &Arena) -> Self {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let name = SocketAddr::from_abstract_name(format!("listens-{}", arena.token)).unwrap();
        let by_name = UnixListener::bind_addr(&name).unwrap();
        let by_path = UnixListener::bind(arena.path("socket")).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        by_name.set_nonblocking(true).unwrap();
        by_path.set_nonblocking(true).unwrap();
        let file = |name, path: &str, text| {
            fs::write(arena.path(path), text).unwrap();
            (name, arena.text(path), text)
        };
        fs::create_dir(arena.path("results")).unwrap();
        // What an engine learns is no part of it: any other file that changes makes its games void.
        let files = vec![
            file("SECRET_FILE", "secret", "the answers\n"),
            file("OTHERS_FILE", "engines/good/notes", "how I play\n"),
            file("OTHERS_DOOMED", "engines/good/doomed", "how I play\n"),
            file("OWN_FILE", "engines/bad/notes", "as it was handed in\n"),
            file("OWN_DOOMED", "engines/bad/doomed", "as it was handed in\n"),
            file("RESULTS_FILE", "results/earlier.csv", "good,1\nbad,0\n"),
        ];
        fs::set_permissions(arena.path("secret"), fs::Permissions::from_mode(0o600)).unwrap();
        World { tcp, udp, by_name, by_path, files }
    }

    /// The environment variables that tell an attacker about it.
    pub(crate) fn variables(&self, arena: &Arena) -> Vec<(&'static str, String)> {
        let mut all = vec![
            ("TCP_PORT", self.tcp.local_addr().unwrap().port().to_string()),
            ("UDP_PORT", self.udp.local_addr().unwrap().port().to_string()),
            ("ABSTRACT_SOCKET", format!("listens-{}", arena.token)),
            ("SOCKET_FILE", arena.text("socket")),
            ("SETUID_PROGRAM", arena.text("engines/bad/raise")),
        ];
        all.extend(self.files.iter().map(|(name, path, _)| (*name, path.clone())));
        all
    }

    /// The harm done, in words.
    pub(crate) fn harm(&self) -> Vec<String> {
        let mut harm = Vec::new();
        for (name, path, text) in &self.files {
            if fs::read_to_string(path).ok().as_deref() != Some(*text) {
                harm.push(format!("{name} is not as it was"));
            }
        }
        if self.tcp.accept().is_ok() {
            harm.push("the port was reached".to_owned());
        }
        if self.udp.recv(&mut [0; 64]).is_ok() {
            harm.push("the UDP port was reached".to_owned());
        }
        for (what, listener) in [("abstract name", &self.by_name), ("path", &self.by_path)] {
            if let Ok((mut reached, _)) = listener.accept() {
                let mut said = String::new();
                let _ = reached.read_to_string(&mut said); // it has closed the connection by now
                harm.push(format!("the socket with the {what} was reached"));
            }
        }
        harm
    }
}

/// The resources of the machine that an engine might leave in use.
pub(crate) struct Machine {
    mounts: usize,
    groups: Vec<String>,
    stubs: Vec<i32>,
}

impl Machine {
    /// The present state.
    pub(crate) fn now() -> Self {
        let mut groups = Vec::new();
        ours_below(Path::new("/sys/fs/cgroup"), 4, &mut groups);
        let is_stub = |pid: &i32| {
            let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
            let stat = String::from_utf8_lossy(&stat); // a process may have any name
            // A zombie that the first process has adopted must be reaped by it.
            stat.contains(" (agon-stub) ") && !stat.contains(") Z 1 ") && !plays_elsewhere(*pid)
        };
        Machine {
            mounts: fs::read_to_string("/proc/self/mounts").unwrap().lines().count(),
            groups,
            stubs: numbers_in_proc().filter(is_stub).collect(),
        }
    }

    /// No mount, no control group and no process more than before, not even a zombie.
    #[track_caller]
    pub(crate) fn assert_nothing_is_left(&self) {
        let now = Machine::now();
        assert!(now.mounts <= self.mounts, "{} mounts, and {} before", now.mounts, self.mounts);
        let new = |groups: &Vec<String>| groups.iter().filter(|name| !self.groups.contains(name)).count();
        assert_eq!(new(&now.groups), 0, "control groups left: {:?}", now.groups);
        let left: Vec<_> = now.stubs.iter().filter(|pid| !self.stubs.contains(pid)).collect();
        assert!(left.is_empty(), "engines left, dead or alive: {left:?}");
    }
}

/// Whether a process belongs to a run of another test that goes on. Then there is a program among
/// its ancestors which is neither agon nor an ancestor of this test. What a run has left behind has
/// none.
fn plays_elsewhere(pid: i32) -> bool {
    let ours: Vec<i32> = ancestors(std::process::id().cast_signed()).collect();
    ancestors(pid)
        .find(|pid| ours.contains(pid) || !name_of(*pid).starts_with("agon"))
        .is_some_and(|pid| !ours.contains(&pid))
}

/// A process, its parent, and so on to the first process.
fn ancestors(pid: i32) -> impl Iterator<Item = i32> {
    std::iter::successors(Some(pid), |pid| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        parent.trim().parse().ok().filter(|pid| *pid > 0)
    })
}

fn name_of(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default()
}

/// The control groups that agon has made.
fn ours_below(folder: &Path, depth: u32, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        if entry.file_name().to_string_lossy().contains("agon") {
            found.push(entry.path().display().to_string());
        }
        if depth > 0 {
            ours_below(&entry.path(), depth - 1, found);
        }
    }
}
