//! Whether an engine takes the options that it is given, as it announces them in its handshake.

use agon_config::Misuse;
use agon_printable::{escape, meant};
use agon_protocol::announced::{AnnouncedOption, OptionKind, is_same_option, option_named};
use agon_protocol::ugi_words::UgiWords;

use super::engine_file;
use super::program::display_path;
use super::spec::EngineSpec;

/// The longest name or value in a message, in characters.
const SHOWN: usize = 60;

/// An option that an engine is sent, as its handshake judges it.
pub struct JudgedOption<'a> {
    /// Its name, as it is sent.
    pub name: &'a str,
    /// Its value.
    pub value: &'a str,
    /// What the handshake says of it.
    pub verdict: OptionVerdict,
}

/// What the handshake of an engine says of an option.
pub enum OptionVerdict {
    /// The engine takes the value, as one of these.
    Taken(String),
    /// The engine has announced the option, and nobody can say which values it takes.
    Unchecked,
    /// The engine has not announced the option, which its own file gives it.
    Unannounced,
    /// The engine has not announced the option that the organiser gives it.
    Unknown(Misuse),
    /// The engine does not take the value.
    Wrong(Misuse),
}

/// Each option that an engine is sent, in that order, with what the engine has announced of it.
pub fn judged<'a>(engine: &'a EngineSpec, announced: &[AnnouncedOption]) -> Vec<JudgedOption<'a>> {
    let mut may_widen = false;
    let judge = |(name, value): &'a (String, String)| {
        let option = option_named(announced, name);
        let is_wider = may_widen && option.is_some_and(|option| matches!(option.kind, OptionKind::Combo(_)));
        // A text may be the path of a file that adds values, as of variants of a game.
        may_widen |= option.is_none_or(|option| option.kind == OptionKind::Any);
        let verdict = match option {
            None => {
                unknown(engine, name, announced).map_or(OptionVerdict::Unannounced, OptionVerdict::Unknown)
            }
            Some(option) if option.kind == OptionKind::Any || is_wider => OptionVerdict::Unchecked,
            Some(option) if option.kind.takes(value) => OptionVerdict::Taken(option.kind.allowed()),
            Some(option) => OptionVerdict::Wrong(wrong(engine, name, value, option)),
        };
        JudgedOption { name, value, verdict }
    };
    engine.options.iter().map(judge).collect()
}

/// What is wrong with the value of an option, as the engine has announced that.
pub fn wrong_value(engine: &EngineSpec, announced: &[AnnouncedOption]) -> Option<Misuse> {
    judged(engine, announced).into_iter().find_map(|judged| match judged.verdict {
        OptionVerdict::Wrong(misuse) => Some(misuse),
        _ => None,
    })
}

/// What is wrong with the names of the options that the organiser has given an engine, if it has
/// announced others. Those of its own `engine.toml` may be known to it without a word.
pub fn unknown_option(engine: &EngineSpec, announced: &[AnnouncedOption]) -> Option<Misuse> {
    judged(engine, announced).into_iter().find_map(|judged| match judged.verdict {
        OptionVerdict::Unknown(misuse) => Some(misuse),
        _ => None,
    })
}

fn wrong(engine: &EngineSpec, name: &str, value: &str, option: &AnnouncedOption) -> Misuse {
    let given = match value {
        "" => "nothing".to_owned(),
        value => format!("\"{}\"", escape(value.as_bytes(), SHOWN)),
    };
    let place = place_of(engine, name);
    let shown = escape(option.name.as_bytes(), SHOWN);
    let allowed = option.kind.allowed();
    Misuse {
        what: format!("{place}: the option {shown} of {} takes {allowed}, not {given}", engine.name),
        hint: Some(match option.kind {
            OptionKind::Button => {
                format!("behind a path write {shown}=, in a file \"{shown}\" = \"\"; or leave it out")
            }
            _ => format!(
                "{}write a value that it takes, or leave the option out",
                meant(value, option.kind.values())
            ),
        }),
    }
}

/// What is wrong with an option that an engine has not announced, if the organiser gives it.
fn unknown(engine: &EngineSpec, name: &str, announced: &[AnnouncedOption]) -> Option<Misuse> {
    let set = engine.set.as_ref().filter(|_| engine.words.ok != UgiWords::ANY_LINE)?;
    let unknown = set.options.iter().find(|own| is_same_option(own, name))?;
    let names = || announced.iter().map(|option| option.name.as_str());
    let has = match announced {
        [] => "it has announced none".to_owned(),
        _ => format!("it has {}", names().collect::<Vec<_>>().join(", ")),
    };
    let (place, name) = (&set.options_place, &engine.name);
    Some(Misuse {
        what: format!("{place}: {name} has not announced the option {}", escape(unknown.as_bytes(), SHOWN)),
        hint: Some(format!(
            "{}{has}; what it knows without saying so can stand in an engine.toml of its own",
            meant(unknown, names())
        )),
    })
}

/// Where an option of an engine is written.
fn place_of(engine: &EngineSpec, name: &str) -> String {
    if let Some(set) = &engine.set
        && set.options.iter().any(|own| is_same_option(own, name))
    {
        return set.options_place.clone();
    }
    let file = display_path(&engine.source.join("engine.toml"));
    match engine.own_text().and_then(|text| engine_file::line_of_option(text, name)) {
        Some(line) => format!("{file}: line {line}"),
        None => file,
    }
}
