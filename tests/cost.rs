//! The cost of a ply in system calls, memory allocations and instructions. These guards do not
//! depend on the speed of the machine, and only the one of memory on its load.

#![allow(clippy::unwrap_used)] // helpers of tests may panic
#![allow(dead_code)] // the benchmark uses more of these than the guard does

#[path = "support/metronome.rs"]
mod metronome;
#[path = "support/not_tried.rs"]
mod not_tried;

#[path = "../benches/harness/bare.rs"]
mod bare;
#[path = "../benches/harness/matches.rs"]
mod matches;
#[path = "../benches/harness/script.rs"]
mod script;
#[path = "../benches/harness/table.rs"]
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use matches::{Library, Match, Outputs, Protocol};
use metronome::Metronome;
use not_tried::not_tried;

/// Counts allocations.
#[global_allocator]
static MEMORY: dhat::Alloc = dhat::Alloc;

/// The counters are those of the whole process.
static ALONE: Mutex<()> = Mutex::new(());

/// With the field names of the benchmark.
struct Bench {
    home: tempfile::TempDir,
    instant: PathBuf,
    rounds: usize,
    plies: usize,
    figures: BTreeMap<String, f64>,
}

impl Bench {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let instant = matches::instant(home.path(), Library::LEAST);
        Bench { home, instant, rounds: 1, plies: 0, figures: BTreeMap::new() }
    }

    fn engine(&self, _: Library) -> &Path {
        &self.instant
    }

    fn note(&mut self, name: impl Into<String>, value: f64) -> f64 {
        self.figures.insert(name.into(), value);
        value
    }
}

/// Read and write calls of this process and of every child it has reaped so far.
fn calls() -> [u64; 2] {
    let text = fs::read_to_string("/proc/self/io").unwrap();
    ["syscr:", "syscw:"].map(|name| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse().unwrap()
    })
}

/// The total of reads and writes in a match.
fn of(bench: &Bench, asked: &Match<'_>) -> [u64; 2] {
    let before = calls();
    let played = asked.play(bench);
    assert_eq!(played.games, asked.games);
    let after = calls();
    [after[0] - before[0], after[1] - before[1]]
}

#[test]
fn a_ply_is_one_read_and_one_write() {
    let _alone = ALONE.lock();
    agon_sandbox::orphans::adopt();
    let bench = Bench::new();
    for protocol in [Protocol::Lines, Protocol::Ugi] {
        let games = 6;
        // The same number of games, of 8 and of 400 plies: they differ by 392 plies per game.
        let [short, long] = ["mnk:4x2,4", "mnk:20x20,20"]
            .map(|spec| of(&bench, &Match { protocol, ..Match::of(spec, games) }));
        let plies = (392 * games) as u64;
        for (what, short, long) in [("reads", short[0], long[0]), ("writes", short[1], long[1])] {
            let each = (long.saturating_sub(short)) as f64 / plies as f64;
            // One of ours and one of the engine's. A longer game takes more pages in the database.
            assert!((1.8..2.15).contains(&each), "{protocol}: {each} {what} a ply ({short}, {long})");
        }
        let [reads, writes] = short.map(|calls| calls as f64 / games as f64);
        assert!(
            reads < 150.0 && writes < 150.0,
            "{protocol}: {reads} reads and {writes} writes a game of 8 plies"
        );
    }
}

#[test]
#[ignore = "slow"]
fn a_ply_asks_for_few_pieces_of_memory() {
    let _alone = ALONE.lock();
    agon_sandbox::orphans::adopt();
    let bench = Bench::new();
    let _counting = dhat::Profiler::builder().testing().build();
    let asked = |asked: &Match<'_>| {
        let before = dhat::HeapStats::get();
        asked.play(&bench);
        let after = dhat::HeapStats::get();
        (after.total_blocks - before.total_blocks, after.total_bytes - before.total_bytes)
    };
    for protocol in [Protocol::Lines, Protocol::Ugi] {
        // They differ by ten games of 400 plies, without the fixed cost of a match.
        let metronome = Metronome::start();
        let [few, many] = [2, 12].map(|games| asked(&Match { protocol, ..Match::of("mnk:20x20,20", games) }));
        // What the harness does from time to time, it does more often in a game that takes longer.
        let is_busy = metronome.most(Duration::ZERO) > Duration::from_millis(50);
        let (most, most_bytes) = if is_busy { (7.5, 1500.0) } else { (5.3, 1100.0) };
        let plies = 4000.0;
        let [blocks, bytes] = [many.0 - few.0, many.1 - few.1].map(|more| more as f64 / plies);
        assert!(blocks < most, "{protocol}: {blocks} pieces of memory a ply");
        assert!(bytes < most_bytes, "{protocol}: {bytes} bytes a ply");
        eprintln!("{protocol}: {blocks} pieces of memory a ply, {bytes} bytes");
    }
    // The same of a game of 8 plies between engines that go on: what begins, judges and stores it.
    let metronome = Metronome::start();
    let short = Match { protocol: Protocol::Ugi, ..Match::of("mnk:4x2,4", 0) };
    let [few, many] = [10, 110].map(|games| asked(&Match { games, ..short }));
    let most = if metronome.most(Duration::ZERO) > Duration::from_millis(50) { 700.0 } else { 540.0 };
    let blocks = (many.0 - few.0) as f64 / 100.0;
    eprintln!("{blocks} pieces of memory a game of 8 plies");
    assert!(blocks < most, "{blocks} pieces of memory a game of 8 plies");
}

/// The number of instructions of agon, counted by valgrind: it does not depend on the machine.
fn instructions(bench: &Bench, arguments: &[&str], results: &Path) -> u64 {
    let file = bench.home.path().join("callgrind");
    let mut walked = Command::new("valgrind");
    walked.args(["--tool=callgrind", "--quiet"]).arg(format!("--callgrind-out-file={}", file.display()));
    walked.arg(env!("CARGO_BIN_EXE_agon")).args(arguments).arg(results);
    let output = walked.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(file).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("totals: ")).unwrap();
    line.trim().parse().unwrap()
}

/// valgrind does not know all system calls of a harness with engines. It can run everything else:
/// the work of rules, database and notation for a ply. The bounds are those of a development build,
/// which is not optimized: 9,200 and 39,200 when this was written.
#[test]
fn a_ply_takes_few_instructions() {
    let _alone = ALONE.lock();
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        not_tried!("valgrind is not on this machine; apt-get install valgrind");
        return;
    }
    agon_sandbox::orphans::adopt();
    let bench = Bench::new();
    let results = ["mnk:4x2,4", "mnk:20x20,20"].map(|spec| {
        let before = folders(&bench);
        Match { outputs: Outputs::Store, ..Match::of(spec, 2) }.play(&bench);
        let new = folders(&bench).into_iter().find(|folder| !before.contains(folder));
        new.unwrap().join("out")
    });
    for (arguments, most) in [(&["verify"][..], 14_000.0), (&["export", "json"], 50_000.0)] {
        let [short, long] = results.each_ref().map(|results| instructions(&bench, arguments, results));
        let each = (long - short) as f64 / (392.0 * 2.0);
        eprintln!("{}: {each} instructions a ply", arguments[0]);
        assert!(each < most, "{}: {each} instructions a ply", arguments[0]);
    }
}

/// The directories of played matches.
fn folders(bench: &Bench) -> Vec<PathBuf> {
    let entries = fs::read_dir(bench.home.path()).unwrap();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}
