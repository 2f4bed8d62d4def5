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

impl EventFile {
    /// The tags `Event` and `Site` of game records: what is known of the event, or else `otherwise`
    /// and an unknown place.
    pub fn tags<'a>(known: Option<&'a EventFile>, otherwise: &'a str) -> (&'a str, &'a str) {
        let title = known.and_then(|event| event.title.as_deref());
        let place = known.and_then(|event| event.place.as_deref());
        (title.unwrap_or(otherwise), place.unwrap_or("?"))
    }
}

/// A flag names the title alone. What looks like the file of `--events`, which differs by one
/// letter, is refused.
impl FromStr for EventFile {
    type Err = String;
    fn from_str(title: &str) -> Result<Self, String> {
        let is_file =
            title == "-" || title.contains('/') || title.ends_with(".json") || title.ends_with(".jsonl");
        if is_file {
            return Err(format!("{title:?} is a file, and no title; --events {title} writes events there"));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_events_is_no_title() {
        for file in ["-", "out/events", "events.jsonl", "e.json"] {
            let why = file.parse::<EventFile>().unwrap_err();
            assert!(why.contains(&format!("--events {file} writes")), "{why}");
        }
        assert_eq!("Spring Cup 2027".parse::<EventFile>().unwrap().title.as_deref(), Some("Spring Cup 2027"));
    }
}
