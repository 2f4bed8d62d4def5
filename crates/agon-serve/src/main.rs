//! The server of agon. `agon serve` reads what people write, and starts this program in its place
//! with what follows from it; nobody else needs it.

use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::{CommandExit, Misuse};
use agon_inbox::Inbox;
use agon_match::keeper;
use agon_pages::pages::{Asked, Audience, EmbedHost, Replays, ValueSearch, View};
use agon_programs::program::display_path;
use agon_serve::serve::{self, ClassAccess, ServedRun, Serving, TablesPipes};
use agon_tournament::competition::reported;
use agon_tournament::terminal::{complain, out};
use anyhow::Context;
use clap::Parser;

/// The server of agon; agon serve starts it
#[derive(Parser, Debug)]
#[command(name = "agon-serve", version, after_help = "Write agon serve; agon serve --help says how.")]
struct ServerOptions {
    /// The version of the agon that starts it
    #[arg(long, value_name = "VERSION")]
    of_agon: String,

    #[arg(long)]
    listen: SocketAddr,

    #[arg(long = "host")]
    hosts: Vec<String>,

    #[arg(long = "embed")]
    embeds: Vec<EmbedHost>,

    /// The directory of a run, as it was named
    #[arg(long)]
    run: Option<PathBuf>,

    #[arg(long)]
    stage: Option<usize>,

    /// The name of the engine whose author reads the pages
    #[arg(long, conflicts_with = "staff")]
    engine: Option<String>,

    /// The staff reads them
    #[arg(long)]
    staff: bool,

    #[arg(long)]
    hide_results: bool,

    #[arg(long)]
    top: Option<usize>,

    /// The folder of submissions
    #[arg(long, requires = "tokens")]
    accept: Option<PathBuf>,

    #[arg(long)]
    tokens: Option<PathBuf>,

    /// The standard input is a socket to the process of the tables
    #[arg(long)]
    tables: bool,
}

fn main() -> ExitCode {
    match run(ServerOptions::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error, |_| None);
            if error.is::<Misuse>() { CommandExit::Misuse } else { CommandExit::Failed }.into()
        }
    }
}

fn run(asked: ServerOptions) -> anyhow::Result<()> {
    keeper::outlive_file_limits();
    let own = env!("CARGO_PKG_VERSION");
    if asked.of_agon != own {
        let program = std::env::current_exe().context("cannot find this program")?;
        return Err(Misuse::hinted(
            format!(
                "{} has the version {own}, and agon the version {}",
                display_path(&program),
                asked.of_agon
            ),
            "install agon and agon-serve of one version",
        ));
    }
    let tables = asked.tables.then(tables).transpose()?;
    let run = asked.run.as_ref().map(|run| served(&asked, run)).transpose()?;
    let serving = Serving { address: asked.listen, hosts: asked.hosts, embeds: asked.embeds, run, tables };
    serve::serve(serving, |address, kept_from| {
        let mut said = format!("http://{address}/\n");
        if kept_from.is_empty() {
            said.push_str("warning: this system confines no process; the server has all your rights\n");
        }
        out(&said)
    })
}

/// The pipes to the process of the tables, which are both a socket at the standard input.
fn tables() -> anyhow::Result<TablesPipes> {
    let both = || std::io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from);
    let (from, to) =
        both().and_then(|from| Ok((from, both()?))).context("there is no process of the tables")?;
    Ok(TablesPipes { from: Box::new(from), to: Box::new(to) })
}

/// The pages of a run.
fn served(asked: &ServerOptions, run: &Path) -> anyhow::Result<ServedRun> {
    let audience = match (&asked.engine, asked.staff) {
        (Some(name), _) => Audience::Engine(name.clone()),
        (None, true) => Audience::Staff,
        (None, false) => Audience::Public,
    };
    let view = View { audience, hide_results: asked.hide_results, top: asked.top };
    let (path, stage) = (run.to_owned(), asked.stage);
    let look = move || {
        let (site, parts) = reported::parts(&path, stage)?;
        let search = ValueSearch { positions: reported::POSITIONS, makes_tables: false };
        Ok(Asked { site, parts, view: view.clone(), replays: Replays::All, search })
    };
    let directory = run.canonicalize().unwrap_or_else(|_| run.to_owned());
    let class = asked.accept.as_ref().zip(asked.tokens.clone()).map(|(inbox, tokens)| ClassAccess {
        inbox: Inbox::at(inbox),
        tokens,
        results: directory.clone(),
    });
    Ok(ServedRun { directory, look: Box::new(look), class })
}
