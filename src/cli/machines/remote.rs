//! `agon listen` and `agon connect`: an engine that runs on another machine.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use agon_config::{CommandExit, Misuse, Seconds, whole};
use agon_match::keeper::RunContext;
use agon_match::processes::far_clock::FarClock;
use agon_match::processes::{LONGEST_PAUSE, PAUSE_FILE, TIMES_FILE};
use agon_match::schedule;
use agon_printable::clean;
use agon_remote::connect::Connecting;
use agon_remote::frame::Ended;
use agon_remote::listen::{EnginePipes, Listening};
use agon_remote::pauses::PauseFile;
use agon_remote::{RemoteError, Token};
use anyhow::Context;
use clap::Args;

use crate::cli::say;

/// Stands for an engine that runs on another machine
///
/// It is the command of an engine.toml, and carries the pipes of the engine over one TCP
/// connection. On the other machine `agon connect` starts the engine for each game, with the
/// arguments after `--` and the files of the game. Both know a token. Nothing is encrypted: use ssh
/// -L, or a network that you trust. Engines at the isolation levels sandbox and strict have no
/// network.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon listen --token-file token --port 7001 -- X 3 3 3 5

In an engine.toml, the arguments of the game follow:
  command = [\"agon\", \"listen\", \"--token-file\", \"{folder}/token\", \"--port\", \"7001\", \"--\"]
  echo = [\"agon\", \"listen\", \"--token-file\", \"{folder}/token\", \"--port\", \"7001\", \"--echo\"]
To make a token:
  (umask 077; openssl rand -hex 16 > token)

Exit codes: that of the engine, or 128 and the signal that ended it; 75 if the connection was lost.")]
pub(crate) struct ListenArgs {
    /// The file with the token, which only its owner may read
    #[arg(long, value_name = "FILE")]
    token_file: PathBuf,

    /// The port
    #[arg(long, value_name = "PORT", value_parser = whole::<u16>, allow_negative_numbers = true)]
    port: u16,

    /// The address to listen on. 0.0.0.0 is every address of this machine
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,

    /// How long the connection may be lost before the engine counts as gone. Its clock runs
    /// meanwhile
    #[arg(long, value_name = "SECONDS", default_value = "5")]
    grace: Seconds,

    /// Gives each line of standard input back when it has been at the other machine: the echo of an
    /// engine.toml. No engine is started
    #[arg(long, conflicts_with = "arguments")]
    echo: bool,

    /// Arguments of the engine, in addition to those that it is started with
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

impl ListenArgs {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let token = token(&self.token_file)?;
        let arguments: Vec<Vec<u8>> = self.arguments.into_iter().map(OsString::into_vec).collect();
        let pauses = pauses();
        let times = std::env::var_os(TIMES_FILE).map(PathBuf::from);
        let order = Listening {
            address: SocketAddr::new(self.address, self.port),
            token: &token,
            grace: self.grace.0,
            pauses: pauses.as_ref(),
            arguments: &arguments,
            files: Path::new("."),
            times: times.as_deref(),
        };
        let pipes = own_pipes().context("cannot take standard input and output")?;
        if self.echo {
            return match agon_remote::echo(&order, pipes, &|line| say(&format!("agon listen: {line}"))) {
                Ok(()) => Ok(ExitCode::SUCCESS),
                Err(RemoteError::Lost(_)) => Ok(CommandExit::Lost.into()),
                Err(error) => Err(error.into()),
            };
        }
        match agon_remote::listen(&order, pipes, &|line| say(&format!("agon listen: {line}"))) {
            Ok(Ended::Code(code)) => Ok(ExitCode::from(code)),
            Ok(Ended::Signal(signal)) => {
                say(&format!("agon listen: the engine was ended by signal {signal}"));
                Ok(ExitCode::from(128u8.saturating_add(signal)))
            }
            Ok(Ended::NotStarted) => Ok(CommandExit::Failed.into()),
            Err(error @ RemoteError::Lost(_)) => {
                say(&format!("agon listen: {error}"));
                Ok(CommandExit::Lost.into())
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// How the harness shows pauses of the game, if it allows any.
fn pauses() -> Option<PauseFile> {
    let path = PathBuf::from(std::env::var_os(PAUSE_FILE)?);
    let longest: f64 = std::env::var(LONGEST_PAUSE).ok()?.parse().ok()?;
    Some(PauseFile { path, longest: Duration::try_from_secs_f64(longest).ok()? })
}

/// Our stdin, stdout and stderr. Stdout is closed when the engine closes its own, so that it is not
/// kept open here.
fn own_pipes() -> std::io::Result<EnginePipes> {
    let taken = |fd: std::os::fd::BorrowedFd<'_>| fd.try_clone_to_owned();
    let pipes = EnginePipes {
        stdin: taken(std::io::stdin().as_fd())?,
        stdout: taken(std::io::stdout().as_fd())?,
        stderr: taken(std::io::stderr().as_fd())?,
    };
    let nowhere = OwnedFd::from(std::fs::OpenOptions::new().write(true).open("/dev/null")?);
    rustix::stdio::dup2_stdout(&nowhere)?;
    Ok(pipes)
}

/// Starts an engine on this machine for the games of another one
///
/// There `agon listen` stands for the engine. The engine gets its own arguments, then those of the
/// game. It is started anew for each game, in a directory with the files of the game. It is not
/// confined.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon connect agon-host:7001 --token-file token -- ./engine
  agon connect localhost:7001 --token-file token -- ./engine    behind ssh -L 7001:localhost:7001 lab1")]
pub(crate) struct ConnectArgs {
    /// Where agon listen waits
    #[arg(value_name = "HOST:PORT")]
    to: String,

    /// The file with the token, which only its owner may read
    #[arg(long, value_name = "FILE")]
    token_file: PathBuf,

    /// Ends after so many games [default: plays until it is interrupted]
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true)]
    games: Option<u32>,

    /// The engine and its own arguments
    #[arg(last = true, required = true, value_name = "ENGINE")]
    engine: Vec<OsString>,
}

impl ConnectArgs {
    pub(crate) fn run(mut self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let token = token(&self.token_file)?;
        let is_place = self
            .to
            .rsplit_once(':')
            .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
        if !is_place {
            return Err(Misuse::misread(
                "HOST:PORT",
                &format!("{} is none; give lab1:7001", clean(&self.to)),
            ));
        }
        let arguments = self.engine.split_off(1);
        let order = Connecting {
            address: &self.to,
            token: &token,
            program: program(&self.engine[0])?,
            arguments,
            games: self.games,
            stop: context.stop.as_fd(),
            clock: &|| Box::<FarClock>::default(),
        };
        let played =
            schedule::aside(|| agon_remote::connect(&order, &|line| say(&format!("agon connect: {line}"))))?;
        played?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The program by its path: it is started in another directory.
fn program(word: &OsString) -> anyhow::Result<PathBuf> {
    let path = Path::new(word);
    if path.components().count() > 1 || path.is_file() {
        let shown = agon_programs::program::display_path(path);
        return path.canonicalize().map_err(|error| Misuse::error(format!("{shown}: {error}")));
    }
    agon_programs::program::find(path).map_err(Misuse::error)
}

fn token(file: &Path) -> anyhow::Result<Token> {
    Token::read(file).map_err(|error| Misuse::misread("--token-file", &error.to_string()))
}
