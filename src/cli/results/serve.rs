//! `agon serve`: the pages of a run from a server.

use std::ffi::OsString;
use std::io::Read;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use agon_config::{Misuse, whole};
use agon_inbox::{self, Inbox, Tokens};
use agon_match::keeper;
use agon_pages::pages::{Audience, EmbedHost, ReportPart};
use agon_programs::program::display_path;
use agon_store::Store;
use agon_tournament::competition::reported;

use ::agon_class;
use anyhow::Context;
use clap::Args;

use crate::cli::results::tables::TableOptions;
use crate::cli::say;
use crate::cli::stage_option::StageOption;

/// The options that say nothing without --play.
const FOR_PLAY: [&str; 5] = ["tables", "table_minutes", "operator_seconds", "isolation", "show"];

/// Serves the pages of a run to browsers, kept up to date
///
/// A cup has pages too.
///
/// They are the pages of agon report. They change while the run is played, without a reload. The
/// server only reads: the run knows nothing of it, and it may begin and end at any time. It listens
/// on this machine alone unless --listen gives another address; docs/server.md says what stands in
/// front of it then. With --play people play in the browser, against the engines of a folder or
/// each other.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon serve results
  agon serve cup --listen 127.0.0.1:9000
  agon serve results --for staff
  agon serve results --hide-results --host agon.example.org
  agon serve results --embed example.org    its pages may show /embed/ID in a frame
  agon serve --play engines            only to play; no run is needed
  agon serve results --play engines --tables 2 --isolation sandbox
  agon serve results --accept inbox        submissions of a class, see docs/inbox.md

Exit codes: 2 if the address is in use or there is no run. Ctrl-C ends it.")]
#[command(mut_args(|arg| if FOR_PLAY.contains(&arg.get_id().as_str()) { arg.requires("play") } else { arg }))]
pub(crate) struct ServeArgs {
    /// The directory of the run, or of a cup [default: agon-run, or none with --play]
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,

    /// The address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,

    /// Another name of this server, for a proxy in front of it; may be given more than once
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,

    /// A host whose pages may show a replay of this server in a frame, at /embed/ID: example.org,
    /// or with scheme and port; may be given more than once. All other pages keep refusing
    #[arg(long = "embed", value_name = "HOST")]
    embeds: Vec<EmbedHost>,

    /// Who will read the pages: public (no stderr, evidence, path or host), staff (everything), or
    /// an engine's name. With an engine's name, the pages also have its own stderr and evidence.
    /// All but public are served on this machine alone
    #[arg(long = "for", value_name = "public|staff|NAME", default_value = "public")]
    audience: String,

    /// Shows no result: in no title, list, address or count
    #[arg(long)]
    hide_results: bool,

    /// The standings show the first N places; with --for NAME also that engine and three above it
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    top: Option<usize>,

    /// Accepts archives of students who have a token, into this folder of agon inbox. Shows the
    /// public nothing before agon publish, and needs no run yet
    #[arg(long, value_name = "INBOX")]
    accept: Option<PathBuf>,

    /// The folder of tokens that agon token has written
    #[arg(long, value_name = "DIR", default_value = "grades/tokens", requires = "accept")]
    tokens: PathBuf,

    #[command(flatten)]
    of: StageOption,

    /// A folder of engines against which people play at /play
    #[arg(long, value_name = "FOLDER")]
    play: Option<PathBuf>,

    #[command(flatten)]
    tables: TableOptions,
}

/// Reads an address with its port.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "this is no address with a port; write one like 127.0.0.1:8080".to_owned())
}

impl ServeArgs {
    /// Checks what is asked, starts the process of the tables, and becomes the server, which is a
    /// program of its own.
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        self.tables.check()?;
        let directory = match (&self.directory, &self.play) {
            (Some(directory), _) => Some(directory.clone()),
            (None, Some(_)) if self.accept.is_none() => None,
            (None, _) => Some(PathBuf::from("agon-run")),
        };
        let program = server()?;
        let mut server = Command::new(program.as_deref().unwrap_or(Path::new(SERVER)));
        server.args(["--of-agon", env!("CARGO_PKG_VERSION"), "--listen", &self.listen.to_string()]);
        server.args(self.hosts.iter().flat_map(|host| ["--host", host]));
        if let Some(directory) = &directory {
            server.args(self.served(directory)?);
        } else if !self.embeds.is_empty() {
            return Err(Misuse::hinted(
                "--embed without a run: there is no replay",
                "name the directory of a run, or leave --embed out",
            ));
        }
        server.args(self.embeds.iter().map(|host| format!("--embed={host}")));
        if let Some(folder) = &self.play {
            match self.start_tables(folder)? {
                Ok(tables) => server.arg("--tables").stdin(OwnedFd::from(tables)),
                Err(code) => return Ok(code),
            };
        }
        let error = server.exec();
        let what = "agon serve needs the program agon-serve, and it cannot be started";
        Err(match error.kind() {
            std::io::ErrorKind::NotFound => Misuse::hinted(
                format!(
                    "agon serve needs the program {SERVER}, and it lies neither beside agon nor on the PATH"
                ),
                "build it with agon: cargo build --release --locked -p agon -p agon-serve; or install it: \
                 cargo install --locked --path crates/agon-serve",
            ),
            _ => anyhow::Error::from(error).context(what),
        })
    }

    /// What the server is told of a run.
    fn served(&self, directory: &Path) -> anyhow::Result<Vec<OsString>> {
        let class = self.class(directory)?;
        if class.is_none() && !self.listen.ip().is_loopback() {
            self.warn_of_class(directory)?;
        }
        let audience = match &class {
            None => reported::audience(&self.audience, &reported::parts(directory, self.of.stage)?.1)?,
            Some(_) => Audience::Public,
        };
        if audience != Audience::Public && !self.listen.ip().is_loopback() {
            return Err(Misuse::hinted(
                format!(
                    "--for {} with --listen {}: others could read these pages",
                    self.audience, self.listen
                ),
                "listen on 127.0.0.1, and reach it from elsewhere by ssh -L",
            ));
        }
        if audience != Audience::Public && !self.embeds.is_empty() {
            return Err(Misuse::hinted(
                format!(
                    "--embed with --for {}: pages of others would show what is not public",
                    self.audience
                ),
                "leave --for out, or --embed",
            ));
        }
        let mut words: Vec<OsString> = vec!["--run".into(), directory.into()];
        words.extend(self.of.stage.map(|stage| format!("--stage={stage}").into()));
        words.extend(match audience {
            Audience::Public => None,
            Audience::Staff => Some("--staff".into()),
            Audience::Engine(name) => Some(format!("--engine={name}").into()),
        });
        words.extend(self.hide_results.then(|| "--hide-results".into()));
        words.extend(self.top.map(|top| format!("--top={top}").into()));
        words.extend(class.into_iter().flatten());
        Ok(words)
    }

    /// Starts the process that keeps the tables. It ends when the socket to it is closed. Returns
    /// its exit code if it does not begin; it has said why.
    fn start_tables(&self, folder: &Path) -> anyhow::Result<Result<UnixStream, ExitCode>> {
        let (mut own, its) = UnixStream::pair().context("cannot make a socket for the tables")?;
        let output = its.try_clone().context("cannot make a socket for the tables")?;
        let mut child =
            Command::new(agon_sandbox::system::own_program().context("cannot find agon's own program")?)
                .arg("tables")
                .args(self.tables.words())
                .args(self.accept.is_some().then_some("--strangers"))
                .arg("--")
                .arg(folder)
                .env_remove(keeper::KEPT)
                .stdin(OwnedFd::from(its))
                .stdout(Stdio::from(OwnedFd::from(output)))
                .spawn()
                .context("cannot start the process of the tables")?;
        // One byte at a time: what follows the line is for the server.
        let mut byte = [0];
        while own.read(&mut byte).context("cannot hear the process of the tables")? > 0 {
            if byte == *b"\n" {
                return Ok(Ok(own));
            }
        }
        let code = child.wait().context("cannot wait for the process of the tables")?.code();
        Ok(Err(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))))
    }
}

/// The name of the program of the server.
const SERVER: &str = "agon-serve";

/// The program of the server beside agon. `None` if there is none, and it may be on the PATH.
fn server() -> anyhow::Result<Option<PathBuf>> {
    let own = std::env::current_exe().context("cannot find agon's own program")?;
    Ok(Some(own.with_file_name(SERVER)).filter(|beside| beside.is_file()))
}

impl ServeArgs {
    /// Says that the results of a class are shown to everybody, if they were not published.
    fn warn_of_class(&self, directory: &Path) -> anyhow::Result<()> {
        if agon_inbox::is_published(directory) {
            return Ok(());
        }
        let is_of_class = |part: &ReportPart| -> anyhow::Result<bool> {
            let store = Store::read(&part.path)?;
            for name in store.entrants()? {
                let source = store.source(&name)?.map(PathBuf::from);
                if source.is_some_and(|source| agon_class::came_by_inbox(&source)) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        for part in reported::parts(directory, self.of.stage)?.1 {
            if is_of_class(&part)? {
                say(&format!(
                    "warning: {}: agon inbox brought its engines, and --listen {} shows everybody the results of the \
                     class; with --accept INBOX they are shown after agon publish",
                    display_path(directory),
                    self.listen
                ));
                break;
            }
        }
        Ok(())
    }

    /// Who may submit and see what, if submissions of a class are accepted.
    fn class(&self, directory: &Path) -> anyhow::Result<Option<[OsString; 4]>> {
        let Some(folder) = &self.accept else { return Ok(None) };
        if self.audience != "public" {
            let what = format!("--accept with --for {}: each reader has a token", self.audience);
            return Err(Misuse::hinted(what, "leave --for out"));
        }
        let inbox = Inbox::at(folder);
        if let Some(less) = inbox.is_confined()? {
            say(&format!("warning: {less}"));
        }
        if Tokens::read(&self.tokens)?.rows.is_empty() {
            let what = format!("{}: there are no tokens in it", display_path(&self.tokens));
            return Err(Misuse::hinted(
                what,
                "make them with agon token, and name their folder with --tokens",
            ));
        }
        // The first night makes the run; the server keeps its rights to the directory from now on.
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot make {}", display_path(directory)))?;
        let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Ok(Some([
            "--accept".into(),
            absolute(folder).into(),
            "--tokens".into(),
            absolute(&self.tokens).into(),
        ]))
    }
}
