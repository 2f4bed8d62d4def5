//! The page of `agon --help`: every command once, under a heading, in one line.

use clap::{Args, Command, CommandFactory};
use std::process::ExitCode;

use agon_config::CommandExit;

use super::Cli;

/// A heading of the page. It has a folder beside this file with a file for each command.
struct Heading {
    title: &'static str,
    /// What most people use.
    often: &'static [&'static str],
    /// What `agon help --all` lists besides.
    rarely: &'static [&'static str],
}

/// The headings in the order in which somebody meets them.
const HEADINGS: [Heading; 6] = [
    Heading { title: "First steps", often: &["new", "adopt", "check", "play", "match"], rarely: &[] },
    Heading {
        title: "Tournaments",
        often: &["tournament", "nightly", "plan", "status", "stop", "decide"],
        rarely: &["simulate", "pause", "resume", "withdraw", "enter", "close"],
    },
    Heading {
        title: "Results",
        often: &["standings", "games", "why", "replay", "verify", "report", "serve", "history"],
        rarely: &["analyse", "export", "import", "forget", "prune", "upgrade"],
    },
    Heading {
        title: "A class",
        often: &["intake", "grade", "inbox", "token"],
        rarely: &["publish", "reveal"],
    },
    Heading {
        title: "Games",
        often: &["rules", "position", "new-game", "check-referee"],
        rarely: &["solve"],
    },
    Heading {
        title: "Machines",
        often: &["doctor", "build", "merge", "slurm", "parallel", "listen", "connect"],
        rarely: &["completions", "man"],
    },
];

/// Shows this page, or with a command its help
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon help --all
  agon help tournament
  agon help position show
  agon help exit-codes")]
pub(super) struct HelpArgs {
    /// The command
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,

    /// Lists all commands, rare ones too
    #[arg(long)]
    all: bool,
}

impl HelpArgs {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        if self.words.is_empty() {
            super::out_list(&page(&Cli::command(), self.all))?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.words == [EXIT_CODES] {
            super::out_list(&exit_codes())?;
            return Ok(ExitCode::SUCCESS);
        }
        let words = ["agon".to_owned()].into_iter().chain(self.words).chain(["--help".to_owned()]);
        match super::parsed(words.map(Into::into)) {
            Err(code) => Ok(code),
            Ok(_) => Ok(ExitCode::SUCCESS), // `--help` is always answered
        }
    }
}

/// The command line with this page as its help.
pub(super) fn with_page(command: Command) -> Command {
    let text = page(&command, false);
    command.override_help(text)
}

/// The page.
fn page(command: &Command, all: bool) -> String {
    let rest =
        if all { format!("\nOptions: -h, --help; -V, --version.\n{}", exit_codes()) } else { String::new() };
    let lists = HEADINGS.iter().map(|heading| {
        let rarely = if all { heading.rarely } else { &[] };
        let lines = heading.often.iter().chain(rarely).map(|name| line(command, name));
        format!("\n{}:\n{}", heading.title, lines.collect::<String>())
    });
    format!("{HEAD}{}{rest}", lists.collect::<String>())
}

/// A command in a line.
fn line(command: &Command, name: &str) -> String {
    let about = command.find_subcommand(name).and_then(Command::get_about);
    format!("  {name:<13}  {}\n", about.map(ToString::to_string).unwrap_or_default())
}

const HEAD: &str = "\
agon plays engines, programs that play a game, against each other, and keeps the standings.
Usage: agon COMMAND ...    agon help COMMAND explains one, agon help --all lists all.
";

/// What `agon help` explains besides commands.
const EXIT_CODES: &str = "exit-codes";

/// The exit codes of all commands, one a line.
fn exit_codes() -> String {
    let line = |exit: &CommandExit| format!("  {:>3}  {}\n", exit.number(), exit.meaning());
    format!("Exit codes:\n{}", CommandExit::ALL.iter().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The page without rare commands has at most so many lines.
    const MOST_LINES: usize = 48;

    #[test]
    fn every_command_stands_under_exactly_one_heading() {
        let listed: Vec<&str> =
            HEADINGS.iter().flat_map(|heading| heading.often.iter().chain(heading.rarely).copied()).collect();
        let command = Cli::command();
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        let names: BTreeSet<&str> = shown.map(Command::get_name).filter(|name| *name != "help").collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), names);
        assert_eq!(listed.len(), names.len(), "one stands there twice: {listed:?}");
    }

    #[test]
    fn the_page_fits_two_screens_and_a_command_one_line() {
        let (short, all) = (page(&Cli::command(), false), page(&Cli::command(), true));
        assert!(short.lines().count() <= MOST_LINES, "{} lines\n{short}", short.lines().count());
        for line in short.lines().chain(all.lines()).filter(|line| line.starts_with("  ")) {
            assert!(line.len() <= 80 && line.trim().contains("  "), "{line}");
        }
    }

    /// The options that `-h` shows, of which few are looked for often.
    #[test]
    fn the_short_help_of_what_people_use_has_the_options_that_they_use() {
        let mut command = Cli::command();
        command.build();
        for name in ["tournament", "match", "nightly", "grade", "check", "play"] {
            let page = command.find_subcommand_mut(name).expect("it is a command").render_help().to_string();
            let options = page.lines().filter(|line| line.trim_start().starts_with('-')).count();
            assert!((5..=14).contains(&options), "agon {name} -h shows {options} options\n{page}");
            assert!(page.contains("--game ") && page.contains("--st "), "{page}");
        }
    }
}
