//! `engine.toml` as it is written, and what may stand in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agon_games::UnknownGame;
use agon_printable::{clean, clean_lines, escape, nearest};
use agon_protocol::announced::is_same_option;
use agon_protocol::ugi_words::UgiWordsFile;
use agon_protocol::{ConsoleSpec, ProcessSpan, Protocol, gomocup};
use serde::de::{Error, IntoDeserializer};
use serde::{Deserialize, Deserializer};

use super::bounded;
use super::parts;
use super::program::display_path;
use super::protocol_keys;

/// The longest file, in bytes. No engine needs more, and a file of millions of words would keep all
/// others waiting.
const MOST_BYTES: u64 = 64 << 10;
/// The most words of one list, and variables of the environment.
const MOST_WORDS: usize = 1000;
/// The longest name of a place, in characters.
const MAX_PLACE: usize = 64;

/// The working directory of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkingDirectory {
    /// An empty directory of its own, with `board` and the other files of the game.
    #[default]
    Own,
    /// The folder of its `engine.toml`.
    Folder,
}

/// Where an engine that speaks lines finds the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BoardTold {
    /// In its stdin, before the moves, and in the file `board`.
    #[default]
    Stdin,
    /// In the file `board` alone.
    File,
}

/// A line of an `engine.toml` whose key has another name now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OldSpelling {
    /// What stands there.
    pub old: String,
    /// What is to stand there.
    pub new: String,
}

/// `engine.toml` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EngineFile {
    pub(super) name: Option<String>,
    pub(super) command: Option<Vec<String>>,
    pub(super) args: Option<Vec<String>>,
    #[serde(default)]
    pub(super) directory: WorkingDirectory,
    #[serde(default, deserialize_with = "protocol")]
    pub(super) protocol: Option<Protocol>,
    pub(super) board: Option<BoardTold>,
    process: Option<ProcessSpan>,
    pub(super) console: Option<ConsoleSpec>,
    #[serde(default)]
    pub(super) pty: bool,
    pub(super) build: Option<Vec<String>>,
    #[serde(default)]
    pub(super) games: Vec<String>,
    #[serde(default)]
    pub(super) options: BTreeMap<toml::Spanned<String>, toml::Value>,
    pub(super) ugi: Option<UgiWordsFile>,
    pub(super) gomocup: Option<gomocup::Settings>,
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    pub(super) place: Option<String>,
    pub(super) echo: Option<Vec<String>>,
    pub(super) kept: Option<bool>,
    learns: Option<toml::Spanned<Vec<String>>>,
}

/// The protocols that were agon's once, and are now the words of an adapter.
const OF_THE_ADAPTER: [&str; 2] = ["riddles", "theaigames"];

fn protocol<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Protocol>, D::Error> {
    let name = String::deserialize(from)?;
    if OF_THE_ADAPTER.contains(&name.as_str()) {
        return Err(D::Error::custom(format!(
            "protocol {name} is no longer agon's own; leave this key out, and let the adapter speak it: command = \
             [\"python3\", \"AGON/engines/adapter/riddles.py\"] and args = [\"{name}\", \"{{game}}\", \"{{side}}\", \
             \"{{to_move}}\", \"{{control}}\", \"0\", and the words that start the bot]"
        )));
    }
    Protocol::deserialize(name.as_str().into_deserializer()).map(Some)
}

/// The text of an `engine.toml` without the key `learns`. The key is no part of the program: only
/// what it leaves out is.
pub fn without_learns(text: &str) -> String {
    let span = EngineFile::parse(text).ok().and_then(|file| Some(file.learns?.span()));
    let Some(span) = span else { return text.to_owned() };
    let start = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[span.end..].find('\n').map_or(text.len(), |end| span.end + end + 1);
    format!("{}{}", &text[..start], &text[end..])
}

/// The line of an `engine.toml` with this text on which an option stands, in any case; from 1.
pub(super) fn line_of_option(text: &str, name: &str) -> Option<usize> {
    let file = EngineFile::parse(text).ok()?;
    let at = file.options.keys().find(|own| is_same_option(own.get_ref(), name))?.span().start;
    Some(1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count())
}

/// The text of a file of settings, as of an engine or of the build of one.
///
/// # Errors
/// It cannot be read, is no file, or is too long; without the name of the file.
pub(super) fn text(path: &Path) -> Result<String, String> {
    bounded::text(path, MOST_BYTES)
}

impl EngineFile {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// What is wrong and where, without the name of the file.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| spoken(&error.to_string()))
    }

    /// Sees that a key can have this value.
    ///
    /// # Errors
    /// What is wrong, without a place.
    pub(super) fn read_key(key: &str, value: &toml::Value) -> Result<(), String> {
        let table = toml::Table::from_iter([(key.to_owned(), value.clone())]);
        let text = toml::to_string(&table).map_err(|error| error.to_string())?;
        match toml::from_str::<EngineFile>(&text) {
            Ok(_) => Ok(()),
            Err(error) => Err(spoken(error.message())),
        }
    }

    /// The protocol of the engine. A program of Gomocup needs no key for it.
    ///
    /// # Errors
    /// As [`EngineFile::parse`].
    pub(super) fn take_protocol(&mut self, folder: &Path, is_pbrain: bool) -> Result<Protocol, String> {
        let mut protocol = self.protocol.take().unwrap_or_else(|| {
            if is_pbrain { Protocol::Gomocup(gomocup::Settings::default()) } else { Protocol::default() }
        });
        protocol_keys::check(self.given_of_protocols(), &protocol)?;
        if let (Protocol::Gomocup(own), Some(settings)) = (&mut protocol, self.gomocup.take()) {
            *own = settings.placed(folder).map_err(|why| format!("table gomocup: {why}"))?;
        }
        Ok(protocol)
    }

    /// Those of its keys that not every protocol has.
    fn given_of_protocols(&self) -> impl Iterator<Item = &'static str> + use<> {
        let given = [
            ("board", self.board.is_some()),
            ("console", self.console.is_some()),
            ("gomocup", self.gomocup.is_some()),
            ("options", !self.options.is_empty()),
            ("ugi", self.ugi.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(key, _)| key)
    }

    /// How long a process of the engine lives, and the words of an old spelling of that, if the
    /// file has it: what stands there, and what is to stand there.
    ///
    /// # Errors
    /// As [`EngineFile::parse`].
    pub(super) fn span(&self, protocol: &Protocol) -> Result<(ProcessSpan, Option<OldSpelling>), String> {
        let restarts = match protocol {
            Protocol::Gomocup(settings) => settings.restart,
            _ => None,
        };
        let named = match (self.process, restarts) {
            (Some(_), Some(_)) => {
                return Err("key gomocup: restart is the old spelling of the key process; leave restart out"
                    .to_owned());
            }
            (Some(process), None) => process,
            (None, Some(true)) => ProcessSpan::Pairing,
            (None, Some(false)) => ProcessSpan::Game,
            (None, None) => protocol.usual_span(),
        };
        let name = protocol.name();
        if named == ProcessSpan::Pairing && !protocol.begins_again() {
            return Err(format!(
                "key process: the protocol {name} has no word for another game of the same process; write process = \
                 \"game\" or \"turn\""
            ));
        }
        let is_untold = self.console.as_ref().is_some_and(|console| !console.tells_own_moves());
        if named == ProcessSpan::Turn && is_untold {
            return Err("key process: a program that is started for each turn is told the moves of its own side too; \
                        add own = \"template\" to its table [console]"
                .to_owned());
        }
        let old = restarts.map(|restarts| OldSpelling {
            old: format!("restart = {restarts} of [gomocup]"),
            new: format!("process = \"{}\"", if restarts { "pairing" } else { "game" }),
        });
        Ok((named, old))
    }

    /// Checks what serde cannot.
    ///
    /// # Errors
    /// As [`EngineFile::parse`].
    pub(super) fn check(&self, protocol: &Protocol) -> Result<(), String> {
        self.check_numbers()?;
        for (variable, value) in &self.env {
            if variable.is_empty() || variable.contains(['=', '\0']) || value.contains('\0') {
                return Err(format!(
                    "key env: {:?} cannot be set; give a name without =, and no NUL",
                    escape(variable.as_bytes(), 60)
                ));
            }
        }
        for word in [&self.command, &self.args, &self.build, &self.echo].into_iter().flatten().flatten() {
            if word.contains('\0') {
                return Err(format!("{:?} holds a NUL; remove it", escape(word.as_bytes(), 60)));
            }
        }
        if *protocol == Protocol::Console && self.console.is_none() {
            return Err(
                "key protocol: console needs a table; add [console] with answer = 'regex with (move)' \
                        and say = \"{move}\""
                    .to_owned(),
            );
        }
        if self.build.as_ref().is_some_and(Vec::is_empty) {
            return Err(EMPTY_BUILD.to_owned());
        }
        if self.echo.as_ref().is_some_and(Vec::is_empty) {
            return Err(EMPTY_ECHO.to_owned());
        }
        if self.place.as_ref().is_some_and(|place| !is_place(place)) {
            return Err(format!(
                "key place: write a printable text of 1 to {MAX_PLACE} characters, like place = \"lab1\""
            ));
        }
        for game in &self.games {
            match agon_games::canonical(game) {
                Ok(_) => {}
                // The game of a referee program, which its own game.toml names.
                Err(UnknownGame::Name { .. }) if is_game_name(game) => {}
                Err(why) => return Err(format!("key games: {why}")),
            }
        }
        Ok(())
    }
}

impl EngineFile {
    /// The files and folders that the engine learns into, by their paths in its folder.
    ///
    /// # Errors
    /// As [`EngineFile::parse`].
    pub(super) fn learns(&self, folder: &Path, program: &Path) -> Result<Vec<PathBuf>, String> {
        let words = self.learns.iter().flat_map(|list| list.get_ref());
        let learned: Vec<PathBuf> = words.map(|word| parts::learned(word)).collect::<Result<_, _>>()?;
        match learned.iter().find(|path| program.starts_with(folder.join(path))) {
            Some(path) => Err(format!(
                "key learns: the program lies in {}; name only what it writes itself",
                display_path(path)
            )),
            None => Ok(learned),
        }
    }

    /// Refuses lists that no engine needs.
    fn check_numbers(&self) -> Result<(), String> {
        let length = |list: &Option<Vec<String>>| list.as_ref().map_or(0, Vec::len);
        let lists = [
            ("command", length(&self.command)),
            ("args", length(&self.args)),
            ("build", length(&self.build)),
            ("echo", length(&self.echo)),
            ("games", self.games.len()),
            ("learns", self.learns.as_ref().map_or(0, |list| list.get_ref().len())),
            ("env", self.env.len()),
            ("options", self.options.len()),
        ];
        match lists.into_iter().find(|(_, length)| *length > MOST_WORDS) {
            Some((key, length)) => Err(format!(
                "key {key}: it has {length} entries, and at most {MOST_WORDS} are taken; let the program read \
                 the rest from a file"
            )),
            None => Ok(()),
        }
    }
}

/// An error of the reader of TOML, in the words of the format.
fn spoken(error: &str) -> String {
    let meant = error.split_once("unknown field `").and_then(|(_, rest)| {
        let (key, known) = rest.split_once('`')?;
        // Every second one is a word of the list.
        nearest(key, known.split('`').skip(1).step_by(2))
    });
    let tip = meant.map_or_else(String::new, |key| format!("; did you mean {key}?"));
    clean_lines(error).replace("expected a sequence", "expected a list, like [\"...\"]") + &tip
}

/// Whether a referee program's game can have this name.
pub fn is_game_name(name: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=40).contains(&name.len()) && name.bytes().all(good)
}

/// The options of a UGI engine as text: `Hash = 64`, `Style = "wild"`, `Ponder = false`.
pub(super) fn options(
    table: BTreeMap<toml::Spanned<String>, toml::Value>,
) -> Result<Vec<(String, String)>, String> {
    // In the order of the file.
    let mut table: Vec<(toml::Spanned<String>, toml::Value)> = table.into_iter().collect();
    table.sort_by_key(|(name, _)| name.span().start);
    given_once(table.iter().map(|(name, _)| name.get_ref().as_str()))?;
    let read = |(name, value): (String, toml::Value)| {
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => value.to_string(),
            _ => {
                let name = escape(name.as_bytes(), 60);
                return Err(format!(
                    "{name} is no text, number or truth; write {name} = \"text\" or 64 or true"
                ));
            }
        };
        // They are words of one line.
        let is_blank_around = name.is_empty() || name.trim() != name;
        if is_blank_around || [&name, &text].iter().any(|word| word.chars().any(char::is_control)) {
            let name = escape(name.as_bytes(), 60);
            return Err(format!(
                "{name:?} cannot be sent in one line; give a name without blanks around it, and name and value \
                 without line ends"
            ));
        }
        Ok((name, text))
    };
    table.into_iter().map(|(name, value)| read((name.into_inner(), value))).collect()
}

/// Sees that no option is given twice. UCI compares names in any case, so an engine would keep one
/// of the two.
///
/// # Errors
/// One is; with its name, without a place.
pub(super) fn given_once<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut before: Vec<&str> = Vec::new();
    for name in names {
        if let Some(other) = before.iter().find(|other| is_same_option(other, name)) {
            let shown = escape(name.as_bytes(), 60);
            let first = if *other == name {
                String::new()
            } else {
                format!(", first as {}, because case does not count", escape(other.as_bytes(), 60))
            };
            return Err(format!("{shown} is given twice{first}; give it once"));
        }
        before.push(name);
    }
    Ok(())
}

/// Whether a text can say where an engine plays.
pub fn is_place(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= MAX_PLACE && clean(text) == text
}

const EMPTY_ECHO: &str = "key echo: an empty list; write echo = [\"ssh\", \"HOST\", \"cat\"] or leave it out";
pub(super) const EMPTY_BUILD: &str = "key build: an empty list; write build = [\"make\"] or leave it out";
