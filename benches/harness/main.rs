//! The cost of the harness, measured against the bare pipe in the same run: `scripts/bench`, or
//! `cargo bench --bench harness -- [--quick] [PART...]`. Parts: bare, ply, games, late, memory; and
//! profile.
//!
//! All games are played in this process by the code of `agon tournament`, with two engines that
//! answer at once (`engines/instant`). The processor time is that of this process alone. Machines
//! are shared and noisy: each result is the median of several rounds, and compared values were
//! measured in turns.

mod bare;
mod figures;
mod late;
mod matches;
mod memory;
mod script;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use matches::{Library, Match, Outputs, Protocol};
use table::{BenchTable, median};

/// The data that all parts need: the instant engines, how much to measure, and the results so far.
struct Bench {
    home: tempfile::TempDir,
    instant: PathBuf,
    instant_with_library: PathBuf,
    /// The number of rounds for a median.
    rounds: usize,
    /// Plies in a round.
    plies: usize,
    figures: BTreeMap<String, f64>,
}

impl Bench {
    fn engine(&self, library: Library) -> &Path {
        if library == Library::C { &self.instant_with_library } else { &self.instant }
    }

    fn note(&mut self, name: impl Into<String>, value: f64) -> f64 {
        self.figures.insert(name.into(), value);
        value
    }
}

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let quick = words.iter().any(|word| word == "--quick");
    words.retain(|word| word != "--quick");
    agon_sandbox::orphans::adopt();
    let home = tempfile::tempdir().expect("there is room for temporary files");
    let instant = matches::instant(home.path(), Library::LEAST);
    let instant_with_library = matches::instant(home.path(), Library::C);
    let (rounds, plies) = if quick { (3, 20_000) } else { (5, 100_000) };
    let mut bench = Bench { home, instant, instant_with_library, rounds, plies, figures: BTreeMap::new() };
    let wanted = |part: &str| words.is_empty() || words.iter().any(|word| word == part);
    if wanted("bare") || wanted("ply") {
        bare::part(&mut bench);
    }
    if wanted("ply") {
        plies_a_second(&mut bench);
        per_game(&mut bench);
        what_is_kept(&mut bench);
    }
    if wanted("games") {
        short_games(&mut bench);
    }
    if let Some((word, asked)) = words.split_first()
        && word == "profile"
    {
        profile(&bench, asked);
    }
    if wanted("late") {
        late::part(&mut bench);
    }
    if wanted("memory") {
        memory::part(&mut bench, quick);
    }
    figures::keep(bench.figures);
}

/// Plies per second and processor time per ply, by length of the game, protocol and concurrency.
fn plies_a_second(bench: &mut Bench) {
    let one_core = bench.figures["bare, one core, exchanges a second"];
    let mut table = BenchTable::new(
        "two engines that answer at once, every game recorded and stored",
        &["protocol", "plies a game", "at once", "cores", "pin", "plies/s", "of the bare pipe", "own us/ply"],
    );
    for protocol in [Protocol::Lines, Protocol::Ugi] {
        for (spec, plies) in [("mnk:4x2,4", 8), ("mnk:10x10,10", 100), ("mnk:20x20,20", 400)] {
            for (at_once, cores, pinned) in
                [(1, 1, true), (1, 2, true), (1, 2, false), (2, 2, true), (2, 2, false)]
            {
                let games = (bench.plies / plies / if plies == 8 { 10 } else { 1 } * at_once).max(4);
                let asked = Match { protocol, at_once, cores, pinned, ..Match::of(spec, games) };
                let (rate, own) = asked.median(bench);
                let name =
                    format!("{protocol}, {plies} plies, {at_once} at once, {cores} cores, pinned {pinned}");
                bench.note(format!("{name}, plies a second"), rate);
                bench.note(format!("{name}, own us a ply"), own);
                table.row(&[
                    protocol.to_string(),
                    plies.to_string(),
                    at_once.to_string(),
                    cores.to_string(),
                    if pinned { "auto" } else { "off" }.to_owned(),
                    format!("{rate:.0}"),
                    format!("{:.2}", rate / one_core),
                    format!("{own:.2}"),
                ]);
            }
        }
    }
    table.print();
}

/// The same for each game, in the longest line of play that was found for it.
fn per_game(bench: &mut Bench) {
    let mut table =
        BenchTable::new("every game, over lines, one core", &["game", "plies", "plies/s", "own us/ply"]);
    for spec in ["abalone", "connect4", "letters:6x6x3", "mill", "mnk:15x15,5", "morris", "morris:nine"] {
        let asked = Match::of(spec, 0);
        let plies = asked.plies();
        let asked = Match { games: (bench.plies / 4 / plies).max(4), ..asked };
        let (rate, own) = asked.median(bench);
        bench.note(format!("{spec}, plies a second"), rate);
        bench.note(format!("{spec}, own us a ply"), own);
        table.row(&[spec.to_owned(), plies.to_string(), format!("{rate:.0}"), format!("{own:.2}")]);
    }
    table.print();
}

/// The cost of a ply and a game by protocol, length and outputs; only those whose name contains all
/// the given words, for a profiler: `profile ugi mnk:10x10,10 none`.
fn profile(bench: &Bench, asked: &[String]) {
    for protocol in [Protocol::Ugi, Protocol::Lines] {
        for spec in ["mnk:20x20,20", "mnk:10x10,10", "mnk:4x2,4"] {
            for (kept, outputs) in [("none", Outputs::None), ("store", Outputs::Store), ("all", Outputs::All)]
            {
                let name = format!("{protocol} {spec} {kept}");
                if !asked.iter().all(|word| name.split(' ').any(|other| other == word)) {
                    continue;
                }
                let played = Match { protocol, outputs, ..Match::of(spec, 0) };
                let plies = played.plies();
                let games = bench.plies / plies / if plies == 8 { 20 } else { 1 };
                let (rate, own) = Match { games, ..played }.median(bench);
                let game = own * plies as f64;
                println!("{name}: {rate:.0} plies/s, own {own:.2} us a ply, {game:.1} us a game");
            }
        }
    }
}

/// The cost of storing: nothing, the database, or the files as well.
fn what_is_kept(bench: &mut Bench) {
    let title = "what is kept, 100 plies a game, one game at once";
    let mut table =
        BenchTable::new(title, &["kept", "cores", "plies/s", "own us/ply", "less than nothing kept"]);
    for cores in [1, 2] {
        let mut bare = 0.0;
        for (name, outputs) in
            [("nothing", Outputs::None), ("database", Outputs::Store), ("database and files", Outputs::All)]
        {
            let asked = Match { outputs, cores, ..Match::of("mnk:10x10,10", bench.plies / 100) };
            let (rate, own) = asked.median(bench);
            if outputs == Outputs::None {
                bare = rate;
            }
            let less =
                bench.note(format!("kept {name}, {cores} cores, share of the rate"), 1.0 - rate / bare);
            bench.note(format!("kept {name}, {cores} cores, plies a second"), rate);
            table.row(&[
                name.to_owned(),
                cores.to_string(),
                format!("{rate:.0}"),
                format!("{own:.2}"),
                format!("{:.0} %", less * 100.0),
            ]);
        }
    }
    table.print();
}

/// Games of eight plies per second and core, engines restarted or kept, and two starts without a
/// harness.
fn short_games(bench: &mut Bench) {
    let title = "games of 8 plies, one core";
    let mut table =
        BenchTable::new(title, &["engines", "linked with", "games/s", "own ms/game", "bare starts/s"]);
    for (name, protocol, library) in [
        ("restarted", Protocol::Lines, Library::LEAST),
        ("restarted", Protocol::Lines, Library::C),
        ("kept", Protocol::Ugi, Library::LEAST),
    ] {
        let games = bench.plies / if protocol == Protocol::Lines { 100 } else { 16 };
        let asked = Match { protocol, library, ..Match::of("mnk:4x2,4", games) };
        let (mut runs, mut starts) = (Vec::new(), Vec::new());
        for _ in 0..bench.rounds {
            runs.push(asked.play(bench));
            starts.push(bare::pairs_of_starts(bench.engine(library)));
        }
        let rate = median(runs.iter().map(|run| run.games as f64 / run.wall).collect());
        let own = median(runs.iter().map(|run| run.own / run.games as f64 * 1e3).collect());
        let starts = median(starts);
        let with = if library == Library::C { "the C library" } else { "nothing" };
        bench.note(format!("{name}, linked with {with}, games of 8 plies a second"), rate);
        bench.note(format!("bare, linked with {with}, starts of two a second"), starts);
        let starts = if protocol == Protocol::Lines { format!("{starts:.0}") } else { String::new() };
        table.row(&[name.to_owned(), with.to_owned(), format!("{rate:.0}"), format!("{own:.3}"), starts]);
    }
    table.print();
}
