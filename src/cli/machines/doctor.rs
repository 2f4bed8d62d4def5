//! `agon doctor`: tests the isolation levels of this machine, and whether their guards hold.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use agon_config::{CommandExit, Confinement, Options};
use agon_match::keeper::RunContext;
use agon_match::processes::Scratch;
use agon_match::{referee, schedule};
use agon_pages::report::columns::columns;
use agon_programs::manifest::ShownPlace;
use agon_programs::program::display_path;
use agon_programs::{sandbox, widening};
use agon_sandbox::{CheckOutcome, CheckRow, Isolation};
use agon_tournament::entrants::{self, room};
use anyhow::Context;
use clap::Args;
use serde::Serialize;

/// The word for a guard that does not hold.
const FAIL: &str = "fail";
/// How often a timer of a millisecond is measured.
const TICKS: u32 = 100;

/// Shows which isolation levels are available here
///
/// It tests whether their guards hold on this machine.
///
/// Every guard is tested by a small attack, inside a box and, as the control, outside. Exit code 0:
/// all is well; 1: a guard does not hold; 3: the level of --level is not available on this machine.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon doctor
  agon doctor --level sandbox
  agon doctor --engine bots/ann --show /opt/julia
  agon doctor --json > doctor.json")]
pub(crate) struct DoctorArgs {
    /// The level that is needed: none, limits, sandbox or strict [default: the highest available]
    #[arg(long, value_name = "LEVEL")]
    level: Option<Isolation>,

    /// An engine, as for agon check: lists what its box shows, and why
    #[arg(long, value_name = "ENGINE")]
    engine: Option<PathBuf>,

    /// A file or folder that its box is to show besides; may be given several times
    #[arg(long, value_name = "PATH", requires = "engine")]
    show: Vec<PathBuf>,

    /// Writes the findings as JSON
    #[arg(long)]
    json: bool,
}

/// The findings.
#[derive(Serialize)]
struct Findings {
    version: &'static str,
    system: String,
    user: &'static str,
    levels: Vec<Level>,
    /// The level of the attacks inside.
    tried_at: Option<String>,
    checks: Vec<Check>,
    /// What the box of the engine shows, if one was named.
    manifest: Option<Vec<PlaceInBox>>,
    machine: ClockReport,
}

/// A place that a box shows.
#[derive(Serialize)]
struct PlaceInBox {
    path: String,
    reason: String,
    writable: bool,
}

#[derive(Serialize)]
struct Level {
    level: String,
    available: bool,
    why: Option<String>,
    remedy: Option<String>,
}

/// A mechanism, an attack that it is to prevent, and the lowest level that promises it.
#[derive(Serialize)]
struct Check {
    mechanism: &'static str,
    attack: Option<&'static str>,
    level: String,
    needed: bool,
    available: bool,
    found: String,
    remedy: Option<String>,
    /// `pass`, `fail`, or `cannot be tested`; without an attack `ok`, `missing` or `not needed`.
    result: &'static str,
    outside: Option<String>,
    inside: Option<String>,
}

/// The conditions for fair clocks.
#[derive(Serialize)]
struct ClockReport {
    cores: usize,
    load: f64,
    /// How late a timer of a millisecond fires.
    lateness_median_micros: u64,
    lateness_worst_micros: u64,
    advice: Vec<String>,
}

impl DoctorArgs {
    pub(crate) fn run(&self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let scratch =
            Scratch::create(&context.scratch).context("cannot make a directory to try things in")?;
        let mut found = schedule::aside(|| self.find(&scratch))??;
        found.machine.advice.extend(context.removed.iter().map(|path| {
            format!("{} was left by an agon that was killed, and is removed now", display_path(path))
        }));
        found.machine.advice.extend(room::advice(Confinement::default().processes));
        if self.json {
            crate::cli::out_json(serde_json::to_string_pretty(&found).context("cannot write JSON")? + "\n")?;
        } else {
            crate::cli::out(&found.text())?;
        }
        let missing = self.level.is_some_and(|asked| found.level(asked).is_none_or(|level| !level.available));
        Ok(if missing {
            CommandExit::Unavailable.into()
        } else if found.checks.iter().any(|check| check.result == FAIL) {
            CommandExit::Failed.into()
        } else {
            ExitCode::SUCCESS
        })
    }

    fn find(&self, scratch: &Scratch) -> anyhow::Result<Findings> {
        let place = scratch.path().join("doctor");
        fs::create_dir(&place).context("cannot make a directory to try things in")?;
        let levels = Isolation::ALL.map(|level| level_here(level, &place)).into_iter().collect::<Vec<_>>();
        let highest = Isolation::ALL.into_iter().zip(&levels).rev();
        let mut available = highest.filter(|(_, found)| found.available).map(|(level, _)| level);
        let tried_at = available.find(|level| self.level.is_none_or(|asked| *level <= asked));
        let tried_at = tried_at.filter(|level| *level > Isolation::None);
        let mut checks = agon_sandbox::self_test(tried_at, &place).context("cannot try the guards")?;
        if tried_at.is_some_and(Isolation::is_boxed) {
            checks.extend(widening::rows(&place).context("cannot try the guards")?);
        }
        Ok(Findings {
            version: env!("CARGO_PKG_VERSION"),
            system: system(),
            user: if rustix::process::geteuid().is_root() { "root" } else { "a plain user" },
            levels,
            tried_at: tried_at.map(|level| level.to_string()),
            checks: checks.into_iter().map(check).collect(),
            manifest: self.manifest()?,
            machine: machine()?,
        })
    }
}

impl DoctorArgs {
    /// What the box of the engine that was named shows.
    fn manifest(&self) -> anyhow::Result<Option<Vec<PlaceInBox>>> {
        let Some(path) = &self.engine else { return Ok(None) };
        let engine = entrants::found(path)?;
        let options = Options {
            show: self.show.clone(),
            isolation: Some(self.level.unwrap_or(Isolation::Sandbox)),
            ..Options::default()
        };
        let confinement = options.confinement()?;
        confinement.hides(&engine.source, &format!("the engine {}", engine.name))?;
        let manifest = referee::manifest(&engine, &confinement);
        let place = |place: ShownPlace| PlaceInBox {
            path: display_path(&place.path),
            reason: place.reason.to_string(),
            writable: place.writable,
        };
        Ok(Some(manifest.whole().into_iter().map(place).collect()))
    }
}

fn level_here(level: Isolation, place: &std::path::Path) -> Level {
    let confinement = Confinement { level, ..Confinement::default() };
    let missing = sandbox::available(&confinement, place).err();
    Level {
        level: level.to_string(),
        available: missing.is_none(),
        why: missing.as_ref().map(|missing| missing.why.clone()),
        remedy: missing.map(|missing| missing.remedy),
    }
}

fn check(row: CheckRow) -> Check {
    let result = match row.outcome() {
        CheckOutcome::Available => "ok",
        CheckOutcome::Missing => "missing",
        CheckOutcome::NotNeeded => "not needed",
        CheckOutcome::Holds => "pass",
        CheckOutcome::Fails => FAIL,
        CheckOutcome::Unproved => "cannot be tested",
    };
    let said = |answer: Result<(), String>| answer.err().unwrap_or_else(|| "it works".to_owned());
    let (outside, inside) = row.tried.map(|tried| (said(tried.outside), said(tried.inside))).unzip();
    let (available, found, remedy) = match row.found {
        Ok(found) => (true, found, None),
        Err(lack) => (false, lack.why, Some(lack.remedy)),
    };
    Check {
        mechanism: row.mechanism,
        attack: row.attack,
        level: row.level.to_string(),
        needed: row.needed,
        available,
        found,
        remedy,
        result,
        outside,
        inside,
    }
}

fn system() -> String {
    let about = rustix::system::uname();
    let words = [about.sysname(), about.release(), about.machine()];
    words.map(|word| word.to_string_lossy().into_owned()).join(" ")
}

fn machine() -> anyhow::Result<ClockReport> {
    let cores = std::thread::available_parallelism().context("cannot count the cores")?.get();
    let tick = Duration::from_millis(1);
    let mut late: Vec<u64> = (0..TICKS)
        .map(|_| {
            let began = Instant::now();
            std::thread::sleep(tick);
            u64::try_from((began.elapsed().saturating_sub(tick)).as_micros()).unwrap_or(u64::MAX)
        })
        .collect();
    late.sort_unstable();
    let (median, worst) = (late[late.len() / 2], late[late.len() - 1]);
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default(); // other systems lack it
    let load = text.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    let mut advice = Vec::new();
    if load > cores as f64 {
        advice.push(format!("{load} programs want to run on {cores} cores, so clocks will not be fair"));
    }
    if worst > 20_000 {
        advice.push(format!("a timer fired {} ms late: give engines a larger --margin", worst / 1000));
    }
    Ok(ClockReport { cores, load, lateness_median_micros: median, lateness_worst_micros: worst, advice })
}

impl Findings {
    fn level(&self, asked: Isolation) -> Option<&Level> {
        self.levels.iter().find(|level| level.level == asked.to_string())
    }

    fn text(&self) -> String {
        let mut text = format!("agon {} on {}, run by {}\n\n", self.version, self.system, self.user);
        let words = |words: &Option<String>| words.clone().unwrap_or_default();
        let rows: Vec<_> = self
            .levels
            .iter()
            .map(|level| {
                let found = if level.available { "available".to_owned() } else { words(&level.why) };
                vec![level.level.clone(), found, words(&level.remedy)]
            })
            .collect();
        text += &columns(&["level", "here", "what to do"], &rows);
        let rows: Vec<_> = self
            .checks
            .iter()
            .map(|one| {
                let attack = one.attack.unwrap_or("-").to_owned();
                let [mechanism, result] = [one.mechanism, one.result].map(str::to_owned);
                let (outside, inside) = (words(&one.outside), words(&one.inside));
                let level = one.level.clone();
                vec![mechanism, attack, level, result, outside, inside, one.found.clone(), words(&one.remedy)]
            })
            .collect();
        let inside =
            self.tried_at.as_ref().map_or_else(|| "inside".to_owned(), |level| format!("at {level}"));
        text += "\n";
        text += &columns(
            &["mechanism", "attack", "level", "result", "outside", &inside, "found", "what to do"],
            &rows,
        );
        let machine = &self.machine;
        text += &format!(
            "\n{} cores, load {}; a timer of 1 ms fires {} us late, at worst {} us\n",
            machine.cores, machine.load, machine.lateness_median_micros, machine.lateness_worst_micros
        );
        for words in &machine.advice {
            text += &format!("note: {words}\n");
        }
        if let Some(manifest) = &self.manifest {
            let rows: Vec<_> = manifest
                .iter()
                .map(|place| {
                    let access = if place.writable { "its own, writable" } else { "read-only" };
                    vec![place.path.clone(), access.to_owned(), place.reason.clone()]
                })
                .collect();
            text += &format!("\n{}", columns(&["its box shows", "access", "because of"], &rows));
        }
        text
    }
}
