//! The faults of this machine: why it could not build or start what somebody handed in. They are no
//! faults of its author.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use agon_printable::escape;
use agon_sandbox::shortage;

use super::engine_file::{self, EngineFile};
use super::first_line::{ByEnv, FirstLine};
use super::program;
use super::tools;

/// Room on a disk that counts as none.
const NO_ROOM: u64 = 16 << 20;

/// What this machine lacks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
pub enum MachineFault {
    /// A compiler or an interpreter is not installed: its name.
    #[error("{0} is not on this machine (not found in PATH)")]
    Lacks(String),
    /// It is short of something, or a box could not be made; in words.
    #[error("{0}")]
    Short(String),
}

/// Why there is no engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoEngine {
    /// The fault of its author, in words for the author.
    Author(String),
    /// The fault of this machine: nobody knows whether there would be an engine.
    Machine(MachineFault),
}

/// The faults of this machine, each with the aliases of those whose submissions it concerns.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MachineFaults(BTreeMap<MachineFault, Vec<String>>);

impl MachineFaults {
    /// Adds the fault that concerns this alias.
    pub fn add(&mut self, fault: &MachineFault, alias: &str) {
        self.0.entry(fault.clone()).or_default().push(alias.to_owned());
    }

    /// Goes on if there are none.
    ///
    /// # Errors
    /// There are some.
    pub fn none(self) -> Result<(), MachineFaults> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }

    /// What the organiser can do.
    pub fn hint(&self) -> String {
        let lacks = |fault: &MachineFault| match fault {
            MachineFault::Lacks(tool) => Some(tool.clone()),
            MachineFault::Short(_) => None,
        };
        let tools: Vec<String> = self.0.keys().filter_map(lacks).collect();
        let more = tools.len() < self.0.len();
        match (tools.is_empty(), more) {
            (true, _) => "make room, or end other programs, and give the command again".to_owned(),
            (false, false) => format!("install {}, and give the command again", tools.join(" and ")),
            (false, true) => {
                format!("install {}, see to the rest, and give the command again", tools.join(" and "))
            }
        }
    }
}

impl fmt::Display for MachineFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count: usize = self.0.values().map(Vec::len).sum();
        let what = if count == 1 { "1 submission" } else { &format!("{count} submissions") };
        write!(f, "this machine could not build or try {what}, so nobody knows whether it works")?;
        for (fault, aliases) in &self.0 {
            write!(f, "\n  {fault}: {}", aliases.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for MachineFaults {}

impl MachineFault {
    /// What the organiser can do.
    pub fn hint(&self) -> String {
        match self {
            MachineFault::Lacks(tool) => format!("install {tool}, and give the command again"),
            MachineFault::Short(_) => {
                "make room, or end other programs, and give the command again".to_owned()
            }
        }
    }

    /// The fault behind an error of the operating system, if the machine is short of something.
    pub fn of(what: &str, error: &io::Error) -> Option<Self> {
        shortage::is_of_machine(error).then(|| MachineFault::Short(format!("{what}: {error}")))
    }

    /// A known tool of this name that is not on this machine.
    pub(super) fn lacks(name: &str) -> Option<Self> {
        let is_missing = tools::is_known(name) && program::find(Path::new(name)).is_err();
        is_missing.then(|| MachineFault::Lacks(escape(name.as_bytes(), 60)))
    }

    /// What the `engine.toml` of a folder names and this machine does not have.
    pub(super) fn of_settings(folder: &Path) -> Option<Self> {
        let text = engine_file::text(&folder.join("engine.toml")).ok()?;
        let file = EngineFile::parse(&text).ok()?;
        let lists = [file.command, file.build, file.echo];
        let mut first = lists.iter().flatten().filter_map(|words| words.first());
        first.find_map(|word| if folder.join(word).is_file() { None } else { Self::lacks(word) })
    }

    /// The interpreter that a script names and this machine does not have.
    pub(super) fn of_script(script: &Path) -> Option<Self> {
        use std::io::Read;
        // A FIFO would keep us waiting.
        if !std::fs::metadata(script).ok()?.is_file() {
            return None;
        }
        let mut head = Vec::new();
        std::fs::File::open(script).ok()?.take(256).read_to_end(&mut head).ok()?;
        let line = FirstLine::of(&head)?;
        let named = match line.by_env {
            Some(ByEnv::Name(name)) => name,
            Some(ByEnv::Path(path)) => path,
            Some(ByEnv::OneWord(_) | ByEnv::Unknown) => return None,
            None => line.interpreter,
        };
        if named.exists() && named.components().count() > 1 {
            return None;
        }
        Self::lacks(named.file_name()?.to_str()?)
    }

    /// A known tool that a shell, make, env or a compiler did not find, by what they wrote, and
    /// that this machine does not have.
    pub fn told_in(log: &str) -> Option<Self> {
        const SAID: [&str; 5] = [
            "not found",
            "no such file or directory",
            "error trying to exec",
            "cannot execute",
            "can't find",
        ];
        let is_said = |line: &&str| {
            let line = line.to_lowercase();
            SAID.iter().any(|said| line.contains(said))
        };
        // Who says it stands before the name.
        log.lines().filter(is_said).find_map(|line| names(line).into_iter().rev().find_map(Self::lacks))
    }

    /// Whether a build was killed by nobody of ours, as the system does when memory is short: by
    /// how it has ended, and by what compilers write.
    pub(super) fn of_killed(why: &str, log: &str) -> Option<Self> {
        const TOLD: [&str; 3] = ["Killed signal terminated program", "(signal: 9, SIGKILL", "signal: killed"];
        let is_told = |line: &str| {
            TOLD.iter().any(|told| line.contains(told))
                || line.contains(": *** [") && line.ends_with("] Killed")
        };
        let killed =
            why.contains("signal: 9 ") || why.contains("exit status: 137") || log.lines().any(is_told);
        killed.then(|| {
            let words = "its build was killed, as the system does when memory is short";
            MachineFault::Short(words.to_owned())
        })
    }

    /// Whether a build has found no room on a disk that is full now, and that is not one of a box.
    pub(super) fn of_disk(log: &str, folder: &Path) -> Option<Self> {
        const TOLD: [&str; 2] = ["No space left on device", "Disk quota exceeded"];
        let told = TOLD.into_iter().find(|told| log.contains(told))?;
        let full =
            [folder.to_owned(), std::env::temp_dir(), PathBuf::from("/tmp")].into_iter().find(|place| {
                rustix::fs::statvfs(place.as_path()).is_ok_and(|about| {
                    about.f_bavail.saturating_mul(about.f_frsize) < NO_ROOM
                        || about.f_files > 0 && about.f_favail == 0
                })
            })?;
        let place = if full == folder { "its folder".to_owned() } else { program::display_path(&full) };
        Some(MachineFault::Short(format!("its build found no room in {place}: {told}")))
    }
}

/// The words of a message that may name a program: what stands between colons, or in quotation
/// marks.
fn names(line: &str) -> Vec<&str> {
    const MARKS: [char; 5] = ['\'', '"', '`', '‘', '’'];
    let parts = line.split(':').map(str::trim).filter(|part| !part.contains(' '));
    let quoted = line.split(MARKS).skip(1).step_by(2);
    parts.map(|part| part.trim_matches(MARKS)).chain(quoted).collect()
}

impl fmt::Display for NoEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoEngine::Author(why) => f.write_str(why),
            NoEngine::Machine(fault) => fault.fmt(f),
        }
    }
}

impl From<String> for NoEngine {
    fn from(why: String) -> Self {
        NoEngine::Author(why)
    }
}

impl From<MachineFault> for NoEngine {
    fn from(fault: MachineFault) -> Self {
        NoEngine::Machine(fault)
    }
}

impl NoEngine {
    /// The same with other words for the author.
    pub fn map_words(self, words: impl FnOnce(String) -> String) -> Self {
        match self {
            NoEngine::Author(why) => NoEngine::Author(words(why)),
            machine @ NoEngine::Machine(_) => machine,
        }
    }

    /// An error of the operating system in our own work on a submission: the machine's fault,
    /// unless it is about the names that its author chose.
    pub fn of(what: &str, error: &io::Error) -> Self {
        match MachineFault::of(what, error) {
            Some(fault) => fault.into(),
            None => NoEngine::Author(format!("{what}: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tool that no machine of ours has.
    const NOWHERE: &str = "swipl";

    #[test]
    fn a_tool_that_is_not_here_is_known_by_what_shells_and_compilers_write() {
        if program::find(Path::new(NOWHERE)).is_ok() {
            return;
        }
        for line in [
            "make: swipl: No such file or directory",
            "make[1]: swipl: Command not found",
            "/bin/sh: 1: swipl: not found",
            "./run: 3: exec: swipl: not found",
            "build.sh: line 3: swipl: command not found",
            "zsh:1: command not found: swipl",
            "env: ‘swipl’: No such file or directory",
            "/usr/bin/env: 'swipl': No such file or directory",
            "error: linker `swipl` not found",
            "FileNotFoundError: [Errno 2] No such file or directory: 'swipl'",
            "cc: fatal error: cannot execute 'swipl': execvp: No such file or directory",
        ] {
            let log = format!("first\n{line}\nmake: *** [Makefile:2: all] Error 127\n");
            assert_eq!(MachineFault::told_in(&log), Some(MachineFault::Lacks(NOWHERE.to_owned())), "{line}");
        }
        for line in [
            "a.c:1:10: fatal error: swipl.h: No such file or directory",
            "sh: 1: my-own-tool: not found",
            "sh: 1: sh: not found",
            "swipl: a note",
            "no way to swipl: not found in my table",
        ] {
            assert_eq!(MachineFault::told_in(line), None, "{line}");
        }
    }

    #[test]
    fn a_build_that_was_killed_from_outside_is_told_from_one_that_failed() {
        let killed = |why: &str, log: &str| MachineFault::of_killed(why, log).is_some();
        assert!(killed("its build (cc) failed with signal: 9 (SIGKILL)", ""));
        assert!(killed("it failed (exit status: 137)", ""));
        assert!(killed("it failed", "c++: fatal error: Killed signal terminated program cc1plus\n"));
        assert!(killed("it failed", "make: *** [Makefile:2: all] Killed\n"));
        assert!(!killed("it failed (signal: 11 (SIGSEGV))", "make: *** [Makefile:2: all] Error 1\n"));
        assert!(!killed("it failed (exit status: 2)", "Killed by a stone\n"));
    }

    #[test]
    fn a_full_disk_is_believed_only_if_it_is_full() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(MachineFault::of_disk("ld: No space left on device\n", home.path()), None);
        let room = |path: &str| rustix::fs::statvfs(path).is_ok_and(|about| about.f_bavail == 0);
        if room("/proc") {
            let fault = MachineFault::of_disk("ld: No space left on device\n", Path::new("/proc"));
            assert!(fault.is_some_and(|fault| fault.to_string().contains("found no room in its folder")));
        }
        let full = io::Error::from_raw_os_error(28);
        assert!(matches!(NoEngine::of("it cannot be unpacked", &full), NoEngine::Machine(_)));
        let name = io::Error::from_raw_os_error(36);
        assert!(matches!(NoEngine::of("it cannot be unpacked", &name), NoEngine::Author(_)));
    }

    #[test]
    fn an_interpreter_that_a_script_names_is_looked_for_by_its_name() {
        let home = tempfile::tempdir().unwrap();
        let fault = |line: &str| {
            let script = home.path().join("run");
            std::fs::write(&script, format!("{line}\n")).unwrap();
            MachineFault::of_script(&script)
        };
        if program::find(Path::new(NOWHERE)).is_err() {
            let lacks = Some(MachineFault::Lacks(NOWHERE.to_owned()));
            for line in ["#!/usr/bin/env swipl", "#!/usr/bin/swipl -q", "#!/usr/bin/env -S swipl -q"] {
                assert_eq!(fault(line), lacks, "{line}");
            }
            std::fs::write(home.path().join("engine.toml"), "command = [\"swipl\", \"x.pl\"]\n").unwrap();
            assert_eq!(MachineFault::of_settings(home.path()), lacks);
        }
        for line in ["#!/bin/sh", "#!/usr/bin/env my-own-tool", "#!/opt/x/sh", "no"] {
            assert_eq!(fault(line), None, "{line}");
        }
    }
}
