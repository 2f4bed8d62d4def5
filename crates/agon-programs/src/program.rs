//! Checks before the first game whether this machine can start a file, and says what to do if not.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use agon_printable::escape;
use rustix::fs::{Access, access};

use super::first_line::{ByEnv, FirstLine};
use super::{elf, wine};

/// A path, escaped for display.
pub fn display_path(path: &Path) -> String {
    escape(path.as_os_str().as_bytes(), 400)
}

/// A path without `.` and `..`, which are taken as they are written, as if it had no links.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut at = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = at.pop(),
            Component::CurDir => {}
            other => at.push(other),
        }
    }
    at
}

/// Finds a program as a shell does: a name with a slash is a path, any other is searched in `PATH`.
///
/// # Errors
/// The program is not in `PATH`.
pub fn find(name: &Path) -> Result<PathBuf, String> {
    if name.as_os_str().as_bytes().contains(&b'/') {
        return Ok(name.to_owned());
    }
    agon_sandbox::find_in_path(name).ok_or_else(|| {
        format!("{} is not on this machine (not found in PATH); install it", display_path(name))
    })
}

/// Checks that the operating system can start this file.
///
/// # Errors
/// What is wrong and what to do, without the file's name.
pub fn check(path: &Path) -> Result<(), String> {
    if let Ok(link) = fs::read_link(path)
        && !path.exists()
    {
        return Err(format!(
            "a broken symlink: it points to {}, which does not exist; mend the link",
            display_path(&link)
        ));
    }
    let about = fs::metadata(path).map_err(|error| format!("cannot be read: {error}"))?;
    if about.is_dir() {
        return Err("a directory, not a program; name a file in it".to_owned());
    }
    if !about.is_file() {
        return Err("neither a file nor a directory".to_owned());
    }
    // Wine starts what is not executable, and no download keeps that bit.
    if access(path, Access::EXEC_OK).is_err() && !wine::is_windows(path) {
        let folder = path.parent().filter(|folder| folder.join("engine.toml").is_file());
        return Err(match folder {
            // A script that the file beside it starts.
            Some(folder) => format!(
                "not executable, but an engine.toml lies beside it; name the folder: {}",
                display_path(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
            ),
            None => format!("not executable; run chmod +x {}", display_path(path)),
        });
    }
    let mut head = Vec::new();
    File::open(path)
        .and_then(|file| file.take(HEAD).read_to_end(&mut head))
        .map_err(|error| format!("cannot be read: {error}"))?;
    match head.as_slice() {
        [] => Err("an empty file; build the program again".to_owned()),
        [0x7f, b'E', b'L', b'F', ..] => elf::check(path),
        [b'#', b'!', ..] => check_script(path, &head),
        [b'M', b'Z', ..] => wine::check(&head),
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..] => {
            Err("a program for macOS or the Java machine; compile it for this system, or start it with an \
                 engine.toml"
                .to_owned())
        }
        _ => Err("neither a compiled program nor a script; \
                  compile it, or give the script a first line like #!/usr/bin/env python3"
            .to_owned()),
    }
}

/// How many bytes of a file are read.
const HEAD: u64 = 8192;

/// Checks that what the first line of a script names is on this machine.
fn check_script(script: &Path, head: &[u8]) -> Result<(), String> {
    let line = head[2..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.ends_with(b"\r") {
        return Err(
            "its first line ends in a carriage return (a Windows line end); run dos2unix on it".to_owned()
        );
    }
    let Some(line) = FirstLine::of(head) else {
        return Err(
            "its first line, #!, names no interpreter; write one like #!/usr/bin/env python3".to_owned()
        );
    };
    is_on_this_machine(script, &line.interpreter)?;
    match line.by_env {
        Some(ByEnv::Path(program)) => is_on_this_machine(script, &program),
        Some(ByEnv::Name(name)) if name.as_os_str().as_bytes().contains(&b' ') => {
            Err(several_words(&display_path(&name)))
        }
        Some(ByEnv::Name(name)) => {
            find(&name).map(|_| ()).map_err(|why| format!("its interpreter {why}, or correct the first line"))
        }
        Some(ByEnv::OneWord(words)) => Err(several_words(&escape(words.as_bytes(), 100))),
        Some(ByEnv::Unknown) | None => Ok(()),
    }
}

/// `env` is given all that follows it as one word.
fn several_words(words: &str) -> String {
    format!("its first line gives env \"{words}\" as one word; write #!/usr/bin/env -S {words}")
}

fn is_on_this_machine(script: &Path, program: &Path) -> Result<(), String> {
    // A relative path may count from the folder of the script; that is seen when it is started.
    let beside = script.parent().unwrap_or(Path::new("")).join(program);
    let stays = !program.components().any(|part| part == Component::ParentDir);
    if stays && beside.is_file() && access(&beside, Access::EXEC_OK).is_ok() {
        return Ok(());
    }
    let named = display_path(program);
    Err(match (program.is_relative(), fs::metadata(program)) {
        (true, _) => {
            format!("its interpreter {named} is no absolute path; write the whole path in the first line")
        }
        (false, Err(_)) => {
            format!("its interpreter {named} is not on this machine; install it or correct the first line")
        }
        (false, Ok(about)) if about.is_dir() => {
            format!("its interpreter {named} is a directory; correct the first line")
        }
        (false, Ok(_)) => {
            format!("its interpreter {named} is not executable; run chmod +x on it or correct the first line")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::EngineSpec;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// The verdict of `check` on an executable file with these bytes.
    fn said_of(bytes: &[u8]) -> String {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("program");
        fs::write(&file, bytes).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        check(&file).err().unwrap_or_default()
    }

    #[test]
    fn each_way_a_file_cannot_be_started_has_its_own_words() {
        assert!(said_of(b"").contains("empty"));
        assert!(said_of(b"#!/no/such/thing\n").contains("/no/such/thing"));
        assert!(said_of(b"#!/usr/bin/env no-such-interpreter\n").contains("no-such-interpreter"));
        assert!(said_of(b"#!/bin/sh\r\necho\r\n").contains("carriage return"));
        for (line, why) in [
            ("/usr/bin/env /opt/no/such", "its interpreter /opt/no/such is not on this machine; install it"),
            ("/usr/bin/env -S -u FOO no-such", "its interpreter no-such is not on this machine"),
            ("/usr/bin/env -S -u FOO sh", ""),
            ("/usr/bin/env -S -u FOO /no/such -x", "its interpreter /no/such is not"),
            ("/usr/bin/env sh -u", "gives env \"sh -u\" as one word; write #!/usr/bin/env -S sh -u"),
            ("/usr/bin/env -i /bin/sh", "gives env \"-i /bin/sh\" as one word; write"),
            ("/usr", "its interpreter /usr is a directory"),
            ("/etc/passwd", "its interpreter /etc/passwd is not executable"),
            ("bin/sh", "its interpreter bin/sh is no absolute path"),
            ("./program", ""),
        ] {
            let said = said_of(format!("#!{line}\n").as_bytes());
            assert!(said.contains(why) && said.is_empty() == why.is_empty(), "{line}: {said}");
        }
        assert!(said_of(b"MZ\x90\0").contains("Windows"));
        assert!(said_of(b"hello").contains("neither a compiled program nor a script"));
        assert_eq!(said_of(b"#!/bin/sh\n"), "");
    }

    #[test]
    fn a_binary_for_another_machine_or_without_its_loader_is_named() {
        let mut own = fs::read("/proc/self/exe").unwrap();
        assert_eq!(said_of(&own), "");
        let loader = b"/lib64/ld-linux-x86-64";
        if let Some(at) = memchr::memmem::find(&own, loader) {
            own[at + 1] = b'X';
            assert!(said_of(&own).contains("its loader /Xib64"), "{}", said_of(&own));
            own[at + 1] = b'l';
        }
        let library = b"\0libgcc_s.so.1\0";
        let places: Vec<usize> =
            (0..own.len() - library.len()).filter(|at| own[*at..].starts_with(library)).collect();
        if !places.is_empty() {
            let (dir, mut own) = (tempfile::tempdir().unwrap(), own.clone());
            places.iter().for_each(|at| own[at + 4] = b'#');
            let program = dir.path().join("program");
            fs::write(&program, own).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
            let mut engine = EngineSpec::at(&program).unwrap();
            assert!(
                engine.can_start().unwrap_err().contains("needs the library lib#cc_s.so.1, which is not")
            );
            // Who names directories of his own knows better.
            engine.environment.insert("LD_LIBRARY_PATH".to_owned(), "/elsewhere".to_owned());
            assert_eq!(engine.can_start(), Ok(()));
        }
        own[18] = 243;
        assert!(said_of(&own).contains("riscv64"));
        assert!(said_of(&own[..10]).contains("truncated"));
    }

    #[test]
    fn what_is_no_file_or_not_executable_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        symlink("/no/where", &link).unwrap();
        assert!(check(&link).unwrap_err().contains("broken symlink"));
        assert!(check(dir.path()).unwrap_err().contains("directory"));
        let file = dir.path().join("file");
        fs::write(&file, "#!/bin/sh\n").unwrap();
        assert!(check(&file).unwrap_err().contains("chmod +x"));
        fs::write(dir.path().join("engine.toml"), "").unwrap();
        let beside = check(&file).unwrap_err();
        assert!(beside.ends_with(&display_path(dir.path())) && !beside.contains("chmod"), "{beside}");
    }
}
