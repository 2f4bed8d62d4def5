//! `agon build`: builds the submissions of a folder, each in a box.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use agon_class::{self, BuildRow};
use agon_config::{CommandExit, Options};
use agon_match::keeper::RunContext;
use agon_pages::report::columns::columns;
use agon_programs::machine_fault::NoEngine;
use agon_sandbox::Isolation;
use clap::Args;

use crate::cli::{out, say};

/// Builds the submissions of a folder, each in a box
///
/// So a hostile Makefile does no harm.
///
/// Each subfolder is a submission. It is built by the build command of its engine.toml, or by its
/// Makefile, Cargo.toml, or its sources in C, C++, Java, Go or Rust. JavaScript and Python need no
/// build. A submission without an engine.toml gets one. The output of the build is in build.log
/// beside it. A link that leads out of a submission is refused. Exit code 0: all are built; 1: some
/// are not; 3: there is no sandbox here, or a compiler is not installed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon build submissions/
  agon build submissions/ --seconds 60
  agon build submissions/ --show /opt/zig")]
pub(crate) struct BuildArgs {
    /// The folder with one subfolder per submission
    folder: PathBuf,

    /// The most seconds for one build
    #[arg(long, value_name = "N", default_value_t = 300)]
    seconds: u32,

    /// A file or folder that every box shows, read-only, at its own place; may be given several
    /// times
    #[arg(long, value_name = "PATH")]
    show: Vec<PathBuf>,
}

impl BuildArgs {
    pub(crate) fn run(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let bound = Duration::from_secs(self.seconds.into());
        let options = Options { show: self.show, isolation: Some(Isolation::Sandbox), ..Options::default() };
        let built = agon_class::build_folder(&self.folder, bound, options.confinement()?, context, &say)?;
        let failed = built.iter().filter(|row| row.failure.is_some()).count();
        let row = |row: &BuildRow| {
            let (result, why) = match &row.failure {
                None => ("ok", String::new()),
                Some(NoEngine::Author(why)) => ("FAILED", why.clone()),
                Some(NoEngine::Machine(fault)) => ("NOT BUILT", format!("{fault}; {}", fault.hint())),
            };
            vec![row.name.clone(), row.by.to_owned(), result.to_owned(), why]
        };
        let rows: Vec<Vec<String>> = built.iter().map(row).collect();
        out(&columns(&["submission", "built by", "result", "why"], &rows))?;
        out(&format!("{} of {} are built\n", rows.len() - failed, rows.len()))?;
        let is_machines = |row: &BuildRow| matches!(row.failure, Some(NoEngine::Machine(_)));
        Ok(match built.iter().any(is_machines) {
            true => CommandExit::Unavailable.into(),
            false => CommandExit::found(failed > 0).into(),
        })
    }
}
