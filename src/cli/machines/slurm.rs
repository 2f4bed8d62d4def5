//! `agon slurm`: a tournament as an array job of Slurm.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

use agon_config::{CommandExit, Misuse};
use agon_export::atomic;
use agon_match::keeper::{Interrupted, RunContext};
use agon_printable::{are, counted};
use agon_programs::kept;
use agon_programs::program::{self, display_path};
use agon_store::hash;
use agon_tournament::machines::{self, ArrayScript};
use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::cli::machines::holes::{PartedRun, path_of_agon};
use crate::cli::machines::slurm_queue;
use crate::cli::{out, say};

/// How often parts with holes are handed in again.
const AGAIN: u32 = 3;
/// The stores and the queue are looked at after a second, then after two, and at last as seldom as
/// this. Administrators do not like their controller to be asked all the time.
const LOOK: Duration = Duration::from_secs(10);
/// After so many looks without a task in the queue, the job is over: a task that is given back is
/// missing for a moment.
const LOOKS: u32 = 2;
/// The longest time without a word.
const SILENCE: Duration = Duration::from_secs(60);

/// Plays a round robin on a cluster with Slurm, in parts
///
/// It builds the engines and writes one array script for sbatch, each of whose tasks plays a part.
/// With --submit it hands the script in. With --wait it waits until no task is queued or running.
/// Then it merges the parts and writes the standings. With both it submits the parts that lack
/// games again, at most three times. Which games are there is read from the parts, never from
/// Slurm. So the same command may be called again after anything: it goes on with what is missing.
///
/// The folder of --out must be one that all nodes see.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon slurm tournament.toml --out lab                      writes lab/array.sh
  agon slurm tournament.toml --out lab --submit --wait
  agon slurm tournament.toml --out lab --parts 200 --submit --sbatch=--partition=long --sbatch=--time=60
  agon standings lab/all

Exit codes: 0 done; 1 games are missing after the last attempt; 2 wrong use; 130 interrupted, while the job goes on.")]
pub(crate) struct SlurmArgs {
    /// A tournament.toml, or the folder of engines with one in it
    #[arg(value_name = "FILE.toml")]
    tournament: PathBuf,

    /// The number of parts, each a task of the array; auto makes parts of some ten minutes by the
    /// time control
    #[arg(long, value_name = "N|auto", default_value = "auto")]
    parts: PartCount,

    /// The folder for the script, the logs, the parts, and in its folder all the whole run
    #[arg(long, value_name = "DIR", default_value = "agon-slurm")]
    out: PathBuf,

    /// Hands the script in
    #[arg(long)]
    submit: bool,

    /// Waits for the job, merges, and writes the standings; only with --submit it hands in what is
    /// missing
    #[arg(long)]
    wait: bool,

    /// One more option for sbatch, such as --sbatch=--partition=long; can be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch: Vec<String>,
}

/// The number of parts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PartCount {
    Auto,
    Is(u64),
}

impl FromStr for PartCount {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<u64>() {
            Ok(number @ 1..=1_000_000) => Ok(PartCount::Is(number)),
            _ if text == "auto" => Ok(PartCount::Auto),
            _ => Err("write a number of parts, 1 or more, or auto".to_owned()),
        }
    }
}

/// A job that is written and may have been handed in.
struct Job<'a> {
    parted: &'a PartedRun,
    context: &'a RunContext,
    name: String,
    script: PathBuf,
    parts: u64,
    /// Whether parts with holes may be handed in again.
    hands_in: bool,
}

impl SlurmArgs {
    pub(crate) fn run(&self, context: &RunContext) -> anyhow::Result<ExitCode> {
        fits_a_directive(&self.out)?;
        let folder = made(&self.out)?;
        let parted = PartedRun::of(&self.tournament, &folder, context)?;
        // As in the file: a node has more cores than this machine, but not all are for one task.
        let cores = parted.options.concurrency.unwrap_or(1);
        let parts = self.counted(&parted, cores, &folder)?;
        let name = format!("agon-{}", &hash::of_bytes(folder.as_os_str().as_encoded_bytes())[..8]);
        let tournament = self
            .tournament
            .canonicalize()
            .with_context(|| format!("cannot find {}", display_path(&self.tournament)))?;
        let script = ArrayScript {
            name: &name,
            agon: &path_of_agon()?,
            tournament: &tournament,
            out: &folder,
            parts,
            cores,
            more: &self.sbatch,
        };
        let path = folder.join("array.sh");
        atomic::write_text(&path, &script.text())?;
        let games = parted.games();
        out(&format!("{}: {} in {}\n", display_path(&path), counted(games, "game"), counted(parts, "part")))?;
        let job = Job { parted: &parted, context, name, script: path, parts, hands_in: self.submit };
        if self.submit {
            let missing = job.holes()?;
            match slurm_queue::tasks_left(&job.name) {
                Some(1) => say("1 task of it waits or runs already"),
                Some(tasks @ 1..) => say(&format!("{tasks} tasks of it wait or run already")),
                _ if missing.is_empty() => say("no game is missing, so nothing is handed in"),
                _ => job.submit(&missing)?,
            }
        }
        match (self.wait, self.submit) {
            (true, _) => job.wait(&tournament),
            (false, true) => {
                say("hint: the same command with --wait waits for it and merges the parts");
                Ok(ExitCode::SUCCESS)
            }
            (false, false) => Ok(ExitCode::SUCCESS),
        }
    }

    /// The number of parts: as asked, and as before if the folder has some.
    fn counted(&self, parted: &PartedRun, cores: usize, folder: &Path) -> anyhow::Result<u64> {
        let most = slurm_queue::most_tasks();
        let note = folder.join("parts.txt");
        let before: Option<u64> =
            std::fs::read_to_string(&note).ok().and_then(|text| text.trim().parse().ok());
        let parts = match (self.parts, before) {
            (PartCount::Is(parts), Some(before)) if parts != before => {
                return Err(Misuse::hinted(
                    format!("{} has been cut into {}", display_path(folder), counted(before, "part")),
                    "give the same number, or another folder with --out",
                ));
            }
            (PartCount::Is(parts), _) | (PartCount::Auto, Some(parts)) => parts,
            (PartCount::Auto, None) => {
                let (games, pairs) = (parted.games(), parted.pairs());
                machines::parts_for(games, pairs, parted.run.control, cores, most)
            }
        };
        if parts > most {
            return Err(Misuse::hinted(
                format!("--parts: {parts} are more than the {most} tasks that Slurm takes in an array"),
                format!("give at most {most}: MaxArraySize in its configuration, less 1"),
            ));
        }
        atomic::write_text(&note, &format!("{parts}\n"))?;
        Ok(parts)
    }
}

impl Job<'_> {
    /// The parts with missing games.
    fn holes(&self) -> anyhow::Result<Vec<u64>> {
        let missing = self.parted.missing(self.parts)?;
        Ok((1..).zip(missing).filter(|(_, games)| *games > 0).map(|(part, _)| part).collect())
    }

    fn submit(&self, parts: &[u64]) -> anyhow::Result<()> {
        slurm_queue::cancel_held(&self.name);
        let number = slurm_queue::submit(&self.script, parts)?;
        say(&format!("job {number}, {}: {} handed in", self.name, counted(parts.len(), "task")));
        Ok(())
    }

    /// Waits until no game is missing, or nothing more is tried. Then merges.
    fn wait(&self, tournament: &Path) -> anyhow::Result<ExitCode> {
        let mut attempts = 0;
        loop {
            if !self.until_over()? {
                return Ok(CommandExit::Failed.into());
            }
            let holes = self.holes()?;
            if holes.is_empty() || attempts == AGAIN || !self.hands_in {
                break;
            }
            attempts += 1;
            say(&format!(
                "games are missing in the parts {}; they are handed in again, {attempts} of {AGAIN}",
                machines::array_of(&holes)
            ));
            self.submit(&holes).unwrap_or_else(|error| crate::cli::complain(&error));
        }
        if self.parted.merge(tournament, self.parts)? {
            return Ok(ExitCode::SUCCESS);
        }
        let missing: u64 = self.parted.missing(self.parts)?.iter().sum();
        let (logs, holes) = (self.script.with_file_name("log"), self.holes()?);
        say(&format!(
            "error: {missing} of {} {} missing, in the parts {}",
            counted(self.parted.games(), "game"),
            are(missing),
            machines::array_of(&holes)
        ));
        for part in holes.iter().take(1) {
            // The log of a task that was never begun does not exist.
            let log = std::fs::read_to_string(logs.join(format!("{part}.txt"))).unwrap_or_default();
            let last = log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it has no log");
            say(&format!("part {part}: {}", agon_printable::clean(last)));
        }
        let again = if self.hands_in { "the same command again" } else { "it with --submit to play them" };
        say(&format!("hint: look into {} for the reason, and call {again}", display_path(&logs)));
        Ok(CommandExit::Failed.into())
    }

    /// Waits until all games are there and no part is played, or until Slurm has no task of the
    /// job. Returns false at once if there is no Slurm to be asked.
    fn until_over(&self) -> anyhow::Result<bool> {
        let games = self.parted.games();
        let bar = ProgressBar::new(games).with_style(
            ProgressStyle::with_template("{pos}/{len} games [{wide_bar}] {eta} left, {msg}")
                .expect("the template is right")
                .progress_chars("=> "),
        );
        let (mut empty, mut said, mut look) = (0, None::<Instant>, Duration::ZERO);
        loop {
            let missing = self.parted.missing(self.parts)?;
            let done = games - missing.iter().sum::<u64>();
            let tasks = slurm_queue::tasks_left(&self.name);
            let queue = match tasks {
                Some(tasks) => format!("{} in the queue", counted(tasks, "task")),
                None => "Slurm does not answer".to_owned(),
            };
            bar.set_position(done);
            bar.set_message(queue.clone());
            if bar.is_hidden() && said.is_none_or(|said| said.elapsed() >= SILENCE) {
                said = Some(Instant::now());
                say(&format!("{done}/{games} games, {queue}"));
            }
            empty = if tasks == Some(0) { empty + 1 } else { 0 };
            let is_done = done == games && !(1..=self.parts).any(|part| self.parted.is_played(part));
            if is_done || empty >= LOOKS {
                bar.finish_and_clear();
                return Ok(true);
            }
            if tasks.is_none() && program::find(Path::new("squeue")).is_err() {
                bar.finish_and_clear();
                say("error: there is no squeue here, so nothing says when the job is over");
                say("hint: call agon slurm --wait on the login node of the cluster");
                return Ok(false);
            }
            look = (look + Duration::from_secs(1)).min(LOOK);
            self.pause(look)?;
        }
    }

    /// Waits for a moment, or ends at a signal.
    fn pause(&self, time: Duration) -> anyhow::Result<()> {
        let mut stop = [PollFd::new(&self.context.stop, PollFlags::IN)];
        let time = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: 0 };
        match poll(&mut stop, Some(&time)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => Ok(()),
            Ok(_) => {
                say("stopped waiting; the job goes on, and the same command waits again");
                Err(Interrupted.into())
            }
            Err(error) => Err(error).context("cannot wait"),
        }
    }
}

/// Refuses a folder whose path cannot stand in a line of `#SBATCH`, before anything is made.
fn fits_a_directive(folder: &Path) -> anyhow::Result<()> {
    let path =
        std::path::absolute(folder).with_context(|| format!("cannot find {}", display_path(folder)))?;
    let why = match path.to_str() {
        None => "is not UTF-8",
        Some(text) if text.contains(['\n', '\r']) => "has a line break",
        Some(_) => return Ok(()),
    };
    Err(Misuse::hinted(
        format!(
            "--out: the path {} {why}, and Slurm reads it from a line of the script",
            display_path(&path)
        ),
        "give another folder with --out",
    ))
}

/// Makes the folder of the parts with those for parts and logs. Returns its whole path.
pub(crate) fn made(folder: &Path) -> anyhow::Result<PathBuf> {
    for name in ["parts", "log"] {
        let path = folder.join(name);
        std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", display_path(&path)))?;
    }
    kept::share(folder)?;
    folder.canonicalize().with_context(|| format!("cannot find {}", display_path(folder)))
}
