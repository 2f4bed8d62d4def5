//! What an engine's box shows besides the system: its own file or folder, and an interpreter that lies elsewhere.

use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::engine::program;
use crate::engine::spec::EngineSpec;

/// Where the system's own programs lie, which every box shows.
const SYSTEM: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/gnu"];
/// What belongs to a program's installation, beside the directory that the program lies in.
const INSTALLED: [&str; 8] = ["bin", "lib", "lib64", "libexec", "shims", "versions", "version", "pyvenv.cfg"];
/// How many interpreters of interpreters and links of links are followed.
const STEPS: usize = 16;

/// The files and directories that an engine's box shows, each at its own place.
///
/// A lone executable is shown alone: beside it lie the others.
pub fn shown(engine: &EngineSpec) -> Vec<PathBuf> {
    let mut all = vec![engine.source.clone()];
    add(&mut all, &engine.source.canonicalize().unwrap_or_else(|_| engine.source.clone()));
    let mut all = needed(engine.program.clone(), all);
    // Taken away while the run goes on, which no engine in a box can do: whoever builds the box is to miss it.
    if !engine.source.exists() {
        all.push(engine.source.clone());
    }
    all
}

/// What a program needs besides the system to run: nothing if it belongs to the system.
pub fn needed_by(program: &Path) -> Vec<PathBuf> {
    needed(program.to_owned(), Vec::new())
}

/// Adds to what is shown whatever a program needs.
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

/// Whether a box can show an engine so that it runs.
///
/// # Errors
/// Words that name the file and what to do: run by root, an engine becomes a user who has no more rights than others.
pub fn admits(engine: &EngineSpec) -> Result<(), String> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let top = if engine.source.is_dir() { engine.source.as_path() } else { engine.program.as_path() };
    for path in engine.program.ancestors().take_while(|path| path.starts_with(top)) {
        let Ok(about) = fs::metadata(path) else { continue };
        let needed = if about.is_dir() || is_script(path) { 0o5 } else { 0o1 };
        if about.permissions().mode() & needed != needed {
            return Err(format!(
                "{}: only its owner may use it, and in a box engines are nobody; run chmod -R o+rX {}",
                engine.name,
                program::display_path(path)
            ));
        }
    }
    Ok(())
}

fn within(path: &Path, shown: &[PathBuf]) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system)) || shown.iter().any(|other| path.starts_with(other))
}

fn add(all: &mut Vec<PathBuf>, path: &Path) {
    if !within(path, all) {
        all.push(path.to_owned());
    }
}

/// The parts of an installation that a program belongs to: of `/opt/x/bin/python` what lies in `/opt/x` and is
/// usually installed, and of a program that lies alone the program.
fn installation(program: &Path) -> Vec<PathBuf> {
    let mut up = program.ancestors().skip(1);
    let (Some(place), Some(prefix)) = (up.next(), up.next()) else { return vec![program.to_owned()] };
    let usual = place.file_name().is_some_and(|name| name == "bin" || name == "shims");
    if !usual || prefix == Path::new("/") {
        return vec![program.to_owned()];
    }
    INSTALLED.iter().map(|name| prefix.join(name)).filter(|path| path.exists()).collect()
}

fn first_line(program: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    // A FIFO would keep us waiting.
    if !fs::metadata(program).ok()?.is_file() {
        return None;
    }
    fs::File::open(program).ok()?.take(256).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(line.to_vec())
}

fn is_script(program: &Path) -> bool {
    first_line(program).is_some()
}

/// The program that a script's first line names, as `env` finds it.
fn interpreter(program: &Path) -> Option<PathBuf> {
    let line = first_line(program)?;
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let path = |word: &[u8]| PathBuf::from(std::ffi::OsStr::from_bytes(word));
    let first = path(words.next()?);
    if first.file_name().is_some_and(|name| name == "env") {
        let named = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))?;
        return program::find(&path(named)).ok();
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
        let shown = shown(&EngineSpec::at(&dir.path().join("mine")).unwrap());
        assert_eq!(shown, [dir.path().join("mine")]);
    }

    #[test]
    fn an_interpreter_elsewhere_is_shown_with_its_library_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        script(&home.join("bin/python"), "#!/bin/sh\n");
        script(&home.join("lib/os.py"), "");
        script(&home.join("diary"), "");
        script(&home.join("class/mine"), &format!("#!{}/bin/python\n", home.display()));
        let shown = shown(&EngineSpec::at(&home.join("class/mine")).unwrap());
        assert_eq!(shown, [home.join("class/mine"), home.join("bin"), home.join("lib")]);
    }
}
