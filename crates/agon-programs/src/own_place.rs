//! What a submission's `engine.toml` names: it lies in the submission's own folder or belongs to
//! the system, so that nobody plays with the program of another.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use agon_printable::escape;
use serde::Deserialize;
use toml::{Spanned, Value};

use super::program::{display_path, without_dots};
use super::{elf, engine_file, program};

/// Files that every process may name, and places that are its own.
const HARMLESS: [&str; 10] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/tmp",
];
/// What ends a path in a word: an interpreter gets several paths, and a shell whole commands.
const SEPARATORS: &str = "=:;,|&()<>'\"`@#![]";
/// What to do instead.
const HINT: &str = "hand in all that it needs in its own folder, and name an interpreter by its name alone, like \
                    command = [\"python3\", \"{folder}/main.py\"]";

/// What an `engine.toml` names, each text with its key.
pub(super) struct NamedThings<'a> {
    /// The file, for messages.
    pub(super) file: PathBuf,
    /// Its folder.
    pub(super) folder: &'a Path,
    /// The program, absolute.
    pub(super) program: &'a Path,
    /// Every text that reaches the command line or the environment of the engine or its build, or
    /// names a file to it.
    pub(super) words: Vec<(Vec<&'a str>, &'a str)>,
}

/// Checks that a submission names no program and no file of anybody else.
///
/// A program can still open what its user may open, except in a box: this is about what agon itself
/// starts, or hands to an interpreter, on the word of the file.
///
/// # Errors
/// The key with its line, what it names, and what to do.
pub(super) fn check(named: &NamedThings<'_>) -> Result<(), String> {
    let own = OwnPlace::of(named.folder);
    if let Some(place) = own.foreign_program(named.program) {
        return Err(refusal(&named.file, &["command"], &place));
    }
    for (key, word) in &named.words {
        if let Some(place) = own.foreign_path(word) {
            return Err(refusal(&named.file, key, &place));
        }
    }
    Ok(())
}

/// The folder of a submission.
struct OwnPlace {
    /// Its path as it was named.
    named: PathBuf,
    /// Its path without links.
    real: PathBuf,
}

impl OwnPlace {
    fn of(folder: &Path) -> Self {
        let named = folder.to_owned();
        OwnPlace { real: named.canonicalize().unwrap_or_else(|_| named.clone()), named }
    }

    fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.real) || path.starts_with(&self.named)
    }

    /// The place of a program that is nobody's to name here. A program that a build is still to
    /// make is judged by its path.
    fn foreign_program(&self, program: &Path) -> Option<PathBuf> {
        let real = program.canonicalize().unwrap_or_else(|_| without_dots(program));
        if is_of_agon(&real) {
            return Some(real);
        }
        let name = program.file_name().unwrap_or_default();
        let is_found_by_name = || program::find(Path::new(name)).is_ok_and(|found| found == program);
        if !real.starts_with(&self.real) && !is_of_system(&real) && !is_found_by_name() {
            return Some(real);
        }
        // The kernel starts the loader of a compiled program with its rights.
        let loader = elf::loader(&real).filter(|_| real.starts_with(&self.real))?;
        let real = loader.canonicalize().unwrap_or_else(|_| without_dots(&loader));
        (!real.starts_with(&self.real) && !is_of_system(&real)).then_some(real)
    }

    /// The first place of somebody else that a word names.
    fn foreign_path(&self, word: &str) -> Option<PathBuf> {
        // Other words in braces are filled in by agon, with names of files that are the engine's.
        let word = word.replace("{folder}", &self.real.to_string_lossy()).replace(['{', '}'], "");
        let ends = |sign: char| sign.is_whitespace() || SEPARATORS.contains(sign);
        word.split(ends).filter(|piece| !piece.is_empty()).find_map(|piece| self.foreign_piece(piece))
    }

    fn foreign_piece(&self, piece: &str) -> Option<PathBuf> {
        // `-I/a` and `-I../a`.
        let path = match piece.strip_prefix('-') {
            Some(option) => &option[option.find(['/', '.']).unwrap_or(0)..],
            None => piece,
        };
        let path = Path::new(path);
        let goes_up = path.components().any(|part| part == Component::ParentDir);
        let is_home = piece.starts_with('~') && piece.contains('/');
        if is_home || (goes_up && piece.contains('$')) {
            return Some(path.to_owned()); // a shell fills in the rest
        }
        if path.is_absolute() {
            let at = without_dots(path);
            // What lies beside its folder may come there before the game.
            if goes_up && !self.holds(&at) && !is_of_system(&at) {
                return Some(at);
            }
            return self.foreign_absolute(&at);
        }
        let at = without_dots(&self.real.join(path));
        if goes_up && !self.holds(&at) {
            return Some(at);
        }
        if at.symlink_metadata().is_ok() {
            return self.behind_links(&at);
        }
        let found = program::find(path).ok().filter(|_| piece.starts_with("agon"))?;
        is_of_agon(&found.canonicalize().ok()?).then_some(found)
    }

    fn foreign_absolute(&self, path: &Path) -> Option<PathBuf> {
        if self.holds(path) {
            return self.behind_links(path);
        }
        if is_of_system(path) || HARMLESS.iter().any(|place| path == Path::new(place)) {
            return path.canonicalize().ok().filter(|real| is_of_agon(real));
        }
        if path.starts_with("/dev/fd") {
            return None;
        }
        // What describes a process, but not what it has open, `/proc/1/root`.
        if path.starts_with("/proc") || path.starts_with("/sys") {
            let leads = |part: Component<'_>| {
                ["root", "cwd", "fd", "exe", "map_files"].iter().any(|name| part.as_os_str() == *name)
            };
            return path.components().any(leads).then(|| path.to_owned());
        }
        // `/c` may be an option of a Windows program. A name that is still free in a folder of
        // others may be taken before the game.
        let is_beside = path.parent().is_some_and(|parent| parent != Path::new("/") && parent.exists());
        (path.symlink_metadata().is_ok() || is_beside).then(|| path.to_owned())
    }

    /// Where something in the folder leads to, if that is not its own.
    fn behind_links(&self, path: &Path) -> Option<PathBuf> {
        let real = path.canonicalize().ok()?;
        (!real.starts_with(&self.real) && !is_of_system(&real)).then_some(real)
    }
}

/// Whether a path belongs to the system, and so to no entrant.
fn is_of_system(path: &Path) -> bool {
    agon_sandbox::is_of_system(path) || path.starts_with("/etc")
}

/// Whether a program is agon or one of its sample engines, which teachers take for baselines.
fn is_of_agon(program: &Path) -> bool {
    let own = std::env::current_exe().and_then(|own| own.canonicalize()).ok();
    let is_named = |name: &OsStr| {
        let name = name.to_string_lossy();
        name == "agon" || name.starts_with("agon-")
    };
    own.is_some_and(|own| own.parent() == program.parent()) && program.file_name().is_some_and(is_named)
}

fn refusal(file: &Path, key: &[&str], place: &Path) -> String {
    let line = engine_file::text(file).ok().and_then(|text| line_of(&text, key));
    let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
    let key = escape(key.join(".").as_bytes(), 100);
    format!(
        "{}: {line}key {key}: {} lies outside of its own folder; {HINT}",
        display_path(file),
        display_path(place)
    )
}

/// The tables of the file whose keys a message may name.
#[derive(Deserialize)]
struct Tables {
    #[serde(default)]
    env: BTreeMap<Spanned<String>, Value>,
    #[serde(default)]
    options: BTreeMap<Spanned<String>, Value>,
}

/// The number of the line on which a key stands.
fn line_of(text: &str, key: &[&str]) -> Option<usize> {
    let at = |keys: &BTreeMap<Spanned<String>, Value>, wanted: &str| {
        keys.keys().find(|key| key.get_ref() == wanted).map(|key| key.span().start)
    };
    let top: BTreeMap<Spanned<String>, Value> = toml::from_str(text).ok()?;
    let inner = match key {
        ["env", name] => toml::from_str::<Tables>(text).ok().and_then(|tables| at(&tables.env, name)),
        ["options", name] => toml::from_str::<Tables>(text).ok().and_then(|tables| at(&tables.options, name)),
        _ => None,
    };
    let start = inner.or_else(|| at(&top, key.first()?))?;
    Some(1 + text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::super::spec::EngineSpec;
    use super::*;

    /// A class: an honest engine, one that is judged, and a link of the latter to the former.
    struct Class(tempfile::TempDir);

    impl Class {
        fn new() -> Class {
            let class = Class(tempfile::tempdir().unwrap());
            for file in ["honest/run", "honest/e.py", "mine/run", "mine/lib/a.py", "mine/a b.py"] {
                let path = class.at(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, "#!/bin/sh\n").unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            }
            for (to, link) in
                [("../honest/run", "mine/theirs"), ("../honest", "mine/all"), ("run", "mine/own")]
            {
                symlink(to, class.at(link)).unwrap();
            }
            class
        }

        fn at(&self, path: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(path)
        }

        fn said(&self, toml: &str) -> Result<(), String> {
            let toml = toml.replace("HONEST", &self.at("honest").to_string_lossy());
            fs::write(self.at("mine/engine.toml"), toml).unwrap();
            EngineSpec::submitted(&self.at("mine")).map(drop)
        }
    }

    #[test]
    fn no_key_of_a_submission_names_what_is_of_another() {
        let class = Class::new();
        for (line, key, toml) in [
            (1, "command", r#"command = ["{folder}/../honest/run"]"#),
            (1, "command", r#"command = ["../honest/run"]"#),
            (1, "command", r#"command = ["HONEST/run"]"#),
            (1, "command", r#"command = ["./theirs"]"#),
            (1, "command", r#"command = ["theirs"]"#),
            (1, "command", r#"command = ["./all/run"]"#),
            (1, "command", r#"command = ["HONEST/not-yet"]"#),
            (1, "command", r#"command = ["python3", "{folder}/../honest/e.py"]"#),
            (1, "command", r#"command = ["python3", "{folder}/../not/yet/e.py"]"#),
            (1, "command", r#"command = ["python3", "{folder}/all/e.py"]"#),
            (1, "command", r#"command = ["python3", "all/e.py"]"#),
            (1, "command", r#"command = ["sh", "-c", "cd / && exec 'HONEST/run' \"$@\""]"#),
            (1, "command", r#"command = ["sh", "-c", "exec $HOME/../1/run"]"#),
            (1, "command", r#"command = ["sh", "-c", "exec ~/honest/run"]"#),
            (1, "command", r#"command = ["env", "-C/", "honest/run"]"#),
            (1, "command", r#"command = ["env", "-C../honest", "run"]"#),
            (1, "command", r#"command = ["/proc/self/root/HONEST/run"]"#),
            (1, "command", r#"command = ["sh", "/proc/1/root/HONEST/run"]"#),
            (2, "args", "command = [\"./run\"]\nargs = [\"--engine=HONEST/run\"]"),
            (2, "args", "command = [\"./run\"]\nargs = [\"{board}/../../1/run\"]"),
            (3, "build", "command = [\"./run\"]\n\nbuild = [\"cp\", \"HONEST/run\", \"run\"]"),
            (2, "build", "command = [\"./run\"]\nbuild = [\"HONEST/run\"]"),
            (2, "echo", "command = [\"./run\"]\necho = [\"HONEST/run\"]"),
            (4, "env.LD_PRELOAD", "command = [\"./run\"]\n[env]\nA = \"1\"\nLD_PRELOAD = \"HONEST/x.so\""),
            (3, "env.PYTHONPATH", "command = [\"./run\"]\n[env]\nPYTHONPATH = \"/usr/lib:../honest\""),
            (4, "options.Net", "command = [\"./run\"]\nprotocol = \"ugi\"\n[options]\nNet = \"HONEST/e.py\""),
            (
                3,
                "gomocup.info.x",
                "command = [\"./run\"]\nprotocol = \"gomocup\"\n[gomocup.info]\nx = \"HONEST/e.py\"",
            ),
        ] {
            let why = class.said(toml).expect_err(toml);
            let place = format!("mine/engine.toml: line {line}: key {key}: ");
            assert!(
                why.contains(&place) && why.contains("outside of its own folder; hand in"),
                "{toml}: {why}"
            );
        }
    }

    #[test]
    fn what_is_its_own_or_of_the_system_may_be_named() {
        let class = Class::new();
        for toml in [
            r#"command = ["./run"]"#,
            r#"command = ["{folder}/run", "{folder}/a b.py", "lib/../run"]"#,
            r#"command = ["own"]"#,
            r#"command = ["./to-be-built"]"#,
            r#"command = ["sh", "{folder}/run", "--size=1/2", "-I/usr/include", "1..5", "-n3..5", "/c", "~5"]"#,
            r#"command = ["sh", "-c", "cd lib; exec ./a.py < /dev/null 2>/dev/stderr"]"#,
            "command = [\"/bin/sh\"]\nargs = [\"{side}\", \"{board}\", \"{folder}/lib\", \"http://a.example/b\"]",
            "command = [\"./run\"]\nbuild = [\"cc\", \"-I/usr/include/x\", \"-O2\", \"-o\", \"run\", \"main.c\"]",
            "command = [\"./run\"]\n[env]\nTMPDIR = \"/tmp\"\nPATH = \"/usr/bin:{folder}\"\nTZ = \"Europe/Berlin\"",
        ] {
            assert_eq!(class.said(toml), Ok(()), "{toml}");
        }
    }

    #[test]
    fn the_programs_beside_agon_are_no_interpreters() {
        let beside = std::env::current_exe().unwrap().canonicalize().unwrap();
        assert!(is_of_agon(&beside.with_file_name("agon-alphabeta")));
        assert!(is_of_agon(&beside.with_file_name("agon")));
        assert!(!is_of_agon(&beside.with_file_name("python3")));
        assert!(!is_of_agon(Path::new("/bin/sh")));
    }
}
