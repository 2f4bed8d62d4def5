//! The command that plays a game of a run again.

use std::ffi::OsString;
use std::path::Path;

use agon_export::evidence::{AGON, RUN};
use agon_match::hosted::HostedRules;
use agon_programs::kept;
use agon_programs::spec::EngineSpec;
use agon_record::GameRecord;

use super::programs::Program;
use crate::run::{Programs, Run, shell_path, shell_word};

/// How many digits of a hash tell programs apart.
const DIGITS: usize = 16;

impl Programs {
    /// What a shell calls to play a game of this run again, with the same board and sides; `agon`
    /// stands for the path of agon. `directory` is that of the run.
    ///
    /// Its programs are named by their hashes: a kept copy by the directory of the run, which a
    /// shell has in the variable `run`, and another one by its place.
    pub fn again(&self, run: &Run, directory: &Path, record: &GameRecord) -> String {
        let seats = record.seats.values().iter();
        let programs: Vec<&Program> = seats.filter_map(|seat| self.of_name(&seat.entrant)).collect();
        let game = run.rules.hosted().map(|rules| self.game_folder(rules, directory)).unwrap_or_default();
        let options = format!(
            "{game}{}{}{}",
            run.again.options,
            elsewhere(programs.iter().map(|program| &program.engine)),
            odds(&programs)
        );
        let engines: Vec<String> = programs.iter().map(|program| by_hash(program)).collect();
        let engines = engines.join(" ");
        let plies = run.openings.random_plies_of(record.id.game.div_ceil(2));
        let start = match run.openings.parts() {
            ([], _) if plies == 0 && !run.again.from_position => String::new(),
            ([], _) if !run.again.from_position => format!(" --random-plies {plies}"),
            _ => format!(" --position {}", shell_word(record.start.as_ref())),
        };
        let games = record.seats.len();
        if let Some(why) = programs.iter().find_map(|program| no_word(program)) {
            return format!("echo {} >&2\nexit 2", shell_word(Path::new(&why)));
        }
        format!("{AGON} match {engines} {options}{start} --games {games} --board-seed {} -v", record.seed)
    }

    /// The option for a game of a referee program: its kept copy, by its way from the directory of
    /// the run, or its folder.
    fn game_folder(&self, rules: &HostedRules, directory: &Path) -> String {
        let copy = self.referee().and_then(|referee| {
            let (copy, _) = referee.kept.as_ref().ok()?;
            let up = kept::places(directory).iter().position(|folder| copy.home.starts_with(folder))?;
            let name = referee.engine.source.file_name()?;
            Some(Path::new(&"../".repeat(up)).join(kept::FOLDER).join(&copy.tree).join(name))
        });
        let seats = rules.seat_count();
        match copy {
            Some(path) => {
                let path = shell_word(Path::new(&rules.argument_at(&path)));
                format!("--game \"${RUN}\"/{path} --seats {seats} ")
            }
            None => format!("--game {} --seats {seats} ", shell_path(Path::new(&rules.argument()))),
        }
    }
}

/// How many digits of a hash stand in the name of an engine that was found by them.
const SHOWN: usize = 8;

/// The name of an engine that was found by its name and hash.
pub fn name_by_hash(name: &str, hash: &str) -> String {
    format!("{name}@{}", hash.get(..SHOWN).unwrap_or(hash))
}

/// Why no word of a command line names a program, if none does: it plays where it lies, and its
/// hash is that of the program with settings that only a file can give.
fn no_word(program: &Program) -> Option<String> {
    let set = program.engine.set.as_ref().filter(|set| set.spelling.is_none() && program.kept.is_err())?;
    Some(format!(
        "{} plays where it lies, with the settings of {}; play the run of that file, or write kept = true into \
         the table, so that the next run keeps a copy with them",
        program.engine.name, set.place
    ))
}

/// A program with its hash, as one word for a shell.
fn by_hash(program: &Program) -> String {
    let hash = program.hash.get(..DIGITS).unwrap_or(&program.hash);
    let spelling = program.engine.set.as_ref().and_then(|set| set.spelling.as_ref());
    match &program.kept {
        Ok(_) => {
            // A slash in a name is none of a path.
            let name = if program.engine.name.contains('/') { "" } else { &program.engine.name };
            format!("\"${RUN}\"/{}", shell_word(Path::new(&format!("{name}@{hash}"))))
        }
        // Its hash is that of the program with its settings, which the path alone does not name.
        Err(_) if let Some(spelling) = spelling => shell_path(Path::new(spelling)),
        Err(_) => {
            let mut path: OsString = program.source.clone().into_os_string();
            path.push(format!("@{hash}"));
            shell_path(Path::new(&path))
        }
    }
}

/// The options that give these programs what they had instead of what others had.
fn odds(programs: &[&Program]) -> String {
    let mut again = String::new();
    for program in programs {
        let odds = &program.engine.odds;
        let name = match &program.kept {
            Ok(_) => name_by_hash(&program.engine.name, &program.hash),
            Err(_) => program.engine.name.clone(),
        };
        let control = odds.control.iter().map(ToString::to_string);
        for one in control.chain(odds.search.given().map(|(limit, number)| format!("{limit}={number}"))) {
            again.push_str(&format!(" --time {}", shell_word(Path::new(&format!("{name}={one}")))));
        }
    }
    again
}

/// The options that let these engines play elsewhere.
fn elsewhere<'e>(engines: impl Iterator<Item = &'e EngineSpec>) -> String {
    let mut again = String::new();
    for engine in engines {
        let Some(elsewhere) = &engine.elsewhere else { continue };
        again.push_str(&format!(" --elsewhere {}", shell_word(engine.organisers_name().as_ref())));
        if !elsewhere.most().is_zero() && !again.contains(" --lag ") {
            again.push_str(&format!(" --lag {}", elsewhere.most().as_secs_f64()));
        }
    }
    again
}
