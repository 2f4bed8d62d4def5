//! What a program's box shows besides the system: its own file or folder, and an interpreter that
//! lies elsewhere.

use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// Where the system's own programs lie, which every box shows.
const SYSTEM: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/gnu"];
/// What belongs to a program's installation, beside the directory that the program lies in.
const INSTALLED: [&str; 8] = ["bin", "lib", "lib64", "libexec", "shims", "versions", "version", "pyvenv.cfg"];
/// How many interpreters of interpreters and links of links are followed.
const STEPS: usize = 16;

/// The files and directories that the box of a program shows, each at its own place. `source` is
/// the folder that it was handed in as, or the program itself.
///
/// A lone executable is shown alone: beside it lie the others.
pub fn visible_paths(source: &Path, program: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    add(&mut all, source);
    add(&mut all, &source.canonicalize().unwrap_or_else(|_| source.to_owned()));
    let mut all = needed(program.to_owned(), all);
    // Taken away while the run goes on, which no program in a box can do: the builder of the box is
    // to miss it.
    if !source.exists() {
        all.push(source.to_owned());
    }
    all
}

/// What a program needs besides the system to run: nothing if it belongs to the system.
pub fn needed_by(program: &Path) -> Vec<PathBuf> {
    needed(program.to_owned(), Vec::new())
}

/// Adds the paths that a program needs to the visible ones.
fn needed(mut program: PathBuf, mut all: Vec<PathBuf>) -> Vec<PathBuf> {
    for _ in 0..STEPS {
        let real = program.canonicalize().unwrap_or_else(|_| program.clone());
        for path in [&program, &real] {
            if !within(path, &all) {
                installation(path).iter().for_each(|part| add(&mut all, part));
            }
        }
        match interpreter(&program) {
            Some(next) if next != program => program = next,
            _ => break,
        }
    }
    all.retain(|path| path.exists());
    all
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
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|file| file.is_file() && access(file, Access::EXEC_OK).is_ok())
}

fn within(path: &Path, shown: &[PathBuf]) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system)) || shown.iter().any(|other| path.starts_with(other))
}

fn add(all: &mut Vec<PathBuf>, path: &Path) {
    if !within(path, all) {
        all.push(path.to_owned());
    }
}

/// The parts of an installation that a program belongs to. For `/opt/x/bin/python`, they are the
/// usual parts of an installation in `/opt/x`. For a program that lies alone, it is the program.
fn installation(program: &Path) -> Vec<PathBuf> {
    let mut up = program.ancestors().skip(1);
    let (Some(place), Some(prefix)) = (up.next(), up.next()) else { return vec![program.to_owned()] };
    let usual = place.file_name().is_some_and(|name| name == "bin" || name == "shims");
    if !usual || prefix == Path::new("/") {
        return vec![program.to_owned()];
    }
    INSTALLED.iter().map(|name| prefix.join(name)).filter(|path| path.exists()).collect()
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

fn first_line(program: &Path) -> Option<Vec<u8>> {
    let head = first_bytes(program)?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(line.to_vec())
}

/// The program that a script's first line names, as `env` finds it.
fn interpreter(program: &Path) -> Option<PathBuf> {
    let line = first_line(program)?;
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let path = |word: &[u8]| PathBuf::from(std::ffi::OsStr::from_bytes(word));
    let first = path(words.next()?);
    if first.file_name().is_some_and(|name| name == "env") {
        let named = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))?;
        let named = path(named);
        return if named.as_os_str().as_bytes().contains(&b'/') { Some(named) } else { find_in_path(&named) };
    }
    Some(first)
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
    fn a_lone_executable_is_shown_without_what_lies_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        script(&dir.path().join("mine"), "#!/bin/sh\n");
        script(&dir.path().join("theirs"), "#!/bin/sh\n");
        let shown = visible_paths(&dir.path().join("mine"), &dir.path().join("mine"));
        assert_eq!(shown, [dir.path().join("mine")]);
    }

    #[test]
    fn a_program_of_the_system_is_shown_already() {
        assert!(visible_paths(Path::new("/bin/sh"), Path::new("/bin/sh")).is_empty());
    }

    #[test]
    fn an_interpreter_elsewhere_is_shown_with_its_library_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        script(&home.join("bin/python"), "#!/bin/sh\n");
        script(&home.join("lib/os.py"), "");
        script(&home.join("diary"), "");
        script(&home.join("class/mine"), &format!("#!{}/bin/python\n", home.display()));
        let shown = visible_paths(&home.join("class/mine"), &home.join("class/mine"));
        assert_eq!(shown, [home.join("class/mine"), home.join("bin"), home.join("lib")]);
    }
}
