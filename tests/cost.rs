//! What a ply costs in calls to the system: a guard that does not depend on how fast or busy the machine is.

#![allow(clippy::unwrap_used)] // helpers of tests may panic
#![allow(dead_code)] // the benchmark uses more of these than the guard does

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

use matches::{Library, Match, Protocol};

/// As the benchmark has it.
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

/// Calls that read and calls that write, of this process and of every child it has reaped so far.
fn calls() -> [u64; 2] {
    let text = fs::read_to_string("/proc/self/io").unwrap();
    ["syscr:", "syscw:"].map(|name| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse().unwrap()
    })
}

/// Reads and writes of a match, in all.
fn of(bench: &Bench, asked: &Match<'_>) -> [u64; 2] {
    let before = calls();
    let played = asked.play(bench);
    assert_eq!(played.games, asked.games);
    let after = calls();
    [after[0] - before[0], after[1] - before[1]]
}

#[test]
fn a_ply_is_one_read_and_one_write() {
    agon::engine::adopt();
    let bench = Bench::new();
    for protocol in [Protocol::Lines, Protocol::Ugi] {
        let games = 6;
        // The same number of games, of 8 and of 400 plies: what differs is 392 plies a game.
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
