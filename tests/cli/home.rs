//! A directory for runs of the program, with checks of all files it leaves.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use tempfile::TempDir;
use wait_timeout::ChildExt;

use crate::support::{copy_program, engines_are_built};

/// Longer than any run here takes on a busy machine, but enough to find one that hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// An empty directory for runs of the program. Temporary files go to one beside it.
pub(crate) struct Home {
    all: TempDir,
}

/// The result of a run of the program.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
}

impl Said {
    pub(crate) fn out(&self) -> String {
        String::from_utf8(self.out.clone()).expect("stdout is UTF-8")
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8(self.err.clone()).expect("stderr is UTF-8")
    }

    /// Both, for a message.
    pub(crate) fn all(&self) -> String {
        format!("exit code {:?}\n{}{}", self.code, self.out(), self.err())
    }
}

impl Home {
    pub(crate) fn new() -> Home {
        engines_are_built();
        let all = tempfile::tempdir().unwrap();
        for name in ["home", "temp", "said"] {
            fs::create_dir(all.path().join(name)).unwrap();
        }
        Home { all }
    }

    /// A home with a folder `engines` of two engines, which need no build.
    pub(crate) fn with_two() -> Home {
        let home = Home::new();
        home.engine("engines/greedy", "agon-greedy");
        home.engine("engines/random", "agon-random");
        home
    }

    /// A home with the folders of the demo, `engines` and `any-game`.
    pub(crate) fn with_samples() -> Home {
        let home = Home::new();
        let script = root().join("scripts/sample-engines");
        let made = Command::new(script).arg(programs()).arg(home.path("")).status().unwrap();
        assert!(made.success());
        home
    }

    /// Puts the table of six men's morris into its cache. It is solved once for all tests.
    pub(crate) fn with_morris_solved(self) -> Home {
        // The bytes alone are kept: a home in a static would never be removed.
        static TABLE: OnceLock<(OsString, Vec<u8>)> = OnceLock::new();
        let (name, bytes) = TABLE.get_or_init(|| {
            let home = Home::new();
            let said = home.agon(["solve", "morris"]);
            assert_eq!(said.code, Some(0), "{}", said.all());
            let file = fs::read_dir(home.path("cache/agon")).unwrap().next().unwrap().unwrap();
            (file.file_name(), fs::read(file.path()).unwrap())
        });
        self.put(Path::new("cache/agon").join(name), bytes);
        self
    }

    /// Leaves the directory where it is, to be looked at, and returns it.
    #[allow(dead_code)] // the target that looks at pages uses it
    pub(crate) fn keep(self) -> PathBuf {
        self.all.keep().join("home")
    }

    pub(crate) fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.all.path().join("home").join(Path::new(name.as_ref()))
    }

    /// A program of ours under another name.
    pub(crate) fn engine(&self, name: impl AsRef<OsStr>, program: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(programs().join(program), path).unwrap();
    }

    /// A submission with a program of ours in its own folder, and words behind the program in its
    /// `command`.
    pub(crate) fn submission(&self, folder: &str, program: &str, words: &str) {
        let run = self.path(format!("{folder}/run"));
        fs::create_dir_all(run.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&run);
        fs::copy(programs().join(program), run).unwrap();
        self.put(format!("{folder}/engine.toml"), format!("command = [\"./run\"{words}]\n"));
    }

    pub(crate) fn put(&self, name: impl AsRef<OsStr>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// A file with the execute bit, which can be started at once.
    pub(crate) fn put_program(&self, name: impl AsRef<OsStr>, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let staged = tempfile::NamedTempFile::new().unwrap();
        fs::write(&staged, bytes).unwrap();
        copy_program(&staged, &path);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs agon with these words.
    pub(crate) fn agon<W: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = W>) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        command.args(words);
        self.run(command)
    }

    /// Runs a line in a shell, with agon in its PATH.
    pub(crate) fn shell(&self, line: &str) -> Said {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        self.run(command)
    }

    fn run(&self, mut command: Command) -> Said {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path =
            std::env::join_paths([programs()].into_iter().chain(std::env::split_paths(&path))).unwrap();
        let said = |name: &str| self.all.path().join("said").join(name);
        let mut child = command
            .current_dir(self.path(""))
            .env("PATH", path)
            .env("TMPDIR", self.all.path().join("temp"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env_remove("AGON_KEPT")
            .stdin(Stdio::null())
            .stdout(File::create(said("out")).unwrap())
            .stderr(File::create(said("err")).unwrap())
            .spawn()
            .unwrap();
        let status = child.wait_timeout(PATIENCE).unwrap();
        if status.is_none() {
            let _ = child.kill(); // at its keeper's end everything below it ends
            let _ = child.wait();
        }
        let read = |name: &str| fs::read(said(name)).unwrap();
        let said = Said { code: status.and_then(|status| status.code()), out: read("out"), err: read("err") };
        assert!(status.is_some(), "it hangs; it said\n{}{}", lossy(&said.out), lossy(&said.err));
        said
    }

    /// All files, with sizes: in the directory itself and among the temporary files.
    pub(crate) fn listing(&self) -> Vec<String> {
        let mut found = Vec::new();
        for name in ["home", "temp"] {
            list(&self.all.path().join(name), &mut found);
        }
        found.sort();
        found
    }
}

fn list(folder: &Path, found: &mut Vec<String>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        // A process that only reads a database may not remove the two files that SQLite keeps
        // beside it.
        let name = path.to_string_lossy();
        if name.ends_with(".db-shm") || name.ends_with(".db-wal") {
            continue;
        }
        let about = path.symlink_metadata().unwrap();
        // A lock file holds the number of a process, which may have more digits than the one
        // before.
        let has_length = about.is_file() && !name.ends_with(".lock");
        found.push(format!("{path:?} {}", if has_length { about.len() } else { 0 }));
        if about.is_dir() {
            list(&path, found);
        }
    }
}

pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The directory where cargo puts agon and the sample engines.
pub(crate) fn programs() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_agon")).parent().unwrap().to_owned()
}

/// An engine of UCI in Python, `tests/scripted/uci.py`, with these options in the words of Python,
/// that makes these moves.
pub(crate) fn scripted_uci(options: &str, moves: &str) -> String {
    include_str!("../scripted/uci.py").replace("@OPTIONS@", options).replace("@MOVES@", moves)
}
