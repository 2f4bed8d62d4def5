//! The rules of a game of a referee program: its name, seats and options. Its positions are known
//! to the referee alone.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use agon_config::{GameArg, Misuse};
use agon_printable::{escape, meant};
use agon_programs::program::display_path;
use agon_protocol::gtp_told::GtpBoard;

use super::folder::{self, GameFolder};
use super::gtp::GtpSetting;

/// A game of a referee program, with its options and its number of seats.
#[derive(Clone, Debug)]
pub struct HostedRules {
    /// The folder as it was read.
    pub folder: GameFolder,
    /// All options with their values, in the order of their names.
    pub options: BTreeMap<String, String>,
    /// The hash of the contents of its folder; empty until it has been built.
    pub hash: String,
    /// The names of the seats.
    seats: &'static [&'static str],
}

impl HostedRules {
    /// The game that is named `DIR` or `DIR:OPTIONS`, with so many seats, or as few as it can have.
    ///
    /// # Errors
    /// [`Misuse`], with file, line and key, or the option.
    pub fn find(game: &GameArg, seats: Option<usize>) -> anyhow::Result<Self> {
        let (path, given) = game.parts();
        if !given.is_empty() && !Path::new(path).exists() && Path::new(&game.0).is_dir() {
            let shown = display_path(Path::new(&game.0));
            return Err(Misuse::hinted(
                format!("{shown}: a colon begins the options of a game, so no folder of a game has one"),
                "rename the folder",
            ));
        }
        let folder = GameFolder::at(&folder::absolute(Path::new(path))?)?;
        let options = values(&folder, given)?;
        let number = seats.unwrap_or(*folder.seats.start());
        if !folder.seats.contains(&number) {
            let (least, most) = (folder.seats.start(), folder.seats.end());
            let range = if least == most { most.to_string() } else { format!("{least} to {most}") };
            return Err(Misuse::hinted(
                format!("{} has {range} seats, and not {number}", folder.name),
                "give another number with --seats",
            ));
        }
        let seats = names(folder.seat_names(number));
        Ok(HostedRules { folder, options, hash: String::new(), seats })
    }

    /// How the game is named on the command line.
    pub fn argument(&self) -> String {
        self.argument_at(&self.folder.referee.source)
    }

    /// How the game is named on the command line if its folder is this one.
    pub fn argument_at(&self, folder: &Path) -> String {
        let path = folder.to_string_lossy();
        match self.chosen() {
            chosen if chosen.is_empty() => path.into_owned(),
            chosen => format!("{path}:{chosen}"),
        }
    }

    /// The game and the options that differ from their defaults: `poker:hands=20`.
    pub fn spec(&self) -> String {
        match self.chosen() {
            chosen if chosen.is_empty() => self.folder.name.clone(),
            chosen => format!("{}:{chosen}", self.folder.name),
        }
    }

    /// The names of the seats in the order in which the referee counts them.
    pub fn seats(&self) -> &'static [&'static str] {
        self.seats
    }

    /// The values for an engine's arguments besides side and time.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![("seats", self.seats.len().to_string())]
    }

    /// The number of seats.
    pub fn seat_count(&self) -> usize {
        self.seats.len()
    }

    /// The board that engines which speak GTP are told, if the game has one.
    pub fn gtp(&self) -> Option<GtpBoard> {
        let table = self.folder.gtp.as_ref()?;
        let value = |setting: &GtpSetting| match setting {
            GtpSetting::Number(text) => text.clone(),
            GtpSetting::Option(name) => self.options.get(name).cloned().unwrap_or_default(),
        };
        Some(GtpBoard {
            // Zero is refused before the first game.
            size: value(&table.size).parse().unwrap_or(0),
            komi: table.komi.as_ref().map(value),
            black: table.black,
        })
    }

    /// The options as the referee is told them: `hands=10 stack=200`.
    pub fn options_line(&self) -> String {
        let options: Vec<String> =
            self.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        options.join(" ")
    }

    /// The options that differ from their defaults: `hands=20,stack=50`.
    fn chosen(&self) -> String {
        let differs = |(name, value): &(&String, &String)| self.folder.options[*name].default != **value;
        let chosen: Vec<String> =
            self.options.iter().filter(differs).map(|(name, value)| format!("{name}={value}")).collect();
        chosen.join(",")
    }
}

/// The value of each option: those given as `NAME=VALUE,NAME=VALUE`, and the defaults of the
/// others.
fn values(folder: &GameFolder, given: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let mut values: BTreeMap<String, String> =
        folder.options.iter().map(|(name, spec)| (name.clone(), spec.default.clone())).collect();
    let mut seen = Vec::new();
    for part in given.split(',').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, "yes"));
        let wrong = |why: &str| {
            // The caller knows whether a file has named the game.
            Misuse::misread(&format!("{}: option {}", folder.name, escape(part.as_bytes(), 100)), why)
        };
        let Some(spec) = folder.options.get(name) else {
            let names: Vec<&str> = folder.options.keys().map(String::as_str).collect();
            return Err(wrong(&match names.is_empty() {
                true => "the game has no options; leave it out".to_owned(),
                false => {
                    let meant = meant(name, names.iter().copied());
                    format!("there is no such option; {meant}there are {}", names.join(", "))
                }
            }));
        };
        if seen.contains(&name) {
            return Err(wrong("is given twice; leave one out"));
        }
        seen.push(name);
        values.insert(name.to_owned(), spec.read(value).map_err(|why| wrong(&why))?);
    }
    Ok(values)
}

/// Names that live as long as the program, as those of built-in games do. A program uses few games,
/// so few lists are kept.
fn names(names: Vec<String>) -> &'static [&'static str] {
    static KEPT: Mutex<Vec<&'static [&'static str]>> = Mutex::new(Vec::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(same) = kept.iter().find(|same| same.iter().copied().eq(names.iter().map(String::as_str))) {
        return same;
    }
    let own: Vec<&'static str> = names.into_iter().map(|name| &*name.leak()).collect();
    kept.push(own.leak());
    kept[kept.len() - 1]
}
