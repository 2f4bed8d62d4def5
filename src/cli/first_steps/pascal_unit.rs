//! `agon new mill pascal --unit`: builds an engine from a unit of Turbo Pascal, of the league of
//! 1997.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::{CommandExit, Misuse, Options};
use agon_match::keeper::{Interrupted, RunContext};
use agon_programs::build::{self, Bench, BuildFailure};
use agon_programs::machine_fault::NoEngine;
use agon_programs::pascal::{self, LeagueUnit};
use agon_programs::program::{self, display_path};
use agon_programs::submission;
use agon_sandbox::Isolation;
use agon_tournament::entrants::isolation;
use agon_tournament::run::shell_path;
use anyhow::{Context, anyhow};

use super::new_folder::make_empty;
use crate::cli::{complain, out, say};

/// A unit that declares `function PYuval(who: byte; board: TBoard; ytime, otime: real): word`.
/// `Yuval` stands for the name of the unit. Free Pascal compiles it like Turbo Pascal.
pub(super) struct PascalUnit<'a> {
    /// Its source, with line ends of DOS or of Unix.
    pub(super) file: &'a Path,
    /// The folder to make, or to build anew; else one with the name of the unit.
    pub(super) out: Option<PathBuf>,
    /// Whether indices, ranges and overflows are checked where Turbo Pascal did not check them.
    pub(super) checks: bool,
}

impl PascalUnit<'_> {
    pub(super) fn run(&self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let shown = display_path(self.file);
        let source = fs::read(self.file)
            .map_err(|error| Misuse::error(format!("{shown}: cannot be read: {error}")))?;
        let unit = LeagueUnit::read(&source).map_err(|unfit| {
            let line = unfit.line.map(|line| format!(":{line}")).unwrap_or_default();
            Misuse::hinted(format!("{shown}{line}: {}", unfit.why), unfit.hint)
        })?;
        if program::find(Path::new(pascal::COMPILER)).is_err() {
            complain(&Misuse::hinted(
                "Free Pascal (the program fpc) is not on this machine",
                "run apt-get install fp-compiler, or get it from https://www.freepascal.org",
            ));
            return Ok(CommandExit::Unavailable.into());
        }
        let folder = self.out.clone().unwrap_or_else(|| unit.short().into());
        if let Some(other) = LeagueUnit::other_source(self.file, &folder) {
            return Err(Misuse::hinted(
                format!(
                    "{} has the engine of another unit, {other}; nothing was written",
                    display_path(&folder)
                ),
                "name another folder for this one, behind pascal",
            ));
        }
        // What does not compile leaves the folder as it was.
        let trial = context.scratch.join("pascal-unit");
        fs::create_dir_all(&trial).with_context(|| format!("cannot make {}", display_path(&trial)))?;
        self.make(&unit, &trial, context)?;
        if !folder.join(pascal::MARK).is_file() {
            make_empty(&folder)?;
        }
        for message in self.make(&unit, &folder, context)? {
            say(&message);
        }
        let place = shell_path(&folder);
        out(&format!(
            "{} has an engine for mill: {} of {shown}\n  agon check {place}\n  agon play {place}\n",
            display_path(&folder),
            unit.function
        ))?;
        let options = Options { isolation: Some(Isolation::Sandbox), ..Options::default() };
        out(match isolation::is_available(&options.confinement()?, context) {
            Ok(()) => {
                "In the league a unit saw nothing but its parameters. For that, play with --isolation sandbox\n"
            }
            Err(_) => {
                "In the league a unit saw nothing but its parameters. This machine has no sandbox: a unit may open \
                 files here\nhint: agon doctor says what is missing\n"
            }
        })?;
        Ok(ExitCode::SUCCESS)
    }

    /// Writes and builds the engine in a folder that is there. Returns the warnings of the
    /// compiler.
    fn make(&self, unit: &LeagueUnit, folder: &Path, context: &RunContext) -> anyhow::Result<Vec<String>> {
        let from = unit
            .write(self.file, folder, self.checks)
            .with_context(|| format!("cannot write the engine to {}", display_path(folder)))?;
        let found = submission::look(folder).map_err(|why| anyhow!("{why}"))?;
        let failure = match build::make(&found, Bench::Logged, build::BOUND, &context.stop) {
            Ok(_) => return Ok(Self::said(unit, folder, &from)),
            Err(failure) => failure,
        };
        match failure {
            BuildFailure::NoEngine(NoEngine::Author(why)) => {
                let messages = Self::said(unit, folder, &from);
                let is_error = |line: &&String| line.contains("error: ");
                let errors = messages.iter().filter(is_error).count();
                messages.iter().for_each(|message| say(message));
                let shown = display_path(self.file);
                Err(match errors {
                    0 => anyhow!("{shown} does not compile: {why}"),
                    1 => anyhow!("{shown} does not compile: 1 error"),
                    _ => anyhow!("{shown} does not compile: {errors} errors"),
                })
            }
            BuildFailure::Stopped => Err(Interrupted.into()),
            BuildFailure::NoEngine(NoEngine::Machine(fault)) => Err(fault).context("cannot build"),
        }
    }

    fn said(unit: &LeagueUnit, folder: &Path, from: &BTreeMap<String, PathBuf>) -> Vec<String> {
        let log = fs::read_to_string(folder.join(build::LOG)).unwrap_or_default();
        unit.messages(&log, from)
    }
}
