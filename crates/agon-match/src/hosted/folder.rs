//! The folder of a game: its `game.toml`, read and checked.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agon_config::{Misuse, Size, decimal_comma};
use agon_printable::{clean, clean_lines, escape, meant};
use agon_programs::bounded;
use agon_programs::engine_file::is_game_name;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_protocol::ugi_told::UgiTable;
use agon_seats::TimeControl;
use serde::Deserialize;
use toml::Spanned;

use super::gtp::{GtpFile, GtpTable};
use super::options::{OptionFile, OptionSpec};
use super::ugi::UgiFile;

/// The file that makes a folder a game.
pub const FILE: &str = "game.toml";
/// The most seats of a game.
pub const MOST_SEATS: usize = 16;
/// How long a referee may take for a step.
const STEP: Duration = Duration::from_secs(10);
/// The longest file, as of an `engine.toml`.
const MOST_BYTES: u64 = 64 << 10;

/// A game whose rules are a program.
#[derive(Clone, Debug)]
pub struct GameFolder {
    /// Its name in records.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// How it is played, for people.
    pub rules: String,
    /// How a move is written, for people.
    pub moves: String,
    /// How its referee is started and built.
    pub referee: EngineSpec,
    /// How many seats it can have.
    pub seats: RangeInclusive<usize>,
    /// The name of each seat; empty if they are numbered.
    pub seat_names: Vec<String>,
    /// Whether scores are amounts that add up.
    pub sum: bool,
    /// Whether seats can share the first place.
    pub draws: bool,
    /// The time control of a run that gives none.
    pub time: Option<TimeControl>,
    /// Whether one process referees many games.
    pub keep: bool,
    /// The line that ends a question to an engine; empty for none.
    pub prompt: String,
    /// How long the referee may take for a step.
    pub step: Duration,
    /// The most memory it may use, in bytes, if not that of the run.
    pub memory: Option<u64>,
    /// Its options by their names.
    pub options: BTreeMap<String, OptionSpec>,
    /// What engines that speak GTP are told, if they can play it.
    pub gtp: Option<GtpTable>,
    /// What engines that speak UGI or a relative are told, if they can play it.
    pub ugi: Option<UgiTable>,
}

/// `game.toml` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct GameToml {
    name: Spanned<String>,
    title: Option<String>,
    #[serde(default)]
    rules: String,
    #[serde(default)]
    moves: String,
    command: Option<Spanned<Vec<String>>>,
    build: Option<Spanned<Vec<String>>>,
    seats: Option<Spanned<toml::Value>>,
    seat_names: Option<Spanned<Vec<String>>>,
    scores: Option<ScoresValue>,
    draws: Option<bool>,
    time: Option<Spanned<String>>,
    #[serde(default)]
    keep: bool,
    prompt: Option<Spanned<String>>,
    step: Option<Spanned<f64>>,
    memory: Option<Spanned<String>>,
    #[serde(default)]
    options: BTreeMap<Spanned<String>, OptionFile>,
    gtp: Option<Spanned<GtpFile>>,
    ugi: Option<Spanned<UgiFile>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ScoresValue {
    Win,
    Sum,
}

impl GameFolder {
    /// Reads the folder of a game.
    ///
    /// # Errors
    /// [`Misuse`], with file, line and key.
    pub fn at(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        let shown = display_path(&path);
        if let Err(error) = std::fs::metadata(&path) {
            return Err(Misuse::hinted(
                format!("{shown}: {error}"),
                "name a folder with a game.toml, or a built-in game: agon rules lists them",
            ));
        }
        let text = bounded::text(&path, MOST_BYTES).map_err(|why| Misuse::misread(&shown, &why))?;
        let file: GameToml = toml::from_str(&text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = line_of(&text.as_bytes()[..at]);
            let is_value = text[..at].trim_end_matches([' ', '\t']).ends_with(['=', ',']);
            let unknown =
                error.message().strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
            match (text.get(at..).and_then(bare_word).filter(|_| is_value), unknown) {
                (Some(word), _) => Misuse::hinted(
                    format!("{shown}: line {line}: {word} is no value"),
                    format!("write true or false, or a text in quotes: \"{word}\""),
                ),
                (None, Some((key, rest))) => Misuse::hinted(
                    format!("{shown}: line {line}: there is no key {}", clean(key)),
                    format!(
                        "{}see docs/referee.md{}",
                        meant(key, rest.split('`').filter(|word| !word.contains([' ', ',']))),
                        rest.replace(", expected", "; here it may be").replace('`', "")
                    ),
                ),
                (None, None) => {
                    let what = format!("{shown}: {}", clean_lines(&error.to_string()));
                    match decimal_comma(text.lines().nth(line - 1).unwrap_or_default()) {
                        Some((key, number)) => {
                            Misuse::hinted(what, format!("write a decimal point: {} = {number}", clean(key)))
                        }
                        None => Misuse::error(what),
                    }
                }
            }
        })?;
        Reader { text: &text, shown, folder }.game(file)
    }

    /// The names of the seats of a game with so many.
    pub fn seat_names(&self, seats: usize) -> Vec<String> {
        let numbers = (1..=seats).map(|number| number.to_string());
        numbers.enumerate().map(|(at, number)| self.seat_names.get(at).cloned().unwrap_or(number)).collect()
    }
}

/// The word that stands where a value is expected, if it is none of TOML: `yes`, `no`, `True`. The
/// parser takes some of them for a misspelt number.
fn bare_word(from: &str) -> Option<&str> {
    let end = from.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(from.len());
    let word = &from[..end];
    let is_word = word.starts_with(|letter: char| letter.is_ascii_alphabetic());
    (is_word && !["true", "false", "inf", "nan"].contains(&word)).then_some(word)
}

/// The number of the line that follows these bytes.
fn line_of(before: &[u8]) -> usize {
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// A file while it is read.
struct Reader<'a> {
    text: &'a str,
    shown: String,
    folder: &'a Path,
}

impl Reader<'_> {
    /// An error about a key at a byte of the text. The next step stands behind the last `; `.
    fn wrong(&self, at: usize, key: &str, why: &str) -> anyhow::Error {
        let line = line_of(&self.text.as_bytes()[..at.min(self.text.len())]);
        Misuse::misread(&format!("{}: line {line}: key {key}", self.shown), why)
    }

    fn of<T>(&self, value: &Spanned<T>, key: &str, why: &str) -> anyhow::Error {
        self.wrong(value.span().start, key, why)
    }

    fn game(&self, file: GameToml) -> anyhow::Result<GameFolder> {
        let name = self.name(&file.name)?;
        let seats = self.seats(file.seats.as_ref())?;
        let seat_names = match &file.seat_names {
            None => Vec::new(),
            Some(names) => self.seat_names(names, *seats.end())?,
        };
        let time = match &file.time {
            None => None,
            Some(text) => {
                Some(text.get_ref().parse::<TimeControl>().map_err(|why| self.of(text, "time", &why))?)
            }
        };
        let step = match &file.step {
            None => STEP,
            Some(seconds) if (0.001..=3600.0).contains(seconds.get_ref()) => {
                Duration::from_secs_f64(*seconds.get_ref())
            }
            Some(seconds) => {
                return Err(self.of(seconds, "step", "is out of range; give seconds from 0.001 to 3600"));
            }
        };
        let memory = match &file.memory {
            None => None,
            Some(text) => {
                let size: Size =
                    text.get_ref().parse().map_err(|why: String| self.of(text, "memory", &why))?;
                Some(size.0)
            }
        };
        let prompt = match file.prompt {
            Some(text) if text.get_ref().contains(['\n', '\r', '\0']) => {
                return Err(self.of(
                    &text,
                    "prompt",
                    "is more than one line; write one line, or \"\" for none",
                ));
            }
            Some(text) => text.into_inner(),
            None => "?".to_owned(),
        };
        let options = self.options(file.options)?;
        let gtp = match file.gtp {
            None => None,
            Some(table) => {
                let at = table.span().start;
                let checked = table.into_inner().checked(&seats, &options);
                Some(checked.map_err(|(key, why)| self.wrong(at, key, &why))?)
            }
        };
        let ugi = match file.ugi {
            None => None,
            Some(table) => {
                let at = table.span().start;
                let checked = table.into_inner().checked(&seats);
                Some(checked.map_err(|(key, why)| self.wrong(at, key, &why))?)
            }
        };
        let referee = self.referee(&name, file.command.as_ref(), file.build.as_ref())?;
        Ok(GameFolder {
            title: file.title.map_or_else(|| name.clone(), |title| escape(title.as_bytes(), 200)),
            name,
            rules: clean_lines(&file.rules),
            moves: clean_lines(&file.moves),
            referee,
            seats,
            seat_names,
            sum: file.scores == Some(ScoresValue::Sum),
            draws: file.draws.unwrap_or(true),
            time,
            keep: file.keep,
            prompt,
            step,
            memory,
            options,
            gtp,
            ugi,
        })
    }

    fn options(
        &self,
        table: BTreeMap<Spanned<String>, OptionFile>,
    ) -> anyhow::Result<BTreeMap<String, OptionSpec>> {
        let mut options = BTreeMap::new();
        for (key, option) in table {
            let at = key.span().start;
            let key = key.into_inner();
            let named = !key.is_empty()
                && key
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_');
            let place = format!("options.{}", escape(key.as_bytes(), 60));
            if !named {
                return Err(self.wrong(at, &place, "is no name; write small letters, digits, - and _"));
            }
            let spec = option.checked().map_err(|why| self.wrong(at, &place, &why))?;
            options.insert(key, spec);
        }
        Ok(options)
    }

    /// The referee program, by its command or as the only executable file of the folder.
    fn referee(
        &self,
        name: &str,
        command: Option<&Spanned<Vec<String>>>,
        build: Option<&Spanned<Vec<String>>>,
    ) -> anyhow::Result<EngineSpec> {
        let words = |list: Option<&Spanned<Vec<String>>>| list.map(|words| words.get_ref().clone());
        EngineSpec::of_folder(
            name,
            self.folder,
            command.map(|words| words.get_ref().as_slice()),
            words(build),
        )
        .map_err(|why| {
            // The words for an engine name the key, where only this one can be wrong.
            let (key, why) = match why.strip_prefix("key ").and_then(|rest| rest.split_once(": ")) {
                Some((key @ ("command" | "build"), why)) => (key, why),
                _ => ("command", why.as_str()),
            };
            let list = if key == "build" { build } else { command };
            self.wrong(list.map_or(0, |list| list.span().start), key, why)
        })
    }

    fn name(&self, name: &Spanned<String>) -> anyhow::Result<String> {
        let text = name.get_ref();
        if !is_game_name(text) {
            let why = "is no name of a game; write at most 40 small letters, digits and hyphens";
            return Err(self.of(name, "name", why));
        }
        if agon_games::entry(text).is_ok() {
            return Err(self.of(name, "name", &format!("{text} is a built-in game; choose another name")));
        }
        Ok(text.clone())
    }

    fn seats(&self, seats: Option<&Spanned<toml::Value>>) -> anyhow::Result<RangeInclusive<usize>> {
        let Some(value) = seats else { return Ok(2..=2) };
        let range = match value.get_ref() {
            toml::Value::Integer(number) => usize::try_from(*number).ok().map(|number| (number, number)),
            toml::Value::String(text) => match text.split_once('-') {
                Some((least, most)) => least.trim().parse().ok().zip(most.trim().parse().ok()),
                None => text.trim().parse().ok().map(|number| (number, number)),
            },
            _ => None,
        };
        match range {
            Some((least, most)) if (2..=most).contains(&least) && most <= MOST_SEATS => Ok(least..=most),
            _ => {
                let why =
                    format!("is no number of seats; write 2, or a range like \"2-6\", up to {MOST_SEATS}");
                Err(self.of(value, "seats", &why))
            }
        }
    }

    fn seat_names(&self, names: &Spanned<Vec<String>>, most: usize) -> anyhow::Result<Vec<String>> {
        let list = names.get_ref();
        let good = |name: &String| {
            !name.is_empty()
                && name.len() <= 20
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        let mut sorted: Vec<&String> = list.iter().collect();
        sorted.sort();
        sorted.dedup();
        if list.len() != most || sorted.len() != most || !list.iter().all(good) {
            let why = format!(
                "these are not names of {most} seats; write {most} different ones of letters, digits and hyphens"
            );
            return Err(self.of(names, "seat-names", &why));
        }
        Ok(list.clone())
    }
}

/// The folder of a game as it was named, absolute.
///
/// # Errors
/// [`Misuse`]: there is no such folder.
pub(super) fn absolute(folder: &Path) -> anyhow::Result<PathBuf> {
    folder.canonicalize().map_err(|error| {
        Misuse::hinted(
            format!("{}: {error}", display_path(folder)),
            "name a folder with a game.toml, or a built-in game: agon rules lists them",
        )
    })
}
