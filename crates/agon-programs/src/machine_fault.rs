//! The faults of this machine: why it could not build or start what somebody handed in. They are no
//! faults of its author.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use agon_printable::escape;
use agon_sandbox::shortage;

use super::called;
use super::engine_file::{self, EngineFile};
use super::extent::{self, FolderLimits};
use super::first_line::{ByEnv, FirstLine};
use super::libraries::{self, MissedLibrary};
use super::program;
use super::tool_output::tool_output;
use super::tools;

/// Room on a disk that counts as none.
const NO_ROOM: u64 = 16 << 20;

/// What a compiler has in a place of its own.
const INNER: [&str; 3] = ["cc1", "cc1plus", "collect2"];

/// How long a compiler may take to say where a part of it is.
const ASKED: Duration = Duration::from_secs(10);

/// Who has written the command of a build.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Maker {
    /// Agon: it starts a compiler, and nothing of the submission.
    Agon,
    /// The author of the submission, in a Makefile or an `engine.toml`.
    Author,
}

/// What this machine lacks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
pub enum MachineFault {
    /// A compiler or an interpreter is not installed: its name.
    #[error("{0} is not on this machine (not found in PATH)")]
    Lacks(String),
    /// A well-known library is not installed.
    #[error("{} is not on this machine ({} has it)", .0.what, .0.package)]
    LacksLibrary(MissedLibrary),
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
pub struct MachineFaults {
    of: BTreeMap<MachineFault, Vec<String>>,
    /// What the organiser may do instead of mending the machine.
    instead: Option<&'static str>,
    /// Whether the aliases are engines of the organiser's, and not submissions.
    are_engines: bool,
}

impl MachineFaults {
    /// None yet, of engines of the organiser's.
    pub fn of_engines() -> Self {
        MachineFaults { are_engines: true, ..MachineFaults::default() }
    }

    /// How many aliases are concerned.
    pub fn count(&self) -> usize {
        self.of.values().map(Vec::len).sum()
    }

    /// Adds the fault that concerns this alias.
    pub fn add(&mut self, fault: &MachineFault, alias: &str) {
        self.of.entry(fault.clone()).or_default().push(alias.to_owned());
    }

    /// Says what the organiser may do instead.
    #[must_use]
    pub fn or_else(self, instead: &'static str) -> Self {
        MachineFaults { instead: Some(instead), ..self }
    }

    /// Goes on if there are none.
    ///
    /// # Errors
    /// There are some.
    pub fn none(self) -> Result<(), MachineFaults> {
        if self.of.is_empty() { Ok(()) } else { Err(self) }
    }

    /// What the organiser can do.
    pub fn hint(&self) -> String {
        let lacks = |fault: &MachineFault| match fault {
            MachineFault::Lacks(tool) => Some(tool.clone()),
            MachineFault::LacksLibrary(library) => Some(library.package.clone()),
            MachineFault::Short(_) => None,
        };
        let mut tools: Vec<String> = self.of.keys().filter_map(lacks).collect();
        let more = tools.len() < self.of.len();
        tools.dedup();
        let instead = self.instead.map_or(String::new(), |instead| format!("; or {instead}"));
        let hint = match (tools.is_empty(), more) {
            (true, _) => "make room, or end other programs, and give the command again".to_owned(),
            (false, false) => format!("install {}, and give the command again", tools.join(" and ")),
            (false, true) => {
                format!("install {}, see to the rest, and give the command again", tools.join(" and "))
            }
        };
        hint + &instead
    }
}

impl fmt::Display for MachineFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.count();
        let noun = if self.are_engines { "engine" } else { "submission" };
        let what = if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") };
        write!(f, "this machine could not build or try {what}, so nobody knows whether it works")?;
        for (fault, aliases) in &self.of {
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
            MachineFault::LacksLibrary(MissedLibrary { package, .. }) => {
                format!("install {package}, and give the command again")
            }
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
        let is_inner = INNER.contains(&name);
        let is_missing = tools::is_known(name)
            && program::find(Path::new(name)).is_err()
            && !(is_inner && compiler_has(name));
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

    /// A known tool or library that was not found: this machine does not have it, the files of the
    /// folder ask for it, and it was missed in what was written. What was written proves nothing
    /// alone: a program prints what it likes.
    pub fn told_in(log: &str, folder: &Path) -> Option<Self> {
        let tool = missing_in(log).into_iter().find(|tool| called::starts(folder, tool));
        tool.map(MachineFault::Lacks)
            .or_else(|| libraries::missed(log, folder).map(MachineFault::LacksLibrary))
    }

    /// The same of a build. Compilers that agon has started itself may miss parts of their own,
    /// which no file of the submission names.
    pub(super) fn of_build(log: &str, folder: &Path, maker: Maker) -> Option<Self> {
        let is_part = |tool: &String| match tool.as_str() {
            inner if INNER.contains(&inner) => true,
            "cc" | "ld" | "as" => maker == Maker::Agon,
            _ => false,
        };
        Self::told_in(log, folder)
            .or_else(|| missing_in(log).into_iter().find(is_part).map(MachineFault::Lacks))
    }

    /// Whether a compiler that agon has started was killed by nobody of ours, as a guard of memory
    /// does: by how it has ended, or by what its driver writes. What else a submission starts may
    /// end itself so. When the kernel kills for memory, agon sees that without any words.
    pub(super) fn of_killed(why: &str, log: &str, maker: Maker) -> Option<Self> {
        let of_driver = |line: &str| {
            let told = line.split_once(": fatal error: Killed signal terminated program ");
            told.is_some_and(|(driver, part)| tools::is_known(driver) && !part.contains([' ', ':']))
        };
        let is_killed =
            why.contains("signal: 9 ") || why.contains("exit status: 137") || log.lines().any(of_driver);
        (maker == Maker::Agon && is_killed).then(|| {
            let words = "its build was killed, as the system does when memory is short";
            MachineFault::Short(words.to_owned())
        })
    }

    /// Whether a build has found no room on a disk that is full now, and that is not one of a box.
    pub(super) fn of_disk(log: &str, folder: &Path) -> Option<Self> {
        const TOLD: [&str; 2] = ["No space left on device", "Disk quota exceeded"];
        let told = TOLD.into_iter().find(|told| log.contains(told))?;
        // Who fills a disk has no right to room.
        if matches!(extent::check(folder, FolderLimits::SUBMISSION, &|_| false), Ok(Err(_))) {
            return None;
        }
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

/// The known tools that a shell, make, env or a compiler says it has not found, and that this
/// machine does not have.
fn missing_in(log: &str) -> Vec<String> {
    const SAID: [&str; 5] =
        ["not found", "no such file or directory", "error trying to exec", "cannot execute", "can't find"];
    let is_said = |line: &&str| {
        let line = line.to_lowercase();
        SAID.iter().any(|said| line.contains(said))
    };
    // Who says it stands before the name.
    let named = log.lines().filter(is_said).flat_map(|line| names(line).into_iter().rev());
    let missing = named.filter_map(MachineFault::lacks).filter_map(|fault| match fault {
        MachineFault::Lacks(tool) => Some(tool),
        MachineFault::LacksLibrary(_) | MachineFault::Short(_) => None,
    });
    missing.collect()
}

/// Whether the compiler knows where this part of it is.
fn compiler_has(part: &str) -> bool {
    let driver = if part == "cc1plus" { "c++" } else { "cc" };
    let Ok(driver) = program::find(Path::new(driver)) else { return false };
    let asked = format!("-print-prog-name={part}");
    let said = tool_output(Command::new(driver).arg(asked).current_dir("/"), ASKED);
    said.is_ok_and(|said| Path::new(String::from_utf8_lossy(&said.stdout).trim()).is_absolute())
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
        let [calls, prints] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        std::fs::write(calls.path().join("Makefile"), "bot:\n\tswipl -o bot bot.pl\n").unwrap();
        let printing = "bot:\n\t@echo make: swipl: No such file or directory; exit 127\n";
        std::fs::write(prints.path().join("Makefile"), printing).unwrap();
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
            // A build may print that: it is believed where the submission starts the tool.
            assert_eq!(MachineFault::told_in(&log, prints.path()), None, "{line}");
            let fault = MachineFault::told_in(&log, calls.path());
            assert_eq!(fault, Some(MachineFault::Lacks(NOWHERE.to_owned())), "{line}");
        }
        for line in [
            "a.c:1:10: fatal error: swipl.h: No such file or directory",
            "sh: 1: my-own-tool: not found",
            "sh: 1: sh: not found",
            "swipl: a note",
            "no way to swipl: not found in my table",
        ] {
            assert_eq!(MachineFault::told_in(line, calls.path()), None, "{line}");
        }
    }

    #[test]
    fn a_build_that_was_killed_from_outside_is_told_from_one_that_failed() {
        let killed = |why: &str, log: &str| MachineFault::of_killed(why, log, Maker::Agon).is_some();
        let of_driver = "c++: fatal error: Killed signal terminated program cc1plus\n";
        assert!(killed("its build (cc) failed with signal: 9 (SIGKILL)", ""));
        assert!(killed("it failed (exit status: 137)", ""));
        assert!(killed("it failed", of_driver));
        assert!(!killed("it failed (signal: 11 (SIGSEGV))", "make: *** [Makefile:2: all] Error 1\n"));
        // A source, and a file with such a name.
        assert!(!killed(
            "it failed",
            "a.c:1:2: error: #error c++: fatal error: Killed signal terminated program x"
        ));
        assert!(!killed("it failed", "cc: fatal error: Killed signal terminated program x.c:1:2: error: y"));
        // What a Makefile starts may print it, or end itself so.
        assert_eq!(MachineFault::of_killed("it failed (exit status: 137)", of_driver, Maker::Author), None);
    }

    #[test]
    fn a_part_of_a_compiler_that_is_there_is_not_missed() {
        let home = tempfile::tempdir().unwrap();
        let log = "cc: fatal error: cannot execute 'cc1': execvp: No such file or directory\n";
        if program::find(Path::new("cc")).is_ok() && compiler_has("cc1") {
            assert_eq!(MachineFault::of_build(log, home.path(), Maker::Agon), None);
        }
        assert_eq!(MachineFault::of_build("swipl: not found\n", home.path(), Maker::Agon), None);
    }

    #[test]
    fn a_full_disk_is_believed_only_if_it_is_full() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(MachineFault::of_disk("ld: No space left on device\n", home.path()), None);
        let room = |path: &str| rustix::fs::statvfs(path).is_ok_and(|about| about.f_bavail == 0);
        if room("/proc") {
            let small = Path::new("/proc/sys/kernel/random");
            let fault = MachineFault::of_disk("ld: No space left on device\n", small);
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
