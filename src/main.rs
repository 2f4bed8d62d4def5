//! Parses the command line, runs the subcommand, prints errors and picks the exit code.

use std::process::ExitCode;

use agon::cli;

fn main() -> ExitCode {
    agon::engine::sandbox::become_helper();
    if let Err(why) = cli::ulimits::is_enough() {
        // The hint follows the last `; `.
        cli::say(&format!("error: {}", why.replace("; ", "\nhint: ")));
        return ExitCode::FAILURE;
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
