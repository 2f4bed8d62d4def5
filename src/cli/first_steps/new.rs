//! `agon new`: makes a folder with an engine that plays legal moves, for its author to go on from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agon_config::{Misuse, Options};
use agon_match::hosted::HostedRules;
use agon_match::keeper::RunContext;
use agon_programs::program::{self, display_path};
use agon_tournament::competition::settings;
use agon_tournament::run::shell_path;
use anyhow::Context;
use clap::{Args, ValueEnum};

use super::new_folder::make_empty;
use super::pascal_unit::PascalUnit;
use crate::cli::out;

/// Makes a folder with an engine to begin with
///
/// The engine plays random legal moves.
///
/// The folder gets the source, an engine.toml, a README.md and a test.sh, which plays a few games
/// with the engine. The engine plays the game with all its options.
///
/// With --unit the engine is a unit of Turbo Pascal that was written for the league of mill of
/// 1997: it declares function PYuval(who: byte; board: TBoard; ytime, otime: real): word, where
/// Yuval stands for the name of the unit. The folder gets the unit, the units beside it that it
/// uses, and the program around it. The same command again builds it anew. Errors of Free Pascal
/// are shown with the lines of the unit.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon new mill python
  agon new mnk:15x15,5 c++ my-engine
  agon new letters rust engines/words
  agon new ./mygame python
  agon new mill pascal --unit yuval.pas

Exit codes of --unit: 0 the engine is built; 1 the unit does not compile; 2 the file is no unit with that function, \
or wrong use; 3 Free Pascal is not on this machine.")]
pub(crate) struct NewArgs {
    /// The game, with or without options: agon rules lists them; or the folder of a game with a
    /// referee program
    game: String,

    /// The language of the engine
    language: Language,

    /// The folder to make; if it exists, it must be empty [default: GAME-LANGUAGE, or the name of
    /// the unit]
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,

    /// The source of a unit of Turbo Pascal, for mill
    #[arg(long, value_name = "FILE.pas")]
    unit: Option<PathBuf>,

    /// Checks indices, ranges and overflows, also where Turbo Pascal did not unless it was told by
    /// {$R+} and {$Q+}
    #[arg(long, requires = "unit")]
    checks: bool,
}

/// A language of which there is a starter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Language {
    Python,
    C,
    #[value(name = "c++", alias = "cpp")]
    Cpp,
    Java,
    #[value(alias = "js")]
    Javascript,
    Rust,
    Go,
    Pascal,
}

/// The files of a starter, before the game is filled in.
struct Starter {
    /// The name of the source.
    file: &'static str,
    /// The sources for all built-in games; see [`part`].
    text: &'static str,
    /// The source for games of referee programs.
    hosted: &'static str,
    /// The command in `engine.toml`: what starts it.
    command: &'static [&'static str],
    /// The command that builds it.
    build: &'static [&'static str],
}

impl Language {
    fn starter(self) -> Option<Starter> {
        let (file, text, hosted, command, build): (_, _, _, &[&str], &[&str]) = match self {
            Language::Python => (
                "main.py",
                include_str!("../../../starters/main.py"),
                include_str!("../../../starters/hosted/main.py"),
                &["python3", "{folder}/main.py"],
                &[],
            ),
            Language::C => (
                "main.c",
                include_str!("../../../starters/main.c"),
                include_str!("../../../starters/hosted/main.c"),
                &["./main"],
                &["cc", "-O2", "-Wall", "-o", "main", "main.c"],
            ),
            Language::Cpp => (
                "main.cpp",
                include_str!("../../../starters/main.cpp"),
                include_str!("../../../starters/hosted/main.cpp"),
                &["./main"],
                &["c++", "-O2", "-Wall", "-std=c++17", "-o", "main", "main.cpp"],
            ),
            Language::Java => (
                "Main.java",
                include_str!("../../../starters/Main.java"),
                include_str!("../../../starters/hosted/Main.java"),
                &["java", "-cp", "{folder}", "Main"],
                &["javac", "Main.java"],
            ),
            Language::Javascript => (
                "main.js",
                include_str!("../../../starters/main.js"),
                include_str!("../../../starters/hosted/main.js"),
                &["node", "{folder}/main.js"],
                &[],
            ),
            Language::Rust => (
                "main.rs",
                include_str!("../../../starters/main.rs"),
                include_str!("../../../starters/hosted/main.rs"),
                &["./main"],
                &["rustc", "--edition", "2021", "-O", "-o", "main", "main.rs"],
            ),
            Language::Pascal => return None,
            Language::Go => (
                "main.go",
                include_str!("../../../starters/main.go"),
                include_str!("../../../starters/hosted/main.go"),
                &["./main"],
                &["go", "build", "-o", "main", "main.go"],
            ),
        };
        Some(Starter { file, text, hosted, command, build })
    }

    /// Its name in the name of a folder.
    fn short(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().replace("++", "pp"))
    }
}

impl NewArgs {
    /// Whether it starts a compiler.
    pub(crate) fn compiles(&self) -> bool {
        self.unit.is_some()
    }

    /// An engine from a unit of Turbo Pascal.
    pub(crate) fn compile(self, context: &RunContext) -> anyhow::Result<ExitCode> {
        let Some(file) = self.unit.as_deref().filter(|_| self.game == "mill") else {
            return Err(Misuse::hinted(
                "--unit: the units of the league of 1997 play mill",
                "write agon new mill pascal --unit FILE",
            ));
        };
        if self.language != Language::Pascal {
            return Err(Misuse::hinted(
                "--unit: the unit is in Pascal, and so is the engine",
                "write agon new mill pascal --unit FILE",
            ));
        }
        PascalUnit { file, out: self.directory.clone(), checks: self.checks }.run(context)
    }

    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let rules =
            settings::rules(&Options { game: Some(self.game.as_str().into()), ..Options::default() })?;
        let Some(starter) = self.language.starter() else {
            return Err(Misuse::hinted(
                "there is no starter in Pascal",
                "give a unit of the league of 1997 with --unit FILE, or choose another language",
            ));
        };
        let game = rules.spec();
        let name = game.split(':').next().unwrap_or(&game);
        let directory =
            self.directory.clone().unwrap_or_else(|| format!("{name}-{}", self.language.short()).into());
        if let Some(rules) = rules.hosted() {
            return self.for_referee(rules, &starter, &directory);
        }
        if !has_part(starter.text, name) {
            return Err(Misuse::hinted(
                format!(
                    "there is no starter for {name} in this language: starters/{} has no part for it",
                    starter.file
                ),
                format!("choose another language, or add a part that begins with the line //: {name}"),
            ));
        }
        make_empty(&directory)?;
        // Options that are asked for are those of a run that names no game.
        let asked = self.game.as_str();
        let games = if asked.contains(':') { vec![asked, name] } else { vec![name] };
        write_all(
            &directory,
            [
                (starter.file, filled(&part(starter.text, name), &game, &PLAIN, &games)),
                ("engine.toml", starter.toml(&PLAIN, &games)),
                ("README.md", readme(&game, &starter)),
                ("test.sh", test(&game, " --moves 500 --st 5")),
            ],
        )?;
        let place = display_path(&directory);
        starter.tell(&format!(
            "{place} has an engine for {game}: its moves are chosen in {}\n  agon check {place} --game {game}\n  \
             agon play {place} --game {game}\n",
            starter.file
        ))
    }

    /// An engine for the game of a referee program.
    fn for_referee(
        &self,
        rules: &HostedRules,
        starter: &Starter,
        directory: &Path,
    ) -> anyhow::Result<ExitCode> {
        let (name, prompt) = (&rules.folder.name, &rules.folder.prompt);
        // The prompt stands in a text and in a comment of the source.
        let plain = |byte: u8| (b' '..=b'~').contains(&byte) && !b"\"\\*`".contains(&byte);
        if prompt.is_empty() || !prompt.bytes().all(plain) {
            return Err(Misuse::hinted(
                format!("there is no starter for {name}: its game.toml has the prompt {prompt:?}"),
                "write an engine that knows from the lines of the referee when it is asked",
            ));
        }
        make_empty(directory)?;
        let from_there = as_seen_from(directory, rules);
        write_all(
            directory,
            [
                (starter.file, filled(starter.hosted, name, &HOSTED, &[name]).replace("@PROMPT@", prompt)),
                ("engine.toml", starter.toml(&HOSTED, &[name])),
                ("README.md", hosted_readme(name, &from_there, starter)),
                ("test.sh", test(&from_there, "")),
            ],
        )?;
        let (place, game) = (shell_path(directory), shell_path(Path::new(&self.game)));
        starter.tell(&format!(
            "{} has an engine for {name}: its answers are chosen in {}\n  agon check {place} --game {game}\n  \
             agon play {place} --game {game}\n",
            display_path(directory),
            starter.file
        ))
    }
}

/// Writes the files of a new folder.
fn write_all<const N: usize>(directory: &Path, files: [(&str, String); N]) -> anyhow::Result<()> {
    for (file, text) in files {
        let path = directory.join(file);
        fs::write(&path, text).with_context(|| format!("cannot write {}", display_path(&path)))?;
    }
    Ok(())
}

/// The game as `--game` takes it in this folder, as one word for a shell. It is a relative path
/// where both folders have more than the root in common. So they can be moved together.
fn as_seen_from(directory: &Path, rules: &HostedRules) -> String {
    let argument = rules.argument();
    let game = &rules.folder.referee.source;
    let relative = directory.canonicalize().ok().and_then(|from| {
        let common = from.components().zip(game.components()).take_while(|(a, b)| a == b).count();
        let up = from.components().skip(common).map(|_| Path::new(".."));
        let path: PathBuf =
            up.chain(game.components().skip(common).map(|part| Path::new(part.as_os_str()))).collect();
        (common > 1).then_some(path)
    });
    match relative {
        Some(path) => {
            let options = argument.strip_prefix(&*game.to_string_lossy()).unwrap_or_default();
            shell_path(&PathBuf::from(format!("{}{options}", path.display())))
        }
        None => shell_path(Path::new(&argument)),
    }
}

/// The arguments of an engine for a built-in game.
const PLAIN: [&str; 3] = ["{side}", "{to_move}", "{seconds}"];
/// The arguments of an engine for the game of a referee program.
const HOSTED: [&str; 4] = ["{seat}", "{seats}", "{seconds}", "{seed}"];

/// Words as a list of TOML, without its brackets.
fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

/// A source with the game, and with the lines of its `engine.toml` that it has in a comment.
fn filled(text: &str, game: &str, args: &[&str], games: &[&str]) -> String {
    let brackets = |words: &[&str]| format!("[{}]", list(words));
    text.replace("@GAMES@", &brackets(games)).replace("@ARGS@", &brackets(args)).replace("@GAME@", game)
}

/// Whether a source has a part for this game.
fn has_part(text: &str, game: &str) -> bool {
    let marks = text.lines().filter_map(|line| line.strip_prefix("//:").or_else(|| line.strip_prefix("#:")));
    marks.flat_map(str::split_whitespace).any(|name| name == game)
}

/// The source for one game. A line `//: mnk connect4` (`#: ...` in Python) begins a part for these
/// games alone, and `//: all` a part for all.
fn part(text: &str, game: &str) -> String {
    let mut wanted = true;
    let mut kept = String::new();
    for line in text.lines() {
        match line.strip_prefix("//:").or_else(|| line.strip_prefix("#:")) {
            Some(games) => wanted = games.split_whitespace().any(|name| name == "all" || name == game),
            None if wanted => {
                kept.push_str(line);
                kept.push('\n');
            }
            None => {}
        }
    }
    kept
}

impl Starter {
    /// The `engine.toml` of an engine for these games.
    fn toml(&self, args: &[&str], games: &[&str]) -> String {
        let build = match self.build {
            [] => String::new(),
            words => format!("build = [{}]\n", list(words)),
        };
        let (command, args, games) = (list(self.command), list(args), list(games));
        format!("command = [{command}]\n{build}args = [{args}]\ngames = [{games}]\n")
    }

    /// Says what was made, and what is to be installed.
    fn tell(&self, made: &str) -> anyhow::Result<ExitCode> {
        let missing = self.missing().map(|missing| format!("{missing}\n"));
        out(&format!("{made}{}", missing.unwrap_or_default()))?;
        Ok(ExitCode::SUCCESS)
    }

    /// What to install, if its compiler or interpreter is not on this machine.
    fn missing(&self) -> Option<String> {
        let words = self.build.first().into_iter().chain(self.command.first());
        let mut programs = words.filter(|word| !word.contains('/'));
        programs.find_map(|word| program::find(Path::new(word)).err())
    }
}

fn readme(game: &str, starter: &Starter) -> String {
    format!(
        "# An engine for {game}\n\n\
         It plays random legal moves. Your ideas go into `choose` in `{}`.\n\n\
         * `sh test.sh` tests it: it plays games to their end, from several starts and as each side.\n  \
         Every move must be legal, in time and alone on its line.\n\
         * `agon play . --game {game}` lets you play against it.\n\
         * `agon match . OTHER --game {game} --games 20` plays it against another engine.\n\
         * `agon position show {game} --as-engine .` shows what it reads and how it is started.\n\
         * `agon rules {game}` explains the rules and the notation.\n\n\
         Hand in the folder, or the source alone: two lines at its beginning say how it is started.\n",
        starter.file
    )
}

/// `game` is one word for a shell.
fn hosted_readme(name: &str, game: &str, starter: &Starter) -> String {
    format!(
        "# An engine for {name}\n\n\
         It answers at random, from the legal answers where the referee lists them. Your ideas go into\n\
         `choose` in `{}`.\n\n\
         * `sh test.sh` tests it in games against random answers.\n\
         * `agon play . --game {game}` lets you play against it.\n\
         * `agon match . OTHER --game {game} --games 20` plays it against another engine.\n\
         * `agon rules {game}` explains the rules and the answers.\n\n\
         Hand in the folder, or the source alone: two lines at its beginning say how it is started.\n",
        starter.file
    )
}

/// `game` is one word for a shell.
fn test(game: &str, options: &str) -> String {
    format!(
        "#!/bin/sh\n\
         # Tests the engine of this folder in whole games against random moves, and says what is wrong.\n\
         cd \"$(dirname \"$0\")\" && exec agon check . --game {game}{options} \"$@\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_for_the_games_that_its_mark_names() {
        let text = "head\n//: mnk connect4\nboard\n//: mnk\n  cells\n//: all\ntail\n";
        assert_eq!(part(text, "mnk"), "head\nboard\n  cells\ntail\n");
        assert_eq!(part(text, "connect4"), "head\nboard\ntail\n");
        assert_eq!(part(&text.replace("//", "#"), "mill"), "head\ntail\n");
        assert!(has_part(text, "mnk") && has_part(text, "connect4") && !has_part(text, "mill"));
    }

    #[test]
    fn every_game_has_a_part_in_every_language() {
        for language in Language::value_variants() {
            let Some(starter) = language.starter() else { continue };
            for game in agon_games::GAMES {
                assert!(has_part(starter.text, game.name), "{language:?}: {}", game.name);
            }
        }
    }
}
