//! The values of flags and of keys in a file: how they are written and read.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use agon_printable::meant;
use agon_sandbox::Isolation;
use agon_seats::{Odds, TimeControl};
use agon_standings::question::RunQuestion;
use agon_standings::sprt::Sprt;
use agon_standings::table_plan::TableFormat;
use agon_standings::tiebreaks::TieBreak;
use chrono::{DateTime, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Timelike, Utc};
use toml::de::{DeTable, DeValue};

use super::game_arg::GameArg;
use super::game_text::{OF_LETTERS, one_text};
use super::isolation::{KeptSize, Ponder, Size};
use super::lines::{KeyLines, TomlEntry, Within};
use super::pin::Pin;
use super::score_rules::{DrawRule, ResignRule};

/// A span of time in seconds, as people write it: `5`, `0.25`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seconds(pub Duration);

impl FromStr for Seconds {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        agon_seats::zero_or_more(text).map(Seconds)
    }
}

/// Reads a whole number.
///
/// # Errors
/// Words that say what may be written.
pub fn whole<N: TryFrom<u64>>(text: &str) -> Result<N, String> {
    let number = text.parse::<u64>().ok().and_then(|number| N::try_from(number).ok());
    number.ok_or_else(|| "it is not a whole number, or is out of range; write one like 4".to_owned())
}

/// One of several parts of a plan, `2/8`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Which one, from 1.
    number: u64,
    /// How many there are.
    of: u64,
}

impl Part {
    /// Part `number` of `of`; `None` if there is no such part.
    pub fn new(number: u64, of: u64) -> Option<Self> {
        (1..=of).contains(&number).then_some(Part { number, of })
    }

    /// The number of the part, of so many, to which the games of the pair with this number belong,
    /// from 1.
    pub fn of_pair(pair: u64, of: u64) -> u64 {
        pair % of + 1
    }

    /// As it is written: `2/8`.
    pub fn spelling(self) -> String {
        format!("{}/{}", self.number, self.of)
    }

    /// Whether the games of the pair with this number belong to it.
    pub fn has(self, pair: u64) -> bool {
        Part::of_pair(pair, self.of) == self.number
    }
}

impl FromStr for Part {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let part = text
            .split_once('/')
            .and_then(|(number, of)| Some(Part { number: number.parse().ok()?, of: of.parse().ok()? }));
        part.filter(|part| (1..=part.of).contains(&part.number))
            .ok_or_else(|| "it is no part of a whole; write one like 2/8, from 1/8 to 8/8".to_owned())
    }
}

/// `part 2 of 8`.
impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "part {} of {}", self.number, self.of)
    }
}

/// The most characters of a label.
const LONGEST_LABEL: usize = 60;

/// What the user calls a run, such as the version of an engine: `v12`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunLabel(pub String);

impl FromStr for RunLabel {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let is_shown = !text.trim().is_empty() && !text.chars().any(char::is_control);
        match is_shown && text.chars().count() <= LONGEST_LABEL {
            true => Ok(RunLabel(text.to_owned())),
            false => Err(format!(
                "a label has from 1 to {LONGEST_LABEL} characters and no control characters; write one like v12"
            )),
        }
    }
}

/// The most games that one may ask for.
const MOST_GAMES: u64 = 100_000_000;

/// How much a command plays at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtMost {
    /// So much time, `6h`, `90m` or `30s`.
    Time(Duration),
    /// So many games, `2000`.
    Games(u64),
}

impl FromStr for AtMost {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let words = || {
            "it is no span of time; write one like 6h, 90m or 30s, or with --until games like 2000".to_owned()
        };
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let games = text.parse().ok().filter(|games| (2..=MOST_GAMES).contains(games));
            return games.map(AtMost::Games).ok_or_else(|| {
                format!("a number of games is from 2 to {MOST_GAMES}; a time has its unit, as in 6h or 90m")
            });
        }
        let units = [('h', 3600.0), ('m', 60.0), ('s', 1.0)];
        let (number, seconds) = units
            .into_iter()
            .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))
            .ok_or_else(words)?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number = number.parse::<f64>().ok().filter(|number| is_number && *number > 0.0);
        let span = number.and_then(|number| Duration::try_from_secs_f64(number * seconds).ok());
        span.map(AtMost::Time).ok_or_else(words)
    }
}

/// A time for the whole game, `60` or `60+0.5`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameTime(pub TimeControl);

impl FromStr for GameTime {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        format!("tc={text}").parse().map(GameTime)
    }
}

/// One engine's own time control or limit of its search, `NAME=st=10` or `NAME=nodes=10000`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineTime {
    /// The name of the engine.
    pub engine: String,
    /// What it has instead of what the others have.
    pub odds: Odds,
}

impl FromStr for EngineTime {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        // What it has is written with one `=`, and a name may have any number.
        let at = text.rmatch_indices('=').nth(1).map(|(at, _)| at);
        let Some((engine, odds)) = at.map(|at| (&text[..at], &text[at + 1..])) else {
            return Err(format!(
                "{text:?} is no engine with a time control; write ENGINE=st=10, or ENGINE=nodes=10000"
            ));
        };
        Ok(EngineTime { engine: engine.to_owned(), odds: odds.parse()? })
    }
}

/// A moment, as people write it: `2026-11-20T23:59+01:00`, or without the offset in the time of
/// this machine, or a day, `2026-11-20`. Its first field is the end of a day, and the first of two
/// moments that clocks show alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Moment(pub DateTime<Utc>, MomentForm);

/// What is written of a moment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum MomentForm {
    /// All of it.
    Whole,
    /// A time that clocks show twice, because they go back: this is the second one.
    Twice(DateTime<Utc>),
    /// A date without a time.
    Day(NaiveDate),
}

impl Moment {
    /// This moment.
    pub fn at(moment: DateTime<Utc>) -> Self {
        Moment(moment, MomentForm::Whole)
    }

    /// The date, if it is a date without a time.
    pub fn day(self) -> Option<NaiveDate> {
        match self.1 {
            MomentForm::Day(day) => Some(day),
            MomentForm::Whole | MomentForm::Twice(_) => None,
        }
    }

    /// The first and the last moment that may be meant.
    pub fn span(self) -> (DateTime<Utc>, DateTime<Utc>) {
        match self.1 {
            MomentForm::Whole => (self.0, self.0),
            MomentForm::Twice(second) => (self.0, second),
            // The day on which clocks change may have 25 hours.
            MomentForm::Day(day) => {
                let begin = on_clocks(&Local, day.and_time(NaiveTime::MIN)).map(|(first, _)| first);
                (begin.unwrap_or(self.0 - TimeDelta::hours(25)), self.0)
            }
        }
    }
}

impl FromStr for Moment {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let WrittenMoment { first, last, wall, is_day, .. } = written(text)?;
        Ok(match (is_day, first == last) {
            (true, _) => Moment(last, MomentForm::Day(wall.date())),
            (false, true) => Moment(first, MomentForm::Whole),
            (false, false) => Moment(first, MomentForm::Twice(last)),
        })
    }
}

/// As it is read: a date alone stays one.
impl std::fmt::Display for Moment {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.1 {
            MomentForm::Day(day) => write!(out, "{day}"),
            _ => out.write_str(&self.0.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)),
        }
    }
}

/// The last moment at which something is accepted, written as a [`Moment`]. A minute counts to its
/// end: 23:59 is through 23:59:59. Of two moments that clocks show alike the second counts. Beside
/// it the same as a clock on the wall shows it, where it is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Deadline(pub DateTime<Utc>, NaiveDateTime);

impl FromStr for Deadline {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let written = written(text)?;
        let end = if written.has_seconds { TimeDelta::zero() } else { TimeDelta::seconds(59) };
        Ok(Deadline(written.last + end, written.wall + end))
    }
}

impl Deadline {
    /// How many days of the calendar something was handed in late. Each begins when a clock on the
    /// wall shows the time of the deadline, so the day on which clocks change is one day as well.
    /// Of a date alone the days since the date of the deadline count.
    pub(crate) fn days_late(self, handed_in: Moment) -> u32 {
        match handed_in.1 {
            MomentForm::Day(day) => u32::try_from((day - self.1.date()).num_days()).unwrap_or(0),
            _ => days_late(self.0, handed_in.0, &Local),
        }
    }

    /// This deadline for somebody who has as much more time as it is from `due` to `own`.
    #[must_use]
    pub fn put_off(self, due: Deadline, own: Deadline) -> Deadline {
        let wall = |moment: DateTime<Utc>| moment.with_timezone(&Local).naive_local();
        let more = wall(own.0) - wall(due.0);
        let last = on_clocks(&Local, wall(self.0) + more).map_or(self.0 + more, |(_, last)| last);
        Deadline(last, self.1 + more)
    }

    /// Whether something was handed in later. A date alone is later if all of its day is.
    pub fn is_before(self, handed_in: Moment) -> bool {
        match handed_in.1 {
            MomentForm::Day(day) => day > self.1.date(),
            _ => handed_in.0 > self.0,
        }
    }

    /// Whether nobody can say how late something was: a date alone on whose day the deadline is,
    /// unless the day ends with it; or a time that clocks show twice.
    pub fn leaves_open(self, handed_in: Moment) -> bool {
        match handed_in.1 {
            MomentForm::Whole => false,
            MomentForm::Twice(second) => {
                self.days_late(handed_in) != self.days_late(Moment::at(second))
                    || self.is_before(handed_in) != self.is_before(Moment::at(second))
            }
            MomentForm::Day(day) => day == self.1.date() && (self.1.hour(), self.1.minute()) != (23, 59),
        }
    }
}

/// The first and the last moment at which clocks show this; `None` if they skip it. The library
/// does not give two of them in the same order in all zones.
fn on_clocks(zone: &impl TimeZone, wall: NaiveDateTime) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let read = zone.from_local_datetime(&wall);
    // It also gives the moment at which clocks go back, when they show an hour less.
    let all = [read.clone().earliest(), read.latest()].map(|moment| moment.map(|moment| moment.to_utc()));
    let shows = |moment: &DateTime<Utc>| moment.with_timezone(zone).naive_local() == wall;
    let all: Vec<DateTime<Utc>> = all.into_iter().flatten().filter(shows).collect();
    Some((*all.iter().min()?, *all.iter().max()?))
}

fn days_late(due: DateTime<Utc>, handed_in: DateTime<Utc>, zone: &impl TimeZone) -> u32 {
    if handed_in <= due {
        return 0;
    }
    let on_the_wall = due.with_timezone(zone).naive_local();
    let end_of = |days: i64| {
        let end = on_the_wall + TimeDelta::days(days);
        // Where clocks skip this time, the day ends when they go on.
        let shown = on_clocks(zone, end).or_else(|| on_clocks(zone, end + TimeDelta::hours(1)));
        shown.map(|(_, last)| last)
    };
    // Clocks are changed by less than a day.
    let least = (handed_in - due).num_days();
    let days = (least.max(1)..).find(|days| end_of(*days).is_none_or(|end| handed_in <= end));
    days.and_then(|days| u32::try_from(days).ok()).unwrap_or(u32::MAX)
}

/// A moment, and how it is written.
struct WrittenMoment {
    /// The first and the last moment that clocks show so; of a date alone its end.
    first: DateTime<Utc>,
    last: DateTime<Utc>,
    /// What a clock on the wall shows.
    wall: NaiveDateTime,
    /// Whether it is a date alone.
    is_day: bool,
    /// Whether it has seconds, as the end of a day has.
    has_seconds: bool,
}

fn written(text: &str) -> Result<WrittenMoment, String> {
    written_in(text, &Local)
}

fn written_in(text: &str, zone: &impl TimeZone) -> Result<WrittenMoment, String> {
    let iso = text.trim().replacen(' ', "T", 1).replace('Z', "+00:00");
    for (form, has_seconds) in [("%Y-%m-%dT%H:%M:%S%.f", true), ("%Y-%m-%dT%H:%M", false)] {
        let as_written = |first, last, wall| WrittenMoment { first, last, wall, is_day: false, has_seconds };
        if let Ok(moment) = DateTime::parse_from_str(&iso, &format!("{form}%#z")) {
            let wall = moment.naive_local();
            let moment = moment.to_utc();
            return Ok(as_written(moment, moment, wall));
        }
        if let Ok(here) = NaiveDateTime::parse_from_str(&iso, form) {
            return match on_clocks(zone, here) {
                Some((first, last)) => Ok(as_written(first, last, here)),
                None => Err("clocks skip this time here; write another, or add the zone, as in 02:30+01:00"
                    .to_owned()),
            };
        }
    }
    let day = iso.parse::<NaiveDate>().ok();
    let wall = day.and_then(|day| day.and_hms_opt(23, 59, 59));
    let end = wall.and_then(|wall| on_clocks(zone, wall)).map(|(_, last)| last);
    wall.zip(end)
        .map(|(wall, end)| WrittenMoment { first: end, last: end, wall, is_day: true, has_seconds: true })
        .ok_or_else(|| "it is not a date with a time; write one like 2026-11-20T23:59".to_owned())
}

impl KeyValue for Deadline {
    fn shape() -> String {
        "a date, or a date with a time".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        match entry.value.get_ref() {
            DeValue::Datetime(moment) => entry.parse(&moment.to_string()),
            _ => entry.parse(entry.text(&Self::shape())?),
        }
    }
}

/// A type of values that a key of a file can have.
pub(super) trait KeyValue: Sized {
    /// What may be written, in words.
    fn shape() -> String;

    /// What may be written for a list of them, in words.
    fn list_shape() -> String {
        format!("{}, or a list", Self::shape())
    }

    /// Reads the value.
    ///
    /// # Errors
    /// [`super::Misuse`], which names file, line and key.
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self>;
}

impl<T: KeyValue> KeyValue for Option<T> {
    fn shape() -> String {
        T::shape()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        T::read(entry).map(Some)
    }
}

/// A list, or one alone.
impl<T: KeyValue> KeyValue for Vec<T> {
    fn shape() -> String {
        T::list_shape()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        let Some(list) = entry.value.get_ref().as_array() else { return Ok(vec![T::read(entry)?]) };
        (1..)
            .zip(list)
            .map(|(number, value)| T::read(&TomlEntry { number: Some(number), value, ..*entry }))
            .collect()
    }
}

impl KeyValue for String {
    fn shape() -> String {
        "a text".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        entry.text(&Self::shape()).map(ToOwned::to_owned)
    }
}

/// A game that is written as a table: its name and its options, in one text.
fn game_of_table(entry: &TomlEntry<'_>, table: &DeTable<'_>) -> anyhow::Result<String> {
    let lines = KeyLines::of(entry.source, Within::Key("game"), entry.line(), table);
    let (mut name, mut options) = (None, Vec::new());
    for option in TomlEntry::all(entry.source, &lines, table) {
        let value = match option.value.get_ref() {
            DeValue::Boolean(true) => "yes".to_owned(),
            DeValue::Boolean(false) => "no".to_owned(),
            _ => match option.number() {
                Some(number) => number,
                None => option.text("a text")?.to_owned(),
            },
        };
        match option.key {
            "name" => name = Some(value),
            key => options.push((key.to_owned(), value)),
        }
    }
    let name = name.ok_or_else(|| lines.misuse("name", "is missing; write the name of the game"))?;
    let order = |(key, _): &(String, String)| OF_LETTERS.iter().position(|other| other == key);
    options.sort_by_key(order);
    if name == "letters"
        && let Some((key, _)) = options.iter().find(|option| option.0 != "options" && order(option).is_none())
    {
        let known = OF_LETTERS.join(", ");
        let meant = meant(key, OF_LETTERS);
        return Err(lines.misuse(key, &format!("there is no such key; {meant}there are name, {known}")));
    }
    Ok(one_text(&name, &options))
}

/// A game; the folder of one is relative to the folder of the file.
impl KeyValue for GameArg {
    fn shape() -> String {
        "a text".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        let game = GameArg(match entry.value.get_ref().as_table() {
            Some(table) => game_of_table(entry, table)?,
            None => entry.text(&Self::shape())?.to_owned(),
        });
        let Some(folder) = game.folder() else { return Ok(game) };
        let (_, options) = game.parts();
        Ok(GameArg::in_folder(&entry.source.home.join(folder), options))
    }
}

/// A path relative to the folder of the file, or `-` for a standard stream.
impl KeyValue for PathBuf {
    fn shape() -> String {
        "a path".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        let path = entry.text(&Self::shape())?;
        Ok(if path == "-" { PathBuf::from(path) } else { entry.source.home.join(path) })
    }
}

/// Where the openings of a run come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpeningsFrom {
    /// The book of the game that is built in.
    Book,
    /// A file.
    File(PathBuf),
}

impl From<OsString> for OpeningsFrom {
    fn from(text: OsString) -> Self {
        if text == "book" { OpeningsFrom::Book } else { OpeningsFrom::File(text.into()) }
    }
}

/// A path relative to the folder of the file, or the word `book`.
impl KeyValue for OpeningsFrom {
    fn shape() -> String {
        "a path, or \"book\"".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        Ok(match Self::from(OsString::from(entry.text(&Self::shape())?)) {
            OpeningsFrom::Book => OpeningsFrom::Book,
            OpeningsFrom::File(path) => OpeningsFrom::File(entry.source.home.join(path)),
        })
    }
}

impl KeyValue for bool {
    fn shape() -> String {
        "true or false".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        entry.value.get_ref().as_bool().ok_or_else(|| entry.expected(&Self::shape()))
    }
}

impl KeyValue for f64 {
    fn shape() -> String {
        "a number".to_owned()
    }
    fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
        let number = entry.number().and_then(|number| number.parse().ok());
        number.ok_or_else(|| entry.expected(&Self::shape()))
    }
}

macro_rules! whole_numbers {
    ($($kind:ty),*) => {$(
        impl KeyValue for $kind {
            fn shape() -> String {
                "a whole number".to_owned()
            }
            fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
                let number = entry.value.get_ref().as_integer();
                let number = number.and_then(|number| <$kind>::from_str_radix(number.as_str(), number.radix()).ok());
                let range = || match u32::try_from(<$kind>::MAX) {
                    Ok(most) => format!("a whole number from 0 to {most}"),
                    Err(_) => "a whole number of 0 or more".to_owned(),
                };
                number.ok_or_else(|| entry.expected(&range()))
            }
        }
    )*};
}
whole_numbers!(u32, u64, usize);

/// Reads the values of a key with the parser of the flag: texts, or also numbers.
macro_rules! read_like_flags {
    ($($kind:ty: $shape:literal, $also_number:literal;)*) => {$(
        impl KeyValue for $kind {
            fn shape() -> String {
                $shape.to_owned()
            }
            fn read(entry: &TomlEntry<'_>) -> anyhow::Result<Self> {
                match entry.number().filter(|_| $also_number) {
                    Some(number) => entry.parse(&number),
                    None => entry.parse(entry.text(&Self::shape())?),
                }
            }
        }
    )*};
}
read_like_flags! {
    Seconds: "a number of seconds", true;
    GameTime: "a number of seconds, \"BASE+INC\" or \"MOVES/BASE+INC\"", true;
    EngineTime: "\"ENGINE=st=10\", \"ENGINE=tc=2700\", \"ENGINE=nodes=10000\" or \"ENGINE=depth=8\"", false;
    ResignRule: "\"score=600,moves=4\", \"score=600,moves=4,twosided\" or \"never\"", true;
    DrawRule: "\"after=40,moves=8,score=10\" or \"never\"", true;
    Isolation: "\"none\", \"limits\", \"sandbox\" or \"strict\"", false;
    Ponder: "\"on\" or \"off\"", false;
    RunLabel: "a text", true;
    Pin: "\"auto\", \"off\" or cores like \"0,2-3\"", false;
    Size: "a size like \"512M\"", false;
    KeptSize: "a size like \"512M\", or \"off\"", false;
    TableFormat: "\"all\", a number of rounds or \"swiss:5\"", true;
    RunQuestion: "\"cut=4\", \"bars=25\" or \"order\"", false;
    AtMost: "games as in \"2000\", or a time as in \"6h\"", true;
    Sprt: "a test like \"0,50\" or \"0,10,alpha=0.01\"", false;
    TieBreak: "a tie-break like \"buchholz\" or \"direct\"", false;
}

#[cfg(test)]
mod tests {
    use chrono::offset::LocalResult;
    use chrono::{FixedOffset, Offset};

    use super::*;

    #[test]
    fn a_label_is_a_short_text_that_can_be_shown() {
        assert_eq!("v12, é".parse(), Ok(RunLabel("v12, é".to_owned())));
        for wrong in ["", " ", "a\nb", "\u{1b}[2J", &"x".repeat(61)] {
            assert!(wrong.parse::<RunLabel>().is_err(), "{wrong:?}");
        }
    }

    /// Central Europe in the year 2026: UTC+1, and UTC+2 from 29 March to 25 October.
    #[derive(Clone, Copy)]
    struct Berlin;

    impl TimeZone for Berlin {
        type Offset = FixedOffset;
        fn from_offset(_: &FixedOffset) -> Self {
            Berlin
        }
        fn offset_from_local_date(&self, _: &NaiveDate) -> LocalResult<FixedOffset> {
            unreachable!("only times are asked for")
        }
        fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> LocalResult<FixedOffset> {
            let at = |text: &str| text.parse::<NaiveDateTime>().unwrap();
            let fits = |hours: i32| {
                let offset = FixedOffset::east_opt(hours * 3600).unwrap();
                (self.offset_from_utc_datetime(&(*local - TimeDelta::hours(hours.into()))) == offset
                    // As the library reads the end of the hour that is there twice.
                    || (hours == 2 && *local == at("2026-10-25T03:00:00")))
                .then_some(offset)
            };
            match (fits(2), fits(1)) {
                // As the time of a machine may.
                (Some(first), Some(second)) => LocalResult::Ambiguous(second, first),
                (Some(only), None) | (None, Some(only)) => LocalResult::Single(only),
                (None, None) => LocalResult::None,
            }
        }
        fn offset_from_utc_date(&self, _: &NaiveDate) -> FixedOffset {
            unreachable!("only times are asked for")
        }
        fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> FixedOffset {
            let at = |text: &str| text.parse::<NaiveDateTime>().unwrap();
            let summer = (at("2026-03-29T01:00:00")..at("2026-10-25T01:00:00")).contains(utc);
            FixedOffset::east_opt(if summer { 7200 } else { 3600 }).unwrap().fix()
        }
    }

    #[test]
    fn a_day_late_is_a_day_of_the_calendar_where_clocks_change_too() {
        let at = |text: &str| text.parse::<DateTime<FixedOffset>>().unwrap().to_utc();
        for (due, handed_in, days) in [
            ("2026-10-24T23:59:59+02:00", "2026-10-24T23:59:59+02:00", 0),
            ("2026-10-24T23:59:59+02:00", "2026-10-25T00:00:00+02:00", 1),
            ("2026-10-24T23:59:59+02:00", "2026-10-25T23:59:59+01:00", 1),
            ("2026-10-24T23:59:59+02:00", "2026-10-26T00:00:00+01:00", 2),
            ("2026-03-28T23:59:59+01:00", "2026-03-29T23:59:59+02:00", 1),
            ("2026-03-28T23:59:59+01:00", "2026-03-30T00:00:00+02:00", 2),
            ("2026-03-28T02:30:00+01:00", "2026-03-29T03:30:00+02:00", 1),
            ("2026-03-28T02:30:00+01:00", "2026-03-29T03:30:01+02:00", 2),
            ("2026-07-01T12:00:00+02:00", "2026-07-11T12:00:00+02:00", 10),
            ("2026-07-01T12:00:00+02:00", "2027-07-01T12:00:00+02:00", 365),
        ] {
            assert_eq!(days_late(at(due), at(handed_in), &Berlin), days, "{due} {handed_in}");
        }
    }

    #[test]
    fn a_deadline_is_put_off_by_as_much_as_another_one_is_later() {
        let at = |text: &str| text.parse::<Deadline>().unwrap();
        let [until, due, own] = ["2026-11-22T12:00", "2026-11-20T10:00", "2026-11-27T12:00"].map(at);
        assert_eq!(until.put_off(due, own), at("2026-11-29T14:00"));
        assert_eq!(until.put_off(due, due), until);
    }

    #[test]
    fn a_date_alone_is_late_by_days_of_the_calendar_and_open_on_the_day_of_the_deadline() {
        let open = |due: &str, day: &str| {
            let (due, day) = (due.parse::<Deadline>().unwrap(), day.parse::<Moment>().unwrap());
            (due.days_late(day), due.is_before(day), due.leaves_open(day))
        };
        for (due, day, late) in [
            ("2026-10-24T23:59", "2026-10-24", 0),
            ("2026-10-24T23:59", "2026-10-25", 1), // of 25 hours in Europe
            ("2026-10-24T23:59:00", "2026-10-24", 0),
            ("2026-10-24", "2026-10-24", 0),
            ("2026-10-24", "2026-10-26", 2),
            ("2026-10-25T02:30", "2026-10-24", 0),
            ("2026-10-25T02:30", "2026-10-26", 1),
            ("2026-10-24T23:59+14:00", "2026-10-24", 0),
            ("2026-10-24T23:59-11:00", "2026-10-25", 1),
        ] {
            assert_eq!(open(due, day), (late, late > 0, false), "{due} {day}");
        }
        for due in ["2026-10-25T02:30", "2026-10-25T18:00", "2026-10-25T00:00:00", "2026-10-25T18:00-03:00"] {
            assert_eq!(open(due, "2026-10-25"), (0, false, true), "{due}");
        }
    }

    #[test]
    fn the_moment_at_which_clocks_go_back_is_shown_once() {
        for (text, first, last) in [
            ("2026-10-25T01:59", "2026-10-24T23:59Z", "2026-10-24T23:59Z"),
            ("2026-10-25T02:00", "2026-10-25T00:00Z", "2026-10-25T01:00Z"),
            ("2026-10-25T02:59", "2026-10-25T00:59Z", "2026-10-25T01:59Z"),
            ("2026-10-25T03:00", "2026-10-25T02:00Z", "2026-10-25T02:00Z"),
        ] {
            let written = written_in(text, &Berlin).unwrap();
            let expected = [first, last].map(|text| text.parse::<Moment>().unwrap().0);
            assert_eq!([written.first, written.last], expected, "{text}");
        }
    }

    #[test]
    fn a_time_that_clocks_show_twice_is_open_only_where_it_matters() {
        let twice = |text: &str| {
            let written = written_in(text, &Berlin).unwrap();
            assert_eq!(written.last - written.first, TimeDelta::hours(1), "{text}");
            Moment(written.first, MomentForm::Twice(written.last))
        };
        let due = |text: &str| text.parse::<Deadline>().unwrap();
        let moment = twice("2026-10-25T02:30");
        assert_eq!(moment.0, "2026-10-25T00:30:00Z".parse::<DateTime<Utc>>().unwrap());
        // Between the two.
        assert!(due("2026-10-25T01:00Z").leaves_open(moment));
        for (text, days) in [("2026-10-25T02:59Z", 0), ("2026-10-24T21:59Z", 1)] {
            assert!(!due(text).leaves_open(moment), "{text}");
            assert_eq!(due(text).days_late(moment), days, "{text}");
        }
        // A deadline is the second of the two.
        let last = written_in("2026-10-25T02:30", &Berlin).unwrap().last;
        assert_eq!(last, "2026-10-25T01:30:00Z".parse::<DateTime<Utc>>().unwrap());
        let why = written_in("2026-03-29T02:30", &Berlin).err().unwrap();
        assert!(why.starts_with("clocks skip this time here"), "{why}");
        assert!(written_in("2026-03-29", &Berlin).is_ok());
    }
}
