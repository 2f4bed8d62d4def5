//! The conversation of the sample engines: their arguments, the two protocols, and their use of
//! time. Each engine includes this folder and adds its own [`Brain`].
//!
//! `ENGINE GAME SIDE TIME [POSITION] [--setting value]` talks in `lines`, `ENGINE GAME ugi` in the
//! Universal Game Interface. TIME is the seconds for a move, or a time control like `tc=60+1`.

#![allow(dead_code)] // each engine uses its own part of this folder

mod lines;
pub(crate) mod tables;
mod ugi;
pub(crate) mod watch;

use std::fmt::Display;
use std::io;
use std::process::ExitCode;
use std::time::Duration;

use agon_games::Position;
use agon_seats::{Clock, Seat, TimeControl, positive};

pub(crate) use tables::Table;
pub(crate) use watch::Watch;

/// The part that chooses moves.
pub(crate) trait Brain<P: Position> {
    /// Its name in `id name`.
    fn name(&self) -> String;

    /// Its settings, for `setoption` and `--name value`.
    fn settings(&self) -> Vec<Setting> {
        Vec::new()
    }

    /// Changes one of its settings. The value has the right kind.
    ///
    /// # Errors
    /// Why this value is not allowed.
    fn set(&mut self, name: &str, _value: &str) -> Result<(), String> {
        Err(format!("there is no setting {name}"))
    }

    /// Forgets the last game and prepares for another, while no clock runs.
    fn new_game(&mut self) {}

    /// A legal move; `None` if the game is over. Returns soon after `watch` says that the time is
    /// up.
    fn choose(&mut self, position: &P, watch: &mut Watch<'_>) -> Option<P::Move>;
}

/// A setting.
pub(crate) struct Setting {
    /// Its name, like `DrawValue`; case and dashes are ignored.
    pub(crate) name: &'static str,
    /// Its kind of values, and its default.
    pub(crate) kind: Kind,
}

/// The values of a setting.
pub(crate) enum Kind {
    /// `true` or `false`.
    Check(bool),
    /// A whole number with its bounds.
    Spin { default: u32, least: u32, most: u32 },
    /// Any text.
    Text(String),
}

impl Setting {
    fn check(&self, value: &str) -> Result<(), String> {
        let good = match self.kind {
            Kind::Check(_) => matches!(value, "true" | "false"),
            Kind::Spin { least, most, .. } => {
                value.parse().is_ok_and(|number: u32| (least..=most).contains(&number))
            }
            Kind::Text(_) => true,
        };
        match self.kind {
            _ if good => Ok(()),
            Kind::Spin { least, most, .. } => {
                Err(format!("{} is a whole number from {least} to {most}, not {value:?}", self.name))
            }
            _ => Err(format!("{} is true or false, not {value:?}", self.name)),
        }
    }
}

/// Changes the setting with this name, if there is one and the value is allowed.
fn set<P: Position, B: Brain<P>>(brain: &mut B, name: &str, value: &str) -> Result<(), String> {
    let setting = find(brain, name)?;
    setting.check(value)?;
    brain.set(setting.name, value)
}

fn find<P: Position, B: Brain<P>>(brain: &B, name: &str) -> Result<Setting, String> {
    let plain = |text: &str| text.replace(['-', ' '], "").to_ascii_lowercase();
    let settings = brain.settings();
    let names: Vec<&str> = settings.iter().map(|setting| setting.name).collect();
    let names = names.join(", ");
    settings
        .into_iter()
        .find(|setting| plain(setting.name) == plain(name))
        .ok_or_else(|| format!("there is no setting {name:?}; there are: {names}"))
}

/// The command line of the engine.
pub(crate) struct Order {
    /// The game with its options: `mnk:15x15,5`.
    pub(crate) spec: String,
    rest: Vec<String>,
}

/// Reads the arguments; `act` picks the game and its brain, and calls [`Order::play`].
///
/// Exit codes: 0 when the game is over, 2 for wrong arguments, 1 when the conversation breaks.
pub(crate) fn run(act: impl FnOnce(&Order) -> Result<(), Failure>) -> ExitCode {
    let mut arguments = std::env::args();
    let program = arguments.next().unwrap_or_default();
    let played = match arguments.next() {
        Some(spec) => act(&Order { spec, rest: arguments.collect() }),
        None => Err(Failure::Usage("the game is missing".to_owned())),
    };
    match played {
        Ok(()) => ExitCode::SUCCESS,
        // The output is closed, so the game is over.
        Err(Failure::Broken(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Broken(error)) => {
            eprintln!("{program}: {error}");
            ExitCode::FAILURE
        }
        Err(Failure::Usage(why)) => {
            eprintln!(
                "{program}: {why}\nusage: {program} GAME SIDE SECONDS [POSITION], or {program} GAME ugi"
            );
            ExitCode::from(2)
        }
    }
}

/// Why an engine exits.
pub(crate) enum Failure {
    /// The arguments are wrong.
    Usage(String),
    /// The conversation broke.
    Broken(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Broken(error)
    }
}

impl Order {
    /// The game's name without its options, and the options.
    pub(crate) fn game(&self) -> (&str, &str) {
        self.spec.split_once(':').unwrap_or((&self.spec, ""))
    }

    /// The failure of an engine that does not play the game.
    pub(crate) fn unknown(&self, known: impl Display) -> Failure {
        Failure::Usage(format!("it does not play {:?}; it plays {known}", self.spec))
    }

    /// Talks until the game, or the whole pairing, is over.
    pub(crate) fn play<P: Position, B: Brain<P>>(
        &self,
        table: Result<Table<P>, String>,
        mut brain: B,
    ) -> Result<(), Failure> {
        let table = table.map_err(Failure::Usage)?;
        let words = self.settle(&mut brain).map_err(Failure::Usage)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["ugi"] => Ok(ugi::talk(&table, &mut brain)?),
            [side, time] | [side, time, _] => {
                let position = words.get(2).copied().unwrap_or("startpos");
                let (seat, clock, position) =
                    sit_down(&table, side, time, position).map_err(Failure::Usage)?;
                Ok(lines::talk(&table, &mut brain, position, seat, clock)?)
            }
            _ => Err(Failure::Usage("after the game come SIDE SECONDS [POSITION], or ugi".to_owned())),
        }
    }

    /// Applies each `--name value`, and returns the other arguments.
    fn settle<P: Position, B: Brain<P>>(&self, brain: &mut B) -> Result<Vec<String>, String> {
        let mut words = Vec::new();
        let mut rest = self.rest.iter();
        while let Some(word) = rest.next() {
            let Some(name) = word.strip_prefix("--") else {
                words.push(word.clone());
                continue;
            };
            let (name, given) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (name, None),
            };
            let value = match (given, find(brain, name)?.kind) {
                (Some(value), _) => value,
                (None, Kind::Check(_)) => "true".to_owned(),
                (None, _) => rest.next().ok_or_else(|| format!("--{name} needs a value"))?.clone(),
            };
            set(brain, name, &value)?;
        }
        Ok(words)
    }
}

fn sit_down<P: Position>(
    table: &Table<P>,
    side: &str,
    time: &str,
    position: &str,
) -> Result<(Seat, Clock, P), String> {
    let seat = table.seats.iter().position(|name| name.eq_ignore_ascii_case(side)).ok_or_else(|| {
        format!("{side:?} is not a side of {}; the sides are {}", table.spec, table.seats.join(" and "))
    })?;
    let control = if time.contains('=') { time.parse()? } else { TimeControl::PerMove(positive(time)?) };
    Ok((Seat::new(seat), Clock::new(control, Duration::ZERO, Duration::ZERO), table.read(position)?))
}

/// A hash of these bytes: FNV-1a, with its bits mixed at the end, because its low bits are poor.
pub(crate) fn draw(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}
