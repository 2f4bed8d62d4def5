//! What is said of the event of a tournament: words of the organiser that no game depends on.

use std::str::FromStr;

use super::lines::{TomlEntry, Within};
use super::table::{FileTable, keys};
use super::values::KeyValue;

keys! {
    /// The `[event]` of a `tournament.toml`.
    EventFile {
        /// The name of the event, in pages, in reports and in the tag Event of game records
        title: Option<String>,
        /// When it takes place, as people write it
        date: Option<String>,
        /// Where it takes place; in game records the tag Site
        place: Option<String>,
        /// Who holds it
        organiser: Option<String>,
        /// A few sentences for the first page
        text: Option<String>,
    }
}

/// A flag names the title alone.
impl FromStr for EventFile {
    type Err = String;
    fn from_str(title: &str) -> Result<Self, String> {
        Ok(EventFile { title: Some(title.to_owned()), ..EventFile::default() })
    }
}

impl KeyValue for EventFile {
    fn shape() -> String {
        "a table, or a text, which is the title".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        match entry.value.get_ref().as_str() {
            Some(title) => entry.parse(title),
            None => Self::read_table(entry, Within::Key("event")),
        }
    }
}
