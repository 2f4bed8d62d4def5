//! `agon tournament`: everybody against everybody.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_standings::{Standings, pairings};
use anyhow::Context;
use clap::Args;

use super::cup::Cup;
use super::kept::RunDir;
use super::{code_of, entrants, isolation, say, settings};
use crate::clock::TimeControl;
use crate::config::stages::CupFile;
use crate::config::{Misuse, Options, TournamentFile, whole};
use crate::engine::program::display_path;
use crate::export::directory::{self, Directory};
use crate::keeper::RunContext;
use crate::progress::{PlannedWork, Progress};
use crate::report::terminal::{self, TableLook};
use crate::run::{self, Done, Sinks};
use crate::store::Store;

/// Plays a round robin of all engines in a folder
///
/// Each executable file in the folder and each subfolder with an engine.toml is an engine. Every engine meets
/// every other one, sides swapped on the same boards, in the rounds of the Berger tables. Results are kept in a
/// directory as they come: agon.db and, made from it, standings.csv, crosstable.csv, games.csv, games/, logs/ and,
/// for games lost by an engine's own fault, evidence/.
///
/// The same command again goes on where it was stopped, however that was. When engines or options have changed
/// meanwhile, only the games that hang on them are played.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon tournament engines/
  agon tournament engines/ --games 2 --st 0.5 --size 4x4x2 --seed 7 --out results
  agon tournament class.toml --quiet        options and the folder of engines from a file
  agon tournament cup.toml --stage 2        the second of its [[stages]], when the first is over
  agon tournament engines/ --events - | jq  one line of JSON for each thing that happens

A tournament.toml holds the options under their own names (games = 4, st = 0.5, size = \"4x4x2\") and the key \
engines for the folder. One that lies in the folder itself is read too. Flags override the file.")]
pub(super) struct TournamentArgs {
    /// The folder of engines, or a tournament.toml that names one
    #[arg(value_name = "FOLDER|FILE.toml")]
    folder: PathBuf,

    #[command(flatten)]
    options: Options,

    /// Makes the games of another tournament in the directory history and plays this one
    #[arg(long)]
    again: bool,

    /// Plays this stage of a tournament in stages alone; those before it must be over
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    stage: Option<usize>,

    /// Does not try the engines of a tournament in stages before it begins
    #[arg(long)]
    no_check: bool,

    /// Shows nothing but the standings in the end
    #[arg(long, short)]
    quiet: bool,
}

/// What is to be played.
pub(super) struct AskedTournament {
    /// The folder of engines.
    pub(super) folder: PathBuf,
    /// The options of the flags and of the file.
    pub(super) options: Options,
    /// The line of the file that names the folder, in words.
    pub(super) named: Option<String>,
    /// The stages, if the file has any.
    pub(super) cup: Option<CupFile>,
}

impl TournamentArgs {
    pub(super) fn run(self, kept: &RunContext) -> anyhow::Result<ExitCode> {
        let (quiet, again, only, check) = (self.quiet, self.again, self.stage, !self.no_check && !self.quiet);
        let AskedTournament { folder, mut options, named, cup } = asked(&self.folder, self.options)?;
        let tell = |text: &str| {
            if !quiet {
                say(text);
            }
        };
        let rules = settings::rules(&options)?;
        let games = options.games()?;
        let controls = options.time_controls()?;
        let skip_broken = options.skip_broken.unwrap_or(false);
        let engines = entrants::of_folder(&folder, named.as_deref(), &options, skip_broken, kept, tell)?;
        let event = folder.file_name().map(|name| display_path(Path::new(name))).unwrap_or_default();
        if let Some(file) = cup {
            let tell: &dyn Fn(&str) = &tell;
            return Cup { file, options, rules, engines, event, only, again, check, quiet, tell }.play(kept);
        }
        if only.is_some() {
            return Err(Misuse::error("--stage is for a tournament.toml with [[stages]]"));
        }
        let root = options.out.clone().unwrap_or_else(|| PathBuf::from("agon-run"));
        let several = controls.len() > 1;
        let home_of =
            |control: &TimeControl| if several { root.join(control.to_string()) } else { root.clone() };
        if options.seed.is_none() {
            options.seed = Store::seed_in(&home_of(&controls[0]))?;
        }
        // Every championship begins on the same boards.
        let mut runs = Vec::new();
        for control in controls {
            let run = settings::run(&options, rules.clone(), engines.clone(), control)?;
            options.seed = Some(run.seed);
            runs.push(run);
        }
        entrants::arguments(&runs[0], kept)?;
        for run in &runs {
            Directory::check(&home_of(&run.control)).or_else(|_| Directory::check(&root))?;
        }
        let mut events = settings::events(&options)?;
        if several {
            make(&root)?;
        }
        if !quiet {
            isolation::warn(&runs[0]);
        }
        let mut code = ExitCode::SUCCESS;
        let mut together: Option<Standings> = None;
        // All directories are taken before the first game: a wrong one must not be found out hours later.
        let homes = runs
            .iter()
            .map(|run| RunDir::open(&home_of(&run.control), run, games, &event, again))
            .collect::<anyhow::Result<Vec<RunDir>>>()?;
        for (run, mut home) in runs.into_iter().zip(homes) {
            let control = run.control.to_string();
            let names: Vec<String> = run.entrants.iter().map(|engine| engine.name.clone()).collect();
            let total = pairings::games(names.len(), games);
            tell(&format!(
                "{} engines, {total} games of {}, {control}, {} at once, seed {}; results in {}",
                names.len(),
                run.rules.spec(),
                run.concurrency,
                run.seed,
                display_path(home.directory.path())
            ));
            home.remarks().iter().for_each(|remark| tell(remark));
            let (played, keys) = (home.beginning.played.clone(), home.keys.clone());
            let done = played.count();
            let faces = Sinks {
                events: events.as_mut(),
                progress: Some(Progress::new(PlannedWork { games: total, done, pairing: games }, quiet)),
                store: Some(&mut home.store),
                stop: Some(home.stop.clone()),
                directory: Some(&mut home.directory),
                ..Sinks::default()
            };
            let plan = pairings::plan(&names, games, run.seed).filter(|game| !played.has(keys.of(game)));
            let done = run::play(&run, kept, plan, total, faces)?;
            show(&done, &options, if several { Some(&control) } else { None }, quiet)?;
            home.head()?.iter().for_each(|line| tell(line));
            if code == ExitCode::SUCCESS {
                code = code_of(&done);
            }
            if done.stopped {
                return Ok(code_of(&done));
            }
            match &mut together {
                Some(together) => together.include(&done.standings),
                None => together = Some(done.standings),
            }
        }
        if let Some(standings) = together.filter(|_| several) {
            directory::tables(&root, &standings)?;
            table(&standings, &options, Some("all time controls together"))?;
        }
        Ok(code)
    }
}

/// What is asked for by the flags and the file, which may be the folder's own.
pub(super) fn asked(path: &Path, flags: Options) -> anyhow::Result<AskedTournament> {
    let named = path.is_file() || path.extension().is_some_and(|end| end == "toml");
    let file = if named { path.to_owned() } else { path.join("tournament.toml") };
    if !named && !file.is_file() {
        return Ok(AskedTournament { folder: path.to_owned(), options: flags, named: None, cup: None });
    }
    let text = settings::read(&file, 1 << 20, "a tournament.toml")?;
    let text = String::from_utf8(text).map_err(|_| {
        Misuse::error(format!(
            "{}: is no text; give a folder of engines or a tournament.toml",
            display_path(&file)
        ))
    })?;
    let read = TournamentFile::parse(&text, &file)?;
    // What cannot be is refused with its line, also where a flag overrides it.
    read.options.games()?;
    settings::points(&read.options)?;
    read.options.time_controls()?;
    let of_flags = !flags.st.is_empty() || !flags.tc.is_empty();
    if read.cup.is_some() && !of_flags {
        read.options.time_control()?;
    }
    let folder = match (named, read.engines) {
        (_, Some(engines)) => engines,
        (false, None) => path.to_owned(),
        (true, None) => {
            let what = format!("{}: key engines: is missing", display_path(&file));
            return Err(Misuse::hinted(what, "write engines = \"FOLDER\""));
        }
    };
    let named = read.lines.has("engines").then(|| read.lines.place(&["engines"]));
    Ok(AskedTournament { folder, options: flags.over(read.options), named, cup: read.cup })
}

/// Makes the directory above those of several championships, or finds that it is there.
fn make(root: &Path) -> anyhow::Result<()> {
    match std::fs::create_dir(root) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("cannot make {}", display_path(root)))
        }
        _ => Ok(()),
    }
}

fn show(done: &Done, options: &Options, title: Option<&str>, quiet: bool) -> anyhow::Result<()> {
    table(&done.standings, options, title)?;
    if quiet {
        return Ok(());
    }
    if !done.faults.is_empty() {
        say(terminal::faults(&done.faults).trim_end());
    }
    for (id, why) in &done.void {
        say(&format!("{id} stayed void: {why}"));
    }
    if done.stopped {
        say("stopped; the games that were finished are kept");
    }
    Ok(())
}

fn table(standings: &Standings, options: &Options, title: Option<&str>) -> anyhow::Result<()> {
    let rows = standings.table();
    if settings::stdout_is_events(options) {
        super::drawn_aside(&rows);
    } else {
        let stdout = std::io::stdout();
        let mut table = terminal::standings(&rows, TableLook::of(&stdout));
        if let Some(title) = title {
            table = format!("{title}\n{table}");
        }
        stdout.lock().write_all(table.as_bytes()).context("cannot write the standings")?;
    }
    Ok(())
}
