//! What confinement costs. `cargo bench --bench isolation` starts an engine that echoes lines at
//! every available level, and plays plies with it, all on one core. Nothing is asserted. The aims
//! are a start in agon's own box under 4 ms and a ply in it under 1.3 times one without a box. On a
//! shared machine, root runs it with `chrt -f 10`.

#[path = "harness/figures.rs"]
mod figures;

use std::collections::BTreeMap;
use std::ffi::CString;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agon_config::Confinement;
use agon_match::processes::{
    EngineStart, GameProcesses, GameTerms, InPause, Limits, Patience, Scratch, Setup,
};
use agon_programs::sandbox;
use agon_sandbox::Isolation;
use agon_seats::Seat;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

const STARTS: usize = 50;
const PLIES: u32 = 500;
const ROUNDS: usize = 50;

/// How an engine is started; without a confinement, it is a plain child process.
type Way = (&'static str, Option<Confinement>);

fn main() {
    agon_sandbox::become_helper();
    pin();
    let ways = ways();
    // In turns, so that a busy moment of the machine affects all alike.
    let mut starts: Vec<_> = ways.iter().map(|_| (Vec::new(), Vec::new())).collect();
    let mut plies: Vec<_> = ways.iter().map(|_| Vec::new()).collect();
    for _ in 0..STARTS {
        for ((_, way), times) in ways.iter().zip(&mut starts) {
            let (started, ended) = start(way.as_ref());
            times.0.push(started);
            times.1.push(ended);
        }
    }
    for _ in 0..ROUNDS {
        for ((_, way), times) in ways.iter().zip(&mut plies) {
            times.push(ply(way.as_ref()));
        }
    }
    let plies: Vec<f64> = plies.into_iter().map(|times| micros(median(times))).collect();
    println!(
        "{:<10} {:>10} {:>14} {:>12} {:>8} {:>8}",
        "level", "start ms", "start and end", "us a ply", "of bare", "of none"
    );
    let mut kept = BTreeMap::new();
    for (((name, _), (started, ended)), ply) in ways.iter().zip(starts).zip(&plies) {
        let (started, ended) = (micros(median(started)) / 1e3, micros(median(ended)) / 1e3);
        let (bare, none) = (ply / plies[0], ply / plies[1]);
        println!("{name:<10} {started:>10.2} {ended:>14.2} {ply:>12.2} {bare:>8.2} {none:>8.2}");
        let figures = [("start, ms", started), ("start and end, ms", ended), ("us a ply", *ply)];
        kept.extend(figures.map(|(what, figure)| (format!("isolation, {name}, {what}"), figure)));
    }
    figures::keep(kept);
}

/// Every way that is available on this machine.
fn ways() -> Vec<Way> {
    let own = |level| Confinement { level, ..Confinement::default() };
    let mut all: Vec<Way> = vec![("bare pipe", None)];
    all.extend(Isolation::ALL.map(|level| (name(level), Some(own(level)))));
    let (_home, scratch) = scratch();
    let empty = scratch.directory("", "", Vec::new()).expect("there is room in the temporary directory");
    all.retain(|(name, way)| {
        let missing = way.as_ref().and_then(|way| sandbox::available(way, empty.path()).err());
        missing.inspect(|why| eprintln!("{name} is left out: {why}")).is_none()
    });
    all
}

fn name(level: Isolation) -> &'static str {
    match level {
        Isolation::None => "none",
        Isolation::Limits => "limits",
        Isolation::Sandbox => "sandbox",
        Isolation::Strict => "strict",
    }
}

/// A process that wakes another one hands over the core, and the distance between cores does not
/// matter.
fn pin() {
    let allowed = sched_getaffinity(None).expect("this process has cores");
    let last = (0..CpuSet::MAX_CPU).rev().find(|core| allowed.is_set(*core)).expect("there is one");
    let mut one = CpuSet::new();
    one.set(last);
    sched_setaffinity(None, &one).expect("it was allowed already");
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Starts it, reads its first answer, then `more` others. Returns the time to the first, and of the
/// rest.
fn bare(more: u32) -> (Duration, Duration, Duration) {
    let begin = Instant::now();
    let mut child = Command::new("/bin/cat")
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("there is a cat");
    let (mut to, mut from) =
        (child.stdin.take().expect("it is piped"), child.stdout.take().expect("it is piped"));
    let mut echo = || {
        to.write_all(b"a move\n").expect("cat reads");
        from.read_exact(&mut [0; 7]).expect("cat gives back what it is told");
    };
    echo();
    let started = begin.elapsed();
    let again = Instant::now();
    (0..more).for_each(|_| echo());
    let played = again.elapsed();
    drop(to);
    child.wait().expect("it is ours");
    (started, played, begin.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn table(confinement: &Confinement, scratch: &Scratch) -> (GameProcesses, agon_match::processes::WorkDir) {
    let own = scratch.directory("cat", "", Vec::new()).expect("there is room in the temporary directory");
    let boxed = confinement.level.is_boxed();
    let setup = Setup {
        program: c"/bin/cat".to_owned(),
        arguments: vec![c"cat".to_owned()],
        environment: Vec::new(),
        directory: if boxed { CString::new(agon_sandbox::OWN).expect("it has no NUL") } else { own.c_path() },
        is_in_its_folder: false,
        files: own.c_path(),
        shown: Vec::new(),
        confinement: confinement.clone(),
        greeting: Vec::new(),
        single: false,
        grace: agon_protocol::GRACE,
        lenient: false,
        pty: false,
        has_helpers: false,
        in_pause: InPause::Stopped,
        prompts: agon_match::processes::Prompts::Ignored,
    };
    let terms = GameTerms {
        margin: Duration::ZERO,
        bank: Duration::ZERO,
        startup: Duration::from_secs(5),
        search: agon_seats::SearchLimits::default(),
        confinement: confinement.clone(),
    };
    let limits = Limits::new(terms, None);
    let mut processes = GameProcesses::new(vec![EngineStart::Later(Box::new(setup))], limits);
    processes.start(Seat::FIRST).expect("an engine can be started");
    (processes, own)
}

fn echo(table: &mut GameProcesses) {
    table.tell(Seat::FIRST, b"a move\n");
    table.ask(Seat::FIRST, Duration::from_secs(5));
    table.hear().expect("cat gives back what it is told");
}

/// The time to the first answer, and until the process has ended.
fn start(way: Option<&Confinement>) -> (Duration, Duration) {
    let Some(confinement) = way else {
        let (started, _, ended) = bare(0);
        return (started, ended);
    };
    let scratch = scratch();
    let begin = Instant::now();
    let (mut table, _own) = table(confinement, &scratch.1);
    echo(&mut table);
    let started = begin.elapsed();
    table.close(Patience::All);
    (started, begin.elapsed())
}

fn ply(way: Option<&Confinement>) -> Duration {
    let Some(confinement) = way else { return bare(PLIES).1 / PLIES };
    let scratch = scratch();
    let (mut table, _own) = table(confinement, &scratch.1);
    echo(&mut table);
    let begin = Instant::now();
    for _ in 0..PLIES {
        echo(&mut table);
    }
    let each = begin.elapsed() / PLIES;
    table.close(Patience::All);
    each
}

fn scratch() -> (tempfile::TempDir, Scratch) {
    let home = tempfile::tempdir().expect("there is a temporary directory");
    let scratch = Scratch::create(&home.path().join("run")).expect("it is new");
    (home, scratch)
}
