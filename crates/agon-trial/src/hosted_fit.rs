//! Which engines can play the games of a referee program.

use agon_config::Misuse;
use agon_match::hosted::HostedRules;
use agon_programs::program::display_path;
use agon_programs::spec::{BoardTold, EngineSpec};
use agon_protocol::gtp_told::GtpBoard;
use agon_protocol::{ProcessSpan, Protocol};

/// Sees that an engine speaks a protocol in which the games of this referee program are played.
///
/// # Errors
/// [`Misuse`], which names the engine and says what to write.
pub fn speaks_hosted(rules: &HostedRules, engine: &EngineSpec) -> anyhow::Result<()> {
    let (name, game) = (&engine.name, &rules.folder.name);
    if engine.process == ProcessSpan::Turn {
        return Err(Misuse::hinted(
            format!(
                "{name} has process = \"turn\", and a referee program like that of {game} does not tell its lines again"
            ),
            format!("leave process out of {}", display_path(&engine.source.join("engine.toml"))),
        ));
    }
    match (&engine.protocol, rules.gtp()) {
        (Protocol::Lines, _) if engine.board == BoardTold::File => Err(Misuse::hinted(
            format!(
                "{name} has board = \"file\", and a referee program like that of {game} has no file board"
            ),
            format!("leave board out of {}", display_path(&engine.source.join("engine.toml"))),
        )),
        (Protocol::Lines, _) => Ok(()),
        (Protocol::Gtp, Some(GtpBoard { size: 1..=GtpBoard::MOST, .. })) => Ok(()),
        (Protocol::Gtp, Some(GtpBoard { size, .. })) => Err(Misuse::hinted(
            format!(
                "{name} speaks gtp, which has boards of 1 to {} columns, and not of {size}",
                GtpBoard::MOST
            ),
            "give another --game, or engines that speak lines",
        )),
        (Protocol::Gtp, None) => Err(Misuse::hinted(
            format!("{name} speaks gtp, and the game.toml of {game} has no table [gtp]"),
            "give engines that speak lines, or see in docs/referee.md whether the game can have that table",
        )),
        (protocol, _) if protocol.is_ugi() => speaks_ugi(rules, engine),
        (protocol, _) => Err(Misuse::hinted(
            format!(
                "{name} speaks {}, and the games of referee programs are played in lines, and some in gtp or ugi",
                protocol.name()
            ),
            "give engines that speak lines",
        )),
    }
}

/// Sees that the game has a table for UGI, and that the engine writes its moves as names.
fn speaks_ugi(rules: &HostedRules, engine: &EngineSpec) -> anyhow::Result<()> {
    let (name, game, protocol) = (&engine.name, &rules.folder.name, engine.protocol.name());
    if rules.folder.ugi.is_none() {
        return Err(Misuse::hinted(
            format!("{name} speaks {protocol}, and the game.toml of {game} has no table [ugi]"),
            "give engines that speak lines, or see in docs/referee.md whether the game can have that table",
        ));
    }
    if rules.seats().len() != 2 {
        return Err(Misuse::hinted(
            format!(
                "{name} speaks {protocol}, which has two clocks, and not those of {} seats",
                rules.seats().len()
            ),
            "give --seats 2, or engines that speak lines",
        ));
    }
    match &engine.words.map {
        Some(map) if map.is_of_cells() => Err(Misuse::hinted(
            format!(
                "{}: key ugi: only cells of mnk and connect4 have names, and not those of {game}",
                display_path(&engine.source.join("engine.toml"))
            ),
            "write move = \"...{move}...\"",
        )),
        _ => Ok(()),
    }
}
