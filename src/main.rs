//! Reads the command line, does what it asks, prints what went wrong, and picks the exit code.

use std::io::Write;
use std::process::ExitCode;

use agon::cli::{self, Cli};
use clap::Parser;

fn main() -> ExitCode {
    agon::engine::sandbox::help();
    let cli = Cli::parse();
    cli::run(cli).unwrap_or_else(|error| {
        // Whoever has closed our stderr does not want to know.
        let _ = writeln!(std::io::stderr(), "agon: {error:#}");
        cli::exit_code(&error)
    })
}
