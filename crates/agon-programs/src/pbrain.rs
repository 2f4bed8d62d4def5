//! Programs of Gomocup, which are known by their names: `pbrain-name.exe`, or `pbrain-name` for
//! this system.
//!
//! A download is a folder with one of them and its data. Some have two, and the one for 64 bits is
//! called `pbrain-name64.exe`.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::program::display_path;
use super::wine;

const PREFIX: &[u8] = b"pbrain-";

/// The name without what all of them have: `name64` of `pbrain-name64.exe`.
pub(super) fn short_name(file: &[u8]) -> &[u8] {
    let has_prefix = file.len() > PREFIX.len() && file[..PREFIX.len()].eq_ignore_ascii_case(PREFIX);
    let rest = if has_prefix { &file[PREFIX.len()..] } else { file };
    match rest.len().checked_sub(4) {
        Some(end) if end > 0 && rest[end..].eq_ignore_ascii_case(b".exe") => &rest[..end],
        _ => rest,
    }
}

/// Whether a file is such a program: by its name, and because it is executable or a Windows
/// program.
pub(super) fn is_one(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.as_bytes()).unwrap_or_default();
    let is_named = name.len() > PREFIX.len() && name[..PREFIX.len()].eq_ignore_ascii_case(PREFIX);
    is_named
        && path.is_file()
        && (wine::is_windows(path)
            || (Path::new(name_of(path)).extension().is_none() && access(path, Access::EXEC_OK).is_ok()))
}

fn name_of(path: &Path) -> &std::ffi::OsStr {
    path.file_name().unwrap_or_default()
}

/// The program of a folder as it was downloaded, or why none can be chosen; nothing if there is
/// none.
pub(super) fn of_folder(folder: &Path) -> Option<Result<PathBuf, String>> {
    let listed = fs::read_dir(folder).ok()?;
    let mut all: Vec<PathBuf> =
        listed.flatten().map(|entry| entry.path()).filter(|path| is_one(path)).collect();
    all.sort();
    let only = |wanted: &dyn Fn(&Path) -> bool| {
        let mut fit = all.iter().filter(|path| wanted(path));
        let first = fit.next()?;
        fit.next().is_none().then(|| first.clone())
    };
    let is_wide = |path: &Path| short_name(name_of(path).as_bytes()).ends_with(b"64");
    // What needs no Wine comes first.
    let chosen = only(&|_| true).or_else(|| only(&|path| !wine::is_windows(path))).or_else(|| only(&is_wide));
    match (chosen, all.as_slice()) {
        (Some(program), _) => Some(Ok(program)),
        (None, []) => None,
        (None, all) => {
            let names: Vec<String> = all.iter().map(|path| display_path(Path::new(name_of(path)))).collect();
            Some(Err(format!(
                "this folder has {}; name one of them with command = [\"{}\"] in an engine.toml",
                names.join(", "),
                names[0]
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_gomocup_is_called_what_its_author_calls_it() {
        for (file, name) in [
            ("pbrain-x.exe", "x"),
            ("Pbrain-X64.EXE", "X64"),
            ("pbrain-rapfi", "rapfi"),
            ("pbrain-.exe", ".exe"),
            ("other.exe", "other"),
        ] {
            assert_eq!(short_name(file.as_bytes()), name.as_bytes(), "{file}");
        }
    }

    #[test]
    fn of_several_programs_in_a_download_the_one_for_64_bits_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        assert!(of_folder(dir.path()).is_none());
        put("pbrain-x.txt", "about");
        put("weights.bin", "");
        assert!(of_folder(dir.path()).is_none());
        put("pbrain-x.exe", "MZ");
        let found = || of_folder(dir.path()).unwrap();
        assert_eq!(found(), Ok(dir.path().join("pbrain-x.exe")));
        put("pbrain-x64.exe", "MZ");
        assert_eq!(found(), Ok(dir.path().join("pbrain-x64.exe")));
        put("pbrain-y64.exe", "MZ");
        assert!(found().unwrap_err().contains("pbrain-x.exe, pbrain-x64.exe, pbrain-y64.exe"));
    }
}
