//! Places of the machine, as a box sees them: which are the system's, which a box has of its own,
//! and what belongs to a program's installation.
//!
//! None of these looks into a file but [`admits`], which shows nothing.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// Where the system's own programs lie, which every box shows.
pub(crate) const SYSTEM: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/gnu"];
/// The directory in which a program is started in a box.
pub(crate) const BOX: &str = "/tmp/box";
/// What a box has of its own, at its own place.
const OWN: [&str; 4] = [BOX, "/proc", "/dev", "/etc"];
/// What belongs to a program's installation, beside the directory that the program lies in.
const INSTALLED: [&str; 9] =
    ["bin", "lib", "lib64", "libexec", "shims", "versions", "version", "conf", "pyvenv.cfg"];

/// Whether a path belongs to the system, which every box shows.
pub fn is_of_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// Why a box cannot show a path: it would hide what the box has of its own, or is no file at all.
/// `None` if it can.
pub fn why_not_shown(path: &Path) -> Option<&'static str> {
    if !path.is_absolute() {
        return Some("is no absolute path");
    }
    if OWN.iter().any(|own| Path::new(own).starts_with(path)) || path.starts_with(BOX) {
        return Some("would hide what the box has of its own");
    }
    // Both are of the kernel, and a link in the box leads from one elsewhere.
    ["/proc", "/dev", "/sys"].iter().any(|place| path.starts_with(place)).then_some("is of the kernel")
}

/// What belongs to the installation of a program that the user's `PATH` has found, besides the
/// system: for `/opt/x/bin/python`, the usual parts of an installation in `/opt/x`. For a program
/// that lies alone, or in a home directory, it is the program. If it is a link, the same of where
/// that leads.
pub fn installation(program: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    for path in [program, &real] {
        for part in parts(path) {
            if !is_of_system(&part) && !all.iter().any(|other| part.starts_with(other)) {
                all.push(part);
            }
        }
    }
    all.retain(|path| path.exists() && why_not_shown(path).is_none());
    all
}

fn parts(program: &Path) -> Vec<PathBuf> {
    let mut up = program.ancestors().skip(1);
    let (Some(place), Some(prefix)) = (up.next(), up.next()) else { return vec![program.to_owned()] };
    let usual = place.file_name().is_some_and(|name| name == "bin" || name == "shims");
    let is_home = std::env::var_os("HOME").is_some_and(|home| Path::new(&home).starts_with(prefix));
    if !usual || is_home {
        return vec![program.to_owned()];
    }
    INSTALLED.iter().map(|name| prefix.join(name)).filter(|path| path.exists()).collect()
}

/// Whether a box can show a program so that it runs.
///
/// # Errors
/// The path that others may not use: run by root, a program in a box becomes a user who has no more
/// rights than others.
pub fn admits(source: &Path, program: &Path) -> Result<(), PathBuf> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let top = if source.is_dir() { source } else { program };
    for path in program.ancestors().take_while(|path| path.starts_with(top)) {
        let Ok(about) = fs::metadata(path) else { continue };
        let needed = match first_bytes(path) {
            // Another program reads it, and does not care whether it is executable.
            Some(head) if head.starts_with(b"MZ") => 0o4,
            Some(head) if !head.starts_with(b"#!") => 0o1,
            Some(_) | None => 0o5,
        };
        if about.permissions().mode() & needed != needed {
            return Err(path.to_owned());
        }
    }
    Ok(())
}

/// Finds a program by its name in `PATH`, as a shell would.
pub fn find_in_path(name: &Path) -> Option<PathBuf> {
    in_path(name, std::env::var_os("PATH").unwrap_or_default().as_os_str()).next()
}

/// All programs of a name in `PATH`, in its order.
pub fn all_in_path(name: &Path) -> Vec<PathBuf> {
    in_path(name, std::env::var_os("PATH").unwrap_or_default().as_os_str()).collect()
}

fn in_path(name: &Path, path: &OsStr) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(path)
        .map(move |directory| directory.join(name))
        .filter(|file| file.is_file() && access(file, Access::EXEC_OK).is_ok())
}

/// The first bytes of a file; nothing of a directory.
fn first_bytes(program: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    // A FIFO would keep us waiting.
    if !fs::metadata(program).ok()?.is_file() {
        return None;
    }
    fs::File::open(program).ok()?.take(256).read_to_end(&mut head).ok()?;
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_program_alone_is_its_own_installation_and_one_of_the_system_needs_none() {
        let dir = tempfile::tempdir().unwrap();
        script(&dir.path().join("mine"), "#!/bin/sh\n");
        script(&dir.path().join("theirs"), "#!/bin/sh\n");
        assert_eq!(installation(&dir.path().join("mine")), [dir.path().join("mine")]);
        assert!(installation(Path::new("/bin/sh")).is_empty());
    }

    #[test]
    fn an_installation_is_its_usual_parts_and_what_its_first_line_names_is_none_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        script(&home.join("bin/python"), "#!/usr/bin/env -S -u /home /bin/sh\n");
        script(&home.join("lib/os.py"), "");
        script(&home.join("diary"), "");
        assert_eq!(installation(&home.join("bin/python")), [home.join("bin"), home.join("lib")]);
    }

    #[test]
    fn a_box_shows_nothing_that_hides_what_is_its_own() {
        for path in [
            "/",
            "/tmp",
            "/tmp/box",
            "/tmp/box/x",
            "/proc",
            "/proc/1",
            "/dev/shm/x",
            "/dev",
            "/etc",
            "/sys",
            "x",
        ] {
            assert!(why_not_shown(Path::new(path)).is_some(), "{path}");
        }
        for path in ["/tmp/x", "/home", "/opt/x", "/run/x", "/etc/x.conf", "/boxes"] {
            assert_eq!(why_not_shown(Path::new(path)), None, "{path}");
        }
    }
}
