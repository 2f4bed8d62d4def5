//! The options of a run, from flags or from a file: the list of them, how flags override a file,
//! and what they mean.

use std::fmt::Display;
use std::path::{Component, PathBuf};
use std::time::Duration;

use agon_printable::escape;
use agon_sandbox::{Isolation, why_not_shown};
use agon_seats::{SearchLimits, TimeControl};
use agon_standings::question::RunQuestion;
use agon_standings::table_plan::TableFormat;
use agon_standings::tiebreaks::TieBreak;
use anyhow::Context;

use super::Misuse;
use super::event::EventFile;
use super::game_arg::GameArg;
use super::isolation::{Confinement, KeptSize, Ponder, Size};
use super::pin::Pin;
use super::score_rules::{DrawRule, ResignRule, ScoreRules};
use super::table::keys;
use super::values::{AtMost, EngineTime, GameTime, OpeningsFrom, RunLabel, Seconds};

/// Calls a macro with the list of all options. Each has a comment, a field, a type, and the name of
/// its value in `--help`.
///
/// The macro below makes the keys of a file, and `cli` makes the flags. So an option that is added
/// here is a key, a flag, and in the reference.
#[macro_export]
macro_rules! each_option {
    ($make:ident) => {
        $make! {
            /// The game and its options, or the folder of a game with a referee program,
            /// ./hex:size=7 [default: letters:6x6x3]
            game: Option<GameArg> = "GAME",
            /// The number of seats, in games that can have more than two [default: the fewest]
            seats: Option<usize> = "N",
            /// In games with more than two seats, the tables: all for every combination of engines,
            /// or a number of rounds of random tables. With swiss:ROUNDS, engines with similar
            /// points meet [default: all]
            tables: Option<TableFormat> = "all|N|swiss:N",
            /// The size of the letter cube, rows x columns x planes; short for --game letters:SIZE
            /// [default: 6x6x3]
            size: Option<String> = "SIZE",
            /// How the letters of a board are drawn: scrabble or uniform [default: scrabble]
            letters: Option<String> = "HOW",
            /// The word list, one word a line [default: a list of English words that is built in]
            dictionary: Option<PathBuf> = "FILE",
            /// A board file that every game begins with, instead of boards drawn from the seed
            board: Option<PathBuf> = "FILE",
            /// Games in each pairing, an even number; sides are swapped on the same board. With
            /// more than two seats, games at each table, a multiple of their number, and seats are
            /// turned [default: 10, or two for each seat]
            games: Option<u32> = "N",
            /// Seconds for each move; with several values, a tournament is played at each of them
            /// [default: 5]
            st: Vec<Seconds> = "SECONDS",
            /// Seconds for the whole game and an increment after each move, 60 or 60+0.5. The value
            /// 40/60+0.5 is for 40 moves and then for the next 40. Several as for --st
            tc: Vec<GameTime> = "[MOVES/]BASE+INC",
            /// The most positions that an engine searches for a move. Only engines that speak ugi,
            /// uci, tei or uai can be told so [default: no limit]
            nodes: Option<u64> = "N",
            /// The most plies that an engine searches ahead; only engines that speak ugi, uci, tei
            /// or uai can be told so [default: no limit]
            depth: Option<u32> = "PLIES",
            /// A time control for one engine alone, ENGINE=st=10 or ENGINE=tc=2700, or a limit of
            /// its search, ENGINE=nodes=10000 or ENGINE=depth=8. Several may be given
            time: Vec<EngineTime> = "ENGINE=CONTROL",
            /// Extra seconds for each engine in each game, for moves that take longer than --st
            /// [default: 0]
            bank: Option<Seconds> = "SECONDS",
            /// Seconds by which an answer may be late and still count [default: 0.02]
            margin: Option<Seconds> = "SECONDS",
            /// A file of start positions, one a line: a position's text, or moves. Each is played
            /// twice, sides swapped, in an order drawn from the seed. Lines that begin with `;` are
            /// comments. The word book stands for nearly even openings that are built in; write
            /// ./book for a file of that name. In chess also a file of PGN or EPD
            openings: Option<OpeningsFrom> = "FILE|book",
            /// The first so many plies of each line or game of --openings alone [default: all]
            opening_plies: Option<u32> = "N",
            /// Random moves at the start of each pair of games, the same in both. The value 0 means
            /// none [default: 4 where a pairing has more than two games without openings, in mnk 2,
            /// in letters 0]
            random_plies: Option<u32> = "N",
            /// Plies after which a game ends; the higher score wins [default: no limit]
            max_plies: Option<usize> = "N",
            /// Ends a game when one side wins in at most so many plies, however well the other side
            /// defends. This works as far as agon has solved the game; 0 for never; see
            /// docs/analysis.md [default: 0]
            adjudicate: Option<u32> = "PLIES",
            /// Ends a game as lost for an engine whose scores say so, in hundredths, with so many
            /// moves in a row: score=600,moves=4. With twosided behind it, the scores of the
            /// other side must agree. See docs/analysis.md [default: never]
            resign_when: Option<ResignRule> = "score=N,moves=N",
            /// Ends a game as drawn when each side has made so many moves, and the scores of the
            /// last moves of both are near 0, in hundredths: after=40,moves=8,score=10
            /// [default: never]
            draw_when: Option<DrawRule> = "after=N,moves=N,score=N",
            /// An answer of an engine of --elsewhere may come later by this many seconds, for the
            /// way there and back. No more than its echo measures is allowed; see
            /// docs/elsewhere.md [default: 0]
            lag: Option<Seconds> = "SECONDS",
            /// Seconds an engine may take to start, apart from its clock [default: 10, or 30 if a
            /// Windows program plays]
            startup: Option<Seconds> = "SECONDS",
            /// The longest pause of a game, in seconds. The command agon pause holds a game while a
            /// machine or a network is mended [default: 0, no game can be paused]
            grace_events: Option<Seconds> = "SECONDS",
            /// The seed of all boards; the same seed and engines give the same boards
            /// [default: a new one, which is shown]
            seed: Option<u64> = "N",
            /// Points for a win, a draw and a loss, 1-1/2-0 or 3-1-0. With three or more seats, a
            /// number for each place. The word sum stands for the scores themselves [default:
            /// 2-1-0, or a point for each opponent behind]
            points: Option<String> = "WIN-DRAW-LOSS",
            /// What ranks entrants with equal points, in the order given. The names are
            /// buchholz-cut-1, buchholz, buchholz-median, sonneborn-berger, koya, progressive,
            /// direct, wins, black-wins, fewest-faults, lot [default: those of the format, in
            /// docs/tournaments.md]
            tiebreaks: Vec<TieBreak> = "NAMES",
            /// Plays until a question is settled with 95 %, and chooses each pair of games for what
            /// it tells about it: cut=4 for the best four, order for the whole order, bars=25 for
            /// the Elo of each engine within 25. It needs --at-most GAMES; see docs/questions.md
            /// [default: none]
            until: Option<RunQuestion> = "cut=N|bars=ELO|order",
            /// With --until, the most games. Or a time, 6h or 90m: no round begins that would
            /// probably end after it. Everybody has played equally often then, and the same command
            /// goes on [default: no limit]
            at_most: Option<AtMost> = "GAMES|TIME",
            /// Games played at the same time [default: cores - 1, at least 1]
            concurrency: Option<usize> = "N",
            /// The directory for the results; a run in it is resumed [default: agon-run]
            out: Option<PathBuf> = "DIR",
            /// What this run is called in agon history, such as the version of an engine, v12
            /// [default: none]
            label: Option<RunLabel> = "TEXT",
            /// The title of the event. In a tournament.toml, the table `[event]` also says when and
            /// where it takes place [default: none]
            event: Option<EventFile> = "TITLE",
            /// A file for events, one line of JSON each, or - for standard output
            events: Option<PathBuf> = "FILE|-",
            /// The cores that games keep to: auto for one core each, off, or cores like 0,2-3
            /// [default: auto]
            pin: Option<Pin> = "CORES",
            /// How closely engines are confined: none, limits, sandbox or strict; docs/isolation.md
            /// describes the levels [default: limits, or sandbox with agon grade]
            isolation: Option<Isolation> = "LEVEL",
            /// An engine that plays elsewhere, by a command like ssh. At sandbox and strict this
            /// command runs at the level limits, and so has a network; see docs/elsewhere.md
            /// [default: none]
            elsewhere: Vec<String> = "NAME",
            /// Whether engines may think while another is to move: on or off. With on, engines of
            /// uci that announce the option Ponder are sent go ponder, and no level freezes anybody
            /// [default: off]
            ponder: Option<Ponder> = "ON|OFF",
            /// The most memory an engine may use, with all its processes [default: 1G]
            memory: Option<Size> = "SIZE",
            /// The most an engine may write to files: to each file at the level limits, to all
            /// together at sandbox and strict [default: 64M]
            disk: Option<Size> = "SIZE",
            /// The most processes and threads an engine may have [default: 256]
            processes: Option<u32> = "N",
            /// Seconds of processor time an engine may use in a game, with all its processes
            /// [default: no limit]
            cpu_time: Option<Seconds> = "SECONDS",
            /// The most an engine may write to its standard output in one turn [default: 4M]
            output: Option<Size> = "SIZE",
            /// A file or folder that every box shows, read-only, at its own place: an interpreter,
            /// a library, data. Several may be given; see docs/isolation.md [default: none]
            show: Vec<PathBuf> = "PATH",
            /// The largest copy of an engine's program and folder. What was hashed is kept in the
            /// results and plays from there; the files of larger engines are looked at before and
            /// after each game. The word off keeps none; see docs/store.md [default: 256M]
            keep: Option<KeptSize> = "SIZE|off",
            /// An engine that plays besides those of the folder: a path, or DIR/NAME@HASH as the
            /// run in DIR has kept it, perhaps with options behind it, PATH:Hash=64. Several may be
            /// given; see docs/store.md and docs/settings.md [default: none]
            also: Vec<PathBuf> = "ENGINE",
            /// Leaves out engines that cannot be started, instead of refusing to begin
            /// [default: false]
            skip_broken: Option<bool> = "BOOL",
        }
    };
}
/// Pairs of options that flags override together: `--st` overrides `tc` too, which is the other
/// kind of time control, and `--game` overrides `size`, which is the size of another game.
const REPLACED_TOGETHER: [[&str; 2]; 2] = [["st", "tc"], ["game", "size"]];

macro_rules! options {
    ($($(#[doc = $doc:tt])+ $field:ident : $many:ident<$kind:ident> = $value:literal,)*) => {
        keys! {
            /// The options of a match or a tournament. Each is a flag, and a key of a
            /// `tournament.toml` with the same name. An option that is not given is `None` or
            /// empty.
            Options { $($(#[doc = $doc])+ $field: $many<$kind>,)* }
        }

        impl Options {
            /// These options, which are flags, and where they say nothing those of a file.
            #[must_use]
            pub fn over(self, mut file: Options) -> Options {
                for keys in REPLACED_TOGETHER {
                    if keys.iter().any(|key| self.gives(key)) {
                        keys.iter().for_each(|key| file.forget(key));
                    }
                }
                $(if is_given(&self.$field) {
                    file.forget(stringify!($field));
                    file.$field = self.$field;
                })*
                file
            }

            /// Whether the option of this field is given.
            pub(super) fn gives(&self, field: &str) -> bool {
                match field {
                    $(stringify!($field) => is_given(&self.$field),)*
                    _ => false,
                }
            }

            /// Makes the option of this field one that is not given.
            fn forget(&mut self, field: &str) {
                self.lines.forget(&field.replace('_', "-"));
                match field {
                    $(stringify!($field) => self.$field = $many::default(),)*
                    _ => {}
                }
            }
        }
    };
}
each_option!(options);

fn is_given<'a, T: 'a>(value: impl IntoIterator<Item = &'a T>) -> bool {
    value.into_iter().next().is_some()
}

impl Options {
    /// An error about the value of an option, with file, line and key, or else with the flag.
    /// `value` is put behind the flag, if that helps.
    pub fn misuse(&self, key: &str, value: impl Display, why: &str) -> anyhow::Error {
        Misuse::misread(&self.place_of(key, value), why)
    }

    /// Where an option is given: file, line and key, or else the flag with its value.
    pub fn place_of(&self, key: &str, value: impl Display) -> String {
        match self.lines.has(key) {
            true => self.lines.place(&[key]),
            false => format!("--{key} {value}").trim_end().to_owned(),
        }
    }

    /// An error that these options together have caused, with file, line and keys of what is
    /// in the file.
    #[must_use]
    pub fn placed(&self, keys: &[&str], error: anyhow::Error) -> anyhow::Error {
        let keys: Vec<&str> = keys.iter().copied().filter(|key| self.lines.has(key)).collect();
        match error.downcast::<Misuse>() {
            Ok(Misuse { what, hint }) if !keys.is_empty() => {
                Misuse { what: format!("{}: {what}", self.lines.place(&keys)), hint }.into()
            }
            Ok(misuse) => misuse.into(),
            Err(other) => other,
        }
    }

    /// An option as it is called where it is given.
    fn called(&self, key: &str) -> String {
        if self.lines.has(key) { format!("the key {key}") } else { format!("--{key}") }
    }

    /// The game as the registry knows it: `letters:6x6x3,uniform`.
    ///
    /// # Errors
    /// [`Misuse`], when the options contradict each other.
    pub fn spec(&self) -> anyhow::Result<String> {
        let (name, rest) = self.game.as_ref().map_or(("letters", ""), GameArg::parts);
        let mut parts: Vec<&str> = if rest.is_empty() { Vec::new() } else { vec![rest] };
        for (key, option) in [("size", &self.size), ("letters", &self.letters)] {
            if option.is_some() && name != "letters" {
                let why =
                    format!("is for the letter cube; write options of {name} behind its name, {name}:...");
                return Err(self.misuse(key, "", &why));
            }
        }
        if let Some(size) = &self.size {
            if !rest.is_empty() {
                let (game, size) = (self.called("game"), self.called("size"));
                return Err(self.misuse(
                    "size",
                    "",
                    &format!("{game} names a size already; leave out {size}"),
                ));
            }
            parts.push(size);
        }
        if let Some(letters) = &self.letters {
            parts.push(letters);
        }
        Ok(if parts.is_empty() { name.to_owned() } else { format!("{name}:{}", parts.join(",")) })
    }

    /// The time controls; a tournament is played at each.
    ///
    /// # Errors
    /// [`Misuse`], when one of them leaves no time at all.
    pub fn time_controls(&self) -> anyhow::Result<Vec<TimeControl>> {
        if self.st.iter().any(|Seconds(time)| time.is_zero()) {
            return Err(self.misuse("st", "", "0 seconds will not do; write a number like 5 or 0.25"));
        }
        let each = self.st.iter().map(|Seconds(time)| TimeControl::PerMove(*time));
        let mut controls: Vec<TimeControl> = each.chain(self.tc.iter().map(|tc| tc.0)).collect();
        if controls.is_empty() {
            controls.push(TimeControl::PerMove(Duration::from_secs(5)));
        }
        // Each has a directory of its own, by its name.
        if let Some((_, twice)) = controls.iter().enumerate().find(|(at, one)| controls[..*at].contains(one))
        {
            let key = if self.tc.is_empty() { "st" } else { "tc" };
            return Err(self.misuse(
                key,
                "",
                &format!("{twice} is given twice; give each time control once"),
            ));
        }
        Ok(controls)
    }

    /// The value of one time control that the flags give as two, if a comma in it may have been
    /// meant as a decimal point: `1.5` of `--st 1,5`.
    pub fn with_point(&self) -> Option<String> {
        let key = if self.st.is_empty() { "tc" } else { "st" };
        if self.lines.has(key) {
            return None; // a list in a file is written with brackets
        }
        let words = self.st.iter().map(|Seconds(time)| TimeControl::PerMove(*time).to_string());
        let words: Vec<String> = words.chain(self.tc.iter().map(|tc| tc.0.to_string())).collect();
        let [first, second] = &words[..] else { return None };
        let first = first.split_once('=')?.1;
        let second = second.split_once('=')?.1.strip_suffix("+0").unwrap_or(second.split_once('=')?.1);
        let last = first.rsplit(['+', '/']).next()?;
        agon_seats::with_point(&format!("{last},{second}"))?;
        // An increment of 0 is not written.
        let behind = if key == "tc" && !first.contains('+') {
            format!(" or {first}+0.{second}")
        } else {
            String::new()
        };
        Some(format!("{first}.{second}{behind}"))
    }

    /// The rules that end a game by the scores of its engines.
    pub fn score_rules(&self) -> ScoreRules {
        ScoreRules {
            resign: self.resign_when.and_then(ResignRule::rule),
            draw: self.draw_when.and_then(DrawRule::rule),
        }
    }

    /// The time control of a run that has only one.
    ///
    /// # Errors
    /// [`Misuse`], when there are several, or as [`Options::time_controls`].
    pub fn time_control(&self) -> anyhow::Result<TimeControl> {
        match self.time_controls()?[..] {
            [control] => Ok(control),
            _ => {
                let key = if self.st.is_empty() { "tc" } else { "st" };
                let point = self.with_point().map(|point| format!(", such as {point}")).unwrap_or_default();
                let why = format!(
                    "several time controls are for a tournament without stages; give one here{point}"
                );
                Err(self.misuse(key, "", &why))
            }
        }
    }

    /// How many games a table of so many seats has, two for a pairing.
    ///
    /// # Errors
    /// [`Misuse`], when the seats cannot be turned equally often.
    pub fn games_at(&self, seats: usize) -> anyhow::Result<u32> {
        let seats = u32::try_from(seats).unwrap_or(u32::MAX);
        if seats == 2 {
            return self.games();
        }
        match self.games.unwrap_or(2 * seats) {
            0 => Err(self.misuse("games", 0, "nobody would play; give a multiple of the seats")),
            games if games % seats == 0 => Ok(games),
            games => {
                let (less, more) = (games / seats * seats, u64::from(games / seats + 1) * u64::from(seats));
                let multiple = if less == 0 { more.to_string() } else { format!("{less} or {more}") };
                let why = format!(
                    "is no multiple of {seats} seats, so some would be had more often; give {multiple}"
                );
                Err(self.misuse("games", games, &why))
            }
        }
    }

    /// How many games a pairing has.
    ///
    /// # Errors
    /// [`Misuse`], when the number is odd or none.
    pub fn games(&self) -> anyhow::Result<u32> {
        match self.games.unwrap_or(10) {
            0 => Err(self.misuse("games", 0, "nobody would play; give an even number like 2 or 10")),
            odd if odd % 2 == 1 => {
                let (less, more) = (odd - 1, u64::from(odd) + 1);
                let even = if less == 0 { more.to_string() } else { format!("{less} or {more}") };
                let why = format!("an odd number gives one side the first move more often; give {even}");
                Err(self.misuse("games", odd, &why))
            }
            even => Ok(even),
        }
    }

    /// How many games are played at once.
    ///
    /// # Errors
    /// [`Misuse`], when it is none, or more than any machine can use.
    pub fn concurrency(&self) -> anyhow::Result<usize> {
        match self.concurrency {
            Some(n @ 1..=1024) => Ok(n),
            Some(n) => Err(self.misuse("concurrency", n, "is out of range; give a number from 1 to 1024")),
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
            return Err(self.misuse("processes", 0, "an engine is a process; give a number like 64"));
        }
        if self.cpu_time.is_some_and(|Seconds(time)| time.is_zero()) {
            let why = "no engine could start; give a number of seconds like 60";
            return Err(self.misuse("cpu-time", 0, why));
        }
        Ok(Confinement {
            level: self.level(),
            ponder: self.ponder.unwrap_or(usual.ponder),
            memory: self.memory.map_or(usual.memory, |Size(bytes)| bytes),
            disk: self.disk.map_or(usual.disk, |Size(bytes)| bytes),
            processes: self.processes.unwrap_or(usual.processes),
            cpu_time: self.cpu_time.map(|Seconds(time)| time),
            output: self.output.map_or(usual.output, |Size(bytes)| bytes),
            show: self.shown_places()?,
        })
    }

    /// The places that boxes are to show, each as it was written and as what it leads to.
    ///
    /// # Errors
    /// [`Misuse`], when one is not there or no box can show it.
    fn shown_places(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut all = Vec::new();
        for path in &self.show {
            let name = escape(path.as_os_str().as_encoded_bytes(), 400);
            let real = path.canonicalize().map_err(|error| {
                self.misuse("show", &name, &format!("{name} cannot be shown: {error}; name what is there"))
            })?;
            let named = std::path::absolute(path).with_context(|| format!("cannot find {name}"))?;
            // Names like /x/.. lead elsewhere in a box, where links are missing.
            let is_plain = named.components().all(|part| !matches!(part, Component::ParentDir));
            for place in [Some(named).filter(|_| is_plain), Some(real)].into_iter().flatten() {
                if let Some(why) = why_not_shown(&place) {
                    let hint = "name a file or folder of its own, like /opt/python";
                    return Err(self.misuse("show", &name, &format!("{name} {why}; {hint}")));
                }
                if !all.contains(&place) {
                    all.push(place);
                }
            }
        }
        Ok(all)
    }

    /// The most bytes of a kept copy of an engine.
    pub fn keep(&self) -> u64 {
        self.keep.map_or(256 << 20, |KeptSize(bytes)| bytes)
    }

    /// How far engines may search.
    ///
    /// # Errors
    /// [`Misuse`], when a limit leaves an engine nothing.
    pub fn search(&self) -> anyhow::Result<SearchLimits> {
        let search = SearchLimits { nodes: self.nodes, depth: self.depth };
        match search.given().find(|(_, limit)| *limit == 0) {
            Some((name, _)) => Err(self.misuse(name, 0, "leaves nothing to search; give a number like 5")),
            None => Ok(search),
        }
    }

    /// How late an answer may be.
    pub fn margin(&self) -> Duration {
        self.margin.map_or(Duration::from_millis(20), |Seconds(margin)| margin)
    }

    /// The most of the lag of an engine elsewhere that is allowed for.
    pub fn lag(&self) -> Duration {
        self.lag.map_or(Duration::ZERO, |Seconds(lag)| lag)
    }

    /// Extra time for each engine and game.
    pub fn bank(&self) -> Duration {
        self.bank.map_or(Duration::ZERO, |Seconds(bank)| bank)
    }

    /// The longest pause of a game; zero if a game cannot be paused.
    pub fn longest_pause(&self) -> Duration {
        self.grace_events.map_or(Duration::ZERO, |Seconds(longest)| longest)
    }

    /// How long an engine may take to start.
    pub fn startup(&self) -> Duration {
        self.startup.map_or(Duration::from_secs(10), |Seconds(startup)| startup)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{KeyLines, TournamentFile};
    use super::*;

    #[test]
    fn a_flag_overrides_the_file_and_a_time_control_replaces_the_other_kind() {
        let file = Options { tc: vec!["60+1".parse().unwrap()], games: Some(4), ..Options::default() };
        let flags =
            Options { st: vec!["2".parse().unwrap()], size: Some("3x3x2".to_owned()), ..Options::default() };
        let both = flags.over(file);
        assert_eq!(both.time_control().unwrap().to_string(), "st=2");
        assert_eq!(both.games().unwrap(), 4);
        assert_eq!(both.spec().unwrap(), "letters:3x3x2");
    }

    #[test]
    fn a_size_in_the_file_is_no_size_of_a_game_that_is_a_flag() {
        let file = Options { size: Some("3x3x2".to_owned()), seed: Some(7), ..Options::default() };
        let flags = Options { game: Some("mill".into()), ..Options::default() };
        let both = flags.over(file.clone());
        assert_eq!((both.spec().unwrap().as_str(), both.seed), ("mill", Some(7)));
        assert_eq!(Options::default().over(file).spec().unwrap(), "letters:3x3x2");
    }

    #[test]
    fn every_flag_overrides_the_file_and_no_option_of_the_file_is_lost() {
        // Two values of each option, as its shape shows them.
        let value = |shape: &str, number: usize| match shape.split('"').nth(2 * number - 1) {
            _ if shape.contains("number") => number.to_string(),
            _ if shape.starts_with("true") => (number == 1).to_string(),
            Some(text) if !shape.starts_with("a size") => format!("\"{text}\""),
            _ => format!("\"{number}M\""),
        };
        let all = |number: usize| {
            let keys = Options::KEYS.iter().filter(|key| key.field != "tc");
            let lines: Vec<String> =
                keys.map(|key| format!("{} = {}", key.name(), value(&(key.value)(), number))).collect();
            let file = TournamentFile::parse(&lines.join("\n"), Path::new("t.toml")).unwrap();
            Options { lines: KeyLines::default(), ..file.options }
        };
        let (flags, file) = (all(1), all(2));
        let shown = |options: &Options| format!("{options:?}");
        assert_eq!(shown(&flags.clone().over(file.clone())), shown(&flags));
        assert_eq!(shown(&Options::default().over(file.clone())), shown(&file));
        assert_ne!(shown(&flags), shown(&file));
        assert!(Options::KEYS.iter().all(|key| key.field == "tc" || flags.gives(key.field)));
    }

    #[test]
    fn contradictions_are_named() {
        let games = |games| Options { games: Some(games), ..Options::default() }.games();
        assert!(games(3).unwrap_err().to_string().contains("give 2 or 4"));
        assert!(games(u32::MAX).unwrap_err().to_string().contains("4294967296"));
        assert!(games(0).is_err());
        let sized =
            Options { game: Some("mill".into()), size: Some("3x3x3".to_owned()), ..Options::default() };
        assert!(sized.spec().unwrap_err().to_string().contains("--size: is for the letter cube"));
    }
}
