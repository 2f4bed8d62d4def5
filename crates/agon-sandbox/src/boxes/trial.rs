//! Small attacks, made inside of a box and, as the control, outside: whether the guards of a level hold here.

use std::ffi::CString;
use std::io;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::attacks::{self, World};
use super::boxed_process::{BoxedProcess, Inside, c_string};
use super::roles;
use super::start::Warden;
use crate::levels::{GuardTrial, Isolation};

/// How long all attempts may take.
const BOUND: Duration = Duration::from_secs(20);
/// How long somebody who ticks every millisecond is watched.
const WATCHED: Duration = Duration::from_millis(30);

/// Makes every attempt that a level promises to prevent. `place` is an empty directory of the run.
///
/// # Errors
/// The level is not available, or the machine is out of something.
pub fn try_out(level: Isolation, place: &Path) -> io::Result<Vec<GuardTrial>> {
    let program = std::env::current_exe()?;
    let (outside, inside) = reach_for(place, |world| {
        Ok((outside(&program, world, place)?, inside(&program, world, place, level)?))
    })?;
    let mut trials: Vec<GuardTrial> = attacks::ALL
        .iter()
        .zip(outside.into_iter().zip(inside))
        .filter(|(attempt, _)| attempt.level <= level)
        .map(|(attempt, (outside, inside))| GuardTrial {
            what: attempt.what,
            guard: attempt.guard,
            level: attempt.level,
            outside,
            inside,
        })
        .collect();
    if level.is_boxed() {
        trials.push(thinking_off_turn(&program, place, level)?);
    }
    Ok(trials)
}

/// The same inside alone, before a run: every attack that works though its level promises that it does not, with the
/// guard that should have prevented it.
///
/// # Errors
/// As [`try_out`].
pub fn breaches(level: Isolation, place: &Path) -> io::Result<Vec<(&'static str, &'static str)>> {
    let program = std::env::current_exe()?;
    let answers = reach_for(place, |world| inside(&program, world, place, level))?;
    let promised = attacks::ALL.iter().zip(answers).filter(|(attempt, _)| attempt.level <= level);
    Ok(promised
        .filter(|(_, answer)| answer.is_ok())
        .map(|(attempt, _)| (attempt.what, attempt.guard))
        .collect())
}

/// Puts up what attempts reach for while this is done.
fn reach_for<T>(place: &Path, act: impl FnOnce(&World) -> io::Result<T>) -> io::Result<T> {
    let file = place.join("yours");
    std::fs::write(&file, "yours\n")?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let name = format!("agon-doctor-{}", std::process::id());
    let _by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
    let pid = i32::try_from(std::process::id()).map_err(io::Error::other)?;
    let file = file.to_string_lossy().into_owned();
    act(&World { file, port: listener.local_addr()?.port(), name, pid })
}

type AttemptResult = Result<(), String>;

/// The same program, as it is started by whoever likes.
fn outside(program: &Path, world: &World, place: &Path) -> io::Result<Vec<AttemptResult>> {
    let output = Command::new(program)
        .arg(roles::ATTACKS)
        .args(world.words())
        .current_dir(place)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    answers(&output.stdout)
}

fn inside(program: &Path, world: &World, place: &Path, level: Isolation) -> io::Result<Vec<AttemptResult>> {
    let boxed = BoxedProcess::start(&words_of(program, &world.words())?, place, level, attacks::LIMITS)?;
    let mut said = Vec::new();
    boxed.read(BOUND, &mut said)?;
    answers(&said)
}

/// agon itself as the boxed, with these words after the one that makes it try.
fn words_of(program: &Path, words: &[String]) -> io::Result<Inside> {
    let program = c_string(program)?;
    let all = [roles::ATTACKS].into_iter().chain(words.iter().map(String::as_str));
    let words = all.map(CString::new).collect::<Result<_, _>>().map_err(io::Error::other)?;
    Ok(Inside { program: program.clone(), words, environment: Vec::new(), shown: vec![program] })
}

/// One line an attempt; a process that was ended in the middle has been kept from the rest.
fn answers(said: &[u8]) -> io::Result<Vec<AttemptResult>> {
    let said = String::from_utf8_lossy(said);
    let mut answers: Vec<AttemptResult> = said
        .lines()
        .map(|line| match line.strip_prefix("refused ") {
            Some(why) => Err(why.to_owned()),
            None => Ok(()),
        })
        .collect();
    if answers.is_empty() {
        return Err(io::Error::other("the attempts ended without a word"));
    }
    answers.resize(attacks::ALL.len(), Err("it was ended before".to_owned()));
    Ok(answers)
}

/// Whether whoever is stopped is stopped: it is watched before, meanwhile and afterwards.
fn thinking_off_turn(program: &Path, place: &Path, level: Isolation) -> io::Result<GuardTrial> {
    let mut boxed =
        BoxedProcess::start(&words_of(program, &[attacks::TICK.to_owned()])?, place, level, attacks::LIMITS)?;
    let count = |boxed: &BoxedProcess| -> io::Result<usize> {
        let mut ticks = Vec::new();
        boxed.read(WATCHED, &mut ticks)?;
        Ok(ticks.len())
    };
    let before = count(&boxed)?;
    boxed.warden(Warden::freeze);
    sleep(WATCHED); // until it has been stopped
    count(&boxed)?; // what it had written by then
    let meanwhile = count(&boxed)?;
    boxed.warden(|warden| _ = warden.thaw());
    let afterwards = count(&boxed)?;
    Ok(GuardTrial {
        what: "think in the other's time",
        guard: "frozen off turn",
        level: Isolation::Sandbox,
        outside: if before > 0 { Ok(()) } else { Err("it did nothing before it was stopped".to_owned()) },
        inside: match (meanwhile, afterwards) {
            (0, 1..) => Err("it was stopped".to_owned()),
            (0, 0) => Err("it was stopped, and did not go on".to_owned()),
            _ => Ok(()),
        },
    })
}
