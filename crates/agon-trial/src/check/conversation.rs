//! What an engine has not understood of its protocol, in plain words for its author.

use agon_programs::spec::EngineSpec;
use agon_protocol::Protocol;
use agon_record::{TranscriptLine, Way};

/// What is said of an engine that did not come through its handshake in time.
pub(super) fn silent_handshake(engine: &EngineSpec) -> Option<String> {
    match engine.protocol {
        Protocol::Ugi | Protocol::Uci | Protocol::Tei | Protocol::Uai => {
            let (words, name) = (&engine.words, engine.protocol.name());
            Some(format!(
                "Before the first game agon writes {}, and reads lines until there is {}; then {} and isready, and reads \
                 until there is readyok. Answer each at once and flush stdout. An engine that speaks the protocol of \
                 lines has no protocol = \"{name}\" in its engine.toml",
                words.greeting, words.ok, words.new_game
            ))
        }
        Protocol::Gtp => Some(
            "Before the first game agon writes name, version, list_commands, boardsize and clear_board, each with a \
             number in front, and reads each answer up to its empty line: \"=1 MyEngine\" and an empty line. Flush \
             stdout after it. An engine that speaks the protocol of lines has no protocol = \"gtp\" in its engine.toml"
                .to_owned(),
        ),
        Protocol::Gomocup(_) => Some(
            "Before each game agon writes START and the size of the board, and reads lines until one begins with \
             OK. Answer at once and flush stdout. An engine that speaks the protocol of lines has no protocol = \
             \"gomocup\" in its engine.toml"
                .to_owned(),
        ),
        // Of a console program its own page speaks: see `console`.
        Protocol::Lines | Protocol::Console => None,
    }
}

/// What is said of an engine that has begun an answer and has not ended it.
pub(super) fn unfinished(engine: &EngineSpec, heard: &[TranscriptLine]) -> Option<String> {
    let last = heard.iter().rfind(|line| line.way == Way::Said)?;
    let is_open = engine.protocol == Protocol::Gtp && !last.text.trim().is_empty();
    is_open.then(|| {
        format!(
            "It wrote \"{}\", and no empty line behind it: in GTP an empty line ends each answer",
            last.text
        )
    })
}
