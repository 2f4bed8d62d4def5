//! What is needed to start an engine.

use std::ffi::CString;
use std::time::Duration;

use crate::config::Confinement;

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
    /// Whether it carries the pipes of an engine elsewhere, so that it is not stopped in a pause: the connection would
    /// break.
    pub is_elsewhere: bool,
    /// What its lines that are not finished mean.
    pub prompts: Prompts,
}

/// The meaning of a line that a process leaves unfinished while it waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Prompts {
    /// None: only lines count.
    #[default]
    Ignored,
    /// It is a prompt, which ends when something is told.
    Heard,
    /// The same. What is written before its turn is heard in it, because it is told nothing without a prompt.
    Awaited,
}
