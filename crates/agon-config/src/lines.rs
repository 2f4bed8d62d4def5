//! Where in a file a value is written, for messages: file, line and key.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

use agon_printable::{escape, meant};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Misuse;

/// The most characters of a value or a key that a message shows.
const SHOWN: usize = 60;

/// A file while it is read.
pub(super) struct Source<'a> {
    /// Its text.
    pub(super) text: &'a str,
    /// Its folder. Paths in it are relative to that.
    pub(super) home: &'a Path,
    /// Its path, safe to show.
    pub(super) shown: String,
}

impl<'a> Source<'a> {
    /// The file at `path`, which has this text.
    pub(super) fn new(text: &'a str, path: &'a Path) -> Self {
        let home = path.parent().unwrap_or(Path::new("."));
        Source { text, home, shown: escape(path.as_os_str().as_encoded_bytes(), 400) }
    }

    /// The number of the line on which a byte of the text stands, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }
}

/// What a table is a part of; a message about one of its keys says so.
#[derive(Clone, Copy, Default, Debug)]
pub(super) enum Within {
    /// It is the file itself.
    #[default]
    File,
    /// The value of this key.
    Key(&'static str),
    /// One of a list of these, from 1.
    List(&'static str, usize),
}

/// The lines on which a table and its keys are written.
#[derive(Clone, Default, Debug)]
pub struct KeyLines {
    file: String,
    within: Within,
    line: usize,
    keys: BTreeMap<String, usize>,
}

impl KeyLines {
    /// A file without keys. `file` is its path, safe to show.
    pub(super) fn nothing(file: String) -> Self {
        KeyLines { file, line: 1, ..KeyLines::default() }
    }

    /// The file, as it is named in messages.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// A table that begins on this line.
    pub(super) fn of(source: &Source<'_>, within: Within, line: usize, table: &DeTable<'_>) -> Self {
        let keys = table.keys().map(|key| (key.get_ref().to_string(), source.line(key.span().start)));
        KeyLines { file: source.shown.clone(), within, line, keys: keys.collect() }
    }

    /// Whether the key is written.
    pub fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// Removes a key whose value is overridden.
    pub(super) fn forget(&mut self, key: &str) {
        self.keys.remove(key);
    }

    /// File, line and key, for a message. The line of a missing key is that of its table; the line
    /// of several keys is that of the last.
    pub fn place(&self, keys: &[&str]) -> String {
        let line = keys.iter().filter_map(|key| self.keys.get(*key)).max();
        self.place_at(*line.unwrap_or(&self.line), keys)
    }

    fn place_at(&self, line: usize, keys: &[&str]) -> String {
        let key = |key: &&str| {
            let key = escape(key.as_bytes(), SHOWN);
            match self.within {
                Within::File => key,
                Within::Key(table) => format!("{table}.{key}"),
                Within::List(noun, number) => format!("{key} of {noun} {number}"),
            }
        };
        let plural = if keys.len() == 1 { "" } else { "s" };
        let keys: Vec<String> = keys.iter().map(key).collect();
        format!("{}: line {line}: key{plural} {}", self.file, keys.join(" and "))
    }

    /// An error about the value of a key. The next step may stand behind the last `; ` of `why`.
    pub fn misuse(&self, key: &str, why: &str) -> anyhow::Error {
        Misuse::misread(&self.place(&[key]), why)
    }
}

/// A key and its value, while they are read.
#[derive(Clone, Copy)]
pub(super) struct TomlEntry<'a> {
    /// The file.
    pub(super) source: &'a Source<'a>,
    /// The lines of its table.
    pub(super) lines: &'a KeyLines,
    /// The key.
    pub(super) key: &'a str,
    /// The number of the value in a list, from 1, if the value of the key is a list.
    pub(super) number: Option<usize>,
    /// The value.
    pub(super) value: &'a Spanned<DeValue<'a>>,
}

impl<'a> TomlEntry<'a> {
    /// The entries of a table in the order in which they are written, so that the first error is
    /// reported first.
    pub(super) fn all(
        source: &'a Source<'a>,
        lines: &'a KeyLines,
        table: &'a DeTable<'a>,
    ) -> Vec<TomlEntry<'a>> {
        let mut entries: Vec<(&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let entry = |(key, value): (&'a Spanned<Cow<'a, str>>, &'a Spanned<DeValue<'a>>)| TomlEntry {
            source,
            lines,
            key: key.get_ref(),
            number: None,
            value,
        };
        entries.into_iter().map(entry).collect()
    }

    /// Whether this is the key of a field, which has `_` for `-`.
    pub(super) fn is(&self, field: &str) -> bool {
        self.key == field.replace('_', "-")
    }

    /// File, line and key of the value. In a list of several lines, each value has its own line.
    pub(super) fn place(&self) -> String {
        self.lines.place_at(self.line(), &[self.key])
    }

    /// The line of the value.
    pub(super) fn line(&self) -> usize {
        self.source.line(self.value.span().start)
    }

    /// The value has another type. `shape` is what is expected.
    pub(super) fn expected(&self, shape: &str) -> anyhow::Error {
        Misuse::error(format!("{}: expected {shape}, found {}", self.place(), found(self.value.get_ref())))
    }

    /// The table has no such key, but these.
    pub(super) fn unknown(&self, keys: &[&str]) -> anyhow::Error {
        let (place, meant) = (self.lines.place(&[self.key]), meant(self.key, keys.iter().copied()));
        Misuse::hinted(
            format!("{place}: there is no such key"),
            format!("{meant}there are {}", keys.join(", ")),
        )
    }

    /// The value, which is a text.
    pub(super) fn text(&self, shape: &str) -> anyhow::Result<&'a str> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text),
            DeValue::Array(_) | DeValue::Table(_) => Err(self.expected(shape)),
            plain => {
                let found = found(plain);
                let what = format!("{}: expected {shape}, found {found}", self.place());
                Err(Misuse::hinted(what, format!("write it in quotes, {} = \"{found}\"", self.key)))
            }
        }
    }

    /// The value, which is a number, in the form that parsers of flags read.
    pub(super) fn number(&self) -> Option<String> {
        match self.value.get_ref() {
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).ok();
                number.map(|number| number.to_string())
            }
            DeValue::Float(number) => {
                let number = number.as_str().parse::<f64>().ok();
                number.map(|number| number.to_string())
            }
            _ => None,
        }
    }

    /// The value as one that outlives the file; `None` if a number in it is out of range.
    pub(super) fn owned(&self) -> Option<toml::Value> {
        owned(self.value.get_ref())
    }

    /// Reads a text or a number with the parser of a flag.
    pub(super) fn parse<T: FromStr<Err: Display>>(&self, text: &str) -> anyhow::Result<T> {
        let place = || format!("{}: {}", self.place(), found(self.value.get_ref()));
        text.parse().map_err(|why: T::Err| Misuse::misread(&place(), &why.to_string()))
    }
}

/// The key and the number of a line whose value is a number with a decimal comma, which TOML does
/// not know.
pub fn decimal_comma(line: &str) -> Option<(&str, String)> {
    let (key, value) = line.split_once('=')?;
    let value = value.split('#').next().unwrap_or_default();
    Some((key.trim(), agon_seats::with_point(value.trim())?))
}

fn owned(value: &DeValue<'_>) -> Option<toml::Value> {
    Some(match value {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        DeValue::Integer(number) => {
            toml::Value::Integer(i64::from_str_radix(number.as_str(), number.radix()).ok()?)
        }
        DeValue::Float(number) => toml::Value::Float(number.as_str().parse().ok()?),
        DeValue::Boolean(value) => toml::Value::Boolean(*value),
        DeValue::Datetime(date) => toml::Value::Datetime(*date),
        DeValue::Array(all) => {
            toml::Value::Array(all.iter().map(|value| owned(value.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let entry = |(key, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
                Some((key.get_ref().to_string(), owned(value.get_ref())?))
            };
            toml::Value::Table(table.iter().map(entry).collect::<Option<_>>()?)
        }
    })
}

/// A value in words.
fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("\"{}\"", escape(text.as_bytes(), SHOWN)),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
