//! `agon adopt`: writes the `engine.toml` of a program that nobody knows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::{CommandExit, Misuse, Options, Seconds};
use agon_games::{Entry, GAMES, Rules};
use agon_match::keeper::{Interrupted, RunContext};
use agon_match::processes::Scratch;
use agon_match::schedule;
use agon_printable::{clean, escape};
use agon_programs::program::{self, display_path};
use agon_programs::spec::EngineSpec;
use agon_protocol::Protocol;
use agon_sandbox::Isolation;
use agon_seats::Seat;
use agon_tournament::competition::settings;
use agon_tournament::entrants::{self, isolation};
use agon_tournament::run::Run;
use agon_trial::check::{self, CheckFinding, CheckStopped, CheckTrial};
use agon_trial::handshakes::{self, GreetingTries};
use anyhow::Context;
use clap::Args;

use crate::cli::first_steps::new_folder;
use crate::cli::out;

/// Finds out how a program plays, and writes its engine.toml
///
/// The program is started in a box (isolation sandbox). It is greeted in all protocols that have a
/// greeting, and tries a few moves of each game, against random legal moves. What was tried is
/// said. A folder gets the file itself; a program alone gets a new folder with a copy of it. Exit
/// code 1: it plays nothing that was tried, and nothing is written. Exit code 3: this machine has
/// no box; --isolation limits starts it without one.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon adopt ./stranger
  agon adopt downloads/bot.py bots/downloaded
  agon adopt ./stranger --game mnk:15x15,5 --st 5
  agon adopt ./stranger --game mnk:9x9,5 -- --mode gtp     with arguments")]
pub(crate) struct AdoptArgs {
    /// The program: an executable file, a script of Python or JavaScript, or a folder with one
    /// program and no engine.toml
    program: PathBuf,

    /// The folder to write [default: the program's folder, or for a program alone a new one with
    /// its name and -engine]
    folder: Option<PathBuf>,

    /// A game to try; may be repeated [default: all built-in games]
    #[arg(long, value_name = "GAME")]
    game: Vec<String>,

    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", default_value = "2")]
    st: Seconds,

    /// How the program is confined: sandbox or strict, or without a box limits or none
    #[arg(long, value_name = "LEVEL", default_value = "sandbox")]
    isolation: Isolation,

    /// The arguments that the program needs, behind --
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<String>,
}

/// The boards of a game of many boards that are tried. Any other game is tried as it is.
const BOARDS: [(&str, &[&str]); 1] = [("mnk", &["mnk:3x3,3", "mnk:15x15,5"])];
/// On its board the program is greeted in all protocols.
const GREETED: &str = "mnk:15x15,5";
/// The moves that it makes as each side.
const MOVES: usize = 3;
/// How much of a line of its stderr is shown, in characters.
const LONGEST_LINE: usize = 200;
/// How often a game is tried again that ends before the program is to move.
const MOST_GAMES: u64 = 5;
/// What starts a file that is no program, by its ending.
const STARTERS: [(&str, &str); 3] = [("py", "python3"), ("js", "node"), ("mjs", "node")];

/// One way to start the program and to talk to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Way {
    /// The lines of its `engine.toml` besides `command` and `games`.
    lines: Vec<String>,
}

/// Words as the elements of an array. A string of JSON is one of TOML too.
fn quoted(words: &[String]) -> String {
    let words: Vec<String> =
        words.iter().map(|word| serde_json::Value::from(word.as_str()).to_string()).collect();
    words.join(", ")
}

impl Way {
    fn of(lines: &[&str]) -> Self {
        Way { lines: lines.iter().map(|line| (*line).to_owned()).collect() }
    }

    /// The way in words: its lines.
    fn words(&self) -> String {
        if self.lines.is_empty() { "protocol = \"lines\"".to_owned() } else { self.lines.join(", ") }
    }

    fn text(&self, command: &[String], games: &[&str]) -> String {
        let mut text = format!("command = [{}]\n", quoted(command));
        self.lines.iter().for_each(|line| text.push_str(&format!("{line}\n")));
        if !games.is_empty() {
            let games: Vec<String> = games.iter().map(|game| (*game).to_owned()).collect();
            text.push_str(&format!("games = [{}]\n", quoted(&games)));
        }
        text
    }
}

/// The program, and where its file is written.
struct Adopted {
    /// The program.
    program: PathBuf,
    /// The words that start it, in its folder or in that of its copy.
    command: Vec<String>,
    folder: PathBuf,
    /// Whether the folder is to be made, with a copy of the program.
    is_new: bool,
}

impl AdoptArgs {
    pub(crate) fn run(&self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let adopted = self.found()?;
        let options = Options { isolation: Some(self.isolation), st: vec![self.st], ..Options::default() };
        isolation::is_available(&options.confinement()?, context)?;
        let place = tempfile::tempdir().context("cannot make a directory for its file")?;
        self.can_be_tried(&adopted, place.path(), &options, context)?;
        out(&format!("{} is started {}\n", display_path(&adopted.program), self.box_in_words()))?;
        let greeted = self.greeted(&adopted, place.path(), &options, context)?;
        let given = self.args_line();
        let ways = match &greeted {
            Some(way) => vec![way.clone()],
            None => vec![
                Way { lines: given.clone().into_iter().collect() },
                Way { lines: given.into_iter().chain(["board = \"file\"".to_owned()]).collect() },
            ],
        };
        let games: Vec<&str> = match self.game.is_empty() {
            true => all_games(),
            false => self.game.iter().map(String::as_str).collect(),
        };
        let first = |(at, game): &(usize, &&str)| !games[..*at].contains(game);
        let games: Vec<&str> = games.iter().enumerate().filter(first).map(|(_, game)| *game).collect();
        let mut found: Option<(Way, Vec<&str>)> = None;
        for way in ways {
            let mut plays = Vec::new();
            for game in &games {
                let spec = adopted.spec(place.path(), &way)?;
                if self.plays(spec, game, &way, &options, context)? {
                    plays.push(*game);
                }
            }
            if !plays.is_empty() {
                found = Some((way, plays));
                break;
            }
        }
        let Some((way, games)) = found else {
            match greeted {
                Some(way) => out(&format!(
                    "It plays none of these games as agon has them, and nothing was written. Name another with \
                     --game; engines/README.md says how a table [ugi] names moves otherwise. In a game of a referee \
                     program it would be tried by agon check, with this engine.toml:\n{}",
                    indented(&way.text(&adopted.command, &[]))
                )),
                None => out(
                    "It plays nothing of this, and nothing was written. A program that was made for people \
                     needs a table [console], see engines/README.md. One that needs arguments gets them behind --, \
                     as in agon adopt PROGRAM -- --mode gtp\n",
                ),
            }?;
            return Ok(CommandExit::Failed.into());
        };
        adopted.write(&way.text(&adopted.command, &games))?;
        Ok(ExitCode::SUCCESS)
    }

    /// The line of an `engine.toml` for the arguments that were given.
    fn args_line(&self) -> Option<String> {
        (!self.args.is_empty()).then(|| format!("args = [{}]", quoted(&self.args)))
    }

    fn box_in_words(&self) -> String {
        match self.isolation.is_boxed() {
            true => format!("in a box, at isolation {}", self.isolation),
            false => format!("without a box, at isolation {}: it can read what you can", self.isolation),
        }
    }

    /// The program, which is looked for in a folder.
    fn found(&self) -> anyhow::Result<Adopted> {
        let shown = display_path(&self.program);
        let about = fs::metadata(&self.program).map_err(|error| {
            Misuse::hinted(format!("{shown}: {error}"), "give the path of a program, or of a folder with one")
        })?;
        let program = match about.is_dir() {
            false => self.program.clone(),
            true => self.in_folder()?,
        };
        let program = program.canonicalize().with_context(|| format!("cannot find {shown}"))?;
        let ending = program.extension().and_then(|ending| ending.to_str());
        let starter = STARTERS.iter().find(|(known, _)| ending == Some(*known)).map(|(_, starter)| *starter);
        let starter = starter.filter(|_| program::check(&program).is_err());
        let name = program.file_name().and_then(|name| name.to_str());
        let name =
            name.ok_or_else(|| Misuse::hinted(format!("{shown}: its name is not UTF-8"), "rename it"))?;
        let folder = match (&self.folder, about.is_dir()) {
            (Some(folder), _) => folder.clone(),
            (None, true) => self.program.clone(),
            (None, false) => {
                let stem = Path::new(name).file_stem().unwrap_or(name.as_ref());
                PathBuf::from(format!("{}-engine", stem.to_string_lossy()))
            }
        };
        let command = match starter {
            None => vec![format!("./{name}")],
            Some(starter) => vec![starter.to_owned(), format!("{{folder}}/{name}")],
        };
        let file = folder.join("engine.toml");
        if file.symlink_metadata().is_ok() {
            return Err(Misuse::hinted(
                format!("{} is there already", display_path(&file)),
                format!("agon check {} tries it", display_path(&folder)),
            ));
        }
        let is_new = !folder.canonicalize().is_ok_and(|folder| program.parent() == Some(&folder));
        if is_new {
            program::check(&program)
                .or_else(|why| if starter.is_some() { Ok(()) } else { Err(why) })
                .map_err(|why| Misuse::misread(&shown, &why))?;
        }
        Ok(Adopted { program, command, folder, is_new })
    }

    /// The only program of a folder.
    fn in_folder(&self) -> anyhow::Result<PathBuf> {
        let shown = display_path(&self.program);
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.program).with_context(|| format!("cannot read {shown}"))? {
            let path = entry?.path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let is_script = STARTERS.iter().any(|(known, _)| *known == ending);
            if path.is_file() && (is_script || program::check(&path).is_ok()) {
                all.push(path);
            }
        }
        all.sort();
        match &all[..] {
            [one] => Ok(one.clone()),
            [] => Err(Misuse::hinted(
                format!("{shown} has no program"),
                "build it, or hand its sources in: agon check builds them as a grading does",
            )),
            [first, ..] => Err(Misuse::hinted(
                format!("{shown} has {} programs", all.len()),
                format!("name one, as in agon adopt {} {shown}", display_path(first)),
            )),
        }
    }

    /// Sees that the games and the arguments that were given can be tried, before anything starts.
    fn can_be_tried(
        &self,
        adopted: &Adopted,
        place: &Path,
        options: &Options,
        context: &RunContext,
    ) -> anyhow::Result<()> {
        let way = Way { lines: self.args_line().into_iter().collect() };
        for game in &self.game {
            built_in(&run_of(game, adopted.spec(place, &way)?, options)?, game)?;
        }
        let run = run_of(GREETED, adopted.spec(place, &way)?, options)?;
        let scratch = Scratch::create(&context.scratch).context("cannot make a directory for the program")?;
        entrants::fill_in_arguments(&run, &run.entrants[0], &scratch).map_err(|error| {
            match error.downcast_ref::<Misuse>() {
                // Its file is one that nobody has seen.
                Some(misuse) => {
                    let why = misuse.what.split_once("engine.toml: ").map_or(&*misuse.what, |(_, why)| why);
                    Misuse::hinted(
                        format!("behind --: {why}"),
                        "write the arguments as an engine.toml has them",
                    )
                }
                None => error,
            }
        })
    }

    /// The protocol whose greeting it answers, if there is one.
    fn greeted(
        &self,
        adopted: &Adopted,
        place: &Path,
        options: &Options,
        context: &RunContext,
    ) -> anyhow::Result<Option<Way>> {
        let way = Way { lines: self.args_line().into_iter().collect() };
        let run = run_of(GREETED, adopted.spec(place, &way)?, options)?;
        let scratch = Scratch::create(&context.scratch).context("cannot make a directory for the program")?;
        let terms = entrants::handshake_terms(&run, &run.entrants[0], &scratch, context);
        let protocol = handshakes::answers_greeting(&terms, &run.entrants[0], GreetingTries::OneForEach)?;
        let name = protocol.as_ref().map(Protocol::name);
        let words = name.unwrap_or("none of them, and so it is tried in lines");
        out(&format!("greeted in uci, ugi, tei, uai, gomocup and gtp: it answers {words}\n"))?;
        let args = self.args_line().unwrap_or_else(|| "args = []".to_owned());
        Ok(name.map(|name| Way::of(&[&format!("protocol = \"{name}\""), &args])))
    }

    /// Whether it makes good moves as each side of a game, which is said.
    fn plays(
        &self,
        spec: EngineSpec,
        game: &str,
        way: &Way,
        options: &Options,
        context: &RunContext,
    ) -> anyhow::Result<bool> {
        let run = run_of(game, spec, options)?;
        let rules = built_in(&run, game)?;
        let engine = &run.entrants[0];
        if engine.protocol.fits(rules).is_err() {
            out(&format!("{game}: there is no such game in {}\n", engine.protocol.name()))?;
            return Ok(false);
        }
        let scratch = Scratch::create(&context.scratch).context("cannot make a directory for the program")?;
        let mut moves = Vec::new();
        for seat in (0..run.rules.seats().len()).map(Seat::new) {
            let trial = CheckTrial {
                rules: &run.rules,
                engine,
                control: run.control,
                limits: run.limits(context),
                scratch: &scratch,
                seed: run.seed,
                openings: &run.openings,
                opening: 1,
                moves: MOVES,
            };
            let finding = tried(&trial, seat)?;
            if let Some(why) = failure(&finding) {
                let told = last_line(&finding.stderr)
                    .map_or_else(String::new, |line| format!("; its stderr says: {line}"));
                out(&format!("{game}, {}: as {}, {why}{told}\n", way.words(), finding.side))?;
                return Ok(false);
            }
            moves.push(format!("{} as {}", finding.moves, finding.side));
        }
        out(&format!("{game}, {}: good moves: {}\n", way.words(), moves.join(", ")))?;
        Ok(true)
    }
}

/// Every built-in game, those of many boards on some of them.
fn all_games() -> Vec<&'static str> {
    let boards = |game: &'static Entry| {
        let several = BOARDS.iter().find(|(name, _)| *name == game.name);
        several.map_or_else(|| vec![game.name], |(_, boards)| boards.to_vec())
    };
    GAMES.iter().flat_map(boards).collect()
}

/// The lines of a file as they are shown.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {}\n", clean(line))).collect()
}

/// What a game shows in which the program was to move. On a small board the opponent may end a game
/// before that.
fn tried(trial: &CheckTrial<'_>, seat: Seat) -> anyhow::Result<CheckFinding> {
    let mut number = 0;
    loop {
        let trial = CheckTrial { seed: trial.seed.wrapping_add(number), ..trial.clone() };
        let finding = match schedule::aside(|| check::check(&trial, seat))? {
            Err(CheckStopped::Stopped) => return Err(Interrupted.into()),
            tried => tried.context("the program could not be tried")?,
        };
        let was_asked = finding.moves > 0 || failure(&finding).is_some();
        if was_asked || number == MOST_GAMES {
            return Ok(finding);
        }
        number += 1;
    }
}

/// The last line that is not empty, for a terminal.
fn last_line(stderr: &[u8]) -> Option<String> {
    let lines = stderr.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.rev().find(|line| !line.is_empty()).map(|line| escape(line, LONGEST_LINE))
}

/// Why a game shows that a program does not play it; nothing if it does.
fn failure(finding: &CheckFinding) -> Option<String> {
    finding.wrong.first().or(finding.unjudged.as_ref()).cloned()
}

/// The rules of a built-in game: a program is tried in these alone.
fn built_in<'a>(run: &'a Run, game: &str) -> anyhow::Result<&'a dyn Rules> {
    run.rules.built_in().ok_or_else(|| {
        Misuse::hinted(
            format!("--game {}: it is played by a referee program", clean(game)),
            "give a built-in game; agon check tries an engine in games of referee programs",
        )
    })
}

/// A run of one engine in a game.
fn run_of(game: &str, engine: EngineSpec, options: &Options) -> anyhow::Result<Run> {
    let options = Options { game: Some(game.into()), ..options.clone() };
    let rules = settings::rules(&options)?;
    settings::run(&options, rules, vec![engine], options.time_control()?)
}

impl Adopted {
    /// The program as it is started this way. A program alone is started as the copy that it will
    /// be, in a folder with nothing else.
    fn spec(&self, place: &Path, way: &Way) -> anyhow::Result<EngineSpec> {
        self.copy_to(place)?;
        fs::write(place.join("engine.toml"), way.text(&self.command, &[]))
            .context("cannot write its file")?;
        let mut spec = EngineSpec::at(place).map_err(|why| Misuse::misread("the program", &why))?;
        if !self.is_new {
            let folder = self.program.parent().unwrap_or(Path::new("/"));
            spec = spec.moved(folder);
        }
        spec.can_start().map_err(|why| Misuse::misread(&display_path(&spec.program), &why))?;
        Ok(spec)
    }

    /// Copies the program into a folder, if it is not there.
    fn copy_to(&self, folder: &Path) -> anyhow::Result<()> {
        let to = folder.join(self.program.file_name().unwrap_or_default());
        if !to.exists() {
            fs::copy(&self.program, &to)
                .with_context(|| format!("cannot copy {}", display_path(&self.program)))?;
        }
        Ok(())
    }

    fn write(&self, text: &str) -> anyhow::Result<()> {
        if self.is_new {
            new_folder::make_empty(&self.folder)?;
            self.copy_to(&self.folder)?;
        }
        let file = self.folder.join("engine.toml");
        fs::write(&file, text).with_context(|| format!("cannot write {}", display_path(&file)))?;
        let with = if self.is_new { ", beside a copy of the program" } else { "" };
        out(&format!("wrote {}{with}:\n{}", display_path(&file), indented(text)))
    }
}
