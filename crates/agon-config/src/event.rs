//! What is said of the event of a tournament: words of the organiser that no game depends on.

use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::Misuse;
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
        /// A picture for the first page: a file of PNG, JPEG, GIF, WebP or SVG with at most 100 kB
        logo: Option<Logo>,
        /// A few sentences for the first page; each line is a paragraph
        text: Option<String>,
        /// What there is to win, for the first page; several prizes stand on a line each
        prizes: Option<String>,
    }
}

/// The longest file of a picture, in bytes. It stands in every first page.
const MOST_BYTES: u64 = 100_000;
/// What is wrong with a text that is shown on one line, and what to do.
const NOT_ONE_LINE: &str = "it has a line break or another control character; write it on one line, as only text and \
                            prizes have several";
/// How an address with the data of a picture begins.
const PICTURE: &str = "data:image/";

/// A picture, as the address of an image that holds its data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Logo(String);

impl Logo {
    /// The address.
    pub fn address(&self) -> &str {
        &self.0
    }

    /// A picture with this address; `None` if it is another address.
    pub fn of_address(address: String) -> Option<Logo> {
        address.starts_with(PICTURE).then_some(Logo(address))
    }

    /// The type of a picture by its first bytes, which browsers go by too.
    fn kind(bytes: &[u8]) -> Option<&'static str> {
        let is_svg = || {
            let text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}').trim_start();
            (text.starts_with('<') && text.contains("<svg")).then_some(())
        };
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some("png"),
            [0xff, 0xd8, 0xff, ..] => Some("jpeg"),
            [b'G', b'I', b'F', b'8', ..] => Some("gif"),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("webp"),
            _ => is_svg().map(|()| "svg+xml"),
        }
    }
}

impl KeyValue for Logo {
    fn shape() -> String {
        "a path".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        let path = PathBuf::read(entry)?;
        let refused = |why: String| Misuse::misread(&entry.place(), &why);
        let facts = fs::metadata(&path).map_err(|error| refused(format!("it cannot be read: {error}")))?;
        if !facts.is_file() {
            return Err(refused("it is no file".to_owned()));
        }
        if facts.len() > MOST_BYTES {
            return Err(refused(format!("the file has {} bytes, and may have {MOST_BYTES}", facts.len())));
        }
        let bytes = fs::read(&path).map_err(|error| refused(format!("it cannot be read: {error}")))?;
        let kind = Logo::kind(&bytes)
            .ok_or_else(|| refused("it is no picture in PNG, JPEG, GIF, WebP or SVG".to_owned()))?;
        Ok(Logo(format!("{PICTURE}{kind};base64,{}", BASE64_STANDARD.encode(bytes))))
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

    /// Refuses a line break or another control character in a key that is shown on one line.
    fn of_single_lines(self) -> anyhow::Result<Self> {
        let EventFile { title, date, place, organiser, .. } = &self;
        for (key, value) in [("title", title), ("date", date), ("place", place), ("organiser", organiser)] {
            if value.as_ref().is_some_and(|value| value.contains(char::is_control)) {
                return Err(self.lines.misuse(key, NOT_ONE_LINE));
            }
        }
        Ok(self)
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
        if title.contains(char::is_control) {
            return Err(NOT_ONE_LINE.to_owned());
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
            None => Self::read_table(entry, Within::Key("event"))?.of_single_lines(),
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
