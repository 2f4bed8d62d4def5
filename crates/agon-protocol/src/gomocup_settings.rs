//! The table `[gomocup]` of an `engine.toml`, and what is learned of an engine of Gomocup in a run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agon_printable::escape;
use serde::{Deserialize, Deserializer};

/// By how much less than its time an engine is told to have, in milliseconds.
pub(super) const RESERVE_MS: u32 = 50;
/// The same of an engine in Wine, which is on its way between the two.
pub(super) const WINE_RESERVE_MS: u32 = 150;
/// The most that a file may give an engine to leave, in milliseconds: every game of it takes as
/// long.
const MOST_END_MS: u32 = 10_000;

/// The most bytes of a folder that is copied for each game.
const MOST_FOLDER: u64 = 16 << 20;
/// The name of the copy in the directory of an engine.
pub const FOLDER: &str = "data";
/// The names of the usual lines `INFO`, in their order.
pub(super) const INFO: [&str; 7] =
    ["max_memory", "timeout_match", "timeout_turn", "game_type", "rule", "time_left", "folder"];

/// The table `[gomocup]` of an `engine.toml`.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// How lines to the engine end.
    pub newline: Newline,
    /// By how much less than its time it is told to have, in milliseconds. Otherwise 50, or 150 for
    /// a Windows program.
    pub reserve_ms: Option<u32>,
    /// How long it may take to leave after `END`, in milliseconds.
    pub end_ms: u32,
    /// The directory of its files: it is told of a copy that it can write to. Otherwise of its
    /// directory of the game.
    pub folder: Option<PathBuf>,
    /// The old spelling of `process = "pairing"`, or `"game"`.
    pub restart: Option<bool>,
    /// The names of the lines `INFO` that come first, in this order.
    pub order: Vec<String>,
    /// The names of the usual lines `INFO` that are left out.
    pub omit: Vec<String>,
    /// Lines `INFO name value` in addition to the usual ones, or in place of those.
    #[serde(deserialize_with = "info")]
    pub info: BTreeMap<String, String>,
    /// What was learned of it in this run.
    #[serde(skip)]
    learned: Learned,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            newline: Newline::Auto,
            reserve_ms: None,
            end_ms: 500,
            folder: None,
            restart: None,
            order: Vec::new(),
            omit: Vec::new(),
            info: BTreeMap::new(),
            learned: Learned::default(),
        }
    }
}

/// How lines to an engine end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Newline {
    /// `\r\n`, or `\n` for an engine that refuses the first line otherwise.
    #[default]
    Auto,
    /// `\r\n`, as the protocol has it.
    Crlf,
    /// `\n`.
    Lf,
}

/// Whether the engine was seen to read `\n` alone. All copies of its settings share it.
#[derive(Clone, Debug, Default)]
struct Learned(Arc<AtomicBool>);

/// What was learned is no setting.
impl PartialEq for Learned {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Learned {}

impl Settings {
    /// The usual ones, for an engine that reads `\n` alone.
    pub fn of_lf() -> Self {
        Settings { newline: Newline::Lf, ..Settings::default() }
    }

    /// Takes the folder from the directory of the `engine.toml`, and sees that what is told can be.
    ///
    /// # Errors
    /// Which key is wrong, and what to write.
    pub fn placed(mut self, at: &Path) -> Result<Self, String> {
        if self.end_ms > MOST_END_MS {
            return Err(format!(
                "key end_ms: {} is too long; write a number up to {MOST_END_MS}",
                self.end_ms
            ));
        }
        if let Some(folder) = &mut self.folder {
            *folder = seed_folder(at, folder).map_err(|why| format!("key folder: {why}"))?;
        }
        for (key, names) in [("order", &self.order), ("omit", &self.omit)] {
            let is_known = |name: &String| INFO.contains(&name.as_str()) || self.info.contains_key(name);
            if let Some(name) = names.iter().find(|name| !is_known(name)) {
                let name = escape(name.as_bytes(), 60);
                return Err(format!(
                    "key {key}: there is no line INFO {name}; write some of {}",
                    INFO.join(" ")
                ));
            }
        }
        Ok(self)
    }

    /// The end of a line to the engine.
    pub(super) fn line_end(&self) -> &'static str {
        match self.newline {
            Newline::Crlf => "\r\n",
            Newline::Lf => "\n",
            Newline::Auto if self.learned.0.load(Ordering::Relaxed) => "\n",
            Newline::Auto => "\r\n",
        }
    }

    /// Sends `\n` alone from now on. Returns whether that is a change: the file leaves it open, and
    /// it was not tried before.
    pub fn try_other_newline(&self) -> bool {
        self.newline == Newline::Auto && !self.learned.0.swap(true, Ordering::Relaxed)
    }

    /// Sends `\r\n` again: the other end of lines was no better.
    pub fn take_back(&self) {
        self.learned.0.store(false, Ordering::Relaxed);
    }

    /// How long an engine may take to leave.
    pub(super) fn grace(&self) -> Duration {
        Duration::from_millis(self.end_ms.into())
    }

    /// What a process is sent at its end.
    pub(super) fn farewell(&self) -> &'static [u8] {
        if self.line_end() == "\n" { b"END\n" } else { b"END\r\n" }
    }
}

/// The folder of an `engine.toml` at `at` that an engine gets a copy of.
///
/// It lies in the engine's own folder, because agon reads it for the engine, whatever that may read
/// itself.
fn seed_folder(at: &Path, folder: &Path) -> Result<PathBuf, String> {
    let shown = escape(folder.as_os_str().as_encoded_bytes(), 200);
    let place = at.join(folder);
    if !place.is_dir() {
        return Err(format!("{shown} is no directory; make it, or leave the key out"));
    }
    let is_below = |place: &Path| Some(place.canonicalize().ok()?.starts_with(at.canonicalize().ok()?));
    if is_below(&place) != Some(true) {
        return Err(format!("{shown} lies beside its folder; name a directory in the folder of engine.toml"));
    }
    let size = size_of(&place).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    if size > MOST_FOLDER {
        return Err(format!(
            "{shown} has {size} bytes, and each game gets a copy of at most {MOST_FOLDER}; put what the engine only \
             reads beside its program"
        ));
    }
    Ok(place)
}

/// The bytes of all files of a folder. Links count for nothing.
fn size_of(folder: &Path) -> std::io::Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        size += if about.is_dir() { size_of(&entry.path())? } else { about.len() };
    }
    Ok(size)
}

/// Reads `info = { thread_num = 1 }`.
fn info<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let wrong = |name: &str| {
        let name = escape(name.as_bytes(), 60);
        serde::de::Error::custom(format!(
            "info: {name:?} cannot be told in one line; write name = 1 or name = \"text\", the name without blanks"
        ))
    };
    let read = |(name, value): (String, toml::Value)| {
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => value.to_string(),
            _ => return Err(wrong(&name)),
        };
        let bad = |text: &str| text.is_empty() || text.chars().any(char::is_control);
        if bad(&name) || bad(&text) || name.contains(char::is_whitespace) {
            return Err(wrong(&name));
        }
        Ok((name, text))
    };
    BTreeMap::<String, toml::Value>::deserialize(from)?.into_iter().map(read).collect()
}

/// A path as a Windows program sees it.
pub(super) fn windows_path(path: &Path) -> String {
    format!("Z:{}", path.to_string_lossy().replace('/', "\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_as_windows_writes_it() {
        assert_eq!(windows_path(Path::new("/tmp/box")), "Z:\\tmp\\box");
    }
}
