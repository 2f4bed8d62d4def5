//! The other protocols that an engine may speak than the one of its file.

use agon_config::Misuse;
use agon_match::hosted::GameRules;
use agon_programs::program::display_path;
use agon_programs::spec::EngineSpec;
use agon_protocol::Protocol;
use agon_protocol::gomocup::Settings;
use agon_protocol::ugi_words::UgiWords;

use crate::hosted_fit::speaks_hosted;

/// An engine, as if it spoke each other protocol with a greeting in which these games can be
/// played. None if it has a greeting of its own, or plays elsewhere: somebody else starts it there.
pub(super) fn candidates(rules: &GameRules, engine: &EngineSpec) -> Vec<EngineSpec> {
    let usual = UgiWords::usual(&engine.protocol);
    let greets_otherwise = engine.words.greeting != usual.greeting || engine.words.ok != usual.ok;
    if engine.elsewhere.is_some() || greets_otherwise {
        return Vec::new();
    }
    // Each is asked for an answer in words of its own. The first one that gives it is named.
    let others = [
        Protocol::Uci,
        Protocol::Ugi,
        Protocol::Tei,
        Protocol::Uai,
        Protocol::Gomocup(Settings::default()),
        Protocol::Gomocup(Settings::of_lf()),
        Protocol::Gtp,
    ];
    let others = others.into_iter().filter(|other| other.name() != engine.protocol.name());
    let candidates = others.map(|other| EngineSpec {
        words: UgiWords::usual(&other),
        options: Vec::new(),
        console: None,
        protocol: other,
        ..engine.clone()
    });
    let plays = |engine: &EngineSpec| match rules {
        GameRules::Hosted(rules) => speaks_hosted(rules, engine).is_ok(),
        GameRules::BuiltIn(rules) => engine.protocol.fits(rules.as_ref()).is_ok(),
    };
    candidates.filter(plays).collect()
}

/// The first of these engines, as if any line answered the greetings of all of them. An engine that
/// is silent then speaks no protocol with a greeting, and is started once to find that out. `None`
/// if there is one of them at most.
pub(super) fn of_any_greeting(candidates: &[EngineSpec]) -> Option<EngineSpec> {
    let words = UgiWords {
        greeting: "uci\nugi\ntei\nuai\nprotocol_version\nABOUT\r".to_owned(),
        ok: UgiWords::ANY_LINE.to_owned(),
        ..UgiWords::usual(&Protocol::Uci)
    };
    let first = candidates.first().filter(|_| candidates.len() > 1);
    first.map(|first| EngineSpec { words, protocol: Protocol::Uci, ..first.clone() })
}

/// Why an engine cannot play that answers the greeting of another protocol.
pub(super) fn speaks(engine: &EngineSpec, other: &Protocol) -> Misuse {
    let (place, own, name) = (display_path(&engine.source), engine.protocol.name(), other.name());
    let what = if engine.protocol.may_refuse() {
        format!("does not answer the greeting of {own}, and answers that of {name}")
    } else {
        format!("makes no move in the protocol {own}, and answers the greeting of {name}")
    };
    let file = if engine.source.join("engine.toml").is_file() {
        format!("write protocol = \"{name}\" into its engine.toml")
    } else {
        let program = engine.program.file_name().unwrap_or_default();
        format!(
            "give a folder with an engine.toml that has command = [\"./{}\"] and protocol = \"{name}\"",
            display_path(program.as_ref())
        )
    };
    Misuse {
        what: format!("{place}: the engine {what}"),
        hint: Some(format!("{file}, or leave this engine out")),
    }
}
