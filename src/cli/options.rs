//! The options of a run as flags, made of the list in `config`.

use std::ffi::OsStr;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use agon_config::{
    AtMost, DrawRule, EngineTime, EventFile, GameArg, GameTime, KeptSize, OF_LETTERS, OpeningsFrom, Options,
    Pin, Ponder, ResignRule, RunLabel, Seconds, Size, each_option, whole,
};
use agon_games::GAMES;
use agon_sandbox::Isolation;
use agon_standings::question::RunQuestion;
use agon_standings::table_plan::TableFormat;
use agon_standings::tiebreaks::TieBreak;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::old_spellings::warn_of_flags;

/// How the value of a flag is read, by its type.
macro_rules! parser {
    (u32) => {
        whole::<u32>
    };
    (u64) => {
        whole::<u64>
    };
    (usize) => {
        whole::<usize>
    };
    (OpeningsFrom) => {
        clap::builder::OsStringValueParser::new().map(OpeningsFrom::from)
    };
    ($kind:ident) => {
        clap::value_parser!($kind)
    };
}

/// Whether a flag has a number as its value. `-1` behind it is then no flag, and is refused as a
/// number.
fn is_number(kind: &str) -> bool {
    matches!(kind, "u32" | "u64" | "usize" | "Seconds" | "GameTime")
}

/// The groups of the help, in their order. The first option decides where its group stands.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Common options", &["game", "games", "st", "tc", "seed", "concurrency", "isolation", "out"]),
    (
        "Games and starts",
        &[
            "seats",
            "tables",
            "openings",
            "random_plies",
            "max_plies",
            "adjudicate",
            "resign_when",
            "draw_when",
        ],
    ),
    ("Time and depth", &["nodes", "depth", "time", "bank", "margin", "lag", "startup", "grace_events"]),
    ("Results", &["until", "at_most", "points", "tiebreaks", "label", "event", "events"]),
    ("Limits and the machine", &[]),
];

/// Options that matter only where engines play each other in numbers.
pub(super) const OF_TOURNAMENTS: [&str; 14] = [
    "until",
    "at_most",
    "label",
    "event",
    "also",
    "games",
    "time",
    "points",
    "tiebreaks",
    "lag",
    "concurrency",
    "elsewhere",
    "grace_events",
    "skip_broken",
];

/// Options that matter only where engines play.
pub(super) const OF_PLAY: [&str; 21] = [
    "label",
    "event",
    "concurrency",
    "isolation",
    "out",
    "bank",
    "margin",
    "lag",
    "startup",
    "grace_events",
    "events",
    "pin",
    "elsewhere",
    "ponder",
    "memory",
    "disk",
    "processes",
    "cpu_time",
    "output",
    "show",
    "skip_broken",
];

/// Hides options in the help of a command to which they do not matter. They are accepted, because a
/// script may give all commands the same options.
pub(super) fn hidden(ids: &[&str], flag: Arg) -> Arg {
    let hide = ids.contains(&flag.get_id().as_str());
    if hide { flag.hide(true) } else { flag }
}

/// A flag of a match, which is one run and writes no file unasked.
pub(super) fn of_a_match(flag: Arg) -> Arg {
    match flag.get_id().as_str() {
        "out" => {
            flag.help("The directory for the results; a run in it is resumed [default: none, no file is written]")
        }
        "st" => flag.help("Seconds for each move [default: 5]"),
        "tc" => flag.help(
            "Seconds for the whole game and an increment after each move, 60 or 60+0.5. The value 40/60+0.5 is for \
             40 moves and then for the next 40",
        ),
        // The engines of a match are named one by one.
        "skip_broken" | "also" | "until" | "at_most" => flag.hide(true),
        _ => flag,
    }
}

/// A flag of a command that plays the programs of students, which are untrusted.
pub(super) fn of_a_class(flag: Arg) -> Arg {
    if flag.get_id() != "isolation" {
        return flag;
    }
    flag.help(
        "How closely engines and builds are confined: none, limits, sandbox or strict; docs/isolation.md describes \
         the levels [default: the isolation of the file, or sandbox]",
    )
}

/// A flag of a command that plays single games and keeps none.
pub(super) fn of_single_games(flag: Arg) -> Arg {
    let flag = of_a_match(hidden(&OF_TOURNAMENTS, flag));
    if flag.get_id() == "out" { flag.hide(true) } else { flag }
}

/// A parser that suggests words to the completions of a shell, and reads other words too.
#[derive(Clone)]
struct Suggesting<T> {
    read: fn(&str) -> Result<T, String>,
    words: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Suggesting<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        self.read.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.words)().into_iter().map(PossibleValue::new)))
    }
}

/// What the list of options does not say about flags.
fn special(flag: Arg) -> Arg {
    let group = GROUPS.iter().find(|(_, ids)| ids.contains(&flag.get_id().as_str()));
    let flag = flag.help_heading(group.map_or(GROUPS[4].0, |(name, _)| name));
    let flag =
        if group.is_some_and(|(name, _)| *name == GROUPS[0].0) { flag } else { flag.hide_short_help(true) };
    let flag = if OF_LETTERS.contains(&flag.get_id().as_str()) { flag.hide(true) } else { flag };
    match flag.get_id().as_str() {
        "game" => {
            let words = || GAMES.iter().map(|game| game.name).collect();
            flag.value_parser(Suggesting { read: |text| Ok(GameArg::from(text)), words })
                .hide_possible_values(true)
        }
        "isolation" => {
            let words = || vec!["none", "limits", "sandbox", "strict"];
            flag.value_parser(Suggesting { read: |text| text.parse::<Isolation>(), words })
                .hide_possible_values(true)
        }
        "ponder" => {
            let words = || vec!["on", "off"];
            flag.value_parser(Suggesting { read: |text| text.parse::<Ponder>(), words })
                .hide_possible_values(true)
        }
        "st" => flag.value_delimiter(',').conflicts_with("tc"),
        "tc" | "tiebreaks" => flag.value_delimiter(','),
        "openings" => flag.conflicts_with("board").value_hint(clap::ValueHint::FilePath),
        "at_most" => flag.allow_hyphen_values(true),
        "show" | "also" => flag.value_hint(clap::ValueHint::AnyPath),
        "skip_broken" => flag.num_args(0..=1).default_missing_value("true").require_equals(true),
        _ => flag,
    }
}

macro_rules! flags {
    ($($(#[doc = $doc:tt])+ $field:ident : $many:ident<$kind:ident> = $value:literal,)*) => {
        /// All options as flags.
        #[derive(Args)]
        struct OptionArgs {
            $(
                $(#[doc = $doc])+
                #[arg(
                    long,
                    value_name = $value,
                    value_parser = parser!($kind),
                    allow_negative_numbers = is_number(stringify!($kind))
                )]
                $field: $many<$kind>,
            )*
        }

        impl From<OptionArgs> for OptionFlags {
            fn from(flags: OptionArgs) -> OptionFlags {
                let mut options = Options::default();
                $(options.$field = flags.$field;)*
                OptionFlags(options)
            }
        }
    };
}
each_option!(flags);

/// Lets a subcommand have all the options: `#[command(flatten)] options: OptionFlags`.
#[derive(Debug, Default)]
pub(super) struct OptionFlags(pub(super) Options);

impl Deref for OptionFlags {
    type Target = Options;

    fn deref(&self) -> &Options {
        &self.0
    }
}

impl DerefMut for OptionFlags {
    fn deref_mut(&mut self) -> &mut Options {
        &mut self.0
    }
}

impl FromArgMatches for OptionFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = OptionArgs::from_arg_matches(matches).map(OptionFlags::from)?;
        warn_of_flags(&flags.0);
        let refused = |error: anyhow::Error| clap::Error::raw(ErrorKind::InvalidValue, format!("{error}\n"));
        flags.0.take_files_of_game(Path::new("")).map_err(refused)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = OptionFlags::from_arg_matches(matches)?.0.over(std::mem::take(&mut self.0));
        Ok(())
    }
}

/// Adds the options. The arguments that a subcommand has before them stay as they are.
fn with_options(command: Command, add: fn(Command) -> Command) -> Command {
    let own: Vec<clap::Id> = command.get_arguments().map(|arg| arg.get_id().clone()).collect();
    add(command).mut_args(|arg| if own.contains(arg.get_id()) { arg } else { special(arg) })
}

impl Args for OptionFlags {
    fn augment_args(command: Command) -> Command {
        with_options(command, OptionArgs::augment_args)
    }

    fn augment_args_for_update(command: Command) -> Command {
        with_options(command, OptionArgs::augment_args_for_update)
    }
}
