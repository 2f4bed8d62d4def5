//! What is needed to start an engine.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agon_config::Confinement;
use agon_sandbox::spawn::NotStarted;

/// The variable with the file that shows a pause.
pub const PAUSE_FILE: &str = "AGON_PAUSE_FILE";
/// The variable with the longest pause, in seconds.
pub const LONGEST_PAUSE: &str = "AGON_LONGEST_PAUSE";
/// The variable with the file for the times of an engine elsewhere.
pub const TIMES_FILE: &str = "AGON_TIMES_FILE";
/// The name of that file.
pub(crate) const TIMES: &str = ".times";
/// The name of the file. An engine elsewhere is not sent files with such names.
const PAUSED: &str = ".paused";

/// What is needed to start an engine for one seat of one game.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The program, absolute.
    pub program: CString,
    /// Its arguments; the first is the name it is called by.
    pub arguments: Vec<CString>,
    /// Its whole environment, `NAME=value`.
    pub environment: Vec<CString>,
    /// The directory it is started in, absolute.
    pub directory: CString,
    /// Whether that directory is the engine's own folder.
    pub is_in_its_folder: bool,
    /// The directory with the files of the game, absolute. In a box they are files of the box.
    pub files: CString,
    /// What a box shows besides the system, each file and directory at its own place.
    pub shown: Vec<CString>,
    /// How it is confined, and what it may use.
    pub confinement: Confinement,
    /// What lies in its stdin when it starts.
    pub greeting: Vec<u8>,
    /// Whether it has been seen to have one thread only, so that it is started on the game's core.
    pub single: bool,
    /// How long it may take to leave when its stdin is closed.
    pub grace: Duration,
    /// Whether `\r` alone ends a line of it, and the end of its output the last one.
    pub lenient: bool,
    /// Whether its stdin and stdout are a terminal.
    pub pty: bool,
    /// Whether it runs with helper processes that it cannot end, such as the server of Wine.
    pub has_helpers: bool,
    /// What becomes of it in a pause of the game.
    pub in_pause: InPause,
    /// What its lines that are not finished mean.
    pub prompts: Prompts,
}

/// What becomes of a process in a pause of its game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InPause {
    /// It is stopped.
    Stopped,
    /// It carries the pipes of an engine elsewhere, and goes on: the connection would break.
    GoesOn,
    /// The same, and this file shows it the pause.
    Told(PathBuf),
}

impl Setup {
    /// Whose fault it is that a directory cannot be entered. An engine's own folder is what it or
    /// its author made of it; the directory of a game is ours.
    pub(in crate::processes) fn blamed(&self, error: NotStarted) -> NotStarted {
        let NotStarted::Directory(error) = error else { return error };
        let what = if self.is_in_its_folder { "its folder" } else { "the directory of the game" };
        let named = io::Error::new(error.kind(), format!("{what} cannot be entered: {error}"));
        if self.is_in_its_folder { NotStarted::Program(named) } else { NotStarted::Ours(named) }
    }

    /// Lets a process that goes on in a pause know of pauses: which file shows them, and how long
    /// they are at most.
    pub(in crate::processes) fn tell_of_pauses(&mut self, longest: Duration) {
        if self.in_pause == InPause::GoesOn {
            let file = Path::new(OsStr::from_bytes(self.files.to_bytes())).join(PAUSED);
            let mut set = |name: &str, value: &[u8]| {
                let variable = [name.as_bytes(), b"=", value].concat();
                self.environment.push(CString::new(variable).expect("no part has a NUL"));
            };
            set(PAUSE_FILE, file.as_os_str().as_bytes());
            set(LONGEST_PAUSE, longest.as_secs_f64().to_string().as_bytes());
            self.in_pause = InPause::Told(file);
        }
    }
}

/// The meaning of a line that a process leaves unfinished while it waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Prompts {
    /// None: only lines count.
    #[default]
    Ignored,
    /// It is a prompt, which ends when something is told.
    Heard,
    /// The same. What is written before its turn is heard in it, because it is told nothing without
    /// a prompt.
    Awaited,
}
