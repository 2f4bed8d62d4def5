//! What confinement costs: `cargo bench --bench isolation` starts an engine that echoes lines at each level, and
//! plays plies with it. Nothing is asserted; the aims are a start in a box under 4 ms and a ply under 1.3 times
//! the bare one.

use std::ffi::CString;
use std::time::{Duration, Instant};

use agon::config::{Confinement, Isolation};
use agon::engine::{Limits, Patience, Scratch, Setup, Sitting, Table, sandbox};
use agon::game::Seat;

const STARTS: usize = 50;
const PLIES: u32 = 5_000;

fn main() {
    sandbox::help();
    println!("{:<10} {:>14} {:>14} {:>14}", "level", "start ms", "start and end", "us a ply");
    let levels = [Isolation::None, Isolation::Limits, Isolation::Sandbox];
    // All in turns, so that a busy moment of the machine is everybody's.
    let mut starts = levels.map(|_| (Vec::new(), Vec::new()));
    let mut plies = levels.map(|_| Vec::new());
    for _ in 0..STARTS {
        for (level, times) in levels.iter().zip(&mut starts) {
            let (started, ended) = start(*level);
            times.0.push(started);
            times.1.push(ended);
        }
    }
    for _ in 0..5 {
        for (level, times) in levels.iter().zip(&mut plies) {
            times.push(ply(*level));
        }
    }
    for ((level, (started, ended)), ply) in levels.iter().zip(starts).zip(plies) {
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        let (started, ended, ply) =
            (millis(median(started)), millis(median(ended)), millis(median(ply)) * 1e3);
        println!("{:<10} {started:>14.2} {ended:>14.2} {ply:>14.2}", level.to_string());
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn table(level: Isolation, scratch: &Scratch) -> (Table, agon::engine::WorkDir) {
    let own = scratch.directory("cat", "", Vec::new()).expect("there is room in the temporary directory");
    let boxed = level.is_boxed();
    let setup = Setup {
        program: c"/bin/cat".to_owned(),
        arguments: vec![c"cat".to_owned()],
        environment: Vec::new(),
        directory: if boxed { CString::new(sandbox::OWN).expect("it has no NUL") } else { own.c_path() },
        files: own.c_path(),
        shown: Vec::new(),
        greeting: Vec::new(),
        single: false,
    };
    let confinement = Confinement { level, ..Confinement::default() };
    let limits = Limits {
        startup: Duration::from_secs(5),
        margin: Duration::ZERO,
        stop: None,
        confinement,
        core: None,
    };
    (Table::sit(vec![Sitting::Start(setup)], limits).expect("an engine can be started"), own)
}

fn echo(table: &mut Table) {
    table.tell(Seat::FIRST, b"a move\n");
    table.ask(Seat::FIRST, Duration::from_secs(5));
    table.hear().expect("cat gives back what it is told");
}

/// How long it takes to the first answer, and until it has gone again.
fn start(level: Isolation) -> (Duration, Duration) {
    let scratch = scratch();
    let begin = Instant::now();
    let (mut table, _own) = table(level, &scratch.1);
    echo(&mut table);
    let started = begin.elapsed();
    table.close(Patience::All);
    (started, begin.elapsed())
}

fn ply(level: Isolation) -> Duration {
    let scratch = scratch();
    let (mut table, _own) = table(level, &scratch.1);
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
