//! `agon parallel`: a tournament on several machines over ssh, by one command of GNU parallel.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::{CommandExit, Misuse, OpeningsFrom, whole};
use agon_match::keeper::RunContext;
use agon_printable::{are, counted};
use agon_programs::program::display_path;
use agon_store::hash;
use agon_tournament::machines::ParallelCommand;
use anyhow::Context;
use clap::Args;

use crate::cli::machines::holes::{PartedRun, outside, path_of_agon};
use crate::cli::machines::part_rounds;
use crate::cli::{out, say};

/// Plays a tournament on several machines over ssh
///
/// It uses GNU parallel.
///
/// It builds the engines and prints two commands. The first calls GNU parallel: it copies agon, the
/// engines and the tournament.toml to each host, plays the parts there, and brings them back. The
/// second merges the parts. With --run it calls both; for stages and a Swiss it does so round by
/// round. A part that fails is tried on another host. The same command again plays only the parts
/// that have not ended well.
///
/// The hosts need ssh without a password, rsync, and the same kind of processor and system as this
/// machine.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon parallel tournament.toml --sshlogin hosts --parts 12         prints the commands
  agon parallel tournament.toml --sshlogin hosts --parts 12 --run --out club
  agon standings club/all

Exit codes: 0 done; 1 games are missing; 2 wrong use.")]
pub(crate) struct ParallelArgs {
    /// A tournament.toml; the folder of its engines must be in its folder
    #[arg(value_name = "FILE.toml")]
    tournament: PathBuf,

    /// The file of the hosts, one a line, as GNU parallel reads it: user@host, ssh -p 2222 host,
    /// or : for this machine
    #[arg(long, value_name = "FILE")]
    sshlogin: PathBuf,

    /// The number of parts; several for each host, so that fast ones play more
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true)]
    parts: u32,

    /// The folder for the parts and their log, and in its folder all the whole run
    #[arg(long, value_name = "DIR", default_value = "agon-parallel")]
    out: PathBuf,

    /// One more file or folder in the folder of the tournament.toml to copy; can be repeated
    #[arg(long, value_name = "PATH")]
    copy: Vec<PathBuf>,

    /// Calls the command and merges the parts
    #[arg(long)]
    run: bool,
}

impl ParallelArgs {
    pub(crate) fn run(&self, context: &RunContext) -> anyhow::Result<ExitCode> {
        if self.parts == 0 {
            return Err(Misuse::hinted("--parts: 0 parts play nothing", "give 1 or more"));
        }
        if !self.sshlogin.is_file() {
            let what = format!("--sshlogin: there is no file {}", display_path(&self.sshlogin));
            return Err(Misuse::hinted(what, "write the hosts into it, one a line"));
        }
        let hosts = std::fs::read_to_string(&self.sshlogin)
            .with_context(|| format!("cannot read {}", display_path(&self.sshlogin)))?;
        if !hosts.lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with('#')) {
            let what = format!("--sshlogin: there is no host in {}", display_path(&self.sshlogin));
            return Err(Misuse::hinted(what, "write the hosts into it, one a line; : is this machine"));
        }
        let tournament = real(&self.tournament)?;
        if !tournament.is_file() {
            let what = format!("{}: is a folder", display_path(&self.tournament));
            return Err(Misuse::hinted(
                what,
                "give a tournament.toml that stands beside the folder of engines",
            ));
        }
        // A relative path, so that the command can be called again with the same words.
        let folder = crate::cli::machines::slurm::made(&self.out)?;
        let parted = PartedRun::by_rounds(&self.tournament, &folder, context)?;
        let base = tournament.parent().unwrap_or(Path::new("/")).to_owned();
        let mut copied = vec![below(&tournament, &base)?, below(&real(&parted.engines)?, &base)?];
        let options = &parted.options;
        let openings = options.openings.as_ref().and_then(|from| match from {
            OpeningsFrom::File(file) => Some(file),
            OpeningsFrom::Book => None,
        });
        let referee = parted.run.rules.hosted().map(|hosted| &hosted.folder.referee.source);
        let named = [options.dictionary.as_ref(), options.board.as_ref(), openings, referee];
        for file in named.into_iter().flatten().chain(&self.copy) {
            let file = below(&real(file)?, &base)?;
            if !copied.contains(&file) {
                copied.push(file);
            }
        }
        let remote = format!("agon-{}", &hash::of_bytes(folder.as_os_str().as_encoded_bytes())[..8]);
        let mut command = ParallelCommand {
            hosts: &real(&self.sshlogin)?,
            agon: &path_of_agon()?,
            base: &base,
            copied: &copied,
            tournament: &copied[0],
            out: &folder,
            remote: &remote,
            parts: self.parts.into(),
            round: None,
        };
        if parted.rounds.is_some() {
            command.round = Some(part_rounds::of(part_rounds::next(&folder), &command, &parted)?);
        }
        if !self.run {
            out(&command.text())?;
            if parted.rounds.is_some() {
                say("hint: these play one round; with --run all rounds are played, one after the other");
            }
            return Ok(ExitCode::SUCCESS);
        }
        if parted.rounds.is_some() {
            return part_rounds::play(command, &parted, &tournament, called);
        }
        called(&command.words())?;
        if parted.merge(&tournament, self.parts.into())? {
            return Ok(ExitCode::SUCCESS);
        }
        let missing: u64 = parted.missing(self.parts.into())?.iter().sum();
        say(&format!("error: {missing} of {} {} missing", counted(parted.games(), "game"), are(missing)));
        say("hint: call the same command again; it plays the parts that have not ended well");
        Ok(CommandExit::Failed.into())
    }
}

/// Calls GNU parallel. Returns whether all parts have ended well.
fn called(words: &[String]) -> anyhow::Result<bool> {
    let status = outside(&words[0]).args(&words[1..]).status();
    let status = status.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Misuse::hinted(
            "there is no GNU parallel here",
            "install it, for example: apt-get install parallel",
        ),
        _ => anyhow::Error::new(error).context("cannot start parallel"),
    })?;
    if !status.success() {
        say(&format!("parallel ended with {status}; what came back is merged"));
    }
    Ok(status.success())
}

fn real(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize().with_context(|| format!("cannot find {}", display_path(path)))
}

/// The path relative to a folder.
fn below(path: &Path, base: &Path) -> anyhow::Result<PathBuf> {
    match path.strip_prefix(base) {
        Ok(relative) if relative != Path::new("") => Ok(relative.to_owned()),
        _ => Err(Misuse::hinted(
            format!("{}: is not in the folder of the tournament.toml", display_path(path)),
            "bring everything that the hosts need into that folder",
        )),
    }
}
