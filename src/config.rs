//! What was asked for: the options of a run, from the command line and from `tournament.toml`.
//!
//! One struct is both: clap reads it from flags and serde from the file, so that no option is is available one way
//! only. What was not given is `None`; a flag goes over the file, and defaults come last.

mod isolation;
mod pin;

pub mod roster;
pub mod stages;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use agon_printable::{clean_lines, escape};
use anyhow::Context;
use clap::Args;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use crate::clock::{self, TimeControl};

pub use isolation::{Confinement, Isolation, Ponder, Size};
pub use pin::Pin;

/// An error of the user: a wrong flag, file or engine. The program leaves with exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{what}{}", .hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}")))]
pub struct Misuse {
    /// What is wrong, with file, line and key.
    pub what: String,
    /// The next step, as a command to the user.
    pub hint: Option<String>,
}

impl Misuse {
    /// An error whose words already say what is needed.
    pub fn error(what: impl Into<String>) -> anyhow::Error {
        Misuse { what: what.into(), hint: None }.into()
    }

    /// An error and the next step. They are shown on two lines.
    pub fn hinted(what: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Misuse { what: what.into(), hint: Some(hint.into()) }.into()
    }

    /// An error of one of our parsers, whose words put the next step behind the last `; `. `place` is the flag, or the
    /// file, line and key.
    pub fn misread(place: &str, why: &str) -> anyhow::Error {
        match why.rsplit_once("; ") {
            Some((what, hint)) => Misuse::hinted(format!("{place}: {what}"), hint),
            None => Misuse::error(format!("{place}: {why}")),
        }
    }
}

/// A span of time in seconds, as people write it: `5`, `0.25`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seconds(pub Duration);

impl FromStr for Seconds {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        clock::zero_or_more(text).map(Seconds)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Seconds;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of seconds")
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Seconds, E> {
                value.to_string().parse().map_err(E::custom)
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Seconds, E> {
                value.to_string().parse().map_err(E::custom)
            }
        }
        from.deserialize_any(Number)
    }
}

/// Reads a number of things, or a seed.
///
/// # Errors
/// Words that say what may be written.
pub fn whole<N: TryFrom<u64>>(text: &str) -> Result<N, String> {
    let number = text.parse::<u64>().ok().and_then(|number| N::try_from(number).ok());
    number.ok_or_else(|| "it is no whole number that will do; write one like 4".to_owned())
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

/// One engine's own time control, `NAME=st=10`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineTime {
    /// The name of the engine.
    pub engine: String,
    /// Its time control.
    pub control: TimeControl,
}

impl FromStr for EngineTime {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        // The control has one `=`, and a name may have any number.
        let at = text.rmatch_indices('=').nth(1).map(|(at, _)| at);
        let Some((engine, control)) = at.map(|at| (&text[..at], &text[at + 1..])) else {
            return Err(format!("{text:?} is no engine with a time control; write ENGINE=st=10"));
        };
        Ok(EngineTime { engine: engine.to_owned(), control: control.parse()? })
    }
}

/// A value or a list of values, each a number or a text that reads as one.
fn one_or_many<'de, D: Deserializer<'de>, T: FromStr<Err = String>>(from: D) -> Result<Vec<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Value {
        Whole(i64),
        Number(f64),
        Text(String),
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Values {
        One(Value),
        Many(Vec<Value>),
    }
    let values =
        match Values::deserialize(from).map_err(|_| de::Error::custom("a value or a list of values"))? {
            Values::One(value) => vec![value],
            Values::Many(values) => values,
        };
    let text = |value| match value {
        Value::Whole(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text,
    };
    values.into_iter().map(|value| text(value).parse().map_err(de::Error::custom)).collect()
}

/// The options of a match or a tournament. Each can stand in a `tournament.toml` under the same name.
#[derive(Args, Deserialize, Clone, Default, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Options {
    /// The game and its options [default: letters:6x6x3]
    #[arg(long, value_name = "GAME")]
    pub game: Option<String>,

    /// The size of the letter cube, rows x columns x planes; short for --game letters:SIZE [default: 6x6x3]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,

    /// How the letters of a board are drawn: scrabble or uniform [default: scrabble]
    #[arg(long, value_name = "HOW")]
    pub letters: Option<String>,

    /// The word list, one word a line [default: a list of English words that is built in]
    #[arg(long, value_name = "FILE")]
    pub dictionary: Option<PathBuf>,

    /// A board file that every game begins with, instead of boards drawn from the seed
    #[arg(long, value_name = "FILE")]
    pub board: Option<PathBuf>,

    /// Games in each pairing, an even number; sides are swapped on the same board [default: 10]
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub games: Option<u32>,

    /// Seconds for each move; several in a tournament are as many championships [default: 5]
    #[arg(
        long,
        value_name = "SECONDS",
        allow_negative_numbers = true,
        value_delimiter = ',',
        conflicts_with = "tc"
    )]
    #[serde(deserialize_with = "one_or_many")]
    pub st: Vec<Seconds>,

    /// Seconds for the whole game and an increment after each move, 60 or 60+0.5; several as for --st
    #[arg(long, value_name = "BASE+INC", allow_negative_numbers = true, value_delimiter = ',')]
    #[serde(deserialize_with = "one_or_many")]
    pub tc: Vec<GameTime>,

    /// Another time control for one engine: ENGINE=st=10 or ENGINE=tc=2700
    #[arg(long, value_name = "ENGINE=CONTROL")]
    #[serde(deserialize_with = "one_or_many")]
    pub time: Vec<EngineTime>,

    /// Extra seconds for each engine and game, which moves that take longer than --st may draw on [default: 0]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub bank: Option<Seconds>,

    /// Seconds an answer may be late and still counts [default: 0.02]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub margin: Option<Seconds>,

    /// A file of start positions, one a line: a position's text, or moves; each is played twice, sides swapped. Lines
    /// that begin with `;` are comments
    #[arg(long, value_name = "FILE", conflicts_with = "board")]
    pub openings: Option<PathBuf>,

    /// Begins each pair of games after so many random moves, the same for both [default: 0]
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub random_plies: Option<u32>,

    /// Ends a game after so many plies; the higher score wins
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub max_plies: Option<usize>,

    /// Seconds an engine may take to start, apart from its clock [default: 10]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub startup: Option<Seconds>,

    /// The seed of all boards; the same seed and engines give the same boards [default: a new one, which is shown]
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// Points for a win, a draw and a loss, 1-1/2-0 or 3-1-0 [default: 2-1-0]
    #[arg(long, value_name = "WIN-DRAW-LOSS")]
    pub points: Option<String>,

    /// Games played at once [default: cores - 1, at least 1]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub concurrency: Option<usize>,

    /// The directory for the results, which a run goes on with if it is there [default: agon-run]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Writes a line of JSON for each thing that happens to a file, or to standard output for -
    #[arg(long, value_name = "FILE|-")]
    pub events: Option<PathBuf>,

    /// On which cores games are played: auto for each on one of its own, off, or cores like 0,2-3 [default: auto]
    #[arg(long, value_name = "CORES")]
    pub pin: Option<Pin>,

    /// What engines are kept from: none, limits, sandbox or strict; docs/isolation.md says what each promises
    /// [default: limits]
    #[arg(long, value_name = "LEVEL")]
    pub isolation: Option<Isolation>,

    /// Whether engines may think while another is to move: on or off [default: off]
    #[arg(long, value_name = "ON|OFF")]
    pub ponder: Option<Ponder>,

    /// The most memory an engine may use, with all its processes [default: 1G]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,

    /// The most an engine may write to files: each at limits, all of them in a box [default: 64M]
    #[arg(long, value_name = "SIZE")]
    pub disk: Option<Size>,

    /// The most processes and threads an engine may have [default: 256]
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true)]
    pub processes: Option<u32>,

    /// Seconds of processor time an engine may use in a game, with all its processes [default: no limit]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub cpu_time: Option<Seconds>,

    /// The most an engine may write to its standard output in one turn [default: 4M]
    #[arg(long, value_name = "SIZE")]
    pub output: Option<Size>,

    /// Leaves out engines that cannot be started, instead of refusing to begin
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL")]
    pub skip_broken: Option<bool>,
}

/// A `tournament.toml`: options, and where the engines are.
#[derive(Default, Debug)]
pub struct TournamentFile {
    /// The folder of engines, if the file names one; seen from the file's own folder.
    pub engines: Option<PathBuf>,
    /// The options.
    pub options: Options,
    /// Its stages, if it is more than a round robin of all.
    pub cup: Option<stages::CupFile>,
    /// How grades are given, if they are.
    pub grades: Option<roster::GradesFile>,
}

impl TournamentFile {
    /// Reads the text of the file at `path`.
    ///
    /// # Errors
    /// [`Misuse`], which names file, line and key.
    pub fn parse(text: &str, path: &Path) -> anyhow::Result<Self> {
        let shown = escape(path.as_os_str().as_encoded_bytes(), 400);
        let wrong =
            |error: toml::de::Error| Misuse::error(format!("{shown}: {}", clean_lines(&error.to_string())));
        let (grades, text) = roster::GradesFile::take(text, path)?;
        let (cup, text) = stages::CupFile::take(&text, path)?;
        let text = text.as_str();
        // Taken out first, because serde cannot refuse unknown keys of a struct that is flattened into another.
        let mut table: toml::Table = text.parse().map_err(wrong)?;
        let engines = match table.remove("engines") {
            None => None,
            Some(toml::Value::String(folder)) => Some(PathBuf::from(folder)),
            Some(_) => {
                return Err(Misuse::error(format!(
                    "{shown}: key engines: write the folder's path in quotes, engines = \"submissions\""
                )));
            }
        };
        // Read from the text once more, for the sake of line numbers, with that one line's content blanked.
        let options = match engines {
            None => toml::from_str(text),
            Some(_) => toml::from_str(&without_engines(text)),
        };
        let mut options: Options = options.map_err(wrong)?;
        if !options.st.is_empty() && !options.tc.is_empty() {
            return Err(Misuse::error(format!("{shown}: keys st and tc: give one of the two")));
        }
        let home = path.parent().unwrap_or(Path::new("."));
        let files = [&mut options.dictionary, &mut options.board, &mut options.openings, &mut options.out];
        for file in files.into_iter().flatten() {
            *file = home.join(&*file);
        }
        if let Some(events) = options.events.as_mut().filter(|events| *events != Path::new("-")) {
            *events = home.join(&*events);
        }
        Ok(TournamentFile { engines: engines.map(|engines| home.join(engines)), options, cup, grades })
    }
}

/// The text with the key `engines` made a comment, so that every other line keeps its number.
fn without_engines(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| {
            let key = line.split('=').next().unwrap_or_default().trim().trim_matches(['"', '\'']);
            if key == "engines" { format!("#{line}") } else { line.to_owned() }
        })
        .collect()
}

impl Options {
    /// These options, and those of `under` where these say nothing.
    #[must_use]
    pub fn over(self, under: Options) -> Options {
        // A time control given as a flag replaces the file's, whichever kind that is.
        let (st, tc) =
            if self.st.is_empty() && self.tc.is_empty() { (under.st, under.tc) } else { (self.st, self.tc) };
        // So does a game: a size in the file is no size of another game.
        let (game, size) = match (self.game, self.size) {
            (None, None) => (under.game, under.size),
            given => given,
        };
        Options {
            game,
            size,
            letters: self.letters.or(under.letters),
            dictionary: self.dictionary.or(under.dictionary),
            board: self.board.or(under.board),
            games: self.games.or(under.games),
            st,
            tc,
            time: if self.time.is_empty() { under.time } else { self.time },
            bank: self.bank.or(under.bank),
            openings: self.openings.or(under.openings),
            random_plies: self.random_plies.or(under.random_plies),
            max_plies: self.max_plies.or(under.max_plies),
            margin: self.margin.or(under.margin),
            startup: self.startup.or(under.startup),
            seed: self.seed.or(under.seed),
            points: self.points.or(under.points),
            concurrency: self.concurrency.or(under.concurrency),
            out: self.out.or(under.out),
            events: self.events.or(under.events),
            pin: self.pin.or(under.pin),
            isolation: self.isolation.or(under.isolation),
            ponder: self.ponder.or(under.ponder),
            memory: self.memory.or(under.memory),
            disk: self.disk.or(under.disk),
            processes: self.processes.or(under.processes),
            cpu_time: self.cpu_time.or(under.cpu_time),
            output: self.output.or(under.output),
            skip_broken: self.skip_broken.or(under.skip_broken),
        }
    }

    /// The game as the registry knows it: `letters:6x6x3,uniform`.
    ///
    /// # Errors
    /// [`Misuse`], when the options contradict each other.
    pub fn spec(&self) -> anyhow::Result<String> {
        let game = self.game.as_deref().unwrap_or("letters");
        let (name, rest) = game.split_once(':').unwrap_or((game, ""));
        let mut parts: Vec<&str> = if rest.is_empty() { Vec::new() } else { vec![rest] };
        if (self.size.is_some() || self.letters.is_some()) && name != "letters" {
            return Err(Misuse::error(format!(
                "--size and --letters are for the letter cube; write --game {name}:... for {name}"
            )));
        }
        if let Some(size) = &self.size {
            if !rest.is_empty() {
                return Err(Misuse::error("--game names a size already; leave out --size"));
            }
            parts.push(size);
        }
        if let Some(letters) = &self.letters {
            parts.push(letters);
        }
        Ok(if parts.is_empty() { name.to_owned() } else { format!("{name}:{}", parts.join(",")) })
    }

    /// The time controls, one a championship.
    ///
    /// # Errors
    /// [`Misuse`], when one of them leaves no time at all.
    pub fn time_controls(&self) -> anyhow::Result<Vec<TimeControl>> {
        if self.st.iter().any(|Seconds(time)| time.is_zero()) {
            return Err(Misuse::error("--st: 0 seconds will not do; write a number like 5 or 0.25"));
        }
        let each = self.st.iter().map(|Seconds(time)| TimeControl::PerMove(*time));
        let mut controls: Vec<TimeControl> = each.chain(self.tc.iter().map(|tc| tc.0)).collect();
        if controls.is_empty() {
            controls.push(TimeControl::PerMove(Duration::from_secs(5)));
        }
        Ok(controls)
    }

    /// The one time control of what has no room for several championships.
    ///
    /// # Errors
    /// [`Misuse`], when there are several, or as [`Options::time_controls`].
    pub fn time_control(&self) -> anyhow::Result<TimeControl> {
        match self.time_controls()?[..] {
            [control] => Ok(control),
            _ => {
                Err(Misuse::error("several time controls are for a tournament without stages; give one here"))
            }
        }
    }

    /// How many games a pairing has.
    ///
    /// # Errors
    /// [`Misuse`], when the number is odd or none.
    pub fn games(&self) -> anyhow::Result<u32> {
        match self.games.unwrap_or(10) {
            0 => Err(Misuse::error("--games 0: nobody would play; give an even number like 2 or 10")),
            odd if odd % 2 == 1 => Err(Misuse::error(format!(
                "--games {odd}: an odd number gives one side the first move more often; give {} or {}",
                odd - 1,
                odd + 1
            ))),
            even => Ok(even),
        }
    }

    /// How many games are played at once.
    ///
    /// # Errors
    /// [`Misuse`], when it is none or more than any machine has use for.
    pub fn concurrency(&self) -> anyhow::Result<usize> {
        match self.concurrency {
            Some(n @ 1..=1024) => Ok(n),
            Some(n) => Err(Misuse::error(format!("--concurrency {n}: give a number from 1 to 1024"))),
            None => {
                let cores = std::thread::available_parallelism().context("cannot count the cores")?;
                Ok(cores.get().saturating_sub(1).max(1))
            }
        }
    }

    /// The level of isolation.
    pub fn level(&self) -> Isolation {
        self.isolation.unwrap_or_default()
    }

    /// How engines are confined.
    ///
    /// # Errors
    /// [`Misuse`], when a limit leaves an engine nothing.
    pub fn confinement(&self) -> anyhow::Result<Confinement> {
        let usual = Confinement::default();
        if self.processes == Some(0) {
            return Err(Misuse::error("--processes 0: an engine is a process; give a number like 64"));
        }
        if self.cpu_time.is_some_and(|Seconds(time)| time.is_zero()) {
            return Err(Misuse::error(
                "--cpu-time 0: no engine could start; give a number of seconds like 60",
            ));
        }
        Ok(Confinement {
            level: self.level(),
            ponder: self.ponder.unwrap_or(usual.ponder),
            memory: self.memory.map_or(usual.memory, |Size(bytes)| bytes),
            disk: self.disk.map_or(usual.disk, |Size(bytes)| bytes),
            processes: self.processes.unwrap_or(usual.processes),
            cpu_time: self.cpu_time.map(|Seconds(time)| time),
            output: self.output.map_or(usual.output, |Size(bytes)| bytes),
        })
    }

    /// How late an answer may be.
    pub fn margin(&self) -> Duration {
        self.margin.map_or(Duration::from_millis(20), |Seconds(margin)| margin)
    }

    /// Extra time for each engine and game.
    pub fn bank(&self) -> Duration {
        self.bank.map_or(Duration::ZERO, |Seconds(bank)| bank)
    }

    /// How long an engine may take to start.
    pub fn startup(&self) -> Duration {
        self.startup.map_or(Duration::from_secs(10), |Seconds(startup)| startup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> anyhow::Result<TournamentFile> {
        TournamentFile::parse(text, Path::new("class/tournament.toml"))
    }

    #[test]
    fn a_file_gives_the_same_options_as_flags() {
        let file = parse("engines = \"bots\"\ngames = 4\nst = 0.5\nskip-broken = true\n").unwrap();
        assert_eq!(file.engines, Some(PathBuf::from("class/bots")));
        assert_eq!(file.options.games, Some(4));
        assert_eq!(file.options.time_control().unwrap().to_string(), "st=0.5");
        assert_eq!(file.options.skip_broken, Some(true));
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        for text in ["games = 4\ngammes = 5\n", "engines = \"x\"\ngammes = 5\n"] {
            let words = parse(text).unwrap_err().to_string();
            assert!(words.contains("line 2") && words.contains("gammes"), "{words}");
        }
        let words = parse("games = \"many\"\n").unwrap_err().to_string();
        assert!(words.contains("line 1") && words.contains("class/tournament.toml"), "{words}");
        assert!(parse("engines = 3\n").unwrap_err().to_string().contains("key engines"));
        assert!(parse("st = 1\ntc = \"60\"\n").unwrap_err().to_string().contains("one of the two"));
    }

    #[test]
    fn a_flag_goes_over_the_file_and_a_time_control_replaces_the_other_kind() {
        let file = Options { tc: vec!["60+1".parse().unwrap()], games: Some(4), ..Options::default() };
        let flags =
            Options { st: vec!["2".parse().unwrap()], size: Some("3x3x2".to_owned()), ..Options::default() };
        let both = flags.over(file);
        assert_eq!(both.time_control().unwrap().to_string(), "st=2");
        assert_eq!(both.games().unwrap(), 4);
        assert_eq!(both.spec().unwrap(), "letters:3x3x2");
    }

    #[test]
    fn several_controls_and_an_engines_own_are_read_either_way() {
        let file = parse("tc = [10, \"60+0.5\"]\ntime = \"a=b=tc=2700\"\n").unwrap().options;
        let controls: Vec<String> = file.time_controls().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(controls, ["tc=10", "tc=60+0.5"]);
        assert_eq!(
            (file.time[0].engine.as_str(), file.time[0].control.to_string().as_str()),
            ("a=b", "tc=2700")
        );
        assert!(file.time_control().is_err());
        let words = parse("games = 2\nst = \"soon\"\n").unwrap_err().to_string();
        assert!(words.contains("line 2") && words.contains("soon"), "{words}");
    }

    #[test]
    fn contradictions_are_named() {
        let games = |games| Options { games: Some(games), ..Options::default() }.games();
        assert!(games(3).unwrap_err().to_string().contains("give 2 or 4"));
        assert!(games(0).is_err());
        let sized =
            Options { game: Some("mill".to_owned()), size: Some("3x3x3".to_owned()), ..Options::default() };
        assert!(sized.spec().unwrap_err().to_string().contains("letter cube"));
    }
}
