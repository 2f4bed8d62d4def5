//! `agon build`: builds the submissions of a folder, each in a box.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use agon_printable::{clean_lines, escape};
use anyhow::Context;
use clap::Args;

use crate::config::{Confinement, Isolation, Misuse};
use crate::engine::Scratch;
use crate::engine::build::{self, Bench, BuildFailure};
use crate::engine::program::display_path;
use crate::engine::{sandbox, submission};
use crate::keeper::{Interrupted, RunContext};
use crate::report::columns::columns;

/// Builds every submission of a folder, each in a box, so that a hostile Makefile does no harm
///
/// Each subfolder is a submission. It is built by the build command of its engine.toml, or by its
/// Makefile, Cargo.toml or C sources; one in Python alone needs no build. A submission without an
/// engine.toml gets one. The output of the build is in build.log beside it. A link that leads out
/// of a submission is refused. Exit code 0: all are built; 1: some are not; 3: there is no sandbox
/// here.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon build submissions/
  agon build submissions/ --seconds 60")]
pub(super) struct BuildArgs {
    /// The folder with one subfolder per submission
    folder: PathBuf,

    /// The most seconds for one build
    #[arg(long, value_name = "N", default_value_t = 300)]
    seconds: u32,
}

impl BuildArgs {
    pub(super) fn run(self, kept: &RunContext) -> anyhow::Result<ExitCode> {
        let scratch = Scratch::create(&kept.scratch).context("cannot make a directory to build in")?;
        let mut folders: Vec<PathBuf> = fs::read_dir(&self.folder)
            .map_err(|error| {
                let what = format!("{}: cannot be read as a folder: {error}", display_path(&self.folder));
                Misuse::hinted(what, "give the folder that contains the submissions")
            })?
            .flatten()
            .map(|entry| entry.path())
            // Links to folders too, so that they are refused by name.
            .filter(|path| path.is_dir())
            .filter(|path| !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")))
            .collect();
        folders.sort();
        if folders.is_empty() {
            return Err(Misuse::hinted(
                format!("{}: the folder has no subfolder", display_path(&self.folder)),
                "give the folder that contains one subfolder per submission",
            ));
        }
        let rows = super::aside(|| self.build_all(&folders, &scratch, kept))??;
        let failed = rows.iter().filter(|row| row[2] == "FAILED").count();
        super::out(&columns(&["submission", "built by", "result", "why"], &rows))?;
        super::out(&format!("{} of {} are built\n", rows.len() - failed, rows.len()))?;
        Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    fn build_all(
        &self,
        folders: &[PathBuf],
        scratch: &Scratch,
        kept: &RunContext,
    ) -> anyhow::Result<Vec<Vec<String>>> {
        let place = scratch.path().join("build");
        fs::create_dir(&place).context("cannot make a directory to build in")?;
        sandbox::available(&Confinement { level: Isolation::Sandbox, ..Confinement::default() }, &place)?;
        let mut rows = Vec::new();
        for folder in folders {
            let name = folder.file_name().map(|name| escape(name.as_encoded_bytes(), 60)).unwrap_or_default();
            super::say(&format!("building {name} ..."));
            let bench = Bench::Boxed { place: &place };
            let bound = Duration::from_secs(self.seconds.into());
            let (by, result) = match submission::stays_inside(folder).and_then(|()| submission::look(folder))
            {
                Ok(found) => (found.by, build::make(&found, bench, bound, &kept.stop).map(drop)),
                Err(why) => ("", Err(why.into())),
            };
            let (word, why) = match result {
                Ok(()) => ("ok", String::new()),
                Err(BuildFailure::Words(why)) => ("FAILED", clean_lines(&why)),
                Err(BuildFailure::Stopped) => return Err(Interrupted.into()),
                Err(BuildFailure::Ours(error)) => return Err(error).context("cannot build in a box"),
            };
            rows.push(vec![name, by.to_owned(), word.to_owned(), why]);
        }
        Ok(rows)
    }
}
