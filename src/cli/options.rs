//! The options of a run as flags, made of the list in `config`.

use std::path::PathBuf;

use agon_standings::tiebreaks::TieBreak;
use clap::builder::TypedValueParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::config::{
    EngineTime, GameTime, Isolation, OpeningsFrom, Options, Pin, Ponder, Seconds, Size, each_option, whole,
};

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

/// What the list of options does not say about flags.
fn special(flag: Arg) -> Arg {
    match flag.get_id().as_str() {
        "st" => flag.value_delimiter(',').conflicts_with("tc"),
        "tc" | "tiebreaks" => flag.value_delimiter(','),
        "openings" => flag.conflicts_with("board").value_hint(clap::ValueHint::FilePath),
        "skip_broken" => flag.num_args(0..=1).default_missing_value("true").require_equals(true),
        _ => flag,
    }
}

macro_rules! flags {
    ($($(#[doc = $doc:tt])+ $field:ident : $many:ident<$kind:ident> = $value:literal,)*) => {
        /// All options as flags.
        #[derive(Args)]
        #[command(mut_args(special))]
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

        impl From<OptionArgs> for Options {
            fn from(flags: OptionArgs) -> Options {
                Options { $($field: flags.$field,)* ..Options::default() }
            }
        }
    };
}
each_option!(flags);

impl FromArgMatches for Options {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        OptionArgs::from_arg_matches(matches).map(Options::from)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Options::from_arg_matches(matches)?.over(std::mem::take(self));
        Ok(())
    }
}

/// Lets a subcommand have all the options: `#[command(flatten)] options: Options`.
impl Args for Options {
    fn augment_args(command: Command) -> Command {
        OptionArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        OptionArgs::augment_args_for_update(command)
    }
}
