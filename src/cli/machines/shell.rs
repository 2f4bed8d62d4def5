//! `agon completions` and `agon man`: shell completions and the manual page, made from the options.

use std::path::PathBuf;
use std::process::ExitCode;

use agon_programs::program::display_path;
use anyhow::Context;
use clap::{Args, CommandFactory};

/// Writes the completions for a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon completions bash > ~/.local/share/bash-completion/completions/agon")]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

impl CompletionsArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let mut out = Vec::new();
        clap_complete::generate(self.shell, &mut crate::cli::Cli::command(), "agon", &mut out);
        crate::cli::out_bytes(&out)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes the manual as one page, or a page for each command
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon man > agon.1 && man ./agon.1
  agon man --out ~/.local/share/man/man1    then: man agon-tournament")]
pub(crate) struct ManArgs {
    /// Writes agon.1, agon-tournament.1 and so on into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl ManArgs {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let mut out = Vec::new();
        let command = crate::cli::Cli::command();
        if let Some(folder) = &self.out {
            // agon help TOPIC would be a page too.
            return std::fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(command.disable_help_subcommand(true), folder))
                .with_context(|| format!("cannot write the manual pages to {}", display_path(folder)))
                .map(|()| ExitCode::SUCCESS);
        }
        clap_mangen::Man::new(command.clone()).render(&mut out).context("cannot make the manual page")?;
        // A single page: each subcommand with its options follows the first.
        for subcommand in command.get_subcommands() {
            let name = format!("agon {}", subcommand.get_name());
            let page = clap_mangen::Man::new(subcommand.clone().bin_name(name));
            page.render_name_section(&mut out)
                .and_then(|()| page.render_synopsis_section(&mut out))
                .and_then(|()| page.render_description_section(&mut out))
                .and_then(|()| page.render_options_section(&mut out))
                .context("cannot make the manual page")?;
        }
        crate::cli::out_bytes(&out)?;
        Ok(ExitCode::SUCCESS)
    }
}
