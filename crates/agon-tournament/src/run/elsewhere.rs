//! What a run knows of engines that play elsewhere: what their games depend on, and their lag
//! before each game.

use agon_match::processes::{Limits, Scratch};
use agon_match::referee::{self, EchoTrouble, EnginePool};
use agon_programs::elsewhere::GameElsewhere;
use agon_programs::spec::EngineSpec;
use agon_record::Lag;
use agon_store::EntrantTerms;

use crate::run::Run;

impl Run {
    /// What the games of an engine depend on besides its content and the conditions of the run.
    pub(crate) fn entrant_terms(&self, engine: &EngineSpec) -> EntrantTerms {
        let level = engine.confinement(&self.terms.confinement).level;
        EntrantTerms {
            control: self.control_of(engine),
            search: engine.odds.search,
            level: (level != self.terms.confinement.level).then_some(level),
            lag: engine.elsewhere.as_ref().map(|elsewhere| elsewhere.most()).unwrap_or_default(),
        }
    }
}

/// The lag of an engine in the game that begins, and a token to be kept during it. A lag that is
/// old is measured again before; `tell` gets a line if that cannot be done. An engine whose process
/// lives on in the pool keeps its lag: it has the only way to the other machine, perhaps.
pub(super) fn lag_before_game(
    engine: &EngineSpec,
    pool: &EnginePool,
    limits: &Limits,
    scratch: &Scratch,
    tell: impl FnOnce(String),
) -> (Option<Lag>, Option<GameElsewhere>) {
    let Some(elsewhere) = &engine.elsewhere else { return (None, None) };
    let measure = || match referee::lag(engine, limits, scratch) {
        Ok(measured) => measured,
        Err(EchoTrouble::Stopped) => None,
        Err(trouble) => {
            tell(format!("{}: {trouble}; its lag is taken as it was", engine.name));
            None
        }
    };
    let (lag, game) = elsewhere.begin_game(!pool.holds(&engine.name), measure);
    (lag, Some(game))
}
