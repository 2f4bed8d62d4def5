//! Parses the command line, runs the subcommand, prints errors and picks the exit code.

use std::process::ExitCode;

use agon::cli;
use agon_config::CommandExit;
use agon_tournament::terminal::say;

fn main() -> ExitCode {
    agon_sandbox::become_helper();
    agon_sandbox::system::inherited::settle();
    match agon_sandbox::system::own_program().and_then(|program| agon_sandbox::system::be_init(&program)) {
        Ok(None) => {}
        Ok(Some(code)) => return ExitCode::from(code),
        Err(error) => {
            say(&format!("error: as process 1, agon cannot start itself as its child: {error}"));
            return CommandExit::Failed.into();
        }
    }
    if let Err(why) = cli::ulimits::is_enough() {
        // The hint follows the last `; `.
        say(&format!("error: {}", why.replace("; ", "\nhint: ")));
        return CommandExit::Failed.into();
    }
    let asked = match cli::parse() {
        Ok(asked) => asked,
        Err(code) => return code,
    };
    cli::run(asked).unwrap_or_else(|error| {
        cli::complain(&error);
        cli::exit_code(&error)
    })
}
