//! A directory with engines and results, and agon run in it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use tempfile::TempDir;

pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// One of the sample engines.
    pub(crate) fn sample(&self, name: &str, program: &str) {
        let path = self.path("engines").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path); // it may not be there yet
        symlink(programs().join(program), path).unwrap();
    }

    /// The engine that misbehaves, with this command line.
    pub(crate) fn stub(&self, name: &str, mode: &str) {
        let words: Vec<String> = mode.split(' ').map(|word| format!("{word:?}")).collect();
        let program = programs().join("agon-stub");
        self.toml(name, &format!("command = [{:?}, {}]\n", program.to_str().unwrap(), words.join(", ")));
    }

    /// The engine that plays every game except the letter cube.
    pub(crate) fn mover(&self, name: &str) {
        let program = programs().join("agon-mover");
        let args = "args = [\"{game}\", \"{side}\", \"{seconds}\", \"{position}\"]";
        self.toml(name, &format!("command = [{:?}]\n{args}\n", program.to_str().unwrap()));
    }

    pub(crate) fn toml(&self, name: &str, text: &str) {
        let folder = self.path("engines").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("engine.toml"), text).unwrap();
    }

    /// Runs agon here. Returns its exit code and its whole output.
    pub(crate) fn agon(&self, words: &str) -> (Option<i32>, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(words.split(' '))
            .current_dir(self.0.path())
            .env_remove("AGON_KEPT")
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    }

    #[track_caller]
    pub(crate) fn done(&self, words: &str) -> String {
        let (code, said) = self.agon(words);
        assert_eq!(code, Some(0), "agon {words}: {said}");
        said
    }

    /// A copy of a run's database under another name.
    pub(crate) fn copy(&self, run: &str, name: &str) -> Connection {
        let folder = self.path(name);
        let _ = fs::remove_dir_all(&folder); // of the last test
        fs::create_dir(&folder).unwrap();
        fs::copy(self.path(run).join("agon.db"), folder.join("agon.db")).unwrap();
        Connection::open(folder.join("agon.db")).unwrap()
    }
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_agon")).parent().unwrap().to_owned()
}
