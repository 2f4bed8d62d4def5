//! The engine that misbehaves on request: `agon-stub MODE [options] SIDE ROWS COLUMNS PLANES
//! SECONDS`.
//!
//! Each mode is one attack on the harness. Its row holds the expected verdicts at each isolation
//! level, and the level from which the attack must not work. `agon-stub --list` prints all rows,
//! separated by tabs.
//!
//! The verdicts hold for the default options, in either seat, at one second a move or more. Levels
//! with limits use `--memory 128M --disk 32M --processes 64 --cpu-time 5`. The opponent plays words
//! and thinks for about 100 ms (`agon-stub last-moment --word --ms 100`). `a | b` means that either
//! is right.
//!
//! A mode that tries something reports on stderr: `attack E13: worked (tcp)`, or `refused`, or `not
//! tried` if it would have hurt others. Files to change and ports to reach come from its
//! environment, where a test has put them.
//!
//! Everything is bounded. The process ends by an alarm after `--life` seconds (120), each process
//! it forks after 30, and counts and sizes have the limits shown. Outside the working directory it
//! changes only what a test has named, and files or keys with the test's token in their names. It
//! removes these, or they expire. Modes that send signals out refuse to run from a terminal.

mod chat;
mod disk;
mod escapes;
mod honest;
mod kernel;
mod life;
mod memory;
mod neighbours;
mod network;
mod output;
mod processes;
mod resources;
mod snoop;
mod sys;
mod talk;
mod tamper;
mod tried;

use std::collections::BTreeMap;
use std::io;
use std::process::ExitCode;

use honest::Stub;

/// The isolation levels with a helper, the lowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    None,
    Limits,
    Sandbox,
    Strict,
}

impl Level {
    const ALL: [Level; 4] = [Level::None, Level::Limits, Level::Sandbox, Level::Strict];

    fn name(self) -> &'static str {
        match self {
            Level::None => "none",
            Level::Limits => "limits",
            Level::Sandbox => "sandbox",
            Level::Strict => "strict",
        }
    }
}

/// One kind of misbehaviour.
struct Mode {
    name: &'static str,
    /// The termination that the harness must record at `none`. It is `no result` if the attack ends
    /// the harness, and `any` if it may make the opponent lose.
    verdict: &'static str,
    /// Other verdicts at higher levels.
    later: &'static [(Level, &'static str)],
    /// The lowest level at which the attack must not work; `None` if there is nothing to prevent.
    blocked: Option<Level>,
    /// Its number in the list of attacks, or `-`.
    attack: &'static str,
    /// A description in one line.
    what: &'static str,
    run: fn(&mut Stub) -> io::Result<()>,
}

/// A row of the table of modes.
const fn mode(
    name: &'static str,
    verdict: &'static str,
    attack: &'static str,
    what: &'static str,
    run: fn(&mut Stub) -> io::Result<()>,
) -> Mode {
    Mode { name, verdict, later: &[], blocked: None, attack, what, run }
}

impl Mode {
    /// The attack does not work from this level on.
    const fn blocked(self, level: Level) -> Self {
        Mode { blocked: Some(level), ..self }
    }

    /// Other verdicts, each from its level on.
    const fn later(self, later: &'static [(Level, &'static str)]) -> Self {
        Mode { later, ..self }
    }

    fn verdict_at(&self, level: Level) -> &'static str {
        let mut at_or_below = self.later.iter().filter(|(from, _)| *from <= level);
        at_or_below.next_back().map_or(self.verdict, |(_, verdict)| verdict)
    }

    /// Its row: attack, name, the level that must block it, one verdict per level, description.
    fn row(&self) -> String {
        let blocked = self.blocked.map_or("-", Level::name);
        let verdicts = Level::ALL.map(|level| self.verdict_at(level)).join("\t");
        format!("{}\t{}\t{blocked}\t{verdicts}\t{}", self.attack, self.name, self.what)
    }
}

fn modes() -> impl Iterator<Item = &'static Mode> {
    [
        honest::MODES,
        output::MODES,
        life::MODES,
        processes::MODES,
        memory::MODES,
        disk::MODES,
        resources::MODES,
        escapes::MODES,
        snoop::MODES,
        tamper::MODES,
        network::MODES,
        chat::MODES,
        kernel::MODES,
        talk::MODES,
    ]
    .into_iter()
    .flatten()
}

/// The names of the options; all but `--word` take a whole number.
const OPTIONS: [&str; 9] = ["ms", "finish-ms", "move", "count", "mb", "code", "number", "depth", "life"];

/// The options of the command line by name; `--word` is 1.
#[derive(Clone, Default)]
struct Options(BTreeMap<String, u64>);

impl Options {
    fn number(&self, name: &str, default: u64) -> u64 {
        self.0.get(name).copied().unwrap_or(default)
    }
}

pub(crate) fn main() -> ExitCode {
    // Not `args`, which panics if the path of the program is not UTF-8.
    let arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let arguments: Vec<String> = arguments.collect();
    if arguments == ["--list"] {
        modes().for_each(|mode| println!("{}", mode.row()));
        return ExitCode::SUCCESS;
    }
    match read(&arguments) {
        Ok((mode, mut stub)) => {
            sys::alarm(u32::try_from(stub.options.number("life", 120)).unwrap_or(u32::MAX));
            // An error here is a pipe that the harness has closed, so the game is over.
            let _ = (mode.run)(&mut stub);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("agon-stub: {why}; usage: agon-stub MODE [options] SIDE [ROWS COLUMNS PLANES SECONDS]");
            ExitCode::from(2)
        }
    }
}

/// The mode and the player of the command line.
fn read(arguments: &[String]) -> Result<(&'static Mode, Stub), String> {
    let mut options = Options::default();
    let mut words = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.strip_prefix("--") {
            None => words.push(argument),
            Some("word") => _ = options.0.insert("word".to_owned(), 1),
            Some(name) if OPTIONS.contains(&name) => {
                let number = rest.next().and_then(|value| value.parse().ok());
                options.0.insert(name.to_owned(), number.ok_or(format!("--{name} takes a whole number"))?);
            }
            Some(name) => return Err(format!("there is no option --{name}")),
        }
    }
    let [name, side, ..] = &words[..] else { return Err("the mode or the side is missing".to_owned()) };
    let mode = modes().find(|mode| mode.name == name.as_str());
    let mode = mode.ok_or(format!("there is no mode {name:?}; agon-stub --list lists them"))?;
    Ok((mode, Stub::new((*side).clone(), options)))
}
