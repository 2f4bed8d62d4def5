//! One run between two instant engines, in this process.

use std::fmt;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agon_config::{Confinement, Pin, ScoreRules};
use agon_export::directory::Directory;
use agon_match::keeper::RunContext;
use agon_match::openings::Openings;
use agon_match::processes::GameTerms;
use agon_programs::spec::EngineSpec;
use agon_sandbox::Isolation;
use agon_seats::{SearchLimits, Seat, TimeControl};
use agon_standings::pairings;
use agon_standings::scoring::Scoring;
use agon_standings::table_plan::TablePlan;
use agon_store::{Plan, Store};
use agon_tournament::run::{self, PlayedAgain, Programs, Run, Sinks};
use rustix::time::{ClockId, clock_gettime};

use crate::bare::pin;
use crate::table::median;
use crate::{Bench, script};

/// Builds the engine that answers at once. It is static, because a dynamic linker would take longer
/// than the engine. Where possible it has no C library either, whose start takes longer than a
/// whole short game.
pub(crate) fn instant(folder: &Path, library: Library) -> PathBuf {
    let mut build = Command::new("cc");
    build.args(["-O2", "-static"]);
    let name = match library {
        Library::C => "instant-libc",
        Library::None => {
            let words = "-nostdlib -ffreestanding -fno-builtin -fno-stack-protector -DFREESTANDING";
            build.args(words.split(' '));
            "instant"
        }
    };
    let program = folder.join(name);
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/engines/instant/instant.c");
    let built = build.arg("-o").arg(&program).arg(source).status();
    assert!(built.is_ok_and(|status| status.success()), "the instant engine needs a C compiler");
    program
}

/// The library with which the instant engine is linked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Library {
    C,
    None,
}

impl Library {
    /// The smallest library that works on this processor.
    pub(crate) const LEAST: Library = if cfg!(target_arch = "x86_64") { Library::None } else { Library::C };
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// The engines are restarted for each game.
    Lines,
    /// The engines are kept.
    Ugi,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Protocol::Lines => "lines",
            Protocol::Ugi => "ugi",
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outputs {
    None,
    Store,
    All,
}

/// A match to play.
#[derive(Clone, Copy)]
pub(crate) struct Match<'a> {
    pub(crate) spec: &'a str,
    pub(crate) games: usize,
    pub(crate) protocol: Protocol,
    pub(crate) at_once: usize,
    /// How many cores all processes together may use.
    pub(crate) cores: usize,
    /// Whether each game is pinned to one of them.
    pub(crate) pinned: bool,
    pub(crate) outputs: Outputs,
    pub(crate) control: Duration,
    pub(crate) library: Library,
}

/// The results; times in seconds.
pub(crate) struct Played {
    pub(crate) games: usize,
    pub(crate) plies: usize,
    pub(crate) wall: f64,
    /// Processor time of this process.
    pub(crate) own: f64,
}

impl<'a> Match<'a> {
    pub(crate) fn of(spec: &'a str, games: usize) -> Self {
        let control = Duration::from_secs(10);
        Match {
            spec,
            games,
            protocol: Protocol::Lines,
            at_once: 1,
            cores: 1,
            pinned: true,
            outputs: Outputs::All,
            control,
            library: Library::LEAST,
        }
    }

    /// The number of plies in the engines' script.
    pub(crate) fn plies(&self) -> usize {
        self.moves().len()
    }

    fn moves(&self) -> Vec<String> {
        script::moves(
            script::rules(self.spec).as_ref(),
            self.spec.contains('x') && self.spec.starts_with("mnk"),
        )
    }

    /// The median rate in plies per second, and the processor time per ply in microseconds.
    pub(crate) fn median(&self, bench: &Bench) -> (f64, f64) {
        let runs: Vec<Played> = (0..bench.rounds).map(|_| self.play(bench)).collect();
        let rate = median(runs.iter().map(|run| run.plies as f64 / run.wall).collect());
        let own = median(runs.iter().map(|run| run.own / run.plies as f64 * 1e6).collect());
        (rate, own)
    }

    pub(crate) fn play(&self, bench: &Bench) -> Played {
        // Removed at the end with all others: after many removals a file system makes new files
        // slowly.
        let home = tempfile::tempdir_in(bench.home.path()).expect("there is room").keep();
        let rules = script::rules(self.spec);
        let moves = self.moves();
        let lines = rules.start(1).view(Seat::FIRST).lines().count();
        // UGI has no side before a move.
        let own = |text: &'_ str| match self.protocol {
            Protocol::Lines => text.to_owned(),
            Protocol::Ugi => text.split_once(',').map_or(text, |(_, mv)| mv).to_owned(),
        };
        let text: String = moves.iter().map(|text| own(text) + "\n").collect();
        let entrants = ["one", "two"].map(|name| {
            let folder = home.join(name);
            fs::create_dir(&folder).expect("there is room");
            fs::write(folder.join("script"), format!("{lines}\n{text}")).expect("there is room");
            let arguments = match self.protocol {
                Protocol::Lines => format!(
                    "args = [\"lines\", \"{{side}}\", \"{}\", \"{{folder}}/script\"]",
                    rules.seats()[0]
                ),
                Protocol::Ugi => "protocol = \"ugi\"\nargs = [\"ugi\", \"{folder}/script\"]".to_owned(),
            };
            let toml =
                format!("command = [{:?}]\n{arguments}\n", bench.engine(self.library).display().to_string());
            fs::write(folder.join("engine.toml"), toml).expect("there is room");
            EngineSpec::at(&folder).expect("it is an engine")
        });
        let run = Run {
            label: None,
            event: None,
            rules: rules.into(),
            gone: Vec::new(),
            entrants: entrants.to_vec(),
            control: TimeControl::PerMove(self.control),
            terms: GameTerms {
                margin: Duration::from_millis(20),
                bank: Duration::ZERO,
                startup: Duration::from_secs(10),
                search: SearchLimits::default(),
                // The harness is measured, so the engines are not confined.
                confinement: Confinement { level: Isolation::None, ..Confinement::default() },
            },
            tables: TablePlan::ROUND_ROBIN,
            openings: Openings::from_start(0),
            max_plies: None,
            adjudicate: None,
            score_rules: ScoreRules::default(),
            longest_pause: Duration::ZERO,
            concurrency: self.at_once,
            pin: if self.pinned { Pin::Auto } else { Pin::Off },
            seed: 1,
            points: Scoring::default(),
            // All its games are the same one, which is rare elsewhere and would be measured too.
            repeats_count_once: false,
            again: PlayedAgain { options: String::new(), from_position: false },
            // As by default.
            keep: 256 << 20,
        };
        let cores: Vec<usize> = (0..self.cores).collect();
        pin(&cores);
        let played = play(&run, &home, self.games.next_multiple_of(2), self.outputs);
        pin(&[0, 1]);
        assert_eq!(
            played.plies,
            played.games * moves.len(),
            "a game of {} was not played to its end",
            self.spec
        );
        played
    }
}

fn play(run: &Run, home: &Path, games: usize, outputs: Outputs) -> Played {
    let games_each = u32::try_from(games).expect("not so many games");
    let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
    let plan = pairings::plan(&names, games_each, run.seed);
    let (never, _writer) = UnixStream::pair().expect("there are descriptors");
    let kept = RunContext {
        scratch: home.join("scratch"),
        removed: Vec::new(),
        stop: Arc::new(OwnedFd::from(never)),
    };
    let programs = Programs::kept_in(&home.join("programs"), run).expect("they can be read");
    let (players, terms) = (programs.players(run), run.terms());
    let out = home.join("out");
    let mut store = (outputs != Outputs::None).then(|| {
        Directory::make(&out).expect("there is room");
        let mut store = Store::open(&out).expect("it opens");
        let plan = Plan {
            label: None,
            of_event: None,
            event: "bench",
            players: &players,
            terms: &terms,
            games: games_each,
            seed: run.seed,
            points: run.points,
            supplies: &[],
            ranking: None,
            drawn: None,
            test: None,
            until: None,
        };
        store.begin(&plan, agon_store::Consent::default()).expect("it begins");
        store
    });
    let mut directory = store
        .as_ref()
        .filter(|_| outputs == Outputs::All)
        .map(|store| Directory::open(&out, 2, "bench", store, false, |_| String::new()).expect("it opens"));
    let mut plies = 0;
    let mut count = |report: &agon_match::referee::Report, _is_repeat: bool| {
        plies += report.record.plies.len();
        let fault = report.record.decided().filter(|decided| decided.termination.forfeited().is_some());
        assert!(fault.is_none(), "an instant engine was at fault: {fault:?}");
        None
    };
    let faces = Sinks {
        store: store.as_mut(),
        programs: Some(&programs),
        directory: directory.as_mut(),
        on_game: Some(&mut count),
        ..Sinks::default()
    };
    let (own, began) = (own_time(), Instant::now());
    let done = run::play(run, &kept, plan, games as u64, faces).expect("nothing fails here");
    let (own, wall) = (own_time() - own, began.elapsed().as_secs_f64());
    assert!(done.void.is_empty(), "{:?}", done.void);
    Played { games, plies, wall, own }
}

/// Processor time of this process so far, user and system, in seconds.
fn own_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
