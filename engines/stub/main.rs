//! The engine that misbehaves on request: `agon-stub MODE [options] SIDE ROWS COLUMNS PLANES SECONDS`.
//!
//! Each mode is one attack on the harness, and [`Mode::verdict`] says what the harness must make of it.
//! `agon-stub --list` prints them all, two spaces or more between the columns. The verdicts hold for the options
//! as they are by default, in either seat, at one second a move or more, against an opponent that plays words
//! and thinks for 100 ms or so (`agon-stub last-moment --word --ms 100`); `a | b` means that either is right.
//!
//! Everything is bounded. The process ends by an alarm after `--life` seconds (120), each process it forks after
//! 30, counts and sizes have the limits shown, and nothing outside the working directory is changed. Only
//! `stop-parent` and `kill-parent` reach out, to the parent, and so they refuse to run from a terminal.

mod honest;
mod life;
mod output;
mod processes;
mod resources;
mod sys;
mod talk;

use std::collections::BTreeMap;
use std::io;
use std::process::ExitCode;

use honest::Stub;

/// One way to misbehave.
struct Mode {
    name: &'static str,
    /// The termination word that the harness must write.
    verdict: &'static str,
    /// The attack of the list of attacks that it is, or `-`.
    attack: &'static str,
    /// What it does, in one line.
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
    Mode { name, verdict, attack, what, run }
}

fn modes() -> impl Iterator<Item = &'static Mode> {
    [honest::MODES, output::MODES, life::MODES, processes::MODES, resources::MODES, talk::MODES]
        .into_iter()
        .flatten()
}

/// What the options may be called; all but `--word` take a whole number.
const OPTIONS: [&str; 9] = ["ms", "finish-ms", "move", "count", "mb", "code", "number", "depth", "life"];

/// The options of the command line by name; `--word` is 1.
#[derive(Default)]
struct Options(BTreeMap<String, u64>);

impl Options {
    fn number(&self, name: &str, default: u64) -> u64 {
        self.0.get(name).copied().unwrap_or(default)
    }
}

fn main() -> ExitCode {
    // Not `args`, which panics when the path of the program is no UTF-8.
    let arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let arguments: Vec<String> = arguments.collect();
    if arguments == ["--list"] {
        for Mode { name, verdict, attack, what, .. } in modes() {
            println!("{name:<22}  {verdict:<28}  {attack:<4}  {what}");
        }
        return ExitCode::SUCCESS;
    }
    match read(&arguments) {
        Ok((mode, mut stub)) => {
            sys::alarm(u32::try_from(stub.options.number("life", 120)).unwrap_or(u32::MAX));
            // An error here is a pipe that the harness has closed: there is nobody left to misbehave for.
            let _ = (mode.run)(&mut stub);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("agon-stub: {why}; usage: agon-stub MODE [options] SIDE [ROWS COLUMNS PLANES SECONDS]");
            ExitCode::from(2)
        }
    }
}

/// The mode and the player that the command line asks for.
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
    let [name, side, ..] = &words[..] else { return Err("a mode and a side are needed".to_owned()) };
    let mode = modes().find(|mode| mode.name == name.as_str());
    let mode = mode.ok_or(format!("there is no mode {name:?}; agon-stub --list names them"))?;
    Ok((mode, Stub::new((*side).clone(), options)))
}
