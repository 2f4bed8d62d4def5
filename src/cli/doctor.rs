//! `agon doctor`: which levels of isolation are available here, what is missing, and whether the guards hold.

use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use agon_sandbox::Shown;
use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::NO_ISOLATION;
use crate::config::{Confinement, Isolation};
use crate::engine::Scratch;
use crate::engine::sandbox;
use crate::keeper::RunContext;
use crate::report::columns::columns;

/// How often a timer of a millisecond is tried.
const TICKS: u32 = 100;

/// Says which levels of isolation are available here, and tries whether their guards hold
///
/// Every guard is tried by a small attack, made inside of a box and, as the control, outside. Exit code 0: all is
/// well; 1: a guard does not hold; 3: the level of --level is not available on this machine.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon doctor
  agon doctor --level sandbox
  agon doctor --json > doctor.json")]
pub(super) struct DoctorArgs {
    /// The level that is needed: none, limits, sandbox or strict [default: the highest there is]
    #[arg(long, value_name = "LEVEL")]
    level: Option<Isolation>,

    /// Writes what was found as JSON
    #[arg(long)]
    json: bool,
}

/// All that was found.
#[derive(Serialize)]
struct Findings {
    version: &'static str,
    system: String,
    user: &'static str,
    levels: Vec<Level>,
    mechanisms: Vec<Mechanism>,
    /// The level at which the attacks were tried.
    tried_at: Option<String>,
    attacks: Vec<Attack>,
    machine: ClockReport,
}

#[derive(Serialize)]
struct Level {
    level: String,
    available: bool,
    why: Option<String>,
    remedy: Option<String>,
}

#[derive(Serialize)]
struct Mechanism {
    mechanism: &'static str,
    level: String,
    needed: bool,
    available: bool,
    found: String,
    remedy: Option<String>,
}

#[derive(Serialize)]
struct Attack {
    attack: &'static str,
    guard: &'static str,
    level: String,
    /// `pass`, `fail`, or `cannot be tested`.
    result: &'static str,
    outside: String,
    inside: String,
}

/// What fair clocks need.
#[derive(Serialize)]
struct ClockReport {
    cores: usize,
    load: f64,
    /// How late a timer of a millisecond rings.
    lateness_median_micros: u64,
    lateness_worst_micros: u64,
    advice: Vec<String>,
}

impl DoctorArgs {
    pub(super) fn run(&self, kept: &RunContext) -> anyhow::Result<ExitCode> {
        let scratch = Scratch::create(&kept.scratch).context("cannot make a directory to try things in")?;
        let found = super::aside(|| self.find(&scratch))??;
        if self.json {
            super::out_json(serde_json::to_string_pretty(&found).context("cannot write JSON")? + "\n")?;
        } else {
            super::out(&found.text())?;
        }
        let missing = self.level.is_some_and(|asked| found.level(asked).is_none_or(|level| !level.available));
        Ok(if missing {
            ExitCode::from(NO_ISOLATION)
        } else if found.attacks.iter().any(|attack| attack.result == "fail") {
            ExitCode::from(1)
        } else {
            ExitCode::SUCCESS
        })
    }

    fn find(&self, scratch: &Scratch) -> anyhow::Result<Findings> {
        let place = scratch.path().join("doctor");
        fs::create_dir(&place).context("cannot make a directory to try things in")?;
        let levels = Isolation::ALL.map(|level| level_here(level, &place)).into_iter().collect::<Vec<_>>();
        let mechanisms = agon_sandbox::probe(&place).into_iter().map(mechanism).collect();
        let highest = Isolation::ALL.into_iter().zip(&levels).rev();
        let mut available = highest.filter(|(_, found)| found.available).map(|(level, _)| level);
        let tried_at = available.find(|level| self.level.is_none_or(|asked| *level <= asked));
        let tried_at = tried_at.filter(|level| *level > Isolation::None);
        let attacks = match tried_at {
            Some(level) => {
                let trials = agon_sandbox::try_out(level, &place).context("cannot try the guards")?;
                trials.iter().map(attack).collect()
            }
            None => Vec::new(),
        };
        Ok(Findings {
            version: env!("CARGO_PKG_VERSION"),
            system: system(),
            user: if rustix::process::geteuid().is_root() { "root" } else { "a plain user" },
            levels,
            mechanisms,
            tried_at: tried_at.map(|level| level.to_string()),
            attacks,
            machine: machine()?,
        })
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

fn mechanism(probe: agon_sandbox::Probe) -> Mechanism {
    let (available, found, remedy) = match probe.found {
        Ok(found) => (true, found, None),
        Err(lack) => (false, lack.why, Some(lack.remedy)),
    };
    let level = probe.level.to_string();
    Mechanism { mechanism: probe.mechanism, level, needed: probe.needed, available, found, remedy }
}

fn attack(trial: &agon_sandbox::GuardTrial) -> Attack {
    let said = |answer: &Result<(), String>| answer.clone().err().unwrap_or_else(|| "it works".to_owned());
    Attack {
        attack: trial.what,
        guard: trial.guard,
        level: trial.level.to_string(),
        result: match trial.shown() {
            Shown::Holds => "pass",
            Shown::Fails => "fail",
            Shown::Nothing => "cannot be tested",
        },
        outside: said(&trial.outside),
        inside: said(&trial.inside),
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
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default(); // other systems have none
    let load = text.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    let mut advice = Vec::new();
    if load > cores as f64 {
        advice.push(format!(
            "{load} programs want to run and there are {cores} cores: clocks will not be fair"
        ));
    }
    if worst > 20_000 {
        advice.push(format!("a timer rang {} ms late: give engines a --margin above that", worst / 1000));
    }
    Ok(ClockReport { cores, load, lateness_median_micros: median, lateness_worst_micros: worst, advice })
}

impl Findings {
    fn level(&self, asked: Isolation) -> Option<&Level> {
        self.levels.iter().find(|level| level.level == asked.to_string())
    }

    fn text(&self) -> String {
        let mut text = format!("agon {} on {}, run by {}\n\n", self.version, self.system, self.user);
        let remedy = |remedy: &Option<String>| remedy.clone().unwrap_or_default();
        let rows: Vec<_> = self
            .levels
            .iter()
            .map(|level| {
                let found = if level.available { "available".to_owned() } else { remedy(&level.why) };
                vec![level.level.clone(), found, remedy(&level.remedy)]
            })
            .collect();
        text += &columns(&["level", "here", "what to do"], &rows);
        let rows: Vec<_> = self
            .mechanisms
            .iter()
            .map(|one| {
                let found = match (one.available, one.needed) {
                    (true, _) => "ok",
                    (false, true) => "missing",
                    (false, false) => "not needed",
                };
                let words = vec![one.mechanism, &one.level, found, &one.found];
                let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
                words.push(remedy(&one.remedy));
                words
            })
            .collect();
        text += "\n";
        text += &columns(&["mechanism", "level", "here", "found", "what to do"], &rows);
        if let Some(level) = &self.tried_at {
            let rows: Vec<_> = self
                .attacks
                .iter()
                .map(|one| {
                    [one.attack, one.guard, one.result, &one.outside, &one.inside].map(str::to_owned).to_vec()
                })
                .collect();
            text += &format!("\nAttacks, outside and at {level}\n");
            text += &columns(&["attack", "guard", "result", "outside", &format!("at {level}")], &rows);
        }
        let machine = &self.machine;
        text += &format!(
            "\n{} cores, load {}; a timer of 1 ms rings {} us late, at worst {} us\n",
            machine.cores, machine.load, machine.lateness_median_micros, machine.lateness_worst_micros
        );
        for words in &machine.advice {
            text += &format!("note: {words}\n");
        }
        text
    }
}
