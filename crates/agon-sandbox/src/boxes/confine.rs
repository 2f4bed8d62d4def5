//! Confines this process itself, for good: for a server that only reads.

use std::path::Path;

use landlock::{
    Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope,
};

use super::{filter, landlock as line};

/// What it reads besides: the time zone, and what names the system's memory.
const READ: [&str; 4] = ["/etc/localtime", "/usr/share/zoneinfo", "/proc", "/dev"];

/// Denies the calling thread all files except those in `places` and, for reading only, in
/// `readable`. Denies it connections, new sockets and the start of programs. Its later threads and
/// processes inherit this; threads that run already keep their rights. In `places` files may be
/// read and written, because a reader of an SQLite database writes the index of its log.
///
/// Returns what keeps it: `landlock`, `seccomp`. A kernel without Landlock leaves it out.
///
/// # Errors
/// A guard that the kernel has cannot be put up.
pub fn confine(places: &[&Path], readable: &[&Path]) -> Result<Vec<&'static str>, String> {
    let mut guards = Vec::new();
    let walled = wall(places, readable).map_err(|error| format!("landlock: {error}"))?;
    if walled {
        guards.push("landlock");
    }
    let program = filter::of_a_reader();
    seccompiler::apply_filter(&program).map_err(|error| format!("seccomp: {error}"))?;
    guards.push("seccomp");
    Ok(guards)
}

/// Whether the kernel has Landlock, and it is in force.
fn wall(places: &[&Path], readable: &[&Path]) -> Result<bool, landlock::RulesetError> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(line::RIGHTS))?
        .handle_access(AccessNet::from_all(line::RIGHTS))?
        .scope(Scope::from_all(line::RIGHTS))?
        .create()?;
    let own = AccessFs::from_all(line::RIGHTS) & !AccessFs::Execute & !AccessFs::MakeSym;
    let read = READ.iter().map(Path::new).chain(readable.iter().copied());
    let read = read.map(|path| (path, AccessFs::ReadFile | AccessFs::ReadDir));
    for (path, rights) in places.iter().map(|path| (*path, own)).chain(read) {
        let Ok(place) = PathFd::new(path) else { continue }; // what is not there needs no leave
        let rights = if path.is_dir() { rights } else { rights & AccessFs::from_file(line::RIGHTS) };
        rules = rules.add_rule(PathBeneath::new(place, rights))?;
    }
    Ok(rules.restrict_self()?.ruleset != RulesetStatus::NotEnforced)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;

    use super::*;

    #[test]
    fn a_confined_thread_reads_its_place_alone_and_starts_nothing() {
        let home = tempfile::tempdir().unwrap();
        let [own, read, other] = ["own", "read", "other"].map(|name| home.path().join(name));
        for place in [&own, &read, &other] {
            fs::create_dir(place).unwrap();
            fs::write(place.join("file"), "x").unwrap();
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        // The guards stay for the rest of the thread.
        let confined = std::thread::spawn(move || {
            let guards = confine(&[&own], &[&read]).unwrap();
            assert!(fs::read(own.join("file")).is_ok() && fs::write(own.join("new"), "y").is_ok());
            assert!(fs::read(read.join("file")).is_ok() && fs::read_dir(&read).is_ok());
            assert!(Command::new("/bin/true").status().is_err());
            assert!(TcpStream::connect(address).is_err() && TcpListener::bind("127.0.0.1:0").is_err());
            if guards.contains(&"landlock") {
                assert!(
                    fs::write(read.join("file"), "y").is_err() && fs::write(read.join("new"), "y").is_err()
                );
                assert!(fs::read(other.join("file")).is_err() && fs::write(other.join("new"), "y").is_err());
                assert!(fs::read_dir(&other).is_err() && fs::read("/etc/passwd").is_err());
            }
            // What comes by a socket that it has is answered.
            assert!(listener.accept().is_ok());
        });
        drop(TcpStream::connect(address).unwrap());
        confined.join().unwrap();
        assert!(Command::new("/bin/true").status().is_ok(), "other threads keep their rights");
    }
}
